"""Encoding of changes, pulls and events as messages of a run file."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from snakestudio.inputs import SCENE, parse_json
from snakestudio.model.events import Change, EventKind, RunEvent
from snakestudio.model.pull import Pull, plain_pull, pull_from_plain
from snakestudio.runfile.mcap.cdr import HEADER, MESSAGE_HEAD, Template, align
from snakestudio.runfile.mcap.format import CHANGES, EVENTS, LOG, nanoseconds
from snakestudio.runfile.mcap.records import Messages

_PULL = "pull"
"""Key of a pull among the messages of changes; no scene value has this name."""

_INFO = 20
_WARN = 30
_ERROR = 40
_LEVELS = {"fault": _ERROR, "unsolved": _WARN, "jam": _WARN}


def messages(
    changes: Sequence[Change | Pull], events: Sequence[RunEvent], channels: Mapping[str, int]
) -> list[Messages]:
    """Encode changes, pulls and events; events also as a log if the file has that topic."""
    by_topic: dict[str, list[tuple[float, Template, tuple[float, ...]]]] = {
        CHANGES: [],
        EVENTS: [],
        LOG: [],
    }
    for change in changes:
        template = Template()
        template.number("numbers", "<f8", (1,))
        values = {_PULL: plain_pull(change)} if isinstance(change, Pull) else change.values
        template.text(json.dumps(values, ensure_ascii=False))
        by_topic[CHANGES].append((change.time, template, (change.time,)))
    for event in events:
        template = Template()
        template.number("numbers", "<f8", (2,))
        template.text(event.kind)
        template.text(event.text)
        by_topic[EVENTS].append((event.time, template, (event.time, event.weight)))
        if LOG in channels:
            by_topic[LOG].append((event.time, _log(event), ()))
    return [_joined(channels[topic], entries) for topic, entries in by_topic.items() if entries]


def log_message(event: RunEvent) -> bytes:
    """Encode an event as a single CDR message of the log, independent of a file."""
    return (
        _log(event).records(0, nanoseconds(np.array([event.time]))).tobytes()[MESSAGE_HEAD.size :]
    )


def _log(event: RunEvent) -> Template:
    template = Template()
    template.stamp("stamp")
    template.byte(_LEVELS.get(event.kind, _INFO))
    template.text(event.kind)
    template.text(event.text)
    template.text("")
    template.text("")
    template.length(0)
    return template


def _joined(channel: int, entries: list[tuple[float, Template, tuple[float, ...]]]) -> Messages:
    times = nanoseconds(np.array([time for time, _, _ in entries]))
    parts = []
    offsets = []
    at = 0
    for number, (_, template, numbers) in enumerate(entries):
        record = template.records(channel, times[number : number + 1])
        if numbers:
            record["numbers"] = numbers
        parts.append(record.tobytes())
        offsets.append(at)
        at += len(parts[-1])
    return Messages(channel, b"".join(parts), times, np.array(offsets, np.uint64))


def read_messages(data: bytes, channels: Mapping[str, int]) -> Iterator[Change | Pull | RunEvent]:
    """Decode the changes, pulls and events in the records of a chunk, in recorded order.

    Raises `ValueError`, `KeyError`, `TypeError` or `struct.error` if it is damaged.
    """
    at = 0
    while at < len(data):
        opcode, length, channel, *_ = MESSAGE_HEAD.unpack_from(data, at)
        body = data[at + MESSAGE_HEAD.size + len(HEADER) : at + 9 + length]
        at += 9 + length
        if opcode != 0x05:
            continue
        if channel == channels[CHANGES]:
            (time,) = struct.unpack_from("<d", body)
            text, _ = _text(body, 8)
            values = _values(text)
            yield pull_from_plain(time, values[_PULL]) if _PULL in values else Change(time, values)
        elif channel == channels[EVENTS]:
            time, weight = struct.unpack_from("<dd", body)
            kind, end = _text(body, 16)
            if kind not in get_args(EventKind):
                kind = "note"  # kind of a later version
            text, _ = _text(body, end)
            yield RunEvent(time, kind, text, weight)  # type: ignore[arg-type]


def _values(text: str) -> dict[str, Any]:
    values = parse_json(text, SCENE)
    if not isinstance(values, dict):
        raise ValueError("no values")
    return values


def _text(body: bytes, offset: int) -> tuple[str, int]:
    at = align(offset, 4)
    (length,) = struct.unpack_from("<I", body, at)
    end = at + 4 + length
    if end > len(body) or length == 0:
        raise ValueError("a text ends early")
    return body[at + 4 : end - 1].decode(), end
