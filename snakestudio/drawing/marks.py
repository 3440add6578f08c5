"""Marks in the viewport: force arrows, contact points, centre of mass, trails."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.overlays import Overlays, Trail
from snakestudio.drawing.style import Colour, Theme
from snakestudio.model.snapshot import GROUND, BodyFields, Contacts, ContactState, Snapshot

_LONGEST_TRAIL = 4000
"""Largest number of drawn segments of a trail; longer ones are decimated."""


_LONGEST_ARROW = 0.35
"""Length at which arrows end, as a fraction of the frame height: a longer one would leave the view,
and its tip is what shows the direction."""


def arrows(
    start: FloatArray, vector: FloatArray, camera: Camera, colour: Colour, thickness: float = 0.0125
) -> Batch:
    """Arrows from `start` along `vector`, (k, 3) each, m, with constant screen thickness; short ones are thinner.

    None is longer than about a third of the frame.

    Parameters
    ----------
    thickness : float
        Radius of the head as a fraction of the frame height.
    """
    length = np.linalg.norm(vector, axis=1)
    drawable = np.isfinite(length) & (length > 1e-9) & np.isfinite(start).all(axis=1)
    start = start[drawable]
    vector = vector[drawable]
    limit = np.minimum(length[drawable], _LONGEST_ARROW * camera.view_height(start))
    vector = vector * (limit / length[drawable])[:, None]
    length = limit
    radius = np.minimum(thickness * camera.view_height(start), length / 3.2)
    return solid_rows(
        start,
        quat.between(vector / length[:, None]),
        0.5 * length,
        radius,
        colour,
        glow=0.55,
        gloss=0.25,
    )


def force_arrows(
    contacts: Contacts, overlays: Overlays, camera: Camera, theme: Theme
) -> list[Batch]:
    """Return the arrows of the forces on the links: normal forces of obstacles and friction in different colours.

    Anchors and supports of a continuous body count as obstacles; their forces are among the
    contacts, too.
    """
    parts: list[Batch] = []
    ground = contacts.other == GROUND
    if overlays.show_forces or overlays.show_ground_normal_forces:
        visible = (~ground & overlays.show_forces) | (ground & overlays.show_ground_normal_forces)
        strong = visible & (np.linalg.norm(contacts.force_normal, axis=1) >= overlays.force_minimum)
        scale = np.where(ground, overlays.ground_scale, overlays.force_scale)[strong, None]
        force = contacts.force_normal[strong] * scale
        parts.append(arrows(contacts.point[strong], force, camera, theme.force))
    if overlays.show_friction_forces:
        size = np.linalg.norm(contacts.force_friction, axis=1)
        strong = size >= overlays.force_minimum
        scale = np.where(ground, overlays.friction_scale, overlays.force_scale)[strong, None]
        force = contacts.force_friction[strong] * scale
        parts.append(arrows(contacts.point[strong], force, camera, theme.friction, 0.0095))
    return [part for part in parts if len(part)]


def torque_arrows(body: BodyFields, overlays: Overlays, camera: Camera, theme: Theme) -> Batch:
    """Return the double-headed arrows of the torques of anchors and supports of a continuous body."""
    size = np.linalg.norm(body.torque, axis=1)
    strong = body.active & (
        size * overlays.torque_scale > 0.01 * camera.view_height(np.nan_to_num(body.point))
    )
    start = body.point[strong]
    vector = body.torque[strong] * overlays.torque_scale
    # The second head is one head length behind the first.
    return np.concatenate(
        [
            arrows(start, fraction * vector, camera, theme.friction, 0.008)
            for fraction in (0.86, 1.0)
        ]
    )


def contact_points(contacts: Contacts, camera: Camera, theme: Theme) -> Batch:
    """Return the spheres at the closed contacts, coloured by stick and slip."""
    closed = (contacts.state != ContactState.OPEN) & np.isfinite(contacts.point).all(axis=1)
    at = contacts.point[closed]
    sticks = (contacts.state[closed] == ContactState.STICK)[:, None]
    colours = np.where(sticks, np.array(theme.stick), np.array(theme.slip))
    return solid_rows(
        at, (1.0, 0.0, 0.0, 0.0), 0.0, 0.0075 * camera.view_height(at), colours, glow=0.6
    )


def centre_of_mass(snapshot: Snapshot, camera: Camera, theme: Theme) -> Batch:
    """Return the mark of the robot's centre of mass; empty if a pose is unknown."""
    at = snapshot.centre_of_mass[None, :]
    if not np.isfinite(at).all():
        return np.zeros((0, 16), np.float32)
    return solid_rows(
        at, (1.0, 0.0, 0.0, 0.0), 0.0, 0.014 * camera.view_height(at), (0.96, 0.97, 0.98), glow=0.45
    )


def trail_lines(trail: FloatArray | tuple[Trail, ...] | None, theme: Theme) -> Batch:
    """Return trails as line segments; the oldest part fades."""
    if trail is None:
        return np.zeros((0, LINE_WIDTH), np.float32)
    trails = (Trail(trail),) if isinstance(trail, np.ndarray) else trail
    parts = [np.zeros((0, LINE_WIDTH), np.float32)]
    for one in trails:
        points = one.points
        if len(points) > _LONGEST_TRAIL:
            # Keep the newest point, or the line would lag behind the robot.
            points = points[
                (len(points) - 1) % -(-len(points) // _LONGEST_TRAIL) :: -(
                    -len(points) // _LONGEST_TRAIL
                )
            ]
        if len(points) < 2:
            continue
        age = np.linspace(0.0, 1.0, len(points) - 1)
        seen = np.isfinite(points[:-1]).all(axis=1) & np.isfinite(points[1:]).all(axis=1)
        parts.append(
            line_rows(
                points[:-1][seen],
                points[1:][seen],
                one.width,
                one.colour or theme.accent,
                (0.3 + 0.7 * age)[seen],
            )
        )
    return np.concatenate(parts)
