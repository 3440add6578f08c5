"""Gaits, which move the joints, and start poses of the robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.model.fields import Frozen, value
from snakestudio.model.robot.robot import Robot
from snakestudio.model.shared_values import pitch_offset

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Wave(NamedTuple):
    """angle_i = amplitude sin(omega t + (i - 1) phase_shift + phase) + offset; rad, rad/s."""

    amplitude: float
    omega: float
    phase_shift: float
    phase: float
    offset: float

    @property
    def reach(self) -> float:
        """Largest absolute angle, rad."""
        return abs(self.amplitude) + abs(self.offset)


_NO_WAVE = Wave(0.0, 0.0, 0.0, 0.0, 0.0)


class BodyWaves(NamedTuple):
    """Waves of a gait along the joints of a robot; the first joint has i = 1."""

    yaw: Wave
    pitch: Wave

    vertical: str = "pitch"
    """Kind of the axes that the pitch wave moves: "pitch", or "roll" for a robot without pitch axes."""

    envelope: tuple[float, ...] = ()
    """Factor of both amplitudes at each joint; () for 1."""

    @property
    def factor(self) -> float:
        """Largest factor of the amplitudes."""
        return max(map(abs, self.envelope), default=1.0)

    @property
    def reach(self) -> tuple[float, float]:
        """Largest absolute angles of the yaw and the pitch wave, rad."""
        yaw, pitch = (
            abs(wave.amplitude) * self.factor + abs(wave.offset) for wave in (self.yaw, self.pitch)
        )
        return yaw, pitch

    @property
    def of_kinds(self) -> tuple[tuple[str, Wave], tuple[str, Wave]]:
        """Both waves with the kind of axes that each moves."""
        return ("yaw", self.yaw), (self.vertical, self.pitch)

    def angles(self, wave: Wave, joints: FloatArray, phase: float) -> FloatArray:
        """Angles of one wave, rad, at some joints (0-based); its phase is that at the first joint of the robot."""
        swing: FloatArray = wave.amplitude * np.sin(joints * wave.phase_shift + phase)
        if self.envelope:
            swing *= np.array(self.envelope)[joints.astype(np.intp)]
        return swing + wave.offset


class GaitFields(Frozen):
    """The scene's [gait] table; each subclass adds a `kind` and its values."""

    if TYPE_CHECKING:  # each subclass declares this field itself
        kind: Any

    files: ClassVar[tuple[str, ...]] = ()
    """Fields that are file names."""

    of_waves: ClassVar[bool] = False
    """Whether the reference angles are exactly the two waves."""

    wave_titles: ClassVar[tuple[str, str, str]] = (
        "Horizontal wave",
        "Vertical wave",
        "Phase between",
    )
    """Titles of the groups of values: either wave, and the phase between them."""

    has_vertical_wave: ClassVar[bool] = False
    """Whether the gait has values of a vertical wave in addition to the horizontal one."""

    wave_keys: ClassVar[tuple[tuple[str, str], tuple[str, str]]] = (
        ("gait.amplitude_deg", "gait.offset_deg"),
        ("gait.pitch_amplitude_deg", "gait.pitch_offset_deg"),
    )
    """Scene keys of the amplitude and the offset of each wave."""

    formulas: ClassVar[Mapping[str, str]] = {}
    """Fields that are formulas of the time t, the joint number i and the number of links n, and the
    kind of axes that each applies to."""

    gives_torques: ClassVar[bool] = False
    """Whether the gait gives motor torques instead of reference angles."""

    @property
    def yaw(self) -> Wave:
        """Horizontal wave; by default none."""
        return _NO_WAVE

    @property
    def pitch(self) -> Wave:
        """Vertical wave; by default none."""
        return _NO_WAVE

    def waves(self, robot: Robot) -> BodyWaves:
        """Return both waves on the joints of `robot`."""
        return BodyWaves(self.yaw, self.pitch)

    @property
    def period_s(self) -> float | None:
        """Time after which the motion repeats, s; None if it is unknown or follows from the waves."""
        return None

    def moved_kinds(self, robot: Robot) -> frozenset[str]:
        """Return the kinds of joint axes that the gait moves or bends, also those that `robot` does not have.

        Raises `SceneError` if a formula is unusable.
        """
        waves = self.waves(robot)
        return frozenset(kind for kind, wave in waves.of_kinds if wave.amplitude or wave.offset)

    def reach(self, robot: Robot) -> float:
        """Return the largest angle of a joint axis of `robot`, rad.

        Raises `SceneError` if the gait's values are unusable.
        """
        return max(self.waves(robot).reach)

    def first_angles(self, scene: Any, base_dir: Path | None) -> FloatArray | None:
        """Angles of all joint axes of a scene at t = 0, (m,), rad, if they do not follow from waves; else None.

        Raises `SceneError` if a file is unusable.
        """
        return None

    def moved_axes(self, scene: Any, base_dir: Path | None) -> BoolArray | None:
        """Mask (m,) of the joint axes that the gait's file or formulas move away from 0; None if these are its waves.

        Raises `SceneError` if the file or a formula is unusable.
        """
        return None

    @property
    def reach_deg(self) -> float:
        """Largest angle of the horizontal wave, degrees, as typed."""
        return 0.0

    def with_vertical_wave(self) -> GaitFields:
        """Return the gait with a matching vertical wave, or itself if it cannot have one."""
        return self

    def without_vertical_wave(self) -> GaitFields:
        """Return the gait without its vertical wave."""
        return self


