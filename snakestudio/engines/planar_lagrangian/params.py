"""Constants of a run of the Lagrangian model, built from a Scene (nothing here is compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.centred_map import centred_map
from snakestudio.model.scene import Scene

__all__ = ["Params", "make_params", "same_structure"]


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground.

    Attributes
    ----------
    half_length : float
        l, half the length of a link, m.
    radius : float
        Height at which links are shown, m.
    mass, inertia : float
        m and J of every link, kg and kg m^2.
    coupling : (n, n)
        m l^2 K^T K, see `kernels.centred_chain`, kg m^2.
    dt : float
        Step, s.
    linearized : bool
        Feedback linearization instead of PD control.
    kp, kd : float
        Gains of the joint controller: N m/rad and N m s/rad, linearized 1/s^2 and 1/s; 0 where torques are given.
    gx, gy, gn : float
        Gravity along x and y, and the part that presses on the ground (positive), m/s^2.
    viscous_along, viscous_across : float
        c_t and c_n of a link, N s/m.
    coulomb_along, coulomb_across : float
        Largest Coulomb friction of a link, mu m g, N.
    smoothing : float
        eps of v / sqrt(v^2 + eps^2), which takes the place of sgn v, m/s.
    tanh : bool
        tanh(v / eps) instead of that.
    """

    half_length: float
    radius: float
    mass: float
    inertia: float
    coupling: FloatArray
    dt: float
    linearized: bool
    kp: float
    kd: float
    gx: float
    gy: float
    gn: float
    viscous_along: float
    viscous_across: float
    coulomb_along: float
    coulomb_across: float
    smoothing: float
    tanh: bool


def make_params(scene: Scene) -> Params:
    """Constants of `scene`."""
    robot, ground, control = scene.robot, scene.ground, scene.joint_controller
    half = 0.5 * robot.link_length_m
    centred = centred_map(robot.n_links)
    gx, gy, gz = ground.gravity
    load = robot.mass_kg * max(-gz, 0.0)
    linearized = control.law == "feedback_linearization" and not scene.gives_torques
    kp = control.linearization_kp_per_s2 if linearized else control.kp_nm_per_rad
    kd = control.linearization_kd_per_s if linearized else control.kd_nms_per_rad
    return Params(
        half_length=half,
        radius=robot.radius_m,
        mass=robot.mass_kg,
        inertia=robot.inertia_kg_m2,
        coupling=np.ascontiguousarray(robot.mass_kg * half * half * (centred.T @ centred)),
        dt=scene.solver.step_s,
        linearized=linearized,
        kp=0.0 if scene.gives_torques else kp,
        kd=0.0 if scene.gives_torques else kd,
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        viscous_along=ground.viscous_along_ns_per_m,
        viscous_across=ground.viscous_across_ns_per_m,
        coulomb_along=ground.mu_along * load,
        coulomb_across=ground.mu_across * load,
        smoothing=ground.coulomb_smoothing_m_s,
        tanh=ground.coulomb_law == "tanh",
    )


def same_structure(one: Scene, other: Scene) -> bool:
    """Whether a running engine of `one` can go on under `other`."""
    return (
        one.model == other.model
        and one.start == other.start
        and not other.obstacles
        and one.solver.step_s == other.solver.step_s
        and one.robot.model_copy(update={"name": other.robot.name, "head": other.robot.head}) == other.robot
    )
