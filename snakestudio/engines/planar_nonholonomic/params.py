"""Constants of a run of the nonholonomic model, built from a Scene (without compiled code)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.centred_map import centred_map, coupling_of, make_chain, mean_mass
from snakestudio.engines.grid import Grid
from snakestudio.engines.planar_nonholonomic.chebyshev import table
from snakestudio.engines.planar_nonholonomic.state import wide
from snakestudio.engines.planar_obstacles import obstacle_grid, outlines
from snakestudio.engines.smooth_joints import make_joints
from snakestudio.kernels.smooth_robot import CentredChain, SmoothJoints
from snakestudio.model.ground_friction import axial_friction
from snakestudio.model.scene import Scene

SHORTEST = 1e-4
"""Length of a part of a step below which its error is not checked, s, unless the tolerance is the
smaller number: accelerations jump where a link meets an obstacle, and no scheme could resolve this
without locating the exact instant."""

AHEAD, BEHIND, SIDE, TWIST = range(4)
"""Columns of `Params.coulomb`."""

FRICTION_LEVER = 0.25
"""Mean distance of a link's mass from its centre, relative to its length: (16) is mu_n m g times
this times its length."""


class Params(NamedTuple):
    """Constants of a run; SI, frame of the ground."""

    chain: CentredChain
    """The links."""

    contact_half: FloatArray
    """Half length of the contact segment of each link, m."""

    radius: FloatArray
    """Radius of each link's outline, m."""

    mean_mass: float
    """Mean mass of a link, kg."""

    lightest: float
    """Smallest mass of a link, kg."""

    levers: FloatArray
    """l_j K_ij, see `kernels.centred_chain`, m."""

    coupling: FloatArray
    """Coupling of the links' rotations with J 1, kg m^2; its products with cosines are the mass
    matrix of the angles. Padded with 0."""

    dt: float
    """Time step, s."""

    tolerance: float
    """Error tolerance of the angles in a part of a step, rad."""

    shortest: float
    """Length of a part of a step below which the error is not checked, s."""

    joints: SmoothJoints
    gx: float
    """Gravity along x, m/s^2."""

    gy: float
    """Gravity along y, m/s^2."""

    gn: float
    """Gravity into the ground, positive, m/s^2."""

    viscous_along: float
    """Viscous friction of a link along its axis, N s/m."""

    viscous_across: float
    """Viscous friction of a link across its axis, N s/m."""

    coulomb: FloatArray
    """Largest Coulomb friction of each link: sliding along its axis, against it, and across, N, and
    turning, N m."""

    smoothing: float
    """eps of v / sqrt(v^2 + eps^2), which replaces sgn v, m/s."""

    turn_smoothing: float
    """The same for angular velocities, rad/s."""

    damping: float
    """d, damping of obstacles, N s/m."""

    turning: float
    """Bound of the decay rates of the links' angular velocities, 1/s."""

    moving: float
    """Bound of the decay rates of the links' linear velocities, 1/s; friction at obstacles is added
    to it."""

    far: float
    """Distance of a link in a step above which the step is rejected, m; see `crossing.Crossings`."""

    schemes: FloatArray
    """Integration schemes by their number of stages; see `chebyshev.scheme`."""

    obstacles: FloatArray
    """Outlines of all obstacles; see `planar_obstacles.OUTLINE`. Contacts refer to their indices."""

    grid: Grid
    """Grid of the outlines that links can meet at their height."""


def _coulomb(scene: Scene) -> FloatArray:
    """Return the largest Coulomb friction of each link, `Params.coulomb`."""
    robot = scene.robot
    with_axis, against_axis, across = axial_friction(robot, scene.ground)[0].T
    load = np.array([link.mass for link in robot.links]) * max(-scene.ground.gravity[2], 0.0)
    length = np.array([link.length for link in robot.links])
    # A force along the axis resists sliding against it.
    return np.stack(
        [
            against_axis * load,
            with_axis * load,
            across * load,
            FRICTION_LEVER * length * across * load,
        ],
        axis=1,
    )


