"""Checks of a profile: its problems, those that forbid arming, and the checks of joints and axes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from snakestudio.errors import Problem, Severity
from snakestudio.link.profile.binding import AxisQuantity, BoundMessage, Layout, resolve
from snakestudio.link.profile.bus_load import message_loads, planned_load
from snakestudio.link.profile.check_frames import frame_problems
from snakestudio.link.profile.check_sequences import sequence_problems
from snakestudio.link.profile.dbc_references import without_dangling
from snakestudio.link.profile.expected import ASSUMED_S, LOST, ExpectedIntervals, interval_of
from snakestudio.link.profile.ids import overlap_problems
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import INCOMING, Axis, Limits, Profile, Quantity

_MOST_NAMED = 5
"""Number of a DBC's dangling statements that a message names."""

_BEAT_S = 0.05
"""Interval of the window's signs of life."""

_LONG_S = {
    "lost_s": 2.0,
    "window_timeout_s": 1.0,
    "reference_timeout_s": 1.0,
    "confirm_s": 10.0,
    "stale_s": 2.0,
}
"""Times of a profile above which a warning is given: for this long the robot continues before it is
stopped, or before the operator notices."""

_LONGEST_SILENCE_S = 10.0
"""Longest time until a limited quantity counts as lost without a warning."""

_CONSEQUENCES = {
    "lost_s": "after a joint or node stops reporting, the robot is still driven for {:g} s",
    "window_timeout_s": "after the window fails, the robot is still driven for {:g} s",
    "reference_timeout_s": "without new references, the robot is held for {:g} s before it is stopped",
    "confirm_s": "if the robot does not confirm a command, its torque may stay on for {:g} s",
    "stale_s": "values are shown as current for {:g} s after they were received",
}


def check(loaded: LoadedProfile) -> list[Problem]:
    """Return all problems of a profile, errors first."""
    layout = resolve(loaded)
    profile = loaded.profile
    problems = [
        *layout.problems,
        *_dbc_problems(loaded),
        *axis_problems(loaded, layout),
        *frame_problems(loaded, layout),
        *overlap_problems(loaded),
        *_timing_problems(profile),
        *_status_problems(profile),
        *_age_problems(profile),
        *sequence_problems(profile, layout),
        *_load_problems(profile, layout),
        *(
            Problem("warning", p.key, f"{p.message}, so arming is refused", p.remedy)
            for p in _unsafe(profile)
        ),
    ]
    order = {"error": 0, "warning": 1, "hint": 2}
    return sorted(dict.fromkeys(problems), key=lambda problem: order[problem.severity])


def arming_problems(loaded: LoadedProfile) -> list[Problem]:
    """Return what prevents arming: all errors, and missing stop frames, heartbeats or limited quantities."""
    return [
        *(problem for problem in check(loaded) if problem.severity == "error"),
        *_unsafe(loaded.profile),
    ]


def _dbc_problems(loaded: LoadedProfile) -> Iterator[Problem]:
    _, dangling = without_dangling(loaded.dbc_text)
    if dangling:
        others = f" and {len(dangling) - _MOST_NAMED} more" if len(dangling) > _MOST_NAMED else ""
        named = ", ".join(dangling[:_MOST_NAMED])
        what = f"{loaded.profile.dbc} has statements about undefined items ({named}{others}), which are ignored"
        yield Problem(
            "warning",
            "dbc",
            what,
            "remove them, or restore the messages and signals",
        )


def _unsafe(profile: Profile) -> Iterator[Problem]:
    idle = {m.called for m in profile.messages if m.role in ("host_heartbeat", "request", "sync")}
    if not any(
        step.raw is not None or step.send not in {None, *idle} for step in profile.sequences.stop
    ):
        yield Problem(
            "error",
            "sequences.stop",
            "nothing stops the robot",
            "add the frames that switch its torque off",
        )
    if not any(message.role == "heartbeat" for message in profile.messages):
        what = "no message shows that the robot is alive"
        yield Problem(
            "error",
            "messages",
            what,
            "give a message that its nodes send regularly the role heartbeat",
        )
    yield from _unwatched(profile)


