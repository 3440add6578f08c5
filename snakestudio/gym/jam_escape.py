"""Escape from a jam: the robot is stuck between obstacles and must free itself."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.api.simulation import Simulation
from snakestudio.engines.base import Checkpoint
from snakestudio.errors import UsageError
from snakestudio.gym.among_obstacles import AmongObstacles
from snakestudio.gym.settings import Settings
from snakestudio.gym.task_state import TaskState
from snakestudio.model.scene import Scene

_SPEED = 10.0
_POWER = 0.001
_GOAL_M = 0.3
_GOAL = 10.0
_JAMMED_M = 0.01
_LOOK_S = 0.5
_SHAPED_S = 2.0
_LONGEST_S = 10.0


class JamEscape(AmongObstacles):
    """Escape from a jam between pins, and move 0.3 m along x.

    The bundled scene is `jam_without_resolution` (10 links, yaw joints, pins in three rows,
    `planar_nonholonomic`). When the environment is created, the controller of the scene drives the
    robot into the jam, until the centre of mass moves less than 1 cm in 0.5 s. Every episode starts
    in this state, with joint targets equal to the joint angles and with a drawn friction. Actions
    are joint-angle targets, because rotating single links resolves a jam.

    reward = reward_speed + reward_power (+ reward_goal)

    - reward_speed = 10 v_x: mean velocity of the centre of mass over the control period along x,
      m/s;
    - reward_power = -0.001 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W;
    - reward_goal = 10, once, when the centre of mass is 0.3 m further along x than at the start,
      which terminates the episode (`info["is_success"]`).

    An episode is truncated after 10 s.
    """

    default_scene: ClassVar[str] = "jam_without_resolution"
    episode_s: ClassVar[float] = 10.0

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        self.start_state = _jam(self.scene, self.base_dir)

    def reward(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the terms of the reward."""
        return {
            "reward_speed": _SPEED * self.velocity[:, 0],
            "reward_power": -_POWER * self.power(state),
            "reward_goal": np.where(self.done(state), _GOAL, 0.0),
        }

    def done(self, state: TaskState) -> NDArray[np.bool_]:
        """Return whether the robot has escaped."""
        free: NDArray[np.bool_] = self.progress(state) >= _GOAL_M
        return free

    def info(self, state: TaskState) -> dict[str, NDArray[Any]]:
        """Return the progress, m, and whether the robot has escaped."""
        return {"progress_m": self.progress(state), "is_success": self.done(state)}


@lru_cache(maxsize=8)
def _jam(scene: Scene, base_dir: Path | None) -> Checkpoint:
    """Return the state in which the scene's controller has jammed the robot."""
    with Simulation(scene, base_dir) as simulation:
        before = simulation.state.centre_of_mass
        steps = max(1, round(_LOOK_S / simulation.dt))
        while simulation.time < _LONGEST_S:
            simulation.step(n=steps)
            centre = simulation.state.centre_of_mass
            distance = float(np.linalg.norm(centre - before))
            # At first, the robot only bends into its shape and hardly moves.
            if simulation.time > _SHAPED_S and distance < _JAMMED_M:
                return simulation.save().state.engine
            before = centre
    raise UsageError(
        f"The controller of this scene does not jam the robot within {_LONGEST_S:g} s. Choose a scene in which "
        "obstacles stop it."
    )
