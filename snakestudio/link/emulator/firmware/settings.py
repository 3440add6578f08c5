"""What somebody has set up on the nodes of a robot before: which messages come by themselves, how often, how long."""

from __future__ import annotations

from snakestudio.link.profile.formula import read_formula
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Message


def address(loaded: LoadedProfile, message: Message, node: int) -> tuple[int, bool]:
    """Arbitration id of a node's message, and whether it has 29 bits."""
    described = loaded.database.get_message_by_name(message.message)
    number = read_formula(message.id)(node) if message.id else described.frame_id
    return number, described.is_extended_frame if message.extended is None else message.extended


def binding(loaded: LoadedProfile, node: int, identifier: int) -> Message | None:
    """What the profile expects of a node under a (short) id; None if nothing."""
    for message in loaded.profile.messages:
        if message.role in ("feedback", "heartbeat") and address(loaded, message, node) == (
            identifier,
            False,
        ):
            return message
    return None


def length(loaded: LoadedProfile, message: Message) -> int:
    """Bytes of a message."""
    return int(loaded.database.get_message_by_name(message.message).length)
