"""Constants of a run of the nonholonomic model, built from a Scene (nothing here is compiled)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.centred_map import centred_map
from snakestudio.engines.grid import Grid
from snakestudio.engines.planar_nonholonomic.chebyshev import table
from snakestudio.engines.planar_nonholonomic.state import wide
from snakestudio.engines.planar_obstacles import fits_the_plane, obstacle_grid, outlines
from snakestudio.model.scene import Scene

__all__ = ["Params", "damped_by_obstacles", "make_params", "same_structure"]


SHORTEST = 1e-4
"""Length of a part of a step below which its error is not looked at any more, s, unless the tolerance is the smaller
number: where a link meets an obstacle accelerations jump, and no scheme sees through that but by looking for the very
instant."""

FRICTION_LEVER = 0.25
"""Mean distance of a link's mass from its centre over its length: (16) is mu_n m g times this times its length."""


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground.

    Attributes
    ----------
    half_length : float
        l, half the length of a link, m.
    contact_half, radius : float
        Half the segment and the radius of a link's outline, m.
    mass, inertia : float
        m and J of every link, kg and kg m^2.
    centred : (n, n)
        K, see `kernels.centred_chain`.
    coupling : (n, at least n)
        J 1 + m l^2 K^T K, kg m^2; its products with cosines are the mass matrix of the angles. Filled up with 0.
    dt : float
        Step, s.
    tolerance, shortest : float
        Error of the angles that a part of a step may make, rad, and the length from which it is not looked at, s.
    kp, kd : float
        Gains of the joint controller, N m/rad and N m s/rad; 0 where torques are given.
    joint_limit, stop_stiffness : float
        rad (inf for none), N m/rad.
    gx, gy, gn : float
        Gravity along x and y, and the part that presses on the ground (positive), m/s^2.
    viscous_along, viscous_across : float
        Viscous friction of a link, N s/m.
    coulomb_along, coulomb_across, coulomb_turning : float
        Largest Coulomb friction of a link, N, N and N m.
    smoothing, turn_smoothing : float
        What takes sgn v to v / sqrt(v^2 + eps^2), m/s and rad/s.
    damping : float
        d, of obstacles, N s/m.
    turning, moving : float
        Bounds of the rates at which the links' velocities decay, 1/s; friction at obstacles comes on top of the latter.
    far : float
        Way of a link in a step from which the step is not taken, m; see `crossing.Crossings`.
    schemes : (m, m, 6)
        Integration schemes by their number of stages, see `chebyshev.scheme`.
    obstacles : (k, 9)
        Outlines of all obstacles, see `planar_obstacles.OUTLINE`. Contacts have their numbers.
    grid_x, grid_y, grid_inverse, grid_nx, grid_ny, grid_first, grid_items
        As in `Grid`; `grid_items` without the obstacles that the links cannot meet because of their height.
    """

    half_length: float
    contact_half: float
    radius: float
    mass: float
    inertia: float
    centred: FloatArray
    coupling: FloatArray
    dt: float
    tolerance: float
    shortest: float
    kp: float
    kd: float
    joint_limit: float
    stop_stiffness: float
    gx: float
    gy: float
    gn: float
    viscous_along: float
    viscous_across: float
    coulomb_along: float
    coulomb_across: float
    coulomb_turning: float
    smoothing: float
    turn_smoothing: float
    damping: float
    turning: float
    moving: float
    far: float
    schemes: FloatArray
    obstacles: FloatArray
    grid_x: float
    grid_y: float
    grid_inverse: float
    grid_nx: int
    grid_ny: int
    grid_first: IntArray
    grid_items: IntArray


def _gains(scene: Scene) -> tuple[float, float]:
    """Gains of the joint controller, N m/rad and N m s/rad; 0 where the joints are given torques."""
    gains = scene.joint_controller
    return (0.0, 0.0) if scene.gives_torques else (gains.kp_nm_per_rad, gains.kd_nms_per_rad)


def _decay(scene: Scene) -> tuple[float, float]:
    """Bounds of the rates at which velocities decay, 1/s: links' turning, and their moving but for obstacles' friction.

    What damps them, beside the energy of motion: for turning their own inertia is the least there is, which a torque on
    a joint meets four times where neighbours turn against each other; for moving, their own mass. No motion decays
    faster than the faster of the two. Friction is steepest at rest.
    """
    robot, ground = scene.robot, scene.ground
    load = robot.mass_kg * max(-ground.gravity[2], 0.0)
    slope = max(
        ground.viscous_along_ns_per_m + ground.mu_along * load / ground.coulomb_smoothing_m_s,
        ground.viscous_across_ns_per_m + ground.mu_across * load / ground.coulomb_smoothing_m_s,
    )
    turning = FRICTION_LEVER * robot.link_length_m * ground.mu_across * load / ground.coulomb_smoothing_rad_s
    met = ground.obstacle_damping_ns_per_m if scene.obstacles else 0.0
    kp, kd = _gains(scene)
    stiffness = kp + (0.0 if math.isinf(robot.joint_limit) else robot.joint_limit_stiffness_nm_per_rad)
    if robot.n_links == 1:  # there is no joint that these act on
        stiffness = kd = 0.0
    joints = 4.0 * kd / robot.inertia_kg_m2
    swinging = math.sqrt(4.0 * stiffness / robot.inertia_kg_m2)
    return max(joints, swinging) + turning / robot.inertia_kg_m2, (slope + met) / robot.mass_kg


def damped_by_obstacles(scene: Scene) -> bool:
    """Whether it is obstacles that make velocities decay fastest: shorter steps are cut up no less for that."""
    return bool(scene.obstacles) and scene.ground.obstacle_damping_ns_per_m / scene.robot.mass_kg > 0.5 * max(
        _decay(scene)
    )


def make_params(scene: Scene, old: Params | None = None) -> Params:
    """Constants of `scene`; the grid of `old` is used again if the obstacles are where they were."""
    robot, ground = scene.robot, scene.ground
    half = 0.5 * robot.link_length_m
    centred = centred_map(robot.n_links)
    coupling = np.zeros((robot.n_links, wide(robot.n_links)))
    coupling[:, : robot.n_links] = robot.mass_kg * half * half * (centred.T @ centred)
    np.fill_diagonal(coupling, coupling.diagonal() + robot.inertia_kg_m2)
    obstacles = outlines(scene.obstacles, robot.radius_m)
    if old is not None and np.array_equal(old.obstacles[:, :8], obstacles[:, :8]):
        grid = Grid(old.grid_x, old.grid_y, old.grid_inverse, old.grid_nx, old.grid_ny, old.grid_first, old.grid_items)
    else:
        grid = obstacle_grid(obstacles, robot.contact_half_length_m + robot.radius_m)
    gx, gy, gz = ground.gravity
    load = robot.mass_kg * max(-gz, 0.0)
    turning, moving = _decay(scene)
    kp, kd = _gains(scene)
    return Params(
        half_length=half,
        contact_half=robot.contact_half_length_m,
        radius=robot.radius_m,
        mass=robot.mass_kg,
        inertia=robot.inertia_kg_m2,
        centred=np.ascontiguousarray(centred),
        coupling=coupling,
        dt=scene.solver.step_s,
        tolerance=scene.solver.error_tolerance,
        shortest=min(SHORTEST, scene.solver.error_tolerance),
        kp=kp,
        kd=kd,
        joint_limit=robot.joint_limit,
        stop_stiffness=robot.joint_limit_stiffness_nm_per_rad,
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        viscous_along=ground.viscous_along_ns_per_m,
        viscous_across=ground.viscous_across_ns_per_m,
        coulomb_along=ground.mu_along * load,
        coulomb_across=ground.mu_across * load,
        coulomb_turning=FRICTION_LEVER * robot.link_length_m * ground.mu_across * load,
        smoothing=ground.coulomb_smoothing_m_s,
        turn_smoothing=ground.coulomb_smoothing_rad_s,
        damping=ground.obstacle_damping_ns_per_m,
        turning=turning,
        moving=moving,
        far=math.inf,
        schemes=table(),
        obstacles=obstacles,
        grid_x=grid.x,
        grid_y=grid.y,
        grid_inverse=grid.inverse,
        grid_nx=grid.nx,
        grid_ny=grid.ny,
        grid_first=grid.first,
        grid_items=grid.items,
    )


def same_structure(one: Scene, other: Scene) -> bool:
    """Whether a running engine of `one` can go on under `other`."""
    return (
        one.model == other.model
        and one.start == other.start
        and all(fits_the_plane(o) for o in other.obstacles)
        and one.solver.step_s == other.solver.step_s
        and one.robot.model_copy(update={"name": other.robot.name, "head": other.robot.head}) == other.robot
    )
