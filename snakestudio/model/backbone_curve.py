"""Gait that bends the body along a curve of straight, circular and helical segments, which moves along the body."""

from __future__ import annotations

import cmath
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from snakestudio._arrays import BoolArray, ComplexArray, FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.robot.robot import Axis, Robot

_CLOSED = 1e-9
"""Rotation of the plane of bending per period that counts as none, rad."""

_SAMPLES = 400
"""Samples of a period in which the largest angles are searched."""


class BackboneCurveFields(GaitFields):
    """Curve of segments of constant curvature and torsion that repeats and moves along the body.

    Each segment has a length, the angle by which it bends, the twist of the plane of bending at its
    start, and the rotation of that plane along it. A joint axis has the curvature that the curve has
    about it, integrated over the part of the body that belongs to the axis (Takemori, Tanaka and
    Matsuno 2018, equations (1) to (8)).
    """

    kind: Literal["backbone_curve"] = value("backbone_curve", label="Gait", help="Kind of gait")
    segment_links: tuple[float, ...] = value(
        (5.4, 2.7, 5.4, 2.7),
        label="Segment lengths",
        unit="",
        symbol="l",
        help="Length of each segment in links, from the tail to the head",
    )
    segment_bend_deg: tuple[float, ...] = value(
        (180.0, 90.0, 180.0, 90.0),
        label="Segment bends",
        unit="°",
        help="Angle by which each segment bends; 0 for a straight one",
    )
    segment_twist_deg: tuple[float, ...] = value(
        (-90.0, 90.0, 90.0, -90.0),
        label="Segment twists",
        unit="°",
        help="Rotation of the plane of bending about the body at the start of each segment",
    )
    segment_torsion_deg: tuple[float, ...] | None = value(
        None,
        label="Segment torsions",
        unit="°",
        help="Rotation of the plane of bending along each segment, for helices; 0 if omitted",
    )
    shift_links_s: float = value(
        2.0,
        label="Shift speed",
        unit="links/s",
        symbol="v",
        help="Speed at which the curve moves along the body, from head to tail; negative: the other way",
        ge=-1000,
        le=1000,
        slider=(-10, 10),
        live=True,
    )
    shift_links: float = value(
        0.0,
        label="Shift",
        help="Position on the curve of the front end of the robot, in links, at t = 0",
        ge=-1e4,
        le=1e4,
        slider=(0, 40),
    )
    roll_deg_s: float = value(
        0.0,
        label="Roll rate",
        unit="°/s",
        symbol="ω",
        help="Rate at which the curve rotates about the body",
        ge=-7200,
        le=7200,
        slider=(-200, 200),
        live=True,
    )
    roll_deg: float = value(
        0.0,
        label="Roll",
        unit="°",
        symbol="ψ₀",
        help="Rotation of the curve about the body at t = 0",
        ge=-3600,
        le=3600,
        slider=(-180, 180),
    )

    def first_angles(self, scene: Any, base_dir: Path | None) -> FloatArray:
        """Return the angles of all joint axes of a scene at t = 0, (m,), rad.

        Raises `SceneError` if the segments are unusable.
        """
        curve = AxisCurve(self, scene.robot, scene.body.axes)
        first: FloatArray = curve.angles(np.array([self.shift_links]), np.array([self.roll]))[0]
        return first

    def moved_axes(self, scene: Any, base_dir: Path | None) -> BoolArray:
        """Mask (m,) of the yaw and pitch axes."""
        return np.array([axis.kind in ("yaw", "pitch") for axis in scene.body.axes], np.bool_)

    @property
    def period_s(self) -> float | None:
        """Time in which the curve moves by a period, s; None if it does not move along the body."""
        speed = abs(self.shift_links_s)
        return sum(self.segment_links) / speed if speed else None

    def moved_kinds(self, robot: Robot) -> frozenset[str]:
        """Return the yaw and pitch: a curve in space bends about both."""
        return frozenset(("yaw", "pitch"))

    def reach(self, robot: Robot) -> float:
        """Return the largest angle of a joint axis in a period of the curve, rad.

        Raises `SceneError` if the segments are unusable.
        """
        low, high = AxisCurve(self, robot, robot.axes).extremes(self)
        return float(np.abs([low, high]).max(initial=0.0))

    @property
    def roll(self) -> float:
        """Rotation of the curve about the body at t = 0, rad."""
        return math.radians(self.roll_deg)

    @property
    def segments(self) -> Segments:
        """Segments of the curve, in links and radians.

        Raises `SceneError` if they are unusable.
        """
        lists = {
            "segment_links": self.segment_links,
            "segment_bend_deg": self.segment_bend_deg,
            "segment_twist_deg": self.segment_twist_deg,
        }
        if self.segment_torsion_deg is not None:
            lists["segment_torsion_deg"] = self.segment_torsion_deg
        count = len(self.segment_links)
        problems = [
            Problem(
                "error",
                f"gait.{name}",
                f"it has {len(values)} numbers, but there are {count} segments",
                "give a number for each segment",
            )
            for name, values in lists.items()
            if len(values) != count
        ]
        if not count:
            problems = [
                Problem(
                    "error", "gait.segment_links", "the list is empty", "give a length in links"
                )
            ]
        elif not all(0.0 < length <= 1e4 for length in self.segment_links):
            problems.append(
                Problem(
                    "error",
                    "gait.segment_links",
                    "not all lengths are between 0 and 10000 links",
                    "remove segments without length",
                )
            )
        for name in ("segment_bend_deg", "segment_twist_deg", "segment_torsion_deg"):
            if not all(abs(angle) <= 1e5 for angle in lists.get(name, ())):
                problems.append(
                    Problem(
                        "error", f"gait.{name}", "an angle exceeds 100000°", "give smaller angles"
                    )
                )
        if problems:
            raise SceneError.of(problems)
        return Segments(
            np.array(self.segment_links),
            np.radians(self.segment_bend_deg),
            np.radians(self.segment_twist_deg),
            np.radians(self.segment_torsion_deg or np.zeros(count)),
        )


