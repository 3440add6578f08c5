"""Run of a live robot as a recording: while it is only watched, or while it follows references."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import Profile
from snakestudio.live.columns import AxisColumns, measures
from snakestudio.live.reference_scheduler import ReferenceScheduler
from snakestudio.live.snapshot_builder import SnapshotBuilder, row_of
from snakestudio.live.twin import Twin
from snakestudio.model.events import EventKind, RunEvent
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.runfile.mcap import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.run_schema import check_columns

ROWS_HZ = 100.0
"""Highest rate of rows, Hz: motors report at lower rates."""

WATCHED_ROWS = 60_000
"""Number of rows after which a new recording of a watched robot begins with the last tenth of the
previous one, so that a robot that stays connected over a weekend does not fill the disk."""

_POSE = ("pose_age_s", "pose_misfit_m")
_TWIN = ("twin_joint_rms_rad", "twin_head_distance_m")


def live_schema(profile: Profile, scene: Scene, extra: tuple[str, ...], with_poses: bool) -> Schema:
    """Return the schema of a live robot's rows: no contacts or energies, and poses only with a pose source."""
    valid = Fields.JOINTS | Fields.REFERENCE
    valid |= Fields.POSE | Fields.TWIST if with_poses else Fields.SHAPE
    if measures(profile, "torque"):
        valid |= Fields.TORQUE
    body = scene.body
    return Schema(
        body.n_parts,
        body.axes,
        (),
        extra,
        valid,
        head=body.head_part,
        head_last=body.head_last,
        link_shares=body.mass_shares,
    )


class LiveRun:
    """A recording and the state needed to fill it; not thread-safe.

    Parameters
    ----------
    scene : Scene
        Scene at the begin of the run.
    begin : float
        Time 0 of the run, s, `time.monotonic()`.
    with_poses : bool
        Whether there is a pose source.
    path : path, optional
        Run file; None for a robot that is only watched.
    reference_scheduler : ReferenceScheduler, optional
        Source of the references that the robot follows; None while it is only watched.
    """

    def __init__(
        self,
        profile: Profile,
        scene: Scene,
        begin: float,
        snapshot_builder: SnapshotBuilder,
        with_poses: bool,
        path: Path | None = None,
        origin: Origin | None = None,
        reference_scheduler: ReferenceScheduler | None = None,
        twin: Twin | None = None,
    ) -> None:
        self.scene = scene
        self.begin = begin
        self.snapshot_builder = snapshot_builder
        self.reference_scheduler = reference_scheduler
        self.twin = twin
        self.stream_requested = False
        """Whether the link was commanded to follow the references."""
        self.stops = 0
        """Number of stops before streaming was requested."""
        self.followed = False
        """Whether the robot has begun to follow the references."""
        self.ended: float | None = None
        """Time at which it ceased to follow them, s, `time.monotonic()`."""
        self.closed = False
        self.steered = False
        """Whether an operator has steered the robot."""
        self._profile = profile
        self._with_poses = with_poses
        self._columns = AxisColumns(profile, scene.body.axes)
        self._controller_names = (
            () if reference_scheduler is None else reference_scheduler.controller.channels
        )
        names = (
            *self._columns.names,
            *(_POSE if with_poses else ()),
            *(_TWIN if twin is not None else ()),
            *self._controller_names,
        )
        self._schema = live_schema(profile, scene, names, with_poses)
        check_columns(self._schema, scene)
        self.recording = RunRecording(scene, self._schema, path, origin=origin)
        self._interval = 1.0 / min(scene.run.log_rate_hz, ROWS_HZ)
        self._next_row = 0
        self._count = 0
        self._deviations = 0
        self._squares = 0.0

    @property
    def watched(self) -> bool:
        """Whether the robot is only watched."""
        return self.reference_scheduler is None

    @property
    def next_row(self) -> float:
        """Time of the next row, s of the run."""
        return self._next_row * self._interval

    def time(self, now: float) -> float:
        """Return the time of the run at `now` (s, monotonic)."""
        return now - self.begin

    def add(self, telemetry: Telemetry, snapshot: Snapshot, pose_age: float) -> Snapshot:
        """Add a row if one is due; return the snapshot with all columns as its `control`."""
        twin = self._twin_columns(snapshot)
        now = self.begin + snapshot.time
        parts = [self._columns.values(telemetry, now)]
        if self._with_poses:
            parts.append(np.array([pose_age, self.snapshot_builder.misfit]))
        if self.twin is not None:
            parts.append(twin)
        if self.reference_scheduler is not None:
            parts.append(self.reference_scheduler.controller.values())
        extra = np.concatenate(parts)
        if snapshot.time >= self.next_row - 1e-9 and snapshot.time >= 0.0 and not self.closed:
            self.recording.append(row_of(snapshot, self._schema, extra, self._count))
            self._count += 1
            self._next_row = math.floor(snapshot.time / self._interval + 1e-9) + 1
            if self.followed and self.ended is None and np.isfinite(twin[0]):
                self._deviations += 1
                self._squares += float(twin[0]) ** 2
        control = dict(zip(self._schema.extra, extra.tolist(), strict=True))
        return Snapshot(
            snapshot.time,
            snapshot.link_pose,
            snapshot.link_twist,
            snapshot.joint_angle,
            snapshot.joint_rate,
            snapshot.joint_angle_ref,
            snapshot.joint_rate_ref,
            snapshot.joint_torque,
            control=control,
            mass_shares=self._schema.mass_shares,
            head_last=self._schema.head_last,
            valid=snapshot.valid,
        )

    def _twin_columns(self, snapshot: Snapshot) -> FloatArray:
        """Return the root mean square of the joint deviations from the twin (rad) and the distance of the heads (m)."""
        state = None if self.twin is None else self.twin.state_at(snapshot.time)
        if state is None:
            return np.full(2, np.nan)
        moved = self.snapshot_builder.axis_map.moved
        deviation = (snapshot.joint_angle - state.angle)[moved]
        head = math.nan
        if Fields.POSE in snapshot.valid:
            head = math.dist(snapshot.link_pose[self.scene.robot.head_index, :3], state.head)
        return np.array([math.sqrt(float(np.mean(np.square(deviation)))), head])

    @property
    def deviation(self) -> float:
        """Root mean square deviation of the joints from the twin over the run, rad; NaN without a twin."""
        return math.sqrt(self._squares / self._deviations) if self._deviations else math.nan

    def note(self, text: str, kind: EventKind, now: float) -> None:
        """Add an event to the recording, at `now` (s, monotonic)."""
        if not self.closed:
            self.recording.add_event(RunEvent(max(0.0, self.time(now)), kind, text))

    @property
    def full(self) -> bool:
        """Whether a robot that is only watched has filled its recording."""
        return self.watched and self._count >= WATCHED_ROWS

    def continued(self) -> LiveRun:
        """Close a run that only watches, and return a new one that begins with its newest rows."""
        following = LiveRun(
            self._profile, self.scene, self.begin, self.snapshot_builder, self._with_poses
        )
        count = len(self.recording)
        following.recording.append(self.recording.rows(count - WATCHED_ROWS // 10, count))
        following._count = len(following.recording)
        following._next_row = self._next_row
        self.close()
        return following

    def close(self) -> None:
        """End the twin and the recording, which can still be read."""
        if self.twin is not None:
            self.twin.close()
        if not self.closed:
            self.closed = True
            self.recording.close()
