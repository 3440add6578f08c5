"""Status of the robot at a glance: title, colour and a sentence, as plain functions of the telemetry.

Main rule: a robot is shown as armed only while it reports this itself, or cannot report any status
by its profile; never without contact, regardless of earlier messages. A robot is shown as stopped
only while it responds: one that fell silent with torque on may continue to move, regardless of what
was sent to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import MEANINGS, LinkState, Telemetry
from snakestudio.link.profile.schema import Profile

SILENT_S = 0.5
"""Age of the link's last message from which its content is no longer trusted, s."""

LOST = "CONTACT LOST, MAY STILL MOVE"
"""Title of a robot that had torque on in its last message, and is not responding."""

_SENT = (
    "It is unknown whether the stop arrived. Keep clear, and switch the robot off by hand. Its own watchdog stops it "
    "if it has one."
)
_AT_REST = tuple(
    index
    for index, meaning in enumerate(MEANINGS)
    if meaning in ("booting", "ready", "stopped", "fault")
)
"""Indices of the reports of a node without torque; a node with any other report, or none, may have torque."""

_UNKNOWN = (
    "The state of the robot is unknown. Its own watchdog stops it if it has one. Switch "
    "it off by hand if it moves."
)

_WORDS = {
    LinkState.DISCONNECTED: "Disconnected",
    LinkState.LISTENING: "Listening",
    LinkState.IDLE: "Idle",
    LinkState.ARMED: "Armed",
    LinkState.STREAMING: "Streaming",
    LinkState.FAULT: "Stopped",
}


@dataclass(frozen=True, slots=True)
class RobotStatus:
    """Status of the robot at a glance."""

    title: str
    """Title of one or two words, in large letters."""

    role: str
    """Colour in the palette. Red is reserved for a robot that can move, and for one that was stopped by a
    fault."""

    sentence: str
    """Meaning of the title, as sentences."""

    armed: bool = False
    """Whether it can be shown as armed."""

    lost: bool = False
    """Whether it is `LOST`: torque was on, and it is not responding."""

    contact: bool = False
    """Whether the link responds and has a bus."""

    message_age: float = math.nan
    """Age of the newest message of the robot, s; NaN without messages."""

    oldest: float = math.inf
    """Age of the oldest measured joint angle, s; infinite if one was never received."""

    stale: bool = True
    """Whether `oldest` is above the limit of the profile."""


NOT_CONNECTED = RobotStatus("Not connected", "dim", "Connect to a robot, or to an emulated one.")


def state_words(state: LinkState) -> str:
    """Return the text of a state of the link."""
    return _WORDS[state]


def ages(telemetry: Telemetry, now: float) -> FloatArray:
    """Return the age of the measured angle of each axis at `now` (s, monotonic), (m,), s; infinite if there is none."""
    return np.where(np.isfinite(telemetry.angle_time), now - telemetry.angle_time, np.inf)


def heard_s(telemetry: Telemetry, now: float) -> float:
    """Return the age of the newest message of the robot, s; NaN without messages."""
    times = np.concatenate([telemetry.angle_time, telemetry.heartbeat_time])
    times = times[np.isfinite(times)]
    return max(0.0, now - float(times.max())) if len(times) else math.nan


