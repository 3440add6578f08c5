"""Schedule of saved states of a run, from which it can be continued without recomputing everything."""

from __future__ import annotations

from snakestudio.model.scene import Scene

SAVE_S = 1.0
"""Simulated time between saved states, s; states are also saved when the operator changes the run."""

SAVE_SHARE = 0.005
"""Largest fraction of the engine's time for saving states. If the engine is fast, states are further
apart than `SAVE_S`, but recomputing the time between them is still fast."""


class StateSchedule:
    """Decides after which steps to save the state."""

    def __init__(self, scene: Scene) -> None:
        self._interval = max(1, round(SAVE_S / scene.solver.step_s))
        self._last_step = 0
        self._not_before = 0.0
        """Engine time from which the next state is due, s."""
        self.requested = True
        """Whether the state must be saved before the next step, as for the first state."""

    def request(self) -> None:
        """Save the state before the next step, because nothing else can repeat what happened."""
        self.requested = True

    def due(self, step: int, engine_seconds: float) -> bool:
        """Return whether the state of a step is due."""
        return step - self._last_step >= self._interval and engine_seconds >= self._not_before

    def on_saved(self, step: int, engine_seconds: float, seconds: float) -> None:
        """Record that the state of a step was saved, and the time it took, s."""
        self._not_before = engine_seconds + seconds / SAVE_SHARE
        self._last_step = step
        self.requested = False

    def on_restored(self, step: int) -> None:
        """Count from the step whose state was restored."""
        self._last_step = step
