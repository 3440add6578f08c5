"""The columns that a live robot's recording has beside those of every run: what its motors say, and how the link does.

All names end in their units. Temperatures are in °C, as everywhere outside physics.
"""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import INCOMING, Profile, Quantity

__all__ = ["AxisColumns", "measures"]


_LINK = ("bus_load", "set_point_lateness_s", "set_point_gap_s")


def measures(profile: Profile, quantity: Quantity) -> bool:
    """Whether a robot of this profile tells of a quantity."""
    return any(
        signal.quantity == quantity for message in profile.messages if message.role in INCOMING
        for signal in message.signals
    )  # fmt: skip


class AxisColumns:
    """Columns of a profile's axes and of the link.

    Of every joint axis: the age of its angle, and as far as its profile has them current, voltage, temperature, raw
    status and raw error bits. What is older than the profile lets expect is NaN: it was so, and nobody knows whether it
    still is. Then the bus load (0 to 1), and how late a set-point (99 of 100 at most) and how long the
    longest gap between two was, over the last ten seconds.

    Parameters
    ----------
    profile : Profile

    Attributes
    ----------
    names : tuple of str
    """

    def __init__(self, profile: Profile) -> None:
        wanted: tuple[tuple[str, str, Quantity | None], ...] = (
            ("age_s", "age", None),
            ("current_a", "current", "current"),
            ("voltage_v", "voltage", "voltage"),
            ("temperature_degc", "temperature", "temperature"),
            ("status", "status", "status"),
            ("errors", "errors", "error"),
        )
        self._columns = tuple(each for each in wanted if each[2] is None or measures(profile, each[2]))
        of_axes = [
            f"joint_{axis.joint}_{axis.axis}_{ending}" for axis in profile.axes for ending, _, _ in self._columns
        ]  # fmt: skip
        self.names: tuple[str, ...] = (*of_axes, *_LINK)

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
        return np.concatenate([of_axes.ravel(), link])
