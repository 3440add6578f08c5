"""Forged states in run files are refused before compiled code uses them; the run is recomputed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from snakestudio.errors import StateError
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.states import encode
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner
from tests.hostile.forged import ARRAYS, SCENES, Forged, last_state, leaves, recorded, with_leaf
from tests.wording import naming


@pytest.fixture(scope="module", params=SCENES)
def run(request: pytest.FixtureRequest) -> Iterator[RunRecording]:
    """A short run of each formulation."""
    result = recorded(request.param)
    yield result
    result.close()


def test_arrays_that_do_not_fit_the_engine_are_refused(run: RunRecording) -> None:
    time, state, scene = last_state(run)
    runner = Runner(run.scene, scenes_dir())
    accepted = []
    for key_path, array in leaves(state[0].state[0]):
        assert isinstance(array, np.ndarray)
        for what, forge in ARRAYS.items() if array.size else ():
            forged = with_leaf(state, (0, "state", 0, *key_path), forge(array))
            try:
                runner.restore(encode(forged, scene, time), scene, time)
            except StateError:
                continue
            accepted.append((key_path, what))
    assert accepted == []
    assert runner.time == 0.0, "it stands where it stood"
    runner.recording.close()


@pytest.mark.parametrize(
    "what", ["one more", "of another dimension", "of half precision", "no numbers"]
)
def test_references_that_do_not_fit_the_engine_are_refused(run: RunRecording, what: str) -> None:
    time, state, scene = last_state(run)
    name = "hold" if hasattr(state[2].reference, "hold") else "angle"
    forged = with_leaf(
        state, (2, "reference", name), ARRAYS[what](getattr(state[2].reference, name))
    )
    runner = Runner(run.scene, scenes_dir())
    with pytest.raises(StateError, match="damaged"):
        runner.restore(encode(forged, scene, time), scene, time)
    runner.recording.close()


POINTERS = {
    "obstacle_aided": ("counts", "stick", "slot_key", "contact"),
    "obstacle_aided_3d": ("counts", "stick", "first"),
    "jam_resolution": ("acts", "met"),
}
"""Indices into other arrays, by run, with the engine's names."""


@pytest.mark.parametrize("value", [-2, 1 << 40, -(1 << 62)])
@pytest.mark.parametrize(
    ("name", "pointer"), [(name, pointer) for name in POINTERS for pointer in POINTERS[name]]
)
def test_indices_out_of_range_are_refused(name: str, pointer: str, value: int) -> None:
    run = recorded(name)
    time, state, scene = last_state(run)
    own = state[0].state[0]
    assert name != "obstacle_aided" or own.counts[[5, 7]].all(), "it has contacts with obstacles"
    forged = with_leaf(state, (0, "state", 0, pointer), np.full_like(getattr(own, pointer), value))
    expected = Forged(run, time, encode(forged, scene, time))
    result = continue_run(expected, time, scenes_dir())  # type: ignore[arg-type]
    assert result is not None
    assert result.notes == (naming("recomputed"),)
    assert result.exact
    result.runner.recording.close()
    run.close()


@pytest.mark.parametrize("value", [None, "x", -1, 1 << 62, 0.5])
@pytest.mark.parametrize("name", ["reference_begin", "next_row", "last_row_step", "end_step"])
def test_impossible_progress_is_refused(name: str, value: object) -> None:
    run = recorded("obstacle_aided")
    time, state, scene = last_state(run)
    runner = Runner(run.scene, scenes_dir())
    with pytest.raises(StateError, match="damaged"):
        runner.restore(encode(with_leaf(state, (2, name), value), scene, time), scene, time)
    assert runner.advance(100).ok, "it stands where it stood"
    runner.recording.close()
    run.close()
