"""The simulated twin: the scene's engine with the same references as the robot, in real time.

It runs in a separate thread and never delays the robot: references are put into a queue. An engine
that cannot keep up is stopped, with a message about its speed.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Engine
from snakestudio.engines.compiled_only import load
from snakestudio.errors import SnakeStudioError
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.plugins.surroundings import join
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.control_loop import EngineLoop
from snakestudio.session.run_log import RowLog

log = logging.getLogger(__name__)


TICK_S = 0.01
"""Interval of updates, s."""

BEHIND_S = 0.5
"""Longest lag before the twin is stopped, s."""

HISTORY_S = 2.0
"""Time for which states are stored for comparison, s."""


@dataclass(frozen=True, slots=True)
class TwinState:
    """State of the simulated robot at one instant."""

    time: float
    """Time of the run, s."""

    angle: FloatArray
    """rad. Shape (m,)."""

    head: FloatArray
    """Centre of gravity of the head link, m. Shape (3,)."""


class TwinLoader:
    """Builds an engine and runs one step in a thread, before a robot moves.

    Loading compiled code takes a second or two, during which the rest of the program is blocked: the
    window would seem to hang, and the robot would be stopped.
    """

    def __init__(self, scene: Scene, base_dir: Path | None) -> None:
        self._scene = scene
        self._base_dir = base_dir
        self._thread = threading.Thread(
            target=self._work, name="snakestudio-twin-loading", daemon=True
        )
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the engine is still being loaded."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Wait until loading has ended, unless a plug-in does not return."""
        join(self._thread)

    def _work(self) -> None:
        if not load(self._scene.model.kind):
            return  # engines are not compiled next to a robot; the reasons against arming report it
        try:
            engine = EngineLoop(self._scene, self._base_dir).engine
            engine.initial_rows()
            engine.hold(1, engine.snapshot().joint_angle, None, None)
        except SnakeStudioError:  # problems of the scene are reported when the twin begins
            return


class Twin:
    """One run of the twin, which begins immediately.

    Parameters
    ----------
    scene : Scene
        Its start is the state of the robot at the begin of its run.
    clock : callable
        Returns the time of the run, s, which the twin follows.
    on_end : callable
        Called on its thread with a message if the twin ends by itself: too slow, or failed.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None,
        clock: Callable[[], float],
        on_end: Callable[[str], None],
    ) -> None:
        self._scene = scene
        self._base_dir = base_dir
        self._clock = clock
        self._on_end = on_end
        self._inbox: queue.SimpleQueue[JointReference | Scene] = queue.SimpleQueue()
        self._blocks: list[JointReference] = []
        self._states: deque[TwinState] = deque(maxlen=round(HISTORY_S / TICK_S))
        self._closing = threading.Event()
        self._log: RowLog | None = None
        self._thread = threading.Thread(target=self._work, name="snakestudio-twin", daemon=True)
        self._thread.start()

    # --- any thread

    @property
    def recording(self) -> RunRecording | None:
        """Recording of the twin; None until its engine has been built."""
        return None if self._log is None else self._log.recording

    def follow(self, reference: JointReference) -> None:
        """Add references of the robot, which replace earlier ones from their first knot on."""
        self._inbox.put(reference)

    def apply(self, scene: Scene) -> None:
        """Apply changes of the scene during the run."""
        self._inbox.put(scene)

    def state_at(self, time: float) -> TwinState | None:
        """Return the state at `time` (s), interpolated linearly; None if it is not stored yet, or any more."""
        states = list(self._states)
        if not states or not states[0].time <= time <= states[-1].time + TICK_S:
            return None
        times = [state.time for state in states]
        after = int(np.searchsorted(times, time))
        if after == len(states):
            return states[-1]
        if after == 0:
            return states[0]
        a = states[after - 1]
        b = states[after]
        fraction = (time - a.time) / (b.time - a.time)
        return TwinState(
            time, a.angle + fraction * (b.angle - a.angle), a.head + fraction * (b.head - a.head)
        )

    def cease(self) -> None:
        """Stop advancing; the recording is complete a moment later."""
        self._closing.set()

    def close(self) -> None:
        """End the twin, and wait for it. Its recording can still be read."""
        self.cease()
        join(self._thread)

    # --- its thread

    def _work(self) -> None:
        try:
            loop = EngineLoop(self._scene, self._base_dir)
            loop.log = self._log = RowLog(RunRecording(self._scene, loop.schema), self._scene)
            loop.record_present()
            self._show(loop)
            begun = self._clock()
            while not self._closing.is_set() and self._tick(loop, begun):
                pass
        except SnakeStudioError as error:
            self._on_end(f"Simulated twin stopped. {error}")
        except Exception:  # failures of the twin must not affect the robot
            log.exception("the twin failed")
            self._on_end(
                "The simulated twin failed because of an internal error. The robot is not affected. Please report it."
            )
        finally:
            if self._log is not None:
                self._log.close()

    def _tick(self, loop: EngineLoop, begun: float) -> bool:
        """Apply waiting changes and advance to the current time; False at the end."""
        engine = loop.engine
        self._apply_waiting(engine)
        now = self._clock()
        left = engine.time + TICK_S - now
        if left > 0.0:
            self._closing.wait(left)
            return True
        if now - engine.time > BEHIND_S and now - begun > BEHIND_S:
            pace = engine.time / now if now > 0.0 else 0.0
            self._on_end(
                f"The simulated twin was stopped because it is {now - engine.time:.1f} s behind after {now:.1f} s, at "
                f"{pace:.2f} of real time. Choose a larger time step or a simpler scene, or switch it off."
            )
            return False
        block = self._block(engine.time)
        if block is None:
            self._closing.wait(TICK_S)
            return True
        following = next(
            (b.time[0] for b in self._blocks if b.time[0] > engine.time + 1e-9), np.inf
        )
        step = engine.scene.solver.step_s
        # waiting changes are applied in between
        until = min(engine.time + 5 * TICK_S, now, float(following))
        steps = max(1, round((until - engine.time) / step))
        report = loop.follow(block.since(engine.time), steps)
        if not report.ok:
            self._on_end(f"Simulated twin stopped. {report.message}")
            return False
        self._show(loop)
        return True

    def _apply_waiting(self, engine: Engine) -> None:
        while not self._inbox.empty():
            item = self._inbox.get()
            if isinstance(item, JointReference):
                self._blocks = [*(b for b in self._blocks if b.time[0] < item.time[0]), item]
            else:
                engine.apply(item)
        while len(self._blocks) > 1 and self._blocks[1].time[0] <= engine.time + 1e-9:
            del self._blocks[0]

    def _block(self, time: float) -> JointReference | None:
        """Return the references that apply at `time`."""
        return self._blocks[0] if self._blocks and self._blocks[0].time[0] <= time + 1e-9 else None

    def _show(self, loop: EngineLoop) -> None:
        """Publish the present state and the rows up to it."""
        assert loop.log is not None
        loop.log.flush()
        snapshot = loop.engine.snapshot()
        head = snapshot.link_pose[self._scene.robot.head_index, :3].copy()
        self._states.append(TwinState(snapshot.time, snapshot.joint_angle.copy(), head))
