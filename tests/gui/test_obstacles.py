"""Obstacles of every kind in the window: added, picked, dragged, edited, and reported if unreadable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.editors import NumberEditor, ShownText
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.scene.checks import Checks
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.body import ChainBody
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.labels import obstacle_title
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import SHAPES, Obstacle, obstacle_solids
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.scene.clearance import clearances
from snakestudio.viewmodel.scene.obstacle_edits import copies
from snakestudio.viewmodel.scene.scene_texts import place_and_size
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget
from tests.gui.test_tree_inspector import enter
from tests.gui.test_viewport import LEFT, NONE, drag

pytestmark = pytest.mark.gui


# --- adding ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SHAPES)
def test_new_obstacle_is_free_and_in_the_view(
    document: Document, selection: Selection, session_controller: FakeSessionController, kind: str
) -> None:
    snapshot = session_controller.displayed
    assert snapshot is not None
    commands = ObstacleCommands(document, selection, lambda: snapshot, lambda: (0.6, 0.1))
    before = document.scene
    for count in (1, 2):
        commands.add(kind)
        scene = document.scene
        index = len(scene.obstacles) - 1
        assert index == len(before.obstacles) + count - 1
        assert scene.obstacles[index].kind == kind
        assert selection.items == {("obstacle", index)}
        world = obstacles_of(scene.obstacles)
        assert world.problems == [], "a new one can be read"
        apart = (world.low[:index, :2] > world.high[index, :2]) | (
            world.high[:index, :2] < world.low[index, :2]
        )
        assert apart.any(axis=1).all()
        assert clearances(world, index, snapshot, scene.body).min() > 0
    assert document.undo_stack.undoText() == f"Add {SHAPES[kind].title.lower()}"
    if kind != "cylinder":  # there is one in the scene: the next one is placed next to it
        first = world.low[-2] + world.high[-2]
        assert np.hypot(*(0.5 * first[:2] - (0.6, 0.1))) < 6
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.scene == before


def test_free_position_is_used_directly(document: Document, selection: Selection) -> None:
    document.new()
    ObstacleCommands(document, selection, target=lambda: (3.123456, -2.0)).add("box")
    box = document.scene.obstacles[0]
    assert (box.x_m, box.y_m) == (3.12, -2.0)


def test_every_kind_of_obstacle_is_in_the_menus(window: MainWindow, qtbot: QtBot) -> None:
    menu = window.context.action_registry.menus["Edit/Add Obstacle"]
    assert [plain(action.text()) for action in menu.actions()] == [
        preset.title for preset in PRESETS.values()
    ]
    before = len(window.context.document.scene.obstacles)
    window.context.action_registry["add_ramp"].trigger()
    added = window.context.document.scene.obstacles[before]
    assert added.kind == "ramp"
    assert window.context.selection.items == {("obstacle", before)}
    qtbot.waitUntil(window.context.action_registry["duplicate"].isEnabled)
    window.context.action_registry["duplicate"].trigger()
    assert window.context.document.scene.obstacles[before + 1].kind == "ramp"
    assert window.context.document.undo_stack.undoText() == "Duplicate Ramp 1"


def test_button_of_the_tree_adds_the_last_kind(
    qtbot: QtBot, document: Document, selection: Selection
) -> None:
    tree = SceneTree(document, selection)
    qtbot.addWidget(tree)
    menu = tree.add_button.menu()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == "Stairs").trigger()
    qtbot.mouseClick(tree.add_button, Qt.MouseButton.LeftButton, pos=QPoint(6, 10))
    assert [o.kind for o in document.scene.obstacles[-2:]] == ["stairs", "stairs"]
    assert document.undo_stack.count() == 2
    index = tree.model.index_of(("obstacle", 7))
    assert index.data() == "Stairs 1"
    assert "4 steps of 0.3 × 0.04 m" in index.data(Qt.ItemDataRole.ToolTipRole)
    icons = {
        tree.model.index_of(("obstacle", i)).data(Qt.ItemDataRole.DecorationRole).cacheKey()
        for i in (0, 1, 7)
    }
    assert len(icons) == 2, "an icon for every kind, the same for all of a kind"


def test_new_obstacles_are_named_by_kind_and_visible(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    document = drawn.context.document
    viewport.navigator.frame((2.0, 2.0, 0.0), (3.0, 3.0, 0.1), at_once=True)  # none of the seven
    names = []
    for kind in ("box", "wall", "box", "cylinder"):
        drawn.context.action_registry[f"add_{kind}"].trigger()
        index = len(document.scene.obstacles) - 1
        names.append(obstacle_title(document.scene.obstacles[index], index))
        boxes = plan_boxes(document.scene.obstacles)
        for x in (boxes.low[-1, 0], boxes.high[-1, 0]):
            for y in (boxes.low[-1, 1], boxes.high[-1, 1]):
                assert viewport.rect().contains(viewport.pixel((x, y, 0.0)).toPoint())
    assert names == ["Box 1", "Wall 1", "Box 2", "Cylinder 8"]


@pytest.mark.parametrize("kind", SHAPES)
def test_obstacles_have_names_and_sizes(kind: str) -> None:
    obstacle = SHAPES[kind].fields(x_m=1.0, y_m=2.0)  # type: ignore[call-arg]
    assert obstacle_title(obstacle, 2) == f"{SHAPES[kind].title} 3"
    assert place_and_size(obstacle).startswith("x 1.000 m, y 2.000 m, ")
    assert "_" not in SHAPES[kind].title


def test_copy_has_round_coordinates(document: Document, selection: Selection) -> None:
    turned = Box(x_m=0.3, y_m=-0.25, length_m=0.31, width_m=0.17, yaw_deg=33.0)
    document.edit(document.scene.model_copy(update={"obstacles": (turned,)}), "a turned box")
    selection.set([("obstacle", 0)])
    ObstacleCommands(document, selection).duplicate()
    moved = document.scene.obstacles[1].y_m - turned.y_m
    assert moved == pytest.approx(round(moved, 2), abs=1e-9), "whole centimetres"
    assert len(repr(document.scene.obstacles[1].y_m)) <= 5
    assert 0.31 < moved < 0.35


def test_copies_are_placed_alongside(document: Document, selection: Selection) -> None:
    document.new(
        Scene(obstacles=(Stairs(x_m=0, y_m=0, width_m=1.5, name="flight"), Rubble(x_m=0, y_m=5)))
    )
    selection.set([("obstacle", 0), ("obstacle", 1)])
    ObstacleCommands(document, selection).duplicate()
    world = obstacles_of(document.scene.obstacles)
    assert document.scene.obstacles[2].name == "flight copy"
    assert world.low[2, 1] > world.high[0, 1]
    assert world.low[3, 1] > world.high[1, 1]
    assert selection.items == {("obstacle", 2), ("obstacle", 3)}


# --- inspector ------------------------------------------------------------------------------------


@pytest.fixture
def inspector(
    qtbot: QtBot,
    document: Document,
    selection: Selection,
    session_controller: FakeSessionController,
) -> Inspector:
    inspector = Inspector(document, selection, session_controller)  # type: ignore[arg-type]
    show_widget(qtbot, inspector, 320, 900)
    inspector.activateWindow()
    return inspector


def put(document: Document, *obstacles: Obstacle) -> None:
    """Replace all obstacles with these, as an edit."""
    document.edit(document.scene.model_copy(update={"obstacles": obstacles}), "test")


@pytest.mark.parametrize("kind", SHAPES)
def test_every_value_of_an_obstacle_has_a_row(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection, kind: str
) -> None:
    model = SHAPES[kind].fields
    put(document, model(x_m=1.0, y_m=2.0))  # type: ignore[call-arg]
    selection.set([("obstacle", 0)])
    assert set(inspector.rows) == set(model.model_fields) - {"kind"}
    assert inspector.title.text() == f"{SHAPES[kind].title} 1"
    numbers = [name for name, row in inspector.rows.items() if isinstance(row.editor, NumberEditor)]
    for name in numbers:
        row = inspector.rows[name]
        assert isinstance(row.editor, NumberEditor)
        enter(row, "3")
        assert getattr(document.scene.obstacles[0], name) == 3, row.message.text()
    assert document.undo_stack.count() == len(numbers) + 1


def test_several_kinds_share_their_common_values(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    put(document, Box(x_m=0, y_m=0), Ramp(x_m=2, y_m=0), Cylinder(x_m=4, y_m=0), Box(x_m=6, y_m=0))
    selection.set([("obstacle", 0), ("obstacle", 1)])
    shared = ["group", "x_m", "y_m", "friction", "locked", "hidden"]
    assert list(inspector.rows) == [*shared[:3], "length_m", "width_m", *shared[3:]]
    row = inspector.rows["width_m"]
    assert isinstance(row.editor, NumberEditor)
    enter(row, "0.7")
    assert [document.scene.obstacles[i].width_m for i in (0, 1, 3)] == [0.7, 0.7, 0.3]  # type: ignore[union-attr]
    selection.set([("obstacle", i) for i in range(4)])
    assert list(inspector.rows) == shared
    selection.set([("obstacle", 0), ("obstacle", 3)])
    assert "yaw_deg" in inspector.rows


def test_heights_are_read_from_a_table_or_an_image(
    qtbot: QtBot,
    inspector: Inspector,
    document: Document,
    selection: Selection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(document, HeightField(x_m=0, y_m=0, heights_m=((0.0, 0.1, 0.2), (0.0, 0.1, 0.3))))
    document.save(tmp_path / "scene.toml")
    selection.set([("obstacle", 0)])
    table = inspector.rows["heights_m"]
    picture = inspector.rows["picture"]
    assert isinstance(table.editor, ShownText)
    assert table.field.text() == "3 × 2 heights"
    (tmp_path / "maps").mkdir()
    Image.fromarray(np.full((4, 5), 128, np.uint8)).save(tmp_path / "maps" / "hills.png")
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "maps" / "hills.png"), "")
    )
    qtbot.mouseClick(picture.editor.browse_button, Qt.MouseButton.LeftButton)
    field = document.scene.obstacles[0]
    assert isinstance(field, HeightField)
    assert (field.picture, field.heights_m) == ("maps/hills.png", None)
    assert picture.field.text() == "maps/hills.png"
    assert table.field.text() == "none"
    assert document.undo_stack.undoText() == "Change image of height field 1"
    assert obstacles_of(document.scene.obstacles, document.base_dir).problems == []
    document.undo_stack.undo()
    assert table.field.text() == "3 × 2 heights"


# --- clearance ------------------------------------------------------------------------------------


def _one_link(x: float, y: float, z: float) -> Snapshot:
    """A robot of two links: the first along y at a position, the second far away."""
    pose = np.array([(x, y, z, np.sqrt(0.5), 0, 0, np.sqrt(0.5)), (50.0, 0, 0, 1, 0, 0, 0)])
    none = np.zeros((1, 2))
    return Snapshot(0.0, pose, np.zeros((2, 6)), none, none, none, none, none)


@pytest.mark.parametrize(
    ("obstacle", "position", "gap"),
    [
        (Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=0.2), (0.2, 0.1, 0.5), 0.3),
        (Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=0.2), (0.8, 0.0, 0.1), 0.3),
        (Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=0.2), (0.8, 0.0, 0.6), 0.5),
        (
            Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=0.2, yaw_deg=45),
            (np.sqrt(2), 0.0, 0.1),
            np.sqrt(0.5),
        ),
        (
            Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=0.2),
            (0.0, 0.75, 0.1),
            0.15,
        ),  # the end sphere
        (Stairs(x_m=0, y_m=0, steps=2, rise_m=0.1, run_m=0.5), (0.2, 0.0, 0.4), 0.3),
        (Stairs(x_m=0, y_m=0, steps=2, rise_m=0.1, run_m=0.5), (0.7, 0.0, 0.4), 0.2),
        (Ramp(x_m=0, y_m=0, length_m=4, rise_m=3, width_m=2), (2.0, 0.0, 2.5), 0.8),
        (Ramp(x_m=0, y_m=0, length_m=4, rise_m=3, width_m=2), (4.5, 0.0, 1.0), 0.5),
        (HeightField(x_m=0, y_m=0, heights_m=((0.1, 0.1), (0.1, 0.1))), (0.3, 0.2, 0.6), 0.5),
        (
            HeightField(x_m=0, y_m=0, length_m=4, width_m=4, heights_m=((0, 3), (0, 3))),
            (0.0, 0.0, 2.5),
            0.8,
        ),
        (Cylinder(x_m=0, y_m=0, radius_m=0.5, height_m=0.2), (0.0, 0.0, 0.5), 0.3),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_clearances_of_a_link_equal_manual_ones(
    obstacle: Obstacle, position: tuple[float, float, float], gap: float
) -> None:
    """Distances by hand: from faces, edges (3-4-5), corners and slopes of 3 in 4."""
    robot = Robot(n_links=2, contact_half_length_m=0.1, radius_m=0.05)
    distances = clearances(obstacles_of((obstacle,)), 0, _one_link(*position), ChainBody(robot))
    assert distances[0] == pytest.approx(gap - 0.05, abs=1e-5)


def test_clearance_from_rubble_is_that_of_its_nearest_block() -> None:
    """Computed from a fine grid of points on every block's faces."""
    rubble = Rubble(x_m=0, y_m=0, blocks=60)
    robot = Robot(n_links=2, contact_half_length_m=0.1, radius_m=0.02)
    distances = clearances(obstacles_of((rubble,)), 0, _one_link(0.3, 0.2, 0.3), ChainBody(robot))[
        0
    ]
    s = np.linspace(-1, 1, 41)
    a, b = (g.ravel() for g in np.meshgrid(s, s))
    one = np.ones_like(a)
    faces = np.concatenate(
        [np.column_stack(c) for w in (one, -one) for c in ((a, b, w), (a, w, b), (w, a, b))]
    )
    along = np.array([0.3, 0.2, 0.3]) + np.linspace(-0.1, 0.1, 41)[:, None] * np.array(
        [0.0, 1.0, 0.0]
    )
    least = np.inf
    for block in obstacle_solids(rubble):
        surface = block.centre + (faces * block.half) @ block.rotation.T  # type: ignore[union-attr]
        least = min(least, np.linalg.norm(surface[:, None] - along, axis=2).min())
    assert distances == pytest.approx(least - 0.02, abs=2e-3)


