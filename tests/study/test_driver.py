"""Whole studies with a real scheduler and real workers, which are killed, disconnected and given invalid input."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from snakestudio import api
from snakestudio.errors import StudyError
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import own_program
from snakestudio.study import driver as driving
from snakestudio.study.cluster import Cluster
from snakestudio.study.driver import Progress
from snakestudio.study.run_key import code_hash
from snakestudio.study.running import (
    Workers,
    check_measures,
    driver_of,
    open_plan,
    results_of,
    run_study,
)
from snakestudio.study.store import Store, store_path
from tests.study import lab
from tests.study.conftest import STUDY
from tests.study.lab import runs_of
from tests.study.processes import alive, descendants

ONE = Workers(1)


def table_of(path: Path) -> dict[str, list[object]]:
    """Results that must not depend on how a study was computed: all columns except the time."""
    table = results_of(path)
    return {name: table[name].tolist() for name in table if name != "seconds"}


def test_study_run_again_computes_nothing(study_file: Path, cluster_workers: Workers) -> None:
    reports: list[Progress] = []
    last = run_study(study_file, cluster_workers, reports.append)
    assert (last.state, last.runs, last.finished, last.known, last.failed) == ("done", 6, 6, 0, 0)
    assert reports[-1] == last
    before = table_of(study_file)
    again = run_study(study_file, Workers(0))  # without any worker
    assert (again.finished, again.known) == (6, 6)
    assert table_of(study_file) == before


def test_runs_equal_single_runs(study_file: Path) -> None:
    """Bit for bit, independent of the worker and of the chunks."""
    run_study(study_file, Workers(2))
    with Store(store_path(study_file)) as store:
        names = {outcome.worker for _, outcome in store.results() if outcome is not None}
    assert names
    assert names <= {"here-1", "here-2"}
    table = results_of(study_file)
    for row in range(table.n_points):
        changes = table.rows[row][0][0].changes
        run = api.simulate(study_file.parent / "snake.toml", **changes)
        distance = np.hypot(
            run["com_x_m"][-1] - run["com_x_m"][0], run["com_y_m"][-1] - run["com_y_m"][0]
        )
        assert table["net_speed"][row] == distance / (run["time_s"][-1] - run["time_s"][0])


def test_wider_study_reuses_known_runs(study_file: Path, cluster_workers: Workers) -> None:
    run_study(study_file, cluster_workers)
    study_file.write_text(STUDY.replace("values = [0.2, 0.8]", "values = [0.2, 0.5, 0.8]"))
    last = run_study(study_file, cluster_workers)
    assert (last.finished, last.known) == (9, 6)


def test_same_run_at_two_points_is_computed_once(
    study_file: Path, cluster_workers: Workers
) -> None:
    # Three steps of a whole number between 10 and 11: two of them are the same.
    study_file.write_text(
        STUDY.replace(
            '"gait.amplitude_deg"\nlow = 20.0\nhigh = 40.0',
            '"solver.max_iterations"\nlow = 10\nhigh = 11',
        )
    )
    reports: list[Progress] = []
    last = run_study(study_file, cluster_workers, reports.append)
    assert last.finished == 6
    assert {progress.runs for progress in reports} == {6}
    with Store(store_path(study_file)) as store:
        assert len({request.key for request in store.requests()}) == 4


def test_repeats_count_together(study_file: Path, cluster_workers: Workers) -> None:
    study_file.write_text(
        STUDY.replace("steps = 3", "steps = 2")
        + 'over = "spread"\n[repeats]\ncount = 3\n[[repeats.jitter]]\nkey = "ground.mu_along"\nspread = 0.02\n'
    )
    run_study(study_file, cluster_workers)
    table = results_of(study_file)
    assert table["runs"].tolist() == [3] * 4
    assert np.all(table["net_speed"] > 0.0)


def test_contradicting_values_are_reported_and_the_rest_runs(
    study_file: Path, cluster_workers: Workers
) -> None:
    study_file.write_text(
        STUDY.replace(
            '"gait.amplitude_deg"\nlow = 20.0\nhigh = 40.0\nsteps = 3',
            '"control.period_s"\nvalues = [0.001, 0.0005, 0.002]',
        ).replace(
            '"ground.mu_across"\nvalues = [0.2, 0.8]', '"solver.step_s"\nvalues = [0.001, 0.0005]'
        )
    )
    last = run_study(study_file, cluster_workers)
    assert (last.finished, last.failed) == (6, 1)
    with Store(store_path(study_file)) as store:
        refused = [
            (request.changes, outcome)
            for request, outcome in store.results()
            if outcome and outcome.sentence
        ]
    ((changes, outcome),) = refused
    assert changes == {"control.period_s": 0.0005, "solver.step_s": 0.001}
    assert outcome.state == "refused"
    assert "whole number" in outcome.sentence


def test_results_show_where_an_optimiser_restarted(
    study_file: Path, cluster_workers: Workers
) -> None:
    """With a constant value the optimiser restarts immediately."""
    search = '[search]\nkind = "cma_es"\npoints = 14\nbatch = 3\n'
    study_file.write_text(STUDY.replace("net_speed", "max(time_s)") + search)
    run_study(study_file, cluster_workers)
    assert results_of(study_file).begun == ((0, 3), (6, 6))
    run_study(study_file, Workers(0))  # which requests the same points again
    assert results_of(study_file).begun == ((0, 3), (6, 6))
    study_file.write_text(STUDY)
    run_study(study_file, cluster_workers)
    assert results_of(study_file).begun == ()


def test_invalid_measure_is_reported_before_computing(study_file: Path) -> None:
    study_file.write_text(STUDY + '[[limits]]\nmeasure = "time_jammed"\nat_most = 1.0\n')
    with pytest.raises(StudyError, match=r"limits\[1\].measure: time_jammed needs joint_1_jammed"):
        run_study(study_file, ONE)
    assert not store_path(study_file).exists()


def slow(study_file: Path, seconds: float = 20.0) -> None:
    """Make a run last some seconds of real time."""
    path = study_file.parent / "snake.toml"
    save_scene(with_values(load_scene(path), {"run.duration_s": seconds}), path)


def test_cancel_saves_finished_runs_and_ends_in_a_second(study_file: Path) -> None:
    slow(study_file, 2000.0)  # no run would finish
    plan = open_plan(study_file)
    units = check_measures(plan)
    pids: list[int] = []
    began: list[float] = []

    def watch(progress: Progress) -> None:
        if any(worker.busy for worker in progress.workers) and not began:
            assert driver.crew is not None
            pids.extend(driver.crew.cluster.pids)
            began.append(time.monotonic())
            driver.cancel()

    with driver_of(study_file, plan, units, ONE, watch) as driver:
        last = driver.run()
    assert last.state == "cancelled"
    assert last.finished == 0
    assert pids
    assert not any(alive(pid) for pid in pids)


def test_paused_study_waits_for_resume(study_file: Path, cluster_workers: Workers) -> None:
    plan = open_plan(study_file)
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if len([each for each in seen if each.state == "paused"]) == 20:
            driver.resume()

    with driver_of(study_file, plan, check_measures(plan), cluster_workers, watch) as driver:
        driver.pause()
        last = driver.run()
    assert last.finished == 6
    assert [each.finished for each in seen if each.state == "paused"] == [0] * 20


def test_dead_workers_are_replaced_and_results_stay(
    study_file: Path, cluster_workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = study_file.with_name("alone.study.toml")
    undisturbed.write_text(STUDY)
    run_study(undisturbed, cluster_workers)
    monkeypatch.setenv("SNAKESTUDIO_TEST_DEATHS", str(tmp_path))
    monkeypatch.setattr(driving, "work", _dying)
    last = run_study(study_file, ONE)
    assert len(list(tmp_path.glob("*.death"))) == 2
    assert (last.state, last.finished, last.failed) == ("done", 6, 0)
    assert table_of(study_file) == table_of(undisturbed)


def _dying(chunk: object) -> object:
    """The first two workers die after the computation, before they report."""
    from snakestudio.study.evaluate import Chunk
    from snakestudio.study.worker import work

    assert isinstance(chunk, Chunk)
    done = work(chunk)
    for number in range(2):
        death = Path(os.environ["SNAKESTUDIO_TEST_DEATHS"], f"{number}.death")
        if not death.exists():
            death.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return done


def test_run_that_kills_three_workers_is_skipped(
    study_file: Path, cluster_workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_TEST_DEATHS", str(tmp_path))
    monkeypatch.setattr(driving, "work", _deadly)
    last = run_study(study_file, ONE)
    assert len(list(tmp_path.glob("*.death"))) >= 3
    assert (last.state, last.finished, last.failed) == ("done", 6, 1)
    with Store(store_path(study_file)) as store:
        outcomes = {
            tuple(request.changes.values()): o for request, o in store.results() if o is not None
        }
    killed = outcomes.pop((30.0, 0.2))
    assert killed.state == "killed"
    assert "crashed three workers" in killed.sentence
    assert {outcome.state for outcome in outcomes.values()} == {"done"}
    again = run_study(study_file, Workers(0))
    assert (again.finished, again.known) == (6, 6), "it is skipped"
    monkeypatch.undo()
    once_more = run_study(study_file, cluster_workers, retry=True)
    assert (once_more.finished, once_more.known, once_more.failed) == (6, 5, 0)


def _deadly(chunk: object) -> object:
    """Workers import this module by its name, because it is not the main module."""
    from snakestudio.study.evaluate import Chunk
    from snakestudio.study.worker import work

    assert isinstance(chunk, Chunk)
    if any(tuple(changes.values()) == (30.0, 0.2) for _, changes in chunk.runs):
        Path(os.environ["SNAKESTUDIO_TEST_DEATHS"], f"{os.getpid()}.death").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(chunk)


def test_run_without_enough_memory_is_reported(
    study_file: Path, cluster_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driving, "work", _greedy)
    last = run_study(study_file, cluster_workers)
    assert (last.state, last.finished, last.failed) == ("done", 6, 2)
    with Store(store_path(study_file)) as store:
        outcomes = {
            request.changes["gait.amplitude_deg"]: o
            for request, o in store.results()
            if o is not None
        }
    assert (outcomes[30.0].state, outcomes[20.0].state) == ("killed", "done")
    assert "enough" in outcomes[30.0].sentence


def _greedy(chunk: object) -> object:
    """Compute with little memory; one of the runs needs a hundred gigabytes."""
    import resource

    from snakestudio.study import evaluate
    from snakestudio.study.worker import work

    assert isinstance(chunk, evaluate.Chunk)
    real = evaluate.measured

    def measured(values: Sequence[str], recording: Recording) -> tuple[float, ...]:
        if recording.scene.gait.amplitude_deg == 30.0:
            np.ones(100_000_000_000 // 8)
        return real(values, recording)

    size = (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        * resource.getpagesize()
    )
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + 2**31, before[1]))
    evaluate.measured = measured  # type: ignore[attr-defined]
    try:
        return work(chunk)
    finally:
        evaluate.measured = real  # type: ignore[attr-defined]
        resource.setrlimit(resource.RLIMIT_AS, before)


def joined(
    address: str, **environment: str
) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """A worker that was started on that cluster."""
    return lab.joined("--scheduler", address, **environment)


def test_running_cluster_computes(study_file: Path, scheduler: str) -> None:
    with joined(scheduler) as worker:
        last = run_study(study_file, Workers(scheduler=scheduler))
        assert (last.state, last.finished, last.failed) == ("done", 6, 0)
        assert worker.poll() is None, "workers of a cluster keep running"


def test_study_continues_without_a_disconnected_worker(
    study_file: Path, cluster_workers: Workers, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = study_file.with_name("alone.study.toml")
    undisturbed.write_text(STUDY)
    run_study(undisturbed, cluster_workers)
    table = table_of(undisturbed)
    host, port = scheduler.removeprefix("tcp://").split(":")
    with Cut(host, int(port)) as cut, joined(cut.address), contextlib.ExitStack() as later:

        def on_progress(progress: Progress) -> None:
            if progress.workers and not cut.done:
                cut.now()
                later.enter_context(joined(scheduler))

        monkeypatch.setattr("snakestudio.study.crew._LOOK_S", 0.0)
        monkeypatch.setattr(driving, "MOST_IN_CHUNK", 1)
        last = run_study(study_file, Workers(scheduler=scheduler), on_progress)
        assert cut.done
    assert (last.state, last.finished, last.failed) == ("done", 6, 0)
    assert table_of(study_file) == table


class Cut:
    """A cable to a scheduler, which can be cut."""

    def __init__(self, host: str, port: int) -> None:
        self._to = host, port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.done = False

    def __enter__(self) -> Cut:
        self._start(self._accept)
        return self

    def __exit__(self, *error: object) -> None:
        self.now()
        for thread in self._threads:
            thread.join(10.0)

    def now(self) -> None:
        """Cut the cable."""
        self._ends.append(self._server)
        self.pull()

    def pull(self) -> None:
        """Interrupt the connection for a moment."""
        self.done = True
        ends = self._ends
        self._ends = []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._to)
                self._ends += [near, far]
                self._start(self._carry, near, far)
                self._start(self._carry, far, near)

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def test_lost_connection_is_reported_and_nothing_blocks(study_file: Path, scheduler: str) -> None:
    """dask reconnects in a moment, or fails to; the requested keys are discarded in both cases."""
    slow(study_file, 20.0)
    host, port = scheduler.removeprefix("tcp://").split(":")
    with Cut(host, int(port)) as cut, joined(scheduler):
        command = [*own_program(), "study", "run", str(study_file), "--scheduler", cut.address]
        # In a separate process: dask leaves a socket open when it fails.
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as driver:
            while not runs_of(study_file):
                assert driver.poll() is None
                time.sleep(0.02)
            cut.pull()
            _, output = driver.communicate()
        assert "scheduler" in output
        assert driver.returncode == 2
        before = runs_of(study_file)
        last = run_study(study_file, Workers(scheduler=scheduler))
    assert (last.state, last.finished, last.known) == ("done", 6, before)


def test_worker_with_other_code_is_excluded_and_named(
    study_file: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[Progress] = []

    def on_progress(progress: Progress) -> None:
        reports.append(progress)
        if progress.notes:  # a worker has joined; no other joins for a while
            monkeypatch.setattr("snakestudio.study.crew._LONELY_S", 0.0)

    monkeypatch.setattr("snakestudio.study.crew._LONELY_S", 300.0)
    with (
        joined(scheduler, SNAKESTUDIO_PROCESSOR="native"),  # other instructions, other bits
        pytest.raises(StudyError, match=r"version.*engines"),
    ):
        run_study(study_file, Workers(scheduler=scheduler), on_progress)
    assert reports[-1].finished == 0


def test_program_replaced_meanwhile_is_reported(
    study_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own workers are of the new version then, as after an update while a notebook is open."""
    code_hash()  # of the requesting program
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "native")  # other instructions, other bits
    with pytest.raises(StudyError, match=r"updated.*Restart"):
        run_study(study_file, ONE)


