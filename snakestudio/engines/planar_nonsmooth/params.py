"""Constants of a run in the plane, built from a Scene (without compiled code)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.grid import Grid
from snakestudio.engines.ground_map import make_ground_map, varies
from snakestudio.engines.planar_obstacles import obstacle_grid, outlines
from snakestudio.kernels.ground_patches import AGAINST_AXIS, WITH_AXIS, GroundMap
from snakestudio.kernels.planar_ground import law_table
from snakestudio.kernels.planar_problem import BOX, DISC, HALVES, MASS, UNIT_VELOCITY, link_table
from snakestudio.model.ground_friction import axial_friction
from snakestudio.model.robot.pose import joint_arms
from snakestudio.model.scene import Scene

# Columns of Params.shape.
HALF, RADIUS, CENTRE = range(3)
# Columns of Params.joints.
(
    AXIS,
    KP,
    KD,
    LOW,
    HIGH,
    HALF_PLAY,
    MOST,
    STIFFNESS,
    DAMPING,
    REST,
    ROTOR,
) = range(11)
_WIDTH = 11


class Params(NamedTuple):
    """Constants of a run; SI, frame of the ground."""

    links: FloatArray
    """Masses and arms; see `ChainProblem`. The arm to the joint in front of a link is L/2 minus
    half the offset between the axes of the joint, that to the joint behind it is L/2 plus half the
    offset, because the pitch axis, fixed in this model, is on the link behind."""

    shape: FloatArray
    """Outlines: L_GS and L_SC, m, and the position of the middle between the joints relative to the
    centre of mass, m."""

    joints: FloatArray
    """Index of the joint's axis in the reference (-1: fixed); gains of its controller, N m/rad and
    N m s/rad; stops, rad (infinite: none); half the free play, rad; saturation torque of the motor,
    N m (inf: none); stiffness, N m/rad, damping, N m s/rad, and rest angle, rad, of a passive
    spring; inertia of the rotor, kg m^2."""

    stopped: int
    """Whether any joint has a stop."""

    springs: int
    """Whether any joint has a spring or damper."""

    fixed: int
    """Whether any joint has no axis."""

    rotors: int
    """Whether any joint has a rotor with inertia."""

    law: FloatArray
    """Friction on the ground outside all patches; see `ChainProblem`."""

    kind: int
    """Friction law, as in `ChainProblem`."""

    ground: GroundMap
    """Friction of the ground by position and time."""

    varied: int
    """Whether the ground varies with position or time."""

    mass: float
    """Mean mass of the links, kg."""

    reach: float
    """Largest distance of a contact sphere's centre from the centre of mass, m."""

    dt: float
    """Time step, s."""

    lag: float
    """Fraction of the difference to the requested torque that is covered in a step (1: no lag)."""

    implicit: bool
    """Whether the PD law uses the angle and rate at the end of the step."""

    gx: float
    """Gravity along x, m/s^2."""

    gy: float
    """Gravity along y, m/s^2."""

    gn: float
    """Gravity into the ground, positive, m/s^2."""

    stribeck_rise: float
    """Relative increase of friction near rest."""

    stribeck_velocity: float
    """Velocity scale of this increase, m/s."""

    tolerance: float
    """Residual at which the solver stops."""

    max_iterations: int
    far: float
    """Distance of a link in a step above which the step is rejected, m; see `crossing.Crossings`."""

    obstacles: FloatArray
    """Outlines of all obstacles; see `planar_obstacles.OUTLINE`. Contacts refer to their indices."""

    grid: Grid
    """Grid of the outlines that links can meet at their height."""


def friction_kind(scene: Scene) -> int:
    """Return the solver's kind of the ground's friction law: one disc where that is sufficient."""
    if scene.ground.law == "components":
        return BOX
    if scene.ground.law == "unit_velocity":
        return UNIT_VELOCITY
    friction = axial_friction(scene.robot, scene.ground)
    return DISC if np.array_equal(friction[..., WITH_AXIS], friction[..., AGAINST_AXIS]) else HALVES


def _link_table(scene: Scene) -> FloatArray:
    before, behind = joint_arms(scene)
    length, centre, mass, inertia = (
        np.array([getattr(link, name) for link in scene.robot.links])
        for name in ("length", "centre_of_mass", "mass", "inertia")
    )
    # A link without a joint at one end extends there by its nominal length.
    front = np.append(before, 0.5 * length[-1] - centre[-1])
    rear = np.append(0.5 * length[0] + centre[0], behind)
    return link_table(mass, inertia, front, rear)


def _shape_table(scene: Scene) -> FloatArray:
    links = scene.robot.links
    return np.array(
        [(link.contact_half_length, link.radius, -link.centre_of_mass) for link in links]
    )


def _joint_table(scene: Scene) -> FloatArray:
    values = scene.axis_values
    table = np.zeros((scene.robot.n_joints, _WIDTH))
    table[:, AXIS] = -1.0
    table[:, LOW] = -math.inf
    table[:, HIGH] = math.inf
    table[:, MOST] = math.inf
    for j, axis in enumerate(scene.body.axes):
        table[axis.joint] = (
            j,
            values.kp[j],
            values.kd[j],
            values.lower[j],
            values.upper[j],
            0.5 * values.free_play[j],
            values.max_torque[j],
            values.spring[j],
            values.damper[j],
            values.rest[j],
            values.rotor[j],
        )
    return table


def make_params(scene: Scene, base_dir: Path | None = None, old: Params | None = None) -> Params:
    """Return the constants of `scene`; file names are relative to `base_dir`.

    The grid of `old` is reused if the obstacles are unchanged.
    """
    solver = scene.solver
    actuator = scene.actuator
    links = _link_table(scene)
    shape = _shape_table(scene)
    joints = _joint_table(scene)
    obstacles = outlines(scene.obstacles, float(shape[:, RADIUS].max()))
    extent = np.abs(shape[:, CENTRE]) + shape[:, HALF]
    reach = float((extent + shape[:, RADIUS]).max())
    grid = obstacle_grid(obstacles, reach, old)
    gx, gy, gz = scene.ground.gravity
    ground = make_ground_map(scene, base_dir)
    kind = friction_kind(scene)
    return Params(
        links=links,
        shape=shape,
        joints=joints,
        stopped=int(np.isfinite(joints[:, [LOW, HIGH]]).any()),
        springs=int(joints[:, [STIFFNESS, DAMPING]].any()),
        fixed=int((joints[:, AXIS] < 0.0).any()),
        rotors=int(joints[:, ROTOR].any()),
        law=law_table(links[:, MASS], ground.friction[0], kind),
        kind=kind,
        ground=ground,
        varied=int(varies(ground)),
        mass=float(links[:, MASS].mean()),
        reach=float(extent.max()),
        dt=solver.step_s,
        lag=-math.expm1(-solver.step_s / actuator.time_constant_s)
        if actuator.time_constant_s > 0.0
        else 1.0,
        implicit=solver.joints == "implicit" and not scene.gives_torques,
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        stribeck_rise=scene.ground.stribeck_rise,
        stribeck_velocity=scene.ground.stribeck_velocity_m_s,
        tolerance=solver.tolerance,
        max_iterations=solver.max_iterations,
        far=math.inf,
        obstacles=obstacles,
        grid=grid,
    )
