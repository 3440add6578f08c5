"""Drawing of the robot as solids: shells, joints, head, axes, ghosts, and the pose at the joint references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray, IndexArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.instances import ROW_WIDTH, Batch, solid_rows
from snakestudio.drawing.style import Colour, Theme
from snakestudio.model.body import ChainBody
from snakestudio.model.by_identity import by_identity
from snakestudio.model.edits.bending import joint_axis
from snakestudio.model.robot.chain import chain as chain_in_space
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import quaternions

_TURNED = np.array([0.0, 0.0, 0.0, 1.0])
"""Half a turn about z: the front of the first link is its -x end."""

_ALONG = np.array([1.0, 0.0, 0.0, 0.0])
_ACROSS = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
_UPRIGHT = np.array([np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0])
"""The x axis of a mesh along the x, y and z axis of a link."""

_APART = 0.95
"""Distance of the ends of two links above which they do not touch, as a fraction of two radii."""

_PIN = 0.2
_PIN_LENGTH = 1.13
_PIN_FREE = 0.82
"""Radius of a hinge pin, and half its length between touching and separate links, in
radii."""

_WHEEL = 0.45
_WHEEL_WIDTH = 0.13
_TRACK = 1.0
"""Radius of a wheel, half its width, and its lateral distance from the link centre, in link
radii."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Poses of the links."""

    position: FloatArray
    """Centres of the links' capsules, m; NaN for a link with unknown pose. Shape (n, 3)."""

    quaternion: FloatArray
    """Orientations w x y z; NaN for a link with unknown pose. Shape (n, 4)."""

    axis: FloatArray
    """Unit x axes; NaN for a link with unknown pose. Shape (n, 3)."""

    known: BoolArray
    """Whether the pose is finite. Shape (n,)."""


def chain(pose: FloatArray, middle: FloatArray | None = None) -> Chain:
    """Chain of link poses (n, 7), with the centres of the capsules at `middle` (n,), m, ahead of the poses."""
    position = pose[:, :3]
    q = pose[:, 3:]
    axis = np.stack(
        (
            1 - 2 * (q[:, 2] ** 2 + q[:, 3] ** 2),
            2 * (q[:, 1] * q[:, 2] + q[:, 0] * q[:, 3]),
            2 * (q[:, 1] * q[:, 3] - q[:, 0] * q[:, 2]),
        ),
        axis=1,
    )
    if middle is not None and middle.any():
        position = position + middle[:, None] * axis
    known: BoolArray = np.logical_and.reduce(np.isfinite(pose), axis=1)
    return Chain(position, q, axis, known)


class _Hinges(NamedTuple):
    """Solids that show the joint axes, fixed to one link of each joint; (k,) arrays each."""

    joint: IndexArray
    link: IndexArray
    ahead: FloatArray
    """Position along the x axis of the link, from its centre, m."""

    turn: FloatArray
    """Orientation of the solid in the link's frame, (k, 4)."""

    half: FloatArray
    radius: FloatArray


class _Looks(NamedTuple):
    """Constant data for drawing a robot."""

    length: FloatArray
    """Lengths of the links, (n,), m."""

    wheeled: BoolArray
    """Whether each link has wheels, (n,)."""

    axes: tuple[tuple[str, BoolArray], ...]
    """Kinds of axes, with masks of the joints that have them, (n - 1,)."""

    offset: FloatArray
    """Offset from the yaw axis to the pitch axis, (n - 1,), m."""

    hinges: dict[str, _Hinges]
    """Hinges by mesh."""


def _looks(body: ChainBody) -> _Looks:
    return _looks_in_space(body.robot) if body.in_space else _looks_in_plane(body.robot)


@by_identity
def _looks_in_space(robot: Robot) -> _Looks:
    return _make_looks(robot, ("yaw", "pitch", "roll"))


@by_identity
def _looks_in_plane(robot: Robot) -> _Looks:
    return _make_looks(robot, ("yaw",))


def _make_looks(robot: Robot, turning: tuple[str, ...]) -> _Looks:
    joints = robot.joint_list
    axes = tuple(
        (kind, np.array([kind in joint.axes for joint in joints], bool)) for kind in turning
    )
    length = np.array([link.length for link in robot.links])
    offset = np.array([joint.axis_offset for joint in joints])
    return _Looks(
        length,
        np.array([link.wheels != "none" for link in robot.links]),
        axes,
        offset,
        _make_hinges(robot, length, offset, dict(axes)),
    )


