"""The title bar of a dock: a heading while panels stand still, with buttons while they are being arranged."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from snakestudio.gui.core import theme

__all__ = ["DockTitle"]


class DockTitle(QWidget):
    """Title, and buttons to float and to close.

    Parameters
    ----------
    dock : QDockWidget
    gap : int or None
        None to show the title; if the content has a heading of its own, the room above it, px: the title then is seen
        only while arranging.
    """

    def __init__(self, dock: QDockWidget, gap: int | None) -> None:
        super().__init__(dock)
        self._dock, self._gap, self._arranging = dock, gap, False
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 8, 4)
        row.setSpacing(2)
        title = self._title = QLabel(dock.windowTitle(), self)
        title.setProperty("role", "heading")
        row.addWidget(title, 1)
        self._float = self._button("Float, or dock again")
        self._float.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._close = self._button("Close; View > Panels brings it back")
        self._close.clicked.connect(dock.close)
        dock.topLevelChanged.connect(self._dress)
        self.renew_theme()
        self._dress()

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("role", "flat")
        button.setIconSize(QSize(12, 12))
        button.setToolTip(tip)
        self._row.addWidget(button)
        return button

    def renew_theme(self) -> None:
        """The palette is another one."""
        self._float.setIcon(theme.icon("float", "dim"))
        self._close.setIcon(theme.icon("close", "dim"))

    def set_arranging(self, arranging: bool) -> None:
        """Whether the panels may be moved."""
        self._arranging = arranging
        features = QDockWidget.DockWidgetFeature
        movable = features.DockWidgetMovable | features.DockWidgetFloatable
        self._dock.setFeatures(features.DockWidgetClosable | (movable if arranging else features(0)))
        self._dress()

    def _dress(self) -> None:
        loose = self._arranging or self._dock.isFloating()
        self._float.setVisible(loose)
        self._close.setVisible(loose)
        self._title.setVisible(loose or self._gap is None)
        self._title.setText(
            "" if self._said_inside() else self._dock.windowTitle()
        )  # empty, it holds the buttons right
        self.updateGeometry()

    def _said_inside(self) -> bool:
        """Whether the content has the title as its heading, too."""
        content: QWidget | None = self._dock.widget()
        labels = content.findChildren(QLabel) if content is not None and self._gap is not None else []
        return any(label.property("role") == "heading" and label.text() == self._dock.windowTitle() for label in labels)

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self._gap is None or self._title.isVisibleTo(self) else QSize(80, self._gap)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() if self._gap is None or self._title.isVisibleTo(self) else QSize(0, self._gap)
