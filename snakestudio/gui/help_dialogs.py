"""What the Help menu shows: shortcuts, what OpenGL offers here, and about the program."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from snakestudio import __version__
from snakestudio.gui import theme
from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["AboutDialog", "GraphicsDialog", "ShortcutsDialog", "graphics_text"]

MOUSE = (
    ("Left drag", "Turn around the point under the cursor"),
    ("Right or middle drag", "Shift the picture"),
    ("Wheel", "Zoom to the cursor"),
    ("Click", "Select a link or an obstacle; on the ground: select nothing"),
    ("Ctrl+click", "Add to the selection, or take out of it"),
    ("Drag of a selected obstacle, Shift+drag of any", "Move it over the ground"),
    ("X, Y while dragging", "Keep to that axis"),
    ("Esc while dragging", "Put it back"),
)
"""What the mouse does in the viewport."""


class _Dialog(QDialog):
    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 24, 24, 16)
        self.column.setSpacing(16)

    def finish(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        self.column.addWidget(buttons)
        return buttons


class ShortcutsDialog(_Dialog):
    """Every shortcut, straight from the table of actions.

    Parameters
    ----------
    groups : sequence of (menu, [(shortcut, text), ...])
    """

    def __init__(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]], parent: QWidget | None = None) -> None:
        super().__init__("Keyboard Shortcuts", parent)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        inner = QWidget(area)
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 16, 0)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(6)
        for name, entries in (*groups, ("Mouse in the viewport", MOUSE)):
            heading = QLabel(name, inner)
            heading.setProperty("role", "heading")
            heading.setContentsMargins(0, 12 if grid.rowCount() > 1 else 0, 0, 2)
            grid.addWidget(heading, grid.rowCount(), 0, 1, 2)
            for keys, text in entries:
                row = grid.rowCount()
                key = QLabel(keys, inner)
                key.setProperty("role", "dim")
                grid.addWidget(key, row, 0)
                grid.addWidget(QLabel(text, inner), row, 1)
        grid.setColumnStretch(1, 1)
        area.setWidget(inner)
        self.column.addWidget(area)
        self.finish()
        self.resize(760, 680)


def graphics_text(viewport: Viewport) -> str:
    """What is known about the graphics of this machine, as lines of text."""
    screen = QGuiApplication.primaryScreen()
    lines = [f"Qt {qVersion()}, platform {QGuiApplication.platformName()}"]
    if screen is not None:
        size = screen.size()
        lines.append(f"Screen: {size.width()} x {size.height()}, scale {screen.devicePixelRatio():g}")
    gl = viewport.gl
    info = gl.info() if gl is not None else None
    if gl is None:
        lines.append(f"Plain view from above. {viewport.fallback_reason}")
    elif info is None:
        lines.append("Nothing was drawn yet.")
    else:
        software = "yes" if info.is_software else "no"
        lines += [
            *str(info).splitlines(),
            f"Drawn by the processor: {software}",
            f"Quality: {gl.quality.level.name.lower()}",
        ]
    return "\n".join(lines)


class GraphicsDialog(_Dialog):
    """What OpenGL offers here, to be copied into a report."""

    def __init__(self, viewport: Viewport, parent: QWidget | None = None) -> None:
        super().__init__("OpenGL Information", parent)
        text = QPlainTextEdit(graphics_text(viewport), self)
        text.setReadOnly(True)
        self.text = text
        self.column.addWidget(text)
        copy = self.finish().addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text.toPlainText()))
        self.resize(560, 320)


class AboutDialog(_Dialog):
    """Name, version, what it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("About SnakeStudio", parent)
        row = QHBoxLayout()
        row.setSpacing(24)
        picture = QLabel(self)
        picture.setPixmap(theme.icon("snakestudio").pixmap(72, 72))
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        text = QLabel(
            f"<p style='font-size:20px; font-weight:600'>SnakeStudio {__version__}</p>"
            "<p>Simulate, control and analyse snake robots: set-valued contact and friction,<br>"
            "with the residual of the contact solver on screen at every step.</p>"
            f"<p>Python {platform.python_version()}, Qt {qVersion()}, {platform.system()}.</p>"
            "<p>BSD 3-Clause licence. Qt is used under the LGPL.</p>",
            self,
        )
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(text, 1)
        self.column.addLayout(row)
        self.finish()
