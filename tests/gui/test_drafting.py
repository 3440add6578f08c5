"""The drafting view: divisions of rulers, dimensions, snapping of the cursor, measuring."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from snakestudio.drawing.obstacles import Obstacles, obstacles_of
from snakestudio.gui.runs.export_dialog import ExportDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.drafting.measure_tool import measured
from snakestudio.gui.viewport.drafting.rulers import THICK
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits import with_values
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.text import length_text
from snakestudio.viewmodel.viewport.dimensions import Dimension, selection_dimensions
from snakestudio.viewmodel.viewport.length_units import cursor_step, scale_of
from snakestudio.viewmodel.viewport.snapping import Snap, snapped
from tests.gui.test_viewport import LEFT, NONE, RIGHT, drag

pytestmark = pytest.mark.gui


# ------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("pixels", "step", "unit", "text"),
    [
        (250.0, 0.5, "m", "1.5"),
        (64.0, 1.0, "m", "3"),
        (6.0, 20.0, "m", "60"),
        (1500.0, 0.05, "cm", "15"),
        (5000.0, 0.02, "cm", "6"),
        (30000.0, 0.005, "mm", "15"),
        (900000.0, 0.0001, "mm", "0.3"),
    ],
)
def test_ruler_divisions_are_one_two_or_five(
    pixels: float, step: float, unit: str, text: str
) -> None:
    scale = scale_of(pixels)
    assert scale.step == pytest.approx(step)
    assert scale.unit == unit
    assert scale.text(3 * scale.step) == text
    assert 64.0 <= scale.step * pixels <= 64.0 * 2.5 + 1e-6
    assert scale.step * pixels / scale.parts > 5.0
    assert 1.0 <= cursor_step(pixels) * pixels <= 2.5


def test_lengths_below_a_metre_are_in_millimetres() -> None:
    assert [length_text(value) for value in (0.25, 0.0123, 0.00004, 1.0, 12.3456, -0.0005)] == [
        "250 mm",
        "12.3 mm",
        "0 mm",
        "1.000 m",
        "12.346 m",
        "\N{MINUS SIGN}0.5 mm",
    ]


# --------------------------------------------------------------------------------------- dimensions


def scene_of(*obstacles: dict[str, object]) -> tuple[Scene, Obstacles]:
    scene = with_values(Scene(), {"obstacles": list(obstacles)})
    return scene, obstacles_of(scene.obstacles)


POST = {"kind": "cylinder", "radius_m": 0.1}


def texts(dimensions: list[Dimension]) -> list[str]:
    return [one.text for one in dimensions]


def test_obstacle_has_size_and_distance_dimensions() -> None:
    scene, world = scene_of(
        POST | {"x_m": 0.0, "y_m": 1.0},
        POST | {"x_m": 0.5, "y_m": 1.0, "radius_m": 0.15},
        POST | {"x_m": 0.3, "y_m": 1.0, "hidden": True},
        {"kind": "box", "x_m": 5.0, "y_m": 0.0, "length_m": 0.6, "width_m": 0.2, "yaw_deg": 30.0},
    )
    pose = initial_state(scene)[0]
    result = selection_dimensions(scene, world, pose, [0], False)
    size, neighbour, robot = result
    assert size.text == "⌀ 200 mm"
    assert neighbour.text == "250 mm"
    np.testing.assert_allclose(
        (neighbour.start, neighbour.end), [(0.1, 1.0), (0.35, 1.0)], atol=1e-12
    )
    assert robot.text == length_text(0.9 - scene.robot.radius_m)
    assert texts(selection_dimensions(scene, world, None, [0], False)) == ["⌀ 200 mm", "250 mm"]
    # Length and width of a turned box, along its own sides; all others are far away.
    assert texts(selection_dimensions(scene, world, None, [3], False)) == ["600 mm", "200 mm"]


def test_several_obstacles_have_gap_or_extent() -> None:
    scene, world = scene_of(
        POST | {"x_m": 0.0, "y_m": 0.0},
        POST | {"x_m": 0.3, "y_m": 0.4},
        POST | {"x_m": 0.9, "y_m": 0.45},
        POST | {"x_m": 0.95, "y_m": 0.45},
    )
    assert texts(selection_dimensions(scene, world, None, [0, 1], False)) == ["300 mm", "500 mm"]
    assert texts(selection_dimensions(scene, world, None, [0, 1, 2], False)) == [
        "1.100 m",
        "650 mm",
    ]
    overlap = selection_dimensions(scene, world, None, [2, 3], False)[0]
    assert (overlap.text, overlap.role) == ("overlaps by 150 mm", "warning")


def test_robot_has_the_distance_to_the_nearest_obstacle() -> None:
    scene, world = scene_of(POST | {"x_m": 0.6, "y_m": 0.4}, POST | {"x_m": 0.6, "y_m": -0.3})
    pose = initial_state(scene)[0]
    [only] = selection_dimensions(scene, world, pose, [], True)
    assert only.text == length_text(0.2 - scene.robot.radius_m)
    assert selection_dimensions(scene, world, pose, [], False) == []


def test_two_thousand_obstacles_take_little_time() -> None:
    random = np.random.default_rng(5)
    posts = [
        POST | {"x_m": float(x), "y_m": float(y), "radius_m": 0.01}
        for x, y in random.uniform(-9, 9, (2000, 2))
    ]
    scene, world = scene_of(*posts)
    pose = initial_state(scene)[0]
    spent = []
    for index in range(20):
        began = time.thread_time()
        assert len(selection_dimensions(scene, world, pose, [index], False)) >= 2
        snapped(scene, world, pose, np.array([0.1, 0.2]), 0.02)
        spent.append(time.thread_time() - began)
    assert min(spent) < 0.01


# ----------------------------------------------------------------------------------------- snapping


def test_centres_come_before_corners_and_these_before_edges() -> None:
    scene, world = scene_of(
        POST | {"x_m": 0.0, "y_m": 1.0},
        {"kind": "box", "x_m": 2.0, "y_m": 1.0, "length_m": 0.4, "width_m": 0.2},
        POST | {"x_m": 5.0, "y_m": 1.0, "hidden": True},
    )
    for cursor, point, kind in (
        ((0.02, 1.01), (0.0, 1.0), "centre"),
        ((0.09, 1.0), (0.1, 1.0), "edge"),
        ((1.81, 1.09), (1.8, 1.1), "corner"),
        ((1.95, 1.12), (1.95, 1.1), "edge"),
        ((0.5, 0.5), (0.5, 0.5), ""),
        ((5.0, 1.0), (5.0, 1.0), ""),
    ):
        result = snapped(scene, world, None, np.array(cursor), 0.03)
        assert result.kind == kind
        np.testing.assert_allclose(result.point, point, atol=1e-12)
    pose = initial_state(scene)[0]
    assert snapped(scene, world, pose, pose[2, :2] + 0.01, 0.03).kind == "centre"
    next_to_robot = np.array([pose[2, 0] + 0.02, scene.robot.radius_m + 0.01])
    np.testing.assert_allclose(
        snapped(scene, world, pose, next_to_robot, 0.02).point,
        next_to_robot - (0.0, 0.01),
        atol=1e-9,
    )


# ------------------------------------------------------------------------------------ in the window


def seen(viewport: Viewport, x: float, y: float) -> QPoint:
    return viewport.pixel((x, y, 0.0)).toPoint()


@pytest.fixture
def above(drawn: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with a view from above."""
    qtbot.waitUntil(lambda: drawn.context.viewport.snapshot is not None)
    drawn.context.viewport.frame_all(at_once=True)
    qtbot.keyClick(drawn.context.viewport, Qt.Key.Key_7)
    drawn.context.viewport.navigator.finish()
    return drawn


