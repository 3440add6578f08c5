"""Commands from any thread, carried out one by one on the thread of a live robot, which looks at it in between."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from snakestudio.errors import PluginRuntimeError, SnakeStudioError
from snakestudio.plugins.faults import PluginCancelled

_AGAIN_S = 0.5
"""Pause after an unexpected exception, s."""


class CommandQueue:
    """Waits for commands, and for the time at which `look` is due.

    Parameters
    ----------
    look : callable
        Reads the robot once; returns when it is due again, s of `clock`.
    refused : callable
        Gets the errors of commands that could not be carried out.
    failed : callable
        Gets unexpected exceptions, also those of plug-ins; the thread continues.
    clock : callable
        The machine's monotonic clock, s.
    """

    def __init__(
        self,
        look: Callable[[], float],
        refused: Callable[[SnakeStudioError], None],
        failed: Callable[[BaseException], None],
        clock: Callable[[], float],
    ) -> None:
        self._look = look
        self._refused = refused
        self._failed = failed
        self._clock = clock
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin the thread."""
        self._thread = threading.Thread(target=self._work, name="snakestudio-live", daemon=True)
        self._thread.start()

    def put(self, command: Callable[[], None]) -> None:
        """Add a command behind those that wait."""
        self._queue.put(command)

    def tick(self) -> float:
        """Carry out all waiting commands and look once; returns when that is due again, s of the clock."""
        while not self._queue.empty():
            self._carry_out(self._queue.get())
        return self._look()

    def turn(self) -> float:
        """Like `tick`, but errors go to `failed` instead of being raised."""
        try:
            return self.tick()
        except (Exception, PluginCancelled) as error:
            self._failed(error)
            return self._clock() + _AGAIN_S

    def settle(self, timeout: float) -> None:
        """Wait until all commands given so far were carried out; raises `TimeoutError` after `timeout` (s)."""
        done = threading.Event()
        self.put(done.set)
        if not done.wait(timeout):
            raise TimeoutError("the live robot did not answer")

    def close(self) -> None:
        """End the thread, and wait for that."""
        self._closing = True
        self.put(lambda: None)
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._closing:
            due = self.turn()
            try:
                command = self._queue.get(timeout=max(0.0005, due - self._clock()))
            except queue.Empty:
                continue
            try:
                self._carry_out(command)
            except (Exception, PluginCancelled) as error:
                self._failed(error)

    def _carry_out(self, command: Callable[[], None]) -> None:
        try:
            command()
        except PluginRuntimeError:
            raise
        except SnakeStudioError as error:
            self._refused(error)
