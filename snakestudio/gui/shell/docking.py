"""The docks around the viewport: made empty, filled after the window is on screen, brought up, added and taken away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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

C = TypeVar("C", contravariant=True)

_Area = Qt.DockWidgetArea

_BOTTOM_SHARE = 0.34
"""Share of the window's height that a dock at the bottom gets at most: the viewport matters
more."""

_BARS = 200
_LOWEST = 150
"""Height of all bars of a window, and of a dock at the bottom at least, px of the design: the rest
is the view's, which has no less than half of a window."""
_LEAST = 240
"""Width of a dock at least, px of the design: less is not enough for a line of text with a
button."""


@dataclass(frozen=True)
class DockSpec(Generic[C]):
    """One dock; `C` is what its content is made of."""

    name: str
    """Its name in stored layouts."""

    title: str
    area: _Area
    make: Callable[[C], QWidget]
    """Makes its content; imports what that needs."""

    size: int
    """Width (at a side) or height (at the bottom) at first, px."""

    gap: int | None = None
    """Room above a content that has a heading of its own, px; None for content that needs the
    dock's title."""

    behind: str = ""
    """Name of the dock whose place it shares, as a tab; it is there only when it is asked for."""


class Docks(QObject):
    """The docks of one window.

    Parameters
    ----------
    specs : sequence of DockSpec
        From the first to be filled to the last.

    Signals
    -------
    filled()
        All panels are there.
    added(dock: QDockWidget)
        There is one more.
    """

    filled = Signal()
    added = Signal(QDockWidget)

    def __init__(self, window: QMainWindow, specs: Sequence[DockSpec[Any]]) -> None:
        super().__init__(window)
        self._window = window
        self._specs = specs
        self._to_fill = list(specs)
        self._arranging = False
        self.all: dict[str, QDockWidget] = {}

    def __getitem__(self, name: str) -> QDockWidget:
        return self.all[name]

    def __contains__(self, name: str) -> bool:
        return name in self.all

    def make(self) -> None:
        """Make them, still empty."""
        window = self._window
        window.setCorner(Qt.Corner.BottomLeftCorner, _Area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # Beside each other the titles of so many would be a letter or two.
        window.setTabPosition(_Area.RightDockWidgetArea, QTabWidget.TabPosition.East)
        for spec in self._specs:
            dock = self._make(spec.name, spec.title, QWidget(), spec.gap)
            # before it joins the others, or a tab bar stays in the window's corner
            dock.setHidden(bool(spec.behind))
            window.addDockWidget(spec.area, dock)
            if spec.behind:
                window.tabifyDockWidget(self.all[spec.behind], dock)

    def _make(self, name: str, title: str, content: QWidget, gap: int | None) -> QDockWidget:
        dock = self.all[name] = QDockWidget(title, self._window)
        dock.setObjectName(f"dock_{name}")
        dock.setWidget(content)
        dock.setTitleBarWidget(DockTitle(dock, gap))
        # not behind another tab
        dock.toggleViewAction().triggered.connect(lambda on: self.show(name) if on else None)
        return dock

    # --- what is in them --------------------------------------------------------------------------

    def fill(self, context: object, names: Collection[str] | None = None) -> None:
        """Make the content of the docks from a context, one after the other, so that the window answers in between.

        Parameters
        ----------
        names : collection of str, optional
            The docks to fill, and no others; all that are left if left out.
        """
        if names is not None:
            self._to_fill = [spec for spec in self._specs if spec.name in names]
        if not self._to_fill:
            self.filled.emit()
            return
        spec = self._to_fill.pop(0)
        dock = self.all[spec.name]
        placeholder = dock.widget()
        dock.setWidget(spec.make(context))
        if placeholder is not None:
            placeholder.deleteLater()
        QTimer.singleShot(15, self, lambda: self.fill(context))

    @property
    def are_filled(self) -> bool:
        """Whether all panels are there."""
        return not self._to_fill

    def stop_filling(self) -> None:
        """The window closes: what is not there yet is not needed."""
        self._to_fill.clear()

    def add(self, name: str, title: str, content: QWidget, *, beside: str) -> None:
        """Show a panel with a heading of its own in a dock of its own, in the place of another one."""
        dock = self._make(name, title, content, 0)
        self.set_arranging(self._arranging)
        self._window.addDockWidget(_Area.BottomDockWidgetArea, dock)
        if not self.all[beside].isFloating():
            self._window.tabifyDockWidget(self.all[beside], dock)
        self.added.emit(dock)
        self.show(name)

    def remove(self, name: str) -> None:
        """Take a dock away for good."""
        dock = self.all.pop(name)
        self._window.removeDockWidget(dock)
        dock.deleteLater()

    # --- how they stand ---------------------------------------------------------------------------

    def show(self, name: str) -> None:
        """Bring up a panel."""
        self.all[name].show()
        self.all[name].raise_()

    def make_room(self, name: str, height: int) -> None:
        """Let a panel be at least `height` (px) high, but take no more than half of the window."""
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
        """Whether panels have title bars to move and close them by."""
        return self._arranging

    def set_arranging(self, arranging: bool) -> None:
        """Give the panels title bars to move and close them by, or take them away."""
        self._arranging = arranging
        for title in self._window.findChildren(DockTitle):
            title.set_arranging(arranging)

    def renew_theme(self) -> None:
        """The palette is another one."""
        for title in self._window.findChildren(DockTitle):
            title.renew_theme()

    def size(self, bottom_share: float = _BOTTOM_SHARE) -> None:
        """Give the docks the sizes they have at first; the window must have its own already.

        Parameters
        ----------
        bottom_share : float
            Share of the window's height that a dock at the bottom gets: at most, or as much if that
            is more than its size.
        """
        for orientation, areas in (
            (Qt.Orientation.Horizontal, (_Area.LeftDockWidgetArea, _Area.RightDockWidgetArea)),
            (Qt.Orientation.Vertical, (_Area.BottomDockWidgetArea,)),
        ):
            chosen = [spec for spec in self._specs if spec.area in areas and not spec.behind]
            sizes = [theme.scaled(spec.size) for spec in chosen]
            if orientation is Qt.Orientation.Vertical:
                share = round(bottom_share * self._window.height())
                half = max(theme.scaled(_LOWEST), self._window.height() // 2 - theme.scaled(_BARS))
                sizes = [
                    share if bottom_share > _BOTTOM_SHARE else min(size, share, half)
                    for size in sizes
                ]
            self._window.resizeDocks([self.all[spec.name] for spec in chosen], sizes, orientation)
        left = [self.all[name] for name in ("scene", "inspector", "checks")]
        self._window.resizeDocks(left, [400, 330, 140], Qt.Orientation.Vertical)


class DockTitle(QWidget):
    """Title, and buttons to float and to close.

    Parameters
    ----------
    gap : int or None
        None to show the title; if the content has a heading of its own, the room above it, px: the
        title then is seen only while arranging.
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
        self._dock.setFeatures(
            features.DockWidgetClosable | (movable if arranging else features(0))
        )
        self._dress()

    def _dress(self) -> None:
        loose = self._arranging or self._dock.isFloating()
        self._float.setVisible(loose)
        self._close.setVisible(loose)
        self._title.setVisible(loose or self._gap is None)
        # empty, it holds the buttons right
        self._title.setText("" if self._said_inside() else self._dock.windowTitle())
        self.updateGeometry()

    def _said_inside(self) -> bool:
        """Whether the content has the title as its heading, too."""
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
