"""Where what the window shows comes from: the simulation, a live robot, or a run that was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from snakestudio.model.recording import Recording
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.session import Session

SourceKind = Literal["simulation", "replay", "robot"]


class Source(Protocol):
    """Something with a recording and a newest state."""

    @property
    def kind(self) -> SourceKind:
        """What it is."""
        ...

    @property
    def name(self) -> str:
        """What it is called; empty if there is only one of its kind."""
        ...

    @property
    def base_dir(self) -> Path | None:
        """Folder that file names in its scene are relative to; None: as the open document says."""
        ...

    @property
    def recording(self) -> Recording | None:
        """Its rows so far; None before the first."""
        ...

    @property
    def latest(self) -> Snapshot | None:
        """Its newest state: another object whenever there is a newer one."""
        ...


class Rows(Protocol):
    """What a robot gives: a recording that grows, and the newest state."""

    @property
    def recording(self) -> Recording | None:
        """Its rows so far."""
        ...

    @property
    def latest(self) -> Snapshot | None:
        """Its newest state."""
        ...


class Simulation:
    """The run that the session makes."""

    kind: SourceKind = "simulation"
    name = ""
    base_dir: Path | None = None

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def recording(self) -> Recording | None:
        """Of the present run."""
        return self._session.recording

    @property
    def latest(self) -> Snapshot | None:
        """Finer in time than the rows."""
        return self._session.latest


class Robot:
    """A robot that is connected."""

    kind: SourceKind = "robot"
    base_dir: Path | None = None

    def __init__(self, rows: Rows, name: str) -> None:
        self._rows = rows
        self.name = name

    @property
    def recording(self) -> Recording | None:
        """What was measured since streaming began, or since it was connected."""
        return self._rows.recording

    @property
    def latest(self) -> Snapshot | None:
        """What was measured last."""
        return self._rows.latest


class LoadedRun:
    """A recording that is complete.

    Parameters
    ----------
    recording : Recording
        With at least one row.
    """

    kind: SourceKind = "replay"

    def __init__(self, recording: Recording, name: str) -> None:
        self.recording: Recording | None = recording
        self.name = name
        self.base_dir: Path | None = getattr(recording, "base_dir", None)
        self.latest: Snapshot | None = recording.snapshot(len(recording) - 1)