def _timing_problems(profile: Profile) -> Iterator[Problem]:
    timing = profile.timing
    period = 1.0 / timing.set_point_rate_hz
    if timing.lost_s < timing.stale_s:
        what = f"{timing.lost_s:g} s is less than stale_s = {timing.stale_s:g} s"
        yield Problem(
            "error",
            "timing.lost_s",
            what,
            "increase it, because values become stale before they are lost",
        )
    if timing.reference_timeout_s < period:
        what = (
            f"{timing.reference_timeout_s:g} s is less than the {period:g} s between two set-points"
        )
        yield Problem(
            "error",
            "timing.reference_timeout_s",
            what,
            "increase it or set_point_rate_hz",
        )
    for name, most in _LONG_S.items():
        if (value := getattr(timing, name)) > most:
            yield Problem(
                "warning",
                f"timing.{name}",
                _CONSEQUENCES[name].format(value),
                f"set it to {most:g} s or less",
            )
    if timing.window_timeout_s < 2 * _BEAT_S:
        what = f"{timing.window_timeout_s:g} s is less than twice the {_BEAT_S:g} s between signs of life of the window"
        yield Problem(
            "warning", "timing.window_timeout_s", what, f"set it to at least {3 * _BEAT_S:g} s"
        )
    for index, message in enumerate(profile.messages):
        key = f"messages[{index + 1}].every_s"
        if message.role in ("request", "host_heartbeat") and message.every_s is None:
            yield Problem(
                "error",
                key,
                f"{message.called} has no interval",
                "set every_s to how often it is sent",
            )
        if message.role == "heartbeat" and message.every_s is None:
            what = f"{message.called} has no interval"
            yield Problem(
                "warning",
                key,
                what,
                "set every_s to how often it is sent, so that the timeouts can be checked",
            )
        if message.role not in ("feedback", "heartbeat") or message.every_s is None:
            continue
        # Timeouts apply to angles and heartbeats; other values (temperatures) may be slow on purpose.
        watched = message.role == "heartbeat" or any(s.quantity == "angle" for s in message.signals)
        if not watched:
            continue
        if timing.lost_s <= message.every_s:
            what = f"{timing.lost_s:g} s is not longer than the {message.every_s:g} s interval of {message.called}"
            yield Problem("error", "timing.lost_s", what, "set it to at least twice the interval")
        elif timing.stale_s <= message.every_s:
            what = f"{timing.stale_s:g} s is not longer than the {message.every_s:g} s interval of {message.called}"
            yield Problem("error", "timing.stale_s", what, "set it to at least twice the interval")
        elif timing.lost_s < 2 * message.every_s:
            what = f"a single missing {message.called} stops the robot, because its interval is {message.every_s:g} s"
            yield Problem(
                "warning", "timing.lost_s", what, f"set it to at least {2 * message.every_s:g} s"
            )
    if profile.emulation.watchdog_s <= period:
        what = f"{profile.emulation.watchdog_s:g} s is not longer than the {period:g} s between two set-points"
        yield Problem(
            "warning",
            "emulation.watchdog_s",
            what,
            "increase it, because an emulated node would always stop",
        )
    elif profile.emulation.watchdog_s > _LONG_S["lost_s"]:
        what = f"nodes keep moving for {profile.emulation.watchdog_s:g} s without set-points"
        remedy = f"set it to {_LONG_S['lost_s']:g} s or less, also in the firmware"
        yield Problem(
            "warning",
            "emulation.watchdog_s",
            what,
            f"{remedy}, because nothing else stops them if the link fails",
        )


