"""The scenes, poses and pictures the tests of the renderer share."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.model.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, ContactState, Snapshot
from snakestudio.model.world import Cylinder

CENTRES = (
    (0.0507, 0.1761), (0.4215, 0.0029), (0.8037, 0.1851), (1.1532, 0.0031), (1.5298, 0.1783), (1.8877, 0.0020),
    (2.2588, 0.1745),
)  # fmt: skip
LOW, HIGH = (-0.15, -0.13, 0.0), (2.4, 0.33, 0.15)


def obstacle_scene(height: float = 0.15, n_links: int = 11) -> Scene:
    """Seven obstacles of paper P2, VIII-D."""
    obstacles = tuple(Cylinder(x_m=x, y_m=y, height_m=height) for x, y in CENTRES)
    return Scene(robot=Robot(n_links=n_links), obstacles=obstacles)


def serpenoid_pose(n: int = 11) -> np.ndarray:
    """Serpenoid curve, heading pi, link 6 at (0.515, 0.157)."""
    i, amplitude, delta = np.arange(1, n + 1), math.radians(40), math.radians(-50)
    theta = math.pi - amplitude / (2 * math.sin(delta / 2)) * np.cos((i - 1.5) * delta)
    axis = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    position = np.zeros((n, 2))
    position[1:] = np.cumsum(0.061 * (axis[1:] + axis[:-1]), axis=0)
    position += np.array((0.515, 0.157)) - position[min(5, n - 1)]
    pose = np.zeros((n, 7))
    pose[:, :2], pose[:, 2] = position, 0.0525
    pose[:, 3], pose[:, 6] = np.cos(theta / 2), np.sin(theta / 2)
    return pose


def lifted_pose() -> np.ndarray:
    """The same with a bow of links in the air."""
    from snakestudio.render import quaternion

    pose = serpenoid_pose()
    pose[:, 2] += 0.16 * np.exp(-(((np.arange(11) - 6) / 1.6) ** 2))
    along = np.gradient(pose[:, :3], axis=0)
    pose[:, 3:] = quaternion.between(along / np.linalg.norm(along, axis=1, keepdims=True))
    return pose


def contacts(pose: np.ndarray) -> Contacts:
    """Made-up forces: at the nearest link of every near obstacle, and friction below every link."""
    rows = []
    for k, centre in enumerate(CENTRES):
        away = pose[:, :2] - centre
        distance = np.hypot(*away.T)
        j = int(np.argmin(distance))
        if distance[j] < 0.25:
            u = away[j] / distance[j]
            point = (*(np.array(centre) + 0.125 * u), 0.0525)
            rows.append((j, k, point, (*(u * (25 + 12 * k)), 0), (0, 0, 0), ContactState.SLIP))
    for j in range(len(pose)):
        turn = 0.6 * j
        friction = (-1.3 * math.cos(turn), -1.3 * math.sin(turn), 0)
        rows.append((j, -1, (pose[j, 0], pose[j, 1], 0.0), (0, 0, 6.7), friction, ContactState(1 + (j % 3 > 0))))
    link, other, point, normal, friction, state = zip(*rows, strict=True)
    return Contacts(
        np.array(link, np.int32), np.array(other, np.int32), np.array(point, float), np.array(normal, float),
        np.array(friction, float), np.array(state, np.int32),
    )  # fmt: skip


def snapshot(pose: np.ndarray | None = None, with_contacts: bool = True) -> Snapshot:
    """A robot in a pose."""
    pose = serpenoid_pose() if pose is None else pose
    n = len(pose)
    reference = np.zeros((n - 1, 2))
    reference[:, 0] = math.radians(40) * np.sin(np.arange(n - 1) * math.radians(-50))
    zero = np.zeros((n - 1, 2))
    held = contacts(pose) if with_contacts else Contacts.none()
    return Snapshot(0.0, pose, np.zeros((n, 6)), zero, zero, reference, zero, zero, held)


def trail() -> np.ndarray:
    """Where link 6 came from."""
    x = np.linspace(-0.4, 0.515, 200)
    return np.stack((x, 0.157 + 0.05 * np.sin(np.linspace(-9, 0, 200)), np.full(200, 0.0525)), axis=1)
