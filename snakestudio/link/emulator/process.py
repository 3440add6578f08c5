"""The process of an emulated robot: time, bus, timed faults, commands and reports."""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from snakestudio.errors import UsageError
from snakestudio.link.bus.open_bus import CanBus, open_bus
from snakestudio.link.emulator.fault import Fault, parse_fault
from snakestudio.link.emulator.node import NodeEvent
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus
from snakestudio.text import noun

_WAIT_S = 0.02
"""Longest wait for the bus before other work, s."""

_STATUS_S = 0.5
_DRAINED = 100
"""Most frames that are read from the bus together,"""

_FLOOD = 2000
"""and in a row before the robot is polled."""


class Port(Protocol):
    """The robot's connection: a bus, or an emulated adapter."""

    lost: int
    """Number of frames that were lost, and of failures to receive."""

    def receive(self, timeout: float) -> list[Frame]:
        """Return received frames with their times as soon as there are some; none after `timeout` s."""
        ...

    def send(self, frame: Frame) -> None:
        """Send a frame to the bus; a frame that cannot be sent is lost."""
        ...

    def close(self) -> None:
        """Close the port."""
        ...


class BusPort:
    """A bus of python-can as a `Port`.

    Raises `LinkError` if it cannot be opened.

    Attributes
    ----------
    lost : int
        Number of frames that could not be sent, and of failures to receive.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus: CanBus = open_bus(bus)
        self.lost = 0

    def receive(self, timeout: float) -> list[Frame]:
        """See `Port`."""
        frames: list[Frame] = []
        for _ in range(_DRAINED):
            try:
                got = self._bus.receive(0.0 if frames else timeout)
            except (
                Exception
            ):  # drivers raise any exception; a robot's controller continues after an error
                self.lost += 1
                time.sleep(0.001)
                break
            if got is None:
                break
            frames.append(got[0])
        return frames

    def send(self, frame: Frame) -> None:
        """See `Port`."""
        try:
            self._bus.send(frame)
        except Exception:  # see above
            self.lost += 1

    def close(self) -> None:
        """See `Port`."""
        self._bus.close()


@dataclass(frozen=True, slots=True)
class TimedFault:
    """A fault with its time, s after the start."""

    after: float
    fault: Fault


class EmulatorProcess:
    """Runs an emulated robot in real time.

    Parameters
    ----------
    report : callable, optional
        Called with a line of JSON for each event.
    each_round : callable, optional
        Called in each cycle with the time; returns text for the status line.
    ends : callable
        Called in each cycle; returns whether to end.
    """

    def __init__(
        self,
        robot: EmulatedRobot,
        port: Port,
        faults: tuple[TimedFault, ...] = (),
        report: Callable[[str], object] | None = None,
        each_round: Callable[[float], str] | None = None,
        ends: Callable[[], bool] = lambda: False,
    ) -> None:
        self._robot = robot
        self._port = port
        self._report = report
        self._faults = sorted(faults, key=lambda fault: fault.after)
        self._each_round = each_round or (lambda now: "")
        self._ends = ends
        self._sent = 0
        self._begun = time.monotonic()
        self._received_at = -math.inf
        self._last_status = (self._begun, 0, 0)
        self._line = sys.stderr.isatty()

    def run(self, commands: Commands | None = None) -> None:
        """Run until `ends` or a command ends it."""
        robot = self._robot
        port = self._port
        now = self._begun
        while not self._ends():
            now = self._receive(min(max(robot.due - now, 0.0), _WAIT_S))
            while self._faults and now - self._begun >= self._faults[0].after:
                robot.inject(self._faults.pop(0).fault, now)
            if now >= robot.due:
                for frame in robot.poll(now):
                    port.send(frame)
                    self._sent += 1
            more = self._each_round(now)
            continues = commands is None or commands.carry_out(robot, now, self._print)
            self._report_events(robot.events())
            if not continues:
                return
            self._show(now, more)

    def _receive(self, timeout: float) -> float:
        """Pass received frames to the robot with their times; return the time up to which all were read.

        If the system does not run this process for a while, frames wait at the bus. They arrived in
        time, so they must not trigger a node's watchdog.
        """
        frames = self._port.receive(timeout)
        now = time.monotonic()
        while len(frames) < _FLOOD and (more := self._port.receive(0.0)):
            frames += more
        if len(frames) >= _FLOOD:
            now = min(now, frames[-1].time)
        for frame in frames:
            # The bus delivers frames in order; errors of its clock (about 0.1 ms) must not change
            # it.
            self._received_at = max(self._received_at, frame.time)
            self._robot.receive(frame, self._received_at)
        return now

    def _report_events(self, events: list[NodeEvent]) -> None:
        if not events:
            return
        if self._report is not None:
            self._report("".join(f"{report_line(event)}\n" for event in events))
        for line in event_lines(events, self._begun):
            self._print(line)

    def _print(self, line: str) -> None:
        if self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        print(line, flush=True)

    def _show(self, now: float, more: str) -> None:
        since, set_points, sent = self._last_status
        if not self._line or now - since < _STATUS_S:
            return
        self._last_status = (now, self._robot.set_points, self._sent)
        passed = now - since
        if self._port.lost:
            more = f"{self._port.lost} frames lost" + (f" · {more}" if more else "")
        rates = (self._robot.set_points - set_points) / passed, (self._sent - sent) / passed
        width = os.get_terminal_size(sys.stderr.fileno()).columns
        sys.stderr.write(f"\r\x1b[K{status_line(self._robot, *rates, more)[: width - 1]}")
        sys.stderr.flush()


class Commands:
    """Commands typed while the robot runs: ``fault KIND [NODE]``, ``clear``, ``quit``.

    Parameters
    ----------
    until_eof : bool
        Whether the robot ends at the end of the input.
    """

    def __init__(self, until_eof: bool) -> None:
        self._until_eof = until_eof
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="emulator-commands", daemon=True).start()

    def _read(self) -> None:
        # Not through sys.stdin: the interpreter crashes if a thread holds its lock at exit.
        text = b""
        while True:
            try:
                read = os.read(0, 4096)
            except OSError:
                read = b""
            if not read:
                self._lines.put(None)
                return
            *lines, text = (text + read).split(b"\n")
            for line in lines:
                self._lines.put(line.decode(errors="replace"))

    def carry_out(self, robot: EmulatedRobot, now: float, report: Callable[[str], None]) -> bool:
        """Carry out the typed commands; False if the robot must end."""
        while True:
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                return True
            if line is None:
                if self._until_eof:
                    return False
                continue
            parts = line.split()
            if parts == ["quit"]:
                return False
            try:
                _command(parts, robot, now)
            except UsageError as error:
                report(str(error))


def _command(parts: list[str], robot: EmulatedRobot, now: float) -> None:
    """Carry out one line; raises `UsageError`."""
    if not parts:
        return
    if parts == ["clear"]:
        robot.clear(now)
    elif parts[0] == "fault" and 2 <= len(parts) <= 3:
        robot.inject(parse_fault(*parts[1:]), now)
    else:
        raise UsageError(
            f"{' '.join(parts)[:60]!r} is not a command. Type fault KIND [NODE], clear or quit."
        )


def report_line(event: NodeEvent) -> str:
    """Return an event as a line of JSON: time (s, monotonic clock), event, node (null for the whole robot)."""
    return json.dumps(
        {"time": event.time, "event": event.event, "node": event.node, "text": event.text}
    )


def event_lines(events: Iterable[NodeEvent], begun: float) -> list[str]:
    """Return events as text, with simultaneous events of several nodes in one line."""
    groups: dict[tuple[str, str], list[int]] = {}
    for event in events:
        nodes = groups.setdefault((f"{event.time - begun:8.3f} s", event.text), [])
        if event.node is not None:
            nodes.append(event.node)
    return [
        f"{moment}  {_numbers(nodes)} {text}" if nodes else f"{moment}  {text}"
        for (moment, text), nodes in groups.items()
    ]


def _numbers(nodes: list[int]) -> str:
    """Return nodes 1, 2, 3 and 5 as "nodes 1-3, 5"."""
    runs: list[list[int]] = []
    for node in sorted(set(nodes)):  # a node with several drives reports for each of them
        if runs and node == runs[-1][-1] + 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    text = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return f"{noun(len(nodes), 'node')} {text}:"


def status_line(robot: EmulatedRobot, set_points: float, sent: float, more: str) -> str:
    """Return the state of the robot in one line.

    Parameters
    ----------
    set_points, sent : float
        Recent rates of accepted set-points and sent frames, 1/s.
    more : str
        Further text.
    """
    counts: dict[str, int] = {}
    for node in robot.nodes:
        condition = (
            "no power" if not node.powered else node.condition if node.running else "booting"
        )
        counts[condition] = counts.get(condition, 0) + 1
    states = ", ".join(f"{count} {condition}" for condition, count in counts.items())
    torque = "no torque" if robot.safe else f"torque on {sum(node.torque for node in robot.nodes)}"
    kinds: dict[str, list[int]] = {}
    for fault in robot.faults:
        if fault.node is not None:
            kinds.setdefault(fault.kind, []).append(fault.node)
    faults = "; ".join(f"{kind} of {_numbers(nodes)[:-1]}" for kind, nodes in kinds.items())
    parts = [
        f"{len(robot.nodes)} nodes: {states}",
        torque,
        f"{set_points:.0f} set-points/s, {sent:.0f} frames/s sent",
    ]
    if robot.rejected:
        parts.append(f"{robot.rejected} frames rejected")
    return " · ".join([*parts, *filter(None, (faults, more))])
