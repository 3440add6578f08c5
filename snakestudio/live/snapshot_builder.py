"""From what the link last heard to Snapshots and rows: the types of a simulation, with what is missing masked."""

from __future__ import annotations

from collections import deque

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import Profile
from snakestudio.live.axes import AxisMap
from snakestudio.live.base_pose import BasePose, Placed, placed_by, station_at
from snakestudio.live.columns import measures
from snakestudio.live.pose_source import Tracked
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_SLOPE = 5
"""Poses over which a twist is taken: a quarter of a second at 20 Hz."""


class SnapshotBuilder:
    """Makes snapshots of telemetry and tracked links.

    Joint rates that the robot does not tell are differences of its last two angles by the time
    between them, as far as both are known. Torques that it does not tell are not valid.

    **Twists** are slopes of straight lines by least squares through the last five poses that were
    received (a causal filter of Savitzky and Golay): at 20 Hz they are those of 0.1 s ago, and
    their noise is a third of that of a plain difference. The angular velocity is that of the turn
    from the oldest of them to the newest.

    Parameters
    ----------
    scene : Scene
        With links.
    station : BasePose
        Where the robot is drawn before anybody sees it; later it is drawn where it was seen last.
    lost_s : float
        Age from which on a pose is not valid any more, s.
    """

    def __init__(self, profile: Profile, scene: Scene, station: BasePose, lost_s: float) -> None:
        self.axis_map = AxisMap(profile, scene.body.axes)
        self._robot = scene.robot
        self._joint_axes = scene.body.axes
        self._station = station
        self._lost = lost_s
        self._says_rate = measures(profile, "rate")
        self._says_torque = measures(profile, "torque")
        self._angles: tuple[FloatArray, FloatArray] | None = (
            None  # of the axes when heard last: times, angles
        )
        self._rates = np.full(len(profile.axes), np.nan)
        self._tracked: Tracked | None = None
        self._placed: Placed | None = None
        self._shape: tuple[FloatArray, FloatArray] | None = None
        self._poses: deque[tuple[float, FloatArray]] = deque(maxlen=_SLOPE)
        self.misfit = np.nan
        """How far the tracked links are from where the joint angles have them, m; NaN without
        poses."""

    def snapshot(
        self, telemetry: Telemetry, tracked: Tracked | None, time: float, now: float
    ) -> Snapshot:
        """What is known at `now` (s, monotonic), which is `time` of the run.

        Parameters
        ----------
        tracked : Tracked or None
            What a pose source last saw; None without one.
        """
        axes = self.axis_map
        angle = axes.joints(telemetry.angle)
        rate = axes.joints(telemetry.rate if self._says_rate else self._differences(telemetry))
        valid = Fields.JOINTS if np.isfinite(angle).all() else Fields.NONE
        reference = axes.joints(telemetry.reference)
        if np.isfinite(reference).all():
            valid |= Fields.REFERENCE
        torque = axes.joints(telemetry.torque)
        if self._says_torque and np.isfinite(torque).all():
            valid |= Fields.TORQUE
        if tracked is not None and tracked is not self._tracked and Fields.JOINTS in valid:
            self._place(tracked, angle)
        n = self._robot.n_links
        twist = np.full((n, 6), np.nan)
        if (
            self._placed is not None
            and self._tracked is not None
            and now - self._tracked.time <= self._lost
        ):
            pose = self._placed.pose
            valid |= Fields.POSE
            if len(self._poses) == _SLOPE:
                twist = _twist(list(self._poses))
                valid |= Fields.TWIST
        else:
            pose = self._drawn(angle)
            valid |= Fields.SHAPE
            self._poses.clear()
        return Snapshot(
            time,
            pose,
            twist,
            angle,
            rate,
            reference,
            axes.joints(telemetry.reference_rate),
            torque,
            valid=valid,
        )

    def _drawn(self, angle: FloatArray) -> FloatArray:
        """The links at a base that nobody measured; angles come less often than snapshots are made."""
        if self._shape is None or not np.array_equal(self._shape[0], angle, equal_nan=True):
            self._shape = angle, self._station.pose(self._robot, angle, self._joint_axes)
        return self._shape[1]

    def _differences(self, telemetry: Telemetry) -> FloatArray:
        """Rates of the axes (m,), rad/s, from their last two angles."""
        if self._angles is not None:
            times, angles = self._angles
            span = telemetry.angle_time - times
            new = span > 1e-6
            self._rates[new] = (telemetry.angle[new] - angles[new]) / span[new]
            heard_first = np.isnan(times) & np.isfinite(telemetry.angle_time)
            self._rates[heard_first] = 0.0
        else:
            self._rates[np.isfinite(telemetry.angle_time)] = 0.0
        self._angles = telemetry.angle_time.copy(), telemetry.angle.copy()
        return self._rates

    def _place(self, tracked: Tracked, angle: FloatArray) -> None:
        self._tracked = tracked
        self._placed = placed_by(self._robot, angle, self._joint_axes, tracked.links, tracked.pose)
        self.misfit = self._placed.misfit
        self._station = station_at(self._placed.pose, self._station.flat)
        self._shape = None
        self._poses.append((tracked.time, self._placed.pose))


