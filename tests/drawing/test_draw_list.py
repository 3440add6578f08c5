"""Contents of a draw list."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from snakestudio.drawing import quaternion
from snakestudio.drawing import robot as robot_parts
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.floor import grid_lines, grid_step
from snakestudio.drawing.meshes import MESHES, build_mesh
from snakestudio.drawing.overlays import Ghost, Overlays, Pick, PullMark, Trail
from snakestudio.drawing.style import DARK, LIGHT
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.pull import usual_stiffness
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

from .scenery import HIGH, LOW, lifted_pose, obstacle_scene, serpenoid_pose, snapshot, trail

CAMERA = Camera().frame(LOW, HIGH, 16 / 9)
PLAIN = Overlays(show_forces=False, show_grid=False)


def _links(drawn) -> int:
    return sum(len(drawn.opaque.get(mesh, ())) for mesh in ("link", "end_link", "capsule"))


def test_robot_obstacles_and_joints_are_drawn():
    drawn = build(obstacle_scene(), snapshot(), PLAIN, CAMERA)
    assert _links(drawn) == 11
    assert len(drawn.opaque["end_link"]) == 2, "both ends are closed"
    assert len(drawn.opaque["ring"]) == 10
    assert len(drawn.obstacles) == 7
    assert drawn.marks == {}
    link = drawn.opaque["link"][0]
    assert link[3] == pytest.approx(0.0393)
    assert link[12] == pytest.approx(0.0525)
    assert np.allclose(link[:3], serpenoid_pose()[1, :3], atol=1e-6)


def test_head_faces_forward_at_either_end():
    for head, index, sign in (("first", 0, -1), ("last", 10, 1)):
        scene = Scene(robot=Robot(head=head))
        drawn = build(scene, snapshot(with_contacts=False), PLAIN, CAMERA)
        row = drawn.opaque["eyes"][0].astype(float)
        forward = quaternion.rotate(row[[7, 4, 5, 6]], np.array((1.0, 0, 0)))
        axis = robot_parts.chain(serpenoid_pose()).axis[index]
        assert np.allclose(forward, sign * axis, atol=1e-6)
        assert np.allclose(row[:3], serpenoid_pose()[index, :3], atol=1e-6)
        up = quaternion.rotate(row[[7, 4, 5, 6]], np.array((0, 0, 1.0)))
        assert np.allclose(up, (0, 0, 1), atol=1e-6)


def test_links_without_a_pose_are_not_drawn():
    pose = serpenoid_pose()
    pose[[0, 4]] = np.nan
    drawn = build(obstacle_scene(), snapshot(pose, with_contacts=False), PLAIN, CAMERA)
    assert _links(drawn) == 9
    assert "eyes" not in drawn.opaque
    assert len(drawn.opaque["ring"]) == 7
    for batch in (*drawn.opaque.values(), drawn.obstacles):
        assert np.isfinite(batch).all()
    assert np.isfinite(drawn.low).all()


def test_robot_without_valid_poses_is_not_drawn():
    blind = dataclasses.replace(snapshot(), valid=Fields.JOINTS)
    for held in (None, blind):
        drawn = build(obstacle_scene(), held, Overlays(show_com=True, reference_ghost=True), CAMERA)
        assert drawn.opaque == {}
        assert drawn.marks == {}
        assert len(drawn.obstacles) == 7
    empty = build(Scene(), None, Overlays(), CAMERA)
    assert np.isnan(empty.low).all()


def test_joints_that_do_not_overlap_get_shafts():
    robot = Robot(link_length_m=0.3, contact_half_length_m=0.04, radius_m=0.05)
    n = robot.n_links
    pose = np.zeros((n, 7))
    pose[:, 0] = 0.3 * np.arange(n)
    pose[:, 2] = 0.05
    pose[:, 3] = 1
    drawn = build(Scene(robot=robot), snapshot(pose, with_contacts=False), PLAIN, CAMERA)
    assert len(drawn.opaque["rod"]) == n - 1
    assert "ring" not in drawn.opaque
    assert len(drawn.opaque["end_link"]) == n


def test_obstacles_are_created_once():
    scene = obstacle_scene()
    first = build(scene, snapshot(), PLAIN, CAMERA)
    moved = build(scene, snapshot(lifted_pose()), PLAIN, Camera(distance=9))
    assert moved.obstacles is first.obstacles
    assert not first.obstacles.flags.writeable
    chosen = build(scene, snapshot(), Overlays(selection=(Pick("obstacle", 2),)), CAMERA)
    assert chosen.obstacles is not first.obstacles
    other = build(obstacle_scene(0.2), snapshot(), PLAIN, CAMERA)
    assert other.obstacles is not first.obstacles


def test_force_arrows():
    held = snapshot()
    normal = build(obstacle_scene(), held, Overlays(force_scale=0.01), CAMERA).marks["arrow"]
    loaded = held.contacts.other >= 0
    assert len(normal) == loaded.sum()
    sizes = np.linalg.norm(held.contacts.force_normal[loaded], axis=1)
    assert np.allclose(2 * normal[:, 3], 0.01 * sizes, rtol=1e-5)
    assert np.allclose(normal[:, 8:11], np.square(DARK.force), atol=1e-6)
    x, y, z, w = normal[:, 4:8].astype(float).T
    direction = quaternion.rotate(
        np.stack((w, x, y, z), axis=1), np.tile((1.0, 0, 0), (len(normal), 1))
    )
    assert np.allclose(direction, held.contacts.force_normal[loaded] / sizes[:, None], atol=1e-5)

    both = build(obstacle_scene(), held, Overlays(show_friction_forces=True), CAMERA).marks["arrow"]
    assert len(both) == loaded.sum() + 11
    assert np.allclose(both[-1, 8:11], np.square(DARK.friction), atol=1e-6)
    strong = build(
        obstacle_scene(), held, Overlays(show_friction_forces=True, force_minimum=30.0), CAMERA
    )
    assert len(strong.marks["arrow"]) == (sizes >= 30).sum()


def test_contact_points_are_coloured_by_state():
    drawn = build(
        obstacle_scene(), snapshot(), Overlays(show_forces=False, show_contact_points=True), CAMERA
    )
    colours = drawn.marks["sphere"][:, 8:11]
    states = snapshot().contacts.state
    assert np.allclose(colours[states == 1], np.square(DARK.stick), atol=1e-6)
    assert np.allclose(colours[states == 2], np.square(DARK.slip), atol=1e-6)


def test_centre_of_mass():
    drawn = build(obstacle_scene(), snapshot(), Overlays(show_forces=False, show_com=True), CAMERA)
    assert np.allclose(drawn.marks["mass"][0, :3], snapshot().centre_of_mass, atol=1e-6)


def test_trails_break_at_gaps_and_are_thinned():
    broken = trail()
    broken[50] = np.nan
    assert len(build(obstacle_scene(), None, Overlays(trail=broken), CAMERA).lines) == 199 - 2
    long = np.cumsum(np.full((50001, 3), 1e-4), axis=0)
    lines = build(obstacle_scene(), None, Overlays(trail=(Trail(long, (1, 0, 0)),)), CAMERA).lines
    assert len(lines) <= 4000
    assert np.allclose(lines[-1, 4:7], long[-1], atol=1e-5), "it ends at the robot"
    assert np.allclose(lines[0, 8:11], (1, 0, 0))


def test_selection_and_hover_get_outlines():
    overlays = Overlays(
        selection=(Pick("obstacle", 1), Pick("link", 3), Pick("link", 99)), hover=Pick("link", 4)
    )
    outlines = build(obstacle_scene(), snapshot(), overlays, CAMERA).outlines
    assert len(outlines["drum"]) == 1
    assert len(outlines["capsule"]) == 2
    assert (outlines["capsule"][:, 12] > 0.0525).all()
    same = Overlays(selection=(Pick("link", 4),), hover=Pick("link", 4))
    assert len(build(obstacle_scene(), snapshot(), same, CAMERA).outlines["capsule"]) == 1


def test_reference_ghost_coincides_with_a_robot_that_follows():
    pose = serpenoid_pose()
    heading = 2 * np.arctan2(pose[:, 6], pose[:, 3])
    reference = np.zeros(20)
    reference[::2] = np.diff(heading)
    ghost = robot_parts.reference_pose(pose, reference, Robot(), Robot().axes)
    assert np.allclose(ghost[:, :3], pose[:, :3], atol=1e-9)
    same = np.abs((ghost[:, 3:] * pose[:, 3:]).sum(axis=1))
    assert np.allclose(same, 1, atol=1e-9)


def test_positive_pitch_lowers_the_next_link():
    pose = np.zeros((2, 7))
    pose[:, 0] = (0, 0.122)
    pose[:, 2] = 0.5
    pose[:, 3] = 1
    ghost = robot_parts.reference_pose(
        pose, np.array([0.0, 0.3]), Robot(n_links=2), Robot(n_links=2).axes
    )
    axis = robot_parts.chain(ghost).axis
    assert axis[1, 2] < axis[0, 2]
    assert np.allclose(ghost[:, :3].mean(axis=0), pose[:, :3].mean(axis=0))


def test_ghosts_are_transparent():
    drawn = build(
        obstacle_scene(), None, Overlays(ghosts=(Ghost(serpenoid_pose(), (1, 1, 1), 0.2),)), CAMERA
    )
    assert len(drawn.ghosts[0]) == 11
    assert np.allclose(drawn.ghosts[0][:, 11], 0.2)


def test_grid_follows_the_scale():
    assert grid_step(4.1) == pytest.approx(1.0)
    assert grid_step(3.9) == pytest.approx(0.1)
    for distance in (0.2, 3.0, 300.0):
        camera = Camera(target=(1.234, -5.6, 0), distance=distance)
        lines = grid_lines(camera, LIGHT)
        assert 40 < len(lines) < 6000
        assert np.isfinite(lines).all()
        assert 4 < len(build(Scene(), None, Overlays(), Camera(distance=distance)).labels) < 60
    assert build(Scene(), None, Overlays(show_grid=False), CAMERA).labels == []


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("detail", [8, 24, 64])
def test_meshes_face_outwards(name, detail):
    mesh = build_mesh(name, detail)
    assert mesh.indices.max() < len(mesh.vertices)
    normal = mesh.vertices[:, 3:6]
    assert np.allclose(np.linalg.norm(normal, axis=1), 1, atol=0.02)
    at = mesh.vertices[:, :3].astype(float)
    at[:, 0] += mesh.vertices[:, 6]
    a, b, c = (at[mesh.indices[k::3]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", facing, normal[mesh.indices[::3]]) > -1e-6).all()


def test_thousand_links_are_drawn():
    drawn = build(
        Scene(robot=Robot(n_links=1000)), snapshot(serpenoid_pose(1000), False), PLAIN, CAMERA
    )
    assert _links(drawn) == 1000


def test_arrows_of_large_forces_end_in_the_view():
    held = snapshot()
    weak, strong = (
        build(obstacle_scene(), held, Overlays(force_scale=scale), CAMERA).marks["arrow"]
        for scale in (0.001, 10.0)
    )
    assert np.allclose(strong[:, 4:8], weak[:, 4:8]), "in the same directions"
    for row in strong:
        assert 2 * row[3] == pytest.approx(0.35 * float(CAMERA.view_height(row[:3])), rel=0.5)
    assert (2 * strong[:, 3] < 1.0).all()


def test_path_is_drawn_on_the_ground_with_arrows():
    path = GroundPath(waypoints_m=((0.0, 0.0), (2.0, 0.0), (2.0, 3.0)))
    scene = Scene(path=path)
    drawn = build(scene, None, PLAIN, CAMERA)
    lines = drawn.lines.astype(float)
    assert np.allclose(lines[:2, [0, 1, 4, 5]], [(0, 0, 2, 0), (2, 0, 2, 3)])
    assert np.allclose(lines[:, 8:11], DARK.path)
    assert (lines[:, [2, 6]] > 0).all()
    assert (lines[:, [2, 6]] < 0.01).all()
    # One arrow every half metre; the lines of each meet at a point of the path and are symmetric to
    # it.
    heads = lines[2:]
    assert len(heads) == 2 * 10
    on_first = heads[heads[:, 5] == 0.0]
    assert len(on_first) == 2 * 4
    assert (on_first[:, 0] < on_first[:, 4]).all()
    assert len(drawn.marks["sphere"]) == 3
    hidden = build(scene, None, dataclasses.replace(PLAIN, show_path=False), CAMERA)
    assert len(hidden.lines) == 0
    assert hidden.marks == {}


def test_draft_replaces_the_path_from_its_first_point():
    scene = Scene(path=GroundPath(waypoints_m=((0.0, 0.0), (2.0, 0.0))))
    for count in range(4):
        points = ((5.0, 5.0), (6.0, 5.0), (6.0, 5.0))[
            :count
        ]  # the cursor is still on the last point
        draft = GroundPath(waypoints_m=points, shape="spline")
        drawn = build(scene, None, dataclasses.replace(PLAIN, draft=draft), CAMERA)
        assert len(drawn.marks.get("sphere", ())) == count
        assert not (drawn.lines[:, 0] < 4.0).any()
    chosen = dataclasses.replace(PLAIN, waypoint=1)
    radius = build(scene, None, chosen, CAMERA).marks["sphere"][:, 12]
    assert radius[1] > 1.3 * radius[0]


def test_points_that_guide_the_robot_are_marked():
    scene = Scene(path=GroundPath(waypoints_m=((0.0, 0.0), (2.0, 0.0))))
    seen = snapshot(with_contacts=False)
    assert len(build(scene, seen, PLAIN, CAMERA).marks["sphere"]) == 2
    control = {"path_x_m": 0.3, "path_y_m": 0.0, "look_ahead_x_m": 1.0, "look_ahead_y_m": 0.0}
    drawn = build(scene, dataclasses.replace(seen, control=control), PLAIN, CAMERA)
    assert np.allclose(drawn.marks["sphere"][2:, :2], [(0.3, 0.0), (1.0, 0.0)])
    sight = drawn.lines[-2].astype(float)
    assert np.allclose(sight[:2], seen.centre_of_mass[:2])
    assert np.allclose(sight[4:6], (1.0, 0.0))


def test_jammed_joints_are_marked():
    scene = obstacle_scene()
    shot = snapshot()
    own = dict.fromkeys(CONTROLLERS["leader_follower"].channels, 0.0)
    jammed = own | {f"joint_{j + 1}_jammed": float(j in (2, 6)) for j in range(10)}
    drawn = build(scene, dataclasses.replace(shot, control=jammed), PLAIN, CAMERA)
    balls = drawn.marks["sphere"]
    middles = 0.5 * (shot.link_pose[:-1, :3] + shot.link_pose[1:, :3])
    assert balls[:, :3] == pytest.approx(middles[[2, 6]], abs=1e-6)
    assert (balls[:, 12] > scene.robot.radius_m).all() or (balls[:, 3] > scene.robot.radius_m).all()
    resolving = build(
        scene, dataclasses.replace(shot, control={**jammed, "controller_state": 1.0}), PLAIN, CAMERA
    )
    assert not np.allclose(resolving.marks["sphere"], balls), (
        "another colour while a jam is being resolved"
    )
    none = dict.fromkeys(jammed, 0.0)
    assert build(scene, dataclasses.replace(shot, control=none), PLAIN, CAMERA).marks == {}


def test_pull_is_an_arrow_with_force_and_a_line():
    point = np.array((0.1, 0.2, 0.05))
    force = np.array((3.0, 4.0, 0.0))
    scene = obstacle_scene()
    without = build(obstacle_scene(), snapshot(), PLAIN, CAMERA)
    mark = PullMark(point, force, point + np.array((0.3, 0.4, 0.0)))
    drawn = build(scene, snapshot(), dataclasses.replace(PLAIN, pull=mark), CAMERA)
    (arrow,) = drawn.marks["arrow"]
    assert np.allclose(arrow[:3], point, atol=1e-6)
    assert 2.0 * arrow[3] == pytest.approx(5.0 / usual_stiffness(scene.body), rel=1e-6)
    assert [label.text for label in drawn.mark_labels] == ["5.0 N"]
    assert len(drawn.lines) == len(without.lines) + 1
    assert not without.mark_labels
    recorded = dataclasses.replace(mark, target=None)
    drawn = build(scene, snapshot(), dataclasses.replace(PLAIN, pull=recorded), CAMERA)
    assert len(drawn.lines) == len(without.lines)
    assert len(drawn.marks["arrow"]) == 1
