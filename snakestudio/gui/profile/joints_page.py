"""Page of the joints: one row per axis with measured values, to correct sign and offset."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.boxes import ChoiceBox, SpinBox
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, form_field
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.live_angles import LiveAngles
from snakestudio.gui.profile.parts_model import Extra, PartsModel
from snakestudio.gui.profile.parts_table import PartsTable
from snakestudio.link.profile.editing import AxesOfJoint, Numbering, axes_of_scene, generate_axes
from snakestudio.link.profile.schema import Axis
from snakestudio.model.scene import Scene
from snakestudio.text import MINUS
from snakestudio.viewmodel.cells import CellColumn, columns_of


@dataclass(frozen=True)
class JointsPlan:
    """Parameters of generated joints."""

    joints: int = form_field(10, "&Joints", minimum=1, maximum=1000, integer=True, decimals=0)
    kind: AxesOfJoint = form_field(
        "yaw and pitch",
        "&Axes per joint",
        choices=[Choice(name, name) for name in typing.get_args(AxesOfJoint)],
    )
    numbering: Numbering = form_field(
        typing.get_args(Numbering)[0],
        "&Nodes",
        choices=[Choice(name, name) for name in typing.get_args(Numbering)],
    )
    first_node: int = form_field(
        1, "&First node", minimum=0, maximum=0x7FF, integer=True, decimals=0
    )


class GenerateDialog(Dialog):
    """Number of joints, axes and nodes; `axes` is the result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Generate Joints")
        self.axes: tuple[Axis, ...] = ()
        self.form = DeclaredForm(JointsPlan(), parent=self)
        self.joints = self.form.widget("joints", SpinBox)
        self.numbering = self.form.widget("numbering", ChoiceBox)
        self.first_node = self.form.widget("first_node", SpinBox)
        self.summary = QLabel()
        self.summary.setProperty("role", "dim")
        buttons, _ = self.make_buttons("&Replace Table")
        self.arrange(self.form, self.summary, buttons)
        self.form.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        plan = self.form.values
        try:
            self.axes = generate_axes(plan.joints, plan.kind, plan.first_node, plan.numbering)
        except ProfileError as error:
            self.axes = ()
            self.form.report(str(error))
            return
        self.form.report("")
        nodes = [axis.node for axis in self.axes]
        self.summary.setText(f"{len(self.axes)} axes of nodes {min(nodes)} to {max(nodes)}")

    def accept(self) -> None:
        if self.axes:
            super().accept()


_HINT = (
    "A node reports gear × (sign × angle + offset). With a robot connected, the last columns show the angle of each"
    " row. Straighten the joint to set its offset. The angle of joint 3 must increase when link 4, seen from link"
    " 3, turns left (yaw), down (pitch) or clockwise (roll)."
)


