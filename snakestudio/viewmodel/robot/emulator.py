"""Emulated robot in a child process of the window, on a local bus, which ends with the window."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
from pathlib import Path

from snakestudio.errors import LinkError
from snakestudio.link.profile.schema import Bus
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.paths import own_program

_WAIT_S = 2.0


class EmulatedRobot:
    """Process of `snakestudio emulate` on UDP multicast.

    Raises `LinkError` if it cannot be started.

    Parameters
    ----------
    scene : Scene or None
        Scene in which it moves, with a stream of its poses; if None, only its joints move.
    base_dir : Path or None
        Folder that file names in the scene are relative to.

    Attributes
    ----------
    pose : str
        Local UDP port that receives its poses; "" if there are none.
    """

    def __init__(self, profile: Path, scene: Scene | None, base_dir: Path | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="snakestudio-robot-")
        self._errors = Path(self._folder.name, "errors.txt")
        # A separate group and port, because robots of two windows must not interfere.
        self.channel = f"239.74.{163 + os.getpid() % 50}.{1 + os.getpid() // 50 % 250}"
        self.port = _free_port()
        self.pose = "" if scene is None else str(_free_port())
        command = [
            *own_program(),
            "emulate",
            str(profile),
            "--interface",
            "udp_multicast",
            "--channel",
            self.channel,
            "--port",
            str(self.port),
            "--until-eof",
        ]
        if scene is not None:
            path = Path(self._folder.name, "scene.toml")
            path.write_text(dump_scene(scene), encoding="utf-8")
            command += ["--scene", str(path), "--pose", f"127.0.0.1:{self.pose}"]
        try:
            with self._errors.open("wb") as errors:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    cwd=base_dir,
                )
        except OSError as error:
            self._folder.cleanup()
            raise LinkError(
                f"The emulated robot could not be started ({error.strerror or error})."
            ) from error

    def bus(self, bus: Bus) -> Bus:
        """Return the bus of the profile, redirected to this robot."""
        return bus.model_copy(
            update={
                "interface": "udp_multicast",
                "channel": self.channel,
                "options": {"port": self.port},
            }
        )

    @property
    def ended(self) -> str:
        """Return the reason why it ended unexpectedly, as a sentence; empty while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        with contextlib.suppress(OSError):
            lines = self._errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines:
                return f"The emulated robot ended: {lines[-1].removeprefix('snakestudio: ')}"
        return f"The emulated robot ended with exit code {code}."

    def send(self, line: str) -> None:
        """Send a command: `fault KIND [NODE]`, `clear` or `quit`."""
        stdin = self._process.stdin
        if stdin is not None and self._process.poll() is None:
            with contextlib.suppress(OSError):
                stdin.write(f"{line}\n".encode())
                stdin.flush()

    def close(self) -> None:
        """End the process."""
        self.send("quit")
        stdin = self._process.stdin
        if stdin is not None:
            with contextlib.suppress(OSError):
                stdin.close()
        try:
            self._process.wait(_WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
