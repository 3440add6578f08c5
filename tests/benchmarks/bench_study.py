"""Overhead of a study per run, speed-up of a second worker, and delays of start and cancellation."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import scenes_dir
from snakestudio.study.driver import Progress
from snakestudio.study.evaluate import files_of
from snakestudio.study.plan import Plan
from snakestudio.study.run_key import run_key, study_hash
from snakestudio.study.running import Workers, check_measures, driver_of, open_plan, run_study
from snakestudio.study.store import RunOutcome, Store, store_path

Row = tuple[str, object, str, str, bool]


def _study(folder: Path, name: str, amplitudes: int, frictions: int, **values: object) -> Path:
    """A study of the Lagrangian model."""
    scene = with_values(load_scene(scenes_dir() / "lagrangian_undulation.toml"), values)
    save_scene(scene, folder / f"{name}.toml")
    path = folder / f"{name}.study.toml"
    path.write_text(
        f'format = 1\nscene = "{name}.toml"\n'
        f'[[vary]]\nkey = "gait.amplitude_deg"\nlow = 20.0\nhigh = 40.0\nsteps = {amplitudes}\n'
        f'[[vary]]\nkey = "ground.mu_across"\nlow = 0.3\nhigh = 0.9\nsteps = {frictions}\n'
        '[[goals]]\nmeasure = "net_speed"\n'
    )
    return path


def _beat(path: Path, workers: int) -> tuple[float, float, int]:
    """Wall time per run, time within runs per run, and their number, once all workers have work."""
    plan = open_plan(path)
    landed = list[tuple[float, int]]()

    def on_progress(progress: Progress) -> None:
        if not landed or progress.finished > landed[-1][1]:
            landed.append((time.perf_counter(), progress.finished))

    with driver_of(path, plan, check_measures(plan), Workers(workers), on_progress) as driver:
        driver.run()
    with Store(store_path(path)) as store:
        seconds = [outcome.seconds for _, outcome in store.results() if outcome is not None]
    # The first runs wait for the workers to load their engine.
    at = next(k for k, (_, finished) in enumerate(landed) if finished >= len(seconds) // 4)
    count = landed[-1][1] - landed[at][1]
    return (landed[-1][0] - landed[at][0]) / count, sorted(seconds)[len(seconds) // 2], count


def _again(folder: Path) -> tuple[float, int, int]:
    """A study of 10,000 known runs: seconds, number of known and of computed runs."""
    path = _study(folder, "again", 100, 100)
    plan = open_plan(path)
    _, files = files_of(plan.scene, plan.base_dir)
    shared = study_hash(("net_speed",), files)
    with Store(store_path(path), writing=True) as store:
        store.add_outcomes(
            RunOutcome(
                run_key(shared, plan.scene_at(plan.grid_point(k).values)),
                "done",
                "",
                (0.1,),
                bytes(900),
                0.1,
            )
            for k in range(10_000)
        )
    began = time.perf_counter()
    last = run_study(path, Workers(0))
    return time.perf_counter() - began, last.known, last.finished - last.known


def _first(folder: Path) -> float:
    """Time from the start of a study to the end of its first run, s: a worker starts and loads its engine."""
    path = _study(folder, "first", 2, 2, **{"run.duration_s": 0.1})
    ended: list[float] = []

    def on_progress(progress: Progress) -> None:
        if not ended and progress.finished:
            ended.append(time.perf_counter())
            driver.cancel()

    began = time.perf_counter()
    with driver_of(path, open_plan(path), {}, Workers(1), on_progress) as driver:
        driver.run()
    return ended[0] - began


def _cancelled(folder: Path) -> float:
    """Time from the cancellation to the end of all workers, s."""
    path = _study(folder, "cancelled", 4, 4, **{"run.duration_s": 3000.0})
    plan: Plan = open_plan(path)
    wished: list[float] = []

    def on_progress(progress: Progress) -> None:
        if not wished and sum(worker.busy for worker in progress.workers) >= 2:
            wished.append(time.perf_counter())
            driver.cancel()

    with driver_of(path, plan, check_measures(plan), Workers(2), on_progress) as driver:
        driver.run()
    return time.perf_counter() - wished[0]


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        each, alone, count = _beat(_study(folder, "short", 20, 10, **{"run.duration_s": 3.0}), 1)
        rows.append(
            (
                f"overhead per run of {alone:.2f} s, over {count}",
                1e3 * (each - alone),
                "ms",
                "<= 10",
                each - alone <= 0.01,
            )
        )
        if (os.cpu_count() or 1) >= 2:
            long = {"run.duration_s": 30.0, "run.log_rate_hz": 20.0}
            one, alone, _ = _beat(_study(folder, "one", 4, 4, **long), 1)
            two, _, _ = _beat(_study(folder, "two", 8, 4, **long), 2)
            rows.append(
                (
                    f"two workers relative to one, runs of {alone:.2f} s",
                    one / two,
                    "x",
                    ">= 1.8",
                    one / two >= 1.8,
                )
            )
        took, known, computed = _again(folder)
        rows.append((f"unchanged study run again, {known:,} known", took, "s", "<= 2", took <= 2.0))
        rows.append(("computed in it", computed, "runs", "0", computed == 0))
        rows.append(
            ("start of a worker to the end of its first run", _first(folder), "s", "", True)
        )
        took = _cancelled(folder)
        rows.append(("cancel to nothing running", took, "s", "<= 1", took <= 1.0))
    return rows
