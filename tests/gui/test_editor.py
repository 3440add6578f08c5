"""Moving, turning and scaling in the viewport by real mouse and key events, on the plain view, which is fast."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import LENGTH, handles
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.settings import EditorOptions
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.scene import Scene
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import move, show_widget, type_into

pytestmark = pytest.mark.gui

LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
Key = Qt.Key

THINGS: tuple[Obstacle, ...] = (
    Cylinder(x_m=0.0, y_m=0.0, name="post"),
    Box(x_m=1.0, y_m=0.0, yaw_deg=30, length_m=0.4, width_m=0.2),
    Stairs(x_m=0.0, y_m=1.0, steps=2, run_m=0.2, width_m=0.4, landing_m=0.2),
    Cylinder(x_m=1.0, y_m=1.0, group="pair"),
    Cylinder(x_m=1.5, y_m=1.0, group="pair"),
    Cylinder(x_m=1.5, y_m=0.0, locked=True),
)


@pytest.fixture
def document() -> Document:
    """Some obstacles half a metre or more apart."""
    document = Document()
    document.new(Scene(obstacles=THINGS))
    return document


@pytest.fixture
def viewport(
    qtbot: QtBot, document: Document, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Viewport]:
    """A plain view of 800 x 600 pixels in which a metre is 300 pixels."""
    monkeypatch.setenv("SNAKESTUDIO_VIEWPORT", "flat")
    viewport = Viewport(document, FakeSessionController(), Selection(document))  # type: ignore[arg-type]
    show_widget(qtbot, viewport, 800, 600)
    viewport.navigator.aspect = 800 / 600
    distance = 2.0 / (2 * math.tan(Camera().fov / 2))
    viewport.navigator.jump(Camera((0.75, 0.5, 0.0), distance).standard("top"))
    viewport.setFocus()
    yield viewport
    viewport.close()


def at(viewport: Viewport, x: float, y: float) -> QPoint:
    return viewport.pixel((x, y, 0.0)).toPoint()


def drag(
    qtbot: QtBot,
    viewport: Viewport,
    start: QPoint,
    end: QPoint,
    modifier: Qt.KeyboardModifier = NONE,
    release: bool = True,
) -> None:
    move(viewport, start, modifiers=modifier)
    qtbot.mousePress(viewport, LEFT, modifier, start)
    for part in (0.3, 0.7, 1.0):
        move(viewport, start + (end - start) * part, held=LEFT, modifiers=modifier)
    if release:
        qtbot.mouseRelease(viewport, LEFT, modifier, end)


def type_keys(qtbot: QtBot, viewport: Viewport, text: str) -> None:
    qtbot.keyClicks(viewport, text)


def start(qtbot: QtBot, viewport: Viewport, mode: str, x: float, y: float) -> None:
    """Press G, R or S with the cursor at a position."""
    move(viewport, at(viewport, x, y))
    viewport.tools.editor.transforms.start(mode)  # type: ignore[arg-type]


def label(viewport: Viewport) -> str:
    return viewport.tools.editor.transforms.label.text


def one(document: Document, index: int) -> Obstacle:
    return document.scene.obstacles[index]


# --- G, R, S --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "x"),
    [
        ("x0.25", 0.25),
        ("x12cm", 0.12),
        ("x1/3", 1 / 3),
        ("x-0.1*2", -0.2),
        ("0.5", 0.5),
        ("x2*(3cm+1in)", 0.1108),
    ],
)
def test_typed_shift_is_applied(
    qtbot: QtBot, viewport: Viewport, document: Document, typed: str, x: float
) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    move(viewport, at(viewport, 0.9, 0.7))  # the typed value counts, not the mouse
    type_keys(qtbot, viewport, typed)
    qtbot.keyClick(viewport, Key.Key_Return)
    assert not viewport.tools.editor.transforms.busy
    assert one(document, 0) == THINGS[0].model_copy(update={"x_m": round(x, 6)})
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Move post"


def test_mouse_moves_on_the_ground_and_click_accepts(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 0), ("obstacle", 2)])
    start(qtbot, viewport, "move", 0.5, 0.5)
    move(viewport, at(viewport, 0.7, 0.4))
    assert label(viewport) == "Δx +0.200 m   Δy −0.100 m"
    qtbot.keyClick(viewport, Key.Key_Y)
    assert label(viewport) == "Δy −0.100 m"
    gizmo = viewport.overlays().gizmo
    assert gizmo is not None
    assert gizmo.held == "y"
    qtbot.mouseClick(viewport, LEFT, NONE, at(viewport, 0.7, 0.4))
    assert not viewport.tools.editor.transforms.busy
    for index in (0, 2):
        assert one(document, index) == THINGS[index].model_copy(
            update={"y_m": pytest.approx(THINGS[index].y_m - 0.1)}
        )
    assert document.undo_stack.undoText() == "Move 2 obstacles"
    document.undo_stack.undo()
    assert document.scene.obstacles == THINGS
    assert not document.undo_stack.canUndo()


@pytest.mark.parametrize("how", ["escape", "right click"])
def test_escape_and_right_click_leave_no_step(
    qtbot: QtBot, viewport: Viewport, document: Document, how: str
) -> None:
    viewport.selection.set([("obstacle", 1)])
    before = document.scene
    start(qtbot, viewport, "turn", 1.3, 0.0)
    move(viewport, at(viewport, 1.0, 0.3))
    qtbot.waitUntil(lambda: document.scene is not before)
    if how == "escape":
        qtbot.keyClick(viewport, Key.Key_Escape)
    else:
        qtbot.mouseClick(viewport, RIGHT, NONE, at(viewport, 1.0, 0.3))
    assert document.scene == before
    assert document.undo_stack.count() == 0
    assert not document.dirty
    assert viewport.selection.items == {("obstacle", 1)}
    assert not viewport.tools.editor.transforms.label.isVisible()


def test_turn_follows_the_mouse_past_a_full_turn(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 1)])
    start(qtbot, viewport, "turn", 1.3, 0.0)
    for degrees in range(15, 421, 15):
        a = math.radians(degrees)
        move(viewport, at(viewport, 1.0 + 0.3 * math.cos(a), 0.3 * math.sin(a)))
    assert abs(math.degrees(viewport.tools.editor.transforms.transform.amount.angle) - 420) < 1.0  # type: ignore[union-attr]
    assert label(viewport).endswith("° about z")
    qtbot.keyClick(viewport, Key.Key_Enter)
    box = one(document, 1)
    assert isinstance(box, Box)
    assert box.yaw_deg == pytest.approx(90.0, abs=1.0)
    assert (box.x_m, box.y_m) == (1.0, 0.0)


@pytest.mark.parametrize(("typed", "yaw"), [("z30deg", 60.0), ("-45", -15.0), ("pi/2rad", 120.0)])
def test_typed_turn_is_applied(
    qtbot: QtBot, viewport: Viewport, document: Document, typed: str, yaw: float
) -> None:
    viewport.selection.set([("obstacle", 1)])
    start(qtbot, viewport, "turn", 1.3, 0.0)
    type_keys(qtbot, viewport, typed if typed[0] != "p" else "(" + typed.replace("rad", ")rad"))
    qtbot.keyClick(viewport, Key.Key_Return)
    box = one(document, 1)
    assert isinstance(box, Box)
    assert box.yaw_deg == pytest.approx(yaw, abs=1e-6)


def test_box_is_tilted_by_keys(qtbot: QtBot, viewport: Viewport, document: Document) -> None:
    viewport.selection.set([("obstacle", 1)])
    start(qtbot, viewport, "turn", 1.3, 0.0)
    type_keys(qtbot, viewport, "y")
    qtbot.keyClick(viewport, Key.Key_Y)  # its own y axis
    assert label(viewport) == "0.0° about own y"
    type_keys(qtbot, viewport, "20")
    qtbot.keyClick(viewport, Key.Key_Return)
    box = one(document, 1)
    assert isinstance(box, Box)
    assert (box.yaw_deg, box.pitch_deg, box.roll_deg) == (30.0, 20.0, 0.0)


def test_scaling_by_mouse_and_typed(qtbot: QtBot, viewport: Viewport, document: Document) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "scale", 0.3, 0.0)
    move(viewport, at(viewport, 0.45, 0.0))
    assert label(viewport) == "×1.50"
    qtbot.keyClick(viewport, Key.Key_Return)
    assert one(document, 0) == THINGS[0].model_copy(update={"radius_m": 0.1875, "height_m": 0.45})
    start(qtbot, viewport, "scale", 0.3, 0.0)
    type_keys(qtbot, viewport, "z50%")
    assert label(viewport) == "50%▏ = ×0.50 along z"
    qtbot.keyClick(viewport, Key.Key_Return)
    assert one(document, 0) == THINGS[0].model_copy(update={"radius_m": 0.1875, "height_m": 0.225})
    assert document.undo_stack.undoText() == "Scale post"


def test_keys_change_axes_planes_and_the_kind_of_transform(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 1)])
    start(qtbot, viewport, "move", 1.0, 0.5)
    running = viewport.tools.editor.transforms.transform
    assert running is not None
    qtbot.keyClick(viewport, Key.Key_Z, SHIFT)
    assert (running.amount.axes, running.amount.local) == ("xy", False)
    qtbot.keyClick(viewport, Key.Key_X)
    assert (running.amount.axes, running.amount.local) == ("x", False)
    qtbot.keyClick(viewport, Key.Key_X)
    assert (running.amount.axes, running.amount.local) == ("x", True)
    type_keys(qtbot, viewport, "1")
    np.testing.assert_allclose(
        running.amount.shift, (math.cos(math.radians(30)), 0.5, 0.0), atol=1e-12
    )
    assert label(viewport) == "Δown x 1▏ = +1.000 m"
    qtbot.keyClick(viewport, Key.Key_Backspace)
    qtbot.keyClick(viewport, Key.Key_X)
    assert (running.amount.axes, running.amount.local) == ("", False)
    qtbot.keyClick(viewport, Key.Key_R)
    assert viewport.tools.editor.transforms.transform is not None
    assert viewport.tools.editor.transforms.transform.amount.mode == "turn"
    qtbot.keyClick(viewport, Key.Key_Escape)
    assert document.scene.obstacles == THINGS


def test_tab_goes_to_the_next_axis(qtbot: QtBot, viewport: Viewport, document: Document) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    type_keys(qtbot, viewport, "0.1")
    qtbot.keyClick(viewport, Key.Key_Tab)
    type_keys(qtbot, viewport, "-3cm")
    qtbot.keyClick(viewport, Key.Key_Return)
    assert one(document, 0) == THINGS[0].model_copy(update={"x_m": 0.1, "y_m": -0.03})


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("1..2", "“1..2” "),
        ("3deg", "“deg” "),
        ("1/0", "zero"),
        ("20000", "10000 m"),
    ],
)
def test_invalid_input_is_reported_and_changes_nothing(
    qtbot: QtBot, viewport: Viewport, document: Document, typed: str, part: str
) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    type_keys(qtbot, viewport, typed)
    qtbot.keyClick(viewport, Key.Key_Return)
    transforms = viewport.tools.editor.transforms
    assert transforms.busy, "it waits for a valid value"
    assert part in transforms.label.problem
    assert document.scene.obstacles == THINGS
    qtbot.keyClick(viewport, Key.Key_Backspace, CTRL)
    type_keys(qtbot, viewport, "0.1")
    assert transforms.label.problem == ""
    qtbot.keyClick(viewport, Key.Key_Return)
    assert one(document, 0).x_m == 0.1


def test_unfinished_numbers_are_not_applied(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    for key in "-1/":
        type_keys(qtbot, viewport, key)
        assert viewport.tools.editor.transforms.label.problem == ""
    qtbot.keyClick(viewport, Key.Key_Return)
    assert viewport.tools.editor.transforms.label.problem.startswith("“-1/” ")
    assert document.scene.obstacles == THINGS
    viewport.tools.editor.transforms.cancel()


def test_impossible_transform_is_refused_with_a_message(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    transforms = viewport.tools.editor.transforms
    start(qtbot, viewport, "move", 0.2, 0.2)
    assert "locked" in transforms.label.problem
    viewport.selection.set([("obstacle", 5)])
    transforms.start("move")
    assert not transforms.busy
    viewport.selection.set([("obstacle", 0)])
    transforms.start("turn")
    assert "Post is symmetric" in transforms.label.problem
    transforms.start("move")
    qtbot.keyClick(viewport, Key.Key_Z)
    assert "x and y" in transforms.label.problem
    transforms.cancel()
    viewport.selection.set([("obstacle", 2)])
    transforms.start("turn")
    qtbot.keyClick(viewport, Key.Key_X)
    assert transforms.label.problem == "Stairs 3 can be rotated about z only."
    transforms.cancel()
    assert document.scene.obstacles == THINGS


def test_other_edit_ends_the_transform_and_stays(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    move(viewport, at(viewport, 0.4, 0.2))
    document.set_value("obstacles[2].yaw_deg", 77.0, "Yaw")
    assert not viewport.tools.editor.transforms.busy
    assert one(document, 1) == THINGS[1].model_copy(update={"yaw_deg": 77.0})
    assert not viewport.tools.editor.transforms.cancel()
    assert one(document, 1) == THINGS[1].model_copy(update={"yaw_deg": 77.0})


def test_other_document_is_not_changed(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.2, 0.2)
    move(viewport, at(viewport, 0.4, 0.2))
    other = Scene(obstacles=THINGS[1:3])
    document.new(other)
    assert not viewport.tools.editor.transforms.busy
    assert document.scene is other


# --- the gizmo ------------------------------------------------------------------------------------


def grip(viewport: Viewport, name: str) -> QPoint:
    """Position of a handle in the view."""
    gizmo = viewport.overlays().gizmo
    assert gizmo is not None
    handle = next(h for h in handles(gizmo, viewport.navigator.camera) if h.name == name)
    point = (
        handle.points[len(handle.points) // 8]
        if handle.kind == "ring"
        else handle.points.mean(axis=0)
    )
    x, y, z = point
    return viewport.pixel((float(x), float(y), float(z))).toPoint()


def test_arrow_moves_along_its_axis(qtbot: QtBot, viewport: Viewport, document: Document) -> None:
    viewport.selection.set([("obstacle", 1)])
    position = grip(viewport, "x")
    move(viewport, position)
    assert viewport.tools.editor.transforms.hovered == "x"
    assert viewport.hint.text().startswith("Drag: move along x · Ctrl: snapping")
    drag(qtbot, viewport, position, position + QPoint(60, 45))
    assert one(document, 1) == THINGS[1].model_copy(update={"x_m": pytest.approx(1.2, abs=2e-4)})
    assert document.undo_stack.count() == 1
    assert viewport.selection.items == {("obstacle", 1)}


def test_square_moves_in_its_plane_and_ring_turns(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 1)])
    position = grip(viewport, "xy")
    drag(qtbot, viewport, position, position + QPoint(60, 45))
    moved = one(document, 1)
    assert (moved.x_m, moved.y_m) == (pytest.approx(1.2, abs=2e-4), pytest.approx(-0.15, abs=2e-4))
    qtbot.keyClick(viewport, Key.Key_T)  # no window here uses it as a shortcut
    viewport.tools.editor.options.next_mode()
    middle = at(viewport, moved.x_m, moved.y_m)
    position = grip(viewport, "z")
    arm = position - middle
    # a quarter anticlockwise; y points down
    drag(qtbot, viewport, position, middle + QPoint(arm.y(), -arm.x()))
    turned = one(document, 1)
    assert isinstance(turned, Box)
    assert turned.yaw_deg == pytest.approx(120.0, abs=1.5)
    assert document.undo_stack.undoText() == "Rotate box 2"


def test_cube_scales_along_its_axis_and_centre_scales_all(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    document.set_value("obstacles[2].yaw_deg", 0.0, "Yaw")
    viewport.tools.editor.options.set(mode="scale")
    viewport.selection.set([("obstacle", 1)])
    position = grip(viewport, "x")
    length = LENGTH * 600  # pixels of an axis
    drag(qtbot, viewport, position, position + QPoint(round(length / 2), 0))
    box = one(document, 1)
    assert isinstance(box, Box)
    assert (box.length_m, box.width_m) == (pytest.approx(0.6, abs=0.01), 0.2)
    position = grip(viewport, "xyz")
    drag(qtbot, viewport, position, position + QPoint(round(length), 0))
    box = one(document, 1)
    assert isinstance(box, Box)
    assert (box.width_m, box.height_m) == (
        pytest.approx(0.4, abs=0.01),
        pytest.approx(0.2, abs=0.005),
    )
    assert box.z_m == 0.0  # it stays on the ground


def test_click_on_a_handle_changes_nothing(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 1)])
    position = grip(viewport, "x")
    qtbot.mouseClick(viewport, LEFT, NONE, position)
    assert document.scene.obstacles == THINGS
    assert document.undo_stack.count() == 0
    assert viewport.selection.items == {("obstacle", 1)}


def test_only_possible_transforms_are_offered(viewport: Viewport) -> None:
    def offered(mode: str, *indices: int) -> str | None:
        viewport.tools.editor.options.set(mode=mode)
        viewport.selection.set([("obstacle", index) for index in indices])
        gizmo = viewport.overlays().gizmo
        return gizmo.offered if gizmo is not None else None

    assert offered("move", 0) == "xy"
    assert offered("move", 1) == "xyz"
    assert offered("turn", 0) == ""
    assert offered("turn", 1) == "xyz"
    assert offered("turn", 2) == "z"
    assert offered("turn", 0, 1) == "z"
    assert offered("scale", 0) == "xyz"
    assert offered("move", 5) is None, "it is locked"
    assert offered("move", 0, 5) == "xy"
    viewport.tools.editor.options.set(gizmo=False)
    assert offered("move", 0) is None


def test_plain_view_paints_the_gizmo(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.selection.set([("obstacle", 1)])
    position = grip(viewport, "x")
    colour = viewport.grab().toImage().pixelColor(position)
    assert colour.red() > colour.green() + 60, "the x axis is red"
    viewport.tools.editor.options.set(gizmo=False)
    assert viewport.grab().toImage().pixelColor(position) != colour


# --- snapping -------------------------------------------------------------------------------------


def test_ctrl_snaps_to_the_grid_and_inverts_the_switch(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    options = viewport.tools.editor.options
    options.set(objects=False, grid_m=0.1)
    viewport.selection.set([("obstacle", 0)])
    drag(qtbot, viewport, at(viewport, 0.0, 0.0), at(viewport, 0.33, 0.17), CTRL)
    assert (one(document, 0).x_m, one(document, 0).y_m) == (0.3, 0.2)
    options.set(on=True)
    drag(qtbot, viewport, at(viewport, 0.3, 0.2), at(viewport, 0.41, 0.26))
    assert (one(document, 0).x_m, one(document, 0).y_m) == (0.4, 0.3)
    drag(qtbot, viewport, at(viewport, 0.4, 0.3), at(viewport, 0.44, 0.3), CTRL)
    assert one(document, 0).x_m == pytest.approx(0.44, abs=2e-3)


def test_edges_and_centres_of_others_snap_and_are_shown(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    """Two boxes: face to face, and centres in line."""
    document.new(
        Scene(
            obstacles=(
                Box(x_m=0, y_m=0, length_m=0.2, width_m=0.2),
                Box(x_m=1, y_m=0.5, length_m=0.4, width_m=0.2),
            )
        )
    )
    viewport.tools.editor.options.set(on=True, grid=False)
    viewport.selection.set([("obstacle", 0)])
    start(qtbot, viewport, "move", 0.0, 0.0)
    move(viewport, at(viewport, 0.69, 0.51))
    running = viewport.tools.editor.transforms.transform
    assert running is not None
    # side by side, in line
    np.testing.assert_allclose(running.amount.shift, (0.7, 0.5, 0.0), atol=1e-9)
    assert len(viewport.overlays().guides) == 2
    levels = {(round(guide.end[0], 6), round(guide.end[1], 6)) for guide in running.amount.guides}
    assert levels == {(0.8, 0.5), (1.0, 0.5)}
    move(viewport, at(viewport, 0.4, 0.25))
    assert viewport.overlays().guides == ()
    viewport.tools.editor.transforms.cancel()


def test_angles_and_factors_snap_to_steps(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    viewport.selection.set([("obstacle", 1)])
    start(qtbot, viewport, "turn", 1.3, 0.0)
    a = math.radians(50)
    move(viewport, at(viewport, 1.0 + 0.3 * math.cos(a), 0.3 * math.sin(a)), modifiers=CTRL)
    assert label(viewport) == "45.0° about z"
    qtbot.keyClick(viewport, Key.Key_Return)
    box = one(document, 1)
    assert isinstance(box, Box)
    assert box.yaw_deg == 75.0
    start(qtbot, viewport, "scale", 1.3, 0.0)
    move(viewport, at(viewport, 1.47, 0.0), modifiers=CTRL)
    assert label(viewport) == "×1.60"
    qtbot.keyClick(viewport, Key.Key_Escape)


def test_snap_popup_sets_steps_and_refuses_invalid_values(qtbot: QtBot, viewport: Viewport) -> None:
    popup = viewport.tools.editor.buttons.open_snapping()
    height = popup.height()
    popup.boxes["on"].click()
    assert viewport.tools.editor.options.now.on
    assert viewport.tools.editor.buttons.buttons["snap"].isChecked()
    field = popup.fields["grid_m"]
    for typed, grid, problem in (
        ("2,5 cm", 0.025, ""),
        ("0", 0.025, "Grid must be greater"),
        ("much", 0.025, "“much” "),
    ):
        type_into(field, typed, enter=False)
        qtbot.keyClick(field, Key.Key_Return)
        assert viewport.tools.editor.options.now.grid_m == grid
        assert popup.message.text().startswith(problem)
        assert bool(popup.message.text()) == bool(problem)
        assert (popup.height() > height) == bool(problem), "there is space for the message"
    popup.close()


def test_choices_are_stored_in_the_settings(qtbot: QtBot, tmp_path: object) -> None:
    settings = QSettings(f"{tmp_path}/settings.ini", QSettings.Format.IniFormat)
    options = EditorOptions()
    options.set(on=True, grid_m=0.02, mode="turn", gizmo=False)
    options.save(settings)
    again = EditorOptions()
    again.load(settings)
    assert again.now == options.now
    for name, wrong in (
        ("mode", "fly"),
        ("grid_m", "-1"),
        ("angle_deg", "nan"),
        ("factor", "much"),
    ):
        settings.setValue(f"editor/{name}", wrong)
    again.load(settings)
    assert (again.now.mode, again.now.grid_m, again.now.angle_deg, again.now.factor) == (
        "move",
        0.05,
        15.0,
        0.1,
    )


# --- selecting ------------------------------------------------------------------------------------


def test_click_selects_the_group_and_alt_click_one(qtbot: QtBot, viewport: Viewport) -> None:
    pair = {("obstacle", 3), ("obstacle", 4)}
    qtbot.mouseClick(viewport, LEFT, NONE, at(viewport, 1.0, 1.0))
    assert viewport.selection.items == pair
    qtbot.mouseClick(viewport, LEFT, CTRL, at(viewport, 0.0, 0.0))
    assert viewport.selection.items == {*pair, ("obstacle", 0)}
    qtbot.mouseClick(viewport, LEFT, CTRL, at(viewport, 1.5, 1.1))
    assert viewport.selection.items == {("obstacle", 0)}
    qtbot.mouseClick(viewport, LEFT, ALT, at(viewport, 1.5, 1.1))
    assert viewport.selection.items == {("obstacle", 4)}


def test_locked_obstacles_are_not_picked_or_moved(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    position = at(viewport, 1.5, 0.0)
    move(viewport, position)
    assert viewport.selection.hovered is None
    assert viewport.hint.text().startswith("Cylinder 6 · locked")
    qtbot.mouseClick(viewport, LEFT, NONE, position)
    assert not viewport.selection.items
    viewport.selection.set([("obstacle", 0), ("obstacle", 5)])  # like the tree
    drag(qtbot, viewport, at(viewport, 0.0, 0.0), at(viewport, 0.2, 0.0))
    assert one(document, 0).x_m == pytest.approx(0.2, abs=1e-3)
    assert one(document, 5) is THINGS[5]


def test_rectangle_selects_obstacles_by_centre(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    document.set_value("obstacles[6].hidden", True, "Hide")
    drag(qtbot, viewport, at(viewport, -0.3, -0.3), at(viewport, 1.7, 0.2), SHIFT)
    assert viewport.selection.items == {("obstacle", 0), ("obstacle", 1)}
    assert document.scene.obstacles[:5] == THINGS[:5]
    drag(qtbot, viewport, at(viewport, 0.8, 1.3), at(viewport, 1.2, 0.7), SHIFT | CTRL)
    assert viewport.selection.items == {("obstacle", 0), ("obstacle", 1), ("obstacle", 3)}
    viewport.tools.editor.box_tool.arm()
    assert viewport.hint.text().startswith("Drag a rectangle")
    # also from an obstacle
    drag(qtbot, viewport, at(viewport, 0.0, 0.0), at(viewport, 1.2, 1.2), release=False)
    band = viewport.tools.editor.box_tool.band
    assert band.isVisible()
    assert band.geometry().contains(at(viewport, 0.6, 0.6))
    qtbot.keyClick(viewport, Key.Key_Escape)
    assert not band.isVisible()
    qtbot.mouseRelease(viewport, LEFT, NONE, at(viewport, 1.2, 1.2))
    assert viewport.selection.items == {("obstacle", 0), ("obstacle", 1), ("obstacle", 3)}


def test_object_among_two_thousand_follows_the_mouse_quickly(
    qtbot: QtBot, viewport: Viewport, document: Document
) -> None:
    """Time that the editor adds to a mouse move, including snapping to edges."""
    import time

    many = tuple(Cylinder(x_m=0.3 * (k % 50), y_m=0.3 * (k // 50)) for k in range(2000))
    document.new(Scene(obstacles=many))
    viewport.tools.editor.options.set(on=True)
    viewport.selection.set([("obstacle", 1000)])
    transforms = viewport.tools.editor.transforms
    transforms.start("move")
    assert transforms.transform is not None
    best = math.inf
    for k in range(10):
        began = time.thread_time()
        transforms.transform.follow((0.01 * k, 0.02), False)
        best = min(best, time.thread_time() - began)
    transforms.cancel()
    assert best < 4e-3
