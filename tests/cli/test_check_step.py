"""`run --check-step` and `study check-step`: the table, the estimate in the files, and steps that fail."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.export.provenance import read_step_estimate
from snakestudio.model.scene_file import scene_hash
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording

CREEPING = str(scenes_dir() / "lateral_undulation_isotropic.toml")
SHORT = ("--duration", "0.3", "--set", "solver.joints=implicit", "--set", "solver.step_s=0.005")


def header(path: Path) -> list[str]:
    return [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("# step_check: ")
    ]


def test_check_prints_errors_and_the_step_to_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", CREEPING, *SHORT, "--check-step"]) == 0
    text = capsys.readouterr().out
    for argument in (
        "Net displacement",
        "Mean speed",
        "Largest force",
        "Actuator work",
        "error at 5 ms",
        "--set solver.",
    ):
        assert argument in text
    proposed = text.rpartition("--set ")[2].strip()
    assert main(["check", CREEPING]) == 0
    assert 0.0 < float(proposed.partition("=")[2]) < 0.005


def test_files_of_a_checked_run_contain_the_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = tmp_path / "a.csv"
    hdf5 = tmp_path / "a.h5"
    mcap = tmp_path / "a.mcap"
    outputs = ("--csv", str(csv), "--hdf5", str(hdf5), "--mcap", str(mcap))
    assert main(["run", CREEPING, *SHORT, "--check-step", *outputs]) == 0
    (line,) = header(csv)
    estimate = json.loads(line.removeprefix("# step_check: "))
    assert estimate["net_displacement_m"]["error"] > 0.0
    assert estimate["finer_steps_s"] == [0.0025, 0.00125]
    run = ss.load_run(mcap)
    assert run.step_estimate is not None
    assert run.step_estimate.values == estimate
    assert estimate["scene_sha256"] == scene_hash(run.scene)
    run.to_csv(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == csv.read_bytes()
    with h5py.File(hdf5) as file:
        assert json.loads(file.attrs["step_check"]) == estimate


def test_rerun_keeps_the_estimate_of_the_same_scene_only(tmp_path: Path) -> None:
    csv, again, other = (tmp_path / name for name in ("a.csv", "again.csv", "other.csv"))
    assert main(["run", CREEPING, *SHORT, "--check-step", "--csv", str(csv)]) == 0
    assert main(["run", str(csv), "--csv", str(again)]) == 0
    assert header(again) == header(csv)
    assert csv.read_text().splitlines()[3:] == again.read_text().splitlines()[3:], (
        "all except the name of the scene"
    )
    assert main(["run", str(csv), "--csv", str(other), "--set", "gait.amplitude_deg=30"]) == 0
    assert header(other) == []


def test_damaged_estimate_is_ignored(tmp_path: Path) -> None:
    csv = tmp_path / "a.csv"
    again = tmp_path / "again.csv"
    assert main(["run", CREEPING, *SHORT, "--csv", str(csv)]) == 0
    text = csv.read_text(encoding="utf-8")
    csv.write_text(
        text.replace("# model:", '# step_check: {"scene_sha256": 3\n# model:'), encoding="utf-8"
    )
    assert read_step_estimate(csv) is None
    assert main(["run", str(csv), "--csv", str(again)]) == 0
    assert header(again) == []


def test_unstable_step_fails_with_a_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["run", CREEPING, "--duration", "0.2", "--set", "solver.step_s=0.001", "--check-step"])
        == 3
    )
    streams = capsys.readouterr()
    assert "--set solver.step_s=0.00025" in streams.out
    assert "diverged" in streams.err


def test_check_of_a_continued_run_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "run.mcap", "--from", "1", "--check-step"]) == 2
    assert "Remove --from" in capsys.readouterr().err


def test_checked_run_contains_the_estimate(tmp_path: Path) -> None:
    values = {"solver.joints": "implicit", "solver.step_s": 0.005}
    run = ss.simulate(CREEPING, duration=0.2, **values)
    assert run.step_estimate is None
    report = ss.check_step_size(run)
    assert report.errors["net_displacement_m"] > 0.0
    assert run.step_estimate is not None
    run.to_csv(tmp_path / "run.csv")
    assert len(header(tmp_path / "run.csv")) == 1
    other = ss.simulate(CREEPING, duration=0.2, **values | {"gait.amplitude_deg": 30.0})
    assert isinstance(other.recording, RunRecording)
    other.recording.set_step_estimate(run.step_estimate)
    assert other.step_estimate is None, "it is of another scene"
