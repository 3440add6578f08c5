"""Scene files: refusals and their messages, comments preserved by saving, and no loss of values."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import dump_scene, load_scene, parse_scene, save_scene
from snakestudio.paths import scenes_dir
from tests.strategies import scene_trees, scenes

SHIPPED = sorted(scenes_dir().glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_bundled_scene_is_saved_as_it_was_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert dump_scene(load_scene(path), text) == text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_bundled_scene_survives_being_rewritten(path: Path) -> None:
    scene = load_scene(path)
    assert parse_scene(dump_scene(scene)) == scene


@given(scenes())
def test_any_scene_survives_being_written(scene: Scene) -> None:
    assert parse_scene(dump_scene(scene)) == scene


@given(scene_trees(), scenes())
def test_any_scene_can_be_written_over_any_other(old: dict[str, Any], scene: Scene) -> None:
    assert parse_scene(dump_scene(scene, tomlkit.dumps(old))) == scene


def test_comments_and_untouched_lines_stay() -> None:
    text = (scenes_dir() / "obstacle_aided.toml").read_text(encoding="utf-8")
    scene = with_values(
        parse_scene(text),
        {"gait.amplitude_deg": 35.0, "obstacles[2].x_m": 0.43, "run.duration_s": 5},
    )
    new = dump_scene(scene, text)
    changed = [(a, b) for a, b in zip(text.splitlines(), new.splitlines(), strict=True) if a != b]
    assert changed == [
        ("amplitude_deg = 40.0", "amplitude_deg = 35.0"),
        ("duration_s = 10.0", "duration_s = 5.0"),
        ("x_m = 0.4215", "x_m = 0.43"),
    ]


def test_comment_after_a_changed_value_is_kept() -> None:
    text = "format = 1\n[robot]\nmass_kg = 0.5  # weighed\n"
    assert "mass_kg = 0.7  # weighed" in dump_scene(
        with_value(parse_scene(text), "robot.mass_kg", 0.7), text
    )


def test_obstacles_keep_their_comments_when_others_go() -> None:
    first = "format = 1\n[[obstacles]]\nkind = 'cylinder'\nx_m = 1\ny_m = 2\n\n"
    text = first + "# the good one\n[[obstacles]]\nkind = 'cylinder'\nx_m = 3 # here\ny_m = 4\n"
    scene = parse_scene(text)
    shorter = scene.model_copy(update={"obstacles": scene.obstacles[1:]})
    new = dump_scene(shorter, text)
    assert "x_m = 3 # here" in new
    assert parse_scene(new) == shorter


def test_kinds_that_were_the_only_ones_may_be_left_out() -> None:
    text = "format = 1\n[gait]\namplitude_deg = 20.0\n[[obstacles]]\nx_m = 1\ny_m = 2\n"
    scene = parse_scene(text)
    assert isinstance(scene.gait, LateralUndulation)
    assert scene.gait.amplitude_deg == 20.0
    assert scene.obstacles == (Cylinder(x_m=1, y_m=2),)


# refused texts: (text, parts that the messages must contain)
BAD = {
    "syntax": ("format = 1\n[robot\n", ["not valid TOML", "line 2"]),
    "no format": ("[robot]\nn_links = 3\n", ["format is missing", "format = 1"]),
    "newer format": ("format = 7\n", ["format = 7 is newer", "Update SnakeStudio"]),
    "unknown key": (
        "format = 1\n[robot]\nmas_kg = 1\n",
        ["robot.mas_kg", "Did you mean mass_kg"],
    ),
    "unknown table": (
        "format = 1\n[robots]\n",
        ["robots", "Did you mean robot"],
    ),
    "negative mass": ("format = 1\n[robot]\nmass_kg = -1\n", ["0 kg"]),
    "nan": (
        "format = 1\n[ground]\nmu_along = nan\n",
        ["ground.mu_along", "nan"],
    ),
    "infinite": (
        "format = 1\n[run]\nduration_s = inf\n",
        ["run.duration_s", "inf"],
    ),
    "no link": ("format = 1\n[robot]\nn_links = 0\n", ["least 1"]),
    "a million links": ("format = 1\n[robot]\nn_links = 1000000\n", ["1000"]),
    "half a link": (
        "format = 1\n[robot]\nn_links = 3.5\n",
        ["robot.n_links", "3.5"],
    ),
    "a truth": (
        "format = 1\n[robot]\nmass_kg = true\n",
        ["robot.mass_kg", "true"],
    ),
    "a text": (
        'format = 1\n[robot]\nmass_kg = "1"\n',
        ["robot.mass_kg", "1"],
    ),
    "no table": ("format = 1\nrobot = 3\n", ["(got 3)", "[robot]"]),
    "unknown model": (
        'format = 1\n[model]\nkind = "magic"\n',
        ['model.kind cannot be "magic"', "planar_nonsmooth"],
    ),
    "unknown obstacle": (
        'format = 1\n[[obstacles]]\nkind = "cone"\nx_m=0\ny_m=0\n',
        ['obstacles[1].kind cannot be "cone"'],
    ),
    "foreign key": (
        'format = 1\n[[obstacles]]\nkind = "box"\nx_m=0\ny_m=0\nradius_m=1\n',
        ["obstacles[1].radius_m"],
    ),
    "unknown gait": (
        'format = 1\n[gait]\nkind = "dance"\n',
        ['gait.kind cannot be "dance"', '"two_waves"'],
    ),
    "pitch without a wave": (
        'format = 1\n[gait]\nkind = "lateral_undulation"\npitch_amplitude_deg = 3\n',
        ["gait.pitch_amplitude_deg"],
    ),
    "heights": (
        'format = 1\n[[obstacles]]\nkind = "height_field"\nx_m=0\ny_m=0\nheights_m = [[0.0, "a"], [1.0, 2.0]]\n',
        ["obstacles[1].heights_m[1][2]", "a"],
    ),
    "pitch angles": (
        'format = 1\n[start]\nkind = "joint_angles"\n'
        "joint_angles_deg = [0,0,0,0,0,0,0,0,0,0]\njoint_pitch_deg = [1.0]\n",
        ["start.joint_pitch_deg: 1 values for 10 joints"],
    ),
    "set-points": (
        "format = 1\n[control]\nset_point_period_s = 0.0001\n",
        ["control.set_point_period_s: 0.0001"],
    ),
    "missing": (
        'format = 1\n[[obstacles]]\nkind = "cylinder"\nx_m=0\n',
        ["obstacles[1].y_m is missing"],
    ),
    "unknown start": (
        'format = 1\n[start]\nkind = "up"\n',
        ['start.kind cannot be "up"', '"gait"'],
    ),
    "start of no kind": ("format = 1\n[start]\nx_m = 1\n", ["start.kind is missing"]),
    "start value": (
        'format = 1\n[start]\nkind = "gait"\nx_m = "a"\n',
        ["start.x_m", "a"],
    ),
    "no such link": (
        'format = 1\n[start]\nkind = "gait"\nlink = 12\n',
        ["start.link", "link 12", "1 to 11"],
    ),
    "angles": (
        'format = 1\n[start]\nkind = "joint_angles"\njoint_angles_deg = [1.0, 2.0]\n',
        ["start.joint_angles_deg: 2 values for 10 joints"],
    ),
    "period": (
        "format = 1\n[control]\nperiod_s = 0.0101\n",
        ["control.period_s: 0.0101"],
    ),
    "log rate": (
        "format = 1\n[run]\nlog_rate_hz = 5000\n",
        ["run.log_rate_hz: 5000 Hz", "at most 4000"],
    ),
    "short": ("format = 1\n[run]\nduration_s = 1e-6\n", ["run.duration_s: 1e-06 s is shorter"]),
}


@pytest.mark.parametrize("case", BAD)
def test_error_is_reported_with_its_remedy(case: str) -> None:
    text, pieces = BAD[case]
    with pytest.raises(SceneError) as caught:
        parse_scene(text, "bad.toml")
    assert str(caught.value).startswith("bad.toml: ")
    for piece in pieces:
        assert piece in str(caught.value)


def test_all_errors_are_reported_together() -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene(
            "format = 1\nnothing = 1\n[robot]\nmass_kg = -1\nn_links = 0\n[gait]\nkind = 'dance'\n",
            "bad.toml",
        )
    assert {problem.key for problem in caught.value.problems} == {
        "nothing",
        "robot.mass_kg",
        "robot.n_links",
        "gait.kind",
    }
    assert len(str(caught.value).splitlines()) == 4


def test_contradictions_among_valid_parts_are_reported() -> None:
    text = "format = 1\n[gait]\namplitude_deg = -181\n[control]\nperiod_s = 0.0101\n[start]\nkind = 'gait'\nlink = 12\n"
    with pytest.raises(SceneError) as caught:
        parse_scene(text)
    assert {p.key for p in caught.value.problems} == {
        "gait.amplitude_deg",
        "control.period_s",
        "start.link",
    }
    with pytest.raises(
        SceneError
    ) as caught:  # the number of links is unknown: link 12 may be valid
        parse_scene(text + "[robot]\nn_links = 0\n")
    assert {p.key for p in caught.value.problems} == {
        "gait.amplitude_deg",
        "control.period_s",
        "robot.n_links",
    }


def test_files_without_a_scene_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "a.toml"
    latin = tmp_path / "b.toml"
    csv = tmp_path / "c.csv"
    binary.write_bytes(b"format = 1\0\1\2")
    latin.write_bytes("format = 1 # Größe".encode("latin-1"))
    csv.write_text("a,b\n1,2\n")
    for path, piece in [
        (tmp_path, "a folder"),
        (tmp_path / "none.toml", "no such file"),
        (binary, "binary"),
        (latin, "UTF-8"),
        (csv, "no scene"),
        (Path("bad\0name"), "not a path"),
    ]:
        with pytest.raises(SceneError, match=piece):
            load_scene(path)


@given(st.text(max_size=200))
def test_any_text_is_a_scene_or_reported(text: str) -> None:
    with contextlib.suppress(SceneError):  # anything else is a bug
        parse_scene(text)


@given(scene_trees(), st.data())
def test_any_damaged_scene_is_reported(tree: dict[str, Any], data: st.DataObject) -> None:
    text = tomlkit.dumps(tree)
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(
        st.sampled_from(["", "-", "[", "'", '"""', "nan", "= =", "\n[x]\n", "0", "e999", "true"])
    )
    cut = data.draw(st.integers(0, 5))
    with contextlib.suppress(SceneError):
        parse_scene(text[:at] + piece + text[at + cut :])


