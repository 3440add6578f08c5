"""What is wrong or doubtful about a profile, in words, and what forbids arming; of joints and axes, here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from snakestudio.errors import Problem, Severity
from snakestudio.link.profile.binding import Bound, Carried, Layout, resolve
from snakestudio.link.profile.bus_load import planned_load, planned_shares
from snakestudio.link.profile.check_frames import frame_problems
from snakestudio.link.profile.check_sequences import sequence_problems
from snakestudio.link.profile.dbc_references import without_dangling
from snakestudio.link.profile.expected import ASSUMED_S, LOST, Expected, interval_of
from snakestudio.link.profile.ids import overlap_problems
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import INCOMING, Axis, Limits, Profile, Quantity

_MOST_NAMED = 5
"""Statements of a DBC that are named."""

_BEAT_S = 0.05
"""How often the program's window says that it lives."""

_LONG_S = {
    "lost_s": 2.0,
    "window_timeout_s": 1.0,
    "reference_timeout_s": 1.0,
    "confirm_s": 10.0,
    "stale_s": 2.0,
}
"""Times of a profile beyond which they are remarked: so long the robot goes on before somebody
stops it, or is told."""

_LONGEST_SILENCE_S = 10.0
"""Age at which what a limit stands on counts as lost, beyond which it is remarked."""

_GOES_ON = {
    "lost_s": "a joint or a node that fell silent is driven on for {:g} s",
    "window_timeout_s": "a robot whose window is gone is driven on for {:g} s",
    "reference_timeout_s": "a robot that gets no references any more is held for {:g} s before it is stopped",
    "confirm_s": "a robot that does not do as it is told is waited for {:g} s with its torque on",
    "stale_s": "what is {:g} s old is shown as if it were so now",
}


def check(loaded: LoadedProfile) -> list[Problem]:
    """Every finding about a profile, errors first."""
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
    """What keeps a robot of this profile from ever being armed: its mistakes, and what would leave it unwatched."""
    return [
        *(problem for problem in check(loaded) if problem.severity == "error"),
        *_unsafe(loaded.profile),
    ]


def _dbc_problems(loaded: LoadedProfile) -> Iterator[Problem]:
    _, dangling = without_dangling(loaded.dbc_text)
    if dangling:
        others = f" and {len(dangling) - _MOST_NAMED} more" if len(dangling) > _MOST_NAMED else ""
        named = ", ".join(dangling[:_MOST_NAMED])
        what = f"{loaded.profile.dbc} has statements about what it does not define ({named}{others}), which are ignored"
        yield Problem(
            "warning",
            "dbc",
            what,
            "remove them, or restore the messages and signals that they are about",
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
            "say which frames switch its torque off",
        )
    if not any(message.role == "heartbeat" for message in profile.messages):
        what = "nothing says that the robot is alive"
        yield Problem(
            "error", "messages", what, "give what its nodes send regularly the role heartbeat"
        )
    yield from _unwatched(profile)


