"""Chains of any joints and unequal links in space: free motion against MuJoCo, springs against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines.contact_sums import ACTUATOR
from snakestudio.engines.spatial_nonsmooth.joint_kinds import CARDAN, HAS_YAW, THREE, WIDE
from snakestudio.engines.spatial_nonsmooth.params import (
    DAMPING,
    HIGH,
    LOW,
    REST,
    STIFFNESS,
    Chain,
    link_rows,
)
from snakestudio.engines.spatial_nonsmooth.state import DAMPER, SPRING, State
from snakestudio.model.world import Ground
from tests.engines.spatial_chains import (
    STILL,
    Torque,
    chain_of,
    limp_axes,
    mujoco_centres,
    n_axes,
    params_with,
    random_links,
    resting,
    run_chain,
)

STEPS = (2e-4, 1e-4, 5e-5)
"""Steps whose results are extrapolated, each half of the previous one, s."""


def random_chain(seed: int) -> Chain:
    """Return a chain of 3 to 9 links with any joints, also fixed ones, of one kind or mixed; springs at most axes."""
    rng = np.random.default_rng([seed, 2])
    n = int(rng.integers(3, 10))
    kinds = rng.integers(0, 8, n - 1).tolist()
    if seed % 5 == 1:
        kinds = [1 + k % 2 for k in range(n - 1)]
    elif seed % 5 == 2:
        kinds = [int(rng.integers(1, 8))] * (n - 1)
    kinds = [kind | WIDE if kind == CARDAN and seed % 2 else kind for kind in kinds]
    values = limp_axes(n_axes(kinds))
    values[:, STIFFNESS] = rng.uniform(0.0, 1.0, len(values)) * rng.integers(0, 2, len(values))
    values[:, DAMPING] = rng.uniform(0.0, 5e-3, len(values))
    values[:, REST] = rng.uniform(-0.3, 0.3, len(values))
    return chain_of(random_links(rng, n), kinds, values)


def random_torque(seed: int, count: int, size: float) -> Torque:
    """Return torques A sin(w t + p) of `count` axes."""
    rng = np.random.default_rng([seed, 3])
    amplitude = size * rng.uniform(0.5, 1.0, count)
    omega = rng.uniform(3.0, 9.0, count)
    phase = rng.uniform(0, 6, count)
    return lambda time: amplitude * np.sin(np.multiply.outer(time, omega) + phase)


def compare(
    chain: Chain, angle: FloatArray, seconds: float, ground: Ground, torque: Torque | None
) -> list[float]:
    """Return the largest differences of centres of mass to MuJoCo at the `STEPS`, and of the extrapolated values, m."""
    theirs = mujoco_centres(chain, angle, seconds, ground, torque)
    ends = [
        run_chain(
            params_with(chain, dt, ground),
            resting(chain, angle),
            seconds,
            torque or zero_torque(chain),
        ).q[:, :3]
        for dt in STEPS
    ]
    extrapolated = (
        8.0 * ends[2] - 6.0 * ends[1] + ends[0]
    ) / 3.0  # without the parts with dt and dt^2
    return [float(np.abs(end - theirs).max()) for end in (*ends, extrapolated)]


def zero_torque(chain: Chain) -> Torque:
    """Return motors without torque."""
    return lambda time: np.zeros((len(time), len(chain.axes)))


def assert_moves_as_mujoco(seed: int, seconds: float, size: float) -> None:
    chain = random_chain(seed)
    count = len(chain.axes)
    angle = np.random.default_rng([seed, 4]).uniform(-0.3, 0.3, count)
    torque = random_torque(seed, count, size) if size > 0.0 else None
    ground = STILL if seed % 2 else Ground()
    errors = compare(chain, angle, seconds, ground, torque)
    assert errors[3] < 1e-9, errors
    # First order: half the error with half the step.
    if errors[1] > 1e-7:
        assert 0.35 * errors[1] < errors[2] < 0.65 * errors[1], errors


@pytest.mark.parametrize("seed", range(8))
def test_random_chain_on_springs_moves_as_in_mujoco(seed: int) -> None:
    assert_moves_as_mujoco(seed, 0.2, 0.0)


@pytest.mark.parametrize("seed", [20, 21])
def test_random_chain_under_torques_moves_as_in_mujoco(seed: int) -> None:
    assert_moves_as_mujoco(seed, 0.2, 0.02)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 40))
def test_random_chain_moves_as_in_mujoco_for_a_second(seed: int) -> None:
    assert_moves_as_mujoco(seed, 1.0, 0.01)


def test_offset_between_axes_moves_as_in_mujoco() -> None:
    """Joints whose pitch axis is behind the yaw axis, with different offsets, some of them also with roll."""
    rng = np.random.default_rng(7)
    kinds = [CARDAN, CARDAN | WIDE, THREE, HAS_YAW, CARDAN]
    values = limp_axes(n_axes(kinds))
    values[:, STIFFNESS] = 0.5
    chain = chain_of(
        random_links(rng, len(kinds) + 1), kinds, values, np.array([0.02, 0.01, 0.03, 0.0, 0.015])
    )
    errors = compare(chain, rng.uniform(-0.3, 0.3, len(values)), 0.2, STILL, None)
    assert errors[3] < 1e-9, errors


def test_wide_joint_passes_ninety_degrees_as_in_mujoco() -> None:
    """Yaw under a torque while the pitch passes 90 degrees, where rotating a link about its own axis is singular."""
    rng = np.random.default_rng(8)
    kinds = [CARDAN | WIDE] * 3
    chain = chain_of(random_links(rng, 4), kinds, limp_axes(6))
    constant = np.array([0.02, 0.1, -0.01, 0.0, 0.01, 0.0])
    angle = np.array([0.0, 0.5, 0.2, 0.3, -0.2, 0.3])

    def turning(time: FloatArray) -> FloatArray:
        return np.tile(constant, (len(time), 1))

    errors = compare(chain, angle, 0.25, STILL, turning)
    end = run_chain(params_with(chain, 1e-4), resting(chain, angle), 0.25, turning)
    assert end.angle[1] > 0.5 * math.pi
    assert errors[3] < 1e-8, errors


# ------------------------------------------------------------------------------------------ springs


INERTIA = 1.2e-3, 2.0e-3
"""Moments of inertia of the two links of a torsional oscillator, kg m^2."""


def oscillator(stiffness: float, damping: float, rest: float) -> tuple[Chain, float]:
    """Return two links joined by yaw at their centres of mass, a linear oscillator, and the inertia
    of their rotation."""
    ones = np.ones(2)
    nothing = 0.0 * ones
    contact = np.tile([-0.01, 0.01], (2, 1))
    rear = np.array([0.05, 0.0])
    front = np.array([0.0, 0.05])
    across = np.array(INERTIA)
    friction = np.ones((2, 3))
    links = link_rows(
        ones, across, 1e-3 * ones, rear, front, contact, 0.02 * ones, nothing, friction
    )
    values = limp_axes(1)
    values[:, [STIFFNESS, DAMPING, REST]] = stiffness, damping, rest
    return chain_of(links, [HAS_YAW], values), 1.0 / (1.0 / INERTIA[0] + 1.0 / INERTIA[1])


def yaw_and_rate(state: State) -> tuple[float, float]:
    """Return angle, rad, and rate, rad/s, of the oscillator, from the poses and velocities of its links."""
    turns = 2.0 * np.arctan2(state.q[:, 6], state.q[:, 3])
    return float(turns[1] - turns[0]), float(state.u[1, 5] - state.u[0, 5])


@pytest.mark.parametrize("damping", [0.0, 2e-3])
def test_spring_and_damper_follow_the_closed_form(damping: float) -> None:
    stiffness = 0.8
    rest = 0.2
    start = 0.7
    seconds = 0.5
    chain, inertia = oscillator(stiffness, damping, rest)
    decay = 0.5 * damping / inertia
    omega = math.sqrt(stiffness / inertia - decay**2)
    swing = math.exp(-decay * seconds) * (
        math.cos(omega * seconds) + decay / omega * math.sin(omega * seconds)
    )
    expected = rest + (start - rest) * swing
    errors = []
    for dt in (2e-4, 1e-4):
        end = run_chain(
            params_with(chain, dt), resting(chain, np.array([start])), seconds, zero_torque(chain)
        )
        errors.append(abs(yaw_and_rate(end)[0] - expected))
    # The spring is of second order, the damper, which is implicit, of first.
    assert errors[1] < (2e-4 if damping else 1e-5)
    assert errors[1] < (0.55 if damping else 0.3) * errors[0]


@pytest.mark.parametrize("stiffness", [0.8, 1e6])
def test_spring_of_any_stiffness_conserves_energy(stiffness: float) -> None:
    """A step of 11 radians of the stiff spring's own vibration, where an explicit spring is unstable above 2."""
    chain, inertia = oscillator(stiffness, 0.0, 0.0)
    params = params_with(chain, 2.5e-4)
    state = run_chain(params, resting(chain, np.array([0.01])), 0.1, zero_torque(chain))
    angle, rate = yaw_and_rate(state)
    energy = 0.5 * stiffness * 0.01**2
    assert 0.5 * stiffness * angle**2 + 0.5 * inertia * rate**2 == pytest.approx(energy, rel=1e-5)
    assert state.sums[SPRING] == pytest.approx(
        energy - 0.5 * stiffness * angle**2, rel=1e-5, abs=1e-5 * energy
    )


