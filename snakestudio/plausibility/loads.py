"""Detectors of loads: torques and lags of the joints, and contact forces."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.plausibility.accumulators import Peak, Quantiles
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.bounds import weight_of
from snakestudio.plausibility.detector import Exceedance, amount
from snakestudio.text import number_text

MOST_TORQUE = 5.0
"""Largest plausible joint torque, in torques that the motion of the gait needs."""

MOST_STATED_TORQUE = 15.0
"""The same for motors with a stated limit, which is trusted further than unlimited motors."""

MOST_OVER_MOTOR = 2.0
"""Largest plausible joint torque, in torque limits of the motor, which long implicit steps exceed by up to a half."""

MOST_FORCE = 25.0
"""Largest plausible contact force on one link, in weights of the robot."""

MOST_LAG = math.radians(45.0)
"""Largest plausible lag of a joint behind its reference, rad."""

UNUSUAL_LAG = 10.0
"""Ratio of an unusual lag to the median of the run: weak joints lag all the time."""

_SATURATED = 0.98
"""Share of the torque limit from which a motor counts as saturated."""


class JointTorque:
    """Torques that no motor of such a robot has."""

    def __init__(self, context: RunContext) -> None:
        self._axes = context.schema.axes
        self._motor = context.scene.axis_values.max_torque
        self._most = np.where(np.isfinite(self._motor), MOST_STATED_TORQUE, MOST_TORQUE)
        self._peak = Peak()
        """Torque divided by the number of needed torques that is plausible for the motor."""
        self._over_motor = Peak()

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        torque = np.abs(block.rows.joint_torque)
        self._peak.feed(block.time, torque / self._most)
        self._over_motor.feed(block.time, torque / self._motor)

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        peak = self._peak
        need = drive.torque
        if need > 0.0 and peak.value > need:
            most = float(self._most[peak.part])
            torque = peak.value * most
            return Exceedance(
                torque,
                most * need,
                peak.time,
                f"{self._joint(peak.part)} has a torque of {amount(torque)} N m at {_at(peak)}, "
                f"{amount(torque / need)} times the {amount(need)} N m that its motion needs",
            )
        peak = self._over_motor
        if peak.value > MOST_OVER_MOTOR:
            limit = float(self._motor[peak.part])
            torque = peak.value * limit
            return Exceedance(
                torque,
                MOST_OVER_MOTOR * limit,
                peak.time,
                f"{self._joint(peak.part)} has a torque of {amount(torque)} N m at {_at(peak)}, "
                f"more than the limit of its motor, {amount(limit)} N m",
                "Choose a model that uses actuator.max_torque_nm, or a shorter solver.step_s.",
            )
        return None

    def _joint(self, axis: int) -> str:
        return f"joint {self._axes[axis].joint + 1}"


class JointLag:
    """Joints that are suddenly far from their references, although their motors still have torque left."""

    def __init__(self, context: RunContext) -> None:
        self._axes = context.schema.axes
        self._motor = context.scene.axis_values.max_torque
        self._usual = Quantiles()
        self._peak = Peak()

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        lag = np.abs(block.rows.joint_angle_ref - block.rows.joint_angle)
        self._usual.feed(lag.max(axis=1))
        saturated = np.abs(block.rows.joint_torque) >= _SATURATED * self._motor
        self._peak.feed(block.time, np.where(saturated, 0.0, lag))

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        peak = self._peak
        limit = max(MOST_LAG, UNUSUAL_LAG * self._usual.at(0.5))
        if peak.value <= limit:
            return None
        value = math.degrees(peak.value)
        return Exceedance(
            value,
            math.degrees(limit),
            peak.time,
            f"joint {self._axes[peak.part].joint + 1} is {amount(value)}° from its reference at {_at(peak)}",
        )


class ContactForce:
    """Contact forces that wedged robots build up, and obstacles or links would not survive."""

    def __init__(self, context: RunContext) -> None:
        self._weight = weight_of(context.scene)
        self._part = "section" if context.schema.sections else "link"
        self._peaks = {"obstacle": Peak(), "ground": Peak()}

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        for other, peak in self._peaks.items():
            force = block.mean(lambda rows, other=other: getattr(rows, f"impulse_{other}"))  # type: ignore[misc]
            peak.feed(block.time, np.sqrt(np.einsum("kna,kna->kn", force, force)))

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        other, peak = max(self._peaks.items(), key=lambda entry: entry[1].value)
        limit = MOST_FORCE * self._weight
        if peak.value <= limit:
            return None
        source = "obstacles push" if other == "obstacle" else "the ground pushes"
        return Exceedance(
            peak.value,
            limit,
            peak.time,
            f"{source} {self._part} {peak.part + 1} with {amount(peak.value)} N at {_at(peak)}, "
            f"{amount(peak.value / self._weight)} times the weight of the robot",
        )


def _at(peak: Peak) -> str:
    return f"{number_text(peak.time, 4)} s"
