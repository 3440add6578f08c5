"""Reception of frames: counting, decoding, and passing to the parts that store or check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.link.core.arrivals import Arrivals, LoadMeter
from snakestudio.link.core.foreign_master import ForeignMaster
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.plausibility import PlausibilityChecks
from snakestudio.link.frame import Frame

if TYPE_CHECKING:
    from snakestudio.link.core.codec import Codec


class RxPath:
    """Handles received frames.

    Attributes
    ----------
    received, unknown, unreadable : int
        Frames since the bus was opened; of ids that the profile does not know; of its ids that
        cannot be read.
    """

    def __init__(
        self,
        codec: Codec,
        node_states: NodeStates,
        plausibility: PlausibilityChecks,
        arrivals: Arrivals,
        foreign_master: ForeignMaster,
        meter: LoadMeter,
        journal: Journal,
    ) -> None:
        self._codec = codec
        self._node_states = node_states
        self._plausibility = plausibility
        self._arrivals = arrivals
        self._foreign_master = foreign_master
        self._meter = meter
        self._journal = journal
        self.received = self.unknown = self.unreadable = 0

    def reset(self) -> None:
        """Reset everything, because another robot may be on the bus now."""
        self._node_states.reset()
        self._arrivals.reset()
        self._foreign_master.reset()
        self.received = self.unknown = self.unreadable = 0

    def unreadable_at(self, text: str, now: float, remedy: str = "") -> None:
        """Count unreadable data at `now` (s); `text` is the reason, without the remedy if one is given."""
        self.unreadable += 1
        self._arrivals.unreadable(now, text, remedy)
        self._journal.report_once(now, "warning", text, "unreadable")

    def frame(self, frame: Frame, now: float) -> bool:
        """Handle a frame with any bytes at `now` (s); return whether something must be checked immediately."""
        if frame.error:
            return False
        self.received += 1
        self._meter.add(frame, now)
        decoded = self._codec.decode(frame)
        if decoded is None:
            self.unknown += not self._foreign_master.notice(frame, now)
        elif decoded.problem:
            self._node_states.update_unknown(decoded)
            remedy = "check the cable, and whether the DBC is this robot's"
            self.unreadable_at(f"{decoded.message.called}: {decoded.problem}.", now, remedy)
        else:
            self._arrivals.add(decoded)
            self._plausibility.compare(decoded, now)
            # With its time of reception, even if it waited.
            self._node_states.update(decoded, frame.time if 0.0 < frame.time < now else now)
        node_states = self._node_states
        plausibility = self._plausibility
        new = node_states.notable or plausibility.notable
        node_states.notable = plausibility.notable = False
        return new
