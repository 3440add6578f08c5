"""A planar chain of unequal links as bodies with constraint forces, integrated by SciPy.

It shares nothing with the engines: every link has its own three coordinates, joints are constraints
on accelerations with Lagrange multipliers, and the friction laws are written as defined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from snakestudio.model.scene import Scene

Array = NDArray[np.float64]


def coulomb(scene: Scene, velocity: Array, axis: Array, mu: Array, load: float) -> Array:
    """Return the smoothed friction (2,) of a link; `mu`: sliding along the axis, against it, across."""
    eps = scene.ground.coulomb_smoothing_m_s
    law = scene.ground.law
    basis = np.array([axis, [-axis[1], axis[0]]])
    v = basis @ velocity
    d = np.array([mu[0] if v[0] > 0 else mu[1], mu[2]])
    if law == "unit_velocity":
        force = -load * d * v / np.sqrt(v @ v + eps**2)
    elif law == "ellipse":
        scaled = d * v
        force = -load * d * scaled / np.sqrt(scaled @ scaled + (mu.max() * eps) ** 2)
    else:
        force = -load * d * v / np.sqrt(v * v + eps**2)
    return force @ basis


def motion(
    scene: Scene,
    q: Array,
    u: Array,
    duration: float,
    target: Callable[[float], tuple[Array, Array]],
    mu: Array,
    load: Callable[[int, float, Array], float],
) -> Array:
    """Return centres and directions of all links at the end, (n, 3), from those and their rates at the start.

    Parameters
    ----------
    scene : Scene
    q, u : (n, 3)
    duration : float
    target : callable
        Angles and rates of all joints at a time.
    mu : (n, 3)
        As in `coulomb`.
    load : callable
        Normal load of a link as a function of its index, time and position, N.
    """
    links = scene.robot.links
    n = len(q)
    mass = np.array([(link.mass, link.mass, link.inertia) for link in links]).ravel()
    values = scene.axis_values
    ground = scene.ground
    yaw = [axis.kind == "yaw" for axis in scene.body.axes]
    kp, kd, most, spring, damper, rest, lower, upper = (
        getattr(values, name)[yaw]
        for name in ("kp", "kd", "max_torque", "spring", "damper", "rest", "lower", "upper")
    )
    front = [0.5 * link.length - link.centre_of_mass for link in links]
    rear = [0.5 * link.length + link.centre_of_mass for link in links]

    def rates(t: float, y: Array) -> Array:
        pose = y[: 3 * n].reshape(n, 3)
        velocity = y[3 * n :].reshape(n, 3)
        force = np.zeros((n, 3))
        for k in range(n):
            axis = np.array([np.cos(pose[k, 2]), np.sin(pose[k, 2])])
            basis = np.array([axis, [-axis[1], axis[0]]])
            viscous = np.array([ground.viscous_along_ns_per_m, ground.viscous_across_ns_per_m])
            force[k, :2] = -(viscous * (basis @ velocity[k, :2])) @ basis
            force[k, :2] += coulomb(scene, velocity[k, :2], axis, mu[k], load(k, t, pose[k, :2]))
        angle, rate = np.diff(pose[:, 2]), np.diff(velocity[:, 2])
        target_angle, target_rate = target(t)
        torque = np.clip(kp * (target_angle - angle) + kd * (target_rate - rate), -most, most)
        torque += -spring * (angle - rest) - damper * rate
        torque -= scene.robot.joint_limit_stiffness_nm_per_rad * (
            angle - np.clip(angle, lower, upper)
        )
        force[1:, 2] += torque
        force[:-1, 2] -= torque
        held = np.zeros((2 * (n - 1), 3 * n))
        bias = np.zeros(2 * (n - 1))
        for k in range(n - 1):
            for sign, link, arm in ((1.0, k, front[k]), (-1.0, k + 1, -rear[k + 1])):
                c = np.cos(pose[link, 2])
                s = np.sin(pose[link, 2])
                w = velocity[link, 2]
                rows = slice(2 * k, 2 * k + 2)
                at = 3 * link
                held[rows, at : at + 2] += sign * np.eye(2)
                held[rows, at + 2] += sign * arm * np.array([-s, c])
                bias[rows] += sign * arm * w * w * np.array([-c, -s])
        saddle_matrix = np.block(
            [[np.diag(mass), held.T], [held, np.zeros((len(bias), len(bias)))]]
        )
        acceleration = np.linalg.solve(saddle_matrix, np.concatenate([force.ravel(), -bias]))[
            : 3 * n
        ]
        return np.concatenate([velocity.ravel(), acceleration])

    begin = np.concatenate([q.ravel(), u.ravel()])
    end = solve_ivp(rates, (0.0, duration), begin, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    return np.asarray(end[: 3 * n].reshape(n, 3), np.float64)
