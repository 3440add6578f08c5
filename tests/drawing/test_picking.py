"""Picking agrees with marching along the ray and with the drawing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.picking import pick, pick_rectangle, ray_capsules, ray_cylinders

from .scenery import HIGH, LOW, obstacle_scene, serpenoid_pose, snapshot

ASPECT = 16 / 9


def _march(origin, direction, inside, reach=6.0, step=0.0005):
    """Return the first distance at which `inside` holds, by brute force."""
    t = np.arange(0, reach, step)
    hit = inside(origin + t[:, None] * direction)
    return t[np.argmax(hit)] if hit.any() else np.inf


unit = st.floats(-1, 1)
vectors = st.tuples(unit, unit, unit)


@given(vectors, vectors, vectors, st.floats(0, 0.3), st.floats(0.05, 0.3))
@settings(max_examples=40, deadline=None)
def test_capsule_hit_equals_marching(eye, aim, along, half, radius):
    origin = np.array(eye) * 0.5 + np.array((0, 0, 2.5))
    axis = np.array(along) + np.array((1.1, 0, 0))
    axis /= np.linalg.norm(axis)
    direction = np.array(aim) * 0.3 - origin
    direction /= np.linalg.norm(direction)

    def inside(p):
        s = np.clip(p @ axis, -half, half)
        return np.linalg.norm(p - s[:, None] * axis, axis=1) <= radius

    exact = ray_capsules(origin, direction, np.zeros((1, 3)), axis[None], half, radius)[0]
    marched = _march(origin, direction, inside)
    assert _agree(exact, marched, origin, direction, inside)


def _agree(exact, marched, origin, direction, inside):
    if np.isinf(exact) or np.isinf(marched):
        # A grazing hit may fall between two steps.
        return np.isinf(marched) and (np.isinf(exact) or _grazes(origin, direction, exact, inside))
    return abs(exact - marched) < 0.002


def _grazes(origin, direction, t, inside):
    return not inside((origin + (t + 0.0006) * direction)[None])[0]


@given(vectors, vectors, st.floats(0.05, 0.5), st.floats(0.05, 0.5))
@settings(max_examples=40, deadline=None)
def test_cylinder_hit_equals_marching(eye, aim, radius, height):
    origin = np.array(eye) * 0.8 + np.array((0, 0, 2.0))
    direction = np.array(aim) * 0.4 - origin
    direction /= np.linalg.norm(direction)

    def inside(p):
        return (np.hypot(p[:, 0], p[:, 1]) <= radius) & (p[:, 2] >= 0) & (p[:, 2] <= height)

    exact = ray_cylinders(
        origin, direction, np.zeros((1, 2)), np.array([radius]), np.array([height])
    )[0]
    marched = _march(origin, direction, inside)
    assert _agree(exact, marched, origin, direction, inside)


@pytest.mark.parametrize("orthographic", [False, True])
def test_object_under_the_cursor_is_picked(orthographic):
    scene = obstacle_scene()
    held = snapshot()
    camera = Camera(elevation=1.2, orthographic=orthographic).frame(LOW, HIGH, ASPECT)
    drawn = build(scene, held, Overlays(), camera)
    for k, (x, y) in enumerate((o.x_m, o.y_m) for o in scene.obstacles):
        ndc = tuple(camera.project(np.array((x, y, 0.15)), ASPECT)[:2])
        picked = pick(drawn, camera, ndc, ASPECT)
        assert picked == Pick("obstacle", k)
        assert np.allclose(picked.point, (x, y, 0.15), atol=1e-9)
    top = held.link_pose[7, :3] + (0, 0, 0.0525)
    picked = pick(drawn, camera, tuple(camera.project(top, ASPECT)[:2]), ASPECT)
    assert picked == Pick("link", 7)
    ground = pick(
        drawn, camera, tuple(camera.project(np.array((1.0, -0.4, 0)), ASPECT)[:2]), ASPECT
    )
    assert ground == Pick("ground")
    assert np.allclose(ground.point, (1.0, -0.4, 0))


def test_sky_and_unknown_links_are_not_picked():
    pose = serpenoid_pose()
    pose[7] = np.nan
    camera = Camera(elevation=0.1, target=(0.5, 0.1, 0.05))
    drawn = build(obstacle_scene(), snapshot(pose, with_contacts=False), Overlays(), camera)
    assert pick(drawn, camera, (0, 0.95), ASPECT) is None
    down = Camera(target=tuple(serpenoid_pose()[7, :3]), elevation=np.pi / 2, distance=1.0)
    assert pick(drawn, down, (0, 0), ASPECT) == Pick("ground")


def test_rectangle_selects_by_centres():
    camera = Camera().standard("top").frame(LOW, HIGH, ASPECT)
    drawn = build(obstacle_scene(), snapshot(), Overlays(), camera)
    everything = pick_rectangle(drawn, camera, (1, 1), (-1, -1), ASPECT)
    assert len(everything) == 11 + 7
    a = camera.project(np.array((1.4, 0.3, 0)), ASPECT)[:2]
    b = camera.project(np.array((2.0, -0.1, 0)), ASPECT)[:2]
    assert pick_rectangle(drawn, camera, tuple(a), tuple(b), ASPECT) == (
        Pick("obstacle", 4),
        Pick("obstacle", 5),
    )


def test_equality_of_picks_ignores_the_point():
    assert Pick("link", 3, (1, 2, 3)) == Pick("link", 3)
    assert Pick("link", 3) != Pick("obstacle", 3)
