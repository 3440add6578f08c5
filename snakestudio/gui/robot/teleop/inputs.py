"""Inputs that can be bound to functions of teleoperation: keys, and axes or buttons of a gamepad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

InputKind = Literal["key", "axis", "button"]

_KINDS: tuple[InputKind, ...] = ("key", "axis", "button")

_TITLES = {
    "leftx": "Left stick, horizontal",
    "lefty": "Left stick, vertical",
    "rightx": "Right stick, horizontal",
    "righty": "Right stick, vertical",
    "lefttrigger": "Left trigger",
    "righttrigger": "Right trigger",
    "leftshoulder": "Left shoulder",
    "rightshoulder": "Right shoulder",
    "leftstick": "Left stick, pressed",
    "rightstick": "Right stick, pressed",
    "dpup": "D-pad up",
    "dpdown": "D-pad down",
    "dpleft": "D-pad left",
    "dpright": "D-pad right",
    "back": "Back",
    "guide": "Guide",
    "start": "Start",
}
"""Display names of SDL's axes and buttons."""


@dataclass(frozen=True, slots=True)
class Input:
    """Input of any device."""

    kind: InputKind
    name: str
    """Name of a key in Qt ("W", "Up"), or of an axis or button in SDL ("leftx", "a"), or its number
    if SDL does not know the gamepad ("axis0", "button3", "hat0up")."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def title(self) -> str:
        """Display name."""
        if self.kind == "key":
            return f"Key {QKeySequence(self.name).toString(QKeySequence.SequenceFormat.NativeText)}"
        known = _TITLES.get(self.name)
        if known is not None:
            return known
        if self.kind == "button":
            return f"Button {self.name.removeprefix('button').upper()}"
        return f"Axis {self.name.removeprefix('axis')}"

    @property
    def key(self) -> Qt.Key | None:
        """Key, or None for another kind of input."""
        if self.kind != "key":
            return None
        sequence = QKeySequence(self.name)
        return sequence[0].key() if sequence.count() == 1 else None  # type: ignore[index]


Readings = Mapping[Input, float]
"""Readings of inputs: keys and buttons 0 or 1, axes -1 to 1 (triggers 0 to 1); missing inputs
read 0."""


def key_input(key: int) -> Input:
    """Return the input of a key."""
    return Input("key", QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText))


def parse_input(text: str) -> Input | None:
    """Parse the `str` of an input; None if invalid."""
    kind, _, name = text.partition(":")
    for known in _KINDS:
        if kind == known and name:
            source = Input(known, name)
            if known == "key" and source.key in (None, Qt.Key.Key_unknown):
                return None
            return source
    return None
