"""A disk of two megabytes to run out of, and programs on it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["SMALL_DISK_BYTES", "on_small_disk"]

SMALL_DISK_BYTES = 2 * 1024 * 1024

_ROOT = Path(__file__).resolve().parent.parent


def _own_mounts() -> list[str]:
    """What gives a program mounts of its own: as an administrator, or as one among its own users."""
    for words in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        with tempfile.TemporaryDirectory() as folder:
            mount = [*words, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
            if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
                return words
    raise RuntimeError(
        "nothing can be mounted here, so no disk can run full; allow user namespaces"
    )


def on_small_disk(
    disk: Path, words: Sequence[str], then: str = "true", *, first: str = "true"
) -> subprocess.CompletedProcess[str]:
    """Run `python -m snakestudio` with some words while a folder is a disk of 2 MB, and a shell command there.

    Parameters
    ----------
    disk : Path
        The folder; made if missing, and empty again afterwards.
    words : sequence of str
    then, first : str
        What a shell shall do there afterwards, whatever came out, and before; its output stands
        around the program's.
    """
    disk.mkdir(exist_ok=True)
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    env["PYTHONPATH"] = str(_ROOT)
    program = shlex.join([sys.executable, "-m", "snakestudio", *words])
    here = shlex.quote(str(disk))
    mount = f"mount -t tmpfs -o size={SMALL_DISK_BYTES} tmpfs {here}"
    shell = [
        "sh",
        "-c",
        f"{mount} && cd {here} && {{ {first}; {program}; code=$?; {then}; exit $code; }}",
    ]
    return subprocess.run(
        [*_own_mounts(), *shell], capture_output=True, text=True, env=env, check=False
    )
