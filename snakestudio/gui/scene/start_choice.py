"""The choice of how the robot starts; what was said before is carried over to the other kind."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.scene.height_rows import choose_file
from snakestudio.model.edits import with_values
from snakestudio.viewmodel.field_texts import refusal
from snakestudio.viewmodel.scene.start_kinds import START_KINDS, start_kinds, start_values

__all__ = ["StartChoice"]


class StartChoice(QWidget):
    """A box with the kinds of start, and why one cannot be had.

    Parameters
    ----------
    document : Document
    bridge : SessionController
        What it shows is where a start from the present state begins.
    """

    def __init__(self, document: Document, bridge: SessionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._bridge = document, bridge
        self.box = ChoiceBox()
        self.box.setAccessibleName("Kind of start")
        self.box.setToolTip("How the robot starts; what was said before is carried over")
        for kind, text in start_kinds(document.scene).items():
            self.box.addItem(text, kind)
        self.box.setCurrentIndex(self.box.findData(document.scene.start.kind))
        self.box.activated.connect(self._choose)
        self.message = Message()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 0, 0)
        column.addWidget(self.box)
        column.addWidget(self.message)

    def _choose(self, index: int) -> None:
        kind = str(self.box.itemData(index))
        scene = self._document.scene
        file = ""
        if kind == "recording":
            file = choose_file(self, "Start from a run", self._document.base_dir, "Recorded runs (*.csv)")
        if kind != scene.start.kind and (kind != "recording" or file):
            try:
                values = start_values(scene, kind, self._bridge.displayed, file)
                self._document.edit(with_values(scene, {"start": values}), f"Start: {START_KINDS[kind].lower()}")
                return
            except SnakeStudioError as error:
                self.message.say(refusal(error))
        self.box.setCurrentIndex(self.box.findData(scene.start.kind))
