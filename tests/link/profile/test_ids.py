"""Ids in use: the proposal for a new message is unused, and a message on the id of another one is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.link.profile.binding import resolve
from snakestudio.link.profile.check import arming_problems, check
from snakestudio.link.profile.ids import free_id, id_uses, users_of
from snakestudio.link.profile.library import find_profile, shipped
from snakestudio.link.profile.loading import LoadedProfile, parse_profile

SERVO = find_profile("generic_servo")
TOML = SERVO.read_text(encoding="utf-8")
DBC = SERVO.with_suffix(".dbc").read_text(encoding="utf-8")


def with_messages(*messages: tuple[str, int], toml: str = TOML) -> LoadedProfile:
    """Return the servo's profile with more messages in its DBC; ids as in a DBC, with bit 31 for 29 bits."""
    more = "\n".join(f"BO_ {number} {name}: 8 Vector__XXX\n" for name, number in messages)
    at = DBC.index("BO_ ")
    return parse_profile(toml, f"{DBC[:at]}{more}\n{DBC[at:]}")


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_proposed_id_is_unused(path: Path) -> None:
    loaded = parse_profile(
        path.read_text(encoding="utf-8"), path.with_suffix(".dbc").read_text(encoding="utf-8")
    )
    number, extended = free_id(loaded)
    in_dbc = {(message.frame_id, message.is_extended_frame) for message in loaded.database.messages}
    bound = {(bound.id, bound.extended) for bound in resolve(loaded).bound}
    assert (number, extended) not in in_dbc | bound
    assert not users_of(loaded, number, extended)
    assert not [problem for problem in check(loaded) if "has the id" in problem.message]


def test_ids_of_all_nodes_and_of_raw_bytes_are_in_use() -> None:
    loaded = with_messages()
    nodes = loaded.profile.nodes
    assert len(nodes) > 1
    for node in nodes:
        assert users_of(loaded, 0x200 + node, False) == [
            f"{loaded.profile.messages[0].called} of node {node}"
        ]
    raw = TOML.replace("zero = [", 'zero = [{ raw = "01", id = "0x6A0 + node" }, ', 1)
    assert "raw bytes" in users_of(with_messages(toml=raw), 0x6A0 + nodes[1], False)[0]


def test_full_bus_gets_a_29_bit_id() -> None:
    full = with_messages(*((f"M{number}", number) for number in range(1, 0x800)))
    assert free_id(full) == (0x800, True)


@pytest.mark.parametrize(
    ("messages", "ids"),
    [
        ([("Extra", 0x201)], ["0x201"]),
        ([("Extra", 0x201 | 1 << 31)], []),
        ([("Extra", 0x6B1), ("Other", 0x6B1)], ["0x6B1"]),
        ([("Extra", 0x6B1), ("Other", 0x6B2)], []),
    ],
)
def test_unbound_message_on_a_used_id_is_a_warning(
    messages: list[tuple[str, int]], ids: list[str]
) -> None:
    loaded = with_messages(*messages)
    problems = [problem for problem in check(loaded) if "has the id" in problem.message]
    assert [problem.severity for problem in problems] == ["warning"] * len(ids)
    for problem, text in zip(problems, ids, strict=True):
        assert f"has the id {text} of " in problem.message
    assert not arming_problems(loaded), "a doubt is no reason not to arm"
    assert {use.message for use in id_uses(loaded)} >= {name for name, _ in messages}
