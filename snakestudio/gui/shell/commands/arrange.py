"""The part of the Edit menu that arranges obstacles: groups, names, locks, lining up, picking out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from snakestudio.gui.shell.commands.command import Command, has_links, line

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow
    from snakestudio.model.edits.align import Side

__all__ = ["ARRANGE", "SELECT"]


def _some(w: MainWindow) -> bool:
    return bool(w.selection.obstacles)


def _grouped(w: MainWindow) -> bool:
    return w.obstacles.arrange.is_grouped()


def _rename(w: MainWindow) -> None:
    """Let another name be typed for what is selected, in the tree."""
    from snakestudio.gui.scene.scene_tree import SceneTree

    tree = w.findChild(SceneTree)
    if tree is not None:
        w.show_dock("scene")
        tree.rename()


def _align(side: Side, text: str, icon: str) -> Command:
    """A command that lines the selection up."""
    return Command(
        f"align_{side}", "Edit/Align", text, lambda w: w.obstacles.arrange.align(side),
        enabled=lambda w: w.obstacles.arrange.can_align(), icon=icon,
        tip="Groups move as one; what is locked stays, and the others go to it",
    )  # fmt: skip


def _distribute(axis: Literal["x", "y"], by: Literal["centres", "gaps"]) -> Command:
    """A command that spreads the selection out evenly."""
    what = "Middles" if by == "centres" else "Gaps"
    return Command(
        f"distribute_{by}_{axis}", "Edit/Align", f"Even {what} along {axis}",
        lambda w: w.obstacles.arrange.distribute(axis, by), enabled=lambda w: w.obstacles.arrange.can_distribute(),
        icon=f"distribute-{axis}", tip="The outermost two stay where they are",
    )  # fmt: skip


ARRANGE: tuple[Command, ...] = (
    _align("left", "Left", "align-left"),
    _align("centre_x", "Middles in x", "align-centre_x"),
    _align("right", "Right", "align-right"),
    line("Edit/Align"),
    _align("top", "Top", "align-top"),
    _align("centre_y", "Middles in y", "align-centre_y"),
    _align("bottom", "Bottom", "align-bottom"),
    line("Edit/Align"),
    _distribute("x", "centres"),
    _distribute("x", "gaps"),
    _distribute("y", "centres"),
    _distribute("y", "gaps"),
    line("Edit"),
    Command(
        "group", "Edit", "Group", lambda w: w.obstacles.arrange.group(), ("Ctrl+G",),
        lambda w: len(w.selection.obstacles) > 1, icon="group",
        tip="Obstacles of one group are picked and moved together",
    ),
    Command("ungroup", "Edit", "Ungroup", lambda w: w.obstacles.arrange.ungroup(), ("Ctrl+Shift+G",), _grouped,
            icon="ungroup"),
    Command("rename", "Edit", "Rename", _rename, ("F2",), _some, icon="rename", local=True),
    Command(
        "lock", "Edit", "Lock", lambda w: w.obstacles.arrange.toggle_locked(), ("Ctrl+L",), _some, icon="lock",
        label=lambda w: "Unlock" if w.obstacles.arrange.all_are("locked") else "Lock",
        tip="What is locked is neither picked in the view nor moved, turned or deleted",
    ),
    Command(
        "hide", "Edit", "Hide", lambda w: w.obstacles.arrange.toggle_hidden(), ("H",), _some, icon="hidden", local=True,
        label=lambda w: "Show" if w.obstacles.arrange.all_are("hidden") else "Hide",
        tip="What is hidden is not drawn; the robot meets it all the same",
    ),
    Command(
        "show_all", "Edit", "Show All Hidden", lambda w: w.obstacles.arrange.show_all(), ("Shift+H",),
        lambda w: has_links(w) and w.obstacles.arrange.any_hidden(), icon="visible", local=True,
    ),
)  # fmt: skip
"""What changes the scene."""

SELECT: tuple[Command, ...] = (
    Command("select_group", "Edit", "Select Group", lambda w: w.obstacles.arrange.select_group(), ("Shift+G",),
            _grouped, local=True, tip="All of the groups of which something is selected"),
    Command("select_kind", "Edit", "Select Same Kind", lambda w: w.obstacles.arrange.select_kind(), ("Shift+K",), _some,
            local=True),
    Command("select_inverse", "Edit", "Invert Selection", lambda w: w.obstacles.arrange.invert(), ("Ctrl+I",),
            lambda w: has_links(w) and bool(w.document.scene.obstacles), local=True),
)  # fmt: skip
"""What picks obstacles out."""
