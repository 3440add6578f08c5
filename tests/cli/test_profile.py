"""The command line of robot profiles: output and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.link.profile.loading import load_profile
from snakestudio.live.axes import mismatches
from snakestudio.model.scene_file import load_scene


def test_list_shows_shipped_and_own_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_PROFILES_DIR", str(tmp_path))
    (tmp_path / "broken.toml").write_text("format = ")
    assert main(["profile", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:6]] == [
        "alternating_modules",
        "cia402_csp",
        "generic_servo",
        "lab_robot",
        "mit_actuator",
        "odrive_can_simple",
    ]
    assert "broken" in lines[6]
    assert lines[7] == f"Your own profiles are in {tmp_path}."


def test_new_profile_passes_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "new", "lab_robot", str(tmp_path / "mine")]) == 0
    path = tmp_path / "mine" / "lab_robot.toml"
    assert main(["profile", "check", str(path)]) == 0
    assert capsys.readouterr().out.endswith(f"{path}: no problems\n")
    path.write_text(path.read_text().replace("max_deg = 60.0", "max_deg = -61.0"))
    assert main(["profile", "check", "lab_robot", str(path)]) == 2
    printed = capsys.readouterr()
    assert "lab_robot.toml: no problems" in printed.out
    assert printed.err.startswith(f"{path}: limits.min_deg: -60° is not below max_deg = -61°. ")
    path.write_text("format = 1\n")
    assert main(["profile", "check", str(path)]) == 2
    assert f"{path}: dbc is missing. " in capsys.readouterr().err


_MODULES = """
format = 1
title = "Modules"
model.kind = "spatial_nonsmooth"
start = { kind = "straight", link = 2 }

[robot]
name = "Short robot"
n_links = 5
joints = "alternating"
joint = [
    { index = 2, lower_limit_deg = -30.0, upper_limit_deg = 45.0 },
    { index = 3, axes = "roll", reversed = true, zero_deg = 10.0 },
    { index = 4, axes = "cardan" },
]
"""


def test_new_takes_the_axes_of_a_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tmp_path / "modules.toml"
    scene.write_text(_MODULES)
    assert (
        main(
            ["profile", "new", "alternating_modules", str(tmp_path / "mine"), "--scene", str(scene)]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert (
        f"5 axes (yaw or pitch or roll or yaw and pitch) of {scene}, moved by nodes 1 to 5"
        in printed
    )
    profile = load_profile(tmp_path / "mine" / "alternating_modules.toml").profile
    assert (profile.name, profile.description) == ("Short robot", "Modules")
    assert [(axis.name, axis.node) for axis in profile.axes] == [
        ("joint 1 yaw", 1),
        ("joint 2 pitch", 2),
        ("joint 3 roll", 3),
        ("joint 4 yaw", 4),
        ("joint 4 pitch", 5),
    ]
    assert [(axis.min_deg, axis.max_deg) for axis in profile.axes[:3]] == [
        (None, None),
        (-30, 45),
        (None, None),
    ]
    # A joint of 25 degrees is 15 beyond the zero, and the robot counts in the opposite direction:
    # -15 = -25 + 10.
    assert (profile.axes[2].sign, profile.axes[2].offset_deg) == (-1, 10.0)
    assert mismatches(profile, load_scene(scene)) == ()
    assert main(["profile", "check", str(tmp_path / "mine" / "alternating_modules.toml")]) == 0


def test_new_numbers_nodes_like_the_template(tmp_path: Path) -> None:
    scene = tmp_path / "modules.toml"
    scene.write_text(_MODULES)
    assert main(["profile", "new", "lab_robot", str(tmp_path / "mine"), "--scene", str(scene)]) == 0
    axes = load_profile(tmp_path / "mine" / "lab_robot.toml").profile.axes
    assert [(axis.node, axis.slot) for axis in axes] == [(1, 0), (2, 0), (3, 0), (4, 0), (4, 1)]


def test_new_refuses_a_scene_without_joints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "beam.toml"
    scene.write_text('format = 1\ntitle = "Beam"\nmodel.kind = "continuum_beam"\n')
    assert main(["profile", "new", "lab_robot", str(tmp_path / "mine"), "--scene", str(scene)]) == 2
    assert "continuous body" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_profile_that_cannot_arm_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "new", "lab_robot", str(tmp_path)]) == 0
    path = tmp_path / "lab_robot.toml"
    path.write_text(path.read_text().replace('stop = [{ send = "BroadcastStop" }]', "stop = []"))
    capsys.readouterr()
    assert main(["profile", "check", str(path)]) == 2
    printed = capsys.readouterr()
    assert "arming is refused" in printed.out
    assert "no problems" not in printed.out
    assert printed.err == f"{path}: this profile allows listening, but not arming: see above\n"


def test_show_prints_ids_and_bus_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "show", "lab_robot"]) == 0
    printed = capsys.readouterr().out
    assert "Lab robot: 10 joints, 20 axes, 10 nodes" in printed
    line = next(line for line in printed.splitlines() if line.startswith("JointSetPoint"))
    # Ten nodes at 10 Hz, 135 bits each, at 500 kbit/s.
    assert line.split() == ["JointSetPoint", "set_point", "0x201", "to", "0x20A", "100", "2.7", "%"]
    assert "armed" in printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show"], "needs one profile"),
        (["check"], "names of profiles"),
        (["new", "lab_robot"], "template"),
        (["list", "x"], "no arguments"),
        (
            ["show", "lab_robot", "--scene", "x.toml"],
            "profile show has no option --scene.",
        ),
        (
            ["show", "nix"],
            "alternating_modules",
        ),
    ],
)
def test_invalid_studies_are_reported(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", *arguments]) == 2
    assert says in capsys.readouterr().err
