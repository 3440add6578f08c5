"""Menu commands of the viewport: views, what it shows, and its editing tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from snakestudio.drawing.gizmo import Mode
from snakestudio.drawing.quantities import QUANTITIES
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.command import (
    BODY_MENU,
    Command,
    Context,
    always,
    is_jointed,
    is_strained,
    line,
    meets_obstacles,
)
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits.pose import gait_robot, start_of_pose, straight_robot, with_start
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.viewport.view_settings import SCALES

_ROBOT_MENU = "Edit/Robot"


class ViewportContext(Context, Protocol):
    """Parts of the window that these commands use."""

    viewport: Viewport
    banners: Banners


def _transform(mode: Mode, text: str, key: str, what: str) -> Command[ViewportContext]:
    """Return a command that lets the selection follow the mouse."""
    tip = f"{what}; X, Y or Z constrains it to an axis, a number sets the amount, Esc cancels"
    return Command(
        mode,
        "Edit",
        text,
        lambda c: c.viewport.tools.editor.transforms.start(mode),
        (key,),
        lambda c: c.viewport.tools.editor.transforms.subject is not None,
        icon=mode,
        local=True,
        tip=tip,
    )


def _pose_command(
    make: Callable[[Scene, Path | None], Scene], text: str
) -> Callable[[ViewportContext], None]:
    """Return a command that changes the start as one undo step, or reports why it cannot."""

    def run(c: ViewportContext) -> None:
        try:
            scene = make(c.document.scene, c.document.base_dir)
        except SnakeStudioError as error:
            c.banners.error(str(error))
        else:
            c.document.edit(scene, text)

    return run


def _start_here(c: ViewportContext) -> None:
    snapshot = c.viewport.snapshot
    if snapshot is None:
        return
    scene = c.document.scene
    c.document.edit(
        with_start(scene, start_of_pose(scene, snapshot.link_pose)), "Start from current pose"
    )


def _is_shown(c: ViewportContext) -> bool:
    snapshot = c.viewport.snapshot
    return (
        is_jointed(c)
        and snapshot is not None
        and Fields.POSE in snapshot.valid
        and c.document.scene.body.fits(snapshot)
    )


def _show(
    name: str,
    text: str,
    tip: str = "",
    shortcuts: tuple[str, ...] = (),
    enabled: Callable[[ViewportContext], bool] = always,
) -> Command[ViewportContext]:
    """Return a command that toggles an option of the viewport."""

    def toggle(c: ViewportContext) -> None:
        c.viewport.options.set(**{name: not getattr(c.viewport.options.now, name)})

    def is_on(c: ViewportContext) -> bool:
        return bool(getattr(c.viewport.options.now, name))

    return Command(f"show_{name}", "View/Show", text, toggle, shortcuts, enabled, is_on, tip=tip)


def _colour_by(name: str) -> Command[ViewportContext]:
    """Return a command that colours a continuous body by a quantity, or by none."""
    text = QUANTITIES[name].title if name else "None"
    return Command(
        f"colour_{name or 'nothing'}",
        BODY_MENU,
        text,
        lambda c: c.viewport.options.set(body_quantity=name),
        enabled=is_strained,
        checked=lambda c: c.viewport.options.now.body_quantity == name,
        tip="Quantity shown as colour along a continuous body",
    )


def _arrows(factor: float) -> Callable[[ViewportContext], None]:
    """Return a command that scales the length of all arrows."""

    def scale(c: ViewportContext) -> None:
        for row in SCALES:
            c.viewport.options.scale_arrows(row, factor)

    return scale


def _has_depth(c: ViewportContext) -> bool:
    return not c.viewport.navigator.flat


LAY_OUT: tuple[Command[ViewportContext], ...] = (
    Command(
        "draw_path",
        "Edit",
        "Draw Path",
        lambda c: c.viewport.tools.path_tool.begin(),
        ("P",),
        meets_obstacles,
        icon="path",
        local=True,
        tip="Click waypoints on the ground; Enter or double-click ends the path",
    ),
    Command(
        "remove_path",
        "Edit",
        "Remove Path",
        lambda c: c.viewport.tools.path_tool.clear(),
        enabled=lambda c: bool(c.document.scene.path),
    ),
    Command(
        "draw_patch",
        "Edit",
        "Draw Friction Patch",
        lambda c: c.viewport.tools.patch_tool.begin(),
        icon="path",
        tip="Click the corners of an area with its own friction; Enter or double-click ends it",
    ),
    Command(
        "remove_patches",
        "Edit",
        "Remove Friction Patches",
        lambda c: c.viewport.tools.patch_tool.clear(),
        enabled=lambda c: bool(c.document.scene.ground.patch),
    ),
    Command(
        "robot_to_gait",
        _ROBOT_MENU,
        "Snap Robot to Gait at t = 0",
        _pose_command(gait_robot, "Snap robot to gait"),
        enabled=is_jointed,
        tip="The robot starts at its position in the shape of its gait, without a jerk",
    ),
    Command(
        "straighten_robot",
        _ROBOT_MENU,
        "Straighten Robot",
        _pose_command(straight_robot, "Straighten robot"),
        enabled=is_jointed,
        tip="The robot starts at its position with all links in line",
    ),
    Command(
        "start_here",
        _ROBOT_MENU,
        "Start from Current Pose",
        _start_here,
        enabled=_is_shown,
        tip="The shown pose becomes the start, at rest; takes effect at the next reset",
    ),
)
"""Commands that edit path, friction patches and start."""

TRANSFORM: tuple[Command[ViewportContext], ...] = (
    _transform("move", "Move", "G", "The selection follows the mouse"),
    _transform("turn", "Rotate", "R", "The selection rotates with the mouse"),
    _transform("scale", "Scale", "S", "The selection grows and shrinks with the mouse"),
    Command(
        "snap",
        "Edit",
        "Snap",
        lambda c: c.viewport.tools.editor.options.toggle("on"),
        ("Shift+Tab",),
        meets_obstacles,
        lambda c: c.viewport.tools.editor.options.now.on,
        icon="magnet",
        local=True,
        tip="To grid, angles and other obstacles; Ctrl while dragging does the opposite",
    ),
    line("Edit"),
    Command(
        "box_select",
        "Edit",
        "Box Select",
        lambda c: c.viewport.tools.editor.box_tool.arm(),
        ("B",),
        icon="box-select",
        local=True,
        tip="Drag a rectangle; Ctrl adds to what is selected",
    ),
)
"""Commands that edit the selection with the mouse, or select with it."""

VIEW: tuple[Command[ViewportContext], ...] = (
    Command("view_top", "View", "Top", lambda c: c.viewport.navigator.view("top"), ("7",)),
    Command(
        "view_front",
        "View",
        "Front",
        lambda c: c.viewport.navigator.view("front"),
        ("1",),
        _has_depth,
    ),
    Command(
        "view_right",
        "View",
        "Right",
        lambda c: c.viewport.navigator.view("right"),
        ("3",),
        _has_depth,
    ),
    Command(
        "view_projection",
        "View",
        "Perspective",
        lambda c: c.viewport.navigator.toggle_projection(),
        ("5",),
        _has_depth,
        lambda c: not c.viewport.navigator.camera.orthographic,
        tip="Perspective or parallel projection",
    ),
    line("View"),
    Command(
        "frame_all",
        "View",
        "Frame All",
        lambda c: c.viewport.frame_all(),
        ("Home",),
        icon="frame",
        local=True,
    ),
    Command(
        "frame_selection",
        "View",
        "Frame Selection",
        lambda c: c.viewport.frame_selection(),
        ("F", "."),
    ),
    Command(
        "follow",
        "View",
        "Follow Robot",
        lambda c: c.viewport.navigator.set_following(not c.viewport.navigator.following),
        ("C",),
        checked=lambda c: c.viewport.navigator.following,
        icon="follow",
        tip="Keep the robot in the centre of the view",
    ),
    Command(
        "measure",
        "View",
        "Measure",
        lambda c: c.viewport.tools.measure_tool.begin(),
        ("M",),
        icon="measure",
        local=True,
        tip="Click two points to measure their distance, its x and y components, and its direction",
    ),
    line("View"),
    Command(
        "gizmo",
        "View",
        "Gizmo",
        lambda c: c.viewport.tools.editor.options.toggle("gizmo"),
        (),
        meets_obstacles,
        lambda c: c.viewport.tools.editor.options.now.gizmo,
        tip="Handles around the selection that move, rotate and scale it",
    ),
    Command(
        "next_gizmo",
        "View",
        "Next Gizmo",
        lambda c: c.viewport.tools.editor.options.next_mode(),
        ("T",),
        meets_obstacles,
        local=True,
        tip="Switch between the handles to move, rotate and scale",
    ),
    line("View"),
    _show("forces", "Obstacle Forces"),
    _show("friction", "Friction Forces"),
    _show(
        "ground_forces",
        "Ground Forces",
        "Reaction and friction of the ground that carries the robot",
    ),
    _show(
        "support_torques",
        "Support Torques",
        "1 N m is as long as 10 N of force",
        enabled=is_strained,
    ),
    _show("contact_points", "Contact Points", "Coloured by stick and slip"),
    _show("trail", "Trail"),
    _show("path", "Path", "The path on the ground and the points that guide the robot"),
    _show("centre_of_mass", "Centre of Mass"),
    _show("joint_axes", "Joint Axes", "A continuous body has no joints", enabled=is_jointed),
    _show(
        "reference_ghost",
        "Commanded Shape",
        "Shape given by the joint references; a continuous body has none",
        enabled=is_jointed,
    ),
    _show("see_through", "See Through Obstacles"),
    _show("grid", "Grid"),
    _show(
        "drafting",
        "Rulers and Dimensions",
        "In the top view: sizes and gaps of the selection",
    ),
    line("View/Show"),
    Command("arrows_longer", "View/Show", "Longer Arrows", _arrows(1.25), ("Ctrl+Up",)),
    Command("arrows_shorter", "View/Show", "Shorter Arrows", _arrows(0.8), ("Ctrl+Down",)),
    Command("trail_link", "View/Trail of"),
    *(_colour_by(name) for name in ("", *QUANTITIES)),
)
"""Commands that change the view and what it shows."""
