"""Session: a worker thread that runs the tick at the chosen speed, with commands in and snapshots out.

The window calls its methods from its own thread; each puts a command into a queue and returns
immediately. The worker publishes results by swapping references (`status`, `latest`, `recording`),
so that readers need no lock. Events, which are rare, are passed to a callback on the worker's
thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from snakestudio.errors import ExportError
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.plugins.faults import fault_of
from snakestudio.plugins.surroundings import join
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.session.pulling import Grip
from snakestudio.session.session_core import SessionCore
from snakestudio.session.status import Event, Status

log = logging.getLogger(__name__)

_REST = 3.0
_LEAST_REST = 0.15
"""Pause after each of many edits: as a multiple of its duration, and at least, s (all plots restart)."""


class Session:
    """One scene at a time, simulated in a background thread.

    Parameters
    ----------
    on_event : callable, optional
        Receives every event, on the worker's thread.
    new_run : callable, optional
        Returns the run file for each new run, or None if it is not saved. Called on the worker's thread,
        even for runs that never take a step, which leave no file.
    preparations : EngineCompiler, optional
        Preparations of engines.
    """

    def __init__(
        self,
        on_event: Callable[[Event], None] | None = None,
        new_run: Callable[[Scene], Path | None] | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        self.preparations = preparations or EngineCompiler()
        self._core = SessionCore(
            on_event or (lambda event: None), new_run or (lambda scene: None), self.preparations
        )
        self._commands = Commands()
        self._closing = False
        self.applied_edits = 0
        self._thread = threading.Thread(target=self._work, name="snakestudio-session", daemon=True)
        self._thread.start()

    @property
    def core(self) -> SessionCore:
        """Session without its thread."""
        return self._core

    # --- commands (any thread)

    def open(self, scene: Scene, base_dir: Path | None = None, scene_file: str = "") -> None:
        """Replace the scene, with the name of its file for the recording; the new run is at t = 0."""
        self._commands.put(lambda: self._core.open(scene, base_dir, scene_file))

    def edit(self, scene: Scene) -> int:
        """Apply an edited scene: at t = 0 the run restarts; later, values that can change do so from the next period.

        Returns
        -------
        int
            Number of the edit; once `applied_edits` reaches it, `latest` and `status` include it.
            Of consecutive waiting edits only the last is applied, because it includes all of them.
        """
        return self._commands.put_edit(lambda number: self._carry_out(number, scene))

    def play(self) -> None:
        """Start or resume the run once the engine is prepared; a finished run continues for another duration."""
        self._commands.put(self._core.play)

    def pause(self) -> None:
        """Pause at the next period border, and cancel a pending start."""
        self._core.interrupt()
        self._commands.put(self._core.pause)

    def prepare(self) -> None:
        """Prepare the engine again after a cancellation or failure."""
        self._commands.put(self._core.prepare)

    def cancel_preparing(self) -> None:
        """Cancel preparing the engine, until `prepare` or `play` is called."""
        self._commands.put(self._core.cancel_preparing)

    def step(self, n_steps: int | None = None) -> None:
        """Take some time steps (a control period if omitted) and pause."""
        self._commands.put(lambda: self._core.step(n_steps))

    def reset(self) -> None:
        """Return to t = 0 with all edits applied."""
        self._commands.put(self._core.reset)

    def set_speed(self, speed: float) -> None:
        """Set the ratio of simulated time to wall time; 1 is real time, infinite is as fast as possible."""
        self._commands.put(lambda: self._core.clock.set_speed(speed, self._core.time))

    def pull(self, grip: Grip | None) -> None:
        """Pull a link of the robot from the next control period; None releases it."""
        self._commands.put(lambda: self._core.pull(grip))

    def steer(self, command: SteerCommand) -> None:
        """Apply an operator's command from the next control period; it has no effect on other controllers."""
        self._commands.put(lambda: self._core.steer(command))

    def continue_from(
        self, recording: Recording, time: float, base_dir: Path | None = None, name: str = ""
    ) -> None:
        """Start a new run with the rows of the run `name` up to `time` (s), paused there (see `continue_run`)."""
        self._core.stop_continuing.clear()
        self._commands.put(lambda: self._core.continue_from(recording, time, base_dir, name))

    def write_contact_problem(self, path: Path) -> None:
        """Write the contact problem of the last step; this waits, so it must not be called on the window's thread.

        Raises `ExportError` if there is none. Raises `OSError` if it cannot be written; see `write_as`.
        """
        done: Future[None] = Future()

        def carry_out() -> None:
            try:
                self._core.write_contact_problem(path)
                done.set_result(None)
            except (ExportError, OSError) as error:
                done.set_exception(error)

        self._commands.put(carry_out)
        done.result()

    def cancel_continuing(self) -> None:
        """Cancel continuing from a recorded time; everything remains unchanged."""
        self._core.stop_continuing.set()

    def reload_plugins(self, scene: Scene) -> None:
        """Continue with `scene`, whose kinds are from reloaded plug-ins; the recording has an event for it."""
        self._commands.put(lambda: self._core.reload_plugins(scene))

    def close(self) -> None:
        """End the worker thread, and wait for its end unless a plug-in does not return."""
        self._core.stop_continuing.set()
        self._core.interrupt()
        self._commands.put(self._do_close)
        join(self._thread)

    def settle(self, timeout: float = 60.0) -> None:
        """Wait until all commands so far are executed (for scripts and tests)."""
        self._commands.put((done := threading.Event()).set)
        if not done.wait(timeout):
            raise TimeoutError("the session did not respond")

    @property
    def status(self) -> Status:
        """Current status."""
        return self._core.status

    @property
    def latest(self) -> Snapshot | None:
        """Newest state of the run."""
        return self._core.latest

    @property
    def recording(self) -> RunRecording | None:
        """Recording of the current run."""
        return self._core.recording

    @property
    def speed(self) -> float:
        """Chosen ratio of simulated time to wall time."""
        return self._core.clock.speed

    @property
    def real_time_factor(self) -> float:
        """Measured ratio of simulated time to wall time."""
        return self._core.clock.real_time_factor

    @property
    def possible_factor(self) -> float:
        """Ratio of simulated time to processor time of the engine, the factor possible without other load."""
        return self._core.clock.possible_factor

    # --- the worker

    def _work(self) -> None:
        delay = 0.0
        while not self._closing:
            try:
                self._drain(delay)
                delay = self._core.tick()
            except Exception as error:
                if (fault := fault_of(error)) is not None:
                    self._core.plugin_failed(fault)
                    delay = 0.0
                    continue
                # An internal error must not leave a dead thread behind a window that seems to
                # work.
                log.exception("the session's worker failed")
                self._core.fail(
                    f"Internal error: {error!r}. The recording is saved. Please report this.",
                    None,
                )
                delay = 0.0

    def _drain(self, delay: float) -> None:
        """Execute the waiting commands; while paused, wait for one."""
        idle = self.status.state != "running"
        deadline = time.perf_counter() + (0.05 if idle and self._core.preparing else delay)
        while not self._closing:
            wait = deadline - time.perf_counter()
            try:
                waits = idle and not self._core.preparing
                command = self._commands.get(None if waits else wait)
                idle = idle and not waits
            except queue.Empty:
                return
            command()

    def _carry_out(self, number: int, scene: Scene) -> None:
        began = time.perf_counter()
        try:
            self._core.edit(scene)
        finally:
            self.applied_edits = number
        if self.status.state != "running":
            # During a drag, edits arrive faster than they can be applied, so most of the time is
            # left to drawing.
            self._commands.rest(max(_REST * (time.perf_counter() - began), _LEAST_REST))

    def _do_close(self) -> None:
        self._core.close()
        self._closing = True


