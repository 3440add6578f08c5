"""Constants of a run in space, built from a Scene (without compiled code)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.ground_map import make_ground_map
from snakestudio.engines.motors import make_motor
from snakestudio.engines.solid_world import make_world
from snakestudio.engines.spatial_nonsmooth.geometry import arms, contact_segments, link_values
from snakestudio.engines.spatial_nonsmooth.joint_kinds import (
    CARDAN,
    HAS_PITCH,
    HAS_ROLL,
    HAS_YAW,
    WIDE,
    axis_names,
)
from snakestudio.kernels.ground_patches import GroundMap
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
from snakestudio.model.robot.overrides import JOINT_AXES
from snakestudio.model.scene import Scene

WIDE_JOINT = math.radians(80.0)
"""Limit from which a joint with yaw and pitch is closed by a rotation about the normal of both axes, rad.

P1 (VII-C) rotates the link about its own axis, which is singular at a pitch of 90 degrees. Joints
without limits, as in the paper, are closed in the paper's way."""


(
    KP,
    KD,
    LOW,
    HIGH,
    OWN_GAIN,
    HALF_PLAY,
    MOST,
    LAG,
    STIFFNESS,
    DAMPING,
    REST,
    ROTOR,
    DRY,
    DRY_RISE,
    DRY_SPEED,
    RESTITUTION,
    LOSS,
    BACK_EMF,
    CURRENT,
) = range(19)
"""Entries of Params.axes."""
AXIS_VALUES = 19
"""Entries of a row of Params.axes."""


_BITS = {"yaw": HAS_YAW, "pitch": HAS_PITCH, "roll": HAS_ROLL}
_KINDS = {name: sum(_BITS[axis] for axis in axes) for name, axes in JOINT_AXES.items()}


class Chain(NamedTuple):
    """The robot as plain arrays: n links, and m joint axes in the order of the joints, yaw before pitch before roll."""

    links: FloatArray
    """(n, LINK_WIDTH) constants of the links, made by `link_rows`."""
    kinds: IntArray
    """(n - 1,) kinds of the joints; see `joint_kinds`."""
    offsets: FloatArray
    """(n - 1,) distance from the yaw axis to the pitch axis of joints that have both, m; 0 for
    other joints."""
    axes: FloatArray
    """(m, AXIS_VALUES) constants of the joint axes, made by `axis_rows`."""

    @property
    def joints(self) -> IntArray:
        """(n,); the axes of joint k are those from joints[k] to joints[k + 1]."""
        counts = [len(axis_names(int(kind))) for kind in self.kinds]
        return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


class Params(NamedTuple):
    """Constants of a run; SI, frame of the ground."""

    links: FloatArray
    """(n, LINK_WIDTH) constants of the links, as in `SpatialProblem`."""
    joints: IntArray
    """(n,); the axes of joint k are those from joints[k] to joints[k + 1]."""
    kinds: IntArray
    """(n - 1,) kinds of the joints; see `joint_kinds`."""
    offsets: FloatArray
    """(n - 1,) distance from the yaw axis to the pitch axis, m."""
    axes: FloatArray
    """(m, AXIS_VALUES) for each joint axis: gains, N m/rad and N m s/rad; lower and upper stop,
    rad; gain of the stop, kg m^2; half the free play, rad; largest torque, N m; fraction of the
    difference to the requested torque that the motor covers in a step; stiffness, N m/rad, damping,
    N m s/rad, and rest angle, rad, of a passive spring; inertia of the rotor, kg m^2; dry friction,
    N m, its relative increase near rest, and the speed scale of this increase, rad/s; restitution
    of the limits; loss of the gear, a fraction of the torque; back EMF, N m s/rad; torque at the
    current limit, N m."""
    half_length: float
    """Length that scales residuals, m."""
    scale_mass: float
    """Mass that scales residuals, kg."""
    reach: float
    """Largest distance from the joint behind a link to a point of the link, m."""
    swings: int
    """Whether any joint has an offset between its axes."""
    springs: int
    """Whether any joint axis has a spring or damper."""
    extras: int
    """Whether any joint axis has any of the values from ROTOR on."""
    dry: int
    """Whether any joint axis has dry friction or losses."""
    implicit: bool
    """Whether the PD law uses the angle and rate at the end of the step."""
    dt: float
    """Time step, s."""
    gx: float
    gy: float
    gz: float
    """Gravity, m/s^2."""
    stribeck_rise: float
    stribeck_velocity: float
    """Dependence of friction on velocity: relative increase near rest and velocity scale, m/s."""
    varied: int
    """Whether ground friction varies with position or time, so that `ground` is used."""
    ground: GroundMap
    """Friction of the ground; the load factor is not used, because loads follow from the contacts."""
    tolerance: float
    """Residual at which the solver stops."""
    max_iterations: int
    far: float
    """Distance of a link in a step above which the step is rejected, m; see `crossing.Crossings`."""
    friction: FloatArray
    """(k,) friction coefficient of each obstacle."""
    world: World
    """Bodies of the obstacles."""


