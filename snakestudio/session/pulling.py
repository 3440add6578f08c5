"""The spring between a hand and the point where it holds a link: from where the hand is to the wrench on the link.

The force is computed from a state and held for some steps, so stiffness and damping are limited to
what is stable then. For the effective mass m of the point in a direction, a force -k x - c v held
for a time T is stable if k T / 2 < c and c < 2 m / T. Joints only make m larger than that of the
free link, so the free link's is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.pull import Pull, Vector, usual_stiffness, weight
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

_HOLD_S = 0.01
"""Longest time for which a force is held, s; a shorter control period shortens it."""

_MOST_WEIGHTS = 4.0
"""Largest force, in weights of the robot."""

_DAMPED = 0.8
"""Share of the momentum at the point that damping may take within the time for which a force is
held."""

_ROD_TIP = 4.0
"""A rigid uniform rod that is pushed sideways at its tip yields as if it had a fourth of its
mass."""


@dataclass(frozen=True, slots=True)
class Grip:
    """Where a hand holds a link, and where it draws that point to."""

    link: int
    """0-based part of the body."""
    point: Vector
    """Material point, in the link's frame, m."""
    target: Vector
    """World frame, m."""
    strength: float = 1.0
    """Factor of the usual stiffness and largest force."""


def hold_steps(scene: Scene) -> int:
    """Time steps for which a force is held."""
    return min(scene.steps_per_period, max(1, round(_HOLD_S / scene.solver.step_s)))


class Spring:
    """The spring and damper of one scene's robot."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._hold = hold_steps(scene) * scene.solver.step_s
        self._planar = not scene.body.in_space
        self._gains: tuple[tuple[Vector, float], tuple[FloatArray, FloatArray]] | None = None

    def pull(self, grip: Grip, snapshot: Snapshot) -> Pull:
        """The wrench in a state; a robot that moves in the plane is only pulled along it."""
        pose = snapshot.link_pose[grip.link]
        twist = snapshot.link_twist[grip.link]
        turn = matrices(pose[3:][None, :])[0]
        arm = turn @ np.array(grip.point)
        stretch = np.array(grip.target) - pose[:3] - arm
        velocity = twist[:3] + np.cross(twist[3:], arm)
        stiffness, damping = self._matrices(grip)
        force = turn @ (stiffness @ (turn.T @ stretch) - damping @ (turn.T @ velocity))
        if self._planar:
            force[2] = 0.0
        size = float(np.linalg.norm(force))
        most = grip.strength * _MOST_WEIGHTS * weight(self._scene.body)
        if size > most:
            force *= most / size
        torque = np.cross(arm, force)
        if self._planar:
            torque[:2] = 0.0
        if not (np.isfinite(force).all() and np.isfinite(torque).all()):
            # the run is about to fail by itself
            force = np.zeros(3)
            torque = np.zeros(3)
        return Pull(snapshot.time, grip.link, grip.point, _vector(force), _vector(torque))

    def _matrices(self, grip: Grip) -> tuple[FloatArray, FloatArray]:
        """Stiffness (N/m) and damping (N s/m) in the link's frame, (3, 3) each."""
        key = grip.point, grip.strength
        if self._gains is None or self._gains[0] != key:
            body = self._scene.body
            stiffness = grip.strength * usual_stiffness(body)
            yielding, axes = np.linalg.eigh(self._inverse_mass(np.array(grip.point)))
            most = _DAMPED / (np.maximum(yielding, 1.0 / body.mass) * self._hold)
            damping = np.minimum(2.0 * math.sqrt(stiffness * body.mass), most)
            along = np.minimum(stiffness, damping / self._hold)
            self._gains = key, ((axes * along) @ axes.T, (axes * damping) @ axes.T)
        return self._gains[1]

    def _inverse_mass(self, point: FloatArray) -> FloatArray:
        """Acceleration of a point of a free link by a force there, in the link's frame, (3, 3), 1/kg."""
        body = self._scene.body
        robot = self._scene.robot
        if not body.jointed:
            return np.eye(3) * _ROD_TIP / body.mass
        inertia = np.array((robot.axial_inertia_kg_m2, robot.inertia_kg_m2, robot.inertia_kg_m2))
        turning = 1.0 / inertia
        if self._planar:
            turning[:2] = 0.0
        x, y, z = point
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        inverse: FloatArray = np.eye(3) / robot.mass_kg + cross @ np.diag(turning) @ cross.T
        return inverse


def _vector(values: FloatArray) -> Vector:
    x, y, z = map(float, values)
    return x, y, z
