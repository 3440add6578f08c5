"""The tick: an engine takes steps under references, and a log records its rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller
from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine, SetPoints, StepReport
from snakestudio.model.recording import Schema
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.states import encode
from snakestudio.session.progress import Progress
from snakestudio.session.reference_feed import ReferenceFeed, try_reference
from snakestudio.session.run_log import RowLog
from snakestudio.session.run_schema import with_channels

Sink = Callable[[Reference], None]


class EngineLoop:
    """Engine of a scene under given references or set-points, with a log of its rows; not thread-safe.

    Raises `SceneError` with all reasons if the scene cannot run.

    Parameters
    ----------
    base_dir : Path or None
        Folder of the relative paths in the scene.
    checked : bool
        Whether `scene_check.check` has just passed without errors.
    timed : bool
        Whether to measure `engine_seconds`, which takes as long as a step of a small robot.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        *,
        checked: bool = False,
        timed: bool = False,
    ) -> None:
        self.engine: Engine = engines.create(scene, base_dir, checked=checked)
        self.log: RowLog | None = None
        """Log of the rows; None if they are not recorded."""
        self.engine_seconds = 0.0
        """Processor time of `follow` so far, s."""
        self._clock = time.thread_time if timed else _no_time

    @property
    def schema(self) -> Schema:
        """Columns of the rows."""
        return self.engine.schema

    def present_values(self) -> FloatArray:
        """Return the values of a controller in a row of the present state, (channels,)."""
        return self._no_values()

    def record_present(self) -> FloatArray:
        """Record the row of the present state; return the values of a controller in it, (channels,)."""
        assert self.log is not None
        values = self.present_values()
        self.log.add_present(self.engine.initial_rows(), values)
        return values

    def hold(self, n_steps: int, angle: SetPoints, rate: SetPoints, torque: SetPoints) -> str:
        """Take steps under constant set-points, which do not come from a controller; see `Engine.hold`."""
        log = self.log
        if log is None:
            return self.engine.hold(n_steps, angle, rate, torque)
        log.record_driven(self.engine.time)
        rows = log.due(self.engine.step_count + n_steps)
        message = self.engine.hold(n_steps, angle, rate, torque, rows)
        self._record(message, self._no_values)
        return message

    def follow(
        self, reference: Reference, n_steps: int, *, extends: bool = False, last: bool = False
    ) -> StepReport:
        """Take steps under a reference, which must cover them.

        Parameters
        ----------
        extends : bool
            Whether the next snapshot shows means over the previous call, too.
        last : bool
            Whether the last step has a row in any case.
        """
        engine = self.engine
        log = self.log
        take_steps = engine.resume if extends else engine.advance
        rows = () if log is None else log.due(engine.step_count + n_steps, last=last)
        started = self._clock()
        report = take_steps(reference, n_steps, rows)
        self.engine_seconds += self._clock() - started
        if log is not None:
            self._record(report.message, self._values)
        return report

    def _record(self, message: str, values: Callable[[], FloatArray]) -> None:
        """Add values to the rows that the engine has just written, and record a failure if there is a message."""
        log = self.log
        assert log is not None
        log.add(values)
        if message:
            log.record_fault(self.engine.time, message)

    def _values(self) -> FloatArray:
        return self._no_values()

    def _no_values(self) -> FloatArray:
        """Return the values of a controller in rows under other references than its own, (channels,)."""
        return np.zeros(0)


class ControlLoop(EngineLoop):
    """Engine and controller of a scene, with a log of the rows; see `EngineLoop`.

    Parameters
    ----------
    sinks : callables
        Functions that receive each block of references, such as the CAN link.
    steered : bool
        Whether operators can steer; see `ReferenceFeed`.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        sinks: Sequence[Sink] = (),
        *,
        steered: bool = True,
        checked: bool = False,
        timed: bool = False,
    ) -> None:
        # The controller first, because it checks the strain law and contacts of a body for the
        # engine.
        controller = controllers.create(scene, base_dir, checked=checked)
        super().__init__(scene, base_dir, checked=checked, timed=timed)
        self.feed = ReferenceFeed.of_scene(controller, scene, steered=steered)
        self._scene = scene
        self._sinks = sinks
        self._call_begin = 0
        self._followed_to = 0
        """Last step under references of the controller; they are outdated if others have taken effect since."""

    @property
    def controller(self) -> Controller:
        """Controller that provides the references."""
        return self.feed.controller

    @property
    def schema(self) -> Schema:
        """Columns of the rows, with those of the controller."""
        return with_channels(self.engine.schema, self.controller, self._scene)

    def present_values(self) -> FloatArray:
        """Return the values of the controller in a row of the present state, (channels,); NaN under other references.

        At the start, a closed-loop controller computes them for the first row.
        """
        if self.engine.step_count != self._followed_to:
            return self._no_values()
        if self.feed.closed_loop and not self.engine.step_count:
            return try_reference(self.controller, self._scene, 0, self.engine.snapshot)[1]
        return self.controller.values()

    def begin_call(self) -> None:
        """Begin a call of the caller: under an open-loop controller, snapshots show means over it."""
        self._call_begin = self.engine.step_count

    def request(self, n_steps: int, look: Callable[[], Snapshot] | None = None) -> int:
        """Request references if there are none for the next step; return the number of steps that they cover.

        Parameters
        ----------
        n_steps : int
            Largest number of steps to return.
        look : function, optional
            Returns the present state for the controller; by default the `look` of the engine.
        """
        feed = self.feed
        now = self.engine.step_count
        if now != self._followed_to:
            feed.discard()
        if not feed.covers(now):
            reference = feed.request(now, n_steps, look or self.engine.look)
            for sink in self._sinks:
                sink(reference)
        return min(n_steps, feed.end - now)

    def advance(self, n_steps: int, *, last: bool = False) -> StepReport:
        """Take steps under the present references, which must cover them; see `follow`."""
        feed = self.feed
        assert feed.reference is not None
        extends = not feed.begins_interval(self.engine.step_count, self._call_begin)
        try:
            return self.follow(feed.reference, n_steps, extends=extends, last=last)
        finally:  # also if code of a plug-in fails
            self._followed_to = self.engine.step_count

    def progress(self) -> tuple[Reference | None, int, int]:
        """Return the present references of the controller, and the steps from and up to which they apply."""
        if self.engine.step_count != self._followed_to:
            self.feed.discard()
        return self.feed.reference, self.feed.begin, self.feed.end

    def restore_progress(self, reference: Reference | None, begin: int, end: int) -> None:
        """Continue from the present states of engine and controller with references that `progress` returned."""
        self.feed.set(reference, begin, end)
        self._followed_to = self.engine.step_count

    def encoded(self, scene: Scene, next_row: int, last_row_step: int, end_step: int) -> bytes:
        """Return the full state as in run files, with the progress of the run; `scene` is the present one."""
        progress = Progress(*self.progress(), next_row, last_row_step, end_step)
        state = self.engine.checkpoint(), self.controller.checkpoint(), progress
        return encode(state, scene, self.engine.time)

    def _values(self) -> FloatArray:
        return self.controller.values()

    def _no_values(self) -> FloatArray:
        return np.full_like(self.controller.values(), np.nan)


def _no_time() -> float:
    return 0.0
