"""Full disks, folders and files that cannot be written: one message, before the run if possible."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from tests.small_disk import SMALL_DISK_BYTES, on_small_disk
from tests.wording import naming

MAIN = str(scenes_dir() / "obstacle_aided.toml")
ISOTROPIC = str(scenes_dir() / "lateral_undulation_isotropic.toml")

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="no small disk can be created there"
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is larger than the small disk in every format."""
    path = tmp_path_factory.mktemp("runs") / "run.mcap"
    scene, base_dir, _ = api.prepare(MAIN, 4.0, 500.0)
    run = api.simulate_scene(scene, base_dir, path=path)
    run.to_csv(path.with_name("track.csv"))
    assert not run.trouble
    assert path.stat().st_size > SMALL_DISK_BYTES
    return path


TARGETS = {
    "csv": ["export", "RUN", "--csv", "out.csv"],
    "hdf5": ["export", "RUN", "--hdf5", "out.h5"],
    "mcap": ["export", "RUN", "--mcap", "out.mcap"],
    "video": ["export", "RUN", "--video", "out.mp4", "--end", "0.2"],
    "mkv": ["export", "RUN", "--video", "out.mkv", "--end", "0.2", "--codec", "ffv1"],
    "gif": ["export", "RUN", "--video", "out.gif", "--end", "0.2"],
    "pictures": ["export", "RUN", "--video", "out_%d.png", "--end", "0.2"],
    "plan": ["plan", MAIN, "out.png"],
    "svg": ["plan", MAIN, "out.svg"],
    "pdf": ["plan", MAIN, "out.pdf"],
    "figures": ["export", "RUN", "--figures", "figures"],
    "scene": ["fit-strain", ISOTROPIC, "-o", "out.toml"],
    "chain": [
        "compare",
        "chain",
        str(scenes_dir() / "continuum_snake_2d.toml"),
        "--links",
        "8",
        "--csv",
        "out.csv",
    ],
    "models": ["compare", "models", ISOTROPIC, "--duration", "0.1", "--csv", "out.csv"],
    "experiment": ["compare", "experiment", "RUN", "TRACK", "--csv", "out.csv"],
    "report": ["compare", "experiment", "RUN", "TRACK", "--report", "out.html"],
    "printed report": ["compare", "experiment", "RUN", "TRACK", "--report", "out.pdf"],
    "layout": ["compare", "experiment", "RUN", "TRACK", "--write-layout", "out.toml"],
    "obstacles": ["import-obstacles", "CIRCLES", "--into", MAIN, "--out", "out.toml"],
    "run to csv": ["run", MAIN, "--duration", "0.1", "--csv", "out.csv"],
    "run to hdf5": ["run", MAIN, "--duration", "0.1", "--hdf5", "out.h5"],
    "run to mcap": ["run", MAIN, "--duration", "0.1", "--mcap", "out.mcap"],
    "run to video": ["run", MAIN, "--duration", "0.1", "--video", "out.mp4"],
}
"""Outputs of commands on a disk without space."""


def filled(names: str) -> str:
    """Shell command: an old file, and a full disk."""
    return f"{f'printf old > {names}; ' if names else ''}cat /dev/zero > filler 2>/dev/null"


def check_full_disk(arguments: list[str], recorded: Path, disk: Path) -> None:
    """Check a target without space: one message, exit code 2, the old file stays, and no other file is left."""
    folder = recorded.parent
    circles = folder / "circles.csv"
    circles.write_text("x,y,radius\n1,2,0.1\n", encoding="utf-8")
    paths = {"RUN": recorded, "TRACK": folder / "track.csv", "CIRCLES": circles}
    command = [str(paths.get(argument, argument)) for argument in arguments] + ["--force"]
    names = (
        "out_0.png"
        if "out_%d.png" in arguments
        else next((argument for argument in arguments if argument.startswith("out.")), "")
    )
    done = on_small_disk(
        disk,
        command,
        f"echo; find . -type f ! -name filler; cat {names} /dev/null",
        first=filled(names),
    )
    output = [line for line in done.stderr.splitlines() if line]
    assert done.returncode == 2, done.stderr
    assert len(output) == 1 or (arguments[0] == "run" and "saved" in output[1]), done.stderr
    assert "No space left on device" in output[0] or "cannot be written" in output[0]
    assert "Traceback" not in done.stderr
    left = done.stdout.rpartition("\n./" if names else "\n")[2]
    assert left == (f"{names}\nold" if names else ""), done.stdout


