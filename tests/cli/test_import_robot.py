"""`snakestudio import-robot` as users type it, and refused files."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.scene_check import check
from tests.robot_files.robots import mjcf_chain, urdf_joint, urdf_link, urdf_modules


def test_imported_robots_run_a_gait_unedited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("snake.urdf").write_text(urdf_modules(8))
    assert main(["import-robot", "snake.urdf"]) == 0
    scene = load_scene("snake.toml")
    assert (scene.robot.n_links, scene.robot.joints) == (8, "alternating")
    assert [problem for problem in check(scene) if problem.severity == "error"] == []
    assert "wrote snake.toml: modules, 8 links, 7 axes, 4 kg" in capsys.readouterr().out
    assert main(["run", "snake.toml", "--duration", "0.2"]) == 0
    assert "0 unconverged" in capsys.readouterr().out
    assert main(["import-robot", "snake.urdf"]) == 2  # it exists already
    assert main(["import-robot", "snake.urdf", "--force"]) == 0


def test_import_into_a_scene_keeps_its_other_text(tmp_path: Path) -> None:
    robot = tmp_path / "snake.urdf"
    scene = tmp_path / "scene.toml"
    robot.write_text(urdf_modules(8))
    scene.write_text((scenes_dir() / "sidewinding.toml").read_text())
    assert main(["import-robot", str(robot), "--into", str(scene)]) == 0
    assert load_scene(scene).robot.n_links == 8
    assert "# measured by pulling the robot with a scale" in scene.read_text()


@pytest.mark.parametrize("model", ["planar_nonsmooth", "planar_lagrangian", "planar_nonholonomic"])
def test_scene_with_unsuitable_model_is_refused(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = tmp_path / "snake.urdf"
    scene = tmp_path / "scene.toml"
    other = tmp_path / "other.toml"
    robot.write_text(urdf_modules(8))
    scene.write_text(f'format = 1\n[model]\nkind = "{model}"\n')
    before = scene.read_bytes()
    for more in ([], ["-o", str(other)]):
        assert main(["import-robot", str(robot), "--into", str(scene), *more]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert "no yaw axis" in output.err
        assert "spatial_nonsmooth" in output.err
        assert output.err.endswith("Nothing was written.\n")
    assert scene.read_bytes() == before
    assert not other.exists()


def test_import_includes_the_surroundings(tmp_path: Path) -> None:
    post = '<geom type="cylinder" size="0.05 0.1" pos="0.1 0 0.1"/>'
    robot = tmp_path / "snake.xml"
    scene = tmp_path / "new.toml"
    robot.write_text(mjcf_chain(["0 0 1", "0 0 1"]).replace("<worldbody>", f"<worldbody>{post}"))
    assert main(["import-robot", str(robot), "-o", str(scene)]) == 0
    imported = load_scene(scene)
    assert len(imported.obstacles) == 1
    assert [problem for problem in check(imported) if problem.severity == "error"] == []


LINK_B = urdf_link("b", x=0.05)
LINKS = "".join(urdf_link(name, x=0.05) for name in "abcd")
CHAIN = urdf_joint("j1", "a", "b", "0.1 0 0") + urdf_joint("j2", "b", "c", "0.1 0 0")
TAIL = urdf_joint("j3", "c", "d", "0.1 0 0")


def _urdf(inside: str) -> str:
    return f'<robot name="bad">{LINKS}{inside}</robot>'


BAD = {
    "entities": (
        '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><robot>&b;</robot>',
        "declares",
    ),
    "too many": ('<robot name="many">' + '<link name="a"/>' * 1_000_000 + "</robot>", "more than"),
    "too deep": ("<mujoco>" + "<body>" * 5000, "nested more than"),
    "not XML": ("a robot", "not valid XML"),
    "empty": ("", "file is empty"),
    "truncated": (urdf_modules(4)[:-200], "not valid XML"),
    "another root": ("<svg/>", "<svg>"),
    "tree": (_urdf(CHAIN + urdf_joint("j3", "b", "d", "0 0.1 0")), '"b"'),
    "mimic": (
        _urdf(CHAIN + urdf_joint("j3", "c", "d", "0.1 0 0", extra='<mimic joint="j1"/>')),
        '"j3" mimics "j1"',
    ),
    "loop": (
        _urdf(CHAIN + TAIL + urdf_joint("j4", "a", "d", "0.1 0 0")),
        'link "d" has two parents',
    ),
    "equality": (
        mjcf_chain(
            ["0 0 1"],
            outside='<equality><connect body1="link_1" body2="link_2" anchor="0 0 0"/></equality>',
        ),
        '"link_1" and "link_2"',
    ),
    "no mass": (
        _urdf(CHAIN + TAIL).replace(LINK_B, LINK_B.replace('value="0.5"', 'value="0"')),
        'link "b"',
    ),
    "limits": (
        _urdf(
            CHAIN
            + urdf_joint(
                "j3", "c", "d", "0.1 0 0", extra='<limit lower="1" upper="-1" effort="1"/>'
            )
        ),
        "lower limit 1",
    ),
    "not a number": (_urdf(CHAIN + urdf_joint("j3", "c", "d", "nan 0 0")), "not finite"),
    "not numbers": (_urdf(CHAIN + urdf_joint("j3", "c", "d", "a b c")), "list of numbers"),
    "package": (
        _urdf(CHAIN + TAIL).replace(
            '<cylinder radius="0.03" length="0.1"/>', '<mesh filename="package://a/../../b.stl"/>'
        ),
        "leads",
    ),
    "no joints": ('<robot name="post"><link name="a"/></robot>', "joint that turns"),
    "no such link": (
        _urdf(urdf_joint("j1", "a", "nobody", "0.1 0 0")),
        '"nobody"',
    ),
    "oblique": (
        _urdf(CHAIN + urdf_joint("j3", "c", "d", "0.1 0 0", axis="0 0.7 0.5")),
        "nearest axis",
    ),
    "sdf reference": (
        '<sdf><model name="m"><link name="a"><pose relative_to="b">0 0 0 0 0 0</pose></link></model></sdf>',
        'relative to "b"',
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_robot_files_give_one_message(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text, message = BAD[name]
    Path("bad.urdf").write_text(text)
    assert main(["import-robot", "bad.urdf"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("snakestudio: bad.urdf: ")
    assert message.lower() in errors.lower()
    assert errors.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.urdf"]


def test_missing_robot_file_gives_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import-robot", "/nowhere/robot.urdf"]) == 2
    assert "such file" in capsys.readouterr().err
