"""The panel at the right of the viewport: gait, contact and friction, controller, model and solver."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.docks.body_shape import BodyShape
from snakestudio.gui.docks.presets import FRICTION_PRESETS, GAIT_PRESETS, Preset, PresetBox
from snakestudio.gui.document import Document
from snakestudio.gui.throttle import Throttle
from snakestudio.gui.widgets.parameter_row import ParameterRow
from snakestudio.gui.widgets.sections import Section, scrolled
from snakestudio.gui.widgets.themed import Themed
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.scene import Scene

__all__ = ["ParameterPanels"]

_GAIT = ("gait.amplitude_deg", "gait.frequency_deg_s", "gait.phase_shift_deg", "gait.offset_deg")
_CONTACT = ("ground.mu_along", "ground.mu_across", "ground.slope_deg", "ground.downhill_deg", "ground.gravity_m_s2")
_CONTROLLER = ("joint_controller.kp_nm_per_rad", "joint_controller.kd_nms_per_rad")
_SOLVER = (
    "solver.step_s",
    "solver.tolerance",
    "solver.max_iterations",
    "control.period_s",
    "run.log_rate_hz",
    "run.duration_s",
)
_MODELS = {"planar_nonsmooth": "planar non-smooth (P2)"}


class ParameterPanels(Themed):
    """Every parameter one changes while watching, as sliders and typed numbers.

    Parameters
    ----------
    document : Document
    bridge : SessionBridge
    """

    def __init__(self, document: Document, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._bridge = document, bridge
        self.rows: dict[str, ParameterRow] = {}
        content = QWidget()
        self._layout = QVBoxLayout(content)
        self._layout.setContentsMargins(16, 8, 16, 16)
        self._layout.setSpacing(16)

        self.gait_presets = PresetBox(GAIT_PRESETS)
        self.gait_presets.setAccessibleName("Gait preset")
        self.gait_presets.chosen.connect(self._choose)
        gait = self._section("Gait", _GAIT)
        gait.body.insertWidget(0, self.gait_presets)
        self.shape = BodyShape()
        gait.add(self.shape)

        self.friction_presets = PresetBox(FRICTION_PRESETS)
        self.friction_presets.setAccessibleName("Friction preset")
        self.friction_presets.chosen.connect(self._choose)
        contact = self._section("Contact and friction", _CONTACT)
        contact.body.insertWidget(0, self.friction_presets)
        self._section("Controller", _CONTROLLER)

        solver = self._section("Model and solver", ())
        self._model = QLabel()
        self._model.setProperty("role", "value")
        self._model.setToolTip("Formulation of the dynamics: model.kind")
        line = QHBoxLayout()
        line.addWidget(QLabel("Model"), 1)
        line.addWidget(self._model, 0, Qt.AlignmentFlag.AlignRight)
        solver.body.addLayout(line)
        for key in _SOLVER:
            solver.add(self._row(key, slider=False))
        self._layout.addStretch(1)

        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))
        self.setMinimumWidth(312)

        self._shape_pace = Throttle(90, self._draw_shape, self)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        bridge.frame.connect(self._shape_pace.ask)
        bridge.status_changed.connect(lambda _: self._show_pending())
        self._on_scene(None, document.scene)
        self._show_pending()

    def _section(self, title: str, keys: tuple[str, ...]) -> Section:
        section = Section(title)
        for key in keys:
            section.add(self._row(key))
        self._layout.addWidget(section)
        return section

    def _row(self, key: str, *, slider: bool = True) -> ParameterRow:
        row = ParameterRow(self._document, key, slider=slider)
        self.rows[key] = row
        return row

    def _choose(self, preset: Preset) -> None:
        try:
            self._document.edit(with_values(self._document.scene, dict(preset.values)), f"Preset {preset.name}")
        except SnakeStudioError as error:
            next(iter(self.rows[key] for key in preset.values)).message.say(str(error))
        # Choosing the preset that is shown changes no scene but must still show it as it is.
        self._on_scene(None, self._document.scene)

    def _on_opened(self) -> None:
        self.gait_presets.forget()
        self.friction_presets.forget()
        for row in self.rows.values():
            row.field.restore()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        self.gait_presets.refresh(after)
        self.friction_presets.refresh(after)
        for box in (self.gait_presets, self.friction_presets):
            if box.present is not None:
                for key, value in box.present.values.items():
                    self.rows[key].set_default(value)
        for key, row in self.rows.items():
            if before is None or get_value(before, key) != get_value(after, key):
                row.refresh()
        self._model.setText(_MODELS.get(after.model.kind, after.model.kind.replace("_", " ")))
        self._shape_pace.ask()

    def _show_pending(self) -> None:
        pending = set(self._bridge.status.pending)
        for key, row in self.rows.items():
            row.set_pending(key in pending)

    def _draw_shape(self) -> None:
        if self.isVisible():
            self.shape.show_state(self._document.scene, self._bridge.displayed)

    def renew_theme(self) -> None:
        self.gait_presets.refresh(self._document.scene)
        self.friction_presets.refresh(self._document.scene)
        self.shape.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw_shape()
