"""Somebody else who speaks to the robot: frames with identifiers that only we send, and that come from the bus.

No adapter hands our own frames back (see `bus`), so such a frame has another sender, and a robot
must not have two masters. Requests for feedback are left out: tools that only look at a robot send
those, too, and they move nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from snakestudio.errors import ProfileError
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import OUTGOING, Role

if TYPE_CHECKING:
    from snakestudio.link.core.codec import Codec

_DOES: dict[Role, str] = {
    "set_point": "sends set-points",
    "sync": "sends sync messages",
    "host_heartbeat": "sends heartbeats of the host",
    "command": "sends commands",
}
_WHO = "Another program"
_LATELY_S = 1.0
_PERIODS = 2.5
"""After so long, and so many of the slowest message's periods, without a frame nobody else is there
any more."""


class ForeignMaster:
    """Remembers who else sends what is ours to send.

    Parameters
    ----------
    replay : bool
        Whether the bus is a log that is played: what was sent then is no stranger's.
    """

    def __init__(self, codec: Codec, *, replay: bool) -> None:
        profile = codec.profile
        self._codec = codec
        self._replay = replay
        self._raw = {(frame.id, frame.extended) for frame in _raw_frames(codec)}
        intervals = [
            each.every_s
            for each in profile.messages
            if each.role in OUTGOING and each.every_s is not None
        ]
        slowest = max([1.0 / profile.timing.set_point_rate_hz, *intervals])
        self._patience = max(_LATELY_S, _PERIODS * slowest)
        self._heard_at = -math.inf
        self._text = ""
        self._moves = False

    def forget(self) -> None:
        """The bus was opened anew."""
        self._heard_at = -math.inf

    def take(self, frame: Frame, now: float) -> bool:
        """Whether a frame that does not come from the robot (s) is one that only we should send."""
        if self._replay:
            return False
        decoded = self._codec.decode_outgoing(frame)
        if decoded is not None and decoded.message.role != "request":
            self._note(decoded.message.role, f"{decoded.message.called}, id 0x{frame.id:X}", now)
        elif decoded is None and not frame.remote and (frame.id, frame.extended) in self._raw:
            self._note("command", f"bytes to id 0x{frame.id:X}", now)
        else:
            return False
        return True

    def _note(self, role: Role, what: str, now: float) -> None:
        # Of all that one program sends, set-points are what is told.
        if not (self._moves and self.reason(now)) or role == "set_point":
            self._moves = role == "set_point"
            self._text = (
                f"{_WHO} {_DOES[role]} ({what}). Close that program, or switch off the adapter's echo of sent"
                " frames."
            )
        self._heard_at = now

    def reason(self, now: float) -> str:
        """What somebody else does to the robot now (s), a sentence with its remedy; "" if nobody does."""
        return self._text if now - self._heard_at <= self._patience else ""


def _raw_frames(codec: Codec) -> Iterator[Frame]:
    sequences = codec.profile.sequences
    for step in (
        sequences.arm + sequences.disarm + sequences.stop + sequences.zero + sequences.reset
    ):
        with contextlib.suppress(ProfileError):  # a profile with a mistake can be listened with
            yield from codec.step_frames(step) if step.raw is not None else ()


def tell_of_stranger(reasons: Iterable[str]) -> bool:
    """Whether the reasons why a robot cannot be armed tell of somebody else who speaks to it."""
    return any(reason.startswith(_WHO) for reason in reasons)
