"""Round steps, axis ticks, and tick labels: the only search for 1, 2 and 5 times powers of ten."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from snakestudio.text import MINUS

_FACTORS = (1.0, 2.0, 5.0)
_ROUNDING = 1e-9
"""Relative tolerance of a step at a bound, for rounding in divisions."""
_SMALLEST = 1e-300
_LARGEST = 1e300
_LARGEST_POWER = 300
"""Largest absolute exponent of a step."""
_MOST_MULTIPLES = 10_000
"""Number of ticks that indicates a step unrelated to the range."""
_PLAIN = 1e-4, 1e6
"""Range of steps and of values on logarithmic axes that are written without an exponent."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_USUAL_SIZE = 300.0
"""Length above which an axis has more than the minimum number of ticks, px."""
_FEWEST = 2.25
"""Steps on shorter axes: at least two ticks are visible for any start."""


def round_steps(least: float, factors: Sequence[float] = _FACTORS) -> Iterator[float]:
    """Yield round steps from `least` upwards; from 1 if `least` is not positive or of extreme size.

    Parameters
    ----------
    factors : sequence of float
        Round numbers from 1 to below 10, ascending.
    """
    if not _SMALLEST < least < _LARGEST:
        least = 1.0
    power = 10.0 ** math.floor(math.log10(least))
    while True:
        for factor in factors:
            if factor * power >= least * (1.0 - _ROUNDING):
                yield factor * power
        power *= 10.0


def step_above(least: float, factors: Sequence[float] = _FACTORS) -> float:
    """Return the smallest round step that is not below `least`; 1 if `least` is not positive."""
    return next(round_steps(least, factors))


def step_below(most: float, factors: Sequence[float] = _FACTORS) -> float:
    """Return the largest round step that is not above `most`; 1 if `most` is not positive."""
    if not 10.0 * _SMALLEST < most < _LARGEST:
        return 1.0
    steps = round_steps(0.1 * most, factors)
    return list(itertools.takewhile(lambda step: step <= most * (1.0 + _ROUNDING), steps))[-1]


def tick_step(span: float, size: float, apart: float, density: float = 1.25) -> float:
    """Return the round step between the ticks of an axis.

    Parameters
    ----------
    span : float
        Visible range of the axis.
    size, apart : float
        Length of the axis, and smallest distance between two ticks, px; 0 for any.
    density : float
        Above 1 for more than the minimum number of ticks on an axis of usual length; long axes have
        more.
    """
    intervals = max(_FEWEST, _FEWEST * density * math.sqrt(max(size, 0.0) / _USUAL_SIZE))
    step = step_below(span / intervals)
    return max(step, step_above(span * apart / max(size, 1.0))) if apart > 0.0 else step


def multiples(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of `step` from `low` to `high`, with a tolerance for rounding.

    Empty if there are too many for an axis.
    """
    first = math.ceil(low / step - _ROUNDING)
    last = math.floor(high / step + _ROUNDING)
    if last - first >= _MOST_MULTIPLES:
        return []
    return [number * step for number in range(first, last + 1)]


def decades(low: float, high: float, most: int) -> list[float]:
    """Return at most `most` ticks of a logarithmic axis: powers of ten, and with space also 2, 3 or 5 times these.

    Parameters
    ----------
    low, high : float
        Ends, positive.

    Returns
    -------
    list of float
        Fewer than two if the axis is too short for such ticks.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = [10.0**power for power in range(first, min(last, _LARGEST_POWER) + 1)]
    values: list[float] = []
    for factors in ((1, 2, 5), (1, 3), (1,)):
        values = [factor * power for power in powers for factor in factors]
        values = [
            value
            for value in values
            if low * (1.0 - _ROUNDING) <= value <= high * (1.0 + _ROUNDING)
        ]
        if 2 <= len(values) <= max(2, most):
            return values
    return values[:: math.ceil(len(values) / max(2, most))] if len(values) >= 2 else values


def decimals_of(step: float) -> int:
    """Return the number of decimals that distinguishes multiples of a round step."""
    return max(0, -math.floor(math.log10(step) + _ROUNDING))


def tick_text(value: float, step: float) -> str:
    """Return the label of a tick whose neighbours are one `step` away."""
    if abs(value) < 1e-6 * step:
        return "0"
    if not _PLAIN[0] <= step < _PLAIN[1]:
        digits = math.floor(math.log10(abs(value)) + _ROUNDING) - math.floor(
            math.log10(step) + _ROUNDING
        )
        return power_text(value, max(0, digits))
    return f"{value:.{decimals_of(step)}f}".replace("-", MINUS)


def decade_texts(values: Sequence[float]) -> list[str]:
    """Return the tick labels of a logarithmic axis: plain numbers, or powers of ten if these are too long."""
    if all(_PLAIN[0] <= value < _PLAIN[1] for value in values):
        return [f"{value:.4g}" for value in values]
    return [power_text(value) for value in values]


def power_text(value: float, digits: int = 3) -> str:
    """Return a number with a power of ten, as 10⁻³ or −2·10⁻³, with at most `digits` decimals."""
    if value == 0.0:
        return "0"
    mantissa, _, exponent = f"{abs(value):.{digits}e}".partition("e")
    factor = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    text = power if factor == "1" else f"{factor}·{power}"
    return f"{MINUS}{text}" if value < 0.0 else text
