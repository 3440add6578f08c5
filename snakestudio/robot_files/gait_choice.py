"""Gaits that can move an imported robot, by its axes, its wheels and the friction of the ground, best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.robot import Robot
from snakestudio.model.world import Ground
from snakestudio.robot_files.joint_values import AxisFields, lifted_moment
from snakestudio.robot_files.link_values import LinkValues
from snakestudio.robot_files.notes import Notes

_ISOTROPIC = 1.2
"""Ratio of the friction coefficients across and along up to which undulation does not move a robot."""

_WAVE_LINKS = 14.0
"""Largest wavelength of the gait in links."""

_SHARE = 0.8
"""Share of limits and speeds of the joints that a gait uses."""

_FREQUENCY = 80.0
"""Usual angular frequency of a wave, deg/s."""

_ROLLING = 180.0
"""Largest angular frequency of rolling, deg/s."""

_ARC = 120.0
"""Angle of the arc of a rolling robot, deg."""

_LEAST_ROLLING = 6.0
"""Smallest amplitude with which a robot rolls, deg."""


class GaitProposal(NamedTuple):
    """Gait for an imported robot."""

    title: str
    gait: GaitFields
    reason: str
    """Why it suits the robot, after "because"."""


def proposals(
    robot: Robot, axes: Sequence[AxisFields], links: Sequence[LinkValues], ground: Ground
) -> tuple[GaitProposal, ...]:
    """Gaits within the limits and speeds of the joints, the most suitable first."""
    kinds = {axis.kind for axis in axes}
    wheels = any(link.wheels for link in links)
    anisotropic = ground.mu_across > _ISOTROPIC * ground.mu_along
    if wheels and "yaw" in kinds:
        return (_undulation(robot, axes, "the robot is on passive wheels", 30.0),)
    if {"yaw", "pitch"} <= kinds:
        sidewinding = _sidewinding(robot, axes)
        rolling = _rolling(robot, axes)
        if not anisotropic:
            return sidewinding, rolling
        reason = "friction across the links is larger than along them"
        return sidewinding, rolling, _undulation(robot, axes, reason)
    if "pitch" in kinds:
        return (_vertical_wave(robot, axes),)
    reason = (
        "the robot has only yaw axes, and friction across the links is larger than along them"
        if anisotropic
        else "the robot has only yaw axes"
    )
    return (_undulation(robot, axes, reason),)


def note_limits(
    axes: Sequence[AxisFields],
    links: Sequence[LinkValues],
    ground: Ground,
    gravity: float,
    notes: Notes,
) -> None:
    """Note robots that no gait moves far, and motors that are too weak to move a quarter of the robot."""
    kinds = {axis.kind for axis in axes}
    wheels = any(link.wheels for link in links)
    lifts = "pitch" in kinds and not (wheels and "yaw" in kinds)
    if not lifts and not wheels and ground.mu_across <= _ISOTROPIC * ground.mu_along:
        notes.add(
            "",
            "The robot has no pitch joints and no wheels, and its friction across the links is not larger than along"
            " them, so no gait moves it far; increase ground.mu_across, or add obstacles",
        )
    torques = [axis.max_torque for axis in axes if axis.max_torque is not None and axis.driven]
    needed = gravity * (1.0 if lifts else ground.mu_across) * lifted_moment(links)
    if torques and min(torques) < needed:
        notes.add(
            "",
            f"The gait needs about {needed:.2g} N m, but the weakest motor has {min(torques):.3g} N m, so the robot"
            " follows it poorly; reduce the amplitudes",
        )


def _reach(axes: Sequence[AxisFields], kind: str, amplitude: float) -> float:
    """`amplitude`, deg, or the largest one within the limits of the axes of a kind."""
    for axis in axes:
        for end in (axis.lower, axis.upper):
            if axis.kind == kind and end is not None:
                amplitude = min(amplitude, math.floor(_SHARE * math.degrees(abs(end))))
    return max(amplitude, 0.0)


def _rate(axes: Sequence[AxisFields], reach: dict[str, float], most: float) -> float:
    """Angular frequency, deg/s, within the speeds of the joints for amplitudes by kind, deg."""
    for axis in axes:
        amplitude = reach.get(axis.kind, 0.0)
        if axis.max_speed is not None and amplitude > 0:
            most = min(most, _SHARE * math.degrees(axis.max_speed) / math.radians(amplitude))
    return float(f"{most:.2g}")


def _shift(robot: Robot) -> float:
    waves = max(1.0, robot.n_joints / _WAVE_LINKS)
    return -min(90.0, round(360.0 * waves / max(robot.n_joints, 3), 1))


def _two_waves(reach: dict[str, float], rate: float, shift: float) -> GaitFields:
    gait: GaitFields = GAIT_KINDS["two_waves"].fields(
        amplitude_deg=reach.get("yaw", 0.0),
        frequency_deg_s=rate,
        phase_shift_deg=shift,
        pitch_amplitude_deg=reach["pitch"],
        pitch_frequency_deg_s=rate,
        pitch_phase_shift_deg=shift,
        pitch_phase_deg=90.0,
    )
    return gait


def _undulation(
    robot: Robot, axes: Sequence[AxisFields], reason: str, amplitude: float = 40.0
) -> GaitProposal:
    reach = {"yaw": _reach(axes, "yaw", amplitude)}
    gait = GAIT_KINDS["lateral_undulation"].fields(
        amplitude_deg=reach["yaw"],
        frequency_deg_s=_rate(axes, reach, _FREQUENCY),
        phase_shift_deg=_shift(robot),
    )
    return GaitProposal("Lateral undulation", gait, reason)


def _sidewinding(robot: Robot, axes: Sequence[AxisFields]) -> GaitProposal:
    reach = {"yaw": _reach(axes, "yaw", 40.0), "pitch": _reach(axes, "pitch", 20.0)}
    gait = _two_waves(reach, _rate(axes, reach, _FREQUENCY), _shift(robot))
    reason = "the robot has yaw and pitch axes, so it can lift links at any friction"
    return GaitProposal("Sidewinding", gait, reason)


def _rolling(robot: Robot, axes: Sequence[AxisFields]) -> GaitProposal:
    """Arc that rotates about the body; slow joints bend less, because the speed is that of the rotation."""
    count = max(sum(axis.kind == kind for axis in axes) for kind in ("yaw", "pitch"))
    most = min(_reach(axes, "yaw", 25.0), _reach(axes, "pitch", 25.0), _ARC / count)
    speeds = [axis.max_speed for axis in axes if axis.max_speed is not None]
    fitting = _SHARE * math.degrees(min(speeds)) / math.radians(_ROLLING) if speeds else most
    amplitude = float(f"{min(most, max(fitting, _LEAST_ROLLING)):.3g}")
    reach = {"yaw": amplitude, "pitch": amplitude}
    gait = _two_waves(reach, _rate(axes, reach, _ROLLING), 0.0)
    return GaitProposal("Lateral rolling", gait, "the robot has yaw and pitch axes and is round")


def _vertical_wave(robot: Robot, axes: Sequence[AxisFields]) -> GaitProposal:
    reach = {"pitch": _reach(axes, "pitch", 30.0)}
    gait = _two_waves(reach, _rate(axes, reach, _FREQUENCY), _shift(robot))
    return GaitProposal("Vertical wave", gait, "the robot has only pitch axes")
