"""Sidewinding: travel perpendicular to the body axis by lifting parts of the body."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.gym.task import Entry
from snakestudio.gym.task_state import TaskState
from snakestudio.gym.wave_task import WaveTask

_SPEED = 10.0
_DRIFT = 5.0
_POWER = 0.01


class Sidewinding(WaveTask):
    """Travel sideways on a flat floor, in the direction of the y axis.

    The bundled scene is `sidewinding` (11 links, yaw and pitch in every joint,
    `spatial_nonsmooth`). The robot starts straight along the x axis. Actions are gait parameters:
    joints follow two waves, which make a body without wheels sidewind and reduce the action from
    twenty angles to five parameters.

    reward = reward_speed + reward_drift + reward_power

    - reward_speed = 10 v_y: mean velocity of the centre of mass over the control period along y,
      m/s;
    - reward_drift = -5 |v_x|: v_x is the mean velocity along x, m/s;
    - reward_power = -0.01 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W.

    An episode is truncated after 20 s. Only a failure of the simulation terminates it.
    """

    default_scene: ClassVar[str] = "sidewinding"
    heading_jitter_deg: ClassVar[float] = 10.0
    parameters = (
        Entry("yaw_amplitude_rad", 0.0, 1.0),
        Entry("pitch_amplitude_rad", 0.0, 0.4),
        Entry("frequency_hz", 0.0, 0.5),
        Entry("phase_shift_rad", -1.0, 1.0),
        Entry("offset_rad", -0.2, 0.2),
    )

    def observation_entries(self) -> tuple[Entry, ...]:
        """Return joints, waves, heading and velocity."""
        return (*self.joint_entries(), *self.wave_entries(), *self.motion_entries())

    def observe(self, state: TaskState) -> list[FloatArray]:
        """Return the observations."""
        return [*self.joint_values(state), *self.wave_values(), *self.motion_values(state)]

    def reward(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the terms of the reward."""
        along, across = self.velocity[:, 1], self.velocity[:, 0]
        return {
            "reward_speed": _SPEED * along,
            "reward_drift": -_DRIFT * np.abs(across),
            "reward_power": -_POWER * self.power(state),
        }

    def info(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the centre of mass, m."""
        x, y = self.centre(state).T
        return {"x_m": x, "y_m": y}
