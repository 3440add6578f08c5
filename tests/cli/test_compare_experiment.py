"""`snakestudio compare experiment`, and the same from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.paths import resource, scenes_dir

SCENE = scenes_dir() / "obstacle_aided.toml"
TRIAL = resource("experiments") / "synthetic_obstacle_aided_1.csv"


def test_shipped_experiment_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("c.csv", "l.toml")]
    arguments = ["compare", "experiment", str(SCENE), str(TRIAL), "--duration", "4"]
    arguments += ["--csv", str(files[0]), "--write-layout", str(files[1])]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert "position, RMSE" in output
    assert "5 rows in 1 gap (0.3 s) were interpolated" in output
    assert all(file.stat().st_size > 100 for file in files)
    assert 'length_unit = "mm"' in files[1].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["none.csv"], "none.csv"),
        ([str(TRIAL), "--offset-bounds", "0.5", "-0.5"], "smaller one first"),
        ([str(TRIAL), "--link", "-1"], "from 1"),
        ([str(TRIAL), "--over", "0"], "positive time"),
        ([str(TRIAL), "--report", "r.docx"], ".html, .pdf or .md"),
        ([str(TRIAL), "--csv", str(TRIAL)], f"{TRIAL} is an input"),
        ([str(TRIAL), "--layout", str(TRIAL)], "valid TOML"),
    ],
)
def test_mistakes_are_reported_before_the_run(
    more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "experiment", str(SCENE), *more]) == 2
    assert message in capsys.readouterr().err


def test_recorded_run_is_not_simulated_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ss.simulate(SCENE, duration=3.0).to_mcap(tmp_path / "run.mcap")
    monkeypatch.setattr(
        "snakestudio.api.simulate_scene", lambda *_: pytest.fail("it was simulated")
    )
    assert main(["compare", "experiment", str(tmp_path / "run.mcap"), str(TRIAL)]) == 0
    assert "run.mcap:" in capsys.readouterr().out


def test_comparison_in_python_equals_command() -> None:
    run = ss.simulate(SCENE, duration=5.0)
    report = ss.compare_experiment(
        run, [TRIAL, ss.load_experiment(TRIAL)], offset_bounds=(-0.2, 0.2), link=6
    )
    first, second = report.data.trials
    assert first.figures["position_rmse"].value == second.figures["position_rmse"].value < 0.01
    # a clock 0.1 s late, and a robot delayed as much by its held set-points
    assert abs(first.alignment.offset_s) < 0.05
    with pytest.raises(ss.SnakeStudioError, match=r"link.*12"):
        ss.compare_experiment(run, TRIAL, link=12)
