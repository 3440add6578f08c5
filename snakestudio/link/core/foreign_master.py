"""Detection of another master: frames from the bus with identifiers that only the link sends.

Adapters do not return our own frames (see `bus`), so such a frame has another sender, and a robot
must not have two masters. Requests for feedback are ignored: monitoring tools also send those, and
they cause no motion.
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
"""The other master counts as gone after this time, and this number of periods of the slowest message,
without a frame."""


class ForeignMaster:
    """Detects another program that sends frames of the link.

    Parameters
    ----------
    replay : bool
        Whether the bus is a replayed log: its sent frames are not those of another program.
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

    def reset(self) -> None:
        """Reset, because the bus was reopened."""
        self._heard_at = -math.inf

    def notice(self, frame: Frame, now: float) -> bool:
        """Return whether a frame at `now` (s) that is not from the robot is one that only the link should send."""
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
        # Of all frames of another program, set-points are reported first.
        if not (self._moves and self.reason(now)) or role == "set_point":
            self._moves = role == "set_point"
            self._text = (
                f"{_WHO} {_DOES[role]} ({what}). Close that program, or switch off the adapter's echo of sent"
                " frames."
            )
        self._heard_at = now

    def reason(self, now: float) -> str:
        """Return a message about another master at `now` (s), with the remedy; "" if there is none."""
        return self._text if now - self._heard_at <= self._patience else ""


def _raw_frames(codec: Codec) -> Iterator[Frame]:
    sequences = codec.profile.sequences
    for step in (
        sequences.arm + sequences.disarm + sequences.stop + sequences.zero + sequences.reset
    ):
        with contextlib.suppress(ProfileError):  # listening works with an invalid profile, too
            yield from codec.step_frames(step) if step.raw is not None else ()


def mention_foreign_master(reasons: Iterable[str]) -> bool:
    """Return whether the reasons against arming mention another master."""
    return any(reason.startswith(_WHO) for reason in reasons)