class Segments(NamedTuple):
    """Segments of a curve: lengths, links, and angles of bending, twist and torsion, rad; each (k,)."""

    length: FloatArray
    bend: FloatArray
    twist: FloatArray
    torsion: FloatArray


class Curve:
    """Curvature about two body-fixed axes as a complex number, and its integral, along a periodic curve.

    Parameters
    ----------
    segments : Segments

    Attributes
    ----------
    period : float
        Length of a period, links.
    """

    def __init__(self, segments: Segments) -> None:
        length, bend, twist, torsion = segments
        self._ends = np.cumsum(length)
        self._begins = self._ends - length
        self._curvature = bend / length
        self._torsion = torsion / length
        self._angle = np.cumsum(twist) + np.cumsum(torsion) - torsion
        self.period = float(self._ends[-1])
        self._turn = float(twist.sum() + torsion.sum())
        bends = self._within(np.arange(len(length)), length)
        self._before = np.cumsum(bends) - bends
        self._total = complex(bends.sum())

    def _within(self, segment: Any, x: FloatArray) -> ComplexArray:
        """Return the integral from the start of a segment, in the first period."""
        torsion = self._torsion[segment]
        turning = np.abs(torsion) > 1e-12
        safe = np.where(turning, torsion, 1.0)
        along = np.where(turning, (np.exp(1j * safe * x) - 1.0) / (1j * safe), x)
        result: ComplexArray = self._curvature[segment] * np.exp(1j * self._angle[segment]) * along
        return result

    def _located(self, s: FloatArray) -> tuple[FloatArray, Any, FloatArray]:
        """Return the period, segment, and position in the segment."""
        count = np.floor(s / self.period)
        x = np.clip(s - count * self.period, 0.0, self.period)
        segment = np.minimum(np.searchsorted(self._ends, x, side="left"), len(self._ends) - 1)
        return count, segment, x - self._begins[segment]

    def integral(self, s: FloatArray) -> ComplexArray:
        """Return the integral of the curvature from 0 to `s`, rad."""
        count, segment, x = self._located(s)
        turned = np.exp(1j * self._turn * count)
        rest = math.remainder(self._turn, 2.0 * math.pi)
        step = complex(math.cos(rest), math.sin(rest))
        periods = count if abs(rest) < _CLOSED else (turned - 1.0) / (step - 1.0)
        result: ComplexArray = self._total * periods + turned * (
            self._before[segment] + self._within(segment, x)
        )
        return result

    def curvature(self, s: FloatArray) -> tuple[ComplexArray, ComplexArray]:
        """Return the curvature at `s`, rad per link, and its derivative within the segment."""
        count, segment, x = self._located(s)
        torsion = self._torsion[segment]
        phase = self._turn * count + self._angle[segment] + torsion * x
        curvature: ComplexArray = self._curvature[segment] * np.exp(1j * phase)
        return curvature, 1j * torsion * curvature


@lru_cache(maxsize=16)
def _curve(fields: BackboneCurveFields) -> Curve:
    return Curve(fields.segments)


def _about_both(values: FloatArray) -> ComplexArray:
    """Return the same values about both axes."""
    result = np.empty(values.shape, np.complex128)
    result.real = result.imag = values
    return result


