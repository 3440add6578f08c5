"""When a run saves its full state, so that it can be continued from there without computing everything again."""

from __future__ import annotations

from snakestudio.model.scene import Scene

SAVE_S = 1.0
"""Simulated time after which the full state is saved again, s; it is also saved where the operator
changed the run."""

SAVE_SHARE = 0.005
"""Largest share of the engine's time that saving states may take. Where the engine is fast, states
are further apart than `SAVE_S`, and computing the time between two of them is still fast."""


class StateSchedule:
    """Decides after which steps the state is saved."""

    def __init__(self, scene: Scene) -> None:
        self._interval = max(1, round(SAVE_S / scene.solver.step_s))
        self._last_step = 0
        self._not_before = 0.0
        """Engine time from which the next state is due, s."""
        self.requested = True
        """Whether the state must be saved before the next step; the first state always is."""

    def request(self) -> None:
        """Save the state before the next step, because nothing else can repeat what happened."""
        self.requested = True

    def due(self, step: int, engine_seconds: float) -> bool:
        """Whether the state of a step is due."""
        return step - self._last_step >= self._interval and engine_seconds >= self._not_before

    def on_saved(self, step: int, engine_seconds: float, seconds: float) -> None:
        """Note that the state of a step was saved, and how long that took (s)."""
        self._not_before = engine_seconds + seconds / SAVE_SHARE
        self._last_step = step
        self.requested = False

    def on_restored(self, step: int) -> None:
        """Count from the step whose state was restored."""
        self._last_step = step
