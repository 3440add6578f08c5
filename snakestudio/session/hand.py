"""Pulls on the robot in a running simulation: held part and acting wrench."""

from __future__ import annotations

from dataclasses import replace

from snakestudio.engines.base import Engine
from snakestudio.model.events import RunEvent
from snakestudio.model.pull import MOST_PULLS, Pull
from snakestudio.model.scene import Scene
from snakestudio.session.pulling import Grip, Spring, hold_steps
from snakestudio.session.run_log import RunLog


class Hand:
    """Spring that pulls a part of the robot; every wrench is recorded."""

    def __init__(self, scene: Scene, engine: Engine, log: RunLog) -> None:
        self._body = scene.body
        self._spring = Spring(scene)
        self._hold_steps = hold_steps(scene)
        self._engine = engine
        self._log = log
        self._grip: Grip | None = None
        self._pull: Pull | None = None
        """Current wrench."""
        self.active = False
        """Whether `update` is needed, at least for a release."""

    def hold(self, grip: Grip | None) -> None:
        """Hold a part from the next `update`; None releases it."""
        exists = grip is not None and 0 <= grip.link < self._log.recording.schema.n_links
        self._grip = grip if exists else None
        self.active = True

    def update(self, step: int) -> int:
        """Evaluate the spring if it is due at a step; return the number of steps until it is due again."""
        past = step % self._hold_steps
        if not past:
            if len(self._log.recording.pulls) >= MOST_PULLS - 1:
                self._grip = None
            grip = self._grip
            if self._pull is not None and (grip is None or grip.link != self._pull.link):
                zero = (0.0, 0.0, 0.0)
                self.apply(replace(self._pull, time=self._engine.time, force=zero, torque=zero))
            if grip is not None:
                self.apply(self._spring.pull(grip, self._engine.snapshot(contacts=False)))
            self.active = grip is not None
        return self._hold_steps - past

    def apply(self, pull: Pull) -> None:
        """Apply a wrench from now on, and record it."""
        self._engine.apply_wrench(pull.link, (*pull.force, *pull.torque))
        recording = self._log.recording
        recording.add_pull(pull)
        if not pull.released and (self._pull is None or self._pull.link != pull.link):
            title = self._body.part_title(pull.link)
            recording.add_event(RunEvent(self._engine.time, "note", f"{title} is pulled by hand"))
        self.restore(pull)

    def restore(self, pull: Pull | None) -> None:
        """Continue with the wrench of a restored state, so that it can be released."""
        self._pull = None if pull is None or pull.released else pull
