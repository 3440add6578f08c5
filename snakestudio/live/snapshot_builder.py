"""Snapshots and rows of a live robot from the link's telemetry: the types of a simulation, without missing fields."""

from __future__ import annotations

from collections import deque

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import Profile
from snakestudio.live.axes import AxisMap
from snakestudio.live.base_pose import BasePose, ChainFit, base_pose_at, fit_chain
from snakestudio.live.columns import measures
from snakestudio.live.pose_source import TrackedPose
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_SLOPE = 5
"""Number of poses from which a twist is computed: a quarter of a second at 20 Hz."""


class SnapshotBuilder:
    """Builds snapshots from telemetry and tracked links.

    Joint rates that the robot does not report are differences of its last two angles divided by
    their time, if both are known. Torques that it does not report are not valid.

    **Twists** are slopes of straight lines fitted by least squares to the last five received poses
    (a causal Savitzky-Golay filter): at 20 Hz they are those of 0.1 s ago, and their noise is a
    third of that of a simple difference. The angular velocity is that of the rotation from the
    oldest of these poses to the newest.

    Parameters
    ----------
    scene : Scene
        A scene with links.
    base_pose : BasePose
        Assumed base of the robot before it is tracked; later the last tracked one is used.
    lost_s : float
        Age from which on a pose is not valid any more, s.
    """

    def __init__(self, profile: Profile, scene: Scene, base_pose: BasePose, lost_s: float) -> None:
        self.axis_map = AxisMap(profile, scene.body.axes)
        self._robot = scene.robot
        self._joint_axes = scene.body.axes
        self._base_pose = base_pose
        self._lost = lost_s
        self._reports_rate = measures(profile, "rate")
        self._reports_torque = measures(profile, "torque")
        # Times (s) and angles (rad) of the axes at the previous snapshot.
        self._angles: tuple[FloatArray, FloatArray] | None = None
        self._rates = np.full(len(profile.axes), np.nan)
        self._tracked: TrackedPose | None = None
        self._chain_fit: ChainFit | None = None
        self._shape: tuple[FloatArray, FloatArray] | None = None
        self._poses: deque[tuple[float, FloatArray]] = deque(maxlen=_SLOPE)
        self.misfit = np.nan
        """Root mean square distance of the tracked links from those of the chain, m; NaN without
        poses."""

    def snapshot(
        self, telemetry: Telemetry, tracked: TrackedPose | None, time: float, now: float
    ) -> Snapshot:
        """Return the snapshot at `now` (s, monotonic), which is `time` of the run.

        Parameters
        ----------
        tracked : TrackedPose or None
            Newest poses of the pose source; None if there is none.
        """
        axes = self.axis_map
        angle = axes.joints(telemetry.angle)
        rate = axes.joints(telemetry.rate if self._reports_rate else self._differences(telemetry))
        valid = Fields.JOINTS if np.isfinite(angle).all() else Fields.NONE
        reference = axes.joints(telemetry.reference)
        if np.isfinite(reference).all():
            valid |= Fields.REFERENCE
        torque = axes.joints(telemetry.torque)
        if self._reports_torque and np.isfinite(torque).all():
            valid |= Fields.TORQUE
        if tracked is not None and tracked is not self._tracked and Fields.JOINTS in valid:
            self._fit(tracked, angle)
        n = self._robot.n_links
        twist = np.full((n, 6), np.nan)
        if (
            self._chain_fit is not None
            and self._tracked is not None
            and now - self._tracked.time <= self._lost
        ):
            pose = self._chain_fit.pose
            valid |= Fields.POSE
            if len(self._poses) == _SLOPE:
                twist = _twist(list(self._poses))
                valid |= Fields.TWIST
        else:
            pose = self._assumed_pose(angle)
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
            head_last=self._robot.head == "last",
            valid=valid,
        )

    def _assumed_pose(self, angle: FloatArray) -> FloatArray:
        """Return poses of the links at the assumed base, cached because angles change less often than snapshots."""
        if self._shape is None or not np.array_equal(self._shape[0], angle, equal_nan=True):
            self._shape = angle, self._base_pose.pose(self._robot, angle, self._joint_axes)
        return self._shape[1]

    def _differences(self, telemetry: Telemetry) -> FloatArray:
        """Return rates of the axes (m,), rad/s, from their last two angles."""
        if self._angles is not None:
            times, angles = self._angles
            span = telemetry.angle_time - times
            new = span > 1e-6
            self._rates[new] = (telemetry.angle[new] - angles[new]) / span[new]
            first = np.isnan(times) & np.isfinite(telemetry.angle_time)
            self._rates[first] = 0.0
        else:
            self._rates[np.isfinite(telemetry.angle_time)] = 0.0
        self._angles = telemetry.angle_time.copy(), telemetry.angle.copy()
        return self._rates

    def _fit(self, tracked: TrackedPose, angle: FloatArray) -> None:
        self._tracked = tracked
        fit = fit_chain(self._robot, angle, self._joint_axes, tracked.links, tracked.pose)
        self._chain_fit = fit
        self.misfit = fit.misfit
        self._base_pose = base_pose_at(fit.pose, self._base_pose.flat)
        self._shape = None
        self._poses.append((tracked.time, fit.pose))


