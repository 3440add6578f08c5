"""Numerical evaluation of a strain law: the strains along a body, their derivatives, and the axial speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, SceneError
from snakestudio.model.formula import ACCELERATION, SPEED, Formula, Number, primitive, read
from snakestudio.model.formula.intervals import Interval, bounds
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.strain import COMPONENTS, Strain

PANEL = 0.05
"""Length of the time intervals over which a non-polynomial speed is integrated, s."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)

_NEEDS_SPEED = "give strain.speed_m_s, the speed along the body that defines s, or use X and t"
_OF_TIME = {
    "X": "the speed is the same for the whole body: use t",
    "s": "the speed defines s: use t",
}


class StrainField(NamedTuple):
    """Strains along a body at some times, each (k, m, 6), in 1 and 1/m; derivatives in time at fixed X, and along X."""

    strain: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    slope: FloatArray


class Body(NamedTuple):
    """Names available to every formula of a body in addition to its own: units, and values (SI)."""

    units: dict[str, str]
    values: dict[str, np.float64]


def body_names(beam: Beam) -> Body:
    """Return the length and radius of the body, by symbol."""
    return Body(
        {"l": "m", "r": "m"}, {"l": np.float64(beam.length_m), "r": np.float64(beam.radius_m)}
    )


def formula_mistakes(mistakes: Mapping[str, FormulaError]) -> SceneError:
    """Return the error that reports invalid formulas of a scene, by key."""
    problems = [error.problem(key) for key, error in mistakes.items()]
    return SceneError.of(problems)


