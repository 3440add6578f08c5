"""The docks around the viewport: created empty, filled after the window is on screen, shown, added and removed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QTabWidget,
    QToolButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.feature import DockSpec

_Area = Qt.DockWidgetArea

_BOTTOM_FRACTION = 0.34
"""Largest share of the window's height of a dock at the bottom: the viewport is more important."""

_BARS = 200
_LOWEST = 150
"""Height of all bars of a window, and least height of a dock at the bottom, px of the design. The rest
belongs to the viewport, which gets at least half of the window."""
_LEAST = 240
"""Least width of a dock, px of the design: enough for a line of text with a button."""
_LEAST_CONTENT = {_Area.LeftDockWidgetArea: 248, _Area.RightDockWidgetArea: 300}
"""Least width of the content of docks at the sides, px of the design. It does not depend on the content,
because docks that change their width move the viewport."""


class Docks(QObject):
    """The docks of one window.

    Parameters
    ----------
    specs : sequence of DockSpec
        In the order in which they are filled, after those that are shown at the start.

    Signals
    -------
    filled()
        All panels are made.
    added(dock: QDockWidget)
        A dock was added.
    """

    filled = Signal()
    added = Signal(QDockWidget)

    def __init__(self, window: QMainWindow, specs: Sequence[DockSpec[Any]]) -> None:
        super().__init__(window)
        self._window = window
        # those that are shown at the start come first: the others are tabbed with them
        self._specs = sorted(specs, key=lambda spec: bool(spec.behind))
        self._to_fill = list(self._specs)
        self._arranging = False
        self.all: dict[str, QDockWidget] = {}

    def __getitem__(self, name: str) -> QDockWidget:
        return self.all[name]

    def __contains__(self, name: str) -> bool:
        return name in self.all

    def make(self) -> None:
        """Make the docks, still empty."""
        window = self._window
        window.setCorner(Qt.Corner.BottomLeftCorner, _Area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # Side by side, the titles of so many docks would be cut to a letter or two.
        window.setTabPosition(_Area.RightDockWidgetArea, QTabWidget.TabPosition.East)
        for spec in self._specs:
            dock = self._make(spec.name, spec.title, QWidget(), spec.gap)
            # before it is tabbed with the others, or a tab bar stays in the window's corner
            dock.setHidden(bool(spec.behind))
            window.addDockWidget(spec.area, dock)
            if spec.behind:
                window.tabifyDockWidget(self.all[spec.behind], dock)

    def _make(self, name: str, title: str, content: QWidget, gap: int | None) -> QDockWidget:
        dock = self.all[name] = QDockWidget(title, self._window)
        dock.setObjectName(f"dock_{name}")
        dock.setWidget(content)
        dock.setTitleBarWidget(DockTitle(dock, gap))
        # the dock must not be behind another tab
        dock.toggleViewAction().triggered.connect(lambda on: self.show(name) if on else None)
        return dock

    # --- content ----------------------------------------------------------------------------------

    def fill(self, context: object, names: Collection[str] | None = None) -> None:
        """Make the contents of the docks from a context one by one, so that the window stays responsive.

        Parameters
        ----------
        names : collection of str, optional
            The docks to fill; if omitted, all that are still empty.
        """
        if names is not None:
            self._to_fill = [spec for spec in self._specs if spec.name in names]
        if not self._to_fill:
            self.filled.emit()
            return
        spec = self._to_fill.pop(0)
        dock = self.all[spec.name]
        placeholder = dock.widget()
        content = spec.make(context)
        if spec.area in _LEAST_CONTENT:
            content.setMinimumWidth(theme.scaled(_LEAST_CONTENT[spec.area]))
        dock.setWidget(content)
        if placeholder is not None:
            placeholder.deleteLater()
        QTimer.singleShot(15, self, lambda: self.fill(context))

    @property
    def are_filled(self) -> bool:
        """Whether all panels are made."""
        return not self._to_fill

    def stop_filling(self) -> None:
        """Make no further panels, because the window closes."""
        self._to_fill.clear()

    def add(self, name: str, title: str, content: QWidget, *, tab_with: str) -> None:
        """Show a panel that has its own heading in a new dock, tabbed with another one."""
        dock = self._make(name, title, content, 0)
        self.set_arranging(self._arranging)
        self._window.addDockWidget(_Area.BottomDockWidgetArea, dock)
        if not self.all[tab_with].isFloating():
            self._window.tabifyDockWidget(self.all[tab_with], dock)
        self.added.emit(dock)
        self.show(name)

    def remove(self, name: str) -> None:
        """Delete a dock."""
        dock = self.all.pop(name)
        self._window.removeDockWidget(dock)
        dock.deleteLater()

    # --- arrangement ------------------------------------------------------------------------------

    def show(self, name: str) -> bool:
        """Show a panel; return whether it was hidden."""
        hidden = self.all[name].isHidden()
        self.all[name].show()
        self.all[name].raise_()
        return hidden

    def ensure_height(self, name: str, height: int) -> None:
        """Give a panel a height of at least `height` (px), limited to half of the window."""
        dock = self.all[name]
        height = min(height, self._window.height() // 2)
        if dock.height() >= height:
            return
        if dock.isFloating():
            dock.resize(dock.width(), height)
        else:
            self._window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    @property
    def arranging(self) -> bool:
        """Whether panels have title bars for moving and closing them."""
        return self._arranging

    def set_arranging(self, arranging: bool) -> None:
        """Show or hide the title bars for moving and closing panels."""
        self._arranging = arranging
        for title in self._window.findChildren(DockTitle):
            title.set_arranging(arranging)

    def size(self, bottom_fraction: float = _BOTTOM_FRACTION) -> None:
        """Give the docks their initial sizes; the window must already have its own size.

        Parameters
        ----------
        bottom_fraction : float
            Share of the window's height for a dock at the bottom: an upper limit, or the height itself
            if that exceeds its initial size.
        """
        for orientation, areas in (
            (Qt.Orientation.Horizontal, (_Area.LeftDockWidgetArea, _Area.RightDockWidgetArea)),
            (Qt.Orientation.Vertical, (_Area.BottomDockWidgetArea,)),
        ):
            chosen = [spec for spec in self._specs if spec.area in areas and not spec.behind]
            sizes = [theme.scaled(spec.size) for spec in chosen]
            if orientation is Qt.Orientation.Vertical:
                height = round(bottom_fraction * self._window.height())
                half = max(theme.scaled(_LOWEST), self._window.height() // 2 - theme.scaled(_BARS))
                sizes = [
                    height if bottom_fraction > _BOTTOM_FRACTION else min(size, height, half)
                    for size in sizes
                ]
            self._window.resizeDocks([self.all[spec.name] for spec in chosen], sizes, orientation)
        left = [self.all[name] for name in ("scene", "inspector", "checks")]
        self._window.resizeDocks(left, [400, 330, 140], Qt.Orientation.Vertical)


class DockTitle(QWidget):
    """Title bar of a dock with buttons to float and to close it.

    Parameters
    ----------
    gap : int or None
        None to show the title. If the content has its own heading, the space above it, px; the title
        is then shown only while arranging.
    """

    def __init__(self, dock: QDockWidget, gap: int | None) -> None:
        super().__init__(dock)
        self._dock = dock
        self._gap = gap
        self._arranging = False
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 8, 4)
        row.setSpacing(2)
        title = self._title = QLabel(dock.windowTitle(), self)
        title.setProperty("role", "heading")
        row.addWidget(title, 1)
        self._float = self._button("Float or dock the panel")
        self._float.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._close = self._button("Close the panel; View > Panels reopens it")
        self._close.clicked.connect(dock.close)
        dock.topLevelChanged.connect(self._apply_style)
        theme.set_icon(self._float, "float", "dim")
        theme.set_icon(self._close, "close", "dim")
        self._apply_style()

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("role", "flat")
        button.setIconSize(QSize(12, 12))
        button.setToolTip(tip)
        self._row.addWidget(button)
        return button

    def set_arranging(self, arranging: bool) -> None:
        """Set whether the panels can be moved."""
        self._arranging = arranging
        features = QDockWidget.DockWidgetFeature
        movable = features.DockWidgetMovable | features.DockWidgetFloatable
        self._dock.setFeatures(
            features.DockWidgetClosable | (movable if arranging else features(0))
        )
        self._apply_style()

    def _apply_style(self) -> None:
        loose = self._arranging or self._dock.isFloating()
        self._float.setVisible(loose)
        self._close.setVisible(loose)
        self._title.setVisible(loose or self._gap is None)
        # an empty title keeps the buttons at the right
        self._title.setText("" if self._has_own_heading() else self._dock.windowTitle())
        self.updateGeometry()

    def _has_own_heading(self) -> bool:
        """Return whether the content has the title as its heading."""
        content: QWidget | None = self._dock.widget()
        labels = (
            content.findChildren(QLabel) if content is not None and self._gap is not None else []
        )
        return any(
            label.property("role") == "heading" and label.text() == self._dock.windowTitle()
            for label in labels
        )

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        with_title = self._gap is None or self._title.isVisibleTo(self)
        hint = super().minimumSizeHint() if with_title else QSize(0, self._gap or 0)
        return hint.expandedTo(QSize(theme.scaled(_LEAST), 0))
