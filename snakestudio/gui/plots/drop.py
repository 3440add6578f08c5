"""Drag and drop of channels from the browser onto plots: the data of the drag, and the hint of what a drop does."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QLabel, QWidget

from snakestudio.gui.core import theme
from snakestudio.inputs import NOTE, parse_json

MIME = "application/x-snakestudio-channels"


def drag_data(names: Sequence[str]) -> QMimeData:
    """Return the data of a drag of channels: their names, also as text for other programs."""
    data = QMimeData()
    data.setData(MIME, json.dumps(list(names)).encode())
    data.setText("\n".join(names))
    return data


def dragged_channels(data: QMimeData) -> tuple[str, ...]:
    """Return the dragged channels; () for other data."""
    if not data.hasFormat(MIME):
        return ()
    try:
        names = parse_json(bytes(data.data(MIME).data()).decode(), NOTE)
    except ValueError:
        return ()
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


class DropHint(QLabel):
    """A frame over a plot that shows what a drop would do."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setContentsMargins(24, 8, 24, 8)
        self.hide()

    def show_text(self, text: str, refused: bool = False) -> None:
        """Show a text over the whole parent."""
        p = theme.current()
        edge = p.warning if refused else p.accent
        ground = theme.colour("panel")
        ground.setAlphaF(0.82)
        self.setStyleSheet(
            f"QLabel {{ background: rgba({ground.red()}, {ground.green()}, {ground.blue()}, {ground.alpha()});"
            f" border: 2px {'dashed' if refused else 'solid'} {edge}; border-radius: 6px; color: {p.text}; }}"
        )
        self.setText(text)
        self.setGeometry(self._over.rect().adjusted(2, 2, -2, -2))
        self.raise_()
        self.show()
