from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any, cast

import numpy as np
import pytest

from snakestudio.control import registry as controllers
from snakestudio.link.messages import AGED, LinkEvent, LinkState
from snakestudio.live import run as live_run
from snakestudio.live.base_pose import fit_chain
from snakestudio.live.live_robot import LEAD_S, LiveRobot
from snakestudio.live.live_runs import TAIL_S
from snakestudio.live.pose_source import StreamStatistics, TrackedPose
from snakestudio.model.edits import with_values
from snakestudio.model.motion import JointAnglesStart
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.model.teleop import TeleopCommand
from snakestudio.runfile.mcap import open_run
from tests.wording import naming

from .fake_link import Clock, FakeLink, profile

SCENE = with_values(
    Scene(), {"robot.n_links": 11, "gait.amplitude_deg": 30.0, "run.log_rate_hz": 50.0}
)


class Poses:
    """Pose source whose poses the test sets."""

    where = "UDP port 1"
    problem = ""
    statistics = StreamStatistics()

    def __init__(self) -> None:
        self.latest: TrackedPose | None = None

    def begin(self, n_links: int) -> None: ...

    def close(self) -> None: ...


class World:
    """A live robot with all of its environment; time advances in steps of 10 ms."""

    def __init__(self, scene: Scene = SCENE, **more: Any) -> None:
        self.clock = Clock()
        self.link = FakeLink(more.pop("robot", profile()), self.clock)
        self.events: list[LinkEvent] = []
        more.setdefault("twin", False)
        self.live = LiveRobot(
            self.link, scene, on_event=self.events.append, clock=self.clock, threaded=False, **more
        )

    def run(self, seconds: float) -> None:
        until = self.clock.now + seconds - 1e-6
        while self.clock.now < until:
            self.live.tick()
            self.clock.now += 0.01

    def streaming(self) -> World:
        """The same world, a moment after streaming began."""
        self.run(0.1)
        self.live.arm()
        self.run(0.02)
        self.live.stream()
        self.run(LEAD_S + 0.05)
        assert self.live.streaming
        return self

    @property
    def messages(self) -> list[str]:
        recording = self.live.recording
        assert recording is not None
        return [event.text for event in recording.events]


@pytest.fixture
def world() -> Iterator[World]:
    new_world = World()
    yield new_world
    new_world.live.close()


def test_measured_values_are_shown_from_the_start(world: World) -> None:
    world.link.set(angle=np.linspace(-0.3, 0.3, 20))
    world.run(0.5)
    latest = world.live.latest
    recording = world.live.recording
    assert latest is not None
    assert recording is not None
    # nothing was commanded yet, and the robot is not tracked
    assert latest.valid == Fields.JOINTS | Fields.SHAPE
    # the yaw axes, in the plane
    np.testing.assert_allclose(latest.joint_angle, np.linspace(-0.3, 0.3, 20)[::2])
    assert len(recording) == pytest.approx(25, abs=1)  # 50 rows a second
    assert recording.path is None
    assert latest.control["bus_load"] == 0.25
    assert latest.control["joint_3_yaw_age_s"] == pytest.approx(0.0, abs=1e-9)


def test_unreported_axis_makes_the_joints_invalid(world: World) -> None:
    angle = np.zeros(20)
    angle[6] = np.nan
    world.link.set(angle=angle)
    world.run(0.1)
    latest = world.live.latest
    recording = world.live.recording
    assert latest is not None
    assert recording is not None
    assert Fields.JOINTS not in latest.valid
    assert np.isfinite(latest.link_pose).all()  # it can be drawn nevertheless
    rows = recording.rows(0, len(recording))
    assert np.isnan(rows.joint_angle[:, 3]).all()
    assert np.isfinite(np.delete(rows.joint_angle, 3, axis=1)).all()