def robot_status(
    telemetry: Telemetry | None, alive: bool, profile: Profile | None, now: float
) -> RobotStatus:
    """Return the status of the robot.

    Parameters
    ----------
    telemetry : Telemetry or None
        Latest telemetry of the link; None before the first.
    alive : bool
        Whether the process of the link runs and its heartbeat is recent.
    profile : Profile or None
        Profile of the robot; None if no robot is connected.
    now : float
        Current time of `time.monotonic()`, s.
    """
    if profile is None:
        return NOT_CONNECTED
    if telemetry is None:
        return RobotStatus("Connecting...", "accent", "The link is starting.")
    message_age = heard_s(telemetry, now)
    state = telemetry.state
    reason = telemetry.reason
    if not alive or now - telemetry.time > SILENT_S:
        why = reason if state is LinkState.DISCONNECTED and reason else "The link is silent."
        if _had_torque(telemetry):
            return RobotStatus(LOST, "danger", f"{why} {_SENT}", lost=True, message_age=message_age)
        return RobotStatus("No contact", "danger", f"{why} {_UNKNOWN}", message_age=message_age)
    if state is LinkState.DISCONNECTED or not telemetry.bus_open:
        text = reason or "The bus is not open."
        if _had_torque(telemetry):
            return RobotStatus(
                LOST, "danger", f"{text} {_SENT}", lost=True, message_age=message_age
            )
        if state is not LinkState.DISCONNECTED:  # the bus was open, and the link keeps trying
            text = f"{text} It is reopened automatically as soon as possible."
        return RobotStatus("Disconnected", "warning", text, message_age=message_age)
    oldest = float(ages(telemetry, now).max())
    if _had_torque(telemetry, ~(now - telemetry.heartbeat_time <= profile.timing.lost_s), profile):
        text = f"{reason or 'The robot is silent.'} {_SENT}"
        return RobotStatus(LOST, "danger", text, False, True, True, message_age, oldest, True)
    confirmed = telemetry.confirmed and message_age <= profile.timing.lost_s
    title, role, sentence, armed = _armed_status(telemetry, confirmed, reason)
    if telemetry.replay:
        was = title.removesuffix(" elsewhere")  # a log has no other program to warn about
        title = f"Replay · {was}"
        sentence = "A log is played back in place of the robot. Arming is impossible."
    return RobotStatus(
        title,
        role,
        sentence,
        armed,
        False,
        True,
        message_age,
        oldest,
        oldest > profile.timing.stale_s,
    )


def _had_torque(
    telemetry: Telemetry, silent: NDArray[np.bool_] | None = None, profile: Profile | None = None
) -> bool:
    """Return whether the robot, or one of its `silent` nodes, had torque on according to the last messages."""
    state = telemetry.state
    if state in (LinkState.ARMED, LinkState.STREAMING):
        return silent is None or bool(silent.any())
    if state is not LinkState.FAULT or telemetry.replay:
        return False
    may_have = ~np.isin(telemetry.meaning, _AT_REST)
    if silent is not None and profile is not None:
        silent_nodes = {
            node for node, is_silent in zip(profile.nodes, silent, strict=True) if is_silent
        }
        may_have = may_have & np.array([axis.node in silent_nodes for axis in profile.axes])
    return bool(may_have.any())


def _armed_status(telemetry: Telemetry, confirmed: bool, reason: str) -> tuple[str, str, str, bool]:
    """Return the title, colour and sentence, and whether the robot is armed."""
    state = telemetry.state
    if state is LinkState.FAULT:
        armed = " It still reports that it is armed. Switch it off by hand." if confirmed else ""
        return "Stopped", "danger", f"{reason or 'The robot was stopped.'}{armed}", confirmed
    if state is LinkState.LISTENING or state is LinkState.IDLE:
        if confirmed:
            return (
                "Armed elsewhere",
                "danger",
                "The robot reports that it is armed, but this program did not arm it.",
                True,
            )
        if state is LinkState.LISTENING:
            return "Listening", "accent", "Listen only. Nothing is transmitted.", False
        return "Idle", "good", reason or "Torque is off.", False
    moving = state is LinkState.STREAMING
    if confirmed:
        motion = "It follows the references." if moving else "The joints hold their positions."
        return (
            ("Streaming" if moving else "Armed"),
            "danger",
            f"The robot reports that it is armed. {motion}",
            True,
        )
    if not telemetry.says_status:
        title = "Streaming" if moving else "Armed"
        return (
            f"{title} (not confirmed)",
            "danger",
            "This robot cannot report that it is armed.",
            True,
        )
    return "Not confirmed", "warning", "The robot does not report that it is armed.", False


def span_text(seconds: float) -> str:
    """Return the text of an age: 12 ms, 1.4 s, 3 min; a dash for never."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.9995:
        return f"{1e3 * max(seconds, 0.0):.0f} ms"
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds / 60:.0f} min"