def test_damper_work_is_in_the_ledger() -> None:
    chain, inertia = oscillator(0.8, 2e-3, 0.0)
    state = run_chain(
        params_with(chain, 1e-4), resting(chain, np.array([0.5])), 0.3, zero_torque(chain)
    )
    angle, rate = yaw_and_rate(state)
    left = 0.5 * 0.8 * angle**2 + 0.5 * inertia * rate**2
    assert state.sums[DAMPER] < -0.01
    assert left - 0.5 * 0.8 * 0.5**2 == pytest.approx(state.sums[DAMPER], rel=1e-7)
    assert abs(state.sums[ACTUATOR]) < 1e-15


def test_stops_of_an_axis_may_differ_below_and_above() -> None:
    chain, _ = oscillator(0.8, 0.0, 0.0)
    chain.axes[:, [LOW, HIGH]] = -0.1, 0.6
    params = params_with(chain, 1e-4)
    state = resting(chain, np.array([0.5]))
    lowest = math.inf
    for _ in range(60):
        lowest = min(lowest, yaw_and_rate(run_chain(params, state, 0.01, zero_torque(chain)))[0])
    assert -0.1 - 5e-3 < lowest < -0.1 + 5e-3
    chain.axes[:, REST] = 1.0
    pushed = run_chain(params_with(chain, 1e-4), state, 0.5, zero_torque(chain))
    assert yaw_and_rate(pushed)[0] == pytest.approx(0.6, abs=5e-3)
