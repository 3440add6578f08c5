"""The robot's start edited with the mouse: drag and turn links, bend joints by handles, each in one undo step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits import with_values
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.viewport.robot_drag import Bend, Displacement, Turn
from snakestudio.viewmodel.viewport.robot_target import RobotTarget
from tests.gui.conftest import COMPILING_MS
from tests.gui.pages.hands import move
from tests.gui.test_viewport import CTRL, LEFT, NONE, SHIFT, drag

pytestmark = pytest.mark.gui

ALT = Qt.KeyboardModifier.AltModifier
LINK = 6


def seen(viewport: Viewport, x: float, y: float, z: float = 0.0) -> QPoint:
    return viewport.pixel((x, y, z)).toPoint()


def pose_of(window: MainWindow) -> NDArray[np.float64]:
    """Start of the robot in the scene."""
    return initial_state(window.context.document.scene, window.context.document.base_dir)[0]


def link_at(window: MainWindow, link: int) -> QPoint:
    """Position of the back of a link in the view."""
    x, y, z = pose_of(window)[link, :3]
    return seen(window.context.viewport, x, y, z + window.context.document.scene.robot.radius_m)


def from_above(window: MainWindow) -> None:
    window.context.viewport.frame_all(at_once=True)
    window.context.viewport.navigator.view("top")
    window.context.viewport.navigator.finish()


def shows_its_start(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the view shows the scene's start."""

    def same() -> bool:
        snapshot = window.context.viewport.snapshot
        return snapshot is not None and np.allclose(snapshot.link_pose, pose_of(window), atol=1e-9)

    qtbot.waitUntil(same, timeout=COMPILING_MS)


