"""Fits on workers equal those in one thread to the bit, also after crashes; all workers end with the fit."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from snakestudio.analysis.fitting import FitProgress, FitResult, FreeParameter, Trial, fit
from snakestudio.analysis.fitting.evaluator import StoppedError
from snakestudio.analysis.fitting.objective import Objective, Task
from snakestudio.errors import SceneError, StudyError
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.study import fit_pool
from snakestudio.study.cluster import Cluster
from snakestudio.study.fit_pool import FitPool
from snakestudio.study.running import Workers
from tests.study.processes import alive
from tests.study.test_driver import joined
from tests.synthetic_tracks import FRICTION, brisk, measured

ALONG = FreeParameter(("ground.mu_along",), 0.02, 0.5, "log")
DEATHS = "SNAKESTUDIO_TEST_DEATHS"


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    """Two short runs in different scenes."""
    off = {"ground.mu_along": 1.4 * FRICTION["ground.mu_along"], "run.duration_s": 0.3}
    slow = {"gait.frequency_deg_s": 200.0}
    seen = measured(brisk(**off), {**FRICTION})
    other = measured(brisk(**off, **slow), {**FRICTION})
    return [
        Trial("seen", brisk(**off), seen),
        Trial("other", brisk(**off, **slow), other, align=False, offset_bounds_s=(0.0, 0.0)),
    ]


@pytest.fixture(scope="module")
def expected(trials: list[Trial]) -> tuple[object, ...]:
    """Results of the fit in this thread."""
    return fit_result(trials, None)


@contextlib.contextmanager
def manned(objective: Objective, workers: Workers) -> Iterator[FitPool]:
    """A pool with a worker: before that, the waiting thread would compute."""
    with FitPool(objective, workers) as pool:
        while not pool.manned():
            time.sleep(0.02)
        yield pool


def fit_result(
    trials: list[Trial], workers: Workers | None, method: str = "auto"
) -> tuple[object, ...]:
    """Results of a fit of eight evaluations; None: in this thread."""
    pool = None if workers is None else partial(manned, workers=workers)
    result = fit(trials, [ALONG], method, seed=3, limit=8, pool=pool)
    assert result is not None
    return bits(result)


def bits(result: FitResult) -> tuple[object, ...]:
    residuals = [trial.misfit_after.residual.tobytes() for trial in result.trials]
    return (
        result.values,
        result.intervals,
        result.history,
        result.evaluations,
        result.notes,
        residuals,
    )


def test_workers_give_the_result_of_a_thread(
    trials: list[Trial], expected: tuple[object, ...]
) -> None:
    assert fit_result(trials, Workers(2)) == expected


def test_killed_worker_does_not_change_a_fit(
    trials: list[Trial], expected: tuple[object, ...]
) -> None:
    """It is killed during the computation."""
    killed: list[int] = []

    @contextlib.contextmanager
    def pool(objective: Objective) -> Iterator[FitPool]:
        with manned(objective, Workers(1)) as one:
            created.append(one)
            yield one

    def watch(progress: FitProgress) -> bool:
        if progress.evaluations >= 2 and not killed and created[0].crew is not None:
            killed.append(created[0].crew.cluster.pids[0])
            os.kill(killed[0], signal.SIGKILL)
        return True

    created: list[FitPool] = []
    result = fit(trials, [ALONG], "auto", seed=3, limit=8, pool=pool, progress=watch)
    assert killed
    assert result is not None
    assert bits(result) == expected


def test_lost_results_do_not_change_a_fit(
    trials: list[Trial],
    expected: tuple[object, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DEATHS, str(tmp_path))
    monkeypatch.setattr(fit_pool, "evaluate", _dying)
    apart = fit_result(trials, Workers(1))
    assert len(list(tmp_path.glob("*.death"))) == 2
    assert apart == expected


def _dying(fit: str, code: str, trials: bytes, task: Task) -> object:
    done = _evaluate(fit, code, trials, task)
    for number in range(2):
        death = Path(os.environ[DEATHS], f"{number}.death")
        if not death.exists():
            death.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return done


_evaluate = fit_pool.evaluate


def test_values_that_kill_three_workers_are_skipped(
    trials: list[Trial], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_pool, "evaluate", _deadly)
    tasks: list[Task] = [(0, {"ground.mu_along": value}) for value in (0.1, 0.2, 0.3)]
    with manned(Objective(trials), Workers(1)) as pool:
        first, second, third = pool.map(tasks, lambda: True)
    assert second.residual is None
    assert "crashed three workers" in second.failure
    objective = Objective(trials)
    for outcome, task in ((first, tasks[0]), (third, tasks[2])):
        alone = objective.evaluate(task)
        assert alone is not None
        assert alone.residual is not None
        assert outcome.residual is not None
        assert np.array_equal(outcome.residual, alone.residual)


def _deadly(fit: str, code: str, trials: bytes, task: Task) -> object:
    if task[1]["ground.mu_along"] == 0.2:
        os.kill(os.getpid(), signal.SIGKILL)
    return _evaluate(fit, code, trials, task)


STARTING = "snakestudio-fit-pool"
"""Thread that starts the workers."""

ENDLESS: Task = (0, {"run.duration_s": 2000.0})


def busy(pool: FitPool) -> bool:
    return pool.crew is not None and any(worker.busy for worker in pool.crew.workers)


def test_cancelled_fit_ends_its_workers(trials: list[Trial]) -> None:
    with manned(Objective(trials), Workers(1)) as pool:
        with pytest.raises(StoppedError):
            pool.map([ENDLESS], lambda: not busy(pool))
        assert pool.crew is not None
        pids = pool.crew.cluster.pids
    assert len(pids) == 1
    assert not any(alive(pid) for pid in pids)


def test_thread_computes_until_workers_have_started(
    trials: list[Trial], cluster_workers: Workers
) -> None:
    begun = threading.Event()

    class Late(Workers):
        def cluster(self) -> Cluster:
            begun.wait()
            return super().cluster()

    tasks: list[Task] = [(0, {"ground.mu_along": 0.1}), (1, {"ground.mu_along": 0.2})]
    with FitPool(Objective(trials), Late(scheduler=cluster_workers.scheduler)) as pool:
        before = pool.map(tasks, lambda: True)
        begun.set()
        while not pool.manned():
            time.sleep(0.02)
        after = pool.map(tasks, lambda: True)
    for one, other in zip(before, after, strict=True):
        assert one.residual is not None
        assert other.residual is not None
        assert np.array_equal(one.residual, other.residual)


def test_fit_cancelled_during_start_ends_its_workers(trials: list[Trial]) -> None:
    begun = threading.Event()
    created: list[int] = []

    class Slow(Workers):
        def cluster(self) -> Cluster:
            begun.wait()
            cluster = super().cluster()
            created.extend(cluster.pids)
            return cluster

    with FitPool(Objective(trials), Slow(1)) as pool, contextlib.suppress(StoppedError):
        (starting,) = (each for each in threading.enumerate() if each.name == STARTING)
        pool.map([(0, {})], lambda: False)
    begun.set()
    starting.join()
    assert created
    assert not any(alive(pid) for pid in created)


def test_running_cluster_computes_a_fit(
    trials: list[Trial], expected: tuple[object, ...], cluster_workers: Workers
) -> None:
    assert fit_result(trials, cluster_workers) == expected
    with manned(Objective(trials), cluster_workers) as pool, pytest.raises(StoppedError):
        pool.map([ENDLESS], lambda: not busy(pool))
    # Its worker is available again, although the run would have continued for long.
    assert fit_result(trials, cluster_workers) == expected


def test_worker_with_other_code_is_excluded_from_a_fit(
    trials: list[Trial],
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("snakestudio.study.crew._LONELY_S", 300.0)

    def keep_running() -> bool:
        if pool.crew is not None and pool.crew.notes:
            monkeypatch.setattr("snakestudio.study.crew._LONELY_S", 0.0)
        return True

    with (
        joined(scheduler, SNAKESTUDIO_PROCESSOR="native"),
        FitPool(Objective(trials), Workers(scheduler=scheduler)) as pool,
        pytest.raises(StudyError, match=r"version.*engines"),
    ):
        pool.map([ENDLESS], keep_running)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nonsense", "address.*scheduler"),
        ("tcp://127.0.0.1:1", "scheduler.*responds"),
    ],
)
def test_missing_scheduler_is_reported(
    trials: list[Trial], address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.study.cluster._CONNECT_S", 1.0)
    with pytest.raises(StudyError, match=message):
        fit_result(trials, Workers(scheduler=address))


def test_files_of_a_scene_are_sent_with_it(trials: list[Trial], tmp_path: Path) -> None:
    """The worker may run on a machine without them."""
    (tmp_path / "hills.png").write_bytes(b"hills")
    scene = trials[0].scene.model_copy(
        update={"obstacles": (HeightField(x_m=5, y_m=5, picture="hills.png"),)}
    )
    packed = fit_pool.pack_trials([replace(trials[0], scene=scene, base_dir=tmp_path)])
    (tmp_path / "hills.png").unlink()
    (trial,) = fit_pool.objective_of(packed).trials
    assert trial.base_dir is not None
    assert (trial.base_dir / "hills.png").read_bytes() == b"hills"
    with pytest.raises(SceneError, match=r"picture = .hills.png. cannot be read"):
        FitPool(Objective([replace(trials[0], scene=scene, base_dir=tmp_path)]))
