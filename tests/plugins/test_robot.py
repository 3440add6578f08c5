"""A plug-in drives an armed robot only if the profile allows it by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.live.live_robot import LiveRobot
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load
from tests.live.fake_link import Clock
from tests.live.test_whole_robot import Chain, CoreLink

from .plugin_files import written


def scene() -> Scene:
    values = {"robot.n_links": 11, "controller.kind": "wag", "controller.amplitude_deg": 10.0}
    return with_values(Scene(), {**values, "run.log_rate_hz": 20.0})


class Robot(Chain):
    """The complete chain, with a profile that allows some plug-ins."""

    def __init__(self, allowed: tuple[str, ...], scene: Scene) -> None:
        shipped = load_profile(find_profile("lab_robot"))
        plugins = shipped.profile.plugins.model_copy(update={"allowed": allowed})
        profile = shipped.profile.model_copy(update={"plugins": plugins})
        loaded = replace(shipped, profile=profile)
        self.clock = Clock()
        self.robot = EmulatedRobot(loaded)
        self.link = CoreLink(Codec(loaded), self._send, self.clock)
        self.core = self.link.core
        self.live_events = []
        self.live = LiveRobot(
            self.link,
            scene,
            None,
            on_event=self.live_events.append,
            clock=self.clock,
            threaded=False,
            twin=False,
        )
        self.core.bus(True, "", self.clock())
        self.link.command("idle")

    @property
    def has_torque(self) -> bool:
        return any(node.torque for node in self.robot.nodes)


def test_plugin_not_allowed_prevents_arming(tmp_path: Path) -> None:
    load(written(tmp_path))
    robot = Robot((), scene())
    robot.run(2.0)
    (reason,) = robot.live.not_ready
    assert 'plug-in "wag"' in reason
    assert '"wag" to plugins.allowed' in reason
    robot.live.arm()
    robot.run(1.0)
    assert robot.core.state is LinkState.IDLE
    assert not robot.has_torque


@pytest.mark.parametrize("command", ["arm", "stream"])
def test_link_refuses_a_plugin_not_allowed(tmp_path: Path, command: str) -> None:
    """The process that owns the bus checks the profile, independently of the window."""
    robot = Robot(("other",), with_values(Scene(), {"robot.n_links": 11}))
    robot.run(2.0)
    if command == "stream":
        robot.link.command("arm")
        robot.run(1.0, until=LinkState.ARMED)
        assert robot.core.state is LinkState.ARMED
    before = robot.core.state
    robot.link.command(command, plugins="wag,other")
    robot.run(0.5)
    assert robot.core.state is before
    assert 'plug-in "wag"' in robot.link.link_events[-1].text
    assert robot.link.link_events[-1].kind == "refused"


def test_allowed_plugin_drives_within_the_limits_of_the_profile(tmp_path: Path) -> None:
    load(written(tmp_path, here="if time[0] > 1.0: return np.full(self.n_axes, 3.0)"))
    robot = Robot(("wag",), scene())
    robot.streaming()
    robot.run(3.0)
    limits = robot.link.profile.limits
    assert robot.core.state is LinkState.STREAMING, robot.reason
    angle = robot.link.telemetry().reference
    assert np.degrees(np.abs(angle)).max() <= limits.max_deg + 1e-9, "171° were asked for"


def test_fault_of_a_plugin_stops_the_robot(tmp_path: Path) -> None:
    load(written(tmp_path, here="if time[0] > 1.0: 1 / 0"))
    robot = Robot(("wag",), scene())
    robot.streaming()
    with pytest.raises(Exception, match="raised ZeroDivisionError"):
        robot.run(3.0)
    end = robot.clock.now + 1.0
    while robot.core.state is LinkState.STREAMING and robot.clock.now < end:
        robot.clock.now += 0.01
        robot.live.try_tick()
    robot.run(1.0)
    assert robot.core.state is LinkState.FAULT
    assert "Stopped: The plug-in wag raised ZeroDivisionError" in robot.reason
    assert not robot.has_torque


def test_endless_plugin_exhausts_the_references(tmp_path: Path) -> None:
    """The live source is not called, as with any hanging thread, and the link stops the robot."""
    load(written(tmp_path))
    robot = Robot(("wag",), scene())
    robot.streaming()
    begin = robot.clock.now
    while robot.core.state is LinkState.STREAMING and robot.clock.now < begin + 5.0:
        robot.clock.now += 0.01
        robot.link.beat()
        for frame in robot.robot.poll(robot.clock()):
            robot.core.receive(frame, robot.clock())
        robot.core.poll(robot.clock())
    assert robot.core.state is LinkState.FAULT
    assert robot.clock.now - begin < robot.link.profile.timing.reference_timeout_s + 0.5
