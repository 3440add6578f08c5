"""Guaranteed bounds of strain laws and formulas between sampled times and positions, by interval arithmetic over boxes.

Boxes in which the law can exceed its sampled values are subdivided until it is sampled there or the
bound excludes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.formula import Formula
from snakestudio.model.formula.intervals import Interval, bounds
from snakestudio.model.robot.strain_law import StrainLaw

HUGE = 1e12
"""Strains and their derivatives beyond this (SI) count as errors."""

NEAR = 0.02
"""Tolerance of the extremes of a law, as a share of the difference between largest and smallest value."""

BEGIN = 16
ROUNDS = 120
BOXES = 1500
"""Initial boxes in both directions, number of halvings, and largest number of boxes."""

PIECE = 1e-4
"""Largest change of a strain within a piece of the body, as the displacement of the tail relative to
the body's length."""

PIECES = 40_000
"""Largest number of pieces of a body, over all times, in the search for its narrowest bend."""


class Extreme(NamedTuple):
    """Point at which a strain is largest, smallest or not finite."""

    component: int
    """Index in `COMPONENTS`; -1 for the speed."""

    time: float
    """Time of the extreme, s."""

    abscissa: float
    """Material abscissa of the extreme, m."""

    usable: bool
    """Whether value and derivatives are finite and of reasonable size there."""


class HiddenBend(NamedTuple):
    """Displacement of the tail due to bends between samples, relative to the body's length, or all bending if larger.

    Also the component with the largest effect (-1: none), and the time (s) and position (m) of that
    bend.
    """

    fraction: float
    component: int
    time: float
    abscissa: float


class _Boxes(NamedTuple):
    t: FloatArray  # (k, 2)
    x: FloatArray

    def halves(self, in_time: NDArray[np.bool_]) -> _Boxes:
        parts = []
        for half in (0, 1):
            pair = []
            for ends, cut in ((self.t, in_time), (self.x, ~in_time)):
                ends = ends.copy()
                ends[cut, 1 - half] = ends[cut].mean(axis=1)
                pair.append(ends)
            parts.append(pair)
        return _Boxes(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def extremes(law: StrainLaw, duration: float) -> list[Extreme]:
    """Return the points where each strain is largest and smallest within the run (to 2 %), and where it is not finite.

    They include poles and narrow bends between samples. Checks that sample a law elsewhere must also
    evaluate these points.
    """
    results: list[Extreme] = []
    length = law.beam.length_m
    with np.errstate(all="ignore"):
        for index in law.components:
            uses = law.uses(index)
            spans = (duration if uses & {"t", "s"} else 0.0), (length if uses & {"X", "s"} else 0.0)

            def sampled(t: FloatArray, x: FloatArray, index: int = index) -> tuple[FloatArray, ...]:
                return law.along(index, t, x)

            def bounded(boxes: _Boxes, index: int = index) -> tuple[Interval, ...]:
                return law.bounds(index, boxes.t, boxes.x)

            results += _search(index, sampled, bounded, *spans)
    return results


def speed_pole(law: StrainLaw, duration: float) -> Extreme | None:
    """Return the first point in the run where the speed or its derivative is not finite, or None."""
    with np.errstate(all="ignore"):
        extremes_found = (
            _search(
                -1,
                lambda t, x: tuple(law.speed(t).T),
                lambda boxes: law.speed_bounds(boxes.t),
                duration,
                0.0,
            )
            if law.has_speed
            else []
        )
    return next((each for each in extremes_found if not each.usable), None)


def pole(
    formula: Formula, constants: Mapping[str, FloatArray], duration: float
) -> tuple[int, float] | None:
    """Return the point in the run where a formula of the time t is not finite, if any.

    Parameters
    ----------
    constants : mapping
        Values (m,) of all other names that the formula can use; all m cases are checked.
    duration : float
        s.

    Returns
    -------
    (int, float) or None
        0-based case, and time, s.
    """
    cases = len(next(iter(constants.values())))
    edges = np.linspace(0.0, duration, BEGIN + 1)
    low = np.tile(edges[:-1], cases)
    high = np.tile(edges[1:], cases)
    case = np.repeat(np.arange(cases), BEGIN)
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS):
            own = {name: values[case] for name, values in constants.items()}
            middle = 0.5 * (low + high)
            for t in (low, middle, high):
                value = np.abs(np.broadcast_to(formula.at({**own, "t": t})[0], t.shape))
                useless = np.flatnonzero(~(value < HUGE))
                if len(useless):
                    return int(case[useless[0]]), float(t[useless[0]])
            may = bounds(formula, {**own, "t": Interval(low, high)})[0]
            wild = np.flatnonzero(
                np.broadcast_to(~((may.low > -HUGE) & (may.high < HUGE)), low.shape)
            )
            if not len(wild):
                break
            wild = wild[np.argsort(-value[wild], kind="stable")[:BOXES]]
            low = np.tile(low[wild], 2)
            high = np.tile(high[wild], 2)
            case = np.tile(case[wild], 2)
            low[len(wild) :] = high[: len(wild)] = middle[wild]
    return None


def _grid(duration: float, length: float) -> _Boxes:
    t, x = (np.linspace(0.0, span, BEGIN + 1 if span else 2) for span in (duration, length))
    pairs = [np.column_stack([edge[:-1], edge[1:]]) for edge in (t, x)]
    return _Boxes(np.repeat(pairs[0], len(pairs[1]), axis=0), np.tile(pairs[1], (len(pairs[0]), 1)))


