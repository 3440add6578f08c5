"""Formulas of the ground: factors of its friction and of the load on it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.formula_editor import FormulaHelp
from snakestudio.gui.scene.value_rows import formula_row, sentence_about
from snakestudio.kinds.reads import left_out
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground

GROUND_FORMULAS = ("ground.friction_factor", "ground.load_factor")

_NAMES = (
    ("t", "time, s"),
    ("x, y", "position on the ground, m (friction factor)"),
    ("X", "distance from the head along the body, m (load factor)"),
    ("pi", "3.14159…"),
)


def _problem(scene: Scene, key: str) -> str:
    """Return the problem with the ground formula at `key` of a scene, as a sentence; "" if it is valid."""
    from snakestudio.model.ground_friction import ground_friction_problems

    return sentence_about(ground_friction_problems(scene), key)


class GroundFormulas(QWidget):
    """Rows for the formulas of the ground, and the variables of the formulas."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = {
            key: formula_row(document, key, field_doc(Ground, key.rpartition(".")[2]), _problem)
            for key in GROUND_FORMULAS
        }
        self.help_button = FormulaHelp(_NAMES)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for row in self.rows.values():
            column.addWidget(row)
        column.addWidget(self.help_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.refresh(document.scene)

    def refresh(self, scene: Scene) -> None:
        """Show the formulas of a scene, and which of them have no effect in it."""
        for key, row in self.rows.items():
            row.setVisible(not left_out(scene, key))
            row.refresh()
        self.help_button.setVisible(not all(row.isHidden() for row in self.rows.values()))

    def show_problems(self, problems: Collection[Problem]) -> None:
        """Show the problems that a check of the scene found in each formula."""
        for key, row in self.rows.items():
            row.show_report(sentence_about(problems, key))

    def restore(self) -> None:
        """Discard what was typed."""
        for row in self.rows.values():
            row.restore()
