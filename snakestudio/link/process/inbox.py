"""Queue of the link's loop: read in order by one thread, filled by several, partly without waking the loop.

Frames of a robot arrive hundreds of times a second, and the loop polls them often enough; waking it
for each frame would cost more than reading it. Commands, failures of the bus, and frames that the
robot does not send wake the loop.
"""

from __future__ import annotations

import queue
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """A queue that can wake its reader."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, item: Item) -> None:
        """Append an item, and wake the reader."""
        self._items.append(item)
        self._bell.put(None)

    def put_quietly(self, item: Item) -> None:
        """Append an item without waking the reader."""
        self._items.append(item)

    def pop(self) -> Item | None:
        """Remove and return the next item; None if there is none."""
        try:
            return self._items.popleft()
        except IndexError:
            return None

    def wait(self, timeout: float) -> None:
        """Wait until an item wakes the reader, at most `timeout` s; quiet items may arrive before."""
        try:
            self._bell.get(timeout=timeout)
            while True:
                self._bell.get_nowait()
        except queue.Empty:
            return