class LateralUndulation(GaitFields):
    """Serpenoid wave phi_i = A sin(omega t + (i - 1) delta + phi_0) + psi (P2 (71), P1 (70), where phi_0 is 0).

    A negative amplitude is equivalent to a phase of half a turn.
    """

    of_waves = True

    kind: Literal["lateral_undulation"] = value(
        "lateral_undulation", label="Gait", help="Kind of gait"
    )
    amplitude_deg: float = value(
        40.0,
        label="Amplitude",
        unit="°",
        symbol="A",
        help="Amplitude of each joint; negative: shifted by half a turn",
        ge=-180,
        le=180,
        slider=(0, 90),
        live=True,
    )
    frequency_deg_s: float = value(
        80.0,
        label="Frequency",
        unit="°/s",
        symbol="ω",
        help="Angular frequency of the wave; negative: the wave runs backwards",
        ge=-7200,
        le=7200,
        slider=(-200, 200),
        live=True,
    )
    phase_shift_deg: float = value(
        -50.0,
        label="Phase shift",
        unit="°",
        symbol="δ",
        help="Phase difference from one joint to the next",
        ge=-180,
        le=180,
        slider=(-120, 120),
        live=True,
    )
    phase_deg: float = value(
        0.0,
        label="Phase",
        unit="°",
        symbol="φ₀",
        help="Phase of the wave at the first joint, at t = 0",
        ge=-360,
        le=360,
        slider=(-180, 180),
        live=True,
    )
    offset_deg: float = value(
        0.0,
        label="Offset",
        unit="°",
        symbol="ψ",
        help="Constant angle added to each joint, which makes the robot turn",
        ge=-90,
        le=90,
        slider=(-20, 20),
        live=True,
    )

    @property
    def amplitude(self) -> float:
        """Amplitude, rad."""
        return math.radians(self.amplitude_deg)

    @property
    def omega(self) -> float:
        """Angular frequency, rad/s."""
        return math.radians(self.frequency_deg_s)

    @property
    def phase_shift(self) -> float:
        """Phase shift between neighbouring joints, rad."""
        return math.radians(self.phase_shift_deg)

    @property
    def phase(self) -> float:
        """Phase of the first joint at t = 0, rad."""
        return math.radians(self.phase_deg)

    @property
    def offset(self) -> float:
        """Offset of each joint, rad."""
        return math.radians(self.offset_deg)

    @property
    def yaw(self) -> Wave:
        """Horizontal wave."""
        return Wave(self.amplitude, self.omega, self.phase_shift, self.phase, self.offset)

    @property
    def reach_deg(self) -> float:
        """Largest angle of the horizontal wave, degrees, as typed."""
        return abs(self.amplitude_deg) + abs(self.offset_deg)

    def with_vertical_wave(self) -> GaitFields:
        """Return the gait with a vertical wave that lifts the bends by a small amount."""
        return TwoWaves(
            **_horizontal(self),
            pitch_frequency_deg_s=self.frequency_deg_s,
            pitch_phase_shift_deg=self.phase_shift_deg,
        )