def _timing_problems(profile: Profile) -> Iterator[Problem]:
    timing = profile.timing
    period = 1.0 / timing.set_point_rate_hz
    if timing.lost_s < timing.stale_s:
        what = f"{timing.lost_s:g} s is before stale_s = {timing.stale_s:g} s"
        yield Problem(
            "error", "timing.lost_s", what, "what is lost was stale before: give it a later time"
        )
    if timing.reference_timeout_s < period:
        what = (
            f"{timing.reference_timeout_s:g} s is less than the {period:g} s between two set-points"
        )
        yield Problem(
            "error",
            "timing.reference_timeout_s",
            what,
            "make it longer, or set_point_rate_hz larger",
        )
    for name, most in _LONG_S.items():
        if (given := getattr(timing, name)) > most:
            yield Problem(
                "warning",
                f"timing.{name}",
                _GOES_ON[name].format(given),
                f"give {most:g} s or less",
            )
    if timing.window_timeout_s < 2 * _BEAT_S:
        what = f"{timing.window_timeout_s:g} s is less than two of the window's signs of life, {_BEAT_S:g} s apart"
        yield Problem(
            "warning", "timing.window_timeout_s", what, f"give at least {3 * _BEAT_S:g} s"
        )
    for index, message in enumerate(profile.messages):
        key = f"messages[{index + 1}].every_s"
        if message.role in ("request", "host_heartbeat") and message.every_s is None:
            yield Problem(
                "error",
                key,
                f"nobody says how often {message.called} is sent",
                "give it an interval",
            )
        if message.role == "heartbeat" and message.every_s is None:
            what = f"nobody says how often {message.called} comes"
            yield Problem(
                "warning",
                key,
                what,
                "give its interval, so that the timeouts can be held against it",
            )
        if message.role not in ("feedback", "heartbeat") or message.every_s is None:
            continue
        # What comes slowly on purpose (temperatures) is not what its age is watched of.
        watched = message.role == "heartbeat" or any(s.quantity == "angle" for s in message.signals)
        if not watched:
            continue
        if timing.lost_s <= message.every_s:
            what = f"{timing.lost_s:g} s is no longer than the {message.every_s:g} s between two {message.called}"
            yield Problem("error", "timing.lost_s", what, "make it at least twice as long")
        elif timing.stale_s <= message.every_s:
            what = f"{timing.stale_s:g} s is no longer than the {message.every_s:g} s between two {message.called}"
            yield Problem("error", "timing.stale_s", what, "make it at least twice as long")
        elif timing.lost_s < 2 * message.every_s:
            what = f"one missing {message.called} stops the robot: they come every {message.every_s:g} s"
            yield Problem(
                "warning", "timing.lost_s", what, f"give at least {2 * message.every_s:g} s"
            )
    if profile.emulation.watchdog_s <= period:
        what = f"{profile.emulation.watchdog_s:g} s is no longer than the {period:g} s between two set-points"
        yield Problem(
            "warning",
            "emulation.watchdog_s",
            what,
            "make it longer: an emulated node would always stop",
        )
    elif profile.emulation.watchdog_s > _LONG_S["lost_s"]:
        what = f"nodes go on for {profile.emulation.watchdog_s:g} s without set-points"
        remedy = f"give {_LONG_S['lost_s']:g} s or less, and the firmware the same"
        yield Problem(
            "warning",
            "emulation.watchdog_s",
            what,
            f"{remedy}: nothing else stops them when the link dies",
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
        what = "the robot never says whether it is armed"
        yield Problem(
            "warning",
            "status",
            what,
            "bind a status signal if it has one; nothing can confirm arming else",
        )
    elif "armed" not in meanings:
        yield Problem(
            "error",
            "status",
            "no status value means armed",
            "say which one the robot has with torque on",
        )
    for index, status in enumerate(profile.status):
        if status.code & ~status.mask and status.mask != 2**32 - 1:
            what = (
                f"code {status.code} has bits that mask {status.mask} leaves out, so it never comes"
            )
            yield Problem("error", f"status[{index + 1}].code", what, "mend the code or the mask")
        for before, other in enumerate(profile.status[:index]):
            both = status.mask & other.mask
            if other.mask == both and (status.code ^ other.code) & both == 0:
                what = f"status[{before + 1}] is found first whatever this one says"
                yield Problem(
                    "warning", f"status[{index + 1}]", what, "put the one with more bits first"
                )
    if profile.errors and "error" not in carried:
        yield Problem(
            "warning",
            "errors",
            "no signal carries errors",
            "bind the one that does, or leave these out",
        )


_STANDS_ON: tuple[tuple[str, Quantity], ...] = (
    ("max_current_a", "current"),
    ("max_temperature_c", "temperature"),
    ("min_voltage_v", "voltage"),
)
"""Limits, and the quantity that each of them stands on."""


def _unwatched(profile: Profile) -> Iterator[Problem]:
    """Limits of axes that never say what is limited."""
    said = Expected(profile).said
    for limit, quantity in _STANDS_ON:
        shared = getattr(profile.limits, limit)
        without = [
            (index, axis)
            for index, axis in enumerate(profile.axes)
            if not said[quantity][index]
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
        yield Problem(
            "error", key, what, f"bind a signal for the {quantity}, or leave the limit out"
        )


def _age_problems(profile: Profile) -> Iterator[Problem]:
    """Limits whose quantity comes nobody knows how often, or not while the robot moves."""
    asked = {m.message: m for m in profile.messages if m.role == "request"}
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
            request = asked.get(message.message)
            if message.every_s is None and request is not None and request.when == "idle":
                what = f"{request.called} asks for the {quantity} only while no set-points are sent"
                remedy = "a limit stands on it, so the robot would be stopped: ask always"
                yield Problem(
                    "warning", f"messages[{profile.messages.index(request) + 1}].when", what, remedy
                )
            elif (every := interval_of(profile, message)) is None:
                what = f"nobody says how often {message.called} comes, on whose {quantity} a limit stands"
                yield Problem(
                    "warning",
                    key,
                    what,
                    f"give its interval; {ASSUMED_S:g} s is taken for it meanwhile",
                )
            elif message.when != "change" and (silent := LOST * every) > _LONGEST_SILENCE_S:
                what = f"a limit stands on the {quantity}, whose silence stops the robot after {silent:g} s only"
                remedy = f"have it sent every {_LONGEST_SILENCE_S / LOST:g} s or more often"
                yield Problem("warning", key, what, remedy)


def _load_problems(profile: Profile, layout: Layout) -> Iterator[Problem]:
    if layout.problems:
        return  # it could only be told in part
    load = planned_load(profile, layout.bound)
    if load <= profile.timing.max_bus_load:
        return
    shares: Sequence[tuple[float, str]] = sorted(
        ((share.load, share.message.called) for share in planned_shares(profile, layout.bound)),
        reverse=True,
    )
    most = ", ".join(f"{name} {100 * part:.0f} %" for part, name in shares[:3])
    what = (
        f"the traffic takes {100 * load:.0f} % of the bus at {profile.bus.bitrate} bit/s ({most})"
    )
    remedy = "lower set_point_rate_hz or the rate of feedback, or raise the bus's bit rate"
    if load > 1.0:
        yield Problem("error", "timing.set_point_rate_hz", what, remedy)
    else:
        more = f"{what}, more than max_bus_load = {profile.timing.max_bus_load:g}"
        yield Problem("error", "timing.max_bus_load", more, remedy)


def axis_problems(loaded: LoadedProfile, layout: Layout) -> Iterator[Problem]:
    """What is wrong with the axes."""
    profile = loaded.profile
    yield from _who_is_who(profile)
    yield from _limits(profile)
    if not layout.problems:  # what could not be worked out would be found missing here
        yield from _coverage(profile, layout)
        yield from _reach(profile, layout)


def _who_is_who(profile: Profile) -> Iterator[Problem]:
    joints: dict[tuple[int, str], int] = {}
    slots: dict[tuple[int, int], int] = {}
    for index, axis in enumerate(profile.axes):
        key = f"axes[{index + 1}]"
        first = joints.setdefault((axis.joint, axis.axis), index)
        if first != index:
            what = f"{axis.name} is axes[{first + 1}] already"
            yield Problem(
                "error", f"{key}.joint", what, "give it another joint or axis, or remove it"
            )
        first = slots.setdefault((axis.node, axis.slot), index)
        if first != index:
            what = f"slot {axis.slot} of node {axis.node} moves {profile.axes[first].name} already"
            yield Problem("error", f"{key}.slot", what, "give it another node or slot")
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
            "that is right for fixed joints; else number the joints without gaps",
        )


def _limits(profile: Profile) -> Iterator[Problem]:
    limits = profile.limits
    if limits.min_deg >= limits.max_deg:
        what = f"{limits.min_deg:g}° is not below max_deg = {limits.max_deg:g}°"
        yield Problem("error", "limits.min_deg", what, "give the smaller angle first")
    for index, axis in enumerate(profile.axes):
        low, high = _own_limits(axis, limits)
        if low >= high and not (axis.min_deg is None and axis.max_deg is None):
            name = "min_deg" if axis.min_deg is not None else "max_deg"
            what = f"{axis.name} may go from {low:g}° to {high:g}°"
            yield Problem(
                "error", f"axes[{index + 1}].{name}", what, "give the smaller angle as min_deg"
            )


def _own_limits(axis: Axis, limits: Limits) -> tuple[float, float]:
    low = limits.min_deg if axis.min_deg is None else axis.min_deg
    return low, limits.max_deg if axis.max_deg is None else axis.max_deg


def _coverage(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Every axis is told where to be and says where it is, by one frame each."""
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
            what = f"{_named(profile, twice)} gets its set-point angle by several frames"
            yield Problem("error", "messages", what, "leave all but one out")


def _named(profile: Profile, indices: list[int]) -> str:
    if len(indices) == len(profile.axes) and len(indices) > 1:
        return "every axis"
    more = "" if len(indices) == 1 else f" (and {len(indices) - 1} more)"
    return f"{profile.axes[indices[0]].name}{more}"


def _reach(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Signals can hold what the limits allow; one finding a signal, for its first axis."""
    found: dict[tuple[int, str], tuple[Bound, Carried, int]] = {}
    for bound in layout.bound:
        for carried in bound.carried:
            if (
                carried.axis >= 0
                and carried.quantity in ("angle", "rate")
                and not _holds(profile, carried)
            ):
                which = bound.index, carried.field.name
                first = found.get(which)
                found[which] = (
                    (bound, carried, 1) if first is None else (first[0], first[1], first[2] + 1)
                )
    for bound, carried, count in found.values():
        axis = profile.axes[carried.axis]
        low, high = _range(carried)
        more = "" if count == 1 else f" (and {count - 1} more)"
        at = next(i for i, s in enumerate(bound.message.signals) if s.signal == carried.field.name)
        key = f"messages[{bound.index + 1}].signals[{at + 1}]"
        who = f"{bound.message.called}.{carried.field.name} holds"
        if carried.quantity == "angle":
            least, most = _own_limits(axis, profile.limits)
            reach = f"{low:.4g}° to {high:.4g}° of {axis.name}{more} where its limits are {least:g}° and {most:g}°"
        else:
            rate = _own_rate(axis, profile.limits)
            reach = f"{low:.4g}°/s to {high:.4g}°/s of {axis.name}{more} where it may move at {rate:g}°/s"
        severity: Severity = "warning"
        if carried.quantity == "angle" and bound.message.role == "set_point":
            severity = "error"
        yield Problem(
            severity, key, f"{who} {reach}", "narrow the limits, or mend its scale or range"
        )


def _own_rate(axis: Axis, limits: Limits) -> float:
    return limits.max_rate_deg_per_s if axis.max_rate_deg_per_s is None else axis.max_rate_deg_per_s


def _range(carried: Carried) -> tuple[float, float]:
    """What a signal can hold, in degrees (or degrees a second) of the joint."""
    ends = sorted(
        math.degrees(carried.factor * carried.field.physical(raw) + carried.offset)
        for raw in (carried.field.low, carried.field.high)
    )
    return ends[0], ends[1]


def _holds(profile: Profile, carried: Carried) -> bool:
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
