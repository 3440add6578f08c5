"""Path following: approach the path of the scene and travel along it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.control.path_projection import projected
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry
from snakestudio.gym.task_state import TaskState
from snakestudio.gym.wave_task import WaveTask
from snakestudio.model.track import track

_SPEED = 10.0
_NEAR = 2.0
_POWER = 0.01
_LOST = 10.0
_NEAR_M = 0.1
_LOST_M = 2.0
_AHEAD_M = 0.6


class PathFollowing(WaveTask):
    """Approach the path of the scene and follow it as fast as possible.

    The bundled scene is `path_following` (10 links, yaw joints, viscous friction,
    `planar_lagrangian`): a straight line, a quarter circle, and a straight line. The robot starts
    about 1 m to the left of the path. Actions are gait parameters: the common offset of the joints
    steers, and frequency and amplitude determine the speed.

    reward = reward_speed + reward_near + reward_power (+ reward_lost)

    - reward_speed = 10 v: mean velocity of the centre of mass over the control period along the
      path's tangent, m/s;
    - reward_near = 2 / (1 + |e| / 0.1 m): e is the distance of the centre of mass from the path, m;
    - reward_power = -0.01 P: P is the sum of |torque x rate| of all joint axes at the end of the
      period, W;
    - reward_lost = -10, once, if |e| exceeds 2 m, which terminates the episode.

    An episode is truncated after 60 s. `path_turn_rad` is the change of direction of the path over
    the next 0.6 m. `cross_track_m` is positive if the path is to the right of the robot.
    """

    default_scene: ClassVar[str] = "path_following"
    control_period_s: ClassVar[float] = 0.1
    episode_s: ClassVar[float] = 60.0
    friction_jitter: ClassVar[float] = 0.2
    position_jitter_m: ClassVar[float] = 0.3
    heading_jitter_deg: ClassVar[float] = 20.0
    parameters = (
        Entry("yaw_amplitude_rad", 0.0, 0.7),
        Entry("frequency_hz", 0.0, 0.6),
        Entry("offset_rad", -0.2, 0.2),
    )

    def __init__(self, settings: Settings, n: int) -> None:
        super().__init__(settings, n)
        if not self.scene.path:
            raise UsageError(
                "This scene has no path to follow. Give path.waypoints_m, or choose another scene."
            )
        self._track = track(self.scene.path)
        self._along: list[float | None] = [None] * n
        self._sight: FloatArray = np.zeros((n, 3))  # cross-track error, direction, direction ahead

    def observation_entries(self) -> tuple[Entry, ...]:
        """Return joints, wave, and position and velocity relative to the path."""
        return (
            *self.joint_entries(),
            *self.wave_entries(),
            Entry("cross_track_m", -1e3, 1e3),
            Entry("forwards_sin", -1.0, 1.0),
            Entry("forwards_cos", -1.0, 1.0),
            Entry("path_turn_rad", -4.0, 4.0),
            Entry("velocity_along_m_s", -100.0, 100.0),
            Entry("velocity_across_m_s", -100.0, 100.0),
        )

    def begin(self, worlds: IndexArray, state: TaskState) -> None:
        """Start an episode in some of the worlds."""
        super().begin(worlds, state)
        for world in worlds.tolist():
            self._along[world] = None
            self._locate(world)

    def update(self, state: TaskState) -> None:
        """Update velocities, and positions relative to the path."""
        super().update(state)
        for world in range(self.n):
            self._locate(world)

    def _locate(self, world: int) -> None:
        """Update position and direction of the robot relative to the path."""
        sight = projected(self._track, self._centre[world], self._along[world], _AHEAD_M)
        self._along[world] = sight.along
        self._sight[world] = (
            sight.cross,
            sight.direction,
            self._track.course(sight.along + _AHEAD_M)[2],
        )

    def _velocity_beside(self) -> FloatArray:
        """Return the velocity along the path and to its left, (n, 2), m/s."""
        direction = self._sight[:, 1]
        (x, y) = self.velocity.T
        cos, sin = np.cos(direction), np.sin(direction)
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=1)

    def observe(self, state: TaskState) -> list[FloatArray]:
        """Return the observations."""
        cross, direction, ahead = self._sight.T
        off = self.heading(state) - direction
        turn = np.arctan2(np.sin(ahead - direction), np.cos(ahead - direction))
        parts = [*self.joint_values(state), *self.wave_values()]
        return [*parts, cross, np.sin(off), np.cos(off), turn, self._velocity_beside()]

    def reward(self, state: TaskState) -> dict[str, FloatArray]:
        """Return the terms of the reward."""
        return {
            "reward_speed": _SPEED * self._velocity_beside()[:, 0],
            "reward_near": _NEAR / (1.0 + np.abs(self._sight[:, 0]) / _NEAR_M),
            "reward_power": -_POWER * self.power(state),
            "reward_lost": np.where(self.done(state), -_LOST, 0.0),
        }

    def done(self, state: TaskState) -> NDArray[np.bool_]:
        """Return whether the robot is too far from the path."""
        lost: NDArray[np.bool_] = np.abs(self._sight[:, 0]) > _LOST_M
        return lost

    def info(self, state: TaskState) -> dict[str, NDArray[Any]]:
        """Return the distance from the path, and the distance along it, m."""
        along = np.array([0.0 if position is None else position for position in self._along])
        return {"cross_track_m": self._sight[:, 0].copy(), "along_track_m": along}
