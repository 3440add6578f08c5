"""Positions where a continuous body is held: closed forms, limits in time, and minima of typed laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene

SNAKE = with_values(Scene(), {"model.kind": "continuum_beam"})
WORM = with_values(
    SNAKE,
    {
        "beam.length_m": 0.3,
        "beam.group": "R",
        "strain.kind": "peristalsis",
        "strain.wavelength_m": 0.15,
        "strain.speed_m_s": 0.3,
        "support.kind": "wave_anchors",
    },
)
T = np.linspace(0.0, 3.0, 301)


def held(scene: Scene) -> Attachments:
    return Attachments(scene, StrainLaw(scene.strain, scene.beam))


def typed(gamma_x: str, speed: str, **more: Any) -> Scene:
    law = {"strain.kind": "formulas", "strain.gamma_x": gamma_x, "strain.speed_m_s": speed}
    return with_values(with_values(SNAKE, {"support.kind": "wave_anchors", **law}), more)


def test_friction_holds_nothing() -> None:
    hold, twist = held(with_values(SNAKE, {"support.kind": "friction"})).at(T)
    assert hold.shape == (301, 0, 4)
    assert twist.shape == (301, 0, 12)


def test_ends_hold_in_turn_and_never_both() -> None:
    holds = held(
        with_values(
            SNAKE, {"support.kind": "end_anchors", "support.period_s": 2.0, "beam.length_m": 0.5}
        )
    )
    # with the rounding of sums
    steps = np.cumsum(np.concatenate([[0.0], np.full(1399, 0.01)]))
    hold, twist = holds.at(steps)
    assert (hold[:, :, 0].sum(axis=1) == 1).all()
    head = np.arange(1400) // 100 % 2 == 0
    np.testing.assert_array_equal(hold[:, 0, 0] == 1, head)
    assert (hold[~head, 1, 1] == 0.5).all()
    assert (hold[head, 0, 1] == 0).all()
    assert (hold[..., 2:] == 0).all()
    assert (twist == 0).all()


def test_waves_of_a_worm_are_held_where_it_is_shortest() -> None:
    scene = with_values(WORM, {"strain.acceleration_m_s2": 0.1})
    law = StrainLaw(scene.strain, scene.beam)
    holds = Attachments(scene, law)
    hold, _ = holds.at(T)
    assert holds.count == 4
    for i, t in enumerate(T):
        active = hold[i, hold[i, :, 0] == 1]
        sigma = -(0.3 * t + 0.05 * t * t)
        every = 0.15 / 4 + 0.15 * np.arange(-40, 40) - sigma
        expected = every[(every > 0) & (every < 0.3)]
        np.testing.assert_allclose(np.sort(active[:, 1]), expected, atol=1e-12)
        stretch = law.at(np.array([t]), active[:, 1]).strain[0, :, 0]
        np.testing.assert_allclose(stretch, 1 - 0.004, atol=1e-12)  # (38)
        np.testing.assert_allclose(active[:, 2], 0.3 + 0.1 * t, atol=1e-12)
        np.testing.assert_allclose(active[:, 3], 0.1, atol=1e-12)
    # a slot changes steadily while it is active, and is released before another wave uses it
    both = (hold[1:, :, 0] == 1) & (hold[:-1, :, 0] == 1)
    assert np.abs(np.diff(hold[:, :, 1], axis=0))[both].max() < 0.01 * 0.61
    assert not held(with_values(WORM, {"strain.stretch": 0.0})).at(T)[0].any()


def test_waves_of_a_typed_law_are_those_of_the_preset() -> None:
    ours = held(
        with_values(
            typed("1 - 0.004*sin(2*pi*s/0.15)", "-(0.3 + 0.1*t)"),
            {"beam.length_m": 0.3, "run.duration_s": 3.0},
        )
    )
    theirs = held(with_values(WORM, {"strain.acceleration_m_s2": 0.1}))
    assert ours.count == 3
    a, b = ours.at(T)[0], theirs.at(T)[0]
    for i in range(len(T)):
        mine = a[i, a[i, :, 0] == 1]
        other = b[i, b[i, :, 0] == 1]
        mine, other = (
            rows[(rows[:, 1] > 1e-9) & (rows[:, 1] < 0.3 - 1e-9)] for rows in (mine, other)
        )
        np.testing.assert_allclose(mine, other[np.argsort(other[:, 1])], atol=1e-11)


def test_waves_without_a_speed_follow_the_minima() -> None:
    # Minima at X = 0.2 + 0.1 sin t for any amplitude: C, dC/dt and d2C/dt2 in closed
    # form.
    law = "1 - 0.2*exp(-((X - 0.2 - 0.1*sin(1*t))/0.1)^2)*(1 + 0.5*cos(3*t))"
    scene = typed(law, "")
    t = np.linspace(0.05, 2.9, 7)
    hold, _ = held(scene).at(t)
    first = hold[:, 0]
    assert (first[:, 0] == 1).all()
    np.testing.assert_allclose(first[:, 1], 0.2 + 0.1 * np.sin(t), atol=1e-11)
    np.testing.assert_allclose(first[:, 2], 0.1 * np.cos(t), atol=1e-7)
    np.testing.assert_allclose(first[:, 3], -0.1 * np.sin(t), atol=1e-4)


def test_travel_and_speed_can_be_given() -> None:
    for scene in (
        WORM,
        with_values(typed("1 - 0.004*sin(2*pi*s/0.15)", "-0.3"), {"beam.length_m": 0.3}),
    ):
        travel = np.full(3, -0.02)
        speed = np.tile([-0.2, 0.1], (3, 1))
        hold, _ = held(scene).at(np.array([0.0, 0.1, 0.2]), travel, speed)
        for row in hold:
            active = row[row[:, 0] == 1]
            np.testing.assert_allclose(np.sort(active[:, 1]), [0.0575, 0.2075], atol=1e-12)
            np.testing.assert_allclose(active[:, 2:], [[0.2, -0.1]] * 2, atol=1e-12)


def test_explicit_anchors_are_active_at_their_times() -> None:
    scene = with_values(
        SNAKE,
        {
            "support.kind": "anchors",
            "support.anchors": (
                {
                    "at_m": "0.2*t^2",
                    "from_s": 0.5,
                    "until_s": 2.0,
                    "velocity_m_s": ("0.1*t", "0", "sin(2*t)"),
                    "angular_velocity_rad_s": ("0", "1*t^2", "0"),
                },
                {"at_m": "l/2"},
                {"at_m": "1 - 1*t"},
            ),
        },
    )
    t = np.array([0.0, 0.5, 1.0, 1.99, 2.0, 2.5])
    hold, twist = held(scene).at(t)
    np.testing.assert_array_equal(hold[:, 0, 0], [0, 1, 1, 1, 0, 0])
    np.testing.assert_allclose(
        hold[1:4, 0, 1:], np.column_stack([0.2 * t**2, 0.4 * t, np.full(6, 0.4)])[1:4], atol=1e-15
    )
    np.testing.assert_array_equal(hold[:, 1], np.tile([1, 0.5, 0, 0], (6, 1)))
    np.testing.assert_array_equal(hold[:, 2, 0], [1, 1, 1, 0, 0, 0])  # beyond the body from 1 s on
    expected = np.zeros((6, 12))
    expected[:, 0] = 0.1 * t
    expected[:, 6] = 0.1
    expected[:, 2] = np.sin(2 * t)
    expected[:, 8] = 2 * np.cos(2 * t)
    expected[:, 4] = t**2
    expected[:, 10] = 2 * t
    np.testing.assert_allclose(twist[1:4, 0], expected[1:4], atol=1e-14)
    assert (twist[[0, 4, 5], 0] == 0).all()


def test_errors_of_anchors_have_their_keys() -> None:
    scene = with_values(
        SNAKE,
        {
            "support.kind": "anchors",
            "support.anchors": (
                {"at_m": "0"},
                {"at_m": "X", "velocity_m_s": ("1", "l", "0")},
                {"angular_velocity_rad_s": ("y", "0", "0")},
            ),
        },
    )
    with pytest.raises(SceneError) as caught:
        held(scene)
    assert [problem.key for problem in caught.value.problems] == [
        "support.anchors[2].at_m",
        "support.anchors[2].velocity_m_s",
        "support.anchors[3].angular_velocity_rad_s",
    ]


def test_rings_are_fixed_in_space_or_on_the_body() -> None:
    hold, _ = held(with_values(SNAKE, {"strain.speed_m_s": 0.5})).at(T)
    assert (hold[..., 0] == 1).all()
    # forward is towards smaller X
    expected = np.mod((np.arange(5) + 0.5) / 5 + 0.5 * T[:, None], 1.0)
    off = np.abs(hold[..., 1] - expected)
    np.testing.assert_allclose(np.minimum(off, 1 - off), 0, atol=1e-12)
    np.testing.assert_allclose(hold[..., 2], 0.5, atol=1e-15)
    assert ((hold[..., 1] >= 0) & (hold[..., 1] < 1)).all()
    hold, _ = held(with_values(SNAKE, {"support.fixed": "body", "support.count": 4})).at(T)
    np.testing.assert_allclose(
        hold[..., 1], np.tile([0.125, 0.375, 0.625, 0.875], (301, 1)), atol=1e-15
    )
    assert (hold[..., 2:] == 0).all()