class JointsPage(QWidget):
    """Axes of the profile.

    Parameters
    ----------
    scene : callable, optional
        Returns the scene of the window, whose robot provides axes.

    Signals
    -------
    wiggle_requested(axis: int)
        Request to test this axis, 0-based.
    """

    wiggle_requested = Signal(int)

    def __init__(
        self,
        document: ProfileDocument,
        robot_controller: RobotController | None,
        scene: Callable[[], Scene] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._scene = scene
        self.live = None if robot_controller is None else LiveAngles(robot_controller)
        extras = [
            Extra(
                "Measured [°]",
                "Joint angle that this row yields from the current value of its node",
                self._measured,
                self._colour,
            ),
            Extra("Age [s]", "Age of the measured value", self._age, self._colour),
        ]
        self.model = PartsModel(
            document,
            "axes",
            columns_of(Axis),
            "axis",
            extras if robot_controller is not None else [],
            self._general,
            self,
        )
        self.table = PartsTable(self.model, _next_axis, parent=self)
        header = self.table.view.horizontalHeader()
        for index in range(
            len(self.model.extras)
        ):  # measured values are next to the values that they correct
            header.moveSection(
                len(self.model.columns) + index, self._column_index("gear") + 1 + index
            )
        self.generate = QPushButton("&Generate...")
        self.generate.setToolTip("Fill the table for a robot with identical joints")
        self.generate.clicked.connect(self._generate)
        self.from_scene = QPushButton("Axes from &Scene")
        self.from_scene.setToolTip(
            "Replace the table with the joint axes of the scene's robot in order, with consecutive node numbers"
        )
        self.from_scene.setVisible(scene is not None)
        self.from_scene.clicked.connect(self.use_scene_axes)
        self.offset = QPushButton("Offset from Current &Position")
        self.offset.setToolTip("Define the current position of the selected rows as straight")
        self.offset.clicked.connect(self.set_offset)
        self.flip = QPushButton("&Flip Sign")
        self.flip.setToolTip("Reverse the sign of the selected rows")
        self.flip.clicked.connect(self.flip_sign)
        self.wiggle = QPushButton("&Wiggle...")
        self.wiggle.setToolTip("Move this axis slightly and check its response")
        self.wiggle.clicked.connect(
            lambda: self.wiggle_requested.emit(self.table.view.currentIndex().row())
        )
        tools = QHBoxLayout()
        tools.setSpacing(8)
        for button in (self.generate, self.from_scene, self.flip, self.offset, self.wiggle):
            tools.addWidget(button)
        tools.addStretch(1)
        for button in (self.generate, self.from_scene, self.offset, self.flip, self.wiggle):
            button.setAutoDefault(False)
        hint = QLabel(_HINT)
        hint.setProperty("role", "dim")
        hint.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(tools)
        column.addWidget(self.table, 1)
        column.addWidget(hint)
        if robot_controller is not None:
            robot_controller.polled.connect(self._on_polled)
            robot_controller.changed.connect(self._update_actions)
        document.locked_changed.connect(self._update_actions)
        self._update_actions()

    def _column_index(self, name: str) -> int:
        return [column.name for column in self.model.columns].index(name)

    def _on_polled(self) -> None:
        if self.isVisible():
            self.model.refresh_extras()

    def _update_actions(self) -> None:
        editable = not self._document.locked
        connected = self.live is not None and self.live.connected
        self.generate.setEnabled(editable)
        self.from_scene.setEnabled(editable)
        self.flip.setEnabled(editable)
        self.offset.setEnabled(editable and connected)
        self.wiggle.setEnabled(connected)
        for at in range(len(self.model.columns), self.model.columnCount()):
            self.table.view.setColumnHidden(at, not connected)
        self.model.refresh_extras()

    def _general(self, column: CellColumn) -> str:
        """Return the limit of all joints, which applies if a joint has no separate one."""
        return column.text(getattr(self._document.profile.limits, column.name, None)) or "none"

    # --- measured values --------------------------------------------------------------------------

    def _measured(self, row: int) -> str:
        angle = self.live.angle(self.model.parts[row]) if self.live is not None else math.nan
        return f"{math.degrees(angle):+.1f}".replace("-", MINUS) if math.isfinite(angle) else "–"

    def _age(self, row: int) -> str:
        age = self.live.age(self.model.parts[row]) if self.live is not None else math.nan
        return f"{age:.1f}" if age < 1000 else "–"

    def _colour(self, row: int) -> str:
        age = self.live.age(self.model.parts[row]) if self.live is not None else math.nan
        return "good" if age < self._document.profile.timing.stale_s else "dim"

    # --- edits ------------------------------------------------------------------------------------

    def flip_sign(self) -> None:
        """Reverse the sign of the selected rows."""
        rows = self.table.rows
        column = next(column for column in self.model.columns if column.name == "sign")
        self.model.put(
            [(row, column, str(-self.model.parts[row].sign)) for row in rows], "Flip sign"
        )

    def set_offset(self) -> None:
        """Define the current angles of the selected rows as straight."""
        if self.live is None:
            return
        column = next(column for column in self.model.columns if column.name == "offset_deg")
        offsets = {row: self.live.offset_deg(self.model.parts[row]) for row in self.table.rows}
        unheard = [
            self.model.parts[row].name
            for row, offset in offsets.items()
            if not math.isfinite(offset)
        ]
        if unheard:
            self.table.message.show_text(
                f"No feedback from {', '.join(unheard)} yet. Check its node and slot."
            )
            return
        self.model.put(
            [(row, column, f"{offset:.2f}") for row, offset in offsets.items()],
            "Offset from position",
        )

    def use_scene_axes(self) -> None:
        """Replace the rows with the joint axes of the scene's robot."""
        if self._scene is None:
            return
        try:
            axes = axes_of_scene(self._scene(), self._document.profile)
        except ProfileError as error:
            self.table.message.show_text(str(error))
            return
        self.table.message.show_text("")
        if self.model.replace(axes, "Axes from scene"):
            self.table.fit()

    def _generate(self) -> None:
        dialog = GenerateDialog(self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._apply_generated(dialog))
        dialog.open()

    def _apply_generated(self, dialog: GenerateDialog) -> None:
        if self.model.replace(dialog.axes, "Generate axes"):
            self.table.fit()

    def select_part(self, row: int, name: str) -> None:
        """Show a cell."""
        self.table.select_part(row, name)


def _next_axis(before: tuple[Any, ...]) -> Axis:
    if not before:
        return Axis(joint=1, axis="yaw", node=1)
    last: Axis = before[-1]
    update = {"joint": last.joint + 1, "node": last.node + 1, "offset_deg": 0.0}
    return Axis.model_validate(last.model_dump() | update)
