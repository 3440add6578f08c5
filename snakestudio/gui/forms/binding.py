"""The value that a row edits: its declaration, its default, and why it has no effect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.model.fields import FieldDoc
from snakestudio.viewmodel.field_texts import explanation

SEVERAL = object()
"""Value of several items that differ in it."""

ABSENT = object()
"""Value whose item was removed, and default of a value that has none."""


class Binding(ABC):
    """A value of a document, or the same value of several items.

    Parameters
    ----------
    keys : sequence of str
        Dotted keys.
    doc : FieldDoc
        Declaration of the value.
    default : Any
        Value that a reset restores; `ABSENT` for none.
    """

    in_editor = False
    """Whether the editor holds the value, as in a dialog: then a row neither shows nor applies it."""

    def __init__(self, keys: Sequence[str], doc: FieldDoc, default: Any = ABSENT) -> None:
        self.keys = tuple(keys)
        self.doc = doc
        self.default = default
        self.declared_default = default

    def set_default(self, value: Any) -> None:
        """Set the value that a reset restores, such as that of a preset."""
        self.default = value

    @property
    def unused(self) -> str:
        """Why the value has no effect at present, in a few words; "" if it has."""
        return ""

    @property
    def locked(self) -> str:
        """Why the value cannot be edited at present; "" if it can."""
        return ""

    @abstractmethod
    def value(self) -> Any:
        """Return the present value; `SEVERAL` for different values, `ABSENT` if the item was removed."""

    @abstractmethod
    def values(self) -> list[Any]:
        """Return the present value of each key."""

    def apply(self, value: Any, *, again: bool = False) -> str:
        """Set the value for all keys; parameters and result as in `apply_each`."""
        return self.apply_each([value] * len(self.keys), again=again)

    @abstractmethod
    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        """Set a value for each key, as one step of undo.

        Parameters
        ----------
        again : bool
            Whether the edit continues the gesture of the edit before, and its step of undo.

        Returns
        -------
        str
            Why the values are refused; "" if they are valid.
        """

    def explanation(self, unused: str) -> str:
        """Return the tooltip of the value, given why it has no effect at present, if so."""
        return explanation(self.doc, self.keys[0], theme.current().dim, unused)

    def labelled(self, sentence: str) -> str:
        """Return a message with labels instead of names of the file."""
        return sentence

    @abstractmethod
    def begin_gesture(self) -> None:
        """Begin a gesture: the following edits with `again` are one step of undo."""

    @abstractmethod
    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        """Open the context menu of the value in its row."""

    def is_pending(self, pending: Collection[str]) -> bool:
        """Return whether one of the keys, or a part that contains it, is in `pending`."""
        return any(
            key == other or key.startswith((f"{other}.", f"{other}["))
            for key in self.keys
            for other in pending
        )
