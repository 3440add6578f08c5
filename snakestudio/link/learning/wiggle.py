"""Evaluation of a joint's response to a small sine: sign, gear, backlash, lag and offset, with messages for users.

The joint is modelled as a delay, a gear with backlash, a factor and an offset::

    measured(t) = offset + gain * play(reference(t - lag))

Backlash holds its output until the input has crossed the gap, so it flattens the peaks, while a lag
only shifts the curve. Lag and backlash are searched on a grid that is refined; factor and offset
follow from linear least squares. The expected factor is one (or minus one), and large backlash
resembles a small factor: another factor is accepted only if it fits clearly better. The beginning
of the motion is ignored because robots start late.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.text import capitalized

_MAX_LAG_S = 0.6
_FEWEST = 20
_STILL = 0.15
_CLEARLY = 1.5
_MUCH_PLAY_DEG = 6.0
_MUCH_LAG_S = 0.2
_MUCH_OFFSET_DEG = 2.0


@dataclass(frozen=True, slots=True)
class Remark:
    """One message of the evaluation with its severity."""

    severity: Literal["good", "warning", "error"]
    text: str


@dataclass(frozen=True, slots=True)
class WiggleResult:
    """Response of one axis."""

    name: str
    """Name of the axis: "joint 3 yaw"."""

    amplitude: float
    """Commanded amplitude, rad."""

    gain: float
    """Ratio of measured to commanded motion; 1 is expected, negative if the direction is reversed."""

    lag: float
    """s"""

    play: float
    """Total backlash of the gear, rad; 0 if it cannot be distinguished from noise."""

    offset: float
    """Mean distance of the measured angle from the commanded one, rad."""

    residual: float
    """Root mean square of the residual, rad."""

    moved: bool
    """Whether the axis moved at all."""

    messages: tuple[Remark, ...]

    @property
    def wrong_way(self) -> bool:
        """Whether the sign of the axis must be reversed."""
        return self.moved and self.gain < 0

    @property
    def good(self) -> bool:
        """Whether there are no errors or warnings."""
        return all(message.severity == "good" for message in self.messages)


def with_play(values: FloatArray, play: float) -> FloatArray:
    """Return the output of a gear with backlash.

    Parameters
    ----------
    values : (n,) array
        Input; it begins in the middle of the gap.
    play : float
        Total backlash, in the unit of `values`.
    """
    half = 0.5 * play
    out = np.empty_like(values)
    at = values[0] if len(values) else 0.0
    for i, value in enumerate(values):
        at = min(max(at, value - half), value + half)
        out[i] = at
    return out


def judge(name: str, time: FloatArray, reference: FloatArray, measured: FloatArray) -> WiggleResult:
    """Evaluate the response of an axis to a wiggle.

    Raises `ValueError` if fewer than twenty samples have both values, or the reference does not
    move.

    Parameters
    ----------
    name : str
        Name of the axis.
    time : (n,) array
        s, ascending.
    reference, measured : (n,) arrays
        Commanded and measured angle, rad; NaN where there is none.
    """
    known = np.isfinite(time) & np.isfinite(reference) & np.isfinite(measured)
    t = time[known]
    ref = reference[known]
    meas = measured[known]
    if len(t) < _FEWEST:
        raise ValueError(
            f"{len(t)} samples with a measured angle are too few; {_FEWEST} are needed"
        )
    amplitude = 0.5 * float(np.ptp(ref))
    if amplitude <= 0:
        raise ValueError("the reference does not move")
    # Equal steps, so that a delay is a shift.
    step = max(0.002, float(t[-1] - t[0]) / 400)
    even = np.arange(t[0], t[-1] + 0.5 * step, step)
    r = np.interp(even, t, ref)
    m = np.interp(even, t, meas)
    if np.ptp(m) < _STILL * 2 * amplitude:
        messages = _messages_without_motion(float(np.ptp(m)), amplitude)
        return WiggleResult(
            name, amplitude, 0.0, 0.0, 0.0, float(np.mean(m - r)), float(np.std(m)), False, messages
        )
    lag, play, gain, constant, residual = _fit(even, r, m, amplitude, None)
    plain = _fit(even, r, m, amplitude, math.copysign(1.0, gain))
    if plain[4] <= _CLEARLY * residual + 0.005 * amplitude:
        lag, play, gain, constant, residual = plain
    if play < max(0.05 * amplitude, 2 * residual):
        play = 0.0
    # at the middle of the motion, not at a reference of zero
    offset = constant + (gain - 1.0) * float(np.mean(r))
    messages = _messages(amplitude, gain, lag, play, offset, residual)
    return WiggleResult(name, amplitude, gain, lag, play, offset, residual, True, messages)


def _fit(
    time: FloatArray,
    reference: FloatArray,
    measured: FloatArray,
    amplitude: float,
    fixed: float | None,
) -> tuple[float, float, float, float, float]:
    """Return lag (s), backlash (rad), gain (`fixed` if given), constant (rad) and residual (rad) of least squares."""
    later = len(time) // 4
    lags = np.linspace(0.0, min(_MAX_LAG_S, 0.3 * float(time[-1] - time[0])), 13)
    plays = np.linspace(0.0, 1.6 * amplitude, 9)
    best: tuple[float, float, float, float, float] = (0.0, 0.0, 1.0, 0.0, math.inf)
    for _ in range(4):
        for play in plays:
            shaped = with_play(reference, float(play))
            for lag in lags:
                moved = np.interp(time - lag, time, shaped)
                gain, constant, residual = _line(moved[later:], measured[later:], fixed)
                if residual < best[4] - 1e-12:
                    best = float(lag), float(play), gain, constant, residual
        d_lag = lags[1] - lags[0]
        d_play = plays[1] - plays[0]
        lags = np.linspace(max(0.0, best[0] - d_lag), best[0] + d_lag, 7)
        plays = np.linspace(max(0.0, best[1] - d_play), best[1] + d_play, 7)
    return best


def _line(x: FloatArray, y: FloatArray, fixed: float | None) -> tuple[float, float, float]:
    dx = x - x.mean()
    power = float(dx @ dx)
    gain = fixed if fixed is not None else float(dx @ (y - y.mean())) / power if power > 0 else 0.0
    constant = float(y.mean() - gain * x.mean())
    return gain, constant, float(np.sqrt(np.mean((y - constant - gain * x) ** 2)))


def _messages_without_motion(moved: float, amplitude: float) -> tuple[Remark, ...]:
    return (
        Remark(
            "error",
            f"The joint moved only {math.degrees(moved):.2f}° instead of {math.degrees(2 * amplitude):.1f}°. Check that"
            " its node has torque, that node and slot belong to this joint, and that it is not jammed. If its gear has"
            " large backlash, repeat the test with a larger amplitude.",
        ),
    )


def _messages(
    amplitude: float, gain: float, lag: float, play: float, offset: float, residual: float
) -> tuple[Remark, ...]:
    messages: list[Remark] = []
    if gain < 0:
        messages.append(
            Remark("error", "The joint moves in the opposite direction. Reverse its sign.")
        )
    else:
        messages.append(Remark("good", "The joint moves in the correct direction."))
    size = abs(gain)
    if not 0.8 <= size <= 1.25:
        messages.append(
            Remark(
                "error",
                f"The joint moves {size:.2f} times the commanded angle. Check its gear and the unit of the signal.",
            )
        )
    if play > 0:
        severe = math.degrees(play) > _MUCH_PLAY_DEG
        messages.append(
            Remark("warning" if severe else "good", f"The backlash is {math.degrees(play):.1f}°.")
        )
    else:
        messages.append(Remark("good", "No backlash is visible."))
    messages.append(
        Remark("warning" if lag > _MUCH_LAG_S else "good", f"The lag is {1000 * lag:.0f} ms.")
    )
    if abs(math.degrees(offset)) > _MUCH_OFFSET_DEG:
        messages.append(
            Remark(
                "warning",
                f"The joint is {math.degrees(offset):+.1f}° away from its reference. Check its offset and load.",
            )
        )
    if residual > 0.25 * amplitude:
        messages.append(
            Remark(
                "warning",
                f"The motion is uneven, with a residual of {math.degrees(residual):.2f}°. Repeat the test.",
            )
        )
    return tuple(messages)


_HEAD = (
    "axis",
    "amplitude_deg",
    "gain",
    "lag_ms",
    "play_deg",
    "offset_deg",
    "residual_deg",
    "judgement",
)


def report_csv(results: Sequence[WiggleResult]) -> str:
    """Return the results of all axes as CSV; the column headings name the units."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEAD)
    for result in results:
        numbers = (
            math.degrees(result.amplitude),
            result.gain,
            1000 * result.lag,
            math.degrees(result.play),
            math.degrees(result.offset),
            math.degrees(result.residual),
        )
        writer.writerow(
            [
                result.name,
                *(f"{x:.4g}" for x in numbers),
                " ".join(message.text for message in result.messages),
            ]
        )
    return out.getvalue()


