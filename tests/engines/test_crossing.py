"""Links that pass through a body within a step are detected in all models; links that pass it at a distance are not."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from snakestudio.api.running import Run
from snakestudio.engines import registry
from snakestudio.engines.crossing import Crossings, _ends, crossings
from snakestudio.model.edits import with_values
from snakestudio.model.motion import StateStart, StraightStart
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.engines.common import still

STEP = 0.004
SPEED = 40.0  # 16 cm a step
MODELS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_nonholonomic")


def watch_of(scene: Scene) -> Crossings:
    """Return the detection of the engine of a scene."""
    return crossings(scene, pushed=scene.model.kind != "planar_nonholonomic")


def thrown(
    model: str,
    *obstacles: Obstacle,
    velocity: tuple[float, ...] = (0.0, SPEED),
    z: float = 0.01,
    **values: Any,
) -> Scene:
    """Return three limp links in line along x, thrown over a smooth floor; their centres start at y = 0."""
    scene = with_values(
        Scene(),
        {
            "model.kind": model,
            "robot.n_links": 3,
            "robot.link_length_m": 0.1,
            "robot.contact_half_length_m": 0.04,
            "robot.radius_m": 0.01,
            "ground.mu_along": 0.0,
            "ground.mu_across": 0.0,
            "gait.amplitude_deg": 0.0,
            "joint_controller.kp_nm_per_rad": 0.0,
            "joint_controller.kd_nms_per_rad": 0.0,
            "solver.step_s": STEP,
            "control.period_s": 5 * STEP,
            "run.duration_s": 10 * STEP,
            "run.log_rate_hz": 50.0,
            **values,
        },
    )
    start = StateStart(
        kind="state",
        position_m=tuple((0.1 * k, 0.0, z) for k in range(3)),
        orientation_wxyz=((1.0, 0.0, 0.0, 0.0),) * 3,
        velocity_m_s=((*velocity, 0.0)[:3],) * 3,
    )
    return scene.model_copy(update={"start": start, "obstacles": obstacles})


def wall(y: float = 0.04, thickness: float = 0.005, **more: Any) -> Box:
    return Box(x_m=0.1, y_m=y, z_m=0.0, length_m=1.0, width_m=thickness, height_m=0.1, **more)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("obstacle", "link", "called"),
    [
        (wall(name="Fence"), 1, "Fence"),
        (wall(), 1, "a box"),
        (wall(yaw_deg=-10.0), 3, "a box"),
        (Cylinder(x_m=0.11, y_m=0.05, radius_m=0.004, height_m=0.1), 2, "a cylinder"),
    ],
    ids=["named", "wall", "slanting", "pin"],
)
def test_crossing_of_a_thin_obstacle_is_detected(
    model: str, obstacle: Obstacle, link: int, called: str
) -> None:
    far = Cylinder(x_m=-3.0, y_m=0.0, radius_m=0.002, height_m=0.1)
    engine = registry.create(thrown(model, far, obstacle))
    report = engine.advance(still(engine.scene), 10, np.arange(11))
    assert not report.ok
    assert report.steps == engine.step_count == 0, "the state is that before the step"
    assert not len(report.rows)
    message = f"In step 1 (t = 0 s), link {link} passes through obstacle 2 ({called}): it moves 160 mm in the step"
    assert report.message.startswith(message)
    step = float(report.message.split("to ")[-1].rstrip("."))
    assert step < STEP
    if model == "planar_nonholonomic":  # which decelerates links but does not push them back
        return
    mended = registry.create(
        with_values(engine.scene, {"solver.step_s": step, "control.period_s": step})
    )
    report = mended.advance(still(mended.scene), round(0.02 / step))
    assert report.ok, "the remedy holds"
    if obstacle.kind == "box":
        assert mended.snapshot().link_pose[:, 1].min() < 0.05, "the wall is one"


@pytest.mark.parametrize("model", MODELS)
def test_crossing_ends_the_run_with_a_recorded_fault(
    model: str,
) -> None:
    # The wall begins 1.1 m ahead: 6 steps of 16 cm lead to 0.96 m, the seventh behind it.
    scene = thrown(model, wall(y=1.02))
    result = run_offline(scene)
    assert not result.ok
    assert "In step 7 (t = 0.024 s), link 1 passes through obstacle 1 (a box)" in result.message
    (fault,) = result.recording.events
    assert fault.kind == "fault"
    assert fault.time == pytest.approx(0.024)
    assert result.recording.times.tolist() == pytest.approx([0.0, 0.02])
    places = Run(result.recording)["link_1_y_m"]
    assert places.tolist() == pytest.approx([0.0, 0.8])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "obstacles",
    [
        (Box(x_m=0.1, y_m=0.04, z_m=0.5, length_m=1.0, width_m=0.005, height_m=0.1),),
        (Box(x_m=-0.5, y_m=0.5, z_m=0.0, length_m=0.8, width_m=0.005, height_m=0.1),),
        (
            Cylinder(x_m=-0.07, y_m=0.3, radius_m=0.004, height_m=0.1),
            Cylinder(x_m=0.27, y_m=0.5, radius_m=0.004, height_m=0.1),
        ),
    ],
    ids=["above", "beside", "between pins"],
)
def test_passing_at_a_distance_is_not_a_crossing(
    model: str, obstacles: tuple[Obstacle, ...]
) -> None:
    engine = registry.create(thrown(model, *obstacles))
    report = engine.advance(still(engine.scene), 10)
    assert report.ok, report.message
    assert engine.snapshot().link_pose[:, 1] == pytest.approx([10 * STEP * SPEED] * 3)


@pytest.mark.parametrize("model", MODELS)
def test_link_that_starts_in_a_body_has_not_crossed_it(model: str) -> None:
    engine = registry.create(
        thrown(model, Cylinder(x_m=0.1, y_m=0.2, radius_m=0.004, height_m=0.1))
    )
    before, after = engine.snapshot().link_pose.copy(), engine.snapshot().link_pose.copy()
    before[:, 1] = 0.2
    after[:, 1] = 0.5
    watch = watch_of(engine.scene)
    assert watch.first(before, after) is None
    before[:, 1] = 0.1
    crossing = watch.first(before, after)
    assert (crossing.link, crossing.obstacle) == (1, 0)
    assert crossing.distance == pytest.approx(0.4)
    assert crossing.safe_distance == pytest.approx(0.01 + 0.004)


@pytest.mark.parametrize("model", MODELS)
def test_crossing_detection_does_not_change_the_run(model: str) -> None:
    """A wall that only pushes: runs with and without checked steps have the same bits."""
    scene = thrown(model, wall(y=0.3), wall(y=-0.3), velocity=(0.5, 2.5), **{"run.duration_s": 0.4})
    watched = registry.create(scene)
    alone = registry.create(scene)
    alone._params = alone._params._replace(far=math.inf)  # type: ignore[attr-defined]
    rows = [engine.advance(still(scene), 100, np.arange(0, 101, 7)) for engine in (watched, alone)]
    assert rows[0].ok, rows[0].message
    assert rows[0][:-1] == rows[1][:-1]
    np.testing.assert_equal(asdict(rows[0].rows), asdict(rows[1].rows))
    assert rows[0].rows.impulse_obstacle.any(), "the walls pushed"


RIDGE = tuple((0.08 if j == 10 else 0.0,) * 3 for j in range(21))
LEVEL = ((0.1,) * 3,) * 3
DOWN = (0.0, 0.0, -SPEED)

SHOT = {
    "narrow stairs": (Stairs(x_m=-0.5, y_m=0.05, steps=2, width_m=0.004), {}),
    "steps on edge": (Stairs(x_m=0.1, y_m=0.04, heading_deg=90, steps=1, landing_m=0.01), {}),
    "ramp across": (Ramp(x_m=-0.4, y_m=0.05, width_m=0.01), {}),
    "ramp like a blade": (Ramp(x_m=0.1, y_m=0.05, heading_deg=90, length_m=0.02, rise_m=0.1), {}),
    "near its edge": (Ramp(x_m=0.1, y_m=0.05, heading_deg=90, length_m=0.02, rise_m=0.1), {"z": 0.08}),
    "rubble": (
        Rubble(x_m=0.1, y_m=0.08, length_m=0.3, width_m=0.04, blocks=3, smallest_m=0.02, largest_m=0.04, seed=1), {},
    ),
    "ridge": (HeightField(x_m=0.1, y_m=0.08, length_m=1, width_m=0.12, heights_m=RIDGE), {}),
    "plate": (Box(x_m=0, y_m=0, z_m=0.4, length_m=2, width_m=2, height_m=0.01), {"z": 0.45, "velocity": DOWN}),
    "fall on stairs": (Stairs(x_m=-0.5, y_m=0, steps=2), {"z": 0.12, "velocity": DOWN}),
    "fall on a ramp": (Ramp(x_m=-0.5, y_m=0, length_m=2, rise_m=0.04), {"z": 0.12, "velocity": DOWN}),
    "fall on a field": (HeightField(x_m=0.1, y_m=0, heights_m=LEVEL), {"z": 0.12, "velocity": DOWN}),
    "fall on a disc": (Cylinder(x_m=0.1, y_m=0, radius_m=0.5, height_m=0.06), {"z": 0.1, "velocity": DOWN}),
}  # fmt: skip
CALLED = {
    "ramp": "a ramp",
    "height_field": "a height field",
    "box": "a box",
    "cylinder": "a cylinder",
}


@pytest.mark.parametrize(("obstacle", "start"), SHOT.values(), ids=SHOT.keys())
def test_crossing_of_solids_and_terrain_is_detected(
    obstacle: Obstacle, start: dict[str, Any]
) -> None:
    engine = registry.create(thrown("spatial_nonsmooth", obstacle, **start))
    report = engine.advance(still(engine.scene), 10)
    assert not report.ok
    assert (
        f"passes through obstacle 1 ({CALLED.get(obstacle.kind, obstacle.kind)}): it moves "
        in report.message
    )
    step = float(report.message.split("to ")[-1].rstrip("."))
    mended = registry.create(
        with_values(engine.scene, {"solver.step_s": step, "control.period_s": step})
    )
    report = mended.advance(still(mended.scene), round(0.02 / step))
    assert report.ok, "the remedy holds"


BY_THE_WAY = {
    "over stairs": (
        Stairs(x_m=0.1, y_m=0.04, heading_deg=90, steps=1, landing_m=0.01),
        {"z": 0.06},
    ),
    "beside stairs": (Stairs(x_m=0.27, y_m=0.05, steps=2, width_m=0.004), {}),
    "over the blade": (
        Ramp(x_m=0.1, y_m=0.05, heading_deg=90, length_m=0.02, rise_m=0.1),
        {"z": 0.113},
    ),
    "over rubble": (
        Rubble(x_m=0.1, y_m=0.08, length_m=0.3, width_m=0.04, blocks=3, height_m=0.05),
        {"z": 0.065},
    ),
    "over the ridge": (
        HeightField(x_m=0.1, y_m=0.08, length_m=1, width_m=0.12, heights_m=RIDGE),
        {"z": 0.095},
    ),
    "beside the ridge": (
        HeightField(x_m=0.8, y_m=0.08, length_m=1, width_m=0.12, heights_m=RIDGE),
        {},
    ),
    "landing": (
        HeightField(x_m=0.1, y_m=0, heights_m=LEVEL),
        {"z": 0.12, "velocity": (0.0, 0.0, -2.0)},
    ),
    "on stairs": (Stairs(x_m=-0.5, y_m=0, steps=2), {"z": 0.12, "velocity": (0.0, 0.0, -10.0)}),
    "on the ground": (Cylinder(x_m=3, y_m=0), {"z": 0.05, "velocity": (0.0, 0.0, -5.0)}),
}


@pytest.mark.parametrize(("obstacle", "start"), BY_THE_WAY.values(), ids=BY_THE_WAY.keys())
def test_links_near_solids_and_terrain_continue(obstacle: Obstacle, start: dict[str, Any]) -> None:
    engine = registry.create(thrown("spatial_nonsmooth", obstacle, **start))
    fastest = max(abs(v) for v in start.get("velocity", (SPEED,)))
    assert watch_of(engine.scene).limit < STEP * fastest
    report = engine.advance(still(engine.scene), 10)
    assert report.ok, report.message


def test_crossing_of_the_ground_is_detected() -> None:
    engine = registry.create(thrown("spatial_nonsmooth", z=0.12, velocity=DOWN))
    report = engine.advance(still(engine.scene), 10)
    message = "link 1 passes through the ground: it moves 160 mm in the step, but contact is certain only up to 20 mm"
    assert message in report.message


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("hit", [True, False], ids=["through", "beside"])
def test_link_that_crosses_a_pin_and_returns_is_detected(model: str, hit: bool) -> None:
    """A joint bends and stretches again in 120 of 2300 steps: the links have the same poses before and after."""
    rest = 1400
    swing = 120
    steps = 2300
    step = 0.001
    implicit = {"solver.joints": "implicit"} if model != "planar_nonholonomic" else {}
    values = {
        "robot.n_links": 2,
        "robot.link_length_m": 0.4,
        "robot.contact_half_length_m": 0.18,
        "solver.step_s": step,
        "robot.radius_m": 0.0002,
        "ground.gravity_m_s2": 0.0,
        "joint_controller.kp_nm_per_rad": 500.0,
        "joint_controller.kd_nms_per_rad": 2.0,
        **implicit,
    }
    start = StraightStart(kind="straight", x_m=0.0, y_m=0.0)

    def scene(*obstacles: Obstacle) -> Scene:
        return with_values(
            Scene(), values | {"model.kind": model, "gait.amplitude_deg": 0.0}
        ).model_copy(update={"start": start, "obstacles": obstacles})

    at = np.clip(np.arange(steps + 1) - rest, 0, swing) * 2.0 * np.pi / swing
    angle, rate = np.zeros((2, steps + 1, len(scene().body.axes)))
    angle[:, 0] = 0.2 * (1.0 - np.cos(at))
    rate[:, 0] = 0.2 * np.sin(at) * 2.0 * np.pi / (swing * step)
    swung = JointReference(np.arange(steps + 1) * step, angle, rate, np.zeros_like(angle))
    free = registry.create(scene())
    assert free.advance(swung, rest).ok
    poses = [free.snapshot().link_pose[0]]
    for _ in range(swing):
        assert free.advance(swung, 1).ok
        poses.append(free.snapshot().link_pose[0])
    assert free.advance(swung, rest + 900 - free.step_count).ok
    moved = free.snapshot().link_pose[0] - poses[0]
    moved[3:] *= 2.0  # a quaternion has half of a small angle
    assert np.abs(moved).max() < 1.8e-4, "as if nothing had been"
    ends = np.array([_ends(pose[None], 0.16)[0, 0] for pose in poses])
    fastest = int(np.linalg.norm(np.diff(ends, axis=0), axis=1)[1 : swing // 2].argmax()) + 1
    x, y, _ = ends[fastest] if hit else 1.3 * ends[fastest]
    pin = Cylinder(x_m=x, y_m=y, radius_m=0.00018, height_m=0.1)
    engine = registry.create(scene(pin))
    report = engine.advance(swung, steps)
    assert report.ok is not hit, report.message
    if hit:
        assert (
            f"In step {rest + fastest} " in report.message
            or f"In step {rest + fastest + 1} " in report.message
        )
        assert "link 1 passes through obstacle 1 (a cylinder)" in report.message
        assert report.steps == engine.step_count


@pytest.mark.parametrize("model", MODELS)
def test_check_predicts_starts_that_are_too_fast(model: str) -> None:
    scene = thrown(model, wall(y=1.0, name="Fence"), velocity=(0.0, 3.2))
    (problem,) = [problem for problem in registry.check(scene) if "pass through" in problem.message]
    assert (problem.severity, problem.key, problem.obstacles) == ("warning", "solver.step_s", (0,))
    assert "12.8" in problem.message
    assert "0.004" in problem.message
    assert "obstacle 1" in problem.message
    assert problem.remedy == "set it to at most 0.0039 s"
    mended = with_values(scene, {"solver.step_s": 0.0039, "control.period_s": 0.0039})
    assert not [problem for problem in registry.check(mended) if "pass through" in problem.message]
    slower = thrown(model, wall(y=1.0), velocity=(0.0, 3.1))
    assert not [problem for problem in registry.check(slower) if "pass through" in problem.message]


@pytest.mark.parametrize("model", MODELS)
def test_check_predicts_gaits_that_are_too_fast(model: str) -> None:
    """Two links in line that bend at a rate A w rotate at half of that rate each, about their common joint."""
    values = {
        "model.kind": model,
        "robot.n_links": 2,
        "robot.link_length_m": 0.2,
        "robot.contact_half_length_m": 0.1,
        "robot.radius_m": 0.01,
        "gait.amplitude_deg": 30.0,
        "gait.frequency_deg_s": 7200.0,
        "solver.step_s": 0.004,
        "control.soft_start_deg": 0.0,
        "control.period_s": 0.004,
    }
    pin = Cylinder(x_m=3, y_m=0, radius_m=0.002, height_m=0.1)
    scene = with_values(Scene(), values).model_copy(update={"obstacles": (pin,)})
    (problem,) = [problem for problem in registry.check(scene) if "pass through" in problem.message]
    distance = float(problem.message.split("moves up to ")[1].split(" mm")[0])
    rate = math.radians(30.0) * math.radians(7200.0)
    assert distance == pytest.approx(1e3 * 0.004 * 0.5 * rate * 0.1, rel=0.03), (
        "the links' middles go half as far"
    )
    assert "obstacle 1" in problem.message
    slow = with_values(scene, {"gait.frequency_deg_s": 0.9 * 7200.0 * 12.0 / distance})
    assert not [problem for problem in registry.check(slow) if "pass through" in problem.message]


def test_link_not_stopped_by_damping_is_detected_in_short_steps() -> None:
    values = {
        "solver.step_s": 0.001,
        "control.period_s": 0.001,
        "ground.obstacle_damping_ns_per_m": 0.0,
    }
    pin = Cylinder(x_m=0.11, y_m=0.05, radius_m=0.004, height_m=0.1)
    scene = thrown("planar_nonholonomic", pin, velocity=(0.0, 1.0), **values)
    report = registry.create(scene).advance(still(scene), 100)
    message = (
        "link 2 passes through obstacle 1 (a cylinder), whose damping does not stop it. Increase "
    )
    assert (
        message + "ground.obstacle_damping_ns_per_m from 0 to 1000, or slow the robot down"
        in report.message
    )
    mended = with_values(scene, {"ground.obstacle_damping_ns_per_m": 1000.0})
    report = registry.create(mended).advance(still(mended), 100)
    assert report.ok, "the remedy holds"


def test_crossings_of_posts_agree_with_sampled_axes() -> None:
    """Random paths of a link among posts: its densely sampled axis comes within a tenth of a post's radius."""
    generator = np.random.default_rng(3)
    posts = [
        Cylinder(x_m=0.4 * k, y_m=0.3, radius_m=0.02 + 0.02 * k, height_m=0.1) for k in range(4)
    ]
    watch = watch_of(thrown("planar_nonholonomic", *posts))
    outcomes = []
    for _ in range(200):
        before, after = np.zeros((2, 1, 3))
        before[0] = generator.uniform([-0.1, 0.2, -np.pi], [1.3, 0.4, np.pi])
        after[0] = before[0] + generator.normal(0.0, [0.1, 0.1, 0.3])
        ends = [_ends(q, 0.04)[0, :, :2] for q in (before, after)]
        fraction = np.linspace(0.0, 1.0, 300)[:, None, None]
        along = np.linspace(0.0, 1.0, 200)[None, :, None]
        moved = ends[0] + fraction * (ends[1] - ends[0])
        axis = moved[:, :1] + along * (moved[:, 1:] - moved[:, :1])
        distance = [
            np.linalg.norm(axis - [post.x_m, post.y_m], axis=2).min(axis=1) / post.radius_m
            for post in posts
        ]
        if any(
            0.05 < away.min() < 0.13 for away in distance
        ):  # paths are checked in parts of a core's radius
            continue
        entered = {number for number, away in enumerate(distance) if away.min() < 0.1 < away[0]}
        crossing = watch.first(before, after)
        assert (crossing is not None) == bool(entered)
        assert crossing is None or crossing.obstacle in entered
        outcomes.append(bool(entered))
    assert 10 < sum(outcomes) < len(outcomes) - 50


def test_sinking_link_is_checked_only_near_the_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    post = Cylinder(x_m=0.1, y_m=0.12, radius_m=0.1, height_m=0.1)
    values = {
        "ground.obstacle_damping_ns_per_m": 3.0,
        "solver.step_s": 0.001,
        "control.period_s": 0.001,
    }
    engine = registry.create(thrown("planar_nonholonomic", post, velocity=(0.0, 1.0), **values))
    depths = []
    examine = Crossings.first

    def recorded(self: Any, before: Any, after: Any) -> Any:
        depths.append(float(after[1, 1]))
        return examine(self, before, after)

    monkeypatch.setattr(Crossings, "first", recorded)
    while engine.advance(still(engine.scene), 1).ok and engine.step_count < 150:
        if (
            engine.snapshot().link_pose[1, 1] < 0.1
        ):  # 2 cm before the middle, the core has a radius of 1 cm
            assert not depths
    assert depths, "then it came near"
    assert min(depths) > 0.1