def test_stream_runs_the_gait_from_the_robots_pose(tmp_path: Path) -> None:
    world = World(new_run=lambda scene: tmp_path / "run.mcap")
    world.link.set(angle=np.full(20, 0.1))
    world.streaming().run(3.0)
    recording = world.live.recording
    assert recording is not None
    assert recording.times[0] == pytest.approx(0.0, abs=0.011)
    start = recording.scene.start
    assert isinstance(start, JointAnglesStart)
    np.testing.assert_allclose(np.radians(start.joint_angles_deg), 0.1)
    # The sent references are those of the scene's controller for that start: computed at each time by
    # the same code, and here for all times together.
    expected = controllers.create(recording.scene).reference(np.linspace(0.0, 3.0, 301), None)
    begin = world.link.blocks[0].time[0]
    for time in (0.0, 0.5, 1.234, 2.9):
        sent = world.link.reference_at(begin + time)
        assert sent is not None
        np.testing.assert_allclose(sent.reshape(10, 2)[:, 0], expected.at(time)[0], atol=1e-6)
    world.live.close()
    with_file = open_run(tmp_path / "run.mcap")
    assert len(with_file) == len(recording)
    assert with_file.schema.valid == Fields.JOINTS | Fields.REFERENCE | Fields.SHAPE
    assert with_file.events[0].text == "Streaming started"
    with_file.close()


def test_references_last_while_the_delay_is_below_the_horizon(
    world: World,
) -> None:
    world.streaming()
    for pause in (0.0, 0.12, 0.03, 0.18, 0.0, 0.15):
        world.clock.now += pause  # the thread could not run
        assert world.link.blocks[-1].time[-1] > world.clock.now
        world.run(0.02)


def test_hanging_thread_exhausts_the_references(world: World) -> None:
    world.streaming()
    assert world.link.blocks[-1].time[-1] < world.clock.now + 0.5


def test_consecutive_blocks_have_no_jump(world: World) -> None:
    world.streaming().run(2.0)
    for before, after in zip(world.link.blocks, world.link.blocks[1:], strict=False):
        assert (np.diff(after.time) > 0).all()
        at = int(np.argmin(np.abs(before.time - after.time[0])))
        np.testing.assert_allclose(after.angle[0], before.angle[at], atol=1e-9)


def test_new_gait_applies_without_a_jump_and_is_noted(world: World) -> None:
    world.streaming().run(1.0)
    before = world.link.reference_at(world.clock.now)
    world.live.set_scene(with_values(SCENE, {"gait.amplitude_deg": 10.0}))
    world.run(0.03)
    after = world.link.reference_at(world.clock.now)
    assert before is not None
    assert after is not None
    assert np.abs(after - before).max() < 0.05  # 30 ms at rates of up to 1 rad/s
    world.run(2.0)
    assert world.link.blocks[-1].angle.max() < np.radians(10.0) + 1e-6
    assert world.live.recording is not None
    (change,) = world.live.recording.changes
    assert change.values == {"gait.amplitude_deg": 10.0}


def test_values_fixed_while_streaming_are_reported(world: World) -> None:
    world.streaming()
    world.live.set_scene(with_values(SCENE, {"robot.n_links": 9}))
    world.run(0.05)
    assert any("streams" in event.text for event in world.events)
    assert world.live.streaming
    world.live.set_scene(with_values(SCENE, {"robot.n_links": 9, "gait.amplitude_deg": 10.0}))
    world.run(0.05)
    assert [event.kind for event in world.events].count("waiting") == 1, "it was said already"
    world.live.set_scene(SCENE)
    world.run(0.05)
    assert [(event.kind, event.severity) for event in world.events][-1] == ("waiting", "info"), (
        "nothing waits any more"
    )


def test_stop_reaches_the_link_immediately_and_ends_the_run(world: World) -> None:
    world.streaming().run(0.5)
    world.live.stop("Stopped by the space bar.")
    assert world.link.stops == [naming("space")]  # without a tick
    world.run(0.1)
    assert not world.live.streaming
    recording = world.live.recording
    assert recording is not None
    assert (recording.events[-1].kind, recording.events[-1].text) == (
        "note",
        naming("space"),
    )
    sent = len(world.link.blocks)
    world.run(1.0)
    assert len(world.link.blocks) == sent
    assert recording.times[-1] > 1.0  # to show the effect of stopping
    world.run(TAIL_S)
    rows = len(recording)
    world.run(0.5)
    assert len(recording) == rows
    assert world.live.recording is recording  # it remains the current run