@pytest.fixture
def placing(drawn: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with a view from above on a robot at its start, without other objects, and with a link selected."""
    drawn.context.document.edit(
        with_values(drawn.context.document.scene, {"obstacles": []}), "Clear"
    )
    qtbot.waitUntil(
        lambda: drawn.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    shows_its_start(drawn, qtbot)
    from_above(drawn)
    drawn.context.selection.set([("link", LINK)])
    return drawn


def test_dragged_link_moves_the_robot_in_one_step(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    before = pose_of(placing)
    steps = document.undo_stack.count()
    kind = document.scene.start.kind
    begin = link_at(placing, LINK)
    away = QPoint(60, -35)
    pixel = float(viewport.navigator.camera.view_height((0, 0, 0))) / viewport.height()
    qtbot.mouseMove(viewport, begin)
    qtbot.waitUntil(lambda: "Drag: move" in viewport.hint.text())
    drag(qtbot, viewport, begin, begin + away, release=False)
    target = before[:, :2] + np.array([60, 35]) * pixel
    qtbot.waitUntil(lambda: np.allclose(pose_of(placing)[:, :2], target, atol=0.02))
    shows_its_start(placing, qtbot)  # while the button is pressed
    assert viewport.hint.text().startswith("Δx +0.")
    assert viewport.drafting_overlay.isVisible()
    qtbot.mouseRelease(viewport, LEFT, NONE, begin + away)
    np.testing.assert_allclose(pose_of(placing)[:, :2], target, atol=0.02)
    np.testing.assert_allclose(pose_of(placing)[:, 3:], before[:, 3:], atol=1e-9)
    assert document.scene.start.kind == kind
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText() == "Move robot"
    assert placing.context.selection.links == (LINK,)
    document.undo_stack.undo()
    np.testing.assert_array_equal(pose_of(placing), before)


def test_new_start_is_drawn_before_the_engine_has_it(placing: MainWindow, qtbot: QtBot) -> None:
    # Without waiting: a dragged robot must not lag behind the cursor.
    for x in (0.1, 0.2, 0.3):
        placing.context.document.set_value("start.x_m", x, "Place")
        snapshot = placing.context.viewport.snapshot
        assert snapshot is not None
        np.testing.assert_allclose(snapshot.link_pose, pose_of(placing), atol=1e-12)
    placing.context.session_controller.session.settle()
    qtbot.waitUntil(
        lambda: (
            placing.context.session_controller.displayed
            is placing.context.session_controller.session.latest
        )
    )
    shows_its_start(placing, qtbot)


def test_x_keeps_to_the_axis_and_escape_restores_the_start(
    placing: MainWindow, qtbot: QtBot
) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    before = pose_of(placing)
    scene = document.scene
    camera = viewport.navigator.camera
    begin = link_at(placing, LINK)
    drag(qtbot, viewport, begin, begin + QPoint(50, 50), release=False)
    qtbot.keyClick(viewport, Qt.Key.Key_X)
    moved = pose_of(placing)[:, :2] - before[:, :2]
    assert (moved[:, 0] > 0.05).all()
    np.testing.assert_allclose(moved[:, 1], 0.0, atol=1e-9)
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    assert document.scene == scene
    qtbot.mouseMove(viewport, begin + QPoint(90, 10))
    qtbot.mouseRelease(viewport, LEFT, NONE, begin + QPoint(90, 10))
    assert document.scene == scene
    assert document.undo_stack.undoText() == "Clear"
    assert viewport.navigator.camera == camera
    assert placing.context.selection.links == (LINK,)


def test_alt_drag_turns_the_robot_about_the_link(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    before = pose_of(placing)
    begin = link_at(placing, LINK)
    for modifier in (ALT, ALT | CTRL):
        qtbot.mousePress(viewport, LEFT, modifier, begin)
        for part in range(1, 6):
            at = begin + QPoint(0, -12 * part)
            move(viewport, at, held=LEFT, modifiers=modifier)
        qtbot.mouseRelease(viewport, LEFT, modifier, begin + QPoint(0, -60))
        after = pose_of(placing)
        np.testing.assert_allclose(after[LINK, :2], before[LINK, :2], atol=1e-8)
        assert np.linalg.norm(after[0, :2] - before[0, :2]) > 0.1
        np.testing.assert_allclose(
            np.linalg.norm(after[:, :2] - after[LINK, :2], axis=1),
            np.linalg.norm(before[:, :2] - before[LINK, :2], axis=1),
            atol=1e-8,
        )
        assert document.undo_stack.undoText() == "Turn robot"
        turned = 2 * math.degrees(
            math.atan2(after[0, 6], after[0, 3]) - math.atan2(before[0, 6], before[0, 3])
        )
        document.undo_stack.undo()
    assert abs(math.remainder(turned, 5.0)) < 1e-6
    assert abs(math.remainder(turned, 360.0)) >= 5.0


@pytest.mark.parametrize("joint", [1, 8])
def test_handle_of_a_joint_bends_the_shorter_end(
    placing: MainWindow, qtbot: QtBot, joint: int
) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    before = pose_of(placing)
    angles = initial_joint_angles(document.scene)
    steps = document.undo_stack.count()
    begin = seen(viewport, *viewport.tools.robot_tool.handles()[joint])
    qtbot.mouseMove(viewport, begin)
    qtbot.waitUntil(lambda: viewport.tools.robot_tool.hovered == joint)
    assert viewport.hint.text().startswith(f"Joint {joint + 1} · ")
    drag(qtbot, viewport, begin, begin + QPoint(5, 60), release=False)
    qtbot.waitUntil(lambda: document.undo_stack.count() == steps + 1)
    arc = viewport.tools.robot_tool.arc
    assert arc is not None
    qtbot.mouseRelease(viewport, LEFT, NONE, begin + QPoint(5, 60))
    after = pose_of(placing)
    bent = initial_joint_angles(document.scene)
    assert document.scene.start.kind == "joint_angles"
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText() == f"Bend joint {joint + 1}"
    assert abs(bent[joint] - angles[joint]) > math.radians(10)
    others = np.arange(len(angles)) != joint
    np.testing.assert_allclose(bent[others], angles[others], atol=1e-9)
    stays = slice(joint + 1, None) if joint == 1 else slice(0, joint + 1)
    moves = slice(0, joint + 1) if joint == 1 else slice(joint + 1, None)
    np.testing.assert_allclose(after[stays, :3], before[stays, :3], atol=1e-8)
    np.testing.assert_allclose(matrices(after[stays, 3:]), matrices(before[stays, 3:]), atol=1e-8)
    assert np.linalg.norm(after[moves, :2] - before[moves, :2], axis=1).min() > 1e-3
    # The end follows the cursor: downwards in the view is -y.
    assert (after[moves, 1] < before[moves, 1]).all()
    assert math.degrees(bent[joint]) == pytest.approx(round(math.degrees(bent[joint]), 1), abs=1e-6)


def test_bend_stops_at_the_joint_limit(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    document.edit(with_values(document.scene, {"robot.joint_limit_deg": 45.0}), "Limit")
    shows_its_start(placing, qtbot)
    begin = seen(viewport, *viewport.tools.robot_tool.handles()[8])
    drag(qtbot, viewport, begin, begin - QPoint(0, 250), release=False)
    qtbot.waitUntil(lambda: "its limit" in viewport.hint.text())
    qtbot.mouseRelease(viewport, LEFT, NONE, begin - QPoint(0, 250))
    assert abs(math.degrees(initial_joint_angles(document.scene)[8])) == pytest.approx(
        45.0, abs=1e-9
    )


def test_start_cannot_be_moved_after_a_run(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    placing.context.session_controller.session.step()
    qtbot.waitUntil(lambda: placing.context.session_controller.status.state == "paused")
    assert not len(viewport.tools.robot_tool.handles())
    scene = document.scene
    begin = link_at(placing, LINK)
    qtbot.mouseMove(viewport, begin + QPoint(1, 0))
    qtbot.mouseMove(viewport, begin)
    qtbot.waitUntil(lambda: viewport.hint.text().startswith(f"Link {LINK + 1} · reset"))
    drag(qtbot, viewport, begin, begin + QPoint(40, 0))
    assert document.scene is scene
    placing.context.session_controller.reset()
    qtbot.waitUntil(lambda: placing.context.session_controller.status.state == "ready")
    qtbot.waitUntil(lambda: len(viewport.tools.robot_tool.handles()) > 0)


def test_shift_drag_moves_an_unselected_link(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    scene = document.scene
    qtbot.mouseClick(viewport, LEFT, NONE, link_at(placing, 3))
    assert placing.context.selection.links == (3,)
    assert document.scene is scene
    begin = link_at(placing, 9)
    drag(qtbot, viewport, begin, begin + QPoint(20, 30), modifier=SHIFT)
    assert placing.context.selection.links == (9,)
    assert document.undo_stack.undoText() == "Move robot"


def test_commands_reset_or_adopt_the_pose(placing: MainWindow, qtbot: QtBot) -> None:
    document = placing.context.document
    table = placing.context.action_registry
    middle = pose_of(placing)[:, :2].mean(axis=0)
    table["straighten_robot"].trigger()
    assert document.scene.start.kind == "straight"
    np.testing.assert_allclose(pose_of(placing)[:, :2].mean(axis=0), middle, atol=1e-5)
    table["robot_to_gait"].trigger()
    assert document.scene.start.kind == "gait"
    np.testing.assert_allclose(pose_of(placing)[:, :2].mean(axis=0), middle, atol=1e-5)
    assert "gait" in document.undo_stack.undoText()
    shows_its_start(placing, qtbot)
    for _ in range(5):
        placing.context.session_controller.session.step(200)
    qtbot.waitUntil(lambda: placing.context.session_controller.status.state == "paused")
    placing.context.session_controller.session.settle()
    qtbot.waitUntil(
        lambda: (
            placing.context.session_controller.displayed
            is placing.context.session_controller.session.latest
        )
    )
    snapshot = placing.context.viewport.snapshot
    assert snapshot is not None
    table["start_here"].trigger()
    np.testing.assert_allclose(pose_of(placing)[:, :2], snapshot.link_pose[:, :2], atol=1e-6)
    assert "Start" in document.undo_stack.undoText()
    placing.context.session_controller.reset()
    shows_its_start(placing, qtbot)


def test_continuous_body_is_dragged_without_joints(drawn: MainWindow, qtbot: QtBot) -> None:
    drawn.context.files.open(scenes_dir() / "continuum_snake_2d.toml")
    viewport = drawn.context.viewport
    qtbot.waitUntil(lambda: viewport.settled and viewport.api.placeable)
    from_above(drawn)
    assert (
        not drawn.context.action_registry["straighten_robot"].isEnabled()
        or not drawn.context.action_registry.refresh()
    )
    before = pose_of(drawn)
    drawn.context.selection.set([("link", 20)])
    assert not len(viewport.tools.robot_tool.handles())
    begin = seen(viewport, *before[20, :3])
    drag(qtbot, viewport, begin, begin + QPoint(40, 20))
    moved = pose_of(drawn)[:, :2] - before[:, :2]
    np.testing.assert_allclose(moved, moved[0] * np.ones((len(moved), 1)), atol=1e-8)
    assert moved[0, 0] > 0.01
    assert moved[0, 1] < -0.005
    assert drawn.context.document.undo_stack.undoText() == "Move robot"


@pytest.mark.parametrize("joint", [1, 8])
def test_shift_bends_a_spatial_robot_up_and_down(joint: int) -> None:
    # Up in the view raises the end that turns, whichever it is; 70 pixels are half a right angle.
    scene = with_values(Scene(), {"model.kind": "spatial_nonsmooth", "start.z_m": 1.0})
    before = initial_state(scene)[0]
    bend = Bend(scene, None, before, joint=joint, axis="pitch")
    after = initial_state(
        bend.scene_at(Displacement(np.array([0.3, -0.2]), 70.0, 0.002, coarse=False))
    )[0]
    end, other = (0, -1) if joint == 1 else (-1, 0)
    arm = (joint + 0.5) if joint == 1 else (10 - joint - 0.5)
    raised = arm * scene.robot.link_length_m * math.sin(math.pi / 4)
    np.testing.assert_allclose(after[other], before[other], atol=1e-9)
    assert after[end, 2] - before[end, 2] == pytest.approx(raised)
    assert bend.amount == f"Joint {joint + 1}: pitch \N{MINUS SIGN}45.0°"
    assert bend.text == f"Bend joint {joint + 1}"
    bend.scene_at(Displacement(np.zeros(2), -30.0, 0.002, coarse=True))
    assert bend.amount.endswith("pitch 25.0°")


def test_lever_can_be_turned_repeatedly() -> None:
    turn = Turn(Scene(), None, initial_state(Scene())[0], link=0)
    lever = 70 * 0.01
    for degrees in range(0, 800, 20):
        angle = math.radians(degrees)
        path = lever * np.array([math.cos(angle) - 1.0, math.sin(angle)])
        turned = turn.scene_at(Displacement(path, 0.0, 0.01, coarse=False))
    assert turn.amount == "780.0°"
    heading = turned.start.heading_deg  # type: ignore[union-attr]
    assert heading == pytest.approx(60.0)


def test_gizmo_moves_and_turns_the_robot() -> None:
    flat = Scene()
    subject = RobotTarget(flat, link=2)
    assert (subject.title, subject.move_axes, subject.turn_axes, subject.scale_axes) == (
        "robot",
        "xy",
        "z",
        "",
    )
    pivot = subject.pivot(flat)
    np.testing.assert_array_equal(pivot, initial_state(flat)[0][2, :3])
    np.testing.assert_allclose(
        RobotTarget(flat).pivot(flat), initial_state(flat)[0][:, :3].mean(axis=0)
    )
    shift = np.array([1.0, 2.0, 0.0])
    turned = subject.turned(subject.moved(flat, shift), "z", 0.5, pivot + shift)
    np.testing.assert_allclose(initial_state(turned)[0][2, :3], pivot + shift, atol=1e-8)
    assert subject.scaled(turned, np.array([2.0, 2.0, 2.0]), pivot) is turned
    space = with_values(flat, {"model.kind": "spatial_nonsmooth"})
    subject = RobotTarget(space)
    assert (subject.move_axes, subject.turn_axes) == ("xyz", "xyz")
    centre = subject.pivot(space)
    upright = subject.turned(space, np.array([0.0, 1.0, 0.0]), -math.pi / 2, centre)
    position = initial_state(upright)[0][:, :3]
    assert np.ptp(position[:, 2]) == pytest.approx(10 * space.robot.link_length_m)
    assert np.ptp(position[:, :2], axis=0).max() < 1e-8


def test_keys_and_gizmo_move_the_robot_by_typed_values(placing: MainWindow, qtbot: QtBot) -> None:
    viewport = placing.context.viewport
    document = placing.context.document
    before = pose_of(placing)
    steps = document.undo_stack.count()
    viewport.setFocus()
    assert viewport.overlays().gizmo is not None
    qtbot.waitUntil(placing.context.action_registry["move"].isEnabled)
    for key in ("g", "x", "0", ".", "2", "5"):
        qtbot.keyClick(viewport, key)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    np.testing.assert_allclose(pose_of(placing)[:, 0], before[:, 0] + 0.25, atol=1e-9)
    np.testing.assert_allclose(pose_of(placing)[:, 1], before[:, 1], atol=1e-9)
    for key in ("r", "9", "0"):
        qtbot.keyClick(viewport, key)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    turned = pose_of(placing)
    middle = pose_of(placing)[LINK, :2]
    # By a quarter turn about the selected link: what was ahead along x is ahead along y.
    ahead = before[0, :2] - before[LINK, :2]
    np.testing.assert_allclose(turned[0, :2] - middle, (-ahead[1], ahead[0]), atol=1e-6)
    assert document.undo_stack.count() == steps + 2
    qtbot.keyClick(viewport, "s")  # a robot cannot be scaled
    assert not viewport.tools.editor.transforms.busy
    placing.context.selection.set([("link", LINK), ("start", 0)])
    assert viewport.overlays().gizmo is not None
    placing.context.selection.clear()
    assert viewport.overlays().gizmo is None
