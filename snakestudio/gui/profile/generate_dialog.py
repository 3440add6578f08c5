"""Asks for the joints of a robot whose joints are all alike."""

from __future__ import annotations

import typing

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.forms.boxes import ChoiceBox, SpinBox
from snakestudio.gui.forms.number_field import Message
from snakestudio.link.profile.editing import AxesOfJoint, Numbering, generate_axes
from snakestudio.link.profile.schema import Axis

__all__ = ["GenerateDialog"]


class GenerateDialog(QDialog):
    """How many joints, which axes, and which nodes move them; `axes` is what comes of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Generate Joints")
        self.axes: tuple[Axis, ...] = ()
        self.joints, self.first_node = SpinBox(), SpinBox()
        self.joints.setRange(1, 1000)
        self.joints.setValue(10)
        self.first_node.setRange(0, 0x7FF)
        self.first_node.setValue(1)
        self.kind, self.numbering = ChoiceBox(), ChoiceBox()
        self.kind.addItems(typing.get_args(AxesOfJoint))
        self.kind.setCurrentText("yaw and pitch")
        self.numbering.addItems(typing.get_args(Numbering))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow("&Joints", self.joints)
        form.addRow("&Axes of each", self.kind)
        form.addRow("&Nodes", self.numbering)
        form.addRow("&First node", self.first_node)
        self.summary = QLabel()
        self.summary.setProperty("role", "dim")
        self.message = Message()
        buttons = QDialogButtonBox()
        buttons.addButton("&Replace the Table", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.summary)
        column.addWidget(self.message)
        column.addWidget(buttons)
        for box in (self.joints, self.first_node):
            box.valueChanged.connect(self._refresh)
        for choice in (self.kind, self.numbering):
            choice.currentIndexChanged.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        kinds: dict[str, AxesOfJoint] = {word: word for word in typing.get_args(AxesOfJoint)}
        numberings: dict[str, Numbering] = {word: word for word in typing.get_args(Numbering)}
        try:
            self.axes = generate_axes(
                self.joints.value(), kinds[self.kind.currentText()], self.first_node.value(),
                numberings[self.numbering.currentText()],
            )  # fmt: skip
        except ProfileError as error:
            self.axes = ()
            self.message.say(str(error))
            return
        self.message.say("")
        nodes = [axis.node for axis in self.axes]
        self.summary.setText(f"{len(self.axes)} axes of nodes {min(nodes)} to {max(nodes)}")

    def _accept(self) -> None:
        if self.axes:
            self.accept()
