"""Contacts with posts, blocks and prisms, against independent distances, MuJoCo, and cases computed by hand."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from snakestudio._arrays import FloatArray
from snakestudio.engines.solid_world import MARGIN, make_world, world_of_solids
from snakestudio.kernels.solids import FEATURES, link_contacts
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.obstacles.solids import Block, Post, Prism, Solid
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from tests.kernels.compiled import gap as planar_gap
from tests.kernels.solids import (
    HALF,
    RADIUS,
    REACH,
    Found,
    contact_list,
    contacts,
    least_distance,
    level_block,
    point_distance,
    world,
)

DEEP = 1e-6  # penetration of resting links, m


def box(*args: float) -> Block:
    (solid,) = obstacle_solids(
        Box(
            x_m=0.0,
            y_m=0.0,
            z_m=0.5,
            length_m=0.2,
            width_m=0.1,
            height_m=0.06,
            yaw_deg=args[0],
            pitch_deg=args[1],
            roll_deg=args[2],
        )
    )
    assert isinstance(solid, Block)
    return solid


SOLIDS: dict[str, Solid] = {
    "block": box(30.0, 20.0, -15.0),
    "ramp": Prism(
        np.array([-0.1, 0.0, 0.5]),
        np.eye(3),
        np.array([[0, 0], [0.3, 0.0], [0.3, 0.15], [0.2, 0.15]]),
        0.1,
    ),
    "flat ramp": Prism(
        np.array([-0.1, 0.0, 0.5]), np.eye(3), np.array([[0, 0], [0.2, 0.0], [0.2, 0.05]]), 0.1
    ),
    "post": Post(0.0, 0.0, 0.05, 0.45, 0.55),
}
WORLDS = {name: world(solid) for name, solid in SOLIDS.items()}

coordinates = st.floats(-0.25, 0.25)
directions = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda e: np.linalg.norm(e) > 0.1)


def is_sound(result: Found, solid: Solid, centre: FloatArray, axis: FloatArray) -> None:
    """Every contact is a point of the segment with the solid's distance and gradient there."""
    assert np.linalg.norm(result.normal, axis=1) == pytest.approx(1.0, abs=1e-12)
    for gap, normal, point in zip(result.gap, result.normal, result.point, strict=True):
        on_axis = point + RADIUS * normal
        t = float((on_axis - centre) @ axis)
        assert abs(t) <= HALF + 1e-12
        assert on_axis == pytest.approx(centre + t * axis, abs=1e-12)
        distance = point_distance(solid, on_axis)
        assert gap == pytest.approx(distance - RADIUS, abs=1e-9)
        if distance > 1e-3:
            nearer = point_distance(solid, on_axis - 1e-6 * normal)
            assert distance - nearer == pytest.approx(1e-6, abs=1e-9)


@pytest.mark.parametrize("name", SOLIDS)
@given(position=st.tuples(coordinates, coordinates, coordinates), direction=directions)
@example(position=(0.0, 5.706787655778201e-143, 0.0), direction=(0.0, 0.25, 1.0))
def test_deepest_contact_is_the_least_distance(
    name: str, position: tuple[float, float, float], direction: tuple[float, float, float]
) -> None:
    """Compared with the least distance along the segment by sampling and SciPy's bounded search."""
    solid = SOLIDS[name]
    tolerance = 5e-4
    axis = np.array(direction) / np.linalg.norm(direction)
    centre = np.array([0.0, 0.0, 0.53]) + position
    least = least_distance(solid, centre, axis, HALF) - RADIUS
    assume(abs(least - tolerance) > 1e-7)
    result = contacts(WORLDS[name], centre, axis, tolerance)
    assert (len(result.gap) > 0) == (least < tolerance)
    assert len(set(result.feature)) == len(result.feature)
    if len(result.gap) == 0:
        return
    if least > -RADIUS + 1e-4:
        is_sound(result, solid, centre, axis)
        assert result.gap.min() == pytest.approx(least, abs=2e-9)
    else:  # the axis is in the solid: all contacts push in the same direction
        assert np.linalg.norm(result.normal, axis=1) == pytest.approx(1.0, abs=1e-12)
        assert (result.gap < -0.9 * RADIUS).any()


