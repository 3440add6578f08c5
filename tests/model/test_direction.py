"""Forward, heading, left and right: against rotations of scipy, for either end as head, and in every output."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import snakestudio as ss
from snakestudio._arrays import FloatArray
from snakestudio.model import direction
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Contacts, Snapshot
from snakestudio.paths import scenes_dir

STATE = (
    "forward",
    "heading",
    "head_heading",
    "link_heading",
    "link_yaw",
    "link_obstacle_force",
    "link_ground_force",
)
FORWARD = (
    ("compliant_passage", 3.0),
    ("continuum_snake_2d", 3.0),
    ("continuum_snake_3d", 3.0),
    ("continuum_undulation", 3.0),
    ("cpg_undulation", 4.0),
    ("friction_patches", 6.0),
    ("inchworm", 3.0),
    ("jam_resolution", 4.0),
    ("jam_resolution_3d", 3.0),
    ("lagrangian_undulation", 6.0),
    ("obstacle_aided", 4.0),
    ("obstacle_aided_3d", 3.0),
    ("path_following", 6.0),
    ("planar_swimmer_9", 3.0),
    ("pole_climb", 6.0),
    ("roll_yaw", 4.0),
    ("spatial_lateral_undulation", 3.0),
    ("table_gait", 3.0),
    ("teleoperation", 6.0),
    ("wheeled_snake", 3.0),
    ("worm", 3.0),
)
"""Bundled scenes whose robot travels head first, and seconds after which this is visible. The others sidewind,
roll, slip on isotropic friction, or cross rubble and stairs by sidewinding."""

TURNED = 1e-3
"""Largest difference of angles between two numberings, rad: solvers end at residuals of 1e-8, on other paths."""


def scene_of(name: str) -> Scene:
    return load_scene(scenes_dir() / f"{name}.toml")


def renumbered(scene: Scene) -> Scene:
    """Return the same robot with its links numbered from the other end.

    x axes are reversed and the joint angles change their signs and order, so A sin(w t + i d) becomes
    -A sin(w t + (m - 1 - i) d).
    """
    gait = scene.gait
    shift = gait.phase_shift_deg  # type: ignore[attr-defined]
    return with_values(
        scene,
        {
            "robot.head": "last" if scene.robot.head == "first" else "first",
            "gait.phase_shift_deg": -shift,
            "gait.phase_deg": (gait.phase_deg + 180.0 + (scene.robot.n_joints - 1) * shift) % 360.0,  # type: ignore[attr-defined]
            "gait.offset_deg": -gait.offset_deg,  # type: ignore[attr-defined]
            "start.heading_deg": scene.start.heading_deg + 180.0,  # type: ignore[union-attr]
        },
    )


def mirrored(scene: Scene) -> Scene:
    """Return the mirror image of a scene in the plane y = 0."""
    values: dict[str, Any] = {
        "gait.phase_deg": scene.gait.phase_deg + 180.0,  # type: ignore[attr-defined]
        "start.heading_deg": -scene.start.heading_deg,  # type: ignore[union-attr]
        "start.y_m": -scene.start.y_m,  # type: ignore[union-attr]
    }
    for k, obstacle in enumerate(scene.obstacles, start=1):
        values[f"obstacles[{k}].y_m"] = -obstacle.y_m  # type: ignore[attr-defined]
    return with_values(scene, values)


def poses(generator: np.random.Generator, *shape: int) -> tuple[FloatArray, Rotation]:
    """Return random poses, and their rotations."""
    turned = Rotation.random(math.prod(shape), random_state=generator)
    pose = np.zeros((*shape, 7))
    pose[..., 3:] = turned.as_quat()[:, [3, 0, 1, 2]].reshape(*shape, 4)
    return pose, turned


@pytest.mark.parametrize("head_last", [False, True])
def test_axes_and_frames_equal_rotations_of_scipy(head_last: bool) -> None:
    pose, turned = poses(np.random.default_rng(0), 5, 4)
    sign = 1.0 if head_last else -1.0
    axes = sign * turned.apply([1.0, 0.0, 0.0]).reshape(5, 4, 3)
    np.testing.assert_allclose(direction.link_axes(pose, head_last), axes, atol=1e-15)
    mean = axes.mean(axis=1)
    unit = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    np.testing.assert_allclose(direction.forward(pose, head_last), unit, atol=1e-14)
    yaw = turned.as_euler("ZYX")[:, 0].reshape(5, 4)
    np.testing.assert_allclose(direction.link_yaw(pose), yaw, atol=1e-13)
    vectors = np.random.default_rng(1).standard_normal((5, 4, 3))
    own = turned.inv().apply(vectors.reshape(-1, 3)).reshape(5, 4, 3) * (sign, sign, 1.0)
    np.testing.assert_allclose(direction.in_link_frames(vectors, pose, head_last), own, atol=1e-14)


def test_heading_is_right_near_half_a_turn() -> None:
    pose = np.zeros((2, 7))
    half = np.radians([179.0, -177.0]) / 2.0
    pose[:, 3], pose[:, 6] = np.cos(half), np.sin(half)
    assert direction.heading(direction.forward(pose, True)) == pytest.approx(np.radians(-179.0))
    assert direction.heading(direction.forward(pose, False)) == pytest.approx(np.radians(1.0))


@pytest.mark.parametrize(
    ("vector", "angle"),
    [((-1.0, -0.0, 0.0), math.pi), ((-1.0, 0.0, 0.0), math.pi), ((1.0, -0.0, 0.0), 0.0)],
)
def test_heading_of_an_axis_has_one_value(vector: tuple[float, ...], angle: float) -> None:
    result = float(direction.heading(np.array(vector)))
    assert (result, math.copysign(1.0, result)) == (angle, 1.0)


def test_ring_has_no_forward_direction() -> None:
    pose = np.zeros((2, 7))
    pose[0, 3] = pose[1, 6] = 1.0  # opposite axes
    assert np.isnan(direction.forward(pose, True)).all()


def test_single_link_has_the_head_of_its_scene() -> None:
    values = {"robot.n_links": 1}
    for head, heading in (("first", math.pi), ("last", 0.0)):  # of the x axis: 0
        scene = with_values(
            scene_of("lagrangian_undulation"),
            {**values, "robot.head": head, "start": {"kind": "straight", "heading_deg": 0.0}},
        )
        with ss.open_simulation(scene) as simulation:
            assert simulation.state.link_yaw[0] == pytest.approx(0.0, abs=1e-9)
            assert simulation.state.heading == pytest.approx(heading, abs=1e-9)


@pytest.mark.parametrize(("name", "seconds"), FORWARD, ids=[name for name, _ in FORWARD])
def test_bundled_robots_travel_forward(name: str, seconds: float) -> None:
    run = ss.simulate(scenes_dir() / f"{name}.toml", duration=seconds)
    forward = np.array([run[f"forward_{axis}"].mean() for axis in "xyz"])
    travel = np.array([np.ptp(run[f"com_{axis}_m"][[0, -1]]) for axis in "xyz"])
    travel *= [np.sign(run[f"com_{axis}_m"][-1] - run[f"com_{axis}_m"][0]) for axis in "xyz"]
    assert travel @ forward > 0.85 * np.linalg.norm(travel) > 0.0
    assert run.scene.body.head_part in (0, run.scene.body.n_parts - 1)


@pytest.mark.parametrize(
    "name",
    [
        "lagrangian_undulation",
        "wheeled_snake",
        "obstacle_aided_small",
        "spatial_lateral_undulation",
    ],
)
def test_numbering_of_links_changes_no_direction(name: str) -> None:
    scene = scene_of(name)
    states = []
    for each in (scene, renumbered(scene)):
        with ss.open_simulation(each) as simulation:
            simulation.step(n=round(0.4 / each.solver.step_s))
            states.append(simulation.state.copy())
    one, other = states
    assert (one.head, one.turn_sign) != (other.head, other.turn_sign)
    yaw = [axis.kind == "yaw" for axis in scene.body.axes]
    np.testing.assert_allclose(other.joint_angle[yaw], -one.joint_angle[yaw][::-1], atol=TURNED)
    np.testing.assert_allclose(other.forward, one.forward, atol=TURNED)
    np.testing.assert_allclose(other.link_heading[::-1], one.link_heading, atol=TURNED)
    assert other.heading == pytest.approx(one.heading, abs=TURNED)
    assert other.head_heading == pytest.approx(one.head_heading, abs=TURNED)
    np.testing.assert_allclose(np.cos(other.link_yaw[::-1] - one.link_yaw), -1.0, atol=1e-5)
    for force in ("link_obstacle_force", "link_ground_force"):
        expected = getattr(one, force)
        # Several forces of the ground solve a step of the spatial model; a wrong sign differs by 4 N.
        np.testing.assert_allclose(getattr(other, force)[::-1], expected, atol=1.0)


@pytest.mark.parametrize("name", ["lagrangian_undulation", "obstacle_aided_small", "wheeled_snake"])
def test_mirrored_scene_has_mirrored_directions(name: str) -> None:
    scene = with_values(scene_of(name), {"start.heading_deg": 20.0, "start.y_m": 0.0})
    if scene.obstacles:
        scene = with_values(
            scene, {"start.heading_deg": 0.0, "start.y_m": scene_of(name).start.y_m}
        )  # type: ignore[union-attr]
    states = []
    for each in (scene, mirrored(scene)):
        with ss.open_simulation(each) as simulation:
            simulation.step(n=round(1.0 / each.solver.step_s))
            states.append(simulation.state.copy())
    one, other = states
    assert other.heading == pytest.approx(-one.heading, abs=1e-6)
    assert other.head_heading == pytest.approx(-one.head_heading, abs=1e-6)
    np.testing.assert_allclose(other.forward, one.forward * (1, -1, 1), atol=1e-6)
    np.testing.assert_allclose(np.cos(other.link_yaw + one.link_yaw), 1.0, atol=1e-9)
    for force in ("link_obstacle_force", "link_ground_force"):
        expected = getattr(one, force) * (1, -1, 1)
        np.testing.assert_allclose(getattr(other, force), expected, atol=1e-3)


def test_turn_sign_bends_the_front_to_the_left() -> None:
    for head in ("first", "last"):
        scene = with_values(
            scene_of("lagrangian_undulation"),
            {"robot.head": head, "start": {"kind": "straight", "heading_deg": 0.0}},
        )
        with ss.open_simulation(scene) as simulation:
            state = simulation.state
            simulation.step(np.full(9, 0.1 * state.turn_sign), n=400)
            relative = state.link_heading[state.head] - state.link_heading[9 - state.head]
            assert math.sin(relative) > 0.5  # the head points to the left of the tail


def test_forces_are_those_of_the_contacts() -> None:
    k = 3
    pose, turned = poses(np.random.default_rng(2), 2)
    normal, friction = np.random.default_rng(3).standard_normal((2, k, 3))
    contacts = Contacts(
        np.array([1, 0, 1], np.int32),
        np.array([4, -1, 0], np.int32),
        np.zeros((k, 3)),
        normal,
        friction,
        np.zeros(k, np.int32),
    )
    none = np.zeros(1)
    state = Snapshot(0.0, pose, np.zeros((2, 6)), none, none, none, none, none, contacts)
    pushed = (normal + friction)[[0, 2]].sum(axis=0)
    own = turned[1].inv().apply(pushed) * (-1, -1, 1)  # the head is the first link
    np.testing.assert_allclose(state.link_obstacle_force, [[0, 0, 0], own], atol=1e-14)
    own = turned[0].inv().apply((normal + friction)[1]) * (-1, -1, 1)
    np.testing.assert_allclose(state.link_ground_force, [own, [0, 0, 0]], atol=1e-14)


@pytest.mark.parametrize("name", ["obstacle_aided_small", "jam_resolution_3d"])
def test_state_batch_and_columns_agree(name: str) -> None:
    scene = with_values(scene_of(name), {"run.log_rate_hz": 20.0, "controller.kind": "none"})
    steps = round(0.05 / scene.solver.step_s)
    target = 0.2 * np.sin(np.arange(len(scene.body.axes)))
    with ss.open_simulation(scene) as single, ss.open_batch(scene, 2) as batch:
        single.record()
        assert not batch.state.link_ground_force.any()
        for _ in range(6):
            single.step(target, n=steps)
            batch.step(target, steps)
        run = single.run
        state = single.state
        assert np.abs(state.link_ground_force).max() > 0.0
        for name in STATE:
            batch_values = getattr(batch.state, name)
            np.testing.assert_allclose(batch_values[0], getattr(state, name), atol=1e-9)
            np.testing.assert_array_equal(batch_values[0], batch_values[1])
        assert run["time_s"][-1] == pytest.approx(0.3)
        assert run["heading_rad"][-1] == state.heading
        assert run["head_heading_rad"][-1] == state.head_heading
        np.testing.assert_array_equal([run[f"forward_{a}"][-1] for a in "xyz"], state.forward)
        for k in range(scene.robot.n_links):
            assert run[f"link_{k + 1}_yaw_rad"][-1] == state.link_yaw[k]
            for other in ("obstacle", "ground"):
                columns = [f"link_{k + 1}_{other}_{axis}_n" for axis in ("along", "across", "up")]
                forces = getattr(state, f"link_{other}_force")[k]
                np.testing.assert_allclose([run[c][-1] for c in columns], forces, atol=1e-9)
        batch.reset(np.array([True, False]))
        assert not batch.state.link_ground_force[0].any()
        assert batch.state.link_ground_force[1].any()


def test_channel_of_a_controller_replaces_the_column() -> None:
    scene = with_values(scene_of("path_following"), {"run.log_rate_hz": 20.0})
    run = ss.simulate(scene, duration=2.0)
    assert run.columns.count("heading_rad") == 1
    names = run.columns
    assert names.index("heading_rad") + 1 == names.index("heading_ref_rad")  # its next channel
    mean = np.arctan2(run["forward_y"], run["forward_x"])
    # A row has what the controller measured at the start of its last period. Its heading is the
    # mean of angles, not of vectors.
    np.testing.assert_allclose(run["heading_rad"][1:], mean[1:], atol=np.radians(3.0))
