"""What an emulated robot's process says of it: lines in words, lines for programs, and one line that stays in place."""

from __future__ import annotations

import json
from collections.abc import Iterable

from snakestudio.link.emulator.node import NodeEvent
from snakestudio.link.emulator.robot import EmulatedRobot

__all__ = ["event_lines", "report_line", "status_line"]


def report_line(event: NodeEvent) -> str:
    """An event as a line of JSON: time on the machine's monotonic clock (s), event, node (null: all of the robot)."""
    return json.dumps({"time": event.time, "event": event.event, "node": event.node, "text": event.text})


def event_lines(events: Iterable[NodeEvent], begun: float) -> list[str]:
    """Events in words, those that befell several nodes at once in one line."""
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
    """Nodes 1, 2, 3 and 5 as "nodes 1-3, 5"."""
    runs: list[list[int]] = []
    for node in sorted(set(nodes)):  # a node with several drives speaks for each of them
        if runs and node == runs[-1][-1] + 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    text = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return f"node{'s' if len(nodes) > 1 else ''} {text}:"


def status_line(robot: EmulatedRobot, set_points: float, sent: float, more: str) -> str:
    """How the robot is, in one line.

    Parameters
    ----------
    robot : EmulatedRobot
    set_points, sent : float
        Set-points taken and frames sent, lately, 1/s.
    more : str
        What else there is to say.
    """
    counts: dict[str, int] = {}
    for node in robot.nodes:
        condition = "no power" if not node.powered else node.condition if node.running else "booting"
        counts[condition] = counts.get(condition, 0) + 1
    states = ", ".join(f"{count} {condition}" for condition, count in counts.items())
    torque = "no torque" if robot.safe else f"torque on {sum(node.torque for node in robot.nodes)}"
    kinds: dict[str, list[int]] = {}
    for fault in robot.faults:
        if fault.node is not None:
            kinds.setdefault(fault.kind, []).append(fault.node)
    faults = "; ".join(f"{kind} of {_numbers(nodes)[:-1]}" for kind, nodes in kinds.items())
    parts = [f"{len(robot.nodes)} nodes: {states}", torque, f"{set_points:.0f} set-points/s, {sent:.0f} frames/s sent"]
    if robot.rejected:
        parts.append(f"{robot.rejected} frames refused")
    return " · ".join([*parts, *filter(None, (faults, more))])
