"""The schema of a run follows from its scene, equals that of the run, and needs no engine."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from snakestudio.engines import registry
from snakestudio.errors import SceneError
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.paths import scenes_dir
from snakestudio.plugins.loading import load, unload
from snakestudio.session.run_schema import run_schema
from snakestudio.session.runner import Runner
from tests.elsewhere import answer_of

CREEPING = Path(__file__).resolve().parents[1] / "toys" / "creeping.py"
SPRING = {"robot": {"joint": [{"index": 3, "spring_nm_per_rad": 0.5}]}}
DAMPER = {"robot": {"joint": [{"index": 3, "damper_nms_per_rad": 0.5}]}}
DRY = {"actuator": {"dry_friction_nm": 0.05}}
WORN = {"robot": {"joint": [{"index": 3, "efficiency": 0.7, "damper_nms_per_rad": 0.1}]}}
TORQUES = {
    "gait": {"kind": "joint_torque", "torque_nm": "0.1*sin(t)"},
    "start": {"kind": "straight"},
}
HEAVY_HEAD = {"robot": {"link": [{"index": 1, "mass_kg": 3.0}]}}
LAST = {"robot": {"head": "last"}}


def scene_with(name: str, tables: dict[str, dict[str, Any]]) -> Scene:
    """A bundled scene with other values; a gait is replaced completely."""
    values = tomllib.loads((scenes_dir() / f"{name}.toml").read_text(encoding="utf-8"))
    for table, entries in tables.items():
        values[table] = entries if "kind" in entries else values.get(table, {}) | entries
    return scene_from_dict(values)


def recorded(scene: Scene) -> Schema:
    """Schema of an actual run of the scene."""
    runner = Runner(scene, scenes_dir())
    runner.recording.close()
    return runner.recording.schema


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("obstacle_aided", {}),
        ("obstacle_aided", SPRING),
        ("lateral_undulation_isotropic", TORQUES),
        ("obstacle_aided", HEAVY_HEAD),
        ("obstacle_aided", LAST),
        ("alternating_16", {}),
        ("sidewinding", DAMPER),
        ("sidewinding", DRY),
        ("sidewinding", WORN),
        ("obstacle_aided", DRY),
        ("lagrangian_undulation", {}),
        ("lagrangian_undulation", DAMPER),
        ("jam_resolution", {}),
        ("path_following", {}),
        ("compliant_pipes", {}),
        ("teleoperation", {}),
        ("worm", {}),
        ("inchworm", {}),
        ("continuum_snake_3d", {}),
    ],
)
def test_schema_of_a_scene_is_that_of_its_run(name: str, tables: dict[str, dict[str, Any]]) -> None:
    scene = scene_with(name, tables)
    schema = run_schema(scene, scenes_dir())
    assert schema == recorded(scene)
    assert ("work_spring" in schema.energy or "work_stop" in schema.energy) or tables not in (
        SPRING,
        DAMPER,
    )
    assert ("work_dry_friction" in schema.energy) == (
        tables in (DRY, WORN) and name == "sidewinding"
    )


def test_schema_of_a_plug_in_without_one_is_that_of_its_engine() -> None:
    load(CREEPING)
    try:
        scene = scene_with("lateral_undulation_isotropic", {"model": {"kind": "creeping"}})
        assert run_schema(scene) == recorded(scene)
    finally:
        unload("creeping")


@pytest.mark.parametrize(
    ("name", "tables", "key"),
    [
        ("table_gait", {"gait": {"kind": "table", "file": "nowhere.csv"}}, "nowhere.csv"),
        ("obstacle_aided", {"ground": {"picture": {"file": "nowhere.png"}}}, "nowhere.png"),
        ("obstacle_aided", {"start": {"kind": "recording", "file": "nowhere.csv"}}, "nowhere.csv"),
        ("obstacle_aided", {"start": {"y_m": 0.1}}, "inside obstacle"),
    ],
)
def test_schema_of_a_scene_that_cannot_run_is_refused(
    name: str, tables: dict[str, dict[str, Any]], key: str
) -> None:
    scene = scene_with(name, tables)
    with pytest.raises(SceneError, match=key) as caught:
        run_schema(scene, scenes_dir())
    with pytest.raises(SceneError) as built:
        Runner(scene, scenes_dir())
    assert str(caught.value) == str(built.value)


def test_checking_a_study_builds_no_engine(tmp_path: Path) -> None:
    study = tmp_path / "a.study.toml"
    study.write_text(
        f'format = 1\nscene = "{(scenes_dir() / "obstacle_aided.toml").as_posix()}"\n'
        '[[vary]]\nkey = "gait.amplitude_deg"\nlow = 20.0\nhigh = 40.0\nsteps = 3\n'
        '[[goals]]\nmeasure = "max(link_6_x_m)"\n'
    )
    program = f"""
import json, sys
from pathlib import Path
from snakestudio.viewmodel.study.checking import checked
from snakestudio.study.study_file import load_study
path = Path({str(study)!r})
findings = checked(load_study(path), path)
print(json.dumps([findings.units, len(findings.columns), "numba" in sys.modules]))
"""
    units, columns, numba = answer_of(program)
    assert list(units.values()) == ["m"]
    assert columns > 100
    assert not numba, "an engine would have loaded it"


def test_schemas_are_declared_by_all_formulations(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("an engine was built")

    monkeypatch.setattr(registry, "create", refuse)
    for name in (
        "obstacle_aided",
        "sidewinding",
        "lagrangian_undulation",
        "jam_resolution",
        "worm",
    ):
        assert run_schema(scene_with(name, {}), scenes_dir()).n_links > 1
