"""Make the synthetic experiments bundled with the program: runs with typical faults of a robot, "seen" by cameras.

`python packaging/synthetic_experiment.py` recreates resources/experiments/. The data are simulated,
not measured, and every file states so. The scenes are those of the papers' experiments, with the
reasons that P1 (VIII-F) and P2 (VIII-E) give for deviations between robot and model: set-points at
10 Hz, backlash, soft motors that saturate, floor friction that differs slightly from the assumed
one. Link 6 is then tracked at 20 Hz, with noise and drop-outs, in the cameras' own frame, by a
clock that starts 0.1 s after the robot's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import snakestudio
from snakestudio import api
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.paths import resource, scenes_dir

LINK = 5
"""0-based index of the tracked link: the middle one, as in P2 VIII-C."""

RATE_HZ = 20.0
NOISE_M = 0.0006
"""Standard deviation of each coordinate measured by the cameras."""

NOISE_RAD = math.radians(0.4)
START_S = 0.1
"""Start of the cameras' clock after the robot's."""

TURN_RAD = math.radians(23.0)
ORIGIN_M = (1.85, -0.74, 0.031)
"""The cameras' frame: x_camera = R_z(turn) x_world + origin."""


@dataclass(frozen=True)
class Trial:
    """One run: values of its scene, drop-outs (start and end, s) and the seed of its noise."""

    seed: int
    values: dict[str, Any]
    unseen: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Series:
    """Trials of one scene, with the faults that all of them share."""

    scene: str
    stem: str
    duration: float
    faults: dict[str, Any]
    trials: tuple[Trial, ...]


def _friction(mu: float) -> dict[str, Any]:
    return {"ground.mu_along": mu, "ground.mu_across": mu}


SERIES = (
    Series(
        "obstacle_aided", "synthetic_obstacle_aided", 9.0,
        {
            "control.set_point_period_s": 0.1, "actuator.max_torque_nm": 6.0, "actuator.time_constant_s": 0.02,
            "joint_controller.kp_nm_per_rad": 40.0, "joint_controller.kd_nms_per_rad": 0.4,
        },
        (
            Trial(1, {"actuator.free_play_deg": 2.0, **_friction(0.21)}, ((3.35, 3.6),)),
            Trial(2, {"actuator.free_play_deg": 2.5, **_friction(0.23)}, ((5.2, 5.35), (7.0, 7.75))),
            Trial(3, {"actuator.free_play_deg": 3.0, **_friction(0.20)}, ((1.5, 1.7),)),
        ),
    ),
    Series(
        "sidewinding", "synthetic_sidewinding", 15.0,
        {
            "control.set_point_period_s": 0.1, "actuator.max_torque_nm": 8.0, "joint_controller.kd_nms_per_rad": 0.6,
            "joint_controller.kp_pitch_nm_per_rad": 120.0, "joint_controller.kd_pitch_nms_per_rad": 0.6,
        },
        (
            Trial(4, {"actuator.free_play_deg": 3.0, **_friction(0.22)}, ((4.1, 4.4),)),
            Trial(5, {"actuator.free_play_deg": 4.0, **_friction(0.20)}, ((8.0, 8.3), (11.0, 11.9))),
            Trial(6, {"actuator.free_play_deg": 3.5, **_friction(0.24)}, ((6.6, 6.75),)),
        ),
    ),
)  # fmt: skip


def measured(series: Series, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the cameras' table, (k, 5): time, position, heading in the cameras' frame; and which rows are visible."""
    values = {**series.faults, **trial.values}
    run = api.simulate(scenes_dir() / f"{series.scene}.toml", duration=series.duration, **values)
    pose = np.concatenate([rows.link_pose[:, LINK] for rows in run.recording.chunks()])
    times = np.arange(0.0, series.duration - START_S + 1e-9, 1.0 / RATE_HZ)
    at = [run.recording.index_at(time + START_S) for time in times]
    yaw = np.unwrap(roll_pitch_yaw(pose[:, 3:])[:, 2])[at] + TURN_RAD
    c, s = math.cos(TURN_RAD), math.sin(TURN_RAD)
    position = pose[at, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T + ORIGIN_M
    random = np.random.default_rng(trial.seed)
    position = position + random.normal(0.0, NOISE_M, position.shape)
    yaw = yaw + random.normal(0.0, NOISE_RAD, yaw.shape)
    seen = np.ones(len(times), dtype=bool)
    for begin, end in trial.unseen:
        seen[(times >= begin - 1e-9) & (times < end - 1e-9)] = False
    return np.column_stack([times, position, (yaw + math.pi) % (2.0 * math.pi) - math.pi]), seen


def write(path: Path, series: Series, number: int, trial: Trial) -> None:
    """Write one trial as CSV: comments on its origin, a header with units, empty cells where the link is hidden."""
    table, seen = measured(series, trial)
    changes = ", ".join(
        f"{key} = {value:g}" for key, value in {**series.faults, **trial.values}.items()
    )
    lines = [
        "# SYNTHETIC DATA: simulated, not measured. See README.md in this folder.",
        f"# Trial {number} of scenes/{series.scene}.toml, made by packaging/synthetic_experiment.py with SnakeStudio "
        f"{snakestudio.__version__}",
        f"# changed in the scene: {changes}",
        f"# seen at {RATE_HZ:g} Hz from {START_S:g} s after the robot's start; noise {1e3 * NOISE_M:g} mm and "
        f"{math.degrees(NOISE_RAD):g} deg, seed {trial.seed}",
        "time_s,link_6_x_mm,link_6_y_mm,link_6_z_mm,link_6_heading_deg",
    ]
    for row, visible in zip(table, seen, strict=True):
        cells = [f"{1e3 * value:.2f}" for value in row[1:4]] + [f"{math.degrees(row[4]):.2f}"]
        lines.append(",".join([f"{row[0]:.2f}", *(cells if visible else [""] * 4)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write all trials."""
    folder = resource("experiments")
    folder.mkdir(exist_ok=True)
    for series in SERIES:
        for number, trial in enumerate(series.trials, 1):
            path = folder / f"{series.stem}_{number}.csv"
            write(path, series, number, trial)
            print(f"wrote {path} ({path.stat().st_size / 1000:.1f} kB)")


if __name__ == "__main__":
    main()
