"""Mouse gestures of the viewport and their actions: one table for the mouse, the tools and the list of shortcuts."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent

Button = Qt.MouseButton
Modifier = Qt.KeyboardModifier

Kind = Literal["click", "double-click", "drag", "wheel", "hold"]
"""Kind of gesture; "hold" is a modifier that is held during another gesture."""

Target = Literal[
    "",
    "free ground",
    "obstacle",
    "selected obstacle",
    "link",
    "selected link",
    "joint",
    "waypoint",
    "handle",
    "transform",
    "box",
    "drawing",
    "measurement",
    "robot",
    "pull",
]
"""What is under the cursor at the press, or what is in progress; "" for anything."""


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
    DRAG_HANDLE = enum.auto()
    ACCEPT_TRANSFORM = enum.auto()
    CANCEL_TRANSFORM = enum.auto()
    INVERT_SNAPPING = enum.auto()
    KEEP_SELECTION = enum.auto()
    ROUND_AMOUNT = enum.auto()
    SET_STIFFNESS = enum.auto()
    SET_POINT = enum.auto()
    DRAW_RECTANGLE = enum.auto()
    FINISH_DRAWING = enum.auto()
    MEASURE = enum.auto()
    MEASURE_UNSNAPPED = enum.auto()


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
        text = self._with_modifiers(kind)
        if self.target:
            text += f" {_THING.get(self.target, f'a {self.target}')}"
        return text[0].upper() + text[1:]

    @property
    def trigger(self) -> str:
        """The gesture in words without its target, with its first button only: "Right-drag"."""
        button = self.buttons[0]
        kind = self.kind if button == Button.LeftButton else f"{_BUTTONS[button]}-{self.kind}"
        text = self._with_modifiers(kind)
        return text[0].upper() + text[1:]

    def _with_modifiers(self, kind: str) -> str:
        held = [name for modifier, name in _MODIFIERS.items() if modifier & self.modifiers]
        return "+".join(held if self.kind == "hold" else [*held, kind])


_BUTTONS = {Button.LeftButton: "left", Button.RightButton: "right", Button.MiddleButton: "middle"}
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
    "transform": "during a transform",
    "box": "with Box Select",
    "drawing": "while drawing",
    "measurement": "while measuring",
    "robot": "while dragging the robot",
    "pull": "while pulling",
}
_MODIFIER_KEYS = {
    Qt.Key.Key_Control: Modifier.ControlModifier,
    Qt.Key.Key_Shift: Modifier.ShiftModifier,
    Qt.Key.Key_Alt: Modifier.AltModifier,
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
    Gesture(Action.SELECT_BOX, "drag", "Select everything in a rectangle", "box"),
    Gesture(
        Action.KEEP_SELECTION,
        "hold",
        "Add to the selection",
        "box",
        Modifier.ControlModifier,
    ),
    Gesture(Action.MOVE_OBSTACLE, "drag", "Move it over the ground", "selected obstacle"),
    Gesture(
        Action.MOVE_OBSTACLE, "drag", "Move it over the ground", "obstacle", Modifier.ShiftModifier
    ),
    Gesture(Action.DRAG_HANDLE, "drag", "Move, rotate or scale along its axis", "handle"),
    Gesture(
        Action.INVERT_SNAPPING,
        "hold",
        "Switch snapping on or off",
        "transform",
        Modifier.ControlModifier,
    ),
    Gesture(Action.ACCEPT_TRANSFORM, "click", "Accept it", "transform"),
    Gesture(
        Action.CANCEL_TRANSFORM, "click", "Cancel it", "transform", buttons=(Button.RightButton,)
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
        Action.ROUND_AMOUNT,
        "hold",
        "Round to 5° and whole centimetres",
        "robot",
        Modifier.ControlModifier,
    ),
    Gesture(
        Action.PULL,
        "drag",
        "Pull it with a spring while the simulation runs",
        "link",
        Modifier.ControlModifier,
        alone=True,
    ),
    Gesture(Action.SET_STIFFNESS, "wheel", "Set the stiffness of the spring", "pull"),
    Gesture(
        Action.MOVE_WAYPOINT,
        "drag",
        "Move a waypoint of the path or a corner of a patch",
        "waypoint",
    ),
    Gesture(
        Action.REMOVE_WAYPOINT, "click", "Remove it", "waypoint", buttons=(Button.RightButton,)
    ),
    Gesture(Action.ADD_WAYPOINT, "double-click", "Add a waypoint to a path"),
    Gesture(
        Action.SET_POINT, "click", "Set a waypoint of a path or a corner of a patch", "drawing"
    ),
    Gesture(Action.DRAW_RECTANGLE, "drag", "Draw a rectangular patch", "drawing"),
    Gesture(Action.FINISH_DRAWING, "double-click", "Finish it", "drawing"),
    Gesture(Action.MEASURE, "click", "Set a point", "measurement"),
    Gesture(
        Action.MEASURE_UNSNAPPED,
        "hold",
        "Do not snap to centres, corners and edges",
        "measurement",
        Modifier.AltModifier,
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


def action_for(
    event: QMouseEvent,
    kind: Kind,
    target: Target = "",
    among: Collection[Action] = frozenset(Action),
) -> Action | None:
    """Action of a gesture with the button and the modifiers of an event; see `action_of`."""
    return action_of(kind, event.button(), event.modifiers(), target, among)


def is_held(action: Action, modifiers: Modifier) -> bool:
    """Whether the modifiers of an action of the kind "hold" are held, or of one that the next press begins."""
    return any(
        gesture.modifiers and modifiers & gesture.modifiers == gesture.modifiers
        for gesture in GESTURES
        if gesture.action is action
    )


def modifiers_after(event: QKeyEvent) -> Modifier:
    """Modifiers that are held after a key was pressed or released."""
    changed = _MODIFIER_KEYS.get(Qt.Key(event.key()), Modifier.NoModifier)
    if event.type() == QEvent.Type.KeyPress:
        return event.modifiers() | changed
    return event.modifiers() & ~changed


def is_idle(event: QMouseEvent) -> bool:
    """Whether no button is held during a movement."""
    return event.buttons() == Button.NoButton


class HeldButton:
    """Button of the gesture in progress; false without one."""

    def __init__(self) -> None:
        self.button = Button.NoButton

    def __bool__(self) -> bool:
        return self.button != Button.NoButton

    def hold(self, event: QMouseEvent) -> None:
        """Begin a gesture with the button of a press."""
        self.button = event.button()

    def adopt(self, other: HeldButton) -> None:
        """Continue a gesture that another tool began."""
        self.button = other.button

    def clear(self) -> None:
        """End the gesture."""
        self.button = Button.NoButton

    def is_released_by(self, event: QMouseEvent) -> bool:
        """Whether a release ends the gesture."""
        return event.button() == self.button

    def is_down(self, event: QMouseEvent) -> bool:
        """Whether the button is held during a movement."""
        return bool(event.buttons() & self.button)


def _count(modifiers: Modifier) -> int:
    return sum(bool(modifiers & each) for each in _MODIFIERS)


def trigger_of(action: Action, target: Target | None = None) -> str:
    """First gesture of an action (on a target) in words without the target: "Shift+drag"."""
    return next(
        gesture.trigger
        for gesture in GESTURES
        if gesture.action is action and target in (None, gesture.target)
    )


def hint_of(action: Action, text: str, target: Target | None = None) -> str:
    """Part of a hint: "Shift+drag: move"."""
    return f"{trigger_of(action, target)}: {text}"


def help_rows() -> tuple[tuple[str, str], ...]:
    """Gestures in words with what they do; those with the same action are one row."""
    rows: dict[tuple[Action, str], list[str]] = {}
    for gesture in GESTURES:
        rows.setdefault((gesture.action, gesture.help), []).append(gesture.keys)
    return tuple((", ".join(keys), text) for (_, text), keys in rows.items())