class AxisCurve:
    """Angles of the joint axes of a robot on a curve.

    Raises `SceneError` if the segments of the gait are unusable.

    Attributes
    ----------
    period : float
        Length of a period, links.
    """

    def __init__(self, fields: BackboneCurveFields, robot: Robot, axes: tuple[Axis, ...]) -> None:
        self._curve = _curve(fields)
        self.period = self._curve.period
        self._count = len(axes)
        self._columns = np.zeros(0, np.intp)
        number, before, after = np.zeros((3, 0))
        for kind in ("yaw", "pitch"):
            here = joints(axes, kind).astype(np.float64)
            if not len(here):
                continue
            half = 0.5 * np.diff(here) if len(here) > 1 else np.ones(1)
            self._columns = np.append(self._columns, entries(axes, kind))
            number = np.append(number, here + 1.0)
            before = np.append(before, np.append(half[:1], half)[: len(here)])
            after = np.append(after, np.append(half, half[-1:])[: len(here)])
        self._from_head, self._before, self._after = number, before, after
        self._pitch = np.array([axes[entry].kind == "pitch" for entry in self._columns], np.bool_)
        self._yaw_sign = 1.0
        if robot.head == "last":  # the same shape, described from the other end
            self._from_head = robot.n_joints + 1.0 - self._from_head
            self._before, self._after = self._after, self._before
            self._yaw_sign = -1.0

    def _ends(self, shift: FloatArray) -> tuple[FloatArray, FloatArray]:
        middle = shift[:, None] - self._from_head
        return middle - self._after, middle + self._before

    def _on_axes(self, bend: ComplexArray) -> FloatArray:
        """Return the values of all axes, (k, m), from complex ones of those that bend."""
        result = np.zeros((len(bend), self._count))
        result[:, self._columns] = np.where(self._pitch, -bend.imag, self._yaw_sign * bend.real)
        return result

    def bends(self, shift: FloatArray) -> ComplexArray:
        """Return the bends at the yaw and pitch axes as complex numbers, rad, for shifts (k,) in links."""
        low, high = self._ends(shift)
        result: ComplexArray = self._curve.integral(high) - self._curve.integral(low)
        return result

    def angles(self, shift: FloatArray, roll: FloatArray) -> FloatArray:
        """Return the angles of all axes, (k, m), rad, for shifts (k,) in links and rolls (k,) in rad."""
        return self._on_axes(self.bends(shift) * np.exp(1j * roll)[:, None])

    def extremes(self, fields: BackboneCurveFields) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest angles of all axes while the curve of `fields` moves, each (m,), rad."""
        fraction = np.linspace(0.0, 1.0, _SAMPLES)
        shift = fields.shift_links + fraction * (self.period if fields.shift_links_s else 0.0)
        if fields.roll_deg_s:
            high = np.abs(self._on_axes(_about_both(np.abs(self.bends(shift))))).max(axis=0)
            return -high, high
        angle = self.angles(shift, np.full(_SAMPLES, fields.roll))
        return angle.min(axis=0), angle.max(axis=0)

    def largest_rates(self, fields: BackboneCurveFields) -> FloatArray:
        """Return the bounds of the rates of all axes while the curve of `fields` moves, (m,), rad/s."""
        shift = fields.shift_links + np.linspace(0.0, self.period, _SAMPLES)
        low, high = self._ends(shift)
        first = self._curve.curvature(high)[0] - self._curve.curvature(low)[0]
        if not fields.roll_deg_s:
            change = first * cmath.rect(fields.shift_links_s, fields.roll)
        else:
            turning = math.radians(abs(fields.roll_deg_s)) * np.abs(self.bends(shift))
            change = _about_both(np.abs(first * fields.shift_links_s) + turning)
        largest: FloatArray = np.abs(self._on_axes(change)).max(axis=0)
        return largest

    def motion(
        self,
        shift: tuple[FloatArray, FloatArray, FloatArray],
        roll: tuple[FloatArray, FloatArray, FloatArray],
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return angles, rates and accelerations, each (k, m), from shift and roll with two derivatives each, (k,).

        The rate jumps where a joint passes from one segment to the next; the acceleration is that between
        the jumps.
        """
        low, high = self._ends(shift[0])
        bend = self._curve.integral(high) - self._curve.integral(low)
        (at_high, slope_high), (at_low, slope_low) = map(self._curve.curvature, (high, low))
        v, dv = shift[1][:, None], shift[2][:, None]
        w, dw = roll[1][:, None], roll[2][:, None]
        first, second = at_high - at_low, slope_high - slope_low
        turned = np.exp(1j * roll[0])[:, None]
        return (
            self._on_axes(turned * bend),
            self._on_axes(turned * (first * v + 1j * w * bend)),
            self._on_axes(
                turned * (second * v**2 + first * dv + 2j * w * v * first + (1j * dw - w**2) * bend)
            ),
        )
