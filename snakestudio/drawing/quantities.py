"""Internal quantities of a continuous body as colours: quantities, colour maps, ranges and ticks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.style import Colour, colour
from snakestudio.model.robot.beam import Beam
from snakestudio.model.snapshot import BodyFields
from snakestudio.model.ticks import multiples, round_steps, step_above, step_below

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ColourQuantity:
    """A quantity that varies along the body."""

    title: str
    symbol: str
    """Symbol as in P5, in plain letters; can be empty."""

    unit: str
    """SI unit; "" is a ratio, shown in per cent."""

    signed: bool
    """Whether the sign is meaningful; then 0 is in the middle of the colours."""

    of: Callable[[FloatArray, FloatArray], FloatArray]
    """Computes the values (...) from strain and wrench, (..., 6) each."""


def _size(vector: FloatArray) -> FloatArray:
    length: FloatArray = np.sqrt(np.sum(np.square(vector), axis=-1))
    return length


QUANTITIES: dict[str, ColourQuantity] = {
    "torque": ColourQuantity(
        "Torque", "|C|", "N m", False, lambda strain, wrench: _size(wrench[..., 3:])
    ),
    "torque_z": ColourQuantity(
        "Torque about Z", "C_Z", "N m", True, lambda strain, wrench: wrench[..., 5]
    ),
    "force": ColourQuantity(
        "Force", "|N|", "N", False, lambda strain, wrench: _size(wrench[..., :3])
    ),
    "axial_force": ColourQuantity(
        "Axial force", "N_X", "N", True, lambda strain, wrench: wrench[..., 0]
    ),
    "curvature": ColourQuantity(
        "Curvature", "|K|", "1/m", False, lambda strain, wrench: _size(strain[..., 4:])
    ),
    "curvature_z": ColourQuantity(
        "Curvature about Z", "K_Z", "1/m", True, lambda strain, wrench: strain[..., 5]
    ),
    "stretch": ColourQuantity("Stretch", "", "", True, lambda strain, wrench: strain[..., 0] - 1.0),
}
"""Quantities that can colour the body, by name."""


def quantity_values(fields: BodyFields, name: str) -> FloatArray:
    """Return the values of a quantity at the cross-sections, (n,), SI."""
    return QUANTITIES[name].of(fields.strain, fields.wrench)


# --- ranges ---------------------------------------------------------------------------------------


def limit(size: float) -> float:
    """Return the smallest round number not below `size`, so that colours that follow a maximum change rarely."""
    if not (math.isfinite(size) and size > 1e-12):
        return 0.0
    return step_above(size, (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0))


def range_of(values: FloatArray, signed: bool) -> Range:
    """Round range of values, from 0 or symmetric about it; NaN is ignored."""
    known = values[np.isfinite(values)]
    top = limit(float(np.abs(known).max())) if known.size else 0.0
    return (-top if signed else 0.0), top


def merged(first: Range | None, second: Range) -> Range:
    """Return the union of two ranges."""
    return second if first is None else (min(first[0], second[0]), max(first[1], second[1]))


def stretch_scale(gamma: FloatArray) -> float:
    """Round exaggeration factor that makes radius changes visible; 1 if they are visible already.

    Parameters
    ----------
    gamma : array
        Gamma_X, the stretch, 1 where the body is unstrained. The radius is proportional to
        1/sqrt(Gamma_X) (P5 (37)); its exaggerated range is about a quarter of the radius.
    """
    known = gamma[np.isfinite(gamma) & (gamma > 0.0)]
    if not known.size:
        return 1.0
    low, high = min(1.0, float(known.min())), max(1.0, float(known.max()))
    if max(high - 1.0, 1.0 - low) < 1e-6:
        return 1.0
    span = 0.5 * math.log(high / low)
    if math.expm1(span) > 0.15:
        return 1.0
    return step_below(math.log(1.25) / span, (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0))


# --- colours --------------------------------------------------------------------------------------

SEQUENTIAL = tuple(
    map(
        colour,
        [
            "#422979",
            "#414398",
            "#3a60aa",
            "#2881b5",
            "#00a2af",
            "#34c09a",
            "#7bd77f",
            "#cbe256",
            "#faf25e",
        ],
    )
)
"""Colour map from 0 to the maximum: lightness (OKLab) rises evenly, so that it is readable without colour
vision."""

DIVERGING = tuple(
    map(
        colour,
        [
            "#2b58b1",
            "#4381d2",
            "#70a9e4",
            "#adcfed",
            "#e5e8ea",
            "#ebc29b",
            "#e49156",
            "#d16022",
            "#a73b15",
        ],
    )
)
"""Colour map from negative to positive: blue and orange, distinct for everyone, equally dark on either side of
a light 0."""

_FINE = 256


def _table(points: tuple[Colour, ...]) -> FloatArray:
    at = np.linspace(0.0, 1.0, len(points))
    fine = np.linspace(0.0, 1.0, _FINE)
    return np.column_stack([np.interp(fine, at, column) for column in np.array(points).T])


_TABLES = {False: _table(SEQUENTIAL), True: _table(DIVERGING)}


def colours(
    values: FloatArray, span: Range, signed: bool, unknown: Colour = (0.5, 0.5, 0.5)
) -> FloatArray:
    """Return screen colours (k, 3) of values (k,) in a range; values outside have the colour of its end."""
    low, high = span
    width = high - low
    fraction = (
        (values - low) / width if width > 0.0 else np.full(len(values), 0.5 if signed else 0.0)
    )
    known = np.isfinite(fraction)
    index = np.rint((_FINE - 1) * np.clip(np.where(known, fraction, 0.0), 0.0, 1.0)).astype(np.intp)
    result: FloatArray = _TABLES[signed][index]
    if not known.all():
        result[~known] = unknown
    return result


def gradient(signed: bool, steps: int) -> FloatArray:
    """Return colours (steps, 3) from one end of a map to the other."""
    table: FloatArray = _TABLES[signed][np.linspace(0, _FINE - 1, steps).round().astype(np.intp)]
    return table


# --- ticks ----------------------------------------------------------------------------------------


def ticks(span: Range) -> list[float]:
    """Three to five evenly spaced round numbers in a range, including 0 if possible; one if the range is empty."""
    low, high = span
    width = high - low
    if not width > 0.0:
        return [low]
    rows = (multiples(low, high, step) for step in round_steps(0.1 * width, (1.0, 2.0, 2.5, 5.0)))
    values = next(row for row in rows if len(row) <= 5)
    # Symmetric ranges show their ends: -3, 0, 3 instead of -2, 0, 2.
    if len(values) <= 3 and low < 0.0 < high and abs(low + high) <= 1e-9 * width:
        return [low, 0.0, high]
    return values


_PREFIXES = ((1e-9, "n"), (1e-6, "µ"), (1e-3, "m"), (1.0, ""), (1e3, "k"), (1e6, "M"))


def tick_texts(span: Range, unit: str) -> tuple[list[tuple[float, str]], str]:
    """Return the ticks as fractions of a range with their texts, and their unit.

    Newton and similar units get prefixes, ratios become per cent, all others are unchanged.
    """
    low, high = span
    largest = max(abs(low), abs(high))
    factor = 1.0
    unit_text = unit
    if unit == "":
        factor = 0.01
        unit_text = "%"
    elif unit.startswith("N") and largest > 0.0:
        for size, prefix in _PREFIXES:
            if largest >= 0.999 * size or size == _PREFIXES[0][0]:
                factor = size
                unit_text = prefix + unit
    values = [tick / factor for tick in ticks(span)]
    gap = min((b - a for a, b in itertools.pairwise(values)), default=1.0)
    digits = next(
        (d for d in range(7) if all(abs(v - round(v, d)) < 1e-3 * gap for v in values)), 6
    )
    width = high - low
    rows = []
    for tick, value in zip(ticks(span), values, strict=True):
        text = f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
        rows.append(((tick - low) / width if width > 0.0 else 0.0, text))
    return rows, unit_text


def shown_quantity(quantity: str, beam: Beam) -> str:
    """Return the quantity that colours a body if `quantity` is requested: a body that only stretches has no torques."""
    return "axial_force" if beam.group == "R" and quantity in ("torque", "torque_z") else quantity
