"""What the parameter panels show for a continuous body in place of gait, controller and joints."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.form import ChoiceRow
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.strain_panel import StrainPanel
from snakestudio.gui.scene.support_panel import SupportPanel
from snakestudio.model.robot.beam import TIP
from snakestudio.model.scene import Scene

__all__ = ["ContinuumPanel"]

_BODY = ("beam.length_m", "beam.radius_m", "beam.density_kg_m3", "beam.sections", *(f"beam.{name}" for name in TIP))


class ContinuumPanel(QWidget):
    """Strain law, contacts and body.

    Parameters
    ----------
    document : Document

    Signals
    -------
    rebuilt()
        Law or contacts are of another kind now, and `rows` are others.
    """

    rebuilt = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.strain, self.support = StrainPanel(document), SupportPanel(document)
        body = Section("Continuum body")
        self.group = ChoiceRow(document, ["beam.group"])
        body.add(self.group)
        self._body = {key: ParameterRow(document, key) for key in _BODY}
        for row in self._body.values():
            body.add(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        for section in (self.strain, self.support, body):
            column.addWidget(section)
        self.strain.rebuilt.connect(self.rebuilt)
        self.support.rebuilt.connect(self.rebuilt)

    @property
    def rows(self) -> dict[str, ParameterRow]:
        """All rows by dotted scene key."""
        return {**self.strain.rows, **self.support.rows, **self._body}

    def refresh(self, scene: Scene) -> None:
        """Show what the scene says now."""
        self.strain.refresh(scene)
        self.support.refresh(scene)
        self.group.refresh()
        case = self.strain.presets.present
        for key, row in self._body.items():
            row.set_default(case.values[key] if case is not None and key in case.values else row.doc.default)
            row.refresh()

    def show_pending(self, pending: Collection[str], problems: Collection[Problem]) -> None:
        """Say what waits for the next reset, and what is wrong at the formulas."""
        self.strain.show_pending(pending)
        self.support.show_pending(pending)
        self.group.set_pending(pending)
        self.strain.show_findings(problems)
        self.support.show_findings(problems)

    def forget(self) -> None:
        """Another scene was opened."""
        self.strain.forget()
        self.support.forget()
        for row in self._body.values():
            row.field.restore()
