"""Dialogs of the Help menu: pages of the documentation, shortcuts, OpenGL information, About."""

from __future__ import annotations

import platform
import posixpath
from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRegularExpression,
    QSize,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    QUrl,
    Signal,
    qVersion,
)
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from snakestudio._version import __version__
from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import Part, line_of
from snakestudio.gui.shell.key_cap import key_cap_width, paint_key_cap
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head
from snakestudio.gui.viewport.gestures import help_rows
from snakestudio.gui.viewport.surfaces.gl_view import GlView
from snakestudio.gui.viewport.surfaces.threaded_view import ThreadedView
from snakestudio.paths import docs_dir

_TURN_MS = 30
"""Delay before a page is shown, ms: longer than the interval of the window's heartbeat."""


class DocumentDialog(QWidget):
    """Shows one page at a time; links to other pages open here, all others in the browser.

    Signals
    -------
    page_requested(name: str)
        A link to another page was followed; the receiver decides whether it can be shown now.
    """

    page_requested = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(theme.scaled(1120), theme.scaled(800))
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        self.headings = QListWidget()
        self.headings.setFixedWidth(theme.scaled(300))
        self.headings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.headings.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.headings.setAccessibleName("Sections")
        self.headings.currentItemChanged.connect(self._scroll_to)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self._page: QTextDocument | None = None
        self._name = ""
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
    def open_page(name: str, window: QWidget) -> DocumentDialog:
        """Show the page `name` (without ".md") over a window, and return the dialog."""
        dialog = window.findChild(DocumentDialog) or DocumentDialog(window)
        dialog.show_page(name)
        # In a separate turn of the event loop: page and window together would block it for too long
        # while a robot is armed.
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
            text = (
                f"# {name}\n\nThis page cannot be read ({error.strerror}). Reinstall the program.\n"
            )
        # formatted before it is shown: a visible document is laid out at every change
        document = QTextDocument(self)
        document.setDefaultFont(self.text.font())
        document.setDocumentMargin(theme.scaled(16))
        document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        _format(document)
        self.text.setDocument(document)
        if self._page is not None:
            self._page.deleteLater()
        self._page = document
        self._name = name
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

    def _scroll_to(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            cursor = self.text.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            self.text.setTextCursor(cursor)  # from the end, so that the heading is at the top
            cursor.setPosition(item.data(Qt.ItemDataRole.UserRole))
            self.text.setTextCursor(cursor)

    def _follow(self, url: QUrl) -> None:
        if url.isRelative() and url.path().endswith(".md"):
            target = posixpath.join(posixpath.dirname(self._name), url.path())
            self.page_requested.emit(posixpath.normpath(target).removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _format(document: QTextDocument) -> None:
    """Format headings and tables in the style of the window."""
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
            *help_rows(),
            ("X, Y while dragging", "Constrain to that axis"),
            ("Esc while dragging", "Cancel the drag"),
        ),
    ),
    (
        "Mouse in the time bar",
        (
            ("Click, drag", "Go to that time"),
            ("Click a mark", "Go to that event"),
            ("Wheel", "Zoom the time"),
            ("Shift+wheel, middle drag", "Pan the time"),
            ("Double-click the numbers", "Show the whole run"),
        ),
    ),
    (
        "Mouse in plots",
        (
            ("Click, drag the cursor", "Go to that time"),
            ("Drag", "Pan the time axis"),
            ("Wheel", "Zoom the time axis"),
            ("Ctrl+wheel, wheel over the axis", "Zoom the value axis"),
            ("Shift+drag", "Select a span and show its statistics"),
            ("Double-click", "Follow the newest data and fit the axes"),
            ("Right-click, also in the legend", "Context menu of the plot or curve"),
            ("Drag a channel onto a plot", "Add it; below the plots: make a new plot"),
        ),
    ),
    (
        "Charts of a study",
        (
            ("Click, Ctrl+click", "Select a point; add it to the selection"),
            ("Drag", "Brush the points there; Esc clears brushes"),
            (
                "Arrow keys",
                "Go to the next point on that side; in parallel coordinates also to the next axis",
            ),
            ("Enter, double-click", "Open its run"),
            ("Space", "Toggle its selection"),
            ("P", "Pin it to the top of the table"),
            ("Menu, Shift+F10, right-click", "Context menu"),
        ),
    ),
)
"""Mouse gestures by where they work, and keys that are not commands."""


