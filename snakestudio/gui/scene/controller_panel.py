"""The controller section of the parameter panels: which one, its parameters, and the path for the one that needs it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.form import FormRow, make_row
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.field_texts import declared, number_kind, refusal
from snakestudio.viewmodel.formulations import unused_reason

__all__ = ["ControllerPanel"]


class ControllerPanel(Section):
    """Choose what closes the loop over the gait, and move its sliders.

    Parameters
    ----------
    document : Document

    Signals
    -------
    rebuilt()
        The controller is of another kind now, and `rows` are others.
    draw_asked(), clear_asked()
        The user wants to draw a path, or to have none.
    """

    rebuilt = Signal()
    draw_asked = Signal()
    clear_asked = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Controller", parent=parent)
        self._document = document
        self.rows: dict[str, ParameterRow] = {}
        self.choices: dict[str, FormRow] = {}
        self._kind = ""
        self.box = ChoiceBox()
        self.box.setAccessibleName("Controller")
        self.box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for kind, info in CONTROLLERS.items():
            self.box.addItem(info.title, kind)
            self.box.setItemData(self.box.count() - 1, info.help, Qt.ItemDataRole.ToolTipRole)
        self.box.activated.connect(self._choose)
        self.about = QLabel()
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        self.message = Message()
        self._area = QWidget()
        for widget in (self.box, self.about, self.message, self._area):
            self.add(widget)
        self._make_path_part()
        self.refresh(document.scene)

    def _make_path_part(self) -> None:
        """What there is to say about the path."""
        self.path_part = QWidget()
        column = QVBoxLayout(self.path_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        title = QLabel("Path")
        title.setProperty("role", "group")
        self.path_about = QLabel()
        self.path_about.setProperty("role", "dim")
        self.path_about.setWordWrap(True)
        self.draw_button, self.clear_button = QPushButton("Draw path"), QPushButton("Remove")
        self.draw_button.setToolTip("Click waypoints on the ground; Enter or a double click ends the path")
        self.clear_button.setToolTip("Take the path away")
        self.draw_button.clicked.connect(self.draw_asked)
        self.clear_button.clicked.connect(self.clear_asked)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.draw_button, 1)
        line.addWidget(self.clear_button)
        column.addWidget(title)
        column.addWidget(self.path_about)
        column.addLayout(line)
        self.path_rows: list[FormRow] = []
        for key in ("path.shape", "path.closed"):
            row = make_row(self._document, [key])
            assert row is not None
            self.path_rows.append(row)
            column.addWidget(row)
        self.add(self.path_part)

    def refresh(self, scene: Scene) -> None:
        """Show what the scene says now."""
        kind = scene.controller.kind
        info = CONTROLLERS[kind]
        follows = "path" in info.tools
        if kind != self._kind:
            self._kind = kind
            self._make_rows(scene)
            self.message.say("")
            self.rebuilt.emit()
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(kind))
        self.about.setText(" ".join(filter(None, (info.help, info.note(scene.controller)))))
        for key, row in self.rows.items():
            row.set_unused(unused_reason(scene, key))
            row.refresh()
        for choice in (*self.choices.values(), *self.path_rows):
            choice.refresh()
        self.path_part.setVisible(follows or bool(scene.path))
        count = len(scene.path.waypoints_m)
        unfollowed = "" if follows else ", which nobody follows"
        self.path_about.setText(
            f"{count} waypoints{unfollowed}. Drag them in the view; a double click on the path adds one, a right click "
            "removes one." if count
            else "There is no path yet: draw one on the ground."
        )  # fmt: skip
        self.clear_button.setVisible(count > 0)
        self.draw_button.setText("Draw another path" if count else "Draw path")
        for of_path in self.path_rows:
            of_path.setVisible(count > 0)

    def show_pending(self, pending: Collection[str]) -> None:
        """Say what waits for the next reset."""
        kind = "controller" in pending
        self.message.say("Another controller applies at the next reset." if kind else "")
        for key, choice in self.choices.items():
            choice.set_pending([key] if key in pending else [])

    def _choose(self, index: int) -> None:
        kind = str(self.box.itemData(index))
        try:
            self._document.set_value("controller.kind", kind, f"Controller: {CONTROLLERS[kind].title}")
        except SnakeStudioError as error:
            self.message.say(refusal(error))
        self.refresh(self._document.scene)

    def _make_rows(self, scene: Scene) -> None:
        for row in self.rows.values():
            row.field.restore()
        self.rows, self.choices = {}, {}
        area = QWidget()
        column = QVBoxLayout(area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for name in type(scene.controller).model_fields:
            key = f"controller.{name}"
            if name == "kind":
                continue
            if number_kind(*declared(scene, key)) is not None:
                self.rows[key] = ParameterRow(self._document, key)
                column.addWidget(self.rows[key])
                continue
            choice = make_row(self._document, [key])
            if choice is not None:
                self.choices[key] = choice
                column.addWidget(choice)
        self.body.replaceWidget(self._area, area)
        self._area.hide()
        self._area.deleteLater()
        self._area = area
        area.setVisible(bool(self.rows or self.choices))