def test_reason_of_a_stop_is_saved_when_the_program_closes(world: World) -> None:
    world.streaming()
    recording = world.live.recording
    assert recording is not None
    world.live.stop("Stopped by Ctrl+C.")
    world.live.close()
    assert "Stopped by Ctrl+C." in [event.text for event in recording.events]


def test_queued_commands_are_marked_as_older_than_a_stop(
    world: World,
) -> None:
    """The link ignores a command that starts something if a stop was requested after it."""
    world.run(0.1)
    world.live.arm()  # the thread has not executed it yet
    world.link.stop()
    world.live.reset()
    world.run(0.02)
    assert [(command.kind, command.values["stops"]) for command in world.link.commands] == [
        ("arm", 0),
        ("reset", 1),
    ]
    world.live.arm()
    world.run(0.02)
    world.live.stream()  # it reaches the link a moment later, when there are references
    world.run(0.02)
    world.live.stop()
    world.run(LEAD_S + 0.05)
    assert [
        command.values["stops"] for command in world.link.commands if command.kind == "stream"
    ] in ([], [1])


def test_requested_torque_may_come_on_until_a_stop(
    world: World,
) -> None:
    world.run(0.1)
    assert not world.live.arming
    world.live.arm()  # the thread has not executed it yet
    assert world.live.arming
    world.link.stop("Stopped by the space bar.")
    assert not world.live.arming
    world.link.arms_slowly = True  # not all nodes have reported that they are armed
    world.live.arm()
    world.run(0.5)
    assert world.live.arming
    world.run(60.0)
    assert not world.live.arming


def test_torque_switched_off_is_not_pending(world: World) -> None:
    world.run(0.1)
    world.live.arm()
    world.run(0.05)
    world.live.disarm()
    world.run(0.05)
    assert world.link.telemetry().state is LinkState.IDLE
    assert not world.live.arming
    world.link.arms_slowly = True
    world.live.arm()
    world.run(0.5)
    assert world.live.arming, "it was asked for anew"


def test_closing_while_torque_may_come_on_stops_the_robot(world: World) -> None:
    world.run(0.1)
    world.live.arm()
    assert world.link.stops == []
    world.live.close()
    assert world.link.stops == [naming("program is closing")]


def test_silent_link_prevents_arming(world: World) -> None:
    world.run(0.1)
    world.link.alive = False
    (reason,) = world.live.not_ready
    assert "not responding" in reason
    world.live.arm()
    world.run(0.02)
    assert world.link.commands == []
    assert reason in world.events[-1].text


def test_fault_is_noted_with_its_reason(world: World) -> None:
    world.streaming()
    world.link.set(state=LinkState.FAULT, reason="Node 4 says: overcurrent.")
    world.run(0.05)
    recording = world.live.recording
    assert recording is not None
    assert (recording.events[-1].kind, recording.events[-1].text) == (
        "fault",
        "Node 4 says: overcurrent.",
    )


def test_lost_link_ends_the_run(world: World) -> None:
    world.streaming()
    world.link.alive = False
    world.run(0.05)
    assert not world.live.streaming
    assert "link" in world.messages[-1]


def test_monitoring_restarts_after_a_reset(world: World) -> None:
    world.streaming()
    world.live.stop()
    world.run(0.1)
    ended = world.live.recording
    world.live.reset()
    world.run(0.1)
    assert world.live.recording is not ended
    assert world.link.telemetry_now.state == LinkState.IDLE


@pytest.mark.parametrize("after", ["reset", "disarm and arm"])
def test_robot_edited_while_streaming_is_monitored_as_edited(world: World, after: str) -> None:
    world.streaming()
    shorter = with_values(SCENE, {"robot.n_links": SCENE.robot.n_links - 2})
    world.live.set_scene(shorter)
    world.run(0.1)
    if after == "reset":
        world.live.stop()
        world.run(0.1)
        world.live.reset()
    else:
        world.live.disarm()
        world.run(0.1)
        world.live.set_scene(with_values(shorter, {"gait.amplitude_deg": 11.0}))
    world.run(0.5)
    latest = world.live.latest
    recording = world.live.recording
    assert latest is not None
    assert recording is not None
    assert len(latest.link_pose) == shorter.robot.n_links
    assert recording.scene.robot == shorter.robot
    assert len(recording)


