"""Parts of widgets by their object names."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QCompleter, QLabel, QLineEdit, QWidget

Part = TypeVar("Part", bound=QObject)


def part(owner: QObject, kind: type[Part], name: str) -> Part:
    """The part of an object with that name."""
    part = owner.findChild(kind, name)
    assert part is not None, f"{type(owner).__name__} has no {kind.__name__} called {name}"
    return part


def label(owner: QObject, name: str = "label") -> QLabel:
    """A label by its name; that of a row in a form if none is given."""
    return part(owner, QLabel, name)


def timer(owner: QObject, name: str) -> QTimer:
    """A timer by its name: tests stop it, or let it fire now."""
    return part(owner, QTimer, name)


def suggestions(field: QLineEdit) -> QWidget:
    """The list of names that a field offers while something is typed."""
    completer = field.findChild(QCompleter)
    assert completer is not None
    return completer.popup()
