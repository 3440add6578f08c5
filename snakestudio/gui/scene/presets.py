"""Presets: groups of values, chosen from a box that also shows when the scene matches none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.list_search import ListSearch
from snakestudio.model.edits import get_value, tree, with_values
from snakestudio.model.robot.robot import Actuator
from snakestudio.model.scene import Scene
from snakestudio.model.shared_values import DRIVE_TRAIN
from snakestudio.viewmodel.papers import cited


@dataclass(frozen=True, slots=True)
class ScenePreset:
    """Group of scene values."""

    name: str
    """Name of the preset."""

    values: Mapping[str, Any]
    """Values by dotted scene key; a value can be a whole part of the scene."""

    help: str
    """Description in a sentence."""

    source: str = ""
    """Source paper."""

    also: str = ""
    """Further words by which it is found."""

    def found_by(self, query: str) -> bool:
        """Return whether its texts contain all words of a query."""
        text = f"{self.name} {self.help} {cited(self.source)} {self.also}".casefold()
        return all(term in text for term in query.casefold().split())

    def holds(self, scene: Scene) -> bool:
        """Return whether the scene has exactly these values."""
        try:
            return all(get_value(scene, key) == value for key, value in self.values.items())
        except SceneError:
            return False

    def holds_in_part(self, scene: Scene) -> bool:
        """Whether a whole part of the scene, such as the gait, equals the preset's, regardless of other values."""
        parts = [key for key, value in self.values.items() if isinstance(value, BaseModel)]
        return any(get_value(scene, key) == self.values[key] for key in parts)

    def applied(self, scene: Scene) -> Scene:
        """Return the scene with these values.

        Raises `SceneError` if they contradict other values of the scene.
        """
        return with_values(scene, {key: tree(value) for key, value in self.values.items()})

    def value(self, key: str) -> Any:
        """Return the value at a dotted key, also inside a part that the preset sets.

        Raises `KeyError` if the preset does not set it.
        """
        if key in self.values:
            return self.values[key]
        owner, _, name = key.rpartition(".")
        part = self.values[owner]
        if not isinstance(part, BaseModel) or name not in type(part).model_fields:
            raise KeyError(key)
        return getattr(part, name)


def _suits(preset: ScenePreset, scene: Scene) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class PresetLibrary:
    """Presets that a section offers."""

    presets: Sequence[ScenePreset]

    name: str
    """Accessible name of the box."""

    one: str
    """Noun for one of them: "gait"."""

    source: str
    """Noun for their collection: "library"."""

    unsuitable: Callable[[ScenePreset, Scene], str] = _suits
    """Returns why a preset does not suit a scene, as a sentence; "" if it does."""


FRICTION_PRESETS = (
    ScenePreset(
        "Isotropic", {"ground.mu_along": 0.2, "ground.mu_across": 0.2}, "0.2 in every direction"
    ),
    ScenePreset(
        "Orthotropic",
        {"ground.mu_along": 0.1, "ground.mu_across": 0.5},
        "0.1 along and 0.5 across the body",
    ),
)

IDEAL = ScenePreset(
    "Ideal",
    {
        "actuator.free_play_deg": 0.0,
        "actuator.max_torque_nm": None,
        "actuator.time_constant_s": 0.0,
        **{f"actuator.{name}": getattr(Actuator(), name) for name in DRIVE_TRAIN},
        "robot.axis_offset_m": 0.0,
        "ground.stribeck_rise": 0.0,
        "control.set_point_period_s": 0.0,
        "control.start_delay_s": 0.0,
    },
    "Motors and set-points of the papers' models: strong, exact and without delay",
    "P1, P2",
)

AIKO = ScenePreset(
    "As Aiko",
    {
        "actuator.free_play_deg": 4.0,
        # 6 W at 65 % efficiency, at the fastest joint rate of P2's gait: 40 deg x 80 deg/s
        # = 0.975 rad/s.
        "actuator.max_torque_nm": 4.0,
        "actuator.time_constant_s": 0.002,
        "robot.axis_offset_m": 0.022,
        "ground.stribeck_rise": 0.2,
        "control.set_point_period_s": 0.1,
        "control.start_delay_s": 0.1,
    },
    "Differences of the real robot named in P1: 4° of backlash, motors that lag by 2 ms and saturate at "
    "4 N m (6 W at 65 % and 0.975 rad/s, the fastest joint rate of 40° at 80°/s), axes 22 mm apart, "
    "static friction 20 % higher, set-points at 10 Hz, 0.1 s late",
    "P1, VIII-F",
)


_ROWS = 20
"""Largest number of visible entries; longer lists have a search field."""