def test_unarmed_robot_does_not_stream(world: World) -> None:
    world.run(0.1)
    world.live.stream()
    world.run(0.1)
    assert "(connected, torque" in world.events[-1].text
    assert not world.link.blocks
    assert all(command.kind != "stream" for command in world.link.commands)


def test_link_that_does_not_start_streaming_is_reported(world: World) -> None:
    world.run(0.1)
    world.live.arm()
    world.run(0.05)
    world.link.command = lambda kind, **values: 0  # type: ignore[method-assign]
    world.live.stream()
    world.run(3.0)
    assert "Streaming did" in world.events[-1].text
    assert not world.live.streaming


def test_mismatched_scene_prevents_arming() -> None:
    world = World(robot=profile(8))
    world.run(0.05)
    assert any("moves 8" in reason for reason in world.live.not_ready)
    world.live.arm()
    world.run(0.05)
    assert all(command.kind != "arm" for command in world.link.commands)
    assert "cannot be armed" in world.events[-1].text
    world.live.close()


FOLLOWING = with_values(
    SCENE,
    {"controller.kind": "path_following", "path.waypoints_m": ((0.0, 0.0), (1.0, 0.0), (3.0, 0.2))},
)


def test_controller_without_its_poses_prevents_arming() -> None:
    world = World(FOLLOWING)
    world.run(0.05)
    (reason,) = world.live.not_ready
    assert "controller path_following" in reason
    assert 'controller.kind = "none"' in reason
    world.live.close()


def test_robot_has_no_contact_forces() -> None:
    world = World(
        with_values(
            SCENE, {"controller.kind": "leader_follower", "controller.jam_resolution": True}
        )
    )
    world.run(0.05)
    assert any("controller.jam_resolution = false" in reason for reason in world.live.not_ready)
    world.live.close()


def seen(world: World, poses: Poses) -> None:
    """Track the head at the start of the robot."""
    pose = np.zeros((1, 7))
    pose[0, :4] = (0.5, 0.1, 0.05, 1.0)
    poses.latest = TrackedPose(world.clock.now, np.array([0]), pose)


def test_controller_steers_with_poses_and_stops_without() -> None:
    poses = Poses()
    world = World(FOLLOWING, pose=poses)
    for _ in range(20):
        seen(world, poses)
        world.run(0.05)
    assert world.live.not_ready == ()
    latest = world.live.latest
    assert latest is not None
    assert Fields.POSE | Fields.TWIST | Fields.JOINTS in latest.valid
    fit = fit_chain(
        FOLLOWING.robot, latest.joint_angle, FOLLOWING.body.axes, np.array([0]), poses.latest.pose
    )  # type: ignore[union-attr]
    np.testing.assert_allclose(latest.link_pose, fit.pose)
    world.live.arm()
    seen(world, poses)
    world.run(0.02)
    world.live.stream()
    for _ in range(20):
        seen(world, poses)
        world.run(0.05)
    assert world.live.streaming
    assert np.abs(world.link.blocks[-1].angle).max() > 0.1
    recording = world.live.recording
    assert recording is not None
    assert "heading_rad" in recording.schema.extra
    lost = world.link.profile.timing.lost_s
    since = world.clock.now
    while not world.link.stops and world.clock.now < since + 2.0:
        world.run(0.01)
    assert world.clock.now - since == pytest.approx(lost, abs=0.07)
    assert "needs the poses" in world.link.stops[0]
    world.run(0.05)
    assert recording.events[-1].kind == "fault"
    rows = recording.rows(0, len(recording))
    assert np.isfinite(rows.link_pose[10]).all()
    assert np.isnan(rows.link_pose[-1]).all()  # not measured there
    world.live.close()


def test_unreported_rates_are_differences_of_angles(world: World) -> None:
    for step in range(5):
        world.link.set(angle=np.full(20, 0.02 * step))
        world.run(0.01)
    latest = world.live.latest
    assert latest is not None
    np.testing.assert_allclose(latest.joint_rate, 2.0, rtol=1e-6)  # 0.02 rad in 10 ms


