"""Directions in which a hand must turn a joint, against the kinematics of the chain."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.link.learning.motion import directions
from snakestudio.link.profile.schema import AxisKind
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.robot import Axis, Robot


@pytest.mark.parametrize("kind", ["yaw", "pitch", "roll"])
def test_positive_direction_is_that_of_the_chain(kind: AxisKind) -> None:
    _, turns = chain(np.eye(3), np.array([0.3]), Robot(n_links=2), (Axis(0, kind),))
    # of link 2; link 1 points along x, with z upwards
    along = turns[1][:, 0]
    left = turns[1][:, 1]
    seen = {
        "to the left": along[1] > 0.1,
        "to the right": along[1] < -0.1,
        "up": along[2] > 0.1,
        "down": along[2] < -0.1,
        "clockwise": left[2] > 0.1,  # seen along x the left side rises
        "anticlockwise": left[2] < -0.1,
    }
    assert [direction for direction, is_so in seen.items() if is_so] == [directions(kind)[0]]
