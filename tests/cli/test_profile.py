"""The command line of robot profiles: what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main


def test_list_shows_shipped_and_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_PROFILES_DIR", str(tmp_path))
    (tmp_path / "broken.toml").write_text("format = ")
    assert main(["profile", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:5]] == [
        "cia402_csp", "generic_servo", "lab_robot", "mit_actuator", "odrive_can_simple",
    ]  # fmt: skip
    assert lines[5] == "broken               cannot be read; profile check says why"
    assert lines[6] == f"Your own are kept in {tmp_path}."


def test_new_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "new", "lab_robot", str(tmp_path / "mine")]) == 0
    path = tmp_path / "mine" / "lab_robot.toml"
    assert main(["profile", "check", str(path)]) == 0
    assert capsys.readouterr().out.endswith(f"{path}: no mistakes\n")
    path.write_text(path.read_text().replace("max_deg = 60.0", "max_deg = -61.0"))
    assert main(["profile", "check", "lab_robot", str(path)]) == 2
    printed = capsys.readouterr()
    assert "lab_robot.toml: no mistakes" in printed.out
    assert printed.err == f"{path}: limits.min_deg: -60° is not below max_deg = -61°; give the smaller angle first.\n"
    path.write_text("format = 1\n")
    assert main(["profile", "check", str(path)]) == 2
    assert f"{path}: dbc: the key is missing; give it a value (file of its messages, beside this one)." in (
        capsys.readouterr().err
    )


def test_a_profile_that_nothing_can_be_armed_with_is_not_called_free_of_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "new", "lab_robot", str(tmp_path)]) == 0
    path = tmp_path / "lab_robot.toml"
    path.write_text(path.read_text().replace('stop = [{ send = "BroadcastStop" }]', "stop = []"))
    capsys.readouterr()
    assert main(["profile", "check", str(path)]) == 2
    printed = capsys.readouterr()
    assert "nothing stops the robot, so arming is refused" in printed.out
    assert "no mistakes" not in printed.out
    assert printed.err == f"{path}: a robot can be listened to with it, and not armed: see above\n"


def test_show_tells_ids_and_bus_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "show", "lab_robot"]) == 0
    printed = capsys.readouterr().out
    assert "Lab robot: 10 joints, 20 axes, 10 nodes" in printed
    line = next(line for line in printed.splitlines() if line.startswith("JointSetPoint"))
    # Ten nodes at 10 Hz, 135 bits each, of 500 kbit/s.
    assert line.split() == ["JointSetPoint", "set_point", "0x201", "to", "0x20A", "100", "2.7", "%"]
    assert printed.endswith("It can be armed.\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show"], "name one profile"),
        (["check"], "name the profiles to check"),
        (["new", "lab_robot"], "name a template and a folder"),
        (["list", "x"], "it takes no names"),
        (["show", "nix"], "There is no profile called nix; give the path of one, or one of cia402_csp"),
    ],
)
def test_mistakes_are_sentences(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *words]) == 2
    assert says in capsys.readouterr().err
