"""Constants of a run of the continuum model, built from a Scene (without compiled code)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.ground_map import make_body_ground_map, varies
from snakestudio.kernels.ground_patches import GroundMap
from snakestudio.kernels.smooth_friction import LAWS
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground

FRICTION, ANCHORS, RINGS = range(3)
"""Origin of the net motion: P5, section V, or section VII with anchorages or with annular
supports."""

_MOTIONS = {"R": (0,), "SE2": (0, 1, 5), "SE3": (0, 1, 2, 3, 4, 5)}
_SIDES = {"both": 0, "left": 1, "right": 2, "alternating": 3, "inner": 4, "outer": 5}


class Params(NamedTuple):
    """Constants of a run; SI."""

    mode: int
    """`FRICTION`, `ANCHORS` or `RINGS`."""

    motions: IntArray
    """Components of a twist in the group G."""

    held: IntArray
    """Components of a wrench that a support or anchor can exert on its cross-section."""

    length: float
    """l, m."""

    radius: float
    """r, m."""

    mass: float
    """rho A, kg/m."""

    inertia: FloatArray
    """Moments of inertia of a slice by its thickness about t_X, t_Y, t_Z, kg m."""

    dt: float
    """Time step, s."""

    tolerance: float
    """Error tolerance of a step, m."""

    gravity: FloatArray
    """Gravity in the frame of the ground, m/s^2."""

    viscous_along: float
    """c_t, N s/m^2."""

    viscous_across: float
    """c_n, N s/m^2."""

    law: int
    """Law of Coulomb friction; see `kernels.smooth_friction`."""

    ground: GroundMap
    """Coefficients of Coulomb friction (with one row, for the whole body), with the variation of
    friction and load."""

    varies: bool
    """Whether friction or load vary."""

    load: float
    """Weight on the ground per length, N/m."""

    smoothing: float
    """eps of v / sqrt(v^2 + eps^2), which replaces sgn v, m/s."""

    sweeps: bool
    """Whether a moving anchor fixes a position, not the material: P5 (30), not eta(C) = 0."""

    side: int
    """Index in `Rings.side`."""

    weight: FloatArray
    """Weights for the distribution of the load over supports or anchors."""


def make_params(scene: Scene, n_holds: int, base_dir: Path | None = None) -> Params:
    """Return the constants of `scene` with `n_holds` supports or anchors; file names are relative to `base_dir`."""
    beam = scene.beam
    ground = scene.ground
    support = scene.support
    motions = _MOTIONS[beam.group]
    mode = ANCHORS
    held = motions
    load = 0.0
    weight = np.ones(n_holds)
    if not support.kinematic:
        mode = FRICTION
        held = ()
        load = beam.mass_per_length * max(-ground.gravity[2], 0.0)
    elif support.guides:
        # Force in the cross-section's plane and couple about its normal, as far as they are in the
        # group (P5, VI-C).
        mode = RINGS
        held = tuple(e for e in (1, 2, 3) if e in motions)
        weight[:] = getattr(support, "weights", None) or 1.0
    # The friction of the ground does not move a held body: ground properties that this model cannot
    # use do not matter.
    sliding = scene if mode == FRICTION else scene.model_copy(update={"ground": Ground()})
    under = make_body_ground_map(sliding, base_dir)
    return Params(
        mode=mode,
        motions=np.array(motions, np.int64),
        held=np.array(held, np.int64),
        length=beam.length_m,
        radius=beam.radius_m,
        mass=beam.mass_per_length,
        inertia=np.array(beam.inertia_per_length),
        dt=scene.solver.step_s,
        tolerance=scene.solver.error_tolerance,
        gravity=np.array(ground.gravity),
        viscous_along=support.viscous[0],
        viscous_across=support.viscous[1],
        law=LAWS.index(ground.law or "components"),
        ground=under,
        varies=varies(under),
        load=load,
        smoothing=ground.coulomb_smoothing_m_s,
        sweeps=support.sweeps,
        side=_SIDES[getattr(support, "side", "both")],
        weight=weight,
    )
