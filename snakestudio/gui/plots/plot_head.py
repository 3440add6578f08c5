"""The two buttons over a plot: what it shows, and of which link or joint; each opens its menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from snakestudio.gui.plots.content import Content, Curve
from snakestudio.gui.plots.plot_types import VIEWS
from snakestudio.viewmodel.plots.catalogue import families
from snakestudio.viewmodel.plots.channel_units import label_of

if TYPE_CHECKING:
    from snakestudio.gui.plots.plot import LivePlot

__all__ = ["PlotHead"]


class PlotHead(QWidget):
    """Stands over the chart's first line, which holds legend and unit too.

    Parameters
    ----------
    plot : LivePlot
    """

    def __init__(self, plot: LivePlot) -> None:
        super().__init__(plot)
        self._plot = plot
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.view_button, self.index_button = self._button(), self._button()
        self.view_button.setToolTip("Choose what this plot shows")
        row.addWidget(self.view_button)
        row.addWidget(self.index_button)
        self.view_menu, self.index_menu = QMenu(plot), QMenu(plot)
        self.view_button.setMenu(self.view_menu)
        self.index_button.setMenu(self.index_menu)
        self.view_menu.aboutToShow.connect(self._fill_views)
        self.index_menu.aboutToShow.connect(self._fill_indices)
        self.set_focused(False)

    @staticmethod
    def _button() -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        return button

    def set_focused(self, focused: bool) -> None:
        """Whether this is the plot that a double click in the channel browser adds to."""
        line = "palette(highlight)" if focused else "transparent"
        for button, weight in ((self.view_button, 600), (self.index_button, 400)):
            button.setStyleSheet(
                f"QToolButton {{ padding: 2px 4px; font-weight: {weight}; border-radius: 0;"
                f" border: 0; border-bottom: 2px solid {line}; }}"
            )

    def say(self, title: str, choice: str, chooser: str) -> None:
        """Show what the plot shows."""
        self.view_button.setText(f"{title} ▾")
        self.index_button.setVisible(bool(chooser))
        self.index_button.setText(f"{choice} ▾")
        self.index_button.setToolTip(f"Choose the {chooser}")

    # --- menus -----------------------------------------------------------------------------------------------------

    def _fill_views(self) -> None:
        plot, schema = self._plot, self._plot.schema
        self._fill(
            self.view_menu,
            [
                (view.title, name == plot.view_name, schema is None or view.possible(schema), name)
                for name, view in VIEWS.items()
                if name == plot.view_name or schema is None or view.suits(schema)
            ],
            lambda name: plot.choose(str(name)),
        )
        first = self.view_menu.actions()[0]
        for text, content in self._own():
            action = QAction(text, self.view_menu)
            action.setCheckable(True)
            action.setChecked(content is None)
            action.setEnabled(content is None or bool(content.curves) or content.kind == "time")
            if content is not None:
                action.triggered.connect(lambda _=False, content=content: plot.show_content(content))
            self.view_menu.insertAction(first, action)
        strips = QMenu("Strips by Number", self.view_menu)
        self.view_menu.insertMenu(first, strips)
        self._fill_strips(strips)
        self.view_menu.insertSeparator(first)

    def _own(self) -> list[tuple[str, Content | None]]:
        """The kinds that are put together from channels, made of what is shown now; None where that kind is shown."""
        plot = self._plot
        names = plot.names
        now, shown = plot.content, tuple(Curve(name) for name in names)
        pair = (Curve(names[1], names[0]),) if len(names) > 1 else ()
        unit = {} if plot.schema is None else plot.library.of(plot.schema)
        alike = tuple(curve for curve in shown if unit[curve.name].unit == unit[names[0]].unit)
        tracks = now.kind == "xy" and now.outlines
        links = (1,) if plot.schema is None else tuple(dict.fromkeys((1, plot.schema.n_links)))
        return [
            ("Chosen Channels", None if now.kind == "time" else Content("time", curves=shown)),
            ("X-Y Plot", None if now.kind == "xy" and not tracks else Content("xy", curves=pair)),
            ("Tracks from Above", None if tracks else Content.tracks(links, centre=True)),
            ("Spectrum", None if now.kind == "spectrum" else Content("spectrum", curves=alike)),
        ]

    def _fill_strips(self, menu: QMenu) -> None:
        plot = self._plot
        if plot.schema is None:
            menu.setEnabled(False)
            return
        found = families(tuple(plot.library.of(plot.schema)))
        parts: dict[str, QMenu] = {}
        for family, names in found.items():
            part, _, what = family.partition("_*_")
            if part not in parts:
                parts[part] = menu.addMenu(f"{part.capitalize()}s")
            unit = plot.library.unit(names[0], plot.schema)
            content = Content("heat", curves=tuple(map(Curve, names)), title=f"{part} by {part}: {label_of(what)}")
            text = f"{label_of(what)}{f'  [{unit}]' if unit else ''}"
            parts[part].addAction(text).triggered.connect(lambda _=False, content=content: plot.show_content(content))

    def _fill_indices(self) -> None:
        plot = self._plot
        view, schema = plot.view, plot.schema
        chooser = view.chooser
        count = len(view.choices) if chooser == "quantity" else 0 if schema is None else view.count(schema)

        def text(i: int) -> str:
            name = view.choice(schema, i)
            return name if chooser == "quantity" else f"{name[:1].upper()}{name[1:]}"

        self._fill(
            self.index_menu,
            [(text(i), i == plot.index, True, i) for i in range(count)],
            lambda index: plot.choose(plot.view_name, int(str(index))),
        )

    @staticmethod
    def _fill(menu: QMenu, entries: list[tuple[str, bool, bool, object]], choose: Callable[[object], None]) -> None:
        for old in menu.findChildren(QMenu):
            old.deleteLater()
        menu.clear()
        group = QActionGroup(menu)
        for text, checked, enabled, data in entries:
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(checked)
            action.setEnabled(enabled)
            action.setData(data)
            menu.addAction(action)
        group.triggered.connect(lambda action: choose(action.data()))
