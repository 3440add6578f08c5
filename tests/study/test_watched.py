"""A study that another process runs for the window: it reports progress, pauses, resumes, and ends on request."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from snakestudio.errors import Problem
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.study.cluster import WorkerInfo
from snakestudio.study.driver import Progress
from snakestudio.study.running import Workers, results_of
from snakestudio.study.store import Store, store_path
from snakestudio.study.watched import StudyMessage, line_of, message_in
from snakestudio.viewmodel.study.study_process import StudyProcess
from tests.study.processes import alive, descendants
from tests.waiting import wait_until

ONE = Workers(1)


@pytest.fixture
def long_study(study_file: Path) -> Path:
    """The study with runs of some seconds each, forty of them."""
    scene = load_scene(study_file.parent / "snake.toml")
    save_scene(with_values(scene, {"run.duration_s": 20.0}), study_file.parent / "snake.toml")
    study_file.write_text(study_file.read_text().replace("steps = 3", "steps = 20"))
    return study_file


@pytest.fixture
def begun(study_file: Path) -> Iterator[Callable[..., StudyProcess]]:
    processes: list[StudyProcess] = []

    def begin(path: Path, workers: Workers = ONE, **others: object) -> StudyProcess:
        processes.append(StudyProcess(path, workers, **others))  # type: ignore[arg-type]
        return processes[-1]

    yield begin
    for process in processes:
        process.close()


def test_lines_transport_progress() -> None:
    worker = WorkerInfo("here-1", "127.0.0.1", "tcp://127.0.0.1:1", 2, 99.5, 1 << 28)
    for left in (1.5, math.nan):
        progress = Progress("running", 10, 3, 1, 1, left, (worker,), "http://x", ("A note.",))
        read = message_in(line_of(StudyMessage("progress", progress=progress)))
        assert read is not None
        assert read.progress is not None
        assert math.isnan(read.progress.left_s) == math.isnan(left)
        assert str(read.progress) == str(progress)
    error = StudyMessage(
        "error", "s.toml: no.", problems=(Problem("error", "vary[1].low", "no", "do"),)
    )
    assert message_in(line_of(error)) == error
    for line in (
        "",
        "{}",
        "[1]",
        "hello",
        '{"kind": "progress", "progress": {"state": "running"}}',
        '{"kind": 3}',
    ):
        assert message_in(line) is None


def test_study_runs_to_its_end_and_is_stored(
    study_file: Path, begun: Callable[..., StudyProcess]
) -> None:
    first = begun(study_file)
    wait_until(lambda: not first.running)
    assert first.error == ""
    assert first.progress is not None
    assert (first.progress.state, first.progress.finished, first.progress.known) == ("done", 6, 0)
    again = begun(study_file)
    wait_until(lambda: not again.running)
    assert again.progress is not None
    assert (again.progress.finished, again.progress.known) == (6, 6)


def test_cancel_ends_all_processes_in_a_second(
    long_study: Path, begun: Callable[..., StudyProcess]
) -> None:
    process = begun(long_study, Workers(2))
    wait_until(lambda: process.progress is not None and process.progress.finished >= 1)
    children = descendants(process.process.pid)
    assert len(children) >= 3, "the driver and two workers"
    process.cancel()
    started = time.monotonic()
    wait_until(lambda: not process.running and not any(map(alive, children)))
    assert time.monotonic() - started < 2.0, "one second, and one for delays of this test"
    assert process.error == ""
    table = results_of(long_study)
    assert 1 <= table["runs"].sum() < 40


def test_cancel_before_the_start_ends_it(
    long_study: Path, begun: Callable[..., StudyProcess]
) -> None:
    process = begun(long_study)
    process.cancel()
    wait_until(lambda: not process.running)
    assert process.error == ""


def test_process_that_does_not_respond_is_ended(
    study_file: Path, begun: Callable[..., StudyProcess]
) -> None:
    process = begun(study_file, command=[sys.executable, "-c", "import time; time.sleep(1000)"])
    process.cancel()
    wait_until(lambda: not process.running)


def test_study_pauses_and_resumes(
    long_study: Path, begun: Callable[..., StudyProcess], cluster_workers: Workers
) -> None:
    process = begun(long_study, cluster_workers)
    process.pause()
    wait_until(lambda: process.paused)
    assert process.progress is not None
    assert process.progress.finished == 0, "paused before the start"
    process.resume()
    wait_until(lambda: process.progress is not None and process.progress.finished >= 1)
    assert not process.paused


def test_study_ends_with_its_watcher(
    long_study: Path, begun: Callable[..., StudyProcess], cluster_workers: Workers
) -> None:
    """Also if the watching process was killed: its end of the pipe is closed then."""
    process = begun(long_study, cluster_workers)
    wait_until(lambda: process.progress is not None and process.progress.finished >= 1)
    assert process.process.stdin is not None
    process.process.stdin.close()
    wait_until(lambda: not process.running)
    assert process.process.returncode == 130
    with Store(store_path(long_study)) as store:
        assert store.last_number() >= 1


def test_problems_have_their_keys(study_file: Path, begun: Callable[..., StudyProcess]) -> None:
    study_file.write_text(study_file.read_text().replace("low = 20.0", "low = 60.0"))
    process = begun(study_file)
    wait_until(lambda: not process.running)
    assert [problem.key for problem in process.problems] == ["vary[1].low"]
    assert "The range goes from 60 to 40" in process.error
    (study_file.parent / "snake.toml").unlink()
    study_file.write_text(study_file.read_text().replace("low = 60.0", "low = 20.0"))
    process = begun(study_file)
    wait_until(lambda: not process.running)
    assert "snake.toml" in process.error
    process = begun(study_file, command=[sys.executable, "-c", "import sys; sys.exit('boo')"])
    wait_until(lambda: not process.running)
    assert "(boo)" in process.error


def test_warnings_are_reported(study_file: Path, begun: Callable[..., StudyProcess]) -> None:
    text = study_file.read_text().replace("ground.mu_across", "solver.max_iterations")
    study_file.write_text(text.replace("[0.2, 0.8]", "[100, 200]"))
    process = begun(study_file)
    wait_until(lambda: process.notes or not process.running)
    assert any("has no effect" in note for note in process.notes), process.error


def test_killed_driver_is_reported(long_study: Path, begun: Callable[..., StudyProcess]) -> None:
    process = begun(long_study)
    wait_until(lambda: process.progress is not None and process.progress.finished >= 1)
    children = descendants(process.process.pid)
    os.kill(process.process.pid, signal.SIGKILL)
    wait_until(lambda: not process.running and not any(map(alive, children)))
    assert "ended unexpectedly" in process.error
