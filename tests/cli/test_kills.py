"""Programs killed while they write: a file is the complete old one or the complete new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.errors import RunFileError
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run

MAIN = str(scenes_dir() / "obstacle_aided.toml")

OLD = b"what stood there before"
_BRIEFLY_S = 0.001
"""Pause between two looks at a file, s: without one, waiting takes a whole processor."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run.mcap"
    scene, base_dir, _ = api.prepare(MAIN, 3.0, 200.0)
    api.simulate_scene(scene, base_dir, path=path)
    return path


@pytest.fixture(scope="module")
def complete(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All exports of the run, undisturbed."""
    folder = tmp_path_factory.mktemp("whole")
    for option in ("csv", "hdf5", "mcap"):
        assert main(["export", str(recorded), f"--{option}", str(folder / f"out.{option}")]) == 0
    return folder


def grown_to(folder: Path, begin: str, fraction: float, size: int) -> Callable[[], bool]:
    """Return whether the file being written in a folder has grown to a share of its final size."""

    def grown() -> bool:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.name.startswith(begin) and entry.stat().st_size >= fraction * size:
                        return True
                except FileNotFoundError:
                    continue  # it was just renamed
        return False

    return grown


def kill_an_export(
    recorded: Path, complete: Path, folder: Path, option: str, fraction: float
) -> bool:
    """Kill an export after a share of its file; return whether that was before its end."""
    target = folder / f"out.{option}"
    reference = complete / f"out.{option}"
    folder.mkdir()
    target.write_bytes(OLD)
    arguments = ["export", str(recorded), f"--{option}", str(target), "--force"]
    grown = grown_to(folder, ".out", fraction, reference.stat().st_size)
    with subprocess.Popen(
        [sys.executable, "-m", "snakestudio", *arguments], stdout=subprocess.DEVNULL
    ) as export:
        while not grown() and export.poll() is None:
            time.sleep(_BRIEFLY_S)
        export.send_signal(signal.SIGKILL)
    left = target.read_bytes()
    assert left in (OLD, reference.read_bytes())
    return left == OLD


@pytest.mark.parametrize(("option", "fraction"), [("csv", 0.5), ("hdf5", 0.3), ("mcap", 0.8)])
def test_killed_export_leaves_the_old_file(
    recorded: Path, complete: Path, tmp_path: Path, option: str, fraction: float
) -> None:
    # On a busy machine an export may end before it is checked again; each leaves one complete file,
    # old or new.
    assert any(
        kill_an_export(recorded, complete, tmp_path / str(number), option, fraction)
        for number in range(20)
    )


@pytest.mark.soak
def test_fifty_killed_exports_lose_nothing(recorded: Path, complete: Path, tmp_path: Path) -> None:
    chance = random.Random(20)
    killed = [
        kill_an_export(
            recorded,
            complete,
            tmp_path / str(number),
            chance.choice(["csv", "hdf5", "mcap"]),
            chance.random(),
        )
        for number in range(50)
    ]
    assert sum(killed) >= 40, "most are killed before their end"


@pytest.mark.soak
def test_two_hundred_truncated_run_files_are_readable(recorded: Path, tmp_path: Path) -> None:
    original = recorded.read_bytes()
    chance = random.Random(200)
    path = tmp_path / "cut.mcap"
    read = 0
    with open_run(recorded) as run:
        rows = run.rows(0, len(run))
        first = run.index.blocks[0]
        for _ in range(200):
            cut = chance.randrange(len(original))
            path.write_bytes(original[:cut])
            if cut < first.offset + first.length:
                with pytest.raises(RunFileError):
                    open_run(path)
                continue
            with open_run(path) as part:
                read += 1
                readable = part.rows(0, len(part))
                for name in ("time", "steps", "link_pose", "link_twist", "joint_torque", "energy"):
                    assert np.array_equal(
                        getattr(readable, name), getattr(rows, name)[: len(readable)]
                    ), (
                        cut,
                        name,
                    )
    assert read > 20


@pytest.mark.soak
def test_flipped_bits_of_a_run_file_are_reported(recorded: Path, tmp_path: Path) -> None:
    original = bytearray(recorded.read_bytes())
    chance = random.Random(300)
    path = tmp_path / "bit.mcap"
    with open_run(recorded) as run:
        rows = run.rows(0, len(run))
        scene = run.scene
        changes = run.changes
    refused = 0
    for _ in range(1000):
        # Most of a file is rows; its beginning, which describes them, gets its share.
        at = chance.randrange(len(original) if chance.random() < 0.6 else 20_000)
        bit = 1 << chance.randrange(8)
        original[at] ^= bit
        path.write_bytes(original)
        original[at] ^= bit
        try:
            with open_run(path) as part:
                read = part.rows(0, len(part))
                assert (part.scene, part.changes) == (scene, changes), at
                for name in ("time", "steps", "link_pose", "link_twist", "joint_torque", "energy"):
                    assert np.array_equal(getattr(read, name), getattr(rows, name)[: len(read)]), (
                        at,
                        name,
                    )
        except RunFileError:
            refused += 1
    assert refused


def kill_a_run(folder: Path, size: int) -> None:
    """Kill a run recorded over an earlier one, at some size; the remaining rows are bit-identical."""
    path = folder / "run.mcap"
    folder.mkdir()
    api.simulate(MAIN, 0.2).to_mcap(path)
    before = path.stat().st_ino
    arguments = [
        "run",
        MAIN,
        "--duration",
        "1e6",
        "--mcap",
        str(path),
        "--csv",
        str(folder / "run.csv"),
        "--force",
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "snakestudio", *arguments], stdout=subprocess.DEVNULL
    ) as run:
        grown = grown_to(folder, ".run", 1.0, size)
        while not (grown() or (path.stat().st_ino != before and path.stat().st_size >= size)):
            assert run.poll() is None
            time.sleep(_BRIEFLY_S)
        run.send_signal(signal.SIGKILL)
    assert not (folder / "run.csv").exists()
    with open_run(path) as cut:
        if cut.info.complete:  # the earlier one: the new file had no row yet
            assert cut.times[-1] == 0.2
        alone = api.simulate(MAIN, float(cut.times[-1]))
        for name in ("link_6_x_m", "solver_residual", "joint_3_yaw_torque_nm"):
            assert (api.Run(cut)[name] == alone[name]).all()


def test_killed_run_saves_its_rows(tmp_path: Path) -> None:
    kill_a_run(tmp_path / "run", 100_000)


@pytest.mark.soak
def test_rows_of_twenty_killed_runs_are_correct(tmp_path: Path) -> None:
    chance = random.Random(5)
    for number in range(20):
        kill_a_run(tmp_path / str(number), chance.randrange(2_000_000))


def endless(*arguments: str) -> subprocess.Popen[str]:
    """A run that continues until it is interrupted."""
    all_words = [sys.executable, "-m", "snakestudio", "run", MAIN, "--duration", "1e6", *arguments]
    return subprocess.Popen(all_words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(*runs: subprocess.Popen[str]) -> list[str]:
    """End runs one after the other; return their output."""
    outputs = []
    for run in runs:
        run.send_signal(signal.SIGINT)
        outputs.append(run.communicate()[1])
    return outputs


def amplitude_of(path: Path) -> float:
    """Amplitude, which identifies the runs of these tests."""
    return float(api.prepare(path)[0].gait.amplitude_deg)  # type: ignore[union-attr]


def test_two_runs_to_one_csv_keep_both(tmp_path: Path) -> None:
    csv = tmp_path / "run.csv"
    others = [tmp_path / f"{number}.mcap" for number in range(2)]
    runs = [
        endless(
            "--csv", str(csv), "--mcap", str(other), "--set", f"gait.amplitude_deg={20 + number}"
        )
        for number, other in enumerate(others)
    ]
    for run, other in zip(runs, others, strict=True):
        while not other.exists():
            assert run.poll() is None
            time.sleep(_BRIEFLY_S)
    outputs = ended(*runs)
    assert [run.returncode for run in runs] == [130, 2], outputs
    assert f"{csv}: Another program wrote this file in the meantime" in outputs[1]
    assert "run-2.csv" in outputs[1]
    assert [amplitude_of(tmp_path / name) for name in ("run.csv", "run-2.csv")] == [20, 21]


def test_two_runs_to_one_run_file_keep_both(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    first = endless("--mcap", str(path), "--set", "gait.amplitude_deg=20")
    while not path.exists():
        assert first.poll() is None
        time.sleep(_BRIEFLY_S)
    begun = path.stat().st_ino
    second = endless("--mcap", str(path), "--set", "gait.amplitude_deg=21", "--force")
    while path.stat().st_ino == begun:
        assert second.poll() is None
        time.sleep(_BRIEFLY_S)
    outputs = ended(first, second)
    assert [first.returncode, second.returncode] == [2, 130], outputs
    assert "replaced" in outputs[0]
    assert "run-2.mcap" in outputs[0]
    assert [amplitude_of(tmp_path / name) for name in ("run.mcap", "run-2.mcap")] == [21, 20]
