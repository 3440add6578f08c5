"""Sensors and motors of the emulated robot: resolution, start-up lag, motors that warm up as RC elements do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.plant import PlantState
from snakestudio.link.profile.loading import LoadedProfile

ALL = np.arange(20)


class Scripted:
    """Plant whose state is set by the test."""

    def __init__(self, m: int) -> None:
        self.state = PlantState(np.zeros(m), np.zeros(m), np.zeros(m))
        self.targets: list[FloatArray] = []

    def advance(
        self, dt: float, target: FloatArray, target_rate: FloatArray, enabled: BoolArray
    ) -> PlantState:
        self.targets.append(target.copy())
        return self.state

    def block(self, axes: BoolArray) -> None: ...


@pytest.fixture
def plant() -> Scripted:
    return Scripted(20)


@pytest.fixture
def body(shipped, plant: Scripted) -> Body:
    loaded: LoadedProfile = shipped("lab_robot")
    return Body(loaded.profile, plant, np.random.default_rng(3))


def test_encoders_round_to_their_resolution(body: Body, plant: Scripted) -> None:
    step = 2 * math.pi / 4096  # 12 bits to a turn
    plant.state = PlantState(np.full(20, 2.3 * step), np.zeros(20), np.zeros(20))
    body.advance(0.01, 0.01)
    assert body.angle == pytest.approx(np.full(20, 2 * step))


def test_joints_start_50_to_150_ms_after_the_first_set_point(body: Body, plant: Scripted) -> None:
    body.switch_on(ALL)
    # equal to the actual angles: no motion has begun yet
    body.drive(ALL, np.full(20, 0.001), np.zeros(20), 0.0)
    body.advance(0.01, 1.0)
    assert not plant.targets[-1].any()
    body.drive(ALL, np.full(20, 0.4), np.zeros(20), 1.0)
    begun = np.full(20, np.nan)
    for k in range(1, 200):
        now = 1.0 + 0.001 * k
        body.advance(0.001, now)
        begun = np.where(np.isnan(begun) & (plant.targets[-1] == 0.4), now - 1.0, begun)
    assert begun.min() >= 0.05
    assert begun.max() <= 0.151
    assert len(set(begun.round(3))) > 5  # each axis has a different lag


def test_motor_warms_up_as_an_rc_element(body: Body, plant: Scripted) -> None:
    # i = 6/1.5 = 4 A; P = 0.8 * 16 = 12.8 W; R P = 25.6 K; RC = 2 * 60 = 120 s: after 120 s 63.2 %
    # of it.
    plant.state = PlantState(np.zeros(20), np.zeros(20), np.full(20, 6.0))
    body.advance(120.0, 120.0)  # the current at the end of the interval
    assert body.current == pytest.approx(np.full(20, 4.0))
    assert body.temperature == pytest.approx(np.full(20, 25.0 + 25.6 * (1 - math.exp(-1.0))))


def test_frozen_sensor_keeps_its_value(body: Body, plant: Scripted) -> None:
    body.frozen[3] = True
    plant.state = PlantState(np.full(20, 0.5), np.zeros(20), np.zeros(20))
    body.advance(0.01, 0.01)
    assert body.angle[3] == 0.0
    assert body.angle[4] == pytest.approx(0.5, abs=0.001)
