"""Synthetic continuum robots for the tests of the renderer: shapes, strains, wrenches and supports."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from snakestudio.drawing import quaternion
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.support import EndAnchors, Rings, WaveAnchors
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import SUPPORT, BodyFields, Contacts, ContactState, Snapshot

N = 41
BODY = FORMULATIONS["continuum_beam"].fields()
SNAKE = Scene(model=BODY, beam=Beam(), support=Rings())
WORM = Scene(model=BODY, beam=Beam(length_m=0.4, radius_m=0.02), support=WaveAnchors())
INCHWORM = Scene(
    model=BODY,
    beam=Beam(length_m=0.3, radius_m=0.012, group="SE2"),
    support=EndAnchors(),
)


def rotations_along(x: np.ndarray, up: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> np.ndarray:
    """Return quaternions (n, 4) with the given x axis, and a z axis as near to `up` as possible."""
    from snakestudio.model.rotations import quaternions

    y = np.cross(up, x)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return quaternions(np.stack((x, y, np.cross(x, y)), axis=-1))


def arc(
    n: int = N, radius: float = 0.3, angle: float = 2.0, height: float = 0.02
) -> tuple[np.ndarray, np.ndarray]:
    """Return poses (n, 7) along an arc on the ground, and the unit tangents (n, 3)."""
    turn = np.linspace(0.0, angle, n)
    x = np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    position = np.stack(
        (radius * np.sin(turn), radius * (1 - np.cos(turn)), np.full(n, height)), axis=1
    )
    return np.hstack((position, rotations_along(x))), x


def fields(
    strain: np.ndarray, length: float, holds: list[tuple] = (), wrench: np.ndarray | None = None
) -> BodyFields:
    """Return the fields of a body; a hold is (active, abscissa, point, axis, force)."""
    n = len(strain)
    active, at, point, axis, force = ([row[k] for row in holds] for k in range(5))
    p = len(holds)
    return BodyFields(
        np.linspace(0, length, n),
        strain,
        np.zeros((n, 6)) if wrench is None else wrench,
        np.array(active, bool),
        np.array(at, float),
        np.array(point, float).reshape(p, 3),
        np.array(axis, float).reshape(p, 3),
        np.array(force, float).reshape(p, 3),
        np.zeros((p, 3)),
    )


def state(pose: np.ndarray, body: BodyFields | None) -> Snapshot:
    """Return a snapshot whose anchors and supports are also among the contacts, as in the engine."""
    n = len(pose)
    none = np.zeros((0, 2))
    contacts = Contacts.none()
    if body is not None and len(body.active):
        k = np.flatnonzero(body.active)
        link = np.abs(body.abscissa[:, None] - body.hold[k]).argmin(axis=0).astype(np.int32)
        contacts = Contacts(
            link,
            np.full(len(k), SUPPORT, np.int32),
            body.point[k],
            body.force[k],
            np.zeros((len(k), 3)),
            np.full(len(k), ContactState.STICK, np.int32),
        )
    return Snapshot(0.0, pose, np.zeros((n, 6)), none, none, none, none, none, contacts, body=body)


def plain_strain(n: int = N) -> np.ndarray:
    """Return zero strain."""
    return np.tile((1.0, 0, 0, 0, 0, 0), (n, 1))


def snake(n: int = N) -> Snapshot:
    """A serpentine of 1 m in five rings, with a torque that is largest in the middle."""
    s = np.linspace(0.0, 1.0, n)
    fine = np.linspace(0.0, 1.0, 40 * (n - 1) + 1)
    curvature = 9.0 * np.cos(2 * np.pi * fine / 0.55 + 0.6)
    angle = np.concatenate(([0.0], np.cumsum(0.5 * (curvature[1:] + curvature[:-1])) * fine[1]))
    angle -= angle.mean() - 0.15
    displacement = np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)
    position = np.vstack(
        (np.zeros(3), np.cumsum(0.5 * (displacement[1:] + displacement[:-1]), axis=0) * fine[1])
    )
    position[:, 2] = 0.02
    pose = np.hstack((position[::40], rotations_along(displacement[::40])))
    strain = plain_strain(n)
    wrench = np.zeros((n, 6))
    strain[:, 5] = curvature[::40]
    wrench[:, 5] = 0.012 * np.sin(np.pi * s) ** 2 * np.cos(2 * np.pi * s / 0.55)
    wrench[:, 0] = -0.3 * np.sin(np.pi * s)
    holds = []
    for k, hold in enumerate((0.08, 0.29, 0.5, 0.71, 0.92)):
        i = round(40 * hold * (n - 1))
        side = np.array((-displacement[i, 1], displacement[i, 0], 0.0))
        size = (0.9, -1.6, 1.9, 0.0, -0.7)[k]
        holds.append((True, hold, position[i], displacement[i], size * side))
    return state(pose, fields(strain, 1.0, holds, wrench))


def worm(stretch: float = 0.004, n: int = N) -> Snapshot:
    """A straight worm with stretching waves, anchored where it is shortest."""
    s = np.linspace(0.0, 0.4, n)
    gamma = 1.0 + stretch * np.sin(2 * np.pi * s / 0.15 + 0.9)
    position = np.zeros((n, 3))
    position[1:, 0] = np.cumsum(0.5 * (gamma[1:] + gamma[:-1])) * s[1]
    position[:, 2] = 0.02
    pose = np.hstack((position, np.tile((1.0, 0, 0, 0), (n, 1))))
    strain = plain_strain(n)
    strain[:, 0] = gamma
    where = [i for i in range(1, n - 1) if gamma[i] < min(gamma[i - 1], gamma[i + 1])]
    holds = [
        (True, s[i], position[i], (1, 0, 0), (0.3 * (-1) ** k, 0, 0)) for k, i in enumerate(where)
    ]
    return state(pose, fields(strain, 0.4, holds))


def inchworm(n: int = N) -> Snapshot:
    """An arch over the ground, anchored at its tail; the head's anchor is inactive."""
    s = np.linspace(0.0, 0.3, n)
    fine = np.linspace(0.0, 0.3, 40 * (n - 1) + 1)
    rise = 1.15 * np.sin(2 * np.pi * fine / 0.3)
    displacement = np.stack((np.cos(rise), 0 * rise, np.sin(rise)), axis=1)
    position = np.vstack(
        (np.zeros(3), np.cumsum(0.5 * (displacement[1:] + displacement[:-1]), axis=0) * fine[1])
    )
    position[:, 2] += 0.012 - position[:, 2].min()
    pose = np.hstack((position[::40], rotations_along(displacement[::40])))
    strain = plain_strain(n)
    wrench = np.zeros((n, 6))
    strain[:, 4] = -1.15 * 2 * np.pi / 0.3 * np.cos(2 * np.pi * s / 0.3)
    wrench[:, 4] = 0.02 * np.cos(2 * np.pi * s / 0.3)
    holds = [
        (False, 0.0, position[0], displacement[0], (0, 0, 0)),
        (True, 0.3, position[-1], displacement[-1], (0.4, 0, 1.2)),
    ]
    return state(pose, fields(strain, 0.3, holds, wrench))


def box(held: Snapshot, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the box around a body, m."""
    return held.link_pose[:, :3].min(axis=0) - margin, held.link_pose[:, :3].max(axis=0) + margin


def turned(held: Snapshot, yaw: float) -> Snapshot:
    """Return the same poses turned about z (without the body's fields)."""
    q = np.array((math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)))
    pose = held.link_pose.copy()
    pose[:, :3] = quaternion.rotate(np.tile(q, (len(pose), 1)), pose[:, :3])
    pose[:, 3:] = quaternion.multiply(np.tile(q, (len(pose), 1)), pose[:, 3:])
    return dataclasses.replace(held, link_pose=pose, body=None, contacts=Contacts.none())