def test_saving_keeps_one_backup_and_the_files_rights(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    save_scene(Scene(), path)
    path.chmod(0o640)
    before = path.read_bytes()
    save_scene(with_value(Scene(), "robot.n_links", 5), path)
    assert load_scene(path).robot.n_links == 5
    assert (tmp_path / "s.toml~").read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.toml", "s.toml~"]


def test_symbolic_link_is_not_replaced(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    link = tmp_path / "link.toml"
    save_scene(Scene(), real)
    link.symlink_to(real)
    save_scene(with_value(Scene(), "robot.n_links", 5), link)
    assert link.is_symlink()
    assert load_scene(real).robot.n_links == 5


def test_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.toml"
    save_scene(Scene(), path)
    before = path.read_bytes()

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(SceneError, match="No space left"):
        save_scene(with_value(Scene(), "robot.n_links", 5), path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["s.toml"]


def test_saving_to_an_invalid_path_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot be written"):
        save_scene(Scene(), tmp_path / "no" / "such" / "folder.toml")
    with pytest.raises(SceneError, match="folder"):
        save_scene(Scene(), tmp_path)


@pytest.mark.parametrize(
    ("kind", "left_out", "expected_tables"),
    [
        ("planar_nonsmooth", {"beam", "strain", "support"}, {"gait", "robot", "ground"}),
        (
            "continuum_beam",
            {"gait", "controller", "joint_controller"},
            {"beam", "strain", "support", "robot"},
        ),
    ],
)
def test_new_file_has_no_sections_of_another_kind_of_body(
    tmp_path: Path, kind: str, left_out: set[str], expected_tables: set[str]
) -> None:
    scene = Scene(model=FORMULATIONS[kind].fields())
    path = tmp_path / "new.toml"
    save_scene(scene, path)
    tables = set(re.findall(r"^\[(\w+)\]", path.read_text(encoding="utf-8"), re.M))
    assert not tables & left_out
    assert expected_tables <= tables
    assert load_scene(path) == scene
    chosen = with_values(scene, {"beam.length_m": 0.5, "gait.amplitude_deg": 11.0})
    save_scene(chosen, path)
    tables = set(re.findall(r"^\[(\w+)\]", path.read_text(encoding="utf-8"), re.M))
    assert {"beam", "gait"} <= tables, "what somebody chose is kept whatever the model"
    assert load_scene(path) == chosen
