"""Gaits of the library on the command line, in studies and in scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS
from snakestudio.paths import scenes_dir

SCENE = str(scenes_dir() / "alternating_16.toml")


def test_gaits_are_listed_by_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaits"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(GAITS)
    assert main(["gaits", "turn", "place", "--json"]) == 0
    gaits = json.loads(capsys.readouterr().out)["gaits"]
    names = [gait["name"] for gait in gaits]
    assert names == [
        "turn_in_place",
        "reu_turn_in_place",
        "sea_turn_in_place",
        "rsnake_turn_in_place",
    ]
    assert gaits[1]["source"].startswith("joel-kallarackal/snakelib_ros2")
    assert gaits[1]["values"]["kind"] == "joint_angle"
    assert main(["gaits", "trot"]) == 0
    assert "no gaits with trot" in capsys.readouterr().out


def test_unsuitable_gaits_give_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaits", "crawler", "--scene", "alternating_16", "--json"]) == 0
    reasons = [gait["unsuitable"] for gait in json.loads(capsys.readouterr().out)["gaits"]]
    assert all("40 joints" in reason and "15" in reason for reason in reasons)
    assert main(["gaits", "--scene", "obstacle_aided", "snakelib_sidewinding"]) == 0
    assert "pitch axes" in capsys.readouterr().out


def test_gait_is_set_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.csv"
    arguments = ["run", SCENE, "--duration", "0.05", "--csv", str(file)]
    assert main([*arguments, "--set", "gait=reu_sidewinding"]) == 0
    assert "odd_spatial_frequency_rad = 0.5" in file.read_text()
    capsys.readouterr()
    assert main([*arguments, "--set", "gait=sidewinder"]) == 2
    assert '"sidewinder"' in capsys.readouterr().err


def test_gait_is_chosen_in_scripts() -> None:
    run = ss.simulate(SCENE, duration=0.05, gait="xiaojian_rolling_s")
    assert run.scene.gait.kind == "joint_angle"
    slower = ss.simulate(
        SCENE, duration=0.05, **{"gait": "sidewinding", "gait.frequency_deg_s": 40.0}
    )
    assert slower.scene.gait.frequency_deg_s == 40.0  # type: ignore[attr-defined]
    suitable = ss.gaits(ss.load_scene(SCENE))
    assert 0 < len(suitable) < len(ss.gaits())
    assert "xiaojian_crawler" not in {gait.name for gait in suitable}
    with pytest.raises(SceneError, match="Did you mean sidewinding"):
        ss.simulate(SCENE, gait="sidewindin")


def test_study_varies_the_gait(tmp_path: Path) -> None:
    study = ss.Study(
        with_values(ss.load_scene(SCENE), {"run.duration_s": 0.05}),
        vary={"gait": ["reu_sidewinding", "reu_rolling"]},
        goals=["max(joint_1_yaw_ref_rad)"],
        file=tmp_path / "x.study.toml",
    )
    study.run(workers=1)
    assert list(study.table["gait"]) == ["reu_sidewinding", "reu_rolling"]
    for row, delta in enumerate((0.785, -1.571)):
        gait = study.simulate(row).scene.gait
        assert gait.delta_rad == pytest.approx(delta, abs=1e-3)  # type: ignore[attr-defined]
