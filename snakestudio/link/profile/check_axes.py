"""Checks of a profile's axes: joints that are all there, one axis a slot, limits that the signals can hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from snakestudio.errors import Problem, Severity
from snakestudio.link.profile.binding import Bound, Carried, Layout
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Axis, Limits, Profile

__all__ = ["axis_problems"]


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
            yield Problem("error", f"{key}.joint", what, "give it another joint or axis, or remove it")
        first = slots.setdefault((axis.node, axis.slot), index)
        if first != index:
            what = f"slot {axis.slot} of node {axis.node} moves {profile.axes[first].name} already"
            yield Problem("error", f"{key}.slot", what, "give it another node or slot")
    sideways = {axis.joint for axis in profile.axes if axis.axis == "yaw"}
    upright = sorted({axis.joint for axis in profile.axes} - sideways)
    if upright:
        names = ", ".join(str(joint) for joint in upright[:8]) + (" ..." if len(upright) > 8 else "")
        which = f"joint {names} bends" if len(upright) == 1 else f"joints {names} bend"
        first = next(i for i, axis in enumerate(profile.axes) if axis.joint == upright[0])
        what = f"{which} up and down only, so no scene can drive this robot: in scenes every joint bends sideways, too"
        remedy = "it can be listened to, armed and wiggled joint by joint; robots of that build cannot be made yet"
        yield Problem("warning", f"axes[{first + 1}].axis", what, remedy)
    present = {axis.joint for axis in profile.axes}
    missing = [joint for joint in range(1, profile.n_joints) if joint not in present]
    if missing:
        names = ", ".join(str(joint) for joint in missing[:8]) + (" ..." if len(missing) > 8 else "")
        what = f"joint {names} is missing" if len(missing) == 1 else f"joints {names} are missing"
        yield Problem("error", "axes", f"{what} before joint {profile.n_joints}", "number the joints without gaps")


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
            yield Problem("error", f"axes[{index + 1}].{name}", what, "give the smaller angle as min_deg")


def _own_limits(axis: Axis, limits: Limits) -> tuple[float, float]:
    low = limits.min_deg if axis.min_deg is None else axis.min_deg
    return low, limits.max_deg if axis.max_deg is None else axis.max_deg


def _coverage(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Every axis is told where to be and says where it is, by one frame each."""
    for roles, what, remedy in (
        (("set_point",), "gets no set-point angle", "bind a signal of a set_point message to it"),
        (("feedback", "heartbeat"), "never reports its angle", "bind a signal of a feedback message to it"),
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
        twice = [index for index in range(len(profile.axes)) if count[index] > 1] if roles == ("set_point",) else []
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
            if carried.axis >= 0 and carried.quantity in ("angle", "rate") and not _holds(profile, carried):
                which = bound.index, carried.field.name
                first = found.get(which)
                found[which] = (bound, carried, 1) if first is None else (first[0], first[1], first[2] + 1)
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
        yield Problem(severity, key, f"{who} {reach}", "narrow the limits, or mend its scale or range")


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
        least, most = -rate, rate
    else:
        least, most = _own_limits(axis, profile.limits)
    return low - step <= least and most <= high + step
