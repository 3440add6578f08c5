"""The thread of a stream: it never delays a run, counts skipped samples, and reports each problem once."""

from __future__ import annotations

import threading

import pytest

from snakestudio.model.events import RunEvent
from snakestudio.runfile.recording import RunRecording
from snakestudio.stream import publisher
from snakestudio.stream.publisher import Stream
from snakestudio.stream.sampler import Sample, StreamSource
from tests.session.rows import SCENE, SCHEMA, make_rows
from tests.waiting import Clock
from tests.wording import naming


class Sink:
    """Stores the samples; can be slow, hang or fail."""

    address = "nowhere"
    clients = 1

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.closed = self.abandoned = False
        self.on_publish = lambda: None
        self.newcomers = False

    def has_newcomers(self) -> bool:
        newcomers = self.newcomers
        self.newcomers = False
        return newcomers

    def publish(self, sample: Sample, newcomers: bool) -> None:
        self.samples.append(sample)
        self.on_publish()

    def close(self) -> None:
        self.closed = True

    def abandon(self) -> None:
        self.abandoned = True


@pytest.fixture
def recording() -> RunRecording:
    recording = RunRecording(SCENE, SCHEMA)
    recording.append(make_rows(0, 3))
    return recording


def test_samples_are_the_newest_rows_without_repeats(recording: RunRecording) -> None:
    sink = Sink()
    stream = Stream(sink, lambda: StreamSource(recording), 50.0, clock=Clock(), threaded=False)
    stream.tick()
    stream.tick()
    recording.append(make_rows(3, 8))
    stream.tick()
    assert [sample.time for sample in sink.samples] == [0.02, 0.07]
    assert [sample.new_run for sample in sink.samples] == [True, False]
    assert sink.samples[1].row.solver_residual.tolist() == [7e-12]
    stream.close()
    assert sink.closed


def test_late_client_does_not_restart_the_run(recording: RunRecording) -> None:
    recording.add_event(RunEvent(0.01, "note", "It begins."))
    sink = Sink()
    stream = Stream(sink, lambda: StreamSource(recording), 50.0, clock=Clock(), threaded=False)
    stream.tick()
    sink.newcomers = True
    stream.tick()
    first, again = sink.samples
    assert (first.new_run, first.new_scene, len(first.events)) == (True, True, 1)
    assert (again.new_run, again.new_scene, len(again.events), again.time) == (
        False,
        False,
        0,
        first.time,
    )
    stream.close()


def test_worst_residual_between_samples_is_published(recording: RunRecording) -> None:
    sink = Sink()
    index = [2]
    stream = Stream(
        sink, lambda: StreamSource(recording, index[0]), 50.0, clock=Clock(), threaded=False
    )
    rows = make_rows(3, 8)
    rows.solver_residual[2] = 1e-3
    recording.append(rows)
    for index[0] in (4, 7):
        stream.tick()
    assert sink.samples[1].row.solver_residual.tolist() == [1e-3]
    stream.close()


def test_many_skipped_samples_are_counted_and_reported(recording: RunRecording) -> None:
    sink = Sink()
    clock = Clock()
    notes = []
    stream = Stream(
        sink, lambda: StreamSource(recording), 50.0, notes.append, clock=clock, threaded=False
    )
    stream.tick()

    def delay() -> None:
        clock.now += 0.115

    sink.on_publish = delay
    for row in (3, 4):
        recording.append(make_rows(row, row + 1))
        due = stream.tick()
    assert stream.sent == 3
    assert stream.dropped == 8
    assert due == pytest.approx(0.22)
    assert not notes
    for row in range(5, 30):
        recording.append(make_rows(row, row + 1))
        stream.tick()
    assert len(notes) == 1
    assert "50 samples a second" in notes[0]
    stream.close()


def test_hanging_sink_delays_neither_the_run_nor_the_end(
    recording: RunRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "_END_S", 0.05)
    sink = Sink()
    hanging = threading.Event()
    resume = threading.Event()
    sink.on_publish = lambda: (hanging.set(), resume.wait(30.0))[0]  # type: ignore[func-returns-value]
    stream = Stream(sink, lambda: StreamSource(recording), 1000.0)
    assert hanging.wait(30.0)
    recording.append(make_rows(3, 400))
    stream.close()
    assert sink.abandoned
    assert stream.dropped > 0
    resume.set()


def test_internal_error_ends_only_the_stream(recording: RunRecording) -> None:
    sink = Sink()
    notes = []
    noted = threading.Event()

    def fail() -> None:
        raise ZeroDivisionError

    def note(text: str) -> None:
        notes.append(text)
        noted.set()

    sink.on_publish = fail
    stream = Stream(sink, lambda: StreamSource(recording), 1000.0, note)
    assert noted.wait(30.0)
    stream.close()
    assert notes == [naming("(ZeroDivisionError()). Please report it")]
    assert stream.trouble == notes[0]
    assert sink.closed


def test_stream_keeps_no_recording_alive(recording: RunRecording) -> None:
    import gc
    import weakref

    recordings: list[RunRecording] = [recording]
    stream = Stream(
        Sink(),
        lambda: StreamSource(recordings[0]) if recordings else None,
        50.0,
        clock=Clock(),
        threaded=False,
    )
    stream.tick()
    short = RunRecording(SCENE, SCHEMA)
    short.append(make_rows(0, 2))
    recordings[0] = short
    stream.tick()
    seen = weakref.ref(short)
    recordings.clear()
    del short
    gc.collect()
    assert seen() is None
    stream.close()
