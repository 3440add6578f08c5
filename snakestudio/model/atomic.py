"""Atomic output: every file of the program appears completely or not at all, and only regular files are replaced.

A regular file is written next to its final name, flushed to disk and renamed, so that readers always
see the old or the new file. Links remain links: their target is replaced. Devices, pipes and the
standard output are written directly.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

if sys.platform != "win32":
    import fcntl

STDOUT = Path("/dev/stdout")
"""Path for ``-`` on the command line."""

_MOST_LINKS = 40

_OPEN_FILES = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")

_SURELY_DEAD_S = 60.0
"""Age after which an unfinished file without a lock is abandoned, s."""


_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EXDEV, errno.EMLINK)
"""Errors of file systems without hard links."""


class TakenMeanwhileError(OSError):
    """Another program wrote the same file at the same time; both versions are saved.

    Attributes
    ----------
    kept : Path
        Path of the file written here.
    """

    def __init__(self, path: Path, saved: Path) -> None:
        super().__init__(
            errno.EEXIST,
            f"another program wrote {path.name} at the same time; this version is saved as {saved}",
        )
        self.saved = saved


class Identity(NamedTuple):
    """Identity of a file, and its modification time."""

    device: int
    inode: int
    changed: int


@dataclass
class PartialFile:
    """Unfinished file: `path` is its location, `keep` whether it is renamed at the end."""

    path: Path
    keep: bool = True


def identity(path: Path) -> Identity | None:
    """Return the identity of the regular file at a path, with links followed, or None."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (
        Identity(status.st_dev, status.st_ino, status.st_mtime_ns)
        if stat.S_ISREG(status.st_mode)
        else None
    )


def free_name(path: Path) -> Path:
    """Return the unused name next to `path`: ``run-2.csv`` for ``run.csv``."""
    number = 2
    while os.path.lexists(free := path.with_name(f"{path.stem}-{number}{path.suffix}")):
        number += 1
    return free


