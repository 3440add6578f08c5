"""The section of what a real robot does beside the model: free play, weak and slow motors, late and rare set-points."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton

from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.presets import AIKO, IDEAL, Preset
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.scene import Scene

__all__ = ["RealRobotSection"]

_KEYS = (
    "actuator.free_play_deg",
    "actuator.max_torque_nm",
    "actuator.time_constant_s",
    "robot.axis_offset_m",
    "ground.stribeck_rise",
    "ground.stribeck_velocity_m_s",
    "control.set_point_period_s",
    "control.start_delay_s",
)


class RealRobotSection(Section):
    """Folded away while everything is ideal; one click makes the robot of the papers of it, and one takes that back.

    Signals
    -------
    chosen(preset: Preset)
        The user picked one.
    """

    chosen = Signal(object)

    def __init__(self, document: Document) -> None:
        super().__init__("Real robot")
        self.buttons: dict[str, QToolButton] = {}
        line = QHBoxLayout()
        line.setSpacing(8)
        for preset in (IDEAL, AIKO):
            button = QToolButton()
            button.setText(preset.name)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setCheckable(True)
            button.setToolTip(f"<qt>{preset.help}.<br><i>{preset.source}</i></qt>")
            button.clicked.connect(lambda _=False, chosen=preset: self.chosen.emit(chosen))
            self.buttons[preset.name] = button
            line.addWidget(button, 1)
        self.body.addLayout(line)
        self.message = Message()
        self.add(self.message)
        self.rows = {key: ParameterRow(document, key) for key in _KEYS}
        for row in self.rows.values():
            self.add(row)
        self._on_opened(document)
        document.opened.connect(lambda: self._on_opened(document))

    def _on_opened(self, document: Document) -> None:
        """Open where there is something to see, folded where all is ideal."""
        if self.is_folded != IDEAL.holds(document.scene):
            self.toggle()

    def refresh(self, scene: Scene) -> None:
        """Show what the scene says now."""
        present: Preset | None = None
        for preset in (IDEAL, AIKO):
            holds = preset.holds(scene)
            self.buttons[preset.name].setChecked(holds)
            present = preset if holds else present
        for key, row in self.rows.items():
            if present is not None and key in present.values:
                row.set_default(present.values[key])
            row.set_unused(unused_reason(scene, key))
