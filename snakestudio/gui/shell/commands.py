"""Menus of the window: commands of the shell, and places for those that the features declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snakestudio.gui.core import theme
from snakestudio.gui.core.command import Command, line, meets_obstacles
from snakestudio.gui.core.feature import Feature
from snakestudio.gui.shell.context import Context
from snakestudio.gui.shell.layouts import SHIPPED, BuiltInLayout


def _show_array(c: Context) -> None:
    """Show the dialog that makes arrays of obstacles, next to the array."""
    from snakestudio.gui.scene.array_dialog import ArrayDialog

    dialog = c.window.findChild(ArrayDialog)
    if dialog is None:
        dialog = ArrayDialog(c.document, c.selection, c.obstacles, c.viewport.preview, c.window)
        corner = c.viewport.mapToGlobal(c.viewport.rect().topRight())
        dialog.move(corner.x() - dialog.sizeHint().width() - 12, corner.y() + 56)
    dialog.show()
    dialog.raise_()


def _delete(c: Context) -> None:
    """Delete the waypoint or corner under the cursor, otherwise the selected obstacles and friction patches."""
    if (
        not c.viewport.tools.path_tool.remove_hovered()
        and not c.viewport.tools.patch_tool.remove_hovered()
    ):
        c.obstacles.delete()


def _has_deletable(c: Context) -> bool:
    return bool(c.selection.obstacles or c.selection.patches)


def _layout(layout: BuiltInLayout) -> Command[Context]:
    """Return a command that arranges the panels as in a shipped layout."""
    return Command(
        f"layout_{layout.name.lower()}",
        "View/Layouts",
        layout.name,
        lambda c: c.layouts.choose_shipped(layout.name),
        icon="layout",
        tip=layout.tip,
    )


_FILE: tuple[Command[Context] | str, ...] = (
    Command("new", "File", "New Scene", lambda c: c.files.new(), ("Ctrl+N",), icon="new"),
    Command("open", "File", "Open...", lambda c: c.files.ask_open(), ("Ctrl+O",), icon="open"),
    Command("open_recent", "File/Open Recent"),
    Command("open_example", "File/Open Example"),
    "open_run",
    line("File"),
    Command("save", "File", "Save", lambda c: c.files.save(), ("Ctrl+S",), icon="save"),
    Command("save_as", "File", "Save As...", lambda c: c.files.ask_save(), ("Ctrl+Shift+S",)),
    Command(
        "revert",
        "File",
        "Revert...",
        lambda c: c.files.revert(),
        (),
        lambda c: c.document.path is not None and c.document.dirty,
        tip="Return to the saved file; undo restores the changes",
    ),
    Command(
        "restore_unsaved",
        "File",
        "Restore Unsaved Changes...",
        lambda c: c.document_recovery.offer(on_request=True),
        tip="Changes that were not saved when the program ended unexpectedly",
    ),
    line("File"),
    Command(
        "import_obstacles",
        "File",
        "Import Obstacles...",
        lambda c: c.files.ask_import(),
        enabled=meets_obstacles,
        tip="Create cylinders from the circles in a CSV (x, y, radius) or SVG file",
    ),
    Command(
        "import_robot",
        "File",
        "Import Robot...",
        lambda c: c.files.ask_import_robot(),
        tip="Import the robot of a URDF, xacro, SDF or MJCF file into a new scene or this one",
    ),
    "import",
    "export",
    line("File"),
    Command("quit", "File", "Quit", lambda c: c.window.close(), ("Ctrl+Q",)),
)

_HISTORY: tuple[Command[Context] | str, ...] = ("history", line("Edit"))

_EDIT: tuple[Command[Context] | str, ...] = (
    "layout",
    line("Edit"),
    "duplicate",
    Command(
        "array",
        "Edit",
        "Array...",
        _show_array,
        ("Ctrl+Shift+D",),
        meets_obstacles,
        icon="array",
        tip="Create rows, grids, rings and random fields of the selected or of new obstacles",
    ),
    "arrange",
    line("Edit"),
    "transform",
    "select",
    Command(
        "delete",
        "Edit",
        "Delete",
        _delete,
        ("Del",),
        _has_deletable,
        icon="delete",
        local=True,
        tip="Delete the selected obstacles and friction patches",
    ),
)

_VIEW: tuple[Command[Context] | str, ...] = (
    "view",
    Command(
        "arrange",
        "View/Panels",
        "Arrange Panels",
        lambda c: c.docks.set_arranging(not c.docks.arranging),
        checked=lambda c: c.docks.arranging,
        long=True,
        tip="Show title bars for moving, floating and closing panels",
    ),
    Command(
        "next_pane",
        "View/Panels",
        "Next Panel",
        lambda c: c.focus_cycle.advance(1),
        ("F6",),
        tip="Move the keyboard focus to the next panel",
    ),
    Command(
        "pane_before",
        "View/Panels",
        "Previous Panel",
        lambda c: c.focus_cycle.advance(-1),
        ("Shift+F6",),
        tip="Move the keyboard focus to the previous panel",
    ),
    line("View/Panels"),
    *(_layout(layout) for layout in SHIPPED),
    line("View/Layouts"),
    "plots",
    Command(
        "save_layout",
        "View/Layouts",
        "Save Layout...",
        lambda c: c.help_controller.save_layout(),
        icon="layout",
        tip="Save the present arrangement of the panels under a name",
    ),
    Command("delete_layout", "View/Layouts/Delete Layout"),
    line("View"),
    Command(
        "theme",
        "View",
        "Light Theme",
        lambda c: c.toggle_theme(),
        long=True,
        checked=lambda c: theme.current() is theme.LIGHT,
        icon="theme",
    ),
    "pictures",
)

_SIMULATION: tuple[Command[Context] | str, ...] = (
    "simulation",
    line("Simulation"),
    "speed",
    line("Simulation"),
    "together",
    "streaming",
    line("Simulation/Other Programs"),
    "remote",
    "plugins",
    line("Simulation"),
    "study",
    line("Simulation"),
    "compare",
    "continuum",
)

_ROBOT: tuple[Command[Context] | str, ...] = (
    "robot",
    "profile",
    line("Robot"),
    "robot_panels",
    "teleop",
)

_HELP: tuple[Command[Context] | str, ...] = (
    Command(
        "gallery",
        "Help",
        "Scene Gallery...",
        lambda c: c.help_controller.gallery(),
        ("Ctrl+Shift+O",),
        icon="gallery",
        long=True,
        tip="All bundled scenes, each with an image and a description",
    ),
    Command(
        "tour",
        "Help",
        "Guided Tour",
        lambda c: c.help_controller.tour(),
        icon="tour",
        long=True,
        tip="Explain the parts of this window in seven steps",
    ),
    Command(
        "command_palette",
        "Help",
        "Find a Command...",
        lambda c: c.help_controller.palette(),
        ("Ctrl+K",),
        icon="search",
        tip="Find any command, panel or scene by a few letters",
    ),
    line("Help"),
    Command(
        "documentation",
        "Help",
        "Documentation",
        lambda c: c.help_controller.documentation(),
        tip="Tutorials, guides, models and reference in the browser; works offline",
    ),
    Command(
        "safety",
        "Help",
        "Robot Safety",
        lambda c: c.help_controller.document("safety"),
        tip="For each hazard: how and how fast it is detected, the reaction, and the test that proves it",
    ),
    Command(
        "profile_format",
        "Help",
        "Robot Profile Format",
        lambda c: c.help_controller.document("robot-profile"),
        long=True,
    ),
    Command(
        "start_together_page",
        "Help",
        "Start Together",
        lambda c: c.help_controller.document("start-together"),
    ),
    Command("plugins_page", "Help", "Plug-ins", lambda c: c.help_controller.document("plugins")),
    Command(
        "streaming_page",
        "Help",
        "Streaming to Other Programs",
        lambda c: c.help_controller.document("streaming"),
    ),
    Command(
        "remote_control_page",
        "Help",
        "Remote Control",
        lambda c: c.help_controller.document("remote-control"),
    ),
    Command("ros2_page", "Help", "ROS 2", lambda c: c.help_controller.document("ros2")),
    Command(
        "step_size_page",
        "Help",
        "Time Step and Accuracy",
        lambda c: c.help_controller.document("step-size"),
    ),
    Command(
        "first_study_page",
        "Help",
        "Your First Study",
        lambda c: c.help_controller.document("tutorials/first-study"),
    ),
    Command(
        "cluster_page",
        "Help",
        "Studies on a Cluster",
        lambda c: c.help_controller.document("tutorials/cluster"),
    ),
    line("Help"),
    Command(
        "shortcuts",
        "Help",
        "Keyboard and Mouse Shortcuts",
        lambda c: c.help_controller.shortcuts(),
        ("F1",),
        icon="keyboard",
        long=True,
    ),
    Command("graphics", "Help", "OpenGL Information", lambda c: c.help_controller.graphics()),
    Command("about", "Help", "About SnakeStudio", lambda c: c.help_controller.about(), icon="info"),
)


_MENUS: tuple[Command[Context] | str, ...] = (
    *_FILE,
    *_HISTORY,
    "add",
    *_EDIT,
    *_VIEW,
    *_SIMULATION,
    *_ROBOT,
    "time",
    *_HELP,
    "",
)
"""Order of the commands: those of the shell, and the places of those of features. The last place is for
commands of features whose place in a menu is its end."""


def table(features: Sequence[Feature[Any]]) -> tuple[Command[Any], ...]:
    """Return all commands, in the order of the menus, for the kinds that are registered now.

    Raises `ValueError` if a feature has commands for a place that does not exist.
    """
    placed: dict[str, list[Command[Any]]] = {each: [] for each in _MENUS if isinstance(each, str)}
    for feature in features:
        for menu, commands in feature.commands.items():
            if menu not in placed:
                known = ", ".join(sorted(placed))
                raise ValueError(f'There is no place "{menu}" in the menus. Use one of {known}.')
            placed[menu] += commands() if callable(commands) else commands
    return tuple(
        command
        for each in _MENUS
        for command in (placed[each] if isinstance(each, str) else (each,))
    )
