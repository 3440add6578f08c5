"""Where a link of a run is at any time, and the same for its heading: rows read once, interpolated between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import Fields, mass_shares

__all__ = ["RunTracks"]

FloatArray = NDArray[np.float64]


class RunTracks:
    """The tracks of a run's links.

    Parameters
    ----------
    recording : Recording

    Raises
    ------
    ExperimentError
        If the recording has no poses, or too few rows.
    """

    def __init__(self, recording: Recording) -> None:
        if Fields.POSE not in recording.schema.valid:
            raise ExperimentError("The run has no positions of its links; compare with a simulated run.")
        if len(recording) < 4:
            raise ExperimentError(f"The run has only {len(recording)} rows; let it go on for longer.")
        parts = [(rows.time.copy(), rows.link_pose.copy()) for rows in recording.chunks()]
        self.time: FloatArray = np.concatenate([part[0] for part in parts])
        self._pose: FloatArray = np.concatenate([part[1] for part in parts])
        self._shares = mass_shares(recording.schema.n_links, bool(recording.schema.sections))
        self._curves: dict[int, CubicSpline] = {}
        self._yaws: dict[int, FloatArray] = {}

    @property
    def n_links(self) -> int:
        """Number of links."""
        return int(self._pose.shape[1])

    def track(self, link: int) -> FloatArray:
        """Positions (rows, 3), m, of a link (0-based), or of the centre of mass.

        Raises
        ------
        ExperimentError
            If there is no such link.
        """
        if link == CENTRE_OF_MASS:
            centre: FloatArray = np.einsum("n,kna->ka", self._shares, self._pose[:, :, :3])
            return centre
        if not 0 <= link < self.n_links:
            raise ExperimentError(f"There is no link {link + 1}: the run has {self.n_links} links; give another one.")
        return self._pose[:, link, :3]

    def at(self, link: int, time: FloatArray) -> FloatArray:
        """Positions (k, 3), m, at any times (k,) within the run; NaN outside of it."""
        if link not in self._curves:
            self._curves[link] = CubicSpline(self.time, self.track(link))
        place: FloatArray = self._curves[link](time)
        place[(time < self.time[0] - 1e-9) | (time > self.time[-1] + 1e-9)] = np.nan
        return place

    def heading(self, link: int, time: FloatArray) -> FloatArray:
        """Angle (k,), rad, of a link's axis about the vertical, unwrapped over the run; NaN outside of it.

        That of the centre of mass is the mean over the links.
        """
        if link not in self._yaws:
            yaw = np.unwrap(roll_pitch_yaw(self._pose[:, :, 3:])[:, :, 2], axis=1)
            self._yaws[link] = np.unwrap(yaw.mean(axis=1) if link == CENTRE_OF_MASS else yaw[:, link])
        return np.interp(time, self.time, self._yaws[link], left=np.nan, right=np.nan)