@pytest.mark.parametrize("name", SOLIDS)
def test_small_moves_move_contacts_little(name: str) -> None:
    """After a move of 1e-7 every touching contact still has one nearby, with nearly the same gap and normal."""
    random = np.random.default_rng(7)
    compared = 0
    for _ in range(4000):
        axis, nudge, turn_by = random.normal(size=(3, 3))
        axis /= np.linalg.norm(axis)
        centre = np.array([0.0, 0.0, 0.53]) + random.uniform(-0.2, 0.2, 3)
        before = contacts(WORLDS[name], centre, axis, 5e-4)
        if len(before.gap) == 0 or before.gap.min() < -0.9 * RADIUS:
            continue
        compared += 1
        after = contacts(WORLDS[name], centre + 1e-7 * nudge, axis + 1e-7 * turn_by, 6e-4)
        for gap, normal, point in zip(before.gap, before.normal, before.point, strict=True):
            same = (abs(after.gap - gap) < 1e-6) & (
                np.abs(after.normal - normal).max(axis=1) < 1e-3
            )
            # A contact may also be replaced by a deeper one nearby (5 % of the segment).
            nearby = (
                np.linalg.norm(
                    after.point + RADIUS * after.normal - point - RADIUS * normal, axis=1
                )
                < 0.11 * HALF
            )
            assert (same | (nearby & (after.gap < gap + 1e-6))).any()
    assert compared > 200


def mujoco_distance(
    geom: str, size: str, euler: str, centre: FloatArray, axis: FloatArray
) -> float:
    end = centre - HALF * axis
    other = centre + HALF * axis
    numbers = " ".join(repr(float(v)) for v in (*end, *other))
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_tolerance="1e-12" ccd_iterations="500"/><compiler angle="degree" eulerseq="zyx"/>
        <worldbody><geom type="{geom}" size="{size}" pos="0 0 .53" euler="{euler}"/>
        <geom type="capsule" size="{RADIUS}" fromto="{numbers}"/></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None))


@pytest.mark.parametrize("name", ["block", "post"])
def test_mujoco_measures_the_same_distance(name: str) -> None:
    """mj_geomDistance of capsule and box or cylinder; its own accuracy limits the comparison."""
    random = np.random.default_rng(4)
    solid: Solid = box(30.0, 20.0, -15.0) if name == "block" else Post(0.0, 0.0, 0.05, 0.5, 0.56)
    shape = (
        ("box", "0.1 0.05 0.03", "30 20 -15")
        if name == "block"
        else ("cylinder", "0.05 0.03", "0 0 0")
    )
    here = world(solid)
    touching = 0
    while touching < 25:
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        centre = np.array([0.0, 0.0, 0.53]) + random.uniform(-0.2, 0.2, 3)
        theirs = mujoco_distance(*shape, centre, axis)
        if not -0.5 * RADIUS < theirs < 5e-4 or abs(theirs - 5e-4) < 1e-5:
            continue
        touching += 1
        assert contacts(here, centre, axis, 5e-4).gap.min() == pytest.approx(theirs, abs=1e-6)


# ------------------------------------------------------------------------------ cases known by hand


@pytest.mark.parametrize("heading", [0.0, 0.3, math.pi / 2, 2.0])
@pytest.mark.parametrize("top", ["block", "post"])
def test_link_flat_on_a_face_has_its_two_ends(top: str, heading: float) -> None:
    here = world(level_block() if top == "block" else Post(0.0, 0.0, 0.3, 0.0, 0.2))
    for tilt in (0.0, 1e-12, -1e-12, 1e-7, -1e-7):
        axis = (math.cos(heading), math.sin(heading), tilt)
        result = contacts(here, (0.05, 0.02, 0.2 + RADIUS - DEEP), axis)
        assert sorted(result.feature) == [0, 1]
        assert result.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (2, 1)), abs=1e-12)
        assert result.gap == pytest.approx(-DEEP, abs=1e-8)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, -1e-9, 1e-6, -1e-6])
def test_overhanging_link_is_held_at_the_edge_before_it_tips(tilt: float) -> None:
    result = contacts(world(level_block()), (0.51, 0.0, 0.2 + RADIUS - DEEP), (1.0, 0.0, tilt))
    assert result.gap == pytest.approx([-DEEP, -DEEP], abs=1e-7)
    assert sorted(result.point[:, 0]) == pytest.approx([0.51 - HALF, 0.5], abs=1e-6)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, -1e-9, 1e-6, -1e-6])
def test_link_across_a_narrow_block_is_held_at_both_its_edges(tilt: float) -> None:
    """Also with the tilts for which the least distance jumps from one edge to the other."""
    result = contacts(
        world(level_block(length=0.04)), (0.001, 0.0, 0.2 + RADIUS - DEEP), (1.0, 0.0, tilt)
    )
    assert result.gap == pytest.approx([-DEEP, -DEEP], abs=1e-7)
    assert sorted(result.point[:, 0]) == pytest.approx([-0.02, 0.02], abs=1e-6)


def test_link_across_an_edge_touches_it_once() -> None:
    slope = 0.4
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    centre = np.array([0.5, 0.0, 0.2]) + (RADIUS - DEEP) * normal
    for around in (0.0, 0.02, -0.02):
        axis = np.array([math.cos(slope), 0.0, -math.sin(slope)])
        result = contacts(world(level_block()), centre + around * axis, axis)
        assert result.gap == pytest.approx([-DEEP], abs=1e-12)
        assert result.normal[0] == pytest.approx(normal, abs=1e-12)
        assert result.point[0] == pytest.approx(
            np.array([0.5, 0.0, 0.2]) - DEEP * normal, abs=1e-12
        )


