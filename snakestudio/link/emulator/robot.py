"""The emulated robot: nodes with firmware, joints and wiring faults, without a clock or bus."""

from __future__ import annotations

import heapq
import math
from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import UsageError
from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.fault import FAULTS, Fault, FaultKind
from snakestudio.link.emulator.firmware.registry import make_nodes
from snakestudio.link.emulator.node import Address, Node, NodeEvent
from snakestudio.link.emulator.plant import JointPlant, Plant
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import LoadedProfile

_FINEST_S = 0.001
"""Shortest time by which the joints are advanced."""

_LONGEST_S = 0.1
"""Longest time by which the joints may lag behind; after a longer delay the rest is skipped."""

_COARSEST_S = 0.02
"""Longest time by which the joints are advanced in one step. A slow plant must not keep the nodes
from the bus, nor make the motion of many periods look like that of one."""


class EmulatedRobot:
    """The robot of any profile, as it appears on the bus.

    All times are on the caller's clock, s. The first call powers the robot on.

    Parameters
    ----------
    plant : Plant, optional
        Plant that its motors move; by default a straight `JointPlant`.
    seed : int
        Seed of start-up lags and faults.

    Attributes
    ----------
    nodes : tuple of Node
        In the order of `Profile.nodes`.
    """

    def __init__(self, loaded: LoadedProfile, plant: Plant | None = None, *, seed: int = 0) -> None:
        self._loaded = loaded
        self._rng = np.random.default_rng(seed)
        profile = loaded.profile
        self._plant = plant or JointPlant(profile.emulation, np.zeros(len(profile.axes)))
        self._body = Body(profile, self._plant, self._rng)
        self.nodes: tuple[Node, ...] = make_nodes(loaded, self._body)
        self._ghosts: dict[int, Node] = {}
        self._ghost_body: Body | None = None
        self._wire = Wire(self._rng)
        self._routes = _routes(self.nodes)
        self._time: float | None = None
        self._events: list[NodeEvent] = []
        self._was_safe = True

    # ------------------------------------------------------------------------------------ how it is

    @property
    def safe(self) -> bool:
        """Whether no node has torque."""
        return not any(node.torque for node in self.nodes)

    @property
    def angles(self) -> FloatArray:
        """True joint angles, (m,), rad."""
        return self._plant.state.angle

    @property
    def set_points(self) -> int:
        """Number of set-points that the nodes have accepted."""
        return sum(node.set_points for node in self.nodes)

    @property
    def rejected(self) -> int:
        """Number of frames that the nodes rejected: wrong checksum, counter or length."""
        return sum(node.rejected for node in self.nodes)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Injected faults that last."""
        return tuple(
            Fault(kind, node) for node, kinds in self._wire.faults.items() for kind in sorted(kinds)
        )

    @property
    def due(self) -> float:
        """Time of the next poll, s; -inf for now."""
        if self._time is None:
            return -math.inf
        nodes = min(node.due for node in (*self.nodes, *self._ghosts.values()))
        return min(nodes, self._wire.due, self._time + _COARSEST_S)

    def events(self) -> list[NodeEvent]:
        """Return the events since the last call."""
        events = self._events
        self._events = []
        return events

    # ----------------------------------------------------------------------------------------- time

    def receive(self, frame: Frame, now: float) -> None:
        """Receive a frame from the bus; `poll` returns the replies."""
        self._begin(now)
        if frame.error:
            return
        for node in self._routes.get((frame.id, frame.extended), ()):
            if not self._wire.deaf(node.number):
                node.receive(frame, now)
        for ghost in self._ghosts.values():
            if (frame.id, frame.extended) in ghost.addresses():
                ghost.receive(frame, now)
        self._collect(now)

    def poll(self, now: float) -> list[Frame]:
        """Advance to `now`; return the frames for the bus."""
        self._begin(now)
        assert self._time is not None
        if now - self._time >= _FINEST_S:
            passed = min(now - self._time, _COARSEST_S)
            self._time = max(self._time + passed, now - _LONGEST_S)
            self._body.advance(passed, now)
            if self._ghost_body is not None:
                self._ghost_body.advance(passed, now)
        frames = self._wire.arrived(now)
        for node in self.nodes:
            node.poll(now)
            sent = node.outbox
            node.outbox = []
            frames += self._wire.send(node.number, sent, now)
        for ghost in self._ghosts.values():
            ghost.poll(now)
            frames += ghost.outbox
            ghost.outbox = []
        self._collect(now)
        return frames

    def _begin(self, now: float) -> None:
        if self._time is None:
            self._time = now
            for node in self.nodes:
                node.power_on(now)
            self._collect(now)

    def _collect(self, now: float) -> None:
        for node in self.nodes:
            if node.events:
                self._events += node.events
                node.events = []
        for ghost in self._ghosts.values():
            ghost.events.clear()
        if self.safe != self._was_safe:
            self._was_safe = self.safe
            if self._was_safe:
                self._events.append(NodeEvent(now, "safe", None, "No node has torque."))

    # --------------------------------------------------------------------------------------- faults

    def inject(self, fault: Fault, now: float) -> None:
        """Inject a fault that lasts until it is cleared.

        Raises `UsageError` if the node does not exist.
        """
        nodes = self.befallen(fault)
        self._begin(now)
        for node in nodes:
            if fault.kind != "reset":
                self._wire.faults.setdefault(node.number, set()).add(fault.kind)
            self._events.append(
                NodeEvent(now, "injected", node.number, f"{fault.kind}: {FAULTS[fault.kind]}")
            )
            if fault.kind == "reset":
                node.power_on(now)
            elif fault.kind == "dropout":
                node.power_off()
            elif fault.kind == "duplicate-id":
                self._ghosts[node.number] = self._ghost(node.number, now)
        self._mark()
        self._collect(now)

    def befallen(self, fault: Fault) -> list[Node]:
        """Return the nodes with a fault.

        Raises `UsageError` if the node does not exist.
        """
        nodes = [node for node in self.nodes if fault.node in (None, node.number)]
        if not nodes:
            numbers = ", ".join(str(node.number) for node in self.nodes)
            raise UsageError(f"The robot has no node {fault.node}. Its nodes are {numbers}.")
        return nodes

    def clear(self, now: float) -> None:
        """Clear all injected faults; faults that nodes have latched stay latched."""
        self._begin(now)
        self._wire.clear()
        self._ghosts.clear()
        self._ghost_body = None
        for node in self.nodes:
            if not node.powered:
                node.power_on(now)
        self._mark()
        self._events.append(NodeEvent(now, "cleared", None, "All faults were cleared."))
        self._collect(now)

    def _mark(self) -> None:
        """Update the frozen, heated and jammed axes of body and plant."""
        body = self._body
        blocked = np.zeros(len(self._body.angle), np.bool_)
        for node in self.nodes:
            body.frozen[node.axes] = self._wire.has(node.number, "frozen-sensor")
            body.hot[node.axes] = self._wire.has(node.number, "overtemperature")
            blocked[node.axes] = self._wire.has(node.number, "jam")
        self._plant.block(blocked)

    def _ghost(self, number: int, now: float) -> Node:
        """Return a second node with an existing number and separate joints, which are straight and do not move."""
        if self._ghost_body is None:
            profile = self._loaded.profile
            plant = JointPlant(profile.emulation, np.zeros(len(profile.axes)))
            plant.block(np.ones(len(profile.axes), np.bool_))
            self._ghost_body = Body(profile, plant, self._rng)
        ghost = next(
            node for node in make_nodes(self._loaded, self._ghost_body) if node.number == number
        )
        ghost.power_on(now)
        return ghost


def _routes(nodes: tuple[Node, ...]) -> dict[Address, tuple[Node, ...]]:
    routes: dict[Address, tuple[Node, ...]] = {}
    for node in nodes:
        for address in node.addresses():
            routes[address] = (*routes.get(address, ()), node)
    return routes


_LATE_S = (0.05, 0.25)
_CORRUPT_SHARE = 0.3
_BABBLE_HZ = 2000.0
_BABBLE_BURST = 200
"""Most frames that a babbling node sends per poll."""


class Wire:
    """Wiring between nodes and bus, with faults of the frames.

    Attributes
    ----------
    faults : dict of int to set of str
        Faults by node.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.faults: dict[int, set[FaultKind]] = {}
        self._rng = rng
        self._late: list[tuple[float, int, Frame]] = []
        self._count = 0
        self._last: dict[int, Frame] = {}
        self._babbled: dict[int, float] = {}

    def has(self, node: int, kind: FaultKind) -> bool:
        """Return whether a node has a fault."""
        return kind in self.faults.get(node, ())

    def deaf(self, node: int) -> bool:
        """Return whether a node receives nothing."""
        return self.has(node, "bus-off")

    def send(self, node: int, frames: list[Frame], now: float) -> list[Frame]:
        """Return the frames of a node that reach the bus immediately."""
        if frames:
            self._last[node] = frames[-1]
        faults = self.faults.get(node)
        if not faults:
            return frames
        if "bus-off" in faults:
            return []
        if "corrupt" in faults:
            frames = [
                self._damaged(frame) if self._rng.random() < _CORRUPT_SHARE else frame
                for frame in frames
            ]
        if "late" in faults:
            for frame in frames:
                self._count += 1
                heapq.heappush(self._late, (now + self._rng.uniform(*_LATE_S), self._count, frame))
            frames = []
        if "babble" in faults:
            frames = frames + self._babble(node, now)
        return frames

    def arrived(self, now: float) -> list[Frame]:
        """Return late frames that are due."""
        frames = []
        while self._late and self._late[0][0] <= now:
            frames.append(heapq.heappop(self._late)[2])
        return frames

    @property
    def due(self) -> float:
        """Time of the next late or babbled frame, s."""
        late = self._late[0][0] if self._late else np.inf
        return min([late, *(since + 0.005 for since in self._babbled.values())])

    def clear(self) -> None:
        """Clear all faults."""
        self.faults.clear()
        self._babbled.clear()

    def _babble(self, node: int, now: float) -> list[Frame]:
        since = self._babbled.setdefault(node, now)
        frame = self._last.get(node)
        count = min(int((now - since) * _BABBLE_HZ), _BABBLE_BURST)
        if count:
            self._babbled[node] = now if count == _BABBLE_BURST else since + count / _BABBLE_HZ
        return [frame] * count if frame is not None else []

    def _damaged(self, frame: Frame) -> Frame:
        data = bytearray(frame.data)
        if not data:
            return frame
        if self._rng.random() < 0.3:
            return replace(frame, data=bytes(data[: self._rng.integers(0, len(data))]))
        for _ in range(int(self._rng.integers(1, 4))):
            data[self._rng.integers(0, len(data))] ^= 1 << int(self._rng.integers(0, 8))
        return replace(frame, data=bytes(data))
