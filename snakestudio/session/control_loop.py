"""The tick: an engine takes steps under the references of the controller of its scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from snakestudio._arrays import FloatArray
from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller
from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine, StepReport
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.model.recording import Schema
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.states import encode
from snakestudio.session.progress import Progress
from snakestudio.session.reference_feed import ReferenceFeed, try_reference
from snakestudio.session.run_schema import with_channels

Sink = Callable[[Reference], None]


class ControlLoop:
    """Engine and controller of a scene; not thread-safe.

    Raises `SceneError` with all reasons if the scene cannot run.

    Parameters
    ----------
    base_dir : Path or None
        Folder of the relative paths in the scene.
    sinks : callables
        Functions that receive each block of references, such as the CAN link.
    steered : bool
        Whether operators can steer; see `ReferenceFeed`.
    checked : bool
        Whether `scene_check.check` has just passed without errors.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        sinks: Sequence[Sink] = (),
        *,
        steered: bool = True,
        checked: bool = False,
    ) -> None:
        # The controller first, because it checks the strain law and contacts of a body for the
        # engine.
        controller = controllers.create(scene, base_dir, checked=checked)
        self.engine: Engine = engines.create(scene, base_dir, checked=checked)
        self.feed = ReferenceFeed.of_scene(controller, scene, steered=steered)
        self._scene = scene
        self._sinks = sinks
        self._call_begin = 0

    @property
    def controller(self) -> Controller:
        """Controller that provides the references."""
        return self.feed.controller

    @property
    def schema(self) -> Schema:
        """Columns of the rows, with those of the controller."""
        return with_channels(self.engine.schema, self.controller, self._scene)

    def first_values(self) -> FloatArray:
        """Return the values of the controller for the row at the start, (channels,)."""
        if self.feed.closed_loop:  # its values at the start belong to the first row
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
        if not feed.covers(now):
            reference = feed.request(now, n_steps, look or self.engine.look)
            for sink in self._sinks:
                sink(reference)
        return min(n_steps, feed.end - now)

    def advance(self, n_steps: int, rows: RowCollector | None = None) -> StepReport:
        """Take steps under the present references, which must cover them."""
        feed = self.feed
        engine = self.engine
        assert feed.reference is not None
        # A controller receives the mean contact forces of a whole period, even if it is split for
        # the display.
        extends = engine.step_count > (feed.begin if feed.closed_loop else self._call_begin)
        take_steps = engine.resume if extends else engine.advance
        return take_steps(feed.reference, n_steps, () if rows is None else rows)

    def encoded(self, scene: Scene, next_row: int, last_row_step: int, end_step: int) -> bytes:
        """Return the full state as in run files, with the progress of the run; `scene` is the present one."""
        feed = self.feed
        progress = Progress(feed.reference, feed.begin, feed.end, next_row, last_row_step, end_step)
        state = self.engine.checkpoint(), self.controller.checkpoint(), progress
        return encode(state, scene, self.engine.time)
