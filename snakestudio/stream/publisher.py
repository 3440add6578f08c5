"""The thread of a stream: samples at its own rate and passes samples to a sink, without blocking the run."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from snakestudio.errors import SnakeStudioError
from snakestudio.stream.foxglove_sink import FoxgloveSink
from snakestudio.stream.rerun_sink import RerunSink
from snakestudio.stream.sampler import Feed, Sample, Sampler
from snakestudio.stream.target import Target

log = logging.getLogger(__name__)

_MANY = 50
_SHARE = 0.2
"""Number of skipped samples, and their fraction of all, above which the stream reports that it does not
keep up."""

_END_S = 3.0
"""Time that closing waits for a blocked sink, s."""


class Sink(Protocol):
    """Destination of samples; its methods, except properties, are called on the stream's thread."""

    address: str
    """Address that programs connect to, or the destination of the samples."""

    @property
    def clients(self) -> int:
        """Number of programs that receive samples."""
        ...

    def has_newcomers(self) -> bool:
        """Return whether a client connected since the last call."""
        ...

    def publish(self, sample: Sample, newcomers: bool) -> None:
        """Send a sample."""
        ...

    def close(self) -> None:
        """Stop sending."""
        ...

    def abandon(self) -> None:
        """Let the program end although `publish` or `close` is blocked; called on another thread."""
        ...


class Stream:
    """A stream that runs until it is closed.

    Parameters
    ----------
    sink : Sink
        Closed with the stream.
    feed : callable
        Returns what to send; called on the stream's thread.
    rate_hz : float
        Samples per second.
    on_note : callable
        Called with messages for the user, on any thread.
    clock : callable
        Monotonic clock, s.
    threaded : bool
        False: only `tick` sends samples, for tests.
    """

    def __init__(
        self,
        sink: Sink,
        feed: Feed,
        rate_hz: float,
        on_note: Callable[[str], None] = lambda text: None,
        *,
        clock: Callable[[], float] = time.monotonic,
        threaded: bool = True,
    ) -> None:
        self._sink = sink
        self._sampler = Sampler(feed)
        self._on_note = on_note
        self._clock = clock
        self._period = 1.0 / rate_hz
        self._due = clock()
        self._last_sample: Sample | None = None
        self._ended = threading.Event()
        self._lag_reported = False  # True after the report that it does not keep up
        self.sent = 0
        """Number of samples sent."""
        self.dropped = 0
        """Number of samples skipped because the previous one was still being sent."""
        self.trouble = ""
        """Why the stream ended unexpectedly; "" while it runs."""
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(
                target=self._work, name="snakestudio-stream", daemon=True
            )
            self._thread.start()

    @property
    def address(self) -> str:
        """Address that programs connect to, or the destination of the samples."""
        return self._sink.address

    @property
    def clients(self) -> int:
        """Number of programs that receive samples."""
        return self._sink.clients

    def tick(self) -> float:
        """Send new data; return the time at which the next sample is due, s of the clock."""
        newcomers = self._sink.has_newcomers()
        sample = self._sampler.next()
        if sample is not None:
            self._last_sample = replace(sample, new_run=False, new_scene=False, events=())
        elif newcomers:
            sample = self._last_sample
        if sample is not None:
            self._sink.publish(sample, newcomers)
            self.sent += 1
        self._due += self._period
        missed = int((self._clock() - self._due) / self._period)
        if missed > 0:
            self._due += missed * self._period
            if sample is not None and not sample.new_run:  # a run's first sample sets up everything
                self._count(missed)
        return self._due

    def _count(self, missed: int) -> None:
        self.dropped += missed
        many = self.dropped >= _MANY and self.dropped >= _SHARE * (self.sent + self.dropped)
        if many and not self._lag_reported and self.clients:
            self._lag_reported = True
            self._on_note(
                f"The stream to {self.address} does not keep up with {1 / self._period:g} samples a second. "
                "Samples are skipped; a lower rate avoids that."
            )

    def close(self) -> None:
        """Send new data for the last time and end; wait at most a few seconds for a blocked sink."""
        self._ended.set()
        if self._thread is None:
            self._sink.close()
            return
        self._thread.join(_END_S)
        if self._thread.is_alive():
            self._count(max(1, int((self._clock() - self._due) / self._period)))
            self._sink.abandon()

    def _work(self) -> None:
        try:
            while not self._ended.wait(max(0.0, self._due - self._clock())):
                self.tick()
            self.tick()
        except SnakeStudioError as error:
            self._fail(str(error))
        except Exception as error:  # failures of a stream must not affect the run
            log.exception("the stream failed")
            self._fail(
                f"The stream ended because of an internal error ({error!r}). Please report it."
            )
        finally:
            self._sink.close()

    def _fail(self, text: str) -> None:
        self.trouble = text
        self._on_note(text)


def open_stream(
    target: Target, feed: Feed, on_note: Callable[[str], None] = lambda text: None
) -> Stream:
    """Start a stream of a feed.

    Raises `StreamError` if a package is missing, or the address cannot be opened or reached.
    """
    sink = (
        FoxgloveSink(target, on_note) if target.kind == "foxglove" else RerunSink(target, on_note)
    )
    if target.warning:
        on_note(target.warning)
    return Stream(sink, feed, target.rate_hz, on_note)