def test_key_seven_shows_rulers_and_the_menu_hides_them(
    above: MainWindow,
) -> None:
    viewport = above.context.viewport
    assert viewport.api.drafting
    assert viewport.drafting_overlay.isVisible()
    assert not viewport.overlays().show_triad
    assert viewport.hint.geometry().bottom() < viewport.height() - THICK
    assert viewport.legends.forces.x() > THICK
    ruler = viewport.grab().toImage().copy(0, viewport.height() - THICK, viewport.width(), THICK)
    above.context.action_registry["show_drafting"].trigger()
    assert not viewport.drafting_overlay.isVisible()
    assert viewport.legends.forces.x() < THICK
    assert (
        viewport.grab().toImage().copy(0, viewport.height() - THICK, viewport.width(), THICK)
        != ruler
    )
    above.context.action_registry["show_drafting"].trigger()
    viewport.navigator.toggle_projection()
    assert not viewport.api.drafting
    assert viewport.overlays().show_triad


def test_dimensions_follow_an_edit_and_are_in_screenshots(
    above: MainWindow,
) -> None:
    viewport = above.context.viewport
    document = above.context.document
    assert viewport.drafting_overlay.dimensions() == []
    plain = viewport.image()
    above.context.selection.set([("obstacle", 0)])
    radius = document.scene.obstacles[0].radius_m
    assert viewport.drafting_overlay.dimensions()[0].text == f"⌀ {length_text(2 * radius)}"
    assert viewport.drafting_overlay.dimensions() is viewport.drafting_overlay.dimensions()
    document.set_value("obstacles[1].radius_m", 0.2, "Radius")
    assert viewport.drafting_overlay.dimensions()[0].text == "⌀ 400 mm"
    o = document.scene.obstacles[0]
    below = viewport.pixel((o.x_m, o.y_m - 0.2, 0.0)).toPoint() + QPoint(0, 24)
    pictured = viewport.image()
    area = below.x() - 40, below.y() - 6, 80, 12
    assert pictured.copy(*area) != plain.copy(*area)


