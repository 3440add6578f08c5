"""Discretisation of a continuum scene: a chain of n links moved by friction, whose limit is the continuous body."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model.motion import StateStart
from snakestudio.model.registry import CONTROLLERS, FORMULATIONS
from snakestudio.model.robot.beam import TIP, Beam
from snakestudio.model.robot.beam_shape import head_state, shape
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.robot.joint_strain import joint_motion
from snakestudio.model.robot.robot import Actuator, JointController, Robot
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Control, Scene

CHAIN = "planar_lagrangian"
"""Formulation of the chain."""

_FINE = 65
"""Points between the head and the first link's centre for the integration of its pose and twist."""


def links_of(beam: Beam, n: int) -> Robot:
    """Return the robot of `n` links with the masses and inertias of the pieces of a body.

    A link is a rod of mass rho A h with h = l / n; about a transverse axis through its centre its
    moment of inertia is m h^2 / 12 + rho (pi r^4 / 4) h.
    """
    h = beam.length_m / n
    mass = beam.mass_per_length * h
    along, across, _ = beam.inertia_per_length
    return Robot(
        name=f"{n} links of a continuous body",
        n_links=n,
        link_length_m=h,
        radius_m=beam.radius_m,
        contact_half_length_m=0.5 * h,
        mass_kg=mass,
        inertia_kg_m2=mass * h * h / 12.0 + across * h,
        axial_inertia_kg_m2=along * h,
        head="first",
    )


def discretise(scene: Scene, n: int) -> Scene:
    """Chain of `n` links in the Lagrangian model that is equivalent to the body of a continuum scene under friction.

    Its joints follow the strain law exactly (feedback linearization), so that friction alone
    determines its net motion. The first link starts with the pose and velocity of the body's
    cross-section at X = h/2.

    Raises `SceneError` if the body is not one that friction moves in a plane, or if its law contains
    stretch, shear or motion out of the plane.
    """
    beam = scene.beam
    support = scene.support
    ground = scene.ground
    problems = []
    if not scene.body.strained:
        problems.append(
            Problem(
                "error",
                "model.kind",
                "only a continuous body can be divided into links",
                'set it to "continuum_beam"',
            )
        )
    if beam.group != "SE2":
        problems.append(
            Problem(
                "error",
                "beam.group",
                f"a body that moves in {beam.group} is not planar, so it cannot become a chain in the plane",
                'set it to "SE2"',
            )
        )
    if support.kinematic:
        problems.append(
            Problem(
                "error",
                "support.kind",
                "the Lagrangian model has no anchors or rings",
                'set it to "friction"',
            )
        )
    problems += [
        Problem(
            "error",
            f"beam.{name}",
            f"a chain cannot have a load at its tip (got {load:g})",
            "set it to 0",
        )
        for name, load in zip(TIP, beam.tip_wrench, strict=True)
        if load
    ]
    if problems:
        raise SceneError.of(problems)
    robot = links_of(beam, n)
    h = robot.link_length_m
    return Scene(
        title=f"{scene.title or 'A continuous body'}, as {n} links",
        description=scene.description,
        source=scene.source,
        model=FORMULATIONS[CHAIN].fields(),
        robot=robot,
        beam=beam,
        strain=scene.strain,
        support=support,
        ground=ground.model_copy(
            update={
                "viscous_along_ns_per_m": support.viscous[0] * h,
                "viscous_across_ns_per_m": support.viscous[1] * h,
            }
        ),
        controller=CONTROLLERS["strain_follower"].fields(),
        joint_controller=JointController(law="feedback_linearization"),
        actuator=Actuator(),
        control=Control(period_s=scene.control.period_s),
        solver=scene.solver,
        run=scene.run,
        start=_start(scene, n),
    )


def _start(scene: Scene, n: int) -> StateStart:
    """Return the poses and velocities of the links at the start."""
    beam = scene.beam
    h = beam.length_m / n
    law = StrainLaw(scene.strain, beam)
    zero = np.zeros(1)
    pose, twist = head_state(scene)
    position, heading, velocity, omega = _section(law, pose, twist, 0.5 * h)
    angle, rate, _ = joint_motion(law, beam.length_m, n, yaw_axes(n - 1), zero)
    theta = heading + np.concatenate([[0.0], np.cumsum(angle[0])])
    spin = omega + np.concatenate([[0.0], np.cumsum(rate[0])])
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    across = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    steps = 0.5 * h * (axis[:-1] + axis[1:])
    speeds = 0.5 * h * (across[:-1] * spin[:-1, None] + across[1:] * spin[1:, None])
    centre = position[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    moves = velocity[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(speeds, axis=0)])
    return StateStart(
        position_m=tuple((float(x), float(y), beam.radius_m) for x, y in centre),
        orientation_wxyz=tuple(
            (math.cos(0.5 * a), 0.0, 0.0, math.sin(0.5 * a)) for a in theta.tolist()
        ),
        velocity_m_s=tuple((float(x), float(y), 0.0) for x, y in moves),
        angular_velocity_rad_s=tuple((0.0, 0.0, w) for w in spin.tolist()),
    )


def _section(
    law: StrainLaw, pose: FloatArray, twist: FloatArray, abscissa: float
) -> tuple[FloatArray, float, FloatArray, float]:
    """Position (3,), heading, velocity (3,) and turn rate, world frame, of a section of a planar body at t = 0."""
    points = np.linspace(0.0, abscissa, _FINE)
    field = law.at(np.zeros(1), points)
    turn, position = shape(field.strain[0], abscissa)
    rate = field.rate[0]
    # The contribution of the strain's rate to the twist, (7), relative to the head: velocity and turn
    # rate of the section.
    spin = rate[:, 5]
    here = (
        np.einsum("qij,qj->qi", turn, rate[:, :3])
        + np.cross(np.array([0.0, 0.0, 1.0]), position[-1] - position) * spin[:, None]
    )
    weights = np.where(np.arange(_FINE) % 2 == 1, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    weights *= abscissa / weights.sum()
    omega = float(twist[5] + weights @ spin)
    local = twist[:3] + np.cross(twist[3:], position[-1]) + weights @ here
    head = matrices(pose[None, 3:])[0]
    axis = head @ turn[-1, :, 0]
    return pose[:3] + head @ position[-1], math.atan2(axis[1], axis[0]), head @ local, omega