# --- checks ---------------------------------------------------------------------------------------


def test_unreadable_image_is_reported(
    qtbot: QtBot,
    document: Document,
    selection: Selection,
    session_controller: FakeSessionController,
) -> None:
    checks = Checks(document, session_controller, selection)  # type: ignore[arg-type]
    qtbot.addWidget(checks)
    put(document, Box(x_m=0, y_m=0), HeightField(x_m=0, y_m=3, picture="nowhere.png"))
    assert checks.summary.text() == "1 error"
    line = str(checks.list.model().index(0, 0).data())
    assert line.startswith("Height field 2: '")
    assert (
        "nowhere.png' cannot be used (No such file or directory). Choose a grey-scale PNG" in line
    )
    checks.list.activated.emit(checks.list.model().index(0, 0))
    assert selection.items == {("obstacle", 1)}
    session_controller.set_status(
        problems=(
            Problem("error", "obstacles[2].picture", "'nowhere.png' cannot be used", "", (1,)),
        )
    )
    assert checks.summary.text() == "1 error", "the engine's message is not repeated"
    put(document, Box(x_m=0, y_m=0))
    session_controller.set_status(problems=())
    assert checks.summary.text() == "No errors"


# --- the window -----------------------------------------------------------------------------------


KINDS_APART: tuple[Obstacle, ...] = (
    Cylinder(x_m=0.0, y_m=0.0),
    Box(x_m=1.2, y_m=0.0, pitch_deg=10),
    Stairs(x_m=2.2, y_m=0.0, width_m=0.8, landing_m=0.3, run_m=0.2),
    Ramp(x_m=0.0, y_m=1.5),
    HeightField(x_m=2.0, y_m=1.7, length_m=1.0, width_m=1.0, heights_m=((0.1, 0.2), (0.1, 0.15))),
    Rubble(x_m=-1.2, y_m=0.5, length_m=0.6, width_m=0.6, blocks=200),
)


