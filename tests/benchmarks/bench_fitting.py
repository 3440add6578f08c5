"""Accuracy and speed of fits of known values to noisy tracks (20 Hz, 2 mm), from a start 40 % off."""

from __future__ import annotations

import time

from snakestudio.analysis.fitting import PRESETS, FreeParameter, Trial, fit
from snakestudio.study.cluster import default_workers
from snakestudio.study.fit_pool import FitPool
from tests.synthetic_tracks import FRICTION, brisk, free_joints, measured

Row = tuple[str, object, str, str, bool]


def _fitted(trial: Trial, free: list[FreeParameter], method: str) -> tuple[dict[str, float], float]:
    """Fitted values, and the time of the fit, s."""
    started = time.perf_counter()
    result = fit([trial], free, method, pool=FitPool)
    assert result is not None
    return result.values, time.perf_counter() - started


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    rows: list[Row] = []
    off = {key: 1.4 * value for key, value in FRICTION.items()}
    frictions = [PRESETS["Friction along"], PRESETS["Friction across"]]
    seen = Trial("t", brisk(**off), measured(brisk(), {}, late=0.1, turned=0.3))
    values, took = _fitted(seen, frictions, "auto")
    for key, true in FRICTION.items():
        error = 100.0 * abs(values[key] / true - 1.0)
        rows.append((f"{key}, error", error, "%", "<= 5", error <= 5.0))
    rows.append(
        (
            f"two frictions, 2 s of motion, {default_workers()} workers",
            took,
            "s",
            "<= 60",
            took <= 60.0,
        )
    )
    late = {"control.start_delay_s": 0.1}
    trial = Trial(
        "t",
        brisk(**off, **{"control.start_delay_s": 0.14}),
        measured(brisk(**late), {}),
        offset_bounds_s=(0.0, 0.0),
    )
    values, _ = _fitted(trial, [PRESETS["Start delay"], *frictions], "least_squares")
    error = 1000.0 * abs(values["control.start_delay_s"] - 0.1)
    rows.append(("start delay with two frictions, error", error, "ms", "<= 10", error <= 10.0))
    for free, true in ((PRESETS["Backlash"], 4.0), (PRESETS["Largest torque"], 0.6)):
        (key,) = free.keys
        tracks = measured(free_joints(**{key: true}), {}, joints=True)
        values, _ = _fitted(
            Trial("t", free_joints(**{key: 1.4 * true}), tracks, offset_bounds_s=(0.0, 0.0)),
            [free],
            "auto",
        )
        error = 100.0 * abs(values[key] / true - 1.0)
        rows.append((f"{key}, error", error, "%", "<= 5", error <= 5.0))
    return rows