def _twist(poses: list[tuple[float, FloatArray]]) -> FloatArray:
    """Return velocities (m/s) and angular velocities (rad/s) of all links, (n, 6), from poses and their times."""
    times = np.array([time for time, _ in poses])
    since = times - times.mean()
    positions = np.stack([pose[:, :3] for _, pose in poses])
    twist = np.empty((positions.shape[1], 6))
    twist[:, :3] = np.einsum("k,kna->na", since, positions) / float(since @ since)
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
    scale = np.divide(angle, sine, out=np.ones_like(sine), where=sine > 1e-9)
    twist[:, 3:] = axis * (scale / float(times[-1] - times[0]))[:, None]
    return twist


def row_of(snapshot: Snapshot, schema: Schema, extra: FloatArray, number: int) -> Rows:
    """Return a snapshot as a row of a recording; values that are not valid are NaN, and there are no contacts.

    Parameters
    ----------
    schema : Schema
        Schema of the recording, with the fields that the source can fill.
    extra : (x,) array
        Values of the schema's extra columns.
    number : int
        Number of the row, used as the step count of a simulation.
    """
    n = schema.n_links

    def known(values: FloatArray, fields: Fields) -> FloatArray:
        return (values if snapshot.valid & fields else np.full_like(values, np.nan))[None]

    pose = snapshot.link_pose
    if Fields.POSE in schema.valid and Fields.POSE not in snapshot.valid:
        # The assumed pose must not be recorded as a measurement.
        pose = np.full_like(pose, np.nan)
    zero = np.zeros(1, np.int64)
    assert snapshot.joint_angle.shape == (len(schema.axes),)
    return Rows(
        time=np.array([snapshot.time]),
        link_pose=pose[None],
        link_twist=known(snapshot.link_twist, Fields.TWIST),
        # Not masked: the other angles are valid even if one joint has not reported.
        joint_angle=snapshot.joint_angle[None],
        joint_rate=snapshot.joint_rate[None],
        joint_angle_ref=snapshot.joint_angle_ref[None],
        joint_rate_ref=snapshot.joint_rate_ref[None],
        joint_torque=known(snapshot.joint_torque, Fields.TORQUE),
        impulse_obstacle=np.zeros((1, n, 3)),
        impulse_ground=np.zeros((1, n, 3)),
        contacts_closed=np.zeros(1, np.int32),
        energy=np.zeros((1, len(schema.energy))),
        solver_residual=np.zeros(1),
        solver_iterations=zero,
        solver_unconverged=zero,
        steps=zero + number,
        extra=extra[None],
        strain=np.zeros((1, 0, 6)),
        wrench=np.zeros((1, 0, 6)),
        hold=np.zeros((1, 0, 14)),
        contacts=ContactRows.none(1),
    )
