"""Compiled arithmetic: against formulas of numpy and SciPy, and bit for bit against its plain version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from snakestudio.engines.compiled_arithmetic import compile_arithmetic
from snakestudio.kernels._cache import jit_disabled
from snakestudio.model import compilable
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.track import Track

Compilable = compilable.Compilable


@pytest.fixture(params=["plain", "compiled"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run all functions both plain and compiled."""
    compile_arithmetic()
    if request.param == "plain":
        for one in compilable.ALL:
            monkeypatch.setattr(one, "run", one.plain)
    return str(request.param)


def compare(one: Compilable, *args: Any) -> None:
    """Call a function plain and compiled, and check that results and arrays have the same bits."""
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    assert one.plain(*args) == one.run(*copies)
    for arg, copy in zip(args, copies, strict=True):
        np.testing.assert_array_equal(arg, copy)


def a_pose(generator: np.random.Generator, n: int = 12) -> np.ndarray:
    """Links with random orientations, (n, 7)."""
    turned = Rotation.random(n, random_state=int(generator.integers(1 << 30))).as_quat()
    return np.column_stack([generator.normal(size=(n, 3)), turned[:, 3], turned[:, :3]])


@pytest.mark.usefixtures("how")
def test_headings_are_those_of_the_turned_axes() -> None:
    generator = np.random.default_rng(1)
    pose = a_pose(generator)
    axis = Rotation.from_quat(pose[:, [4, 5, 6, 3]]).apply([1.0, 0.0, 0.0])
    heading = np.empty(12)
    bend = np.empty(11)
    compilable.link_headings(pose, heading, bend)
    np.testing.assert_allclose(
        np.exp(1j * heading), (axis[:, 0] + 1j * axis[:, 1]) / np.hypot(*axis[:, :2].T), atol=1e-12
    )
    np.testing.assert_allclose(np.exp(1j * bend), np.exp(1j * np.diff(heading)), atol=1e-12)
    assert (np.abs(bend) <= np.pi).all()


@pytest.mark.usefixtures("how")
def test_offset_solves_its_differential_equation() -> None:
    target = 0.3
    response = 0.4
    angle = -0.2
    rate = 1.5
    time = 2.0 + np.linspace(0.0, 1.5, 40)
    motion = np.empty((3, 40))
    compilable.follow_offset(time, 2.0, target, response, angle, rate, motion)

    def change(_: float, y: np.ndarray) -> list[float]:
        return [y[1], (target - y[0]) / response**2 - 2.0 * y[1] / response]

    solved = solve_ivp(change, (2.0, 3.6), [angle, rate], t_eval=time, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(motion[:2], solved.y, atol=1e-9)
    np.testing.assert_allclose(
        motion[2], (target - motion[0]) / response**2 - 2.0 * motion[1] / response, atol=1e-12
    )


@pytest.mark.usefixtures("how")
def test_offset_is_added_to_the_given_columns() -> None:
    generator = np.random.default_rng(2)
    parts = generator.normal(size=(3, 7, 5))
    columns = np.array([0, 3])
    time = 1.0 + 0.1 * np.arange(7)
    motion = np.empty((3, 7))
    compilable.follow_offset(time, 0.5, 0.3, 0.4, -0.2, 1.5, motion)
    expected = parts.copy()
    expected[:, :, columns] += motion[:, :, None]
    compilable.add_offset(time, 0.5, 0.3, 0.4, -0.2, 1.5, columns, *parts)
    np.testing.assert_array_equal(parts, expected)


@pytest.mark.usefixtures("how")
def test_rows_are_copied_only_for_their_times() -> None:
    times = 0.1 * np.arange(20)
    motion = np.random.default_rng(3).normal(size=(3, 20, 4))
    part = np.empty((3, 5, 4))
    assert compilable.copy_rows(times[7:12].copy(), times, motion, 7, part)
    np.testing.assert_array_equal(part, motion[:, 7:12])
    assert not compilable.copy_rows(times[7:12] + 1e-15, times, motion, 7, part)


PATHS = {
    "polyline": GroundPath(shape="straight", waypoints_m=((0, 0), (2, 0.5), (2.5, 2), (0.5, 2.5))),
    "spline": GroundPath(shape="spline", waypoints_m=((0, 0), (2, 0.5), (2.5, 2), (0.5, 2.5))),
    "ring": GroundPath(
        shape="spline", closed=True, waypoints_m=((0, 0), (2, 0.5), (2.5, 2), (0.5, 2.5))
    ),
}


@pytest.mark.usefixtures("how")
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_nearest_position_agrees_with_sampling(path: GroundPath) -> None:
    track = Track(path)
    sampled = np.linspace(0.0, track.length, 20001)
    points = np.array([track.pose(s)[0] for s in sampled])
    for point in np.random.default_rng(4).uniform([-1.0, -1.0], [3.5, 3.5], (60, 2)):
        distance = np.hypot(*(points - point).T)
        position = track.nearest(point)
        assert np.hypot(*(track.pose(position)[0] - point)) <= distance.min() + 1e-9
        around = float(sampled[distance.argmin()])
        window = np.abs(sampled - around) <= 0.5
        near = track.nearest(point, around, 0.5)
        at = track.pose(near)[0]
        assert np.hypot(*(at - point)) <= distance[window].min() + 1e-9


@pytest.mark.skipif(jit_disabled(), reason="nothing is compiled")
def test_compiled_arithmetic_has_the_bits_of_plain_python() -> None:
    compile_arithmetic()
    assert all(one.run is not one.plain for one in compilable.ALL)
    generator = np.random.default_rng(5)
    spline = Track(PATHS["spline"])
    line = Track(PATHS["polyline"])
    for _ in range(200):
        compare(compilable.link_headings, a_pose(generator), np.empty(12), np.empty(11))
        time = np.sort(generator.uniform(1.0, 2.0, 11))
        (target, angle, rate) = generator.normal(size=3).tolist()
        response = float(generator.uniform(0.05, 3.0))
        compare(
            compilable.follow_offset, time, 1.0, target, response, angle, rate, np.empty((3, 11))
        )
        x, y = generator.uniform(-1.0, 3.5, 2).tolist()
        parts = generator.normal(size=(3, 11, 4))
        compare(
            compilable.add_offset,
            time,
            1.0,
            target,
            response,
            angle,
            rate,
            np.array([1, 3]),
            *parts,
        )
        low, high = np.sort(generator.uniform(-1.0, line.length + 1.0, 2)).tolist()
        for track in (line, spline):
            curve = track.smooth, track.lengths, track.chords, track.coefficients
            compare(compilable.nearest_on_curve, x, y, low, high, *curve)
