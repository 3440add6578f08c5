"""Checks of scenes for the planar engine, initial poses, and the grid of obstacles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.engines import registry
from snakestudio.engines.grid import make_grid
from snakestudio.engines.planar_nonsmooth.check import largest_stable_step
from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.engines.planar_obstacles import outlines
from snakestudio.errors import SceneError
from snakestudio.model.motion import (
    GaitStart,
    JointAnglesStart,
    LateralUndulation,
    LinkAnglesStart,
    RecordingStart,
    StateStart,
    StraightStart,
)
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.robot.chain import wave_directions
from snakestudio.model.robot.pose import initial_state, planar_pose
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.common import set_state, state_of
from tests.engines.planar import circle, gait_reference
from tests.wording import naming


def messages(scene: Scene, base_dir: Path | None = None) -> dict[str, str]:
    """Return the messages of all problems by severity and key."""
    return {f"{p.severity} {p.key}": p.sentence() for p in registry.check(scene, base_dir)}


def test_default_scene_has_no_problems() -> None:
    assert registry.check(Scene()) == []


def test_checking_does_not_load_the_compiler() -> None:
    program = (
        "import sys; from snakestudio.engines import registry; from snakestudio.model.scene import Scene;"
        "registry.check(Scene()); registry.is_warm('planar_nonsmooth'); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_overlap_names_link_obstacle_and_depth() -> None:
    # Link 2 lies along x at x = 0.122; a post of radius 0.1 at y = 0.14 is 0.1 + 0.0525 - 0.14 =
    # 12.5 mm inside.
    problems = registry.check(Scene(obstacles=(circle(3.0, 0.0, 0.1), circle(0.122, 0.14, 0.1))))
    assert [p.sentence() for p in problems] == [
        naming("obstacles[2]: Link 2 starts 12.5", "2. Move")
    ]
    assert problems[0].obstacles == (1,)
    assert problems[0].links == (1,)
    # 0.9 mm are tolerated
    assert registry.check(Scene(obstacles=(circle(0.122, 0.1516, 0.1),))) == []


def test_joint_limits_and_missing_friction_are_reported() -> None:
    assert "error gait.amplitude_deg" in messages(
        Scene(
            robot=Robot(joint_limit_deg=45.0),
            gait=LateralUndulation(kind="lateral_undulation", offset_deg=-6.0),
        )
    )
    minus = Scene(
        robot=Robot(joint_limit_deg=45.0),
        gait=LateralUndulation(amplitude_deg=-50.0, offset_deg=-6.0),
    )
    (problem,) = [p for p in registry.check(minus) if p.key == "gait.amplitude_deg"]
    assert "56°" in problem.message
    assert "45°" in problem.message
    assert problem.fixes[0].values == (("gait.amplitude_deg", -39.0),)
    bent = JointAnglesStart(kind="joint_angles", joint_angles_deg=(50.0,))
    assert "error start.joint_angles_deg" in messages(
        Scene(robot=Robot(n_links=2, joint_limit_deg=45.0), start=bent)
    )
    assert "hint ground.mu_along" in messages(Scene(ground=Ground(mu_along=0.0, mu_across=0.0)))
    assert "hint ground.gravity_m_s2" in messages(Scene(ground=Ground(gravity_m_s2=0.0)))


@pytest.mark.parametrize(
    ("obstacle", "key", "what"),
    [
        (
            Stairs(x_m=3.0, y_m=0.0),
            "kind",
            "Obstacle 1 is stairs",
        ),
        (Ramp(x_m=3.0, y_m=0.0, name="up"), "kind", "Obstacle 1 (up) is a ramp, which"),
        (
            HeightField(x_m=3.0, y_m=0.0, heights_m=((0.0, 0.0), (0.0, 0.1))),
            "kind",
            "is a height field, which",
        ),
        (Rubble(x_m=3.0, y_m=0.0), "kind", "is rubble, which"),
        (
            Box(x_m=3.0, y_m=0.0, roll_deg=10.0),
            "pitch_deg",
            "Obstacle 1",
        ),
    ],
)
def test_unsupported_obstacles_are_reported(obstacle: Obstacle, key: str, what: str) -> None:
    scene = Scene(obstacles=(obstacle,))
    (problem,) = registry.check(scene)
    assert (problem.severity, problem.key, problem.obstacles) == (
        "error",
        f"obstacles[1].{key}",
        (0,),
    )
    assert what in problem.sentence()
    assert "spatial_nonsmooth" in problem.remedy
    assert "remove it" in problem.remedy
    # If added in a running scene, it needs a reset, which reports the same problem.
    assert not PlanarNonsmoothEngine(Scene()).apply(scene)


def test_boxes_are_checked_by_height() -> None:
    # Link 2 lies along x at x = 0.122, its axis 52.5 mm high; a box 0.1 wide at y = 0.1 reaches
    # down to y = 0.05.
    def box(**more: float) -> Scene:
        return Scene(
            obstacles=(
                Box.model_validate(
                    {"x_m": 0.122, "y_m": 0.1, "width_m": 0.1, "length_m": 0.1, **more}
                ),
            )
        )

    assert "Link 2 starts 2.5" in messages(box())["error obstacles[1]"]
    assert (
        "Link 2 starts 2.5 mm deep"
        in messages(box(yaw_deg=90.0, pitch_deg=180.0))["error obstacles[1]"]
    )
    assert messages(box(y_m=0.1035)) == messages(box(z_m=0.106)) == messages(box(z_m=-0.1)) == {}
    warned = messages(box(y_m=0.3, height_m=0.03))
    assert "Obstacle 1 ends 30" in warned["warning obstacles[1].height_m"]
    assert "Obstacle 1 begins 60" in messages(box(y_m=0.3, z_m=0.06))["warning obstacles[1].z_m"]
    low = Cylinder(x_m=3.0, y_m=0.0, height_m=0.02)
    assert "warning obstacles[1].height_m" in messages(Scene(obstacles=(low,)))
    # A wall through the robot's middle, far from all corners and ends of links.
    wall = Box(x_m=0.122, y_m=0.0, length_m=0.001, width_m=3.0)
    assert "Link 2 starts 52.5 mm deep" in messages(Scene(obstacles=(wall,)))["error obstacles[1]"]


def test_box_on_its_side_has_the_outline_of_another_face() -> None:
    # Turned by 90 degrees about its y axis, its height is along x and its length upright.
    flat = Box(x_m=1.0, y_m=2.0, z_m=0.1, length_m=0.5, width_m=0.3, height_m=0.2, yaw_deg=30.0)
    turned = Box(
        x_m=1.0,
        y_m=2.0,
        z_m=-0.05,
        length_m=0.2,
        width_m=0.3,
        height_m=0.5,
        yaw_deg=30.0,
        pitch_deg=90.0,
    )
    one, other = outlines((flat, turned), 0.2)
    assert sorted(one[3:5]) == pytest.approx(sorted(other[3:5]))
    assert [bool(one[7]), bool(other[7])] == [True, True]


def test_tilted_or_open_states_are_errors() -> None:
    flat = ((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    tilted = ((1.0, 0.0, 0.0, 0.0), (0.8, 0.0, 0.6, 0.0))
    closed = ((0.0, 0.0, 0.05), (0.122, 0.0, 0.05))
    torn = ((0.0, 0.0, 0.05), (0.125, 0.0, 0.05))

    def state(
        positions: tuple[tuple[float, float, float], ...], turns: tuple[tuple[float, ...], ...]
    ) -> Scene:
        start = StateStart(kind="state", position_m=positions, orientation_wxyz=turns)
        return Scene(robot=Robot(n_links=2), start=start)

    assert messages(state(closed, flat)) == {}
    assert "Link 2" in messages(state(closed, tilted))["error start.orientation_wxyz"]
    assert "Joint 1 has a gap of 3 mm" in messages(state(torn, flat))["error start"]
    aloft = ((0.0, 0.0, 0.5), (0.122, 0.0, 0.5))
    assert "Heights are ignored" in messages(state(aloft, flat))["warning start.position_m"]
    none = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    assert (
        "The quaternion of link 2 has length 0"
        in messages(state(closed, none))["error start.orientation_wxyz"]
    )


def test_largest_stable_step_is_that_of_the_paper() -> None:
    # PHYSICS.md: about 1/2800.
    assert 1.0 / largest_stable_step(Scene()) == pytest.approx(2800, rel=0.05)
    assert (
        "solver.step_s: 0.0004"
        in messages(Scene(solver=Solver(step_s=4e-4)))["warning solver.step_s"]
    )
    limp = Scene(joint_controller=JointController(kp_nm_per_rad=0.0, kd_nms_per_rad=0.0))
    assert largest_stable_step(limp) == float("inf")


@pytest.mark.parametrize(("factor", "stable"), [(0.97, True), (1.03, False)])
def test_largest_stable_step_is_where_the_engine_turns_unstable(
    factor: float, stable: bool
) -> None:
    # Without friction and with a gait of zero amplitude, a disturbance of 1e-6 rad/s decays or
    # grows.
    gait = LateralUndulation(kind="lateral_undulation", amplitude_deg=0.0)
    scene = Scene(gait=gait, ground=Ground(mu_along=0.0, mu_across=0.0))
    scene = scene.model_copy(update={"solver": Solver(step_s=factor * largest_stable_step(scene))})
    engine = PlanarNonsmoothEngine(scene)
    velocity = state_of(engine).u
    velocity[:, 2] = 1e-6 * (-1.0) ** np.arange(11)
    set_state(engine, u=velocity)
    engine.advance(gait_reference(scene, 3000), 3000, ())
    assert (np.abs(state_of(engine).u[:, 2]).max() < 1e-5) == stable


@given(
    amplitude=st.floats(0, 90),
    shift=st.floats(-180, 180),
    offset=st.floats(-20, 20),
    n=st.integers(2, 40),
    link=st.integers(1, 2),
    omega=st.floats(-100, 100),
)
def test_gait_pose_has_the_joint_angles_of_the_gait(
    amplitude: float, shift: float, offset: float, n: int, link: int, omega: float
) -> None:
    gait = LateralUndulation(
        kind="lateral_undulation", amplitude_deg=amplitude, phase_shift_deg=shift, offset_deg=offset
    )
    start = GaitStart(
        kind="gait", link=link, x_m=1.0, y_m=-2.0, heading_deg=70.0, vx_m_s=0.5, omega_deg_s=omega
    )
    scene = Scene(robot=Robot(n_links=n), gait=gait, start=start)
    q, u = planar_pose(scene)
    assert np.diff(q[:, 2]) == pytest.approx(
        gait.amplitude * np.sin(np.arange(n - 1) * gait.phase_shift) + gait.offset, abs=1e-9
    )
    assert q[link - 1, :2] == pytest.approx([1.0, -2.0])
    arm = 0.061 * np.column_stack([np.cos(q[:, 2]), np.sin(q[:, 2])])
    assert q[:-1, :2] + arm[:-1] == pytest.approx(q[1:, :2] - arm[1:], abs=1e-9)
    # Rigid motion: distances do not change.
    apart = np.diff(q[:, :2], axis=0)
    rate = np.diff(u[:, :2], axis=0)
    assert (apart * rate).sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    assert u[link - 1] == pytest.approx([0.5, 0.0, np.radians(omega)])


def test_gait_pose_is_the_serpenoid_of_the_paper() -> None:
    # theta_i(0) = H - A / (2 sin(delta/2)) cos((i - 3/2) delta).
    gait = LateralUndulation(kind="lateral_undulation")
    i = np.arange(1, 12)
    delta = np.radians(-50.0)
    expected = np.pi - np.radians(40.0) / (2 * np.sin(delta / 2)) * np.cos((i - 1.5) * delta)
    assert wave_directions(gait.yaw, 11, np.pi) == pytest.approx(expected)
    still = LateralUndulation(kind="lateral_undulation", phase_shift_deg=0.0)
    assert wave_directions(still.yaw, 5, 0.3) == pytest.approx(np.full(5, 0.3))


def test_poses_of_other_starts_are_right() -> None:
    two = Robot(n_links=2)
    straight = initial_state(
        Scene(robot=two, start=StraightStart(kind="straight", heading_deg=90.0))
    )[0]
    assert straight[1] == pytest.approx([0.0, 0.122, 0.0525, 0.5**0.5, 0.0, 0.0, 0.5**0.5])
    bent = JointAnglesStart(
        kind="joint_angles", link=2, heading_deg=10.0, joint_angles_deg=(170.0,)
    )
    assert np.degrees(planar_pose(Scene(robot=two, start=bent))[0][:, 2]) == pytest.approx(
        [-160.0, 10.0]
    )
    links = LinkAnglesStart(kind="link_angles", link_angles_deg=(0.0, 90.0))
    assert planar_pose(Scene(robot=two, start=links))[0][1] == pytest.approx(
        [0.061, 0.061, np.pi / 2]
    )


HEADER = ",".join(
    f"link_{i}_{c}" for i in (1, 2) for c in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
)
SPEEDS = ",".join(
    f"link_{i}_{c}"
    for i in (1, 2)
    for c in ("vx_mps", "vy_mps", "vz_mps", "wx_radps", "wy_radps", "wz_radps")
)


def test_start_from_a_recording_has_its_state(tmp_path: Path) -> None:
    pose = "0,0,0.05,1,0,0,0,0.122,0,0.05,1,0,0,0"
    speed = "1,0,0,0,0,0,1,0.061,0,0,0,0.5"
    (tmp_path / "run.csv").write_text(
        f"# scene\ntime_s,{HEADER},{SPEEDS}\n0,{pose},{speed.replace('1,', '9,', 1)}\n0.5,{pose},{speed}\n"
    )
    scene = Scene(
        robot=Robot(n_links=2), start=RecordingStart(kind="recording", file="run.csv", time_s=0.45)
    )
    assert registry.check(scene, tmp_path) == []
    q, u = planar_pose(scene, tmp_path)
    assert q == pytest.approx(np.array([[0, 0, 0], [0.122, 0, 0]]))
    assert u == pytest.approx(np.array([[1, 0, 0], [1, 0.061, 0.5]]))
    (tmp_path / "run.csv").write_text(f"time_s,{HEADER}\n0,{pose}\n")
    assert np.all(initial_state(scene, tmp_path)[1] == 0.0)


def test_unsuitable_recordings_are_reported(tmp_path: Path) -> None:
    scene = Scene(start=RecordingStart(kind="recording", file="run.csv"))
    with pytest.raises(SceneError, match=r"run.csv' cannot be read"):
        planar_pose(scene, tmp_path)
    for text, message in (
        ("a,b\n1,2\n", "no readable column time_s"),
        ("time_s\n", "contains no rows"),
        (f"time_s,{HEADER}\n0" + ",0" * 14 + "\n", "contains 2 links but robot.n_links is 11"),
    ):
        (tmp_path / "run.csv").write_text(text)
        with pytest.raises(SceneError, match=message):
            planar_pose(scene, tmp_path)
        problems = registry.check(scene, tmp_path)
        assert [(p.severity, p.key) for p in problems] == [("error", "start.file")]
        assert message in problems[0].sentence()


@given(st.integers(0, 10**6), st.integers(1, 60), st.floats(-3, 3))
def test_grid_finds_every_contact(seed: int, count: int, spread: float) -> None:
    # Every obstacle within reach of a point is listed in that point's cell.
    rng = np.random.default_rng(seed)
    obstacles = np.column_stack(
        [rng.normal(0, 10.0**spread, (count, 2)), 10.0 ** rng.uniform(-2, 1, count)]
    )
    touch = obstacles[:, 2] + 0.1
    grid = make_grid(obstacles[:, :2], obstacles[:, :2], touch)
    angle = rng.uniform(0, 2 * np.pi, 200)
    chosen = rng.integers(0, count, 200)
    points = obstacles[chosen, :2] + (rng.choice([0.0, 0.5, 1.0], 200) * touch[chosen])[
        :, None
    ] * np.column_stack([np.cos(angle), np.sin(angle)])
    for point, j in zip(points, chosen, strict=True):
        ix, iy = int((point[0] - grid.x) * grid.inverse), int((point[1] - grid.y) * grid.inverse)
        assert 0 <= ix < grid.nx
        assert 0 <= iy < grid.ny
        cell = iy * grid.nx + ix
        assert j in grid.items[grid.first[cell] : grid.first[cell + 1]]
