"""Menu commands of the scene: undo, adding, arranging and selecting obstacles, and its own body."""

from __future__ import annotations

from typing import Literal, Protocol

from PySide6.QtWidgets import QMessageBox

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.command import Command, Context, line, meets_obstacles
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.model.edits.align import Side
from snakestudio.model.edits.presets import PRESETS, Preset

ADD_MENU = "Edit/Add Obstacle"


class SceneContext(Context, Protocol):
    """Parts of the window that these commands use."""

    obstacles: ObstacleCommands


def _add(preset: Preset) -> Command[SceneContext]:
    """Return a command that adds a preset."""
    return Command(
        f"add_{preset.name}",
        ADD_MENU,
        preset.title,
        lambda c: c.obstacles.add(preset.name),
        enabled=meets_obstacles,
        icon=preset.icon,
        tip=f"{preset.help}, at a free position",
    )


def _some(c: SceneContext) -> bool:
    return bool(c.selection.obstacles)


def _nameable(c: SceneContext) -> bool:
    return bool(c.selection.obstacles) or len(c.selection.patches) == 1


def _grouped(c: SceneContext) -> bool:
    return c.obstacles.arrange.is_grouped()


def _rename(c: SceneContext) -> None:
    """Edit the name of the selection in the tree."""
    from snakestudio.gui.scene.scene_tree import SceneTree

    tree = c.window.findChild(SceneTree)
    if tree is not None:
        c.show_dock("scene")
        tree.rename()


def _align(side: Side, text: str, icon: str) -> Command[SceneContext]:
    """Return a command that aligns the selection."""
    return Command(
        f"align_{side}",
        "Edit/Align",
        text,
        lambda c: c.obstacles.arrange.align(side),
        enabled=lambda c: c.obstacles.arrange.can_align(),
        icon=icon,
        tip="Groups move as one; locked obstacles stay in place and the others align with them",
    )


def _distribute(axis: Literal["x", "y"], by: Literal["centres", "gaps"]) -> Command[SceneContext]:
    """Return a command that distributes the selection evenly."""
    what = "Centres" if by == "centres" else "Gaps"
    return Command(
        f"distribute_{by}_{axis}",
        "Edit/Align",
        f"Distribute {what} along {axis}",
        lambda c: c.obstacles.arrange.distribute(axis, by),
        enabled=lambda c: c.obstacles.arrange.can_distribute(),
        icon=f"distribute-{axis}",
        tip="The two outermost obstacles stay in place",
    )


def _follows_gait(c: SceneContext) -> bool:
    scene = c.document.scene
    return scene.body.jointed and scene.controller.uses_gait and not scene.gives_torques


def _make_continuum(c: SceneContext) -> None:
    """Replace the chain by a continuous body that moves like its gait, as one undo step, or show why not."""
    from snakestudio.model.robot.strain_fit import as_continuum

    try:
        scene = as_continuum(c.document.scene, c.document.base_dir)
    except SnakeStudioError as error:
        QMessageBox.warning(c.window, "Make Continuum Scene from Gait", str(error))
    else:
        c.document.edit(scene, "Make continuum scene from gait")


HISTORY: tuple[Command[SceneContext], ...] = (
    Command(
        "undo",
        "Edit",
        "Undo",
        lambda c: c.document.undo_stack.undo(),
        ("Ctrl+Z",),
        lambda c: c.document.undo_stack.canUndo(),
        icon="undo",
        label=lambda c: f"Undo {c.document.undo_stack.undoText()}".strip(),
    ),
    Command(
        "redo",
        "Edit",
        "Redo",
        lambda c: c.document.undo_stack.redo(),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        lambda c: c.document.undo_stack.canRedo(),
        icon="redo",
        label=lambda c: f"Redo {c.document.undo_stack.redoText()}".strip(),
    ),
    Command(
        "history",
        "Edit",
        "History",
        lambda c: c.show_dock("history"),
        ("Ctrl+Shift+H",),
        icon="history",
        tip="All edits of this session; click one to undo or redo up to it",
    ),
)
"""Undo, redo and history."""


def adding() -> tuple[Command[SceneContext], ...]:
    """Return the commands that add an obstacle."""
    return tuple(_add(preset) for preset in PRESETS.values())


