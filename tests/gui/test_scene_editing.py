"""Palette, groups, locks, names, arrays, alignment and history, by mouse and keys."""

from __future__ import annotations

from itertools import pairwise

import pytest
import shiboken6
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QIcon,
)
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import PRESET_MIME, Preview
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.scene.array_dialog import ArrayDialog
from snakestudio.gui.scene.history_panel import HistoryPanel
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.gui.scene.scene_model import FLAG_ROLE, HIDDEN_COLUMN, LOCKED_COLUMN
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits.groups import members, with_flag, with_group
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from tests.gui.pages.hands import move, show_widget, type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui

LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def messages() -> list[str]:
    """Messages of commands."""
    return []


@pytest.fixture
def commands(document: Document, selection: Selection, messages: list[str]) -> ObstacleCommands:
    return ObstacleCommands(document, selection, show_message=messages.append)


@pytest.fixture
def tree(
    qtbot: QtBot, document: Document, selection: Selection, commands: ObstacleCommands
) -> SceneTree:
    """A tree of two pegs in a group, two cylinders next to it and more."""
    document.edit(with_group(document.scene, [1, 4], "pegs"), "prepare")
    tree = SceneTree(document, selection, commands)
    QAbstractItemModelTester(tree.model, QAbstractItemModelTester.FailureReportingMode.Fatal, tree)
    QAbstractItemModelTester(tree.proxy, QAbstractItemModelTester.FailureReportingMode.Fatal, tree)
    show_widget(qtbot, tree, 300, 700)
    tree.activateWindow()
    return tree


def group_row(tree: SceneTree, name: str = "pegs") -> QModelIndex:
    return tree.proxy.mapFromSource(tree.model.index_of_group(name))


def row_of(tree: SceneTree, index: int) -> QModelIndex:
    return tree.proxy.mapFromSource(tree.model.index_of(("obstacle", index)))


def click(
    qtbot: QtBot,
    tree: SceneTree,
    row: QModelIndex,
    column: int = 0,
    modifier: Qt.KeyboardModifier | None = None,
) -> None:
    rect = tree.view.visualRect(row.siblingAtColumn(column))
    assert rect.isValid()
    qtbot.mouseClick(
        tree.view.viewport(), LEFT, modifier or Qt.KeyboardModifier.NoModifier, rect.center()
    )


def selected_rows(tree: SceneTree) -> set[str]:
    return {str(index.data()) for index in tree.view.selectionModel().selectedRows()}


# --- the tree -------------------------------------------------------------------------------------


def test_group_is_a_node_and_selects_its_members(
    qtbot: QtBot, tree: SceneTree, selection: Selection
) -> None:
    node = tree.proxy.mapFromSource(tree.model.obstacles_node)
    texts = [str(tree.proxy.index(row, 0, node).data()) for row in range(tree.proxy.rowCount(node))]
    assert texts == [
        "Cylinder 1",
        "pegs (2)",
        "Cylinder 3",
        "Cylinder 4",
        "Cylinder 6",
        "Cylinder 7",
    ]
    click(qtbot, tree, group_row(tree))
    assert selection.obstacles == (1, 4)
    tree.view.expand(group_row(tree))
    assert selected_rows(tree) == {"pegs (2)", "Cylinder 2", "Cylinder 5"}
    click(qtbot, tree, row_of(tree, 4))
    assert selection.obstacles == (4,)
    assert selected_rows(tree) == {"Cylinder 5"}
    click(qtbot, tree, row_of(tree, 1), modifier=CTRL)
    assert selected_rows(tree) == {"pegs (2)", "Cylinder 2", "Cylinder 5"}, (
        "the group includes its obstacles"
    )
    click(qtbot, tree, row_of(tree, 2), modifier=CTRL)
    click(qtbot, tree, group_row(tree), modifier=CTRL)
    assert selection.obstacles == (2,), "only the group was removed"
    click(qtbot, tree, group_row(tree), modifier=CTRL)
    assert selection.obstacles == (1, 2, 4)