class Commands:
    """Queue of commands from any thread for one worker."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._order, self._urgent = threading.Lock(), threading.Event()
        self._edits = self._last_edit = 0
        self._stale: set[int] = set()

    def put(self, command: Callable[[], None]) -> None:
        """Add a command after all waiting ones."""

        def carry_out() -> None:
            self._urgent.clear()
            command()

        with self._order:
            self._last_edit = 0
            self._queue.put(carry_out)
            self._urgent.set()

    def put_edit(self, edit: Callable[[int], None]) -> int:
        """Add an edit with its number, unless a later one replaces it while it waits.

        Returns
        -------
        int
            Number of the edit, counted from 1.
        """
        with self._order:
            if self._last_edit:
                self._stale.add(self._last_edit)
            self._edits += 1
            number = self._last_edit = self._edits
            self._queue.put(lambda: self._carry_out(number, edit))
        return number

    def _carry_out(self, number: int, edit: Callable[[int], None]) -> None:
        if number in self._stale:
            self._stale.discard(number)
        else:
            edit(number)

    def get(self, timeout: float | None) -> Callable[[], None]:
        """Return the next command, which the worker calls.

        Raises `queue.Empty` if there is none.

        Parameters
        ----------
        timeout : float or None
            Longest time to wait for one, s; None for no limit.
        """
        return self._queue.get(timeout is None or timeout > 0.0, timeout)

    def rest(self, seconds: float) -> None:
        """Collect edits for a while; any other command ends this immediately."""
        self._urgent.wait(seconds)
