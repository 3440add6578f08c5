"""Runs ended from outside keep their rows; files of other programs or users are not replaced."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run

MAIN = str(scenes_dir() / "obstacle_aided.toml")
_BRIEFLY_S = 0.001
"""Pause between two looks at a file, s: without one, waiting takes a whole processor."""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals end a process there immediately"
)


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "snakestudio", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows_of(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def await_file(path: Path, process: subprocess.Popen[str], size: int = 1) -> None:
    """Wait until a file has a size."""
    while not (path.exists() and path.stat().st_size >= size):
        assert process.poll() is None, process.communicate()
        time.sleep(_BRIEFLY_S)


def is_written(folder: Path, prefix: str) -> bool:
    """Whether a file is being written: the temporary file of a check for writability stays empty."""
    for path in folder.glob(f"{prefix}*"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > 0:
                return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_run_saves_its_rows(tmp_path: Path, number: signal.Signals) -> None:
    csv = tmp_path / "run.csv"
    hdf5 = tmp_path / "run.h5"
    mcap = tmp_path / "run.mcap"
    with started(
        "run",
        MAIN,
        "--duration",
        "1e6",
        "--csv",
        str(csv),
        "--hdf5",
        str(hdf5),
        "--mcap",
        str(mcap),
        "--video",
        str(tmp_path / "run.mp4"),
    ) as run:
        await_file(mcap, run)  # the run has started
        run.send_signal(number)
        output, complaint = run.communicate()
    assert run.returncode == 128 + number
    with open_run(mcap) as recorded:
        assert recorded.info.complete
        count = len(recorded)
        until = recorded.times[-1]
    assert count > 1
    assert len(rows_of(csv)) == 1 + count
    assert float(rows_of(csv)[-1].split(",")[0]) == until
    by = "Ctrl+C" if number == signal.SIGINT else number.name
    assert f"stopped by {by} at {until:g} s" in complaint
    assert "run.mp4 was not written" in complaint
    for path in (csv, hdf5, mcap):
        assert f"wrote {path}: {count} rows" in output
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.h5", "run.mcap"]


def test_interrupt_during_writing_completes_the_file(tmp_path: Path) -> None:
    csv = tmp_path / "run.csv"
    mcap = tmp_path / "run.mcap"
    with started("run", MAIN, "--duration", "40", "--csv", str(csv), "--mcap", str(mcap)) as run:
        assert run.stdout is not None
        assert "40 s simulated" in run.stdout.readline()
        run.send_signal(signal.SIGTERM)
        _, complaint = run.communicate()
    assert run.returncode == 143, complaint
    assert len(rows_of(csv)) == 1 + 4001
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.mcap"]


def test_second_interrupt_ends_immediately(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    mcap = tmp_path / "run.mcap"
    os.mkfifo(pipe)
    with started("run", MAIN, "--duration", "1", "--csv", str(pipe), "--mcap", str(mcap)) as run:
        assert run.stdout is not None
        assert "1 s simulated" in run.stdout.readline()
        assert "wrote" in run.stdout.readline()  # now it waits for the reader of the pipe
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)
        _, complaint = run.communicate()
    assert run.returncode in (130, 143)
    assert "interrupted" in complaint
    assert pipe.is_fifo()


def test_interrupted_export_leaves_only_the_old_file(tmp_path: Path) -> None:
    mcap = tmp_path / "run.mcap"
    csv = tmp_path / "run.csv"
    assert main(["run", MAIN, "--duration", "60", "--mcap", str(mcap)]) == 0
    csv.write_text("old")
    with started("export", str(mcap), "--csv", str(csv)) as export:
        while not is_written(tmp_path, ".run.partial-"):
            assert export.poll() is None, export.communicate()
            time.sleep(_BRIEFLY_S)
        export.send_signal(signal.SIGTERM)
        _, complaint = export.communicate()
    assert export.returncode == 143
    assert complaint == "\nsnakestudio: interrupted.\n"
    assert csv.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.mcap"]


# ------------------------------------------------------------------------------- replacing files


def test_scenes_and_runs_are_replaced_only_with_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "mine.toml"
    run = tmp_path / "run.mcap"
    scene.write_bytes(Path(MAIN).read_bytes())
    assert main(["run", MAIN, "--duration", "0.1", "--mcap", str(run)]) == 0
    for path in (scene, run):
        before = path.read_bytes()
        for option in ("--csv", "--mcap", "--hdf5"):
            capsys.readouterr()
            assert main(["run", MAIN, "--duration", "0.1", option, str(path)]) == 2
            output = capsys.readouterr()
            assert output.err.count("\n") == 1
            assert f"{path} already exists" in output.err
            assert "--force" in output.err
            assert path.read_bytes() == before
    assert main(["export", str(run), "--mcap", str(scene)]) == 2
    assert main(["plan", MAIN, str(scene)]) == 2
    assert (
        main(
            [
                "fit-strain",
                str(scenes_dir() / "lateral_undulation_isotropic.toml"),
                "-o",
                str(scene),
            ]
        )
        == 2
    )
    assert load_scene(scene) == load_scene(MAIN)
    assert main(["run", MAIN, "--duration", "0.2", "--mcap", str(run), "--force"]) == 0
    with open_run(run) as recorded:
        assert recorded.times[-1] == 0.2


def test_outputs_are_replaced_silently(tmp_path: Path) -> None:
    csv = tmp_path / "run.csv"
    for duration in ("0.1", "0.2"):
        assert main(["run", MAIN, "--duration", duration, "--csv", str(csv)]) == 0
    assert rows_of(csv)[-1].startswith("0.2,")


@pytest.mark.parametrize(("answer", "code"), [("n\n", 2), ("\n", 2), ("y\n", 0)])
def test_terminal_asks_before_replacing(tmp_path: Path, answer: str, code: int) -> None:
    path = tmp_path / "run.mcap"
    assert main(["run", MAIN, "--duration", "0.1", "--mcap", str(path)]) == 0
    before = path.read_bytes()
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "snakestudio",
            "run",
            MAIN,
            "--duration",
            "0.2",
            "--mcap",
            str(path),
        ],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as run:
        os.close(theirs)
        output = b""
        while b"Replace it? [y/N]" not in output:
            output += os.read(ours, 4096)
        os.write(ours, answer.encode())
        assert run.stdout is not None
        run.stdout.read()
    os.close(ours)
    assert run.returncode == code
    assert (path.read_bytes() == before) == (code != 0)


def test_same_file_for_two_outputs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link").symlink_to("run.csv")
    assert (
        main(["run", MAIN, "--csv", str(tmp_path / "run.csv"), "--hdf5", str(tmp_path / "link")])
        == 2
    )
    assert "two outputs" in capsys.readouterr().err
    assert main(["run", MAIN, "--csv", "-", "--hdf5", "-"]) == 2
    assert "two outputs" in capsys.readouterr().err
    (tmp_path / "circle").symlink_to("circle")
    assert main(["run", MAIN, "--csv", str(tmp_path / "circle")]) == 2
    assert "Too many levels of symbolic links" in capsys.readouterr().err


# ------------------------------------------------------------------------------ the standard output


def test_dash_is_the_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    assert main(["run", MAIN, "--duration", "0.1", "--csv", str(path)]) == 0
    with started("run", MAIN, "--duration", "0.1", "--csv", "-") as run:
        text, output = run.communicate()
    assert run.returncode == 0
    assert text == path.read_text()
    assert "11 rows" in output
    assert not Path("-").exists()


def test_hdf5_on_the_standard_output_is_complete(tmp_path: Path) -> None:
    with (
        (tmp_path / "run.h5").open("wb") as file,
        subprocess.Popen(
            [sys.executable, "-m", "snakestudio", "run", MAIN, "--duration", "0.1", "--hdf5", "-"],
            stdout=file,
            stderr=subprocess.PIPE,
        ) as run,
    ):
        run.communicate()
    import h5py

    with h5py.File(tmp_path / "run.h5") as original:
        assert original.attrs["rows"] == 11


def test_video_on_the_standard_output_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", MAIN, "--video", "-"]) == 2
    assert "mp4" in capsys.readouterr().err


def test_odd_sizes_of_videos_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run", MAIN, "--duration", "0.1", "--video", str(tmp_path / "run.gif"), "--size"]
    assert main([*arguments, "161x90"]) == 0
    assert "--size 161x90" in capsys.readouterr().err
    assert main([*arguments, "160x90"]) == 0
    assert capsys.readouterr().err == ""
