"""Scenes, poses and images for the tests of the renderer."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, ContactState, Snapshot

CENTRES = (
    (0.0507, 0.1761), (0.4215, 0.0029), (0.8037, 0.1851), (1.1532, 0.0031), (1.5298, 0.1783), (1.8877, 0.0020),
    (2.2588, 0.1745),
)  # fmt: skip
LOW = (-0.15, -0.13, 0.0)
HIGH = (2.4, 0.33, 0.15)

HEIGHTS = tuple(
    tuple(0.05 * math.sin(0.9 * i) * math.cos(0.7 * j) + 0.01 * i for i in range(12))
    for j in range(8)
)
"""Low hills, partly below the ground, m."""


def every_kind() -> tuple[Obstacle, ...]:
    """One obstacle of every kind, and a tilted box, next to and below the robot's pose."""
    return (
        Cylinder(x_m=-0.35, y_m=-0.35),
        Box(x_m=0.5, y_m=0.15, length_m=0.5, width_m=0.35, height_m=0.06, yaw_deg=10),
        Box(x_m=0.15, y_m=-0.5, length_m=0.3, pitch_deg=15, yaw_deg=30),
        Stairs(
            x_m=1.2,
            y_m=0.2,
            heading_deg=20,
            steps=4,
            rise_m=0.05,
            run_m=0.2,
            width_m=0.7,
            landing_m=0.4,
        ),
        Ramp(x_m=0.6, y_m=-0.95, heading_deg=-15, length_m=0.7, width_m=0.5, landing_m=0.3),
        HeightField(
            x_m=-0.4, y_m=1.0, length_m=1.4, width_m=0.9, yaw_deg=10, z_m=0.02, heights_m=HEIGHTS
        ),
        Rubble(x_m=1.1, y_m=1.1, length_m=0.8, width_m=0.6, blocks=30, largest_m=0.15),
    )


def obstacle_scene(height: float = 0.15, n_links: int = 11) -> Scene:
    """Seven obstacles of paper P2, VIII-D."""
    obstacles = tuple(Cylinder(x_m=x, y_m=y, height_m=height) for x, y in CENTRES)
    return Scene(robot=Robot(n_links=n_links), obstacles=obstacles)


def serpenoid_pose(n: int = 11) -> np.ndarray:
    """Serpenoid curve, heading pi, link 6 at (0.515, 0.157)."""
    i = np.arange(1, n + 1)
    amplitude = math.radians(40)
    delta = math.radians(-50)
    theta = math.pi - amplitude / (2 * math.sin(delta / 2)) * np.cos((i - 1.5) * delta)
    axis = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    position = np.zeros((n, 2))
    position[1:] = np.cumsum(0.061 * (axis[1:] + axis[:-1]), axis=0)
    position += np.array((0.515, 0.157)) - position[min(5, n - 1)]
    pose = np.zeros((n, 7))
    pose[:, :2] = position
    pose[:, 2] = 0.0525
    pose[:, 3] = np.cos(theta / 2)
    pose[:, 6] = np.sin(theta / 2)
    return pose


def lifted_pose(height: float = 0.16, width: float = 1.6, power: int = 2) -> np.ndarray:
    """The same with a raised arc of links."""
    from snakestudio.drawing import quaternion

    pose = serpenoid_pose()
    pose[:, 2] += height * np.exp(-(np.abs((np.arange(11) - 6) / width) ** power))
    along = np.gradient(pose[:, :3], axis=0)
    pose[:, 3:] = quaternion.between(along / np.linalg.norm(along, axis=1, keepdims=True))
    return pose


def loops_pose() -> np.ndarray:
    """Two loops lifted by 2 and 5 cm."""
    from snakestudio.drawing import quaternion

    pose = serpenoid_pose()
    i = np.arange(11)
    pose[:, 2] += 0.02 * np.exp(-(((i - 2.5) / 1.2) ** 4)) + 0.05 * np.exp(
        -(((i - 7.5) / 1.4) ** 4)
    )
    along = np.gradient(pose[:, :3], axis=0)
    pose[:, 3:] = quaternion.between(along / np.linalg.norm(along, axis=1, keepdims=True))
    return pose


def slanted_contacts(pose: np.ndarray) -> Contacts:
    """Synthetic forces in all directions at the surface of some links."""
    turn = np.linspace(0.0, 2.0 * math.pi, 6, endpoint=False)
    normal = np.column_stack((0.3 * np.cos(turn), np.sin(turn), np.abs(np.cos(turn))))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    link = np.arange(0, 11, 2, dtype=np.int32)
    friction = np.cross(normal, (1.0, 0.0, 0.0))
    return Contacts(
        link,
        np.zeros(6, np.int32),
        pose[link, :3] - 0.0525 * normal,
        25.0 * normal,
        8.0 * friction,
        np.array([1, 2, 1, 2, 1, 2], np.int32),
    )


def contacts(pose: np.ndarray) -> Contacts:
    """Synthetic forces: at the nearest link of every near obstacle, and friction below every link."""
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
        rows.append(
            (
                j,
                -1,
                (pose[j, 0], pose[j, 1], 0.0),
                (0, 0, 6.7),
                friction,
                ContactState(1 + (j % 3 > 0)),
            )
        )
    link, other, point, normal, friction, state = zip(*rows, strict=True)
    return Contacts(
        np.array(link, np.int32),
        np.array(other, np.int32),
        np.array(point, float),
        np.array(normal, float),
        np.array(friction, float),
        np.array(state, np.int32),
    )


def snapshot(pose: np.ndarray | None = None, with_contacts: bool = True) -> Snapshot:
    """A robot with yaw joints in a pose."""
    pose = serpenoid_pose() if pose is None else pose
    n = len(pose)
    reference = math.radians(40) * np.sin(np.arange(n - 1) * math.radians(-50))
    zero = np.zeros(n - 1)
    held = contacts(pose) if with_contacts else Contacts.none()
    return Snapshot(0.0, pose, np.zeros((n, 6)), zero, zero, reference, zero, zero, held)


def trail() -> np.ndarray:
    """Past positions of link 6."""
    x = np.linspace(-0.4, 0.515, 200)
    return np.stack(
        (x, 0.157 + 0.05 * np.sin(np.linspace(-9, 0, 200)), np.full(200, 0.0525)), axis=1
    )
