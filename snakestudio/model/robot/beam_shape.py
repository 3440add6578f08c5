"""Shape of a continuous body with given strains, in numpy only: editor and checks need no engine."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.errors import SceneError
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.strain import Strain
from snakestudio.model.robot.strain_bounds import HiddenBend, extremes, hidden
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.rotations import quaternions, rotation
from snakestudio.model.scene import Scene

FEWEST = 16
MOST = 4096
"""Smallest and largest number of slices of a body."""

SAMPLES = 13
"""Number of evenly spaced times of a run at which the shape is evaluated to choose the number of
slices, and of unevenly spaced ones."""

HIDDEN = 1e-4
"""Largest tail displacement due to bends narrower than the slices, in lengths of the body."""

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


class Resolution(NamedTuple):
    """Spatial resolution of a body, and the remaining error."""

    slices: int
    """Number of slices, N."""

    excess: float
    """Largest change due to twice as many slices, relative to the tolerance; above 1 if the number is
    limited by `MOST`."""

    hidden: HiddenBend
    """Bend with the largest error."""


def _hat(v: FloatArray) -> FloatArray:
    """Return matrices (..., 3, 3) of the cross product with `v` (..., 3)."""
    result = np.zeros((*v.shape, 3))
    result[..., 2, 1] = v[..., 0]
    result[..., 0, 2] = v[..., 1]
    result[..., 1, 0] = v[..., 2]
    result[..., 1, 2] = -v[..., 0]
    result[..., 2, 0] = -v[..., 1]
    result[..., 0, 1] = -v[..., 2]
    return result


def _exponential(w: FloatArray) -> FloatArray:
    """Return rigid displacements (..., 4, 4) whose logarithms are the twists `w` (..., 6)."""
    square = np.einsum("...i,...i", w[..., 3:], w[..., 3:])
    near = square < 1e-6  # range in which the series are exact to rounding
    angle = np.sqrt(np.where(near, 1.0, square))
    a = np.where(near, 1.0 - square / 6.0 * (1.0 - square / 20.0), np.sin(angle) / angle)
    b = np.where(
        near, 0.5 - square / 24.0 * (1.0 - square / 30.0), 2.0 * (np.sin(0.5 * angle) / angle) ** 2
    )
    c = np.where(
        near,
        1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0),
        (1.0 - a) / np.where(near, 1.0, square),
    )
    turn = _hat(w[..., 3:])
    twice = turn @ turn
    result = np.zeros((*w.shape[:-1], 4, 4))
    result[..., :3, :3] = np.eye(3) + a[..., None, None] * turn + b[..., None, None] * twice
    along = w[..., :3, None]
    result[..., :3, 3:] = (
        along + b[..., None, None] * (turn @ along) + c[..., None, None] * (twice @ along)
    )
    result[..., 3, 3] = 1.0
    return result


def bracket(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the ad_a(b) of twists (..., 6), P5 (67)."""
    linear = np.cross(a[..., 3:], b[..., :3]) + np.cross(a[..., :3], b[..., 3:])
    return np.concatenate([linear, np.cross(a[..., 3:], b[..., 3:])], axis=-1)


def shape(strain: FloatArray, length: float) -> tuple[FloatArray, FloatArray]:
    """Poses of all points of a body relative to its head (P5 (6), g' = g xi), by the Magnus method of order 4.

    Parameters
    ----------
    strain : (..., 2N+1, 6) array
        At evenly spaced abscissas from 0 to `length`: ends and middles of N slices.
    length : float
        m.

    Returns
    -------
    turn : (..., 2N+1, 3, 3) array
        Rotations; the first is the identity.
    place : (..., 2N+1, 3) array
        Positions, m.
    """
    first = strain[..., :-2:2, :]
    middle = strain[..., 1::2, :]
    last = strain[..., 2::2, :]
    n = first.shape[-2]
    h = length / n
    full_steps = _exponential(
        h / 6.0 * (first + 4.0 * middle + last) + h * h / 12.0 * bracket(first, last)
    )
    half = _exponential(
        h / 24.0 * (5.0 * first + 8.0 * middle - last) + h * h / 48.0 * bracket(first, middle)
    )
    ends = full_steps
    step = 1
    while step < n:  # products of all slices before: doubling their number each time
        ends = np.concatenate(
            [ends[..., :step, :, :], ends[..., :-step, :, :] @ ends[..., step:, :, :]], axis=-3
        )
        step *= 2
    pose = np.empty((*strain.shape[:-1], 4, 4))
    pose[..., 0, :, :] = np.eye(4)
    pose[..., 2::2, :, :] = ends
    pose[..., 1::2, :, :] = pose[..., :-2:2, :, :] @ half
    return pose[..., :3, :3], pose[..., :3, 3]


