"""Checks of scenes for the spatial engine; distances and inertia are compared with MuJoCo."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakestudio.engines import registry
from snakestudio.engines.spatial_nonsmooth.check import _joint_response, check, largest_stable_step
from snakestudio.engines.spatial_nonsmooth.overlap import depth_in_solid
from snakestudio.engines.spatial_nonsmooth.params import chain_of_scene
from snakestudio.errors import Problem
from snakestudio.model.edits import with_values
from snakestudio.model.motion import RecordingStart, StateStart
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.obstacles.solids import Block, Post
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.rotations import matrices, quaternions, rotation
from snakestudio.model.scene import Scene
from tests.engines.common import gait_reference, still
from tests.engines.spatial_chains import mujoco_model
from tests.peers.mujoco_robot import build
from tests.wording import naming

SPACE = with_values(Scene(), {"model.kind": "spatial_nonsmooth"})


def among(*obstacles: Obstacle, **values: Any) -> list[Problem]:
    scene = with_values(SPACE, {key.replace("__", "."): value for key, value in values.items()})
    return check(scene.model_copy(update={"obstacles": obstacles}))


def sentences(problems: list[Problem]) -> list[str]:
    return [f"{problem.severity}: {problem.sentence()}" for problem in problems]


def test_default_scene_has_no_problems() -> None:
    assert check(SPACE) == []


def test_checking_does_not_load_the_compiler() -> None:
    program = (
        "import sys; from snakestudio.engines.spatial_nonsmooth.check import check;"
        "from snakestudio.model.scene import Scene;"
        "from snakestudio.kinds.formulation import FORMULATIONS;"
        "check(Scene(model=FORMULATIONS['spatial_nonsmooth'].fields())); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_link_in_an_obstacle_is_reported_with_its_depth() -> None:
    # Link 2 lies along x at x = 0.122; a post of radius 0.1 at y = 0.14 is 0.1 + 0.0525 - 0.14 =
    # 12.5 mm inside.
    problems = among(
        Cylinder(x_m=3.0, y_m=0.0), Cylinder(x_m=0.122, y_m=0.14, radius_m=0.1, name="pipe")
    )
    assert sentences(problems) == [
        naming("error: obstacles[2]: Link 2 starts 12.5", "2 (pipe). Move")
    ]
    assert problems[0].obstacles == (1,)
    assert problems[0].links[0] == 1
    assert among(Cylinder(x_m=0.122, y_m=0.1516, radius_m=0.1)) == []  # 0.9 mm are tolerated
    # above it
    assert among(Cylinder(x_m=0.122, y_m=0.0, radius_m=0.1, height_m=0.3), start__z_m=0.36) == []


@pytest.mark.parametrize(
    ("obstacle", "depth"),
    [
        # The lowest line of a straight robot is the ground (z = 0), 1e-6 m under it to be exact.
        (Box(x_m=0.3, y_m=0.0, height_m=0.02), 20.0),
        (Stairs(x_m=1.2, y_m=0.0, rise_m=0.015, heading_deg=0.0), 15.0),
        # 45 degrees from x = 1.2 on. The last sphere's centre is at x = 1.22 + 0.0393, 0.0525 high:
        # it is (0.0593 - 0.0525) / sqrt(2) = 4.8 mm under the slope, and so 57.3 mm deep.
        (Ramp(x_m=1.2, y_m=0.0, length_m=1.0, rise_m=1.0), 57.3),
        (HeightField(x_m=0.0, y_m=0.0, heights_m=((0.01, 0.01), (0.01, 0.01))), 10.0),
    ],
    ids=["box", "stairs", "ramp", "height field"],
)
def test_depth_is_right_in_every_kind_of_obstacle(obstacle: Obstacle, depth: float) -> None:
    (problem,) = among(obstacle)
    assert problem.key == "obstacles[1]"
    assert f"starts {depth:g} mm deep" in problem.message


def test_point_of_rubble_is_detected() -> None:
    assert [p.key for p in among(Rubble(x_m=0.6, y_m=0.0))] == ["obstacles[1]"]
    assert among(Rubble(x_m=0.6, y_m=0.0), start__z_m=0.3) == []


def _mujoco_distance(
    solid: Block | Post, centre: Any, axis: Any, half: float, radius: float
) -> float:
    root = Element("mujoco")
    world = SubElement(root, "worldbody")

    def text(values: Any) -> str:
        return " ".join(f"{float(v):.17g}" for v in values)

    if isinstance(solid, Block):
        quaternion = quaternions(solid.rotation[None])[0]
        SubElement(
            world,
            "geom",
            type="box",
            size=text(solid.half),
            pos=text(solid.centre),
            quat=text(quaternion),
        )
    else:
        size = (solid.radius, 0.5 * (solid.high - solid.low))
        SubElement(
            world,
            "geom",
            type="cylinder",
            size=text(size),
            pos=text((solid.x, solid.y, solid.low + size[1])),
        )
    ends = (*(centre - half * axis), *(centre + half * axis))
    SubElement(world, "geom", type="capsule", size=text([radius]), fromto=text(ends))
    model = mujoco.MjModel.from_xml_string(tostring(root, encoding="unicode"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None))


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_distances_to_blocks_and_posts_are_mujocos(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = rotation(*rng.uniform(-3, 3, 3))
    block = Block(rng.uniform(-0.1, 0.1, 3), turn, rng.uniform(0.02, 0.3, 3))
    post = Post(
        *rng.uniform(-0.1, 0.1, 2),
        radius=rng.uniform(0.02, 0.3),
        low=0.0,
        high=rng.uniform(0.1, 0.6),
    )
    centre = rng.uniform(-0.35, 0.35, 3)
    axis = rotation(*rng.uniform(-3, 3, 3))[:, 0]
    for solid in (block, post):
        # If the capsule's axis itself is inside, MuJoCo's depth is a different one (that of
        # separating both bodies).
        axis_depth = depth_in_solid(solid, centre[None], axis[None], 0.0393, 0.0)[0]
        if axis_depth > -1e-3:
            continue
        ours = depth_in_solid(solid, centre[None], axis[None], 0.0393, 0.0525)[0]
        expected = -_mujoco_distance(solid, centre, axis, 0.0393, 0.0525)
        assert max(ours, 0.0) == pytest.approx(max(expected, 0.0), abs=1e-5)


def test_robot_in_the_ground_is_reported_with_its_depth() -> None:
    assert sentences(among(start__z_m=0.05)) == [
        naming("error: start.z_m: Link 1 starts 2.5", "z_m")
    ]
    assert among(start__z_m=0.0520) == []
    nodding = among(start__z_m=0.3, start__pitch_deg=30.0)
    assert nodding[0].links == tuple(range(4, 11))


@pytest.mark.parametrize(
    ("obstacle", "sentence"),
    [
        (HeightField(x_m=0, y_m=9), "obstacles[2].heights_m"),
        (
            HeightField(x_m=0, y_m=9, heights_m=((0.0, 1.0), (0.0,))),
            "obstacles[2].heights_m",
        ),
        (
            HeightField(x_m=0, y_m=9, picture="none.png"),
            "none.png' cannot be used (No such file or directory)",
        ),
    ],
)
def test_unusable_height_field_is_reported(obstacle: HeightField, sentence: str) -> None:
    (problem,) = among(Cylinder(x_m=3.0, y_m=0.0), obstacle)
    assert sentence in problem.sentence()
    assert problem.obstacles == (1,)


def state(scene: Scene, moved: Any = 0.0, twisted: float = 0.0, scale: float = 1.0) -> Scene:
    """Return `scene` with its own start as an explicit state, with an error at link 3."""
    pose, _ = initial_state(scene)
    pose[2, :3] += moved
    turn = quaternions(rotation(0.0, 0.0, twisted)[None])[0]
    w, x, y, z = pose[2, 3:]
    a, b = turn[0], turn[1]
    pose[2, 3:] = scale * np.array([w * a - x * b, w * b + x * a, y * a + z * b, z * a - y * b])
    start = StateStart(
        position_m=tuple(map(tuple, pose[:, :3].tolist())),
        orientation_wxyz=tuple(map(tuple, pose[:, 3:].tolist())),
    )
    return scene.model_copy(update={"start": start})


def test_inconsistent_states_are_reported() -> None:
    bent = with_values(
        SPACE,
        {
            "start.kind": "gait",
            "gait.kind": "two_waves",
            "start.z_m": 0.5,
            "robot.axis_offset_m": 0.022,
        },
    )
    assert check(state(bent)) == []
    (gap,) = check(state(bent, moved=[0.0, 0.0, 0.003]))
    assert re.fullmatch(
        r"start: Joint [23] has a gap of 3 mm\. .*",
        gap.sentence(),
    )
    (twist,) = check(state(bent, twisted=0.05))
    assert "joint 2 is twisted by" in twist.message
    assert "two axes" in twist.message.replace("°,", "°")
    (length,) = check(state(bent, scale=0.5))
    assert "3 has length 0.5" in length.message
    (length,) = check(state(bent, scale=0.0))
    assert length.key == "start.orientation_wxyz"


def moving(scene: Scene, seed: int, wrong: Any = 0.0, rolling: float = 0.0) -> Scene:
    """Return `scene` in a state reached by the engine, with an error in link 3's velocity, or with link 3 rolling."""
    engine = registry.create(scene)
    engine.advance(gait_reference(scene, 300 + seed), 300 + seed, ())
    now = engine.snapshot()
    twist = now.link_twist.copy()
    twist[2, :3] += wrong
    twist[2, 3:] += rolling * matrices(now.link_pose[2:3, 3:])[0, :, 0]
    start = StateStart(
        position_m=tuple(map(tuple, now.link_pose[:, :3].tolist())),
        orientation_wxyz=tuple(map(tuple, now.link_pose[:, 3:].tolist())),
        velocity_m_s=tuple(map(tuple, twist[:, :3].tolist())),
        angular_velocity_rad_s=tuple(map(tuple, twist[:, 3:].tolist())),
    )
    return scene.model_copy(update={"start": start})


