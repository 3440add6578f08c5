"""Obstacle-aided locomotion: propulsion by pushing against obstacles on an isotropic floor."""

from __future__ import annotations

from typing import ClassVar

from snakestudio._arrays import FloatArray
from snakestudio.gym.among_obstacles import AmongObstacles
from snakestudio.gym.task_state import TaskState

_SPEED = 10.0
_POWER = 0.001


class ObstacleAided(AmongObstacles):
    """Travel along x by pushing against pipes on a floor with isotropic friction.

    The bundled scene is `obstacle_aided` (11 links, yaw joints, seven pipes, `planar_nonsmooth`).
    The robot starts between the pipes in the shape of its gait. Actions are joint-angle targets,
    because the joints that must push depend on the positions of the obstacles.

    reward = reward_speed + reward_power

    - reward_speed = 10 v_x: mean velocity of the centre of mass over the control period along x,
      m/s;
    - reward_power = -0.001 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W.

    An episode is truncated after 20 s. Only a failure of the simulation terminates it.
    """

    default_scene: ClassVar[str] = "obstacle_aided"
    position_jitter_m: ClassVar[float] = 0.001

    def reward(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the terms of the reward."""
        return {
            "reward_speed": _SPEED * self.velocity[:, 0],
            "reward_power": -_POWER * self.power(state),
        }

    def info(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the progress, m."""
        return {"progress_m": self.progress(state)}
