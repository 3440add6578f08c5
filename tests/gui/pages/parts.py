"""Parts of widgets by their object names."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QCompleter, QLabel, QLineEdit, QWidget

Part = TypeVar("Part", bound=QObject)


def part(owner: QObject, kind: type[Part], name: str) -> Part:
    """Return the part of an object with a name."""
    part = owner.findChild(kind, name)
    assert part is not None, f"{type(owner).__name__} has no {kind.__name__} named {name}"
    return part


def label(owner: QObject, name: str = "label") -> QLabel:
    """Return a label by its name; by default that of a row in a form."""
    return part(owner, QLabel, name)


def timer(owner: QObject, name: str) -> QTimer:
    """Return a timer by its name: tests stop it or fire it immediately."""
    return part(owner, QTimer, name)


def suggestions(field: QLineEdit) -> QWidget:
    """Return the list of suggestions of a field."""
    completer = field.findChild(QCompleter)
    assert completer is not None
    return completer.popup()
