"""References: each block replaces the previous one from its first knot on; a wiggle begins and ends at rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.core.references import References, Wiggle
from snakestudio.link.messages import ReferenceBlock
from snakestudio.link.process.shared import LinkMemory


def _line(begin: float, end: float, angle: float, rate: float) -> ReferenceBlock:
    time = np.array([begin, end])
    return ReferenceBlock(time, angle + rate * (time - begin)[:, None], np.full((2, 1), rate))


def test_block_replaces_the_previous_one_from_its_first_knot() -> None:
    references = References(1)
    assert references.at(0.0) is None
    references.add(_line(0.0, 1.0, 0.0, 1.0))
    references.add(_line(0.5, 1.5, 7.0, 0.0))
    before, after = references.at(0.49), references.at(0.51)
    assert before is not None
    assert after is not None
    np.testing.assert_allclose(before, [[0.49], [1.0]])
    np.testing.assert_allclose(after, [[7.0], [0.0]], atol=1e-12)


def test_references_rest_before_first_and_after_last_knot() -> None:
    references = References(1)
    references.add(_line(1.0, 2.0, 0.5, 1.0))
    np.testing.assert_allclose(references.at(0.0), [[0.5], [0.0]])  # type: ignore[arg-type]
    np.testing.assert_allclose(references.at(9.0), [[1.5], [0.0]])  # type: ignore[arg-type]
    assert references.end == 2.0


def test_blocks_do_not_accumulate() -> None:
    references = References(1)
    for index in range(1000):
        references.add(_line(100.0 - 0.001 * index, 200.0, 0.0, 0.0))
        references.add(_line(100.0 + 0.001 * index, 200.0, 0.0, 0.0))
    assert len(references.blocks) <= 4


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (ReferenceBlock(np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1))), "1 axes"),
        (ReferenceBlock(np.arange(2.0), np.zeros((2, 3)), np.zeros((2, 3))), "1 axes"),
        (
            ReferenceBlock(np.arange(2.0), np.full((2, 1), math.nan), np.zeros((2, 1))),
            "numbers",
        ),
        (ReferenceBlock(np.array([1.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1))), "do not ascend"),
    ],
)
def test_unusable_blocks_are_refused_with_a_message(block: ReferenceBlock, text: str) -> None:
    references = References(1)
    assert text in references.add(block)
    assert references.at(0.0) is None


def test_block_is_equal_after_serialization() -> None:
    block = ReferenceBlock(
        np.array([1.0, 2.0, 4.0]), np.arange(6.0).reshape(3, 2), -np.arange(6.0).reshape(3, 2)
    )
    again = ReferenceBlock.unpack(block.pack())
    for name in ("time", "angle", "rate"):
        np.testing.assert_array_equal(getattr(again, name), getattr(block, name))


def test_window_and_link_refuse_a_wrong_shape_alike() -> None:
    block = ReferenceBlock(np.arange(2.0), np.zeros((2, 3)), np.zeros((2, 3)))
    memory = LinkMemory(1)
    try:
        with pytest.raises(LinkError) as error:
            memory.send(block)
    finally:
        memory.close()
    assert References(1).add(block) in str(error.value)


def test_wiggle_starts_and_ends_at_rest_with_consistent_rate() -> None:
    """The rate against a central difference of the angle."""
    wiggle = Wiggle(0, math.radians(5.0), 1.0, 3, begin=10.0)
    for time in np.linspace(10.0, 13.0, 61):
        slope = (wiggle.at(time + 1e-6)[0] - wiggle.at(time - 1e-6)[0]) / 2e-6
        assert wiggle.at(time)[1] == pytest.approx(slope, abs=1e-4)
    assert wiggle.at(10.0) == (0.0, 0.0)
    assert wiggle.at(13.0) == (0.0, 0.0)
    peak = max(abs(wiggle.at(time)[0]) for time in np.linspace(10, 13, 301))
    assert peak == pytest.approx(math.radians(5.0), rel=1e-3)
