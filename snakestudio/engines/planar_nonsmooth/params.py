"""Constants of a run in the plane, built from a Scene (nothing here is compiled)."""

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
) = range(10)


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground."""

    links: FloatArray
    """Masses and arms, see `ChainProblem`: to the joint before a link L/2 less half the offset
    between the axes of the joint, to the one behind it L/2 more half of it, for the pitch axis, at
    rest here, lies in the link behind."""

    shape: FloatArray
    """Outlines: L_GS and L_SC, m, and where the middle between the joints lies from the centre of
    mass, m."""

    joints: FloatArray
    """Which axis of the reference is the joint's (-1: it is fixed); gains of its controller, N
    m/rad and N m s/rad; stops, rad (infinite: none); half the free play, rad; torque at which the
    motor saturates, N m (inf: never); stiffness, N m/rad, damping, N m s/rad, and rest angle, rad,
    of a passive spring."""

    stopped: int
    springs: int
    fixed: int
    """`stopped`, `springs` and `fixed`: whether any joint has a stop, a spring or damper, or no
    axis."""

    law: FloatArray
    """Friction on the ground outside all patches, see `ChainProblem`."""

    kind: int
    """Law of the friction, as in `ChainProblem`."""

    ground: GroundMap
    """The ground by place and time."""

    varied: int
    """Whether the ground differs from place to place or in time."""

    mass: float
    reach: float
    """`mass` and `reach`: mean mass of the links, kg; farthest that a contact sphere's centre is
    from the centre of mass, m."""

    dt: float
    """Step, s."""

    lag: float
    """Share of the way to the wanted torque that a motor goes in a step (1: all of it)."""

    implicit: bool
    """Whether motors act on the angle and rate at the end of the step."""

    gx: float
    gy: float
    gn: float
    """`gx`, `gy` and `gn`: gravity along x and y, and the part that presses on the ground
    (positive), m/s^2."""

    stribeck_rise: float
    stribeck_velocity: float
    """`stribeck_rise` and `stribeck_velocity`: of the friction's dependence on velocity: fraction
    and m/s."""

    tolerance: float
    """Where the solver stops."""

    max_iterations: int
    far: float
    """Way of a link in a step from which the step is not taken, m; see `crossing.Crossings`."""

    obstacles: FloatArray
    """Outlines of all obstacles, see `planar_obstacles.OUTLINE`. Contacts have their numbers."""

    grid: Grid
    """Which outlines are near, but for those that the links cannot meet because of their height."""


def friction_kind(scene: Scene) -> int:
    """Law of the friction on the ground as the solver knows it: one disc wherever that is all there is to it."""
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
    # A link without a joint at one end reaches there as far as its length says.
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
    table = np.zeros((scene.robot.n_joints, 10))
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
        )
    return table


def make_params(scene: Scene, base_dir: Path | None = None, old: Params | None = None) -> Params:
    """Constants of `scene`, whose file names are relative to `base_dir`.

    The grid of `old` is used again if the obstacles are where they were.
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