def link_rows(
    mass: FloatArray,
    across: FloatArray,
    axial: FloatArray,
    rear: FloatArray,
    front: FloatArray,
    contact: FloatArray,
    radius: FloatArray,
    mu_rolling: FloatArray,
    friction: FloatArray,
) -> FloatArray:
    """Return `SpatialProblem.links` from columns, each (n,) unless noted.

    Parameters
    ----------
    mass, across, axial : array
        Masses, kg, and moments of inertia across and along the axis, kg m^2.
    rear, front : array
        Distances from the centre of mass to the joint behind and the joint ahead, m.
    contact : (n, 2)
        Signed positions of the centres of the rear and front contact sphere on the axis, from
        the centre of mass, m.
    radius : array
        Radii of the contact spheres, m.
    mu_rolling : array
        Coefficients of rolling friction.
    friction : (n, 3)
        Coefficients on the ground for forces towards +axis, towards -axis, and across the link.
    """
    plus, minus, across_mu = friction.T
    along = np.maximum(plus, minus)
    shares = [
        np.divide(mu, along, out=np.ones_like(along), where=along > 0.0) for mu in (plus, minus)
    ]
    inverses = [
        np.divide(1.0, share, out=np.zeros_like(share), where=share > 0.0) for share in shares
    ]
    columns = [
        mass,
        across,
        axial,
        rear,
        front,
        *contact.T,
        radius,
        mu_rolling * radius,
        1.0 / mass,
        1.0 / across,
        1.0 / axial,
        along,
        across_mu,
        *shares,
        *inverses,
    ]
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)


def axis_rows(links: FloatArray, kinds: IntArray, values: FloatArray) -> FloatArray:
    """Return `Params.axes` (m, AXIS_VALUES) of all joint axes, in their order.

    Parameters
    ----------
    links : (n, LINK_WIDTH)
        Result of `link_rows`.
    kinds : (n - 1,)
        Kinds of the joints.
    values : (m, AXIS_VALUES)
        The same without the gains of the stops, which are computed from the links.
    """
    rows = np.array(values, dtype=np.float64).reshape(-1, AXIS_VALUES)
    names = [(k, name) for k, kind in enumerate(kinds) for name in axis_names(int(kind))]
    for row, (k, name) in zip(rows, names, strict=True):
        ahead, behind = links[k : k + 2, AXIAL if name == "roll" else ACROSS]
        row[OWN_GAIN] = 1.0 / (1.0 / ahead + 1.0 / behind) + row[ROTOR]
    return rows