def slices(scene: Scene) -> int:
    """Return the number N of slices of the body; see `resolution`.

    Raises `SceneError` if a formula of the strain law is unusable.
    """
    return resolution(scene).slices


def resolution(scene: Scene) -> Resolution:
    """Number of slices of the body: a multiple of the pieces between recorded cross-sections, at most `MOST`.

    Doubling it moves no slice end by more than a tenth of the error tolerance (m, relative to the
    head), and changes the sums of the strain's rate and acceleration along the body by less than the
    tolerance's share of the largest sum, so that poles and forces are resolved equally well. No bend is
    narrow enough to fall between the points. Evaluated are evenly spaced times, the times of extreme
    strains, and unevenly spaced times that no periodicity can hide from, so that the result does not
    depend on the duration of the run. (The tail alone would not suffice: errors cancel over whole
    waves.)

    Raises `SceneError` if a formula of the strain law is unusable.
    """
    return _resolution(scene.strain, scene.beam, scene.solver.error_tolerance, scene.run.duration_s)


def _sums(density: FloatArray, length: float) -> FloatArray:
    """Integrals of `density` (k, 2N+1, 6) from the head to the end of each slice, (k, N, 6), by Simpson's rule."""
    first = density[:, :-2:2]
    middle = density[:, 1::2]
    last = density[:, 2::2]
    sums: FloatArray = np.cumsum(first + 4.0 * middle + last, axis=1) * (
        length / first.shape[1] / 6.0
    )
    return sums


@lru_cache(maxsize=64)
def _resolution(strain: Strain, beam: Beam, tolerance: float, duration: float) -> Resolution:
    law = StrainLaw(strain, beam)
    most = [each.time for each in extremes(law, duration)]
    pieces = beam.sections - 1
    result = Resolution(pieces * math.ceil(FEWEST / pieces), 0.0, HiddenBend(0.0, -1, 0.0, 0.0))
    for times in (
        np.unique(np.concatenate([np.linspace(0.0, duration, SAMPLES), most])),
        duration * np.sort(np.arange(1, SAMPLES + 1) * _GOLDEN % 1.0),
    ):
        result = _enough(law, times, tolerance, result)
    return result


def _enough(law: StrainLaw, times: FloatArray, tolerance: float, before: Resolution) -> Resolution:
    """Return the sufficient number of slices at some times, at least that of `before`."""
    length = law.beam.length_m

    def quantities(n: int) -> tuple[FloatArray, ...]:
        field = law.at(times, np.linspace(0.0, length, 2 * n + 1))
        with np.errstate(all="ignore"):
            ends = shape(field.strain, length)[1][:, 2::2]
            return ends, _sums(field.rate, length), _sums(field.acceleration, length)

    n = before.slices
    coarse = quantities(n)
    fine = quantities(2 * n)
    while all(np.isfinite(part).all() for part in fine):
        allowed = [0.1 * tolerance] + [
            tolerance * max(float(np.abs(part).max()), 1e-9) for part in fine[1:]
        ]
        errors = [
            np.abs(b[:, 1::2] - a).max() / most
            for a, b, most in zip(coarse, fine, allowed, strict=True)
        ]
        missed = hidden(law, times, np.linspace(0.0, length, 2 * n + 1))
        if 2 * n > MOST or (max(errors) < 1.0 and missed.fraction < HIDDEN):
            deviations = Resolution(n, float(max(errors)), missed)
            same = n == before.slices  # the earlier evaluation then used the same slices
            return (
                Resolution(n, max(deviations.excess, before.excess), max(missed, before.hidden))
                if same
                else deviations
            )
        n *= 2
        coarse = fine
        fine = quantities(2 * n)
    return before._replace(slices=n)


