"""Constants of a run in space, built from a Scene (nothing here is compiled)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.motors import Motor, make_motor
from snakestudio.engines.solid_world import make_world
from snakestudio.kernels.solids import World
from snakestudio.model.scene import Scene

__all__ = ["Params", "make_params", "same_structure"]


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground.

    Attributes
    ----------
    half_length : float
        Half the distance between neighbouring joints, L/2, less half the offset between the axes of a joint, m.
    offset : float
        Distance from the yaw to the pitch axis of a joint, m.
    contact_half, radius : float
        L_GS and L_SC of the link's surface, m.
    mass, inertia, axial : float
        Of every link: kg, and Theta_1 (across) and Theta_3 (along its axis), kg m^2.
    dt : float
        Step, s.
    kp_yaw, kp_pitch, kd_yaw, kd_pitch : float
        Gains of the joint controllers, N m/rad and N m s/rad.
    motor : Motor
        Of every joint axis.
    gx, gy, gz : float
        Gravity, m/s^2.
    mu_along, mu_across, roll : float
        Friction coefficients of the ground, and rolling friction times the radius, m.
    stribeck_rise, stribeck_velocity : float
        Of the friction's dependence on velocity: fraction and m/s.
    joint_limit : float
        Stop of every joint axis, rad; inf for none.
    tolerance : float
        Where the solver stops.
    max_iterations : int
    far : float
        Way of a link in a step from which the step is not taken, m; see `crossing.Crossings`.
    friction : (k,)
        Friction coefficient of every obstacle.
    world : World
        The obstacles' bodies.
    """

    half_length: float
    offset: float
    contact_half: float
    radius: float
    mass: float
    inertia: float
    axial: float
    dt: float
    kp_yaw: float
    kp_pitch: float
    kd_yaw: float
    kd_pitch: float
    motor: Motor
    gx: float
    gy: float
    gz: float
    mu_along: float
    mu_across: float
    roll: float
    stribeck_rise: float
    stribeck_velocity: float
    joint_limit: float
    tolerance: float
    max_iterations: int
    far: float
    friction: FloatArray
    world: World


def make_params(scene: Scene, base_dir: Path | None, old: Params | None = None) -> Params:
    """Constants of `scene`; the world of `old` is used again if the obstacles are the same.

    Raises
    ------
    SceneError
        If a file that an obstacle refers to cannot be used.
    """
    robot, ground, solver = scene.robot, scene.ground, scene.solver
    gx, gy, gz = ground.gravity
    kp, kd = scene.joint_controller.kp, scene.joint_controller.kd
    return Params(
        half_length=0.5 * (robot.link_length_m - robot.axis_offset_m),
        offset=robot.axis_offset_m,
        contact_half=robot.contact_half_length_m,
        radius=robot.radius_m,
        mass=robot.mass_kg,
        inertia=robot.inertia_kg_m2,
        axial=robot.axial_inertia_kg_m2,
        dt=solver.step_s,
        kp_yaw=kp[0],
        kp_pitch=kp[1],
        kd_yaw=kd[0],
        kd_pitch=kd[1],
        motor=make_motor(scene),
        gx=gx,
        gy=gy,
        gz=gz,
        mu_along=ground.mu_along,
        mu_across=ground.mu_across,
        roll=ground.mu_rolling * robot.radius_m,
        stribeck_rise=ground.stribeck_rise,
        stribeck_velocity=ground.stribeck_velocity_m_s,
        joint_limit=robot.joint_limit,
        tolerance=solver.tolerance,
        max_iterations=solver.max_iterations,
        far=math.inf,
        friction=np.array([obstacle.friction for obstacle in scene.obstacles], dtype=np.float64),
        world=make_world(scene, base_dir, None if old is None else old.world),
    )


def same_structure(one: Scene, other: Scene) -> bool:
    """Whether a running engine of `one` can go on under `other`."""
    return (
        one.model == other.model
        and one.start == other.start
        and one.solver.step_s == other.solver.step_s
        and one.robot.model_copy(update={"name": other.robot.name, "head": other.robot.head}) == other.robot
    )
