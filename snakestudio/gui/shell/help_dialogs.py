"""What the Help menu shows: gestures of the mouse, what OpenGL offers here, and about the program."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from snakestudio._version import __version__
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["MOUSE", "AboutDialog", "GraphicsDialog", "graphics_text"]

MOUSE = (
    (
        "Mouse in the viewport",
        (
            ("Left drag", "Turn around the point under the cursor"),
            ("Right or middle drag", "Shift the picture"),
            ("Wheel", "Zoom to the cursor"),
            ("Click", "Select a link or an obstacle; on the ground: select nothing"),
            ("Ctrl+click", "Add to the selection, or take out of it"),
            ("Drag of a selected obstacle, Shift+drag of any", "Move it over the ground"),
            ("X, Y while dragging", "Keep to that axis"),
            ("Esc while dragging", "Put it back"),
        ),
    ),
    (
        "Mouse in the time bar",
        (
            ("Click, drag", "Look at that moment"),
            ("Click on a mark", "Go to that event"),
            ("Wheel", "Look closer at the run"),
            ("Shift+wheel, middle drag", "Move along the run"),
            ("Double click on the figures", "Show the whole run"),
        ),
    ),
    (
        "Mouse in plots",
        (
            ("Click, drag of the cursor", "Look at that moment"),
            ("Drag", "Shift the time"),
            ("Wheel", "Stretch the time"),
            ("Ctrl+wheel, wheel over the axis", "Stretch the values"),
            ("Shift+drag", "Select a span, with its statistics"),
            ("Double click", "Follow the newest data, and fit the axes"),
            ("Right click, also in the legend", "What can be done with plot or curve"),
            ("Drag of a channel into a plot", "Add it; below the plots: make a new plot"),
        ),
    ),
)
"""What the mouse does, by where it is."""


class _Dialog(QDialog):
    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 24, 24, 16)
        self.column.setSpacing(16)

    def finish(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(self)
        buttons.addButton("&Close", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        self.column.addWidget(buttons)
        return buttons


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
        copy = self.finish().addButton("C&opy", QDialogButtonBox.ButtonRole.ActionRole)
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
            f"<p style='font-size:{theme.scaled(20)}px; font-weight:600'>SnakeStudio {__version__}</p>"
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
