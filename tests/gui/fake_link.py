"""A robot without a bus: a link with the interface of `link.base.Link`, and a live source for it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.link.base import Link
from snakestudio.link.bus.adapters import Adapter
from snakestudio.link.messages import (
    AGED,
    CommandKind,
    LinkEvent,
    LinkState,
    ReferenceBlock,
    Telemetry,
    Traffic,
)
from snakestudio.link.profile.schema import Axis, Bus, Message, Profile, Signal, StatusValue
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import TeleopCommand
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.robot.services import LiveChoices, NewRun, Services, Tell
from tests.gui.fake import ENERGIES, make_rows


def profile(n_joints: int = 10) -> Profile:
    """A yaw robot with a node for every joint, named like the lab robot's."""
    axes = tuple(Axis(joint=joint, axis="yaw", node=joint) for joint in range(1, n_joints + 1))
    messages = (
        Message(
            role="set_point",
            message="SET",
            id="0x200 + node",
            signals=(Signal(signal="angle", quantity="angle"),),
        ),
        Message(
            role="feedback",
            message="GET",
            id="0x300 + node",
            signals=(Signal(signal="angle", quantity="angle"),),
        ),
    )
    status = (StatusValue(code=1, meaning="ready"), StatusValue(code=2, meaning="armed"))
    return Profile(name="Lab robot", dbc="lab.dbc", axes=axes, messages=messages, status=status)


class FakeLoaded:
    """The parts of the result of `load_profile` that the window uses."""

    def __init__(self, profile: Profile, path: Path = Path("lab.toml")) -> None:
        self.profile = profile
        self.path = path


def blank(k: int, nodes: int, now: float) -> Telemetry:
    """Telemetry of k axes that have sent nothing yet."""
    nan = np.full(k, np.nan)
    return Telemetry(
        now,
        LinkState.DISCONNECTED,
        "",
        (),
        False,
        True,
        False,
        0,
        nan,
        nan,
        nan,
        nan,
        nan,
        nan,
        nan,
        nan,
        nan,
        np.zeros(k),
        np.full(k, -1),
        np.zeros(k, np.int8),
        np.zeros(k, np.int64),
        np.full(nodes, np.nan),
        0.0,
        0,
        0,
        0,
        0,
        0,
        0,
        False,
        float("nan"),
        float("nan"),
        float("nan"),
        0,
        "normal",
        ("",) * k,
        np.full((len(AGED), k), np.nan),
        np.full((len(AGED), k), 0.3),
    )


class FakeLink:
    """Carries out every command immediately; tests set all other values."""

    def __init__(self, initial: Profile | None = None) -> None:
        self._profile = initial or profile()
        self.state = LinkState.DISCONNECTED
        self.reason = ""
        self.not_ready: tuple[str, ...] = ()
        self.alive = True
        self.frozen = False
        """Telemetry does not change: no status of the robot is received."""
        self.confirms = True
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.stops: list[str] = []
        self.beats: list[float] = []
        self.closed = False
        self.waiting: list[LinkEvent] = []
        self.frames: list[Traffic] = []
        self.log: Path | None = None
        self._last = blank(len(self._profile.axes), len(self._profile.nodes), time.monotonic())
        self.changes: dict[str, Any] = {}

    @property
    def profile(self) -> Profile:
        return self._profile

    @property
    def stop_count(self) -> int:
        return len(self.stops)

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        values.pop("stops", None)
        self.commands.append((kind, values))
        before = self.state
        if kind == "connect":
            self.state = LinkState.LISTENING
        elif kind in ("idle", "disarm", "reset"):
            self.state = LinkState.IDLE
            self.reason = ""
        elif kind == "listen":
            self.state = LinkState.LISTENING
        elif kind == "arm" and before is LinkState.IDLE:
            self.state = LinkState.ARMED
        elif kind == "stream" and before is LinkState.ARMED:
            self.state = LinkState.STREAMING
        if self.state is not before:
            self.say(f"The link is {self.state.name.lower()}.", kind="state")
        return len(self.commands)

    def say(self, text: str, severity: Any = "info", kind: str = "info") -> None:
        self.waiting.append(LinkEvent(time.monotonic(), severity, text, kind))

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        self.stops.append(reason)
        if self.state in (LinkState.ARMED, LinkState.STREAMING):
            self.state = LinkState.FAULT
            self.reason = reason
            self.say(reason, "warning", "stop")

    def beat(self) -> None:
        self.beats.append(time.monotonic())

    def send(self, block: ReferenceBlock) -> None:
        pass

    def telemetry(self) -> Telemetry:
        if self.frozen:
            self._last = replace(self._last, time=time.monotonic())
            return self._last
        now = time.monotonic()
        k = len(self._profile.axes)
        armed = self.state in (LinkState.ARMED, LinkState.STREAMING)
        angle = (
            0.4 * np.sin(2 * now + np.arange(k))
            if self.state is LinkState.STREAMING
            else np.zeros(k)
        )
        connected = self.state is not LinkState.DISCONNECTED
        self._last = replace(
            blank(k, len(self._profile.nodes), now),
            state=self.state,
            reason=self.reason,
            not_ready=self.not_ready,
            confirmed=armed and self.confirms,
            angle=angle if connected else np.full(k, np.nan),
            reference=angle + 0.02 if armed else np.full(k, np.nan),
            angle_time=np.full(k, now - 0.012) if connected else np.full(k, np.nan),
            heard_at=np.full((len(AGED), k), now - 0.012 if connected else np.nan),
            heartbeat_time=np.full(len(self._profile.nodes), now - 0.02 if connected else np.nan),
            feedback_rate=np.full(k, 10.0),
            current=np.full(k, 0.8),
            temperature=np.full(k, 31.0),
            meaning=np.full(k, 3 if armed else 2, np.int8),
            axis_text=("armed" if armed else "ready",) * k,
            bus_open=connected,
            bus_load=0.23,
            received=4_211,
            sent=3_870,
            period_mean=0.1,
            lateness_p99=0.0004,
            gap_max=0.1006,
            priority="SCHED_FIFO 50",
        )
        self._last = replace(self._last, **self.changes)
        return self._last

    def events(self) -> list[LinkEvent]:
        waiting = self.waiting
        self.waiting = []
        return waiting

    def traffic(self) -> list[Traffic]:
        frames = self.frames
        self.frames = []
        return frames

    def begin_log(self, path: Path) -> None:
        self.log = path

    def close(self) -> None:
        self.closed = True


