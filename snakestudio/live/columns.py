"""Additional columns of a live robot's recording: values reported by its motors, and statistics of the link.

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
"""Suffixes of columns, attributes of `Telemetry`, and quantities that a profile must measure for them."""

_LINK = ("bus_load", "set_point_lateness_s", "set_point_gap_s")


def measures(profile: Profile, quantity: Quantity) -> bool:
    """Return whether a robot of this profile reports a quantity."""
    return any(
        signal.quantity == quantity
        for message in profile.messages
        if message.role in INCOMING
        for signal in message.signals
    )


class AxisColumns:
    """Columns of a profile's axes and of the link.

    The columns of each joint axis are the age of its angle and, if the profile has them, current,
    voltage, temperature, raw status and raw error bits. Values older than the profile allows are
    NaN. The columns of the link are the bus load (0 to 1), and the lateness of set-points (99th
    percentile) and the longest gap between two set-points over the last ten seconds.

    Axes that the scene does not have, such as pitch axes in a plane, are not in `Rows.joint_angle`:
    their measured and reference values have columns here, named like those of the other axes.

    Parameters
    ----------
    axes : tuple of snakestudio.model.robot.robot.Axis
        Joint axes of the scene.
    """

    def __init__(self, profile: Profile, axes: tuple[JointAxis, ...]) -> None:
        candidates: tuple[tuple[str, str, Quantity | None], ...] = (
            ("age_s", "age", None),
            ("current_a", "current", "current"),
            ("voltage_v", "voltage", "voltage"),
            ("temperature_degc", "temperature", "temperature"),
            ("status", "status", "status"),
            ("errors", "errors", "error"),
        )
        self._columns = tuple(
            each for each in candidates if each[2] is None or measures(profile, each[2])
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
        """Return the values of the columns at `now` (s, monotonic); NaN for axes that have not reported."""
        reported = np.isfinite(telemetry.angle_time)
        of_axes = np.empty((len(telemetry.angle), len(self._columns)))
        for column, (_, source, quantity) in enumerate(self._columns):
            if quantity is None:
                of_axes[:, column] = now - telemetry.angle_time
                continue
            known = ~telemetry.old(quantity, now)
            if source == "errors":  # some robots send error bits only when there are errors
                known &= reported
            elif source == "status":
                known &= telemetry.status >= 0
            of_axes[:, column] = np.where(known, getattr(telemetry, source), np.nan)
        link = [telemetry.bus_load, telemetry.lateness_p99, telemetry.gap_max]
        others = [getattr(telemetry, source)[self._other] for _, source, _ in self._other_columns]
        return np.concatenate([of_axes.ravel(), np.column_stack(others).ravel(), link])