def _make_hinges(
    robot: Robot, length: FloatArray, offset: FloatArray, axes: dict[str, BoolArray]
) -> dict[str, _Hinges]:
    """Return a pin along every yaw and pitch axis, a ring around every roll axis, and a band at fixed joints.

    The yaw axis is fixed to the link before the joint, pitch and roll axes to the link after it.
    """
    radius, half, _ = ChainBody(robot).sizes
    thin = np.minimum(radius[:-1], radius[1:])
    thick = np.maximum(radius[:-1], radius[1:])
    free = 0.5 * (length[:-1] + length[1:]) - half[:-1] - half[1:] > _APART * (
        radius[:-1] + radius[1:]
    )
    pin = np.where(free, _PIN_FREE * thin, np.maximum(_PIN_LENGTH * thin, 1.04 * thick))
    before = 0.5 * (length[:-1] - offset)
    behind = -0.5 * (length[1:] - offset)
    none = np.zeros(len(offset), bool)
    turns = none.copy()
    for which in axes.values():
        turns |= which
    solids = (
        ("pin", axes.get("yaw", none), 0, before, _UPRIGHT, pin, _PIN * thin),
        ("pin", axes.get("pitch", none), 1, behind, _ACROSS, pin, _PIN * thin),
        ("pin", ~turns, 1, behind, _ALONG, 0.16 * thin, np.where(free, 0.62, 1.03) * thin),
        (
            "hoop",
            axes.get("roll", none),
            1,
            behind,
            _ALONG,
            0.0 * thin,
            np.where(free, 0.62, 1.08) * thin,
        ),
    )
    hinges: dict[str, _Hinges] = {}
    for mesh in ("pin", "hoop"):
        groups = []
        for _, which, link, ahead, turn, size, width in (
            solid for solid in solids if solid[0] == mesh
        ):
            joint = np.flatnonzero(which)
            turns_of_all = np.tile(turn, (len(joint), 1))
            groups.append(
                (joint, joint + link, ahead[joint], turns_of_all, size[joint], width[joint])
            )
        hinges[mesh] = _Hinges(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    return hinges


def body(
    links: Chain,
    body: ChainBody,
    theme: Theme,
    bright: frozenset[int],
    travelled: FloatArray | None = None,
) -> dict[str, Batch]:
    """Return shells, joints, wheels and head.

    Parameters
    ----------
    bright : frozenset of int
        Links to draw lighter (selected ones).
    travelled : (n,) array, optional
        Distance that each link has rolled along its axis, m.

    Returns
    -------
    dict of str to (k, ROW_WIDTH) array
        Rows by mesh.
    """
    known = links.known
    radius, half, _ = body.sizes.of(len(known))
    colours = np.tile(np.array(theme.link), (len(known), 1))
    head = body.head_part if body.head_part < len(known) else 0
    colours[head] = theme.head
    for index in bright:
        if 0 <= index < len(known):
            colours[index] = 0.65 * colours[index] + 0.35
    parts = _shells(links, half, radius, colours)
    groups = [_joints(links, half, radius, theme)]
    looks = _looks(body)
    if len(known) == len(looks.length):
        groups.append(_hinges(links, looks, theme))
        if looks.wheeled.any():
            groups.append(_wheels(links, looks.wheeled, radius, theme, travelled))
    for group in groups:
        for mesh, rows in group.items():
            parts[mesh] = np.concatenate((parts[mesh], rows)) if mesh in parts else rows
    if known[head]:
        turn = links.quaternion[head]
        if head == 0:
            turn = quat.multiply(turn, _TURNED)
        at = links.position[head : head + 1]
        size = half[head], radius[head]
        parts["visor"] = solid_rows(at, turn, *size, theme.visor, gloss=1.2)
        parts["collar"] = solid_rows(at, turn, *size, theme.accent, glow=0.55, gloss=0.3)
        parts["eyes"] = solid_rows(at, turn, *size, theme.accent, glow=0.9, gloss=0.2)
    return parts


def _shells(
    links: Chain, half: FloatArray, radius: FloatArray, colours: FloatArray
) -> dict[str, Batch]:
    """Return the shells of the links; links that share the end spheres of both neighbours need no closed ends."""
    known = links.known
    # The grooves of the full shell need a cylindrical part.
    plain = half <= 0.3 * radius
    rear = links.position - half[:, None] * links.axis
    front = links.position + half[:, None] * links.axis
    joined = np.zeros(len(known) + 1, bool)
    thin = np.minimum(radius[1:], radius[:-1])
    with np.errstate(invalid="ignore"):
        joined[1:-1] = np.square(rear[1:] - front[:-1]).sum(axis=1) < thin**2
    # With a larger difference, the end of the thicker one is visible.
    joined[1:-1] &= thin > 0.6 * np.maximum(radius[1:], radius[:-1])
    inner = known & joined[:-1] & joined[1:] & ~plain
    parts = {}
    for mesh, which in (
        ("link", inner),
        ("end_link", known & ~inner & ~plain),
        ("capsule", known & plain),
    ):
        if which.any():
            parts[mesh] = solid_rows(
                links.position[which],
                links.quaternion[which],
                half[which],
                radius[which],
                colours[which],
                shaded=0.85,
            )
    return parts


def _joints(links: Chain, half: FloatArray, radius: FloatArray, theme: Theme) -> dict[str, Batch]:
    """Return the joints between neighbours: a gasket if their end spheres touch, else a shaft with a ball."""
    both = links.known[:-1] & links.known[1:]
    rear = (links.position[:-1] + half[:-1, None] * links.axis[:-1])[both]
    front = (links.position[1:] - half[1:, None] * links.axis[1:])[both]
    before = radius[:-1][both]
    behind = radius[1:][both]
    gap = front - rear
    apart = np.sqrt(np.einsum("ij,ij->i", gap, gap))
    direction = np.where(
        apart[:, None] > 1e-9, gap / np.maximum(apart, 1e-9)[:, None], links.axis[:-1][both]
    )
    turn = quat.between(direction)
    meet = apart < _APART * (before + behind)
    parts: dict[str, Batch] = {}
    if meet.any():
        along, circle = _meeting(apart[meet], before[meet], behind[meet])
        parts["ring"] = solid_rows(
            rear[meet] + along[:, None] * direction[meet],
            turn[meet],
            0.0,
            circle,
            theme.joint,
            gloss=0.5,
            shaded=0.85,
        )
    if not meet.all():
        free = ~meet
        thin = np.minimum(before, behind)[free]
        bare = np.maximum(apart - before - behind, 0.0)[free]  # between the ends of the shells
        middle = rear[free] + (before[free] + 0.5 * bare)[:, None] * direction[free]
        shaft = np.maximum(0.5 * apart[free] - 0.6 * thin, 0.0)
        parts["rod"] = solid_rows(
            0.5 * (rear + front)[free], turn[free], shaft, 0.4 * thin, theme.joint, gloss=0.5
        )
        parts["sphere"] = solid_rows(middle, turn[free], 0.0, 0.6 * thin, theme.joint, gloss=0.6)
    return parts


def _meeting(
    apart: FloatArray, before: FloatArray, behind: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Intersection of two spheres: its distance from the centre of the first, and the radius of the circle, m.

    If the thinner one is inside the thicker, the exit of a cylinder with its radius is used.
    """
    if np.array_equal(before, behind):
        return 0.5 * apart, np.sqrt(before**2 - 0.25 * apart**2)
    thin = np.minimum(before, behind)
    thick = np.maximum(before, behind)
    safe = np.maximum(apart, 1e-9)
    along = 0.5 * (apart**2 + before**2 - behind**2) / safe
    inside = (apart < thick - thin) | (np.abs(along) > before)
    out = np.sqrt(np.maximum(thick**2 - thin**2, 0.0))
    along = np.where(inside, np.where(before >= behind, out, apart - out), along)
    circle = np.where(inside, thin, np.sqrt(np.maximum(before**2 - along**2, 0.0)))
    return along, circle


def _hinges(links: Chain, looks: _Looks, theme: Theme) -> dict[str, Batch]:
    """Return the solids that show the joint axes."""
    both = links.known[:-1] & links.known[1:]
    parts = {}
    for mesh, hinges in looks.hinges.items():
        if not both.all():
            drawn = both[hinges.joint]
            hinges = _Hinges(
                hinges.joint[drawn],
                hinges.link[drawn],
                hinges.ahead[drawn],
                hinges.turn[drawn],
                hinges.half[drawn],
                hinges.radius[drawn],
            )
        if len(hinges.link):
            at = links.position[hinges.link] + hinges.ahead[:, None] * links.axis[hinges.link]
            turn = quat.multiply(links.quaternion[hinges.link], hinges.turn)
            parts[mesh] = solid_rows(
                at, turn, hinges.half, hinges.radius, theme.support, gloss=0.7, shaded=0.85
            )
    return parts


def _wheels(
    links: Chain, wheeled: BoolArray, radius: FloatArray, theme: Theme, travelled: FloatArray | None
) -> dict[str, Batch]:
    """Return the wheels at both sides of links, rotated by the distance that the link has rolled."""
    which: IndexArray = np.flatnonzero(wheeled & links.known)
    size = radius[which]
    turn = links.quaternion[which]
    frame = quat.matrix(turn)
    rolled = (
        np.zeros(len(which))
        if travelled is None or len(travelled) != len(wheeled)
        else travelled[which]
    )
    angle = 0.5 * np.remainder(rolled / (_WHEEL * size), 2.0 * np.pi)
    spin = np.zeros((len(which), 4))
    spin[:, 0] = np.cos(angle)
    spin[:, 1] = np.sin(angle)
    turned = quat.multiply(quat.multiply(turn, np.broadcast_to(_ACROSS, turn.shape)), spin)
    down = links.position[which] - ((1.0 - _WHEEL) * size)[:, None] * frame[:, :, 2]
    rows = [
        solid_rows(
            down + (side * _TRACK * size)[:, None] * frame[:, :, 1],
            turned,
            _WHEEL_WIDTH * size,
            _WHEEL * size,
            theme.support,
            gloss=0.4,
            shaded=0.85,
        )
        for side in (-1.0, 1.0)
    ]
    return {"wheel": np.concatenate(rows)}


def outline(
    links: Chain, body: ChainBody, indices: list[int], extra: FloatArray, colour: Colour
) -> Batch:
    """Return the shells enlarged by `extra` (k,), m; their back faces, drawn flat, outline the links `indices`."""
    chosen = np.array([i for i in indices if 0 <= i < len(links.known) and links.known[i]], int)
    radius, half, _ = body.sizes.of(len(links.known))
    return solid_rows(
        links.position[chosen],
        links.quaternion[chosen],
        half[chosen],
        radius[chosen] + extra[chosen],
        colour,
        glow=1.0,
        gloss=0.0,
    )


def ghost(pose: FloatArray, body: ChainBody, colour: Colour, opacity: float) -> Batch:
    """Return a translucent robot."""
    radius, half, middle = body.sizes.of(len(pose))
    links = chain(pose, middle)
    return solid_rows(
        links.position[links.known],
        links.quaternion[links.known],
        half[links.known],
        0.985 * radius[links.known],
        colour,
        opacity=opacity,
        glow=0.25,
        gloss=0.2,
    )


def jammed(links: Chain, radius: float, joints: list[int], colour: Colour) -> Batch:
    """Return the spheres around jammed joints (0-based), which cannot reach their references."""
    jammed_joints = [
        j for j in joints if j + 1 < len(links.position) and links.known[j] and links.known[j + 1]
    ]
    at = 0.5 * (links.position[jammed_joints] + links.position[[j + 1 for j in jammed_joints]])
    return solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, 1.35 * radius, colour, glow=0.6)


def joint_axes(pose: FloatArray, robot: Robot, axes: tuple[Axis, ...], theme: Theme) -> Batch:
    """Return the thin rods along the joint axes between known links, given poses (n, 7)."""
    known: BoolArray = np.logical_and.reduce(np.isfinite(pose), axis=1)
    length = 1.9 * robot.radius_m
    thick = 0.07 * robot.radius_m
    rows: list[Batch] = [np.zeros((0, ROW_WIDTH), np.float32)]
    kinds: tuple[tuple[Literal["yaw", "pitch", "roll"], Colour], ...] = (
        ("yaw", theme.axis_z),
        ("pitch", theme.axis_y),
        ("roll", theme.axis_x),
    )
    for kind, colour in kinds:
        drawn = [joint for joint in joints(axes, kind).tolist() if known[joint : joint + 2].all()]
        if drawn:
            placed = [joint_axis(pose, robot, joint, kind) for joint in drawn]
            at, about = (np.array(part) for part in zip(*placed, strict=True))
            rows.append(solid_rows(at, quat.between(about), length, thick, colour, glow=0.6))
    return np.concatenate(rows)


def reference_pose(
    pose: FloatArray, joint_angle_ref: FloatArray, robot: Robot, axes: tuple[Axis, ...]
) -> FloatArray | None:
    """Return poses (n, 7) of the robot at its joint references, best fitted to the present poses.

    Parameters
    ----------
    pose : (n, 7) array
        Present poses.
    joint_angle_ref : (m,) array
        References of the joint axes, rad.

    Returns
    -------
    (n, 7) array or None
        None if required values are unknown.
    """
    if not (np.isfinite(pose).all() and np.isfinite(joint_angle_ref).all()):
        return None
    n = len(pose)
    half = 0.5 * robot.link_length_m
    position, turns = chain_in_space(np.eye(3), joint_angle_ref, robot, axes)
    # Best rigid fit of centres and a second point on every axis (Kabsch), so that a straight robot
    # keeps its roll.
    have = quat.matrix(pose[:, 3:])
    centre_ref = position.mean(axis=0)
    centre = pose[:, :3].mean(axis=0)
    cov = (position - centre_ref).T @ (pose[:, :3] - centre) / n
    cov += half * robot.radius_m * np.einsum("kia,kja->ij", turns, have) / n
    u, _, vt = np.linalg.svd(cov)
    fit = vt.T @ np.diag((1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T)))) @ u.T
    result = np.empty((n, 7))
    result[:, :3] = (position - centre_ref) @ fit.T + centre
    result[:, 3:] = quaternions(fit @ turns)
    return result
