"""The file that stores results."""

from __future__ import annotations

import math
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from snakestudio.errors import StudyError
from snakestudio.study.running import results_of, units_of_results
from snakestudio.study.store import FORMAT, RunOutcome, RunRequest, Store, store_path


def outcomes(count: int, begin: int = 0) -> list[RunOutcome]:
    return [
        RunOutcome(f"key{k}", "done", "", (0.1 + k, math.nan, 1e-310), bytes([k % 256]), 0.5, "w")
        for k in range(begin, begin + count)
    ]


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_stored_numbers_keep_their_bits(tmp_path: Path) -> None:
    with Store(tmp_path / "a.results", writing=True) as store:
        store.begin({"study": "text"})
        store.add_requests([RunRequest(0, 0, "key0", {"a.b": 0.1, "c": "x", "d": True})])
        store.add_outcomes(outcomes(1200))
    with Store(tmp_path / "a.results") as store:
        known = store.known([f"key{k}" for k in range(0, 1200, 2)], traces=True)
        assert len(known) == 600
        assert known["key2"].measures[0] == 2.1
        assert math.isnan(known["key2"].measures[1])
        assert known["key2"].measures[2] == 1e-310
        assert known["key2"].trace == b"\2"
        assert store.trace("key300") == bytes([300 % 256])
        assert store.trace("nothing") is None
        [(request, outcome)] = store.results()
        assert request.changes == {"a.b": 0.1, "c": "x", "d": True}
        assert outcome is not None
        assert outcome.measures[0] == 0.1
        assert store.about() == {"study": "text"}


def test_notes_of_a_study_are_removed_with_it(tmp_path: Path) -> None:
    with Store(tmp_path / "a.results", writing=True) as store:
        store.begin({"study": "one"})
        store.note("searches", "[[0, 4]]")
        store.note("searches", "[[0, 4], [8, 8]]")
        assert store.about() == {"study": "one", "searches": "[[0, 4], [8, 8]]"}
        store.begin({"study": "two"})
        assert store.about() == {"study": "two"}