def _search(
    index: int,
    sampled: Callable[[FloatArray, FloatArray], tuple[FloatArray, ...]],
    bounded: Callable[[_Boxes], tuple[Interval, ...]],
    duration: float,
    length: float,
) -> list[Extreme]:
    """Return the branch and bound for the extremes of the first part, and for points where any part is unusable."""
    boxes = _grid(duration, length)
    seen = [np.inf, -np.inf]
    at = [(0.0, 0.0), (0.0, 0.0)]
    for turn in range(ROUNDS):
        t, x = boxes.t.mean(axis=1), boxes.x.mean(axis=1)
        parts = [np.broadcast_to(part, t.shape) for part in sampled(t, x)]
        useless = np.flatnonzero(~np.all([np.abs(part) < HUGE for part in parts], axis=0))
        if len(useless):
            return [Extreme(index, float(t[useless[0]]), float(x[useless[0]]), False)]
        for side, i in enumerate((int(np.argmin(parts[0])), int(np.argmax(parts[0])))):
            if (parts[0][i] < seen[0], parts[0][i] > seen[1])[side]:
                seen[side] = float(parts[0][i])
                at[side] = (float(t[i]), float(x[i]))
        may = bounded(boxes)
        beyond = np.maximum(may[0].high - seen[1], seen[0] - may[0].low)
        slack = NEAR * (seen[1] - seen[0]) + 1e-9 * max(map(abs, seen)) + 1e-12
        wild = np.any(
            [~((part.low > -HUGE) & (part.high < HUGE)) for part in may[: len(parts)]], axis=0
        )
        open_ = (beyond > slack) | wild
        if not open_.any():
            break
        # Boxes that may hold a pole come first, those with the largest values before the others.
        rank = np.where(wild, 1e30 * (1.0 + np.max(np.abs(parts), axis=0)), beyond)
        selected = np.flatnonzero(open_)
        selected = selected[np.argsort(-rank[selected], kind="stable")[:BOXES]]
        boxes = _Boxes(boxes.t[selected], boxes.x[selected])
        in_time = np.full(len(selected), duration > 0.0 and (length == 0.0 or turn % 2 == 0))
        boxes = boxes.halves(in_time)
    return [Extreme(index, *point, True) for point in at]


def hidden(law: StrainLaw, times: FloatArray, points: FloatArray) -> HiddenBend:
    """Return the error of the strains between evenly spaced points, relative to the parabolas through those points.

    Parameters
    ----------
    times : (k,) array
        s.
    points : (2N+1,) array
        Ends and middles of N slices, m.
    """
    worst = HiddenBend(0.0, -1, 0.0, 0.0)
    h = points[2] - points[0]
    with np.errstate(all="ignore"):
        for index in law.components:
            if not law.uses(index) & {"X", "s"}:
                continue
            cells, lever, total = _cells(law, index, times)
            t = cells.t[:, 0]
            x = cells.x.mean(axis=1)
            slice_ = np.minimum(np.floor(x / h), len(points) // 2 - 1)
            u = x / h - slice_
            first, middle, last = (
                law.along(index, t, (slice_ + part) * h)[0] for part in (0.0, 0.5, 1.0)
            )
            parabola = (
                first * (1 - u) * (1 - 2 * u) + 4 * middle * u * (1 - u) + last * u * (2 * u - 1)
            )
            missed = np.abs(law.along(index, t, x)[0] - parabola) * (cells.x[:, 1] - cells.x[:, 0])
            sums = np.array([missed[t == each].sum() for each in times])
            most = float(sums.max()) * lever / total
            if most > worst.fraction:
                at = times[np.argmax(sums)]
                worst = HiddenBend(
                    most, index, float(at), float(x[np.argmax(np.where(t == at, missed, -1.0))])
                )
    return worst


def _cells(law: StrainLaw, index: int, times: FloatArray) -> tuple[_Boxes, float, float]:
    """Pieces of the body at `times` in which a strain changes little, the tail displacement per bend, and the scale."""
    length = law.beam.length_m
    lever = length if index >= 3 else 1.0
    edges = np.linspace(0.0, length, 4 * BEGIN + 1)
    pieces = np.column_stack([edges[:-1], edges[1:]])
    boxes = _Boxes(
        np.repeat(times, len(pieces))[:, None] + np.zeros(2), np.tile(pieces, (len(times), 1))
    )
    size = np.abs(law.along(index, boxes.t[:, 0], boxes.x.mean(axis=1))[0]).reshape(len(times), -1)
    total = max(length, float(size.mean(axis=1).max()) * length * lever)
    done: list[_Boxes] = []
    count = 0
    while len(boxes.t):
        may = law.bounds(index, boxes.t, boxes.x)[0]
        wide = (may.high - may.low) * (boxes.x[:, 1] - boxes.x[:, 0]) * lever > PIECE * total
        wide &= boxes.x[:, 1] - boxes.x[:, 0] > 1e-9 * length
        if count + 2 * len(boxes.t) > PIECES:
            wide[:] = False
        done.append(_Boxes(boxes.t[~wide], boxes.x[~wide]))
        count += int((~wide).sum())
        boxes = _Boxes(boxes.t[wide], boxes.x[wide]).halves(np.zeros(int(wide.sum()), bool))
    return _Boxes(*(np.concatenate(each) for each in zip(*done, strict=True))), lever, total
