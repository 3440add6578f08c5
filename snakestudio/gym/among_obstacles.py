"""Base of tasks among obstacles: joint targets as actions, and forces of obstacles as observations."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Task
from snakestudio.gym.task_state import TaskState


class AmongObstacles(Task):
    """Task in which each joint follows a target angle and links push against obstacles."""

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        if not self.scene.obstacles:
            raise UsageError("This scene has no obstacles to push against. Choose another scene.")
        self._first: FloatArray = np.zeros((n, 2))

    def observation_entries(self) -> tuple[Entry, ...]:
        """Return joints, their targets, forces of obstacles, heading and velocity."""
        return (
            *self.joint_entries(),
            *(Entry(f"{axis}_target_rad", -10.0, 10.0) for axis in self.axes),
            *self.obstacle_entries(),
            *self.motion_entries(),
        )

    def begin(self, worlds: IndexArray, state: TaskState) -> None:
        """Start an episode in some of the worlds."""
        super().begin(worlds, state)
        self._first[worlds] = self._centre[worlds]

    def observe(self, state: TaskState) -> list[FloatArray]:
        """Return the observations."""
        parts = [*self.joint_values(state), self.target, *self.obstacle_values(state)]
        return [*parts, *self.motion_values(state)]

    def progress(self, state: TaskState) -> FloatArray:
        """Return the displacement of the centre of mass along x since the start of the episode, (n,), m."""
        return self.centre(state)[:, 0] - self._first[:, 0]
