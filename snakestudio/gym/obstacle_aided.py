"""Obstacle-aided locomotion: propulsion by pushing against obstacles on an isotropic floor."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from snakestudio.gym.among_obstacles import AmongObstacles
from snakestudio.gym.task import Outcome
from snakestudio.gym.views import View

_SPEED = 10.0
_POWER = 0.001


class ObstacleAided(AmongObstacles):
    """Travel along x by pushing against pipes on a floor with isotropic friction.

    The bundled scene is `obstacle_aided` (11 links, yaw joints, seven pipes, `planar_nonsmooth`).
    The robot starts between the pipes in the shape of its gait. Actions are joint-angle
    targets, because
    the joints that must push depend on the positions of the obstacles.

    reward = reward_speed + reward_power

    - reward_speed = 10 v_x: mean velocity of the centre of mass over the control period along x,
      m/s;
    - reward_power = -0.001 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W.

    An episode is truncated after 20 s. Only a failure of the simulation terminates it.
    """

    scene_name: ClassVar[str] = "obstacle_aided"
    position_jitter_m: ClassVar[float] = 0.001

    def judge(self, view: View) -> Outcome:
        """Return reward, termination and values for `info`."""
        terms = {
            "reward_speed": _SPEED * self.velocity[:, 0],
            "reward_power": -_POWER * self.power(view),
        }
        return Outcome(terms, np.zeros(self.n, np.bool_), {"progress_m": self.progress()})
