"""The command `drive` with a link process and an emulated robot in separate processes, and its error messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.errors import RunFileError
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.mcap import open_run
from tests.link.rig import patient_robot, wait
from tests.wording import naming

ROOT = Path(__file__).resolve().parents[2]
SCENE = str(ROOT / "scenes" / "sidewinding.toml")
GROUP = f"239.74.163.{100 + os.getpid() % 100}"
PORT = str(20_000 + os.getpid() % 20_000)
BUS = ("--interface", "udp_multicast", "--channel", GROUP, "--port", PORT)


@pytest.fixture
def patient(tmp_path: Path) -> str:
    return str(patient_robot(tmp_path))


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run SnakeStudio as a program; it is ended if it does not end by itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "snakestudio", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10.0)
                except subprocess.TimeoutExpired:
                    process.kill()


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """Return the output of a program up to a line that contains a text, or up to its end."""
    assert process.stdout is not None
    output = ""
    for line in process.stdout:
        output += line
        if text in line:
            break
    return output


@contextmanager
def emulated(profile: str) -> Iterator[subprocess.Popen[str]]:
    """Run a robot in a separate process; at the end none of its nodes may have torque."""
    with program("emulate", profile, "--channel", GROUP, "--port", PORT, "--until-eof") as robot:
        assert "is ready" in read_until(robot, "is ready")
        yield robot
        assert robot.stdin is not None
        robot.stdin.close()
        assert "No node" in read_until(robot, "\0")


def _recorded(run_file: Path) -> float:
    """Return the recorded duration, s; 0 if there is no readable run yet."""
    with suppress(RunFileError, FileNotFoundError), closing(open_run(run_file)) as run:
        return float(run.times[-1]) if len(run) else 0.0
    return 0.0


@pytest.mark.parametrize(
    ("sent", "ends", "reason"),
    [
        (signal.SIGINT, 130, "Stopped by Ctrl+C."),
        (signal.SIGTERM, 143, naming("program was terminated")),
    ],
)
def test_ended_drive_stops_the_robot_and_saves_the_run(
    patient: str, tmp_path: Path, sent: signal.Signals, ends: int, reason: str
) -> None:
    run_file = tmp_path / "run.mcap"
    with (
        emulated(patient),
        program("drive", SCENE, patient, *BUS, "--arm", "--mcap", str(run_file)) as drive,
    ):
        output = read_until(drive, "Streaming for")
        assert "ARMING LAB ROBOT WITHOUT ASKING" in output
        wait(
            lambda: _recorded(run_file) > 1.0 or drive.poll() is not None,
            "a second is recorded",
            120.0,
            pause=0.2,  # each look reads the whole file
        )
        drive.send_signal(sent)
        output += read_until(drive, "\0")
        code = drive.wait(30.0)
    assert code == ends, output
    with closing(open_run(run_file)) as run:
        assert run.schema.valid == Fields.JOINTS | Fields.REFERENCE | Fields.SHAPE
        assert run.times[-1] > 1.0
        rows = run.rows(0, len(run))
        assert np.ptp(rows.joint_angle, axis=0).max() > np.radians(1.0)  # it has moved
        assert reason in [event.text for event in run.events]


@pytest.mark.soak
def test_complete_drive_records_the_simulation_alongside(patient: str, tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    arguments = ("--duration", "5", "--arm", "--twin", "--csv", str(table))
    with emulated(patient), program("drive", SCENE, patient, *BUS, *arguments) as drive:
        output = read_until(drive, "\0")
        assert drive.wait(60.0) == 0, output
    assert "joint errors" in output
    assert "simulated twin: joint deviation" in output
    assert "twin_joint_rms_rad" in table.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Give --arm"),
        (("--arm", "--pose", "x"), "'x'"),
        (
            ("--arm", "--interface", "pcan", "--port", "5"),
            "--port goes with --interface udp_multicast",
        ),
        (("--arm", "--duration", "-1"), "positive number"),
        (("--arm", "--wait", "0"), "--wait 0"),
        (("--arm", "--wait", "nan"), "--wait nan: give a positive number"),
        (
            ("--arm", "--hdf5", "no_such_folder/x.h5"),
            "no folder no_such_folder",
        ),
        (
            ("--arm", "--log", "README.md"),
            "README.md",
        ),
        (
            ("--arm", "--log", "OLD.blf"),
            "OLD.blf already exists",
        ),
        (
            ("--arm", "--interface", "virtual"),
            "interface virtual connects",
        ),
        (("--arm", "--wait-limit", "3"), "--wait-limit needs --wait-for"),
        (
            ("--arm", "--fire", "pc:5005", "--wait-at", "0.0.0.0"),
            "--wait-at needs a port in --wait-for",
        ),
    ],
)
def test_mistakes_are_reported_before_anything_is_sent(
    arguments: tuple[str, ...],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "OLD.blf").write_bytes(b"an hour of another day")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["drive", SCENE, "lab_robot", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert (tmp_path / "OLD.blf").read_bytes() == b"an hour of another day"


def test_missing_profile_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", SCENE, "no_such_robot", "--arm"]) == 2
    assert "no profile called no_such_robot" in capsys.readouterr().err