def test_two_clicks_measure_and_escape_clears(above: MainWindow, qtbot: QtBot) -> None:
    viewport = above.context.viewport
    scene = above.context.document.scene
    camera = viewport.navigator.camera
    first = scene.obstacles[4]
    second = scene.obstacles[6]
    qtbot.keyClick(viewport, Qt.Key.Key_M)
    assert viewport.tools.measure_tool.measuring
    assert viewport.hint.text().startswith("Click the first")
    assert "Alt: off" in viewport.hint.text()
    start, end = seen(viewport, first.x_m, first.y_m), seen(viewport, second.x_m, second.y_m)
    qtbot.mouseMove(viewport, start + QPoint(3, 2))
    qtbot.mouseClick(viewport, LEFT, NONE, start + QPoint(3, 2))
    assert viewport.hint.text().startswith("Click the second")
    drag(qtbot, viewport, end, end + QPoint(5, 0), RIGHT)  # the camera can still be moved
    assert viewport.navigator.camera != camera
    viewport.navigator.jump(camera)
    qtbot.mouseMove(viewport, end + QPoint(-2, 3))
    draft = viewport.tools.measure_tool.points
    assert draft is not None
    qtbot.mouseClick(viewport, LEFT, NONE, end + QPoint(-2, 3))
    points = viewport.tools.measure_tool.points
    assert points is not None
    assert not viewport.tools.measure_tool.measuring
    for point, obstacle in zip(points, (first, second), strict=True):
        assert point.kind == "centre"
        np.testing.assert_allclose(point.point, (obstacle.x_m, obstacle.y_m), atol=1e-12)
    # It stays while something else is selected, and nothing was edited.
    qtbot.mouseClick(viewport, LEFT, NONE, seen(viewport, first.x_m, first.y_m))
    assert above.context.selection.obstacles == (4,)
    assert viewport.tools.measure_tool.points is not None
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    assert viewport.tools.measure_tool.points is None
    assert above.context.selection.obstacles == (4,)
    assert above.context.document.scene is scene


def test_drag_measures_and_reports_the_distance(above: MainWindow, qtbot: QtBot) -> None:
    viewport = above.context.viewport
    above.context.action_registry["measure"].trigger()
    drag(qtbot, viewport, seen(viewport, 1.2, -0.4), seen(viewport, 1.5, -0.8))
    points = viewport.tools.measure_tool.points
    assert points is not None
    assert not viewport.tools.measure_tool.measuring
    np.testing.assert_allclose(points[1].point - points[0].point, (0.3, -0.4), atol=0.01)
    message = measured(Snap(np.array([1.0, 1.0])), Snap(np.array([1.3, 0.6])))
    assert message == "500 mm\nΔx 300 mm   Δy \N{MINUS SIGN}400 mm   \N{MINUS SIGN}53.1°"


def test_plain_view_shows_the_drafting_view(above: MainWindow, qtbot: QtBot) -> None:
    viewport = above.context.viewport
    viewport.surface.fall_back("There is no such thing.")
    qtbot.waitUntil(lambda: viewport.settled)
    viewport.navigator.finish()
    assert viewport.api.drafting
    assert viewport.drafting_overlay.isVisible()
    viewport.drafting_overlay.point_at(viewport.pixel((1.0, 0.5, 0.0)))
    accent = viewport.grab().toImage()
    at = viewport.pixel((1.0, 0.0, 0.0)).toPoint().x()
    tag = [accent.pixelColor(at, viewport.height() - y) for y in range(2, THICK)]
    assert any(colour.blue() > 200 and colour.red() < 120 for colour in tag)


def test_plan_is_exported_from_the_window(
    above: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*_: object) -> tuple[str, str]:
        return str(tmp_path / "plan"), "Document (*.pdf)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    with qtbot.waitSignal(above.context.exporter.finished, timeout=60_000):
        above.context.action_registry["export_plan"].trigger()
        above.findChild(ExportDialog).choose_button.click()
    assert (tmp_path / "plan.pdf").read_bytes().startswith(b"%PDF")