@pytest.mark.parametrize("aside", [0.0, 1e-12, -1e-12, 0.01])
def test_link_along_an_edge_has_its_two_ends(aside: float) -> None:
    lift = math.sqrt(RADIUS**2 - max(aside, 0.0) ** 2) - DEEP
    result = contacts(world(level_block()), (0.0, 0.3 + aside, 0.2 + lift), (1.0, 0.0, 0.0))
    assert sorted(result.feature) == [0, 1]
    assert result.gap[0] == pytest.approx(result.gap[1], abs=1e-15)
    assert result.normal[0] == pytest.approx(
        [0.0, max(aside, 0.0) / RADIUS, lift / RADIUS], abs=1e-4
    )


def test_link_across_a_corner_touches_it_once() -> None:
    axis = np.array([1.0, -1.0, 0.0]) / math.sqrt(2.0)
    normal = np.array([1.0, 1.0, 1.0]) / math.sqrt(3.0)
    corner = np.array([0.5, 0.3, 0.2])
    result = contacts(world(level_block()), corner + (RADIUS - DEEP) * normal + 0.01 * axis, axis)
    assert result.gap == pytest.approx([-DEEP], abs=1e-12)
    assert result.normal[0] == pytest.approx(normal, abs=1e-12)


def test_link_on_a_stair_touches_tread_and_riser() -> None:
    stairs = world_of_solids([obstacle_solids(Stairs(x_m=0.0, y_m=0.0))], REACH)
    x = 0.3 - HALF - RADIUS + DEEP
    result = contacts(stairs, (x, 0.0, 0.04 + RADIUS - DEEP), (1.0, 0.0, 0.0))
    # The riser (0.04 m) ends below the axis (0.0525 m above the tread): the front end touches its
    # edge.
    upward = (RADIUS - DEEP - 0.04) / RADIUS
    assert sorted(result.feature // FEATURES) == [0, 0]
    closer = contacts(
        stairs,
        (x + RADIUS * (1.0 - math.sqrt(1.0 - upward**2)), 0.0, 0.04 + RADIUS - DEEP),
        (1, 0, 0),
    )
    assert sorted(closer.feature) == [0, 1, FEATURES + 1]
    riser = closer.normal[closer.feature == FEATURES + 1][0]
    assert riser == pytest.approx([-math.sqrt(1.0 - upward**2), 0.0, upward], abs=1e-4)


def test_link_on_a_ramp_rests_on_its_slope() -> None:
    (ramp,) = obstacle_solids(Ramp(x_m=0.0, y_m=0.0, heading_deg=90.0))
    slope = math.atan2(0.15, 1.0)
    up = np.array([0.0, -math.sin(slope), math.cos(slope)])
    along = np.array([0.0, math.cos(slope), math.sin(slope)])
    result = contacts(world(ramp), 0.5 * along + (RADIUS - DEEP) * up, along)
    assert sorted(result.feature) == [0, 1]
    assert result.normal == pytest.approx(np.tile(up, (2, 1)), abs=1e-12)
    assert result.gap == pytest.approx(-DEEP, abs=1e-12)


@given(
    x=st.floats(-0.3, 0.3),
    y=st.floats(-0.3, 0.3),
    heading=st.floats(-4.0, 4.0),
    tilt=st.floats(-0.05, 0.05),
)
def test_side_of_a_post_is_the_planar_gap(x: float, y: float, heading: float, tilt: float) -> None:
    """One contact at any depth, with the gap function of the planar engine."""
    cos = math.cos(heading)
    sin = math.sin(heading)
    level = math.cos(tilt)
    gap, nx, ny, _, lever = planar_gap(x, y, cos, sin, HALF * level, RADIUS, 0.02, -0.01, 0.05)
    assume(abs(gap) > 1e-12)
    result = contacts(
        world(Post(0.02, -0.01, 0.05, 0.0, 0.5)),
        (x, y, 0.1),
        (cos * level, sin * level, math.sin(tilt)),
    )
    if gap > 1e-9:
        assert len(result.gap) == 0
        return
    assert result.gap == pytest.approx([gap], abs=1e-14)
    assert result.normal[0] == pytest.approx([nx, ny, 0.0], abs=1e-13)
    where = [
        x + lever * cos - RADIUS * nx,
        y + lever * sin - RADIUS * ny,
        0.1 + lever * math.tan(tilt),
    ]
    assert result.point[0] == pytest.approx(where, abs=1e-13)


@pytest.mark.parametrize("lean", [0.0, 1e-9, -1e-9])
def test_upright_link_along_a_post_touches_at_two_heights(lean: float) -> None:
    here = world(Post(0.0, 0.0, 0.1, 0.0, 0.2))
    result = contacts(here, (0.1 + RADIUS - DEEP, 0.0, 0.1), (lean, 0.0, 1.0))
    assert sorted(result.point[:, 2]) == pytest.approx([0.1 - HALF, 0.1 + HALF], abs=1e-8)
    above = contacts(here, (0.1 + RADIUS - DEEP, 0.0, 0.19), (lean, 0.0, 1.0))
    assert sorted(above.point[:, 2]) == pytest.approx([0.19 - HALF, 0.2], abs=1e-6)


def test_link_deep_in_a_block_is_pushed_up() -> None:
    result = contacts(world(level_block(height=0.04)), (0.1, 0.0, 0.005), (0.6, 0.8, 0.0))
    assert sorted(result.feature) == [0, 1]
    assert result.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (2, 1)), abs=1e-12)
    assert result.gap == pytest.approx(-0.035 - RADIUS, abs=1e-12)


