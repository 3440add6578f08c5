"""Draw list of a Scene, Snapshot and Overlays: the complete content of a frame as numpy arrays.

This module is independent of OpenGL. The renderer uploads the draw list, and the mouse picks from
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import (
    colour_bar,
    gizmo_solids,
    patches,
    tracks,
)
from snakestudio.drawing import (
    marks as mark_parts,
)
from snakestudio.drawing import (
    path as path_parts,
)
from snakestudio.drawing import (
    pull as pull_parts,
)
from snakestudio.drawing import (
    robot as robot_parts,
)
from snakestudio.drawing import (
    world as world_parts,
)
from snakestudio.drawing.beam import Tube
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.drawn_body import DrawnBody, drawn_body, ghosts
from snakestudio.drawing.friction_picture import FrictionPicture, friction_picture
from snakestudio.drawing.instances import LINE_WIDTH, Batch
from snakestudio.drawing.obstacles import Obstacles, obstacles_of
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import DARK, Theme
from snakestudio.drawing.world import Label, Look
from snakestudio.kinds.controller import controller_of
from snakestudio.model.body import ChainBody, PartSizes
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_OUTLINE = 0.0032
_OUTLINE_HOVER = 0.0024
"""Widths of outlines as fractions of the frame height."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawList:
    """Content of a frame."""

    opaque: dict[str, Batch]
    """Solids of the robot, by mesh."""

    obstacles: Batch
    """Posts; the same object while nothing changes, so that it is uploaded once. Shape
    (k, ROW_WIDTH)."""

    terrain: list[Look]
    """All other obstacles, as ranges of `world.terrain.skin`."""

    terrain_outlines: list[Look]
    """Outlines of selection and hover, as ranges of `world.terrain.shell`."""

    obstacle_opacity: float
    outlines: dict[str, Batch]
    """Outlines of selection and hover, by mesh."""

    ghosts: list[Batch]
    """Translucent capsules, one array per robot."""

    marks: dict[str, Batch]
    """Arrows, points and marks, faintly visible through everything, by mesh."""

    lines: Batch
    """Line segments. Shape (k, LINE_WIDTH)."""

    labels: list[Label]
    """Labels of the grid; unchanged while the camera is at rest."""

    show_grid: bool
    show_triad: bool
    theme: Theme
    low: FloatArray
    """Lower corner of the box around robot and obstacles, m; NaN if empty. Shape (3,)."""

    high: FloatArray
    """Upper corner of the box around robot and obstacles, m; NaN if empty. Shape (3,)."""

    links: robot_parts.Chain
    """Capsules of the links, for picking; may be empty."""

    world: Obstacles
    """Obstacles, for picking and shadows; `terrain` refers to them."""

    sizes: PartSizes
    """Sizes of the links, m."""

    link_radius: float
    """Largest radius of the links, m."""

    bright: frozenset[int]
    """Selected obstacles, 0-based."""

    tube: Tube | None = None
    """A continuous body instead of links; its cross-sections are `links`."""

    ghost_tubes: tuple[Tube, ...] = ()
    """Translucent continuous bodies."""

    bar: colour_bar.Bar | None = None
    """Colour bar of the continuous body."""

    handles: dict[str, Batch] = field(default_factory=dict)
    """Solids of the gizmo and of guides, in front of everything, by mesh."""

    mark_labels: list[Label] = field(default_factory=list)
    """Labels next to marks, over everything."""

    handle_lines: Batch = field(default_factory=lambda: np.zeros((0, LINE_WIDTH), np.float32))
    """Lines of the gizmo and of guides. Shape (k, LINE_WIDTH)."""

    friction: FrictionPicture | None = None
    """Tint of the floor."""

    @property
    def sunk(self) -> bool:
        """Whether the robot is below the floor; it stays visible there, so nothing is clipped at the floor then."""
        return bool(self.low[2] < -self.link_radius)