class StrainLaw:
    """Strain law at any time and abscissa (P5, (36), (47), (54) or typed).

    Raises `SceneError` if a formula is unusable; its problems have scene keys.
    """

    def __init__(self, strain: Strain, beam: Beam) -> None:
        self.strain = strain
        self.beam = beam
        text = strain.text()
        units, self._values = body_names(beam)
        constants = {name: unit for name, (_, unit) in text.constants.items()}
        self._values |= {name: np.float64(number) for name, (number, _) in text.constants.items()}
        # Zero constants are eliminated from the formulas, so that an unused turn costs no time.
        zero = frozenset(name for name, (number, _) in text.constants.items() if number == 0.0)
        self.has_speed = bool(text.speed.strip())
        mistakes: dict[str, FormulaError] = {}
        names = {"X": "m", "t": "s"} | ({"s": "m"} if self.has_speed else {}) | units | constants
        elsewhere = {} if self.has_speed else {"s": _NEEDS_SPEED}
        self._formulas: list[tuple[int, Formula]] = []
        for index, name in enumerate(COMPONENTS):
            formula_text = text.strains.get(name, "1" if name == "gamma_x" else "0")
            try:
                formula = read(formula_text, "" if index < 3 else "1/m", names, zero, elsewhere)
            except FormulaError as error:
                mistakes[f"strain.{name}"] = error
            else:
                if not formula.zero:
                    self._formulas.append((index, formula))
        self._speed: Formula | None = None
        self._travel: Formula | None = None
        if self.has_speed:
            try:
                self._speed = read(
                    text.speed, "m/s", {"t": "s"} | units | constants, zero, _OF_TIME
                )
                self._travel = primitive(self._speed)
            except FormulaError as error:
                mistakes["strain.speed_m_s"] = error
        if mistakes:
            raise formula_mistakes(mistakes)
        self._sums = np.zeros(1)  # integral of the speed to the end of each panel

    @property
    def components(self) -> tuple[int, ...]:
        """Indices in `COMPONENTS` of the strains that are not identically 0."""
        return tuple(index for index, _ in self._formulas)

    def uses(self, index: int) -> frozenset[str]:
        """Return the names that the formula of a strain depends on."""
        return self._formula(index).uses

    def _formula(self, index: int) -> Formula:
        return next(formula for own, formula in self._formulas if own == index)

    def follows(self, index: int) -> bool:
        """Whether a strain depends only on s: its pattern is fixed in space while the body moves along itself."""
        return all(not formula.uses & {"X", "t"} for own, formula in self._formulas if own == index)

    def speed(self, t: FloatArray) -> FloatArray:
        """V_o and its derivative at times `t` (k,): (k, 2), m/s and m/s^2; NaN if the law does not define it."""
        result = np.full((len(t), 2), np.nan)
        if self._speed is not None:
            result[:, 0], result[:, 1] = self._speed.at(self._values | {"t": t})[:2]
        return result

    def travel(self, t: FloatArray) -> FloatArray:
        """Return the integral of V_o from 0 to times `t` >= 0, (k,), m; 0 if the law does not define V_o.

        Polynomials are integrated analytically, others by Gauss-Legendre quadrature over panels of
        `PANEL`.
        """
        with np.errstate(all="ignore"):  # checks report a pole of the speed
            return self._travelled(np.asarray(t, dtype=np.float64))

    def _travelled(self, t: FloatArray) -> FloatArray:
        if self._speed is None:
            return np.zeros(t.shape)
        if self._travel is not None:
            return np.broadcast_to(
                np.asarray(self._travel.at(self._values | {"t": t})[0], np.float64), t.shape
            ).copy()
        panel = np.floor(np.maximum(t, 0.0) / PANEL).astype(np.int64)
        while len(self._sums) <= panel.max(initial=0):
            begin = len(self._sums) - 1
            more = np.arange(begin, min(begin + 4096, int(panel.max())))
            pieces = self._piece(np.asarray(more * PANEL, np.float64), PANEL)
            # Summed sequentially, so that the result does not depend on how many panels were requested
            # together.
            self._sums = np.concatenate(
                [self._sums[:-1], np.cumsum(np.concatenate([self._sums[-1:], pieces]))]
            )
        start = np.asarray(panel * PANEL, np.float64)
        total: FloatArray = self._sums[panel] + self._piece(start, t - start)
        return total

    def _piece(self, start: FloatArray, length: FloatArray | float) -> FloatArray:
        """Return the integrals of the speed over intervals."""
        assert self._speed is not None
        half = 0.5 * np.broadcast_to(np.asarray(length, np.float64), start.shape)
        t = start[:, None] + half[:, None] * (1.0 + _NODES)
        piece: FloatArray = half * (self._speed.at(self._values | {"t": t})[0] * _WEIGHTS).sum(
            axis=1
        )
        return piece

    def at(
        self,
        t: FloatArray,
        abscissa: FloatArray,
        travel: FloatArray | None = None,
        speed: FloatArray | None = None,
    ) -> StrainField:
        """Return the strains at times `t` (k,) and abscissas `abscissa` (m,); total time derivatives at fixed X.

        Parameters
        ----------
        t, abscissa : (k,), (m,) arrays
            s, m.
        travel : (k,) array, optional
            Integral of V_o, m, if it is not that of this law, for example after a change of the law
            during a run.
        speed : (k, 2) array, optional
            V_o and its derivative, if they are not those of this law.
        """
        field = StrainField(*(np.zeros((len(t), len(abscissa), 6)) for _ in range(4)))
        values: dict[str, Number] = {**self._values, "t": t[:, None], "X": abscissa[None, :]}
        if any("s" in formula.uses for _, formula in self._formulas):
            own = self.travel(t) if travel is None else travel
            values["s"] = abscissa[None, :] + own[:, None]
            moving = self.speed(t) if speed is None else speed
            values[SPEED] = moving[:, :1]
            values[ACCELERATION] = moving[:, 1:]
        for index, formula in self._formulas:
            for part, value in zip(field, formula.at(values), strict=True):
                part[:, :, index] = value
        return field

    def along(self, index: int, t: FloatArray, x: FloatArray) -> tuple[FloatArray, ...]:
        """Value, rate and acceleration (k,) of one strain at pairs of times `t` (k,) and abscissas `x` (k,)."""
        formula = self._formula(index)
        values: dict[str, Number] = {**self._values, "t": t, "X": x}
        if "s" in formula.uses:
            values["s"] = x + self.travel(t)
            values[SPEED], values[ACCELERATION] = self.speed(t).T
        return tuple(
            np.broadcast_to(np.asarray(part, np.float64), t.shape)
            for part in formula.at(values)[:3]
        )

    def bounds(self, index: int, t: FloatArray, x: FloatArray) -> tuple[Interval, ...]:
        """Return the bounds of the values of `along` from t[:, 0] to t[:, 1] and from x[:, 0] to x[:, 1], each (k,)."""
        formula = self._formula(index)
        values: dict[str, Any] = {**self._values, "t": Interval(*t.T), "X": Interval(*x.T)}
        if "s" in formula.uses:
            values[SPEED], values[ACCELERATION] = self.speed_bounds(t)
            travel_range = self.travel(t[:, 0]) + values[SPEED] * Interval(
                np.zeros(len(t)), t[:, 1] - t[:, 0]
            )
            values["s"] = Interval(*x.T) + travel_range
        return _spread(bounds(formula, values), len(t))[:3]

    def speed_bounds(self, t: FloatArray) -> tuple[Interval, ...]:
        """Return the bounds of V_o and its derivative from t[:, 0] to t[:, 1], each (k,)."""
        assert self._speed is not None
        return _spread(bounds(self._speed, {**self._values, "t": Interval(*t.T)}), len(t))[:2]


def _spread(parts: tuple[Interval, ...], count: int) -> tuple[Interval, ...]:
    """Return the bounds broadcast to the number of boxes."""
    return tuple(
        Interval(*(np.broadcast_to(end, count) for end in (part.low, part.high))) for part in parts
    )
