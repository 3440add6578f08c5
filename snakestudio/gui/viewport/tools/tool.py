"""Tools of the viewport: what mouse and keys do there beside navigating and selecting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.drawing.overlays import Overlays

INTERVAL_MS = 30
"""A running simulation takes over every edit: more of them than are seen would only slow it
down."""


class Tool(Protocol):
    """A tool of the viewport. Every event is offered to one tool after another, until one says that it was meant.

    A tool that holds something after a press takes every further event until it lets go.
    """

    @property
    def changed(self) -> SignalInstance:
        """Emitted when what is to be drawn of it, or its hint, changed."""

    @property
    def hint(self) -> str:
        """What the mouse would do, "" if nothing."""

    def dress(self, overlays: Overlays) -> Overlays:
        """Add to a picture what is to be seen of it."""

    def press(self, event: QMouseEvent) -> bool:
        """A button went down; True if that was meant for it, as in all that follow."""

    def double_click(self, event: QMouseEvent) -> bool:
        """A button went down for the second time."""

    def move(self, event: QMouseEvent) -> bool:
        """The mouse moved, with or without a button held."""

    def release(self, event: QMouseEvent) -> bool:
        """A button went up."""

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed."""

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for it just now."""

    def cancel(self) -> bool:
        """Give up what goes on and put everything back; False if nothing does."""

    def leave(self) -> None:
        """The cursor is no longer its business."""


class Tools(QObject):
    """All tools of a viewport, asked in their order what an event means.

    Signals
    -------
    changed()
        What is to be drawn of one of them, or its hint, changed.
    """

    changed = Signal()

    def __init__(self, tools: Sequence[Tool], parent: QObject) -> None:
        super().__init__(parent)
        self._tools = tuple(tools)
        for tool in self._tools:
            tool.changed.connect(self.changed)

    @property
    def hint(self) -> str:
        """What the mouse would do, "" if no tool has to do with it."""
        return next((tool.hint for tool in self._tools if tool.hint), "")

    def dress(self, overlays: Overlays) -> Overlays:
        """Add to a picture what is to be seen of them."""
        for tool in self._tools:
            overlays = tool.dress(overlays)
        return overlays

    def press(self, event: QMouseEvent) -> bool:
        """A button went down; True if a tool was meant, as in all that follow."""
        return any(tool.press(event) for tool in self._tools)

    def double_click(self, event: QMouseEvent) -> bool:
        """A button went down for the second time."""
        return any(tool.double_click(event) for tool in self._tools)

    def move(self, event: QMouseEvent) -> bool:
        """The mouse moved; tools that come after the one that was meant forget the cursor."""
        for place, tool in enumerate(self._tools):
            if tool.move(event):
                for other in self._tools[place + 1 :]:
                    other.leave()
                return True
        return False

    def release(self, event: QMouseEvent) -> bool:
        """A button went up."""
        return any(tool.release(event) for tool in self._tools)

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed."""
        return any(tool.key(event) for tool in self._tools)

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for a tool just now."""
        return any(tool.wants(event) for tool in self._tools)

    def cancel(self) -> None:
        """Give up whatever goes on."""
        for tool in self._tools:
            tool.cancel()

    def leave(self) -> None:
        """The cursor left the viewport."""
        for tool in self._tools:
            tool.leave()
