"""The menu by which plots of one kind of question are put into a panel, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from snakestudio.gui.forms.name_dialog import NameDialog
from snakestudio.gui.plots.content import Content
from snakestudio.gui.plots.plot_types import VIEWS
from snakestudio.gui.plots.sets import PRESETS, PlotSets, Preset
from snakestudio.model.recording import Schema

if TYPE_CHECKING:
    from snakestudio.gui.plots.panel import PlotPanel

__all__ = ["SetsMenu", "show_preset"]


def _of(preset: Preset, panel: PlotPanel, schema: Schema) -> list[Content]:
    """What of a preset the run has."""
    known = panel.library.of(schema)
    return [
        content
        for content in preset.contents(schema)
        if (VIEWS[content.view].suits(schema) if content.kind == "view" else set(content.names) & known.keys())
    ]


def show_preset(panel: PlotPanel, name: str) -> None:
    """Show an arrangement that comes along; a sentence where the run has nothing of it."""
    preset = next(each for each in PRESETS if each.name == name)
    recording = panel.history.recording
    if recording is None:
        panel.refused.emit("There is no run yet: start one, then choose what you want to see.")
        return
    panel.library.add(preset.derived)
    contents = _of(preset, panel, recording.schema)
    if contents:
        panel.show_gradually(contents)
    else:
        panel.refused.emit(f"{name}: this run has nothing of it; choose another arrangement.")


class SetsMenu(QObject):
    """Fills the menu of a panel's bar whenever it opens.

    Parameters
    ----------
    panel : PlotPanel
    sets : PlotSets
    """

    def __init__(self, panel: PlotPanel, sets: PlotSets) -> None:
        super().__init__(panel)
        self._panel, self._sets = panel, sets
        panel.bar.sets_menu.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        panel, sets, menu = self._panel, self._sets, self._panel.bar.sets_menu
        menu.clear()
        self._add("What Suits the Scene", panel.show_scene)
        menu.addSeparator()
        for preset in PRESETS:
            self._add(preset.name, lambda name=preset.name: show_preset(panel, name)).setToolTip(preset.tip)
        if sets.names:
            menu.addSeparator()
            for name in sets.names:
                self._add(name.replace("&", "&&"), lambda name=name: panel.show_gradually(sets.load(name)))
        menu.addSeparator()
        self._add("Save Plots As ...", self.save)
        delete = menu.addMenu("Delete Saved Plots")
        delete.setEnabled(bool(sets.names))
        for name in sets.names:
            delete.addAction(name.replace("&", "&&")).triggered.connect(lambda _=False, name=name: sets.delete(name))

    def _add(self, text: str, run: object) -> QAction:
        action = self._panel.bar.sets_menu.addAction(text)
        assert callable(run)
        action.triggered.connect(lambda _=False: run())
        return action

    def save(self) -> None:
        """Ask for a name, and keep the plots of the panel under it."""
        dialog = NameDialog(
            self._sets.names, self._sets.refusal, self._panel, of="plots",
            kept="Keeps what every plot of this panel shows, with the derived channels among it.",
        )  # fmt: skip
        if dialog.exec():
            self._sets.save(dialog.name, self._panel.contents)
        dialog.deleteLater()
