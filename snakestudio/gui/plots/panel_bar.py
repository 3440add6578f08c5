"""The bar over a plot panel: layout of the plots, and time range in view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton

from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.narrow_row import NarrowRow
from snakestudio.gui.forms.sections import heading

_WINDOWS = (("5 s", 5.0), ("10 s", 10.0), ("30 s", 30.0), ("1 min", 60.0), ("all", 0.0))
_NARROWEST = 300
"""Least width of the bar, px of the design."""
_ICONS = {"follow_button": "live", "pause_button": "pause", "statistics_button": "statistics"}


class PanelBar(NarrowRow):
    """Title, a note, the menus and switches of a panel."""

    def __init__(self, title: str) -> None:
        super().__init__(_NARROWEST)
        self.title = heading(title)
        self.note = QLabel()
        self.note.setProperty("role", "dim")
        # Texts for frequent actions, icons for the rest: panels are narrow on small screens.
        self.add_button = self._tool("New plot", "Add a plot", bare=True)
        self.sets_button = self._tool(
            "Plot layouts",
            "Plot layouts: load a preset or save this one",
            bare=True,
        )
        self.sets_menu = Menu(self)
        self.sets_button.setMenu(self.sets_menu)
        self.sets_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.statistics_button = self._switch(
            "Statistics",
            "Statistics of the curves over a span; Shift+drag in a plot selects one",
            bare=True,
        )
        self.pause_button = self._switch("Pause view", "Freeze the plots while data keep arriving")
        self.follow_button = self._switch("Follow", "Keep the newest data in view")
        self.follow_button.setChecked(True)
        self.window_box = QComboBox()
        self.window_box.setAccessibleName("Time range in view")
        self.window_box.setToolTip("Time range in view while the plots follow the newest data")
        for text, span in _WINDOWS:
            self.window_box.addItem(text, span)
        self.window_box.setCurrentIndex(1)
        row = self.row
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self.title)
        row.addWidget(self.note)
        row.addStretch(1)
        for widget in (
            self.add_button,
            self.sets_button,
            self.statistics_button,
            self.pause_button,
            self.follow_button,
            self.window_box,
        ):
            row.addWidget(widget)
        self._close = QToolButton()
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Remove this plot panel")
        self._close.hide()
        row.addWidget(self._close)
        self.shorten_if_narrow(self.pause_button)
        self.shorten_if_narrow(self.follow_button)
        self.hide_if_narrow(self.title)
        for name in _ICONS:
            getattr(self, name).toggled.connect(self.apply_theme)
        self.apply_theme()

    def set_closable(self, close: Callable[[], object]) -> None:
        """Show a button that closes the panel."""
        self._close.clicked.connect(lambda: close())
        self._close.show()

    @staticmethod
    def _tool(text: str, tip: str, bare: bool = False) -> QToolButton:
        """Return a button; with `bare`, only with its icon."""
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(text)
        button.setIconSize(QSize(14, 14))
        style = Qt.ToolButtonStyle
        button.setToolButtonStyle(
            style.ToolButtonIconOnly if bare else style.ToolButtonTextBesideIcon
        )
        button.setStyleSheet(f"QToolButton {{ padding: {'4px 6px' if bare else '3px 8px'}; }}")
        button.setToolTip(tip)
        return button

    def _switch(self, text: str, tip: str, bare: bool = False) -> QToolButton:
        button = self._tool(text, tip, bare)
        button.setCheckable(True)
        return button

    def apply_theme(self) -> None:
        for name, icon in _ICONS.items():
            button = getattr(self, name)
            button.setIcon(theme.icon(icon, "on_accent" if button.isChecked() else "text"))
        self.add_button.setIcon(theme.icon("plot-add"))
        self.sets_button.setIcon(theme.icon("layout"))
        self._close.setIcon(theme.icon("close", "dim"))