@pytest.mark.parametrize("kind", ["spatial_nonsmooth", "planar_nonsmooth"])
@pytest.mark.parametrize("offset", [0.0, 0.022])
def test_velocities_that_separate_joints_are_rejected(kind: str, offset: float) -> None:
    """States reached by the engine itself are valid; a link that separates at 0.5 m/s is not."""
    values = {"start.kind": "gait", "model.kind": kind}
    if kind == "spatial_nonsmooth":
        values |= {"gait.kind": "two_waves", "robot.axis_offset_m": offset}
    scene = with_values(SPACE, values)
    for seed in (0, 150):
        assert not [p for p in registry.check(moving(scene, seed)) if p.severity == "error"]
    (torn,) = [
        p for p in registry.check(moving(scene, 0, wrong=[0.5, 0.0, 0.0])) if p.severity == "error"
    ]
    assert re.match(
        r"start.velocity_m_s: The velocities separate joint [23] at 0\.[45]", torn.sentence()
    )
    if kind == "spatial_nonsmooth":
        problems = registry.check(moving(scene, 0, rolling=0.5))
        assert [p.key for p in problems if p.severity == "error"] == [
            "start.angular_velocity_rad_s"
        ]


def test_unusable_recording_is_reported(tmp_path: Path) -> None:
    scene = SPACE.model_copy(update={"start": RecordingStart(file="run.csv")})
    (problem,) = check(scene, tmp_path)
    assert problem.key == "start.file"
    assert "cannot be read" in problem.message


