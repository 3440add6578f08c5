"""Configuration of a robot's nodes: the messages that they send by themselves, with interval and length."""

from __future__ import annotations

from snakestudio.link.profile.formula import read_formula
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Message


def address(loaded: LoadedProfile, message: Message, node: int) -> tuple[int, bool]:
    """Return the arbitration id of a node's message, and whether it has 29 bits."""
    described = loaded.database.get_message_by_name(message.message)
    number = read_formula(message.id)(node) if message.id else described.frame_id
    return number, described.is_extended_frame if message.extended is None else message.extended


def binding(loaded: LoadedProfile, node: int, identifier: int) -> Message | None:
    """Return the message that the profile expects from a node with an 11-bit id; None if there is none."""
    for message in loaded.profile.messages:
        if message.role in ("feedback", "heartbeat") and address(loaded, message, node) == (
            identifier,
            False,
        ):
            return message
    return None


def length(loaded: LoadedProfile, message: Message) -> int:
    """Return the length of a message, bytes."""
    return int(loaded.database.get_message_by_name(message.message).length)
