"""What is drawn with the run of the window: ghosts of other runs, measured tracks, the state of a live robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.drawing.overlays import Ghost, Track
from snakestudio.model.snapshot import Snapshot


def _no_ghosts(time: float) -> tuple[Ghost, ...]:
    return ()


def _no_names(time: float) -> list[tuple[str, str]]:
    return []


def _no_tracks(snapshot: Snapshot) -> tuple[Track, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """Where the runs are that are shown with the window's own."""

    ghosts: Callable[[float], tuple[Ghost, ...]] = _no_ghosts
    """Translucent robots at a time, s."""
    names: Callable[[float], list[tuple[str, str]]] = _no_names
    """Their colours and names at a time, s."""
    tracks: Callable[[Snapshot], tuple[Track, ...]] = _no_tracks
    """Tracks that were measured of a real robot, for a simulated state."""


@dataclass(frozen=True, slots=True)
class RobotState:
    """What must be known of a live robot that is drawn."""

    marks: Callable[[], list[tuple[str, str]]] = list
    """Colours and texts."""
    is_stale: Callable[[], bool] = bool
    """Whether the robot is drawn in a state that may not hold any more."""


class Companions:
    """What is shown with the run of the window, read for every frame."""

    def __init__(self) -> None:
        self.runs = OtherRuns()
        self.robot = RobotState()
        self._stale = False

    def show_runs(self, runs: OtherRuns) -> None:
        """Show these runs from now on."""
        self.runs = runs

    def show_robot(self, robot: RobotState) -> None:
        """Ask this about the live robot from now on."""
        self.robot = robot

    def ghosts(self, snapshot: Snapshot | None) -> tuple[Ghost, ...]:
        """Ghosts at the time of a state."""
        return self.runs.ghosts(snapshot.time) if snapshot is not None else ()

    def ghost_names(self, snapshot: Snapshot | None) -> list[tuple[str, str]]:
        """Colours and names of the ghosts at the time of a state."""
        return self.runs.names(snapshot.time) if snapshot is not None else []

    def tracks(self, snapshot: Snapshot | None) -> tuple[Track, ...]:
        """Measured tracks for a state."""
        return self.runs.tracks(snapshot) if snapshot is not None else ()

    def poll_stale(self) -> bool:
        """Ask whether the robot is stale; whether that has changed since the last call."""
        before = self._stale
        self._stale = self.robot.is_stale()
        return self._stale != before