def test_address_without_scheduler_is_reported(
    study_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.study.cluster._CONNECT_S", 1.0)
    with pytest.raises(StudyError, match=r"scheduler.*responds"):
        Cluster(scheduler="tcp://127.0.0.1:9")


def test_workers_end_with_their_parent(study_file: Path) -> None:
    slow(study_file, 2000.0)
    driver = subprocess.Popen(
        [*own_program(), "study", "run", str(study_file), "--workers", "2"],
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + 120.0
    while len(descendants(driver.pid)) < 3:
        assert time.monotonic() < until
        time.sleep(0.1)
    workers = descendants(driver.pid)[1:]
    driver.kill()
    driver.wait()
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_full_disk_is_reported_and_results_stay(
    study_file: Path, cluster_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study_file.parent / "snake.toml"
    # a saved run fills a page
    save_scene(with_values(load_scene(path), {"run.log_rate_hz": 1000.0}), path)
    real = Store.add_outcomes
    count = []

    def add_outcomes(store: Store, outcomes: object) -> None:
        if count:
            # SQLite reports this for a full disk
            store.db.execute("PRAGMA max_page_count = 1")
        count.append(1)
        real(store, outcomes)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "add_outcomes", add_outcomes)
    monkeypatch.setattr(driving, "MOST_IN_CHUNK", 1)
    with pytest.raises(StudyError, match=r"disk is full.*Free some space"):
        run_study(study_file, cluster_workers)
    monkeypatch.undo()
    last = run_study(study_file, cluster_workers)
    assert last.state == "done"
    assert last.finished == 6


def test_texts_of_a_study_are_not_executed(study_file: Path) -> None:
    for text in (
        "__import__('os').system('touch hacked')",
        "().__class__",
        "open('hacked')",
        "lambda: 0",
    ):
        study_file.write_text(STUDY.replace('"net_speed"', f'"{text}"'))
        with pytest.raises(StudyError, match=r"goals\[1\].measure"):
            run_study(study_file, ONE)
    assert not (study_file.parent / "hacked").exists()


def test_study_can_be_stopped_from_another_thread(
    study_file: Path, cluster_workers: Workers
) -> None:
    slow(study_file, 2000.0)
    plan = open_plan(study_file)
    with driver_of(study_file, plan, check_measures(plan), cluster_workers) as driver:
        thread = threading.Timer(0.5, driver.cancel)
        thread.start()
        assert driver.run().state == "cancelled"
        thread.join()
