"""CSV: fixed columns, exact numbers, a header that reproduces the run, and complete files only."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.errors import SceneError
from snakestudio.export.csv import write_csv
from snakestudio.export.provenance import read_changes
from snakestudio.model.columns import column_names, table
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change
from snakestudio.model.recording import Schema
from snakestudio.model.robot.joint_axes import cardan_axes
from snakestudio.model.scene_file import load_scene, scene_hash
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from tests.session.rows import SCHEMA, make_rows

MAIN = scenes_dir() / "obstacle_aided.toml"


@pytest.fixture(scope="module")
def recording() -> RunRecording:
    return run_offline(with_values(load_scene(MAIN), {"run.duration_s": 0.5})).recording


def read(path: Path) -> tuple[list[str], dict[str, np.ndarray]]:
    """Header lines and columns, read by the standard library's reader."""
    text = path.read_text(encoding="utf-8")
    header = [line for line in text.splitlines() if line.startswith("#")]
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    rows = list(csv.reader(io.StringIO(body)))
    columns = np.array(rows[1:], dtype=float)
    return header, {name: columns[:, i] for i, name in enumerate(rows[0])}


def fixed_names(n: int) -> list[str]:
    """The columns that INTERFACE fixes for a planar model, written out independently."""
    names = ["time_s"]
    for i in range(1, n + 1):
        names += [f"link_{i}_{x}" for x in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")]
    for i in range(1, n):
        names += [f"joint_{i}_yaw_{x}" for x in ("rad", "ref_rad", "rate_radps", "torque_nm")]
    names += ["com_x_m", "com_y_m", "com_z_m", "com_vx_mps", "com_vy_mps", "com_vz_mps"]
    names += [f"contact_{what}_f{x}_n" for what in ("obstacle", "ground") for x in "xyz"]
    for i in range(1, n + 1):
        names += [f"link_{i}_{what}_f{x}_n" for what in ("obstacle", "ground") for x in "xyz"]
    names += [
        "contacts_closed",
        "energy_kinetic_j",
        "energy_potential_j",
        "work_actuator_j",
        "work_friction_j",
    ]
    return [*names, "solver_residual", "solver_iterations", "solver_unconverged"]


def test_fixed_columns_are_first_and_in_order(recording: RunRecording, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", recording)
    _, columns = read(tmp_path / "a.csv")
    names = list(columns)
    assert names[: len(fixed_names(11))] == fixed_names(11)
    assert len(set(names)) == len(names)
    assert all(name == name.lower() for name in names)


def test_pitch_columns_exist_if_the_model_has_pitch() -> None:
    names = column_names(Schema(3, cardan_axes(2), SCHEMA.energy))
    assert {"joint_2_pitch_rad", "joint_1_pitch_ref_rad", "joint_1_pitch_torque_nm"} <= set(names)


def test_numbers_read_back_exactly(recording: RunRecording, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", recording)
    _, columns = read(tmp_path / "a.csv")
    values = np.concatenate(list(table(recording)))
    assert np.array_equal(np.stack(list(columns.values()), axis=1), values)
    assert columns["time_s"][0] == 0
    assert columns["time_s"][-1] == 0.5


def test_first_row_contains_floats(recording: RunRecording, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", recording)
    rows = [
        line.split(",")
        for line in (tmp_path / "a.csv").read_text().splitlines()
        if not line.startswith("#")
    ]
    integers = [name for name, cell in zip(*rows[:2], strict=True) if cell.lstrip("-").isdigit()]
    assert integers == ["contacts_closed", "solver_unconverged"]
    for name, *cells in zip(*rows, strict=True):
        assert name in integers or not any(cell.lstrip("-").isdigit() for cell in cells)


def test_interval_columns_are_means_since_the_previous_row() -> None:
    # Row i of `make_rows` has the impulse i + column/1000 N s, 3 i iterations and 40 i steps:
    # differences over 10 ms.
    recording = RunRecording(ss.Scene(), SCHEMA, chunk_rows=4)
    recording.append(make_rows(0, 11))
    names = (
        "link_2_obstacle_fy_n",
        "contact_ground_fx_n",
        "solver_iterations",
        "solver_unconverged",
    )
    force, total, iterations, unconverged = np.concatenate(list(table(recording, names))).T
    assert force[0] == total[0] == iterations[0] == unconverged[0] == 0
    np.testing.assert_allclose(force[1:], 100)
    np.testing.assert_allclose(total[1:], 300)  # three links
    np.testing.assert_allclose(iterations[1:], 3 / 40)
    assert unconverged.tolist() == [0] * 10 + [1]


@pytest.mark.parametrize(
    "name", ["obstacle_aided", "lagrangian_undulation", "jam_resolution", "worm"]
)
def test_head_acceleration_is_slope_of_exported_velocity(name: str, tmp_path: Path) -> None:
    run = ss.simulate(scenes_dir() / f"{name}.toml", duration=0.3)
    run.to_csv(tmp_path / "a.csv")
    _, columns = read(tmp_path / "a.csv")
    last = name in ("lagrangian_undulation", "jam_resolution")  # P3, P4: the head is the last link
    link = run.scene.robot.n_links if last else 1
    for axis in "xyz":
        slope = np.diff(columns[f"link_{link}_v{axis}_mps"]) / np.diff(columns["time_s"])
        np.testing.assert_allclose(
            columns[f"head_a{axis}_mps2"], [0.0, *slope], rtol=1e-12, atol=1e-12
        )


def test_head_in_free_fall_accelerates_with_gravity(tmp_path: Path) -> None:
    falling = {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": 3,
        "robot.head": "last",
        "start.z_m": 50.0,
        "gait.amplitude_deg": 0.0,
    }
    run = ss.simulate(ss.Scene(), duration=0.2, **falling)
    np.testing.assert_allclose(run["head_az_mps2"][1:], -9.81, rtol=1e-9)
    assert run["head_az_mps2"][0] == 0.0
    np.testing.assert_allclose(run["head_ax_mps2"], 0.0, atol=1e-9)
    run.to_mcap(tmp_path / "fall.mcap")  # for either head end, its run file has the record
    np.testing.assert_array_equal(
        ss.load_run(tmp_path / "fall.mcap")["head_az_mps2"], run["head_az_mps2"]
    )


def test_impulses_in_the_csv_add_up_to_the_momentum(tmp_path: Path) -> None:
    # Newton's second law over every interval of rows: all forces on the chain are obstacle forces,
    # ground forces and weight.
    run = ss.simulate(MAIN, duration=1.0)
    time = run["time_s"]
    momentum = 7.5 * run["com_vx_mps"]
    impulse = (run["contact_obstacle_fx_n"] + run["contact_ground_fx_n"])[1:] * np.diff(time)
    np.testing.assert_allclose(np.diff(momentum), impulse, atol=1e-9)
    np.testing.assert_allclose(run["contact_ground_fz_n"][1:], 7.5 * 9.81, rtol=1e-9)


def test_header_rebuilds_the_run(tmp_path: Path) -> None:
    scene = with_values(load_scene(MAIN), {"run.duration_s": 5.0, "run.log_rate_hz": 50})
    runner = Runner(scene)
    runner.advance(800)
    runner.apply(with_values(scene, {"gait.amplitude_deg": 30.0, "obstacles[2].x_m": 0.45}))
    runner.advance(500)
    runner.apply(runner.scene.model_copy(update={"obstacles": runner.scene.obstacles[1:]}))
    runner.advance(720)  # stopped by hand at 0.505 s
    first = tmp_path / "first.csv"
    again = tmp_path / "again.csv"
    write_csv(first, runner.recording, "main.toml")
    assert len(read_changes(first)) == 2
    ss.simulate(first).to_csv(again)
    assert read(first)[1].keys() == read(again)[1].keys()
    for name, values in read(first)[1].items():
        assert np.array_equal(values, read(again)[1][name][: len(values)]), name


def test_header_names_program_scene_and_hash(recording: RunRecording, tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", recording, "obstacle_aided.toml")
    header, _ = read(tmp_path / "a.csv")
    assert header[0] == f"# SnakeStudio {ss.__version__}"
    assert "# scene: obstacle_aided.toml" in header
    assert f"# scene_sha256: {scene_hash(recording.scene)}" in header
    assert load_scene(tmp_path / "a.csv") == recording.scene


@pytest.mark.parametrize(
    "name", ["obstacle_aided", "sidewinding", "lagrangian_undulation", "jam_resolution", "inchworm"]
)
def test_computed_columns_are_not_called_measured(tmp_path: Path, name: str) -> None:
    """For any model: the Lagrangian one has no solver with residuals or iterations."""
    scene = with_values(load_scene(scenes_dir() / f"{name}.toml"), {"run.duration_s": 0.02})
    write_csv(tmp_path / "a.csv", run_offline(scene).recording)
    header, _ = read(tmp_path / "a.csv")
    assert not [line for line in header if "measured" in line]


def _changed_run(path: Path) -> tuple[bytes, tuple[Change, ...]]:
    """A CSV of a run with changes during the run, and the changes."""
    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.05})
    changes = (Change(0.02, {"gait.amplitude_deg": 35.0}),)
    write_csv(path, run_offline(scene, None, changes).recording)
    return path.read_bytes(), changes


def test_utf8_mark_before_the_header_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    data, changes = _changed_run(path)
    scene = load_scene(path)
    path.write_bytes(b"\xef\xbb\xbf" + data)  # as saved by some editors
    assert read_changes(path) == changes
    assert load_scene(path) == scene


def test_run_can_have_any_number_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    _, changes = _changed_run(path)
    scene = load_scene(path)
    os.truncate(path, 300_000_000_000)  # like hours of rows at a high rate; they are not read
    assert load_scene(path) == scene
    assert read_changes(path) == changes


def test_damaged_change_in_a_header_is_reported(recording: RunRecording, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_csv(path, recording)
    path.write_text("# change: {nonsense\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SceneError, match="line 1"):
        ss.simulate(path)


def test_cancelled_writing_is_reported(recording: RunRecording, tmp_path: Path) -> None:
    assert not write_csv(tmp_path / "a.csv", recording, progress=lambda fraction: False)
