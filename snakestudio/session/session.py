"""The session: a worker thread that runs the tick at the chosen speed, steered by commands, watched by snapshots.

The window calls its methods from its own thread; each puts a command into a queue and returns at
once. What the worker has to show is published by swapping a reference (`status`, `latest`,
`recording`), so that a reader never waits and never locks. Events, rare by nature, are handed to a
callback on the worker's thread.
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
from snakestudio.plugins.faults import PluginCancelled, cancel, fault_of, running_in
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.engine_compiler import EngineCompiler
from snakestudio.session.pulling import Grip
from snakestudio.session.session_core import SessionCore
from snakestudio.session.status import Event, Status

log = logging.getLogger(__name__)

_PATIENCE_S = 2.0
"""How long the worker has to end before code of a plug-in that keeps it is cancelled, s."""

_REST = 3.0
_LEAST_REST = 0.15
"""Pause after an edit among many: as a multiple of the time that it took, and at least, s (all
plots begin anew)."""


class Session:
    """One scene at a time, simulated in a background thread.

    Parameters
    ----------
    on_event : callable, optional
        Gets every event, on the worker's thread.
    new_run : callable, optional
        Says for every run that begins which run file it shall be recorded to; None if it is not
        kept. Called on the worker's thread, also for runs that never take a step: those leave no
        file.
    preparations : EngineCompiler, optional
        Where engines are prepared.
    """

    def __init__(
        self,
        on_event: Callable[[Event], None] | None = None,
        new_run: Callable[[Scene], Path | None] | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        self.preparations = preparations or EngineCompiler()
        self._conduct = SessionCore(
            on_event or (lambda event: None), new_run or (lambda scene: None), self.preparations
        )
        self._commands = Commands()
        self._closing = False
        self.applied_edits = 0
        self._thread = threading.Thread(target=self._work, name="snakestudio-session", daemon=True)
        self._thread.start()

    @property
    def core(self) -> SessionCore:
        """The session without its thread."""
        return self._conduct

    # --- commands (any thread)

    def open(self, scene: Scene, base_dir: Path | None = None, scene_file: str = "") -> None:
        """Replace the scene, with the name of its file for the recording; the new run stands at t = 0."""
        self._commands.put(lambda: self._conduct.open(scene, base_dir, scene_file))

    def edit(self, scene: Scene) -> int:
        """The scene was edited: at t = 0 the run starts anew, later what can change does so from the next period on.

        Returns
        -------
        int
            Its number: once `applied_edits` is as large, `latest` and `status` know of it. Of edits
            that wait with nothing between them only the last is carried out, for it is all of them.
        """
        return self._commands.put_edit(lambda number: self._carry_out(number, scene))

    def play(self) -> None:
        """Run (on), as soon as the engine is prepared; a finished run goes on for another duration."""
        self._commands.put(self._conduct.play)

    def pause(self) -> None:
        """Stand still at the next period border; what was to run once its engine is prepared does not."""
        self._commands.put(self._conduct.pause)

    def prepare(self) -> None:
        """Prepare the engine again after that was cancelled or failed."""
        self._commands.put(self._conduct.prepare)

    def cancel_preparing(self) -> None:
        """Stop preparing the engine; it stays unprepared until it is asked for, by `play` too."""
        self._commands.put(self._conduct.cancel_preparing)

    def step(self, n_steps: int | None = None) -> None:
        """Take some time steps (a control period if not said how many) and pause."""
        self._commands.put(lambda: self._conduct.step(n_steps))

    def reset(self) -> None:
        """Back to t = 0 with all edits applied."""
        self._commands.put(self._conduct.reset)

    def set_speed(self, speed: float) -> None:
        """Simulated over wall time: 1 is real time, infinite is as fast as possible."""
        self._commands.put(lambda: self._conduct.clock.set_speed(speed, self._conduct.time))

    def pull(self, grip: Grip | None) -> None:
        """Hold a link of the run and draw it somewhere, from the next control period on; None lets go."""
        self._commands.put(lambda: self._conduct.pull(grip))

    def steer(self, command: SteerCommand) -> None:
        """What somebody at the controls wants, from the next control period on; without effect on other controllers."""
        self._commands.put(lambda: self._conduct.steer(command))

    def continue_from(
        self, recording: Recording, time: float, base_dir: Path | None = None, name: str = ""
    ) -> None:
        """Begin a new run with the rows of one called `name` up to `time` (s), and stand there (see `continue_run`)."""
        self._conduct.stop_continuing.clear()
        self._commands.put(lambda: self._conduct.continue_from(recording, time, base_dir, name))

    def write_contact_problem(self, path: Path) -> None:
        """Write the contact problem of the run's last step; waits for it, so not for the window's thread.

        Raises `ExportError` if there is none, or it cannot be written.
        """
        done: Future[None] = Future()

        def carry_out() -> None:
            try:
                self._conduct.write_contact_problem(path)
                done.set_result(None)
            except ExportError as error:
                done.set_exception(error)

        self._commands.put(carry_out)
        done.result()

    def cancel_continuing(self) -> None:
        """Stop going back to a recorded moment: everything stays as it was."""
        self._conduct.stop_continuing.set()

    def reload_plugins(self, scene: Scene) -> None:
        """Go on with `scene`, whose kinds are of plug-ins that were reloaded, as a change that the recording notes."""
        self._commands.put(lambda: self._conduct.reload_plugins(scene))

    @property
    def running_plugin(self) -> str:
        """Name of the plug-in whose code the worker runs at this moment; "" if it runs none."""
        ident = self._thread.ident
        return "" if ident is None else running_in(ident)

    def cancel_plugin(self, timeout: float = 5.0) -> bool:
        """End the code of a plug-in that takes too long: the run is paused (see `plugins.faults.cancel`).

        Returns
        -------
        bool
            Whether the worker has left it within `timeout` (s); compiled code is not ended.
        """
        ident = self._thread.ident
        return ident is None or cancel(ident, timeout)

    def close(self) -> None:
        """End the worker thread, and code of a plug-in that keeps it; returns when it has ended."""
        self._conduct.stop_continuing.set()
        self._commands.put(self._do_close)
        self._thread.join(_PATIENCE_S)
        while self._thread.is_alive() and self.running_plugin:
            if not self.cancel_plugin():
                return  # a daemon thread ends with the program
            self._thread.join(_PATIENCE_S)
        self._thread.join()

    def settle(self, timeout: float = 60.0) -> None:
        """Wait until all commands given so far were carried out (for scripts and tests)."""
        self._commands.put((done := threading.Event()).set)
        if not done.wait(timeout):
            raise TimeoutError("the session did not answer")

    @property
    def status(self) -> Status:
        """How it stands."""
        return self._conduct.status

    @property
    def latest(self) -> Snapshot | None:
        """Newest state of the run."""
        return self._conduct.latest

    @property
    def recording(self) -> RunRecording | None:
        """Of the present run."""
        return self._conduct.recording

    @property
    def speed(self) -> float:
        """Chosen speed."""
        return self._conduct.clock.speed

    @property
    def real_time_factor(self) -> float:
        """Measured simulated over wall time."""
        return self._conduct.clock.real_time_factor

    @property
    def possible_factor(self) -> float:
        """Simulated time over the processor time of the engine: what it could do with nothing beside it."""
        return self._conduct.clock.possible_factor

    # --- the worker

    def _work(self) -> None:
        delay = 0.0
        while not self._closing:
            try:
                self._drain(delay)
                delay = self._conduct.tick()
            except (Exception, PluginCancelled) as error:
                if (fault := fault_of(error)) is not None:
                    self._conduct.plugin_failed(fault)
                    delay = 0.0
                    continue
                if isinstance(error, PluginCancelled):
                    continue  # it came when the worker had just left the plug-in
                # A defect of the program must not leave a dead thread behind a window that looks
                # alive.
                log.exception("the session's worker failed")
                self._conduct.fail(
                    f"Internal error: {error!r}. What was recorded is kept; please report this.",
                    None,
                )
                delay = 0.0

    def _drain(self, delay: float) -> None:
        """Carry out the commands that wait; while standing still, wait for one."""
        idle = self.status.state != "running"
        deadline = time.perf_counter() + (0.05 if idle and self._conduct.preparing else delay)
        while not self._closing:
            wait = deadline - time.perf_counter()
            try:
                waits = idle and not self._conduct.preparing
                command = self._commands.get(None if waits else wait)
                idle = idle and not waits
            except queue.Empty:
                return
            command()

    def _carry_out(self, number: int, scene: Scene) -> None:
        began = time.perf_counter()
        try:
            self._conduct.edit(scene)
        finally:
            self.applied_edits = number
        if self.status.state != "running":
            # While something is dragged, edits come faster than they can be carried out: most of
            # the time is left to those who draw it.
            self._commands.rest(max(_REST * (time.perf_counter() - began), _LEAST_REST))

    def _do_close(self) -> None:
        self._conduct.close()
        self._closing = True


class Commands:
    """Commands from any thread for one worker."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._order, self._urgent = threading.Lock(), threading.Event()
        self._edits = self._last_edit = 0
        self._stale: set[int] = set()

    def put(self, command: Callable[[], None]) -> None:
        """Have something done after everything that waits."""

        def carry_out() -> None:
            self._urgent.clear()
            command()

        with self._order:
            self._last_edit = 0
            self._queue.put(carry_out)
            self._urgent.set()

    def put_edit(self, edit: Callable[[int], None]) -> int:
        """Have an edit carried out, with its number, unless another one takes its place while it waits.

        Returns
        -------
        int
            Its number: edits are counted from 1.
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
        """The next command, for the worker to call.

        Raises `queue.Empty` if there is none.

        Parameters
        ----------
        timeout : float or None
            How long to wait for one, s; None: until there is one.
        """
        return self._queue.get(timeout is None or timeout > 0.0, timeout)

    def rest(self, seconds: float) -> None:
        """Let edits gather for a while; anything else that is put ends it at once."""
        self._urgent.wait(seconds)
