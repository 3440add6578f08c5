"""Distance between a run and a measurement after alignment of their clocks and frames.

Unknowns of the measurement are eliminated at each evaluation instead of being searched together with
the parameters (variable projection): rotation and translation in closed form (Kabsch), the time offset
by a one-dimensional search over the existing run, which needs no simulation. The rest depends on the
free parameters only, and its Jacobian is that of the profiled problem, so that the uncertainty of the
parameters includes that of clock and frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.analysis.fitting.tracks import CENTRE_OF_MASS, JointTrack, Track, Trial
from snakestudio.model.recording import Recording, Rows
from snakestudio.model.robot.joint_axes import entry_of

_LOOKS = 21
"""Number of offsets that are evaluated over the bounds before the best is refined."""

_OFFSET_ACCURACY = 1e-6
"""Accuracy of the offset, s: corresponds to a tenth of a micrometre at the speed of a snake."""


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """Difference between a run and its tracks."""

    residual: FloatArray
    """Measurement, transformed into the run's frame and clock, minus simulation; m, times the square root of
    the weight. Shape (r,)."""

    instant: IntArray
    """Index into `time` of each residual. Shape (r,)."""

    time: FloatArray
    """Times of the measurement in the run's clock, s. Shape (t,)."""

    distance: FloatArray
    """Root mean square distance at these times, m. Shape (t,)."""

    cost: float
    """Root mean square distance over all times, m."""

    offset_s: float
    """Offset added to the times of the measurement."""

    heading_rad: float
    """Rotation of the measurement about the vertical, applied before the translation."""

    shift_m: FloatArray
    """Translation. Shape (3,)."""

    def placed(self, position: FloatArray) -> FloatArray:
        """Return measured positions (..., 2 or 3) in the run's frame, m."""
        moved = np.array(position, dtype=np.float64)
        moved[..., :2] = position[..., :2] @ _turn(self.heading_rad).T
        moved += self.shift_m[: moved.shape[-1]]
        return moved

    def unplaced(self, position: FloatArray) -> FloatArray:
        """Return positions (..., 2 or 3) of the run in the frame of the measurement, m: the inverse of `placed`."""
        moved = np.array(position - self.shift_m[: position.shape[-1]], dtype=np.float64)
        moved[..., :2] = moved[..., :2] @ _turn(self.heading_rad)
        return moved