@pytest.mark.parametrize("target", ["csv", "hdf5", "mcap", "gif", "plan", "scene"])
def test_output_that_does_not_fit_leaves_the_old_file(
    target: str, recorded: Path, tmp_path: Path
) -> None:
    check_full_disk(TARGETS[target], recorded, tmp_path / "disk")


@pytest.mark.soak
@pytest.mark.parametrize("target", TARGETS)
def test_outputs_that_do_not_fit_leave_all_old_files(
    target: str, recorded: Path, tmp_path: Path
) -> None:
    check_full_disk(TARGETS[target], recorded, tmp_path / "disk")


@pytest.mark.parametrize("ending", [".log", ".blf", ".asc"])
def test_log_that_does_not_fit_leaves_the_old_one(ending: str, tmp_path: Path) -> None:
    frames = tmp_path / "frames.log"
    frames.write_text(
        "".join(f"({i / 100:.6f}) can0 183#D204FFFF00000000 R\n" for i in range(20)),
        encoding="utf-8",
    )
    done = on_small_disk(
        tmp_path / "disk",
        [
            "listen",
            "lab_robot",
            "--interface",
            "replay",
            "--channel",
            str(frames),
            "--log",
            f"out{ending}",
            "--force",
        ],
        f"echo; find . -type f ! -name filler; cat out{ending}",
        first=filled(f"out{ending}"),
    )
    assert done.returncode == 2, done.stderr
    assert f"out{ending}: The log cannot be written (No space left on device)" in done.stderr
    assert done.stdout.endswith(f"\n./out{ending}\nold")


def test_full_disk_stops_a_run_with_a_complete_file(tmp_path: Path) -> None:
    copy = tmp_path / "kept.mcap"
    done = on_small_disk(
        tmp_path / "disk",
        ["run", MAIN, "--duration", "2000", "--rate", "500", "--mcap", "out.mcap"],
        f"ls -A; cp out.mcap {copy}",
    )
    assert done.returncode == 2, done.stderr
    assert "snakestudio: out.mcap" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "out.mcap\n" in done.stdout
    with open_run(copy) as run:
        assert run.info.complete
        assert len(run) > 100
        alone = api.simulate(MAIN, float(run.times[-1]), 500.0)
        rows = run.rows(0, len(run))
        same = alone.recording.rows(0, len(run))
        assert (rows.link_pose == same.link_pose).all()


@pytest.mark.parametrize("option", ["csv", "hdf5", "mcap", "video"])
def test_unwritable_output_is_reported_before_the_run(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    name = folder / f"out.{ {'video': 'mp4'}.get(option, option) }"
    assert main(["run", MAIN, "--duration", "1e6", f"--{option}", str(name)]) == 2
    output = capsys.readouterr()
    assert output.err.count("\n") == 1
    assert str(name) in output.err
    assert output.out == ""


@pytest.mark.parametrize("option", ["csv", "hdf5", "mcap"])
def test_read_only_disk_is_reported_before_the_run(tmp_path: Path, option: str) -> None:
    arguments = ["run", MAIN, "--duration", "1e6", f"--{option}", f"out.{option}"]
    done = on_small_disk(tmp_path / "disk", arguments, first="mount -o remount,ro .")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"snakestudio: out.{option}: The file cannot be written (Read-only file system). Choose another folder or free "
        "some space.\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [["figures", "P1", "--out"], ["export", MAIN, "--figures"]],
    ids=["figures", "figures of a run"],
)
def test_impossible_folder_is_reported_before_the_run(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    assert main([*arguments, str(tmp_path / "file" / "figures")]) == 2
    output = capsys.readouterr()
    assert "cannot be written" in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""


def test_full_device_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    full = tmp_path / "full"
    try:
        os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    except PermissionError:
        full.symlink_to("/dev/full")
    assert main(["run", MAIN, "--duration", "0.1", "--csv", str(full)]) == 2
    assert "No space left on device" in capfd.readouterr().err


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [["check", MAIN], ["--help"], ["run", "--help"], ["--version"]]
)
def test_full_standard_output_is_reported(arguments: list[str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "snakestudio", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [naming("device)")]


def test_closed_standard_output_matters_only_as_target(
    tmp_path: Path,
) -> None:
    arguments = [sys.executable, "-m", "snakestudio", "run", MAIN, "--duration", "0.1", "--csv"]
    for target, code in ((str(tmp_path / "run.csv"), 0), ("-", 2)):
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", *arguments, target],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert ("Bad file descriptor" in done.stderr) == bool(code)
        assert "Traceback" not in done.stderr


def test_closed_pipe_is_not_an_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "snakestudio", "check", MAIN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        output = process.stderr.read()
    assert process.returncode == 0
    assert output == b""
    assert process.returncode != -signal.SIGPIPE
