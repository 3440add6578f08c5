"""Checks of a profile's sequences: every step says one thing, and one that can be done."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from snakestudio.errors import FormulaError, Problem, ProfileError, Severity
from snakestudio.link.core.coder import Coder
from snakestudio.link.profile.binding import Bound, Layout, frame_id
from snakestudio.link.profile.check_frames import wrong_page
from snakestudio.link.profile.schema import INCOMING, Profile, Step

_LONGEST_S = 10.0
"""Timeout of a step, or all waits of a sequence, that are no longer ones that anybody waits for."""

_LONGEST_STOP_S = 1.5
"""So long the bus is kept for a stop sequence when the program is closed, see `link.process`."""

_NAMES = ("arm", "disarm", "stop", "zero", "reset")

_INSTEAD = {
    "stop": "what takes its torque away",
    "disarm": "what takes its torque away",
    "zero": "what zeroes its joints",
    "reset": "what makes it forget a fault",
}
"""What sequences that must not arm the robot should send."""


def sequence_problems(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """What is wrong with the sequences."""
    for name in _NAMES:
        steps: tuple[Step, ...] = getattr(profile.sequences, name)
        for index, step in enumerate(steps):
            key = f"sequences.{name}[{index + 1}]"
            said = [
                part
                for part in ("send", "raw", "wait_s", "expect")
                if getattr(step, part) is not None
            ]
            if len(said) != 1:
                what = (
                    "the step says nothing" if not said else f"the step says {' and '.join(said)}"
                )
                yield Problem(
                    "error", key, what, "give exactly one of send, raw, wait_s and expect"
                )
                continue
            yield from {"send": _send, "raw": _raw, "wait_s": _nothing, "expect": _expect}[said[0]](
                profile, layout, step, key
            )
            if step.expect is not None and step.timeout_s > _LONGEST_S:
                what = f"{step.timeout_s:g} s may pass before it is given up"
                yield Problem("warning", f"{key}.timeout_s", what, f"give {_LONGEST_S:g} s or less")
        if name == "stop":
            yield from _stop(steps)
        elif (waits := sum(step.wait_s or 0.0 for step in steps)) > _LONGEST_S:
            what = f"its waits take {waits:g} s"
            yield Problem(
                "warning", f"sequences.{name}", what, f"give {_LONGEST_S:g} s or less in all"
            )
        if name in _INSTEAD:
            yield from _arms(profile, layout, name, steps)
    can_say = any(status.meaning == "armed" for status in profile.status)
    if (
        can_say
        and profile.sequences.arm
        and all(step.expect is None for step in profile.sequences.arm)
    ):
        what = "nothing in it waits for the robot's word, so that frames go out whatever the ones before led to"
        remedy = 'add { expect = "armed" } where a node must have obeyed; confirm_s is all the time it has otherwise'
        yield Problem("hint", "sequences.arm", what, remedy)
    if profile.sequences.arm and not profile.sequences.disarm:
        what = "there is none, so torque only goes off by stopping"
        yield Problem("warning", "sequences.disarm", what, "say which frames end what arming began")


def _arms(
    profile: Profile, layout: Layout, name: str, steps: tuple[Step, ...]
) -> Iterator[Problem]:
    """Whether a sequence that must not arm the robot sends what does, however that is written."""
    sent = [_frames(profile, layout, step) for step in profile.sequences.arm]
    confirmed = next(
        (i for i, step in enumerate(profile.sequences.arm) if step.expect == "armed"), len(sent)
    )
    at = next((i for i in reversed(range(confirmed)) if sent[i]), None)
    if at is None:
        return
    own = [_frames(profile, layout, step) for step in steps]
    for index, frames in enumerate(own):
        if not frames & sent[at]:
            continue
        what = f"this is what arms the robot, see sequences.arm[{at + 1}]"
        # Some end both by the same frame, such as one that clears errors; nothing else in it would
        # be a mistake.
        only = name in ("stop", "disarm") and all(each <= frozenset().union(*sent) for each in own)
        severity: Severity = "error" if only else "warning"
        yield Problem(severity, f"sequences.{name}[{index + 1}]", what, f"send {_INSTEAD[name]}")
        return


def _frames(profile: Profile, layout: Layout, step: Step) -> frozenset[object]:
    """What a step sends, to compare it with others; nothing if it sends nothing, or has a mistake that is told."""
    if step.send is None and step.raw is None:
        return frozenset()
    try:
        if step.raw is not None:
            data = bytes.fromhex(step.raw)
            nodes = profile.nodes if step.each == "node" else profile.nodes[:1]
            return frozenset(
                (frame_id(step.id, node, step.extended), step.extended, data) for node in nodes
            )
        found: set[object] = set()
        for bound in layout.bound:
            if bound.message.called == step.send and bound.message.role not in INCOMING:
                coder = Coder(bound, profile)
                node = profile.nodes[0] if bound.node is None else bound.node
                frame = coder.frame(coder.from_signals(step.signals, node))
                # Set-points are told the angles of the moment: which they are does not matter here.
                found.add(
                    (
                        frame.id,
                        frame.extended,
                        "" if bound.message.role == "set_point" else frame.data,
                    )
                )
        return frozenset(found)
    except (FormulaError, ProfileError, ValueError):
        return frozenset()


def _nothing(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    yield from ()


def _stop(steps: tuple[Step, ...]) -> Iterator[Problem]:
    last = max(
        (i for i, step in enumerate(steps) if step.send is not None or step.raw is not None),
        default=0,
    )
    waits = sum(
        step.wait_s or (step.timeout_s if step.expect and i < last else 0.0)
        for i, step in enumerate(steps)
    )
    if waits > _LONGEST_STOP_S:
        what = f"its waits take {waits:g} s, and no more than {_LONGEST_STOP_S:g} s are waited when the program ends"
        yield Problem("warning", "sequences.stop", what, "make them shorter")
    for index, step in enumerate(steps):
        if step.send is not None or step.raw is not None:
            return
        what = "stopping would wait before its first frame"
        yield Problem("error", f"sequences.stop[{index + 1}]", what, "send first")


def _send(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    names = [message.called for message in profile.messages if message.role not in INCOMING]
    if step.send not in names:
        if any(message.called == step.send for message in profile.messages):
            what = f"{step.send} comes from the robot"
            yield Problem("error", f"{key}.send", what, "name a message that goes to it")
            return
        close = difflib.get_close_matches(step.send or "", names, n=1, cutoff=0.6)
        remedy = (
            f"did you mean {close[0]}"
            if close
            else "name a message of the profile that goes to the robot"
        )
        yield Problem("error", f"{key}.send", f'"{step.send}" is no message of the profile', remedy)
        return
    if step.id or step.extended:
        yield Problem(
            "error", f"{key}.id", "it belongs to raw bytes", "leave it out: a message has its own"
        )
    bound = [
        b for b in layout.bound if b.message.called == step.send and b.message.role not in INCOMING
    ]
    for name, given in step.signals.items():
        problem = _signal(profile, bound, name, given, f"{key}.signals.{name}")
        if problem is not None:
            yield problem
            return
    for each in bound[:1]:  # the nodes' frames differ in their ids
        node = profile.nodes[0] if each.node is None else each.node
        raws = {
            name: each.fields[name].reading(value, node) for name, value in step.signals.items()
        }
        for field in each.absent(raws) if each.message.role == "command" or raws else ():
            yield wrong_page(f"{key}.signals.{field.name}", each, field, raws)


def _signal(
    profile: Profile, bound: list[Bound], name: str, given: float | str, key: str
) -> Problem | None:
    for each in bound:
        field = each.fields.get(name)
        if field is None:
            close = difflib.get_close_matches(name, list(each.fields), n=1, cutoff=0.6)
            remedy = f"did you mean {close[0]}" if close else "give a signal of its own"
            return Problem("error", key, f'"{name}" is not in {each.message.message}', remedy)
        try:
            field.reading(given, profile.nodes[0] if each.node is None else each.node)
        except FormulaError as error:
            shown = f'"{given}"' if isinstance(given, str) else f"{given:g}"
            return Problem("error", key, f"{shown}: {error.message}", error.remedy)
    return None


def _raw(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    try:
        data = bytes.fromhex(step.raw or "")
    except ValueError:
        yield Problem(
            "error", f"{key}.raw", f'"{step.raw}" are no bytes', "write them like FF FF 00 01"
        )
        return
    most = 64 if profile.bus.fd else 8
    if len(data) > most:
        what = f"{len(data)} bytes are more than the {most} of a frame"
        yield Problem("error", f"{key}.raw", what, "send them in several steps")
    if step.signals:
        yield Problem(
            "error",
            f"{key}.signals",
            "raw bytes have no signals",
            "leave them out, or send a message",
        )
    if not step.id:
        yield Problem(
            "error", f"{key}.id", "raw bytes need an id", "give a formula such as 0x100 + node"
        )
        return
    for node in profile.nodes if step.each == "node" else profile.nodes[:1]:
        try:
            frame_id(step.id, node, step.extended)
        except FormulaError as error:
            yield Problem("error", f"{key}.id", f'"{step.id}": {error.message}', error.remedy)
            return


def _expect(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    statuses = any(
        signal.quantity == "status"
        for message in profile.messages
        if message.role in INCOMING
        for signal in message.signals
    )
    if not statuses:
        what = f"{step.expect} is expected, but no signal carries a status"
        yield Problem("error", f"{key}.expect", what, "bind the signal that does, or wait instead")
    elif all(status.meaning != step.expect for status in profile.status):
        what = f"no status value means {step.expect}"
        yield Problem(
            "error", f"{key}.expect", what, "add one to the status values, or expect another"
        )
