"""Rolling friction of MJCF files in the scene, and robots that roll compared with MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.model.edits import with_values
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.to_scene import ImportedRobot, new_scene
from snakestudio.session.offline import run_offline
from tests.robot_files.mjcf_files import chain

G = 9.81
RADIUS = 0.0275
MASS = 0.2
AXIAL = 5.35e-5
ACROSS = 7.4e-5

ARC = {"amplitude": 0.366519, "rate": 5.60714}
"""Rolling arc: amplitude, rad, and temporal frequency, rad/s, of yaw and pitch with a phase of 90 degrees."""


def snake(rolling: float, joints: int = 14) -> str:
    """Alternating hinges 0.0695 and 0.0675 m apart, servos with kp 4 and 3 N m, and damping of 0.6 N m s/rad.

    These are numbers of a published set of snake robots with condim 6 in all its files; its meshes are capsules here.
    """
    friction = f'friction="0.5 1e-6 {rolling}" condim="6"'
    inner = ""
    for k in range(joints, -1, -1):
        axis = "0 1 0" if k % 2 else "0 0 1"
        joint = f'<joint name="j{k}" axis="{axis}" range="-90 90" damping="0.6"/>'
        inner = (
            f'<body name="b{k}" pos="{0.0695 if k % 2 else 0.0675 if k else 0} 0 {0 if k else RADIUS}">'
            f"{joint if k else '<freejoint/>'}"
            f'<inertial pos="0.034 0 0" mass="{MASS}" diaginertia="{AXIAL} {ACROSS} {ACROSS}"/>'
            f'<geom type="capsule" fromto="0.02 0 0 0.048 0 0" size="{RADIUS}" {friction}/>{inner}</body>'
        )
    servos = "".join(
        f'<position joint="j{k}" kp="4" forcerange="-3 3"/>' for k in range(1, joints + 1)
    )
    return (
        '<mujoco><option timestep="0.001" cone="elliptic"/><worldbody>'
        f'<geom type="plane" size="5 5 0.1" {friction}/>{inner}</worldbody><actuator>{servos}</actuator></mujoco>'
    )


def imported(text: str, folder: Path) -> ImportedRobot:
    path = folder / "robot.xml"
    path.write_text(text)
    return load_robot(path)


def hard(text: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The file with contacts of a time constant of 2 ms instead of 20 ms."""
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = 5e-4
    spec.option.impratio = 100
    for geom in spec.geoms:
        geom.solref = [0.002, 1]
        geom.solimp = [0.99, 0.999, 1e-4, 0.5, 2]
    model = spec.compile()
    return model, mujoco.MjData(model)


