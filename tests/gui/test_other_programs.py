"""Streaming and remote control in the window: switches, messages, and no way to arm a robot."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

import snakestudio.gui.remote
from snakestudio.gui.app import features
from snakestudio.gui.remote.allowed import COMMANDS, SAFE_WITH_TORQUE
from snakestudio.gui.remote.dialog import RemoteDialog
from snakestudio.gui.remote.methods import Methods
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.streaming.dialog import StreamDialog
from snakestudio.link.messages import LinkState
from snakestudio.stream.target import Target
from snakestudio.viewmodel.remote.door import read_door
from snakestudio.viewmodel.remote.protocol import RemoteError
from tests.gui.fake_link import FakeLink
from tests.gui.furnished import connect
from tests.stream.foxglove_client import FoxgloveClient

pytestmark = pytest.mark.gui

FOLDER = Path(snakestudio.gui.remote.__file__).parent
SCENES = Path(__file__).resolve().parents[2] / "scenes"


LONG = "/" + "x" * 5000
SETS: list[dict[str, Any]] = [
    {},
    {"gait.amplitude_deg": "wide"},
    {"gait.nothing": 1},
    {"": 1},
    {"gait.amplitude_deg": [1]},
    {"gait.amplitude_deg": 1e400},
    {"obstacles[99].x_m": 1},
    {"gait[": 1},
    {"\ud800": 1},
    {"robot.n_links": 10**12},
    {"gait.amplitude_deg": {"a": {"b": 1}}},
]
GETS: list[dict[str, Any]] = [
    {"key": 5},
    {"key": "gait.x"},
    {"key": "\ud800"},
    {"key": None},
    {"self": 1},
    {"": 1},
]
PATHS = {
    "open": (5, "", "a\0b", "\ud800", LONG, "/none.toml", "/", "~", "file://host/x", "x.toml"),
    "screenshot": ("/none/x.png", "/x.exe", "x.png", LONG + ".png", 7, "/\ud800.png"),
    "export": ("/x.txt", "x.csv", None, "/\0.csv"),
}
HOSTILE: list[tuple[str, dict[str, Any]]] = [
    *(("set", each) for each in SETS),
    *(("get", each) for each in GETS),
    *((method, {"path": each}) for method, paths in PATHS.items() for each in paths),
    ("export", {"path": "/tmp/a.csv", "kind": "screenshot"}),
    ("export", {"path": "/tmp/a.csv", "kind": 5}),
    ("export", {"path": "/tmp/a.csv", "options": 5}),
    ("export", {"path": "/tmp/a.csv", "options": {"width": 5}}),
    ("export", {"path": "/tmp/a.mp4", "options": {"width": "wide"}}),
    *(("step", {"n": each}) for each in (-1, 0, "1", 10**30, True)),
    *(("speed", {"factor": each}) for each in (-1, "fast", None, 1e9)),
    *(("values", {"names": each}) for each in ("com_x_m", ["nothing"], [[]], {})),
    *(("run_command", {"id": each}) for each in ("arm_robot", ["play"], "", None)),
    *(
        (method, {})
        for method in (
            "call",
            "__init__",
            "_specs",
            "arm",
            "",
            "x" * 1000,
            "open",
            "screenshot",
            "speed",
        )
    ),
    ("screenshot", {"path": "/tmp/x.png", "of": "desktop"}),
]
"""Calls that cannot be carried out; each gives a message."""


def test_no_remote_command_leads_to_torque() -> None:
    specs = {spec.id: spec for spec in table(features()) if spec.run is not None}
    assert set(specs) >= COMMANDS
    for name in COMMANDS - SAFE_WITH_TORQUE:
        assert not specs[name].menu.startswith("Robot"), name
        assert not specs[name].text.endswith("..."), f"{name} opens a dialog"
    assert not COMMANDS & {"start_together", "teleop", "quit", "save", "remote_control", "stream"}


def test_remote_control_code_cannot_arm() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = (
                    [node.module or ""]
                    if isinstance(node, ast.ImportFrom)
                    else [each.name for each in node.names]
                )
                for name in names:
                    assert not name.startswith(
                        (
                            "snakestudio.link",
                            "snakestudio.live",
                            "snakestudio.gui.robot",
                            "snakestudio.gui.core.robot_controller",
                        )
                    ), path
            if isinstance(node, ast.Attribute):
                assert node.attr not in {
                    "arm",
                    "stream",
                    "hold",
                    "steer",
                    "live",
                    "link",
                    "set_scene",
                }, path
                if isinstance(node.value, ast.Attribute) and node.value.attr == "robot_controller":
                    assert node.attr in {"connected", "movable", "stop"}, path


def every_call(methods: Methods, folder: Path) -> list[str]:
    """Call all methods with valid parameters; returns the refused ones."""
    refused = []
    calls: list[tuple[str, dict[str, Any]]] = [
        ("methods", {}),
        ("state", {}),
        ("get", {}),
        ("commands", {}),
        ("set", {"gait.amplitude_deg": 31.0}),
        ("open", {"path": str(SCENES / "obstacle_aided.toml"), "discard": True}),
        ("play", {}),
        ("pause", {}),
        ("reset", {}),
        ("step", {}),
        ("speed", {"factor": 2.0}),
        ("columns", {}),
        ("values", {}),
        ("screenshot", {"path": str(folder / "a.png")}),
        ("formats", {}),
        ("export", {"path": str(folder / "a.csv")}),
        *(("run_command", {"id": name}) for name in sorted(COMMANDS - SAFE_WITH_TORQUE)),
        ("stop", {}),
        *(("run_command", {"id": name}) for name in sorted(SAFE_WITH_TORQUE)),
    ]
    assert {name for name, _ in calls} == {each["method"] for each in methods.methods()}
    for name, params in calls:
        try:
            methods.call(name, params)
        except RemoteError:
            refused.append(name)
    return refused


def test_no_remote_call_arms_the_robot(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    connect(window)
    c = window.context
    link = c.robot_controller.link
    assert isinstance(link, FakeLink)
    methods = Methods(c)
    link.state = LinkState.IDLE
    c.robot_controller.poll()
    every_call(methods, tmp_path)
    for name in (
        "arm_robot",
        "stream_robot",
        "reset_robot",
        "connect_robot",
        "wiggle_test",
        "teleop",
    ):
        with pytest.raises(RemoteError, match="remotely"):
            methods.call("run_command", {"id": name})
    assert not {"arm", "stream", "wiggle"} & {kind for kind, _ in link.commands}
    link.state = LinkState.ARMED
    c.robot_controller.poll()
    assert c.robot_controller.movable
    scene = c.document.scene
    stops = len(link.stops)
    with pytest.raises(RemoteError, match="torque"):
        methods.call("set", {"gait.amplitude_deg": 10.0})
    with pytest.raises(RemoteError, match="torque"):
        methods.call("run_command", {"id": "undo"})
    assert c.document.scene is scene
    methods.call("stop", {})
    assert len(link.stops) == stops + 1
    assert not {"arm", "stream", "wiggle"} & {kind for kind, _ in link.commands}
    link.state = LinkState.IDLE
    c.robot_controller.disconnect_robot()
    c.document.undo_stack.setClean()


def refused(methods: Methods, method: str, params: dict[str, Any]) -> bool:
    """Whether a call is refused with a message."""
    try:
        methods.call(method, params)
    except RemoteError as error:
        return str(error).endswith(".")
    return False


def test_window_is_controlled_and_streams_until_off(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    c = window.context
    c.remote.start(0)
    door = read_door()
    assert (door.port, door.token) == (c.remote.port, c.remote.token)
    methods = Methods(c)
    assert methods.call("set", {"gait.amplitude_deg": 33.0}) == {"gait.amplitude_deg": 33.0}
    assert c.document.scene.gait.amplitude_deg == 33.0  # type: ignore[union-attr]
    assert c.document.undo_stack.undoText() == "Remote change"
    assert not [each for each in HOSTILE if not refused(methods, *each)]
    assert c.document.scene.gait.amplitude_deg == 33.0  # type: ignore[union-attr]
    with pytest.raises(RemoteError, match="or give discard=true"):
        methods.call("open", {"path": str(SCENES / "sidewinding.toml")})
    methods.call("screenshot", {"path": str(tmp_path / "window.png")})
    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")

    c.streamer.start(Target(port=0))
    qtbot.waitUntil(lambda: bool(c.streamer.address))
    qtbot.waitUntil(lambda: methods.call("state", {})["rows"] > 0)
    client = FoxgloveClient(int(c.streamer.address.rpartition(":")[2]))
    assert client.next_message("/joint_states").time_ns == 0
    qtbot.waitUntil(lambda: c.streamer.clients == 1)
    qtbot.waitUntil(lambda: "1 client" in c.status_bar.right.text)
    assert c.action_registry["stream"].isChecked()
    client.close()
    export = methods.call("export", {"path": str(tmp_path / "run.csv")})
    assert export.work(lambda fraction: True) == str(tmp_path / "run.csv")
    with pytest.raises(RemoteError, match="already exists"):
        methods.call("export", {"path": str(tmp_path / "run.csv")})

    dialog = StreamDialog(c.streamer, window)
    assert dialog.switch.text() == "&Stop"
    dialog.switch.click()
    assert not c.streamer.on
    assert dialog.now.text() == "Off."
    dialog.form.widget("rate_hz", QLineEdit).setText("0")
    assert "rate" in dialog.form.message.text()
    assert not dialog.switch.isEnabled()
    dialog.deleteLater()
    remote = RemoteDialog(c.remote, window)
    port = remote.form.widget("port", QLineEdit)
    assert remote.form.widget("token", QLineEdit).text() == c.remote.token
    assert (remote.switch.text(), port.isEnabled()) == ("&Stop", False)
    remote.switch.click()
    assert not c.remote.on
    assert (remote.switch.text(), port.isEnabled()) == ("&Allow", True)
    port.setText("99999")
    assert "65535" in remote.form.message.text()
    assert not remote.switch.isEnabled()
    remote.deleteLater()
    with pytest.raises(Exception, match="remote control"):
        read_door()
    assert json.dumps(methods.call("state", {}))
    c.document.undo_stack.setClean()
