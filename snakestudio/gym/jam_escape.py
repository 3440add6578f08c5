"""Escape from a jam: the robot is locked between obstacles and has to come free."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from snakestudio.api.simulation import Simulation
from snakestudio.engines.base import Checkpoint
from snakestudio.errors import UsageError
from snakestudio.gym.among_obstacles import AmongObstacles
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Outcome
from snakestudio.gym.views import View
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
    """Come free from a jam between pins, and 0.3 m further along x.

    The bundled scene is `jam_without_resolution` (10 links, yaw joints, pins in three rows,
    `planar_nonholonomic`). Its own controller drives the robot into the jam, once, when the
    environment is made: until the centre of mass has moved less than 1 cm in 0.5 s. Every episode
    starts in that state, with the joint targets at the joint angles, and with a friction of its
    own. The action is joint-angle targets, because a jam is resolved by turning single links.

    reward = reward_speed + reward_power (+ reward_goal)

    - reward_speed = 10 v_x: mean velocity of the centre of mass over the control period along x,
      m/s;
    - reward_power = -0.001 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W;
    - reward_goal = 10, once, when the centre of mass is 0.3 m further along x than at the start,
      which terminates the episode (`info["is_success"]`).

    An episode is truncated after 10 s.
    """

    scene_name: ClassVar[str] = "jam_without_resolution"
    episode_s: ClassVar[float] = 10.0

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        self.start_state = _jam(self.scene, self.base_dir)

    def judge(self, view: View) -> Outcome:
        """The reward."""
        progress = self.progress()
        free = progress >= _GOAL_M
        terms = {
            "reward_speed": _SPEED * self.velocity[:, 0],
            "reward_power": -_POWER * self.power(view),
            "reward_goal": np.where(free, _GOAL, 0.0),
        }
        return Outcome(terms, free, {"progress_m": progress, "is_success": free})


@lru_cache(maxsize=8)
def _jam(scene: Scene, base_dir: Path | None) -> Checkpoint:
    """The state in which the scene's own controller gets stuck."""
    with Simulation(scene, base_dir) as simulation:
        before = simulation.state.centre_of_mass
        steps = max(1, round(_LOOK_S / simulation.dt))
        while simulation.time < _LONGEST_S:
            simulation.step(n=steps)
            centre = simulation.state.centre_of_mass
            way = float(np.linalg.norm(centre - before))
            # First of all the robot takes up its shape, and hardly moves.
            if simulation.time > _SHAPED_S and way < _JAMMED_M:
                return simulation.save().state.engine
            before = centre
    raise UsageError(
        f"The controller of this scene does not get the robot into a jam in {_LONGEST_S:g} s. Choose a scene in which "
        "it is stopped by obstacles."
    )
