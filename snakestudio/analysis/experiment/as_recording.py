"""A capture as a Recording, for plots, overlays and export like any run; missing values are NaN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.samples import rows_known, runs_of
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import ContactRows, Recording, Rows, Schema, snapshot_from_rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_WINDOW = 5
"""Number of rows of the parabola that is fitted to get velocities (Savitzky and Golay 1964)."""


class CaptureRecording:
    """An aligned capture as a `Recording` with the robot of a run.

    Links without measurements are NaN, as is everything that the cameras did not see; `valid` of the
    schema lists the available fields. For a link with only a position, the pose is NaN except for the
    centre. Velocities are slopes of parabolas through five rows. The track of a centre of mass is in the
    columns of the centre of mass.

    Parameters
    ----------
    capture : Capture
        Aligned: in the times and positions of the run.
    recording : Recording
        The run, for scene and schema.

    Attributes
    ----------
    measured : (k, n) bool array
        Where a link was actually measured (not interpolated).
    """

    def __init__(self, capture: Capture, recording: Recording) -> None:
        self.capture = capture
        self._scene = recording.scene
        n = recording.schema.n_links
        k = len(capture.time)
        self.measured: BoolArray = np.zeros((k, n), dtype=np.bool_)
        pose = np.full((k, n, 7), np.nan)
        twist = np.full((k, n, 6), np.nan)
        extra: dict[str, FloatArray] = {}
        for b, link in enumerate(capture.links):
            if link is None or link >= n or capture.links.index(link) != b:
                continue
            position = capture.position[:, b]
            if link == CENTRE_OF_MASS:
                rate = _slope(capture.time, position)
                extra |= {f"com_{axis}_m": position[:, a] for a, axis in enumerate("xyz")}
                extra |= {f"com_v{axis}_mps": rate[:, a] for a, axis in enumerate("xyz")}
                continue
            pose[:, link, :3], twist[:, link, :3] = position, _slope(capture.time, position)
            self.measured[:, link] = capture.measured[:, b]
            if capture.orientation is not None:
                pose[:, link, 3:] = capture.orientation[:, b]
                twist[:, link, 3:] = _turning(capture.time, capture.orientation[:, b])
        valid = Fields.POSE | Fields.TWIST
        own = recording.schema
        angle, rate = np.full((k, len(own.axes)), np.nan), np.full((k, len(own.axes)), np.nan)
        if capture.joint_angle is not None and own.axes:
            valid |= Fields.JOINTS
            sides = ("yaw", "pitch")
            captured = capture.joint_angle.shape[1]
            known = [
                entry
                for entry, axis in enumerate(own.axes)
                if axis.joint < captured and axis.kind in sides
            ]
            for entry in known:
                axis = own.axes[entry]
                angle[:, entry] = capture.joint_angle[:, axis.joint, sides.index(axis.kind)]
            rate[:, known] = _slope(capture.time, angle[:, known])
        # A measured column replaces the computed one of the same name: the centre of mass, where it was
        # measured.
        self._schema = replace(own, n_links=n, extra=tuple(extra), valid=valid)
        self._rows = _rows(capture.time, pose, twist, angle, rate, own, extra)

    @property
    def scene(self) -> Scene:
        """The scene of the run with which the capture is aligned."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """Content of the rows."""
        return self._schema

    @property
    def times(self) -> FloatArray:
        """Times of all rows, s, those of the run."""
        return self._rows.time

    @property
    def changes(self) -> tuple[Change, ...]:
        """None: a capture has no changes."""
        return ()

    @property
    def pulls(self) -> Sequence[Pull]:
        """None: a capture has no pulls."""
        return ()

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """None: a capture has no events."""
        return ()

    def scene_at(self, time: float) -> Scene:
        """Return the scene of the run."""
        return self._scene

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, start: int, stop: int) -> Rows:
        """Return the rows start to stop.

        Raises `IndexError` if there are no such rows.
        """
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"rows {start} to {stop} of {len(self)}")
        return self._rows.slice(start, stop)

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows in one piece: captures are small."""
        yield self._rows

    def snapshot(self, index: int) -> Snapshot:
        """Return the row at `index` (negative ones count from the end)."""
        return snapshot_from_rows(
            self._rows, index + len(self) if index < 0 else index, self._schema
        )

    def index_at(self, time: float) -> int:
        """Return the index of the row nearest to `time`."""
        return int(np.abs(self._rows.time - time).argmin())


def _rows(
    time: FloatArray,
    pose: FloatArray,
    twist: FloatArray,
    angle: FloatArray,
    rate: FloatArray,
    schema: Schema,
    extra: dict[str, FloatArray],
) -> Rows:
    k, n = pose.shape[:2]
    unknown = np.full_like(angle, np.nan)
    inside = n if schema.sections else 0
    none = np.zeros(k, np.int64)
    return Rows(
        time=time,
        link_pose=pose,
        link_twist=twist,
        joint_angle=angle,
        joint_rate=rate,
        joint_angle_ref=unknown,
        joint_rate_ref=unknown,
        joint_torque=unknown,
        impulse_obstacle=np.full((k, n, 3), np.nan),
        impulse_ground=np.full((k, n, 3), np.nan),
        contacts_closed=np.zeros(k, np.int32),
        energy=np.full((k, len(schema.energy)), np.nan),
        solver_residual=np.full(k, np.nan),
        solver_iterations=none,
        solver_unconverged=none,
        steps=none,
        extra=np.stack(list(extra.values()), axis=1) if extra else np.zeros((k, 0)),
        strain=np.full((k, inside, 6), np.nan),
        wrench=np.full((k, inside, 6), np.nan),
        hold=np.full((k, schema.n_holds, 14), np.nan),
        contacts=ContactRows.none(k),
    )


def _slope(time: FloatArray, values: FloatArray) -> FloatArray:
    """Return the derivatives of columns (k, c); NaN where a column is NaN."""
    from scipy.signal import savgol_filter

    result = np.full_like(values, np.nan)
    for start, stop in runs_of(rows_known(values)):
        if stop - start < 2:
            continue
        part = values[start:stop]
        at = time[start:stop]
        steps = np.diff(at)
        if stop - start >= _WINDOW and float(np.ptp(steps)) < 0.05 * float(steps.mean()):
            result[start:stop] = savgol_filter(
                part, _WINDOW, 2, deriv=1, delta=float(steps.mean()), axis=0
            )
        else:
            result[start:stop] = np.gradient(part, at, axis=0)
    return result


def _turning(time: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Return angular velocities (k, 3) in the world frame, rad/s: omega = 2 q' q*."""
    near = quaternion.copy()
    for i in range(1, len(near)):
        if np.nansum(near[i] * near[i - 1]) < 0.0:
            near[i] = -near[i]
    rate = _slope(time, near)
    w = near[:, :1]
    v = near[:, 1:]
    spin: FloatArray = 2.0 * (rate[:, 1:] * w - rate[:, :1] * v - np.cross(rate[:, 1:], v))
    return spin
