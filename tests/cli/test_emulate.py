"""`snakestudio emulate`: a process on a real socket, and one message per mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.link.bus.open_bus import CanBus, open_bus
from snakestudio.link.core.codec import Codec
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus

GROUP = f"239.74.163.{os.getpid() % 200 + 20}"
PORT = 20_000 + os.getpid() % 20_000


def hear(bus: CanBus, codec: Codec, seconds: float, status: float) -> bool:
    """Whether all ten nodes send the status in time."""
    last: dict[int, float] = {}
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        got = bus.receive(0.05)
        decoded = codec.decode(got[0]) if got is not None else None
        for value in decoded.values if decoded is not None else ():
            if value.quantity == "status":
                last[value.node] = value.value
        if len(last) == 10 and set(last.values()) == {status}:
            return True
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process there immediately")
def test_emulated_robot_runs_in_another_process(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    command = [
        sys.executable,
        "-m",
        "snakestudio",
        "emulate",
        "lab_robot",
        "--channel",
        GROUP,
        "--port",
        str(PORT),
    ]
    process = subprocess.Popen(
        [*command, "--report", str(report)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line == (
            f"Lab robot: 10 nodes, 20 axes. Connect with --interface udp_multicast --channel {GROUP} --port {PORT}.\n"
        )
        loaded = load_profile(find_profile("lab_robot"))
        codec = Codec(loaded)
        bus = open_bus(Bus(interface="udp_multicast", channel=GROUP, options={"port": PORT}))
        try:
            assert hear(bus, codec, 10.0, 1)  # ready
            begin = time.monotonic()
            for step in loaded.profile.sequences.arm:
                for frame in codec.step_frames(step):
                    bus.send(frame)
            assert hear(bus, codec, 5.0, 4)  # a fault: no set-points
            process.stdin.write("fault dropout 3\nnonsense\nquit\n")
            process.stdin.flush()
            assert process.wait(10) == 0
        finally:
            bus.close()
        text = process.stdout.read()
        assert "node 3: dropout" in text
        assert "'nonsense'" in text
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    events = [json.loads(line) for line in report.read_text().splitlines()]
    assert {event["node"] for event in events if event["event"] == "armed"} == set(range(1, 11))
    safe = next(event for event in events if event["event"] == "safe")
    assert safe["node"] is None
    # 0.25 s of watchdog, and delays of a machine under load.
    assert safe["time"] - begin > 0.2


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process there immediately")
def test_emulator_ends_on_request() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "snakestudio", "emulate", "lab_robot", "--virtual"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert "Only this process" in process.stdout.readline()
        assert process.poll() is None  # the end of its input does not end it
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=10)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("scene.toml", "already exists, a scene"),
        ("run.mcap", "already exists, a recorded run"),
        ("lab_robot.toml", "is "),
    ],
)
def test_report_replaces_no_file_of_users(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    """Neither a scene or a recorded run, nor the emulated profile."""
    path = tmp_path / name
    path.write_bytes(find_profile("lab_robot").read_bytes())
    (tmp_path / "lab_robot.dbc").write_bytes(
        find_profile("lab_robot").with_suffix(".dbc").read_bytes()
    )
    before = path.read_bytes()
    profile = str(path) if name == "lab_robot.toml" else "lab_robot"
    assert main(["emulate", profile, "--virtual", "--report", str(path), "--fault", "jam:42"]) == 2
    assert f"{path} {reason}" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_report_on_a_full_device_ends_with_a_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["emulate", "lab_robot", "--virtual", "--report", "/dev/full"]) == 2
    assert "snakestudio: /dev/full" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing_such"], "nothing_such"),
        (["lab_robot", "--fault", "explode"], "'explode'"),
        (["lab_robot", "--port", "0"], "port must be a whole number from 1 to 65535 (got 0)"),
        (["lab_robot", "--slcan", "--interface", "pcan"], "Remove --interface"),
        (["lab_robot", "--fault", "jam:42", "--virtual"], "node 42"),
        (
            ["lab_robot", "--fault", "jam:3@soon"],
            "--fault jam:3@soon: 'soon'",
        ),
        (["lab_robot", "--pose", "127.0.0.1:22350"], "no poses"),
        (["lab_robot", "--slcan", "--virtual"], "--slcan and --virtual exclude"),
        (
            ["lab_robot", "--port", "5000", "--interface", "socketcan"],
            "--port goes with --interface udp_multicast, not",
        ),
        (
            ["lab_robot", "--interface", "slcan"],
            "Give --slcan",
        ),
        (
            ["lab_robot", "--slcan", "--bitrate", "333000"],
            "333000 bit/s. Set --bitrate to one",
        ),
        (
            ["lab_robot", "--interface", "udp_multicats", "--channel", "x"],
            "Did you mean udp_multicast?",
        ),
        (
            ["lab_robot", "--virtual", "--report", "no/such/folder"],
            "--report no/such/folder",
        ),
        (["lab_robot", "--scene", "scenes/worm.toml"], "continuous body"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["emulate", *arguments]) == 2
    assert message in capsys.readouterr().err