def test_joint_limits_are_checked_in_both_planes() -> None:
    problems = among(
        robot__joint_limit_deg=35.0,
        gait__kind="two_waves",
        gait__amplitude_deg=30.0,
        gait__pitch_amplitude_deg=40.0,
        start__kind="joint_angles",
        start__joint_angles_deg=[0.0] * 10,
        start__joint_pitch_deg=[0.0] * 9 + [36.0],
        start__z_m=2.0,
    )
    assert [problem.key for problem in problems] == [
        "gait.pitch_amplitude_deg",
        "start.joint_angles_deg",
    ]
    assert problems[1].links == (9, 10)


def test_endless_soft_start_is_reported() -> None:
    values = {"gait__amplitude_deg": 10.0, "gait__offset_deg": 20.0, "control__soft_start_deg": 3.0}
    (problem,) = among(**values)
    assert problem.key == "gait.offset_deg"
    assert among(**{**values, "gait__amplitude_deg": 17.5}) == []


def test_axis_offset_longer_than_a_link_is_reported() -> None:
    assert [problem.key for problem in among(robot__axis_offset_m=0.2)] == ["robot.axis_offset_m"]


def test_joint_that_does_not_fit_its_shorter_link_is_named() -> None:
    scene = with_values(
        SPACE, {"robot.axis_offset_m": 0.03, "robot.link": ({"index": 4, "length_m": 0.02},)}
    )
    (problem,) = check(scene)
    assert "robot.axis_offset_m" in problem.sentence()
    assert "3, 0.03" in problem.sentence()
    assert "0.02 m" in problem.sentence()


