"""What closes the loop over the gait: controllers that read the robot's state and answer with joint references."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from snakestudio.model.fields import Frozen, value

__all__ = [
    "Controller",
    "GaitAlone",
    "HeadingControl",
    "LeaderFollower",
    "PathFollowing",
    "Steering",
    "StrainFollower",
    "Teleoperation",
    "TimedCommand",
]


class GaitAlone(Frozen):
    """No feedback: the joints follow the gait."""

    uses_gait: ClassVar[bool] = True
    """Whether the gait has a part in what the joints do."""

    kind: Literal["none"] = value("none", label="Controller", help="The joints do what the gait says, whatever happens")


class LeaderFollower(Frozen):
    """The head winds from side to side, every joint repeats the head's, and jams are resolved (P3 (50) to (58)).

    The gait has no part in it.
    """

    uses_gait: ClassVar[bool] = False

    kind: Literal["leader_follower"] = value(
        "leader_follower", label="Controller", help="The head leads, all joints follow it; jams are resolved (P3)"
    )
    direction_deg: float = value(
        0.0, label="Direction", unit="°", help="Where the robot shall go, from the x axis",
        ge=-3600, le=3600, slider=(-180, 180), live=True,
    )  # fmt: skip
    speed_m_s: float = value(
        0.2, label="Speed", unit="m/s", symbol="v_ref", help="Speed at which the bends of the head run along the body",
        gt=0, le=100, slider=(0.02, 0.6), live=True,
    )  # fmt: skip
    head_angle_deg: float = value(
        50.0, label="Head angle", unit="°", symbol="α", help="Angle of the head to either side of the direction",
        gt=0, le=90, slider=(10, 80), live=True,
    )  # fmt: skip
    head_reach_m: float = value(
        0.14, label="Head reach", unit="m", symbol="Δy_max",
        help="Distance of the head from the centre of mass, across the direction, at which it turns to the other side",
        gt=0, le=100, slider=(0.02, 0.5), live=True,
    )  # fmt: skip
    begins: Literal["left", "right"] = value("right", label="Begins", help="Side to which the head turns first")
    reference_limit_deg: float = value(
        50.0, label="Reference limit", unit="°", symbol="φ_max", help="Joint references stay within this",
        gt=0, le=180, slider=(10, 90), live=True,
    )  # fmt: skip
    jam_resolution: bool = value(
        True, label="Jam resolution", help="Whether a jam is resolved by turning the links that are pushed", live=True
    )
    jam_angle_deg: float = value(
        20.0, label="Jam angle", unit="°", symbol="Δφ_max",
        help="A joint further than this from its reference is jammed", gt=0, le=180, slider=(2, 60), live=True,
    )  # fmt: skip
    jam_time_s: float = value(
        0.5, label="Jam time", unit="s", symbol="t_jam,max",
        help="Two joints that are jammed for longer than this make a jam", ge=0, le=100, slider=(0, 2), live=True,
    )  # fmt: skip
    resolution_time_s: float = value(
        0.5, label="Resolution time", unit="s", symbol="t_resolution,max", help="How long a jam is worked on",
        gt=0, le=100, slider=(0.05, 2), live=True,
    )  # fmt: skip
    jam_gain_rad_per_n: float = value(
        0.05, label="Jam gain", unit="rad/N", symbol="k_θ", help="Rotation of a link for the force that pushes it",
        ge=0, le=100, slider=(0, 0.2), live=True,
    )  # fmt: skip
    force_noise_n: float = value(
        0.0, label="Force noise", unit="N", help="Standard deviation of the noise of the contact force sensors",
        ge=0, le=1e4, slider=(0, 10), live=True,
    )  # fmt: skip
    force_threshold_n: float = value(
        0.0, label="Force threshold", unit="N", help="Smaller contact forces are not felt",
        ge=0, le=1e4, slider=(0, 20), live=True,
    )  # fmt: skip
    noise_seed: int = value(0, label="Noise seed", help="Other seeds give other noise", ge=0, le=2**31 - 1)

    @property
    def direction(self) -> float:
        """Where the robot shall go, rad."""
        return math.radians(self.direction_deg)


class Steering(Frozen):
    """How a heading is held: an offset of all joints, added to the gait's wave, turns the robot."""

    uses_gait: ClassVar[bool] = True

    measure: Literal["mean", "head"] = value(
        "mean", label="Measured heading", live=True,
        help="Mean direction of all links, or that of the head link, which swings with the gait and is less exact",
    )  # fmt: skip
    gain: float = value(
        0.5, label="Gain", symbol="k_ψ", help="Offset of every joint for the error of the heading, angle for angle",
        ge=0, le=100, slider=(0, 2), live=True,
    )  # fmt: skip
    offset_limit_deg: float = value(
        10.0, label="Offset limit", unit="°", symbol="ψ_max", help="The offset stays within this, to either side",
        ge=0, le=90, slider=(0, 30), live=True,
    )  # fmt: skip
    response_s: float = value(
        0.5, label="Response time", unit="s", symbol="T_ψ",
        help="Time constant with which the joints follow the offset (a critically damped filter of second order)",
        gt=0, le=100, slider=(0.05, 3), live=True,
    )  # fmt: skip

    @property
    def offset_limit(self) -> float:
        """Largest offset to either side, rad."""
        return math.radians(self.offset_limit_deg)