class TwoWaves(LateralUndulation):
    """Yaw wave and pitch wave (P1 (70), (71)), the form of most gaits of snake robots.

    alpha_h,i = A_h sin(omega_h t + (i - 1) delta_h + phi_0) + psi_h and alpha_v,i = A_v sin(omega_v
    t + (i - 1) delta_v + delta_0) + psi_v. A positive pitch lowers link i + 1. The phase between the
    waves is the phase of the vertical wave at t = 0, independent of phi_0.
    """

    has_vertical_wave = True

    kind: Literal["two_waves"] = value("two_waves", label="Gait", help="Kind of gait")  # type: ignore[assignment]
    pitch_amplitude_deg: float = value(
        10.0,
        label="Pitch amplitude",
        unit="°",
        symbol="A_v",
        help="Amplitude of the vertical wave; negative: shifted by half a turn",
        ge=-180,
        le=180,
        slider=(0, 60),
        live=True,
    )
    pitch_frequency_deg_s: float = value(
        80.0,
        label="Pitch frequency",
        unit="°/s",
        symbol="ω_v",
        help="Angular frequency of the vertical wave; negative: the wave runs backwards",
        ge=-7200,
        le=7200,
        slider=(-200, 200),
        live=True,
    )
    pitch_phase_shift_deg: float = value(
        -50.0,
        label="Pitch phase shift",
        unit="°",
        symbol="δ_v",
        help="Phase difference of the vertical wave from one joint to the next",
        ge=-360,
        le=360,
        slider=(-120, 120),
        live=True,
    )
    pitch_phase_deg: float = value(
        90.0,
        label="Phase between the waves",
        unit="°",
        symbol="δ₀",
        help="Lead of the vertical wave over a horizontal wave of phase 0",
        ge=-360,
        le=360,
        slider=(-180, 180),
        live=True,
    )
    pitch_offset_deg: float = pitch_offset(
        "Constant pitch of each joint, which makes the robot arch"
    )

    @property
    def pitch(self) -> Wave:
        """Vertical wave."""
        return Wave(
            math.radians(self.pitch_amplitude_deg),
            math.radians(self.pitch_frequency_deg_s),
            math.radians(self.pitch_phase_shift_deg),
            math.radians(self.pitch_phase_deg),
            math.radians(self.pitch_offset_deg),
        )

    def with_vertical_wave(self) -> GaitFields:
        """Return the gait itself, which has a vertical wave."""
        return self

    def without_vertical_wave(self) -> GaitFields:
        """Return lateral undulation with the horizontal wave."""
        return LateralUndulation(**_horizontal(self))


def _horizontal(gait: LateralUndulation) -> dict[str, Any]:
    """Return the values of the horizontal wave by name."""
    return {name: getattr(gait, name) for name in LateralUndulation.model_fields if name != "kind"}


class StartFields(Frozen):
    """The scene's [start] table; each subclass adds a `kind` and its values."""

    files: ClassVar[tuple[str, ...]] = ()
    """Fields that are file names."""

    gives_state: ClassVar[bool] = False
    """Whether the values are the whole state of every link."""

    any_body: ClassVar[bool] = False
    """Whether the start does not refer to single links and so also applies to a continuous body."""

    mean_heading: ClassVar[bool] = False
    """Whether the heading is the mean direction of the robot, not that of the placed link."""


