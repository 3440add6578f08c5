"""Robots that are exported and imported again."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import resource, scenes_dir
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import new_scene

APART = """format = 1
[model]
kind = "spatial_nonsmooth"
[robot]
n_links = 6
axis_offset_m = 0.022
joint_limit_deg = 70.0
[[robot.link]]
index = "first"
mass_kg = 1.3
centre_of_mass_m = 0.01
[[robot.joint]]
index = 2
reversed = true
lower_limit_deg = -20.0
[[robot.joint]]
index = "last"
axes = "yaw"
"""
"""Joints with offset axes, and one with a single axis."""

BENT_ENDS = """format = 1
[model]
kind = "spatial_nonsmooth"
[robot]
n_links = 4
joint_limit_deg = 80.0
joints = "alternating"
[[robot.joint]]
index = "first"
zero_deg = -20.0
[[robot.joint]]
index = "last"
zero_deg = 30.0
[[robot.joint]]
index = 2
zero_deg = 45.0
"""
"""Joints that read 0 where the links at both ends are bent."""


@pytest.mark.parametrize("ending", ["mjcf", "urdf", "sdf"])
@pytest.mark.parametrize("name", ["sidewinding", "eight_modules", "apart", "bent_ends"])
def test_exported_robots_are_imported_unchanged(name: str, ending: str, tmp_path: Path) -> None:
    scene = scenes_dir() / f"{name}.toml"
    if name == "eight_modules":
        scene = tmp_path / "scene.toml"
        assert (
            main(["import-robot", str(resource("robots", "eight_modules.urdf")), "-o", str(scene)])
            == 0
        )
    elif name in ("apart", "bent_ends"):
        scene = tmp_path / "scene.toml"
        scene.write_text(APART if name == "apart" else BENT_ENDS, encoding="utf-8")
    file = tmp_path / f"robot.{ending}"
    assert main(["export-model", str(scene), f"--{ending}", str(file)]) == 0
    before = load_scene(scene)
    imported = load_robot(file)
    robot = imported.robot
    assert (robot.joints, robot.joint_limit_deg) == (
        before.robot.joints,
        before.robot.joint_limit_deg,
    )
    assert robot.joint_list == before.robot.joint_list
    for new, old in zip(robot.links, before.robot.links, strict=True):
        assert new[:7] == pytest.approx(old[:7], rel=1e-9, abs=1e-12)
    if ending == "mjcf":
        assert (imported.joint_controller.kp, imported.joint_controller.kd) == (
            before.joint_controller.kp,
            before.joint_controller.kd,
        )


@pytest.mark.parametrize("ending", ["mjcf", "urdf", "sdf"])
def test_exported_dry_friction_and_rotors_are_imported_unchanged(
    ending: str, tmp_path: Path
) -> None:
    scene = tmp_path / "scene.toml"
    motors = "[actuator]\nrotor_inertia_kg_m2 = 2e-3\ndry_friction_nm = 0.05\n"
    joint = "[[robot.joint]]\nindex = 2\ndry_friction_nm = 0.3\n"
    scene.write_text(BENT_ENDS.replace("[robot]", f"{motors}[robot]", 1) + joint, encoding="utf-8")
    file = tmp_path / f"robot.{ending}"
    assert main(["export-model", str(scene), f"--{ending}", str(file)]) == 0
    imported = load_robot(file)
    values = new_scene(imported, "Again", file.name).axis_values
    assert values.dry.tolist() == [0.05, 0.3, 0.05]
    if ending == "mjcf":
        assert values.rotor.tolist() == [2e-3] * 3
    else:
        assert not values.rotor.any()
        assert "rotor inertia" in file.read_text(encoding="utf-8").partition("-->")[0]


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_exported_friction_is_imported_unchanged(ending: str, tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    ground = "[ground]\nmu_along = 0.1\nmu_across = 0.6\n"
    scene.write_text(BENT_ENDS.replace("[robot]", f"{ground}[robot]", 1), encoding="utf-8")
    file = tmp_path / f"robot.{ending}"
    assert main(["export-model", str(scene), f"--{ending}", str(file)]) == 0
    imported = load_robot(file)
    assert (imported.ground.mu_along, imported.ground.mu_across) == (0.1, 0.6)
    assert not any(link.mu_along or link.mu_across for link in imported.robot.link)
