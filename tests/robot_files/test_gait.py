"""The gait of an imported robot moves it on level ground, or a note states why no gait does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.robot_files.to_scene import ImportedRobot, new_scene
from tests.robot_files.parts import Part, links, mjcf
from tests.robot_files.robots import imported

COUNT = 10
MOTORS = {"limits": (-1.2, 1.2), "motor": True}
YAW = (0.0, 0.0, 1.0)
PITCH = (0.0, 1.0, 0.0)


def robot(
    folder: Path, axes: list[tuple[float, float, float]], wheels: bool = False
) -> ImportedRobot:
    """Return a robot of ten links of 0.1 m, whose joints turn about these axes in turn."""
    parts = [
        replace(part, axis=axes[k % len(axes)]) for k, part in enumerate(links(COUNT, **MOTORS))
    ]
    for k in range(1, COUNT + 1) if wheels else ():
        for side in (-1, 1):
            parts.append(
                Part(
                    f"wheel_{k}_{side + 1}",
                    f"link_{k}",
                    (0.05, 0.025 * side, 0.0),
                    PITCH,
                    mass=0.01,
                    centre=(0.0, 0.0, 0.0),
                    size=(0.03, 0.005),
                    along="y",
                    moments=(5e-6,) * 3,
                )
            )
    return imported(folder, mjcf(parts), "robot.xml")


def speed(imported_robot: ImportedRobot) -> float:
    """Mean speed of the centre of mass after the first two seconds, m/s."""
    run = ss.simulate(new_scene(imported_robot, "", ""), duration=8.0)
    position = np.column_stack([run["com_x_m"], run["com_y_m"]])
    first = int(np.searchsorted(run["time_s"], 2.0))
    return float(np.linalg.norm(position[-1] - position[first]) / 6.0)


@pytest.mark.parametrize(
    ("axes", "wheels"),
    [([YAW, PITCH], False), ([PITCH], False), ([YAW], True), ([YAW, PITCH], True)],
)
def test_imported_robots_move_on_level_ground(
    tmp_path: Path, axes: list[tuple[float, float, float]], wheels: bool
) -> None:
    """In a minute at least a length of the robot, 1 m."""
    assert speed(robot(tmp_path, axes, wheels)) > 1.0 / 60.0


def test_planar_robot_on_isotropic_ground_gets_a_note(tmp_path: Path) -> None:
    """A planar wave on a floor with isotropic friction only creeps (papers), so a note states what helps."""
    planar = robot(tmp_path, [YAW])
    assert any("ground.mu_across" in note for note in planar.notes)
    assert speed(planar) < 1.0 / 60.0
    assert not any("ground.mu_across" in note for note in robot(tmp_path, [YAW, PITCH]).notes)


@pytest.mark.parametrize(("torque", "is_noted"), [(0.05, True), (3.0, False)])
def test_weak_motors_are_noted(tmp_path: Path, torque: float, is_noted: bool) -> None:
    """Lifting a quarter of ten links of 0.2 kg: 0.2 kg x 9.81 m/s^2 x 0.1 m x 10^2 / 32 = 0.61 N m."""
    parts = [
        replace(part, axis=(YAW, PITCH)[k % 2]) for k, part in enumerate(links(COUNT, **MOTORS))
    ]
    text = mjcf(parts).replace('ctrlrange="-3 3"', f'ctrlrange="-{torque} {torque}"')
    imported_robot = imported(tmp_path, text, "robot.xml")
    assert any("0.61 N m" in note for note in imported_robot.notes) == is_noted
