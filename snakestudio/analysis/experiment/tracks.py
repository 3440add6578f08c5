"""Tracks of the links of a run: positions and headings, read once and interpolated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import Fields


class RunTracks:
    """The tracks of a run's links.

    Raises `ExperimentError` if the recording has no poses, or too few rows.
    """

    def __init__(self, recording: Recording) -> None:
        if Fields.POSE not in recording.schema.valid:
            raise ExperimentError(
                "The run has no positions of its links. Compare with a simulated run."
            )
        if len(recording) < 4:
            raise ExperimentError(
                f"The run has only {len(recording)} rows. Increase run.duration_s."
            )
        # Ignore rows that are appended later.
        self._count = len(recording)
        self.time: FloatArray = recording.times[: self._count].copy()
        self._recording = recording
        self._shares = recording.schema.mass_shares
        self._tracks: dict[int, FloatArray] = {}
        self._curves: dict[int, Callable[[FloatArray], FloatArray]] = {}

    @property
    def n_links(self) -> int:
        """Number of links."""
        return self._recording.schema.n_links

    def read(self, links: tuple[int, ...]) -> None:
        """Read the tracks of some links together: a long run is read once, and only these tracks are stored.

        Raises `ExperimentError` if there is no such link.
        """
        missing = [link for link in dict.fromkeys(links) if link not in self._tracks]
        for link in missing:
            if not CENTRE_OF_MASS <= link < self.n_links:
                raise ExperimentError(
                    f"There is no link {link + 1}: the run has {self.n_links} links. Choose another one."
                )
        if not missing:
            return
        parts: dict[int, list[FloatArray]] = {link: [] for link in missing}
        for rows in self._recording.chunks():
            # Centre and heading, (rows, n, 4).
            yaw = np.unwrap(roll_pitch_yaw(rows.link_pose[:, :, 3:])[:, :, 2], axis=1)
            pose = np.concatenate([rows.link_pose[:, :, :3], yaw[:, :, None]], axis=2)
            for link in missing:
                if link == CENTRE_OF_MASS:
                    centre = np.einsum("n,kna->ka", self._shares, pose)
                    centre[:, 3] = yaw.mean(axis=1)
                    parts[link].append(centre)
                else:
                    parts[link].append(pose[:, link])
        for link, own in parts.items():
            poses = np.concatenate(own)[: self._count]
            poses[:, 3] = np.unwrap(poses[:, 3])
            self._tracks[link] = poses

    def track(self, link: int) -> FloatArray:
        """Return positions (rows, 3), m, of a link (0-based), or of the centre of mass.

        Raises `ExperimentError` if there is no such link.
        """
        self.read((link,))
        return self._tracks[link][:, :3]

    def at(self, link: int, time: FloatArray) -> FloatArray:
        """Return positions (k, 3), m, at any times (k,) within the run; NaN outside."""
        if link not in self._curves:
            from scipy.interpolate import CubicSpline

            self._curves[link] = CubicSpline(self.time, self.track(link))
        position: FloatArray = self._curves[link](time)
        position[(time < self.time[0] - 1e-9) | (time > self.time[-1] + 1e-9)] = np.nan
        return position

    def heading(self, link: int, time: FloatArray) -> FloatArray:
        """Return the angle (k,), rad, of a link's axis about the vertical, unwrapped over the run; NaN outside.

        For the centre of mass, the mean over the links.
        """
        self.read((link,))
        return np.interp(time, self.time, self._tracks[link][:, 3], left=np.nan, right=np.nan)
