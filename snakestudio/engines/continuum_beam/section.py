"""State of a continuous body at one instant, at any cross-section, for comparison with a discrete chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
from snakestudio.engines.continuum_beam.params import Params
from snakestudio.engines.continuum_beam.state import AT, HOLDS, Work
from snakestudio.kernels.beam import accumulated_at, frame_at, interpolate_at
from snakestudio.model.rotations import matrices


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """Cross-sections of a body at q abscissas; frames are in the head's frame, all else in a section's own frame."""

    abscissa: FloatArray
    """Abscissas, m. Shape (q,)."""

    turn: FloatArray
    """Orientation of the sections' frames. Shape (q, 3, 3)."""

    place: FloatArray
    """Position of the sections' frames, m. Shape (q, 3)."""

    strain: FloatArray
    """gamma (1) and K (1/m). Shape (q, 6)."""

    rate: FloatArray
    """First time derivative of the strain. Shape (q, 6)."""

    acceleration: FloatArray
    """Second time derivative of the strain. Shape (q, 6)."""

    twist: FloatArray
    """eta, m/s and rad/s. Shape (q, 6)."""

    growth: FloatArray
    """Time derivative of eta. Shape (q, 6)."""

    wrench: FloatArray
    """Lambda: wrench of the part behind on the part in front, N and N m (P5 (13)). Shape (q, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """State of a continuous body at one instant."""

    time: float
    """Time, s."""

    turn: FloatArray
    """Orientation of the head in the world. Shape (3, 3)."""

    place: FloatArray
    """Position of the head in the world, m. Shape (3,)."""

    params: Params
    """Constants of the run."""

    work: Work
    """Copy of the engine's workspace after an evaluation at this instant."""

    @property
    def slice_length(self) -> float:
        """Length of a slice of the engine's grid, m."""
        return 2.0 * self.params.length / (len(self.work.strain) - 1)

    def sections(self, abscissa: FloatArray) -> Sections:
        """Return the body at any abscissas (q,), m, with the same integration rules as at the engine's points."""
        work = self.work
        h = self.slice_length
        count = len(abscissa)
        frame = np.zeros((count, 12))
        scratch = np.zeros((6, 12))
        imposed = np.zeros((3, count, 6))
        sums = np.zeros((3, count, 6))
        slope = np.zeros(6)
        for i, at in enumerate(abscissa.tolist()):
            frame_at(work.strain, work.frames, h, at, frame[i], scratch)
            for into, values in zip(
                imposed, (work.strain, work.rate, work.acceleration), strict=True
            ):
                interpolate_at(values, h, at, into[i], slope)
            for into, density, total in zip(
                sums,
                (work.rate_density, work.acceleration_density, work.load_density),
                (work.rate_sum, work.acceleration_sum, work.load_sum),
                strict=True,
            ):
                accumulated_at(density, total, h, at, into[i])
        turn = frame[:, :9].reshape(-1, 3, 3)
        place = frame[:, 9:]
        # Lambda jumps by minus the load at a point, (14); the value is that just behind it.
        near = 1e-9 * self.params.length  # a load exactly at the section counts, despite rounding
        before = (work.hold[:, HOLDS] > 0.5) & (work.hold[:, AT] <= abscissa[:, None] + near)
        load = sums[2] - before.astype(np.float64) @ work.hold_wrench
        return Sections(
            abscissa,
            turn,
            place,
            imposed[0],
            imposed[1],
            imposed[2],
            twist=_twist_from(turn, place, work.head_twist + sums[0]),
            growth=_twist_from(turn, place, work.head_acceleration + sums[1]),
            wrench=wrench_from(turn, place, load),
        )

    def mean_velocity(self) -> FloatArray:
        """Return the velocity of the centre of mass, (3,), m/s, in the head's frame; by Simpson's rule."""
        frames = self.work.frames
        twist = self.work.twist
        velocity = np.einsum("qij,qj->qi", frames[:, :9].reshape(-1, 3, 3), twist[:, :3])
        weights = np.where(np.arange(len(frames)) % 2 == 1, 4.0, 2.0)
        weights[[0, -1]] = 1.0
        mean: FloatArray = weights @ velocity / weights.sum()
        return mean


def instant_of(engine: ContinuumBeamEngine) -> Instant:
    """Return the present instant of an engine, whose state is unchanged.

    Raises `PhysicsError` if the supports do not determine the motion.
    """
    params, work = engine.evaluated()
    return Instant(
        engine.time, matrices(work.pose[None, 3:])[0], work.pose[:3].copy(), params, work
    )


def _twist_from(turn: FloatArray, place: FloatArray, twist: FloatArray) -> FloatArray:
    """Return twists (q, 6) from the head's frame in the frames of the sections: Ad of the inverse, P5 (66)."""
    velocity = twist[:, :3] - np.cross(place, twist[:, 3:])
    return np.concatenate([_back(turn, velocity), _back(turn, twist[:, 3:])], axis=1)


def wrench_to(turn: FloatArray, place: FloatArray, wrench: FloatArray) -> FloatArray:
    """Return wrenches (q, 6) from the frames of the sections in the head's frame, about the head."""
    force = np.einsum("qij,qj->qi", turn, wrench[:, :3])
    couple = np.einsum("qij,qj->qi", turn, wrench[:, 3:]) + np.cross(place, force)
    return np.concatenate([force, couple], axis=1)


def wrench_from(turn: FloatArray, place: FloatArray, wrench: FloatArray) -> FloatArray:
    """The inverse of `wrench_to`."""
    couple = wrench[:, 3:] - np.cross(place, wrench[:, :3])
    return np.concatenate([_back(turn, wrench[:, :3]), _back(turn, couple)], axis=1)


def _back(turn: FloatArray, vector: FloatArray) -> FloatArray:
    result: FloatArray = np.einsum("qji,qj->qi", turn, vector)
    return result
