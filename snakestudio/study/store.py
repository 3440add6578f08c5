"""What a study has found so far, on disk: one SQLite file beside the study's, in which every run lands as it ends.

The file is written by whoever runs the study, one at a time, and read by everybody at any moment
(write-ahead log). While that goes on SQLite has files beside it; where nobody writes it is one file
again, that can be copied. A run is known by its key (`run_key`), whatever study asked for it first;
which runs make which points is kept beside.
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

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

Made = TypeVar("Made")

FORMAT = 1
"""Version of the store, kept in the file's `user_version`."""

_APPLICATION = 0x534E4B53
"""Of the file's `application_id`: SNKS."""

State = Literal["done", "failed", "refused", "killed"]
"""Of a run: it ended, its physics failed, its scene cannot run, or three workers died of it."""

_PIECE = 500
"""Keys asked for in one statement; SQLite takes 999 values at least."""

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run."""

    key: str
    state: State
    sentence: str
    """Why it failed; "" if it did not."""

    measures: tuple[float, ...]
    """Goals, then limits, as the study asks for them; NaN where there is none."""

    trace: bytes | None = None
    """The way of its middle and its last posture, see `evaluate.Trace`."""

    seconds: float = 0.0
    """That it took, s."""

    worker: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A run that the study asks for."""

    point: int
    repeat: int
    """`point` and `repeat`: from 0."""

    key: str
    changes: dict[str, Any]
    """Scene values that it has, by key."""


def store_path(study: Path) -> Path:
    """Where the results of a study file are kept: ``NAME.results`` beside it."""
    return study.with_suffix(".results")


