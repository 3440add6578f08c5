"""Presets: the papers' cases by name, chosen from a box that also says when what holds is none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui import theme
from snakestudio.model.edits import get_value
from snakestudio.model.scene import Scene

__all__ = ["FRICTION_PRESETS", "GAIT_PRESETS", "Preset", "PresetBox"]


@dataclass(frozen=True, slots=True)
class Preset:
    """Scene values that belong together.

    Attributes
    ----------
    name : str
        Paper and case.
    values : mapping of str to float
        By dotted scene key.
    help : str
    """

    name: str
    values: Mapping[str, float]
    help: str


def _gait(amplitude: float, frequency: float, phase_shift: float, offset: float) -> dict[str, float]:
    return {
        "gait.amplitude_deg": amplitude,
        "gait.frequency_deg_s": frequency,
        "gait.phase_shift_deg": phase_shift,
        "gait.offset_deg": offset,
    }


GAIT_PRESETS = (
    Preset("P2 obstacle-aided, Fig. 14", _gait(40, 80, -50, 0), "40°, 80°/s, −50° from joint to joint, no offset"),
    Preset("P1 lateral undulation", _gait(30, 80, -50, 0), "30°, 80°/s, −50° from joint to joint, no offset"),
)
FRICTION_PRESETS = (
    Preset("P2 isotropic", {"ground.mu_along": 0.2, "ground.mu_across": 0.2}, "0.2 in every direction"),
    Preset("P1 orthotropic", {"ground.mu_along": 0.1, "ground.mu_across": 0.5}, "0.1 along and 0.5 across the body"),
)


class PresetBox(QComboBox):
    """A box of presets; the one chosen last gets a mark once a value differs from it.

    Signals
    -------
    chosen(preset: Preset)
        The user picked one.
    """

    chosen = Signal(object)

    def __init__(self, presets: tuple[Preset, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presets = presets
        self.present: Preset | None = None
        self.changed = False
        for index, preset in enumerate(presets):
            self.addItem(preset.name)
            self.setItemData(index, preset.help, 3)  # Qt.ToolTipRole
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(7)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Values of the papers' cases")
        self.activated.connect(lambda index: self.chosen.emit(self._presets[index]))

    def refresh(self, scene: Scene) -> None:
        """Show which preset the scene follows."""
        match = next((preset for preset in self._presets if _holds(preset, scene)), None)
        self.changed = match is None
        if match is not None:
            self.present = match
        if self.present is None:
            self.setCurrentIndex(-1)
            self.setPlaceholderText("own values")
            return
        index = self._presets.index(self.present)
        self.setCurrentIndex(index)
        for i, preset in enumerate(self._presets):
            text = f"• {preset.name}" if self.changed and i == index else preset.name
            if self.itemText(i) != text:
                self.setItemText(i, text)
        palette = theme.current()
        self.setStyleSheet(f"QComboBox {{ color: {palette.accent if self.changed else palette.text} }}")
        self.setToolTip(f"Changed from {self.present.name}: {self.present.help}" if self.changed else self.present.help)

    def forget(self) -> None:
        """Another scene was opened: what was chosen before says nothing about it."""
        self.present = None
        for i, preset in enumerate(self._presets):
            self.setItemText(i, preset.name)


def _holds(preset: Preset, scene: Scene) -> bool:
    try:
        return all(get_value(scene, key) == value for key, value in preset.values.items())
    except SceneError:
        return False
