"""Rotors, dry friction, restitution, gears and motors of joint axes in space: closed forms, and MuJoCo."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.engines.contact_sums import ACTUATOR, UNCONVERGED
from snakestudio.engines.row_buffers import make_row_buffers
from snakestudio.engines.spatial_nonsmooth import params as columns
from snakestudio.engines.spatial_nonsmooth.params import ROTOR, Chain, axis_rows
from snakestudio.engines.spatial_nonsmooth.schema import ENERGY
from snakestudio.engines.spatial_nonsmooth.state import DRY_FRICTION, WORST_CALL, make_work
from snakestudio.engines.spatial_nonsmooth.step import advance_steps
from snakestudio.kernels._jit import direct
from snakestudio.kernels.hermite import JointKnots
from tests.engines.spatial_chains import chain_of, params_with, resting
from tests.engines.test_spatial_chains import (
    INERTIA,
    STILL,
    compare,
    oscillator,
    random_chain,
    random_torque,
)

_advance = direct(advance_steps)


def axis(stiffness: float = 0.0, **values: float) -> tuple[Chain, float]:
    """Return two links joined by yaw with these values of `Params.axes`, and the inertia of their rotation."""
    chain, inertia = oscillator(stiffness, 0.0, 0.0)
    axes = chain.axes.copy()
    for name, value in values.items():
        axes[:, getattr(columns, name)] = value
    return chain._replace(axes=axis_rows(chain.links, chain.kinds, axes)), inertia + values.get(
        "ROTOR", 0.0
    )


class Motion:
    """Angle and rate of the joint after every step under a constant torque, and the last state."""

    def __init__(
        self, chain: Chain, angle: float, dt: float, steps: int, torque: float = 0.0
    ) -> None:
        params = params_with(chain, dt)
        self.state = state = resting(chain, np.array([angle]))
        space = make_work(2, 1, len(state.law))
        rows = make_row_buffers(0, 2, len(ENERGY), 0, 1)
        time = np.array([0.0, steps * dt])
        zeros = np.zeros((2, 1, 1))
        knots = JointKnots(time, zeros, zeros, zeros, np.full((2, 1, 1), torque))
        self.angle, self.rate = np.zeros((2, steps))
        for i in range(steps):
            assert _advance(params, state, space, knots, 1, np.zeros(0, np.int64), rows) == 0
            turns = 2.0 * np.arctan2(state.q[:, 6], state.q[:, 3])
            self.angle[i] = turns[1] - turns[0]
            self.rate[i] = state.u[1, 5] - state.u[0, 5]

    @property
    def turning(self) -> list[int]:
        """Steps in which the joint reverses."""
        product = self.rate[1:] * self.rate[:-1]
        return (np.flatnonzero(product < 0.0) + 1).tolist()

    def energy(self, rotor: float = 0.0) -> float:
        """Kinetic energy of the links, whose masses are 1 kg, and of the rotor, J."""
        u = self.state.u
        turning: float = float(np.dot(INERTIA, u[:, 5] ** 2))
        return 0.5 * (float(np.sum(u[:, :3] ** 2)) + turning + rotor * self.rate[-1] ** 2)


# -------------------------------------------------------------------------------------------- rotors


@pytest.mark.parametrize("seed", [20, 21, 22, 24, 25, 26])
def test_rotors_move_chains_as_armature_in_mujoco(seed: int) -> None:
    """Joints with one, two and three axes under torques; MuJoCo's armature is the same inertia."""
    chain = random_chain(seed)
    count = len(chain.axes)
    axes = chain.axes.copy()
    axes[:, ROTOR] = np.random.default_rng(seed).uniform(0.0, 5e-3, count)
    chain = chain_of(chain.links, chain.kinds.tolist(), axes, chain.offsets)
    angle = np.random.default_rng([seed, 4]).uniform(-0.3, 0.3, count)
    errors = compare(chain, angle, 0.2, STILL, random_torque(seed, count, 0.05))
    assert errors[3] < 1e-9, errors


