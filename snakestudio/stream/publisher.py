"""The thread of a stream: takes samples at its own rate and hands them to a sink; nobody waits for it."""

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
"""Skipped samples, and their share of all, from which a stream is said not to keep up: a few are
nobody's concern."""

_END_S = 3.0
"""How long closing waits for a sink that holds up the thread, s."""


class Sink(Protocol):
    """Where samples go; its methods are called on the stream's thread, but for the properties."""

    address: str
    """What programs connect to, or where the samples go."""

    @property
    def clients(self) -> int:
        """How many programs receive samples."""
        ...

    def take_newcomers(self) -> bool:
        """Whether somebody came since the last call, who has seen nothing yet."""
        ...

    def publish(self, sample: Sample, newcomers: bool) -> None:
        """Send a sample."""
        ...

    def close(self) -> None:
        """Send nothing any more."""
        ...

    def abandon(self) -> None:
        """See that the program can end although `publish` or `close` hangs; called on another thread."""
        ...


class Stream:
    """A stream that goes on until it is closed.

    Parameters
    ----------
    sink : Sink
        Closed with the stream.
    feed : callable
        Gives what to show, on the stream's thread.
    rate_hz : float
        Samples a second.
    on_note : callable
        Gets sentences for the user, on any thread.
    clock : callable
        Monotonic, s.
    threaded : bool
        False: nothing happens but by `tick`, for tests.
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
        self._last: Sample | None = None
        self._ended = threading.Event()
        self._told = False  # that it does not keep up
        self.sent = 0
        """Samples so far."""
        self.dropped = 0
        """Samples that were not taken in time, because the one before was still being sent."""
        self.trouble = ""
        """Why the stream has ended by itself; "" while it goes on."""
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(
                target=self._work, name="snakestudio-stream", daemon=True
            )
            self._thread.start()

    @property
    def address(self) -> str:
        """What programs connect to, or where the samples go."""
        return self._sink.address

    @property
    def clients(self) -> int:
        """How many programs receive samples."""
        return self._sink.clients

    def tick(self) -> float:
        """Send what is new; gives when the next sample is due, s of the clock."""
        newcomers = self._sink.take_newcomers()
        sample = self._sampler.next()
        if sample is not None:
            self._last = replace(sample, new_run=False, new_scene=False, events=())
        elif newcomers:
            sample = self._last
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
        if many and not self._told and self.clients:
            self._told = True
            self._on_note(
                f"The stream to {self.address} does not keep up with {1 / self._period:g} samples a second. "
                "Samples are skipped; a lower rate avoids that."
            )

    def close(self) -> None:
        """Send what is new for the last time and end; waits a few seconds for a sink that hangs, and no longer."""
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
        except Exception as error:  # whatever goes wrong here must not reach the run
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
    """Begin to stream what a feed shows.

    Raises `StreamError` if a package is missing, or the address cannot be opened or reached.
    """
    sink = (
        FoxgloveSink(target, on_note) if target.kind == "foxglove" else RerunSink(target, on_note)
    )
    if target.warning:
        on_note(target.warning)
    return Stream(sink, feed, target.rate_hz, on_note)
