"""`snakestudio compare models`: the table, the CSV, the exit codes, and one message per mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.export.comparison_tables import difference_rows
from snakestudio.paths import scenes_dir
from tests.cli.command_line import code_of

OPEN_GROUND = str(scenes_dir() / "lateral_undulation_isotropic.toml")
PIPES = str(scenes_dir() / "obstacle_aided.toml")
STAIRS = str(scenes_dir() / "stairs.toml")


def test_default_compares_all_models_as_table_and_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = tmp_path / "new" / "a.csv"
    arguments = [
        "compare",
        "models",
        OPEN_GROUND,
        "--duration",
        "0.5",
        "--set",
        "gait.amplitude_deg=30",
        "--csv",
        str(csv),
    ]
    report = tmp_path / "a.md"
    assert main([*arguments, "--report", str(report)]) == 0
    assert "## spatial_nonsmooth minus planar_nonsmooth, 0 to 0.5 s".replace(
        "_", r"\_"
    ) in report.read_text("utf-8")
    output = capsys.readouterr()
    assert output.err == ""
    comparison = ss.compare_models(OPEN_GROUND, duration=0.5, **{"gait.amplitude_deg": 30})
    for label in ("spatial_nonsmooth", "planar_lagrangian"):
        assert f"{label} minus planar_nonsmooth, 0 to 0.5 s" in output.out
        for row in difference_rows(comparison.data, label):
            line = next(
                line
                for line in output.out.splitlines()
                if line.startswith(row.label) and row.end in line
            )
            assert line.split()[-3:] == [row.end, row.worst, row.rms]
    lines = csv.read_text(encoding="utf-8").splitlines()
    assert "#| amplitude_deg = 30.0" in lines
    assert any(
        "spatial_nonsmooth minus planar_nonsmooth" in line for line in lines if line.startswith("#")
    )
    table = np.genfromtxt(
        [line for line in lines if not line.startswith("#")], delimiter=",", names=True
    )
    np.testing.assert_allclose(table["time_s"], np.arange(51) / 100, atol=1e-12)
    apart = np.stack(
        [
            table[f"spatial_nonsmooth_com_{a}_m"] - table[f"planar_nonsmooth_com_{a}_m"]
            for a in "xyz"
        ]
    )
    np.testing.assert_array_equal(
        table["spatial_nonsmooth_com_minus_planar_nonsmooth_m"], np.linalg.norm(apart.T, axis=1)
    )
    run = comparison.runs["planar_lagrangian"]
    np.testing.assert_array_equal(
        table["planar_lagrangian_work_actuator_j"], run["work_actuator_j"]
    )
    assert table["planar_lagrangian_work_actuator_minus_planar_nonsmooth_j"][-1] == pytest.approx(
        run["work_actuator_j"][-1] - comparison.runs["planar_nonsmooth"]["work_actuator_j"][-1]
    )


def test_implausible_runs_are_noted_in_report_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "a.html"
    kinds = "planar_nonsmooth", "planar_nonholonomic"
    values = "gait.amplitude_deg=90", "gait.frequency_deg_s=40"
    options = [part for value in values for part in ("--set", value)]
    arguments = ["compare", "models", PIPES, *kinds, "--duration", "1", *options]
    assert main([*arguments, "--report", str(report), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (violation, *_) = result["models"][0]["plausibility"]["violations"]
    assert violation["check"] == "joint_torque"
    assert violation["text"] in report.read_text("utf-8")


def test_comparison_can_be_repeated_from_its_csv(tmp_path: Path) -> None:
    first = tmp_path / "a.csv"
    again = tmp_path / "b.csv"
    kinds = ["spatial_nonsmooth", "planar_nonsmooth"]
    assert (
        main(["compare", "models", OPEN_GROUND, "--duration", "0.2", "--csv", str(first), *kinds])
        == 0
    )
    comment = next(
        line
        for line in first.read_text().splitlines()
        if line.startswith("# To repeat the comparison")
    )
    arguments = comment.partition("snakestudio ")[2].split()
    arguments = [
        {"THIS_FILE.csv": str(first), "AGAIN.csv": str(again)}.get(argument, argument)
        for argument in arguments
    ]
    assert main(arguments) == 0
    numbers = [
        [line for line in path.read_text().splitlines() if line[0] != "#"]
        for path in (first, again)
    ]
    assert numbers[0] == numbers[1]
    assert numbers[0][0].startswith("time_s,spatial_nonsmooth_com_x_m")


def test_model_that_cannot_run_gives_a_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kinds = ["planar_lagrangian", "planar_nonsmooth", "spatial_nonsmooth"]
    assert main(["compare", "models", PIPES, *kinds, "--duration", "0.1"]) == 0
    output = capsys.readouterr().out
    assert "planar_lagrangian" in output
    assert "spatial_nonsmooth minus planar_nonsmooth" in output


@pytest.mark.parametrize(
    ("arguments", "pieces"),
    [
        (["compare"], ["models"]),
        (["compare", "apples"], ["models", "apples"]),
        (["compare", "models"], ["required: SCENE;"]),
        (["compare", "models", "no/such.toml"], ["no such file"]),
        (
            ["compare", "models", OPEN_GROUND, "magic"],
            ["'magic'", "planar_nonsmooth, spatial_nonsmooth"],
        ),
        (["compare", "models", OPEN_GROUND, "planar_nonsmooth"], ["alone cannot be compared"]),
        (
            ["compare", "models", STAIRS],
            ["only spatial_nonsmooth", "planar_nonsmooth: ", "planar_lagrangian: "],
        ),
        (
            ["compare", "models", PIPES, "planar_lagrangian"],
            ["no model can run", "does not support obstacles"],
        ),
        (["compare", "models", OPEN_GROUND, "--duration", "-1"], ["positive number"]),
        (["compare", "models", OPEN_GROUND, "--set", "gait"], ["KEY=VALUE"]),
        (["compare", "models", OPEN_GROUND, "--csv", OPEN_GROUND], ["the scene itself"]),
    ],
)
def test_mistake_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    pieces: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert code_of(arguments) == 2
    output = capsys.readouterr()
    for piece in pieces:
        assert piece in output.err
    assert "Traceback" not in output.err
    assert output.out == ""
    assert list(tmp_path.iterdir()) == []


def test_failed_model_is_exit_code_3_after_table_and_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The scene's own model can run it, far above the stable step of its joint controllers.
    csv = tmp_path / "a.csv"
    arguments = [
        "compare",
        "models",
        PIPES,
        "--duration",
        "0.3",
        "--set",
        "solver.step_s=0.002",
        "--csv",
        str(csv),
    ]
    assert main(arguments) == 3
    output = capsys.readouterr()
    assert output.err.startswith("snakestudio: planar_nonsmooth: ")
    assert "t = " in output.err
    assert "planar_nonsmooth: ended at" in output.out
    assert "spatial_nonsmooth: runs at 1/7" in output.out
    last = csv.read_text().splitlines()[-1].split(",")
    assert float(last[0]) == pytest.approx(0.3)
    assert last[1] == ""  # the reference ended long before


def test_help_imports_little() -> None:
    code = (
        "import sys\nfrom snakestudio.cli import main\n"
        "try: main(['compare', 'models', '--help'])\nexcept SystemExit as e: assert e.code == 0\n"
        "print({'numpy', 'numba', 'PySide6', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--csv" in done.stdout
    assert done.stdout.endswith("set()\n")
