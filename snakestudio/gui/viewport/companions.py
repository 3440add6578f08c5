"""Companions of the window's run in the viewport: ghosts of other runs, measured tracks, state of a live robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.drawing.overlays import Ghost, MeasuredLine
from snakestudio.model.snapshot import Snapshot


def _no_ghosts(time: float) -> tuple[Ghost, ...]:
    return ()


def _no_names(time: float) -> list[tuple[str, str]]:
    return []


def _no_tracks(snapshot: Snapshot) -> tuple[MeasuredLine, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """Poses of other runs that are shown with that of the window."""

    ghosts: Callable[[float], tuple[Ghost, ...]] = _no_ghosts
    """Returns translucent robots at a time, s."""
    names: Callable[[float], list[tuple[str, str]]] = _no_names
    """Returns colours and names of the ghosts at a time, s."""
    tracks: Callable[[Snapshot], tuple[MeasuredLine, ...]] = _no_tracks
    """Returns measured tracks of a real robot for a simulated state."""


@dataclass(frozen=True, slots=True)
class RobotState:
    """Notes on a live robot that is drawn."""

    marks: Callable[[], list[tuple[str, str]]] = list
    """Returns colours and texts."""
    is_stale: Callable[[], bool] = bool
    """Returns whether the robot is drawn in a state that may be outdated."""


class Companions:
    """Companions of the window's run, queried for every frame."""

    def __init__(self) -> None:
        self.runs = OtherRuns()
        self.robot = RobotState()
        self._stale = False

    def show_runs(self, runs: OtherRuns) -> None:
        """Set the source of other runs."""
        self.runs = runs

    def show_robot(self, robot: RobotState) -> None:
        """Set the source of the live robot's notes."""
        self.robot = robot

    def ghosts(self, snapshot: Snapshot | None) -> tuple[Ghost, ...]:
        """Return the ghosts at the time of a state."""
        return self.runs.ghosts(snapshot.time) if snapshot is not None else ()

    def ghost_names(self, snapshot: Snapshot | None) -> list[tuple[str, str]]:
        """Return the colours and names of the ghosts at the time of a state."""
        return self.runs.names(snapshot.time) if snapshot is not None else []

    def tracks(self, snapshot: Snapshot | None) -> tuple[MeasuredLine, ...]:
        """Return the measured tracks for a state."""
        return self.runs.tracks(snapshot) if snapshot is not None else ()

    def poll_stale(self) -> bool:
        """Query whether the robot's state is stale; return whether that changed since the last call."""
        before = self._stale
        self._stale = self.robot.is_stale()
        return self._stale != before