class _Dialog(Dialog):
    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent, title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def finish(self, *parts: Part) -> QDialogButtonBox:
        buttons = QDialogButtonBox()
        buttons.addButton("&Close", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        self.arrange(*parts, buttons, spacing=16, margins=(24, 24, 24, 16))
        return buttons


class GraphicsView(Protocol):
    """Graphics properties of the viewport."""

    @property
    def gl(self) -> GlView | ThreadedView | None:
        """The widget that draws with OpenGL, if there is one."""

    @property
    def fallback_reason(self) -> str:
        """Why OpenGL is not used."""


def graphics_text(viewport: GraphicsView) -> str:
    """Return information about the graphics of this machine, as lines of text."""
    screen = QGuiApplication.primaryScreen()
    lines = [f"Qt {qVersion()}, platform {QGuiApplication.platformName()}"]
    if screen is not None:
        size = screen.size()
        lines.append(
            f"Screen: {size.width()} x {size.height()}, scale {screen.devicePixelRatio():g}"
        )
    gl = viewport.gl
    info = gl.info() if gl is not None else None
    if gl is None:
        lines.append(f"Plain view from above. {viewport.fallback_reason}")
    elif info is None:
        lines.append("Nothing has been drawn yet.")
    else:
        software = "yes" if info.is_software else "no"
        lines += [
            *str(info).splitlines(),
            f"Drawn by the processor: {software}",
            f"Quality: {gl.quality.level.name.lower()}",
        ]
    return "\n".join(lines)


class GraphicsDialog(_Dialog):
    """Information about OpenGL, to be copied into a report."""

    def __init__(self, viewport: GraphicsView, parent: QWidget | None = None) -> None:
        super().__init__("OpenGL Information", parent)
        text = QPlainTextEdit(graphics_text(viewport), self)
        text.setReadOnly(True)
        self.text = text
        copy = self.finish((text, 1)).addButton("C&opy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text.toPlainText()))
        self.resize(560, 320)


class AboutDialog(_Dialog):
    """Name, version and description of the program."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("About SnakeStudio", parent)
        picture = QLabel(self)
        picture.setPixmap(theme.icon("snakestudio").pixmap(72, 72))
        picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        text = QLabel(
            f"<p style='font-size:{theme.scaled(20)}px; font-weight:600'>SnakeStudio {__version__}</p>"
            "<p>Simulate, control and analyse snake robots: set-valued contact and friction,<br>"
            "with the residual of the contact solver on screen at every step.</p>"
            f"<p>Python {platform.python_version()}, Qt {qVersion()}, {platform.system()}.</p>"
            "<p>BSD 3-Clause licence. Qt is used under the LGPL.</p>",
            self,
        )
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.finish(line_of(picture, (text, 1), spacing=24))


_WIDEST = 960
_MARGIN = 24
_ROW = 25
"""Height of a row of the sheet, px of the design."""
_CAP_GAP = 6
"""Space around key caps, px."""

_SEARCHED = Qt.ItemDataRole.UserRole
_CAPS = Qt.ItemDataRole.UserRole + 1
"""Role: whether keys are drawn as caps; mouse gestures are plain text."""

Topic = tuple[str, Sequence[tuple[str, str]]]
"""Where the shortcuts work, and pairs of keys (alternatives joined by " or ") and actions."""

_Index = QModelIndex | QPersistentModelIndex


class ShortcutSheet(ModalOverlay):
    """Table of all keyboard shortcuts and mouse gestures."""

    def __init__(self, window: QMainWindow, keys: Sequence[Topic], mouse: Sequence[Topic]) -> None:
        super().__init__(window)
        self.frame = card_frame(self)
        head, self.search = make_head(
            self, self.frame, "Keyboard and Mouse Shortcuts", "Search keys and commands"
        )
        head.setContentsMargins(0, 0, 16, 0)
        self.search.textChanged.connect(self._filter)
        self._filtered = QSortFilterProxyModel(self)
        self._filtered.setSourceModel(_shortcut_model(keys, mouse, self))
        self._filtered.setFilterRole(_SEARCHED)
        self._filtered.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.table = self._make_table()
        self._nothing = QLabel("No matching shortcuts. Remove a word.", self.frame)
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(_MARGIN, 20, 8, 12)
        column.setSpacing(14)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addWidget(self._nothing, 1)

    def _make_table(self) -> QTableView:
        table = QTableView(self.frame)
        table.setAccessibleName("Keys and gestures")
        table.setModel(self._filtered)
        table.setItemDelegateForColumn(1, _KeyDelegate(table))
        table.setShowGrid(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setTabKeyNavigation(False)
        rows = table.verticalHeader()
        rows.hide()
        # the least height of rows
        rows.setStyleSheet("QHeaderView::section { padding: 0; }")
        rows.setMinimumSectionSize(theme.scaled(_ROW))
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setStyleSheet(
            "QHeaderView::section { padding: 6px 3px; }"
        )  # align the heading with the cells
        header.setSortIndicatorClearable(True)  # a third click gives the order of the menus again
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return table

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Texts of the rows that are shown."""
        model = self._filtered
        cells = range(model.columnCount())
        return [
            tuple(str(model.index(row, column).data()) for column in cells)
            for row in range(model.rowCount())
        ]

    def arrange(self) -> None:
        width = min(self.width() - 48, theme.scaled(_WIDEST))
        height = self.height() - 48
        self.frame.setGeometry(
            (self.width() - width) // 2, (self.height() - height) // 2, width, height
        )

    def _filter(self, query: str) -> None:
        """Show the rows that contain all words of `query`."""
        pattern = "".join(f"(?=.*{QRegularExpression.escape(term)})" for term in query.split())
        options = QRegularExpression.PatternOption.CaseInsensitiveOption
        self._filtered.setFilterRegularExpression(QRegularExpression(f"^{pattern}", options))
        empty = not self._filtered.rowCount()
        self.table.setVisible(not empty)
        self._nothing.setVisible(empty)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.search
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
        ):
            bar = self.table.verticalScrollBar()
            key = event.key()
            steps = {
                Qt.Key.Key_Down: theme.scaled(_ROW),
                Qt.Key.Key_Up: -theme.scaled(_ROW),
                Qt.Key.Key_PageDown: bar.pageStep(),
                Qt.Key.Key_PageUp: -bar.pageStep(),
            }
            if key in steps:
                bar.setValue(bar.value() + steps[Qt.Key(key)])
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)


