"""Constants of a run in space, built from a Scene (nothing here is compiled)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.motors import make_motor
from snakestudio.engines.solid_world import make_world
from snakestudio.engines.spatial_nonsmooth.joint_kinds import HAS_PITCH, HAS_YAW, WIDE, axis_names
from snakestudio.kernels.solids import World
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    CONTACT_FRONT,
    CONTACT_REAR,
    FRONT,
    MASS,
    RADIUS,
    REAR,
)
from snakestudio.model.scene import Scene

__all__ = ["AxisValues", "Chain", "Params", "axis_rows", "link_rows", "make_params", "same_structure"]


WIDE_JOINT = math.radians(80.0)
"""Limit from which on a joint with yaw and pitch is closed by a turn about the normal of both axes, rad.

P1 (VII-C) turns the link about its own axis, which is singular at a pitch of 90 degrees. Joints without limits, as in
the paper, keep its turn."""


KP, KD, LOW, HIGH, OWN_GAIN, HALF_PLAY, MOST, LAG, STIFFNESS, DAMPING, REST = range(11)
"""Entries of Params.axes."""
AXIS_VALUES = 11
"""Entries of a row of Params.axes."""


class Chain(NamedTuple):
    """The robot as plain arrays: n links, and m joint axes in the order of the joints, yaw before pitch before roll."""

    links: FloatArray
    """(n, LINK_WIDTH) constants of the links, made by `link_rows`."""
    kinds: IntArray
    """(n - 1,) kinds of the joints, see `joint_kinds`."""
    offsets: FloatArray
    """(n - 1,) distance from the yaw axis to the pitch axis of joints that have both, m; 0 for other joints."""
    axes: FloatArray
    """(m, AXIS_VALUES) constants of the joint axes, made by `axis_rows`."""

    @property
    def joints(self) -> IntArray:
        """(n,); the axes of joint k are those from joints[k] to joints[k + 1]."""
        counts = [len(axis_names(int(kind))) for kind in self.kinds]
        return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


class Params(NamedTuple):
    """What stays the same from step to step; SI, frame of the ground."""

    links: FloatArray
    """(n, LINK_WIDTH) constants of the links, as in `SpatialProblem`."""
    joints: IntArray
    """(n,); the axes of joint k are those from joints[k] to joints[k + 1]."""
    kinds: IntArray
    """(n - 1,) kinds of the joints, see `joint_kinds`."""
    offsets: FloatArray
    """(n - 1,) distance from the yaw axis to the pitch axis, m."""
    axes: FloatArray
    """(m, AXIS_VALUES) of every joint axis: gains, N m/rad and N m s/rad; lower and upper stop, rad; gain of the stop,
    kg m^2; half the free play, rad; largest torque, N m; share of the way to the requested torque that the motor goes
    in a step; stiffness, N m/rad, damping, N m s/rad, and rest angle, rad, of a passive spring."""
    half_length: float
    """Length that residuals are measured with, m."""
    scale_mass: float
    """Mass that residuals are measured with, kg."""
    reach: float
    """Largest distance from the joint behind a link to a point of the link, m."""
    swings: int
    """Whether any joint has an offset between its axes."""
    springs: int
    """Whether any joint axis has a spring or damper."""
    implicit: bool
    """Whether motors act on the angle and rate at the end of the step."""
    dt: float
    """Step, s."""
    gx: float
    gy: float
    gz: float
    """Gravity, m/s^2."""
    stribeck_rise: float
    stribeck_velocity: float
    """Dependence of the friction on velocity: fraction and m/s."""
    tolerance: float
    """Where the solver stops."""
    max_iterations: int
    far: float
    """Distance a link covers in a step from which on the step is not taken, m; see `crossing.Crossings`."""
    friction: FloatArray
    """(k,) friction coefficient of every obstacle."""
    world: World
    """The obstacles' bodies."""


def link_rows(
    mass: FloatArray, across: FloatArray, axial: FloatArray, rear: FloatArray, front: FloatArray,
    contact: FloatArray, radius: FloatArray, mu_rolling: FloatArray, friction: FloatArray,
) -> FloatArray:  # fmt: skip
    """`SpatialProblem.links` from columns, each (n,) unless noted.

    Parameters
    ----------
    mass, across, axial : array
        kg, and moments of inertia across and along the axis, kg m^2.
    rear, front : array
        Distance from the centre of mass to the joint behind and the joint ahead, m.
    contact : (n, 2)
        Signed positions of the centres of the rear and front contact sphere on the axis, from the centre of mass, m.
    radius : array
        m.
    mu_rolling : array
        Coefficient of rolling friction.
    friction : (n, 3)
        Coefficients on the ground for a force towards +axis, towards -axis, and across the link.
    """
    along = friction[:, :2].max(axis=1)
    slippery = along == 0.0
    shares = np.where(slippery[:, None], 1.0, friction[:, :2] / np.where(slippery, 1.0, along)[:, None])
    inverses = np.divide(1.0, shares, out=np.zeros_like(shares), where=shares > 0.0)
    columns = [
        mass, across, axial, rear, front, contact[:, 0], contact[:, 1], radius, mu_rolling * radius, 1.0 / mass,
        1.0 / across, 1.0 / axial, along, friction[:, 2], *shares.T, *inverses.T,
    ]  # fmt: skip
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)


