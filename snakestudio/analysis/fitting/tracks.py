"""Measurements to which a simulation is fitted: positions of links and angles of joints, run by run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.alignment import own_beginning
from snakestudio.errors import UsageError
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.scene import Scene

CENTRE_OF_MASS = -1
"""`Track.link` for the robot's centre of mass."""

_ALL: BoolArray = np.ones(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Measured position of one link."""

    time: FloatArray
    """s, ascending. Shape (k,)."""

    link: int
    """0-based; `CENTRE_OF_MASS` for the centre of mass."""

    position: FloatArray
    """Centre of mass of the link, m. Shape (k, 2)."""

    measured: BoolArray = field(default_factory=lambda: _ALL)
    """False at drop-outs, where rows are ignored. All True if omitted. Shape
    (k,)."""

    weight: float = 1.0
    """Relative weight of a distance."""

    @property
    def used(self) -> BoolArray:
        """Mask of the rows that are used, (k,)."""
        return _used(self.measured, self.time, self.position)


@dataclass(frozen=True, slots=True, eq=False)
class JointTrack:
    """Measured angles of one joint.

    An angle error counts as the distance by which it moves the end of a link.
    """

    time: FloatArray
    """s, ascending. Shape (k,)."""

    joint: int
    """0-based."""

    angle: FloatArray
    """rad. Shape (k,)."""

    kind: str = "yaw"
    """Axis of the joint, "yaw" or "pitch"."""

    measured: BoolArray = field(default_factory=lambda: _ALL)
    """As in `Track`. Shape (k,)."""

    weight: float = 1.0
    """Relative weight of an angle."""

    @property
    def used(self) -> BoolArray:
        """Mask of the rows that are used, (k,)."""
        return _used(self.measured, self.time, self.angle[:, None])


def _used(measured: BoolArray, time: FloatArray, values: FloatArray) -> BoolArray:
    is_finite: BoolArray = np.isfinite(time) & np.isfinite(values).all(axis=1)
    return is_finite & measured if len(measured) else is_finite


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One measured run and its scene."""

    name: str
    """Label for people."""

    scene: Scene
    """Scene of the experiment run."""

    tracks: tuple[Track | JointTrack, ...]
    """All with the same clock and frame."""

    base_dir: Path | None = None
    """Folder to which relative paths in the scene are relative."""

    offset_bounds_s: tuple[float, float] = (-0.5, 0.5)
    """Bounds of the time offset that is added to the times of the tracks. Equal bounds: the offset is known."""

    align: bool = True
    """Whether the tracks may be rotated about the vertical and translated, as a whole, to match the
    run."""

    notes: tuple[str, ...] = ()
    """Remarks on the processing of the measurement."""

    def __post_init__(self) -> None:
        robot, low, high = self.scene.robot, *self.offset_bounds_s
        if not self.scene.body.jointed:
            raise UsageError(
                f"{self.name}: A continuous body has no links to fit to. Fit a scene of a chain of links."
            )
        if not low <= high:
            raise UsageError(
                f"{self.name}: The bounds of the time offset, {low:g} to {high:g} s, are reversed. Swap them."
            )
        for track in self.tracks:
            what, of = (
                ("joint", track.joint) if isinstance(track, JointTrack) else ("link", track.link)
            )
            last = robot.n_joints if what == "joint" else robot.n_links
            if not (0 <= of < last or (what == "link" and of == CENTRE_OF_MASS)):
                raise UsageError(
                    f"{self.name}: The robot has no {what} {of + 1}. Choose one from 1 to {last}."
                )
            shape = track.angle.shape if isinstance(track, JointTrack) else track.position.shape[:1]
            if shape != track.time.shape or (len(track.measured) and track.measured.shape != shape):
                raise UsageError(
                    f"{self.name}: The columns of {what} {of + 1} differ in length. Give one value for each time."
                )
            if not np.all(np.diff(track.time) > 0.0):
                raise UsageError(
                    f"{self.name}: The times of {what} {of + 1} are not in ascending order. Sort the rows by time."
                )
        if sum(int(track.used.sum()) for track in self.tracks) < 3:
            raise UsageError(
                f"{self.name}: Fewer than three values were measured. Use a longer track."
            )

    @property
    def end(self) -> float:
        """Time up to which a run must continue to cover the measurement, s."""
        latest = max(float(track.time[track.used][-1]) for track in self.tracks if track.used.any())
        return latest + self.offset_bounds_s[1]


class FittedCapture(Protocol):
    """The part of a motion capture that is fitted to (`model.capture.Capture`)."""

    @property
    def name(self) -> str:
        """Name of the capture."""
        ...

    @property
    def time(self) -> FloatArray:
        """(k,), s."""
        ...

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the b tracked bodies."""
        ...

    @property
    def links(self) -> tuple[int | None, ...]:
        """Links on which the bodies are mounted."""
        ...

    @property
    def position(self) -> FloatArray:
        """(k, b, 3), m."""
        ...

    @property
    def joint_angle(self) -> FloatArray | None:
        """(k, n-1, 2), rad."""
        ...

    @property
    def measured(self) -> BoolArray:
        """(k, b)."""
        ...


def trial_of(
    capture: FittedCapture,
    scene: Scene,
    base_dir: Path | None = None,
    offset_bounds_s: tuple[float, float] = (-0.5, 0.5),
    align: bool = True,
) -> Trial:
    """Convert a motion capture to the measurement for a scene.

    Bodies with an unknown link are ignored. A measurement that begins after the end of the scene's run is
    counted from its own start. Heights are used only by spatial models, and markers may be above the
    links: where the tracks are aligned, so is the height.

    Raises `UsageError` if no body is on a known link, or the robot does not have that link.
    """
    run = (0.0, scene.run.duration_s)
    begin = own_beginning(capture.time[capture.measured.any(axis=1)], run, offset_bounds_s)
    notes: tuple[str, ...] = ()
    if begin > 0.0:
        notes = (
            f"Its times begin at {begin:.10g} s, far from the run (0 to {run[1]:g} s), so they are counted from their "
            "start.",
        )
    time = capture.time - max(begin, 0.0)
    columns = slice(0, 3 if scene.model.spatial else 2)
    tracks: list[Track | JointTrack] = [
        Track(time, link, capture.position[:, body, columns], capture.measured[:, body])
        for body, link in enumerate(capture.links)
        if link is not None and capture.measured[:, body].any()
    ]
    if capture.joint_angle is not None:
        if capture.joint_angle.shape[1] != scene.robot.n_joints:
            raise UsageError(
                f"{capture.name}: The capture has {capture.joint_angle.shape[1]} joints, but the scene's robot has"
                f" {scene.robot.n_joints}. Open the scene of that robot."
            )
        for side, kind in enumerate(("yaw", "pitch")):
            angles = capture.joint_angle[:, :, side]
            tracks += [
                JointTrack(time, joint, angles[:, joint], kind)
                for joint in joints(scene.body.axes, kind).tolist()
                if np.isfinite(angles[:, joint]).any()
            ]
    if not tracks:
        raise UsageError(
            f"{capture.name}: The links of its bodies ({', '.join(capture.bodies) or 'none'}) are unknown."
            " Assign them in the import."
        )
    return Trial(capture.name, scene, tuple(tracks), base_dir, offset_bounds_s, align, notes)