def _status_problems(profile: Profile) -> Iterator[Problem]:
    carried = {
        signal.quantity
        for message in profile.messages
        for signal in message.signals
        if message.role in ("feedback", "heartbeat")
    }
    meanings = {status.meaning for status in profile.status}
    if "status" not in carried:
        what = "the robot never reports whether it is armed"
        yield Problem(
            "warning",
            "status",
            what,
            "bind a status signal if it has one, because nothing else can confirm arming",
        )
    elif "armed" not in meanings:
        yield Problem(
            "error",
            "status",
            "no status value means armed",
            "add the value that the robot reports with torque on",
        )
    for index, status in enumerate(profile.status):
        if status.code & ~status.mask and status.mask != 2**32 - 1:
            what = f"code {status.code} has bits outside mask {status.mask}, so it never matches"
            yield Problem(
                "error", f"status[{index + 1}].code", what, "correct the code or the mask"
            )
        for before, other in enumerate(profile.status[:index]):
            both = status.mask & other.mask
            if other.mask == both and (status.code ^ other.code) & both == 0:
                what = f"status[{before + 1}] always matches before this one"
                yield Problem(
                    "warning",
                    f"status[{index + 1}]",
                    what,
                    "move the one whose mask has more bits up",
                )
    if profile.errors and "error" not in carried:
        yield Problem(
            "warning",
            "errors",
            "no signal carries errors",
            "bind a signal with the quantity error, or remove the list of errors",
        )


_STANDS_ON: tuple[tuple[str, Quantity], ...] = (
    ("max_current_a", "current"),
    ("max_temperature_c", "temperature"),
    ("min_voltage_v", "voltage"),
)
"""The quantity that each limit applies to."""


def _unwatched(profile: Profile) -> Iterator[Problem]:
    """Check that each axis with a limit reports the limited quantity."""
    reports = ExpectedIntervals(profile).reports
    for limit, quantity in _STANDS_ON:
        shared = getattr(profile.limits, limit)
        without = [
            (index, axis)
            for index, axis in enumerate(profile.axes)
            if not reports[quantity][index]
            and (shared is not None or getattr(axis, limit) is not None)
        ]
        if not without:
            continue
        index, axis = without[0]
        every = len(without) == len(profile.axes)
        more = "" if len(without) == 1 else f" (and {len(without) - 1} more)"
        of = "" if every else f" of {axis.name}{more}"
        key = f"limits.{limit}" if getattr(axis, limit) is None else f"axes[{index + 1}].{limit}"
        what = f"no signal carries the {quantity}{of}, so this limit is never reached"
        yield Problem("error", key, what, f"bind a signal for the {quantity}, or remove the limit")


def _age_problems(profile: Profile) -> Iterator[Problem]:
    """Check that limited quantities have an interval, and are also requested while the robot moves."""
    requests = {m.message: m for m in profile.messages if m.role == "request"}
    for limit, quantity in _STANDS_ON:
        if getattr(profile.limits, limit) is None and all(
            getattr(axis, limit) is None for axis in profile.axes
        ):
            continue
        for index, message in enumerate(profile.messages):
            if message.role not in INCOMING or all(
                signal.quantity != quantity for signal in message.signals
            ):
                continue
            key = f"messages[{index + 1}].every_s"
            request = requests.get(message.message)
            if message.every_s is None and request is not None and request.when == "idle":
                what = f"{request.called} requests the {quantity} only while no set-points are sent"
                remedy = "set it to always, because the limit would stop the robot"
                yield Problem(
                    "warning", f"messages[{profile.messages.index(request) + 1}].when", what, remedy
                )
            elif (every := interval_of(profile, message)) is None:
                what = f"{message.called} has no interval, but a limit applies to its {quantity}"
                yield Problem(
                    "warning",
                    key,
                    what,
                    f"set every_s to its interval ({ASSUMED_S:g} s is assumed)",
                )
            elif message.when != "change" and (silent := LOST * every) > _LONGEST_SILENCE_S:
                what = f"if the {quantity}, which has a limit, is not reported, the robot stops only after {silent:g} s"
                remedy = f"have it sent at least every {_LONGEST_SILENCE_S / LOST:g} s"
                yield Problem("warning", key, what, remedy)


