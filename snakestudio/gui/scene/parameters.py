"""The panel at the right of the viewport: gait, controller, friction, joints, real robot, model and solver.

A continuous body has strain law, contacts and body instead of the joints.
"""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.form import ChoiceRow
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section, scrolled
from snakestudio.gui.scene.controller_panel import ControllerPanel
from snakestudio.gui.scene.gait_panel import GaitPanel
from snakestudio.gui.scene.ground_formulas import GroundFormulas
from snakestudio.gui.scene.kind_section import KindRows
from snakestudio.gui.scene.model_box import ModelBox
from snakestudio.gui.scene.presets import AIKO, FRICTION_PRESETS, IDEAL, PresetBox, ScenePreset
from snakestudio.gui.scene.strain_panel import StrainPanel
from snakestudio.gui.scene.support_panel import SupportPanel
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import belongs_elsewhere, unused_reason
from snakestudio.model.edits import get_value, only_obstacles
from snakestudio.model.robot.beam import TIP
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.message_labels import refusal

_REAL = (
    "actuator.free_play_deg",
    "actuator.max_torque_nm",
    "actuator.max_speed_deg_s",
    "actuator.time_constant_s",
    "robot.axis_offset_m",
    "ground.stribeck_rise",
    "ground.stribeck_velocity_m_s",
    "control.set_point_period_s",
    "control.start_delay_s",
)


