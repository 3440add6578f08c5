"""Snapshots of a recording at any time, interpolated linearly between its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Recording, Rows, snapshot_from_rows
from snakestudio.model.snapshot import BodyFields, Snapshot


@dataclass
class _Window:
    start: int
    rows: Rows


class FrameSource:
    """Snapshots of a recording at any time, with smooth motion at any log rate, and the trail up to that time.

    Parameters
    ----------
    trail_link : int or None
        0-based link whose trail is drawn.
    """

    def __init__(self, recording: Recording, trail_link: int | None) -> None:
        self._recording = recording
        self._times = recording.times.copy()
        self._window: _Window | None = None
        self.track = self._track(trail_link) if trail_link is not None else np.zeros((0, 3))

    def _track(self, link: int) -> FloatArray:
        return np.concatenate([rows.link_pose[:, link, :3] for rows in self._recording.chunks()])

    @property
    def duration(self) -> float:
        """Time of the last row, s."""
        return float(self._times[-1])

    def snapshot(self, time: float) -> Snapshot:
        """Return the state at `time`: poses and the inside of a continuous body are interpolated between two rows.

        All other values are those of the following row.
        """
        after = int(np.clip(np.searchsorted(self._times, time), 0, len(self._times) - 1))
        rows, index = self._rows_around(after)
        snapshot = snapshot_from_rows(rows, index, self._recording.schema)
        if index == 0 or self._times[after] <= time:
            return snapshot
        part = (time - self._times[after - 1]) / (self._times[after] - self._times[after - 1])
        pose = _between(rows.link_pose[index - 1], rows.link_pose[index], float(part))
        body = snapshot.body
        if body is not None:
            body = _body_between(rows, index, body, float(part))
        return replace(snapshot, time=time, link_pose=pose, body=body)

    def trail(self, time: float) -> FloatArray:
        """Return the trail up to `time`, (k, 3), m."""
        return (
            self.track[: int(np.searchsorted(self._times, time, side="right"))]
            if len(self.track)
            else self.track
        )

    def _rows_around(self, index: int) -> tuple[Rows, int]:
        window = self._window
        before = max(index - 1, 0)
        if window is None or before < window.start or index >= window.start + len(window.rows):
            stop = min(len(self._times), before + 256)
            window = self._window = _Window(before, self._recording.rows(before, stop))
        return window.rows, index - window.start


def _body_between(rows: Rows, index: int, after: BodyFields, part: float) -> BodyFields:
    """Return the inside of a body between two rows; anchors that hold in both rows move too."""

    def mix(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray((1 - part) * first + part * second)

    before = rows.hold[index - 1]
    stays = (
        (before[:, 0] > 0.5)
        & after.active
        & (np.abs(before[:, 1] - after.hold) < 0.1 * after.abscissa[-1])
    )[:, None]
    return replace(
        after,
        strain=mix(rows.strain[index - 1], after.strain),
        wrench=mix(rows.wrench[index - 1], after.wrench),
        point=np.where(stays, mix(before[:, 2:5], after.point), after.point),
    )


def _between(first: FloatArray, second: FloatArray, part: float) -> FloatArray:
    """Interpolate poses of two rows, (n, 7); quaternions along the shorter arc."""
    sign = np.where(np.sum(first[:, 3:] * second[:, 3:], axis=1, keepdims=True) < 0, -1.0, 1.0)
    pose = (1 - part) * first + part * second
    pose[:, 3:] = (1 - part) * first[:, 3:] + part * sign * second[:, 3:]
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    return pose
