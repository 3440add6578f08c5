"""Gaps between outlines seen from above, against closed forms and an independent search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.outlines import (
    Outline,
    gap,
    least_gap,
    nearest_of_many,
    nearest_point,
)


def disc(x: float, y: float, radius: float) -> Outline:
    return Outline(np.array([(x, y)]), radius)


def square(x: float, y: float, side: float, angle: float = 0.0) -> Outline:
    corner = 0.5 * side * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    turn = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
    return Outline(np.array([x, y]) + corner @ turn.T, 0.0)


def test_closed_forms() -> None:
    two = gap(disc(0, 0, 0.5), disc(3, 4, 1.0))
    assert two.distance == pytest.approx(3.5)
    np.testing.assert_allclose(two.start, (0.3, 0.4))
    np.testing.assert_allclose(two.end, (2.4, 3.2))
    lateral = gap(square(0, 0, 2), disc(3, 0.2, 0.5))
    assert lateral.distance == pytest.approx(1.5)
    np.testing.assert_allclose(lateral.start, (1, 0.2))
    corner = gap(square(0, 0, 2), square(3, 3, 2))
    assert corner.distance == pytest.approx(math.sqrt(2))
    edge = gap(square(0, 0, 2), square(3, 0, math.sqrt(2), math.pi / 4))
    assert edge.distance == pytest.approx(1.0)
    capsule = Outline(np.array([(0.0, 0.0), (2.0, 0.0)]), 0.25)
    assert gap(capsule, disc(1, 2, 0.5)).distance == pytest.approx(1.25)
    assert gap(capsule, disc(5, 4, 0.5)).distance == pytest.approx(5 - 0.75)


def test_overlaps_are_negative_by_the_least_separation() -> None:
    assert gap(disc(0, 0, 1), disc(1.5, 0, 1)).distance == pytest.approx(-0.5)
    assert gap(square(0, 0, 2), square(1.5, 0.3, 2)).distance == pytest.approx(-0.5)
    assert gap(square(0, 0, 2), disc(0.7, 0, 0.2)).distance == pytest.approx(-0.5)
    assert gap(disc(0.7, 0, 0.2), square(0, 0, 2)).distance == pytest.approx(-0.5)
    crossed = [
        Outline(np.array(ends), 0.1)
        for ends in ([(-1.0, 0.0), (1.0, 0.0)], [(0.4, -1.0), (0.4, 1.0)])
    ]
    assert gap(*crossed).distance == pytest.approx(-0.8)
    assert gap(disc(1, 2, 0.5), disc(1, 2, 0.25)).distance == pytest.approx(-0.75)


numbers = st.floats(-2, 2)


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    count = draw(st.sampled_from([1, 2, 3, 4, 7]))
    points = np.array(draw(st.lists(st.tuples(numbers, numbers), min_size=count, max_size=count)))
    points = points + np.random.default_rng(count).normal(0, 0.05, points.shape)  # all different
    if count > 2:
        points = points[ConvexHull(points).vertices]
    return Outline(points + draw(st.sampled_from([0.0, 5.0])), draw(st.floats(0, 0.5)))


def searched(a: Outline, b: Outline) -> float:
    """Distance of two hulls: the minimum over weighted means of their corners, by an independent solver."""
    m, n = len(a.points), len(b.points)

    def distance(w: FloatArray) -> float:
        return float(np.square(w[:m] @ a.points - w[m:] @ b.points).sum())

    sums = [
        {"type": "eq", "fun": lambda w: w[:m].sum() - 1},
        {"type": "eq", "fun": lambda w: w[m:].sum() - 1},
    ]
    start = np.concatenate([np.full(m, 1 / m), np.full(n, 1 / n)])
    result = minimize(
        distance,
        start,
        bounds=[(0, 1)] * (m + n),
        constraints=sums,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return math.sqrt(max(result.fun, 0.0))


@settings(max_examples=60, deadline=None)
@given(outlines(), outlines())
def test_gap_of_hulls_is_the_least_distance_of_their_points(a: Outline, b: Outline) -> None:
    result = gap(a, b)
    back = gap(b, a)
    apart = searched(a, b)
    if apart > 1e-3:
        assert result.distance == pytest.approx(apart - a.radius - b.radius, abs=2e-4)
    else:
        assert result.distance <= -(a.radius + b.radius) + 1e-3
    assert back.distance == pytest.approx(result.distance, abs=1e-12)
    assert np.linalg.norm(result.end - result.start) == pytest.approx(
        abs(result.distance), abs=1e-9
    )


def test_nearest_of_many_agrees_with_a_full_search() -> None:
    random = np.random.default_rng(3)
    things = [disc(*point, 0.02) for point in random.uniform(-10, 10, (2000, 2))]
    low, high = (np.array([getattr(one, side) for one in things]) for side in ("low", "high"))
    looked_at = []

    def outline(index: int) -> list[Outline]:
        looked_at.append(index)
        return [things[index]]

    for mine in ([square(0.3, 0.2, 0.4, 0.3)], [disc(-9, 9, 0.1), disc(4, 4, 0.01)]):
        looked_at.clear()
        result = nearest_of_many(mine, low, high, outline, without=[7])
        gaps = [least_gap(mine, [one]) for one in things]
        distances = [one.distance for one in gaps if one is not None]
        distances[7] = math.inf
        assert result is not None
        assert result[0] == int(np.argmin(distances))
        assert result[1].distance == pytest.approx(min(distances))
        assert len(looked_at) < 40
    assert nearest_of_many([disc(0, 0, 1)], low[:1], high[:1], outline, without=[0]) is None
    assert nearest_of_many([], low, high, outline) is None


def test_nearest_point_of_a_boundary_is_found() -> None:
    np.testing.assert_allclose(nearest_point(disc(1, 1, 0.5), np.array([1.0, 3.0])), (1.0, 1.5))
    np.testing.assert_allclose(nearest_point(disc(1, 1, 0.5), np.array([1.1, 1.0])), (1.5, 1.0))
    np.testing.assert_allclose(nearest_point(square(0, 0, 2), np.array([0.2, 0.7])), (0.2, 1.0))
    np.testing.assert_allclose(nearest_point(square(0, 0, 2), np.array([3.0, 3.0])), (1.0, 1.0))
