"""Small buttons that narrow the gallery down to one paper and one model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from snakestudio.viewmodel.formulations import MODELS
from snakestudio.viewmodel.gallery import entries

__all__ = ["Chips"]


class Chips(QWidget):
    """One row: papers, then models; of each at most one is on.

    Signals
    -------
    changed()
        Another one is on, or none.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        papers = sorted({paper for entry in entries() for paper in entry.papers})
        used = {entry.model for entry in entries()}
        self.papers = self._group("Paper", papers, "Scenes of paper {}")
        row.addSpacing(18)
        models = [info.short for info in MODELS.values() if info.short in used]
        self.models = self._group("Model", models, "Scenes that run in the {} model")
        row.addStretch(1)

    def _group(self, caption: str, names: Sequence[str], tip: str) -> dict[str, QToolButton]:
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        label = QLabel(caption, self)
        label.setProperty("role", "dim")
        row.addWidget(label)
        buttons: dict[str, QToolButton] = {}
        for name in names:
            button = QToolButton(self)
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("role", "chip")
            button.setToolTip(tip.format(name))
            row.addWidget(button)
            buttons[name] = button
        for button in buttons.values():
            button.clicked.connect(lambda on, chosen=button: self._choose(buttons, chosen, on))
        return buttons

    def _choose(self, group: dict[str, QToolButton], chosen: QToolButton, on: bool) -> None:
        for button in group.values():
            button.setChecked(on and button is chosen)
        self.changed.emit()

    @property
    def paper(self) -> str:
        """The paper that is wanted, "" for any."""
        return _on(self.papers)

    @property
    def model(self) -> str:
        """The model that is wanted, by its short name, "" for any."""
        return _on(self.models)


def _on(group: dict[str, QToolButton]) -> str:
    return next((name for name, button in group.items() if button.isChecked()), "")