@pytest.fixture
def kinds(drawn: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with one obstacle of every kind, seen from above."""
    drawn.context.session_controller.close()  # notices of an engine would cover part of the view
    put(drawn.context.document, *KINDS_APART)
    drawn.context.viewport.frame_all(at_once=True)
    navigator = drawn.context.viewport.navigator
    navigator.jump(navigator.camera.standard("top"))
    return drawn


def middle(window: MainWindow, index: int) -> QPoint:
    """Position of the centre of an obstacle in a view from above."""
    world = obstacles_of(window.context.document.scene.obstacles)
    x, y, z = 0.5 * (world.low[index] + world.high[index])
    return window.context.viewport.pixel((float(x), float(y), float(z))).toPoint()


@pytest.mark.parametrize("index", range(len(KINDS_APART)), ids=[o.kind for o in KINDS_APART])
def test_every_obstacle_can_be_clicked_dragged_and_framed(
    kinds: MainWindow, qtbot: QtBot, index: int
) -> None:
    viewport = kinds.context.viewport
    before = kinds.context.document.scene
    viewport.tools.editor.options.set(
        gizmo=False
    )  # otherwise its handles would cover some obstacles
    start = middle(kinds, index)
    qtbot.mouseMove(viewport, start)
    qtbot.waitUntil(lambda: kinds.context.selection.hovered == ("obstacle", index))
    assert obstacle_title(before.obstacles[index], index) in viewport.hint.text()
    qtbot.mouseClick(viewport, LEFT, NONE, start)
    assert kinds.context.selection.items == {("obstacle", index)}
    drag(qtbot, viewport, start, start + QPoint(30, -20))
    moved = kinds.context.document.scene.obstacles[index]
    old = before.obstacles[index]
    scale = float(viewport.navigator.camera.view_height((0, 0, 0))) / viewport.height()
    assert moved.x_m == pytest.approx(old.x_m + 30 * scale, abs=2e-4)
    assert moved.y_m == pytest.approx(old.y_m + 20 * scale, abs=2e-4)
    assert moved.model_copy(update={"x_m": old.x_m, "y_m": old.y_m}) == old
    kinds.context.document.undo_stack.undo()
    assert kinds.context.document.scene == before
    viewport.frame_selection()
    viewport.navigator.finish()
    world = obstacles_of(before.obstacles)
    assert viewport.navigator.camera.target == pytest.approx(
        0.5 * (world.low[index] + world.high[index]), abs=1e-6
    )


def test_unreadable_obstacle_is_drawn_and_reported(kinds: MainWindow, qtbot: QtBot) -> None:
    put(kinds.context.document, HeightField(x_m=0.5, y_m=0.5, picture="nowhere.png"))
    with qtbot.waitSignal(kinds.context.viewport.frame_drawn):
        kinds.context.viewport.refresh()
    qtbot.mouseClick(kinds.context.viewport, LEFT, NONE, middle(kinds, 0))
    assert kinds.context.selection.items == {("obstacle", 0)}
    assert kinds.context.viewport.fallback_reason == ""


def test_plain_view_shows_every_kind_of_obstacle(
    make_window: object, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_VIEWPORT", "flat")
    window = make_window()  # type: ignore[operator]
    put(window.context.document, *KINDS_APART)
    window.context.viewport.frame_all(at_once=True)
    image = window.context.viewport.grab().toImage()
    floor = image.pixelColor(4, image.height() // 2)
    for index in range(len(KINDS_APART)):
        colour = image.pixelColor(middle(window, index))
        assert colour.red() > floor.red() + 40, KINDS_APART[index].kind


@pytest.mark.parametrize(
    ("visible_side", "by"),
    [((0, 1), (0, 1)), ((0, -1), (0, -1)), ((-1, 0), (-1, 0)), ((9, 9), (0, 1))],
)
def test_copy_is_placed_in_the_view(visible_side: tuple[int, int], by: tuple[int, int]) -> None:
    """A post of 0.2 m, of which the view shows only one side."""
    scene = Scene(obstacles=(Cylinder(x_m=2.0, y_m=3.0, radius_m=0.1),))

    def seen(x: float, y: float) -> bool:
        return (np.sign(round(x - 2.0, 6)), np.sign(round(y - 3.0, 6))) == visible_side

    (copy,) = copies(scene, (0,), seen)
    displacement = np.array((copy.x_m - 2.0, copy.y_m - 3.0))
    assert tuple(np.sign(np.round(displacement, 6))) == by
    assert 0.2 < np.abs(displacement).max() < 0.5
    assert len(f"{copy.x_m:g}") < 6
    assert len(f"{copy.y_m:g}") < 6
