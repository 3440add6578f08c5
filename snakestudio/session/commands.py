"""The queue of what a session shall do: commands in their order, and of many edits in a row only the last."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

__all__ = ["Commands"]


class Commands:
    """Commands from any thread for one worker."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._order, self._urgent = threading.Lock(), threading.Event()
        self._edits = self._last_edit = 0
        self._stale: set[int] = set()

    def put(self, command: Callable[[], None]) -> None:
        """Have something done after everything that waits."""

        def carry_out() -> None:
            self._urgent.clear()
            command()

        with self._order:
            self._last_edit = 0
            self._queue.put(carry_out)
            self._urgent.set()

    def put_edit(self, edit: Callable[[int], None]) -> int:
        """Have an edit carried out, with its number, unless another one takes its place while it waits.

        Returns
        -------
        int
            Its number: edits are counted from 1.
        """
        with self._order:
            if self._last_edit:
                self._stale.add(self._last_edit)
            self._edits += 1
            number = self._last_edit = self._edits
            self._queue.put(lambda: self._carry_out(number, edit))
        return number

    def _carry_out(self, number: int, edit: Callable[[int], None]) -> None:
        if number in self._stale:
            self._stale.discard(number)
        else:
            edit(number)

    def get(self, timeout: float | None) -> Callable[[], None]:
        """The next command, for the worker to call.

        Parameters
        ----------
        timeout : float or None
            How long to wait for one, s; None: until there is one.

        Raises
        ------
        queue.Empty
            If there is none.
        """
        return self._queue.get(timeout is None or timeout > 0.0, timeout)

    def rest(self, seconds: float) -> None:
        """Let edits gather for a while; anything else that is put ends it at once."""
        self._urgent.wait(seconds)
