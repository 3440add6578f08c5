"""Checks before arming and while torque is on.

`Readiness` returns messages with remedies: the robot can be armed only if there are none.
`Supervisor` calls all checks that can stop the robot in one place and in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.link.core.arrivals import Arrivals
from snakestudio.link.core.foreign_master import ForeignMaster
from snakestudio.link.core.limited import LimitMonitor
from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.plausibility import PlausibilityChecks
from snakestudio.link.core.text import age, axis_names, node_names
from snakestudio.link.core.watchdogs import Loss, Watchdogs
from snakestudio.link.messages import MEANINGS, LinkState
from snakestudio.link.profile.schema import Profile, StatusMeaning
from snakestudio.text import capitalized

_STATES = {
    LinkState.DISCONNECTED: "No bus is open. Connect first.",
    LinkState.LISTENING: "The link only listens. Enable transmission first.",
    LinkState.ARMED: "The robot is already armed.",
    LinkState.STREAMING: "The robot is already armed.",
}

_STATUS_REASONS: dict[StatusMeaning, str] = {
    "booting": "Still starting. Wait until it is ready.",
    "stopping": "Stopping by itself or by another program. Wait until its torque is off, or press Stop.",
    "stopped": "Stopped by itself or by another program. Reset it.",
    "fault": "{text}. Remove the cause, and reset it.",
    "armed": "Armed, but not by SnakeStudio. Stop it from the program that armed it, or here.",
}


def refused_plugins(profile: Profile, plugins: Sequence[str]) -> tuple[str, ...]:
    """Return messages why plug-ins (by name) must not drive the robot of a profile; () if they may."""
    return tuple(
        f'The profile of the robot does not allow the plug-in "{name}" to drive it. Add "{name}" to '
        "plugins.allowed in the profile, or choose another gait or controller."
        for name in plugins
        if name not in profile.plugins.allowed
    )


_MOVED = math.radians(5.0)
"""A joint that moves by more than this and the margin of its limits during arming is not at its
set-point."""

_REPLAYED = "A log is being replayed. Connect to the robot itself."


class Readiness:
    """Checks everything that arming depends on.

    Parameters
    ----------
    problems : sequence of Problem
        Problems of the profile that prevent arming.
    replay : bool
        Whether the bus is a replayed log.
    """

    def __init__(
        self,
        profile: Profile,
        limits: AxisLimits,
        node_states: NodeStates,
        plausibility: PlausibilityChecks,
        watchdogs: Watchdogs,
        arrivals: Arrivals,
        limited: LimitMonitor,
        foreign_master: ForeignMaster,
        problems: Sequence[Problem],
        replay: bool,
    ) -> None:
        self._profile = profile
        self._limits = limits
        self._node_states = node_states
        self._plausibility = plausibility
        self._watchdogs = watchdogs
        self._arrivals = arrivals
        self._limited = limited
        self._foreign_master = foreign_master
        self._always = tuple(problem.sentence() for problem in problems)
        self._replay = replay

    def reasons(
        self, now: float, state: LinkState, *, bus_load: float, busy: str, stopped: str
    ) -> tuple[str, ...]:
        """Return messages about what prevents arming.

        Parameters
        ----------
        now : float
            s.
        bus_load : float
            0 to 1.
        busy : str
            Description of the running sequence; "" if there is none.
        stopped : str
            Why the link is in FAULT.
        """
        if self._replay:  # other problems of a log cannot be fixed now
            return (_REPLAYED,)
        if state in (
            LinkState.ARMED,
            LinkState.STREAMING,
        ):  # the status of the nodes follows from this state
            return (_STATES[state],)
        reasons = list(self._always)
        if state in _STATES:
            reasons.append(_STATES[state])
        elif state is LinkState.FAULT:
            reasons.append(f"The robot was stopped: {stopped} Reset it first.")
        if busy:
            reasons.append(f"{busy}. Wait until this has finished.")
        if state is not LinkState.DISCONNECTED:
            if foreign := self._foreign_master.reason(now):
                reasons.append(foreign)
            reasons += self._robot(now)
            reasons += self._bus(now, bus_load)
        if self._watchdogs.window_silent(now):
            reasons.append(
                "The program that drives the robot gives no sign of life. Wait until it responds."
            )
        return tuple(reasons)

    def _robot(self, now: float) -> Iterator[str]:
        profile = self._profile
        node_states = self._node_states
        stale = self._profile.timing.stale_s
        if (never := np.isnan(node_states.angle_time)).any():
            names = axis_names(profile.axes, never)
            yield f"No feedback of {names} yet. Check that the robot is switched on and that this is its profile."
        ages = now - node_states.angle_time
        old = ages > stale
        if old.any():
            names = axis_names(profile.axes, old)
            yield f"The feedback of {names} is {age(float(ages[old].max()))} old. Check its cable."
        nodes = np.array(profile.nodes)
        what = "heartbeat" if node_states.has_heartbeat else "frame"
        ages = now - node_states.heartbeat_time
        if (silent := np.isnan(ages)).any():
            yield f"No {what} of {node_names(nodes[silent])} yet. Check that it is switched on."
        # A heartbeat with an interval of a second must not count as old in between.
        if (old := ages > max(stale, profile.timing.lost_s)).any():
            yield (
                f"The last {what} of {node_names(nodes[old])} is {age(float(ages[old].max()))} old. Check cable and"
                " supply."
            )
        yield from self._status_reasons(now)
        beyond = self._plausibility.beyond()
        for index in np.flatnonzero(beyond)[:3]:
            stands = np.degrees(node_states.values["angle"][index])
            yield (
                f"{profile.axes[index].name.capitalize()} is at {stands:.1f}°, beyond its limits of"
                f" {self._limits.text(int(index))}. Move it back by hand."
            )
        if (hot := self._plausibility.hot()).any():
            names = axis_names(profile.axes, hot).capitalize()
            exceed = "exceeds its" if hot.sum() == 1 else "exceed their"
            yield f"{names} {exceed} temperature limit. Let the motors cool down."
        if (starved := self._plausibility.starved()).any():
            names = axis_names(profile.axes, starved).capitalize()
            have = "has" if starved.sum() == 1 else "have"
            yield f"{names} {have} too low a voltage. Charge or change the battery."
        yield from self._limited.reasons(now)
        if (torn := self._plausibility.torn(now)).any():
            names = axis_names(profile.axes, torn)
            have = "has" if torn.sum() == 1 else "have"
            yield f"{names.capitalize()} {have} two different answers. Give each node its own number."

    def _status_reasons(self, now: float) -> Iterator[str]:
        profile = self._profile
        node_states = self._node_states
        if node_states.has_status:
            ages = now - node_states.status_time
            if (silent := ~(ages <= max(profile.timing.stale_s, profile.timing.lost_s))).any():
                yield f"No status of {axis_names(profile.axes, silent)} recently. Check that its node sends it."
            for meaning, template in _STATUS_REASONS.items():
                yield from self._each_node(node_states.reports(meaning) & ~silent, template)
            unknown = (node_states.meaning == MEANINGS.index(None)) & ~silent
            yield from self._each_node(unknown, "{text}. Add it to the profile's status values.")
        else:
            silent = np.zeros(len(profile.axes), bool)
        failing = (node_states.relevant_errors() != 0) & ~node_states.reports("fault")
        yield from self._each_node(failing, "{text}. Remove the cause, and reset it.")

    def _each_node(
        self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], template: str
    ) -> Iterator[str]:
        first: dict[int, int] = {}
        for index in np.flatnonzero(chosen):
            first.setdefault(self._profile.axes[index].node, int(index))
        by_text: dict[str, list[int]] = {}
        for node, axis in first.items():
            by_text.setdefault(template.format(text=self._node_states.text(axis)), []).append(node)
        for text, nodes in by_text.items():
            who = node_names(nodes)
            yield f"{who.capitalize()}: {capitalized(text)}"

    def _bus(self, now: float, bus_load: float) -> Iterator[str]:
        most = self._profile.timing.max_bus_load
        if bus_load > most:
            yield (
                f"The bus load is {100 * bus_load:.0f} %, more than the {100 * most:.0f} % allowed."
                " Send less often, or increase the bit rate."
            )
        if self._arrivals.unreadable_too_often(now):
            remedy = self._arrivals.remedy_unreadable
            yield f"Many frames cannot be read{remedy}. The last one: {self._arrivals.why_unreadable}"
        if now - self._watchdogs.sending_fails_since > 0.0:
            yield "Frames cannot be sent. Check that the robot is on the bus, and that the bit rate is correct."
        yield from self._arrivals.problems.values()


class Supervisor:
    """Checks watchdogs, frames and measurements while torque is on."""

    def __init__(
        self,
        limits: AxisLimits,
        node_states: NodeStates,
        watchdogs: Watchdogs,
        arrivals: Arrivals,
        plausibility: PlausibilityChecks,
        limited: LimitMonitor,
    ) -> None:
        self._limits = limits
        self._node_states = node_states
        self._watchdogs = watchdogs
        self._arrivals = arrivals
        self._plausibility = plausibility
        self._limited = limited

    def begin(self, now: float) -> None:
        """Start all checks when the torque is switched on at `now` (s)."""
        self._watchdogs.begin(now)
        self._plausibility.start()
        self._limited.begin()

    def check(
        self, now: float, state: LinkState, doing: str, set_points: FloatArray
    ) -> Loss | None:
        """Return the first reason to stop the robot; None if there is none.

        Parameters
        ----------
        now : float
            s.
        doing : str
            Running sequence, "arm" or "disarm"; "" if there is none.
        set_points : (m,) array
            Last set-points of the axes, rad.
        """
        streaming = state is LinkState.STREAMING
        loss = self._watchdogs.check(now, streaming=streaming, settling=bool(doing))
        if loss is None and self._arrivals.unreadable_too_often(now):
            why = self._arrivals.why_unreadable
            loss = Loss("decode", f"Too much on the bus could not be read within a second. {why}")
        if loss is None and doing == "arm":
            loss = self._moved(set_points)
        return (
            loss
            or self._plausibility.check(now, set_points, streaming=streaming)
            or self._limited.check(now)
        )

    def _moved(self, held: FloatArray) -> Loss | None:
        moved = np.abs(self._node_states.values["angle"] - held) > max(_MOVED, self._limits.margin)
        if not moved.any():
            return None
        names = axis_names(self._limits.axes, moved)
        return Loss("limit", f"{names.capitalize()} moved while the robot was being armed.")
