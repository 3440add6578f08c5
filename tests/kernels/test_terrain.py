"""Contacts with height fields, against independent distances to their triangles, and cases computed by hand."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.solids import Relief
from tests.kernels.solids import (
    HALF,
    RADIUS,
    contacts,
    point_triangles,
    segment_triangles,
    triangles,
    world,
)

DEEP = 1e-6


def field(heights: FloatArray, size: float = 1.0, yaw: float = 0.0, low: float = 0.0) -> Relief:
    """Heights over a square with its middle over the origin (for yaw 0)."""
    ny, nx = heights.shape
    return Relief(
        np.array([-0.5 * size, -0.5 * size, low]), yaw, size / (nx - 1), size / (ny - 1), heights
    )


def along(slope: float, heading: float = 0.0) -> FloatArray:
    return np.array(
        [math.cos(heading) * math.cos(slope), math.sin(heading) * math.cos(slope), math.sin(slope)]
    )


@pytest.mark.parametrize("points", [2, 5, 33, 257])
@pytest.mark.parametrize("heading", [0.0, math.pi / 4, 0.3])
@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_link_on_flat_ground_rests_on_both_ends(points: int, heading: float, slope: float) -> None:
    """For any grid, also if centres and ends are exactly over its lines and points."""
    x = np.linspace(-0.5, 0.5, points)
    here = world(field(np.tile(0.3 + math.tan(slope) * x, (points, 1))))
    up = np.array([-math.sin(slope), 0.0, math.cos(slope)])
    level = np.array([math.cos(slope), 0.0, math.sin(slope)])
    axis = math.cos(heading) * level + math.sin(heading) * np.array([0.0, 1.0, 0.0])
    for position in ((0.0, 0.0), (1.0 / 32.0, 0.0), (0.013, 0.021), (HALF, 0.0)):
        foot = position[0] * level + np.array([0.0, position[1], 0.3])
        for tilt in (0.0, 1e-9, -1e-7):
            result = contacts(here, foot + (RADIUS - DEEP) * up, axis + tilt * up)
            assert sorted(result.feature) == [0, 1]
            assert result.normal == pytest.approx(np.tile(up, (2, 1)), abs=1e-9)
            assert result.gap == pytest.approx(-DEEP, abs=1e-8)


def test_nearly_flat_ground_causes_no_spurious_contacts() -> None:
    """Unevenness of 1e-7 m, a five-hundred-thousandth of the radius, causes no contact between the ends."""
    noise = 1e-7 * np.random.default_rng(3).uniform(-1.0, 1.0, (101, 101))
    here = world(field(0.3 + noise))
    for position in np.random.default_rng(4).uniform(-0.3, 0.3, (30, 2)):
        result = contacts(here, (*position, 0.3 + RADIUS - DEEP), along(0.0, 10.0 * position[0]))
        assert sorted(result.feature) == [0, 1]
        assert result.normal[:, 2] == pytest.approx(1.0, abs=1e-8)


def test_link_across_a_ridge_touches_it_once() -> None:
    x = np.linspace(-0.5, 0.5, 11)
    here = world(field(np.tile(0.3 - abs(x), (7, 1)), low=0.3))
    for heading in (0.0, 0.5):
        for position in (0.0, 0.013):
            result = contacts(
                here,
                position * along(0.0, heading) + [0.0, 0.0, 0.6 + RADIUS - DEEP],
                along(0.0, heading),
            )
            assert result.gap == pytest.approx([-DEEP], abs=1e-12)
            assert result.normal[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
            assert result.point[0] == pytest.approx([0.0, 0.0, 0.6 - DEEP], abs=1e-12)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, -1e-9, 1e-6, -1e-6])
def test_link_across_a_plateau_is_held_at_both_its_edges(tilt: float) -> None:
    x = np.linspace(-0.5, 0.5, 51)
    here = world(field(np.tile(np.where(abs(x) < 0.021, 0.1, 0.0), (9, 1)), low=0.3))
    result = contacts(here, (0.001, 0.0, 0.4 + RADIUS - DEEP), along(tilt))
    assert result.gap == pytest.approx([-DEEP, -DEEP], abs=1e-7)
    assert sorted(result.point[:, 0]) == pytest.approx([-0.02, 0.02], abs=1e-6)


def test_ball_in_a_valley_touches_both_sides() -> None:
    """Closed form: in a V of 2 x 45 degrees the centre is sqrt 2 radii above the bottom."""
    x = np.linspace(-0.5, 0.5, 11)
    here = world(field(np.tile(abs(x), (7, 1)), low=0.1))
    result = contacts(here, (0.0, 0.03, 0.1 + math.sqrt(2.0) * (RADIUS - DEEP)), (0.0, 1.0, 0.0))
    assert result.gap == pytest.approx(-DEEP, abs=1e-12)
    assert sorted(result.feature) == [0, 1, 4, 5]
    s = math.sqrt(0.5)
    normals = result.normal[np.argsort(result.normal[:, 0])]
    assert normals == pytest.approx(np.array([[-s, 0.0, s]] * 2 + [[s, 0.0, s]] * 2), abs=1e-9)


def test_link_below_the_surface_is_pushed_up() -> None:
    here = world(field(np.full((9, 9), 0.3)))
    for depth in (0.01, 0.06, 0.2):
        result = contacts(here, (0.1, 0.05, 0.3 - depth), (0.6, 0.8, 0.0))
        assert result.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (2, 1)), abs=1e-12)
        assert result.gap == pytest.approx(-depth - RADIUS, abs=1e-12)


def test_walls_at_the_borders() -> None:
    here = world(field(np.full((9, 9), 0.3)))
    lateral = contacts(here, (0.5 + RADIUS - DEEP, 0.1, 0.1), (0.0, 1.0, 0.0))
    assert lateral.normal == pytest.approx(np.tile([1.0, 0.0, 0.0], (2, 1)), abs=1e-12)
    assert lateral.gap == pytest.approx([-DEEP, -DEEP], abs=1e-12)
    around = (0.5 + math.sqrt(0.5) * (RADIUS - DEEP)) * np.array([1.0, 1.0, 0.0]) + [0.0, 0.0, 0.1]
    corner = contacts(here, around, (1.0, -1.0, 0.0))
    assert corner.gap == pytest.approx([-DEEP], abs=1e-12)
    assert corner.normal[0] == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0.0], abs=1e-12)
    out_over = contacts(here, (0.51, 0.1, 0.3 + RADIUS - DEEP), (1.0, 0.0, 0.0))
    assert sorted(out_over.point[:, 0]) == pytest.approx([0.51 - HALF, 0.5], abs=1e-9)


def test_surface_at_the_ground_plane_has_no_contacts() -> None:
    heights = np.zeros((9, 9))
    heights[:, 5:] = 0.2
    here = world(field(heights))
    assert len(contacts(here, (-0.2, 0.0, RADIUS - DEEP), (1.0, 0.0, 0.0)).gap) == 0
    assert len(contacts(here, (0.3, 0.0, 0.2 + RADIUS - DEEP), (1.0, 0.0, 0.0)).gap) == 2


ROUGH = {
    name: field(np.random.default_rng(5).uniform(0.0, rough, (points, points + 2)), size, 0.4, 0.5)
    for name, points, size, rough in (
        ("coarse", 5, 0.5, 0.08),
        ("fine", 12, 0.4, 0.03),
        ("steep", 8, 0.3, 0.15),
    )
}
WORLDS = {name: world(relief) for name, relief in ROUGH.items()}
SURFACES = {name: triangles(relief) for name, relief in ROUGH.items()}


def cross(one: FloatArray, two: FloatArray) -> FloatArray:
    return one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]


def above_surface(surface: FloatArray, p: FloatArray) -> bool:
    """Whether no triangle is above the point."""
    a, b, c = (surface[:, k, :2] for k in range(3))
    surface = surface[abs(cross(b - a, c - a)) > 1e-9]  # without the walls
    a, b, c = (surface[:, k, :2] for k in range(3))
    area = cross(b - a, c - a)
    v = cross(p[:2] - a, c - a) / area
    w = cross(b - a, p[:2] - a) / area
    height = surface[:, 0, 2] * (1 - v - w) + surface[:, 1, 2] * v + surface[:, 2, 2] * w
    return not ((v >= 0) & (w >= 0) & (v + w <= 1) & (height > p[2])).any()


@pytest.mark.parametrize("name", ["coarse", "steep", pytest.param("fine", marks=pytest.mark.soak)])
@given(
    position=st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.54, 0.7)),
    direction=st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-0.5, 0.5)),
)
@example(
    position=(-0.21136467144346327, 0.0, 0.54), direction=(-0.21136467144346327, -0.2, 0.0)
)  # the axis touches
@example(
    position=(0.0, 0.203125, 0.6328125), direction=(-0.875, 1.0, -0.5)
)  # it cuts through a peak
def test_deepest_contact_is_the_least_distance(
    name: str, position: tuple[float, float, float], direction: tuple[float, float, float]
) -> None:
    """Compared with the distance of the segment to all triangles of the surface and the walls, in closed form."""
    assume(np.linalg.norm(direction) > 0.1)
    surface = SURFACES[name]
    centre = np.array(position)
    axis = np.array(direction) / np.linalg.norm(direction)
    result = contacts(WORLDS[name], centre, axis, 1e-3)
    assert len(result.gap) <= 8
    assert len(set(result.feature)) == len(result.feature)
    assert np.isfinite(result.point).all()
    assert np.linalg.norm(result.normal, axis=1) == pytest.approx(1.0, abs=1e-12)
    distance = segment_triangles(centre - HALF * axis, centre + HALF * axis, surface).min()
    if distance == 0.0 or not above_surface(surface, centre):
        assert len(result.gap)  # never through
        return
    least = distance - RADIUS
    assume(abs(least - 1e-3) > 1e-9)
    assert (len(result.gap) > 0) == (least < 1e-3)
    if len(result.gap):
        # Redundant contacts omitted by the kernel account for 5e-7 m.
        assert result.gap.min() == pytest.approx(least, abs=1e-6)
    for gap, normal, point in zip(result.gap, result.normal, result.point, strict=True):
        assert gap >= point_triangles(point + RADIUS * normal, surface).min() - RADIUS - 1e-9


def test_mujoco_finds_the_same_depth() -> None:
    """MuJoCo's collision of a capsule with a height field; a ridge does not depend on the splitting of cells."""
    x = np.linspace(-0.5, 0.5, 11)
    heights = np.tile(0.3 - 0.5 * abs(x), (11, 1))
    low, high = heights.min(), heights.max()
    elevation = " ".join(f"{float((h - low) / (high - low))!r}" for h in heights[::-1].ravel())
    here = world(field(heights, low=0.2))
    random = np.random.default_rng(6)
    compared = 0
    for _ in range(120):
        axis = along(random.uniform(-0.5, 0.5), random.uniform(-3.0, 3.0))
        centre = np.array([*random.uniform(-0.2, 0.2, 2), random.uniform(0.4, 0.56)])
        ours = contacts(here, centre, axis)
        numbers = " ".join(
            repr(float(v)) for v in (*(centre - HALF * axis), *(centre + HALF * axis))
        )
        size = f"0.5 0.5 {float(high - low)!r} 0.1"
        model = mujoco.MjModel.from_xml_string(
            f"""<mujoco><option ccd_tolerance="1e-10" ccd_iterations="200"/>
            <asset><hfield name="h" nrow="11" ncol="11" size="{size}" elevation="{elevation}"/></asset>
            <worldbody><geom type="hfield" hfield="h" pos="0 0 {float(0.2 + low)!r}"/>
            <body><freejoint/><geom type="capsule" size="{RADIUS}" fromto="{numbers}"/></body></worldbody></mujoco>"""
        )
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        theirs = [contact.dist for contact in data.contact[: data.ncon]]
        if not theirs or not -0.5 * RADIUS < min(theirs) < -1e-4:
            continue
        compared += 1
        assert ours.gap.min() == pytest.approx(min(theirs), abs=1e-4)
    assert compared > 10