class PlacedStart(StartFields):
    """Start in which one link is placed at a position; the whole robot may move as a rigid body."""

    link: int = value(
        1, label="Placed link", help="Number of the link that is placed at (x, y)", ge=1, le=1000
    )
    x_m: float = value(
        0.0,
        label="x",
        unit="m",
        help="Centre of gravity of the placed link, x",
        ge=-1e4,
        le=1e4,
        slider=(-2, 4),
    )
    y_m: float = value(
        0.0,
        label="y",
        unit="m",
        help="Centre of gravity of the placed link, y",
        ge=-1e4,
        le=1e4,
        slider=(-2, 2),
    )
    vx_m_s: float = value(
        0.0,
        label="Velocity x",
        unit="m/s",
        help="Initial velocity of the placed link, x",
        ge=-1e3,
        le=1e3,
        slider=(-1, 1),
    )
    vy_m_s: float = value(
        0.0,
        label="Velocity y",
        unit="m/s",
        help="Initial velocity of the placed link, y",
        ge=-1e3,
        le=1e3,
        slider=(-1, 1),
    )
    z_m: float | None = value(
        None,
        label="z",
        unit="m",
        help="Height of the placed link's centre of gravity (spatial models); if omitted, the robot lies on the ground",
        ge=-1e3,
        le=1e3,
        slider=(0, 1),
    )
    pitch_deg: float = value(
        0.0,
        label="Pitch",
        unit="°",
        help="Downward pitch of the placed link (spatial models)",
        ge=-180,
        le=180,
        slider=(-90, 90),
    )
    roll_deg: float = value(
        0.0,
        label="Roll",
        unit="°",
        help="Rotation of the placed link about its own axis (spatial models)",
        ge=-360,
        le=360,
        slider=(-180, 180),
    )
    vz_m_s: float = value(
        0.0,
        label="Velocity z",
        unit="m/s",
        help="Initial velocity of the placed link, z (spatial models)",
        ge=-1e3,
        le=1e3,
        slider=(-1, 1),
    )
    omega_deg_s: float = value(
        0.0,
        label="Turn rate",
        unit="°/s",
        help="Initial turn rate of the whole robot about the placed link, z",
        ge=-1e5,
        le=1e5,
        slider=(-180, 180),
    )
    omega_x_deg_s: float = value(
        0.0,
        label="Turn rate x",
        unit="°/s",
        help="Initial turn rate of the whole robot about the placed link, x axis of the ground (spatial models)",
        ge=-1e5,
        le=1e5,
        slider=(-180, 180),
    )
    omega_y_deg_s: float = value(
        0.0,
        label="Turn rate y",
        unit="°/s",
        help="Initial turn rate of the whole robot about the placed link, y axis of the ground (spatial models)",
        ge=-1e5,
        le=1e5,
        slider=(-180, 180),
    )

    @property
    def omega(self) -> Vector3:
        """Initial angular velocity of the whole robot in the ground frame, rad/s."""
        return (
            math.radians(self.omega_x_deg_s),
            math.radians(self.omega_y_deg_s),
            math.radians(self.omega_deg_s),
        )


def _heading(help: str) -> float:
    heading: float = value(
        0.0, label="Heading", unit="°", help=help, ge=-3600, le=3600, slider=(-180, 180)
    )
    return heading


class StraightStart(PlacedStart):
    """All links in a straight line."""

    any_body = True

    kind: Literal["straight"] = value("straight", label="Start", help="Kind of start")
    heading_deg: float = _heading("Direction from the first link to the last")


class GaitStart(PlacedStart):
    """Pose of a gait at t = 0: the scene's gait, or one with another amplitude, phase shift or phase.

    Own values keep the shape of a robot that is laid out between obstacles when the gait is changed.
    """

    any_body = True
    mean_heading = True

    kind: Literal["gait"] = value("gait", label="Start", help="Kind of start")
    heading_deg: float = _heading("Direction of the wave's axis, from the first link to the last")
    amplitude_deg: float | None = value(
        None,
        label="Amplitude",
        unit="°",
        symbol="A",
        help="Amplitude of the pose; that of the gait if omitted",
        ge=-180,
        le=180,
        slider=(0, 90),
    )
    phase_shift_deg: float | None = value(
        None,
        label="Phase shift",
        unit="°",
        symbol="δ",
        help="Phase shift of the pose; that of the gait if omitted",
        ge=-180,
        le=180,
        slider=(-120, 120),
    )
    phase_deg: float | None = value(
        None,
        label="Phase",
        unit="°",
        symbol="φ₀",
        help="Phase of the pose; that of the gait if omitted",
        ge=-360,
        le=360,
        slider=(-180, 180),
    )

    def shape(self, gait: GaitFields) -> GaitFields:
        """Gait whose pose at t = 0 is the start; for a gait that is not made of waves, one with straight joints."""
        if not gait.of_waves:
            return gait
        own = {
            name: getattr(self, name) for name in ("amplitude_deg", "phase_shift_deg", "phase_deg")
        }
        known = type(gait).model_fields
        return gait.model_copy(
            update={
                name: value for name, value in own.items() if value is not None and name in known
            }
        )