def test_rotor_adds_to_the_inertia_of_an_oscillator() -> None:
    chain, inertia = axis(0.8, ROTOR=1e-3)
    omega = math.sqrt(0.8 / inertia)
    errors = []
    for dt in (2e-4, 1e-4):
        motion = Motion(chain, 0.3, dt, round(0.5 / dt))
        errors.append(abs(motion.angle[-1] - 0.3 * math.cos(0.5 * omega)))
    assert errors[1] < 2e-5
    assert errors[1] < 0.3 * errors[0]


# -------------------------------------------------------------------------------------- dry friction


def test_dry_friction_takes_the_same_angle_from_each_half_cycle() -> None:
    """Each half cycle loses 2 F / k (textbooks of vibrations); the joint is then exactly at rest."""
    stiffness, dry, start = 0.8, 0.02, 0.5
    chain, inertia = axis(stiffness, DRY=dry, ROTOR=1e-3)
    half = math.pi * math.sqrt(inertia / stiffness)
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        motion = Motion(chain, start, dt, int(12.2 * half / dt))
        peaks = np.abs(motion.angle[motion.turning[:9]])
        expected = start - 2.0 * dry / stiffness * np.arange(1, 10)
        errors.append(float(np.abs(peaks - expected).max()))
        assert abs(motion.rate[-1]) < 1e-15
        assert np.ptp(motion.angle[-300:]) < 1e-12
        assert motion.state.sums[WORST_CALL] <= 1e-8
        assert motion.state.counts[UNCONVERGED] == 0
    assert errors[2] < 1e-6
    assert errors[2] < 0.3 * errors[1] < 0.09 * errors[0] + 1e-9


@pytest.mark.parametrize(("torque", "moves"), [(0.0499, False), (0.0501, True)])
def test_dry_friction_holds_exactly_up_to_its_torque(torque: float, moves: bool) -> None:
    chain, inertia = axis(DRY=0.05)
    motion = Motion(chain, 0.1, 1e-3, 500, torque)
    expected = 0.1 + 0.5 * (torque - 0.05) / inertia * 0.5**2 if moves else 0.1
    assert motion.angle[-1] == pytest.approx(expected, abs=1e-13 if not moves else 1e-4)
    if moves:
        assert motion.rate[-1] == pytest.approx((torque - 0.05) / inertia * 0.5, rel=1e-9)


def test_dry_friction_decreases_with_the_rate() -> None:
    """F (1 + rise exp(-(rate / speed)^2)): it holds at 1.5 F, and at 100 times the speed it is F."""
    chain, inertia = axis(DRY=0.02, DRY_RISE=0.5, DRY_SPEED=0.05)
    assert np.ptp(Motion(chain, 0.1, 1e-3, 200, 0.0299).angle) < 1e-13
    motion = Motion(chain, 0.1, 1e-3, 400, 0.0301)
    fast = np.abs(motion.rate) > 0.5
    acceleration = np.diff(motion.rate)[fast[1:]] / 1e-3
    assert len(acceleration) > 50
    assert acceleration == pytest.approx((0.0301 - 0.02) / inertia, rel=1e-9)


def test_ledger_of_rotor_and_dry_friction_is_balanced() -> None:
    """The works of motor and dry friction are the energy of links and rotor, and follow the closed form."""
    rotor, dry, torque = 1e-3, 0.02, 0.05
    chain, inertia = axis(DRY=dry, ROTOR=rotor)
    motion = Motion(chain, 0.2, 1e-4, 3000, torque)
    sums = motion.state.sums
    assert motion.energy(rotor) == pytest.approx(sums[ACTUATOR] + sums[DRY_FRICTION], abs=1e-13)
    assert sums[DRY_FRICTION] == pytest.approx(-dry / torque * sums[ACTUATOR], rel=1e-9)
    assert motion.rate[-1] == pytest.approx((torque - dry) / inertia * 0.3, rel=1e-9)


