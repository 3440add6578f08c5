"""Scene tree, inspector and checks: selection, edits, refusals and links to objects."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.editors import (
    ChoiceEditor,
    NumberEditor,
    SwitchEditor,
    TextEditor,
)
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.checks import Checks
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.model.body import ChainBody
from snakestudio.model.edits import get_value, with_patches, with_values
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPatch
from snakestudio.viewmodel.scene.clearance import clearances
from snakestudio.viewmodel.scene.items import Item, items_of
from snakestudio.viewmodel.scene.message_labels import labelled
from snakestudio.viewmodel.scene.obstacle_edits import new_obstacles
from snakestudio.viewmodel.scene.property_search import find, properties
from snakestudio.viewmodel.scene.start_kinds import START_KINDS, start_values
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import show_widget, type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui


@pytest.fixture
def tree(qtbot: QtBot, document: Document, selection: Selection) -> SceneTree:
    tree = SceneTree(document, selection)
    QAbstractItemModelTester(tree.model, QAbstractItemModelTester.FailureReportingMode.Fatal, tree)
    show_widget(qtbot, tree, 300, 600)
    return tree


@pytest.fixture
def inspector(
    qtbot: QtBot,
    document: Document,
    selection: Selection,
    session_controller: FakeSessionController,
) -> Inspector:
    inspector = Inspector(document, selection, session_controller)  # type: ignore[arg-type]
    show_widget(qtbot, inspector, 300, 700)
    inspector.activateWindow()
    return inspector


def texts(tree: SceneTree, parent: QModelIndex | None = None) -> list[str]:
    """All texts of the tree, in order."""
    parent = parent or QModelIndex()
    listed: list[str] = []
    for row in range(tree.proxy.rowCount(parent)):
        index = tree.proxy.index(row, 0, parent)
        listed += [str(index.data()), *texts(tree, index)]
    return listed


def click(
    qtbot: QtBot, tree: SceneTree, item: Item, modifier: Qt.KeyboardModifier | None = None
) -> None:
    index = tree.proxy.mapFromSource(tree.model.index_of(item))
    assert index.isValid()
    tree.view.scrollTo(index)
    where = tree.view.visualRect(index).center()
    qtbot.mouseClick(
        tree.view.viewport(),
        Qt.MouseButton.LeftButton,
        modifier or Qt.KeyboardModifier.NoModifier,
        pos=where,
    )


def selected(tree: SceneTree) -> set[Item | None]:
    indexes = tree.view.selectionModel().selectedIndexes()
    return {tree.model.item(tree.proxy.mapToSource(index)) for index in indexes}


# --- tree -----------------------------------------------------------------------------------------


def test_tree_lists_the_objects_of_the_scene(tree: SceneTree) -> None:
    listed = texts(tree)
    assert "Robot · Aiko" in listed
    assert "Links (11)" in listed
    assert "Link 1 · head" in listed
    assert "Ground · µ 0.2" in listed
    assert "Obstacles (7)" in listed
    assert "Cylinder 7" in listed
    assert "Run · 10 s" in listed


def test_click_selects_and_selection_is_shown(
    qtbot: QtBot, tree: SceneTree, selection: Selection
) -> None:
    click(qtbot, tree, ("obstacle", 2))
    assert selection.items == {("obstacle", 2)}
    click(qtbot, tree, ("obstacle", 4), Qt.KeyboardModifier.ControlModifier)
    assert selection.items == {("obstacle", 2), ("obstacle", 4)}
    selection.set([("link", 5)])
    assert selected(tree) == {("link", 5)}
    selection.set([("ground", 0)])
    assert selected(tree) == {("ground", 0)}
    selection.clear()
    assert selected(tree) == set()


def test_add_duplicate_delete_and_undo(
    qtbot: QtBot, tree: SceneTree, document: Document, selection: Selection
) -> None:
    before = document.scene
    qtbot.mouseClick(tree.add_button, Qt.MouseButton.LeftButton)
    assert len(document.scene.obstacles) == 8
    assert selection.items == {("obstacle", 7)}
    assert selected(tree) == {("obstacle", 7)}
    qtbot.mouseClick(tree.copy_button, Qt.MouseButton.LeftButton)
    assert len(document.scene.obstacles) == 9
    assert "Cylinder 9" in texts(tree)
    selection.set([("obstacle", 0), ("obstacle", 8)])
    qtbot.keyClick(tree.view, Qt.Key.Key_Delete)
    assert document.scene.obstacles[0] == before.obstacles[1]
    assert "Obstacles (7)" in texts(tree)
    assert document.undo_stack.undoText() == "Delete 2 obstacles"
    for _ in range(3):
        document.undo_stack.undo()
    assert document.scene == before
    assert "Obstacles (7)" in texts(tree)
    assert not tree.delete_button.isEnabled() or selection.obstacles


def test_tree_follows_every_change(tree: SceneTree, document: Document) -> None:
    document.set_value("obstacles[3].name", "corner pipe", "test")
    document.set_value("robot.n_links", 13, "test")
    document.set_value("ground.mu_across", 0.5, "test")
    listed = texts(tree)
    assert "corner pipe" in listed
    assert "Cylinder 3" not in listed
    assert "Link 13" in listed
    assert "Ground · µ 0.2 along, 0.5 across" in listed
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert "Link 13" not in texts(tree)
    document.new()
    assert "Obstacles (0)" in texts(tree)


def test_search_shows_only_matches(
    qtbot: QtBot, tree: SceneTree, document: Document, selection: Selection
) -> None:
    document.set_value("obstacles[3].name", "corner pipe", "test")
    selection.set([("obstacle", 0)])
    tree.search.setFocus()
    qtbot.keyClicks(tree.search, "PIPE")
    assert texts(tree) == ["World", "Obstacles (7)", "corner pipe"]
    assert selection.items == {("obstacle", 0)}  # searching does not select
    tree.search.clear()
    assert "Cylinder 1" in texts(tree)
    assert selected(tree) == {("obstacle", 0)}


def test_arrow_keys_belong_to_the_tree(qtbot: QtBot, tree: SceneTree) -> None:
    node = tree.proxy.mapFromSource(tree.model.obstacles_node)
    tree.view.setCurrentIndex(node)
    assert tree.view.isExpanded(node)
    qtbot.keyClick(tree.view, Qt.Key.Key_Left)
    assert not tree.view.isExpanded(node)
    qtbot.keyClick(tree.view, Qt.Key.Key_Right)
    assert tree.view.isExpanded(node)


def test_tree_handles_thousands_of_obstacles(
    qtbot: QtBot, document: Document, selection: Selection
) -> None:
    # without Qt's model tester, which checks every row at every change
    tree = SceneTree(document, selection)
    qtbot.addWidget(tree)
    tree.show()
    many = tuple(Cylinder(x_m=i * 0.5, y_m=2.0) for i in range(2000))
    document.edit(document.scene.model_copy(update={"obstacles": many}), "test")
    assert tree.model.rowCount(tree.model.obstacles_node) == 2000
    selection.set([("obstacle", 1999)])
    assert selected(tree) == {("obstacle", 1999)}
    document.set_value("obstacles[2000].x_m", 5.0, "test")
    assert selected(tree) == {("obstacle", 1999)}


def test_new_cylinder_touches_nothing(
    document: Document, session_controller: FakeSessionController
) -> None:
    scene = document.scene
    snapshot = session_controller.displayed
    assert snapshot is not None
    for _ in range(20):
        (new,) = new_obstacles(scene, "cylinder", snapshot, (0.0, 0.0))
        assert isinstance(new, Cylinder)
        for other in scene.obstacles:
            assert (
                np.hypot(new.x_m - other.x_m, new.y_m - other.y_m) > new.radius_m + other.radius_m
            )
        scene = scene.model_copy(update={"obstacles": (*scene.obstacles, new)})
        assert (
            clearances(
                obstacles_of(scene.obstacles), len(scene.obstacles) - 1, snapshot, scene.body
            ).min()
            > 0
        )


# --- inspector ------------------------------------------------------------------------------------


def number(inspector: Inspector, name: str) -> ValueRow:
    row = inspector.rows[name]
    assert isinstance(row.editor, NumberEditor)
    return row


def enter(row: ValueRow, text: str) -> None:
    type_into(row.field, text)


def test_obstacle_is_edited(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("obstacle", 2)])
    assert inspector.title.text() == "Cylinder 3"
    enter(number(inspector, "x_m"), "0,9")
    assert document.scene.obstacles[2].x_m == 0.9
    assert document.undo_stack.undoText() == "Change x of cylinder 3"
    name = inspector.rows["name"]
    assert isinstance(name.editor, TextEditor)
    enter(name, "pipe")
    assert document.scene.obstacles[2].name == "pipe"
    assert inspector.title.text() == "pipe"
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert number(inspector, "x_m").field.value == 0.8037


def test_invalid_value_is_reported_at_the_field(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("obstacle", 2)])
    row = number(inspector, "radius_m")
    enter(row, "0")
    assert row.message.isVisible()
    assert "greater than 0" in row.message.text()
    assert document.scene.obstacles[2].radius_m == 0.125
    assert document.undo_stack.count() == 0


def test_several_obstacles_are_edited_together(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    document.set_value("obstacles[2].height_m", 0.2, "test")
    selection.set([("obstacle", 0), ("obstacle", 1), ("obstacle", 3)])
    assert "name" not in inspector.rows
    row = number(inspector, "height_m")
    assert row.field.text() == ""
    assert row.field.placeholderText() == "mixed"
    enter(row, "0.25")
    assert [o.height_m for o in document.scene.obstacles[:4]] == [0.25, 0.25, 0.12, 0.25]
    document.undo_stack.undo()
    assert document.scene.obstacles[1].height_m == 0.2


def test_clearance_names_the_nearest_link(
    inspector: Inspector,
    document: Document,
    selection: Selection,
    session_controller: FakeSessionController,
    qtbot: QtBot,
) -> None:
    selection.set([("obstacle", 2)])
    snapshot = session_controller.displayed
    assert snapshot is not None
    gaps = clearances(obstacles_of(document.scene.obstacles), 2, snapshot, document.scene.body)
    assert f"link {gaps.argmin() + 1}" in inspector.card.text()
    assert f"{abs(gaps.min()) * 1000:.1f} mm" in inspector.card.text()
    x, y = snapshot.link_pose[4, :2]
    document.edit(
        with_values(document.scene, {"obstacles[3].x_m": float(x), "obstacles[3].y_m": float(y)}),
        "test",
    )
    qtbot.waitUntil(lambda: "Overlaps link 5" in inspector.card.text())
    selection.set([("link", 0)])
    assert not inspector.card.isVisible()


def test_clearance_of_a_capsule_is_exact() -> None:
    """A link along x at the origin: the radius counts along it, and the end sphere beyond its end."""
    document = Document()
    recording = make_recording(document.scene, 1)
    snapshot = recording.snapshot(0)
    pose = np.zeros((1, 7))
    pose[0, 3] = 1.0
    one = type(snapshot)(
        time=0.0,
        link_pose=pose,
        **{
            name: getattr(snapshot, name)
            for name in (
                "link_twist",
                "joint_angle",
                "joint_rate",
                "joint_angle_ref",
                "joint_rate_ref",
                "joint_torque",
            )
        },
    )
    robot = document.scene.robot

    def from_post(x: float, y: float) -> np.ndarray:
        return clearances(
            obstacles_of((Cylinder(x_m=x, y_m=y, radius_m=0.1),)), 0, one, ChainBody(robot)
        )

    alongside = from_post(0.01, 0.3)
    assert alongside[0] == pytest.approx(0.3 - 0.1 - robot.radius_m)
    beyond = from_post(0.5, 0.0)
    assert beyond[0] == pytest.approx(0.5 - robot.contact_half_length_m - 0.1 - robot.radius_m)


def test_link_values_are_live(
    qtbot: QtBot,
    inspector: Inspector,
    selection: Selection,
    session_controller: FakeSessionController,
) -> None:
    selection.set([("link", 5)])
    assert inspector.title.text() == "Link 6 of 11"

    def shown() -> dict[str, str]:
        assert inspector.link_values is not None
        return {name.text(): value.text() for name, value, _ in inspector.link_values.cells}

    before = shown()
    assert {"x", "Heading", "Speed", "Obstacle force", "Joint behind"} <= before.keys()
    session_controller.set_cursor(3)
    qtbot.waitUntil(lambda: shown()["x"] != before["x"])
    snapshot = session_controller.displayed
    assert snapshot is not None
    assert float(shown()["x"].replace("−", "-")) == pytest.approx(
        snapshot.link_pose[5, 0], abs=1e-4
    )


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("robot", "robot.mass_kg"),
        ("ground", "ground.slope_deg"),
        ("start", "start.x_m"),
        ("run", "solver.tolerance"),
    ],
)
def test_every_part_has_a_form(
    inspector: Inspector, selection: Selection, item: str, name: str
) -> None:
    selection.set([(item, 0)])  # type: ignore[list-item]
    assert isinstance(inspector.rows[name].editor, NumberEditor)


def test_choices_and_lists_are_edited(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("robot", 0)])
    head = inspector.rows["robot.head"]
    assert isinstance(head.editor, ChoiceEditor)
    head.field.setFocus()
    qtbot.keyClick(head.field, Qt.Key.Key_Down)
    assert document.scene.robot.head == "last"
    document.edit(
        with_values(
            document.scene, {"start": {"kind": "joint_angles", "joint_angles_deg": [0.0] * 10}}
        ),
        "test",
    )
    selection.set([("start", 0)])
    angles = inspector.rows["start.joint_angles_deg"]
    assert isinstance(angles.editor, TextEditor)
    enter(angles, "1 2 3")
    assert "3 values for 10 joints" in angles.message.text()
    assert angles.field.text() == "0 0 0 0 0 0 0 0 0 0"
    enter(angles, "1 2 3 4 5 6 7 8 9 0,5")
    assert document.scene.start.joint_angles_deg[-1] == 0.5  # type: ignore[union-attr]
    assert not angles.message.isVisible()


@pytest.mark.parametrize(
    "kind", [kind for kind in START_KINDS if kind not in ("recording", "wrapped")]
)
def test_change_of_start_kind_keeps_the_pose(
    document: Document, session_controller: FakeSessionController, kind: str
) -> None:
    scene = with_values(
        document.scene, {"start": start_values(document.scene, kind, session_controller.displayed)}
    )
    assert scene.start.kind == kind
    if kind != "state":
        assert scene.start.x_m == 0.515  # type: ignore[union-attr]
    snapshot = session_controller.displayed
    assert snapshot is not None
    if kind == "joint_angles":
        assert np.allclose(
            np.radians(scene.start.joint_angles_deg),  # type: ignore[union-attr]
            snapshot.joint_angle,
            atol=1e-5,
        )


def test_kind_of_start_is_chosen(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("start", 0)])
    inspector.start_box.setFocus()
    assert inspector.start_box.currentData() == "gait"
    qtbot.keyClick(inspector.start_box, Qt.Key.Key_Up)
    assert document.scene.start.kind == "straight"
    assert inspector.start_box.currentData() == "straight"
    document.undo_stack.undo()
    assert inspector.start_box.currentData() == "gait"


def test_deleted_object_leaves_the_inspector(
    inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("obstacle", 6)])
    document.edit(
        document.scene.model_copy(update={"obstacles": document.scene.obstacles[:6]}), "test"
    )
    assert inspector.title.text() != "Cylinder 7"
    assert inspector.rows == {}


# --- checks ---------------------------------------------------------------------------------------


def test_checks_are_listed_and_select_objects(
    qtbot: QtBot,
    document: Document,
    selection: Selection,
    session_controller: FakeSessionController,
) -> None:
    checks = Checks(document, session_controller, selection)  # type: ignore[arg-type]
    show_widget(qtbot, checks, 300, 300)
    assert checks.summary.text() == "No errors"
    session_controller.set_status(
        problems=(
            Problem(
                "error",
                "obstacles[3].x_m",
                "link 5 overlaps cylinder 3",
                "move one of them",
                (2,),
                (4,),
            ),
            Problem("hint", "ground.mu_along", "the ground has no friction at all", "raise it"),
        ),
        pending=("solver.step_s", "obstacles[2].radius_m"),
    )
    assert checks.summary.text() == "1 error, 1 hint, 2 edits at reset"
    model = checks.list.model()
    lines = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    assert lines[0] == "Link 5 overlaps cylinder 3. Move one of them."
    assert lines[2].startswith("Time step ")
    assert lines[3].startswith("Cylinder 2, radius ")
    for row, expected in enumerate(
        ({("obstacle", 2), ("link", 4)}, {("ground", 0)}, {("run", 0)}, {("obstacle", 1)})
    ):
        where = checks.list.visualRect(model.index(row, 0)).center()
        qtbot.mouseClick(checks.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(where))
        assert selection.items == expected
    session_controller.set_status(problems=(), pending=())
    assert checks.summary.text() == "No errors"
    assert model.rowCount() == 0


def test_general_problem_selects_nothing() -> None:
    assert items_of(Problem("error", "", "no", "")) == []
    assert items_of(Problem("error", "obstacles", "no", "")) == []
    assert items_of(Problem("error", "joint_controller.kp_nm_per_rad", "no", "")) == [("robot", 0)]


def test_keys_in_messages_are_shown_as_labels() -> None:
    text = labelled("ground.law: This model has none. Set model.kind to another.", Scene())
    assert text == 'Ground: Friction law: This model has none. Set "Model" to another.'


def test_obstacles_in_messages_have_their_titles(document: Document) -> None:
    text = "It stopped. obstacles[1]: Link 10 is inside obstacle 1."
    assert labelled(text, document.scene) == (
        "It stopped. Cylinder 1: Link 10 is inside Cylinder 1."
    )


def test_path_is_in_the_tree_and_its_points_are_edited(
    qtbot: QtBot, tree: SceneTree, inspector: Inspector, document: Document, selection: Selection
) -> None:
    assert "Path · none" in texts(tree)
    selection.set([("path", 0)])
    assert inspector.title.text() == "Path"
    assert list(inspector.rows) == ["path.waypoints_m", "path.shape", "path.closed"]
    row = inspector.rows["path.waypoints_m"]
    assert isinstance(row.editor, TextEditor)
    enter(row, "0 0; 1,5 -0.25; 3 1/2")
    assert document.scene.path.waypoints_m == ((0.0, 0.0), (1.5, -0.25), (3.0, 0.5))
    assert row.field.text() == "0 0; 1.5 −0.25; 3 0.5"
    assert "Path · 3 waypoints" in texts(tree)
    for wrong, message in (
        ("0 0; 1", "two numbers"),
        ("0 0", "needs at least 2"),
        ("0 0; 0 0", "the one before"),
    ):
        enter(row, wrong)
        assert message in row.message.text()
        assert len(document.scene.path.waypoints_m) == 3
    document.undo_stack.undo()
    assert not document.scene.path


def _with_ice(document: Document) -> None:
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    patches = tuple(
        GroundPatch(name=name, points_m=corners, mu_along=0.02) for name in ("Ice", "", "Sand")
    )
    document.edit(with_patches(document.scene, patches), "test")


def test_friction_patches_are_edited_in_the_tree(
    qtbot: QtBot, tree: SceneTree, inspector: Inspector, document: Document, selection: Selection
) -> None:
    _with_ice(document)
    assert [text for text in texts(tree) if "0.02" in text] == [
        "Ice · µ 0.02 along, 0.2 across",
        "Patch 2 · µ 0.02 along, 0.2 across",
        "Sand · µ 0.02 along, 0.2 across",
    ]
    click(qtbot, tree, ("patch", 1))
    assert selection.items == {("patch", 1)}
    assert inspector.title.text() == "Patch 2"
    index = tree.model.index_of(("patch", 1))
    assert tree.model.setData(index, " Grass ")
    assert document.scene.ground.patch[1].name == "Grass"
    assert document.undo_stack.undoText() == "Rename Patch 2"
    assert "Grass · µ 0.02 along, 0.2 across" in texts(tree)
    selection.set([("patch", 0), ("patch", 2)])
    assert selected(tree) == {("patch", 0), ("patch", 2)}
    selection.set([("patch", 0)])
    assert tree.delete_button.isEnabled()
    tree.view.setFocus()
    qtbot.keyClick(tree.view, Qt.Key.Key_Delete)
    assert [patch.name for patch in document.scene.ground.patch] == ["Grass", "Sand"]
    assert selection.items == frozenset()
    selection.set([("patch", 1)])
    document.undo_stack.undo()
    assert selection.items == {("patch", 2)}


def test_values_of_a_friction_patch_are_edited(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    _with_ice(document)
    selection.set([("patch", 0)])
    rows = {key.rpartition(".")[2]: row for key, row in inspector.rows.items()}
    assert list(rows) == ["name", "points_m", "mu_along", "mu_backward", "mu_across"]
    assert not any(row.unused for row in rows.values())
    assert rows["mu_backward"].field.placeholderText() == "same"
    enter(rows["mu_backward"], "0.3")
    enter(rows["points_m"], "0 0; 2 0; 2 2; 0 2")
    patch = document.scene.ground.patch[0]
    assert patch.mu_backward == 0.3
    assert patch.points_m[2] == (2.0, 2.0)
    enter(rows["points_m"], "0 0; 1 0")
    assert "at least 3" in rows["points_m"].message.text()
    assert document.scene.ground.patch[0] == patch


def test_formulas_of_the_ground_are_checked_while_typing(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("ground", 0)])
    assert inspector.ground_formulas is not None
    row = inspector.ground_formulas.rows["ground.friction_factor"]
    row.field.setText("1 + X")
    row.field.setModified(True)
    row.editor.commit()
    assert "position" in row.problem
    assert document.scene.ground.friction_factor == "1"
    row.field.setText("1 + 0.5*sin(2*t)")
    row.field.setModified(True)
    row.editor.commit()
    assert not row.problem
    assert document.scene.ground.friction_factor == "1 + 0.5*sin(2*t)"
    law = inspector.rows["ground.law"]
    assert isinstance(law.editor, ChoiceEditor)
    names = [law.field.itemText(i) for i in range(law.field.count())]
    assert names == ["Model default", "Ellipse", "Components", "Unit velocity"]


# --- several objects, defaults, search ------------------------------------------------------------


def test_relative_change_applies_to_each_object(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    before = document.scene.obstacles[:3]
    selection.set([("obstacle", 0), ("obstacle", 1), ("obstacle", 2)])
    row = number(inspector, "x_m")
    assert row.field.placeholderText() == "mixed"
    enter(row, "+0,1")
    assert [o.x_m for o in document.scene.obstacles[:3]] == pytest.approx(
        [o.x_m + 0.1 for o in before], abs=1e-12
    )
    assert document.undo_stack.undoText() == "Change x of 3 obstacles"
    assert document.undo_stack.count() == 1
    enter(row, "*2")
    assert [o.x_m for o in document.scene.obstacles[:3]] == pytest.approx(
        [2 * o.x_m + 0.2 for o in before], abs=1e-12
    )
    enter(row, "-=0.2 m")
    enter(row, "/2")
    assert [o.x_m for o in document.scene.obstacles[:3]] == pytest.approx(
        [o.x_m for o in before], abs=1e-12
    )
    qtbot.keyClick(row.field, Qt.Key.Key_Up)
    step = row.field.step
    assert [o.x_m for o in document.scene.obstacles[:3]] == pytest.approx(
        [o.x_m + step for o in before], abs=1e-12
    )
    count = document.undo_stack.count()
    enter(row, "*1e6")
    assert row.message.text().startswith("x ")
    assert "10000 m" in row.message.text()
    enter(row, "/0")
    assert "zero" in row.message.text()
    assert document.undo_stack.count() == count
    enter(row, "-0.5")
    assert [o.x_m for o in document.scene.obstacles[:3]] == [-0.5] * 3, (
        "a number with a minus is a number"
    )
    assert row.field.text() == "−0.50"
    enter(row, "+0.25")
    assert [o.x_m for o in document.scene.obstacles[:3]] == [-0.25] * 3


def test_integers_of_several_objects_stay_integers(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    flights = (Stairs(x_m=0, y_m=0, steps=3), Stairs(x_m=0, y_m=4, steps=6))
    document.edit(document.scene.model_copy(update={"obstacles": flights}), "test")
    selection.set([("obstacle", 0), ("obstacle", 1)])
    row = number(inspector, "steps")
    enter(row, "*1.5")
    assert [o.steps for o in document.scene.obstacles] == [4, 9]  # type: ignore[union-attr]
    enter(row, "-=4")
    assert row.message.text().startswith("Steps ")
    assert "at least 1" in row.message.text()
    enter(row, "7")
    assert [o.steps for o in document.scene.obstacles] == [7, 7]  # type: ignore[union-attr]


def test_groups_and_flags_of_several_objects_are_edited(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    document.set_value("obstacles[1].locked", True, "test")
    selection.set([("obstacle", 0), ("obstacle", 1)])
    group = inspector.rows["group"]
    locked = inspector.rows["locked"]
    assert isinstance(group.editor, TextEditor)
    enter(group, "pegs")
    assert [o.group for o in document.scene.obstacles[:3]] == ["pegs", "pegs", ""]
    assert isinstance(locked.editor, SwitchEditor)
    assert locked.field.checkState() == Qt.CheckState.PartiallyChecked
    locked.field.click()
    assert [o.locked for o in document.scene.obstacles[:3]] == [True, True, False]


def test_value_is_reset_to_its_default(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("ground", 0)])
    row = number(inspector, "ground.mu_rolling")
    assert row.reset_button is not None
    assert not row.reset_button.isVisible()
    enter(row, "0.3")
    assert row.reset_button.isVisible()
    assert row.reset_button.toolTip() == "Reset to 0.05"
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert document.scene.ground.mu_rolling == 0.05
    assert not row.reset_button.isVisible()
    assert document.undo_stack.count() == 2
    tip = row.field.toolTip()
    for part in (
        "Rolling friction",
        "µ<",
        "At least 0, at most 100",
        "Default 0.05",
        "Takes effect",
        "ground.mu_rolling",
    ):
        assert part in tip
    selection.set([("obstacle", 0)])
    button = number(inspector, "x_m").reset_button
    assert button is not None
    assert button.isHidden(), "a position has no default"


def test_value_without_effect_is_grey_with_a_reason(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("ground", 0)])
    row = number(inspector, "ground.mu_rolling")
    read = number(inspector, "ground.mu_along")
    assert "spatial model" in row.unused
    assert row.field.property("unused")
    assert row.unused in row.field.toolTip()
    assert not read.unused
    assert not read.field.property("unused")
    enter(row, "0.3")
    assert document.scene.ground.mu_rolling == 0.3, (
        "it can be set for the model that is chosen next"
    )
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    assert not row.unused
    assert not row.field.property("unused")
    assert "no effect" not in row.field.toolTip()
    document.undo_stack.undo()
    assert row.field.property("unused")
    assert row.reset_button is not None
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert document.scene.ground.mu_rolling == 0.05


def test_value_waiting_for_the_reset_is_marked(
    inspector: Inspector, selection: Selection, session_controller: FakeSessionController
) -> None:
    selection.set([("run", 0)])
    step = inspector.rows["solver.step_s"]
    duration = inspector.rows["run.duration_s"]
    assert "after Reset" in label(step).text()
    assert "after Reset" not in label(duration).text()
    assert "after a reset." in number(inspector, "solver.step_s").field.toolTip()
    session_controller.set_status(pending=("solver.step_s",))
    assert "reset" in step.message.text()
    assert not duration.message.isVisible()
    session_controller.set_status(pending=())
    assert not step.message.isVisible()
    session_controller.set_status(pending=("start",))
    selection.set([("start", 0)])
    assert "reset" in inspector.rows["start.x_m"].message.text(), "with its part"


def test_property_is_found_by_name_symbol_or_key(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    selection.set([("obstacle", 2)])
    inspector.search.setFocus()
    qtbot.keyClicks(inspector.search, "time step")
    # the best match is first
    qtbot.waitUntil(lambda: next(iter(inspector.rows), "") == "solver.step_s")
    assert "robot.name" not in inspector.rows
    inspector.search.clear()
    qtbot.waitUntil(lambda: "radius_m" in inspector.rows)  # the form of the selection is restored
    qtbot.keyClicks(inspector.search, "L_H")
    # also of the selection
    qtbot.waitUntil(lambda: list(inspector.rows) == ["obstacles[3].radius_m"])
    enter(number(inspector, "obstacles[3].radius_m"), "0.2")
    assert document.scene.obstacles[2].radius_m == 0.2  # type: ignore[union-attr]
    for text, key in (
        ("kp_nm", "joint_controller.kp_nm_per_rad"),
        ("gravity", "ground.gravity_m_s2"),
        ("robot name", "robot.name"),
        ("µ_T,x", "ground.mu_along"),
    ):
        inspector.search.setText(text)
        qtbot.waitUntil(lambda key=key: key in inspector.rows)
    enter(number(inspector, "ground.mu_along"), "0.4")
    assert document.scene.ground.mu_along == 0.4
    inspector.search.setText("no such thing")
    qtbot.waitUntil(lambda: inspector.title.text() == "No results")
    assert inspector.rows == {}
    selection.set([("ground", 0)])
    assert inspector.search.text() == ""
    assert inspector.title.text() == "Ground"


def test_search_finds_every_relevant_value(document: Document) -> None:
    keys = {item.keys[0] for item in properties(document.scene)}
    for part in (
        "robot",
        "ground",
        "gait",
        "joint_controller",
        "actuator",
        "control",
        "solver",
        "run",
        "start",
        "path",
    ):
        assert any(key.startswith(f"{part}.") for key in keys), part
    for key in keys:
        get_value(document.scene, key)
    assert not any(key.startswith(("beam", "strain")) for key in keys), "a chain has no strain law"
    (inertia,) = find(document.scene, "axial_inertia")
    assert inertia.unused, "values without effect are found, with the reason"
    assert {item.keys[0] for item in find(document.scene, "friction along")} >= {"ground.mu_along"}


def test_inspector_of_the_robot_links_to_the_tables(
    qtbot: QtBot, inspector: Inspector, document: Document, selection: Selection
) -> None:
    mass = {"link": [{"index": 2, "mass_kg": 2.0}], "joint": [{"index": "1-2", "rest_deg": 5.0}]}
    document.edit(
        with_values(document.scene, {f"robot.{table}": rows for table, rows in mass.items()}),
        "Differ",
    )
    for item, text in ((("robot", 0), "Links and Joints..."), (("link", 4), "Edit in Table...")):
        selection.set([item])
        button = next(each for each in inspector.findChildren(QPushButton) if each.text() == text)
        with qtbot.waitSignal(inspector.parts_requested) as signal:
            button.click()
        assert signal.args == ["link", item[1]]
    selection.set([("robot", 0)])
    texts = [label.text() for label in inspector.findChildren(QLabel)]
    assert any("1 of 11 links" in text and "2 of 10 joints" in text for text in texts)
