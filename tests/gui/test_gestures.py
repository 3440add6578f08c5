"""Table of mouse gestures: unambiguous, complete in the list of shortcuts, and used by mouse and tools."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.help_dialogs import MOUSE
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport import gestures
from snakestudio.gui.viewport.gestures import GESTURES, Action, Gesture, action_of, help_rows

LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier


def test_each_gesture_has_one_action() -> None:
    triggers = sorted(
        (each.kind, button.value, each.modifiers.value, each.target)
        for each in GESTURES
        for button in each.buttons
    )
    assert all(one != other for one, other in pairwise(triggers))
    assert {each.action for each in GESTURES} == set(Action)


@pytest.mark.parametrize(
    ("kind", "button", "modifiers", "target", "action"),
    [
        ("drag", LEFT, NONE, "", Action.ORBIT),
        ("drag", LEFT, ALT, "obstacle", Action.ORBIT),
        ("drag", RIGHT, SHIFT, "obstacle", Action.PAN),
        ("drag", LEFT, NONE, "selected obstacle", Action.MOVE_OBSTACLE),
        ("drag", LEFT, CTRL, "selected obstacle", Action.MOVE_OBSTACLE),
        ("drag", LEFT, SHIFT | CTRL, "obstacle", Action.MOVE_OBSTACLE),
        ("drag", LEFT, SHIFT, "free ground", Action.SELECT_BOX),
        ("drag", LEFT, CTRL | KEYPAD, "link", Action.PULL),
        ("drag", LEFT, SHIFT, "link", Action.MOVE_ROBOT),
        ("drag", LEFT, SHIFT | ALT, "link", Action.TURN_ROBOT),
        ("click", LEFT, CTRL | ALT, "", Action.TOGGLE_ONE),
        ("click", RIGHT, NONE, "", None),
        ("click", RIGHT, NONE, "waypoint", Action.REMOVE_WAYPOINT),
        ("drag", Qt.MouseButton.BackButton, NONE, "", None),
    ],
)
def test_most_specific_gesture_decides(
    kind: gestures.Kind,
    button: Qt.MouseButton,
    modifiers: Qt.KeyboardModifier,
    target: gestures.Target,
    action: Action | None,
) -> None:
    assert action_of(kind, button, modifiers, target) is action


def test_only_possible_actions_are_considered() -> None:
    assert action_of("drag", LEFT, CTRL | SHIFT, "link", {Action.PULL}) is None
    assert action_of("drag", LEFT, SHIFT, "obstacle", {Action.ORBIT}) is Action.ORBIT


def test_list_of_shortcuts_is_made_from_the_table() -> None:
    rows = dict(help_rows())
    assert len(rows) == len({(each.action, each.help) for each in GESTURES})
    moves = [each for each in GESTURES if each.action is Action.MOVE_OBSTACLE]
    assert rows[", ".join(each.keys for each in moves)] == moves[0].help
    assert moves[1].keys == "Shift+drag any obstacle"
    assert rows["Right or middle drag"] == "Pan"
    assert "Right-click a waypoint" in rows
    title, topic = MOUSE[0]
    assert "viewport" in title
    assert topic[: len(rows)] == help_rows()


def test_mouse_follows_the_table(
    drawn: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other buttons in the table, the view pans with the left and orbits with the right."""
    viewport = drawn.context.viewport
    viewport.navigator.finish()
    corner = viewport.rect().center()

    def drag(button: Qt.MouseButton) -> tuple[bool, bool]:
        before = viewport.camera
        QTest.mousePress(viewport, button, pos=corner)
        for step in (10, 20, 30):
            QTest.mouseMove(viewport, corner + type(corner)(step, 5))
        QTest.mouseRelease(viewport, button, pos=corner + type(corner)(30, 5))
        after = viewport.camera
        return after.azimuth != before.azimuth, after.target != before.target

    drawn.context.selection.clear()
    changed = tuple(
        Gesture(each.action, each.kind, each.help, each.target, each.modifiers, (RIGHT,))
        if each.action is Action.ORBIT
        else Gesture(each.action, each.kind, each.help, each.target, each.modifiers, (LEFT,))
        if each.action is Action.PAN
        else each
        for each in GESTURES
    )
    assert drag(LEFT)[0]
    assert not drag(RIGHT)[0]
    monkeypatch.setattr(gestures, "GESTURES", changed)
    assert not drag(LEFT)[0]
    assert drag(RIGHT)[0]
