"""Table of mouse gestures: unambiguous, complete in the list of shortcuts, and used by mouse and tools."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.help_dialogs import MOUSE
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport import gestures
from snakestudio.gui.viewport.gestures import (
    GESTURES,
    Action,
    Gesture,
    action_of,
    help_rows,
    hint_of,
    is_held,
)
from snakestudio.paths import scenes_dir
from tests.gui.test_editor import grip
from tests.gui.test_viewport import LEFT, NONE, RIGHT, drag

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier

VIEWPORT = Path(gestures.__file__).parent
OTHERS = sorted(path for path in VIEWPORT.rglob("*.py") if path.name != "gestures.py")
MIRRORED = {LEFT: RIGHT, RIGHT: LEFT}


def mouse_comparisons(path: Path) -> Iterator[str]:
    """Places of a file that compare buttons, or modifiers of mouse events, by hand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("MouseButton"):
            yield f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".button", ".buttons")):
            yield f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.FunctionDef):
            events = [ast.unparse(each.annotation) for each in node.args.args if each.annotation]
            if {"QMouseEvent", "QWheelEvent"}.intersection(events):
                yield from (
                    f"{path.name}:{each.lineno}: {ast.unparse(each)}"
                    for each in ast.walk(node)
                    if isinstance(each, ast.Attribute) and "KeyboardModifier" in ast.unparse(each)
                )


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_only_the_table_compares_mouse_buttons(path: Path) -> None:
    assert list(mouse_comparisons(path)) == []


def test_comparisons_by_hand_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "tool.py"
    path.write_text(
        "def press(event: QMouseEvent) -> None:\n"
        "    if event.button() == Qt.MouseButton.LeftButton: pass\n"
        "    if event.modifiers() & Qt.KeyboardModifier.AltModifier: pass\n"
        "def key(event: QKeyEvent) -> None:\n"
        "    if event.modifiers() & Qt.KeyboardModifier.AltModifier: pass\n"
    )
    assert {each.split(":")[1] for each in mouse_comparisons(path)} == {"2", "3"}


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

    def moved(button: Qt.MouseButton) -> tuple[bool, bool]:
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
    assert moved(LEFT)[0]
    assert not moved(RIGHT)[0]
    monkeypatch.setattr(gestures, "GESTURES", changed)
    assert not moved(LEFT)[0]
    assert moved(RIGHT)[0]


def test_hints_name_the_first_button_and_no_target() -> None:
    assert hint_of(Action.MOVE_ROBOT, "move", "link") == "Shift+drag: move"
    assert hint_of(Action.PAN, "pan") == "Right-drag: pan"
    assert hint_of(Action.INVERT_SNAPPING, "snapping") == "Ctrl: snapping"
    rows = dict(help_rows())
    assert "Ctrl during a transform" in rows
    assert "Alt while measuring" in rows
    assert "Right-click during a transform" in rows


def test_held_modifiers_are_those_of_the_table() -> None:
    assert is_held(Action.INVERT_SNAPPING, CTRL | SHIFT)
    assert not is_held(Action.INVERT_SNAPPING, ALT)
    assert not is_held(Action.ORBIT, NONE)


@pytest.fixture
def mirrored(drawn: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window seen from above, whose mouse has left and right exchanged, and Alt instead of Ctrl."""
    drawn.context.document.open(scenes_dir() / "obstacle_aided.toml")
    viewport = drawn.context.viewport
    viewport.navigator.view("top")
    viewport.navigator.finish()
    viewport.frame_all(at_once=True)
    changed = tuple(
        replace(
            each,
            buttons=tuple(MIRRORED.get(button, button) for button in each.buttons),
            modifiers=ALT if each.kind == "hold" and each.modifiers == CTRL else each.modifiers,
        )
        for each in GESTURES
    )
    monkeypatch.setattr(gestures, "GESTURES", changed)
    return drawn


def test_tools_follow_the_table(mirrored: MainWindow, qtbot: QtBot) -> None:
    context = mirrored.context
    viewport = context.viewport
    tools = viewport.tools

    def at(x: float, y: float) -> QPoint:
        return viewport.pixel((x, y, 0.0)).toPoint()

    context.action_registry["measure"].trigger()
    assert viewport.hint.text().startswith("Right-click the first")
    qtbot.mouseClick(viewport, LEFT, NONE, at(1.2, -0.4))
    assert tools.measure_tool.start is None
    qtbot.mouseClick(viewport, RIGHT, NONE, at(1.2, -0.4))
    qtbot.mouseClick(viewport, RIGHT, NONE, at(1.5, -0.8))
    assert tools.measure_tool.points is not None
    tools.cancel()

    box = tools.editor.box_tool
    box.arm()
    assert viewport.hint.text().startswith("Right-drag a")
    assert "Alt: add" in viewport.hint.text()
    drag(qtbot, viewport, QPoint(20, 20), viewport.rect().bottomRight() - QPoint(20, 20), RIGHT)
    assert len(context.selection.obstacles) > 3

    context.selection.set([("obstacle", 4)])
    before = context.document.scene
    tools.editor.transforms.start("move")
    assert tools.editor.transforms.busy
    qtbot.mouseClick(viewport, LEFT, NONE, at(0.5, 0.5))  # the left button cancels
    assert not tools.editor.transforms.busy
    assert context.document.scene == before
    position = grip(viewport, "x")
    drag(qtbot, viewport, position, position + QPoint(60, 0), RIGHT)
    moved = context.document.scene.obstacles[4]
    assert moved.x_m > before.obstacles[4].x_m
    assert moved.y_m == before.obstacles[4].y_m

    context.action_registry["draw_path"].trigger()
    assert viewport.hint.text().startswith("Right-click: set a")
    qtbot.mouseClick(viewport, LEFT, NONE, at(0.3, 0.4))
    for x, y in ((0.3, 0.4), (1.1, 0.2)):
        qtbot.mouseClick(viewport, RIGHT, NONE, at(x, y))
    qtbot.mouseDClick(viewport, RIGHT, NONE, at(1.1, 0.2))
    assert len(context.document.scene.path.waypoints_m) == 2

    context.action_registry["draw_patch"].trigger()
    patches = len(context.document.scene.ground.patch)
    assert viewport.hint.text().startswith("Right-drag: rectangle")
    drag(qtbot, viewport, at(0.2, 0.2), at(0.6, 0.5), RIGHT)
    assert len(context.document.scene.ground.patch) == patches + 1