class _WriterLock:
    """Keeps other programs from writing a file as well; it ends with this process, however that ends.

    Raises `StudyError` if another one has it. Raises `OSError` if its file cannot be made beside
    the other.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(f"{path.name}.lock")
        while True:
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(self._handle)
                # Whoever had it may have ended meanwhile, and taken the file away.
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(self._handle), self._file.stat()):
                        return
            except (BlockingIOError, PermissionError):
                os.close(self._handle)
                raise StudyError(
                    f"{path}: another program runs this study at the moment; wait for it, or stop it there."
                ) from None
            except OSError:
                os.close(self._handle)
                raise
            os.close(self._handle)

    def release(self) -> None:
        """Let others write."""
        with contextlib.suppress(OSError):  # Windows keeps a file that is open
            self._file.unlink()
        os.close(self._handle)


def _lock(handle: int) -> None:
    """Lock an open file for this process; raises OSError if another one has it."""
    if sys.platform == "win32":
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Store:
    """The results of one study.

    Raises `StudyError` if it cannot be opened, is none, comes from a newer version, or is being
    written by another program.

    Parameters
    ----------
    writing : bool
        Whether runs are to land in it: it is made if it is not there, and nobody else may write it
        meanwhile.
    """

    def __init__(self, path: Path, writing: bool = False) -> None:
        self.path = path
        self._writing = writing
        if not writing and not path.is_file():
            raise StudyError(f"{path}: there are no results yet; run the study first.")
        self._open_parts = contextlib.ExitStack()
        try:
            with self._said():
                self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._writing:
            self._open_parts.callback(_WriterLock(self.path).release)
        # Who reads may be the last that has it open, and then writes what SQLite has beside it into
        # the file.
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
                f"{self.path}: this is not a file of results; move it away, or give the study another name."
            )
        if version > FORMAT:
            raise StudyError(
                f"{self.path}: these results are of format {version}, newer than this program, which reads up to"
                f" {FORMAT}; update SnakeStudio."
            )
        if not self._writing:
            if fresh:
                raise StudyError(f"{self.path}: there are no results yet; run the study first.")
            self.db.execute("PRAGMA query_only = ON")
            return
        self.db.execute("PRAGMA journal_mode = WAL")
        self._open_parts.callback(self._become_one_file)
        # whoever is killed loses nothing; a power cut the last moments
        self.db.execute("PRAGMA synchronous = NORMAL")
        if fresh:
            with self._transaction():
                for statement in _SCHEMA.split(";"):
                    if statement.strip():
                        self.db.execute(statement)
                self.db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self.db.execute(f"PRAGMA user_version = {FORMAT}")

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            raise StudyError(
                f"{self.path}: the results cannot be {'written' if self._writing else 'read'} ({error}); free some"
                " space on that disk, or check its permissions."
            ) from None
        except (
            sqlite3.DatabaseError,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:  # or what its texts hold
            raise StudyError(
                f"{self.path}: these results are damaged ({error}); move the file away, and the study begins anew."
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
        """Close it; more than once does no harm."""
        with contextlib.suppress(sqlite3.Error):
            self._open_parts.close()

    def _become_one_file(self) -> None:
        """Leave nothing beside it; where somebody reads it at this moment, the last of them does that."""
        with contextlib.suppress(sqlite3.OperationalError):
            self.db.execute("PRAGMA busy_timeout = 0")
            self.db.execute("PRAGMA journal_mode = DELETE")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -------------------------------------------------------------------------------------- writing

    def begin(self, about: dict[str, str]) -> None:
        """Note what is run from now on; which runs make which points is forgotten, the runs themselves stay.

        Raises
        ------
        StudyError
        """
        with self._said(), self._transaction():
            self.db.execute("DELETE FROM asked")
            self.db.execute("DELETE FROM about")
            self.db.executemany("INSERT INTO about VALUES (?, ?)", about.items())

    def note(self, name: str, value: str) -> None:
        """Note one thing more of what is run, or otherwise than before.

        Raises
        ------
        StudyError
        """
        with self._said():
            self.db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def ask(self, runs: Sequence[Asked]) -> None:
        """Note runs that the study asks for.

        Raises
        ------
        StudyError
        """
        rows = [(run.point, run.repeat, run.key, json.dumps(run.changes)) for run in runs]
        with self._said(), self._transaction():
            self.db.executemany("INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?)", rows)

    def land(self, outcomes: Iterable[Outcome]) -> None:
        """Note what became of runs.

        Raises
        ------
        StudyError
        """
        with self._said(), self._transaction():
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

    # -------------------------------------------------------------------------------------- reading

    def about(self) -> dict[str, str]:
        """What was noted of the study.

        Raises
        ------
        StudyError
        """
        with self._said():
            return dict(self.db.execute("SELECT name, value FROM about"))

    def noted(self, name: str, usual: str, made: Callable[[Any], Made]) -> Made:
        """What is made of JSON that was noted of the study, or of what is usual where nothing was.

        Raises
        ------
        StudyError
        """
        about = self.about()
        with self._said():
            return made(json.loads(about.get(name, usual)))

    def known(self, keys: Sequence[str], traces: bool = False) -> dict[str, Outcome]:
        """What became of those of these runs that are known.

        Raises
        ------
        StudyError
        """
        found: dict[str, Outcome] = {}
        columns = (
            f"key, state, sentence, measures, {'trace' if traces else 'NULL'}, seconds, worker"
        )
        with self._said():
            for begin in range(0, len(keys), _PIECE):
                part = keys[begin : begin + _PIECE]
                marks = ",".join("?" * len(part))
                for row in self.db.execute(
                    f"SELECT {columns} FROM runs WHERE key IN ({marks})", part
                ):
                    found[row[0]] = _outcome(row)
        return found

    def asked(self) -> list[Asked]:
        """The runs that the study asked for, by point and repeat.

        Raises
        ------
        StudyError
        """
        with self._said():
            rows = self.db.execute(
                "SELECT point, repeat, key, changes FROM asked ORDER BY point, repeat"
            )
            return [_asked(row) for row in rows]

    def landed(self) -> int:
        """A number that grows with every run that lands.

        Raises
        ------
        StudyError
        """
        with self._said():
            (last,) = self.db.execute("SELECT coalesce(max(landed), 0) FROM runs").fetchone()
        return int(last)

    def results(self) -> list[tuple[Asked, Outcome | None]]:
        """All runs asked for with what became of them, None for those not yet run, without traces.

        Raises
        ------
        StudyError
        """
        with self._said():
            rows = self.db.execute(
                "SELECT a.point, a.repeat, a.key, a.changes, r.key, r.state, r.sentence, r.measures, NULL, r.seconds,"
                " r.worker FROM asked a LEFT JOIN runs r ON r.key = a.key ORDER BY a.point, a.repeat"
            )
            return [
                (_asked(row[:4]), _outcome(row[4:]) if row[4] is not None else None) for row in rows
            ]

    def trace(self, key: str) -> bytes | None:
        """The way and the last posture of a run; None if there is none.

        Raises
        ------
        StudyError
        """
        with self._said():
            row = self.db.execute("SELECT trace FROM runs WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]


def _text(measures: Sequence[float]) -> str:
    """Numbers to the last bit; Python's JSON has words for what is none."""
    return json.dumps(list(measures))


def _outcome(row: Sequence[Any]) -> Outcome:
    key, state, sentence, measures, trace, seconds, worker = row
    return Outcome(
        key, state, sentence, tuple(map(float, json.loads(measures))), trace, seconds, worker
    )


def _asked(row: Sequence[Any]) -> Asked:
    point, repeat, key, changes = row
    return Asked(point, repeat, key, dict(json.loads(changes)))
