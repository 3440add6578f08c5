"""The spooled recording: rows are read as they were appended, with any chunks, and memory stays bounded."""

from __future__ import annotations

import contextlib
import io
import queue
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.runfile import recording_thread
from snakestudio.runfile.mcap import chunks, open_run
from snakestudio.runfile.mcap.writer import RunWriter
from snakestudio.runfile.recording import RunRecording
from tests.session.rows import SCENE, SCHEMA, assert_equal, make_rows


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 23), st.data())
def test_any_rows_are_read_as_appended(pieces: list[int], chunk: int, data: st.DataObject) -> None:
    recording = RunRecording(Scene(), SCHEMA, chunk_rows=chunk)
    total = 0
    for piece in pieces:
        recording.append(make_rows(total, total + piece))
        total += piece
    assert len(recording) == total
    start = data.draw(st.integers(0, total - 1))
    stop = data.draw(st.integers(start + 1, total))
    assert_equal(recording.rows(start, stop), make_rows(start, stop))
    assert_equal(Rows.concatenate(list(recording.chunks())), make_rows(0, total))
    np.testing.assert_array_equal(recording.times, np.arange(total) / 100)


def test_missing_rows_are_refused() -> None:
    recording = RunRecording(Scene(), SCHEMA)
    recording.append(make_rows(0, 5))
    for start, stop in [(0, 6), (-1, 2), (3, 3), (5, 6)]:
        with pytest.raises(IndexError):
            recording.rows(start, stop)


def test_snapshot_has_mean_forces_since_previous_row() -> None:
    recording = RunRecording(Scene(), SCHEMA, chunk_rows=4)
    recording.append(make_rows(0, 10))
    snapshot = recording.snapshot(7)
    assert snapshot.time == 0.07
    assert snapshot.energy["kinetic"] == 7.0
    assert len(snapshot.contacts) == 3
    np.testing.assert_allclose(snapshot.contacts.force_normal, 7 / 0.01)  # 7 N s in 10 ms
    assert snapshot.solver.iterations == pytest.approx(3 / 40)
    assert len(recording.snapshot(0).contacts) == 0
    assert recording.snapshot(-1).time == 0.09


def test_nearest_row_to_a_time_is_found() -> None:
    recording = RunRecording(Scene(), SCHEMA)
    recording.append(make_rows(0, 10))
    indices = [recording.index_at(t) for t in (-1, 0.004, 0.006, 0.05, 0.0949, 7)]
    assert indices == [0, 0, 1, 5, 9, 9]


def test_changes_at_the_same_time_join() -> None:
    recording = RunRecording(Scene(), SCHEMA)
    first, second, third = (Scene(title=title) for title in ("first", "second", "third"))
    recording.add_change(1.0, {"a": 1}, first)
    recording.add_change(1.0, {"b": 2, "a": 3}, second)
    recording.add_change(2.0, {"a": 4}, third)
    assert [(c.time, c.values) for c in recording.changes] == [
        (1.0, {"a": 3, "b": 2}),
        (2.0, {"a": 4}),
    ]
    assert [recording.scene_at(t) for t in (0.5, 1.0, 1.9, 2.0, 9.0)] == [
        Scene(),
        second,
        second,
        third,
        third,
    ]


def test_few_blocks_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(chunks, "_CACHED_ROWS", 40)
    monkeypatch.setattr(recording_thread, "_KEPT_ROWS", 30)
    recording = RunRecording(Scene(), SCHEMA, chunk_rows=10)
    recording.append(make_rows(0, 1005))
    recording.close()
    assert recording.rows(0, 1005).time[-1] == 10.04
    assert recording.cached_rows <= 70
    del recording
    assert not list(tmp_path.iterdir())


def test_full_disk_loses_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = RunRecording(Scene(), SCHEMA, chunk_rows=10)
    recording.append(make_rows(0, 35))
    recording.rows(0, 35)

    def full(*arguments: object, **columns: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunWriter, "append", full)
    recording.append(make_rows(35, 65))
    deadline = time.monotonic() + 10.0
    while not recording.trouble and time.monotonic() < deadline:
        time.sleep(0.001)
    monkeypatch.undo()
    recording.append(make_rows(65, 100))
    assert "No space left on device" in recording.trouble
    assert_equal(Rows.concatenate(list(recording.chunks())), make_rows(0, 100))


