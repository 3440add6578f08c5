"""Connect a simulation or a robot on CAN to ROS 2: publish joint states and transforms, receive joint commands."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.drive import add_drive_arguments, drive
from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, warm_up
from snakestudio.errors import PhysicsError, UsageError

if TYPE_CHECKING:
    from snakestudio.live.live_robot import LiveRobot

_FOR_EVER_S = 1e6
_LOOK_S = 0.1
_KIND = "joint_targets"
_OF_ROBOTS = (
    "arm",
    "reset",
    "pose",
    "twin",
    "csv",
    "hdf5",
    "mcap",
    "log",
    "fire",
    "wait_for",
    "wait_limit",
    "interface",
    "channel",
    "bitrate",
    "port",
)
"""Options that need a robot."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio bridge ros2`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "--robot",
        metavar="PROFILE",
        dest="profile",
        help="connect a robot on CAN instead of a simulation: its profile (.toml), or the name of a bundled one",
    )
    parser.add_argument(
        "--bridge-rate",
        metavar="HZ",
        type=float,
        default=50.0,
        help="messages per second (%(default)g)",
    )
    add_drive_arguments(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio bridge ros2`; return the exit code."""
    from snakestudio.stream.target import Target

    rate = Target(rate_hz=options.bridge_rate).rate_hz
    values = assignments(options.values)
    if values.get("controller.kind", _KIND) != _KIND:
        raise UsageError(
            f'The bridge drives the joints from ROS 2. Remove controller.kind, or set it to "{_KIND}".'
        )
    options.values = [*options.values, f'controller.kind="{_KIND}"']
    if options.profile is None:
        robot_options = [
            name for name in _OF_ROBOTS if getattr(options, name, None) not in (None, False)
        ]
        if robot_options:
            raise UsageError(
                f"--{robot_options[0].replace('_', '-')} needs a robot. Give --robot PROFILE, or remove it."
            )
        return _simulate(options, rate)
    if options.duration is None:
        options.duration = _FOR_EVER_S

    @contextmanager
    def bridged(robot: LiveRobot, base_dir: Path | None) -> Iterator[None]:
        from snakestudio.model.target_limits import TargetLimits
        from snakestudio.stream.publisher import Stream
        from snakestudio.stream.ros2_sink import Ros2Sink
        from snakestudio.stream.sampler import StreamSource

        def feed() -> StreamSource | None:
            recording = robot.recording
            return None if recording is None else StreamSource(recording, None, base_dir)

        recording = robot.recording
        names = [] if recording is None else [axis.name for axis in recording.schema.axes]
        limits = None if recording is None else TargetLimits(recording.scene.axis_values)
        sink = Ros2Sink(names, robot.steer, _note, limits)
        with closing(Stream(sink, feed, rate, _note)):
            print(
                f"Connected to {sink.address}. Its joint commands never arm the robot.", flush=True
            )
            yield

    return drive(options, bridged)


def _simulate(options: argparse.Namespace, rate: float) -> int:
    """Simulate in real time until the end of the duration, or Ctrl+C."""
    from snakestudio import api
    from snakestudio.model.target_limits import TargetLimits
    from snakestudio.session.session import Session
    from snakestudio.session.status import RunFailed, RunFinished
    from snakestudio.stream.publisher import Stream
    from snakestudio.stream.ros2_sink import Ros2Sink
    from snakestudio.stream.sampler import StreamSource

    duration = _FOR_EVER_S if options.duration is None else options.duration
    scene, base_dir, _ = api.prepare(
        options.scene, duration, options.rate, assignments(options.values)
    )
    if not scene.body.axes:
        raise UsageError(
            f"{options.scene}: the robot has no joints for ROS 2 to command. Give another scene."
        )
    ended = threading.Event()
    failure = [""]

    def on_event(event: object) -> None:
        if isinstance(event, RunFailed):
            failure[0] = event.message
        if isinstance(event, RunFailed | RunFinished):
            ended.set()

    with closing(Session(on_event)) as session:

        def feed() -> StreamSource | None:
            recording = session.recording
            return None if recording is None else StreamSource(recording, None, base_dir)

        names = [axis.name for axis in scene.body.axes]
        sink = Ros2Sink(names, session.steer, _note, TargetLimits(scene.axis_values))
        with closing(Stream(sink, feed, rate, _note)):
            warm_up([scene.model.kind], ProgressLine())
            session.open(scene, base_dir, Path(options.scene).name)
            session.play()
            print(f"Connected to {sink.address}. Ctrl+C stops it.", flush=True)
            while not ended.wait(_LOOK_S):
                status = session.status
                if status.state == "blocked":
                    errors = [
                        each.sentence() for each in status.problems if each.severity == "error"
                    ]
                    raise UsageError("\n".join(errors))
    if failure[0]:
        raise PhysicsError(failure[0])
    return 0


def _note(text: str) -> None:
    print(f"snakestudio: {text}", file=sys.stderr, flush=True)