class MeasuredTracks:
    """The tracks of a trial as arrays, for comparison with any number of runs."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        places = [track for track in trial.tracks if isinstance(track, Track)]
        angles = [track for track in trial.tracks if isinstance(track, JointTrack)]
        times = [track.time[track.used] for track in places] + [
            track.time[track.used] for track in angles
        ]
        self.time, which = np.unique(np.concatenate(times), return_inverse=True)
        of_places = sum(len(part) for part in times[: len(places)])
        self._place_at = which[:of_places]
        self._angle_at = which[of_places:]
        n = trial.scene.robot.n_links
        axes = trial.scene.body.axes
        links = [float(n if t.link == CENTRE_OF_MASS else t.link) for t in places]
        self._link = _repeated(links, times[: len(places)]).astype(np.int64)
        self._flat = not places or min(t.position.shape[1] for t in places) == 2
        dimensions = 2 if self._flat else 3
        self._position = np.concatenate(
            [t.position[t.used, :dimensions] for t in places] or [np.zeros((0, dimensions))]
        )
        self._position_weight = _repeated([t.weight for t in places], times[: len(places)])
        joints = times[len(places) :]
        self._joint = _repeated(
            [float(entry_of(axes, t.joint, t.kind)) for t in angles], joints
        ).astype(np.int64)
        self._angle = np.concatenate([t.angle[t.used] for t in angles] or [np.zeros(0)])
        self._angle_weight = _repeated([t.weight for t in angles], joints)
        self._lever = trial.scene.robot.link_length_m
        self.weight = float(self._position_weight.sum() + self._angle_weight.sum())
        """Total weight of the measurement."""
        parts = [t.weight * _about_mean(t.position[t.used, :dimensions]) for t in places]
        parts += [t.weight * self._lever**2 * _about_mean(t.angle[t.used]) for t in angles]
        self.scatter = sum(parts)
        """Sum of squares, m^2, for a robot that rests at the mean position of each
        track."""

    def against(self, recording: Recording) -> Misfit:
        """Return the misfit of a run; after an early end, the robot rests."""
        motion = _Motion(recording)
        low, high = self.trial.offset_bounds_s

        def squares(offset: float) -> float:
            residual = self._left(motion, offset)[0]
            return float(residual @ residual)

        best = low
        if high > low:
            from scipy.optimize import minimize_scalar

            looks = np.linspace(low, high, _LOOKS)
            least = int(np.argmin([squares(look) for look in looks]))
            between = looks[max(least - 1, 0)], looks[min(least + 1, _LOOKS - 1)]
            optimum = minimize_scalar(
                squares, bounds=between, method="bounded", options={"xatol": _OFFSET_ACCURACY}
            )
            best = (
                float(optimum.x)
                if optimum.fun < squares(float(looks[least]))
                else float(looks[least])
            )
        residual, heading, shift = self._left(motion, best)
        dimensions = self._position.shape[1]
        instant = np.concatenate([np.repeat(self._place_at, dimensions), self._angle_at])
        weights = np.bincount(self._place_at, self._position_weight, len(self.time))
        weights += np.bincount(self._angle_at, self._angle_weight, len(self.time))
        sums = np.bincount(instant, residual**2, len(self.time))
        distance = np.sqrt(np.divide(sums, weights, out=np.zeros(len(sums)), where=weights > 0))
        cost = math.sqrt(float(sums.sum()) / self.weight)
        return Misfit(residual, instant, self.time + best, distance, cost, best, heading, shift)

    def _left(self, motion: _Motion, offset: float) -> tuple[FloatArray, float, FloatArray]:
        """Return the residuals at an offset, with the rotation and translation that minimize them."""
        places, angles = motion.at(self.time + offset)
        measured = self._position
        weight = self._position_weight[:, None]
        simulated = places[self._place_at, self._link, : measured.shape[1]]
        heading = 0.0
        shift = np.zeros(3)
        if self.trial.align and len(measured):
            total = weight.sum()
            centre = (weight * measured).sum(axis=0) / total
            target = (weight * simulated).sum(axis=0) / total
            a, b = (measured - centre)[:, :2], (simulated - target)[:, :2]
            cross = float((weight[:, 0] * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).sum())
            heading = math.atan2(cross, float((weight * a * b).sum()))
            measured = measured - centre
            measured[:, :2] = a @ _turn(heading).T
            shift[: len(target)] = target
            shift[:2] -= _turn(heading) @ centre[:2]
            shift[2:] -= centre[2:].sum()
            measured = measured + target
        lengths = self._lever * (self._angle - angles[self._angle_at, self._joint])
        residual = np.concatenate(
            [
                (np.sqrt(weight) * (measured - simulated)).ravel(),
                np.sqrt(self._angle_weight) * lengths,
            ]
        )
        return residual, heading, shift


class _Motion:
    """Cubic interpolation of a run, with the velocities of its rows."""

    def __init__(self, recording: Recording) -> None:
        rows = Rows.concatenate(list(recording.chunks()))
        n = recording.schema.n_links
        shares = recording.schema.mass_shares
        position = rows.link_pose[:, :, :3]
        velocity = rows.link_twist[:, :, :3]
        self._n_links = n
        self._end = float(rows.time[-1])
        values, slopes = (
            np.concatenate(
                [part.reshape(len(rows), -1), np.einsum("n,kna->ka", shares, part), joints],
                axis=1,
            )
            for part, joints in ((position, rows.joint_angle), (velocity, rows.joint_rate))
        )
        from scipy.interpolate import CubicHermiteSpline

        self._curve = CubicHermiteSpline(rows.time, values, slopes) if len(rows) > 1 else None
        self._only = values[0]

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positions (t, n + 1, 3) of the links and the centre of mass, m, and angles (t, m) of the joint axes, rad.

        Before the start the robot is in its initial state, after the end in its final state.
        """
        if self._curve is None:
            values = np.tile(self._only, (len(time), 1))
        else:
            values = self._curve(np.clip(time, 0.0, self._end))
        split = 3 * (self._n_links + 1)
        return values[:, :split].reshape(len(time), -1, 3), values[:, split:]


def _repeated(values: list[float], times: list[FloatArray]) -> FloatArray:
    """Return one value per track repeated for each row."""
    return np.repeat(np.array(values, dtype=np.float64), [len(part) for part in times])


def _about_mean(values: FloatArray) -> float:
    """Return the sum of the squared distances from the mean."""
    return float(np.square(values - values.mean(axis=0)).sum())


def _turn(angle: float) -> FloatArray:
    """Return the planar rotation matrix, (2, 2)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])
