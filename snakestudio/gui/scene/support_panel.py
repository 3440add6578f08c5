"""What holds a continuous body, in the parameter panels: which kind of contact, its values, and given anchors."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.form import FormRow, OptionalListRow, make_row
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.parameter_row import ParameterRow
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.anchor_card import AnchorCard
from snakestudio.model.edits import tree, with_values
from snakestudio.model.robot.support import Anchor, Anchors
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.field_texts import declared, number_kind, refusal

__all__ = ["OF_FRICTION", "SUPPORTS", "SupportPanel"]

SUPPORTS = {
    "rings": ("Rings", "No cross-section slides sideways; rings along the body take the load."),
    "wave_anchors": ("Anchored by the wave", "Where the body is shortest, it holds on to what is around it."),
    "end_anchors": ("Ends in turn", "The head holds on, then the tail, then the head again."),
    "anchors": ("Given anchors", "Held where you say, by what stands still or moves."),
    "friction": ("Friction", "Nothing holds the body; friction on the ground moves it."),
}
"""Kinds of contact by name: title, and what they do."""

OF_FRICTION = ("ground.mu_along", "ground.mu_across", "ground.coulomb_smoothing_m_s")
"""What else counts where friction moves the body."""


class SupportPanel(Section):
    """Choose what holds the body, and set its values.

    Parameters
    ----------
    document : Document

    Signals
    -------
    rebuilt()
        The contacts are of another kind, or there are more or fewer anchors: `rows` are others.
    """

    rebuilt = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Contacts of the body", parent=parent)
        self._document = document
        self.rows: dict[str, ParameterRow] = {}
        self.choices: dict[str, FormRow] = {}
        self.cards: list[AnchorCard] = []
        self._made_for: tuple[str, int] = ("", 0)
        self.box = ChoiceBox()
        self.box.setAccessibleName("Contacts of the body")
        self.box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for kind, (title, _) in SUPPORTS.items():
            self.box.addItem(title, kind)
        self.box.activated.connect(lambda index: self._choose(str(self.box.itemData(index))))
        self.about = QLabel()
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        self.message = Message()
        self._area = QWidget()
        self.add_button = QPushButton("Add an anchor")
        self.add_button.setToolTip("One more, at the tail")
        self.add_button.clicked.connect(self._add)
        for widget in (self.box, self.about, self.message, self._area, self.add_button):
            self.add(widget)
        self.refresh(document.scene)

    def refresh(self, scene: Scene) -> None:
        """Show what the scene says now."""
        support = scene.support
        made_for = support.kind, len(support.anchors) if isinstance(support, Anchors) else 0
        if made_for != self._made_for:
            self._made_for = made_for
            self._make_rows(scene)
            self.message.say("")
            self.rebuilt.emit()
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(support.kind))
        self.about.setText(SUPPORTS[support.kind][1])
        for row in self.rows.values():
            row.refresh()
        for choice in self.choices.values():
            choice.refresh()
        for card in self.cards:
            card.refresh()
        self.add_button.setVisible(isinstance(support, Anchors))

    def show_pending(self, pending: Collection[str]) -> None:
        """Say what waits for the next reset."""
        waits = any(key == "support" or key.startswith("support.anchors") for key in pending)
        self.message.say("Other contacts apply at the next reset." if waits else "")
        for key, choice in self.choices.items():
            choice.message.say("Applies at the next reset." if key in pending else "")

    def show_findings(self, problems: Collection[Problem]) -> None:
        """Say at every anchor what a check of the scene has found there."""
        for card in self.cards:
            card.show_findings(problems)

    def forget(self) -> None:
        """Another scene was opened."""
        for row in self.rows.values():
            row.field.restore()
        self._made_for = ("", 0)

    def _choose(self, kind: str) -> None:
        if kind != self._document.scene.support.kind:
            self._edit({"support": {"kind": kind}}, f"Contacts: {SUPPORTS[kind][0].lower()}")
        self.refresh(self._document.scene)

    def _add(self) -> None:
        support = self._document.scene.support
        if isinstance(support, Anchors):
            anchors = [*tree(support.anchors), tree(Anchor(at_m="l"))]
            self._edit({"support.anchors": anchors}, "Add anchor")

    def _remove(self, index: int) -> None:
        support = self._document.scene.support
        if isinstance(support, Anchors):
            anchors = [*support.anchors[:index], *support.anchors[index + 1 :]]
            self._edit({"support.anchors": tree(tuple(anchors))}, f"Remove anchor {index + 1}")

    def _edit(self, values: dict[str, object], text: str) -> None:
        try:
            self._document.edit(with_values(self._document.scene, values), text)
            self.message.say("")
        except SnakeStudioError as error:
            self.message.say(refusal(error))

    def _make_rows(self, scene: Scene) -> None:
        for row in self.rows.values():
            row.field.restore()
        self.rows, self.choices, self.cards = {}, {}, []
        area = QWidget()
        column = QVBoxLayout(area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        support = scene.support
        keys = [f"support.{name}" for name in type(support).model_fields if name != "kind"]
        for key in (*keys, *(OF_FRICTION if support.kind == "friction" else ())):
            if number_kind(*declared(scene, key)) is not None:
                self.rows[key] = ParameterRow(self._document, key)
                column.addWidget(self.rows[key])
                continue
            make = OptionalListRow if key == "support.weights" else None
            choice = make(self._document, [key]) if make is not None else make_row(self._document, [key])
            if choice is not None:
                self.choices[key] = choice
                column.addWidget(choice)
        if isinstance(support, Anchors):
            for index in range(len(support.anchors)):
                card = AnchorCard(self._document, index, removable=len(support.anchors) > 1)
                card.remove_asked.connect(self._remove)
                self.cards.append(card)
                column.addWidget(card)
        self.body.replaceWidget(self._area, area)
        self._area.hide()
        self._area.deleteLater()
        self._area = area
        area.setVisible(column.count() > 0)