def _load_problems(profile: Profile, layout: Layout) -> Iterator[Problem]:
    if layout.problems:
        return  # the load would be known in part only
    load = planned_load(profile, layout.bound)
    if load <= profile.timing.max_bus_load:
        return
    shares: Sequence[tuple[float, str]] = sorted(
        (
            (message_load.load, message_load.message.called)
            for message_load in message_loads(profile, layout.bound)
        ),
        reverse=True,
    )
    most = ", ".join(f"{name} {100 * part:.0f} %" for part, name in shares[:3])
    what = (
        f"the traffic takes {100 * load:.0f} % of the bus at {profile.bus.bitrate} bit/s ({most})"
    )
    remedy = (
        "decrease set_point_rate_hz or the rate of feedback, or increase the bit rate of the bus"
    )
    if load > 1.0:
        yield Problem("error", "timing.set_point_rate_hz", what, remedy)
    else:
        more = f"{what}, more than max_bus_load = {profile.timing.max_bus_load:g}"
        yield Problem("error", "timing.max_bus_load", more, remedy)


def axis_problems(loaded: LoadedProfile, layout: Layout) -> Iterator[Problem]:
    """Return the problems of the axes."""
    profile = loaded.profile
    yield from _duplicate_axes(profile)
    yield from _limits(profile)
    if not layout.problems:  # messages that could not be resolved would be reported as missing
        yield from _coverage(profile, layout)
        yield from _reach(profile, layout)


def _duplicate_axes(profile: Profile) -> Iterator[Problem]:
    joints: dict[tuple[int, str], int] = {}
    slots: dict[tuple[int, int], int] = {}
    for index, axis in enumerate(profile.axes):
        key = f"axes[{index + 1}]"
        first = joints.setdefault((axis.joint, axis.axis), index)
        if first != index:
            what = f"{axis.name} is axes[{first + 1}] already"
            yield Problem("error", f"{key}.joint", what, "change its joint or axis, or remove it")
        first = slots.setdefault((axis.node, axis.slot), index)
        if first != index:
            what = f"slot {axis.slot} of node {axis.node} moves {profile.axes[first].name} already"
            yield Problem("error", f"{key}.slot", what, "change its node or slot")
    present = {axis.joint for axis in profile.axes}
    missing = [joint for joint in range(1, profile.n_joints) if joint not in present]
    if missing:
        names = ", ".join(str(joint) for joint in missing[:8]) + (
            " ..." if len(missing) > 8 else ""
        )
        what = f"joint {names} has no axis" if len(missing) == 1 else f"joints {names} have no axis"
        yield Problem(
            "warning",
            "axes",
            what,
            "number the joints without gaps, unless these joints are fixed",
        )


def _limits(profile: Profile) -> Iterator[Problem]:
    limits = profile.limits
    if limits.min_deg >= limits.max_deg:
        what = f"{limits.min_deg:g}° is not below max_deg = {limits.max_deg:g}°"
        yield Problem("error", "limits.min_deg", what, "set it to the smaller angle")
    for index, axis in enumerate(profile.axes):
        low, high = _own_limits(axis, limits)
        if low >= high and not (axis.min_deg is None and axis.max_deg is None):
            name = "min_deg" if axis.min_deg is not None else "max_deg"
            what = f"{axis.name} has the limits {low:g}° to {high:g}°"
            yield Problem(
                "error", f"axes[{index + 1}].{name}", what, "set min_deg to the smaller angle"
            )


def _own_limits(axis: Axis, limits: Limits) -> tuple[float, float]:
    low = limits.min_deg if axis.min_deg is None else axis.min_deg
    return low, limits.max_deg if axis.max_deg is None else axis.max_deg


