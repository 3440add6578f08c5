"""One stretch of a live robot's time as a recording: while it is only watched, or while it follows references."""

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

ROWS_HZ = 100.0
"""Most rows a second: motors tell of themselves less often than that."""

WATCHED_ROWS = 60_000
"""Rows after which a robot that is only watched begins a new recording with the last tenth of the
one before: a robot that stays connected over the weekend fills no disk."""

_POSE = ("pose_age_s", "pose_misfit_m")
_TWIN = ("twin_joint_rms_rad", "twin_head_distance_m")


def live_schema(profile: Profile, scene: Scene, extra: tuple[str, ...], with_poses: bool) -> Schema:
    """What the rows of a live robot hold: neither contacts nor energies, and poses only if somebody sees it."""
    valid = Fields.JOINTS | Fields.REFERENCE
    valid |= Fields.POSE | Fields.TWIST if with_poses else Fields.SHAPE
    if measures(profile, "torque"):
        valid |= Fields.TORQUE
    body = scene.body
    return Schema(
        body.n_parts, body.axes, (), extra, valid, head=body.head_part, link_shares=body.mass_shares
    )


class LiveRun:
    """A recording with what is needed to fill it; one thread uses it.

    Parameters
    ----------
    scene : Scene
        At its begin.
    begin : float
        When its time is 0, s, `time.monotonic()`.
    with_poses : bool
        Whether there is a pose source.
    path : path, optional
        Run file; none for a robot that is only watched.
    reference_scheduler : ReferenceScheduler, optional
        What the robot follows; None while it is only watched.
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
        self.asked = False
        """Whether the link was told to follow the references."""
        self.stops = 0
        """How many stops there had been when streaming was asked for."""
        self.followed = False
        """Whether the robot has begun to follow the references."""
        self.ended: float | None = None
        """When it ceased to, s, `time.monotonic()`."""
        self.closed = False
        self.steered = False
        """Whether somebody was at the controls."""
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
        """When the next row is due, s of the run."""
        return self._next_row * self._interval

    def time(self, now: float) -> float:
        """Time of the run at `now` (s, monotonic)."""
        return now - self.begin

    def take(self, telemetry: Telemetry, snapshot: Snapshot, pose_age: float) -> Snapshot:
        """Add a row if one is due; gives the snapshot with all columns as its `control`."""
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
            valid=snapshot.valid,
        )

    def _twin_columns(self, snapshot: Snapshot) -> FloatArray:
        """Root mean square of the joint errors against the twin (rad), and the distance of the heads (m)."""
        state = None if self.twin is None else self.twin.state_at(snapshot.time)
        if state is None:
            return np.full(2, np.nan)
        moved = self.snapshot_builder.axis_map.moved
        apart = (snapshot.joint_angle - state.angle)[moved]
        head = math.nan
        if Fields.POSE in snapshot.valid:
            head = math.dist(snapshot.link_pose[self.scene.robot.head_index, :3], state.head)
        return np.array([math.sqrt(float(np.mean(np.square(apart)))), head])

    @property
    def deviation(self) -> float:
        """Root mean square of the twin's joint deviation over the run, rad; NaN if there was none."""
        return math.sqrt(self._squares / self._deviations) if self._deviations else math.nan

    def note(self, text: str, kind: EventKind, now: float) -> None:
        """Have an event in the recording, at `now` (s, monotonic)."""
        if not self.closed:
            self.recording.add_event(RunEvent(max(0.0, self.time(now)), kind, text))

    @property
    def full(self) -> bool:
        """Whether a robot that is only watched has filled its recording."""
        return self.watched and self._count >= WATCHED_ROWS

    def renewed(self) -> LiveRun:
        """Of a robot that is only watched: a new recording, which begins with the newest rows of this one."""
        fresh = LiveRun(
            self._profile, self.scene, self.begin, self.snapshot_builder, self._with_poses
        )
        count = len(self.recording)
        fresh.recording.append(self.recording.rows(count - WATCHED_ROWS // 10, count))
        fresh._count = len(fresh.recording)
        fresh._next_row = self._next_row
        self.close()
        return fresh

    def close(self) -> None:
        """End the recording, which can still be read, and the twin."""
        if self.twin is not None:
            self.twin.close()
        if not self.closed:
            self.closed = True
            self.recording.close()
