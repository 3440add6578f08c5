"""References of the joints of a gait: soft start, start delay, sampled set-points; independent of requests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.control import registry
from snakestudio.control.set_points import SetPoints
from snakestudio.control.waves import WaveGait
from snakestudio.engines.registry import create as create_engine
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene

DT = 0.00025
GAIT = {
    "model.kind": "spatial_nonsmooth",
    "gait.kind": "two_waves",
    "gait.amplitude_deg": 30.0,
    "start.kind": "gait",
}
PLAIN = with_values(Scene(), GAIT)
SOFT = with_values(PLAIN, {"control.soft_start_deg": 3.0, "start.kind": "straight"})
HELD = with_values(PLAIN, {"control.set_point_period_s": 0.1})
LATE = with_values(PLAIN, {"control.start_delay_s": 0.15})
ALL = with_values(SOFT, {"control.set_point_period_s": 0.1, "control.start_delay_s": 0.15})


def knots(begin: int, end: int) -> NDArray[np.float64]:
    return np.arange(begin, end + 1) * DT


def middles(
    reference: JointReference, begin: int, end: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angles and rates in the middle of every step, as an engine evaluates them, each (k, m)."""
    parts = [reference.at((k + 0.5) * DT) for k in range(begin, end)]
    return np.stack([angle for angle, _ in parts]), np.stack([rate for _, rate in parts])


def test_soft_start_is_the_papers_rule_at_every_midpoint() -> None:
    # P1, VIII-E, as evaluated by the implementation of the reference tracks: at t_M = (k +
    # 1/2) dt every axis is at 0, with rate 0, until |ref(t_M)| <= 3 degrees for the first time, and
    # then exactly at ref.
    n = 12000
    time = (np.arange(n) + 0.5) * DT
    angle, rate, _ = WaveGait(PLAIN).motion(time)
    follows = np.logical_or.accumulate(np.abs(angle) <= np.radians(3.0), axis=0)
    reference = registry.create(SOFT).reference(knots(0, n), None)
    assert (np.diff(reference.time) > 0).all()
    ours, our_rate = middles(reference, 0, n)
    np.testing.assert_allclose(ours, np.where(follows, angle, 0.0), atol=1e-12)
    np.testing.assert_allclose(our_rate, np.where(follows, rate, 0.0), atol=1e-8)
    assert follows[-1].all()
    assert not follows[0].all()
    assert np.abs(np.diff(ours, axis=0)).max() <= np.radians(3.0) + 1e-12


def test_requests_per_period_are_bit_identical() -> None:
    gait = WaveGait(PLAIN)
    full = WaveGait(PLAIN).motion(knots(0, 2000))
    for begin, end in [
        (0, 40),
        (40, 80),
        (80, 120),
        (60, 100),
        *((k, k + 30) for k in range(120, 1900, 30)),
        (10, 20),
    ]:
        for part, all_of_it in zip(gait.motion(knots(begin, end)), full, strict=True):
            assert np.array_equal(part, all_of_it[begin : end + 1])
            part += 1.0  # the array belongs to the caller
    between = knots(100, 140) + 0.3 * DT
    for part, alone in zip(
        gait.motion(between), gait.motion(between, through_ramps=True), strict=True
    ):
        np.testing.assert_allclose(part, alone, rtol=0, atol=1e-12)
    gait.apply(with_values(PLAIN, {"gait.amplitude_deg": 40.0}).gait, 0.5)
    assert np.array_equal(
        gait.motion(knots(2040, 2080))[0], gait.motion(knots(2040, 2080), through_ramps=True)[0]
    )


def test_set_points_are_sampled_and_held_at_rest() -> None:
    n = 2000
    reference = registry.create(HELD).reference(knots(0, n), None)
    ours, rate = middles(reference, 0, n)
    sampled, _, _ = WaveGait(PLAIN).motion((np.arange(n) // 400) * 0.1)
    np.testing.assert_allclose(ours, sampled, atol=1e-15)
    assert not rate.any()


def test_gait_begins_after_the_delay() -> None:
    reference = registry.create(LATE).reference(knots(0, 2000), None)
    expected = WaveGait(PLAIN).motion(np.maximum(knots(0, 2000) - 0.15, 0.0))
    np.testing.assert_allclose(reference.angle, expected[0], atol=1e-15)
    assert not reference.rate[:600].any()
    np.testing.assert_allclose(reference.rate[600:], expected[1][600:], atol=1e-15)


@pytest.mark.parametrize("scene", [SOFT, HELD, LATE, ALL], ids=["soft", "held", "late", "all"])
@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=5), data=st.data())
def test_set_points_do_not_depend_on_requests(
    scene: Scene, sizes: list[int], data: st.DataObject
) -> None:
    # A run requests references in advance, and again from the time of a change of the scene.
    dt = 0.002
    period = 5
    scene = with_values(scene, {"solver.step_s": dt})
    change = data.draw(st.integers(0, sum(sizes))) * period
    changed = with_values(scene, {"gait.amplitude_deg": 12.0, "gait.pitch_phase_deg": 40.0})

    def requested_motion(gait: SetPoints, begin: int, end: int) -> list[NDArray[np.float64]]:
        reference = gait.reference(np.arange(begin, end + 1) * dt, None)
        return [np.stack(reference.at((k + 0.5) * dt)) for k in range(begin, end)]

    full = SetPoints(scene)
    cut = SetPoints(scene)
    end = (sum(sizes) + 1) * period
    expected = requested_motion(full, 0, change) if change else []
    full.apply(changed, change * dt)
    expected += requested_motion(full, change, end)
    now = 0
    result = []
    for size in [*sizes, 1]:
        until = now + size * period
        if now <= change < until:
            result += requested_motion(cut, now, until)[: change - now]
            cut.apply(changed, change * dt)
            saved = cut.checkpoint()
            cut.reference(np.arange(change, until + 501) * dt, None)
            cut.restore(saved)
            now = change
        result += requested_motion(cut, now, until)
        now = until
    np.testing.assert_allclose(result, expected, atol=1e-13, rtol=1e-12)