# ------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_limit_reflects_the_rate(restitution: float, side: float) -> None:
    """Each impact reverses the rate times e; under a constant torque it rests after t1 (1 + e) / (1 - e).

    t1 is the time of the first impact: the flights then last 2 e t1, 2 e^2 t1, ..., a geometric series.
    """
    limits = {"LOW": -0.1, "HIGH": 9.0} if side < 0.0 else {"LOW": -9.0, "HIGH": 0.1}
    chain, inertia = axis(RESTITUTION=restitution, **limits)
    torque = 4e-4 * side
    first = math.sqrt(2.0 * 0.3 * inertia / abs(torque))
    rest = first * (1.0 + restitution) / (1.0 - restitution)
    dt = 1e-3
    motion = Motion(chain, -0.2 * side, dt, int(1.2 * rest / dt), torque)
    before, after = motion.rate[:-1] * side, motion.rate[1:] * side
    bounces = np.flatnonzero((before > 20.0 * dt * abs(torque) / inertia) & (after < 0.0))
    ratios = -after[bounces] / before[bounces]
    assert len(ratios) >= 3
    assert ratios == pytest.approx(restitution, abs=1e-9)
    at_rest = np.abs(motion.rate) < 2.0 * dt * abs(torque) / inertia
    stopped = dt * (np.flatnonzero(~at_rest)[-1] + 1)
    assert stopped == pytest.approx(rest, rel=0.02)


def test_limit_without_restitution_stops_the_joint() -> None:
    chain, _ = axis(LOW=-0.1, HIGH=9.0, DRY=0.01)
    motion = Motion(chain, 0.2, 1e-3, 800, -0.05)
    assert abs(motion.rate[-1]) < 1e-12
    overshoot = 1e-3 * np.abs(motion.rate).max()
    assert -0.1 - overshoot <= motion.angle[-1] <= -0.1
    assert motion.state.stop[0] == pytest.approx(1e-3 * 0.05, rel=1e-9)


# ------------------------------------------------------------------------------------------- motors


def test_motor_with_back_emf_spins_up_exponentially() -> None:
    """T - k w = I w' gives w = T / k (1 - exp(-k t / I))."""
    torque, slope = 0.05, 2e-3
    chain, inertia = axis(BACK_EMF=slope, ROTOR=1e-3)
    expected = torque / slope * -math.expm1(-slope * 1.0 / inertia)
    errors = [
        abs(Motion(chain, 0.0, dt, round(1.0 / dt), torque).rate[-1] - expected)
        for dt in (1e-2, 5e-3, 2.5e-3)
    ]
    assert errors[2] < 2e-2 * expected
    assert errors[2] < 0.55 * errors[1] < 0.31 * errors[0]


def test_current_limit_caps_the_torque_until_the_back_emf_does() -> None:
    """A stall torque of 0.1 N m at full voltage, 0.04 at the current limit: constant up to 30 rad/s."""
    chain, inertia = axis(BACK_EMF=2e-3, CURRENT=0.04)
    dt = 1e-3
    motion = Motion(chain, 0.0, dt, 1000, 0.1)
    knee = round(30.0 * inertia / 0.04 / dt)
    assert np.diff(motion.rate[: knee - 2]) / dt == pytest.approx(0.04 / inertia, rel=1e-9)
    after = np.diff(motion.rate[knee + 2 :]) / dt
    assert after == pytest.approx((0.1 - 2e-3 * motion.rate[knee + 3 :]) / inertia, rel=1e-6)


def test_gear_transmits_its_efficiency() -> None:
    chain, inertia = axis(LOSS=0.3, ROTOR=5e-4)
    motion = Motion(chain, 0.0, 1e-3, 200, 0.1)
    assert motion.rate[-1] == pytest.approx(0.7 * 0.1 / inertia * 0.2, rel=1e-9)
    sums = motion.state.sums
    assert sums[DRY_FRICTION] == pytest.approx(-0.3 * sums[ACTUATOR], rel=1e-9)
