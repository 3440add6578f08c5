"""Cost of a stream: processor time of a sample, and of a run with a client that reads nothing."""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import suppress

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.stream.foxglove_sink import FoxgloveSink
from snakestudio.stream.publisher import Stream
from snakestudio.stream.sampler import StreamSource
from snakestudio.stream.target import Target
from tests.stream.foxglove_client import FoxgloveClient

Row = tuple[str, object, str, str, bool]

_SAMPLES = 500
_TURNS = 7


def _scene() -> Scene:
    return with_values(load_scene(scenes_dir() / "sidewinding.toml"), {"run.duration_s": 15.0})


def _sample(recording: RunRecording) -> float:
    """Processor time of a sample for a client that reads everything, ms."""
    row = [0]
    sink = FoxgloveSink(Target(port=0), lambda text: None)
    stream = Stream(sink, lambda: StreamSource(recording, row[0]), 50.0, threaded=False)
    client = FoxgloveClient(int(sink.address.rpartition(":")[2]))
    stream.tick()
    client.await_channels("/tf", "/scene", "/figures")

    def read() -> None:
        with suppress(OSError, EOFError):
            while True:
                client.next_message()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    took = []
    for row[0] in range(1, _SAMPLES):
        began = time.thread_time()
        stream.tick()
        took.append(time.thread_time() - began)
    stream.close()
    reader.join()
    client.close()
    return 1e3 * statistics.median(took)


def _run(scene: Scene, streamed: bool) -> float:
    """Time of a run at full speed, s; with a stream to a client that has subscribed and reads nothing."""
    if not streamed:
        began = time.perf_counter()
        run_offline(scene)
        return time.perf_counter() - began
    snapshots: list[StreamSource] = []
    sink = FoxgloveSink(Target(port=0), lambda text: None)
    stream = Stream(sink, lambda: snapshots[0] if snapshots else None, 50.0)
    client = FoxgloveClient(int(sink.address.rpartition(":")[2]))
    client.await_channels("/scene", "/contacts", "/events")
    began = time.perf_counter()
    run_offline(scene, began=lambda recording: snapshots.append(StreamSource(recording)))
    took = time.perf_counter() - began
    client.close()
    stream.close()
    return took


def run() -> list[Row]:
    """All rows."""
    scene = _scene()
    recording = run_offline(scene).recording
    sample = _sample(recording)
    alone = []
    streamed = []
    for _ in range(_TURNS):
        alone.append(_run(scene, streamed=False))
        streamed.append(_run(scene, streamed=True))
    ratio = statistics.median(streamed) / statistics.median(alone)
    return [
        ("a sample of 11 links, of the stream's thread", sample, "ms", "<= 2", sample <= 2.0),
        (
            f"run with a client that reads nothing, relative: median of {_TURNS}",
            ratio,
            "",
            "<= 1.1",
            ratio <= 1.1,
        ),
    ]
