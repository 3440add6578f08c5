"""Gait section of the parameter panels: library, sliders of one or two waves and their shape, or torques."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.formula_editor import FormulaHelp
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.scene.body_shape import BodyShape
from snakestudio.gui.scene.kind_section import PresetSection
from snakestudio.gui.scene.presets import PresetLibrary, ScenePreset
from snakestudio.gui.scene.table_preview import TablePreview
from snakestudio.gui.scene.value_rows import AT_RESET, is_editable, panel_row, wrong_at
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits.pose import as_joint_angles
from snakestudio.model.fields import field_doc
from snakestudio.model.gaits import GAITS as LIBRARY
from snakestudio.model.gaits import unsuitable
from snakestudio.model.motion import GaitStart
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import envelope_of

GAITS = tuple(
    ScenePreset(
        entry.title,
        {"gait": entry.gait, "control.soft_start_deg": entry.soft_start_deg},
        entry.explanation,
        f"{entry.source} ({entry.robot})" if entry.robot else entry.source,
        entry.name,
    )
    for entry in LIBRARY
)
"""The gait library as presets."""


def _offered() -> tuple[ScenePreset, ...]:
    """Return the gaits of the library, and default values of kinds without own gaits before those of other robots."""
    own = len([entry for entry in LIBRARY if not entry.robot])
    known = {type(entry.gait) for entry in LIBRARY if not entry.robot}
    kinds = [
        kind for kind in GAIT_KINDS.values() if kind.make is not None and kind.fields not in known
    ]
    of_kinds = (
        ScenePreset(kind.title, {"gait": kind.fields(), "control.soft_start_deg": 0.0}, kind.help)
        for kind in kinds
    )
    return (*GAITS[:own], *of_kinds, *GAITS[own:])


_ENVELOPE = "envelope"
"""Name of the value that is a formula."""

_BETWEEN = ("pitch_phase_deg", "delta_rad", "phase_rad", _ENVELOPE)
"""Fields that belong to neither the horizontal nor the vertical wave alone."""


def _groups(scene: Scene) -> list[tuple[str, list[str]]]:
    """Return the values of a gait in groups with titles; a single group has no title."""
    names = [name for name in type(scene.gait).model_fields if name != "kind"]
    if scene.gives_torques or not scene.gait.has_vertical_wave:
        return [("", names)]
    vertical = [
        name for name in names if name.startswith(("pitch_", "even_")) and name not in _BETWEEN
    ]
    between = [name for name in names if name in _BETWEEN]
    horizontal = [name for name in names if name not in vertical and name not in between]
    return list(zip(scene.gait.wave_titles, (horizontal, vertical, between), strict=True))


_SYMBOLS = {
    "torque_nm": "τ",
    "pitch_torque_nm": "τ<sub>v</sub>",
    "angle_deg": "φ",
    "pitch_angle_deg": "φ<sub>v</sub>",
}

_FORMULA_NAMES = (
    ("t", "time, s"),
    ("i", "number of the joint, 1 to n − 1, counted from the first link"),
    ("n", "number of links"),
    ("pi", "3.14159…"),
)
"""Variables of formulas for joints."""

_ENVELOPE_NAMES = (
    ("n", "number of the joint, counted from 1 at the head"),
    ("N", "number of joints"),
    ("pi", "3.14159…"),
)
"""Variables of envelope formulas."""


def formula_problem(scene: Scene, key: str) -> str:
    """Return the problem with the formula at `key` of a scene's gait, as a sentence; "" if it is valid."""
    from snakestudio.model.robot.joint_formulas import JointFormulas

    try:
        if scene.gait.formulas:
            JointFormulas(scene.gait, scene.robot.n_links, scene.robot.axes)
    except SnakeStudioError as error:
        return wrong_at(error, key)
    return ""


def envelope_problem(scene: Scene, key: str) -> str:
    """Return the problem with the envelope of a scene's gait, as a sentence; "" if it is valid."""
    try:
        envelope_of(getattr(scene.gait, _ENVELOPE, "1"), scene.robot.n_joints)
    except SnakeStudioError as error:
        return wrong_at(error, key)
    return ""


_ENTRIES = {entry.title: entry for entry in LIBRARY}


def _unsuitable(preset: ScenePreset, scene: Scene) -> str:
    """Return the reason why a preset does not suit a scene, as a sentence; "" if it does."""
    entry = _ENTRIES.get(preset.name)
    return "" if entry is None else unsuitable(entry, scene)


def _library() -> PresetLibrary:
    return PresetLibrary(
        _offered(),
        name="Gait",
        one="gait",
        source="library",
        unsuitable=_unsuitable,
    )


