"""Values of the scene for rows: read from the document, and edited through its undo stack."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.binding import ABSENT, SEVERAL, Binding
from snakestudio.gui.forms.value_menu import open_field_menu
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.edits import declared, get_value, parse_key, with_values
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.text import uncapitalized
from snakestudio.viewmodel.scene.message_labels import labelled, refusal


class SceneBinding(Binding):
    """A value of the scene, or the same value of several obstacles.

    Parameters
    ----------
    keys : sequence of str
        Dotted scene keys; several keys belong to obstacles.
    of : str
        Owner of the value for the undo list: "cylinder 3".
    doc : FieldDoc, optional
        Declaration of an entry of a list, which has none in the scene.
    """

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", doc: FieldDoc | None = None
    ) -> None:
        self._document = document
        self._of = of
        self._gesture = 0
        self._obstacles = [int(parse_key(key)[1]) for key in keys] if len(keys) > 1 else []
        if doc is not None:
            super().__init__(keys, doc)
            self._is_entry = True
            return
        self._is_entry = False
        model, name = declared(document.scene, keys[0])
        own = field_doc(model, name)
        required = model.model_fields[name].is_required()
        super().__init__(keys, own, ABSENT if required else own.default)

    @property
    def unused(self) -> str:
        return unused_reason(self._document.scene, self.keys[0])

    def value(self) -> Any:
        scene = self._document.scene
        try:
            if not self._is_entry and field_doc(*declared(scene, self.keys[0])) != self.doc:
                return ABSENT  # the name belongs to a value of another kind
            first = get_value(scene, self.keys[0])
            if len(self.keys) == 1:
                return first
            # Only obstacles are edited together, possibly thousands.
            name = self.keys[0].rpartition(".")[2]
            same = all(getattr(scene.obstacles[i], name) == first for i in self._obstacles)
        except (SceneError, IndexError, AttributeError):
            return ABSENT
        return first if same else SEVERAL

    def values(self) -> list[Any]:
        return [get_value(self._document.scene, key) for key in self.keys]

    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        if not again:
            self.begin_gesture()
        try:
            scene = with_values(self._document.scene, self._changes(values))
            self._document.edit(scene, self._step(values), self._gesture)
        except SnakeStudioError as error:
            return refusal(error, self._document.scene)
        return ""

    def labelled(self, sentence: str) -> str:
        return labelled(sentence, self._document.scene, self.keys[0].rpartition(".")[0])

    def begin_gesture(self) -> None:
        self._gesture = self._document.new_gesture()

    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        commands = [
            (text, partial(call, self.keys)) for text, call in self._document.value_commands
        ]
        copy = partial(QGuiApplication.clipboard().setText, "+".join(self.keys))
        open_field_menu(row, event, [*commands, ("Copy Key", copy)])

    def _changes(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values of all scene keys that an edit changes."""
        return dict(zip(self.keys, values, strict=True))

    def _step(self, values: Sequence[Any]) -> str:
        """Return the name of an edit in the undo list."""
        of = f" of {self._of}" if self._of else ""
        return f"Change {uncapitalized(self.doc.label)}{of}"
