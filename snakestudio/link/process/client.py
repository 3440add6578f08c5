"""The window's access to a link in a separate process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import IO

import numpy as np

from snakestudio.errors import LinkError
from snakestudio.link.bus.frame_log import check_log_path
from snakestudio.link.core.codec import Codec
from snakestudio.link.frame import Frame
from snakestudio.link.messages import (
    AGED,
    CommandKind,
    LinkEvent,
    LinkState,
    ReferenceBlock,
    Telemetry,
    Traffic,
)
from snakestudio.link.process.memory import Segment
from snakestudio.link.process.setup import Setup
from snakestudio.link.process.shared import LinkMemory
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Bus, Profile
from snakestudio.paths import own_program

_ALIVE_S = 0.5
_CLOSE_S = 2.0
_LINE = 4000
"""Longest command, bytes: a pipe accepts it completely or not at all."""
_TRAFFIC = 1000
"""Most frames that wait to be described as text."""
_AT_ONCE = 250
"""Frames that are described as text per call, so that the window does not pause for all that wait."""


class LinkClient:
    """`Link` in a separate process.

    The process is started immediately, and is ready in a second or two; nothing here waits for it.

    Raises `LinkError` if the process cannot be started.

    Parameters
    ----------
    bus : Bus, optional
        Bus to use instead of the profile's.
    log_dir : Path, optional
        Folder for a log of all frames, as ``NAME-DATE-TIME.blf``.
    """

    def __init__(
        self, loaded: LoadedProfile, bus: Bus | None = None, *, log_dir: Path | None = None
    ) -> None:
        profile = loaded.profile if bus is None else loaded.profile.model_copy(update={"bus": bus})
        self._loaded = replace(loaded, profile=profile)
        self._codec = Codec(self._loaded)
        self._log_dir = log_dir
        self._lock = threading.Lock()
        self._number = 0
        self._running_link: _Running | None = None
        self._own_events: list[LinkEvent] = []
        self._waiting: deque[tuple[Frame, bool]] = deque(maxlen=_TRAFFIC)
        self._telemetry = _nothing(profile, "The link's process is starting.")
        self._start()

    @property
    def profile(self) -> Profile:
        """See `Link`."""
        return self._loaded.profile

    @property
    def alive(self) -> bool:
        """See `Link`."""
        return self._running() is not None and time.monotonic() - self.telemetry().time < _ALIVE_S

    @property
    def pid(self) -> int | None:
        """Id of the link's process; None if it has ended."""
        link = self._running_link
        return None if link is None else link.pid

    @property
    def stop_count(self) -> int:
        """See `Link`."""
        link = self._running_link
        return 0 if link is None else link.memory.stops

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        """See `Link`; a process that has ended does not carry out or answer commands.

        Raises `LinkError` if the command is too long for the pipe.
        """
        if kind == "stop":
            return self._request_stop(str(values.get("reason", "Stopped by the operator.")))
        with self._lock:
            return self._write(kind, dict(values))

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """See `Link`."""
        self._request_stop(reason)

    def beat(self) -> None:
        """See `Link`."""
        link = self._running_link
        if link is not None:
            link.memory.beat(time.monotonic())

    def send(self, block: ReferenceBlock) -> None:
        """See `Link`.

        Raises `LinkError` if the block's shape is not that of the profile's axes.
        """
        link = self._running_link
        if link is not None:
            link.memory.send(block)

    def telemetry(self) -> Telemetry:
        """See `Link`."""
        link = self._running_link
        if link is not None:
            new = link.memory.telemetry()
            if new is not None:
                self._telemetry = new
            self._running()
        return self._telemetry

    def events(self) -> list[LinkEvent]:
        """See `Link`."""
        events = list(self._running_link.memory.events()) if self._running_link is not None else []
        self._running()
        own = self._own_events
        self._own_events = []
        return events + own

    def traffic(self) -> list[Traffic]:
        """See `Link`."""
        waiting = self._waiting
        if self._running_link is not None:
            waiting.extend(self._running_link.memory.traffic(_TRAFFIC))
        taken = [waiting.popleft() for _ in range(min(_AT_ONCE, len(waiting)))]
        return [
            Traffic(
                frame.time,
                frame.id,
                frame.extended,
                frame.remote,
                frame.error,
                sent,
                frame.data,
                "" if frame.error else self._codec.text(frame),
            )
            for frame, sent in taken
        ]

    def begin_log(self, path: Path) -> None:
        """See `Link`.

        Raises `LinkError` if the ending is not a log format, or the folder does not exist.
        """
        path = path.absolute()
        check_log_path(path)
        self.command("log", path=str(path))

    def restart(self) -> None:
        """Restart the process after it ended, or instead of one that hangs; no bus is open then.

        Raises `LinkError` if it cannot be started.
        """
        self.close()
        self._telemetry = _nothing(self.profile, "The link's process is starting.")
        self._start()

    def close(self) -> None:
        """See `Link`."""
        link = self._running_link
        if link is None:
            return
        self.stop("The link is closed.")
        with contextlib.suppress(LinkError), self._lock:
            self._write("close", {})
        with self._lock:
            self._running_link = None
        self._waiting.clear()
        last = link.end(_CLOSE_S)
        self._telemetry = _ended(last or self._telemetry, "The link is closed.")

    # ---------------------------------------------------------------------------------- the process

    def _start(self) -> None:
        self._running_link = _Running(self._loaded)
        if self._log_dir is not None:
            self.begin_log(
                self._log_dir
                / f"{_file_name(self.profile.name)}-{time.strftime('%Y%m%d-%H%M%S')}.blf"
            )

    def _running(self) -> _Running | None:
        """Return the process; None if there is none, which is reported once if it ended by itself."""
        link = self._running_link
        if link is None:
            return None
        reason = link.ended()
        if not reason:
            return link
        with self._lock:
            if self._running_link is not link:
                return None
            self._running_link = None
        self._own_events += list(link.memory.events())
        link.end(0.0)
        self._own_events.append(LinkEvent(time.monotonic(), "error", reason, "process"))
        self._telemetry = _ended(self._telemetry, reason)
        return None

    def _request_stop(self, reason: str) -> int:
        with self._lock:
            link = self._running_link
            if link is None:
                return self._number
            request = link.memory.request_stop(reason)
            return self._write("stop", {"reason": reason[:1000], "request": request})

    def _write(self, kind: CommandKind, values: dict[str, str | int | float | bool]) -> int:
        """Write a command to the pipe; called with the lock held."""
        self._number += 1
        if self._running_link is not None:
            values = {"stops": self._running_link.memory.stops} | values
            line = (
                json.dumps({"kind": kind, "number": self._number, "values": values}).encode()
                + b"\n"
            )
            if len(line) > _LINE:
                raise LinkError(f"The command {kind} is too long. Shorten its path or its text.")
            self._running_link.write(line)
        return self._number