DUPLICATE: tuple[Command[SceneContext], ...] = (
    Command(
        "duplicate",
        "Edit",
        "Duplicate Obstacles",
        lambda c: c.obstacles.duplicate(),
        ("Ctrl+D",),
        lambda c: bool(c.selection.obstacles),
        local=True,
        icon="duplicate",
    ),
)
"""Commands that copy obstacles."""

ARRANGE: tuple[Command[SceneContext], ...] = (
    _align("left", "Left", "align-left"),
    _align("centre_x", "Horizontal Centres", "align-centre_x"),
    _align("right", "Right", "align-right"),
    line("Edit/Align"),
    _align("top", "Top", "align-top"),
    _align("centre_y", "Vertical Centres", "align-centre_y"),
    _align("bottom", "Bottom", "align-bottom"),
    line("Edit/Align"),
    _distribute("x", "centres"),
    _distribute("x", "gaps"),
    _distribute("y", "centres"),
    _distribute("y", "gaps"),
    line("Edit"),
    Command(
        "group",
        "Edit",
        "Group",
        lambda c: c.obstacles.arrange.group(),
        ("Ctrl+G",),
        lambda c: len(c.selection.obstacles) > 1,
        icon="group",
        tip="Obstacles of a group are selected and moved together",
    ),
    Command(
        "ungroup",
        "Edit",
        "Ungroup",
        lambda c: c.obstacles.arrange.ungroup(),
        ("Ctrl+Shift+G",),
        _grouped,
        icon="ungroup",
    ),
    Command("rename", "Edit", "Rename", _rename, ("F2",), _nameable, icon="rename", local=True),
    Command(
        "lock",
        "Edit",
        "Lock",
        lambda c: c.obstacles.arrange.toggle_locked(),
        ("Ctrl+L",),
        _some,
        icon="lock",
        label=lambda c: "Unlock" if c.obstacles.arrange.all_are("locked") else "Lock",
        tip="Locked obstacles cannot be selected in the view, moved, rotated or deleted",
    ),
    Command(
        "hide",
        "Edit",
        "Hide",
        lambda c: c.obstacles.arrange.toggle_hidden(),
        ("H",),
        _some,
        icon="hidden",
        local=True,
        label=lambda c: "Show" if c.obstacles.arrange.all_are("hidden") else "Hide",
        tip="Hidden obstacles are not drawn but still collide",
    ),
    Command(
        "show_all",
        "Edit",
        "Show All Hidden",
        lambda c: c.obstacles.arrange.show_all(),
        ("Shift+H",),
        lambda c: meets_obstacles(c) and c.obstacles.arrange.any_hidden(),
        icon="visible",
        local=True,
    ),
)
"""Commands that align, group, rename, lock and hide obstacles."""

SELECT: tuple[Command[SceneContext], ...] = (
    Command(
        "select_all",
        "Edit",
        "Select All Obstacles",
        lambda c: c.obstacles.select_all(),
        ("Ctrl+A",),
        lambda c: meets_obstacles(c) and bool(c.document.scene.obstacles),
        local=True,
    ),
    Command(
        "deselect",
        "Edit",
        "Deselect All",
        lambda c: c.selection.clear(),
        ("Ctrl+Shift+A",),
        lambda c: bool(c.selection.items),
    ),
    Command(
        "select_group",
        "Edit",
        "Select Group",
        lambda c: c.obstacles.arrange.select_group(),
        ("Shift+G",),
        _grouped,
        local=True,
        tip="Select all obstacles of the selected groups",
    ),
    Command(
        "select_kind",
        "Edit",
        "Select Same Kind",
        lambda c: c.obstacles.arrange.select_kind(),
        ("Shift+K",),
        _some,
        local=True,
    ),
    Command(
        "select_inverse",
        "Edit",
        "Invert Selection",
        lambda c: c.obstacles.arrange.invert(),
        ("Ctrl+I",),
        lambda c: meets_obstacles(c) and bool(c.document.scene.obstacles),
        local=True,
    ),
)
"""Commands that select obstacles."""

CONTINUUM: tuple[Command[SceneContext], ...] = (
    Command(
        "make_continuum",
        "Simulation",
        "Make Continuum Scene from Gait",
        _make_continuum,
        enabled=_follows_gait,
        long=True,
        tip="Replace the links by a continuous body whose strain law is fitted to the gait",
    ),
)
"""Commands that convert the scene."""
