"""Store of study results: an SQLite file next to the study file that receives every run as it ends.

One process at a time writes the file, and others can read it at any time (write-ahead log). During
writing SQLite keeps extra files next to it; afterwards it is a single file that can be copied. Runs
are identified by their keys (`run_key`), independent of the study that requested them first; the
assignment of runs to points is a separate table.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from snakestudio.errors import StudyError
from snakestudio.model.plausibility import Plausibility

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

Parsed = TypeVar("Parsed")

FORMAT = 1
"""Version of the store, in the `user_version` of the file."""

_APPLICATION = 0x534E4B53
"""The `application_id` of the file: SNKS."""

State = Literal["done", "failed", "refused", "killed"]
"""State of a run: completed, simulation failed, scene cannot run, or crashed three workers."""

_PIECE = 500
"""Number of keys per statement; SQLite supports at least 999 values."""

_SCHEMA = """
CREATE TABLE runs (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sentence TEXT NOT NULL,
    measures TEXT NOT NULL,
    trace BLOB,
    seconds REAL NOT NULL,
    worker TEXT NOT NULL,
    landed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_landed ON runs (landed);
CREATE TABLE asked (
    point INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    key TEXT NOT NULL,
    changes TEXT NOT NULL,
    PRIMARY KEY (point, repeat)
) WITHOUT ROWID;
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

_ADDED = "CREATE TABLE IF NOT EXISTS plausibility (key TEXT PRIMARY KEY, result TEXT NOT NULL) WITHOUT ROWID"
"""Table that stores of earlier versions lack; earlier versions ignore it."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Outcome of a run."""

    key: str
    state: State
    sentence: str
    """Reason of the failure; "" if completed."""

    measures: tuple[float, ...]
    """Goals, then limits, in the order of the study; NaN if not available."""

    trace: bytes | None = None
    """Path of the centre and last posture, see `evaluate.Trace`."""

    seconds: float = 0.0
    """Computing time, s."""

    worker: str = ""

    plausibility: Plausibility | None = None
    """Result of the plausibility checks; None if the run was not checked."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run requested by the study."""

    point: int
    """Number of the point, from 0."""

    repeat: int
    """Number of the repeat, from 0."""

    key: str
    changes: dict[str, Any]
    """Changed scene values, by key."""


def store_path(study: Path) -> Path:
    """Return the path of the results of a study file: ``NAME.results`` next to it."""
    return study.with_suffix(".results")


class _WriterLock:
    """Lock that prevents other programs from writing a file; released when this process ends in any way.

    Raises `StudyError` if another program holds it. Raises `OSError` if the lock file cannot be
    created.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}.lock")
        while True:
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(self._handle)
                # The previous holder may have ended meanwhile and removed the file.
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(self._handle), self._file.stat()):
                        return
            except (BlockingIOError, PermissionError):
                os.close(self._handle)
                raise StudyError(
                    f"{path}: another program is running this study. Wait until it has finished, or stop it there."
                ) from None
            except OSError:
                os.close(self._handle)
                raise
            os.close(self._handle)

    def release(self) -> None:
        """Release the lock."""
        with contextlib.suppress(OSError):  # Windows cannot delete an open file
            self._file.unlink()
        os.close(self._handle)


def _lock(handle: int) -> None:
    """Lock an open file for this process; raises OSError if another one holds it."""
    if sys.platform == "win32":
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Store:
    """The results of one study.

    Raises `StudyError` if the file cannot be opened, is invalid, comes from a newer version, or is
    being written by another program.

    Parameters
    ----------
    writing : bool
        Whether to open for writing: the file is created if missing, and locked against other
        writers.
    """

    def __init__(self, path: Path, writing: bool = False) -> None:
        self.path = path
        self._writing = writing
        if not writing and not os.path.isfile(path):
            raise StudyError(f"{path}: there are no results yet; run the study first.")
        self._open_parts = contextlib.ExitStack()
        try:
            with self._reporting_errors():
                self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._writing:
            self._open_parts.callback(_WriterLock(self.path).release)
        # A reader can be the last to close the file, and then merges SQLite's extra files into
        # it.
        where = self.path.absolute().as_uri() + ("?mode=rwc" if self._writing else "?mode=rw")
        self.db = sqlite3.connect(
            where, uri=True, timeout=10.0, isolation_level=None, check_same_thread=False
        )
        self._open_parts.callback(self.db.close)
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        (application,) = self.db.execute("PRAGMA application_id").fetchone()
        fresh = version == 0 and not self.db.execute("SELECT 1 FROM sqlite_master").fetchone()
        if not fresh and application != _APPLICATION:
            raise StudyError(
                f"{self.path}: this is not a file of results. Move it away, or give the study another name."
            )
        if version > FORMAT:
            raise StudyError(
                f"{self.path}: these results are of format {version}, newer than this program, which reads up to"
                f" {FORMAT}. Update SnakeStudio."
            )
        if not self._writing:
            if fresh:
                raise StudyError(f"{self.path}: there are no results yet; run the study first.")
            self.db.execute("PRAGMA query_only = ON")
            return
        self.db.execute("PRAGMA journal_mode = WAL")
        self._open_parts.callback(self._become_one_file)
        # a killed process loses nothing; a power cut loses the last moments
        self.db.execute("PRAGMA synchronous = NORMAL")
        if fresh:
            with self._transaction():
                for statement in _SCHEMA.split(";"):
                    if statement.strip():
                        self.db.execute(statement)
                self.db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self.db.execute(f"PRAGMA user_version = {FORMAT}")
        self.db.execute(_ADDED)

    @contextlib.contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            raise StudyError(
                f"{self.path}: the results cannot be {'written' if self._writing else 'read'} ({error}). Free some"
                " space on that disk, or check the permissions."
            ) from None
        except (
            sqlite3.DatabaseError,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:  # the database, or a text in it, is damaged
            raise StudyError(
                f"{self.path}: these results are damaged ({error}). Move the file away to restart the study."
            ) from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def close(self) -> None:
        """Close the store; safe to call repeatedly."""
        with contextlib.suppress(sqlite3.Error):
            self._open_parts.close()

    def _become_one_file(self) -> None:
        """Merge SQLite's extra files into the store; if there are readers, the last of them does it."""
        with contextlib.suppress(sqlite3.OperationalError):
            self.db.execute("PRAGMA busy_timeout = 0")
            self.db.execute("PRAGMA journal_mode = DELETE")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -------------------------------------------------------------------------------------- writing

    def begin(self, about: dict[str, str]) -> None:
        """Store the description of a new execution; clear the assignment of runs to points, but keep the runs.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors(), self._transaction():
            self.db.execute("DELETE FROM asked")
            self.db.execute("DELETE FROM about")
            self.db.executemany("INSERT INTO about VALUES (?, ?)", about.items())

    def note(self, name: str, value: str) -> None:
        """Add or replace one entry of the description.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            self.db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def add_requests(self, runs: Sequence[RunRequest]) -> None:
        """Store runs that the study requests.

        Raises
        ------
        StudyError
        """
        rows = [(run.point, run.repeat, run.key, json.dumps(run.changes)) for run in runs]
        with self._reporting_errors(), self._transaction():
            self.db.executemany("INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?)", rows)

    def add_outcomes(self, outcomes: Iterable[RunOutcome]) -> None:
        """Store outcomes of runs.

        Raises
        ------
        StudyError
        """
        outcomes = list(outcomes)
        with self._reporting_errors(), self._transaction():
            (last,) = self.db.execute("SELECT coalesce(max(landed), 0) FROM runs").fetchone()
            self.db.executemany(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        o.key,
                        o.state,
                        o.sentence,
                        _text(o.measures),
                        o.trace,
                        o.seconds,
                        o.worker,
                        last + number,
                    )
                    for number, o in enumerate(outcomes, 1)
                ],
            )
            self.db.executemany(
                "DELETE FROM plausibility WHERE key = ?", [(o.key,) for o in outcomes]
            )
            self.db.executemany(
                "INSERT INTO plausibility VALUES (?, ?)",
                [
                    (o.key, o.plausibility.text)
                    for o in {o.key: o for o in outcomes}.values()
                    if o.plausibility is not None
                ],
            )

    # -------------------------------------------------------------------------------------- reading

    def about(self) -> dict[str, str]:
        """Return the description of the study.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            return dict(self.db.execute("SELECT name, value FROM about"))

    def noted(self, name: str, usual: str, parse: Callable[[Any], Parsed]) -> Parsed:
        """Return an entry of the description, parsed as JSON and converted by `parse`; `usual` if missing.

        Raises
        ------
        StudyError
        """
        about = self.about()
        with self._reporting_errors():
            return parse(json.loads(about.get(name, usual)))

    def known(self, keys: Sequence[str], traces: bool = False) -> dict[str, RunOutcome]:
        """Return the outcomes of those of these runs that are known, by key.

        Raises
        ------
        StudyError
        """
        outcomes: dict[str, RunOutcome] = {}
        columns = f"r.key, r.state, r.sentence, r.measures, {'r.trace' if traces else 'NULL'}, r.seconds, r.worker"
        with self._reporting_errors():
            result, join = self._plausibility()
            for begin in range(0, len(keys), _PIECE):
                part = keys[begin : begin + _PIECE]
                marks = ",".join("?" * len(part))
                for row in self.db.execute(
                    f"SELECT {columns}, {result} FROM runs r {join} WHERE r.key IN ({marks})", part
                ):
                    outcomes[row[0]] = _outcome(row)
        return outcomes

    def requests(self) -> list[RunRequest]:
        """Return the runs that the study requested, by point and repeat.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            rows = self.db.execute(
                "SELECT point, repeat, key, changes FROM asked ORDER BY point, repeat"
            )
            return [_request_of(row) for row in rows]

    def last_number(self) -> int:
        """Return the counter that grows with every stored run.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            (last,) = self.db.execute("SELECT coalesce(max(landed), 0) FROM runs").fetchone()
        return int(last)

    def results(self) -> list[tuple[RunRequest, RunOutcome | None]]:
        """Return all requested runs with their outcomes (without traces); None for those not yet run.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            result, join = self._plausibility()
            rows = self.db.execute(
                "SELECT a.point, a.repeat, a.key, a.changes, r.key, r.state, r.sentence, r.measures, NULL, r.seconds,"
                f" r.worker, {result} FROM asked a LEFT JOIN runs r ON r.key = a.key {join} ORDER BY a.point, a.repeat"
            )
            return [
                (_request_of(row[:4]), _outcome(row[4:]) if row[4] is not None else None)
                for row in rows
            ]

    def _plausibility(self) -> tuple[str, str]:
        """Column with the plausibility of the runs `r`, and its join; NULL for stores of earlier versions."""
        known = self.db.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'plausibility'"
        ).fetchone()
        return ("p.result", "LEFT JOIN plausibility p ON p.key = r.key") if known else ("NULL", "")

    def trace(self, key: str) -> bytes | None:
        """Trace (path and last posture) of a run; None if missing.

        Raises
        ------
        StudyError
        """
        with self._reporting_errors():
            row = self.db.execute("SELECT trace FROM runs WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]


def _text(measures: Sequence[float]) -> str:
    """Return the numbers as JSON with full precision; Python's JSON has NaN and infinities."""
    return json.dumps(list(measures))


def _outcome(row: Sequence[Any]) -> RunOutcome:
    key, state, sentence, measures, trace, seconds, worker, result = row
    return RunOutcome(
        key,
        state,
        sentence,
        tuple(map(float, json.loads(measures))),
        trace,
        seconds,
        worker,
        None if result is None else Plausibility.read(result),
    )


def _request_of(row: Sequence[Any]) -> RunRequest:
    point, repeat, key, changes = row
    return RunRequest(point, repeat, key, dict(json.loads(changes)))
