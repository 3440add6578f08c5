"""A minimal reader of Protocol Buffers messages: fields by number, nested ones by a path of numbers."""

from __future__ import annotations

import struct


def fields(data: bytes) -> dict[int, list[bytes | int]]:
    """Return all fields of a message by number: numbers as integers, everything else as bytes."""
    values: dict[int, list[bytes | int]] = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        value: bytes | int
        if tag & 7 == 0:
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(tag & 7)
            if size is None:
                size, at = _varint(data, at)
            value = data[at : at + size]
            at = at + size
        values.setdefault(tag >> 3, []).append(value)
    return values


def nested(data: bytes, *path: int) -> list[bytes]:
    """Return the messages at a path of field numbers."""
    messages = [data]
    for number in path:
        messages = [
            each
            for one in messages
            for each in fields(one).get(number, [])
            if isinstance(each, bytes)
        ]
    return messages


def doubles(data: bytes, count: int) -> list[float]:
    """Return the first `count` fields as double-precision numbers; missing ones are 0."""
    values = fields(data)
    return [
        struct.unpack("<d", values[i][0])[0] if i in values else 0.0 for i in range(1, count + 1)
    ]  # type: ignore[arg-type]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at = at + 1
        shift = shift + 7
        if byte < 0x80:
            return value, at
