"""Outputs replace regular files atomically; links stay links, and devices and pipes are written directly."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from snakestudio.model.atomic import (
    TakenMeanwhileError,
    followed,
    growing,
    replacing,
    write_atomically,
)

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there are no devices, pipes and modes there"
)


def device(folder: Path) -> Path:
    """A device that discards everything, like /dev/null; a pipe if only an administrator can make a device."""
    path = folder / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        os.mkfifo(path)
    return path


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".")]


def test_device_is_not_replaced(tmp_path: Path) -> None:
    path = device(tmp_path)
    before = path.lstat()
    if stat.S_ISFIFO(before.st_mode):
        threading.Thread(target=path.read_bytes).start()
    write_atomically(path, b"lost")
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (
        before.st_ino,
        before.st_mode,
        before.st_rdev,
    )
    assert os.listdir(tmp_path) == ["null"]


def test_pipe_is_written_directly(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    with replacing(path) as partial:
        partial.path.write_bytes(b"all of it" * 100_000)
    reader.join()
    assert got == [b"all of it" * 100_000]
    assert path.is_fifo()


def test_open_file_is_written_in_place(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb", buffering=0) as file:
        file.write(b"before ")
        write_atomically(Path(f"/dev/fd/{file.fileno()}"), b"after")
        (tmp_path / "link").symlink_to(f"/proc/self/fd/{file.fileno()}")
        write_atomically(tmp_path / "link", b" and on")
    assert (tmp_path / "log").read_bytes() == b"before after and on"


@pytest.mark.parametrize("write", [replacing, growing])
def test_early_signal_leaves_no_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], contextlib.AbstractContextManager[object]],
) -> None:
    real = os.open

    def interrupted(path: str | Path, flags: int, *others: int) -> int:
        handle = real(path, flags, *others)
        if flags & os.O_CREAT:
            os.close(handle)
            raise KeyboardInterrupt
        return handle

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), write(tmp_path / "run.csv"):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("exists", [True, False])
def test_link_stays_and_its_target_is_replaced(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "far").mkdir()
    real = tmp_path / "far" / "real.csv"
    link = tmp_path / "link.csv"
    if exists:
        real.write_bytes(b"old")
    (tmp_path / "far" / "middle.csv").symlink_to("real.csv")
    link.symlink_to("far/middle.csv")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert not real.is_symlink()
    assert leftovers(tmp_path) == leftovers(tmp_path / "far") == []


def test_circular_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        write_atomically(tmp_path / "a", b"")


def test_mode_of_a_replaced_file_is_preserved(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"")
    old.chmod(0o640)
    write_atomically(old, b"1")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        write_atomically(new, b"1")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def test_failed_write_leaves_only_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with contextlib.suppress(RuntimeError), replacing(path) as partial:
        partial.path.write_bytes(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 120 + ".csv")
    write_atomically(path, b"1")
    assert path.read_bytes() == b"1"


@pytest.mark.parametrize("exists", [True, False])
def test_file_of_another_program_is_not_overwritten(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "run.csv"
    if exists:
        path.write_bytes(b"old")
        os.utime(path, ns=(1, 1))

    def write() -> None:
        with replacing(path) as partial:
            partial.path.write_bytes(b"ours")
            path.write_bytes(b"theirs")

    with pytest.raises(TakenMeanwhileError) as caught:
        write()
    assert path.read_bytes() == b"theirs"
    assert caught.value.saved == tmp_path / "run-2.csv"
    assert caught.value.saved.read_bytes() == b"ours"
    assert leftovers(tmp_path) == []


def test_growing_file_gets_its_name_with_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"old")
    with path.open("rb") as old:
        with growing(path) as (_, file):
            file.write(b"new")
            assert path.read_bytes() == b"old"
        file.write(b"er")
        file.close()
        assert old.read() == b"old"
    assert path.read_bytes() == b"newer"
    with pytest.raises(RuntimeError), growing(path):
        raise RuntimeError
    assert path.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["run.mcap"]


def test_unreadable_target_refuses_a_growing_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"), growing(device(tmp_path)):
        pass
    assert followed(tmp_path / "null") is None


def test_leftovers_are_removed_and_active_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    dead, other, young = (
        tmp_path / name
        for name in (".run.partial-x.csv", ".runs.partial-x.csv", ".run.partial-y.csv")
    )
    for left in (dead, other, young):
        left.write_bytes(b"half")
    with replacing(path) as living:
        for old in (dead, other, living.path):
            os.utime(old, (1, 1))
        with contextlib.suppress(TakenMeanwhileError), replacing(path) as second:
            second.path.write_bytes(b"whole")
        assert living.path.exists()
        living.keep = False
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, young.name, "run.csv"])