class PresetBox(ChoiceBox):
    """Box of presets; the one chosen last is marked once a value differs from it.

    Parameters
    ----------
    unsuitable : callable
        Returns why a preset does not suit a scene, as a sentence; "" if it does. Suitable ones come first
        once the box has the focus or is open: presets with formulas take a while to check.

    Signals
    -------
    chosen(preset: Preset)
        The user chose a preset.
    """

    chosen = Signal(object)

    def __init__(
        self,
        presets: Sequence[ScenePreset],
        unsuitable: Callable[[ScenePreset, Scene], str] = _suits,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._offered = self._presets = tuple(presets)
        self._unsuitable = unsuitable
        self._palette = theme.current()
        self.preset: ScenePreset | None = None
        self.changed = False
        self._scene: Scene | None = None
        self.reasons: dict[str, str] = {}
        """Reasons why presets do not suit the scene, by name, as sentences."""
        self._fill()
        self.setMaxVisibleItems(min(max(10, len(self._presets)), _ROWS))
        self.search: ListSearch | None = None
        """Search field above the list; None if the list is short."""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(7)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Parameter sets of the papers")
        self.activated.connect(lambda index: self.chosen.emit(self._presets[index]))

    def _fill(self) -> None:
        """List all presets; those that do not suit the scene are dim, with the reason."""
        self.clear()
        for index, preset in enumerate(self._presets):
            self.addItem(preset.name)
            reason = self.reasons.get(preset.name, "")
            notes = "".join(
                f"<br>{note}"
                for note in (reason, preset.source and f"<i>{cited(preset.source)}</i>")
                if note
            )
            self.setItemData(index, f"<qt>{preset.help}{notes}</qt>", Qt.ItemDataRole.ToolTipRole)
        self._colour_entries()

    def _colour_entries(self) -> None:
        """Set the colours of the entries, which otherwise have that of the box, which marks a modified preset."""
        for index, preset in enumerate(self._presets):
            colour = theme.colour("dim" if self.reasons.get(preset.name) else "text")
            self.setItemData(index, colour, Qt.ItemDataRole.ForegroundRole)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.count() == len(self._presets):
            self._colour_entries()

    def offer(self, presets: Sequence[ScenePreset]) -> None:
        """Offer other presets."""
        self._offered = self._presets = tuple(presets)
        self.preset = None
        self.reasons = {}
        self._fill()

    def showPopup(self) -> None:
        self._sort()
        theme.set_role(self, "")  # the style draws the list in the colour of the box
        if self.search is None and len(self._presets) > _ROWS:
            self.search = ListSearch(self, self._is_found)
        super().showPopup()
        if self.search is not None:
            self.search.begin()

    def _is_found(self, index: int, query: str) -> bool:
        return self._presets[index].found_by(query)

    def hidePopup(self) -> None:
        super().hidePopup()
        theme.set_role(self, "changed" if self.changed else "")

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._sort()
        super().focusInEvent(event)

    def reason(self, preset: ScenePreset) -> str:
        """Return the reason why a preset does not suit the shown scene, as a sentence; "" if it does."""
        return "" if self._scene is None else self._unsuitable(preset, self._scene)

    def _sort(self) -> None:
        """Put the presets that suit the scene first."""
        scene = self._scene
        if scene is None:
            return
        reasons = {preset.name: why for preset in self._presets if (why := self.reason(preset))}
        if reasons != self.reasons or theme.current() is not self._palette:
            self.reasons, self._palette = reasons, theme.current()
            order = {preset.name: index for index, preset in enumerate(self._offered)}
            self._presets = tuple(
                sorted(self._offered, key=lambda p: (p.name in reasons, order[p.name]))
            )
            self._fill()
            self._mark(scene)

    def refresh(self, scene: Scene) -> None:
        """Show which preset the scene matches."""
        self._scene = scene
        if self.hasFocus() or self.view().isVisible():
            self._sort()
        self._mark(scene)

    def _mark(self, scene: Scene) -> None:
        """Select and mark the preset that the scene matches."""
        match = next((preset for preset in self._presets if preset.holds(scene)), None)
        self.changed = match is None
        if match is not None:
            self.preset = match
        elif self.preset is None:
            self.preset = next(
                (preset for preset in self._presets if preset.holds_in_part(scene)), None
            )
        if self.preset is None:
            self.setCurrentIndex(-1)
            self.setPlaceholderText("Custom")
            return
        index = self._presets.index(self.preset)
        self.setCurrentIndex(index)
        for i, preset in enumerate(self._presets):
            text = f"• {preset.name}" if self.changed and i == index else preset.name
            if self.itemText(i) != text:
                self.setItemText(i, text)
        theme.set_role(self, "changed" if self.changed else "")
        self.setToolTip(
            f"Modified from {self.preset.name}: {self.preset.help}"
            if self.changed
            else self.preset.help
        )

    def reset(self) -> None:
        """Reset for another scene."""
        self.preset = None
        for i, preset in enumerate(self._presets):
            self.setItemText(i, preset.name)
