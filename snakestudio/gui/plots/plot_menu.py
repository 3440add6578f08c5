"""The menu of a curve, and entries in the menu of a plot of chosen channels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QInputDialog, QMenu

from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.plots.inks import ink
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.model.column_units import label_of
from snakestudio.viewmodel.plots.content import WINDOWS, Content, Curve
from snakestudio.viewmodel.plots.plot_type import distinct_colour

_WINDOW_NAMES = {
    "hann": "Hann",
    "hamming": "Hamming",
    "blackman": "Blackman",
    "flattop": "Flat Top (for amplitudes)",
    "rectangular": "None",
}


def add_content_entries(menu: QMenu, plot: LivePlot) -> None:
    """Add the entries for a plot of chosen channels: options, curves, title."""
    content = plot.content
    menu.addSeparator()
    _add_options(menu, plot)
    curves = menu.addMenu("Curves")
    curves.setEnabled(bool(content.curves))
    for number, curve in enumerate(content.curves):
        _add_curve(curves.addMenu(_curve_text(curve)), plot, number)
    menu.addAction("Rename Plot...", partial(_rename, plot))


def _curve_text(curve: Curve) -> str:
    over = f" over {label_of(curve.against)}" if curve.against else ""
    return f"{label_of(curve.name)}{over}"


def _add_options(menu: QMenu, plot: LivePlot) -> None:
    content = plot.content
    switches = {
        "time": (("log", "Logarithmic Values"),),
        "spectrum": (("log", "Logarithmic Amplitude"),),
        "xy": (
            ("equal", "Same Scale on Both Axes"),
            ("whole", "Whole Run"),
            ("outlines", "Obstacles"),
        ),
        "heat": (),
        "view": (),
    }[content.kind]
    for name, text in switches:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(bool(getattr(content, name)))
        action.toggled.connect(
            lambda on, name=name: plot.show_content(_switched(plot.content, name, on))
        )
    if content.kind == "spectrum":
        windows = menu.addMenu("Window")
        group = QActionGroup(windows)
        for window in WINDOWS:
            action = windows.addAction(_WINDOW_NAMES[window])
            action.setActionGroup(group)
            action.setCheckable(True)
            action.setChecked(window == content.window)
            action.triggered.connect(
                lambda _=False, w=window: plot.show_content(replace(plot.content, window=w))
            )


def pop_up(menu: QMenu, point: QPoint) -> None:
    """Open a menu at a global position, and delete it when it is closed."""
    menu.exec(point)
    menu.deleteLater()


def _switched(content: Content, name: str, on: bool) -> Content:
    return replace(content, **{name: on})  # type: ignore[arg-type]


def _add_curve(menu: QMenu, plot: LivePlot, number: int) -> None:
    last = len(plot.content.curves) - 1
    menu.addAction("Remove", lambda: plot.show_content(plot.content.without(number)))
    earlier = menu.addAction(
        "Move Up", lambda: plot.show_content(plot.content.moved(number, number - 1))
    )
    earlier.setEnabled(number > 0)
    later = menu.addAction(
        "Move Down", lambda: plot.show_content(plot.content.moved(number, number + 1))
    )
    later.setEnabled(number < last)


def curve_menu(plot: LivePlot, entry: int) -> QMenu | None:
    """Return the menu of a legend entry, if it is a curve of a plot of chosen channels."""
    colour = plot.chart.data.legend[entry][0]
    curves = plot.content.curves
    number = next((i for i in range(len(curves)) if ink(distinct_colour(i)) == colour), None)
    if number is None or plot.content.kind == "heat":
        return None
    menu = Menu(plot)
    menu.addSection(_curve_text(curves[number]))
    _add_curve(menu, plot, number)
    return menu


def _rename(plot: LivePlot) -> None:
    title, accepted = QInputDialog.getText(
        plot, "Rename Plot", "Title of the plot:", text=plot.content.title
    )
    if accepted:
        plot.show_content(replace(plot.content, title=title.strip()))
