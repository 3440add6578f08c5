"""What waits for the link's loop: taken in order by one thread, put by several, some of it without waking the loop.

A robot's frames come hundreds of times a second, and the loop looks at them soon enough by itself;
to be woken for each one costs more than reading it. A command, a bus that failed, or a frame that
no robot sends is worth waking for.
"""

from __future__ import annotations

import queue
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """A queue with a bell."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, item: Item) -> None:
        """Append an item, and wake who waits."""
        self._items.append(item)
        self._bell.put(None)

    def put_quietly(self, item: Item) -> None:
        """Append an item, for when somebody looks anyway."""
        self._items.append(item)

    def take(self) -> Item | None:
        """The next item; None if there is none."""
        try:
            return self._items.popleft()
        except IndexError:
            return None

    def wait(self, timeout: float) -> None:
        """Until the bell has rung, or so long (s); items may be there before."""
        try:
            self._bell.get(timeout=timeout)
            while True:
                self._bell.get_nowait()
        except queue.Empty:
            return