def run(robot: ImportedRobot, values: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
    """Times, and positions (k, 3) of the centre of mass."""
    scene = with_values(new_scene(robot, "", ""), {"control.soft_start_deg": 0.0, **values})
    result = run_offline(scene)
    assert result.ok, result.message
    rows = result.recording.rows(0, len(result.recording))
    return rows.time, rows.link_pose[:, :, :3].mean(axis=1)


def test_rolling_friction_is_divided_by_the_radius(tmp_path: Path) -> None:
    robot = imported(snake(0.011, 3), tmp_path)
    assert robot.ground.mu_rolling == pytest.approx(0.011 / RADIUS, rel=1e-6)
    assert robot.ground.mu_along == robot.ground.mu_across == 0.5


@pytest.mark.parametrize("dim", ["1", "3", "4"])
def test_contacts_of_fewer_dimensions_do_not_resist_rolling(dim: str, tmp_path: Path) -> None:
    text = snake(0.011, 3).replace('condim="6"', f'condim="{dim}"').replace("1e-6", "0.02")
    robot = imported(text, tmp_path)
    assert robot.ground.mu_rolling == 0.0
    assert any("0.02 m" in note for note in robot.notes) == (dim == "4")


def test_unequal_rolling_friction_is_reported(tmp_path: Path) -> None:
    text = snake(0.001, 3).replace("1e-6 0.001", "1e-6 0.03", 3)  # of the floor and two links
    robot = imported(text.replace('condim="6"', 'condim="6" priority="1"', 3), tmp_path)
    assert robot.ground.mu_rolling == pytest.approx(0.03 / RADIUS, rel=1e-6)
    text = text.replace(f'size="{RADIUS}"', 'size="0.02"', 1)
    assert any("1.5 times" in note for note in imported(text, tmp_path).notes)


def test_rolling_robot_decelerates_like_mujoco(tmp_path: Path) -> None:
    # While it rolls sideways without sliding: a = g (rolling / r) / (1 + I / m r^2). MuJoCo's regularised
    # contacts reach 95 to 97 % of it with any time constant up to 4 ms.
    rolling = 0.001
    text = chain(
        f'<geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="{RADIUS}" friction="0.5 1e-6 {rolling}" condim="6"/>',
        joint='range="-1e-3 1e-3"',
        inertial=f'<inertial pos="0.05 0 0" mass="{MASS}" diaginertia="{AXIAL} {ACROSS} {ACROSS}"/>',
        floor=f'<geom type="plane" size="9 9 1" friction="0.5 1e-6 {rolling}" condim="6"/>',
        head='<option cone="elliptic"/>',
        tail='<actuator><position joint="j1" kp="9" kv="0.05"/><position joint="j2" kp="9" kv="0.05"/>'
        '<position joint="j3" kp="9" kv="0.05"/></actuator>',
    ).replace('pos="0 0 0.02"', f'pos="0 0 {RADIUS}"')
    expected = G * rolling / RADIUS / (1.0 + AXIAL / (MASS * RADIUS**2))
    values = {
        "gait": {"kind": "lateral_undulation", "amplitude_deg": 0.0},
        "start.heading_deg": 0.0,
        "start.vy_m_s": 0.5,
        "run.duration_s": 0.8,
    }
    times, centre = run(imported(text, tmp_path), values)
    late = times > 0.3
    ours = -2.0 * np.polyfit(times[late], centre[late, 1], 2)[0]
    assert ours == pytest.approx(expected, rel=0.01)
    model, data = hard(text)
    data.qvel[1] = 0.5
    track = []
    while data.time < 0.8:
        mujoco.mj_step(model, data)
        track.append((data.time, data.subtree_com[1, 1]))
    table = np.array(track)
    table = table[table[:, 0] > 0.3]
    assert ours == pytest.approx(-2.0 * np.polyfit(*table.T, 2)[0], rel=0.06)


@pytest.mark.parametrize(("rolling", "within"), [(0.0, 0.06), (0.001, 0.12)])
def test_rolling_arc_moves_like_mujoco(rolling: float, within: float, tmp_path: Path) -> None:
    # Mean speed of 2 to 6 s; the robot rolls and slides at the same time, where MuJoCo's single cone for both
    # frictions makes a difference.
    text = snake(rolling)
    amplitude = ARC["amplitude"]
    rate = ARC["rate"]
    gait = {
        "kind": "compound_serpenoid",
        "odd_amplitude_rad": amplitude,
        "even_amplitude_rad": -amplitude,
        "odd_spatial_frequency_rad": 0.0,
        "even_spatial_frequency_rad": 0.0,
        "odd_temporal_frequency_rad_s": rate,
        "even_temporal_frequency_rad_s": rate,
        "delta_rad": -0.5 * np.pi,
    }
    times, centre = run(
        imported(text, tmp_path), {"gait": gait, "run.duration_s": 6.0, "solver.step_s": 0.001}
    )
    begin = np.searchsorted(times, 2.0)
    ours = np.linalg.norm((centre[-1] - centre[begin])[:2]) / (times[-1] - times[begin])
    model, data = hard(text)
    wave = np.arange(model.nu) % 2 == 0
    marks = []
    for end in (2.0, 6.0):
        while data.time < end:
            angle = rate * data.time
            data.ctrl[:] = amplitude * np.where(wave, np.cos(angle), np.sin(angle))
            mujoco.mj_step(model, data)
        marks.append(data.subtree_com[1, :2].copy())
    reference = np.linalg.norm(marks[1] - marks[0]) / 4.0
    assert reference > 0.12
    assert ours == pytest.approx(reference, rel=within)