def report_text(results: Sequence[WiggleResult]) -> str:
    """Return the results of all axes as text, one paragraph per axis."""
    paragraphs = []
    for result in results:
        head = f"{capitalized(result.name)} (±{math.degrees(result.amplitude):.1f}°)"
        paragraphs.append("\n".join([head, *(f"  {message.text}" for message in result.messages)]))
    return "\n\n".join(paragraphs) + ("\n" if paragraphs else "")


class Trace:
    """Telemetry of one axis during a wiggle, with all values on one clock.

    Set-points and measured angles change at different times. Telemetry that is read more often
    repeats values, which would look like steps, so only new values are stored.
    """

    def __init__(self) -> None:
        self._sent: list[tuple[float, float]] = []
        self._measured: list[tuple[float, float]] = []

    def add(self, time: float, reference: float, angle_time: float, angle: float) -> None:
        """Add a reading of the telemetry.

        Parameters
        ----------
        time : float
            Time of the telemetry, s.
        reference : float
            Last set-point that was sent, rad.
        angle_time, angle : float
            Time (s) and value (rad) of the last measured angle.
        """
        if math.isfinite(reference) and (not self._sent or reference != self._sent[-1][1]):
            if (
                self._sent and time - self._sent[-1][0] > 0.25
            ):  # the reference did not move before this step
                self._sent.append((time - 0.02, self._sent[-1][1]))
            self._sent.append((time, reference))
        if (
            math.isfinite(angle)
            and math.isfinite(angle_time)
            and (not self._measured or angle_time > self._measured[-1][0])
        ):
            self._measured.append((angle_time, angle))

    @property
    def count(self) -> int:
        """Number of measured angles."""
        return len(self._measured)

    def curves(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (n,) arrays: time of each measured angle (s), and reference and angle at that time (rad)."""
        if not self._sent or not self._measured:
            empty = np.empty(0)
            return empty, empty, empty
        time, angle = (np.array(column) for column in zip(*self._measured, strict=True))
        at, reference = (np.array(column) for column in zip(*self._sent, strict=True))
        return time, np.interp(time, at, reference), angle
