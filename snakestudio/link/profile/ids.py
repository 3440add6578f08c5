"""The ids of a profile and its DBC: of each message for each node, of raw bytes, and of unbound messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from snakestudio.errors import FormulaError, Problem
from snakestudio.link.profile.binding import frame_id
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Profile


class IdUse(NamedTuple):
    """One use of an id."""

    id: int
    extended: bool
    message: str
    """Name of the DBC message; "" for raw bytes."""

    text: str
    """Description for users."""

    bound: bool
    """Whether the profile sends or receives it."""


def id_uses(loaded: LoadedProfile) -> list[IdUse]:
    """Return all uses of ids, also of messages with other problems."""
    profile = loaded.profile
    in_dbc = {message.name: message for message in loaded.database.messages}
    uses: list[IdUse] = []
    for message in profile.messages:
        dbc = in_dbc.get(message.message)
        extended = (
            message.extended
            if message.extended is not None
            else dbc is not None and dbc.is_extended_frame
        )
        if not message.id:
            if dbc is not None:
                uses.append(IdUse(dbc.frame_id, extended, message.message, message.called, True))
            continue
        for number, suffix in _ids(profile, message.id, extended, message.each):
            uses.append(IdUse(number, extended, message.message, f"{message.called}{suffix}", True))
    for name in ("arm", "disarm", "stop", "zero", "reset"):
        for step in getattr(profile.sequences, name):
            if step.raw is not None and step.id:
                for number, suffix in _ids(profile, step.id, step.extended, step.each):
                    uses.append(
                        IdUse(
                            number,
                            step.extended,
                            "",
                            f"raw bytes of the {name} sequence{suffix}",
                            True,
                        )
                    )
    bound = {message.message for message in profile.messages}
    for dbc in loaded.database.messages:
        if dbc.name not in bound:
            uses.append(IdUse(dbc.frame_id, dbc.is_extended_frame, dbc.name, dbc.name, False))
    return uses


def _ids(profile: Profile, formula: str, extended: bool, each: str) -> Iterator[tuple[int, str]]:
    nodes = profile.nodes if each == "node" else profile.nodes[:1]
    for node in nodes:
        with contextlib.suppress(FormulaError):  # reported by the checks of messages and sequences
            yield frame_id(formula, node, extended), f" of node {node}" if each == "node" else ""


def users_of(loaded: LoadedProfile, number: int, extended: bool, exclude: str = "") -> list[str]:
    """Return descriptions of the uses of an id, except the DBC message `exclude`."""
    return [
        use.text
        for use in id_uses(loaded)
        if (use.id, use.extended) == (number, extended) and (not exclude or use.message != exclude)
    ]


def free_id(loaded: LoadedProfile) -> tuple[int, bool]:
    """Return an unused id, and whether it has 29 bits: from 0x200 up, then below, then above 11 bits."""
    used = {(use.id, use.extended) for use in id_uses(loaded)}
    used |= {(dbc.frame_id, dbc.is_extended_frame) for dbc in loaded.database.messages}
    short = next(
        (
            number
            for number in (*range(0x200, 0x800), *range(1, 0x200))
            if (number, False) not in used
        ),
        None,
    )
    if short is not None:
        return short, False
    return next(number for number in range(0x800, 1 << 29) if (number, True) not in used), True


def overlap_problems(loaded: LoadedProfile) -> Iterator[Problem]:
    """Return the problems of unbound DBC messages whose ids are already in use."""
    uses: dict[tuple[int, bool], list[IdUse]] = {}
    for use in id_uses(loaded):
        uses.setdefault((use.id, use.extended), []).append(use)
    for (number, _), sharing in uses.items():
        for use in sharing:
            others = [
                other
                for other in sharing
                if other is not use and (other.bound or other.message < use.message)
            ]
            if not use.bound and others:
                what = f"{use.message} in {loaded.profile.dbc} has the id 0x{number:X} of {others[0].text}"
                remedy = "change one of the ids, or remove the message from the DBC"
                yield Problem("warning", "messages", what, remedy)
