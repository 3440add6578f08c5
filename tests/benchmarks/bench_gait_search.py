"""Whether an optimiser's 300 runs find as fast a sidewinding of the paper's robot as a grid of 10,000.

The grid takes a processor 42 minutes, so its result is stored in `sidewinding_grid.csv`; its best
point is computed again. `python -m tests.benchmarks.bench_gait_search FOLDER` recomputes the grid;
after an interruption it resumes in that folder.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from snakestudio.model.edits import with_values
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline
from snakestudio.study.export import write_csv
from snakestudio.study.goals import measured
from snakestudio.study.plan import Plan
from snakestudio.study.results import Table
from snakestudio.study.running import Workers, open_plan, results_of, run_study
from snakestudio.study.study_file import load_study, save_study

Row = tuple[str, object, str, str, bool]

STUDY = scenes_dir() / "studies" / "sidewinding_speed.toml"
KEPT = Path(__file__).with_name("sidewinding_grid.csv")
SEEDS = range(1, 6)
"""Several seeds: a single search may be lucky, or end at a local optimum."""

_BEST = 20
_AMPLITUDES = {
    "low": None,
    "high": None,
    "steps": None,
    "values": (15.0, 20.0, 25.0, 30.0, 32.5, 35.0, 37.5, 40.0, 42.5, 45.0),
}
"""Values of the grid: denser where the gaits are fast. All other values have ten equal steps, as stated
in the file."""


def copied(folder: Path, search: dict[str, object]) -> Path:
    """Return the shipped study in a separate folder, with another search."""
    study = load_study(STUDY)
    if search.get("kind") == "grid":
        study = study.model_copy(
            update={"vary": (study.vary[0].model_copy(update=_AMPLITUDES), *study.vary[1:])}
        )
    changed = study.model_copy(
        update={
            "scene": str((STUDY.parent / study.scene).resolve()),
            "search": study.search.model_copy(update=search),
        }
    )
    path = folder / "sidewinding.toml"
    save_study(changed, path)
    return path


def kept_best() -> tuple[dict[str, float], float, int]:
    """Values of the grid's best point by column, its speed, and the number of points."""
    lines = KEPT.read_text(encoding="utf-8").splitlines()
    count = next(int(line.split()[-1]) for line in lines if line.startswith("# points"))
    row = next(csv.DictReader(line for line in lines if not line.startswith("#")))
    return (
        {name: float(value) for name, value in row.items() if name.startswith("gait.")},
        float(row["speed"]),
        count,
    )


def speed_of(plan: Plan, values: dict[str, float]) -> float:
    """Speed of a point, computed again; `values` by columns."""
    changes = {key: number for name, number in values.items() for key in name.split("+")}
    result = run_offline(with_values(plan.scene, changes), plan.base_dir)
    assert result.ok, result.message
    return measured((plan.study.goals[0].measure,), result.recording)[0]


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    values, stored, count = kept_best()
    grid = speed_of(open_plan(STUDY), values)
    rows: list[Row] = []
    speeds = []
    points = 0
    began = time.perf_counter()
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            path = copied(Path(folder), {"seed": seed})
            run_study(path)
            table = results_of(path)
        best = table.best
        points = table.n_points
        speeds.append(float(table["speed"][best]) if best is not None else 0.0)
    took = (time.perf_counter() - began) / len(SEEDS)
    off = 100.0 * abs(grid / stored - 1.0)
    rows.append(("best point of the grid, recomputed: deviation", off, "%", "<= 0.1", off <= 0.1))
    rows.append((f"best speed of a grid of {count}", grid, "m/s", "", True))
    fraction, least = (100.0 * speed / grid for speed in (float(np.median(speeds)), min(speeds)))
    what = f"speed that CMA-ES finds in {points} runs, of that, median of {len(SEEDS)} seeds"
    rows.append((what, fraction, "%", ">= 98", fraction >= 98.0))
    rows.append(("worst of these seeds", least, "%", "", True))
    rows.append((f"time of {points} runs", took, "s", "", True))
    return rows


def keep(table: Table) -> None:
    """Write the best points of a finished grid to the stored file."""
    rows = np.flatnonzero(table.counts)
    rows = rows[np.argsort(table.goals[rows, 0])][:_BEST]
    columns = {
        name: table[name][rows]
        for name in table
        if name not in ("seconds", "runs", "failed", "within_limits")
    }
    about = f"The {_BEST} best within the limits; see bench_gait_search.py"
    write_csv(KEPT, columns, {f"points tried: {table.n_points}": about})


def main() -> int:
    """Compute the grid in the named folder, and store its best points."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    path = copied(folder, {"kind": "grid"})
    run_study(
        path,
        Workers(),
        lambda progress: print(f"\r{progress.finished} of {progress.runs}", end="", flush=True),
    )
    keep(results_of(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
