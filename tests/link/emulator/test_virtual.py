"""An emulated robot in a thread, connected over python-can's virtual bus."""

from __future__ import annotations

import time
import uuid

from snakestudio.link.bus.open_bus import open_bus
from snakestudio.link.core.codec import Codec
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.emulator.virtual import VirtualRobot


def test_arm_and_stop_over_the_virtual_bus(shipped) -> None:
    loaded = shipped("generic_servo")
    codec = Codec(loaded)
    robot = EmulatedRobot(loaded)
    with VirtualRobot(robot, uuid.uuid4().hex) as virtual:
        bus = open_bus(virtual.bus)

        def until(code: int, sequence: str) -> None:
            """Send a sequence until all ten servos report this status."""
            status_of: dict[int, float] = {}
            deadline = time.monotonic() + 10.0
            sent = 0.0
            while set(status_of.values()) != {float(code)} or len(status_of) < 10:
                assert time.monotonic() < deadline, status_of
                if time.monotonic() - sent > 0.1:
                    sent = time.monotonic()
                    for step in getattr(loaded.profile.sequences, sequence):
                        for frame in codec.step_frames(step):
                            bus.send(frame)
                got = bus.receive(0.02)
                decoded = codec.decode(got[0]) if got is not None else None
                for value in decoded.values if decoded is not None else ():
                    if value.quantity == "status":
                        status_of[value.node] = value.value

        try:
            until(2, "arm")
            until(3, "stop")
        finally:
            bus.close()
    assert robot.safe