@given(
    capacity=st.integers(20_000, 120_000),
    pieces=st.lists(st.integers(1, 400), min_size=2, max_size=12),
)
def test_file_on_a_full_disk_is_valid_and_the_rest_in_memory(
    capacity: int, pieces: list[int]
) -> None:
    append = RunWriter.append

    def on_a_small_disk(writer: RunWriter, *parts: bytes) -> None:
        if writer.size + sum(map(len, parts)) > capacity:
            raise OSError(28, "No space left on device")
        append(writer, *parts)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunWriter, "append", on_a_small_disk)
        patch.setattr(recording_thread, "_KEPT_ROWS", 30)
        path = Path(folder, "run.mcap")
        recording = RunRecording(SCENE, SCHEMA, path, chunk_rows=10)
        total = 0
        for piece in pieces:
            recording.append(make_rows(total, total + piece))
            recording.add_checkpoint(total / 100, str(total).encode())
            total += piece
        recording.close()
        assert_equal(Rows.concatenate(list(recording.chunks())), make_rows(0, total))
        assert all(state == str(round(100 * at)).encode() for at, state in recording.checkpoints())
        if not path.exists():
            assert "nothing was written" in recording.trouble
            return
        assert path.stat().st_size <= capacity
        with open_run(path) as run:
            saved = len(run)
            assert run.info.complete or not recording.trouble or "stopped" in recording.trouble
            assert_equal(run.rows(0, saved), make_rows(0, saved))
            assert all(state == str(round(100 * at)).encode() for at, state in run.checkpoints())
            assert saved == total or f"stopped at {saved / 100:.2f} s" in recording.trouble


def test_end_of_a_file_replaces_the_newest_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RunWriter.append
    capacity = 0
    written: list[tuple[int, int]] = []

    def on_a_full_disk(writer: RunWriter, *parts: bytes) -> None:
        if capacity and writer.size + sum(map(len, parts)) > capacity:
            raise OSError(28, "No space left on device")
        append(writer, *parts)
        written.append((writer.n_rows, writer.size))

    monkeypatch.setattr(RunWriter, "append", on_a_full_disk)
    path = tmp_path / "run.mcap"
    recording = RunRecording(SCENE, SCHEMA, path, chunk_rows=10)
    recording.append(make_rows(0, 200))
    while not written or written[-1][0] < 190:  # the thread writes all complete blocks
        time.sleep(0.001)
    capacity = written[-1][1]  # and now the disk is full
    recording.append(make_rows(200, 210))
    recording.close()
    assert_equal(Rows.concatenate(list(recording.chunks())), make_rows(0, 210))
    with open_run(path) as run:
        assert run.info.complete
        assert 100 < len(run) < 200
        assert_equal(run.rows(0, len(run)), make_rows(0, len(run)))
        assert f"stopped at {len(run) / 100:.2f} s" in recording.trouble


def test_rows_are_read_while_another_thread_appends() -> None:
    recording = RunRecording(Scene(), SCHEMA, chunk_rows=16)
    recording.append(make_rows(0, 1))
    errors: list[BaseException] = []

    def read() -> None:
        try:
            while len(recording) < 3000:
                count = len(recording)
                start = max(0, count - 50)
                assert_equal(recording.rows(start, count), make_rows(start, count))
                assert len(recording.times) >= count
        except BaseException as error:
            errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for start in range(1, 3000, 7):
        recording.append(make_rows(start, min(start + 7, 3000)))
    reader.join()
    assert not errors, errors


def test_recording_collected_in_its_thread_closes_its_file() -> None:
    """Garbage is collected at any allocation, so also in the thread that writes."""
    file = io.BytesIO()
    reader = io.BytesIO()
    writing: queue.Queue[threading.Thread] = queue.Queue()

    class Writer:
        index = SimpleNamespace(checkpoints=[])

        def write(self, blocks: list[Rows], *notes: object) -> list[int]:
            spool.release()  # like the finaliser of the recording
            file.write(b"rows")  # and the block is still written
            writing.put(threading.current_thread())
            return [0 for _ in blocks]

    @contextlib.contextmanager
    def open_file(first: Rows) -> Iterator[tuple[Any, Any, Any]]:
        yield Writer(), file, reader

    spool = recording_thread.RecordingThread(open_file, 2, None)
    spool.append(make_rows(0, 2))
    writing.get(timeout=60).join()
    assert not spool.trouble
    assert file.closed
    assert reader.closed