def _twist(poses: list[tuple[float, FloatArray]]) -> FloatArray:
    """Velocities (m/s) and angular velocities (rad/s) of all links, (n, 6), from poses and their times."""
    times = np.array([time for time, _ in poses])
    since = times - times.mean()
    places = np.stack([pose[:, :3] for _, pose in poses])
    twist = np.empty((places.shape[1], 6))
    twist[:, :3] = np.einsum("k,kna->na", since, places) / float(since @ since)
    turn = np.einsum("nij,nkj->nik", matrices(poses[-1][1][:, 3:]), matrices(poses[0][1][:, 3:]))
    axis = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        1,
    )
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=1, axis2=2) - 1.0))
    share = np.divide(angle, sine, out=np.ones_like(sine), where=sine > 1e-9)
    twist[:, 3:] = axis * (share / float(times[-1] - times[0]))[:, None]
    return twist


def row_of(snapshot: Snapshot, schema: Schema, extra: FloatArray, number: int) -> Rows:
    """A snapshot as a row of a recording; what is not valid is NaN, and there are no contacts.

    Parameters
    ----------
    schema : Schema
        Of the recording: it says what the source fills at all.
    extra : (x,) array
    number : int
        Of the row: stands for the steps of a simulation.
    """
    n = schema.n_links

    def known(values: FloatArray, fields: Fields) -> FloatArray:
        return (values if snapshot.valid & fields else np.full_like(values, np.nan))[None]

    pose = snapshot.link_pose
    if Fields.POSE in schema.valid and Fields.POSE not in snapshot.valid:
        # where it is drawn for want of better must not pass for measured
        pose = np.full_like(pose, np.nan)
    whole = np.zeros(1, np.int64)
    assert snapshot.joint_angle.shape == (len(schema.axes),)
    return Rows(
        time=np.array([snapshot.time]),
        link_pose=pose[None],
        link_twist=known(snapshot.link_twist, Fields.TWIST),
        joint_angle=snapshot.joint_angle[
            None
        ],  # one joint that was never heard leaves the others as they are
        joint_rate=snapshot.joint_rate[None],
        joint_angle_ref=snapshot.joint_angle_ref[None],
        joint_rate_ref=snapshot.joint_rate_ref[None],
        joint_torque=known(snapshot.joint_torque, Fields.TORQUE),
        impulse_obstacle=np.zeros((1, n, 3)),
        impulse_ground=np.zeros((1, n, 3)),
        contacts_closed=np.zeros(1, np.int32),
        energy=np.zeros((1, len(schema.energy))),
        solver_residual=np.zeros(1),
        solver_iterations=whole,
        solver_unconverged=whole,
        steps=whole + number,
        extra=extra[None],
        strain=np.zeros((1, 0, 6)),
        wrench=np.zeros((1, 0, 6)),
        hold=np.zeros((1, 0, 14)),
        contacts=ContactRows.none(1),
    )