class AxisValues(NamedTuple):
    """Values of a joint axis that do not depend on its links; SI."""

    kp: float = 0.0
    kd: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    """Stops, rad."""
    half_play: float = 0.0
    """Half the free play of the motor, rad."""
    most: float = math.inf
    """Torque at which the motor saturates, N m."""
    lag: float = 1.0
    """Share of the way to the requested torque that the motor goes in a step."""
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    """Passive spring and damper, N m/rad and N m s/rad, and the spring's rest angle, rad."""


def axis_rows(links: FloatArray, kinds: IntArray, values: Sequence[AxisValues]) -> FloatArray:
    """`Params.axes` (m, AXIS_VALUES) of the axes of all joints, in their order."""
    rows = []
    names = [(k, name) for k, kind in enumerate(kinds) for name in axis_names(int(kind))]
    for (k, name), axis in zip(names, values, strict=True):
        column = AXIAL if name == "roll" else ACROSS
        behind, ahead = links[k + 1, column], links[k, column]
        gain = 1.0 / (1.0 / behind + 1.0 / ahead)
        rows.append((*axis[:4], gain, *axis[4:]))
    return np.array(rows, dtype=np.float64).reshape(len(rows), AXIS_VALUES)


def _chain_of(scene: Scene) -> Chain:
    """The robot of `scene` with its ground, controller and motors."""
    robot, ground = scene.robot, scene.ground
    n = robot.n_links
    half = 0.5 * (robot.link_length_m - robot.axis_offset_m)
    contact = robot.contact_half_length_m

    def each(value: float) -> FloatArray:
        return np.full(n, value)

    links = link_rows(
        each(robot.mass_kg), each(robot.inertia_kg_m2), each(robot.axial_inertia_kg_m2), each(half), each(half),
        np.tile([-contact, contact], (n, 1)), each(robot.radius_m), each(ground.mu_rolling),
        np.tile([ground.mu_along, ground.mu_along, ground.mu_across], (n, 1)),
    )  # fmt: skip
    motor = make_motor(scene)
    limit = robot.joint_limit
    kind = HAS_YAW | HAS_PITCH | (WIDE if WIDE_JOINT < limit < math.inf else 0)
    kinds = np.full(n - 1, kind, np.int64)
    gains = zip(scene.joint_controller.kp, scene.joint_controller.kd, strict=True)
    joint = [AxisValues(kp, kd, -limit, limit, motor.half_play, motor.most, motor.lag) for kp, kd in gains]
    return Chain(links, kinds, np.full(n - 1, robot.axis_offset_m), axis_rows(links, kinds, joint * (n - 1)))


def reach_of(links: FloatArray) -> float:
    """Largest distance from the joint behind a link to a point on its axis, m, of `Params.links` (n, LINK_WIDTH)."""
    ends = links[:, REAR, None] + links[:, [CONTACT_REAR, CONTACT_FRONT]]
    return float(np.abs(ends).max())


def params_of(chain: Chain, scene: Scene, base_dir: Path | None, old: Params | None = None) -> Params:
    """Constants of `chain` in the surroundings of `scene`; see `make_params`."""
    links, axes = chain.links, chain.axes
    solver, ground = scene.solver, scene.ground
    gx, gy, gz = ground.gravity
    segment = 0.5 * (links[:, CONTACT_FRONT] - links[:, CONTACT_REAR]) + links[:, RADIUS]
    return Params(
        links=links,
        joints=chain.joints,
        kinds=chain.kinds,
        offsets=chain.offsets,
        axes=axes,
        half_length=float(links[:, [REAR, FRONT]].mean()),
        scale_mass=float(links[:, MASS].mean()),
        reach=reach_of(links),
        swings=int(chain.offsets.any()),
        springs=int(axes[:, [STIFFNESS, DAMPING]].any()),
        implicit=make_motor(scene).implicit,
        dt=solver.step_s,
        gx=gx,
        gy=gy,
        gz=gz,
        stribeck_rise=ground.stribeck_rise,
        stribeck_velocity=ground.stribeck_velocity_m_s,
        tolerance=solver.tolerance,
        max_iterations=solver.max_iterations,
        far=math.inf,
        friction=np.array([obstacle.friction for obstacle in scene.obstacles], dtype=np.float64),
        world=make_world(scene, base_dir, None if old is None else old.world, reach=float(segment.max())),
    )


def make_params(scene: Scene, base_dir: Path | None, old: Params | None = None) -> Params:
    """Constants of `scene`; the world of `old` is used again if the obstacles are the same.

    Raises
    ------
    SceneError
        If a file that an obstacle refers to cannot be used.
    """
    return params_of(_chain_of(scene), scene, base_dir, old)


def same_structure(one: Scene, other: Scene) -> bool:
    """Whether a running engine of `one` can continue under `other`."""
    return (
        one.model == other.model
        and one.start == other.start
        and one.solver.step_s == other.solver.step_s
        and one.robot.model_copy(update={"name": other.robot.name, "head": other.robot.head}) == other.robot
    )
