"""The gait section of the parameter panels: library, sliders of the one or two waves and their shape, or torques."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.form import ToggleRow
from snakestudio.gui.forms.formula_row import FormulaHelp, FormulaRow, sentence, wrong_at
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.body_shape import BodyShape
from snakestudio.gui.scene.presets import Preset, PresetBox
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits.pose import as_joint_angles
from snakestudio.model.fields import field_doc
from snakestudio.model.gaits import GAITS as LIBRARY
from snakestudio.model.motion import GaitStart, LateralUndulation, TwoWaves
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.field_texts import refusal
from snakestudio.viewmodel.formulations import is_planar, unused_reason

__all__ = ["GAITS", "GaitPanel"]

GAITS = tuple(
    Preset(
        entry.title,
        {"gait": entry.gait, "control.soft_start_deg": entry.soft_start_deg},
        entry.explanation,
        entry.source,
    )
    for entry in LIBRARY
)
"""The gait library as presets."""


def _of_kinds() -> list[Preset]:
    """Kinds of gait of which there is none in the library, as they are by default."""
    known = {type(entry.gait) for entry in LIBRARY}
    kinds = [kind for kind in GAIT_KINDS.values() if kind.make is not None and kind.fields not in known]
    return [Preset(kind.title, {"gait": kind.fields(), "control.soft_start_deg": 0.0}, kind.help) for kind in kinds]


_BETWEEN = "pitch_phase_deg"
"""The field that is neither of the horizontal nor of the vertical wave."""


_SYMBOLS = {"torque_nm": "τ", "pitch_torque_nm": "τ<sub>v</sub>"}

_TORQUE_NAMES = (
    ("t", "time, s"),
    ("i", "number of the joint: 1 to n − 1, from the first link on"),
    ("n", "number of links"),
    ("pi", "3.14159…"),
)
"""What formulas of torques may use."""


def torque_problem(scene: Scene, key: str) -> str:
    """What is wrong with the formula of a torque at `key` of a scene, as a sentence; "" if nothing is."""
    from snakestudio.model.robot.joint_torque import TorqueLaw  # with what reads formulas

    try:
        if scene.gives_torques:
            TorqueLaw(scene.gait, scene.robot.n_links, spatial=True)
    except SnakeStudioError as error:
        return wrong_at(error, key)
    return ""


class GaitPanel(Section):
    """Choose a gait, move its sliders, see the shape it makes; or type the torques that the joints are given.

    Parameters
    ----------
    document : Document

    Signals
    -------
    rebuilt()
        The gait is of another kind now, and `rows` are others.
    """

    rebuilt = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Gait", parent=parent)
        self._document = document
        self.rows: dict[str, ParameterRow] = {}
        self.formulas: dict[str, FormulaRow] = {}
        self._kind = ""
        self.presets = PresetBox((*GAITS, *_of_kinds()))
        self.presets.setAccessibleName("Gait")
        self.presets.chosen.connect(self.choose)
        self.back = QToolButton()
        self.back.setProperty("role", "flat")
        self.back.setFixedSize(theme.scaled(26), theme.scaled(26))
        self.back.clicked.connect(self._go_back)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.presets, 1)
        line.addWidget(self.back)
        self.body.addLayout(line)
        self.about = QLabel()
        self.about.setTextFormat(Qt.TextFormat.RichText)
        self.about.setWordWrap(True)
        self.add(self.about)
        self.message = Message()
        self.add(self.message)
        self._area = QWidget()
        self.add(self._area)
        self.shape = BodyShape()
        self.add(self.shape)
        self.hint = Message()
        self.add(self.hint)
        self.wave_button = QPushButton()
        self.wave_button.setProperty("role", "link")
        self.wave_button.clicked.connect(self._toggle_vertical_wave)
        self.torque_button = QPushButton()
        self.torque_button.setProperty("role", "link")
        self.torque_button.clicked.connect(self._toggle_torques)
        self.names_button = FormulaHelp(_TORQUE_NAMES)
        for button in (self.wave_button, self.torque_button, self.names_button):
            self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.soft_start = ParameterRow(document, "control.soft_start_deg", slider=False)
        self.add(self.soft_start)
        self.lead_in = ToggleRow(document, ["control.lead_in"])
        self.lead_in.set_note("applies at reset")
        self.add(self.lead_in)
        self.refresh(document.scene)

    def refresh(self, scene: Scene) -> None:
        """Show what the scene says now."""
        if scene.gait.kind != self._kind:
            self._kind = scene.gait.kind
            self._make_rows(scene)
            self.rebuilt.emit()
        self.presets.refresh(scene)
        chosen = self.presets.present
        for key, row in self.rows.items():
            row.set_unused(unused_reason(scene, key))
            row.refresh()
            try:
                row.set_default(row.doc.default if chosen is None else chosen.value(key))
            except KeyError:  # the chosen gait is of another kind
                row.set_default(row.doc.default)
        for key, formula in self.formulas.items():
            formula.set_unused(unused_reason(scene, key))
            formula.refresh()
        self.soft_start.set_default(0.0 if chosen is None else chosen.value(self.soft_start.key))
        two = isinstance(scene.gait, TwoWaves)
        ignored = two and is_planar(scene)
        used, torques = scene.controller.uses_gait, scene.gives_torques
        self.lead_in.refresh()
        for widget in (self.presets, self._area, self.soft_start, self.lead_in):
            widget.setVisible(used)
        self.wave_button.setVisible(used and scene.gait.of_waves)
        self.shape.setVisible(scene.gait.of_waves or not used)  # of torques nobody asks for any
        self.names_button.setVisible(torques)
        self.torque_button.setVisible(torques or scene.controller.kind == "none")
        self.torque_button.setText("Give angles instead of torques" if torques else "Give torques instead of angles")
        self.torque_button.setToolTip(
            "Go on with reference angles, which the joint controllers follow"
            if torques
            else "Drive the joints with torques that are typed as formulas of time, without joint controllers"
        )
        ignored &= used
        self.hint.say("The planar model ignores the vertical wave; the spatial model uses it." if ignored else "")
        self.wave_button.setText("Remove the vertical wave" if two else "Add a vertical wave")
        self.wave_button.setToolTip(
            "Keep the horizontal wave alone (lateral undulation)"
            if two
            else "Go on with two waves, one in yaw and one in pitch, each with values of its own"
        )
        self._describe()

    def show_pending(self, pending: Collection[str], problems: Collection[Problem]) -> None:
        """Say what waits for the next reset, and at every formula what a check of the scene has found there."""
        waits = any(key == "gait" or key.startswith("gait.") for key in pending)
        what = "Torques in place of angles apply" if self.formulas else "Another kind of gait applies"
        self.message.say(f"{what} at the next reset." if waits else "")
        for key, formula in self.formulas.items():
            formula.show_finding(next((sentence(p) for p in problems if p.key == key), ""))

    def forget(self) -> None:
        """Another scene was opened."""
        self.presets.forget()
        self.message.say("")
        self._restore()

    def _restore(self) -> None:
        """Forget what was typed in the rows."""
        for row in self.rows.values():
            row.field.restore()
        for formula in self.formulas.values():
            formula.restore()

    def choose(self, preset: Preset) -> None:
        """Take over a gait of the library, as one step of undo."""
        self._edit(lambda scene: preset.applied(scene), f"Gait {preset.name.lower()}")
        # Choosing the gait that is shown changes no scene but must still show it as it is.
        self.refresh(self._document.scene)

    def _edit(self, change: Callable[[Scene], Scene], text: str) -> None:
        try:
            self._document.edit(change(self._document.scene), text)
            self.message.say("")
        except SnakeStudioError as error:
            self.message.say(refusal(error))

    def _go_back(self) -> None:
        if self.presets.present is not None:
            self.choose(self.presets.present)

    def _toggle_torques(self) -> None:
        """Go over to torques, or back; a robot that lies in its gait's pose stays there."""
        self.presets.forget()
        if self._document.scene.gives_torques:
            gait, text = LateralUndulation(), "Give angles"
            self._edit(lambda scene: scene.model_copy(update={"gait": gait}), text)
            return

        def given(scene: Scene) -> Scene:
            start = as_joint_angles(scene) if isinstance(scene.start, GaitStart) else scene.start
            torques = next(kind.fields for kind in GAIT_KINDS.values() if kind.fields.gives_torques)
            return scene.model_copy(update={"gait": torques(), "start": start})

        self._edit(given, "Give torques")

    def _toggle_vertical_wave(self) -> None:
        gait = self._document.scene.gait
        assert isinstance(gait, LateralUndulation)
        shared = {name: getattr(gait, name) for name in LateralUndulation.model_fields if name != "kind"}
        if isinstance(gait, TwoWaves):
            other, text = LateralUndulation(**shared), "Remove the vertical wave"
        else:
            # The vertical wave goes with the horizontal one, so that a stroke of it lifts the robot's bends.
            other = TwoWaves(
                **shared, pitch_frequency_deg_s=gait.frequency_deg_s, pitch_phase_shift_deg=gait.phase_shift_deg
            )
            text = "Add a vertical wave"
        self._edit(lambda scene: scene.model_copy(update={"gait": other}), text)

    def _make_rows(self, scene: Scene) -> None:
        self._restore()
        self.rows, self.formulas = {}, {}
        area = QWidget()
        column = QVBoxLayout(area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        names = [name for name in type(scene.gait).model_fields if name != "kind"]
        torques = scene.gives_torques
        vertical = [name for name in names if name.startswith("pitch_") and name != _BETWEEN and not torques]
        groups = [("Horizontal wave" if vertical else "", [n for n in names if n not in vertical and n != _BETWEEN])]
        if vertical:
            groups += [("Vertical wave", vertical), ("Phase between", [_BETWEEN] if _BETWEEN in names else [])]
        for title, members in groups:
            if title and members:
                label = QLabel(title)
                label.setProperty("role", "group")
                column.addWidget(label)
            for name in members:
                key = f"gait.{name}"
                if torques:
                    doc = field_doc(type(scene.gait), name)
                    formula = FormulaRow(
                        self._document, key, _SYMBOLS[name], doc.unit, doc.help, torque_problem,
                        of=doc.label[:1].lower() + doc.label[1:],
                    )  # fmt: skip
                    self.formulas[key] = formula
                    column.addWidget(formula)
                else:
                    self.rows[key] = ParameterRow(self._document, key)
                    column.addWidget(self.rows[key])
        self.body.replaceWidget(self._area, area)
        self._area.hide()
        self._area.deleteLater()
        self._area = area
        area.show()

    def _describe(self) -> None:
        chosen, dim = self.presets.present, theme.current().dim
        changed = self.presets.changed
        if not self._document.scene.controller.uses_gait:
            text = "The controller does without a gait: what it asks of the joints is dashed."
            self.about.setText(f"<span style='color:{dim}'>{text}</span>")
        elif self._document.scene.gives_torques:
            text = "The joints get these torques, yaw and pitch, whatever their angles are: no joint controller acts."
            self.about.setText(f"<span style='color:{dim}'>{text}</span>")
        elif chosen is None:
            self.about.setText(f"<span style='color:{dim}'>A gait of its own, none of the library.</span>")
        else:
            head = f"<span style='color:{theme.current().accent}'>changed from</span> " if changed else ""
            self.about.setText(
                f"<span style='font-size:{theme.scaled(12)}px'>{head}{chosen.help}"
                f"<br><span style='color:{dim}'>{chosen.source}</span></span>"
            )
        self.back.setVisible(chosen is not None and changed and self._document.scene.controller.uses_gait)
        if chosen is not None:
            self.back.setToolTip(f"Back to {chosen.name} as in the library")
        self.back.setIcon(theme.icon("undo", "dim"))

    def renew_theme(self) -> None:
        super().renew_theme()
        self.presets.refresh(self._document.scene)
        self._describe()
        self.shape.update()