class RealRobotSection(Section):
    """Folded while everything is ideal; one click applies the real robot of the papers, another removes it.

    Signals
    -------
    chosen(preset: Preset)
        The user chose a preset.
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
            button.setToolTip(f"<qt>{preset.help}.<br><i>{cited(preset.source)}</i></qt>")
            button.clicked.connect(lambda _=False, chosen=preset: self.chosen.emit(chosen))
            self.buttons[preset.name] = button
            line.addWidget(button, 1)
        self.body.addLayout(line)
        self.message = Message()
        self.add(self.message)
        self.rows = {key: ParameterRow(document, key) for key in _REAL}
        for row in self.rows.values():
            self.add(row)
        self._document = document
        self._on_opened()
        document.opened.connect(self._on_opened)

    def _on_opened(self) -> None:
        """Unfold if any value is not ideal, fold otherwise."""
        if self.is_folded != IDEAL.holds(self._document.scene):
            self.toggle()

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        present: ScenePreset | None = None
        for preset in (IDEAL, AIKO):
            holds = preset.holds(scene)
            self.buttons[preset.name].setChecked(holds)
            present = preset if holds else present
        for key, row in self.rows.items():
            if present is not None and key in present.values:
                row.set_default(present.values[key])
            row.set_unused(unused_reason(scene, key))


_CONTACT = (
    "ground.mu_along",
    "ground.mu_backward",
    "ground.mu_across",
    "ground.viscous_along_ns_per_m",
    "ground.viscous_across_ns_per_m",
    "ground.coulomb_smoothing_m_s",
    "ground.coulomb_smoothing_rad_s",
    "ground.obstacle_damping_ns_per_m",
    "ground.mu_rolling",
    "ground.slope_deg",
    "ground.downhill_deg",
    "ground.gravity_m_s2",
)
_JOINTS = (
    "joint_controller.kp_nm_per_rad",
    "joint_controller.kd_nms_per_rad",
    "joint_controller.kp_pitch_nm_per_rad",
    "joint_controller.kd_pitch_nms_per_rad",
    "joint_controller.linearization_kp_per_s2",
    "joint_controller.linearization_kd_per_s",
)
_PITCH_GAINS = _JOINTS[2:4]
_SOLVER = (
    "solver.step_s",
    "solver.tolerance",
    "solver.max_iterations",
    "solver.error_tolerance",
    "control.period_s",
    "run.log_rate_hz",
    "run.duration_s",
)
_BODY = (
    "beam.length_m",
    "beam.radius_m",
    "beam.density_kg_m3",
    "beam.sections",
    *(f"beam.{name}" for name in TIP),
)


class ParameterPanels(ThemedWidget):
    """All parameters that are edited while watching a run, as sliders and numbers."""

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session_controller = session_controller
        self._rows: dict[str, ParameterRow] = {}
        self.continuum: ContinuumPanel | None = None
        """Created when the first scene with a continuous body is shown."""
        content = QWidget()
        self._layout = QVBoxLayout(content)
        self._layout.setContentsMargins(16, 8, 16, 16)
        self._layout.setSpacing(16)

        self.gait = GaitPanel(document)
        self.gait.rebuilt.connect(self._show_pending)
        self._layout.addWidget(self.gait)

        self.controller = ControllerPanel(document)
        self.controller.rebuilt.connect(self._show_pending)
        self._layout.addWidget(self.controller)

        self.friction_presets = PresetBox(FRICTION_PRESETS)
        self.friction_presets.setAccessibleName("Friction preset")
        self.friction_presets.chosen.connect(self._choose)
        self._contact = contact = self._section("Contact and friction", _CONTACT)
        contact.body.insertWidget(0, self.friction_presets)
        self.coulomb_law = ChoiceRow(document, ["ground.coulomb_law"])
        contact.body.insertWidget(
            contact.body.indexOf(self._rows["ground.coulomb_smoothing_m_s"]) + 1, self.coulomb_law
        )
        self.friction_law = ChoiceRow(document, ["ground.law"])
        contact.body.insertWidget(
            contact.body.indexOf(self._rows["ground.mu_along"]), self.friction_law
        )
        self.ground_formulas = GroundFormulas(document)
        contact.body.insertWidget(
            contact.body.indexOf(self._rows["ground.viscous_along_ns_per_m"]), self.ground_formulas
        )
        self._rows["ground.mu_backward"].field.set_absent_text("same")
        self._joint_section = joints = self._section("Joint controller", _JOINTS)
        self.law = ChoiceRow(document, ["joint_controller.law"])
        joints.body.insertWidget(0, self.law)
        for key in _PITCH_GAINS:
            self._rows[key].field.setPlaceholderText("as yaw")

        self.real_robot = RealRobotSection(document)
        self.real_robot.chosen.connect(self._choose)
        self._layout.addWidget(self.real_robot)

        solver = self._section("Model and solver", ())
        self.model = ModelBox(document)
        self._model_help = QLabel()
        self._model_help.setProperty("role", "dim")
        self._model_help.setWordWrap(True)
        self.model_message = Message()
        self.model_values = KindRows(document, self._fill_model)
        for widget in (self.model, self._model_help, self.model_message, self.model_values):
            solver.add(widget)
        for key in _SOLVER:
            solver.add(self._row(key, slider=False))
        self.joints = ChoiceRow(document, ["solver.joints"])
        solver.add(self.joints)
        self._layout.addStretch(1)

        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

        self._shape_throttle = Throttle(90, self._draw_shape, self)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        document.kinds_changed.connect(self._on_kinds)
        session_controller.frame.connect(self._shape_throttle.ask)
        session_controller.status_changed.connect(self._show_pending)
        self._on_scene(None, document.scene)
        self._show_pending()

    @property
    def rows(self) -> dict[str, ParameterRow]:
        """All rows by dotted scene key."""
        return {
            **self.gait.rows,
            **self.controller.rows,
            "control.soft_start_deg": self.gait.soft_start,
            **self._rows,
            **self.model_values.rows,
            **self.real_robot.rows,
            **({} if self._shown_continuum is None else self._shown_continuum.rows),
        }

    @property
    def _shown_continuum(self) -> ContinuumPanel | None:
        return None if self.continuum is None or self.continuum.isHidden() else self.continuum

    def _section(self, title: str, keys: tuple[str, ...]) -> Section:
        section = Section(title)
        for key in keys:
            section.add(self._row(key))
        self._layout.addWidget(section)
        return section

    def _row(self, key: str, *, slider: bool = True) -> ParameterRow:
        row = ParameterRow(self._document, key, slider=slider)
        self._rows[key] = row
        return row

    def _fill_model(self, scene: Scene) -> None:
        self.model_values.add_all("model", scene)

    def _choose(self, preset: ScenePreset) -> None:
        try:
            self._document.edit(preset.applied(self._document.scene), f"Preset {preset.name}")
        except SnakeStudioError as error:
            next(row for key, row in self.rows.items() if key in preset.values).message.show_text(
                refusal(error, self._document.scene)
            )
        # Choosing the current preset does not change the scene, but its values must be shown again.
        self._on_scene(None, self._document.scene)

    def _on_opened(self) -> None:
        self.gait.reset()
        self.friction_presets.reset()
        self.ground_formulas.restore()
        if self.continuum is not None:
            self.continuum.reset()
        for row in self.rows.values():
            row.field.restore()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if before is not None and only_obstacles(before, after):
            return
        self._show_sort(after)
        self.gait.refresh(after)
        self.controller.refresh(after)
        self.real_robot.refresh(after)
        self.ground_formulas.refresh(after)
        self.friction_presets.refresh(after)
        friction = self.friction_presets.preset
        if friction is not None:
            for key, value in friction.values.items():
                self._rows[key].set_default(value)
        elsewhere = {} if self._shown_continuum is None else self._shown_continuum.rows
        own = {"control.soft_start_deg": self.gait.soft_start, **self._rows, **self.real_robot.rows}
        for key, row in own.items():
            row.set_unused(unused_reason(after, key))
            gait_only = row is self.gait.soft_start
            applies = not belongs_elsewhere(after, key) and key not in elsewhere
            row.setVisible(applies and (after.controller.uses_gait or not gait_only))
            if before is None or get_value(before, key) != get_value(after, key):
                row.refresh()
        if self.model_values.rebuild(after, after.model.kind) and before is not None:
            self._show_pending()
        self.model_values.refresh(after)
        self._model_help.setText(FORMULATIONS[after.model.kind].help)
        for choice, key in (
            (self.joints, "solver.joints"),
            (self.law, "joint_controller.law"),
            (self.coulomb_law, "ground.coulomb_law"),
            (self.friction_law, "ground.law"),
        ):
            choice.setVisible(not unused_reason(after, key))
            choice.refresh()
        self._shape_throttle.ask()

    def _show_sort(self, scene: Scene) -> None:
        """Show the sections for a body with a strain law, or with joints."""
        strained = scene.body.strained
        if strained and self.continuum is None:
            self.continuum = ContinuumPanel(self._document)
            self.continuum.rebuilt.connect(self._show_pending)
            self._layout.insertWidget(0, self.continuum)
        if self.continuum is not None:
            self.continuum.setVisible(strained)
            if strained:
                self.continuum.refresh(scene)
        for section in (
            self.gait,
            self.controller,
            self._joint_section,
            self.real_robot,
            self.friction_presets,
        ):
            section.setVisible(scene.body.jointed)
        self._contact.set_title("Ground" if strained else "Contact and friction")

    def _show_pending(self) -> None:
        pending = set(self._session_controller.status.pending)
        for key, row in self.rows.items():
            row.set_pending(key in pending)
        self.controller.show_pending(pending)
        self.model_values.show_pending(pending)
        self.gait.show_pending(pending, self._session_controller.status.problems)
        self.ground_formulas.show_problems(self._session_controller.status.problems)
        if self._shown_continuum is not None:
            self._shown_continuum.show_pending(pending, self._session_controller.status.problems)
        self.model_message.show_text(
            "Takes effect at the next reset." if "model" in pending else ""
        )

    def _on_kinds(self) -> None:
        self.model_values.reset()
        self._on_scene(None, self._document.scene)
        self._show_pending()

    def _draw_shape(self) -> None:
        snapshot = self._session_controller.displayed
        if not self.isVisible():
            return
        if self._shown_continuum is not None:
            self._shown_continuum.strain.show_time(0.0 if snapshot is None else snapshot.time)
        else:
            self.gait.shape.show_state(self._document.scene, self._session_controller.displayed)

    def apply_theme(self) -> None:
        self.friction_presets.refresh(self._document.scene)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw_shape()


class ContinuumPanel(QWidget):
    """Strain law, contacts and body of a continuous body.

    Signals
    -------
    rebuilt()
        The kind of law or contacts has changed, and `rows` are new.
    """

    rebuilt = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.strain = StrainPanel(document)
        self.support = SupportPanel(document)
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
        """Show the values of the scene."""
        self.strain.refresh(scene)
        self.support.refresh(scene)
        self.group.refresh()
        case = self.strain.presets.preset
        for key, row in self._body.items():
            row.set_default(
                case.values[key] if case is not None and key in case.values else row.doc.default
            )
            row.refresh()

    def show_pending(self, pending: Collection[str], problems: Collection[Problem]) -> None:
        """Mark values that wait for the next reset, and show the problems of formulas."""
        self.strain.show_pending(pending)
        self.support.show_pending(pending)
        self.group.set_pending(pending)
        self.strain.show_problems(problems)
        self.support.show_problems(problems)

    def reset(self) -> None:
        """Reset for another scene."""
        self.strain.reset()
        self.support.reset()
        for row in self._body.values():
            row.field.restore()
