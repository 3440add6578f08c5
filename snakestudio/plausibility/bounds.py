"""Torques that the joints of a chain need at rest, and the speed at which its gait moves its links: closed forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.robot.robot import Axis
from snakestudio.model.scene import Scene
from snakestudio.model.world import STANDARD_GRAVITY


def shorter_side_moment(mass: FloatArray, length: FloatArray, power: int) -> float:
    """Return the largest moment of mass of the shorter side over all joints of a straight chain.

    For joint j, the moments of both sides are the sums of m_i |x_i - x_j|^p over their links, and the
    smaller one counts, because the joint can move that side while the other one rests. For n equal
    links, n even, the middle joint has the largest moment: M L / 8 for p = 1.

    Parameters
    ----------
    mass, length : (n,)
        Masses (kg) and lengths (m) of the links.
    power : int
        1 for the static moment (kg m), 2 for the moment of inertia of point masses (kg m^2).
    """
    ends = np.cumsum(length)
    middle = ends - 0.5 * length
    joints = ends[:-1]
    if not len(joints):
        return 0.0
    arm = np.abs(middle - joints[:, None]) ** power * mass
    before = np.where(middle < joints[:, None], arm, 0.0).sum(axis=1)
    return float(np.minimum(before, arm.sum(axis=1) - before).max())


def gravity_of(scene: Scene) -> float:
    """Gravity for static loads, at least that of the Earth, m/s^2: a robot is not built for less."""
    return max(scene.ground.gravity_m_s2, STANDARD_GRAVITY)


def weight_of(scene: Scene) -> float:
    """Return the weight of the robot under `gravity_of`, N."""
    return scene.body.mass * gravity_of(scene)


def static_torque(scene: Scene) -> float:
    """Return the largest torque that a joint needs at rest, N m.

    The torque that holds the shorter side of the robot horizontally against its weight, or drags it
    sideways over the ground, whichever is larger: g max(1, mu) max_j min(left, right) with the
    moments of `shorter_side_moment`. M g L / 8 for a robot of many equal links with mu <= 1.
    """
    links = scene.robot.links
    mass = np.array([link.mass for link in links])
    length = np.array([link.length for link in links])
    return gravity_of(scene) * max(1.0, friction_of(scene)) * shorter_side_moment(mass, length, 1)


def friction_of(scene: Scene) -> float:
    """Return the largest friction coefficient of the ground, of its patches and of the links."""
    ground = scene.ground
    values = [
        ground.mu_along,
        ground.mu_across,
        ground.mu_backward,
        *(mu for patch in ground.patch for mu in (patch.mu_along, patch.mu_across)),
        *(mu for link in scene.robot.links for mu in (link.mu_along, link.mu_across)),
    ]
    return max(mu for mu in values if mu is not None)


def swing_inertia(scene: Scene) -> float:
    """Largest moment of inertia that a joint swings, of the shorter side, kg m^2; see `shorter_side_moment`."""
    links = scene.robot.links
    mass = np.array([link.mass for link in links])
    length = np.array([link.length for link in links])
    return shorter_side_moment(mass, length, 2)


def shape_speed(rates: FloatArray, axes: Sequence[Axis], length: FloatArray) -> FloatArray:
    """Return the speed up to which joint rates move the links relative to each other, (k,), m/s.

    The turn rates of the links are the sums of the joint rates before them, about their mean, and the
    speed is half the sum of length times turn rate: the speed of an end of a straight chain whose
    turn rates are worst aligned. A robot that grips the ground moves no faster.

    Parameters
    ----------
    rates : (k, m)
        Rates of the joint axes, rad/s.
    length : (n,)
        Lengths of the links, m.
    """
    square = np.zeros((len(rates), len(length)))
    for kind in {axis.kind for axis in axes}:
        turn = np.zeros_like(square)
        for column, axis in enumerate(axes):
            if axis.kind == kind:
                turn[:, axis.joint + 1] += rates[:, column]
        turn = np.cumsum(turn, axis=1)
        square += (turn - turn.mean(axis=1, keepdims=True)) ** 2
    speed: FloatArray = 0.5 * np.sqrt(square) @ length
    return speed
