from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.link.pose_packet import BodyPose, PosePacket
from snakestudio.live.pose_source import MOVED_S, BodyTracker

UNIT = (1.0, 0.0, 0.0, 0.0)


def packet(sequence: int, x: float = 0.0, link: int = 0) -> PosePacket:
    return PosePacket(sequence, 0.0, (BodyPose(link, (x, 0.0, 0.0), UNIT),))


def test_packets_are_sorted_and_invalid_ones_counted() -> None:
    tracker = BodyTracker(3)
    got = [
        tracker.add(packet(number), 0.05 * i) is not None
        for i, number in enumerate([1, 2, 2, 5, 4, 6])
    ]
    assert got == [True, True, False, True, False, True]
    statistics = tracker.statistics(0.3)
    # packet 3 was lost
    assert (statistics.received, statistics.double, statistics.late, statistics.lost) == (
        4,
        1,
        1,
        1,
    )


def test_restarted_sender_is_accepted() -> None:
    tracker = BodyTracker(3)
    tracker.add(packet(50_000), 0.0)
    assert tracker.add(packet(1), 0.05) is not None


def test_rate_and_jitter_are_measured() -> None:
    """Every 50 ms, alternately 5 ms early and late: the intervals are 40 and 60 ms, their deviation 10 ms."""
    tracker = BodyTracker(1)
    for number in range(41):
        tracker.add(packet(number), 0.05 * number + (0.005 if number % 2 else -0.005))
    statistics = tracker.statistics(2.0)
    assert statistics.rate == pytest.approx(20.0, rel=0.01)
    assert statistics.jitter == pytest.approx(0.01, rel=0.02)


def test_jump_of_a_metre_is_rejected_at_first() -> None:
    tracker = BodyTracker(1)
    tracker.add(packet(1), 0.0)
    assert tracker.add(packet(2, 1.0), 0.05) is None
    assert "Link 1" in tracker.problem
    back = tracker.add(packet(3, 0.01), 0.1)
    assert back is not None
    assert tracker.problem == ""
    np.testing.assert_allclose(back.pose[0, :3], [0.01, 0, 0])


def test_jump_that_persists_is_accepted() -> None:
    tracker = BodyTracker(1)
    tracker.add(packet(1), 0.0)
    believed = [tracker.add(packet(2 + i, 1.0), 0.05 * (i + 1)) is not None for i in range(14)]
    first = believed.index(True)
    assert 0.05 * first == pytest.approx(MOVED_S, abs=0.051)


def test_fast_motion_is_not_a_jump() -> None:
    """A link that swings at 2 m/s, tracked at 20 Hz."""
    tracker = BodyTracker(1)
    assert all(tracker.add(packet(i, 0.1 * i), 0.05 * i) is not None for i in range(20))


def test_unknown_link_is_named_and_the_others_are_used() -> None:
    tracker = BodyTracker(3)
    both = PosePacket(1, 0.0, (BodyPose(1, (0, 0, 0), UNIT), BodyPose(7, (0, 0, 0), UNIT)))
    tracked = tracker.add(both, 0.0)
    assert tracked is not None
    assert tracked.links.tolist() == [1]
    assert "link 8" in tracker.problem


def test_link_out_of_sight_is_left_out() -> None:
    tracker = BodyTracker(3)
    tracker.add(
        PosePacket(1, 0.0, (BodyPose(0, (0, 0, 0), UNIT), BodyPose(2, (1, 0, 0), UNIT))), 0.0
    )
    tracked = tracker.add(packet(2), 1.0)
    assert tracked is not None
    assert tracked.links.tolist() == [0]
    assert tracked.time == 1.0


def test_missing_poses_are_reported() -> None:
    tracker = BodyTracker(3)
    assert tracker.add(PosePacket(1, 0.0, ()), 0.0) is None
    assert "contains no bodies" in tracker.problem
    assert math.isclose(tracker.statistics(0.0).rate, 0.0)