def _coverage(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Check that each axis gets its set-point angle by one frame and reports its angle."""
    for roles, what, remedy in (
        (("set_point",), "gets no set-point angle", "bind a signal of a set_point message to it"),
        (
            ("feedback", "heartbeat"),
            "never reports its angle",
            "bind a signal of a feedback message to it",
        ),
    ):
        count = Counter(
            carried.axis
            for bound in layout.bound
            for carried in bound.carried
            if bound.message.role in roles and carried.quantity == "angle"
        )
        without = [index for index in range(len(profile.axes)) if not count[index]]
        if without:
            key = "messages" if len(without) == len(profile.axes) else f"axes[{without[0] + 1}]"
            yield Problem("error", key, f"{_named(profile, without)} {what}", remedy)
        twice = (
            [index for index in range(len(profile.axes)) if count[index] > 1]
            if roles == ("set_point",)
            else []
        )
        if twice:
            what = f"{_named(profile, twice)} gets its set-point angle from several frames"
            yield Problem("error", "messages", what, "remove all but one")


def _named(profile: Profile, indices: list[int]) -> str:
    if len(indices) == len(profile.axes) and len(indices) > 1:
        return "every axis"
    more = "" if len(indices) == 1 else f" (and {len(indices) - 1} more)"
    return f"{profile.axes[indices[0]].name}{more}"


def _reach(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Check that signals can hold the limits; one problem per signal, for its first axis."""
    too_narrow: dict[tuple[int, str], tuple[BoundMessage, AxisQuantity, int]] = {}
    for bound in layout.bound:
        for carried in bound.carried:
            if (
                carried.axis >= 0
                and carried.quantity in ("angle", "rate")
                and not _holds(profile, carried)
            ):
                which = bound.index, carried.field.name
                first = too_narrow.get(which)
                too_narrow[which] = (
                    (bound, carried, 1) if first is None else (first[0], first[1], first[2] + 1)
                )
    for bound, carried, count in too_narrow.values():
        axis = profile.axes[carried.axis]
        low, high = _range(carried)
        more = "" if count == 1 else f" (and {count - 1} more)"
        at = next(i for i, s in enumerate(bound.message.signals) if s.signal == carried.field.name)
        key = f"messages[{bound.index + 1}].signals[{at + 1}]"
        who = f"{bound.message.called}.{carried.field.name} holds"
        if carried.quantity == "angle":
            least, most = _own_limits(axis, profile.limits)
            reach = f"{low:.4g}° to {high:.4g}° of {axis.name}{more}, whose limits are {least:g}° and {most:g}°"
        else:
            rate = _own_rate(axis, profile.limits)
            reach = f"{low:.4g}°/s to {high:.4g}°/s of {axis.name}{more}, whose rate limit is {rate:g}°/s"
        severity: Severity = "warning"
        if carried.quantity == "angle" and bound.message.role == "set_point":
            severity = "error"
        yield Problem(
            severity, key, f"{who} {reach}", "narrow the limits, or correct its scale or range"
        )


def _own_rate(axis: Axis, limits: Limits) -> float:
    return limits.max_rate_deg_per_s if axis.max_rate_deg_per_s is None else axis.max_rate_deg_per_s


def _range(carried: AxisQuantity) -> tuple[float, float]:
    """Return the least and largest value that a signal can hold, in degrees (or degrees per second) of the joint."""
    ends = sorted(
        math.degrees(carried.factor * carried.field.physical(raw) + carried.offset)
        for raw in (carried.field.low, carried.field.high)
    )
    return ends[0], ends[1]


def _holds(profile: Profile, carried: AxisQuantity) -> bool:
    axis = profile.axes[carried.axis]
    low, high = _range(carried)
    step = abs(math.degrees(carried.factor * carried.field.scale))
    if carried.quantity == "rate":
        rate = _own_rate(axis, profile.limits)
        least = -rate
        most = rate
    else:
        least, most = _own_limits(axis, profile.limits)
    return low - step <= least and most <= high + step
