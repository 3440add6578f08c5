"""How every output of the program comes to its file: whole or not at all, and nothing but plain files is ever replaced.

A plain file is written beside its name, brought to the disk and renamed, so that whoever reads it,
at whatever moment, finds the old one or the new one. A link stays a link: what it points to is
replaced. Devices, pipes and the standard output are written through.
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
"""What the command line makes of ``-``."""

_MOST_LINKS = 40

_OPEN_FILES = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")

_SURELY_DEAD_S = 60.0
"""Age of a file that is being written, and that nobody marks as his, from which on it is nobody's,
s."""

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EXDEV, errno.EMLINK)
"""What a file system says that has no second names for a file."""


class TakenMeanwhileError(OSError):
    """Another program wrote the same file while this one did; both are kept.

    Attributes
    ----------
    kept : Path
        What was written here.
    """

    def __init__(self, path: Path, kept: Path) -> None:
        super().__init__(
            errno.EEXIST, f"another program wrote {path.name} meanwhile; this one is kept as {kept}"
        )
        self.kept = kept


class Identity(NamedTuple):
    """Which file stood under a name, and when it was written."""

    device: int
    inode: int
    changed: int


@dataclass
class Partial:
    """A file being written: `path` is where to, `keep` whether it shall get its name in the end."""

    path: Path
    keep: bool = True


def identity(path: Path) -> Identity | None:
    """Which plain file stands under a name, links followed; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (
        Identity(found.st_dev, found.st_ino, found.st_mtime_ns)
        if stat.S_ISREG(found.st_mode)
        else None
    )


def free_name(path: Path) -> Path:
    """A name beside `path` that nothing has: ``run-2.csv`` of ``run.csv``."""
    number = 2
    while os.path.lexists(free := path.with_name(f"{path.stem}-{number}{path.suffix}")):
        number += 1
    return free


def _end(path: Path) -> Path | int:
    """What stands at the end of all links: a name, or the number of a file that this process has open."""
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
    """Name of the plain file that stands or will stand at the end of `path`; None of what must be written through.

    Raises `OSError` if it is a folder, links lead in a circle, or a file there is write-protected,
    which replacing it would get round.
    """
    at = _end(path)
    if isinstance(at, int):
        return None
    try:
        mode = os.stat(at).st_mode
    except FileNotFoundError:
        return at
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "this is a folder; give a file name", str(path))
    if not os.access(at, os.W_OK):
        raise PermissionError(errno.EACCES, "write-protected", str(path))
    return at if stat.S_ISREG(mode) else None


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`; rights of the file it replaces stay.

    Raises `OSError` if it cannot be written; what was there is untouched then.
    """
    with replacing(path, alone=True) as partial:
        partial.path.write_bytes(data)


@contextlib.contextmanager
def replacing(path: Path, *, alone: bool = False) -> Iterator[Partial]:
    """Give a temporary name to write to, which becomes `path` if the block ends well.

    Raises `TakenMeanwhileError` if another program wrote the file meanwhile. Raises `OSError` if it
    cannot be written; what was there is untouched then.

    Parameters
    ----------
    alone : bool
        Whether what another program writes there meanwhile is replaced: it is not looked for.
    """
    target = followed(path)
    before = identity(target) if target is not None else None
    if target is not None and not alone:
        _remove_dead(target)
    partial = Partial(_beside(target) if target is not None else _apart(path))
    try:
        with _alive(_made(partial.path)):
            yield partial
        if not partial.keep:
            return
        if target is None:
            _copy_through(partial.path, path)
        else:
            _bring_to_disk(partial.path)
            _take_over_rights(partial.path, target)
            _name(partial.path, target, before, path, alone=alone)
            _bring_to_disk(target.parent)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(partial.path)


@contextlib.contextmanager
def growing(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file that is written, and read, while it grows: it gets the name `path` when the block ends well.

    It stays open then; where the block ends with an exception, it is closed and gone. What stood
    there before keeps its contents for whoever has it open.

    Raises `OSError` if it cannot be made, or is none that could be read back.
    """
    target = followed(path)
    if target is None:
        raise OSError(
            errno.EINVAL, "this is no plain file, and a run is read back while it is written"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    name = _beside(target)
    file: BinaryIO | None = None
    try:
        file = os.fdopen(_made(name), "wb", buffering=0)
        yield name, file
        _take_over_rights(name, target)
        os.replace(name, target)
    except BaseException:
        if file is not None:
            file.close()
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def roomy_folder() -> str | None:
    """Where long temporary files go: /tmp often lies in memory, /var/tmp does not; TMPDIR overrides both."""
    if "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return None


def _beside(target: Path) -> Path:
    """A name of its own beside a file; its ending is the same, for it says what is to be written."""
    return target.parent / f"{_prefix(target)}{secrets.token_hex(8)}{target.suffix}"


def _apart(path: Path) -> Path:
    """The same for what will be written through: in the folder of a device nothing is made."""
    return (
        Path(roomy_folder() or tempfile.gettempdir())
        / f"snakestudio-{secrets.token_hex(8)}{path.suffix}"
    )


def _made(name: Path) -> int:
    """A new file that only its owner reads.

    Its name is known before it is there, unlike with tempfile: whoever is interrupted right then
    can remove it.
    """
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


def _prefix(target: Path) -> str:
    return f".{target.stem[:40]}.partial-"


@contextlib.contextmanager
def _alive(handle: int) -> Iterator[None]:
    """While this lasts, and the program lives, a file is known as being written; the handle is closed."""
    try:
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # not all file systems know locks
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_dead(target: Path) -> None:
    """Remove what programs that were killed left when they wrote the same file: a video may take all of a disk."""
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


def _take_over_rights(new: Path, target: Path) -> None:
    """Give a new file mode and owner of the one it replaces, or what a new one has."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(new, 0o666 & ~umask)
        return
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only an administrator can
            os.chown(new, old.st_uid, old.st_gid)
    os.chmod(new, stat.S_IMODE(old.st_mode))


def _name(new: Path, target: Path, before: Identity | None, path: Path, *, alone: bool) -> None:
    """Rename `new`, which is whole; what another program made of the name since is not replaced."""
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
            kept = free_name(target)
            os.replace(new, kept)
            raise TakenMeanwhileError(path, kept)
    os.replace(new, target)


def _bring_to_disk(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # folders that cannot be listed, or of systems that do not open any
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in (
            errno.EIO,
            errno.ENOSPC,
            errno.EDQUOT,
        ):  # others: this file system has none for folders
            raise
    finally:
        os.close(handle)


def _copy_through(source: Path, path: Path) -> None:
    """Write a file into a device, a pipe or an open file; opening a pipe waits for who reads it."""
    end = _end(path)
    handle = os.dup(end) if isinstance(end, int) else os.open(end, os.O_WRONLY)
    with source.open("rb") as whole, os.fdopen(handle, "wb", buffering=0) as sink:
        while piece := whole.read(1 << 20):
            view = memoryview(piece)
            while len(view):
                view = view[sink.write(view) :]
