"""Plausibility of measurements: limits, deviation, frozen sensors, two answers for one joint.

Time for which a condition must last before the robot is stopped:

======================== =========================================================================================
angle, temperature       immediately
current, voltage         `CURRENT_S`: a peak (or a dip) at the start of a motion is not an overload
deviation                `DEVIATION_S`: longer than the lag with which joints start to move (0.05 to 0.15 s)
frozen                   `FROZEN_S` without any motion (`STILL`), while the joint's set-points moved over a range of
                         more than the profile's largest deviation, or `FROZEN_RANGE` if it names
                         none. A joint that an obstacle holds gives way by gear play and compliance,
                         and is detected by its deviation; one without any motion is jammed, or its
                         sensor is frozen
two answers              `JUMPS` jumps within a second, each wider than `REACH` times the distance at the highest rate
                         and `JUMP`: a single wrong sample makes two of them, two senders one for
                         every frame
======================== =========================================================================================
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import SHOWN, age
from snakestudio.link.core.watchdogs import Loss
from snakestudio.link.profile.schema import Quantity
from snakestudio.text import listing

if TYPE_CHECKING:
    from snakestudio.link.core.coder import DecodedFrame

_What = Literal["limit", "feedback"]

CURRENT_S = 0.1
DEVIATION_S = 0.3
FROZEN_S = 2.0
FROZEN_RANGE = math.radians(20.0)
STILL = math.radians(0.25)
JUMPS = 5
JUMP = math.radians(5.0)
REACH = 1.5


class PlausibilityChecks:
    """Checks of measurements that can stop the robot."""

    def __init__(self, limits: AxisLimits, node_states: NodeStates) -> None:
        self._limits = limits
        self._node_states = node_states
        m = len(limits.low)
        self._overload = np.full(m, math.nan)
        self._undersupplied = np.full(m, math.nan)
        self._deviating = np.full(m, math.nan)
        self._still_at = np.full(m, math.nan)
        self._still_since = np.full(m, math.nan)
        self._least = np.full(m, math.inf)
        self._most = np.full(m, -math.inf)
        self.notable = False
        """Whether something was received that must be checked immediately."""
        inf = [math.inf] * m
        self._bounds: dict[Quantity, tuple[list[float], list[float]]] = {
            "angle": (
                (limits.low - limits.margin).tolist(),
                (limits.high + limits.margin).tolist(),
            ),
            "temperature": ([-math.inf] * m, limits.temperature.tolist()),
            "current": ((-limits.current).tolist(), limits.current.tolist()),
            "voltage": (limits.voltage.tolist(), inf),
        }
        self._jumps: list[deque[float]] = [deque(maxlen=JUMPS) for _ in range(m)]

    def start(self) -> None:
        """Reset all durations when the torque is switched on."""
        self._overload[:] = self._undersupplied[:] = self._deviating[:] = math.nan
        self._still_since[:] = self._still_at[:] = math.nan

    def compare(self, decoded: DecodedFrame, now: float) -> None:
        """Detect impossible jumps of joints in a received frame before it is stored; `now` in s."""
        node_states = self._node_states
        for value in decoded.values:
            if (bounds := self._bounds.get(value.quantity)) is not None:
                # the first axis represents a whole node: this only triggers a check
                axis = max(value.axis, 0)
                self.notable |= not bounds[0][axis] <= value.value <= bounds[1][axis]
            if value.quantity != "angle" or value.axis < 0:
                continue
            before = node_states.values["angle"][value.axis]
            at = node_states.angle_time[value.axis]
            reach = REACH * self._limits.rate[value.axis] * max(0.0, now - at) + JUMP
            if abs(value.value - before) > reach:
                self._jumps[value.axis].append(now)

    def torn(self, now: float) -> NDArray[np.bool_]:
        """Return which axes have two answers, (m,)."""
        return np.array([len(jumps) == JUMPS and jumps[0] > now - 1.0 for jumps in self._jumps])

    def beyond(self) -> NDArray[np.bool_]:
        """Return which axes are measured beyond their limits and the margin, (m,)."""
        angle = self._node_states.values["angle"]
        limits = self._limits
        return np.asarray(
            (angle < limits.low - limits.margin) | (angle > limits.high + limits.margin)
        )

    def hot(self) -> NDArray[np.bool_]:
        """Return which axes exceed their temperature limit, (m,)."""
        return np.asarray(self._node_states.values["temperature"] > self._limits.temperature)

    def overloaded(self) -> NDArray[np.bool_]:
        """Return which axes exceed their current limit now, (m,)."""
        return np.asarray(np.abs(self._node_states.values["current"]) > self._limits.current)

    def starved(self) -> NDArray[np.bool_]:
        """Return which axes are below their voltage limit now, (m,)."""
        return np.asarray(self._node_states.values["voltage"] < self._limits.voltage)

    def check(self, now: float, set_points: FloatArray, *, streaming: bool) -> Loss | None:
        """Return the first reason to stop the robot; None if there is none.

        Parameters
        ----------
        now : float
            s.
        set_points : (m,) array
            Last set-points of the axes, rad.
        streaming : bool
            Whether the axes follow references.
        """
        node_states = self._node_states
        limits = self._limits
        angle = node_states.values["angle"]
        if (wrong := self.beyond()).any():
            return self._loss(
                wrong,
                lambda i: f"is at {_deg(angle[i])}, beyond its limits of {limits.text(i)}",
            )
        if (wrong := self.hot()).any():
            hot = node_states.values["temperature"]
            return self._loss(
                wrong,
                lambda i: (
                    f"has {hot[i]:.0f} °C, more than the {limits.temperature[i]:g} °C allowed"
                ),
            )
        if (wrong := _lasting(self._overload, self.overloaded(), now, CURRENT_S)).any():
            current = node_states.values["current"]
            return self._loss(
                wrong,
                lambda i: (
                    f"takes {current[i]:.1f} A, more than the {limits.current[i]:g} A allowed"
                ),
            )
        if (wrong := _lasting(self._undersupplied, self.starved(), now, CURRENT_S)).any():
            volts = node_states.values["voltage"]
            return self._loss(
                wrong,
                lambda i: f"has {volts[i]:.1f} V, less than the {limits.voltage[i]:g} V required",
            )
        error = np.abs(angle - set_points)
        if (wrong := _lasting(self._deviating, error > limits.error, now, DEVIATION_S)).any():
            return self._loss(
                wrong,
                lambda i: (
                    f"is {_deg(error[i])} away from its set-point for {age(DEVIATION_S)}, more than the"
                    f" {_deg(limits.error)} allowed"
                ),
            )
        if (wrong := self.torn(now)).any():
            twice = (
                "has two different answers on the bus; check whether two nodes have the same number"
            )
            return self._loss(wrong, lambda i: twice, "feedback")
        if (wrong := self._frozen(now, angle, set_points, streaming)).any():
            return self._loss(
                wrong,
                lambda i: (
                    "is commanded to move but does not; it is jammed, or its sensor is frozen"
                ),
                "feedback",
            )
        return None

    def _frozen(
        self, now: float, angle: FloatArray, set_points: FloatArray, streaming: bool
    ) -> NDArray[np.bool_]:
        moved = ~(np.abs(angle - self._still_at) <= STILL) | (not streaming)
        self._still_at[moved] = angle[moved]
        self._still_since[moved] = now
        self._least[moved] = self._most[moved] = set_points[moved]
        np.minimum(self._least, set_points, out=self._least)
        np.maximum(self._most, set_points, out=self._most)
        enough = self._limits.error if math.isfinite(self._limits.error) else FROZEN_RANGE
        return np.asarray(
            (now - self._still_since > FROZEN_S) & (self._most - self._least > enough)
        )

    def _loss(
        self, wrong: NDArray[np.bool_], text: Callable[[int], str], what: _What = "limit"
    ) -> Loss:
        chosen = np.flatnonzero(wrong)
        name = self._limits.axes[chosen[0]].name
        others = [self._limits.axes[index].name for index in chosen[1:]]
        also = f" (likewise {listing(others, most=SHOWN)})" if others else ""
        return Loss(what, f"{name[0].upper()}{name[1:]} {text(int(chosen[0]))}{also}.")


def _lasting(
    since: FloatArray, wrong: NDArray[np.bool_], now: float, duration: float
) -> NDArray[np.bool_]:
    since[~wrong] = math.nan
    begins = wrong & np.isnan(since)
    since[begins] = now
    return np.asarray(now - since >= duration)


def _deg(angle: float) -> str:
    return f"{math.degrees(angle):.1f}°"
