"""The viewport: navigation, hovering, picking, dragging obstacles, the frame itself, and the view without OpenGL."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import STANDARD_VIEWS
from snakestudio.drawing.quality import Quality
from snakestudio.errors import GraphicsError
from snakestudio.gui.core.settings import ViewOptions
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.threaded_view import RenderThread, Result, ThreadedView
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.viewport.trail import TrailReader
from snakestudio.viewmodel.viewport.view_settings import TRAIL_MIDDLE, ViewSettings, rows_of
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.hands import move

LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


def top_of(viewport: Viewport, obstacle: int) -> QPoint:
    """Position of the lid of an obstacle in the view."""
    o = viewport.scene.obstacles[obstacle]
    return viewport.pixel((o.x_m, o.y_m, o.height_m)).toPoint()


def drag(
    qtbot: QtBot,
    viewport: Viewport,
    start: QPoint,
    end: QPoint,
    button: Qt.MouseButton = LEFT,
    modifier: Qt.KeyboardModifier = NONE,
    release: bool = True,
) -> None:
    qtbot.mousePress(viewport, button, modifier, start)
    for part in (0.25, 0.5, 0.75, 1.0):
        # Qt's test mouse does not hold buttons; the viewport stores them.
        qtbot.mouseMove(viewport, start + (end - start) * part)
    if release:
        qtbot.mouseRelease(viewport, button, modifier, end)


# -------------------------------------------------------------------------------------------- frame


def test_frame_shows_the_scene(drawn: MainWindow) -> None:
    image = drawn.context.viewport.image()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    red, green, blue = (pixels[..., k].astype(int) for k in (2, 1, 0))
    orange = (red > 150) & (green > 80) & (blue < 120) & (red - blue > 70)
    robot = (green > red + 40) & (green > blue + 15)
    assert orange.mean() > 0.01, "no obstacle is visible"
    assert robot.mean() > 0.003, "no robot is visible"


def test_screen_shows_the_frame(drawn: MainWindow, qtbot: QtBot) -> None:
    at = top_of(drawn.context.viewport, 3)

    def is_orange() -> bool:
        colour = drawn.context.viewport.grab().toImage().pixelColor(at)
        return colour.red() > 120 and colour.red() > colour.blue() + 50

    qtbot.waitUntil(is_orange)


def test_nothing_is_drawn_while_nothing_changes(drawn: MainWindow, qtbot: QtBot) -> None:
    surface = drawn.context.viewport.gl
    assert isinstance(surface, ThreadedView)
    drawn.context.session_controller.close()
    pictures: list[Result] = []
    thread = surface.findChild(RenderThread)
    assert thread is not None
    thread.finished.connect(pictures.append)
    drawn.context.viewport.refresh()
    # A moving view is drawn as time allows, a resting one is redrawn in full quality.
    qtbot.waitUntil(lambda: bool(pictures) and pictures[-1].quality == Quality.HIGH)
    count = len(pictures)
    qtbot.wait(1000)
    assert len(pictures) == count
    drawn.context.selection.set([("obstacle", 0)])
    qtbot.waitUntil(lambda: len(pictures) > count)


def test_robot_of_the_previous_scene_is_not_drawn(drawn: MainWindow) -> None:
    assert drawn.context.viewport.snapshot is not None
    drawn.context.session_controller.close()  # so that the new scene gives no snapshot
    drawn.context.files.open(MAIN_SCENE)
    assert drawn.context.viewport.snapshot is None
    assert not drawn.context.viewport.settled


def test_screenshot_has_the_requested_size(drawn: MainWindow) -> None:
    size = drawn.context.viewport.size() * 2
    assert drawn.context.viewport.image(size).size() == size


# --------------------------------------------------------------------------------------- navigation


def test_left_drag_orbits_about_the_point_under_the_cursor(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    start = top_of(viewport, 3)
    picked = viewport.pick(QPointF(start))
    assert picked is not None
    assert (picked.kind, picked.index) == ("obstacle", 3)
    assert picked.point is not None
    azimuth = viewport.navigator.camera.azimuth
    drag(qtbot, viewport, start, start + QPoint(120, 0))
    assert abs(math.remainder(viewport.navigator.camera.azimuth - azimuth, math.tau)) > 0.3
    now = viewport.pixel(picked.point)
    assert abs(now.x() - start.x()) < 2
    assert abs(now.y() - start.y()) < 2
    assert drawn.context.selection.items == frozenset(), "a drag is not a click"


def test_right_drag_pans_with_the_cursor(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    start = viewport.pixel((1.0, -0.6, 0.0)).toPoint()
    end = QPoint(60, 40)
    picked = viewport.pick(QPointF(start))
    assert picked is not None
    assert picked.point is not None
    drag(qtbot, viewport, start, start + end, RIGHT)
    now = viewport.pixel(picked.point)
    assert abs(now.x() - start.x() - end.x()) < 2
    assert abs(now.y() - start.y() - end.y()) < 2


def test_wheel_zooms_to_the_cursor(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    at = QPointF(top_of(viewport, 5))
    picked = viewport.pick(at)
    assert picked is not None
    assert picked.point is not None
    distance = viewport.navigator.camera.distance
    event = QWheelEvent(
        at,
        QPointF(viewport.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)
    assert viewport.navigator.camera.distance < 0.8 * distance
    now = viewport.pixel(picked.point)
    assert (now - at).manhattanLength() < 2


@pytest.mark.parametrize(("key", "view"), [("7", "top"), ("1", "front"), ("3", "right")])
def test_keys_show_standard_views(drawn: MainWindow, qtbot: QtBot, key: str, view: str) -> None:
    navigator = drawn.context.viewport.navigator
    qtbot.keyClicks(drawn.context.viewport, key)
    qtbot.waitUntil(lambda: not navigator.moving and navigator.camera.orthographic)
    azimuth, elevation, _ = STANDARD_VIEWS[view]
    assert math.degrees(navigator.camera.azimuth) == pytest.approx(azimuth)
    assert math.degrees(navigator.camera.elevation) == pytest.approx(elevation)


def test_5_switches_perspective(drawn: MainWindow, qtbot: QtBot) -> None:
    assert not drawn.context.viewport.navigator.camera.orthographic
    qtbot.keyClicks(drawn.context.viewport, "5")
    assert drawn.context.viewport.navigator.camera.orthographic
    qtbot.waitUntil(lambda: not drawn.context.action_registry["view_projection"].isChecked())


def test_f_frames_the_selection_and_home_everything(drawn: MainWindow, qtbot: QtBot) -> None:
    navigator = drawn.context.viewport.navigator
    framed = navigator.camera
    drawn.context.selection.set([("obstacle", 6)])
    qtbot.keyClicks(drawn.context.viewport, "f")
    qtbot.waitUntil(lambda: not navigator.moving and navigator.camera != framed)
    o = drawn.context.document.scene.obstacles[6]
    assert navigator.camera.target[:2] == pytest.approx((o.x_m, o.y_m), abs=1e-6)
    assert navigator.camera.distance < 0.5 * framed.distance
    qtbot.keyClick(drawn.context.viewport, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: not navigator.moving)
    assert navigator.camera.distance == pytest.approx(framed.distance, rel=1e-6)


def test_buttons_over_the_view_work(drawn: MainWindow, qtbot: QtBot) -> None:
    navigator = drawn.context.viewport.navigator
    buttons = {
        button.text(): button
        for button in drawn.context.viewport.buttons.findChildren(QAbstractButton)
    }
    assert buttons["Follow"].isChecked()
    qtbot.mouseClick(buttons["Follow"], LEFT)
    assert not navigator.following
    assert not buttons["Follow"].isChecked()
    qtbot.mouseClick(buttons["Follow"], LEFT)
    assert navigator.following
    qtbot.mouseClick(buttons["Top"], LEFT)
    qtbot.waitUntil(lambda: not navigator.moving)
    assert navigator.camera.elevation == pytest.approx(math.pi / 2)
    assert buttons["Top"].isChecked()
    assert not buttons["Persp"].isChecked()
    qtbot.mouseClick(buttons["Persp"], LEFT)
    assert not navigator.camera.orthographic


def test_following_keeps_the_robot_in_view(drawn: MainWindow, qtbot: QtBot) -> None:
    navigator = drawn.context.viewport.navigator
    qtbot.keyClicks(drawn.context.viewport, "c")
    assert not navigator.following
    qtbot.keyClicks(drawn.context.viewport, "c")
    assert navigator.following
    navigator.touched = False
    navigator.follow((1.0, 0.0, 0.05))
    assert not navigator.touched, "a scene that is being opened is framed later"
    qtbot.waitUntil(lambda: not navigator.moving)
    navigator.follow((1.5, 0.2, 0.05))
    assert navigator.camera.target == pytest.approx((1.5, 0.2, 0.05))
    qtbot.keyClicks(drawn.context.viewport, "c")
    assert not navigator.following


@pytest.mark.parametrize("name", ["obstacle_aided", "sidewinding", "stairs", "path_following"])
def test_robot_of_a_new_scene_does_not_leave_the_view(
    drawn: MainWindow, qtbot: QtBot, name: str
) -> None:
    viewport = drawn.context.viewport
    navigator = viewport.navigator
    assert drawn.context.files.open(scenes_dir() / f"{name}.toml")
    qtbot.waitUntil(lambda: viewport.settled)
    assert navigator.following
    snapshot = viewport.snapshot
    assert snapshot is not None
    begin = snapshot.centre_of_mass
    at = viewport.pixel(tuple(begin))
    assert viewport.rect().contains(at.toPoint())
    camera = navigator.camera
    navigator.follow(begin)
    assert navigator.camera == camera, "everything stays framed at the start"
    away = begin + np.array([2.0, 0.5, 0.0])
    navigator.follow(away)
    assert np.allclose(viewport.pixel(tuple(away)).toTuple(), at.toTuple(), atol=1.0)


# --------------------------------------------------------------------------------- hover and select


def test_hovering_names_the_object_under_the_cursor(drawn: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseMove(drawn.context.viewport, top_of(drawn.context.viewport, 4))
    qtbot.waitUntil(lambda: drawn.context.selection.hovered == ("obstacle", 4))
    assert "Cylinder 5" in drawn.context.viewport.hint.text()
    qtbot.mouseMove(
        drawn.context.viewport, drawn.context.viewport.pixel((1.0, -0.8, 0.0)).toPoint()
    )
    qtbot.waitUntil(lambda: drawn.context.selection.hovered is None)


def test_clicks_select_toggle_and_clear(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    selection = drawn.context.selection
    qtbot.mouseClick(viewport, LEFT, NONE, top_of(viewport, 4))
    assert selection.items == {("obstacle", 4)}
    qtbot.mouseClick(viewport, LEFT, CTRL, top_of(viewport, 5))
    assert selection.items == {("obstacle", 4), ("obstacle", 5)}
    qtbot.mouseClick(viewport, LEFT, CTRL, top_of(viewport, 4))
    assert selection.items == {("obstacle", 5)}
    qtbot.mouseClick(viewport, LEFT, NONE, viewport.pixel((1.0, -0.8, 0.0)).toPoint())
    assert selection.items == frozenset()


def test_click_on_a_link_selects_it(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    viewport.navigator.jump(viewport.navigator.camera.standard("top"))
    snapshot = drawn.context.session_controller.displayed
    assert snapshot is not None
    x, y, z = snapshot.link_pose[5, :3]
    qtbot.mouseClick(viewport, LEFT, NONE, viewport.pixel((x, y, z)).toPoint())
    assert drawn.context.selection.items == {("link", 5)}


def test_delete_removes_selected_obstacles_with_undo(drawn: MainWindow, qtbot: QtBot) -> None:
    before = drawn.context.document.scene
    qtbot.mouseClick(drawn.context.viewport, LEFT, NONE, top_of(drawn.context.viewport, 4))
    qtbot.waitUntil(drawn.context.action_registry["delete"].isEnabled)
    qtbot.keyClick(drawn.context.viewport, Qt.Key.Key_Delete)
    assert len(drawn.context.document.scene.obstacles) == 6
    assert drawn.context.selection.items == frozenset()
    assert drawn.context.document.undo_stack.undoText() == "Delete cylinder 5"
    qtbot.waitUntil(drawn.context.action_registry["undo"].isEnabled)
    qtbot.keyClick(drawn.context.viewport, Qt.Key.Key_Z, CTRL)
    assert drawn.context.document.scene == before


# ------------------------------------------------------------------------------------ moving things


def test_drag_of_a_selected_obstacle_is_one_undo_step(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    before = drawn.context.document.scene
    viewport.navigator.jump(viewport.navigator.camera.standard("top"))
    start = top_of(viewport, 5)
    drawn.context.selection.set([("obstacle", 5), ("obstacle", 6)])
    drag(qtbot, viewport, start, start + QPoint(0, 80))
    scale = float(viewport.navigator.camera.view_height((0, 0, 0))) / viewport.height()
    for index in (5, 6):
        moved = drawn.context.document.scene.obstacles[index]
        old = before.obstacles[index]
        assert moved.x_m == pytest.approx(old.x_m, abs=2e-4)
        assert moved.y_m == pytest.approx(old.y_m - 80 * scale, abs=2e-4)
    assert drawn.context.document.scene.obstacles[4] == before.obstacles[4]
    assert drawn.context.document.undo_stack.count() == 1
    assert drawn.context.document.undo_stack.undoText() == "Move 2 obstacles"
    drawn.context.document.undo_stack.undo()
    assert drawn.context.document.scene == before


def test_shift_drag_moves_an_unselected_obstacle(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    before = drawn.context.document.scene
    start = top_of(viewport, 6)
    qtbot.mousePress(viewport, LEFT, SHIFT, start)
    for part in (0.5, 1.0):
        move(viewport, QPointF(start) + part * QPointF(30, 30), held=LEFT, modifiers=SHIFT)
    qtbot.mouseRelease(viewport, LEFT, SHIFT, start + QPoint(30, 30))
    assert drawn.context.selection.items == {("obstacle", 6)}
    assert drawn.context.document.scene.obstacles[6] != before.obstacles[6]
    assert drawn.context.document.scene.obstacles[:6] == before.obstacles[:6]


def test_escape_restores_a_dragged_obstacle(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    before = drawn.context.document.scene
    start = top_of(viewport, 6)
    drawn.context.selection.set([("obstacle", 6)])
    drag(qtbot, viewport, start, start + QPoint(40, 20), release=False)
    qtbot.waitUntil(lambda: drawn.context.document.scene != before)
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    assert drawn.context.document.scene == before
    assert drawn.context.document.undo_stack.count() == 0
    qtbot.mouseRelease(viewport, LEFT, NONE, start + QPoint(40, 20))
    assert drawn.context.document.scene == before


def test_x_keeps_a_drag_to_the_axis(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    before = drawn.context.document.scene
    start = top_of(viewport, 6)
    drawn.context.selection.set([("obstacle", 6)])
    drag(qtbot, viewport, start, start + QPoint(40, 30), release=False)
    qtbot.keyClick(viewport, Qt.Key.Key_X)
    qtbot.mouseRelease(viewport, LEFT, NONE, start + QPoint(40, 30))
    moved = drawn.context.document.scene.obstacles[6]
    old = before.obstacles[6]
    assert moved.y_m == pytest.approx(old.y_m, abs=1e-6)
    assert abs(moved.x_m - old.x_m) > 0.01


# ------------------------------------------------------------------------------------ what is shown


def test_click_in_the_legend_toggles_the_arrows(drawn: MainWindow, qtbot: QtBot) -> None:
    assert drawn.context.viewport.overlays().show_forces
    qtbot.mouseClick(drawn.context.viewport.legends.forces, LEFT, NONE, QPoint(60, 22))
    assert not drawn.context.viewport.overlays().show_forces
    qtbot.waitUntil(lambda: not drawn.context.action_registry["show_forces"].isChecked())


def test_overlays_are_stored_in_the_settings(make_window: Callable[[], MainWindow]) -> None:
    first = make_window()
    first.context.viewport.options.set(friction=True, trail_link=3, force_scale=0.5)
    first.close()
    second = make_window()
    assert second.context.viewport.options.now == ViewSettings(
        friction=True, trail_link=3, force_scale=0.5
    )


def test_middle_link_leaves_the_trail() -> None:
    wishes = ViewOptions().now
    assert wishes.trail_link == TRAIL_MIDDLE
    assert wishes.trail_index(11) == 5
    assert ViewSettings(trail=False).trail_index(11) is None
    assert ViewSettings(trail_link=7).trail_index(11) == 7
    assert ViewSettings(trail_link=7).trail_index(5) == 2, "for a missing link: the middle one"


def test_legend_names_the_commanded_shape_while_visible(recorded: MainWindow) -> None:
    legend = recorded.context.viewport.legends.ghosts
    recorded.context.action_registry["show_reference_ghost"].trigger()
    assert [text for _, text in legend.entries] == ["commanded shape"]
    recorded.context.action_registry["show_reference_ghost"].trigger()
    assert legend.entries == []


def test_trail_is_the_recorded_path(recorded: MainWindow) -> None:
    recording = recorded.context.session_controller.recording
    assert recording is not None
    reader = TrailReader()
    framed = recording.rows(0, len(recording)).link_pose[:, 4, :3]
    half = recording.snapshot(40)
    # The same when read directly, during the run, or after scrubbing.
    for index in (20, 40, 90, 40):
        snapshot = recording.snapshot(index)
        points = reader.points(recording, 4, snapshot)
        assert np.allclose(points[-1], framed[index])
        stride = max(1, round(100 * 30 / 900))
        assert np.allclose(points[:-1], framed[: index + 1 : stride])
    assert len(reader.points(recording, 99, half)) == 0
    assert len(reader.points(None, 4, half)) == 0
    # For a moment after another scene was opened its recording has the last state of the previous
    # scene.
    n = half.n_links + 5
    longer = replace(half, link_pose=np.zeros((n, 7)))
    assert len(reader.points(recording, n - 1, longer)) == 0


# -------------------------------------------------------------------------- without a graphics card


def test_plain_view_is_used_without_opengl(
    make_window: Callable[[], MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_VIEWPORT", "flat")
    window = make_window()
    assert window.context.files.open(MAIN_SCENE)
    assert window.context.viewport.gl is None
    assert window.context.viewport.fallback_reason
    qtbot.waitUntil(lambda: window.context.session_controller.displayed is not None)

    def is_orange() -> bool:
        colour = (
            window.context.viewport.grab().toImage().pixelColor(top_of(window.context.viewport, 4))
        )
        return colour.red() > 180 and colour.blue() < 100

    qtbot.waitUntil(is_orange)
    qtbot.mouseClick(window.context.viewport, LEFT, NONE, top_of(window.context.viewport, 4))
    assert window.context.selection.items == {("obstacle", 4)}
    qtbot.keyClicks(window.context.viewport, "1")
    assert window.context.viewport.navigator.camera.elevation == pytest.approx(math.pi / 2)
    assert not window.context.viewport.image().isNull()


def test_failing_renderer_falls_back_to_the_plain_view(
    make_window: Callable[[], MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from snakestudio.render.renderer import Renderer

    def refuse(self: Renderer) -> None:
        raise GraphicsError("this driver refuses a shader")

    monkeypatch.setattr(Renderer, "initialise", refuse)
    window = make_window()
    window.context.files.open(MAIN_SCENE)
    qtbot.waitUntil(lambda: "refuses a shader" in window.context.viewport.fallback_reason)
    assert "refuses a shader" in window.context.banners.program.text


@pytest.mark.parametrize("kind", ["direct", "threaded"])
def test_both_renderers_draw_the_same(
    make_window: Callable[[], MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_VIEWPORT", kind)
    window = make_window()
    window.context.files.open(MAIN_SCENE)
    with qtbot.waitSignal(window.context.viewport.frame_drawn):
        window.context.viewport.refresh()
    assert window.context.viewport.gl is not None
    info = window.context.viewport.gl.info()
    assert info is not None
    assert info.max_texture_size >= 1024
    image = window.context.viewport.image()
    colour = image.pixelColor(
        top_of(window.context.viewport, 4) * window.context.viewport.devicePixelRatio()
    )
    assert colour.red() > 150
    assert colour.red() > colour.blue() + 60


def test_legend_names_visible_forces(recorded: MainWindow, qtbot: QtBot) -> None:
    assert rows_of(recorded.context.document.scene) == ("forces", "friction", "trail")
    assert not recorded.context.viewport.overlays().show_ground_normal_forces
    legend = recorded.context.viewport.legends.forces
    three = legend.height()
    recorded.context.document.undo_stack.setClean()  # otherwise the window would ask about the changes
    recorded.context.files.open(MAIN_SCENE.with_name("sidewinding.toml"))
    assert rows_of(recorded.context.document.scene) == ("ground_forces", "ground_friction", "trail")
    assert legend.height() == three
    overlays = recorded.context.viewport.overlays()
    assert overlays.show_ground_normal_forces
    assert overlays.show_friction_forces
    assert overlays.ground_scale == overlays.friction_scale  # their sum is visible
    qtbot.mouseClick(legend, LEFT, NONE, QPoint(60, 22))
    assert not recorded.context.viewport.overlays().show_ground_normal_forces
    assert not recorded.context.viewport.overlays().show_friction_forces
    recorded.context.files.open(MAIN_SCENE.with_name("lagrangian_undulation.toml"))
    assert rows_of(recorded.context.document.scene) == ("trail",)
    assert legend.height() < three