def test_long_monitoring_does_not_fill_the_disk(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_run, "WATCHED_ROWS", 100)
    world.run(10.0)
    recording = world.live.recording
    assert recording is not None
    assert len(recording) < 100
    assert recording.times[-1] == pytest.approx(10.0, abs=0.05)  # its time continues
    assert (np.diff(recording.times) > 0).all()


def test_motor_values_of_the_profile_are_columns() -> None:
    world = World(robot=profile(quantities=("torque", "current", "temperature", "status", "error")))
    world.link.set(torque=np.full(20, 0.5), current=np.full(20, 1.5), temperature=np.full(20, 40.0))
    world.run(0.1)
    latest = world.live.latest
    assert latest is not None
    assert Fields.TORQUE in latest.valid
    assert latest.control["joint_10_pitch_current_a"] == 1.5
    assert latest.control["joint_10_pitch_temperature_degc"] == 40.0
    assert np.isnan(latest.control["joint_1_yaw_status"])  # no report yet
    world.live.close()


def test_outdated_values_are_not_recorded_as_current() -> None:
    world = World(
        robot=profile(quantities=("current", "temperature", "voltage", "status", "error"))
    )
    times = np.full((len(AGED), 20), world.clock.now)
    stale = np.full((len(AGED), 20), np.inf)
    times[AGED.index("voltage")] = np.nan
    for quantity in ("temperature", "voltage", "status"):
        stale[AGED.index(quantity)] = 0.3
    world.link.set(
        current=np.full(20, 1.5),
        temperature=np.full(20, 74.0),
        voltage=np.full(20, 24.0),
        status=np.full(20, 3),
        heard_at=times,
        stale_after=stale,
    )
    world.run(0.2)
    latest = world.live.latest
    assert latest is not None
    assert latest.control["joint_1_yaw_temperature_degc"] == 74.0
    assert np.isnan(latest.control["joint_1_yaw_voltage_v"])
    world.run(0.3)
    latest = world.live.latest
    assert latest is not None
    for ending in ("temperature_degc", "status"):
        assert np.isnan(latest.control[f"joint_1_yaw_{ending}"])
    assert latest.control["joint_1_yaw_current_a"] == 1.5
    world.live.close()


def test_stopped_program_stops_a_moving_robot(world: World) -> None:
    world.streaming()
    world.live.close()
    assert world.link.stops == [naming("program is closing")]


def test_events_of_the_robot_are_noted_while_monitoring(world: World) -> None:
    world.run(0.05)
    world.live.arm()
    world.run(0.05)
    assert naming("hold their position") in world.messages


def test_manual_input_applies_from_the_next_period() -> None:
    world = World(with_values(SCENE, {"controller.kind": "teleoperation"}))
    world.streaming().run(0.5)
    still = world.link.reference_at(world.clock.now)
    world.run(0.3)
    # without commands
    np.testing.assert_allclose(world.link.reference_at(world.clock.now), still, atol=1e-9)
    world.live.steer(TeleopCommand(speed=0.5, turn=0.2))
    world.run(0.05)
    begun = world.clock.now
    world.run(1.0)
    moved = world.link.reference_at(world.clock.now)
    assert moved is not None
    assert np.abs(moved - still).max() > 0.05
    first = next(b for b in world.link.blocks if b.time[0] > begun - 0.05)
    assert first.time[0] - begun < 0.03  # immediately, not behind the horizon
    recording = world.live.recording
    assert recording is not None
    assert naming("steered by hand") in world.messages
    column = recording.schema.extra.index("gait_frequency_radps")
    assert recording.rows(0, len(recording)).extra[-1, column] > 0.0
    world.live.close()


def test_error_in_a_command_stops_the_robot_not_the_thread() -> None:
    link = FakeLink(profile(), monotonic)
    events = []
    live = LiveRobot(link, SCENE, on_event=events.append, twin=False)
    try:
        for _ in range(3):  # from either of the two positions
            live.set_scene(cast(Scene, None))
            live.settle()
        assert link.stops == [naming("internal error")] * 3
        assert any("internal error" in event.text for event in events)
    finally:
        live.close()