def test_link_of_zero_length_is_sphere() -> None:
    here = world(level_block(), half=0.0)
    result = contacts(here, (0.1, 0.0, 0.2 + RADIUS - DEEP), (1.0, 0.0, 0.0), half=0.0)
    assert result.gap == pytest.approx([-DEEP], abs=1e-12)


# ----------------------------------------------------------------------------- the world as a whole


def random_poses(count: int, spread: float, seed: int) -> list[tuple[FloatArray, FloatArray]]:
    random = np.random.default_rng(seed)
    return [
        (
            np.array([*random.uniform(-spread, spread, 2), random.uniform(0.03, 0.15)]),
            random.normal(size=3),
        )
        for _ in range(count)
    ]


def test_grid_finds_every_solid() -> None:
    """Compared with the contacts of every solid alone in a separate world."""
    bodies = [
        obstacle_solids(Rubble(x_m=0.0, y_m=0.0, length_m=1.5, width_m=1.5, blocks=40)),
        [
            Post(x, y, 0.02, 0.0, 0.3)
            for x, y in np.random.default_rng(1).uniform(-1.0, 1.0, (30, 2))
        ],
        obstacle_solids(Stairs(x_m=0.2, y_m=0.1, heading_deg=30.0)),
    ]
    every = world_of_solids(bodies, REACH)
    tolerance = MARGIN * REACH
    seen = 0
    for centre, axis in random_poses(60, 1.0, 2):
        result = contacts(every, centre, axis, tolerance)
        alone = [
            (body, number * FEATURES + int(feature), gap)
            for body, solids in enumerate(bodies)
            for number, solid in enumerate(solids)
            for feature, gap in zip(
                *contacts(world(solid), centre, axis, tolerance)[1:3], strict=True
            )
        ]
        ours = list(zip(result.body.tolist(), result.feature.tolist(), result.gap, strict=True))
        assert sorted(ours) == sorted(alone)
        seen += len(alone)
    assert seen > 50


def test_contacts_beyond_the_capacity_are_counted() -> None:
    here = world(*[Post(0.0, 0.001 * k, 0.05, 0.0, 0.5) for k in range(7)])
    out = contact_list(3)
    assert link_contacts(here, 0, 0.0, 0.05, 0.1, 1.0, 0.0, 0.0, HALF, RADIUS, 1e-9, out, 0) == 7
    assert out.body.tolist() == [0, 1, 2]
    assert (
        link_contacts(
            here, 1, 0.0, 0.05, 0.1, 1.0, 0.0, 0.0, HALF, RADIUS, 1e-9, contact_list(9), 1
        )
        == 8
    )


def scene(**obstacle: Any) -> Scene:
    return scene_from_dict(
        {"format": 1, "obstacles": [{"kind": "box", "x_m": 0.0, "y_m": 0.0, **obstacle}]}
    )


def test_world_is_reused_while_its_shapes_are_the_same() -> None:
    old = make_world(scene(), None)
    assert make_world(scene(friction=0.7, name="step"), None, old) is old
    assert make_world(scene(length_m=0.31), None, old) is not old
    wider = scene_from_dict(
        {
            **{"format": 1},
            "obstacles": [{"kind": "box", "x_m": 0, "y_m": 0}],
            "robot": {"radius_m": 0.06},
        }
    )
    assert make_world(wider, None, old) is not old


def test_no_solids_no_contacts() -> None:
    for empty in (
        make_world(Scene(), None),
        world(level_block(height=1e-12)),
        world(Post(0.0, 0.0, 0.1, -1.0, 0.0)),
    ):
        assert empty.grid_nx == 0
        assert len(contacts(empty, (0.0, 0.0, 0.05), (1.0, 0.0, 0.0)).gap) == 0