class JointAnglesStart(PlacedStart):
    """Start with given joint angles."""

    kind: Literal["joint_angles"] = value("joint_angles", label="Start", help="Kind of start")
    heading_deg: float = _heading("Direction of the placed link")
    joint_angles_deg: tuple[float, ...] = value(
        label="Joint angles",
        unit="°",
        help="Angle of each joint, link i+1 relative to link i: the yaw, or the angle of the only axis of a joint that"
        " has only pitch or only roll",
    )
    joint_pitch_deg: tuple[float, ...] | None = value(
        None,
        label="Pitch angles",
        unit="°",
        help="Pitch of each joint (spatial models); 0 if omitted",
    )
    joint_roll_deg: tuple[float, ...] | None = value(
        None,
        label="Roll angles",
        unit="°",
        help="Roll of each joint (spatial models); 0 if omitted",
    )


class LinkAnglesStart(PlacedStart):
    """Start with given directions of all links."""

    kind: Literal["link_angles"] = value("link_angles", label="Start", help="Kind of start")
    link_angles_deg: tuple[float, ...] = value(
        label="Link angles", unit="°", help="Direction of each link, from the x axis"
    )


class WrappedStart(StartFields):
    """Helix around an upright post, with the links in contact (spatial models)."""

    kind: Literal["wrapped"] = value("wrapped", label="Start", help="Kind of start")
    obstacle: int = value(
        1,
        label="Post",
        help="Number of the cylinder around which the robot is wrapped",
        ge=1,
        le=100000,
    )
    rise_m: float | None = value(
        None,
        label="Rise",
        unit="m",
        help="Rise of the helix per turn; if omitted, the turns lie close to each other",
        gt=0,
        le=1e3,
        slider=(0.02, 1),
    )
    left_handed: bool = value(
        False, label="Left-handed", help="Whether the helix is left-handed; otherwise right-handed"
    )
    head_down: bool = value(
        False,
        label="Head down",
        help="Whether the head is the lower end; otherwise it is the upper one",
    )
    angle_deg: float = _heading("Direction of the lowest link as seen from the post")
    z_m: float | None = value(
        None,
        label="z",
        unit="m",
        help="Height of the lowest link's centre of gravity; if omitted, the robot touches the ground",
        ge=-1e3,
        le=1e3,
        slider=(0, 1),
    )


class StateStart(StartFields):
    """Full state of each link; at rest unless velocities are given."""

    gives_state = True

    kind: Literal["state"] = value("state", label="Start", help="Kind of start")
    position_m: tuple[Vector3, ...] = value(
        label="Positions", unit="m", help="Centre of gravity of each link"
    )
    orientation_wxyz: tuple[Quaternion, ...] = value(
        label="Orientations",
        help="Unit quaternion of each link, whose x axis points along the link to the next one",
    )
    velocity_m_s: tuple[Vector3, ...] | None = value(
        None,
        label="Velocities",
        unit="m/s",
        help="Velocity of each centre of gravity, world frame",
    )
    angular_velocity_rad_s: tuple[Vector3, ...] | None = value(
        None,
        label="Angular velocities",
        unit="rad/s",
        help="Angular velocity of each link, world frame",
    )


class RecordingStart(StartFields):
    """State at a time of a recorded run."""

    files = ("file",)

    kind: Literal["recording"] = value("recording", label="Start", help="Kind of start")
    file: str = value(
        label="File", help="CSV file of the run, relative to the scene file", min_length=1
    )
    time_s: float = value(
        0.0, label="Time", unit="s", help="Time in the recorded run; the nearest row is used", ge=0
    )


Start = Annotated[
    StraightStart
    | GaitStart
    | JointAnglesStart
    | LinkAnglesStart
    | WrappedStart
    | StateStart
    | RecordingStart,
    Field(discriminator="kind"),
]
"""Any kind of start."""