class _Running:
    """One life of the process.

    Raises `LinkError` if it cannot be started.
    """

    def __init__(self, loaded: LoadedProfile) -> None:
        self.memory = LinkMemory(len(loaded.profile.axes))
        setup = Setup.to_hand(loaded, self.memory.segment.handle).text().encode()
        handed = Segment.create(len(setup))
        handed.map[:] = setup
        inherited = [
            each.descriptor for each in (handed, self.memory.segment) if each.descriptor is not None
        ]
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        try:
            self._process = subprocess.Popen(
                [*own_program(), "link-worker", handed.handle, str(len(setup))],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=os.environ
                | {"OPENBLAS_NUM_THREADS": "1"},  # the arrays are too small for several threads
                pass_fds=inherited if sys.platform != "win32" else (),
                # A separate session: Ctrl-Z and Ctrl-C in a terminal suspend and end the window, but
                # not the link, which must notice that.
                start_new_session=sys.platform != "win32",
                creationflags=_creation_flags(),
            )
        except OSError as error:
            handed.close()
            self._errors.close()
            self.memory.close()
            raise LinkError(
                f"The link's process cannot be started ({error.strerror}). Close other programs."
            ) from error
        # Mappings stay until no thread uses them any more; that of the setup until the process has
        # read it (Windows discards memory without handles).
        self._handed = handed
        handed.release()
        self.memory.segment.release()
        pipe = self._process.stdin
        assert pipe is not None
        self._pipe = pipe
        with contextlib.suppress(OSError, AttributeError):
            os.set_blocking(pipe.fileno(), False)  # a link that hangs must not hold up the window

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def write(self, line: bytes) -> None:
        """Write a line to its pipe, if the process still reads it."""
        with contextlib.suppress(OSError, ValueError):
            os.write(self._pipe.fileno(), line)

    def ended(self) -> str:
        """Return the message why it ended; "" while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        self._errors.seek(0)
        output = self._errors.read().decode(errors="replace").strip().splitlines()
        # the loader of a bundle prints the last lines
        lines = [line for line in output if not line.startswith("[PYI-")]
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        reason = f": {lines[-1].removeprefix('snakestudio: ')[:200].rstrip('.')}" if lines else ""
        return f"The link's process ended ({how}{reason}). The robot's own watchdog stops it. Restart the link."

    def end(self, timeout: float) -> Telemetry | None:
        """Close its pipe, wait up to `timeout` s, then kill it; return its last telemetry."""
        with contextlib.suppress(OSError):
            self._pipe.close()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
        return self.memory.telemetry()


def _creation_flags() -> int:
    """Return flags for no console window and no Ctrl-C of the window's console; 0 where they do not exist."""
    return int(
        getattr(subprocess, "CREATE_NO_WINDOW", 0)
        | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    )


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name) or "robot"


