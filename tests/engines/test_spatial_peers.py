"""The spatial engine against independent engines: MuJoCo, and the planar engine where both must agree."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.solids import Block
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.world import Ground
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline
from tests.engines import planar
from tests.engines.common import gait_reference
from tests.engines.spatial import case_scene, in_space, matrices
from tests.peers import mujoco_robot


def track(scene: Scene, seconds: float, every: float = 0.05) -> FloatArray:
    """Return centres of gravity of all links, with a row every `every` seconds, (k, n, 3)."""
    engine = registry.create(scene)
    steps = round(seconds / scene.solver.step_s)
    stride = round(every / scene.solver.step_s)
    report = engine.advance(gait_reference(scene, steps), steps, range(stride, steps + 1, stride))
    assert report.ok, report.message
    assert report.unconverged <= 1e-3 * steps
    return report.rows.link_pose[..., :3]


def net_speed(link_6: FloatArray) -> float:
    """Return the net speed between 4.5 and 13.5 s, two cycles of the gait, of a track with 20 rows/s from 0.05 s on."""
    return float(np.linalg.norm(link_6[269, :2] - link_6[89, :2])) / 9.0


def test_sidewinding_is_as_fast_as_in_mujoco() -> None:
    # PHYSICS.md: MuJoCo, ODE, PyBullet and Drake give 0.104 to 0.106 m/s. MuJoCo runs here, with
    # its own contacts.
    scene = case_scene("sidewinding")
    steps = round(13.5 / scene.solver.step_s)
    loop = mujoco_robot.mujoco_loop(scene, steps * scene.solver.step_s)
    theirs = mujoco_robot.link_track(loop.model, loop.states[199::200], 5)
    assert 0.104 <= net_speed(theirs) <= 0.106
    ours = track(scene, 13.5)[:, 5]
    assert 0.104 <= net_speed(ours) <= 0.106
    assert net_speed(ours) == pytest.approx(net_speed(theirs), rel=0.015)


def test_speed_between_obstacles_is_that_of_the_planar_model() -> None:
    # Friction acts at one point per link in the plane and at two here: a twentieth of the speed.
    scene = planar.case_scene("obstacle_aided")
    flat = track(scene, 10.0)
    space = track(in_space(scene), 10.0)
    speed = [(t[-1, 5, 0] - t[0, 5, 0]) / 9.95 for t in (flat, space)]
    assert speed[0] == pytest.approx(0.160, abs=0.002)
    assert speed[1] == pytest.approx(speed[0], rel=0.05)
    assert np.abs(space[..., 2] - 0.0525).max() < 1e-4


def test_frictionless_motion_among_obstacles_is_planar() -> None:
    # Smooth ground, upright posts: nothing couples the horizontal to the vertical motion, both
    # engines solve the same equations with the same time stepping, and impulses are unique. The
    # remaining difference is the rounding of different formulations, amplified by impacts for three
    # seconds (PHYSICS.md: 1e-9 rad at the start moves the end by up to 3e-5 m).
    ground = Ground(mu_along=0.0, mu_across=0.0, mu_rolling=0.0)
    scene = planar.case_scene("obstacle_aided", ground=ground)
    flat = track(scene, 3.0)
    space = track(in_space(scene), 3.0)
    assert np.linalg.norm(flat[-1, :, :2] - flat[0, :, :2], axis=1).min() > 0.05
    assert np.linalg.norm(space[..., :2] - flat[..., :2], axis=-1).max() < 1e-4


@pytest.mark.parametrize("friction", [(0.2, 0.2), (0.1, 0.5)])
def test_thin_single_contact_links_slide_as_in_the_plane(
    friction: tuple[float, float],
) -> None:
    # The planar model's assumption holds exactly: both spheres of a link at its centre of gravity,
    # and so thin that friction does not shift load between links (by R / L = 1/122 of the
    # friction). Each link then carries its own weight.
    scene = planar.case_scene("lateral_undulation_isotropic")
    robot = scene.robot.model_copy(update={"contact_half_length_m": 0.0, "radius_m": 1e-3})
    start = scene.start.model_copy(
        update={"position_m": tuple((x, y, 1e-3) for x, y, _ in scene.start.position_m)}  # type: ignore[union-attr]
    )
    gait = LateralUndulation(kind="lateral_undulation", amplitude_deg=40.0)
    ground = Ground(mu_along=friction[0], mu_across=friction[1], mu_rolling=0.0)
    scene = scene.model_copy(
        update={"robot": robot, "start": start, "gait": gait, "ground": ground}
    )
    flat = track(scene, 6.0)
    space = track(in_space(scene), 6.0)
    path = np.linalg.norm(np.diff(flat, axis=0)[..., :2], axis=-1).sum(axis=0).min()
    assert np.linalg.norm(space[..., :2] - flat[..., :2], axis=-1).max() < 0.01 * path


def depth_in_blocks(scene: Scene, pose: FloatArray) -> float:
    """Return the depth of the deepest capsule of poses (n, 7) in the blocks of `scene`, m (negative: distance).

    The signed distance to a box is convex along a straight line, so the minimum on a link's axis is
    found by narrowing a bracket around the minimum of some samples.
    """
    blocks = [
        s for obstacle in scene.obstacles for s in obstacle_solids(obstacle) if isinstance(s, Block)
    ]
    centre = np.array([b.centre for b in blocks])
    half = np.array([b.half for b in blocks])
    rotation = np.array([b.rotation for b in blocks])
    axis = matrices(pose)[:, :, 0]
    arm = scene.robot.contact_half_length_m

    def distance(s: FloatArray) -> FloatArray:
        """Return the signed distances of points s (n, b, k) along every axis to every block, in the same shape."""
        point = pose[:, None, None, :3] + s[..., None] * axis[:, None, None, :]
        local = (
            np.abs(np.einsum("bij,nbki->nbkj", rotation, point - centre[None, :, None, :]))
            - half[None, :, None, :]
        )
        outside = np.linalg.norm(np.maximum(local, 0.0), axis=-1)
        result: FloatArray = outside + np.minimum(local.max(axis=-1), 0.0)
        return result

    low = np.full((len(pose), len(blocks)), -arm)
    high = -low
    for _ in range(6):
        samples = low[..., None] + (high - low)[..., None] * np.linspace(0.0, 1.0, 9)
        best = distance(samples).argmin(axis=-1)[..., None]
        low = np.take_along_axis(samples, np.maximum(best - 1, 0), -1)[..., 0]
        high = np.take_along_axis(samples, np.minimum(best + 1, 8), -1)[..., 0]
    return scene.robot.radius_m - float(distance(0.5 * (low + high)[..., None]).min())


def test_penetration_depth_agrees_with_mujoco() -> None:
    # Where capsule and block are apart, MuJoCo's distance is also exact.
    scene = case_scene("sidewinding", obstacles=load_scene(scenes_dir() / "rubble.toml").obstacles)
    model, data = mujoco_robot.build(scene)
    pose = initial_state(scene)[0]
    pose[:, 2] += 0.2
    mujoco_robot.set_state(scene, data, pose, np.zeros((11, 6)))
    mujoco.mj_forward(model, data)
    capsules = [g for g in range(model.ngeom) if model.geom(g).name.startswith("link_")]
    boxes = [g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX]
    theirs = min(
        mujoco.mj_geomDistance(model, data, c, b, 10.0, None) for c in capsules for b in boxes
    )
    assert theirs > 0.01
    assert -depth_in_blocks(scene, pose) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("name", ["stairs", pytest.param("rubble", marks=pytest.mark.soak)])
def test_links_do_not_tunnel_into_terrain(name: str) -> None:
    # A contact is detected at the midpoint of the step in which it closes: the depth of a link is
    # at most the distance it moves in a step at the speed of the impact, at the row or earlier (it
    # stays that deep); between rows it falls at most 0.1 m/s faster. 0.05 mm is for the drift of a
    # position that is held only by velocities.
    scene = load_scene(scenes_dir() / f"{name}.toml")
    result = run_offline(scene)
    assert result.ok, result.message
    rows = result.recording.rows(0, len(result.recording))
    assert np.any(rows.impulse_obstacle[-1] != 0.0)
    twist = rows.link_twist
    pose = rows.link_pose[::3]
    reach = scene.robot.contact_half_length_m + scene.robot.radius_m
    speed = (
        np.linalg.norm(twist[..., :3], axis=-1) + reach * np.linalg.norm(twist[..., 3:], axis=-1)
    ).max(axis=1)
    speed = (
        np.maximum.accumulate(speed)[::3] + 0.1
    )  # a penetration persists, so every third row is enough
    end = scene.robot.contact_half_length_m * np.abs(matrices(pose)[..., 2, 0])
    ground = scene.robot.radius_m - (pose[..., 2] - end).min(axis=1)
    depth = np.maximum(ground, [depth_in_blocks(scene, p) for p in pose])
    assert np.all(depth <= speed * scene.solver.step_s + 5e-5)