def _decay(scene: Scene) -> tuple[float, float]:
    """Return bounds of the decay rates of velocities, 1/s: of rotations, and of translations without obstacles.

    The inertia is bounded from below: by the links' own moments of inertia for rotations, where a
    joint torque counts four times if neighbours turn against each other, and by their masses for
    translations. No motion decays faster than the faster of the two. Friction is steepest at rest.
    """
    robot = scene.robot
    ground = scene.ground
    joints = make_joints(scene)
    coulomb = _coulomb(scene)
    mass, inertia = (
        np.array([getattr(link, name) for link in robot.links]) for name in ("mass", "inertia")
    )
    slope = np.maximum(
        ground.viscous_along_ns_per_m
        + coulomb[:, :SIDE].max(axis=1) / ground.coulomb_smoothing_m_s,
        ground.viscous_across_ns_per_m + coulomb[:, SIDE] / ground.coulomb_smoothing_m_s,
    )
    turning = coulomb[:, TWIST] / ground.coulomb_smoothing_rad_s
    met = ground.obstacle_damping_ns_per_m if scene.obstacles else 0.0
    limited = np.isfinite(joints.lower) | np.isfinite(joints.upper)
    stiffness = joints.kp + joints.spring + joints.stop_stiffness * limited
    lightest = np.minimum(inertia[:-1], inertia[1:])  # on either side of a joint
    damped = (4.0 * (joints.kd + joints.damper) / lightest).max(initial=0.0)
    swinging = np.sqrt(4.0 * stiffness / lightest).max(initial=0.0)
    return float(max(damped, swinging) + (turning / inertia).max()), float(
        ((slope + met) / mass).max()
    )


def damped_by_obstacles(scene: Scene) -> bool:
    """Return whether obstacles cause the fastest decay of velocities, so that shorter steps have as many parts."""
    lightest = min(link.mass for link in scene.robot.links)
    return bool(scene.obstacles) and scene.ground.obstacle_damping_ns_per_m / lightest > 0.5 * max(
        _decay(scene)
    )


def make_params(scene: Scene, old: Params | None = None) -> Params:
    """Return the constants of `scene`; the grid of `old` is reused if the obstacles are unchanged."""
    robot = scene.robot
    ground = scene.ground
    n = robot.n_links
    chain = make_chain(robot)
    coupling = np.zeros((n, wide(n)))
    coupling[:, :n] = coupling_of(robot, chain)
    np.fill_diagonal(coupling, coupling.diagonal() + chain.inertia)
    contact_half = np.array([link.contact_half_length for link in robot.links])
    radius = np.array([link.radius for link in robot.links])
    obstacles = outlines(scene.obstacles, float(radius.max()))
    reach = float((contact_half + radius).max())
    grid = obstacle_grid(obstacles, reach, old)
    gx, gy, gz = ground.gravity
    turning, moving = _decay(scene)
    return Params(
        chain=chain,
        contact_half=contact_half,
        radius=radius,
        mean_mass=mean_mass(robot),
        lightest=float(chain.mass.min()),
        levers=np.ascontiguousarray(chain.half * centred_map(n, chain.back, chain.weight)),
        coupling=coupling,
        dt=scene.solver.step_s,
        tolerance=scene.solver.error_tolerance,
        shortest=min(SHORTEST, scene.solver.error_tolerance),
        joints=make_joints(scene),
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        viscous_along=ground.viscous_along_ns_per_m,
        viscous_across=ground.viscous_across_ns_per_m,
        coulomb=_coulomb(scene),
        smoothing=ground.coulomb_smoothing_m_s,
        turn_smoothing=ground.coulomb_smoothing_rad_s,
        damping=ground.obstacle_damping_ns_per_m,
        turning=turning,
        moving=moving,
        far=math.inf,
        schemes=table(),
        obstacles=obstacles,
        grid=grid,
    )
