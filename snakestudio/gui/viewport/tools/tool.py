"""Tools of the viewport: mouse and keys in addition to navigation and selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.drawing.overlays import Overlays

INTERVAL_MS = 30
"""Interval of edits: a running simulation applies each one, so edits more frequent than frames only slow
it down."""


class Tool(Protocol):
    """Tool of the viewport. Every event is offered to the tools in turn until one accepts it.

    A tool that holds an object after a press accepts all further events until it releases the object.
    """

    @property
    def changed(self) -> SignalInstance:
        """Emitted when the drawing or the hint changed."""

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do; "" if nothing."""

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add the drawing of the tool to the overlays."""

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press; True if it was meant for the tool, as in all following methods."""

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click."""

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement, with or without a button held."""

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key."""

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key that is a shortcut of the window is meant for the tool now."""

    def cancel(self) -> bool:
        """Cancel the current action and restore everything; return False if there was none."""

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""


class Tools(QObject):
    """All tools of a viewport; events are offered to them in order.

    Signals
    -------
    changed()
        The drawing or the hint of a tool changed.
    """

    changed = Signal()

    def __init__(self, tools: Sequence[Tool], parent: QObject) -> None:
        super().__init__(parent)
        self._tools = tuple(tools)
        for tool in self._tools:
            tool.changed.connect(self.changed)

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do; "" if no tool has one."""
        return next((tool.hint for tool in self._tools if tool.hint), "")

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add the drawings of the tools to the overlays."""
        for tool in self._tools:
            overlays = tool.add_overlays(overlays)
        return overlays

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press; True if a tool accepted it, as in all following methods."""
        return any(tool.press(event) for tool in self._tools)

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click."""
        return any(tool.double_click(event) for tool in self._tools)

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement; for tools after the accepting one the cursor has left."""
        for index, tool in enumerate(self._tools):
            if tool.move(event):
                for other in self._tools[index + 1 :]:
                    other.leave()
                return True
        return False

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        return any(tool.release(event) for tool in self._tools)

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key."""
        return any(tool.key(event) for tool in self._tools)

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key that is a shortcut of the window is meant for a tool now."""
        return any(tool.wants(event) for tool in self._tools)

    def cancel(self) -> None:
        """Cancel the current action."""
        for tool in self._tools:
            tool.cancel()

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""
        for tool in self._tools:
            tool.leave()