class GaitPanel(PresetSection):
    """Selects a gait, edits its values and shows its shape; or edits the torques of the joints."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Gait", document, _library(), parent)
        self.add(self.message)
        self.add(self._rows)
        self.preview = TablePreview()
        self.add(self.preview)
        self.shape = BodyShape()
        self.add(self.shape)
        self.hint_message = Message()
        self.add(self.hint_message)
        self.wave_button = QPushButton()
        self.wave_button.setProperty("role", "link")
        self.wave_button.clicked.connect(self._toggle_vertical_wave)
        self.torque_button = QPushButton()
        self.torque_button.setProperty("role", "link")
        self.torque_button.clicked.connect(self._toggle_torques)
        self.names_button = FormulaHelp(_FORMULA_NAMES)
        self.envelope_button = FormulaHelp(_ENVELOPE_NAMES)
        for button in (
            self.wave_button,
            self.torque_button,
            self.names_button,
            self.envelope_button,
        ):
            self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.soft_start = panel_row(document, "control.soft_start_deg", slider=False)
        self.add(self.soft_start)
        self.lead_in = panel_row(document, "control.lead_in", note=AT_RESET)
        self.add(self.lead_in)
        self.start_rows = {row.key: row for row in (self.soft_start, self.lead_in)}
        """Rows of the start of the motion, by scene key."""
        self.refresh(document.scene)
        document.kinds_changed.connect(self.update_kinds)

    def _offer_kinds(self) -> None:
        self.presets.offer(_library().presets)

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        self._make_rows(scene, scene.gait.kind)
        self.presets.refresh(scene)
        chosen = self.presets.preset
        for row in self.rows.values():
            row.set_default(self._default_of(row))
            row.refresh()
        self.soft_start.set_default(0.0 if chosen is None else chosen.value(self.soft_start.key))
        used = scene.controller.uses_gait
        torques = scene.gives_torques
        for row in self.start_rows.values():
            row.refresh()
        for widget in (self.presets, self._rows, self.soft_start, self.lead_in):
            widget.setVisible(used)
        two = scene.gait.has_vertical_wave
        other = scene.gait.without_vertical_wave() if two else scene.gait.with_vertical_wave()
        self.wave_button.setVisible(used and other != scene.gait)
        # torques do not command a shape, and a table has its own preview
        self.shape.setVisible(not used or not (torques or scene.gait.files))
        self.names_button.setVisible(torques or (used and bool(scene.gait.formulas)))
        self.envelope_button.setVisible(used and _ENVELOPE in type(scene.gait).model_fields)
        self.preview.setVisible(used and bool(scene.gait.files))
        self.preview.show_table(scene, self._document.base_dir)
        self.torque_button.setVisible(torques or not scene.controller.acts)
        self.torque_button.setText(
            "Switch to angle control" if torques else "Switch to torque control"
        )
        self.torque_button.setToolTip(
            "Drive the joints by reference angles, which the joint controllers track"
            if torques
            else "Drive the joints by torques given as formulas of time, without joint controllers"
        )
        is_ignored = used and two and not scene.body.in_space
        self.hint_message.show_text(
            "The planar model ignores the vertical wave; the spatial model uses it."
            if is_ignored
            else ""
        )
        self.wave_button.setText("Remove the vertical wave" if two else "Add a vertical wave")
        self.wave_button.setToolTip(
            "Keep only the horizontal wave (lateral undulation)"
            if two
            else "Use two waves, one in yaw and one in pitch, each with its own values"
        )
        self._describe()

    def show_pending(self, pending: Collection[str], problems: Collection[Problem]) -> None:
        """Show which changes wait for the next reset, and the problems of each formula."""
        if not any(key == "gait" or key.startswith("gait.") for key in pending):
            what = ""
        elif not {"gait", "gait.kind"}.isdisjoint(pending):
            torques = self._document.scene.gives_torques
            what = "Torque control applies" if torques else "The new kind of gait applies"
        else:
            what = "The changed table applies"
        self.message.show_text(f"{what} at the next reset." if what else "")
        self.show_problems(problems)

    def _step_text(self, preset: ScenePreset) -> str:
        return f"Gait {preset.name.lower()}"

    def _toggle_torques(self) -> None:
        """Switch to torque control or back; a robot that starts in the pose of its gait keeps its pose."""
        self.presets.reset()
        if self._document.scene.gives_torques:
            gait = Scene.model_fields["gait"].get_default(call_default_factory=True)
            self._edit(
                lambda scene: scene.model_copy(update={"gait": gait}), "Switch to angle control"
            )
            return

        def with_torques(scene: Scene) -> Scene:
            start = as_joint_angles(scene) if isinstance(scene.start, GaitStart) else scene.start
            torques = next(kind.fields for kind in GAIT_KINDS.values() if kind.fields.gives_torques)
            return scene.model_copy(update={"gait": torques(), "start": start})

        self._edit(with_torques, "Switch to torque control")

    def _toggle_vertical_wave(self) -> None:
        gait = self._document.scene.gait
        if gait.has_vertical_wave:
            other = gait.without_vertical_wave()
            text = "Remove the vertical wave"
        else:
            other = gait.with_vertical_wave()
            text = "Add a vertical wave"
        self._edit(lambda scene: scene.model_copy(update={"gait": other}), text)

    def _fill(self, scene: Scene) -> None:
        for title, members in _groups(scene):
            if title and members:
                label = QLabel(title)
                label.setProperty("role", "group")
                self._rows.add(label)
            for name in members:
                self._add_row(name, scene)

    def _add_row(self, name: str, scene: Scene) -> None:
        """Add a row for a value of the gait."""
        key = f"gait.{name}"
        if name in scene.gait.formulas:
            self._add_formula(
                key, _SYMBOLS[name], field_doc(type(scene.gait), name), formula_problem
            )
        elif name == _ENVELOPE:
            self._add_formula(key, "f(n)", field_doc(type(scene.gait), name), envelope_problem)
        elif is_editable(scene, key):
            self._rows.add_value(key)

    def _note(self) -> str:
        if not self._document.scene.controller.uses_gait:
            return "The controller does not use the gait. Its joint references are dashed."
        if self._document.scene.gives_torques:
            return "These yaw and pitch torques are applied at any joint angle. No joint controller is active."
        gait = self._document.scene.gait
        if self.presets.preset is None and (gait.files or gait.formulas):
            return str(GAIT_KINDS[gait.kind].help)
        return super()._note()

    def _describe(self) -> None:
        super()._describe()
        if not self._document.scene.controller.uses_gait:
            self.back.hide()

    def apply_theme(self) -> None:
        super().apply_theme()
        self.shape.update()
        self.preview.update()
