"""`snakestudio run RUN.mcap --from T`: output, files, and messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline

MAIN = str(scenes_dir() / "obstacle_aided.toml")


@pytest.fixture
def run_file(tmp_path: Path) -> str:
    """A run of half a second."""
    path = tmp_path / "monday.mcap"
    run_offline(
        with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.5}),
        path=path,
    )
    return str(path)


def test_run_continues_from_a_time_with_other_values(
    run_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = tmp_path / "on.csv"
    arguments = [
        "run",
        run_file,
        "--from",
        "0.3",
        "--duration",
        "0.8",
        "--set",
        "gait.amplitude_deg=30",
    ]
    assert main([*arguments, "--csv", str(csv)]) == 0
    output = capsys.readouterr()
    assert "continued from 0.3 s of monday.mcap" in output.out
    assert "note:" not in output.out
    lines = [
        line for line in csv.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    assert len(lines) == 1 + 81


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["--from", "9"], "recorded from 0 to 0.5 s"),
        (["--from", "-1"], "recorded from 0 to 0.5 s"),
        (["--from", "0.5"], "longer duration"),
        (["--from", "0.2", "--rate", "50"], "--rate cannot change"),
        (["--from", "0.2", "--seed", "5"], "--seed belongs"),
        (["--from", "0.2", "--set", "robot.mass_kg=2"], "cannot change"),
    ],
)
def test_mistakes_get_a_message(
    run_file: str, arguments: list[str], piece: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", run_file, *arguments]) == 2
    assert piece in capsys.readouterr().err


def test_only_recorded_runs_can_be_continued(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", MAIN, "--from", "1"]) == 2
    assert "mcap file" in capsys.readouterr().err
