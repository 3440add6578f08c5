"""Mouse gestures of the viewport and their actions: one table for the mouse, the tools and the list of shortcuts."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt

Button = Qt.MouseButton
Modifier = Qt.KeyboardModifier

Kind = Literal["click", "double-click", "drag", "wheel"]

Target = Literal[
    "", "free ground", "obstacle", "selected obstacle", "link", "selected link", "joint", "waypoint"
]
"""What is under the cursor at the press; "" for anything."""


class Action(enum.Enum):
    """What a gesture does."""

    ORBIT = enum.auto()
    PAN = enum.auto()
    ZOOM = enum.auto()
    SELECT = enum.auto()
    SELECT_ONE = enum.auto()
    TOGGLE = enum.auto()
    TOGGLE_ONE = enum.auto()
    SELECT_BOX = enum.auto()
    MOVE_OBSTACLE = enum.auto()
    BEND = enum.auto()
    BEND_OTHER_AXIS = enum.auto()
    MOVE_ROBOT = enum.auto()
    TURN_ROBOT = enum.auto()
    PULL = enum.auto()
    MOVE_WAYPOINT = enum.auto()
    ADD_WAYPOINT = enum.auto()
    REMOVE_WAYPOINT = enum.auto()


@dataclass(frozen=True)
class Gesture:
    """One gesture."""

    action: Action
    kind: Kind
    help: str
    """What it does, for the list of shortcuts."""

    target: Target = ""
    modifiers: Modifier = Modifier.NoModifier
    buttons: tuple[Button, ...] = (Button.LeftButton,)
    alone: bool = False
    """Whether other modifiers must not be held."""

    @property
    def keys(self) -> str:
        """The gesture in words: "Shift+drag an obstacle"."""
        kind: str = self.kind
        if self.buttons != (Button.LeftButton,):
            kind = f"{' or '.join(_BUTTONS[button] for button in self.buttons)}{_LINKS.get(kind, ' ' + kind)}"
        elif kind == "drag" and not self.target and not self.modifiers:
            kind = "left drag"
        held = [name for modifier, name in _MODIFIERS.items() if modifier & self.modifiers]
        text = "+".join([*held, kind])
        if self.target:
            text += f" {_THING.get(self.target, f'a {self.target}')}"
        return text[0].upper() + text[1:]


_BUTTONS = {Button.RightButton: "right", Button.MiddleButton: "middle"}
_LINKS = {"click": "-click"}
_MODIFIERS = {
    Modifier.ControlModifier: "Ctrl",
    Modifier.ShiftModifier: "Shift",
    Modifier.AltModifier: "Alt",
}
_THING: dict[Target, str] = {
    "free ground": "on free ground",
    "obstacle": "any obstacle",
    "link": "any link",
}

GESTURES = (
    Gesture(Action.ORBIT, "drag", "Orbit around the point under the cursor"),
    Gesture(Action.PAN, "drag", "Pan", buttons=(Button.RightButton, Button.MiddleButton)),
    Gesture(Action.ZOOM, "wheel", "Zoom to the cursor"),
    Gesture(
        Action.SELECT,
        "click",
        "Select a link, or an obstacle with its group; on the ground: deselect all",
    ),
    Gesture(
        Action.TOGGLE,
        "click",
        "Add to or remove from the selection",
        modifiers=Modifier.ControlModifier,
    ),
    Gesture(
        Action.SELECT_ONE, "click", "Select one obstacle of a group", modifiers=Modifier.AltModifier
    ),
    Gesture(
        Action.TOGGLE_ONE,
        "click",
        "Add or remove one obstacle of a group",
        modifiers=Modifier.ControlModifier | Modifier.AltModifier,
    ),
    Gesture(
        Action.SELECT_BOX,
        "drag",
        "Select everything in a rectangle",
        "free ground",
        Modifier.ShiftModifier,
    ),
    Gesture(Action.MOVE_OBSTACLE, "drag", "Move it over the ground", "selected obstacle"),
    Gesture(
        Action.MOVE_OBSTACLE, "drag", "Move it over the ground", "obstacle", Modifier.ShiftModifier
    ),
    Gesture(Action.BEND, "drag", "Bend the robot there", "joint"),
    Gesture(
        Action.BEND_OTHER_AXIS,
        "drag",
        "Bend it about its second axis",
        "joint",
        Modifier.ShiftModifier,
    ),
    Gesture(Action.MOVE_ROBOT, "drag", "Move the robot", "selected link"),
    Gesture(Action.MOVE_ROBOT, "drag", "Move the robot", "link", Modifier.ShiftModifier),
    Gesture(Action.TURN_ROBOT, "drag", "Turn the robot", "selected link", Modifier.AltModifier),
    Gesture(
        Action.TURN_ROBOT,
        "drag",
        "Turn the robot",
        "link",
        Modifier.ShiftModifier | Modifier.AltModifier,
    ),
    Gesture(
        Action.PULL,
        "drag",
        "Pull it with a spring while the simulation runs; the wheel sets the stiffness",
        "link",
        Modifier.ControlModifier,
        alone=True,
    ),
    Gesture(
        Action.MOVE_WAYPOINT,
        "drag",
        "Move a waypoint of the path or a corner of a patch",
        "waypoint",
    ),
    Gesture(
        Action.REMOVE_WAYPOINT, "click", "Remove it", "waypoint", buttons=(Button.RightButton,)
    ),
    Gesture(
        Action.ADD_WAYPOINT, "double-click", "Add a waypoint to a path, or a corner to a patch"
    ),
)
"""All gestures, in the order in which they are listed."""


def action_of(
    kind: Kind,
    button: Button,
    modifiers: Modifier,
    target: Target = "",
    among: Collection[Action] = frozenset(Action),
) -> Action | None:
    """Action of a gesture: the one for the target, then the one with most modifiers; None if there is none.

    Parameters
    ----------
    modifiers : Qt.KeyboardModifier
        All modifiers that are held; further ones than those of the gesture do not matter.
    among : collection of Action, optional
        Actions that are possible now.
    """
    held = modifiers & ~Modifier.KeypadModifier
    matches = [
        gesture
        for gesture in GESTURES
        if gesture.action in among
        and gesture.kind == kind
        and button in gesture.buttons
        and gesture.target in ("", target)
        and (
            held == gesture.modifiers
            if gesture.alone
            else held & gesture.modifiers == gesture.modifiers
        )
    ]
    if not matches:
        return None
    return max(matches, key=lambda each: (bool(each.target), _count(each.modifiers))).action


def _count(modifiers: Modifier) -> int:
    return sum(bool(modifiers & each) for each in _MODIFIERS)


def help_rows() -> tuple[tuple[str, str], ...]:
    """Gestures in words with what they do; those with the same action are one row."""
    rows: dict[tuple[Action, str], list[str]] = {}
    for gesture in GESTURES:
        rows.setdefault((gesture.action, gesture.help), []).append(gesture.keys)
    return tuple((", ".join(keys), text) for (_, text), keys in rows.items())
