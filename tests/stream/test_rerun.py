"""Streams for Rerun: a file read by Rerun's reader, a missing viewer, and viewers that stall or never answer."""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from snakestudio.errors import StreamError
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline
from snakestudio.stream import publisher, rerun_sink
from snakestudio.stream.publisher import Stream
from snakestudio.stream.rerun_sink import RerunSink
from snakestudio.stream.sampler import StreamSource
from snakestudio.stream.target import Target, parse_target


def test_file_has_the_values_of_the_run(tmp_path: Path) -> None:
    from rerun.chunk import RrdReader  # 60 MB, which only the process of these tests needs

    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.1})
    recording = run_offline(scene).recording
    rows = [0]
    sink = RerunSink(parse_target(f"rerun:{tmp_path / 'run.rrd'}"))
    stream = Stream(sink, lambda: StreamSource(recording, rows[0]), 50.0, threaded=False)
    for rows[0] in (4, 9):
        stream.tick()
    stream.close()
    angles = {}
    entities = set()
    for chunk in RrdReader(tmp_path / "run.rrd").stream().to_chunks():
        entities.add(chunk.entity_path)
        if chunk.entity_path == "/joints/angle_rad" and not chunk.is_static:
            table = chunk.to_record_batch().to_pydict()
            values = next(column for name, column in table.items() if name.endswith("scalars"))
            times = next(column for name, column in table.items() if name == "time")
            angles |= {
                time.total_seconds(): value for time, value in zip(times, values, strict=True)
            }
    assert set(angles) == {recording.times[4], recording.times[9]}
    assert np.array_equal(angles[recording.times[9]], recording.snapshot(9).joint_angle)
    assert {
        "/world/link_1",
        "/world/link_1/solid",
        "/world/ground",
        "/world/posts",
        "/figures",
    } <= entities


def test_missing_viewer_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(
        StreamError, match=f"No Rerun viewer listens at 127.0.0.1:{port}. Start one with 'rerun'"
    ):
        RerunSink(Target("rerun", port=port))


def test_unresponsive_viewer_does_not_delay_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rerun_sink, "_FLUSH_S", 0.1)
    recording = run_offline(
        with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.05})
    ).recording
    with socket.create_server(("127.0.0.1", 0)) as mute:
        sink = RerunSink(Target("rerun", port=mute.getsockname()[1]))
        stream = Stream(sink, lambda: StreamSource(recording), 50.0, threaded=False)
        stream.tick()
        stream.close()
    assert stream.sent == 1


def test_stalled_viewer_gets_a_bounded_number_of_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import rerun

    monkeypatch.setattr(rerun_sink, "_FLUSH_S", 0.1)
    monkeypatch.setattr(rerun_sink, "MOST_WAITING", 3)
    monkeypatch.setattr(publisher, "_END_S", 0.3)
    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.2})
    recording = run_offline(scene).recording
    rows = iter(range(len(recording)))
    stalled = threading.Event()

    def flush(stream: rerun.RecordingStream, *, timeout_sec: float) -> None:
        """Fail like the SDK's flush when the viewer reads nothing."""
        time.sleep(timeout_sec)
        raise RuntimeError("Flush timed out - not all log messages were sent")

    monkeypatch.setattr(rerun.RecordingStream, "flush", flush)

    def note(text: str) -> None:
        if "respond" in text:
            stalled.set()

    with socket.create_server(("127.0.0.1", 0)) as mute:
        sink = RerunSink(Target("rerun", port=mute.getsockname()[1]), note)
        stream = Stream(sink, lambda: StreamSource(recording, next(rows)), 200.0, note)
        assert stalled.wait(10.0)
        sent = stream.sent
        stream.close()
    assert sent == 2  # the third one waits


def test_closed_viewer_ends_the_stream_with_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rerun_sink, "MOST_WAITING", 1)
    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.1})
    recording = run_offline(scene).recording
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as viewer:
        sink = RerunSink(Target("rerun", port=viewer.getsockname()[1]))
        viewer.accept()[0].close()  # the check whether a viewer listens
        stream = Stream(sink, lambda: StreamSource(recording), 50.0, lambda text: ended.set())
        viewer.accept()[0].close()
    assert ended.wait(10.0)
    assert "viewer, then start" in stream.trouble
    stream.close()


@pytest.mark.parametrize(
    ("name", "says"), [("none/run.rrd", "does not exist"), ("folder.rrd", "is a folder")]
)
def test_unwritable_file_is_reported(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder.rrd").mkdir()
    with pytest.raises(StreamError, match=says):
        RerunSink(Target("rrd", path=tmp_path / name))


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(StreamError, match=r'pip install "snakestudio\[rerun\]"'):
        RerunSink(Target("rrd", path=Path("run.rrd")))
