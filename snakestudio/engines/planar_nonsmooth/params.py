"""Constants of a run in the plane, built from a Scene (nothing here is compiled)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.grid import Grid
from snakestudio.engines.motors import Motor, make_motor
from snakestudio.engines.planar_obstacles import fits_the_plane, obstacle_grid, outlines
from snakestudio.model.robot.pose import planar_arms
from snakestudio.model.scene import Scene

__all__ = ["Params", "make_params", "same_structure"]


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground.

    Attributes
    ----------
    front, rear : float
        From the centre of gravity to the joint before a link and to the one behind it, m: L/2 each, less and more half
        the offset between the axes of a joint, of which the pitch axis, at rest here, lies in the link behind.
    contact_half, radius : float
        L_GS and L_SC of the link's outline, m.
    mass, inertia : float
        Of every link, kg and kg m^2.
    dt : float
        Step, s.
    kp, kd : float
        Gains of the joint controller, N m/rad and N m s/rad.
    motor : Motor
        Of every joint.
    gx, gy, gn : float
        Gravity along x and y, and the part that presses on the ground (positive), m/s^2.
    mu_along, mu_across : float
        Friction coefficients.
    stribeck_rise, stribeck_velocity : float
        Of the friction's dependence on velocity: fraction and m/s.
    joint_limit : float
        Stop of every joint, rad; inf for none.
    tolerance : float
        Where the solver stops.
    max_iterations : int
    far : float
        Way of a link in a step from which the step is not taken, m; see `crossing.Crossings`.
    obstacles : (k, 9)
        Outlines of all obstacles, see `planar_obstacles.OUTLINE`. Contacts have their numbers.
    grid_x, grid_y, grid_inverse : float
        Corner of the grid, m, and 1 / size of its cells, 1/m.
    grid_nx, grid_ny : int
        Number of cells either way.
    grid_first, grid_items : (nx ny + 1,), (m,) int
        Cell c lists the obstacles grid_items[grid_first[c]:grid_first[c + 1]]; those that the links cannot meet
        because of their height are in none.
    """

    front: float
    rear: float
    contact_half: float
    radius: float
    mass: float
    inertia: float
    dt: float
    kp: float
    kd: float
    motor: Motor
    gx: float
    gy: float
    gn: float
    mu_along: float
    mu_across: float
    stribeck_rise: float
    stribeck_velocity: float
    joint_limit: float
    tolerance: float
    max_iterations: int
    far: float
    obstacles: FloatArray
    grid_x: float
    grid_y: float
    grid_inverse: float
    grid_nx: int
    grid_ny: int
    grid_first: IntArray
    grid_items: IntArray


def make_params(scene: Scene, old: Params | None = None) -> Params:
    """Constants of `scene`; the grid of `old` is used again if the obstacles are where they were."""
    robot, solver = scene.robot, scene.solver
    obstacles = outlines(scene.obstacles, robot.radius_m)
    if old is not None and np.array_equal(old.obstacles[:, :8], obstacles[:, :8]):
        grid = Grid(old.grid_x, old.grid_y, old.grid_inverse, old.grid_nx, old.grid_ny, old.grid_first, old.grid_items)
    else:
        grid = obstacle_grid(obstacles, robot.contact_half_length_m + robot.radius_m)
    gx, gy, gz = scene.ground.gravity
    front, rear = planar_arms(scene)
    return Params(
        front=front,
        rear=rear,
        contact_half=robot.contact_half_length_m,
        radius=robot.radius_m,
        mass=robot.mass_kg,
        inertia=robot.inertia_kg_m2,
        dt=solver.step_s,
        kp=scene.joint_controller.kp_nm_per_rad,
        kd=scene.joint_controller.kd_nms_per_rad,
        motor=make_motor(scene),
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        mu_along=scene.ground.mu_along,
        mu_across=scene.ground.mu_across,
        stribeck_rise=scene.ground.stribeck_rise,
        stribeck_velocity=scene.ground.stribeck_velocity_m_s,
        joint_limit=robot.joint_limit,
        tolerance=solver.tolerance,
        max_iterations=solver.max_iterations,
        far=math.inf,
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
