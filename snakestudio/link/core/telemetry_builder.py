"""Telemetry for the window, collected from the parts of the link."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.link.core.arrivals import LoadMeter
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.rx_path import RxPath
from snakestudio.link.core.set_points import SetPoints
from snakestudio.link.core.tx_gate import TxGate
from snakestudio.link.messages import AGED, LinkState, Telemetry
from snakestudio.link.profile.expected import ExpectedIntervals
from snakestudio.link.profile.schema import Profile


class TelemetryBuilder:
    """Reads the parts, and changes none."""

    def __init__(
        self,
        profile: Profile,
        node_states: NodeStates,
        expected: ExpectedIntervals,
        rx: RxPath,
        tx: TxGate,
        set_points: SetPoints,
        meter: LoadMeter,
        *,
        replay: bool,
    ) -> None:
        self._profile = profile
        self._node_states = node_states
        self._replay = replay
        self._stale_after = np.stack([expected.stale[quantity] for quantity in AGED])
        self._rx = rx
        self._tx = tx
        self._set_points = set_points
        self._meter = meter

    def build(
        self,
        now: float,
        state: LinkState,
        reason: str,
        not_ready: tuple[str, ...],
        carried_out: int,
    ) -> Telemetry:
        """Return the telemetry at `now` (s), with copies of all arrays that change."""
        node_states = self._node_states
        values = self._node_states.values
        lost = self._profile.timing.lost_s
        rx = self._rx
        tx = self._tx
        set_points = self._set_points
        mean, p99, gap = set_points.times.statistics() if set_points.running else (math.nan,) * 3
        return Telemetry(
            time=now,
            state=state,
            reason=reason,
            not_ready=not_ready,
            confirmed=node_states.has_status and node_states.all_report("armed", now - lost),
            says_status=node_states.has_status,
            replay=self._replay,
            carried_out=carried_out,
            reference=set_points.angle.copy(),
            reference_rate=set_points.rate.copy(),
            angle=values["angle"].copy(),
            rate=values["rate"].copy(),
            torque=values["torque"].copy(),
            current=values["current"].copy(),
            temperature=values["temperature"].copy(),
            voltage=values["voltage"].copy(),
            angle_time=node_states.angle_time.copy(),
            feedback_rate=node_states.feedback_rate(now),
            status=node_states.status.copy(),
            meaning=node_states.meaning.copy(),
            errors=node_states.errors.copy(),
            heartbeat_time=node_states.heartbeat_time.copy(),
            bus_load=self._meter.load(now),
            received=rx.received,
            sent=tx.sent,
            unknown=rx.unknown,
            unreadable=rx.unreadable,
            error_frames=0,
            send_errors=tx.errors,
            bus_open=tx.bus_open,
            period_mean=mean,
            lateness_p99=p99,
            gap_max=gap,
            skipped=set_points.times.skipped,
            priority="",
            axis_text=tuple(node_states.text(axis) for axis in range(len(self._profile.axes))),
            heard_at=node_states.heard_at.copy(),
            stale_after=self._stale_after,
        )