def _shortcut_model(
    keys: Sequence[Topic], mouse: Sequence[Topic], parent: QObject
) -> QStandardItemModel:
    """Return a model with a row for each shortcut: action, keys, and where they work, in the order of the menus."""
    model = QStandardItemModel(0, 3, parent)
    model.setHorizontalHeaderLabels(["Action", "Keys", "Where"])
    for caps, topics in ((True, keys), (False, mouse)):
        for where, entries in topics:
            for how, what in entries:
                row = [QStandardItem(text) for text in (what, how, where)]
                row[0].setData(f"{where} {how} {what}", _SEARCHED)
                row[1].setData(caps, _CAPS)
                for item in row[1:]:
                    item.setForeground(theme.colour("dim"))
                model.appendRow(row)
    return model


class _KeyDelegate(QStyledItemDelegate):
    """Draws keys as caps, one for each alternative, and mouse gestures as text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        if not index.data(_CAPS):
            return super().sizeHint(option, index)
        shortcuts = index.data().split(" or ")
        return QSize(
            sum(key_cap_width(keys) + _CAP_GAP for keys in shortcuts) + _CAP_GAP, theme.scaled(_ROW)
        )

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        if index.data(_CAPS):
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        if not index.data(_CAPS):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = QPoint(option.rect.left() + _CAP_GAP, option.rect.center().y())
        for keys in index.data().split(" or "):
            paint_key_cap(painter, keys, left)
            left.setX(left.x() + key_cap_width(keys) + _CAP_GAP)
        painter.restore()
