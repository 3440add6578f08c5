"""What the Help menu shows: pages of the documentation, gestures of the mouse, OpenGL here, about the program."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, QTimer, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QTextCursor, QTextDocument, QTextFormat, QTextTable
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from snakestudio._version import __version__
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.paths import docs_dir

__all__ = ["MOUSE", "AboutDialog", "DocumentDialog", "GraphicsDialog", "graphics_text"]

_TURN_MS = 30
"""Longer than a heartbeat of the window takes to come."""


class DocumentDialog(QWidget):
    """Shows one page at a time; links between pages lead on, others go to the browser.

    Parameters
    ----------
    parent : QWidget

    Signals
    -------
    asked(name: str)
        A link to another page was followed: whoever shows pages decides whether it may be shown now.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(theme.scaled(1120), theme.scaled(800))
        self.headings = QListWidget()
        self.headings.setFixedWidth(theme.scaled(300))
        self.headings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.headings.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.headings.setAccessibleName("Sections")
        self.headings.currentItemChanged.connect(self._go_to)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self._page: QTextDocument | None = None
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.anchorClicked.connect(self._follow)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self.headings)
        row.addWidget(self.text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.addLayout(row)

    @staticmethod
    def shown(name: str, window: QWidget) -> DocumentDialog:
        """Bring up a page (without ".md") over a window."""
        dialog = window.findChild(DocumentDialog) or DocumentDialog(window)
        dialog.show_page(name)
        # In a turn of its own: page and window together would keep the program for too long while a robot is armed.
        QTimer.singleShot(_TURN_MS, dialog, dialog._bring_up)
        return dialog

    def _bring_up(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()

    def show_page(self, name: str) -> None:
        """Show a page of ``docs``."""
        try:
            text = (docs_dir() / f"{name}.md").read_text(encoding="utf-8")
        except OSError as error:
            text = f"# {name}\n\nThis page cannot be read ({error.strerror}); install the program again.\n"
        document = QTextDocument(self)  # dressed before it is seen: one that is seen is laid out at every change
        document.setDefaultFont(self.text.font())
        document.setDocumentMargin(theme.scaled(16))
        document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        _dress(document)
        self.text.setDocument(document)
        if self._page is not None:
            self._page.deleteLater()
        self._page = document
        self.headings.clear()
        block = document.begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            if level == 1:
                self.setWindowTitle(block.text())
            elif level == 2:
                item = QListWidgetItem(block.text(), self.headings)
                item.setData(Qt.ItemDataRole.UserRole, block.position())
            block = block.next()
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _go_to(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            cursor = self.text.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            self.text.setTextCursor(cursor)  # from below, so that the heading stands at the top
            cursor.setPosition(item.data(Qt.ItemDataRole.UserRole))
            self.text.setTextCursor(cursor)

    def _follow(self, url: QUrl) -> None:
        if url.isRelative() and url.path().endswith(".md"):
            self.asked.emit(url.path().removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _dress(document: QTextDocument) -> None:
    """Give headings and tables the window's look, which Markdown knows nothing of."""
    block = document.begin()
    while block.isValid():
        level = block.blockFormat().headingLevel()
        cursor = QTextCursor(block)
        spaced = block.blockFormat()
        if spaced.hasProperty(QTextFormat.Property.BlockCodeLanguage) or spaced.nonBreakableLines():
            for margin in (spaced.setTopMargin, spaced.setBottomMargin):
                margin(0)
            spaced.setLeftMargin(theme.scaled(12))
            spaced.setBackground(theme.colour("panel"))
            cursor.setBlockFormat(spaced)
            block = block.next()
            continue
        spaced.setTopMargin(theme.scaled(22 if level == 2 else 14 if level else 4))
        spaced.setBottomMargin(theme.scaled(6))
        spaced.setLineHeight(125.0, 1)
        cursor.setBlockFormat(spaced)
        if level:
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            look = cursor.charFormat()
            look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            look.setFont(theme.text_font({1: 24, 2: 17}.get(level, 14), strong=True))
            look.setFontWeight(QFont.Weight.DemiBold)
            cursor.mergeCharFormat(look)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            table = frame.format()
            table.setBorder(0.5)
            table.setBorderBrush(theme.colour("line"))
            table.setBorderCollapse(True)
            table.setCellPadding(theme.scaled(6))
            table.setCellSpacing(0)
            frame.setFormat(table)


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
