"""Output for scripts and terminals: JSON, quiet mode, colours, and a progress line that fits."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio.cli import main, terminal
from snakestudio.cli.results import print_json
from snakestudio.cli.shared import ProgressLine

SHORT = ("--duration", "0.02")


def result(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> tuple[dict[str, Any], str]:
    """The JSON object of a command, and its standard error."""
    assert main([*arguments, "--json"]) == code
    output = capsys.readouterr()
    return json.loads(output.out), output.err


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_run_result_has_files_and_residual(capsys: pytest.CaptureFixture[str]) -> None:
    run, messages = result(capsys, "run", "sidewinding", *SHORT, "--csv", "run.csv")
    assert run["simulated_s"] == 0.02
    assert run["steps"] == 80
    assert (run["rows"], run["unconverged"], run["failure"]) == (3, 0, None)
    assert 0 < run["worst_residual"] <= 1e-8
    assert run["files"]["csv"] == "run.csv"
    assert "wrote run.csv: 3 rows" in messages


WEDGED = ("--set", "gait.amplitude_deg=90", "--set", "gait.frequency_deg_s=40")


def test_implausible_run_is_reported_with_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    run, messages = result(
        capsys, "run", "obstacle_aided", "--duration", "1", *WEDGED, "--csv", "run.csv"
    )
    plausibility = run["plausibility"]
    assert plausibility["plausible"] is False
    first = plausibility["violations"][0]
    assert first["check"] == "joint_torque"
    assert first["text"] in messages
    assert messages.count("actuator.max_torque_nm to the limit") == 1
    header = Path("run.csv").read_text().split("time_s", maxsplit=1)[0]
    assert f"# plausibility: joint_torque: {first['text']}\n" in header


def test_plausible_run_says_so_only_in_files(capsys: pytest.CaptureFixture[str]) -> None:
    run, messages = result(capsys, "run", "obstacle_aided", *SHORT, "--csv", "run.csv")
    assert run["plausibility"]["plausible"] is True
    assert "plausible" not in messages
    assert "# plausibility: plausible\n" in Path("run.csv").read_text()


def test_list_of_runs_has_their_plausibility(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_RUNS_DIR", str(Path.cwd()))
    for name, values in (("good", ()), ("bad", WEDGED)):
        duration = ("--duration", "1")
        main(["run", "obstacle_aided", *duration, *values, "--mcap", f"{name}.mcap", "-q"])
    capsys.readouterr()
    listed, _ = result(capsys, "runs")
    states = {Path(run["file"]).stem: run["plausibility"]["plausible"] for run in listed["runs"]}
    assert states == {"good": True, "bad": False}
    listed, _ = result(capsys, "runs", "implausible")
    assert [Path(run["file"]).stem for run in listed["runs"]] == ["bad"]
    assert main(["runs"]) == 0
    assert "joint torque" in capsys.readouterr().out


def test_failed_run_has_result_and_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "run",
        "obstacle_aided",
        "--set",
        "solver.step_s=0.002",
        "--set",
        "run.log_rate_hz=100",
    )
    run, messages = result(capsys, *arguments, code=3)
    assert run["failure"]
    assert run["failure"] in messages


def test_check_result_lists_problems(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.toml").write_text("format = 1\n[robot]\nmass_kg = -1\n")
    report, messages = result(capsys, "check", "wrong.toml", "stairs", "missing", code=2)
    assert report["errors"] == 2
    wrong, stairs, missing = report["files"]
    assert [(one["severity"], one["key"]) for one in wrong["problems"]] == [
        ("error", "robot.mass_kg")
    ]
    assert stairs["problems"] == []
    assert "no scene" in missing["problems"][0]["message"]
    assert messages == ""


def test_diff_result_lists_values(capsys: pytest.CaptureFixture[str]) -> None:
    same, _ = result(capsys, "diff", "stairs", "stairs")
    assert same["equal"]
    assert same["differences"] == same["values"] == []
    other, _ = result(capsys, "diff", "sidewinding", "rubble")
    assert {"key": "run.duration_s", "before": 15.0, "after": 20.0} in other["values"]
    assert "Run: duration 15 → 20 s" in other["differences"]


def test_comparisons_have_results(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = ("planar_nonsmooth", "spatial_nonsmooth")
    models, messages = result(capsys, "compare", "models", "obstacle_aided", *kinds, *SHORT)
    assert models["reference"] == kinds[0]
    assert [model["model"] for model in models["models"]] == list(kinds)
    assert 0 < models["models"][1]["differences"]["com"]["rms"] < 1e-3
    assert messages == ""
    arguments = (
        "compare",
        "chain",
        "continuum_undulation",
        "--links",
        "8,16",
        "--at",
        "0.02",
        "--duration",
        "0.05",
    )
    chains, _ = result(capsys, *arguments)
    assert [chain["links"] for chain in chains["chains"]] == [8, 16]
    assert all(
        error > 0 for chain in chains["chains"] for error in chain["at"][0]["errors"].values()
    )


def test_plan_and_runs_have_results(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, messages = result(capsys, "plan", "stairs", "plan.svg")
    assert plan["file"] == "plan.svg"
    assert messages == "wrote plan.svg\n"
    monkeypatch.setenv("SNAKESTUDIO_RUNS_DIR", "saved")
    assert main(["run", "stairs", *SHORT, "--mcap", "saved/one.mcap", "-q"]) == 0
    runs, _ = result(capsys, "runs")
    assert [(run["name"], run["model"], run["problem"]) for run in runs["runs"]] == [
        ("stairs", "spatial_nonsmooth", None)
    ]
    tagged, messages = result(capsys, "runs", "one", "--tags", "first")
    assert tagged["runs"][0]["tags"] == ["first"]
    assert "#first" in messages
    deleted, _ = result(capsys, "runs", "one", "--delete")
    assert len(deleted["deleted"]) == 1


def test_study_list_shows_studies_not_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "new", "stairs", "-q"]) == 0
    Path("wrong.study.toml").write_text("format = 2\n[[vary]]\nkey = 3\n")
    assert capsys.readouterr().out == ""
    listed, _ = result(capsys, "study", "list")
    new, wrong = listed["studies"]
    assert (new["scene"], new["points"], new["finished"], new["problem"]) == (
        "stairs",
        11,
        None,
        None,
    )
    assert wrong["problem"]


def test_quiet_run_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "stairs", *SHORT, "--csv", "run.csv", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert Path("run.csv").exists()
    assert main(["run", "nothing", "-q"]) == 2
    assert "no scene" in capsys.readouterr().err


def test_json_and_csv_on_stdout_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "stairs", *SHORT, "--json", "--csv", "-"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "--json" in output.err


def test_json_has_no_nonfinite_numbers() -> None:
    stream = io.StringIO()
    options = argparse.Namespace(standard_output=stream)
    print_json(
        options,
        {"a": np.array([1.0, np.nan]), "b": np.float64(np.inf), "c": (Path("x"), np.int64(3))},
    )
    assert json.loads(stream.getvalue()) == {"a": [1.0, None], "b": None, "c": ["x", 3]}


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in place of the standard error: set in the test, because pytest resets it before."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return screen


def test_errors_are_red_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal_of(monkeypatch)
    assert main(["run", "nothing"]) == 2
    assert screen.getvalue().startswith("\x1b[31msnakestudio:\x1b[0m There is no scene")
    for variable, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        screen.truncate(screen.seek(0))
        monkeypatch.setenv(variable, value)
        assert main(["run", "nothing"]) == 2
        assert "\x1b" not in screen.getvalue()


def test_progress_shows_time_left_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal_of(monkeypatch)
    for columns, expected in (
        (80, "simulating: 5.0 of 20 s, 25 %, 30 s left"),
        (30, "simulating: 25 %, 30 s left"),
        (20, "25 %, 30 s left"),
        (10, "25 %"),
    ):
        monkeypatch.setattr("snakestudio.cli.shared.width", lambda stream, columns=columns: columns)
        screen.truncate(screen.seek(0))
        times = iter((0.0, 10.0))
        report = ProgressLine(clock=lambda times=times: next(times)).reporter("simulating", 20.0)  # type: ignore[misc]
        assert report(0.25)
        assert screen.getvalue() == f"\r\x1b[K{expected}"


def test_long_texts_are_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal_of(monkeypatch)
    monkeypatch.setattr("snakestudio.cli.shared.width", lambda stream: 12)
    ProgressLine().show("starting many workers")
    assert screen.getvalue() == "\r\x1b[Kstarting ma"


def test_pipe_and_quiet_get_no_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal_of(monkeypatch)
    assert ProgressLine().visible
    assert not ProgressLine(argparse.Namespace(quiet=True)).visible
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not ProgressLine().visible
    assert main(["run", "stairs", *SHORT]) == 0
    assert not re.search(r"[\r\x1b]", sys.stderr.getvalue())  # type: ignore[attr-defined]


def test_unknown_width_is_80(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as file:
        assert terminal.width(file) == 80
