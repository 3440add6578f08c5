"""`snakestudio compare experiment`, and the same from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.paths import resource, scenes_dir

SCENE = scenes_dir() / "obstacle_aided.toml"
TRIAL = resource("experiments") / "synthetic_obstacle_aided_1.csv"


def test_the_shipped_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("c.csv", "l.toml")]
    words = ["compare", "experiment", str(SCENE), str(TRIAL), "--duration", "4"]
    words += ["--csv", str(files[0]), "--write-layout", str(files[1])]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "position, RMSE" in told
    assert "5 rows in 1 gap (0.3 s) were interpolated" in told
    assert all(file.stat().st_size > 100 for file in files)
    assert 'length_unit = "mm"' in files[1].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
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
def test_mistakes_are_said_before_the_run(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "experiment", str(SCENE), *more]) == 2
    assert said in capsys.readouterr().err


def test_a_recorded_run_is_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ss.simulate(SCENE, duration=3.0).to_mcap(tmp_path / "run.mcap")
    monkeypatch.setattr("snakestudio.api.simulate_scene", lambda *_: pytest.fail("it was run"))
    assert main(["compare", "experiment", str(tmp_path / "run.mcap"), str(TRIAL)]) == 0
    assert "run.mcap:" in capsys.readouterr().out


def test_from_python() -> None:
    run = ss.simulate(SCENE, duration=5.0)
    report = ss.compare_experiment(
        run, [TRIAL, ss.load_experiment(TRIAL)], offset_bounds=(-0.2, 0.2), link=6
    )
    first, second = report.data.trials
    assert first.figures["position_rmse"].value == second.figures["position_rmse"].value < 0.01
    # a clock 0.1 s late, and a robot as late by its held set-points
    assert abs(first.alignment.offset_s) < 0.05
    with pytest.raises(ss.SnakeStudioError, match=r"link.*12"):
        ss.compare_experiment(run, TRIAL, link=12)
