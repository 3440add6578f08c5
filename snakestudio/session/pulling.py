"""Spring between the pointer and a point of a link: from the pointer's position to the wrench on the link.

The force is computed from a state and held for some steps, so stiffness and damping are limited for
stability. For the effective mass m of the point in a direction, a force -k x - c v held for a time
T is stable if k T / 2 < c and c < 2 m / T. Joints only increase m compared with the free link, so
that of the free link is used.
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
"""Fraction of the momentum at the point that damping can remove while a force is held."""

_ROD_TIP = 4.0
"""Ratio of the mass of a rigid uniform rod to its effective mass for a sideways force at the tip."""


@dataclass(frozen=True, slots=True)
class Grip:
    """Held point of a link and the target that it is pulled to."""

    link: int
    """0-based index of the part of the body."""
    point: Vector
    """Material point, link frame, m."""
    target: Vector
    """Target of the point, world frame, m."""
    strength: float = 1.0
    """Factor on the default stiffness and largest force."""


def hold_steps(scene: Scene) -> int:
    """Return the number of time steps for which a force is held."""
    return min(scene.steps_per_period, max(1, round(_HOLD_S / scene.solver.step_s)))


class Spring:
    """Spring and damper for the robot of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._hold = hold_steps(scene) * scene.solver.step_s
        self._planar = not scene.body.in_space
        self._gains: tuple[tuple[Vector, float], tuple[FloatArray, FloatArray]] | None = None

    def pull(self, grip: Grip, snapshot: Snapshot) -> Pull:
        """Return the wrench in a state; a planar robot is only pulled in its plane."""
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
            # the simulation is about to fail
            force = np.zeros(3)
            torque = np.zeros(3)
        return Pull(snapshot.time, grip.link, grip.point, _vector(force), _vector(torque))

    def _matrices(self, grip: Grip) -> tuple[FloatArray, FloatArray]:
        """Return stiffness (N/m) and damping (N s/m), link frame, (3, 3) each."""
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
        """Return the acceleration of a point of a free link per force at the point, link frame, (3, 3), 1/kg."""
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
