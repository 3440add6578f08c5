"""A page of the documentation, rendered, with its headings beside it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QTextCursor, QTextDocument, QTextFormat, QTextTable
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QTextBrowser, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.paths import docs_dir

__all__ = ["DocumentDialog"]

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
