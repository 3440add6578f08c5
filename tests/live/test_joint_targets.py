"""Joint targets of another program on a live robot: they become references, and never turn torque on."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.link.messages import LinkState
from snakestudio.model.edits import with_values
from snakestudio.model.teleop import JointTargets
from tests.wording import naming

from .test_robot import SCENE, World

TARGETED = with_values(SCENE, {"controller": {"kind": "joint_targets"}})


def test_targets_never_arm_or_start_an_idle_robot() -> None:
    world = World(TARGETED)
    for _ in range(20):
        world.live.steer(JointTargets((0.3,) * 10))
        world.run(0.05)
    assert not world.live.streaming
    assert world.live.telemetry.state not in (LinkState.ARMED, LinkState.STREAMING)
    world.live.arm()
    world.run(0.1)
    world.live.steer(JointTargets((0.3,) * 10))
    world.run(0.5)
    assert world.live.telemetry.state is LinkState.ARMED
    world.live.close()


def test_targets_are_streamed_and_the_last_is_held() -> None:
    world = World(TARGETED).streaming()
    world.live.steer(JointTargets((0.3, -0.2) * 5))
    world.run(1.0)
    recording = world.live.recording
    assert recording is not None
    assert recording.snapshot(len(recording) - 1).joint_angle_ref == pytest.approx((0.3, -0.2) * 5)
    assert naming("targets") in world.messages
    world.run(1.0)
    rows = recording.rows(0, len(recording))
    assert np.nanmax(np.abs(rows.joint_rate_ref)) <= np.radians(90.0) + 1e-9
    world.live.close()
