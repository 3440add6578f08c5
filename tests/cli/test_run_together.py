"""`snakestudio run --fire --wait-for` with real peers: it starts on request, starts others, and reports mistakes."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from tests.sync.peer import listening, peer

MAIN = str(scenes_dir() / "obstacle_aided.toml")


def test_run_waits_for_start_and_fires_at_another(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with listening("polite") as (camera, port):
        arguments = [
            "run",
            MAIN,
            "--duration",
            "0.1",
            "--wait-for",
            str(free),
            "--fire",
            f"127.0.0.1:{port}",
        ]
        arguments += ["--wait-at", "127.0.0.1", "--mcap", str(tmp_path / "run.mcap")]
        run = subprocess.Popen(
            [sys.executable, "-m", "snakestudio", *arguments, "--wait-limit", "60"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        armed = run.stdout.readline()
        assert (
            armed
            == f"Waiting for START on port {free} at 127.0.0.1. START goes to 127.0.0.1:{port}.\n"
        )
        with peer("fire", free, "START lab_7 12.5"):
            out, err = run.communicate(timeout=60)
        assert (run.returncode, err) == (0, "")
        assert [line[:2] for line in camera.result()[-2:]] == [
            ["START", "obstacle_aided"],
            ["STOP", "obstacle_aided"],
        ]
    assert re.search(
        r"START was received from 127.0.0.1:\d+ “lab_7” .*started \d+\.\d+ ms later", out
    )
    assert f"STOP was sent to 127.0.0.1:{port}" in out
    assert "0.1 s simulated" in out
    recorded = open_run(tmp_path / "run.mcap")
    notes = [event.text for event in recorded.events if event.kind == "note"]
    recorded.close()
    assert "“lab_7”" in notes[0]
    assert f"START was sent to 127.0.0.1:{port}" in notes[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--fire", "nowhere"], "HOST:PORT"),
        (["--wait-for", "0"], "port from 1 to 65535"),
        (["--wait-for", "lsl:"], "lsl:NAME"),
        (["--wait-limit", "3"], "needs --wait-for"),
        (["--wait-for", "5005", "--wait-limit", "-1"], "positive number"),
        (["--fire", "127.0.0.1:1"], "No program is waiting"),
        (["--wait-at", "0.0.0.0"], "remove --wait-at"),
        (
            ["--fire", "127.0.0.1:1", "--wait-at", "0.0.0.0"],
            "--wait-at needs a port in --wait-for",
        ),
        (
            ["--wait-for", "lsl:cue", "--wait-at", "0.0.0.0"],
            "--wait-at needs a port in --wait-for",
        ),
        (
            ["--wait-for", "5005", "--wait-at", "203.0.113.1"],
            "203.0.113.1",
        ),
    ],
)
def test_mistake_is_reported_and_nothing_runs(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", MAIN, "--duration", "0.1", *arguments]) == 2
    output = capsys.readouterr()
    assert says in output.err
    assert output.out == ""


def test_waiting_ends_at_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    assert main(["run", MAIN, "--wait-for", str(free), "--wait-limit", "0.1"]) == 2
    assert f"No START was received on port {free} within 0.1 s" in capsys.readouterr().err