def build(
    scene: Scene,
    snapshot: Snapshot | None,
    overlays: Overlays,
    camera: Camera,
    theme: Theme = DARK,
    base_dir: Path | None = None,
) -> DrawList:
    """Build the draw list of a scene at an instant.

    Parameters
    ----------
    snapshot : Snapshot or None
        None, or an invalid one, shows the world without a robot. Links with a NaN pose are
        omitted.
    camera : Camera
        Camera; arrows, points and outlines have a constant screen size.
    base_dir : Path or None
        Base folder of file names in the scene.

    Returns
    -------
    DrawList
    """
    robot = scene.robot
    pose = snapshot.link_pose if snapshot is not None and snapshot.drawn else np.zeros((0, 7))
    body = scene.body
    linked = ChainBody(robot, scene.body.in_space)
    sizes = body.sizes.of(len(pose))
    links = robot_parts.chain(pose, sizes.middle)
    world = obstacles_of(scene.obstacles, base_dir, shown_only=True)

    chosen = {
        kind: frozenset(p.index for p in overlays.selection if p.kind == kind)
        for kind in ("link", "obstacle")
    }
    drawn = DrawnBody(body.reach)
    if snapshot is not None and len(pose):
        drawn = drawn_body(body, scene, snapshot, links, overlays, camera, theme)
    rows = world_parts.obstacle_rows(
        world.posts, theme, chosen["obstacle"], overlays.obstacle_opacity
    )

    marks: dict[str, list[Batch]] = {"arrow": [], "sphere": [], "mass": [], "rod": []}
    capsules, ghost_tubes = ghosts(overlays.ghosts, scene, camera, theme)
    if snapshot is not None:
        if Fields.CONTACTS in snapshot.valid and len(snapshot.contacts):
            marks["arrow"] += mark_parts.force_arrows(snapshot.contacts, overlays, camera, theme)
            if overlays.show_contact_points:
                marks["sphere"].append(mark_parts.contact_points(snapshot.contacts, camera, theme))
        if overlays.show_support_torques and snapshot.body is not None:
            marks["arrow"].append(mark_parts.torque_arrows(snapshot.body, overlays, camera, theme))
        kind = controller_of(snapshot.control)
        marked = kind.marks(snapshot.control) if kind is not None else None
        if marked is not None and marked.joints and len(pose):
            colour = theme.accent if marked.worked_on else theme.force
            marks["sphere"].append(robot_parts.jammed(links, body.radius, marked.joints, colour))
        if overlays.show_com and len(pose):
            marks["mass"].append(mark_parts.centre_of_mass(snapshot, camera, theme))
        # A continuous body has no joints, and so no axes and no references.
        axes = body.axes
        jointed = (
            len(pose) == robot.n_links > 1
            and len(snapshot.joint_angle) == len(axes)
            and body.jointed
        )
        if overlays.show_joint_axes and jointed:
            marks["rod"].append(robot_parts.joint_axes(pose, robot, axes, theme))
        if overlays.reference_ghost and jointed and Fields.REFERENCE in snapshot.valid:
            reference = robot_parts.reference_pose(pose, snapshot.joint_angle_ref, robot, axes)
            if reference is not None:
                capsules.append(robot_parts.ghost(reference, linked, theme.ghost, 0.3))

    lines = [
        tracks.track_lines(overlays.tracks, camera),
        mark_parts.trail_lines(overlays.trail, theme),
    ]
    marks["sphere"].append(tracks.track_marks(overlays.tracks, camera))
    mark_labels = []
    if overlays.pull is not None:
        marks["arrow"].append(pull_parts.pull_arrow(overlays.pull, body, camera, theme))
        marks["sphere"].append(pull_parts.pull_points(overlays.pull, camera, theme))
        lines.append(pull_parts.pull_line(overlays.pull, theme))
        mark_labels.append(pull_parts.pull_label(overlays.pull, body, theme))
    lines.insert(0, patches.patch_lines(scene.ground.patch, overlays.patch, theme))
    marks["sphere"].append(patches.corner_marks(scene.ground.patch, overlays.corner, camera, theme))
    if overlays.show_path:
        path = scene.path if overlays.draft is None else overlays.draft
        lines.insert(0, path_parts.path_lines(path, theme.path))
        marks["sphere"].append(path_parts.waypoint_marks(path, overlays.waypoint, camera, theme))
        if snapshot is not None and len(pose) and path is scene.path:
            lines.append(path_parts.guide_lines(snapshot, theme))
            marks["sphere"].append(path_parts.guide_marks(snapshot, camera, theme))

    low, high = _bounds(links, drawn.reach, world)
    solids, handle_lines = _handles(overlays, camera, theme)
    outlines, terrain_outlines = _outlines(links, drawn, world, scene, overlays, camera, theme)
    return DrawList(
        opaque={mesh: batch for mesh, batch in drawn.opaque.items() if len(batch)},
        obstacles=rows,
        terrain=world_parts.terrain_looks(
            world.terrain, theme, chosen["obstacle"], overlays.obstacle_opacity
        ),
        terrain_outlines=terrain_outlines,
        obstacle_opacity=overlays.obstacle_opacity,
        outlines=outlines,
        ghosts=[g for g in capsules if len(g)],
        marks={
            mesh: np.concatenate(batches)
            for mesh, batches in marks.items()
            if any(map(len, batches))
        },
        lines=np.concatenate(lines),
        labels=world_parts.grid_labels(camera, theme)
        if overlays.show_grid and overlays.show_grid_labels
        else [],
        mark_labels=mark_labels,
        show_grid=overlays.show_grid,
        show_triad=overlays.show_triad,
        theme=theme,
        low=low,
        high=high,
        links=links,
        world=world,
        sizes=sizes,
        link_radius=body.radius,
        bright=chosen["obstacle"],
        tube=drawn.tube,
        ghost_tubes=tuple(ghost_tubes),
        bar=_bar(drawn.tube, snapshot, overlays),
        handles=solids,
        handle_lines=handle_lines,
        friction=friction_picture(scene.ground, base_dir),
    )


