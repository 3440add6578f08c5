"""The part of ROS 2 that the bridge uses: messages with the fields of their definitions, and a recording node.

Published messages are serialized by their definitions with independent tools and read again: a
missing field or one of another type fails as in ROS.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from mcap_ros2._dynamic import generate_dynamic, serialize_dynamic

from snakestudio.runfile.mcap.definitions import JOINT_STATE, TF_MESSAGE


@dataclass(slots=True)
class Time:
    sec: int = 0
    nanosec: int = 0


@dataclass(slots=True)
class Header:
    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass(slots=True)
class JointState:
    header: Header = field(default_factory=Header)
    name: list[str] = field(default_factory=list)
    position: list[float] = field(default_factory=list)
    velocity: list[float] = field(default_factory=list)
    effort: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Vector3:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(slots=True)
class Quaternion:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 1.0


@dataclass(slots=True)
class Transform:
    translation: Vector3 = field(default_factory=Vector3)
    rotation: Quaternion = field(default_factory=Quaternion)


@dataclass(slots=True)
class TransformStamped:
    header: Header = field(default_factory=Header)
    child_frame_id: str = ""
    transform: Transform = field(default_factory=Transform)


@dataclass(slots=True)
class TFMessage:
    transforms: list[TransformStamped] = field(default_factory=list)


_DEFINITIONS = {JointState: JOINT_STATE, TFMessage: TF_MESSAGE}


class FakeRos2:
    """Published messages and subscriptions by topic."""

    def __init__(self) -> None:
        self.published: dict[str, list[Any]] = {}
        self.listeners: dict[str, Callable[[Any], None]] = {}
        self.waiting: list[tuple[str, Any]] = []
        self.signals: Any = None
        self.running = False
        self.on_publish: Callable[[], None] = lambda: None

    def publish(self, topic: str, message: Any) -> None:
        name, text = _DEFINITIONS[type(message)]
        data = serialize_dynamic(name, text)[name](message)
        self.published.setdefault(topic, []).append(generate_dynamic(name, text)[name](data))
        self.on_publish()

    def spin_once(self, timeout_sec: float) -> None:
        if not self.waiting:
            threading.Event().wait(min(timeout_sec, 0.005))
            return
        topic, message = self.waiting.pop(0)
        self.listeners[topic](message)

    def init(self, args: Any, signal_handler_options: Any) -> None:
        self.signals = signal_handler_options
        self.running = True

    def try_shutdown(self) -> None:
        self.running = False

    def create_node(self, name: str) -> Any:
        clock = SimpleNamespace(now=lambda: SimpleNamespace(to_msg=lambda: Time(12, 500)))
        return SimpleNamespace(
            create_publisher=lambda kind, topic, depth: SimpleNamespace(
                publish=lambda message: self.publish(topic, message),
                get_subscription_count=lambda: 2,
            ),
            create_subscription=lambda kind, topic, call, depth: self.listeners.__setitem__(
                topic, call
            ),
            get_clock=lambda: clock,
            destroy_node=lambda: None,
        )

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Replace the imported packages of ROS 2."""
        executor = SimpleNamespace(
            add_node=lambda node: None, spin_once=self.spin_once, shutdown=lambda: None
        )
        modules = {
            "rclpy": {
                "init": self.init,
                "create_node": self.create_node,
                "try_shutdown": self.try_shutdown,
            },
            "rclpy.executors": {"SingleThreadedExecutor": lambda: executor},
            "rclpy.signals": {"SignalHandlerOptions": SimpleNamespace(NO="no signals")},
            "sensor_msgs.msg": {"JointState": JointState},
            "geometry_msgs.msg": {"TransformStamped": TransformStamped},
            "tf2_msgs.msg": {"TFMessage": TFMessage},
        }
        for name, content in modules.items():
            module = ModuleType(name)
            module.__dict__.update(content)
            monkeypatch.setitem(sys.modules, name, module)
