"""A continuous body in the draw list and in picking: tube, supports, arrows, outlines, ghosts, bounds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.extent import extent
from snakestudio.drawing.overlays import Ghost, Overlays, Pick
from snakestudio.drawing.picking import pick, pick_rectangle
from snakestudio.drawing.style import DARK
from snakestudio.model.body import ChainBody, ContinuousBody
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.robot import Robot
from snakestudio.model.robot.support import Friction, Rings
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from tests.drawing.continuum import INCHWORM, SNAKE, WORM, box, inchworm, snake, state, turned, worm
from tests.drawing.scenery import serpenoid_pose

ASPECT = 16 / 9


def _camera(held) -> Camera:
    return Camera().frame(*box(held), ASPECT)


def _drawn(scene: Scene, held, overlays: Overlays | None = None) -> DrawList:
    return build(scene, held, overlays or Overlays(), _camera(held))


def _radius(drawn: DrawList) -> np.ndarray:
    """Distance of the vertices from the axis at the cross-sections, (n,)."""
    assert drawn.tube is not None
    shape = drawn.tube.skin
    inner = slice(shape.head_rings, len(shape.middle) - shape.tail_rings)
    position = shape.rings.first + shape.rings.part
    at = [int(np.abs(position - k).argmin()) for k in range(len(drawn.links.known))]
    ring = shape.vertices.reshape(-1, shape.columns, 8)[inner][at, 0, :3]
    return np.linalg.norm(ring - shape.middle[inner][at], axis=1)


def test_tube_replaces_the_links():
    drawn = _drawn(SNAKE, snake())
    assert drawn.tube is not None
    assert {"visor", "eyes", "collar"} <= set(drawn.opaque)
    assert not {"link", "end_link", "capsule", "ring", "rod"} & set(drawn.opaque)
    shape = drawn.tube.skin
    assert np.isfinite(shape.vertices).all()
    low, high = shape.vertices[:, :3].min(axis=0), shape.vertices[:, :3].max(axis=0)
    assert (low >= drawn.low).all()
    assert (high <= drawn.high).all()
    assert build(Scene(), None, Overlays(), Camera()).tube is None


def test_head_points_away_from_the_body():
    drawn = _drawn(SNAKE, snake())
    row = drawn.opaque["eyes"][0].astype(float)
    assert np.allclose(row[:3], snake().link_pose[0, :3], atol=1e-6)
    x, y, z, w = row[4:8]
    forward = np.array((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)))
    assert np.allclose(forward, -drawn.links.axis[0], atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 20.0, None])
def test_radius_preserves_the_volume(scale):
    held = worm(0.004)
    drawn = _drawn(WORM, held, Overlays(stretch_scale=scale))
    assert drawn.tube is not None
    used = drawn.tube.stretch_scale
    if scale is not None:
        assert used == scale
    assert held.body is not None
    assert np.allclose(_radius(drawn), 0.02 * held.body.strain[:, 0] ** (-used / 2), rtol=2e-5)
    if scale is None:
        assert used == 50.0
        assert drawn.bar is not None
        assert drawn.bar.note == "radius changes drawn ×50"
    elif scale == 1.0:
        assert drawn.bar is None


def test_large_stretches_are_not_exaggerated():
    drawn = _drawn(WORM, worm(0.4))
    assert drawn.tube is not None
    assert drawn.tube.stretch_scale == 1.0
    assert drawn.bar is None


def test_colours_follow_the_quantity_and_the_range():
    held = worm(0.004)
    drawn = _drawn(WORM, held, Overlays(body_quantity="stretch"))
    assert drawn.tube is not None
    assert drawn.tube.span == pytest.approx((-0.004, 0.004))
    shape = drawn.tube.skin
    tint = drawn.tube.colours.reshape(-1, drawn.tube.skin.columns, 4)
    assert held.body is not None
    gamma = held.body.strain[:, 0]
    for section, blue in ((int(gamma.argmin()), True), (int(gamma.argmax()), False)):
        rows = np.flatnonzero(shape.section == section)
        red_part, _, blue_part, _ = tint[rows[len(rows) // 2], 0]
        assert (blue_part > red_part) == blue
    wide = _drawn(WORM, held, Overlays(body_quantity="stretch", body_range=(-0.04, 0.04)))
    assert wide.tube is not None
    assert wide.tube.span == (-0.04, 0.04)
    assert wide.bar is not None
    assert wide.bar.title == "Stretch  (%)"


def test_body_without_fields_is_plain():
    held = dataclasses.replace(snake(), body=None)
    drawn = _drawn(SNAKE, held, Overlays(body_quantity="torque"))
    assert drawn.tube is not None
    assert drawn.bar is None
    assert np.allclose(_radius(drawn), 0.02, rtol=2e-5)
    tone = drawn.tube.colours[len(drawn.tube.colours) // 2, :3]
    assert np.allclose(tone, np.square(DARK.link), atol=1e-6)


def test_supports_have_the_colour_of_their_force():
    rings = _drawn(SNAKE, snake()).opaque["hoop"]
    assert len(rings) == 5
    force = np.square(DARK.force)
    idle = np.square(DARK.support)
    assert [bool(np.allclose(row[8:11], force, atol=1e-5)) for row in rings] == [
        True,
        True,
        True,
        False,
        True,
    ]
    assert np.allclose(rings[3, 8:11], idle, atol=1e-5)
    assert (rings[:, 12] > 0.02).all(), "around the body"
    clamps = _drawn(INCHWORM, inchworm()).opaque["clamp"]
    assert len(clamps) == 1, "an inactive anchor is not drawn"
    assert np.allclose(clamps[0, :3], inchworm().link_pose[-1, :3], atol=1e-6)
    free = SNAKE.model_copy(update={"support": Friction()})
    assert "hoop" not in _drawn(free, snake()).opaque


def test_every_support_has_one_arrow():
    drawn = _drawn(
        SNAKE, snake(), Overlays(show_friction_forces=True, show_ground_normal_forces=True)
    )
    assert len(drawn.marks["arrow"]) == 4
    assert "arrow" not in _drawn(SNAKE, snake(), Overlays(show_forces=False)).marks
    turning = snake()
    assert turning.body is not None
    torque = np.zeros((5, 3))
    torque[2, 2] = 1.0
    turning = dataclasses.replace(turning, body=dataclasses.replace(turning.body, torque=torque))
    both = _drawn(SNAKE, turning, Overlays(show_support_torques=True))
    assert len(both.marks["arrow"]) == 6, "an arrow with two heads"


def test_overlays_are_drawn_with_the_body():
    drawn = _drawn(
        SNAKE,
        snake(),
        Overlays(
            show_com=True, show_contact_points=True, show_joint_axes=True, reference_ghost=True
        ),
    )
    assert len(drawn.marks["mass"]) == 1
    assert len(drawn.marks["sphere"]) == 5
    assert "rod" not in drawn.marks
    assert drawn.ghosts == []
    assert drawn.ghost_tubes == ()


def test_unknown_section_is_not_drawn():
    held = snake()
    pose = held.link_pose.copy()
    pose[7] = np.nan
    drawn = build(SNAKE, state(pose, held.body), Overlays(selection=(Pick("link", 3),)), Camera())
    assert drawn.tube is None
    assert "eyes" not in drawn.opaque
    assert np.isfinite(drawn.low).all()
    blind = dataclasses.replace(held, valid=Fields.JOINTS)
    assert _drawn(SNAKE, blind).tube is None
    broken = dataclasses.replace(held, body=None)
    assert held.body is not None
    for name in ("strain", "wrench", "point", "axis", "force"):
        bad = dataclasses.replace(
            held.body, **{name: np.full_like(getattr(held.body, name), np.nan)}
        )
        drawn = _drawn(
            SNAKE, dataclasses.replace(broken, body=bad), Overlays(body_quantity="torque")
        )
        assert drawn.tube is not None
        assert np.isfinite(drawn.tube.skin.vertices).all()
        assert np.isfinite(drawn.tube.colours).all()
        assert all(np.isfinite(rows).all() for rows in drawn.opaque.values())


_ROD = ContinuousBody(Beam(), Rings())


def test_links_and_bodies_are_ghosts_of_each_other():
    held = snake()
    own = _drawn(SNAKE, held, Overlays(ghosts=(Ghost(held.link_pose),)))
    assert len(own.ghost_tubes) == 1
    assert own.ghosts == []
    assert own.ghost_tubes[0].colours[0, 3] == pytest.approx(0.35)
    links = _drawn(
        SNAKE, held, Overlays(ghosts=(Ghost(serpenoid_pose(), body=ChainBody(Robot())),))
    )
    assert len(links.ghosts) == 1
    assert links.ghost_tubes == ()
    other = build(Scene(), None, Overlays(ghosts=(Ghost(held.link_pose, body=_ROD),)), Camera())
    assert len(other.ghost_tubes) == 1
    assert (
        len(
            build(
                Scene(),
                None,
                Overlays(ghosts=(Ghost(held.link_pose * np.nan, body=_ROD),)),
                Camera(),
            ).ghosts
        )
        == 0
    )


def test_selection_and_hover_are_outlined():
    drawn = _drawn(
        SNAKE,
        snake(),
        Overlays(selection=(Pick("link", 0), Pick("link", 12)), hover=Pick("link", 40)),
    )
    assert len(drawn.opaque["sleeve"]) == 3, "bands where the sections are"
    assert len(drawn.outlines["sleeve"]) == 1
    assert len(drawn.outlines["capsule"]) == 2, "head and tail are round"
    assert np.allclose(drawn.opaque["sleeve"][1, :3], snake().link_pose[12, :3], atol=1e-6)
    drawn_without = _drawn(SNAKE, snake(), Overlays(selection=(Pick("link", 99),)))
    assert "sleeve" not in drawn_without.outlines


@pytest.mark.parametrize("yaw", [0.0, 0.7, 2.4])
def test_click_finds_the_section(yaw):
    held = turned(snake(), yaw)
    camera = _camera(held)
    drawn = build(SNAKE, held, Overlays(), camera)
    top = held.link_pose[:, :3] + np.array((0, 0, 0.0199))
    for section in range(0, 41, 4):
        ndc = camera.project(top[section], ASPECT)
        hit = pick(drawn, camera, (float(ndc[0]), float(ndc[1])), ASPECT)
        assert hit is not None
        assert (hit.kind, hit.index) == ("link", section)
        assert hit.point is not None
        assert np.linalg.norm(np.array(hit.point) - top[section]) < 0.006
    above = camera.project(top[20] + np.array((0.0, 0.0, 0.1)), ASPECT)
    past = pick(drawn, camera, (float(above[0]), float(above[1])), ASPECT)
    assert past is None or past.kind == "ground"
    everything = pick_rectangle(drawn, camera, (-1, -1), (1, 1), ASPECT)
    assert {p.index for p in everything} == set(range(41))


def test_ray_hits_the_surface():
    held = worm(0.0)
    camera = Camera((0.2, 0.0, 0.0), 2.0, 0.0, math.pi / 2, orthographic=True)
    drawn = build(WORM, dataclasses.replace(held, body=None), Overlays(), camera)
    for x, y in ((0.1, 0.0), (0.233, 0.01), (0.3, -0.012), (-0.01, 0.0)):
        ndc = camera.project(np.array((x, y, 0.0)), ASPECT)
        hit = pick(drawn, camera, (float(ndc[0]), float(ndc[1])), ASPECT)
        assert hit is not None
        assert hit.kind == "link"
        assert hit.point is not None
        across = y if x > 0 else math.hypot(x, y)
        assert hit.point[2] == pytest.approx(0.02 + math.sqrt(0.02**2 - across**2), abs=6e-4)


def test_tiles_with_the_body_are_drawn_finely():
    held = snake()
    camera = _camera(held)
    drawn = build(SNAKE, held, Overlays(show_forces=False, show_grid=False), camera)
    where = extent(drawn, camera, 1280, 720)
    assert where is not None
    assert drawn.tube is not None
    ndc = camera.project(drawn.tube.skin.vertices[:, :3].astype(float), ASPECT)
    pixel = (ndc[:, :2] + 1) / 2 * (1280, 720)
    corner = where.tiles[:, :2]
    size = where.tiles[:, 2:]
    inside = (
        ((pixel[:, None] >= corner) & (pixel[:, None] <= corner + size)).all(axis=2).any(axis=1)
    )
    assert inside.all()