def _end(path: Path) -> Path | int:
    """Return the target of all links: a path, or the number of a file that this process has open."""
    at = path if path == STDOUT else Path(os.path.abspath(path))
    for _ in range(_MOST_LINKS):
        if at == STDOUT:
            return 1
        if at.name.isdecimal() and str(at.parent) in (*_OPEN_FILES, f"/proc/{os.getpid()}/fd"):
            return int(at.name)
        if not at.is_symlink():
            return at
        at = Path(os.path.normpath(os.path.join(os.path.realpath(at.parent), os.readlink(at))))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def followed(path: Path) -> Path | None:
    """Return the path of the existing or future regular file at the end of `path`; None if it must be written directly.

    Raises `OSError` if it is a folder, links are circular, or the file is write-protected, which
    replacing would bypass.
    """
    at = _end(path)
    if isinstance(at, int):
        return None
    try:
        mode = os.stat(at).st_mode
    except FileNotFoundError:
        return at
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "this is a folder; choose a file name", str(path))
    if not os.access(at, os.W_OK):
        raise PermissionError(errno.EACCES, "write-protected", str(path))
    return at if stat.S_ISREG(mode) else None


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`; permissions of the replaced file are preserved.

    Raises `OSError` if it cannot be written; the old file is unchanged then.
    """
    with replacing(path, alone=True) as partial:
        partial.path.write_bytes(data)


@contextlib.contextmanager
def replacing(path: Path, *, alone: bool = False) -> Iterator[PartialFile]:
    """Provide a temporary file that becomes `path` if the block succeeds.

    Raises `TakenMeanwhileError` if another program wrote the file at the same time. Raises `OSError` if
    it cannot be written; the old file is unchanged then.

    Parameters
    ----------
    alone : bool
        Whether to overwrite concurrent changes of other programs without checking.
    """
    target = followed(path)
    before = identity(target) if target is not None else None
    if target is not None and not alone:
        _remove_dead(target)
    partial = PartialFile(_sibling(target) if target is not None else _apart(path))
    try:
        with _alive(_create(partial.path)):
            yield partial
        if not partial.keep:
            return
        if target is None:
            _copy_through(partial.path, path)
        else:
            _bring_to_disk(partial.path)
            _copy_rights(partial.path, target)
            _name(partial.path, target, before, path, alone=alone)
            _bring_to_disk(target.parent)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(partial.path)


@contextlib.contextmanager
def growing(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """New file that is written and read while it grows; it is renamed to `path` if the block succeeds.

    It stays open then; if the block fails, it is closed and removed. Programs that have the old file at
    `path` open keep its contents.

    Raises `OSError` if it cannot be created, or could not be read back.
    """
    target = followed(path)
    if target is None:
        raise OSError(
            errno.EINVAL, "this is not a regular file, but a run is read back while it is written"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    name = _sibling(target)
    file: BinaryIO | None = None
    try:
        file = os.fdopen(_create(name), "wb", buffering=0)
        yield name, file
        _copy_rights(name, target)
        os.replace(name, target)
    except BaseException:
        if file is not None:
            file.close()
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def roomy_folder() -> str | None:
    """Return the folder for large temporary files: /tmp is often in memory, /var/tmp is not; TMPDIR overrides both."""
    if "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return None


def _sibling(target: Path) -> Path:
    """Return the unique name next to a file, with the same suffix, because it determines the format."""
    return target.parent / f"{_prefix(target)}{secrets.token_hex(8)}{target.suffix}"


def _apart(path: Path) -> Path:
    """Unique temporary name for a target that is written directly: the folder of a device is not writable."""
    return (
        Path(roomy_folder() or tempfile.gettempdir())
        / f"snakestudio-{secrets.token_hex(8)}{path.suffix}"
    )


def _create(name: Path) -> int:
    """Return the new file that only its owner can read.

    Unlike with tempfile, its name is known before it exists, so that an interrupted caller can remove
    it.
    """
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


def _prefix(target: Path) -> str:
    return f".{target.stem[:40]}.partial-"


@contextlib.contextmanager
def _alive(handle: int) -> Iterator[None]:
    """Lock the file of `handle`, which marks it as being written until the block or the program ends; then close it."""
    try:
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # some file systems do not support locks
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_dead(target: Path) -> None:
    """Remove unfinished versions of the same file that killed programs left: a video can fill a disk."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(_prefix(target)) and entry.name.endswith(target.suffix)):
                continue
            with contextlib.suppress(OSError):
                if entry.is_symlink() or time.time() - entry.stat().st_mtime < _SURELY_DEAD_S:
                    continue
                handle = os.open(entry.path, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(entry.path)
                finally:
                    os.close(handle)


def _copy_rights(new: Path, target: Path) -> None:
    """Set mode and owner of a new file to those of the file it replaces, or to the defaults."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(new, 0o666 & ~umask)
        return
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # requires administrator rights
            os.chown(new, old.st_uid, old.st_gid)
    os.chmod(new, stat.S_IMODE(old.st_mode))


def _name(new: Path, target: Path, before: Identity | None, path: Path, *, alone: bool) -> None:
    """Rename the complete file `new`; changes of other programs under that name are not overwritten."""
    if not alone:
        if before is None:
            try:
                os.link(new, target)
            except FileExistsError:
                pass
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                os.replace(new, target)
                return
            else:
                return
        if identity(target) not in (before, None):
            spare = free_name(target)
            os.replace(new, spare)
            raise TakenMeanwhileError(path, spare)
    os.replace(new, target)


def _bring_to_disk(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # folders that cannot be listed, or systems that cannot open folders
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in (
            errno.EIO,
            errno.ENOSPC,
            errno.EDQUOT,
        ):  # other errors: the file system does not support it for folders
            raise
    finally:
        os.close(handle)


def _copy_through(source: Path, path: Path) -> None:
    """Write a file to a device, a pipe or an open file; opening a pipe waits for its reader."""
    end = _end(path)
    handle = os.dup(end) if isinstance(end, int) else os.open(end, os.O_WRONLY)
    with source.open("rb") as content, os.fdopen(handle, "wb", buffering=0) as sink:
        while piece := content.read(1 << 20):
            view = memoryview(piece)
            while len(view):
                view = view[sink.write(view) :]