def test_eyes_and_locks_toggle(
    qtbot: QtBot, tree: SceneTree, document: Document, selection: Selection
) -> None:
    click(qtbot, tree, row_of(tree, 0), HIDDEN_COLUMN)
    assert document.scene.obstacles[0].hidden
    assert document.undo_stack.undoText() == "Hide cylinder 1"
    assert selection.items == frozenset(), "a click on an eye does not select"
    assert row_of(tree, 0).siblingAtColumn(HIDDEN_COLUMN).data(FLAG_ROLE) is True
    click(qtbot, tree, group_row(tree), LOCKED_COLUMN)
    assert [o.locked for o in document.scene.obstacles] == [
        False,
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    assert document.undo_stack.undoText() == "Lock group pegs"
    selection.set([("obstacle", i) for i in (0, 2, 3)])
    click(qtbot, tree, row_of(tree, 2), HIDDEN_COLUMN)
    assert [o.hidden for o in document.scene.obstacles[:4]] == [True, False, True, True], (
        "it applies to all selected obstacles"
    )
    for _ in range(2):
        click(qtbot, tree, row_of(tree, 2), LOCKED_COLUMN)
    assert not document.scene.obstacles[2].locked
    tree.view.grab()  # both states of the icons are painted


def test_names_are_edited_in_the_tree(
    qtbot: QtBot, tree: SceneTree, document: Document, selection: Selection, messages: list[str]
) -> None:
    def type_name(text: str) -> None:
        field = tree.view.findChild(QLineEdit)
        assert field is not None
        type_into(field, text)
        qtbot.waitUntil(lambda: tree.view.findChild(QLineEdit) is None)

    selection.set([("obstacle", 2)])
    tree.rename()
    type_name("corner")
    assert document.scene.obstacles[2].name == "corner"
    assert document.undo_stack.undoText() == "Rename cylinder 3"
    click(qtbot, tree, group_row(tree))
    qtbot.keyClick(tree.view, Qt.Key.Key_F2)
    type_name("posts")
    assert members(document.scene, "posts") == (1, 4)
    assert document.undo_stack.undoText() == "Rename group to posts"
    document.edit(with_group(document.scene, [0], "walls"), "another group")
    selection.set([("obstacle", 1), ("obstacle", 4)])
    tree.rename()
    type_name("walls")
    assert len(messages) == 1
    assert all(name in messages[0] for name in ("walls already", "such as walls 2"))
    assert members(document.scene, "posts") == (1, 4)
    tree.rename()
    type_name(" ")
    assert "posts" in messages[1]
    selection.set([("obstacle", 2)])
    tree.rename()
    type_name("x" * 90)
    assert all(count in messages[2] for count in ("80", "90"))
    assert document.scene.obstacles[2].name == "corner"


def test_rows_are_dragged_into_and_out_of_groups(tree: SceneTree, document: Document) -> None:
    def drop(rows: list[QModelIndex], onto: QModelIndex) -> bool:
        data = tree.proxy.mimeData(rows)
        move = Qt.DropAction.MoveAction
        return tree.proxy.canDropMimeData(data, move, -1, -1, onto) and tree.proxy.dropMimeData(
            data, move, -1, -1, onto
        )

    before = [o.model_copy(update={"group": ""}) for o in document.scene.obstacles]
    assert drop([row_of(tree, 6), row_of(tree, 0)], group_row(tree))
    assert members(document.scene, "pegs") == (0, 1, 4, 6)
    assert document.undo_stack.undoText() == "Move 2 obstacles into pegs"
    assert drop([row_of(tree, 2)], row_of(tree, 1)), "onto a member moves into the group"
    assert members(document.scene, "pegs") == (0, 1, 2, 4, 6)
    assert drop([row_of(tree, 4)], tree.proxy.mapFromSource(tree.model.obstacles_node))
    assert members(document.scene, "pegs") == (0, 1, 2, 6)
    assert [o.model_copy(update={"group": ""}) for o in document.scene.obstacles] == before, (
        "their order stays"
    )
    assert not drop([row_of(tree, 4)], tree.proxy.mapFromSource(tree.model.index_of(("ground", 0))))


def test_groups_are_added_and_removed_in_the_tree(
    tree: SceneTree, document: Document, selection: Selection
) -> None:
    tree.view.expand(group_row(tree))
    selection.set([("obstacle", 1), ("obstacle", 4)])
    document.edit(with_group(document.scene, [2], "pegs"), "one more")
    assert tree.view.isExpanded(group_row(tree)), "expanded groups stay expanded"
    assert selected_rows(tree) == {"Cylinder 2", "Cylinder 5"}
    obstacles = document.scene.obstacles
    document.edit(document.scene.model_copy(update={"obstacles": obstacles[2:]}), "two fewer")
    assert selection.obstacles == (2,)
    assert selected_rows(tree) == {"Cylinder 3"}
    document.edit(with_group(document.scene, range(5), ""), "no group")
    assert not group_row(tree).isValid()
    for _ in range(3):
        document.undo_stack.undo()
    assert str(group_row(tree).data()) == "pegs (2)"
    selection.set([("obstacle", 5), ("obstacle", 6)])
    commands = ObstacleCommands(document, selection)
    commands.delete()
    selection.set([("obstacle", 4)])
    document.undo_stack.undo()
    assert selected_rows(tree) == {"Cylinder 5"}
    tree.search.setText("cylinder 5")
    assert tree.proxy.rowCount(group_row(tree)) == 1


def test_two_thousand_grouped_obstacles_are_fast(
    qtbot: QtBot, document: Document, selection: Selection
) -> None:
    many = tuple(Cylinder(x_m=i * 0.5, y_m=2.0, group=f"row {i // 100}") for i in range(2000))
    tree = SceneTree(document, selection)
    qtbot.addWidget(tree)
    tree.show()
    document.edit(document.scene.model_copy(update={"obstacles": many}), "many")
    assert tree.model.rowCount(tree.model.obstacles_node) == 20
    selection.set([("obstacle", i) for i in range(2000)])
    chosen = tree.view.selectionModel().selection()
    parts = [chosen.at(i) for i in range(chosen.count())]
    assert sum(part.height() for part in parts) == 2020, "all obstacles, and their groups"
    assert len(parts) < 100, "as ranges, not row by row"
    document.edit(with_group(document.scene, [150], ""), "one out")
    assert tree.model.rowCount(tree.model.obstacles_node) == 21


# --- commands -------------------------------------------------------------------------------------


def test_edits_of_locked_obstacles_are_refused(
    document: Document, selection: Selection, commands: ObstacleCommands, messages: list[str]
) -> None:
    document.edit(with_flag(document.scene, [1, 2, 3], "locked", True), "prepare")
    selection.set([("obstacle", 1)])
    count = document.undo_stack.count()
    commands.delete()
    commands.duplicate()
    assert document.undo_stack.count() == count
    assert len(messages) == 2
    for sentence, done in zip(messages, ("deleted", "duplicated"), strict=True):
        assert sentence.startswith("Cylinder 2 ")
        assert done in sentence
        assert "Edit > Unlock" in sentence
    selection.set([("obstacle", i) for i in range(5)])
    before = document.scene.obstacles[1:4]
    commands.arrange.align("left")
    assert "3 obstacles" in messages[2]
    assert "moved" in messages[2]
    assert document.scene.obstacles[1:4] == before
    commands.delete()
    assert document.scene.obstacles[:3] == before


def test_copies_of_a_group_form_a_new_group(
    document: Document, selection: Selection, commands: ObstacleCommands
) -> None:
    document.edit(with_group(document.scene, [1, 4], "pegs"), "prepare")
    selection.set([("obstacle", 1), ("obstacle", 4)])
    commands.duplicate()
    assert members(document.scene, "pegs 2") == selection.obstacles == (7, 8)
    first, second, *_ = (document.scene.obstacles[i] for i in (7, 8))
    was = document.scene.obstacles
    assert first.x_m - second.x_m == pytest.approx(was[1].x_m - was[4].x_m)
    assert first.y_m - second.y_m == pytest.approx(was[1].y_m - was[4].y_m), "moved together"
    assert document.undo_stack.undoText() == "Duplicate group pegs"
    selection.set([("obstacle", 1)])
    commands.duplicate()
    assert document.scene.obstacles[-1].group == "pegs", "a copy of a member stays in the group"


def test_menu_groups_locks_hides_and_selects(window: MainWindow, qtbot: QtBot) -> None:
    table = window.context.action_registry
    selection = window.context.selection
    document = window.context.document

    def press(name: str) -> None:
        qtbot.waitUntil(table[name].isEnabled)
        table[name].trigger()

    qtbot.waitUntil(lambda: not table["group"].isEnabled())
    assert not any(
        table[name].isEnabled()
        for name in ("ungroup", "lock", "hide", "rename", "align_left", "show_all")
    )
    selection.set([("obstacle", 0), ("obstacle", 1), ("obstacle", 2)])
    qtbot.waitUntil(table["group"].isEnabled)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_G, CTRL)
    assert members(document.scene, "Group 1") == (0, 1, 2)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_H)
    assert all(o.hidden for o in document.scene.obstacles[:3])
    qtbot.waitUntil(lambda: plain(table["hide"].text()) == "Show")
    qtbot.waitUntil(table["show_all"].isEnabled)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_H, SHIFT)
    assert not any(o.hidden for o in document.scene.obstacles)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_L, CTRL)
    assert all(o.locked for o in document.scene.obstacles[:3])
    qtbot.waitUntil(lambda: plain(table["lock"].text()) == "Unlock")
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_Delete)
    assert len(document.scene.obstacles) == 7
    assert "3 obstacles are locked" in window.context.banners.edits.text
    press("lock")
    selection.set([("obstacle", 1)])
    press("select_group")
    assert selection.obstacles == (0, 1, 2)
    press("select_inverse")
    assert selection.obstacles == (3, 4, 5, 6)
    press("align_top")
    assert len({o.y_m + o.radius_m for o in document.scene.obstacles[3:]}) == 1  # type: ignore[union-attr]
    press("distribute_centres_x")
    xs = [o.x_m for o in document.scene.obstacles[3:]]
    assert [b - a for a, b in pairwise(xs)] == pytest.approx([(xs[3] - xs[0]) / 3] * 3, abs=2e-6)
    press("select_kind")
    assert len(selection.obstacles) == 7
    press("ungroup")
    assert members(document.scene, "Group 1") == ()
    before = document.undo_stack.count()
    assert before == 8, "every command was one step"


