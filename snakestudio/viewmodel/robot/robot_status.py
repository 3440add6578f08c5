"""What is said of the robot at a glance: state, colour, one sentence. Plain functions of what the link knows.

The rule of it all: ARMED is said only while the robot itself says so, or cannot say anything at all
by its profile; never while there is no contact, whatever was heard before. And "stopped" is said
only of a robot that can be heard: one that fell silent with torque on may go on moving, whatever
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
"""Age of the link's own word at which nothing that it said is believed any more, s."""

LOST = "CONTACT LOST, MAY STILL MOVE"
"""Of a robot that had torque on when it was heard the last time, and is heard no more."""

_SENT = (
    "Nobody knows whether the stop arrived: keep clear, and switch the robot off by hand. Its own watchdog stops it "
    "where it has one."
)
_AT_REST = tuple(
    index for index, said in enumerate(MEANINGS) if said in ("booting", "ready", "stopped", "fault")
)
"""What a node says that has no torque; one that said something else, or never anything, may
have."""

_UNKNOWN = (
    "Nothing is known of the robot: its own watchdog stops it where it has one; switch "
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
    """The robot at a glance."""

    title: str
    """In a word or two, as large as it gets."""

    role: str
    """Colour in the palette. Red is kept for the robot that can move and for the one that was
    stopped by a fault."""

    sentence: str
    """What that means now."""

    armed: bool = False
    """Whether it may be shown as armed."""

    lost: bool = False
    """Whether it is `LOST`: torque was on, and it is not heard any more."""

    contact: bool = False
    """Whether the link speaks to us and has a bus."""

    heard: float = math.nan
    """Age of the newest thing that the robot said, s; NaN if it said nothing."""

    oldest: float = math.inf
    """Age of the joint angle that was heard the longest ago, s; infinite if one was never heard."""

    stale: bool = True
    """Whether that is older than the profile allows."""


NOT_CONNECTED = RobotStatus("Not connected", "dim", "Connect to a robot, or to an emulated one.")


def state_words(state: LinkState) -> str:
    """A state of the link in words."""
    return _WORDS[state]


def ages(telemetry: Telemetry, now: float) -> FloatArray:
    """Age of every axis' measured angle at `now` (s, monotonic), (m,) s; infinite for one never heard."""
    return np.where(np.isfinite(telemetry.angle_time), now - telemetry.angle_time, np.inf)


def heard_s(telemetry: Telemetry, now: float) -> float:
    """Age of the newest thing the robot said, s; NaN if it said nothing yet."""
    times = np.concatenate([telemetry.angle_time, telemetry.heartbeat_time])
    times = times[np.isfinite(times)]
    return max(0.0, now - float(times.max())) if len(times) else math.nan


def robot_status(
    telemetry: Telemetry | None, alive: bool, profile: Profile | None, now: float
) -> RobotStatus:
    """What to say of the robot.

    Parameters
    ----------
    telemetry : Telemetry or None
        The link's last word; None before the first.
    alive : bool
        Whether the link's process runs and its heartbeat is fresh.
    profile : Profile or None
        None: no robot is connected.
    now : float
        s, `time.monotonic()`.
    """
    if profile is None:
        return NOT_CONNECTED
    if telemetry is None:
        return RobotStatus("Connecting ...", "accent", "The link is starting.")
    heard = heard_s(telemetry, now)
    state = telemetry.state
    reason = telemetry.reason
    if not alive or now - telemetry.time > SILENT_S:
        why = reason if state is LinkState.DISCONNECTED and reason else "The link is silent."
        if _had_torque(telemetry):
            return RobotStatus(LOST, "danger", f"{why} {_SENT}", lost=True, heard=heard)
        return RobotStatus("No contact", "danger", f"{why} {_UNKNOWN}", heard=heard)
    if state is LinkState.DISCONNECTED or not telemetry.bus_open:
        said = reason or "The bus is not open."
        if _had_torque(telemetry):
            return RobotStatus(LOST, "danger", f"{said} {_SENT}", lost=True, heard=heard)
        if state is not LinkState.DISCONNECTED:  # it was open, and the link goes on trying
            said = f"{said} It is opened again by itself as soon as that can be."
        return RobotStatus("Disconnected", "warning", said, heard=heard)
    oldest = float(ages(telemetry, now).max())
    if _had_torque(telemetry, ~(now - telemetry.heartbeat_time <= profile.timing.lost_s), profile):
        said = f"{reason or 'The robot is silent.'} {_SENT}"
        return RobotStatus(LOST, "danger", said, False, True, True, heard, oldest, True)
    confirmed = telemetry.confirmed and heard <= profile.timing.lost_s
    title, role, sentence, armed = _said(telemetry, confirmed, reason)
    if telemetry.replay:
        was = title.removesuffix(" elsewhere")  # of a log nobody else is there to be warned of
        title = f"Replay · {was}"
        sentence = "A log is played as if it came from the robot; arming is impossible."
    return RobotStatus(
        title, role, sentence, armed, False, True, heard, oldest, oldest > profile.timing.stale_s
    )


def _had_torque(
    telemetry: Telemetry, silent: NDArray[np.bool_] | None = None, profile: Profile | None = None
) -> bool:
    """Whether the robot had torque on by all that was heard of it, or one of its `silent` nodes."""
    state = telemetry.state
    if state in (LinkState.ARMED, LinkState.STREAMING):
        return silent is None or bool(silent.any())
    if state is not LinkState.FAULT or telemetry.replay:
        return False
    may_have = ~np.isin(telemetry.meaning, _AT_REST)
    if silent is not None and profile is not None:
        gone = {node for node, is_silent in zip(profile.nodes, silent, strict=True) if is_silent}
        may_have = may_have & np.array([axis.node in gone for axis in profile.axes])
    return bool(may_have.any())


def _said(telemetry: Telemetry, confirmed: bool, reason: str) -> tuple[str, str, str, bool]:
    """Title, colour, sentence, and whether it is armed."""
    state = telemetry.state
    if state is LinkState.FAULT:
        armed = " It still says that it is armed: switch it off by hand." if confirmed else ""
        return "Stopped", "danger", f"{reason or 'The robot was stopped.'}{armed}", confirmed
    if state is LinkState.LISTENING or state is LinkState.IDLE:
        if confirmed:
            return (
                "Armed elsewhere",
                "danger",
                "The robot says that it is armed, and not by this program.",
                True,
            )
        if state is LinkState.LISTENING:
            return "Listening", "accent", "Nothing is sent: what is on the bus is only read.", False
        return "Idle", "good", reason or "Torque is off.", False
    moving = state is LinkState.STREAMING
    if confirmed:
        said = "It follows the references." if moving else "The joints hold where they stand."
        return (
            ("Streaming" if moving else "Armed"),
            "danger",
            f"The robot says that it is armed. {said}",
            True,
        )
    if not telemetry.says_status:
        title = "Streaming" if moving else "Armed"
        return (
            f"{title} (not confirmed)",
            "danger",
            "This robot cannot say by itself that it is armed.",
            True,
        )
    return "Not confirmed", "warning", "The robot does not say that it is armed.", False


def span_text(seconds: float) -> str:
    """An age as people read it: 12 ms, 1.4 s, 3 min; a dash for never."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.9995:
        return f"{1e3 * max(seconds, 0.0):.0f} ms"
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds / 60:.0f} min"
