"""Queue of commands from any thread, executed in order on the thread of a live robot, which polls it in between."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from snakestudio.errors import PluginRuntimeError, SnakeStudioError
from snakestudio.plugins.surroundings import join

_AGAIN_S = 0.5
"""Pause after an unexpected exception, s."""


class CommandQueue:
    """Waits for commands, and for the time at which `poll` is due.

    Parameters
    ----------
    poll : callable
        Reads the robot once; returns when it is due again, s of `clock`.
    refused : callable
        Called with the errors of commands that could not be executed.
    failed : callable
        Called with unexpected exceptions, including those of plug-ins; the thread continues.
    clock : callable
        The machine's monotonic clock, s.
    """

    def __init__(
        self,
        poll: Callable[[], float],
        refused: Callable[[SnakeStudioError], None],
        failed: Callable[[BaseException], None],
        clock: Callable[[], float],
    ) -> None:
        self._poll = poll
        self._refused = refused
        self._failed = failed
        self._clock = clock
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._work, name="snakestudio-live", daemon=True)
        self._thread.start()

    def put(self, command: Callable[[], None]) -> None:
        """Append a command to the queue."""
        self._queue.put(command)

    def tick(self) -> float:
        """Execute all waiting commands and poll once; return when polling is due again, s of the clock."""
        while not self._queue.empty():
            self._execute(self._queue.get())
        return self._poll()

    def try_tick(self) -> float:
        """Call `tick`, and pass errors to `failed` instead of raising them."""
        try:
            return self.tick()
        except Exception as error:
            self._failed(error)
            return self._clock() + _AGAIN_S

    def settle(self, timeout: float) -> None:
        """Wait until all commands queued so far have been executed; raises `TimeoutError` after `timeout` (s)."""
        done = threading.Event()
        self.put(done.set)
        if not done.wait(timeout):
            raise TimeoutError("the live robot did not answer")

    def close(self) -> None:
        """Stop the thread, and wait for its end unless a plug-in does not return."""
        self._closing = True
        self.put(lambda: None)
        if self._thread is not None:
            join(self._thread)

    def _work(self) -> None:
        while not self._closing:
            due = self.try_tick()
            try:
                command = self._queue.get(timeout=max(0.0005, due - self._clock()))
            except queue.Empty:
                continue
            try:
                self._execute(command)
            except Exception as error:
                self._failed(error)

    def _execute(self, command: Callable[[], None]) -> None:
        try:
            command()
        except PluginRuntimeError:
            raise
        except SnakeStudioError as error:
            self._refused(error)
