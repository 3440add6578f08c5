"""What can be bound to a function of teleoperation: a key of the keyboard, an axis or a button of a gamepad."""

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
"""What people call SDL's names of axes and buttons."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input, whatever device it is on."""

    kind: InputKind
    name: str
    """Of a key as Qt writes it ("W", "Up"), of an axis or a button as SDL calls it on any gamepad
    it knows ("leftx", "a"), else by its number ("axis0", "button3", "hat0up")."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def title(self) -> str:
        """For people."""
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
        """The key, if it is one."""
        if self.kind != "key":
            return None
        sequence = QKeySequence(self.name)
        return sequence[0].key() if sequence.count() == 1 else None  # type: ignore[index]


Readings = Mapping[Input, float]
"""What inputs read now: keys and buttons 0 or 1, axes -1 to 1 (triggers 0 to 1); what is not there
reads 0."""


def key_input(key: int) -> Input:
    """The input that a key is."""
    return Input("key", QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText))


def parse_input(text: str) -> Input | None:
    """What `str` of an input gave; None if it is none."""
    kind, _, name = text.partition(":")
    for known in _KINDS:
        if kind == known and name:
            found = Input(known, name)
            if known == "key" and found.key in (None, Qt.Key.Key_unknown):
                return None
            return found
    return None
