"""The columns that a live robot's recording has beside those of every run: what its motors say, and how the link does.

All names end in their units. Temperatures are in °C, as everywhere outside physics.
"""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import INCOMING, Profile, Quantity
from snakestudio.model.robot.robot import Axis as JointAxis

_OTHER: tuple[tuple[str, str, Quantity | None], ...] = (
    ("rad", "angle", None),
    ("ref_rad", "reference", None),
    ("rate_radps", "rate", "rate"),
    ("torque_nm", "torque", "torque"),
)
"""Endings of columns, attributes of Telemetry, and what a profile must measure for them."""

_LINK = ("bus_load", "set_point_lateness_s", "set_point_gap_s")


def measures(profile: Profile, quantity: Quantity) -> bool:
    """Whether a robot of this profile tells of a quantity."""
    return any(
        signal.quantity == quantity
        for message in profile.messages
        if message.role in INCOMING
        for signal in message.signals
    )


class AxisColumns:
    """Columns of a profile's axes and of the link.

    Of every joint axis: the age of its angle, and as far as its profile has them current, voltage,
    temperature, raw status and raw error bits. What is older than the profile lets expect is NaN:
    it was so, and nobody knows whether it still is. Then the bus load (0 to 1), and how late a
    set-point (99 of 100 at most) and how long the longest gap between two was, over the last ten
    seconds.

    Axes that the scene does not have, as pitch axes in a plane, have no place in
    `Rows.joint_angle`: what they measure and are told has columns here, named as those of the other
    axes.

    Parameters
    ----------
    axes : tuple of snakestudio.model.robot.robot.Axis
        Joint axes of the scene.
    """

    def __init__(self, profile: Profile, axes: tuple[JointAxis, ...]) -> None:
        wanted: tuple[tuple[str, str, Quantity | None], ...] = (
            ("age_s", "age", None),
            ("current_a", "current", "current"),
            ("voltage_v", "voltage", "voltage"),
            ("temperature_degc", "temperature", "temperature"),
            ("status", "status", "status"),
            ("errors", "errors", "error"),
        )
        self._columns = tuple(
            each for each in wanted if each[2] is None or measures(profile, each[2])
        )
        of_axes = [
            f"joint_{axis.joint}_{axis.axis}_{ending}"
            for axis in profile.axes
            for ending, _, _ in self._columns
        ]
        own = [JointAxis(axis.joint - 1, axis.axis) for axis in profile.axes]
        self._other = np.array(
            [index for index, axis in enumerate(own) if axis not in axes], np.intp
        )
        self._other_columns = tuple(
            each for each in _OTHER if each[2] is None or measures(profile, each[2])
        )
        of_others = [
            f"{own[index].name}_{ending}"
            for index in self._other
            for ending, _, _ in self._other_columns
        ]
        self.names: tuple[str, ...] = (*of_axes, *of_others, *_LINK)

    def values(self, telemetry: Telemetry, now: float) -> FloatArray:
        """Values of the columns at `now` (s, monotonic); NaN where nothing was heard."""
        heard = np.isfinite(telemetry.angle_time)
        of_axes = np.empty((len(telemetry.angle), len(self._columns)))
        for column, (_, source, quantity) in enumerate(self._columns):
            if quantity is None:
                of_axes[:, column] = now - telemetry.angle_time
                continue
            known = ~telemetry.old(quantity, now)
            if source == "errors":  # robots that send them only when there are any have none before
                known &= heard
            elif source == "status":
                known &= telemetry.status >= 0
            of_axes[:, column] = np.where(known, getattr(telemetry, source), np.nan)
        link = [telemetry.bus_load, telemetry.lateness_p99, telemetry.gap_max]
        others = [getattr(telemetry, source)[self._other] for _, source, _ in self._other_columns]
        return np.concatenate([of_axes.ravel(), np.column_stack(others).ravel(), link])
