"""Base of tasks among obstacles: joint targets as actions, and forces of obstacles as observations."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Task
from snakestudio.gym.views import View, headings


class AmongObstacles(Task):
    """Task in which each joint follows a target angle and links push against obstacles."""

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        if not self.scene.obstacles:
            raise UsageError("This scene has no obstacles to push against. Choose another scene.")
        self._first: FloatArray = np.zeros((n, 2))

    def acted(self) -> tuple[Entry, ...]:
        """One target per joint axis."""
        return tuple(
            Entry(f"{axis}_target_rad", float(low), float(high))
            for axis, low, high in zip(self.axes, self.lower, self.upper, strict=True)
        )

    def observed(self) -> tuple[Entry, ...]:
        """Joints, their targets, forces of obstacles, direction of the body, and velocity."""
        links = range(1, self.scene.robot.n_links + 1)
        return (
            *self.joint_entries(),
            *(Entry(f"{axis}_target_rad", -10.0, 10.0) for axis in self.axes),
            *(Entry(f"link_{k}_obstacle_along_n", -1e5, 1e5) for k in links),
            *(Entry(f"link_{k}_obstacle_across_n", -1e5, 1e5) for k in links),
            Entry("forwards_sin", -1.0, 1.0),
            Entry("forwards_cos", -1.0, 1.0),
            Entry("velocity_x_m_s", -100.0, 100.0),
            Entry("velocity_y_m_s", -100.0, 100.0),
        )

    def begin(self, worlds: IndexArray, view: View) -> None:
        """Start an episode in some of the worlds."""
        super().begin(worlds, view)
        self._first[worlds] = self._centre[worlds]

    def requested(self, action: FloatArray) -> FloatArray:
        """Return the action itself."""
        return action

    def observe(self, view: View) -> FloatArray:
        """Return the observations."""
        heading = headings(view.link_pose)
        cos, sin = np.cos(heading), np.sin(heading)
        x, y = view.obstacle_force[:, :, 0], view.obstacle_force[:, :, 1]
        ahead = self.forwards(view)[:, None]
        parts = [*self.joint_values(view), self.target, cos * x + sin * y, cos * y - sin * x]
        return np.concatenate([*parts, np.sin(ahead), np.cos(ahead), self.velocity], axis=1)

    def progress(self) -> FloatArray:
        """Displacement of the centre of mass along x since the start of the episode, (n,), m."""
        return self._centre[:, 0] - self._first[:, 0]
