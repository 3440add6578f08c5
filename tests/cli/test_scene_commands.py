"""`snakestudio diff`, `snakestudio import-obstacles` and `snakestudio check --fix` as users type them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import scenes_dir

MAIN = scenes_dir() / "obstacle_aided.toml"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    path = tmp_path / "copy.toml"
    path.write_text(MAIN.read_text(encoding="utf-8"), encoding="utf-8")
    return path


def test_diff_prints_changes(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(MAIN), str(copy)]) == 0
    assert capsys.readouterr().out == "no differences\n"
    save_scene(with_value(load_scene(copy), "gait.amplitude_deg", 35.0), copy)
    assert main(["diff", str(MAIN), str(copy)]) == 0
    assert capsys.readouterr().out == "Gait: amplitude 40 → 35 °\n"
    assert main(["diff", str(MAIN), "nowhere.toml"]) == 2
    assert "such file" in capsys.readouterr().err


def test_obstacles_are_imported_into_a_scene(
    copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "pegs.csv"
    table.write_text("x_mm,y_mm,r_mm\n100,200,50\n300,100,25\n")
    assert main(["import-obstacles", str(table), "--into", str(copy)]) == 0
    assert "2 obstacles added, 9 in" in capsys.readouterr().out
    pegs = load_scene(copy).obstacles[7:]
    assert [(o.x_m, o.y_m, o.group) for o in pegs] == [(0.1, 0.2, "pegs"), (0.3, 0.1, "pegs")]
    assert "# measured by pulling" in copy.read_text(encoding="utf-8")
    assert (tmp_path / "copy.toml~").is_file()


def test_import_into_another_file_keeps_the_scene(copy: Path, tmp_path: Path) -> None:
    table = tmp_path / "pegs.csv"
    new = tmp_path / "new.toml"
    table.write_text("1,2,0.5\n")
    before = copy.read_bytes()
    arguments = [
        "import-obstacles",
        str(table),
        "--into",
        str(copy),
        "--out",
        str(new),
        "--unit",
        "cm",
        "--scale",
        "2",
    ]
    assert main(arguments) == 0
    assert copy.read_bytes() == before
    assert load_scene(new).obstacles[-1].x_m == 0.02


def test_mistakes_of_an_import_end_with_2(
    copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "pegs.csv"
    table.write_text("1,2,0.5\n1,2\n1,2,-1\n")
    before = copy.read_bytes()
    assert main(["import-obstacles", str(table), "--into", str(copy)]) == 2
    errors = capsys.readouterr().err
    assert "line 2: 2 values instead of 3" in errors
    assert "radius -1" in errors
    assert main(["import-obstacles", str(table), "--into", str(copy), "--scale", "-1"]) == 2
    assert "positive" in capsys.readouterr().err
    assert main(["import-obstacles", str(table), "--into", str(table)]) == 2
    assert "written as TOML" in capsys.readouterr().err
    assert copy.read_bytes() == before


def test_check_fixes_problems_and_saves(
    copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"solver.step_s": 0.005, "obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08}
    save_scene(with_values(load_scene(copy), wrong), copy)
    assert main(["check", str(copy)]) == 2
    output = capsys.readouterr()
    assert "deep inside obstacle 3" in output.err
    before = copy.read_bytes()
    assert main(["check", "--fix", str(copy)]) == 0
    output = capsys.readouterr()
    assert "Set the time step to" in output.out
    assert "mm away" in output.out
    assert output.out.endswith("no problems\n")
    assert (tmp_path / "copy.toml~").read_bytes() == before
    assert "# measured by pulling" in copy.read_text(encoding="utf-8")
    assert main(["check", str(copy)]) == 0


def test_problems_without_a_fix_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.toml"
    stuck = tmp_path / "stuck.toml"
    broken.write_text("format = 1\nrun = 3\n")
    assert main(["check", "--fix", str(broken)]) == 2
    assert "run" in capsys.readouterr().err
    assert broken.read_text() == "format = 1\nrun = 3\n"
    # A locked obstacle is not moved out of the robot.
    locked = {"obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08, "obstacles[3].locked": True}
    save_scene(with_values(load_scene(MAIN), locked), stuck)
    text = stuck.read_bytes()
    assert main(["check", "--fix", str(stuck)]) == 2
    assert stuck.read_bytes() == text


def test_drawing_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawing = tmp_path / "posts.svg"
    scene = tmp_path / "scene.toml"
    drawing.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><circle cx="5" cy="5" r="1"/></svg>'
    )
    shutil.copy(scenes_dir() / "obstacle_aided.toml", scene)
    before = drawing.read_bytes()
    assert (
        main(
            [
                "import-obstacles",
                str(drawing),
                "--into",
                str(scene),
                "--out",
                str(drawing),
                "--force",
            ]
        )
        == 2
    )
    assert f"{drawing} is an input of this command. Give another name" in capsys.readouterr().err
    assert drawing.read_bytes() == before
