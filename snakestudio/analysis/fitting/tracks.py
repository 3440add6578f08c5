"""What a simulation is fitted to: measured places of links and angles of joints, run by run."""

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
"""`Track.link` of the robot's centre of mass."""

_ALL: BoolArray = np.ones(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Where one link was, measured."""

    time: FloatArray
    """s, ascending. Shape (k,)."""

    link: int
    """0-based; `CENTRE_OF_MASS` for that."""

    position: FloatArray
    """Centre of gravity of the link, m. Shape (k, 2)."""

    measured: BoolArray = field(default_factory=lambda: _ALL)
    """False where there was a drop-out: such rows are left out. All of them if not given. Shape
    (k,)."""

    weight: float = 1.0
    """How much a distance counts, against others."""

    @property
    def used(self) -> BoolArray:
        """Which rows count, (k,)."""
        return _used(self.measured, self.time, self.position)


@dataclass(frozen=True, slots=True, eq=False)
class JointTrack:
    """What the angles of one joint were, measured.

    An error of an angle counts as the distance by which it moves the end of a link.
    """

    time: FloatArray
    """s, ascending. Shape (k,)."""

    joint: int
    """0-based."""

    angle: FloatArray
    """rad. Shape (k,)."""

    kind: str = "yaw"
    """Of which of its axes, "yaw" or "pitch"."""

    measured: BoolArray = field(default_factory=lambda: _ALL)
    """As of a `Track`. Shape (k,)."""

    weight: float = 1.0

    @property
    def used(self) -> BoolArray:
        """Which rows count, (k,)."""
        return _used(self.measured, self.time, self.angle[:, None])


def _used(measured: BoolArray, time: FloatArray, values: FloatArray) -> BoolArray:
    whole: BoolArray = np.isfinite(time) & np.isfinite(values).all(axis=1)
    return whole & measured if len(measured) else whole


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One measured run and the scene it was made in."""

    name: str
    """What people call it."""

    scene: Scene
    tracks: tuple[Track | JointTrack, ...]
    """All by one clock and in one frame."""

    base_dir: Path | None = None
    """What relative paths in the scene are relative to."""

    offset_bounds_s: tuple[float, float] = (-0.5, 0.5)
    """Between what the track's clock may be off: `offset` is added to its times. Equal: known."""

    align: bool = True
    """Whether the tracks may be turned about the vertical and moved, as a whole, to lie on the
    run."""

    notes: tuple[str, ...] = ()
    """What was done to the measurement, in sentences."""

    def __post_init__(self) -> None:
        robot, low, high = self.scene.robot, *self.offset_bounds_s
        if not self.scene.body.jointed:
            raise UsageError(
                f"{self.name}: a continuous body has no links to fit to; fit a scene of a chain of links."
            )
        if not low <= high:
            raise UsageError(
                f"{self.name}: the time offset is within {low:g} to {high:g} s; begin with the smaller."
            )
        for track in self.tracks:
            what, of = (
                ("joint", track.joint) if isinstance(track, JointTrack) else ("link", track.link)
            )
            last = robot.n_joints if what == "joint" else robot.n_links
            if not (0 <= of < last or (what == "link" and of == CENTRE_OF_MASS)):
                raise UsageError(
                    f"{self.name}: the robot has no {what} {of + 1}; give one of 1 to {last}."
                )
            shape = track.angle.shape if isinstance(track, JointTrack) else track.position.shape[:1]
            if shape != track.time.shape or (len(track.measured) and track.measured.shape != shape):
                raise UsageError(
                    f"{self.name}: the columns of {what} {of + 1} differ in length; give a value a time."
                )
            if not np.all(np.diff(track.time) > 0.0):
                raise UsageError(
                    f"{self.name}: the times of {what} {of + 1} do not ascend; sort the rows by time."
                )
        if sum(int(track.used.sum()) for track in self.tracks) < 3:
            raise UsageError(
                f"{self.name}: fewer than three values were measured; give a longer track."
            )

    @property
    def end(self) -> float:
        """Until when a run has to go for all that was measured, s."""
        latest = max(float(track.time[track.used][-1]) for track in self.tracks if track.used.any())
        return latest + self.offset_bounds_s[1]


class Captured(Protocol):
    """What of a motion capture is fitted to (`model.capture.Capture`)."""

    @property
    def name(self) -> str:
        """What it is called."""
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
        """Link that each of them sits on."""
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
    capture: Captured,
    scene: Scene,
    base_dir: Path | None = None,
    offset_bounds_s: tuple[float, float] = (-0.5, 0.5),
    align: bool = True,
) -> Trial:
    """A motion capture as what the run of a scene is fitted to.

    Bodies of which the link is not known are left out. A measurement that begins after the scene's
    run has ended counts from its own beginning. Heights count in spatial models only, and markers
    may sit above the links: where the tracks are aligned, height is, too.

    Raises `UsageError` if no body is on a known link, or the robot has no such link.
    """
    run = (0.0, scene.run.duration_s)
    begin = own_beginning(capture.time[capture.measured.any(axis=1)], run, offset_bounds_s)
    notes: tuple[str, ...] = ()
    if begin > 0.0:
        notes = (
            f"Its times begin at {begin:.10g} s, far from the run (0 to {run[1]:g} s), so they count from its own "
            "beginning.",
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
                f"{capture.name}: it has {capture.joint_angle.shape[1]} joints and the scene's robot"
                f" {scene.robot.n_joints}; open the scene of that robot."
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
            f"{capture.name}: it is not known which links its bodies ({', '.join(capture.bodies) or 'none'}) sit on;"
            " say so where it is imported."
        )
    return Trial(capture.name, scene, tuple(tracks), base_dir, offset_bounds_s, align, notes)