# --- the palette ----------------------------------------------------------------------------------


def test_palette_adds_by_a_click(
    qtbot: QtBot, tree: SceneTree, document: Document, selection: Selection
) -> None:
    assert list(tree.palette_strip.buttons) == list(PRESETS)
    qtbot.mouseClick(tree.palette_strip.buttons["peg_board"], LEFT)
    assert members(document.scene, "Peg board") == selection.obstacles == tuple(range(7, 27))
    assert document.undo_stack.undoText() == "Add peg board"
    assert tree.view.isExpanded(group_row(tree, "Peg board")) is False, (
        "a large group is not expanded for it"
    )
    qtbot.mouseClick(tree.palette_strip.buttons["wall"], LEFT)
    wall = document.scene.obstacles[-1]
    assert isinstance(wall, Box)
    assert wall.length_m > 5 * wall.width_m


def test_palette_entries_can_be_dragged(
    qtbot: QtBot, tree: SceneTree, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragged: list[bytes] = []

    def accept_drag(drag: QDrag, actions: Qt.DropAction) -> Qt.DropAction:
        dragged.append(bytes(drag.mimeData().data(PRESET_MIME).data()))
        return actions

    monkeypatch.setattr(QDrag, "exec", accept_drag)
    button = tree.palette_strip.buttons["ramp"]
    count = len(document.scene.obstacles)
    qtbot.mousePress(button, LEFT, pos=QPoint(8, 8))
    for step in (10, 30):
        move(button, QPoint(8 + step, 8), held=LEFT)
    qtbot.mouseRelease(button, LEFT, pos=QPoint(200, 200))
    assert dragged == [b"ramp"], "one drag"
    assert len(document.scene.obstacles) == count, "a drag is not a click"


def test_preset_is_previewed_and_dropped_at_the_cursor(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    document = drawn.context.document
    viewport.navigator.jump(viewport.navigator.camera.standard("top"))
    copy = Qt.DropAction.CopyAction
    none = Qt.KeyboardModifier.NoModifier
    data = QMimeData()
    data.setData(PRESET_MIME, b"peg_board")
    position = viewport.rect().center() + QPoint(80, -60)
    before = document.scene
    enter = QDragEnterEvent(position, copy, data, LEFT, none)
    QApplication.sendEvent(viewport, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(viewport, QDragMoveEvent(position, copy, data, LEFT, none))
    assert len(viewport.preview.obstacles) == 20
    assert len(viewport._picture(1.5).scene.obstacles) == 27, "it is drawn"
    assert document.scene is before, "but not in the scene"
    QApplication.sendEvent(viewport, QDragLeaveEvent())
    assert viewport.preview.obstacles == ()
    QApplication.sendEvent(viewport, QDragEnterEvent(position, copy, data, LEFT, none))
    QApplication.sendEvent(viewport, QDropEvent(QPointF(position), copy, data, LEFT, none))
    assert viewport.preview.obstacles == ()
    board = [document.scene.obstacles[i] for i in members(document.scene, "Peg board")]
    middle = viewport.pixel((sum(o.x_m for o in board) / 20, sum(o.y_m for o in board) / 20, 0.0))
    assert (middle - QPointF(position)).manhattanLength() < 4
    assert document.undo_stack.undoText() == "Add peg board"
    other = QMimeData()
    other.setText("something else")
    refused = QDragEnterEvent(position, copy, other, LEFT, none)
    QApplication.sendEvent(viewport, refused)
    assert not refused.isAccepted()


# --- arrays ---------------------------------------------------------------------------------------


@pytest.fixture
def preview() -> Preview:
    return Preview()


@pytest.fixture
def dialog(
    qtbot: QtBot,
    document: Document,
    selection: Selection,
    commands: ObstacleCommands,
    preview: Preview,
) -> ArrayDialog:
    document.new(Scene(obstacles=(Cylinder(x_m=2, y_m=1, radius_m=0.05), Box(x_m=0, y_m=-2))))
    selection.set([("obstacle", 0)])
    dialog = ArrayDialog(document, selection, commands, preview)
    show_widget(qtbot, dialog)
    dialog.activateWindow()
    return dialog


def put(dialog: ArrayDialog, name: str, text: str) -> None:
    type_into(dialog.form.widget_of(name), text, enter=False)


def test_array_is_previewed_and_is_one_step(
    qtbot: QtBot, dialog: ArrayDialog, document: Document, selection: Selection, preview: Preview
) -> None:
    before = document.scene
    assert dialog.summary.text() == "12 obstacles"
    assert len(preview.obstacles) == 11
    put(dialog, "columns", "2")
    assert len(preview.obstacles) == 5, "before Enter"
    put(dialog, "spacing_x_m", "1/4")
    assert preview.obstacles[0].x_m == pytest.approx(2.25)
    texts, overlays = preview.add_to(before, Overlays())
    assert len(texts.obstacles) == 7
    assert len(overlays.selection) == 5
    assert document.scene is before
    assert document.undo_stack.count() == 0
    qtbot.mouseClick(dialog.make_button, LEFT)
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Array of 6 obstacles"
    assert members(document.scene, "Cylinder array") == selection.obstacles == (0, 2, 3, 4, 5, 6)
    assert preview.obstacles == ()
    document.undo_stack.undo()
    assert document.scene == before


def test_escape_changes_nothing(
    qtbot: QtBot, dialog: ArrayDialog, document: Document, preview: Preview
) -> None:
    before = document.scene
    assert preview.obstacles
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert preview.obstacles == ()
    assert document.scene is before
    assert document.undo_stack.count() == 0


def test_invalid_array_is_reported(qtbot: QtBot, dialog: ArrayDialog) -> None:
    ok = dialog.make_button
    put(dialog, "rows", "many")
    qtbot.keyClick(dialog.form.widget_of("rows"), Qt.Key.Key_Return)
    assert "“many”" in dialog.message.text()
    assert not ok.isEnabled()
    put(dialog, "rows", "900")
    put(dialog, "columns", "900")
    assert all(count in dialog.message.text() for count in ("810000", "5000"))
    assert not ok.isEnabled()
    put(dialog, "rows", "2")
    put(dialog, "columns", "2")
    assert ok.isEnabled()
    assert not dialog.message.isVisible()


def test_random_field_adds_new_obstacles(
    qtbot: QtBot, dialog: ArrayDialog, document: Document, preview: Preview
) -> None:
    what = dialog.form.widget_of("what")
    what.setCurrentIndex(what.findData("cylinder"))
    dialog.form.widget_of("pattern").setFocus()
    qtbot.keyClick(dialog.form.widget_of("pattern"), Qt.Key.Key_End)
    assert dialog.plan.pattern == "random"
    assert dialog.form.widget_of("seed").isVisible()
    assert not dialog.form.widget_of("rows").isVisible()
    put(dialog, "count", "300")
    put(dialog, "length_m", "1")
    put(dialog, "width_m", "1")
    assert dialog.summary.text().endswith("clearance")
    fitted = len(preview.obstacles)
    assert dialog.summary.text().startswith(f"{fitted} of 300 fitted in ")
    qtbot.mouseClick(dialog.make_button, LEFT)
    assert len(document.scene.obstacles) == 2 + fitted


def test_window_has_one_array_dialog(window: MainWindow, qtbot: QtBot) -> None:
    window.context.selection.set([("obstacle", 3)])
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_D, CTRL | SHIFT)
    dialog = window.findChild(ArrayDialog)
    assert dialog is not None
    assert len(window.context.viewport.preview.obstacles) == 11
    dialog.reject()
    assert window.context.viewport.preview.obstacles == ()
    window.context.action_registry["array"].trigger()
    assert window.findChildren(ArrayDialog) == [dialog]
    assert dialog.isVisible()
    dialog.reject()


# --- the history ----------------------------------------------------------------------------------


def test_click_in_the_history_restores_that_step(qtbot: QtBot, document: Document) -> None:
    panel = HistoryPanel(document)
    QAbstractItemModelTester(
        panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal, panel
    )
    show_widget(qtbot, panel, 300, 400)
    scenes = [document.scene]
    for k in range(4):
        document.set_value("ground.mu_along", 0.3 + 0.1 * k, f"Friction {k + 1}")
        scenes.append(document.scene)

    def texts_of(role: Qt.ItemDataRole) -> list[object]:
        return [panel.model.index(row).data(role) for row in range(panel.model.rowCount())]

    def click_row(row: int) -> None:
        qtbot.mouseClick(
            panel.list.viewport(), LEFT, pos=panel.list.visualRect(panel.model.index(row)).center()
        )

    texts = texts_of(Qt.ItemDataRole.DisplayRole)
    assert texts == ["Open obstacle_aided.toml", *(f"Friction {k}" for k in range(1, 5))]
    changes: list[Scene] = []
    document.scene_changed.connect(lambda before, after: changes.append(after))
    click_row(1)
    assert document.scene == scenes[1]
    assert changes == [scenes[1]], "listeners get three steps as one change"
    fonts = texts_of(Qt.ItemDataRole.FontRole)
    assert [font is not None for font in fonts] == [False, True, False, False, False], (
        "the current one"
    )
    assert [colour is not None for colour in texts_of(Qt.ItemDataRole.ForegroundRole)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    tips = [str(tip) for tip in texts_of(Qt.ItemDataRole.ToolTipRole)]
    assert ["in the file" in tip for tip in tips] == [
        True,
        False,
        False,
        False,
        False,
    ]
    assert tips[3] == "Clicking it redoes 2 steps."
    marks = {
        icon.cacheKey()
        for icon in texts_of(Qt.ItemDataRole.DecorationRole)
        if isinstance(icon, QIcon)
    }
    assert len(marks) == 2, "one for the saved step, and one for all others"
    assert label(panel, "note").text() == "1 done, 3 undone"
    click_row(4)
    assert document.scene == scenes[4]
    click_row(0)
    assert document.scene == scenes[0]
    assert not document.dirty
    document.set_value("ground.mu_along", 0.9, "Another way")
    assert texts_of(Qt.ItemDataRole.DisplayRole) == ["Open obstacle_aided.toml", "Another way"]
    document.new()
    assert texts_of(Qt.ItemDataRole.DisplayRole) == ["New scene"]


def test_history_ignores_a_deleted_document(qtbot: QtBot) -> None:
    document = Document()
    panel = HistoryPanel(document)
    qtbot.addWidget(panel)
    document.set_value("ground.mu_along", 0.5, "Friction")
    assert panel.model.rowCount() == 2
    with qtbot.captureExceptions() as exceptions:
        shiboken6.delete(document)
    assert exceptions == []
