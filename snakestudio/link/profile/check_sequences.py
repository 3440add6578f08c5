"""Checks of a profile's sequences: each step has exactly one action, which can be carried out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from snakestudio.errors import FormulaError, Problem, ProfileError, Severity
from snakestudio.link.core.coder import Coder
from snakestudio.link.profile.binding import BoundMessage, Layout, frame_id
from snakestudio.link.profile.check_frames import wrong_page
from snakestudio.link.profile.schema import INCOMING, Profile, Step

_LONGEST_S = 10.0
"""Longest timeout of a step, or sum of a sequence's waits, without a warning."""

_LONGEST_STOP_S = 1.5
"""How long the bus stays open for a stop sequence when the program is closed: see `link.process`."""

_NAMES = ("arm", "disarm", "stop", "zero", "reset")

_INSTEAD = {
    "stop": "a frame that switches its torque off",
    "disarm": "a frame that switches its torque off",
    "zero": "a frame that zeroes its joints",
    "reset": "a frame that clears its faults",
}
"""Frames that sequences other than arm should send."""


def sequence_problems(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Return the problems of the sequences."""
    for name in _NAMES:
        steps: tuple[Step, ...] = getattr(profile.sequences, name)
        for index, step in enumerate(steps):
            key = f"sequences.{name}[{index + 1}]"
            actions = [
                part
                for part in ("send", "raw", "wait_s", "expect")
                if getattr(step, part) is not None
            ]
            if len(actions) != 1:
                what = f"the step has {' and '.join(actions) if actions else 'no action'}"
                yield Problem("error", key, what, "set exactly one of send, raw, wait_s and expect")
                continue
            yield from {"send": _send, "raw": _raw, "wait_s": _nothing, "expect": _expect}[
                actions[0]
            ](profile, layout, step, key)
            if step.expect is not None and step.timeout_s > _LONGEST_S:
                what = f"{step.timeout_s:g} s may pass before the sequence is aborted"
                yield Problem(
                    "warning", f"{key}.timeout_s", what, f"set it to {_LONGEST_S:g} s or less"
                )
        if name == "stop":
            yield from _stop(steps)
        elif (waits := sum(step.wait_s or 0.0 for step in steps)) > _LONGEST_S:
            what = f"its waits take {waits:g} s"
            yield Problem(
                "warning", f"sequences.{name}", what, f"shorten them to {_LONGEST_S:g} s in all"
            )
        if name in _INSTEAD:
            yield from _arms(profile, layout, name, steps)
    can_say = any(status.meaning == "armed" for status in profile.status)
    if (
        can_say
        and profile.sequences.arm
        and all(step.expect is None for step in profile.sequences.arm)
    ):
        what = "no step waits for a status of the robot, so frames are sent even if earlier ones had no effect"
        remedy = 'add { expect = "armed" } after frames that must take effect; otherwise only confirm_s limits the time'
        yield Problem("hint", "sequences.arm", what, remedy)
    if profile.sequences.arm and not profile.sequences.disarm:
        what = "is empty, so only stopping switches the torque off"
        yield Problem("warning", "sequences.disarm", what, "add the frames that undo arming")


def _arms(
    profile: Profile, layout: Layout, name: str, steps: tuple[Step, ...]
) -> Iterator[Problem]:
    """Check that a sequence does not send a frame of the arm sequence, in any notation."""
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
        what = f"this frame arms the robot (see sequences.arm[{at + 1}])"
        # Some robots use one frame in both sequences, such as one that clears errors. It is an
        # error only if the sequence sends nothing else.
        only = name in ("stop", "disarm") and all(each <= frozenset().union(*sent) for each in own)
        severity: Severity = "error" if only else "warning"
        yield Problem(severity, f"sequences.{name}[{index + 1}]", what, f"send {_INSTEAD[name]}")
        return


def _frames(profile: Profile, layout: Layout, step: Step) -> frozenset[object]:
    """Return the frames of a step for comparison; empty if it sends none or has a reported error."""
    if step.send is None and step.raw is None:
        return frozenset()
    try:
        if step.raw is not None:
            data = bytes.fromhex(step.raw)
            nodes = profile.nodes if step.each == "node" else profile.nodes[:1]
            return frozenset(
                (frame_id(step.id, node, step.extended), step.extended, data) for node in nodes
            )
        frames: set[object] = set()
        for bound in layout.bound:
            if bound.message.called == step.send and bound.message.role not in INCOMING:
                coder = Coder(bound, profile)
                node = profile.nodes[0] if bound.node is None else bound.node
                frame = coder.frame(coder.from_signals(step.signals, node))
                # Set-points carry the current angles: their values do not matter here.
                frames.add(
                    (
                        frame.id,
                        frame.extended,
                        "" if bound.message.role == "set_point" else frame.data,
                    )
                )
        return frozenset(frames)
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
        what = f"its waits take {waits:g} s, but at most {_LONGEST_STOP_S:g} s are available when the program ends"
        yield Problem("warning", "sequences.stop", what, "shorten them")
    for index, step in enumerate(steps):
        if step.send is not None or step.raw is not None:
            return
        what = "stopping would wait before its first frame"
        yield Problem(
            "error", f"sequences.stop[{index + 1}]", what, "move it after the first frame"
        )


def _send(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    names = [message.called for message in profile.messages if message.role not in INCOMING]
    if step.send not in names:
        if any(message.called == step.send for message in profile.messages):
            what = f"{step.send} is sent by the robot"
            yield Problem("error", f"{key}.send", what, "name a message that is sent to it")
            return
        close = difflib.get_close_matches(step.send or "", names, n=1, cutoff=0.6)
        remedy = (
            f"did you mean {close[0]}"
            if close
            else "name a message of the profile that is sent to the robot"
        )
        yield Problem(
            "error", f"{key}.send", f'"{step.send}" is not a message of the profile', remedy
        )
        return
    if step.id or step.extended:
        yield Problem(
            "error",
            f"{key}.id",
            "is only for raw bytes",
            "remove it, because a message has its own id",
        )
    bound = [
        b for b in layout.bound if b.message.called == step.send and b.message.role not in INCOMING
    ]
    for name, value in step.signals.items():
        problem = _signal(profile, bound, name, value, f"{key}.signals.{name}")
        if problem is not None:
            yield problem
            return
    for each in bound[:1]:  # the frames of the nodes differ only in their ids
        node = profile.nodes[0] if each.node is None else each.node
        raws = {
            name: each.fields[name].reading(value, node) for name, value in step.signals.items()
        }
        for field in each.absent(raws) if each.message.role == "command" or raws else ():
            yield wrong_page(f"{key}.signals.{field.name}", each, field, raws)


def _signal(
    profile: Profile, bound: list[BoundMessage], name: str, value: float | str, key: str
) -> Problem | None:
    for each in bound:
        field = each.fields.get(name)
        if field is None:
            close = difflib.get_close_matches(name, list(each.fields), n=1, cutoff=0.6)
            remedy = f"did you mean {close[0]}" if close else "use one of its signals"
            return Problem("error", key, f'"{name}" is not in {each.message.message}', remedy)
        try:
            field.reading(value, profile.nodes[0] if each.node is None else each.node)
        except FormulaError as error:
            text = f'"{value}"' if isinstance(value, str) else f"{value:g}"
            return Problem("error", key, f"{text}: {error.message}", error.remedy)
    return None


def _raw(profile: Profile, layout: Layout, step: Step, key: str) -> Iterator[Problem]:
    try:
        data = bytes.fromhex(step.raw or "")
    except ValueError:
        yield Problem(
            "error",
            f"{key}.raw",
            f'"{step.raw}" is not a list of bytes',
            "write bytes like FF FF 00 01",
        )
        return
    most = 64 if profile.bus.fd else 8
    if len(data) > most:
        what = f"{len(data)} bytes do not fit into a frame of {most} bytes"
        yield Problem("error", f"{key}.raw", what, "send them in several steps")
    if step.signals:
        yield Problem(
            "error",
            f"{key}.signals",
            "raw bytes have no signals",
            "remove them, or send a message",
        )
    if not step.id:
        yield Problem(
            "error", f"{key}.id", "raw bytes need an id", "set it to a formula such as 0x100 + node"
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
        yield Problem("error", f"{key}.expect", what, "bind a status signal, or use wait_s instead")
    elif all(status.meaning != step.expect for status in profile.status):
        what = f"no status value means {step.expect}"
        yield Problem(
            "error", f"{key}.expect", what, "add one to the status values, or expect another status"
        )
