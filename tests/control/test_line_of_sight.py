"""Guidance and the offset's filter, against closed forms and a numerical integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio.control.offset_filter import OffsetFilter
from snakestudio.control.path_projection import PathProjection, heading_to, integral_rate, projected
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.track import Track
from tests.model.test_ground_path import circle

STEP = 0.002


def travelled(
    track: Track, start: tuple[float, float], look_ahead: float, distance: float
) -> np.ndarray:
    """Cross-track error, every STEP metres, of a point that follows the guidance exactly (midpoint rule)."""
    point = np.array(start)
    around = None
    result = []
    for _ in range(round(distance / STEP)):
        sight = projected(track, point, around, look_ahead)
        around = sight.along
        result.append(sight.cross)
        heading = heading_to(sight, look_ahead)
        half = point + 0.5 * STEP * np.array([math.cos(heading), math.sin(heading)])
        heading = heading_to(projected(track, half, around, look_ahead), look_ahead)
        point = point + STEP * np.array([math.cos(heading), math.sin(heading)])
    return np.array(result)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(
    ("path", "on", "left"),
    [
        (GroundPath(waypoints_m=((0.0, 0.0), (2.0, 0.0))), (0.5, 0.0), (0.0, 1.0)),
        (circle(3.0), (3.0, 0.0), (-1.0, 0.0)),
    ],
    ids=["line", "circle"],
)
def test_kinematic_error_follows_the_closed_form(
    path: GroundPath, on: tuple[float, float], left: tuple[float, float], side: float
) -> None:
    # With sin(heading - tangent) = -e / sqrt(e^2 + D^2) the distance s to the error e is, on any
    # smooth path, F(e_0) - F(e) with F = sqrt(e^2 + D^2) - D arsinh(D / e).
    ahead = 0.7
    begin = 1.0

    def distance_to(e: float) -> float:
        return math.hypot(e, ahead) - ahead * math.asinh(ahead / e)

    start = (on[0] + side * begin * left[0], on[1] + side * begin * left[1])
    error = travelled(Track(path), start, ahead, 4.0)
    assert error[0] == pytest.approx(side * begin, abs=1e-4)
    for expected in (0.7, 0.3, 0.1, 0.02):
        s = distance_to(begin) - distance_to(expected)
        assert side * error[round(s / STEP)] == pytest.approx(expected, abs=4e-4 + 0.002 * expected)


def test_integral_settles_where_it_balances_a_current() -> None:
    # A current across the path is balanced by a heading of atan(shift / look-ahead) without
    # remaining error.
    ahead = 0.7
    gain = 0.05
    current = 0.02
    dt = 0.05
    speed = 0.1
    e = 0.0
    z = 0.0
    for _ in range(20000):
        sight = PathProjection(0.0, e, np.zeros(2), 0.0)
        heading = heading_to(sight, ahead, gain * z)
        z += integral_rate(e, ahead, gain * z) * dt
        e += (speed * math.sin(heading) + current) * dt
    assert e == pytest.approx(0.0, abs=1e-6)
    assert gain * z == pytest.approx(ahead * math.tan(math.asin(current / speed)), rel=1e-5)


def test_look_ahead_point_is_on_the_tangent() -> None:
    sight = projected(Track(circle(2.0)), np.array([2.5, 0.0]), None, 1.0)
    assert sight.cross == pytest.approx(-0.5, abs=1e-4)
    assert sight.curvature == pytest.approx(0.5, rel=0.02)
    np.testing.assert_allclose(sight.ahead(0.7), (2.0, 0.7), atol=1e-3)


def test_filter_solves_its_equation() -> None:
    targets = (0.2, -0.1, 0.05)
    span = 0.7
    response = 0.4

    def equation(t: float, y: np.ndarray) -> list[float]:
        expected = targets[min(int(t / span), 2)]
        return [y[1], (expected - y[0]) / response**2 - 2 * y[1] / response]

    offset = OffsetFilter(response=response)
    state = np.zeros(2)
    for k, expected in enumerate(targets):
        offset = offset.aimed(expected, response, k * span)
        time = np.linspace(k * span, (k + 1) * span, 8)
        exact = solve_ivp(
            equation, (time[0], time[-1] - 1e-12), state, t_eval=time[:-1], rtol=1e-11, atol=1e-13
        )
        angle, rate, acceleration = offset.at(time[:-1])
        np.testing.assert_allclose(angle, exact.y[0], atol=1e-9)
        np.testing.assert_allclose(rate, exact.y[1], atol=1e-9)
        np.testing.assert_allclose(
            acceleration, (expected - angle) / response**2 - 2 * rate / response, atol=1e-9
        )
        state = np.array([float(part[-1]) for part in offset.at(time)[:2]])


def test_another_response_time_takes_over_angle_and_rate() -> None:
    before = OffsetFilter().aimed(0.3, 0.5, 0.0)
    after = before.aimed(-0.3, 2.0, 0.2)
    for old, new in zip(before.at(np.array([0.2]))[:2], after.at(np.array([0.2]))[:2], strict=True):
        assert new == pytest.approx(old)