def _nothing(profile: Profile, reason: str) -> Telemetry:
    """Return the telemetry before the first one of the link."""
    axes = len(profile.axes)
    nodes = len(profile.nodes)
    return Telemetry(
        time=0.0,
        state=LinkState.DISCONNECTED,
        reason=reason,
        not_ready=(reason,),
        confirmed=False,
        says_status=bool(profile.status),
        replay=profile.bus.interface == "replay",
        carried_out=0,
        reference=np.full(axes, np.nan),
        reference_rate=np.full(axes, np.nan),
        angle=np.full(axes, np.nan),
        rate=np.full(axes, np.nan),
        torque=np.full(axes, np.nan),
        current=np.full(axes, np.nan),
        temperature=np.full(axes, np.nan),
        voltage=np.full(axes, np.nan),
        angle_time=np.full(axes, np.nan),
        feedback_rate=np.zeros(axes),
        status=np.full(axes, -1, dtype=np.int64),
        meaning=np.zeros(axes, dtype=np.int8),
        errors=np.zeros(axes, dtype=np.int64),
        heartbeat_time=np.full(nodes, np.nan),
        bus_load=0.0,
        received=0,
        sent=0,
        unknown=0,
        unreadable=0,
        error_frames=0,
        send_errors=0,
        bus_open=False,
        period_mean=np.nan,
        lateness_p99=np.nan,
        gap_max=np.nan,
        skipped=0,
        priority="",
        axis_text=("",) * axes,
        heard_at=np.full((len(AGED), axes), np.nan),
        stale_after=np.full((len(AGED), axes), np.inf),
    )


def _ended(last: Telemetry, reason: str) -> Telemetry:
    """Return the telemetry after the link has ended: no state of the robot; measurements keep their age."""
    return replace(
        last,
        state=LinkState.DISCONNECTED,
        reason=reason,
        not_ready=(reason,),
        confirmed=False,
        bus_open=False,
    )
