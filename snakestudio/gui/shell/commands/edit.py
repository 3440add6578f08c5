"""The Edit menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.drawing.gizmo import Mode
from snakestudio.gui.shell.commands.arrange import ARRANGE, SELECT
from snakestudio.gui.shell.commands.command import Command, has_links, line
from snakestudio.gui.viewport.tools.robot_commands import ROBOT
from snakestudio.model.edits.presets import PRESETS, Preset

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["EDIT"]


def _add(preset: Preset) -> Command:
    """A command that adds what a preset makes."""
    return Command(
        f"add_{preset.name}",
        "Edit/Add Obstacle",
        preset.title,
        lambda w: w.obstacles.add(preset.name),
        enabled=has_links,
        icon=preset.icon,
        tip=f"{preset.help}, at a free place",
    )


def _transform(mode: Mode, text: str, key: str, what: str) -> Command:
    """A command after which what is selected follows the mouse."""
    tip = f"{what}; X, Y or Z keeps to an axis, a number sets the amount, Esc puts back"
    return Command(
        mode, "Edit", text, lambda w: w.viewport.editor.transforms.start(mode), (key,),
        lambda w: w.viewport.editor.transforms.subject is not None, icon=mode, local=True, tip=tip,
    )  # fmt: skip


def _delete(w: MainWindow) -> None:
    """Delete the waypoint under the cursor, or else the selected obstacles."""
    if not w.viewport.path_tool.remove_hovered():
        w.obstacles.delete()


EDIT: tuple[Command, ...] = (
    Command(
        "undo", "Edit", "Undo", lambda w: w.document.undo_stack.undo(), ("Ctrl+Z",),
        lambda w: w.document.undo_stack.canUndo(), icon="undo",
        label=lambda w: f"Undo {w.document.undo_stack.undoText()}".strip(),
    ),
    Command(
        "redo", "Edit", "Redo", lambda w: w.document.undo_stack.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"),
        lambda w: w.document.undo_stack.canRedo(), icon="redo",
        label=lambda w: f"Redo {w.document.undo_stack.redoText()}".strip(),
    ),
    Command("history", "Edit", "History", lambda w: w.show_dock("history"), ("Ctrl+Shift+H",), icon="history",
            tip="All steps of this session; a click goes back or forth to one"),
    line("Edit"),
    *(_add(preset) for preset in PRESETS.values()),
    Command(
        "draw_path", "Edit", "Draw Path", lambda w: w.viewport.path_tool.begin(), ("P",), has_links, icon="path",
        local=True,
        tip="Click waypoints on the ground; Enter or a double click ends the path",
    ),
    Command(
        "remove_path", "Edit", "Remove Path", lambda w: w.viewport.path_tool.clear(),
        enabled=lambda w: bool(w.document.scene.path),
    ),
    *ROBOT,
    line("Edit"),
    Command(
        "duplicate", "Edit", "Duplicate Obstacles", lambda w: w.obstacles.duplicate(), ("Ctrl+D",),
        lambda w: bool(w.selection.obstacles), local=True, icon="duplicate",
    ),
    Command(
        "array", "Edit", "Array ...", lambda w: w.dialogs.show_array(), ("Ctrl+Shift+D",), has_links, icon="array",
        tip="Rows, grids, rings and random fields of what is selected, or of something new",
    ),
    *ARRANGE,
    line("Edit"),
    _transform("move", "Move", "G", "The selection follows the mouse"),
    _transform("turn", "Rotate", "R", "The selection rotates with the mouse"),
    _transform("scale", "Scale", "S", "The selection grows and shrinks with the mouse"),
    Command(
        "snap", "Edit", "Snap", lambda w: w.viewport.editor.options.toggle("on"),
        ("Shift+Tab",), has_links, lambda w: w.viewport.editor.options.now.on, icon="magnet", local=True,
        tip="To grid, angles and other obstacles; Ctrl while dragging does the opposite",
    ),
    line("Edit"),
    Command(
        "box_select", "Edit", "Box Select", lambda w: w.viewport.editor.boxes.arm(), ("B",), icon="box-select",
        local=True, tip="Drag a rectangle; Ctrl adds to what is selected",
    ),
    Command(
        "select_all", "Edit", "Select All Obstacles", lambda w: w.obstacles.select_all(), ("Ctrl+A",),
        lambda w: has_links(w) and bool(w.document.scene.obstacles), local=True,
    ),
    Command(
        "deselect", "Edit", "Select Nothing", lambda w: w.selection.clear(), ("Ctrl+Shift+A",),
        lambda w: bool(w.selection.items),
    ),
    *SELECT,
    Command(
        "delete", "Edit", "Delete Obstacles", _delete, ("Del",), lambda w: bool(w.selection.obstacles), icon="delete",
        local=True,
    ),
)  # fmt: skip
