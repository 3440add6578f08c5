"""Detection of clipped content: widgets outside their parents, and texts that do not fit into their widgets."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QTabBar,
    QTableView,
    QToolButton,
    QTreeView,
    QWidget,
)

from snakestudio.gui.forms.elided_button import ElidedButton

__all__ = ["clipped"]

_TOLERANCE = 1
"""Pixels of tolerance for rounding."""

_ROWS = 60
"""Rows of a table that are checked."""


def clipped(root: QWidget) -> list[str]:
    """Return what is cut off in a visible widget, one line for each child."""
    problems: list[str] = []
    for widget in (root, *root.findChildren(QWidget)):
        if not widget.isVisible() or widget.window() is not root.window():
            continue
        problems += [f"{_described(widget)}: {problem}" for problem in _problems_of(widget, root)]
    return problems


def _problems_of(widget: QWidget, root: QWidget) -> Iterator[str]:
    if widget is not root:
        yield from _outside(widget, root)
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QAbstractButton):
        yield from _button(widget)
    elif isinstance(widget, QComboBox):
        yield from _combo_box(widget)
    elif isinstance(widget, QLineEdit):
        yield from _line_edit(widget)
    elif isinstance(widget, QTabBar):
        yield from _tab_bar(widget)
    elif isinstance(widget, QHeaderView):
        yield from _header(widget)
    elif isinstance(widget, QAbstractItemView):
        yield from _items(widget)


def _described(widget: QWidget) -> str:
    text = ""
    for name in ("text", "currentText", "title"):
        value = getattr(widget, name, None)
        if callable(value):
            text = str(value())[:60]
            break
    name = text or widget.accessibleName() or widget.objectName() or widget.toolTip()[:40]
    chain = []
    above = widget.parentWidget()
    while above is not None and len(chain) < 4:
        if type(above).__name__ not in ("QWidget", "QScrollArea"):
            chain.append(type(above).__name__)
        above = above.parentWidget()
    return (
        f"{' < '.join([type(widget).__name__, *chain])} {name!r} {widget.width()}x{widget.height()}"
    )


# --- geometry -------------------------------------------------------------------------------------


def _outside(widget: QWidget, root: QWidget) -> Iterator[str]:
    """Report a widget outside the visible part of its parent that no scroll bar reveals."""
    rect = QRect(widget.geometry())
    if rect.isEmpty():
        label = isinstance(widget, QLabel) and bool(widget.text())
        button = isinstance(widget, QAbstractButton) and (
            bool(widget.text()) or not widget.icon().isNull()
        )
        if label or button or isinstance(widget, QLineEdit | QComboBox):
            yield "has no room"
        return
    across = along = True
    holder = widget.parentWidget()
    while holder is not None:
        area = holder.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is holder:
            across &= not _scrolls(area, Qt.Orientation.Horizontal)
            along &= not _scrolls(area, Qt.Orientation.Vertical)
        if across and (rect.left() < -_TOLERANCE or rect.right() > holder.width() - 1 + _TOLERANCE):
            yield f"leaves {type(holder).__name__} at the side: {rect.left()} to {rect.right()} of {holder.width()}"
            return
        if along and (rect.top() < -_TOLERANCE or rect.bottom() > holder.height() - 1 + _TOLERANCE):
            yield f"leaves {type(holder).__name__} below: {rect.top()} to {rect.bottom()} of {holder.height()}"
            return
        if holder is root or not (across or along):
            return
        rect.translate(holder.pos())
        holder = holder.parentWidget()


def _scrolls(area: QAbstractScrollArea, orientation: Qt.Orientation) -> bool:
    """Whether a user can scroll to what is outside the viewport."""
    across = orientation is Qt.Orientation.Horizontal
    policy = area.horizontalScrollBarPolicy() if across else area.verticalScrollBarPolicy()
    bar = area.horizontalScrollBar() if across else area.verticalScrollBar()
    return policy is not Qt.ScrollBarPolicy.ScrollBarAlwaysOff and bar.maximum() > bar.minimum()


# --- texts ----------------------------------------------------------------------------------------


def _label(label: QLabel) -> Iterator[str]:
    if label.pixmap() is not None and not label.pixmap().isNull():
        size = label.pixmap().deviceIndependentSize()
        if size.width() > label.width() + _TOLERANCE or size.height() > label.height() + _TOLERANCE:
            yield f"picture of {size.width():.0f}x{size.height():.0f}"
        return
    if not label.text().strip():
        return
    needed = _least_width(label)
    if needed > label.width() + _TOLERANCE:
        yield f"text needs a width of {needed}"
        return
    height = (
        label.heightForWidth(label.width())
        if label.hasHeightForWidth()
        else label.sizeHint().height()
    )
    if height > label.height() + _TOLERANCE and label.maximumHeight() >= height:
        yield f"text needs a height of {height}"


def _least_width(label: QLabel) -> int:
    """Width of the longest line, or of the longest word if lines are wrapped, px."""
    margins = label.contentsMargins()
    around = margins.left() + margins.right() + 2 * label.margin()
    if not label.wordWrap():
        return label.sizeHint().width()
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(label.font())
    automatic = label.textFormat() is Qt.TextFormat.AutoText
    rich = label.textFormat() is Qt.TextFormat.RichText or (automatic and "<" in label.text())
    if rich:
        document.setHtml(label.text())
    else:
        document.setPlainText(label.text())
    document.setTextWidth(1)
    return round(document.idealWidth()) + around if rich else _longest_word(label) + around


def _longest_word(label: QLabel) -> int:
    metrics = label.fontMetrics()
    return max(
        (
            metrics.horizontalAdvance(argument)
            for argument in label.text().replace("-", "- ").split()
        ),
        default=0,
    )


def _tells(widget: QWidget, text: str) -> bool:
    """Whether the tooltip contains the elided text."""
    return text.replace("&", "").lower() in widget.toolTip().replace("&", "").lower()


def _button(button: QAbstractButton) -> Iterator[str]:
    if isinstance(button, QToolButton):
        shows_text = (
            button.toolButtonStyle() is not Qt.ToolButtonStyle.ToolButtonIconOnly
            or button.icon().isNull()
        )
        if not shows_text or not button.text():
            return
        text = button.fontMetrics().horizontalAdvance(button.text().replace("&", ""))
        icon = 0 if button.icon().isNull() else button.iconSize().width() + 4
        if text + icon > button.width() - 4 and button.sizeHint().width() > button.width():
            if _tells(button, button.text()) and isinstance(button, ElidedButton):
                return
            yield f"text needs a width of {text + icon + 4}"
        return
    if not isinstance(button, QPushButton | QCheckBox | QRadioButton) or not button.text():
        return
    option = QStyleOptionButton()
    button.initStyleOption(option)
    element = (
        QStyle.SubElement.SE_PushButtonContents
        if isinstance(button, QPushButton)
        else QStyle.SubElement.SE_CheckBoxContents
        if isinstance(button, QCheckBox)
        else QStyle.SubElement.SE_RadioButtonContents
    )
    available = button.style().subElementRect(element, option, button)
    needed = button.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, button.text())
    icon = 0 if button.icon().isNull() else button.iconSize().width() + 4
    if needed.width() + icon > available.width() + _TOLERANCE and not _tells(button, button.text()):
        yield f"text needs a width of {needed.width() + icon}, it has {available.width()}"
    if needed.height() > button.height() + _TOLERANCE:
        yield f"text needs a height of {needed.height()}"


def _combo_box(box: QComboBox) -> Iterator[str]:
    text = box.currentText()
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    available = box.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
    )
    icon = 0 if box.itemIcon(box.currentIndex()).isNull() else box.iconSize().width() + 4
    needed = box.fontMetrics().horizontalAdvance(text) + icon
    if needed > available.width() + _TOLERANCE and not _tells(box, text):
        yield f"text needs a width of {needed}, it has {available.width()}"


def _line_edit(field: QLineEdit) -> Iterator[str]:
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    available = (
        field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field).width()
    )
    margins = field.textMargins()
    available -= margins.left() + margins.right()
    text = field.displayText() or field.placeholderText()
    if not text or field.hasFocus():
        return
    needed = field.fontMetrics().horizontalAdvance(text)
    if needed > available + _TOLERANCE and not _tells(field, text):
        yield f"text needs a width of {needed}, it has {available}"


def _tab_bar(bar: QTabBar) -> Iterator[str]:
    for k in range(bar.count()):
        if not bar.isTabVisible(k):
            continue
        rect = bar.tabRect(k)
        available = max(rect.width(), rect.height())
        if bar.fontMetrics().horizontalAdvance(
            bar.tabText(k)
        ) + 4 > available and not bar.tabToolTip(k):
            yield f"tab {bar.tabText(k)!r} has {available}"
        if not bar.rect().adjusted(-1, -1, 1, 1).contains(rect) and not bar.usesScrollButtons():
            yield f"tab {bar.tabText(k)!r} is outside"


# --- tables ---------------------------------------------------------------------------------------


def _header(header: QHeaderView) -> Iterator[str]:
    if header.orientation() is not Qt.Orientation.Horizontal or header.model() is None:
        return
    model = header.model()
    for k in range(header.count()):
        if header.isSectionHidden(k):
            continue
        text = str(model.headerData(k, Qt.Orientation.Horizontal) or "")
        tip = model.headerData(k, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        needed = header.sectionSizeFromContents(k).width()
        if text and needed > header.sectionSize(k) + 10 and not tip:
            yield f"column {text!r} needs {needed}, it has {header.sectionSize(k)}"


def _items(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if model is None or not isinstance(view, QTreeView | QTableView):
        return
    header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
    if header.length() > view.viewport().width() + _TOLERANCE and not _scrolls(
        view, Qt.Orientation.Horizontal
    ):
        yield f"columns of {header.length()} in {view.viewport().width()}"
    for row in range(min(_ROWS, model.rowCount())):
        for column in range(model.columnCount()):
            index = model.index(row, column)
            if header.isSectionHidden(column) or not index.data():
                continue
            problem = _cell(view, index)
            if problem:
                yield problem


def _cell(view: QAbstractItemView, index: QModelIndex) -> str:
    rect = view.visualRect(index)
    if rect.isEmpty() or not rect.intersects(view.viewport().rect()):
        return ""
    needed = view.sizeHintForIndex(index).width()
    if needed <= rect.width() + _TOLERANCE or index.data(Qt.ItemDataRole.ToolTipRole):
        return ""
    return f"cell {index.data()!r} needs {needed}, it has {rect.width()}"
