"""Headings and foldable sections of the panels next to the viewport."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget


def heading(text: str, parent: QWidget | None = None) -> QLabel:
    """Return the title label of a panel or a section."""
    label = QLabel(text, parent)
    label.setProperty("role", "heading")
    return label


class ColumnScrollArea(QScrollArea):
    """An area that scrolls vertically, and horizontally only if it is not given the width of its content."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        content = self.widget()
        if content is None:
            return hint
        bar_width = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        return QSize(
            (content.minimumWidth() or content.minimumSizeHint().width()) + bar_width, hint.height()
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest:  # the content may need another width
            self.updateGeometry()
        return handled


def scrolled(content: QWidget) -> ColumnScrollArea:
    """Return an area with `content` that scrolls vertically."""
    return ColumnScrollArea(content)


class Section(ThemedWidget):
    """A heading with widgets next to it, and a body that the heading folds.

    Signals
    -------
    folded(hidden: bool)
    """

    folded = Signal(bool)

    def __init__(self, title: str, *header_widgets: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = QToolButton()
        self._button.setObjectName("section_title")
        self._button.setProperty("role", "flat")
        self._button.setStyleSheet("QToolButton { font-weight: 600; padding: 4px 4px 4px 0; }")
        self._button.setIconSize(QSize(12, 12))
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.set_title(title)
        self._button.clicked.connect(self.toggle)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self._button)
        head.addStretch(1)
        for widget in header_widgets:
            head.addWidget(widget, 1000)
        self._body = QWidget()
        self.body = QVBoxLayout(self._body)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._body)
        self._set_hidden(False)

    @property
    def is_folded(self) -> bool:
        """Whether the body is folded."""
        return self._body.isHidden()

    def set_title(self, title: str) -> None:
        """Set the title."""
        self._button.setText(title)
        self._button.setToolTip(f"Fold or unfold {title.lower()}")

    def add(self, widget: QWidget) -> None:
        """Add a widget at the end of the body."""
        self.body.addWidget(widget)

    def toggle(self) -> None:
        """Fold or unfold."""
        self._set_hidden(not self.is_folded)
        self.folded.emit(self.is_folded)

    def apply_theme(self) -> None:
        self._set_hidden(self.is_folded)

    def _set_hidden(self, hidden: bool) -> None:
        self._body.setHidden(hidden)
        self._button.setIcon(theme.icon("chevron-right" if hidden else "chevron-down", "dim"))