def _handles(overlays: Overlays, camera: Camera, theme: Theme) -> tuple[dict[str, Batch], Batch]:
    """Return the solids and lines of the gizmo and of the guides."""
    solids = (
        {"sphere": gizmo_solids.guide_dots(overlays.guides, camera, theme)}
        if overlays.guides
        else {}
    )
    lines = [gizmo_solids.guide_lines(overlays.guides, theme)]
    if overlays.gizmo is not None:
        solids |= gizmo_solids.gizmo_solids(overlays.gizmo, camera, theme)
        lines.append(gizmo_solids.gizmo_lines(overlays.gizmo, camera, theme))
    return solids, np.concatenate(lines)


def _bar(tube: Tube | None, snapshot: Snapshot | None, overlays: Overlays) -> colour_bar.Bar | None:
    """Colour bar of a continuous body."""
    if tube is None or snapshot is None or snapshot.body is None:
        return None
    return colour_bar.bar(overlays.body_quantity, tube.span, tube.stretch_scale, overlays.bar_top)


def _outlines(
    links: robot_parts.Chain,
    drawn: DrawnBody,
    world: Obstacles,
    scene: Scene,
    overlays: Overlays,
    camera: Camera,
    theme: Theme,
) -> tuple[dict[str, Batch], list[Look]]:
    result: dict[str, list[Batch]] = {"capsule": [], "sleeve": [], "drum": []}
    shells: list[Look] = []
    outlined = [(overlays.selection, theme.accent, _OUTLINE)]
    if overlays.hover is not None and overlays.hover not in overlays.selection:
        outlined.insert(0, ((overlays.hover,), theme.hover, _OUTLINE_HOVER))
    warned = tuple(pick for pick in overlays.warned if pick not in overlays.selection)
    outlined.insert(0, (warned, theme.force, _OUTLINE))
    for picks, colour, width in outlined:
        # The selection may not exist at another time of the run.
        of_links = [p.index for p in picks if p.kind == "link" and p.index < len(links.position)]
        of_world = [
            p.index for p in picks if p.kind == "obstacle" and p.index < len(scene.obstacles)
        ]
        if of_links and drawn.outlines is not None:
            grow = width * camera.view_height(np.nan_to_num(links.position))
            for mesh, rows in drawn.outlines(of_links, grow, colour).items():
                result[mesh] += rows
        if of_world:
            result["drum"].append(
                world_parts.obstacle_outline(world.posts, of_world, camera, width, colour)
            )
            shells += world_parts.terrain_outlines(world.terrain, of_world, width, colour)
    return {
        mesh: np.concatenate(batches) for mesh, batches in result.items() if any(map(len, batches))
    }, shells


def _bounds(
    links: robot_parts.Chain, reach: float, world: Obstacles
) -> tuple[FloatArray, FloatArray]:
    """Return the box around all shadow casters."""
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    if links.known.any():
        centres = links.position[links.known]
        low = centres.min(axis=0) - reach
        high = centres.max(axis=0) + reach
    around = world.box
    low, high = np.fmin(low, around[0]), np.fmax(high, around[1])
    if not np.isfinite(low).all():
        return np.full(3, np.nan), np.full(3, np.nan)
    return low, high
