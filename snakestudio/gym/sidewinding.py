"""Sidewinding: travel perpendicular to the body axis by lifting parts of the body."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Outcome, Task
from snakestudio.gym.views import View
from snakestudio.gym.wave_drive import WaveDrive

_SPEED = 10.0
_DRIFT = 5.0
_POWER = 0.01


class Sidewinding(Task):
    """Travel sideways on a flat floor, in the direction of the y axis.

    The bundled scene is `sidewinding` (11 links, yaw and pitch in every joint,
    `spatial_nonsmooth`). The robot starts straight along the x axis. Actions are gait
    parameters: joints
    follow two waves (see `WaveDrive`), which make a body without wheels sidewind and reduce the
    action
    from twenty angles to five parameters.

    reward = reward_speed + reward_drift + reward_power

    - reward_speed = 10 v_y: mean velocity of the centre of mass over the control period along y,
      m/s;
    - reward_drift = -5 |v_x|: v_x is the mean velocity along x, m/s;
    - reward_power = -0.01 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W.

    An episode is truncated after 20 s. Only a failure of the simulation terminates it.
    """

    scene_name: ClassVar[str] = "sidewinding"
    heading_jitter_deg: ClassVar[float] = 10.0

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        self._drive = WaveDrive(self.scene, self.actions, n, self.dt)

    def acted(self) -> tuple[Entry, ...]:
        """Parameters of both waves that actions set."""
        return (
            Entry("yaw_amplitude_rad", 0.0, 1.0),
            Entry("pitch_amplitude_rad", 0.0, 0.4),
            Entry("frequency_hz", 0.0, 0.5),
            Entry("phase_shift_rad", -1.0, 1.0),
            Entry("offset_rad", -0.2, 0.2),
        )

    def observed(self) -> tuple[Entry, ...]:
        """Joints, waves, direction of the body, and velocity."""
        drive = (Entry("phase_sin", -1.0, 1.0), Entry("phase_cos", -1.0, 1.0), *self.acted())
        return (
            *self.joint_entries(),
            *drive,
            Entry("forwards_sin", -1.0, 1.0),
            Entry("forwards_cos", -1.0, 1.0),
            Entry("velocity_x_m_s", -100.0, 100.0),
            Entry("velocity_y_m_s", -100.0, 100.0),
        )

    def begin(self, worlds: IndexArray, view: View) -> None:
        """Start an episode in some of the worlds."""
        super().begin(worlds, view)
        self._drive.begin(worlds, view.joint_angle)

    def requested(self, action: FloatArray) -> FloatArray:
        """Return the joint angles of the waves."""
        return self._drive.requested(action)

    def observe(self, view: View) -> FloatArray:
        """Return the observations."""
        ahead = self.forwards(view)[:, None]
        parts = [
            *self.joint_values(view),
            *self._drive.values(),
            np.sin(ahead),
            np.cos(ahead),
            self.velocity,
        ]
        return np.concatenate(parts, axis=1)

    def judge(self, view: View) -> Outcome:
        """Return reward, termination and values for `info`."""
        along, across = self.velocity[:, 1], self.velocity[:, 0]
        terms = {
            "reward_speed": _SPEED * along,
            "reward_drift": -_DRIFT * np.abs(across),
            "reward_power": -_POWER * self.power(view),
        }
        x, y = self._centre.T
        return Outcome(terms, np.zeros(self.n, np.bool_), {"x_m": x, "y_m": y})
