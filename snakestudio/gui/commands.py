"""Every command of the window in one table; see `actions` for what is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snakestudio.gui import theme
from snakestudio.gui.docks.obstacle_texts import KINDS, kind_title
from snakestudio.render.quantities import QUANTITIES

if TYPE_CHECKING:
    from snakestudio.gui.main_window import MainWindow

__all__ = ["BODY_MENU", "SEPARATOR", "TABLE", "Spec"]

SEPARATOR = "-"

BODY_MENU = "View/Colour Body by"
"""Only there for continuous bodies."""


def _always(window: MainWindow) -> bool:
    return True


@dataclass(frozen=True)
class Spec:
    """One command.

    Attributes
    ----------
    id : str
        Its name in the program; `SEPARATOR` for a line in the menu.
    menu : str
        Menu it stands in; "View/Show" is a submenu.
    text : str
    run : callable or None
        What it does.
    shortcuts : tuple of str
    enabled : callable
        When it can be used.
    checked : callable or None
        Whether it is on, if it can be on or off.
    icon : str
        Name of a file in `resources/icons`.
    tip : str
        Explanation beyond the text.
    label : callable or None
        Gives a text that changes.
    local : bool
        The shortcut works in viewport, time bar and scene tree only, as it means something else in other places.
    """

    id: str
    menu: str
    text: str = ""
    run: Callable[[MainWindow], object] | None = None
    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = _always
    checked: Callable[[MainWindow], bool] | None = None
    icon: str = ""
    tip: str = ""
    label: Callable[[MainWindow], str] | None = None
    local: bool = False


def _line(menu: str) -> Spec:
    return Spec(SEPARATOR, menu)


def _show(
    name: str,
    text: str,
    tip: str = "",
    shortcuts: tuple[str, ...] = (),
    enabled: Callable[[MainWindow], bool] = _always,
) -> Spec:
    """A command that switches one of the viewport's wishes."""

    def toggle(w: MainWindow) -> None:
        w.viewport.options.set(**{name: not getattr(w.viewport.options.now, name)})

    def is_on(w: MainWindow) -> bool:
        return bool(getattr(w.viewport.options.now, name))

    return Spec(f"show_{name}", "View/Show", text, toggle, shortcuts, enabled, is_on, tip=tip)


def _has_joints(w: MainWindow) -> bool:
    return not w.document.scene.model.continuum


def _is_continuum(w: MainWindow) -> bool:
    return w.document.scene.model.continuum


def _colour_by(name: str) -> Spec:
    """A command that colours a continuous body by a quantity, or by none."""
    text = QUANTITIES[name].title if name else "Nothing"
    return Spec(
        f"colour_{name or 'nothing'}", BODY_MENU, text, lambda w: w.viewport.options.set(body_quantity=name),
        enabled=_is_continuum, checked=lambda w: w.viewport.options.now.body_quantity == name,
        tip="What the colours along a continuous body mean",
    )  # fmt: skip


def _arrows(factor: float) -> Callable[[MainWindow], None]:
    """A command that makes all arrows longer or shorter."""

    def scale(w: MainWindow) -> None:
        for row in ("forces", "friction"):
            w.viewport.options.scale_arrows(row, factor)

    return scale


def _add(kind: str) -> Spec:
    """A command that adds an obstacle of a kind."""
    title = kind_title(kind)
    tip = f"Add a {title.lower()} where the view looks, at a free place"
    return Spec(
        f"add_{kind}",
        "Edit/Add Obstacle",
        title,
        lambda w: w.obstacles.add(kind),
        enabled=_has_links,
        icon=f"shape-{kind}",
        tip=tip,
    )


def _can_run(w: MainWindow) -> bool:
    return w.bridge.status.state in ("ready", "running", "paused", "finished", "preparing")


def _can_step(w: MainWindow) -> bool:
    return w.bridge.status.state in ("ready", "running", "paused", "finished")


def _has_rows(w: MainWindow) -> bool:
    return w.bridge.recording is not None


def _has_links(w: MainWindow) -> bool:
    """A continuous body meets no obstacles and follows no path."""
    return not w.document.scene.model.continuum


def _delete(w: MainWindow) -> None:
    """Delete the waypoint under the cursor, or else the selected obstacles."""
    if not w.viewport.path_tool.remove_hovered():
        w.obstacles.delete()


def _has_depth(w: MainWindow) -> bool:
    return not w.viewport.navigator.flat


def _play_label(w: MainWindow) -> str:
    return "Pause" if w.bridge.status.state == "running" else "Play"


def _speed(places: int) -> Callable[[MainWindow], None]:
    return lambda w: w.run_bar.speed.shift(places)