class HeadingControl(Steering):
    """The robot turns to a heading and keeps it."""

    kind: Literal["heading"] = value("heading", label="Controller", help="An offset of the gait holds a heading")
    heading_deg: float = value(
        0.0, label="Heading", unit="°", symbol="θ_ref", help="Where the robot's front shall point, from the x axis",
        ge=-3600, le=3600, slider=(-180, 180), live=True,
    )  # fmt: skip

    @property
    def heading(self) -> float:
        """Where the robot's front shall point, rad."""
        return math.radians(self.heading_deg)


class PathFollowing(Steering):
    """The centre of mass is steered onto the scene's path by line-of-sight guidance."""

    kind: Literal["path_following"] = value(
        "path_following", label="Controller", help="An offset of the gait steers the robot onto the scene's path"
    )
    look_ahead_m: float = value(
        0.7, label="Look-ahead", unit="m", symbol="Δ",
        help="The robot heads for the point of the path's tangent this far ahead: shorter is tighter, and less calm",
        gt=0, le=1000, slider=(0.1, 3), live=True,
    )  # fmt: skip
    curve_gain: float = value(
        0.75, label="Curve gain", symbol="k_κ",
        help="Share of a smooth path's curvature that is bent into the body at once (0: the error alone bends it)",
        ge=0, le=10, slider=(0, 1.5), live=True,
    )  # fmt: skip
    integral_gain_m_s: float = value(
        0.0, label="Integral gain", unit="m/s", symbol="σ",
        help="Takes away, slowly, a distance from the path that would stay, on a slope say (0: off)",
        ge=0, le=100, slider=(0, 0.05), live=True,
    )  # fmt: skip


class StrainFollower(Frozen):
    """The joints follow the scene's strain law, as if the links were pieces of its continuous body (P5's counterpart).

    Joint j lies at X = j l / n of the body and turns by the integral of the curvature over the link's length around it.
    """

    uses_gait: ClassVar[bool] = False

    kind: Literal["strain_follower"] = value(
        "strain_follower", label="Controller", help="The joints follow the strain law of the scene's continuous body"
    )


class TimedCommand(Frozen):
    """What somebody at the controls would want from a time on."""

    time_s: float = value(label="Time", unit="s", help="From when on it holds", ge=0, le=1e6, slider=(0, 60))
    speed: float = value(
        0.0, label="Speed", help="Share of the highest frequency; negative: backwards", ge=-1, le=1, slider=(-1, 1)
    )
    turn: float = value(
        0.0, label="Turn", help="Share of the largest offset; positive: to the left", ge=-1, le=1, slider=(-1, 1)
    )
    amplitude: float = value(1.0, label="Amplitude", help="Share of the gait's amplitude", ge=0, le=1, slider=(0, 1))
    gait: str | None = value(
        None, label="Gait", help="Name of a gait of the library; the scene's own if left out", max_length=100
    )


class Teleoperation(Frozen):
    """Somebody at the controls says how fast the gait runs and where it bends; without anybody, a program does."""

    uses_gait: ClassVar[bool] = True

    kind: Literal["teleoperation"] = value(
        "teleoperation", label="Controller", help="Keys or a gamepad drive the gait; without them, its program"
    )
    max_frequency_deg_s: float = value(
        80.0, label="Highest frequency", unit="°/s", symbol="ω_max", help="Frequency of the gait at full speed",
        gt=0, le=7200, slider=(10, 200), live=True,
    )  # fmt: skip
    max_offset_deg: float = value(
        10.0, label="Largest offset", unit="°", symbol="ψ_max", help="Offset of every joint at full turn",
        ge=0, le=90, slider=(0, 30), live=True,
    )  # fmt: skip
    speed_time_s: float = value(
        0.6, label="Time to full speed", unit="s", help="From standing to full speed, and back",
        ge=0.05, le=100, slider=(0.1, 3), live=True,
    )  # fmt: skip
    turn_time_s: float = value(
        0.8, label="Time to full turn", unit="s", help="From straight ahead to full turn, and back",
        ge=0.05, le=100, slider=(0.1, 3), live=True,
    )  # fmt: skip
    amplitude_time_s: float = value(
        1.5, label="Time to full amplitude", unit="s", help="From a straight robot to the gait's whole amplitude",
        ge=0.05, le=100, slider=(0.2, 5), live=True,
    )  # fmt: skip
    gait_time_s: float = value(
        1.5, label="Gait change", unit="s", help="Time in which one gait takes over from another",
        ge=0.05, le=100, slider=(0.2, 5), live=True,
    )  # fmt: skip
    program: tuple[TimedCommand, ...] = value(
        (), label="Program", max_length=10000,
        help="Commands by their times, for runs without anybody at the controls; whoever steers overrules it",
    )  # fmt: skip

    @property
    def max_frequency(self) -> float:
        """Frequency of the gait at full speed, rad/s."""
        return math.radians(self.max_frequency_deg_s)

    @property
    def max_offset(self) -> float:
        """Offset of every joint at full turn, rad."""
        return math.radians(self.max_offset_deg)


Controller = Annotated[
    GaitAlone | HeadingControl | PathFollowing | LeaderFollower | StrainFollower | Teleoperation,
    Field(discriminator="kind"),
]
"""Any controller."""
