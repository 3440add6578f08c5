"""The menus of a plot and of one of its curves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu

from snakestudio.gui.plots.content import WINDOWS, Content, Curve
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.gui.plots.plot_type import distinct_colour
from snakestudio.viewmodel.plots.channel_units import label_of

if TYPE_CHECKING:
    from snakestudio.gui.plots.panel import PlotPanel

__all__ = ["curve_menu", "plot_menu", "pop_up"]

_WINDOW_NAMES = {
    "hann": "Hann",
    "hamming": "Hamming",
    "blackman": "Blackman",
    "flattop": "Flat Top (for sizes)",
    "rectangular": "None",
}


def plot_menu(panel: PlotPanel, plot: LivePlot) -> QMenu:
    """The menu of a plot."""
    menu = QMenu(panel)
    content = plot.content
    menu.addAction("Follow the Newest Data", panel.follow)
    menu.addAction("Fit the Axes", lambda: panel.fit_values(plot))
    if panel.span is not None:
        menu.addAction("Clear the Selected Span", lambda: panel.select_span(None))
    if content.kind != "view":
        menu.addSeparator()
        _add_options(menu, plot)
        curves = menu.addMenu("Curves")
        curves.setEnabled(bool(content.curves))
        for number, curve in enumerate(content.curves):
            _add_curve(curves.addMenu(_words(curve)), plot, number)
        menu.addAction("Rename Plot ...", partial(_rename, panel, plot))
    menu.addSeparator()
    menu.addAction("New Plot", lambda: panel.add_plot(Content("time")))
    menu.addAction("Remove Plot", lambda: panel.grid.remove(plot))
    menu.addSeparator()
    for kind, text in (("csv", "Data as CSV"), ("png", "Picture as PNG"), ("svg", "Picture as SVG")):
        action = menu.addAction(f"Export {text} ...")
        action.triggered.connect(partial(_export, panel, plot, kind))
        action.setEnabled(kind != "csv" or bool(plot.lines))
    menu.addAction("Copy Picture", lambda: QGuiApplication.clipboard().setPixmap(plot.grab()))
    return menu


def _export(panel: PlotPanel, plot: LivePlot, kind: str, checked: bool = False) -> None:
    """Ask for a file, and write what a plot shows into it."""
    document = panel.document
    folder = document.path.parent if document.path is not None else Path.home()
    name = f"{Path(document.name).stem}_{plot.content.view or plot.content.kind}.{kind}"
    path, _ = QFileDialog.getSaveFileName(
        panel, f"Export {plot.title}", str(folder / name), f"{kind.upper()} (*.{kind})"
    )
    if path:
        panel.export(plot, Path(path))


def _words(curve: Curve) -> str:
    over = f" over {label_of(curve.against)}" if curve.against else ""
    return f"{label_of(curve.name)}{over}"


def _add_options(menu: QMenu, plot: LivePlot) -> None:
    content = plot.content
    switches = {
        "time": (("log", "Logarithmic Values"),),
        "spectrum": (("log", "Logarithmic Amplitude"),),
        "xy": (("equal", "Same Scale on Both Axes"), ("whole", "All of the Run"), ("outlines", "Obstacles")),
        "heat": (),
        "view": (),
    }[content.kind]
    for name, text in switches:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(bool(getattr(content, name)))
        action.toggled.connect(lambda on, name=name: plot.show_content(_switched(plot.content, name, on)))
    if content.kind == "spectrum":
        windows = menu.addMenu("Window")
        group = QActionGroup(windows)
        for window in WINDOWS:
            action = windows.addAction(_WINDOW_NAMES[window])
            action.setActionGroup(group)
            action.setCheckable(True)
            action.setChecked(window == content.window)
            action.triggered.connect(lambda _=False, w=window: plot.show_content(replace(plot.content, window=w)))


def pop_up(menu: QMenu, point: QPoint) -> None:
    """Let something be chosen from a menu at a global position; then it is gone."""
    menu.exec(point)
    menu.deleteLater()


def _switched(content: Content, name: str, on: bool) -> Content:
    return replace(content, **{name: on})  # type: ignore[arg-type]


def _add_curve(menu: QMenu, plot: LivePlot, number: int) -> None:
    last = len(plot.content.curves) - 1
    menu.addAction("Remove", lambda: plot.show_content(plot.content.without(number)))
    earlier = menu.addAction("Move Up", lambda: plot.show_content(plot.content.moved(number, number - 1)))
    earlier.setEnabled(number > 0)
    later = menu.addAction("Move Down", lambda: plot.show_content(plot.content.moved(number, number + 1)))
    later.setEnabled(number < last)


def curve_menu(panel: PlotPanel, plot: LivePlot, entry: int) -> QMenu:
    """The menu of an entry of the legend: of its curve where somebody put the plot together, else that of the plot."""
    colour = plot.chart.picture.legend[entry][0]
    curves = plot.content.curves
    number = next((i for i in range(len(curves)) if distinct_colour(i) == colour), None)
    if number is None or plot.content.kind == "heat":
        return plot_menu(panel, plot)
    menu = QMenu(panel)
    menu.addSection(_words(curves[number]))
    _add_curve(menu, plot, number)
    return menu


def _rename(panel: PlotPanel, plot: LivePlot) -> None:
    title, said = QInputDialog.getText(panel, "Rename Plot", "Title of the plot:", text=plot.content.title)
    if said:
        plot.show_content(replace(plot.content, title=title.strip()))
