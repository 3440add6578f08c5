"""Sources of the window: the simulation, a live robot, or a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from snakestudio.model.recording import Recording
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.session import Session

SourceKind = Literal["simulation", "replay", "robot"]


class Source(Protocol):
    """Source with a recording and a newest state."""

    @property
    def kind(self) -> SourceKind:
        """Kind of the source."""
        ...

    @property
    def name(self) -> str:
        """Name; empty if there is only one source of its kind."""
        ...

    @property
    def base_dir(self) -> Path | None:
        """Folder of the relative file names in its scene; None for that of the open document."""
        ...

    @property
    def recording(self) -> Recording | None:
        """Rows so far; None before the first."""
        ...

    @property
    def latest(self) -> Snapshot | None:
        """Newest state; a new object for each newer state."""
        ...


class Rows(Protocol):
    """Rows of a robot: a growing recording and the newest state."""

    @property
    def recording(self) -> Recording | None:
        """Rows so far."""
        ...

    @property
    def latest(self) -> Snapshot | None:
        """Newest state."""
        ...


class Simulation:
    """Simulation of the session."""

    kind: SourceKind = "simulation"
    name = ""
    base_dir: Path | None = None

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def recording(self) -> Recording | None:
        """Recording of the current run."""
        return self._session.recording

    @property
    def latest(self) -> Snapshot | None:
        """Newest state, at shorter intervals than the rows."""
        return self._session.latest


class Robot:
    """Connected robot."""

    kind: SourceKind = "robot"
    base_dir: Path | None = None

    def __init__(self, rows: Rows, name: str) -> None:
        self._rows = rows
        self.name = name

    @property
    def recording(self) -> Recording | None:
        """Measurements since streaming started, or since it was connected."""
        return self._rows.recording

    @property
    def latest(self) -> Snapshot | None:
        """Latest measurement."""
        return self._rows.latest


class LoadedRun:
    """Complete recording.

    Parameters
    ----------
    recording : Recording
        Recording with at least one row.
    """

    kind: SourceKind = "replay"

    def __init__(self, recording: Recording, name: str) -> None:
        self.recording: Recording | None = recording
        self.name = name
        self.base_dir: Path | None = getattr(recording, "base_dir", None)
        self.latest: Snapshot | None = recording.snapshot(len(recording) - 1)
