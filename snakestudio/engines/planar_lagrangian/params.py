"""Constants of a run of the Lagrangian model, built from a Scene (without compiled code)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import planar_obstacles
from snakestudio.engines.centred_map import coupling_of, make_chain, mean_mass
from snakestudio.engines.ground_map import make_ground_map, varies
from snakestudio.engines.smooth_joints import is_linearized, make_joints, yaw_values
from snakestudio.kernels.ground_patches import GroundMap
from snakestudio.kernels.smooth_friction import LAWS
from snakestudio.kernels.smooth_robot import CentredChain, SmoothJoints
from snakestudio.model.scene import Scene


class Params(NamedTuple):
    """Constants of a run; SI, frame of the ground."""

    chain: CentredChain
    """The links."""

    mean_mass: float
    """Mean mass of a link, kg."""

    height: FloatArray
    """Heights at which links are shown, m."""

    coupling: FloatArray
    """See `kernels.centred_chain`, kg m^2."""

    dt: float
    """Time step, s."""

    linearized: bool
    """Feedback linearization instead of PD control."""

    joints: SmoothJoints
    """Joint parameters; the gains are in 1/s^2 and 1/s with feedback linearization."""

    rotor: FloatArray
    """Inertia of the rotor of each joint, kg m^2."""

    rotors: bool
    """Whether any rotor has inertia."""

    gx: float
    """Gravity along x, m/s^2."""

    gy: float
    """Gravity along y, m/s^2."""

    gn: float
    """Gravity into the ground, positive, m/s^2."""

    viscous_along: float
    """c_t of a link, N s/m."""

    viscous_across: float
    """c_n of a link, N s/m."""

    law: int
    """Law of Coulomb friction; see `kernels.smooth_friction`."""

    ground: GroundMap
    """Coefficients of Coulomb friction, with the variation of friction and load."""

    varies: bool
    """Whether friction or load vary."""

    weight: FloatArray
    """Load of each link on the ground, m g, N."""

    smoothing: float
    """eps of the law, m/s."""

    tanh: bool
    """Whether the law is tanh(v / eps) instead of v / sqrt(v^2 + eps^2)."""


def make_params(scene: Scene, base_dir: Path | None = None) -> Params:
    """Return the constants of `scene`; file names are relative to `base_dir`."""
    robot = scene.robot
    ground = scene.ground
    chain = make_chain(robot)
    gx, gy, gz = ground.gravity
    linearized = is_linearized(scene)
    rotor = yaw_values(scene, scene.axis_values.rotor)
    under = make_ground_map(scene, base_dir)
    return Params(
        chain=chain,
        mean_mass=mean_mass(robot),
        height=np.array([link.radius for link in robot.links]),
        coupling=np.ascontiguousarray(coupling_of(robot, chain)),
        dt=scene.solver.step_s,
        linearized=linearized,
        joints=make_joints(scene, linearized, stops=False),
        rotor=rotor,
        rotors=bool(rotor.any()),
        gx=gx,
        gy=gy,
        gn=max(-gz, 0.0),
        viscous_along=ground.viscous_along_ns_per_m,
        viscous_across=ground.viscous_across_ns_per_m,
        law=LAWS.index(ground.law or "components"),
        ground=under,
        varies=varies(under),
        weight=chain.mass * max(-gz, 0.0),
        smoothing=ground.coulomb_smoothing_m_s,
        tanh=ground.coulomb_law == "tanh",
    )


def same_structure(one: Scene, other: Scene) -> bool:
    """Return whether a running engine of `one` can continue with `other`."""
    return not other.obstacles and planar_obstacles.same_structure(one, other)
