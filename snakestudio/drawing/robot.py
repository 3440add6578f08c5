"""The robot as solids: shells, joints, head, axes, ghosts, and the shape its joints were told to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.instances import ROW_WIDTH, Batch, solid_rows
from snakestudio.drawing.style import Colour, Theme
from snakestudio.model.edits.bending import joint_axis
from snakestudio.model.robot.chain import chain as chain_in_space
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import quaternions

__all__ = ["Chain", "body", "chain", "ghost", "jammed", "joint_axes", "outline", "reference_pose"]


_TURNED = np.array([0.0, 0.0, 0.0, 1.0])
"""Half a turn about z: the front of the first link is its -x end."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Where the links are.

    Attributes
    ----------
    position, quaternion, axis : (n, 3), (n, 4), (n, 3) arrays
        Centres (m), w x y z, unit x axes; NaN for a link whose pose is unknown.
    known : (n,) bool array
        Whether the pose is finite.
    """

    position: FloatArray
    quaternion: FloatArray
    axis: FloatArray
    known: BoolArray


def chain(pose: FloatArray) -> Chain:
    """Chain of link poses (n, 7)."""
    position, q = pose[:, :3], pose[:, 3:]
    axis = np.stack(
        (
            1 - 2 * (q[:, 2] ** 2 + q[:, 3] ** 2),
            2 * (q[:, 1] * q[:, 2] + q[:, 0] * q[:, 3]),
            2 * (q[:, 1] * q[:, 3] - q[:, 0] * q[:, 2]),
        ),
        axis=1,
    )
    known: BoolArray = np.logical_and.reduce(np.isfinite(pose), axis=1)
    return Chain(position, q, axis, known)


def body(links: Chain, robot: Robot, theme: Theme, bright: frozenset[int]) -> dict[str, Batch]:
    """Shells, joints and head.

    Parameters
    ----------
    bright : frozenset of int
        Links to draw lighter (selected ones).

    Returns
    -------
    dict of str to (k, ROW_WIDTH) array
        Rows by mesh.
    """
    half, radius, known = robot.contact_half_length_m, robot.radius_m, links.known
    colours = np.tile(np.array(theme.link), (len(known), 1))
    head = robot.head_index if robot.head_index < len(known) else 0
    colours[head] = theme.head
    for index in bright:
        if 0 <= index < len(known):
            colours[index] = 0.65 * colours[index] + 0.35
    parts = _shells(links, half, radius, colours)
    parts |= _joints(links, half, radius, theme)
    if known[head]:
        turn = links.quaternion[head]
        if head == 0:
            turn = quat.multiply(turn, _TURNED)
        at = links.position[head : head + 1]
        parts["visor"] = solid_rows(at, turn, half, radius, theme.visor, gloss=1.2)
        parts["collar"] = solid_rows(at, turn, half, radius, theme.accent, glow=0.55, gloss=0.3)
        parts["eyes"] = solid_rows(at, turn, half, radius, theme.accent, glow=0.9, gloss=0.2)
    return parts


def _shells(links: Chain, half: float, radius: float, colours: FloatArray) -> dict[str, Batch]:
    """Shells of the links; those between two neighbours whose end spheres they share need no closed ends."""
    known = links.known
    if half <= 0.3 * radius:
        # The grooves of the full shell need a cylinder to lie in.
        return {
            "capsule": solid_rows(
                links.position[known], links.quaternion[known], half, radius, colours[known], shaded=0.85
            )
        }
    rear, front = links.position - half * links.axis, links.position + half * links.axis
    joined = np.zeros(len(known) + 1, bool)
    with np.errstate(invalid="ignore"):
        joined[1:-1] = np.square(rear[1:] - front[:-1]).sum(axis=1) < radius**2
    inner = known & joined[:-1] & joined[1:]
    parts = {}
    for mesh, which in (("link", inner), ("end_link", known & ~inner)):
        parts[mesh] = solid_rows(
            links.position[which], links.quaternion[which], half, radius, colours[which], shaded=0.85
        )
    return parts


def _joints(links: Chain, half: float, radius: float, theme: Theme) -> dict[str, Batch]:
    """What joins neighbours: a gasket where their end spheres meet, a shaft with a ball where they do not."""
    both = links.known[:-1] & links.known[1:]
    rear = (links.position[:-1] + half * links.axis[:-1])[both]
    front = (links.position[1:] - half * links.axis[1:])[both]
    gap = front - rear
    apart = np.sqrt(np.einsum("ij,ij->i", gap, gap))
    middle = 0.5 * (rear + front)
    direction = np.where(apart[:, None] > 1e-9, gap / np.maximum(apart, 1e-9)[:, None], links.axis[:-1][both])
    turn = quat.between(direction)
    meet = apart < 1.9 * radius
    parts: dict[str, Batch] = {}
    if meet.any():
        circle = np.sqrt(radius**2 - 0.25 * apart[meet] ** 2)
        parts["ring"] = solid_rows(middle[meet], turn[meet], 0.0, circle, theme.joint, gloss=0.5, shaded=0.85)
    if not meet.all():
        free = ~meet
        parts["rod"] = solid_rows(
            middle[free], turn[free], 0.5 * apart[free] - 0.6 * radius, 0.4 * radius, theme.joint, gloss=0.5
        )
        parts["sphere"] = solid_rows(middle[free], turn[free], 0.0, 0.6 * radius, theme.joint, gloss=0.6)
    return parts


def outline(links: Chain, robot: Robot, indices: list[int], extra: FloatArray, colour: Colour) -> Batch:
    """Shells grown by `extra` (k,), m: their far side, drawn flat, is the outline of the links `indices`."""
    chosen = np.array([i for i in indices if 0 <= i < len(links.known) and links.known[i]], int)
    return solid_rows(
        links.position[chosen],
        links.quaternion[chosen],
        robot.contact_half_length_m,
        robot.radius_m + extra[chosen],
        colour,
        glow=1.0,
        gloss=0.0,
    )


def ghost(pose: FloatArray, robot: Robot, colour: Colour, opacity: float) -> Batch:
    """A translucent robot."""
    links = chain(pose)
    return solid_rows(
        links.position[links.known],
        links.quaternion[links.known],
        robot.contact_half_length_m,
        0.985 * robot.radius_m,
        colour,
        opacity=opacity,
        glow=0.25,
        gloss=0.2,
    )


def jammed(links: Chain, robot: Robot, joints: list[int], colour: Colour) -> Batch:
    """Balls around joints (0-based) that cannot get where they are told."""
    there = [j for j in joints if j + 1 < len(links.position) and links.known[j] and links.known[j + 1]]
    at = 0.5 * (links.position[there] + links.position[[j + 1 for j in there]])
    return solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, 1.35 * robot.radius_m, colour, glow=0.6)


def joint_axes(pose: FloatArray, robot: Robot, axes: tuple[Axis, ...], theme: Theme) -> Batch:
    """Thin rods along axes of the joints between known links, of poses (n, 7)."""
    known: BoolArray = np.logical_and.reduce(np.isfinite(pose), axis=1)
    length, thick = 1.9 * robot.radius_m, 0.07 * robot.radius_m
    rows: list[Batch] = [np.zeros((0, ROW_WIDTH), np.float32)]
    kinds: tuple[tuple[Literal["yaw", "pitch", "roll"], Colour], ...] = (
        ("yaw", theme.axis_z),
        ("pitch", theme.axis_y),
        ("roll", theme.axis_x),
    )
    for kind, colour in kinds:
        there = [joint for joint in joints(axes, kind).tolist() if known[joint : joint + 2].all()]
        if there:
            placed = [joint_axis(pose, robot, joint, kind) for joint in there]
            at, about = (np.array(part) for part in zip(*placed, strict=True))
            rows.append(solid_rows(at, quat.between(about), length, thick, colour, glow=0.6))
    return np.concatenate(rows)


def reference_pose(
    pose: FloatArray, joint_angle_ref: FloatArray, robot: Robot, axes: tuple[Axis, ...]
) -> FloatArray | None:
    """Poses (n, 7) of a robot whose joints stand at their references, laid over the present one as well as it fits.

    Parameters
    ----------
    pose : (n, 7) array
        Present poses.
    joint_angle_ref : (m,) array
        Of the joint axes, rad.
    robot : Robot
    axes : tuple of Axis

    Returns
    -------
    (n, 7) array or None
        None if anything needed is not known.
    """
    if not (np.isfinite(pose).all() and np.isfinite(joint_angle_ref).all()):
        return None
    n, half = len(pose), 0.5 * robot.link_length_m
    position, turns = chain_in_space(np.eye(3), joint_angle_ref, robot, axes)
    # Best rigid fit of centres and a second point on every axis (Kabsch), so that a straight robot keeps its roll.
    have = quat.matrix(pose[:, 3:])
    centre_ref, centre = position.mean(axis=0), pose[:, :3].mean(axis=0)
    cov = (position - centre_ref).T @ (pose[:, :3] - centre) / n
    cov += half * robot.radius_m * np.einsum("kia,kja->ij", turns, have) / n
    u, _, vt = np.linalg.svd(cov)
    fit = vt.T @ np.diag((1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T)))) @ u.T
    result = np.empty((n, 7))
    result[:, :3] = (position - centre_ref) @ fit.T + centre
    result[:, 3:] = quaternions(fit @ turns)
    return result
