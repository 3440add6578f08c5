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
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.sections import Section, scrolled
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.controller_panel import ControllerPanel
from snakestudio.gui.scene.gait_panel import GaitPanel
from snakestudio.gui.scene.ground_formulas import GroundFormulas
from snakestudio.gui.scene.kind_section import KindRows
from snakestudio.gui.scene.model_box import ModelBox
from snakestudio.gui.scene.presets import AIKO, FRICTION_PRESETS, IDEAL, PresetBox, ScenePreset
from snakestudio.gui.scene.strain_panel import StrainPanel
from snakestudio.gui.scene.support_panel import SupportPanel
from snakestudio.gui.scene.value_rows import panel_row
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import belongs_elsewhere
from snakestudio.model.edits import only_obstacles
from snakestudio.model.robot.beam import TIP
from snakestudio.model.scene import Scene
from snakestudio.model.shared_values import DRIVE_TRAIN
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.message_labels import refusal

_REAL = (
    "actuator.free_play_deg",
    "actuator.max_torque_nm",
    "actuator.max_speed_deg_s",
    "actuator.time_constant_s",
    *(f"actuator.{name}" for name in DRIVE_TRAIN),
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
        self.rows = {key: panel_row(document, key) for key in _REAL}
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
            row.refresh()


_CONTACT = (
    "ground.law",
    "ground.mu_along",
    "ground.mu_backward",
    "ground.mu_across",
    "ground.viscous_along_ns_per_m",
    "ground.viscous_across_ns_per_m",
    "ground.coulomb_smoothing_m_s",
    "ground.coulomb_law",
    "ground.coulomb_smoothing_rad_s",
    "ground.obstacle_damping_ns_per_m",
    "ground.mu_rolling",
    "ground.slope_deg",
    "ground.downhill_deg",
    "ground.gravity_m_s2",
)
_JOINTS = (
    "joint_controller.law",
    "joint_controller.kp_nm_per_rad",
    "joint_controller.kd_nms_per_rad",
    "joint_controller.kp_pitch_nm_per_rad",
    "joint_controller.kd_pitch_nms_per_rad",
    "joint_controller.linearization_kp_per_s2",
    "joint_controller.linearization_kd_per_s",
)
_SOLVER = (
    "solver.step_s",
    "solver.tolerance",
    "solver.max_iterations",
    "solver.error_tolerance",
    "control.period_s",
    "run.log_rate_hz",
    "run.duration_s",
    "solver.joints",
)
_BODY = (
    "beam.group",
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
        self._rows: dict[str, ValueRow] = {}
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
        self.ground_formulas = GroundFormulas(document)
        contact.body.insertWidget(
            contact.body.indexOf(self._rows["ground.viscous_along_ns_per_m"]), self.ground_formulas
        )
        self._joint_section = self._section("Joint controller", _JOINTS)

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
        self._layout.addStretch(1)

        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

        self._shape_throttle = Throttle(90, self._draw_shape, self)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        document.kinds_changed.connect(self._on_kinds)
        session_controller.frame.connect(self._shape_throttle.request)
        session_controller.status_changed.connect(self._show_pending)
        self._on_scene(None, document.scene)
        self._show_pending()

    @property
    def rows(self) -> dict[str, ValueRow]:
        """All rows by dotted scene key."""
        return {
            **self.gait.rows,
            **self.gait.start_rows,
            **self.controller.rows,
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

    def _row(self, key: str, *, slider: bool = True) -> ValueRow:
        row = panel_row(self._document, key, slider=slider)
        self._rows[key] = row
        return row

    def _fill_model(self, scene: Scene) -> None:
        self.model_values.add_all("model", scene)

    def _choose(self, preset: ScenePreset) -> None:
        try:
            self._document.edit(preset.applied(self._document.scene), f"Preset {preset.name}")
        except SnakeStudioError as error:
            rows = self.rows
            row = next(rows[key] for key in preset.values if key in rows)
            row.show_problem(refusal(error, self._document.scene))
        # Choosing the current preset does not change the scene, but its values must be shown again.
        self._on_scene(None, self._document.scene)

    def _on_opened(self) -> None:
        self.gait.reset()
        self.friction_presets.reset()
        self.ground_formulas.restore()
        if self.continuum is not None:
            self.continuum.reset()
        for row in self.rows.values():
            row.restore()

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
        for key, row in {**self._rows, **self.real_robot.rows}.items():
            row.setVisible(not belongs_elsewhere(after, key) and key not in elsewhere)
            row.refresh()
        if self.model_values.rebuild(after, after.model.kind) and before is not None:
            self._show_pending()
        self.model_values.refresh()
        self._model_help.setText(cited(FORMULATIONS[after.model.kind].help))
        self._shape_throttle.request()

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
            row.show_pending(pending & {key})  # a new kind is announced by its section
        self.controller.show_pending(pending)
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
        self._body = {key: panel_row(document, key) for key in _BODY}
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
    def rows(self) -> dict[str, ValueRow]:
        """All rows by dotted scene key."""
        return {**self.strain.rows, **self.support.rows, **self._body}

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        self.strain.refresh(scene)
        self.support.refresh(scene)
        case = self.strain.presets.preset
        for key, row in self._body.items():
            row.set_default(
                case.values[key]
                if case is not None and key in case.values
                else row.binding.declared_default
            )
            row.refresh()

    def show_pending(self, pending: Collection[str], problems: Collection[Problem]) -> None:
        """Mark values that wait for the next reset, and show the problems of formulas."""
        self.strain.show_pending(pending)
        self.support.show_pending(pending)
        self.strain.show_problems(problems)
        self.support.show_problems(problems)

    def reset(self) -> None:
        """Reset for another scene."""
        self.strain.reset()
        self.support.reset()
        for row in self._body.values():
            row.restore()