class FakeLive:
    """A source that shows fifty rows of a synthetic run, and passes commands on."""

    def __init__(self, link: Link, scene: Scene, choices: LiveChoices) -> None:
        self.link = link
        self.scenes = [scene]
        self.choices = choices
        n = scene.robot.n_links
        valid = Fields.POSE | Fields.JOINTS | Fields.REFERENCE
        self.recording: Recording | None = RunRecording(
            scene, Schema(n, yaw_axes(n - 1), ENERGIES, valid=valid)
        )
        self.recording.append(make_rows(scene, 0, 50))  # type: ignore[attr-defined]
        self.latest: Snapshot | None = replace(
            self.recording.snapshot(49), valid=valid & ~Fields.POSE
        )
        self.twin: Recording | None = None
        self.notes: list[str] = []
        self.not_ready: tuple[str, ...] = ()
        self._asked_at: int | None = None
        self.closed = False
        self.steered: list[TeleopCommand] = []

    @property
    def streaming(self) -> bool:
        return self.link.telemetry().state is LinkState.STREAMING

    @property
    def refuses_start(self) -> str:
        return "" if self.link.telemetry().state is LinkState.ARMED else "the robot is not armed"

    def stop(self, reason: str) -> None:
        self.link.stop(reason)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def set_scene(self, scene: Scene) -> None:
        self.scenes.append(scene)

    def steer(self, command: TeleopCommand) -> None:
        self.steered.append(command)

    @property
    def arming(self) -> bool:
        return self._asked_at == self.link.stop_count

    def arm(self) -> None:
        self._asked_at = self.link.stop_count
        self.link.command("arm")

    def stream(self) -> None:
        self.link.command("stream")

    def disarm(self) -> None:
        self.link.command("disarm")

    def reset(self) -> None:
        self.link.command("reset")

    def close(self) -> None:
        self.closed = True


def services(link: FakeLink) -> Services:
    """Services that always return this link."""

    def open_live(
        link: Link,
        scene: Scene,
        base_dir: Path | None,
        new_run: NewRun,
        tell: Tell,
        choices: LiveChoices,
    ) -> FakeLive:
        return FakeLive(link, scene, choices)

    def open_link(loaded: object, bus: Bus) -> FakeLink:
        link._profile = link._profile.model_copy(update={"bus": bus})
        return link

    return Services(
        profiles=lambda: [Path("lab.toml")],
        load=lambda path: FakeLoaded(profile(), path),  # type: ignore[arg-type, return-value]
        interfaces=lambda: [
            Adapter("udp_multicast", ("239.74.163.2",)),
            Adapter("socketcan", (), "There is no CAN network interface on this computer."),
        ],
        open_link=open_link,
        open_live=open_live,
    )
