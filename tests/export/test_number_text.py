"""Numbers as text: Python's shortest spelling byte for byte, from every writer."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.export import csv, number_text
from snakestudio.export.csv import TextWriters
from snakestudio.export.number_text import HEAD, counts_among, rows_text, serve


def plainly(block: np.ndarray) -> bytes:
    """Text written by Python alone."""
    lines = [",".join(repr(value) for value in row) for row in block.tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


def awkward() -> np.ndarray:
    """Numbers of every size, halfway cases of the last digit, integers, and those near changes of the notation."""
    rng = np.random.default_rng(7)
    random = rng.integers(0, 2**64, 4000, dtype=np.uint64).view(np.float64)
    usual = rng.normal(size=4000) * 10.0 ** rng.integers(-12, 12, 4000)
    dyadic = rng.integers(-(2**53), 2**53, 2000) * 2.0 ** -rng.integers(0, 60, 2000)
    edges = np.array([1e-4, 1e-5, 1e9, 1e15, 1e16, 1e22, 5e-324, np.pi, 0.1, 1 / 3, 2.0**53])
    near = np.concatenate(
        [edges, np.nextafter(edges, 0), np.nextafter(edges, np.inf), [0.0, -0.0, np.nan, np.inf]]
    )
    return np.resize(np.concatenate([random, usual, dyadic, near, -near]), (640, 16))


def test_every_number_is_written_as_python_writes_it() -> None:
    block = awkward()
    assert rows_text(block) == plainly(block)


def test_only_counts_are_written_without_a_point() -> None:
    counts = counts_among(("time_s", "contacts_closed", "com_x_m", "solver_unconverged"))
    block = np.array([[0.0, 0.0, -0.0, 12.0], [1.0, np.nan, 1e20, 0.5]])
    assert rows_text(block, counts) == b"0.0,0,-0.0,12\n1.0,nan,1e+20,0.5\n"


def test_helper_process_gets_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "_WORTH", 0)
    blocks = [np.ones((4, 2)), np.ones((4, 2))]
    with TextWriters(1, (1,)) as writers:
        assert b"".join(text for text, _ in writers.lines(blocks)) == 8 * b"1.0,1\n"
        assert writers.helper is not None, "it wrote its share"


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_any_number_is_written_as_python_writes_it(values: list[float]) -> None:
    block = np.array([values])
    assert rows_text(block) == plainly(block)


def test_python_writes_numbers_of_other_spelling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(number_text, "to_json", lambda row: b"[1.0]")
    number_text.spells_alike.cache_clear()
    try:
        assert rows_text(np.array([[0.25, 3.0]])) == b"0.25,3.0\n"
    finally:
        number_text.spells_alike.cache_clear()


def test_helper_process_writes_identical_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "_WORTH", 0)
    blocks = np.array_split(awkward(), 5)
    with TextWriters(1) as writers:
        assert writers.helper is not None
        result = list(writers.lines(blocks))
        assert writers.helper is not None, "it wrote its share"
    assert b"".join(text for text, _ in result) == plainly(np.concatenate(blocks))
    assert [text.count(b"\n") for text, _ in result] == [rows for _, rows in result]


def test_failed_helper_process_loses_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "_WORTH", 0)
    blocks = np.array_split(awkward(), 6)
    with TextWriters(1) as writers:
        result = []
        for text, _ in writers.lines(blocks):
            result.append(text)
            if len(result) == 2:
                assert writers.helper is not None
                writers.helper.kill()
                writers.helper.wait()
    assert b"".join(result) == plainly(np.concatenate(blocks))


def test_without_a_helper_all_is_written_in_the_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(csv, "_WORTH", 0)
    monkeypatch.setattr(csv, "own_program", lambda: [str(tmp_path / "gone")])
    with TextWriters(1) as writers:
        assert list(writers.lines([np.array([[1.5]])])) == [(b"1.5\n", 1)]


def test_incomplete_block_ends_the_helper() -> None:
    sink = io.BytesIO()
    serve(
        io.BytesIO(HEAD.pack(1, 2) + np.array([1.5, 2.0]).tobytes() + HEAD.pack(1, 2) + b"abc"),
        sink,
    )
    assert sink.getvalue() == HEAD.pack(8, 0) + b"1.5,2.0\n"