def chain_of_scene(scene: Scene) -> Chain:
    """Return the robot of `scene` with its ground, controller and motors."""
    robot = scene.robot
    ground = scene.ground
    motor = make_motor(scene)
    rear, front = arms(robot)
    mass, across, axial, radius = (
        link_values(robot, name) for name in ("mass", "inertia", "axial_inertia", "radius")
    )
    # When sliding head first, towards -axis if the first link is the head, friction acts towards
    # +axis.
    friction = scene.link_friction if robot.head == "first" else scene.link_friction[:, [1, 0, 2]]
    contact = np.column_stack(contact_segments(robot))
    rolling = np.full(robot.n_links, ground.mu_rolling)
    links = link_rows(mass, across, axial, rear, front, contact, radius, rolling, friction)

    own = scene.axis_values
    kinds = np.array([_KINDS[joint.name] for joint in robot.joint_list], dtype=np.int64)
    most = np.maximum(np.abs(own.lower), np.abs(own.upper))
    for axis, limit in zip(scene.body.axes, most, strict=True):
        if kinds[axis.joint] == CARDAN and WIDE_JOINT < limit < math.inf:
            kinds[axis.joint] |= WIDE
    values = np.zeros((len(own.kp), AXIS_VALUES))
    for column, entries in (
        (KP, own.kp),
        (KD, own.kd),
        (LOW, own.lower),
        (HIGH, own.upper),
        (HALF_PLAY, 0.5 * own.free_play),
        (MOST, own.max_torque),
        (LAG, motor.lag),
        (STIFFNESS, own.spring),
        (DAMPING, own.damper),
        (REST, own.rest),
        (ROTOR, own.rotor),
        (DRY, own.dry),
        (DRY_RISE, own.dry_rise),
        (DRY_SPEED, own.dry_speed),
        (RESTITUTION, own.restitution),
        (LOSS, 1.0 - own.efficiency),
        (BACK_EMF, own.back_emf),
        (CURRENT, own.max_current_torque),
    ):
        values[:, column] = entries
    offsets = np.array([joint.axis_offset for joint in robot.joint_list], dtype=np.float64)
    return Chain(links, kinds, offsets, axis_rows(links, kinds, values))


def reach_of(links: FloatArray) -> float:
    """Return the largest distance from the joint behind a link to a point on its axis, m; `links` as in `Params`."""
    ends = links[:, REAR, None] + links[:, [CONTACT_REAR, CONTACT_FRONT]]
    return float(np.abs(ends).max())


def params_of(
    chain: Chain, scene: Scene, base_dir: Path | None, old: Params | None = None
) -> Params:
    """Return the constants of `chain` in the surroundings of `scene`; see `make_params`."""
    links = chain.links
    axes = chain.axes
    solver = scene.solver
    ground = scene.ground
    gx, gy, gz = ground.gravity
    ground_map = make_ground_map(scene, base_dir)
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
        extras=int(
            axes[:, [ROTOR, DRY, RESTITUTION, LOSS, BACK_EMF]].any()
            or np.isfinite(axes[:, CURRENT]).any()
        ),
        dry=int(axes[:, [DRY, LOSS]].any()),
        implicit=make_motor(scene).implicit,
        dt=solver.step_s,
        gx=gx,
        gy=gy,
        gz=gz,
        stribeck_rise=ground.stribeck_rise,
        stribeck_velocity=ground.stribeck_velocity_m_s,
        varied=int(len(ground_map.patches) + len(ground_map.factor) + len(ground_map.picture) > 0),
        ground=ground_map,
        tolerance=solver.tolerance,
        max_iterations=solver.max_iterations,
        far=math.inf,
        friction=np.array([obstacle.friction for obstacle in scene.obstacles], dtype=np.float64),
        world=make_world(
            scene, base_dir, None if old is None else old.world, reach=float(segment.max())
        ),
    )


def make_params(scene: Scene, base_dir: Path | None, old: Params | None = None) -> Params:
    """Return the constants of `scene`; the world of `old` is reused if the obstacles are the same.

    Raises `SceneError` if a file of an obstacle cannot be used.
    """
    return params_of(chain_of_scene(scene), scene, base_dir, old)


def _structure(scene: Scene) -> tuple[object, ...]:
    """Return everything that cannot change during a run: all but friction, gains, motors and springs."""
    robot = scene.robot
    axes = scene.axis_values
    links = tuple(
        link._replace(mu_along=None, mu_backward=None, mu_across=None) for link in robot.links
    )
    springs = bool(axes.spring.any() or axes.damper.any())
    extras = bool(
        axes.dry.any()
        or axes.restitution.any()
        or axes.back_emf.any()
        or (axes.efficiency < 1.0).any()
        or np.isfinite(axes.max_current_torque).any()
    )
    dry = bool(axes.dry.any() or (axes.efficiency < 1.0).any())
    rest = robot.model_copy(update={"name": "", "head": "first", "link": (), "joint": ()})
    return (
        scene.model,
        scene.start,
        scene.solver.step_s,
        rest,
        links,
        robot.joint_list,
        axes.lower.tolist(),
        axes.upper.tolist(),
        axes.rotor.tolist(),
        springs,
        extras,
        dry,
    )


def same_structure(one: Scene, other: Scene) -> bool:
    """Return whether a running engine of `one` can continue with `other`."""
    return _structure(one) == _structure(other)
