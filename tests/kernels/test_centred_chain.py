"""Kernels of the Lagrangian model against plain numpy: the linear solver, the chain about its centre, references."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.centred_map import centred_map, make_chain
from snakestudio.kernels._jit import direct
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.overrides import LinkOverride
from snakestudio.model.robot.robot import Robot
from tests.kernels.compiled_lagrangian import gather, reference_at, solve, spread
from tests.kernels.compiled_nonholonomic import backward, factor, forward

SIZES = (1, 2, 3, 10, 60)


@pytest.mark.parametrize("n", SIZES)
def test_solver_reads_lower_triangle_and_agrees_with_lapack(n: int) -> None:
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    matrix = root @ root.T + np.eye(n)
    rhs = rng.normal(size=n)
    own = np.tril(matrix) + np.triu(np.full((n, n), np.nan), 1)
    x = rhs.copy()
    solve(own, x)
    assert x == pytest.approx(np.linalg.solve(matrix, rhs), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("extra", [0, 1, 7])
def test_wide_factors_with_further_columns_agree_with_lapack(n: int, extra: int) -> None:
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    others = rng.normal(size=(n, extra))
    matrix = root @ root.T + np.eye(n)
    wide = np.full((n, -(-(n + extra) // 8) * 8), 0.5)
    wide[:, : n + extra] = np.hstack([np.triu(matrix) + np.tril(np.full((n, n), 9.0), -1), others])
    inverse = np.zeros(n)
    rhs = rng.normal(size=n)
    x = rhs.copy()
    run = direct(factor)  # twice: the second call does not check the types
    for again in (wide.copy(), wide):
        run(again, inverse, n + extra)
    forward(wide, inverse, x)
    backward(wide, inverse, x)
    assert x == pytest.approx(np.linalg.solve(matrix, rhs), rel=1e-10, abs=1e-11)
    for i in range(extra):
        x = wide[:, n + i].copy()
        backward(wide, inverse, x)
        assert x == pytest.approx(np.linalg.solve(matrix, others[:, i]), rel=1e-10, abs=1e-11)


def test_indefinite_matrix_gives_nan() -> None:
    x = np.ones(2)
    solve(np.array([[1.0, 2.0], [2.0, 1.0]]), x)
    assert np.isnan(x).all()


@pytest.mark.parametrize("n", SIZES)
def test_positions_follow_joints_about_the_centre_of_mass(n: int) -> None:
    # Written as in P4 (2), (3) and (6).
    theta = np.random.default_rng(n).uniform(-3, 3, n)
    half = 0.07
    chain = make_chain(Robot(n_links=n, link_length_m=2 * half))
    direction = np.column_stack([np.cos(theta), np.sin(theta)])
    position = np.array([half * (2 * direction[:i].sum(axis=0) + direction[i]) for i in range(n)])
    centre = np.array([*theta, 0.3, -0.2])
    out = np.full((n, 2), np.nan)
    spread(direction, chain, centre, out)
    assert out == pytest.approx(position - position.mean(axis=0) + [0.3, -0.2], abs=1e-14)
    assert half * centred_map(n) @ direction + [0.3, -0.2] == pytest.approx(out, abs=1e-14)


def _unequal(n: int) -> Robot:
    rng = np.random.default_rng([n, 1])
    links = [
        LinkOverride(
            index=k + 1,
            length_m=rng.uniform(0.1, 0.3),
            mass_kg=rng.uniform(0.3, 2.0),
            centre_of_mass_m=rng.uniform(-0.03, 0.03),
        )
        for k in range(n)
    ]
    return Robot(n_links=n, link=tuple(links))


@pytest.mark.parametrize("n", SIZES)
def test_unequal_links_join_about_their_centre_of_mass(n: int) -> None:
    robot = _unequal(n)
    theta = np.random.default_rng(n).uniform(-3, 3, n)
    direction = np.column_stack([np.cos(theta), np.sin(theta)])
    joint = np.zeros(2)
    places = []
    for link, along in zip(robot.links, direction, strict=True):
        places.append(joint + (0.5 * link.length + link.centre_of_mass) * along)
        joint = joint + link.length * along
    position = np.array(places)
    mass = np.array([link.mass for link in robot.links])
    expected = position - mass @ position / mass.sum() + [0.3, -0.2]
    out = np.full((n, 2), np.nan)
    chain = make_chain(robot)
    spread(direction, chain, np.array([*theta, 0.3, -0.2]), out)
    assert out == pytest.approx(expected, abs=1e-13)
    levers = centred_map(n, chain.back, chain.weight) * chain.half
    assert levers @ direction + [0.3, -0.2] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("n", SIZES)
def test_forces_on_angles_and_links_do_the_same_work(n: int) -> None:
    rng = np.random.default_rng(n)
    theta = rng.uniform(-3, 3, n)
    omega = rng.normal(size=n)
    force = rng.normal(size=(n, 2))
    cos, sin = np.cos(theta), np.sin(theta)
    velocity = np.zeros((n, 2))
    on_angles = np.zeros(n)
    chain = make_chain(_unequal(n))
    spread(np.column_stack([-sin * omega, cos * omega]), chain, np.zeros(n + 2), velocity)
    gather(force, chain, cos, sin, on_angles)
    assert on_angles @ omega == pytest.approx((force * velocity).sum(), abs=1e-13)


def test_accelerations_are_linear_and_bounded_at_a_jump() -> None:
    time = np.array([0.0, 0.5, np.nextafter(0.5, 1.0), 1.0])
    acceleration = np.array([1.0, 3.0, -2.0, 4.0])[:, None, None] * np.ones((1, 1, 2))
    angle = np.array([0.0, 0.0, 1.0, 1.0])[:, None, None] * np.ones((1, 1, 2))
    got = np.zeros((1, 2))
    reference = np.zeros((1, 4))
    for t, expected in ((0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (0.75, 1.0), (1.0, 4.0), (2.0, 4.0)):
        reference_at(time, angle, np.zeros_like(angle), acceleration, t, reference, got)
        assert got == pytest.approx(np.full((1, 2), expected), abs=1e-14), t


def test_held_reference_is_bit_identical() -> None:
    random = np.random.default_rng(0)
    held = random.standard_normal((1, 9, 2))
    angle = np.repeat(held, 2, axis=0)
    acceleration = angle.copy()
    reference = np.zeros((9, 4))
    got = np.zeros((9, 2))
    for begin, end, fraction in random.random((200, 3)):
        time = np.array([begin, begin + end + 0.1])
        at = time[0] + fraction * (time[1] - time[0])
        reference_at(time, angle, np.zeros_like(angle), acceleration, at, reference, got)
        np.testing.assert_array_equal(reference[:, :2], held[0])
        np.testing.assert_array_equal(reference[:, 2:], 0.0)
        np.testing.assert_array_equal(got, held[0])
        plain = JointReference(time, angle.reshape(2, -1), np.zeros((2, 18)), np.zeros((2, 18)))
        np.testing.assert_array_equal(plain.at(at)[0], held.ravel())