TABLE: tuple[Spec, ...] = (
    Spec("new", "File", "New Scene", lambda w: w.files.new(), ("Ctrl+N",), icon="new"),
    Spec("open", "File", "Open ...", lambda w: w.files.ask_open(), ("Ctrl+O",), icon="open"),
    Spec("open_recent", "File/Open Recent"),
    Spec("open_example", "File/Open Example"),
    _line("File"),
    Spec("save", "File", "Save", lambda w: w.files.save(), ("Ctrl+S",), icon="save"),
    Spec("save_as", "File", "Save As ...", lambda w: w.files.ask_save(), ("Ctrl+Shift+S",)),
    _line("File"),
    Spec(
        "export_csv", "File", "Export CSV ...", lambda w: w.exporter.ask_csv(), ("Ctrl+E",),
        lambda w: w.exporter.possible, icon="table", tip="Write the run so far as numbers",
    ),
    Spec(
        "export_video", "File", "Export Video ...", lambda w: w.exporter.ask_video(), ("Ctrl+Shift+E",),
        lambda w: w.exporter.possible, icon="video", tip="Render the run so far as a video",
    ),
    _line("File"),
    Spec("quit", "File", "Quit", lambda w: w.close(), ("Ctrl+Q",)),
    Spec(
        "undo", "Edit", "Undo", lambda w: w.document.undo_stack.undo(), ("Ctrl+Z",),
        lambda w: w.document.undo_stack.canUndo(), icon="undo",
        label=lambda w: f"Undo {w.document.undo_stack.undoText()}".strip(),
    ),
    Spec(
        "redo", "Edit", "Redo", lambda w: w.document.undo_stack.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"),
        lambda w: w.document.undo_stack.canRedo(), icon="redo",
        label=lambda w: f"Redo {w.document.undo_stack.redoText()}".strip(),
    ),
    _line("Edit"),
    *(_add(kind) for kind in KINDS),
    Spec(
        "draw_path", "Edit", "Draw Path", lambda w: w.viewport.path_tool.begin(), ("P",), _has_links, icon="path",
        local=True,
        tip="Click waypoints on the ground; Enter or a double click ends the path",
    ),
    Spec(
        "remove_path", "Edit", "Remove Path", lambda w: w.viewport.path_tool.clear(),
        enabled=lambda w: bool(w.document.scene.path),
    ),
    _line("Edit"),
    Spec(
        "duplicate", "Edit", "Duplicate Obstacles", lambda w: w.obstacles.duplicate(), ("Ctrl+D",),
        lambda w: bool(w.selection.obstacles), local=True,
    ),
    _line("Edit"),
    Spec(
        "select_all", "Edit", "Select All Obstacles", lambda w: w.obstacles.select_all(), ("Ctrl+A",),
        lambda w: _has_links(w) and bool(w.document.scene.obstacles), local=True,
    ),
    Spec(
        "deselect", "Edit", "Select Nothing", lambda w: w.selection.clear(), ("Ctrl+Shift+A",),
        lambda w: bool(w.selection.items),
    ),
    Spec(
        "delete", "Edit", "Delete Obstacles", _delete, ("Del",), lambda w: bool(w.selection.obstacles), icon="delete",
        local=True,
    ),
    Spec("view_top", "View", "Top", lambda w: w.viewport.navigator.view("top"), ("7",)),
    Spec("view_front", "View", "Front", lambda w: w.viewport.navigator.view("front"), ("1",), _has_depth),
    Spec("view_right", "View", "Right", lambda w: w.viewport.navigator.view("right"), ("3",), _has_depth),
    Spec(
        "view_projection", "View", "Perspective", lambda w: w.viewport.navigator.toggle_projection(), ("5",),
        _has_depth, lambda w: not w.viewport.navigator.camera.orthographic, tip="Perspective or parallel projection",
    ),
    _line("View"),
    Spec("frame_all", "View", "Frame All", lambda w: w.viewport.frame_all(), ("Home",), icon="frame", local=True),
    Spec("frame_selection", "View", "Frame Selection", lambda w: w.viewport.frame_selection(), ("F", ".")),
    Spec(
        "follow", "View", "Follow Robot",
        lambda w: w.viewport.navigator.set_following(not w.viewport.navigator.following), ("C",),
        checked=lambda w: w.viewport.navigator.following, icon="follow",
        tip="Keep the robot in the middle of the picture",
    ),
    _line("View"),
    _show("forces", "Obstacle Forces"),
    _show("friction", "Friction Forces"),
    _show("support_torques", "Support Torques", "1 N m is as long as 10 N of force", enabled=_is_continuum),
    _show("contact_points", "Contact Points", "Coloured by stick and slip"),
    _show("trail", "Trail"),
    _show("path", "Path", "The path on the ground and the points that guide the robot"),
    _show("centre_of_mass", "Centre of Mass"),
    _show("joint_axes", "Joint Axes", "A continuous body has no joints", enabled=_has_joints),
    _show(
        "reference_ghost", "Commanded Shape", "Where the joints were told to be; a continuous body has none",
        enabled=_has_joints,
    ),
    _show("see_through", "See Through Obstacles"),
    _show("grid", "Grid"),
    _line("View/Show"),
    Spec("arrows_longer", "View/Show", "Longer Arrows", _arrows(1.25), ("Ctrl+Up",)),
    Spec("arrows_shorter", "View/Show", "Shorter Arrows", _arrows(0.8), ("Ctrl+Down",)),
    Spec("trail_link", "View/Trail of"),
    *(_colour_by(name) for name in ("", *QUANTITIES)),
    Spec(
        "arrange", "View/Panels", "Arrange Panels", lambda w: w.set_arranging(not w.arranging),
        checked=lambda w: w.arranging, tip="Show title bars by which panels are moved, floated and closed",
    ),
    _line("View/Panels"),
    _line("View"),
    Spec(
        "theme", "View", "Light Colours", lambda w: w.toggle_theme(),
        checked=lambda w: theme.current() is theme.LIGHT, icon="theme",
    ),
    Spec(
        "screenshot", "View", "Screenshot ...", lambda w: w.exporter.ask_screenshot(), ("Ctrl+P",), icon="camera",
        tip="Save what the viewport shows at full quality",
    ),
    Spec(
        "play", "Simulation", "Play", lambda w: w.bridge.play_or_pause(), ("Space",), _can_run, icon="play",
        label=_play_label, tip="Run or stand still",
    ),
    Spec(
        "step", "Simulation", "Step", lambda w: w.step(), ("N",), _can_step, icon="step",
        tip="Go on by one control period",
    ),
    Spec(
        "single_step", "Simulation", "Step Once", lambda w: w.step(1), ("Shift+N",), _can_step,
        tip="Go on by one time step",
    ),
    Spec(
        "reset", "Simulation", "Reset", lambda w: w.reset(), ("Ctrl+R",), lambda w: w.bridge.status.state != "empty",
        icon="reset", tip="Back to the start, with all edits applied",
    ),
    _line("Simulation"),
    Spec("slower", "Simulation", "Slower", _speed(-1), ("[",)),
    Spec("faster", "Simulation", "Faster", _speed(+1), ("]",)),
    Spec("real_time", "Simulation", "Real Time", lambda w: w.run_bar.speed.choose(1.0), ("Ctrl+1",)),
    _line("Simulation"),
    Spec(
        "compare_models", "Simulation", "Compare Models ...", lambda w: w.show_comparison(), ("Ctrl+M",),
        tip="Run this scene in several models: ghosts, curves over each other, and their differences",
    ),
    Spec(
        "compare_chain", "Simulation", "Compare with a Chain of Links ...", lambda w: w.show_chain(),
        enabled=_is_continuum, tip="Hold chains of n links against the continuous body: torques, speed, convergence",
    ),
    Spec(
        "make_continuum", "Simulation", "Make Continuum Scene from Gait", lambda w: w.make_continuum(),
        enabled=lambda w: not w.document.scene.model.continuum and w.document.scene.controller.uses_gait,
        tip="A continuous body whose strain law is fitted to the gait takes the place of the links",
    ),
    _line("Simulation"),
    Spec(
        "row_back", "Simulation", "Row Before", lambda w: w.time_bar.track.shift(-1), ("Left",), _has_rows, local=True,
        tip="Look at the recorded row before",
    ),
    Spec(
        "row_on", "Simulation", "Row After", lambda w: w.time_bar.track.shift(1), ("Right",), _has_rows, local=True,
        tip="Look at the recorded row after",
    ),
    Spec(
        "live", "Simulation", "Go to the Newest State", lambda w: w.bridge.set_cursor(None), ("End",),
        lambda w: not w.bridge.live, local=True, icon="live",
    ),
    Spec("shortcuts", "Help", "Keyboard Shortcuts", lambda w: w.show_shortcuts(), ("F1",), icon="keyboard"),
    Spec("graphics", "Help", "OpenGL Information", lambda w: w.show_graphics()),
    Spec("about", "Help", "About SnakeStudio", lambda w: w.show_about(), icon="info"),
)  # fmt: skip
"""All commands, in the order of the menus."""
