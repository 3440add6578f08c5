"""Anchorages and supports of a continuous body over time, in the form used by the engine (P5, VI, VIII)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError
from snakestudio.model.formula import Formula, Number, read
from snakestudio.model.robot.strain_law import StrainField, StrainLaw, body_names, formula_mistakes
from snakestudio.model.robot.support import ROUNDING
from snakestudio.model.scene import Scene

# Minima of the stretch: the most contracted sections, where a worm anchors itself (P5 (38)).

Field = Callable[[FloatArray, FloatArray], StrainField]
"""Strains at times (k,) and abscissas (m,)."""

SAMPLES = 257
"""Number of points on the body between which minima are bracketed."""

_TOGETHER = 16  # (time, abscissa) pairs evaluated in one call: all times at all abscissas


def _pairs(field: Field, t: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slope and rate of Gamma_X at pairs of times and abscissas, each (n,)."""
    slope = np.empty(len(t))
    rate = np.empty(len(t))
    for begin in range(0, len(t), _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        here = field(t[part], x[part])
        slope[part] = np.diagonal(here.slope[:, :, 0])
        rate[part] = np.diagonal(here.rate[:, :, 0])
    return slope, rate


def minima(field: Field, t: FloatArray, length: float) -> tuple[NDArray[np.int64], FloatArray]:
    """Local minima of Gamma_X strictly inside the body: indices into `t` (n,), and abscissas (n,), ascending per time.

    Sign changes of the slope are located on a grid and refined by regula falsi (Illinois variant).
    """
    points = np.linspace(0.0, length, SAMPLES)
    slope = field(t, points).slope[:, :, 0]
    which, cell = np.nonzero((slope[:, :-1] < 0.0) & (slope[:, 1:] >= 0.0))
    a = points[cell]
    b = points[cell + 1]
    fa = slope[which, cell]
    fb = slope[which, cell + 1]
    at = b.copy()
    for _ in range(12):
        between = fb != fa
        at = np.where(between, (a * fb - b * fa) / np.where(between, fb - fa, 1.0), at)
        value = _pairs(field, t[which], at)[0]
        if (np.abs(b - a) < 1e-15 * length).all() or (value == 0.0).all():
            break
        right = value >= 0.0  # the minimum is to the left
        fa = np.where(right, 0.5 * fa, value)
        fb = np.where(right, value, 0.5 * fb)
        a, b = np.where(right, a, at), np.where(right, at, b)
    inside = (at > 0.0) & (at < length)
    return which[inside], at[inside]


def motion(
    field: Field, t: FloatArray, at: FloatArray, length: float
) -> tuple[FloatArray, FloatArray]:
    """Return the speed and acceleration of minima at times `t` (n,) and abscissas `at` (n,) along the body; m/s, m/s^2.

    From d/dt Gamma_X'(C(t), t) = 0; derivatives without a formula are central differences.
    """
    dx = 1e-5 * length
    dt = 1e-4

    def speed(time: FloatArray, x: FloatArray) -> FloatArray:
        after = _pairs(field, time, x + dx)
        before = _pairs(field, time, x - dx)
        bend = after[0] - before[0]
        return np.where(
            bend != 0.0, -(after[1] - before[1]) / np.where(bend != 0.0, bend, 1.0), 0.0
        )

    now = speed(t, at)
    change = (speed(t + dt, at + dt * now) - speed(t - dt, at - dt * now)) / (2.0 * dt)
    return now, change


_SAMPLES = 101  # number of times of a run at which contractions are counted

_ELSEWHERE = {
    "X": "an anchorage depends only on time: use t",
    "s": "an anchorage depends only on time: use t",
}


class Attachments:
    """Anchorages or supports of a scene at any time.

    Raises `SceneError` if a formula of an anchorage is unusable; its problems have scene keys.

    Parameters
    ----------
    law : StrainLaw
        Law in force.
    count : int, optional
        Number of anchorages or supports, if already fixed: laws change during a run, the number does not.
    """

    def __init__(self, scene: Scene, law: StrainLaw, count: int | None = None) -> None:
        self.scene = scene
        self.law = law
        self._support = scene.support
        self._strain = scene.strain
        self._length = scene.beam.length_m
        self._values = body_names(scene.beam).values
        self._anchors = self._read(scene)
        self.count = self._counted(scene) if count is None else count

    def _read(self, scene: Scene) -> list[tuple[Formula, list[Formula]]]:
        """Return the formulas of the given anchorages: abscissa, and the six components of the twist."""
        names = {"t": "s", **body_names(scene.beam).units}
        mistakes: dict[str, FormulaError] = {}

        def formula(text: str, unit: str, key: str) -> Formula:
            try:
                return read(text, unit, names, elsewhere=_ELSEWHERE)
            except FormulaError as error:
                mistakes.setdefault(key, error)
                return read("0", unit, names)

        result = []
        for i, anchor in enumerate(scene.support.explicit_anchors, start=1):
            key = f"support.anchors[{i}]"
            at = formula(anchor.at_m, "m", f"{key}.at_m")
            twist = [formula(text, "m/s", f"{key}.velocity_m_s") for text in anchor.velocity_m_s]
            twist += [
                formula(text, "rad/s", f"{key}.angular_velocity_rad_s")
                for text in anchor.angular_velocity_rad_s
            ]
            result.append((at, twist))
        if mistakes:
            raise formula_mistakes(mistakes)
        return result

    def _counted(self, scene: Scene) -> int:
        if not self._support.at_contractions:
            return self._support.n_holds
        if self._strain.stretching is not None:
            return math.floor(self._length / self._strain.stretching[1]) + 2
        which, _ = minima(
            self.law.at, np.linspace(0.0, scene.run.duration_s, _SAMPLES), self._length
        )
        return int(np.bincount(which, minlength=1).max()) + 1

    def at(
        self,
        t: FloatArray,
        travel: FloatArray | None = None,
        speed: FloatArray | None = None,
        field: Field | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the anchorages or supports at times `t` (k,).

        Parameters
        ----------
        t : (k,) array
            s.
        travel : (k,) array, optional
            Integral of V_o since the start, m, if it is not that of the law.
        speed : (k, 2) array, optional
            V_o and its derivative, if they are not those of the law.
        field : Field, optional
            Strains, if they are not those of the law, for example in the transition between two laws.

        Returns
        -------
        hold : (k, p, 4) array
            As in `StrainReference`; inactive holds are 0.
        twist : (k, p, 12) array
            As in `StrainReference.hold_twist`.
        """
        t = np.asarray(t, dtype=np.float64)
        travel = self.law.travel(t) if travel is None else travel
        speed = np.nan_to_num(self.law.speed(t) if speed is None else speed)
        hold = np.zeros((len(t), self.count, 4))
        twist = np.zeros((len(t), self.count, 12))
        self._support.place(t, travel, speed, self._length, hold)
        self._place_anchors(t, hold, twist)
        if self._support.at_contractions:
            if self._strain.stretching is not None and field is None:
                self._peristaltic(self._strain.stretching, travel, speed, hold)
            else:
                self._contracted(t, travel, speed, field, hold)
        return hold, twist

    def _place_anchors(self, t: FloatArray, hold: FloatArray, twist: FloatArray) -> None:
        values: dict[str, Number] = {**self._values, "t": t}
        for i, (anchor, (at, twists)) in enumerate(
            zip(self._support.explicit_anchors, self._anchors, strict=True)
        ):
            position = np.stack(
                [
                    np.broadcast_to(np.asarray(part, np.float64), t.shape)
                    for part in at.at(values)[:3]
                ],
                axis=1,
            )
            end = math.inf if anchor.until_s is None else anchor.until_s
            active = (t >= anchor.from_s - ROUNDING) & (t < end - ROUNDING)
            active &= (position[:, 0] >= 0.0) & (position[:, 0] <= self._length)
            hold[active, i, 0] = 1.0
            hold[active, i, 1:] = position[active]
            for j, formula in enumerate(twists):
                value, rate = formula.at(values)[:2]
                twist[:, i, j] = value
                twist[:, i, 6 + j] = rate
            twist[~active, i] = 0.0

    def _peristaltic(
        self, law: tuple[float, float], travel: FloatArray, speed: FloatArray, hold: FloatArray
    ) -> None:
        """Minima of 1 - eps sin(2 pi s / lambda): s = lambda/4 + k lambda. Wave k keeps its slot while on the body."""
        stretch, wavelength = law
        if stretch == 0.0:
            return
        first = np.floor(travel / wavelength - 0.25).astype(np.int64)
        rows = np.arange(len(travel))
        for wave in (first + j for j in range(self.count)):
            position = (0.25 + wave) * wavelength - travel
            active = (position > 0.0) & (position < self._length)
            row = rows[active]
            slot = np.mod(wave, self.count)[active]
            hold[row, slot, 0] = 1.0
            hold[row, slot, 1] = position[active]
            hold[row, slot, 2:] = -speed[active]

    def _contracted(
        self,
        t: FloatArray,
        travel: FloatArray,
        speed: FloatArray,
        field: Field | None,
        hold: FloatArray,
    ) -> None:
        """Minima of an arbitrary law."""

        def own(time: FloatArray, x: FloatArray) -> StrainField:
            # distance travelled just before or after one of the times
            near = np.abs(t[:, None] - time).argmin(axis=0)
            past = time - t[near]
            travelled = travel[near] + past * (speed[near, 0] + 0.5 * past * speed[near, 1])
            now = np.column_stack([speed[near, 0] + past * speed[near, 1], speed[near, 1]])
            return self.law.at(time, x, travelled, now)

        where = own if field is None else field
        which, at = minima(where, t, self._length)
        if field is None and self.law.has_speed and self.law.follows(0):
            rate = -speed[which, 0]
            change = -speed[which, 1]
        else:
            rate, change = motion(where, t[which], at, self._length)
        slot = np.arange(len(which)) - np.searchsorted(which, which)
        fits = slot < self.count
        row = which[fits]
        slot = slot[fits]
        hold[row, slot] = np.column_stack([np.ones(len(row)), at[fits], rate[fits], change[fits]])