def test_change_between_two_set_points_waits_for_the_next() -> None:
    gait = registry.create(HELD)
    before = gait.reference(knots(400, 800), None).angle[1]
    gait.apply(with_values(HELD, {"gait.amplitude_deg": 5.0}), 600 * DT)
    after = gait.reference(knots(600, 900), None)
    np.testing.assert_array_equal(after.angle[:201], np.broadcast_to(before, (201, 20)))
    assert np.abs(after.angle[-1] - before).max() > 0.01


def test_soft_start_has_no_lead_in_for_a_straight_robot() -> None:
    reference = registry.create(SOFT).reference(knots(0, 100), None)
    # only joint 1, whose yaw starts at 0, moves
    assert np.abs(reference.angle[:, ::2]).max() < np.radians(1.1)
    assert np.abs(reference.angle[0, 1::2]).max() < np.radians(3.0)


@pytest.mark.parametrize("kind", ["none", "heading", "teleoperation"])
def test_without_lead_in_the_gait_applies_immediately(kind: str) -> None:
    scene = with_values(PLAIN, {"start.kind": "straight", "controller.kind": kind})
    away = np.abs(WaveGait(PLAIN).motion(np.zeros(1))[0]).max()
    assert away > np.radians(25.0)
    snapshot = create_engine(scene).snapshot()
    led = registry.create(scene).reference(knots(0, 40), snapshot)
    assert np.abs(led.angle[0]).max() < 1e-12
    jumps = registry.create(with_values(scene, {"control.lead_in": False})).reference(
        knots(0, 40), snapshot
    )
    expected = WaveGait(PLAIN).motion(jumps.time)
    if kind == "teleoperation":  # its gait rests until it is driven
        expected = tuple(
            part * (i == 0) + 0 * part
            for i, part in enumerate(WaveGait(PLAIN).motion(0 * jumps.time))
        )
    np.testing.assert_allclose(jumps.angle[0], expected[0][0], atol=1e-12)
    np.testing.assert_allclose(jumps.rate[0], expected[1][0], atol=1e-12)


def test_without_lead_in_torque_follows_the_full_error() -> None:
    # P2 (43) in the middle of the first step, for a straight robot at rest: tau = K_P phi_ref + K_D
    # phi_ref'.
    scene = with_values(
        Scene(),
        {
            "control.lead_in": False,
            "run.duration_s": DT,
            "run.log_rate_hz": 4000.0,
            "robot.n_links": 4,
        },
    )
    run = ss.simulate(scene)
    i = np.arange(3)
    gait = scene.gait
    phase = gait.omega * 0.5 * DT + gait.phase_shift * i
    expected = 800.0 * gait.amplitude * np.sin(phase) + 2.0 * gait.amplitude * gait.omega * np.cos(
        phase
    )
    result = [run[f"joint_{j + 1}_yaw_torque_nm"][1] for j in i]
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert np.abs(expected).max() > 500.0


def test_robot_in_the_gait_pose_skips_the_soft_start() -> None:
    soft = with_values(PLAIN, {"control.soft_start_deg": 3.0})
    time = knots(0, 2000)
    bent = np.abs(WaveGait(PLAIN).motion(time[:1])[0][0]) > np.radians(3.0)
    assert 10 < bent.sum() < 20
    angle = registry.create(soft).reference(time, None).angle
    plain = registry.create(PLAIN).reference(time, None).angle
    np.testing.assert_array_equal(angle[-1][bent], plain[-1][bent])


def test_period_shorter_than_a_step_is_an_error() -> None:
    with pytest.raises(SceneError, match=r"control.set_point_period_s: 0.0001"):
        with_values(Scene(), {"control.set_point_period_s": 1e-4})
    odd = registry.create(with_values(PLAIN, {"control.set_point_period_s": 0.00131}))
    rest = odd.reference(knots(0, 20), None)
    assert len(np.unique(rest.angle[:, 3])) == 4  # rounded to 5 steps
