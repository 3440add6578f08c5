"""Time offset between a measured track and a run, by correlation of their oscillations.

Mean and linear drift are removed from both tracks; the rest, as complex numbers x + iy, has the largest
absolute correlation where the two are in step, independent of the rotation between their frames. So an
experiment that is slower than the run by a constant factor does not appear as late.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture

_LEAST_ROWS = 8
"""Measured rows within the run that an alignment needs."""

_ALIKE = 1.5
"""Ratio to the smallest misfit up to which another offset fits equally well."""


class OffsetSearch:
    """Correlation of a capture with a run as a function of the time offset.

    Parameters
    ----------
    pairs : tuple of (int, int)
        Pairs of a body of the capture and the corresponding link of the run.
    turns : bool
        Whether one frame may be rotated relative to the other.
    """

    def __init__(
        self, run: RunTracks, capture: Capture, pairs: tuple[tuple[int, int], ...], turns: bool
    ) -> None:
        self._run = run
        self._turns = turns
        self._name = capture.name
        run.read(tuple(link for _, link in pairs))
        self._tracks = []
        for body, link in pairs:
            seen = capture.measured[:, body]
            self._tracks.append((capture.time[seen], capture.position[seen, body], link))
        self._step = 1.0 / capture.rate

    def common(self, offset: float) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """Return times (k,), positions in the capture and in the run (k, 3) of each pair, where both have data.

        Raises `ExperimentError` if there are too few.
        """
        parts = []
        for time, position, link in self._tracks:
            inside = (time + offset >= self._run.time[0] - 1e-9) & (
                time + offset <= self._run.time[-1] + 1e-9
            )
            if np.count_nonzero(inside) >= _LEAST_ROWS:
                at = time[inside]
                parts.append((at, position[inside], self._run.at(link, at + offset)))
        if not parts:
            begin, end = self._run.time[[0, -1]]
            raise ExperimentError(
                f"{self._name}: Fewer than {_LEAST_ROWS} measured rows are within the run ({begin:g} to {end:g} s). "
                "Increase run.duration_s, or widen the bounds of the time offset."
            )
        return parts

    def _even(self, offset: float) -> tuple[complex, float, float]:
        """Product <run, capture> of the tracks without mean and drift, and both mean squares."""
        product = 0j
        own = 0.0
        other = 0.0
        rows = 0
        for time, position, run in self.common(offset):
            measured = _without_drift(time, plane(position))
            simulated = _without_drift(time, plane(run))
            product += complex(np.vdot(measured, simulated))
            own += float(np.vdot(measured, measured).real)
            other += float(np.vdot(simulated, simulated).real)
            rows += len(time)
        return product / rows, own / rows, other / rows

    def match(self, offset: float) -> float:
        """Return the correlation of the oscillations, 0 to 1 (negative if they are opposed in a common frame)."""
        product, own, other = self._even(offset)
        if own <= 0.0 or other <= 0.0:
            return 0.0
        size = abs(product) if self._turns else product.real
        return float(size / math.sqrt(own * other))

    def best(self, low: float, high: float) -> tuple[float, list[str]]:
        """Return the offset with the largest correlation, and remarks."""
        from scipy.optimize import minimize_scalar

        count = max(9, 2 * math.ceil((high - low) / min(self._step, 0.05)) + 1)
        grid = np.linspace(low, high, count)
        values = np.array([self.match(float(offset)) for offset in grid])
        peak = int(values.argmax())
        begin = grid[max(0, peak - 1)]
        end = grid[min(count - 1, peak + 1)]
        optimum = minimize_scalar(
            lambda offset: -self.match(float(offset)),
            bounds=(begin, end),
            method="bounded",
            options={"xatol": 1e-6},
        )
        offset = float(optimum.x)
        top = self.match(offset)
        notes = []
        edge = 0.02 * (high - low) + 1e-6
        if offset - low < edge or high - offset < edge:
            notes.append(
                f"The time offset {offset:.3f} s is at the edge of its bounds; widen them."
            )
        inner = np.arange(1, count - 1)
        peaks = inner[(values[inner] >= values[inner - 1]) & (values[inner] >= values[inner + 1])]
        rivals = [
            float(grid[i])
            for i in peaks
            if abs(i - peak) > 1 and 1.0 - values[i] < _ALIKE * (1.0 - top) + 1e-3
        ]
        if rivals:
            others = ", ".join(f"{rival:.2f}" for rival in rivals)
            notes.append(
                f"Other time offsets fit equally well ({others} s): the motion is periodic. Narrow the bounds to "
                "less than a period of the gait."
            )
        return offset, notes

    def deviation(self, offset: float) -> float:
        """Standard deviation of the offset, s, from the misfit and its growth, for rows with correlated errors.

        The rows of the misfit are not independent; their effective number follows from their correlation
        from row to row (n (1 - r) / (1 + r), Bayley and Hammersley 1946, for a first-order
        process).
        """
        product, own, other = self._even(offset)
        misfit = own + other - 2.0 * (abs(product) if self._turns else product.real)
        h = 0.25 * self._step
        sides = []
        for side in (offset - h, offset + h):
            product, own, other = self._even(side)
            sides.append(own + other - 2.0 * (abs(product) if self._turns else product.real))
        curvature = (sides[0] + sides[1] - 2.0 * misfit) / (h * h)
        if curvature <= 0.0:
            return math.inf
        rest = []
        rows = 0
        turn = 1.0 + 0j
        if self._turns:
            overlap = self._even(offset)[0]
            turn = overlap / abs(overlap) if abs(overlap) > 0 else turn
        for time, position, run in self.common(offset):
            left = _without_drift(time, plane(position)) * turn - _without_drift(time, plane(run))
            rest.append((np.vdot(left[:-1], left[1:]).real, np.vdot(left, left).real))
            rows += len(time)
        ratio = sum(part[0] for part in rest) / max(sum(part[1] for part in rest), 1e-30)
        ratio = min(max(ratio, 0.0), 0.99)
        effective = max(1.0, rows * (1.0 - ratio) / (1.0 + ratio))
        return math.sqrt(max(misfit, 0.0) / (effective * curvature))


def plane(position: FloatArray) -> NDArray[np.complex128]:
    """Return positions (k, 3) in the plane as complex numbers x + iy."""
    plane: NDArray[np.complex128] = position[:, 0] + 1j * position[:, 1]
    return plane


def _without_drift(time: FloatArray, track: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return a track (k,) without its mean and its linear drift, by least squares."""
    centred = time - time.mean()
    scale = float(centred @ centred)
    drift = (centred @ track) / scale if scale > 0.0 else 0.0
    left: NDArray[np.complex128] = track - track.mean() - drift * centred
    return left