@pytest.mark.parametrize("offset", [0.0, 0.022])
def test_joint_response_is_that_of_mujocos_mass_matrix(offset: float) -> None:
    rng = np.random.default_rng(3)
    scene = with_values(
        SPACE,
        {
            "robot.n_links": 6,
            "robot.axis_offset_m": offset,
            "start.kind": "joint_angles",
            "start.z_m": 1.0,
            "start.joint_angles_deg": rng.uniform(-40, 40, 5).tolist(),
            "start.joint_pitch_deg": rng.uniform(-40, 40, 5).tolist(),
        },
    )
    model, data = build(scene)
    inverse = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    expected = inverse[6:, 6:]
    ours = _joint_response(scene.robot, initial_joint_angles(scene))
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_response_of_any_joints_is_that_of_mujocos_mass_matrix() -> None:
    """Links that differ in mass, length and centre of mass, an alternating robot with some other joints."""
    values = {
        "robot.n_links": 8,
        "robot.joints": "alternating",
        "robot.link": (
            {"index": "2-3", "mass_kg": 1.2, "length_m": 0.2},
            {"index": "odd", "centre_of_mass_m": 0.015},
        ),
        "robot.joint": (
            {"index": 2, "axes": "cardan", "axis_offset_m": 0.02},
            {"index": 4, "axes": "fixed"},
            {"index": 5, "axes": "yaw+roll"},
            {"index": 6, "axes": "yaw+pitch+roll", "axis_offset_m": 0.01},
        ),
    }
    scene = with_values(SPACE, values)
    chain = chain_of_scene(scene)
    angles = np.random.default_rng(4).uniform(-0.6, 0.6, len(scene.body.axes))
    model = mujoco_model(chain, scene.ground, 1e-3)
    data = mujoco.MjData(model)
    data.qpos[7:] = angles
    mujoco.mj_forward(model, data)
    inverse = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    expected = inverse[6:, 6:]
    ours = _joint_response(scene.robot, angles)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_step_too_long_for_the_joints_is_reported() -> None:
    # The paper's gains and inertia are stable at its step; in the plane they are up to 1/2800
    # (PHYSICS.md).
    (problem,) = among(solver__step_s=0.0004)
    assert problem.key == "solver.step_s"
    assert among(solver__step_s=0.0004, solver__joints="implicit") == []
    limp = with_values(
        SPACE, {"joint_controller.kp_nm_per_rad": 0.0, "joint_controller.kd_nms_per_rad": 0.0}
    )
    assert largest_stable_step(limp) == float("inf")


GAINS = {
    "paper P2": {},
    "paper P1": {
        "robot.inertia_kg_m2": 9.63e-4,
        "robot.axial_inertia_kg_m2": 2.35e-4,
        "joint_controller.kp_nm_per_rad": 40.0,
        "joint_controller.kd_nms_per_rad": 0.2,
        "joint_controller.kp_pitch_nm_per_rad": 800.0,
    },
    "offset axes": {"robot.axis_offset_m": 0.022, "joint_controller.kd_pitch_nms_per_rad": 0.5},
}


@pytest.mark.parametrize("gains", GAINS)
@pytest.mark.parametrize(("factor", "stable"), [(0.97, True), (1.03, False)])
def test_largest_stable_step_is_where_the_engine_turns_unstable(
    gains: str, factor: float, stable: bool
) -> None:
    # In the air, with a gait of zero amplitude, a disturbance of the joints decays or grows.
    scene = with_values(
        SPACE,
        GAINS[gains] | {"gait.amplitude_deg": 0.0, "ground.gravity_m_s2": 0.0, "start.z_m": 1.0},
    )
    step = factor * largest_stable_step(scene)
    disturbed = {
        "start.kind": "joint_angles",
        "start.joint_angles_deg": [1e-4 * (-1) ** k for k in range(10)],
        "start.joint_pitch_deg": [1e-4 * (-1) ** k for k in range(10)],
    }
    scene = with_values(scene, disturbed | {"solver.step_s": step, "control.period_s": 10 * step})
    engine = registry.create(scene)
    engine.advance(still(scene), 3000, ())
    rate = np.abs(engine.snapshot().joint_rate).max()
    assert (rate < 1e-3) == stable
