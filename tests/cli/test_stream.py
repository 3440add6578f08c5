"""`snakestudio run --stream`: a client in another thread sees the run, and the results stay bit-identical."""

from __future__ import annotations

import csv
import re
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from mcap_ros2._dynamic import generate_dynamic

from snakestudio.cli import main
from snakestudio.paths import scenes_dir
from snakestudio.session.clock import Clock
from tests.stream.foxglove_client import FoxgloveClient
from tests.test_docs import code

MAIN = str(scenes_dir() / "obstacle_aided.toml")


class Watcher(threading.Thread):
    """Connects when the port is open, and stores the received joint angles by time in ns."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.angles: dict[int, list[float]] = {}
        self.seen = threading.Event()

    def run(self) -> None:
        client = None
        while client is None:
            try:
                client = FoxgloveClient(self.port)
            except ConnectionRefusedError:
                time.sleep(0.01)
        with closing(client), suppress(EOFError, OSError):
            while True:
                message = client.next_message("/joint_states")
                channel = client.channels["/joint_states"]
                read = generate_dynamic(channel["schemaName"], channel["schema"])[
                    channel["schemaName"]
                ]
                self.angles[message.time_ns] = list(read(message.data).position)
                self.seen.set()


def test_client_receives_the_rows_of_the_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    watcher = Watcher(port)
    watcher.start()
    delay = Clock.delay

    def delayed(clock: Clock, simulated: float, busy: float) -> float:
        """The run waits for the watcher to connect, and then runs in real time."""
        assert watcher.seen.wait(60.0)
        return delay(clock, simulated, busy)

    monkeypatch.setattr(Clock, "delay", delayed)
    run = ["run", MAIN, "--duration", "0.4", "--csv"]
    assert main([*run, str(tmp_path / "streamed.csv"), "--stream", str(port)]) == 0
    assert main([*run, str(tmp_path / "alone.csv")]) == 0
    watcher.join(30.0)
    assert (tmp_path / "streamed.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()
    lines = [
        line
        for line in (tmp_path / "alone.csv").read_text().splitlines()
        if not line.startswith("#")
    ]
    rows = {round(float(row["time_s"]) * 1e9): row for row in csv.DictReader(lines)}
    assert len(watcher.angles) > 1
    for stamp, angles in watcher.angles.items():
        assert angles == [float(rows[stamp][f"joint_{i + 1}_yaw_rad"]) for i in range(len(angles))]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--stream", "70000"], "Write [HOST:]PORT"),
        (["--stream", "scene.toml"], "port. Put SCENE"),
        (["--stream", "9000", "--stream-rate", "0"], "above 0"),
        (["--stream-rate", "5"], "--stream-rate needs --stream."),
        (["--stream-speed", "5"], "--stream-speed needs --stream"),
        (
            ["--stream", "9000", "--stream-speed", "fast"],
            "--stream-speed fast",
        ),
        (["--stream", "rerun:none/run.rrd"], "the folder none does not exist"),
    ],
)
def test_mistake_is_reported_and_nothing_runs(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "run.csv"
    assert main(["run", MAIN, "--duration", "0.05", "--csv", str(written), *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not written.exists()


def test_port_in_use_ends_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert (
            main(
                [
                    "run",
                    MAIN,
                    "--duration",
                    "0.05",
                    "--stream",
                    str(port),
                    "--csv",
                    str(tmp_path / "x.csv"),
                ]
            )
            == 2
        )
    assert (
        f"127.0.0.1:{port} cannot be opened for a stream: another program"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "x.csv").exists()


def test_address_other_than_loopback_gives_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["run", MAIN, "--duration", "0.02", "--stream", "0.0.0.0:0", "--stream-speed", "max"])
        == 0
    )
    assert "encryption" in capsys.readouterr().err


def test_client_of_the_page_prints_joint_angles(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    (source,) = code("streaming", "python")
    lines: list[tuple[str, float]] = []
    seen = threading.Event()
    ended = threading.Event()

    def printed(time: str, angle: float) -> None:
        lines.append((time, angle))
        seen.set()

    def listen() -> None:
        while not ended.is_set():
            with suppress(ConnectionRefusedError):
                text = source.replace("8765", str(port))
                exec(compile(text, "streaming.md", "exec"), {"print": printed})
                return

    client = threading.Thread(target=listen, name="client")
    delay = Clock.delay

    def delayed(clock: Clock, simulated: float, busy: float) -> float:
        """The run waits for the client, and then runs in real time."""
        assert seen.wait(60.0)
        return delay(clock, simulated, busy)

    monkeypatch.setattr(Clock, "delay", delayed)
    client.start()
    run = ["run", MAIN, "--duration", "0.2", "--quiet", "--stream", str(port)]
    assert main(run) == 0
    ended.set()
    client.join(30.0)
    assert re.fullmatch(r"\d+\.\d\d s", lines[0][0])
    assert all(abs(angle) < 2.0 for _, angle in lines)
