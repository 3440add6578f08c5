"""A ROS 2 node that publishes joint states and transforms and receives joint commands. No message can arm a robot.

`rclpy` is part of a ROS 2 installation and not on PyPI; only this module uses it and its messages.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from snakestudio.errors import StreamError
from snakestudio.model.snapshot import Fields
from snakestudio.model.target_limits import TargetLimits, beyond_text
from snakestudio.model.teleop import JointTargets
from snakestudio.runfile.mcap.views import WORLD, part_names
from snakestudio.stream.sampler import Sample

COMMANDS_TOPIC = "joint_commands"
"""sensor_msgs/msg/JointState whose positions are targets."""

_NAME = "snakestudio"
_DEPTH = 10
"""Queue size of topics; for live data only the newest message matters."""

_SPIN_S = 0.1

_MISSING = (
    "The bridge to ROS 2 needs rclpy, which comes with ROS 2. Source its set-up first, such as "
    "'source /opt/ros/jazzy/setup.bash', and run SnakeStudio with the Python of that ROS 2 (see docs/ros2.md)."
)


class JointCommands:
    """Reads joint commands; each kind of error is reported once, and invalid messages have no effect.

    Parameters
    ----------
    names : sequence of str
        Names of the robot's joint axes.
    on_targets : callable
        Called with targets.
    on_note : callable
        Called with messages for the user.
    limits : TargetLimits, optional
        Range of the targets; targets beyond it have no effect.
    """

    def __init__(
        self,
        names: Sequence[str],
        on_targets: Callable[[JointTargets], object],
        on_note: Callable[[str], object],
        limits: TargetLimits | None = None,
    ) -> None:
        self._limits = limits
        self._index = {name: index for index, name in enumerate(names)}
        self._on_targets = on_targets
        self._on_note = on_note
        self._noted: set[str] = set()

    def receive(self, message: Any) -> None:
        """Read a sensor_msgs/msg/JointState: names and positions, rad; velocities and efforts have no effect."""
        names = list(message.name)
        positions = [float(each) for each in message.position]
        if len(names) != len(positions):
            self._report_once(
                f"A joint command has {len(names)} names but {len(positions)} positions. Send the same number of each."
            )
            return
        unknown = [name for name in names if name not in self._index]
        if unknown or not names:
            what = (
                f"names {unknown[0]}, which the robot does not have"
                if unknown
                else "names no joint"
            )
            self._report_once(
                f"A joint command {what}. The names are those of joint_states, such as {next(iter(self._index))}."
            )
            return
        if not all(math.isfinite(each) for each in positions):
            self._report_once(
                "A joint command has a position that is not a number. Send angles in rad."
            )
            return
        angles = [math.nan] * len(self._index)
        for name, position in zip(names, positions, strict=True):
            angles[self._index[name]] = position
        beyond = None if self._limits is None else self._limits.first_beyond(np.array(angles))
        if beyond is not None:
            axis = list(self._index)[beyond]
            self._report_once(beyond_text("A joint command", axis, angles[beyond]))
            return
        try:
            targets = JointTargets(tuple(angles))
        except ValueError as error:
            self._report_once(f"A joint command is out of range: {error}. Send angles in rad.")
            return
        self._on_targets(targets)

    def _report_once(self, text: str) -> None:
        if text not in self._noted and len(self._noted) < 100:
            self._noted.add(text)
            self._on_note(text)


class Ros2Sink:
    """A node that starts when it is created; its callbacks run in a separate thread.

    Raises `StreamError` if rclpy is missing.

    Parameters
    ----------
    names : sequence of str
        Names of the robot's joint axes.
    on_targets : callable
        Called with the targets of joint commands, on the node's thread.
    on_note : callable
        Called with messages for the user, on the node's thread.
    limits : TargetLimits, optional
        Range of the targets; targets beyond it have no effect.
    """

    def __init__(
        self,
        names: Sequence[str],
        on_targets: Callable[[JointTargets], object],
        on_note: Callable[[str], object],
        limits: TargetLimits | None = None,
    ) -> None:
        try:
            self._rclpy: Any = import_module("rclpy")
            executors: Any = import_module("rclpy.executors")
            signals: Any = import_module("rclpy.signals")
            self._sensor: Any = import_module("sensor_msgs.msg")
            self._geometry: Any = import_module("geometry_msgs.msg")
            self._tf2: Any = import_module("tf2_msgs.msg")
        except ImportError:
            raise StreamError(_MISSING) from None
        # Keep our signal handlers: Ctrl+C must stop a robot first.
        self._rclpy.init(args=[], signal_handler_options=signals.SignalHandlerOptions.NO)
        self._node: Any = self._rclpy.create_node(_NAME)
        self._joints = self._node.create_publisher(self._sensor.JointState, "joint_states", _DEPTH)
        self._transforms = self._node.create_publisher(self._tf2.TFMessage, "/tf", _DEPTH)
        commands = JointCommands(names, on_targets, on_note, limits)
        self._node.create_subscription(
            self._sensor.JointState, COMMANDS_TOPIC, commands.receive, _DEPTH
        )
        self._executor: Any = executors.SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="snakestudio-ros2", daemon=True)
        self._thread.start()
        self.address = f"ROS 2 (node /{_NAME})"

    def _spin(self) -> None:
        while not self._ended.is_set():
            self._executor.spin_once(timeout_sec=_SPIN_S)

    @property
    def clients(self) -> int:
        """Number of nodes that subscribe to the joint states."""
        return int(self._joints.get_subscription_count())

    def has_newcomers(self) -> bool:
        """False: each sample is complete."""
        return False

    def publish(self, sample: Sample, newcomers: bool) -> None:
        """Publish a sample, stamped with the time of ROS."""
        schema = sample.layout.schema
        row = sample.row
        stamp = self._node.get_clock().now().to_msg()
        if Fields.JOINTS in schema.valid:
            self._publish_joints(sample, stamp)
        if Fields.POSE in schema.valid:
            transforms = self._tf2.TFMessage()
            poses = zip(part_names(schema), row.link_pose[0].tolist(), strict=True)
            transforms.transforms = [
                self._transform(stamp, name, pose) for name, pose in poses if _known(pose)
            ]
            self._transforms.publish(transforms)

    def _publish_joints(self, sample: Sample, stamp: Any) -> None:
        """Publish the joints with known angles; a robot on CAN may not have reported all of them yet."""
        schema = sample.layout.schema
        row = sample.row
        known = np.flatnonzero(np.isfinite(row.joint_angle[0]))
        if not len(known):
            return
        joints = self._sensor.JointState()
        joints.header.stamp = stamp
        joints.header.frame_id = WORLD
        joints.name = [schema.axes[k].name for k in known.tolist()]
        joints.position = row.joint_angle[0][known].tolist()
        joints.velocity = row.joint_rate[0][known].tolist()
        if Fields.TORQUE in schema.valid:
            joints.effort = row.joint_torque[0][known].tolist()
        self._joints.publish(joints)

    def _transform(self, stamp: Any, name: str, pose: list[float]) -> Any:
        transform = self._geometry.TransformStamped()
        transform.header.stamp = stamp
        transform.header.frame_id = WORLD
        transform.child_frame_id = name
        at = transform.transform.translation
        turn = transform.transform.rotation
        at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z = pose
        return transform

    def close(self) -> None:
        """Stop the node."""
        self._ended.set()
        self._thread.join(2.0 * _SPIN_S + 1.0)
        self._executor.shutdown()
        self._node.destroy_node()
        self._rclpy.try_shutdown()

    def abandon(self) -> None:
        """Do nothing: its threads end with the program."""


def _known(pose: list[float]) -> bool:
    return all(map(math.isfinite, pose))
