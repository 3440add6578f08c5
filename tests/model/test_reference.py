"""References of constant set-points."""

from __future__ import annotations

import numpy as np

from snakestudio.model.reference import JointReference


def test_held_reference_is_constant_or_moves_at_its_rate() -> None:
    angle = np.array([0.1, -0.2, 0.3])
    rate = np.array([1.0, 0.0, -2.0])
    still = JointReference.held(2.0, 2.5, angle)
    moving = JointReference.held(2.0, 2.5, angle, rate)
    for time in (2.0, 2.1, 2.25, 2.4999, 2.5):
        at, at_rate = still.at(time)
        np.testing.assert_array_equal(at, angle)
        np.testing.assert_array_equal(at_rate, 0.0)
        at, at_rate = moving.at(time)
        # A cubic through the end points of a straight line, with its slope, is the line.
        np.testing.assert_allclose(at, angle + rate * (time - 2.0), atol=1e-15)
        np.testing.assert_allclose(at_rate, rate, atol=1e-14)
    assert still.torque is None
    np.testing.assert_array_equal(moving.acceleration, 0.0)


def test_driven_reference_has_torques_and_no_angles() -> None:
    driven = JointReference.driven(0.0, 0.1, np.array([0.5, -0.5]))
    assert driven.torque is not None
    np.testing.assert_array_equal(driven.torque, [[0.5, -0.5]] * 2)
    assert np.isnan(driven.angle).all()


def test_copy_has_contiguous_arrays_of_its_own() -> None:
    wide = np.zeros((2, 6))[:, ::2]
    reference = JointReference(np.array([0.0, 1.0]), wide, wide, wide, wide)
    copy = reference.copy()
    assert copy.torque is not None
    for array in (copy.angle, copy.rate, copy.acceleration, copy.torque):
        assert array.flags.carray
        assert not np.shares_memory(array, wide)
