"""The bridge to ROS 2, with messages serialized by their definitions and commands from a recorded file."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from snakestudio.cli import main
from snakestudio.errors import StreamError
from snakestudio.export.mcap import write_mcap
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.model.target_limits import TargetLimits
from snakestudio.model.teleop import JointTargets
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.stream.publisher import Stream
from snakestudio.stream.ros2_sink import COMMANDS_TOPIC, JointCommands, Ros2Sink
from snakestudio.stream.sampler import StreamSource
from tests.session.rows import SCENE, SCHEMA, make_rows
from tests.stream.fake_ros2 import FakeRos2, JointState

MAIN = scenes_dir() / "obstacle_aided.toml"


def command(names: list[str], positions: list[Any]) -> Any:
    return SimpleNamespace(name=names, position=positions)


def test_messages_have_the_values_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = FakeRos2()
    ros.install(monkeypatch)
    recording = run_offline(with_values(load_scene(MAIN), {"run.duration_s": 0.1})).recording
    sink = Ros2Sink([axis.name for axis in recording.schema.axes], print, print)
    stream = Stream(sink, lambda: StreamSource(recording), 50.0, threaded=False)
    stream.tick()
    assert (ros.running, ros.signals, stream.clients) == (True, "no signals", 2)
    stream.close()
    assert not ros.running
    snapshot = recording.snapshot(len(recording) - 1)
    (joints,), (transforms,) = ros.published["joint_states"], ros.published["/tf"]
    assert (joints.header.stamp.sec, joints.header.stamp.nanosec, joints.header.frame_id) == (
        12,
        500,
        "world",
    )
    assert joints.name == [axis.name for axis in recording.schema.axes]
    for field, values in (
        ("position", "joint_angle"),
        ("velocity", "joint_rate"),
        ("effort", "joint_torque"),
    ):
        assert np.array_equal(getattr(joints, field), getattr(snapshot, values))
    assert [each.child_frame_id for each in transforms.transforms] == [
        f"link_{i + 1}" for i in range(11)
    ]
    for each, pose in zip(transforms.transforms, snapshot.link_pose.tolist(), strict=True):
        at = each.transform.translation
        turn = each.transform.rotation
        assert [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z] == pose


def test_values_not_measured_yet_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = FakeRos2()
    ros.install(monkeypatch)
    rows = make_rows(0, 2)
    rows.joint_angle[0] = math.nan
    rows.joint_angle[1, 0] = math.nan
    rows.link_pose[1, 2] = math.nan
    recording = RunRecording(SCENE, SCHEMA)
    recording.append(rows)
    index = [0]
    stream = Stream(
        Ros2Sink(["a", "b"], print, print),
        lambda: StreamSource(recording, index[0]),
        50.0,
        threaded=False,
    )
    for index[0] in (0, 1):
        stream.tick()
    stream.close()
    (joints,) = ros.published["joint_states"]
    assert joints.name == ["joint_2_yaw"]
    assert joints.position == [rows.joint_angle[1, 1]]
    assert [len(each.transforms) for each in ros.published["/tf"]] == [3, 2]


def test_recorded_commands_are_targets(tmp_path: Path) -> None:
    recording = run_offline(with_values(load_scene(MAIN), {"run.duration_s": 0.2})).recording
    write_mcap(tmp_path / "run.mcap", recording)
    targets: list[JointTargets] = []
    commands = JointCommands(
        [axis.name for axis in recording.schema.axes], targets.append, pytest.fail
    )
    times = []
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, _, record, message in reader.iter_decoded_messages(topics=["/joint_states"]):
            commands.receive(message)
            times.append(record.log_time / 1e9)
    assert len(targets) == 21
    for time, each in zip(times, targets, strict=True):
        assert np.array_equal(each.angles, recording.snapshot(recording.index_at(time)).joint_angle)


def test_command_for_some_joints_keeps_the_others() -> None:
    targets: list[JointTargets] = []
    JointCommands(["a", "b", "c"], targets.append, pytest.fail).receive(
        command(["c", "a"], [0.3, -1])
    )
    assert targets[0].angles[0::2] == (-1.0, 0.3)
    assert math.isnan(targets[0].angles[1])


@pytest.mark.parametrize(
    ("names", "positions", "says"),
    [
        (["a"], [], "0 positions"),
        (
            ["x"],
            [1.0],
            "joint_states, such as",
        ),
        ([], [], "names no joint."),
        (["a"], [math.nan], "Send angles"),
        (["a"], [-math.inf], "Send angles"),
        (["a"], [1e7], "out of range"),
    ],
)
def test_invalid_command_is_reported_once_and_ignored(
    names: list[str], positions: list[float], says: str
) -> None:
    targets: list[JointTargets] = []
    notes: list[str] = []
    commands = JointCommands(["a", "b"], targets.append, notes.append)
    for _ in range(3):
        commands.receive(command(names, positions))
    assert not targets
    assert len(notes) == 1
    assert says in notes[0]


def test_command_in_degrees_is_reported_and_ignored() -> None:
    targets: list[JointTargets] = []
    notes: list[str] = []
    limits = TargetLimits(load_scene(MAIN).axis_values)
    names = [axis.name for axis in load_scene(MAIN).body.axes]
    commands = JointCommands(names, targets.append, notes.append, limits)
    commands.receive(command(["joint_2_yaw"], [30.0]))
    assert not targets
    assert "joint_2_yaw" in notes[0]
    assert "radians" in notes[0]
    commands.receive(command(["joint_2_yaw"], [math.radians(30.0)]))
    assert len(targets) == len(notes) == 1


def test_missing_rclpy_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StreamError, match=r"rclpy.*2"):
        Ros2Sink([], print, print)
    assert main(["bridge", "ros2", str(MAIN)]) == 2
    assert "source /opt/ros/" in capsys.readouterr().err


def test_command_moves_the_simulated_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    ros = FakeRos2()
    ros.install(monkeypatch)
    target = COMMANDS_TOPIC, JointState(name=["joint_3_yaw"], position=[0.2])
    ros.on_publish = lambda: (
        ros.waiting.append(target) if len(ros.published["joint_states"]) == 2 else None
    )
    values = [
        "controller.targets_deg=[]",
        "controller.max_rate_deg_s=720",
        "controller.max_acceleration_deg_s2=100000",
    ]
    arguments = [
        "bridge",
        "ros2",
        str(scenes_dir() / "lateral_undulation_isotropic.toml"),
        "--duration",
        "1",
    ]
    assert main([*arguments, *(argument for value in values for argument in ("--set", value))]) == 0
    joints = ros.published["joint_states"][-1]
    angle = dict(zip(joints.name, joints.position, strict=True))["joint_3_yaw"]
    assert angle == pytest.approx(0.2, abs=0.02)
    assert not ros.running


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--arm"], "--robot PROFILE"),
        (["--bridge-rate", "0"], "above 0"),
        (["--set", "controller.kind=heading"], "Remove controller.kind"),
    ],
)
def test_invalid_options_are_reported(
    options: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    FakeRos2().install(monkeypatch)
    assert main(["bridge", "ros2", str(MAIN), *options]) == 2
    assert says in capsys.readouterr().err
