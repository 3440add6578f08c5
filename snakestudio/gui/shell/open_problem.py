"""From a finding to what it is about: the camera looks there, or the keyboard stands in the field of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QScrollArea, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.parameters import ParameterPanels

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["open_problem"]


def open_problem(window: MainWindow, problem: Problem) -> None:
    """Show what a finding is about; what of it can be selected is selected already."""
    if problem.obstacles or problem.links:
        window.viewport.frame_selection()
    if not problem.key:
        return
    panels = window.docks["parameters"].widget()
    row = panels.rows.get(problem.key) if isinstance(panels, ParameterPanels) else None
    if row is not None and not row.isHidden():
        _show(window.docks["parameters"], row)
        return
    inspector = window.docks["inspector"].widget()
    found = inspector.reveal(problem.key) if isinstance(inspector, Inspector) else None
    if found is not None:
        _show(window.docks["inspector"], found)


def _show(dock: QDockWidget, row: QWidget) -> None:
    """Bring up a row, unfold what holds it, and let the keyboard write into its field."""
    dock.show()
    dock.raise_()
    above = row.parentWidget()
    while above is not None and above is not dock:
        if isinstance(above, Section) and above.is_folded:
            above.toggle()
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(row, 0, 40)
        above = above.parentWidget()
    (getattr(row, "field", None) or row).setFocus(Qt.FocusReason.OtherFocusReason)