def grid(scene: Scene) -> FloatArray:
    """Return abscissas (2N+1,), m, at which an engine needs the strains: ends and middles of all slices.

    Raises `SceneError` as `slices`.
    """
    return np.linspace(0.0, scene.beam.length_m, 2 * slices(scene) + 1)


def _placed(scene: Scene) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Return orientations (m, 3, 3), positions (m, 3) of all grid points at the start, and indices of the sections."""
    beam = scene.beam
    start = scene.start
    points = grid(scene)
    strains = StrainLaw(scene.strain, beam).at(np.zeros(1), points).strain[0]
    with np.errstate(all="ignore"):
        turn, position = shape(strains, beam.length_m)
    if not (np.isfinite(position).all() and np.isfinite(turn).all()):
        raise SceneError(
            "strain: the formulas are not finite at t = 0; avoid 1/0 and roots of negative numbers."
        )
    recorded = np.linspace(0, len(points) - 1, beam.sections).round().astype(np.int64)
    angles = (getattr(start, name, 0.0) for name in ("pitch_deg", "roll_deg"))
    heading = getattr(start, "heading_deg", 0.0) if start.any_body else 0.0
    frame = rotation(*(math.radians(angle) for angle in (heading, *angles)))
    at = recorded[min(getattr(start, "link", 1), beam.sections) - 1]
    if start.mean_heading:  # the heading is the mean direction of the body, not that of a section
        weights = np.full(len(points), 1.0)  # trapezoidal rule
        weights[[0, -1]] = 0.5
        mean = weights @ turn[:, :, 0]
        onto = frame @ rotation(-math.atan2(mean[1], mean[0]))
    else:
        onto = frame @ turn[at].T
    turn = onto @ turn
    position = position @ onto.T
    z = getattr(start, "z_m", None)
    position = (
        position
        + np.array([getattr(start, "x_m", 0.0), getattr(start, "y_m", 0.0), z or 0.0])
        - position[at]
    )
    if z is None:
        position[:, 2] += beam.radius_m - position[:, 2].min()
    return turn, position, recorded


def initial_body(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Poses (sections, 7) and twists (sections, 6; 0) of the recorded cross-sections at the start, as in `Snapshot`.

    The body has the shape of its strain law at t = 0. A straight start sets the direction of the placed
    section, a start in the gait's pose the mean direction of the body, seen from above. If no height is
    given, the lowest point of the centre line is a radius above the ground. Other starts are treated as
    straight.

    Raises `SceneError` as `slices`, or if the strains are not finite.
    """
    turn, position, recorded = _placed(scene)
    pose = np.column_stack([position[recorded], quaternions(turn[recorded])])
    return pose, np.zeros((scene.beam.sections, 6))


def head_state(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Initial pose (7,) of the head, and its twist (6,) in the head's frame: V (m/s) and Omega (rad/s), P5 (2).

    The twist follows from the start's velocity of the placed section and the turn rate about it,
    applied to the whole body as a rigid body; if contacts determine the motion it has no effect.


    Raises `SceneError` as `slices`.
    """
    turn, position, recorded = _placed(scene)
    start = scene.start
    velocity = np.array([getattr(start, name, 0.0) for name in ("vx_m_s", "vy_m_s", "vz_m_s")])
    omega = np.array([0.0, 0.0, math.radians(getattr(start, "omega_deg_s", 0.0))])
    at = position[recorded[min(getattr(start, "link", 1), scene.beam.sections) - 1]]
    velocity += np.cross(omega, position[0] - at)
    pose = np.concatenate([position[0], quaternions(turn[:1])[0]])
    return pose, np.concatenate([turn[0].T @ velocity, turn[0].T @ omega])