def test_reader_receives_new_results(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with Store(path, writing=True) as store, Store(path) as other:
        assert other.last_number() == 0
        store.add_outcomes(outcomes(3))
        assert other.last_number() == 3
        store.add_outcomes(outcomes(3, 3))
        assert other.last_number() == 6


def test_repeated_run_replaces_its_result(tmp_path: Path) -> None:
    with Store(tmp_path / "a.results", writing=True) as store:
        store.add_outcomes([RunOutcome("k", "failed", "No.", (math.nan,))])
        store.add_outcomes([RunOutcome("k", "done", "", (1.0,))])
        assert store.known(["k"])["k"].state == "done"


def test_only_one_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with (
        Store(path, writing=True),
        pytest.raises(StudyError, match=r"another program.*running"),
    ):
        Store(path, writing=True)
    Store(path, writing=True).close()


def test_killed_writer_leaves_a_valid_file(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    code = f"""
import os, signal
from pathlib import Path
from snakestudio.study.store import RunOutcome, Store
store = Store(Path({str(path)!r}), writing=True)
store.add_outcomes([RunOutcome("first", "done", "", (1.0,))])
store.db.execute("BEGIN IMMEDIATE")
store.db.execute("INSERT INTO runs VALUES ('half', 'done', '', '[]', NULL, 0, '', 2)")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert files(tmp_path) > {"a.results"}, "files of SQLite next to it"
    with Store(path) as store:
        assert set(store.known(["first", "half"])) == {"first"}
    assert files(tmp_path) == {"a.results", "a.results.lock"}, "reading repairs it"
    with Store(path, writing=True) as store:
        assert set(store.known(["first", "half"])) == {"first"}
    assert files(tmp_path) == {"a.results"}


def test_finished_store_is_a_single_file(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    copy = tmp_path / "elsewhere" / "b.results"
    with Store(path, writing=True) as store:
        store.add_outcomes(outcomes(3))
    assert files(tmp_path) == {"a.results"}
    copy.parent.mkdir()
    shutil.copy(path, copy)
    with Store(copy) as store:
        assert store.last_number() == 3
        assert files(copy.parent) == {"b.results"}, (
            "also while it is read: its folder may be read-only"
        )
    with Store(path, writing=True) as store:
        store.add_outcomes(outcomes(3, 3))
        late = Store(path)  # the window reads it while the study ends
    assert late.last_number() == 6
    late.close()
    assert files(tmp_path) == {"a.results", "elsewhere"}


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    Store(path, writing=True).close()
    with Store(path) as store, pytest.raises(StudyError, match="cannot be"):
        store.add_outcomes(outcomes(1))


@pytest.mark.parametrize("seed", range(5))
def test_only_one_of_several_processes_writes(tmp_path: Path, seed: int) -> None:
    """The lock file is created and removed, too: no process may hold a removed one."""
    code = f"""
import os, random, sys
from pathlib import Path
from snakestudio.errors import StudyError
from snakestudio.study.store import Store
path, mine = Path({str(tmp_path / "a.results")!r}), Path({str(tmp_path / "inside")!r})
chance = random.Random({seed} + int(sys.argv[1]))
written = 0
while written < 12:
    try:
        store = Store(path, writing=True)
    except StudyError as error:
        assert "another program" in str(error), error
        continue
    os.close(os.open(mine, os.O_CREAT | os.O_EXCL))  # fails if somebody else is inside
    for _ in range(chance.randrange(1000)):
        pass
    mine.unlink()
    store.close()
    written += 1
"""
    others = [
        subprocess.Popen([sys.executable, "-c", code, str(k)], stderr=subprocess.PIPE, text=True)
        for k in range(3)
    ]
    for other in others:
        assert other.communicate()[1] == ""
        assert other.returncode == 0
    assert files(tmp_path) == {"a.results"}


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    Path(f"{path}.lock").mkdir()
    with pytest.raises(StudyError, match=r"a\.results.*written .*permissions"):
        Store(path, writing=True)
    Path(f"{path}.lock").rmdir()
    path.mkdir()
    for _ in range(2):  # the first one leaves no lock
        with pytest.raises(StudyError, match=r"a\.results.*written .*permissions"):
            Store(path, writing=True)
    assert files(tmp_path) == {"a.results"}


def test_other_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with pytest.raises(StudyError, match="results"):
        Store(path)
    path.write_text("something else, and long enough to be looked at as a whole " * 20)
    for writing in (False, True):
        with pytest.raises(StudyError, match="damaged"):
            Store(path, writing=writing)
    assert path.read_text().startswith("something else")
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    with pytest.raises(StudyError, match=r"file.*results"):
        Store(path, writing=True)


def test_results_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    Store(path, writing=True).close()
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version = {FORMAT + 1}")
    other.close()
    with pytest.raises(StudyError, match=r"newer than this program.*Update SnakeStudio"):
        Store(path)


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE runs SET measures = '[1,'",
        "UPDATE runs SET measures = '[\"a\"]'",
        "UPDATE runs SET measures = '3'",
        "UPDATE asked SET changes = '[1]'",
        "UPDATE asked SET changes = '{'",
        "INSERT INTO about VALUES ('searches', '[[1]]')",
        "INSERT INTO about VALUES ('searches', '7')",
        "INSERT INTO about VALUES ('units', '[]')",
        "INSERT INTO about VALUES ('units', 'x')",
    ],
)
def test_damaged_texts_are_refused(tmp_path: Path, spoil: str) -> None:
    """A file from an untrusted source may be a valid database with any contents."""
    path = tmp_path / "a.study.toml"
    text = (
        'format = 1\nscene = "a.toml"\n[[vary]]\nkey = "gait.amplitude_deg"\nvalues = [1.0, 2.0]\n'
    )
    with Store(store_path(path), writing=True) as store:
        store.begin({"study": text})
        store.add_requests([RunRequest(0, 0, "key0", {"gait.amplitude_deg": 1.0})])
        store.add_outcomes(outcomes(1))
    assert results_of(path).n_points == 1
    assert units_of_results(path) == {}
    with sqlite3.connect(store_path(path)) as other:
        other.execute(spoil)
    other.close()
    with pytest.raises(StudyError, match=r"a\.study\.results"):
        _ = results_of(path), units_of_results(path)


def test_truncated_results_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.results"
    with Store(path, writing=True) as store:
        store.add_outcomes(outcomes(2000))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(StudyError, match="damaged"), Store(path) as store:
        store.known([f"key{k}" for k in range(2000)])
