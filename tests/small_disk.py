"""A disk of two megabytes that fills up, and programs that write to it."""

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
    """Return the command that gives a program a mount namespace, as root or in a user namespace."""
    for command in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        with tempfile.TemporaryDirectory() as folder:
            mount = [*command, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
            if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
                return command
    raise RuntimeError(
        "nothing can be mounted here, so no disk can run full; allow user namespaces"
    )


def on_small_disk(
    disk: Path, arguments: Sequence[str], then: str = "true", *, first: str = "true"
) -> subprocess.CompletedProcess[str]:
    """Run `python -m snakestudio` while a folder is a disk of 2 MB, and shell commands before and after it.

    Parameters
    ----------
    disk : Path
        The folder; created if missing, and empty again afterwards.
    arguments : sequence of str
    then, first : str
        Shell commands after the program, regardless of its result, and before it; the output of the
        three is in this order.
    """
    disk.mkdir(exist_ok=True)
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    env["PYTHONPATH"] = str(_ROOT)
    program = shlex.join([sys.executable, "-m", "snakestudio", *arguments])
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
