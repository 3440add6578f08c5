"""The folder of runs: its list, notes of users about runs, and files that are not runs."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.errors import UsageError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.paths import runs_dir
from snakestudio.runfile import library as run_library
from snakestudio.runfile.library import RunLibrary, SavedRun, clean_tags
from snakestudio.session.runner import Runner

SCENE = with_values(
    Scene(), {"model.kind": "planar_lagrangian", "run.duration_s": 0.1, "title": "A short one"}
)


def record(path: Path) -> None:
    """Record a run."""
    runner = Runner(SCENE, path=path)
    runner.advance(SCENE.n_steps)
    runner.recording.close()


@pytest.fixture
def library(tmp_path: Path) -> RunLibrary:
    return RunLibrary(tmp_path)


def listed(library: RunLibrary, name: str) -> SavedRun:
    path = library.new_path(name)
    record(path)
    return library.run(path)


def test_run_is_listed_with_its_contents(library: RunLibrary) -> None:
    run = listed(library, "my scene.v2")
    assert library.runs() == [run]
    assert run.info is not None
    assert (run.info.model, run.info.title) == ("planar_lagrangian", "A short one")
    assert run.info.duration == pytest.approx(0.1)
    assert run.info.complete
    assert run.path.name == f"{datetime.now():%Y-%m-%d}_{run.path.name[11:17]}_my_scene_v2.mcap"
    assert run.size_bytes == run.path.stat().st_size
    assert abs((datetime.now().astimezone() - run.created).total_seconds()) < 60.0
    assert run.name == "A short one"


def test_runs_of_the_same_second_get_different_files(library: RunLibrary) -> None:
    paths = set()
    for _ in range(3):
        path = library.new_path("same")
        path.touch()
        paths.add(path)
    assert len(paths) == 3


def test_names_and_tags_are_stored(library: RunLibrary) -> None:
    run = listed(library, "first")
    library.rename(run, "  the good   one ")
    library.tag(library.run(run.path), ["#paper, fig7", "paper"])
    again = RunLibrary(library.folder).run(run.path)
    assert (again.name, again.tags) == ("the good one", ("paper", "fig7"))
    assert "fig7" in again.search_text
    assert library.find("the good one") == library.find(run.path.name) == again
    library.tag(again, [])
    library.rename(library.run(run.path), "")
    assert RunLibrary(library.folder).run(run.path).name == "A short one"
    assert [path.name for path in library.folder.iterdir()] == [run.path.name]


def test_deleted_run_leaves_no_files(library: RunLibrary) -> None:
    run = library.rename(listed(library, "gone"), "Gone")
    library.set_picture(run.path, b"png")
    run = library.run(run.path)
    assert run.picture is not None
    assert run.size_bytes > run.path.stat().st_size
    library.delete(run)
    assert list(library.folder.iterdir()) == []
    library.set_picture(run.path, b"png")
    assert list(library.folder.iterdir()) == [], "the image of a deleted run is deleted"


def test_unreadable_files_are_reported(library: RunLibrary) -> None:
    (library.folder / "broken.mcap").write_bytes(b"nothing of the sort")
    (library.folder / "other.txt").write_text("not listed")
    (run,) = library.runs()
    assert run.info is None
    assert run.name == "broken.mcap"
    assert "broken.mcap" in run.problem
    library.delete(run)
    assert library.runs() == []


def test_unreadable_notes_are_empty(library: RunLibrary) -> None:
    run = listed(library, "noted")
    for notes in ("{", "[1, 2]", '{"tags": 5}', '{"name": null}'):
        run.path.with_suffix(".json").write_text(notes)
        assert library.run(run.path).tags == ()


def test_only_changed_files_are_read_again(
    library: RunLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = listed(library, "one")
    second = listed(library, "two")
    read: list[Path] = []
    real = run_library.read_info
    monkeypatch.setattr(run_library, "read_info", lambda path: (read.append(path), real(path))[1])
    library.runs()
    assert read == []
    os.utime(second.path, ns=(1, 1))
    library.runs()
    assert read == [second.path]
    assert {run.path for run in library.runs()} == {first.path, second.path}


def test_missing_or_ambiguous_run_is_reported(library: RunLibrary) -> None:
    listed(library, "twin")
    listed(library, "twin")
    with pytest.raises(UsageError, match="no run called other"):
        library.find("other")
    with pytest.raises(UsageError, match="2 runs are called A short one"):
        library.find("A short one")


def test_tags_are_single_words() -> None:
    assert clean_tags(["#a b,c", " b ", "##d;"]) == ("a", "b", "c", "d")


def test_command_line_lists_names_tags_and_deletes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_RUNS_DIR", str(tmp_path / "runs"))
    assert main(["runs"]) == 0
    assert "no runs in" in capsys.readouterr().out
    run = listed(RunLibrary(), "scene")
    assert run.path.parent == runs_dir() == tmp_path / "runs"
    assert main(["runs", run.path.stem, "--rename", "Best"]) == 0
    assert main(["runs", "Best", "--tags", "paper,fig3"]) == 0
    assert main(["runs", "PAPER", "lagrangian"]) == 0
    out = capsys.readouterr().out
    assert "Best" in out
    assert "#paper #fig3" in out
    assert "1 run, " in out
    assert main(["runs", "elsewhere"]) == 0
    assert "no runs in" in capsys.readouterr().out
    for arguments in (["--delete"], ["a", "b", "--rename", "x"], ["nothing", "--delete"]):
        assert main(["runs", *arguments]) == 2
    assert capsys.readouterr().err.count("snakestudio: ") == 3
    assert main(["runs", "Best", "--delete"]) == 0
    assert list((tmp_path / "runs").iterdir()) == []
