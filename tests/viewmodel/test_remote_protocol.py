"""JSON-RPC with the examples of its specification and with malformed input."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

import pytest

from snakestudio.errors import StreamError
from snakestudio.viewmodel.remote.door import Door, door_file, read_door
from snakestudio.viewmodel.remote.protocol import (
    MAX_LINE,
    Lines,
    RemoteError,
    Request,
    line_of,
    read_line,
    reply_to,
)


def call(method: str, params: dict[str, Any]) -> Any:
    if method == "subtract":
        return params["minuend"] - params["subtrahend"]
    if method == "odd":
        return {"nan": float("nan"), "list": (1.0, float("inf"))}
    raise RemoteError(-32601, "There is no such method. Call another.")


def replies(text: str) -> list[Any]:
    read = read_line(text.encode())
    if isinstance(read, dict):
        return [read]
    return [each if isinstance(each, dict) else reply_to(each, call) for each in read]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (
            '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
            {"jsonrpc": "2.0", "result": 19, "id": 3},
        ),
        (
            '{"jsonrpc": "2.0", "method": "odd", "id": "a"}',
            {"jsonrpc": "2.0", "result": {"nan": None, "list": [1.0, None]}, "id": "a"},
        ),
        ('{"jsonrpc": "2.0", "method": "update", "params": {"a": 1}}', None),
    ],
)
def test_request_gets_the_reply_of_the_specification(text: str, reply: Any) -> None:
    assert replies(text) == [reply]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', -32601),
        ('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', -32700),
        ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', -32600),
        ('{"jsonrpc": "2.0", "method": "a", "params": "bar", "id": 1}', -32602),
        ('{"jsonrpc": "2.0", "method": "a", "params": [1], "id": 1}', -32602),
        ('{"method": "a", "id": 1}', -32600),
        ('{"jsonrpc": "2.0", "method": "a", "id": NaN}', -32600),
        ('{"jsonrpc": "2.0", "method": "a", "id": true}', -32600),
        ('{"jsonrpc": "2.0", "method": "a", "id": {}}', -32600),
        ("[]", -32600),
        ("[1]", -32600),
        ("7", -32600),
        ("null", -32600),
        ("[" + "1," * 200 + "1]", -32600),
        ("[" * 5000, -32700),
        ('{"a":' * 200 + "1" + "}" * 200, -32700),
        ("9" * 6000, -32700),
        ("\x00", -32700),
    ],
)
def test_invalid_request_gets_its_error_code(text: str, code: int) -> None:
    (reply,) = replies(text)
    assert reply["error"]["code"] == code
    assert reply["error"]["message"].endswith(".")
    assert json.loads(line_of(reply)) == reply


def test_batch_gets_replies_except_for_notifications() -> None:
    text = (
        '[{"jsonrpc":"2.0","method":"odd","id":1},{"jsonrpc":"2.0","method":"odd"},{"foo":"boo"}]'
    )
    first, second, third = replies(text)
    assert (first["id"], second, third["error"]["code"]) == (1, None, -32600)


def test_lines_are_reassembled_from_any_pieces() -> None:
    lines = Lines()
    assert lines.feed(b'{"a"') == []
    assert lines.feed(b": 1}\n\n  \n{}\n{") == [b'{"a": 1}', b"{}"]
    assert lines.feed(b"}\r\n") == [b"{}\r"]


def test_endless_line_is_dropped_and_the_next_is_read() -> None:
    lines = Lines()
    received: list[bytes | None] = []
    for _ in range(5):
        received += lines.feed(b"x" * (MAX_LINE // 2))
    assert received == [None]
    assert lines.feed(b"rest\n{}\n") == [b"{}"]
    assert lines.feed(b"y" * (MAX_LINE + 1) + b"\n{}\n") == [None, b"{}"]
    assert isinstance(read_line(None), dict)


def test_ids_and_texts_are_returned_unchanged() -> None:
    (read,) = read_line(b'{"jsonrpc":"2.0","method":"m","id":"\\ud800 \xc3\xa4"}')
    assert isinstance(read, Request)
    assert json.loads(line_of({"id": read.id}))["id"] == read.id


def test_token_file_is_readable_only_by_its_user() -> None:
    before = os.umask(0)
    try:
        door = Door.new(4711)
        path = door.write()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_door() == door
    assert door.opens(door.token)
    assert not any(
        door.opens(each) for each in ("", "x", door.token[:-1], None, 7, "ä\ud800", [door.token])
    )
    assert len({Door.new(1).token for _ in range(20)}) == 20
    newer = Door.new(4712)
    newer.write()
    door.remove()
    assert read_door() == newer
    newer.remove()
    assert not door_file().exists()
    with pytest.raises(
        StreamError,
        match="--remote'",
    ):
        read_door()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"port": "x"}', "{}", '{"port": 1, "token": "a"}']
)
def test_damaged_file_is_ignored(text: str) -> None:
    door_file().write_text(text)
    with pytest.raises(StreamError, match=r"allows.*remote"):
        read_door()
