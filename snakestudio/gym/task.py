"""Base class of tasks: start, observations, effect of actions on the joints, and reward.

A task handles n worlds at a time, in arrays with the world as the first index; a single environment
has one world.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.api.running import prepare
from snakestudio.engines.base import Checkpoint
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.views import View, headings
from snakestudio.model.robot.axis_values import axis_values
from snakestudio.paths import scenes_dir

_FRICTION = ("mu_along", "mu_across", "viscous_along_ns_per_m", "viscous_across_ns_per_m")
"""Values of the ground that are multiplied by the drawn factor."""


class Entry(NamedTuple):
    """Element of an observation or an action."""

    name: str
    """Name, which ends in the unit if there is one."""

    low: float
    high: float


class Outcome(NamedTuple):
    """Result of a control period in n worlds."""

    terms: dict[str, FloatArray]
    """Terms of the reward by name, each (n,); the reward is their sum."""

    terminated: NDArray[np.bool_]
    """Whether the episode ends, (n,)."""

    values: dict[str, NDArray[Any]]
    """Additional values of `info` by name, each (n,)."""


class Task(ABC):
    """Task of n worlds.

    Raises `UsageError` or `SceneError` if the scene does not fit the task.

    Attributes
    ----------
    start_state : Checkpoint or None
        State in which episodes start; None for the start of the scene.
    dt : float
        Control period, s.
    frame_skip : int
        Number of time steps of the scene per control period.
    episode_steps : int
        Number of control periods after which an episode is truncated.
    """

    scene_name: ClassVar[str]
    """Name of the bundled scene."""

    control_period_s: ClassVar[float] = 0.05
    episode_s: ClassVar[float] = 20.0
    friction_jitter: ClassVar[float] = 0.25
    position_jitter_m: ClassVar[float] = 0.0
    heading_jitter_deg: ClassVar[float] = 0.0

    failure_reward: ClassVar[float] = -10.0
    """Term that a failure of the simulation adds to the reward."""

    def __init__(self, settings: Settings, n: int) -> None:
        self.settings = settings
        self.n = n
        own = settings.scene
        prepared, self.base_dir, _ = prepare(
            scenes_dir() / f"{self.scene_name}.toml" if own is None else own, values=settings.values
        )
        if not prepared.body.jointed or prepared.gives_torques:
            raise UsageError(
                f"The scene of {type(self).__name__} needs a robot whose joints follow angles. Choose another scene."
            )
        self.scene = scene = prepared
        self.start_state: Checkpoint | None = None
        step = scene.solver.step_s
        self.frame_skip = settings.frame_skip or max(1, round(self.control_period_s / step))
        self.dt = self.frame_skip * step
        episode = self.episode_s if settings.episode_s is None else settings.episode_s
        self.episode_steps = max(1, math.ceil(episode / self.dt - 1e-9))
        self.axes = tuple(axis.name for axis in scene.body.axes)
        masses = np.array([link.mass for link in scene.robot.links])
        self._shares: FloatArray = (masses / masses.sum())[:, None]
        self._front = 1.0 if scene.robot.head == "last" else -1.0
        values = axis_values(scene.robot, scene.joint_controller, scene.actuator, scene.body.axes)
        self.upper: FloatArray = np.minimum(values.upper, settings.angle_limit_rad)
        self.lower: FloatArray = np.maximum(values.lower, -settings.angle_limit_rad)
        self._largest_change: FloatArray = (
            np.minimum(values.max_speed, settings.rate_limit_rad_s) * self.dt
        )
        self.target: FloatArray = np.zeros((n, len(self.axes)))
        self._centre: FloatArray = np.zeros((n, 2))
        self._velocity: FloatArray = np.zeros((n, 2))
        self.observations: tuple[Entry, ...] = self.observed()
        self.actions: tuple[Entry, ...] = self.acted()

    # ---------------------------------------------------------------------- declared by each task

    @abstractmethod
    def observed(self) -> tuple[Entry, ...]:
        """Elements of an observation."""

    @abstractmethod
    def acted(self) -> tuple[Entry, ...]:
        """Elements of an action."""

    @abstractmethod
    def observe(self, view: View) -> FloatArray:
        """Return the observations, (n, k)."""

    @abstractmethod
    def requested(self, action: FloatArray) -> FloatArray:
        """Return the reference joint angles of an action (n, k) at the end of the control period, (n, m), rad."""

    @abstractmethod
    def judge(self, view: View) -> Outcome:
        """Return the result of the finished control period."""

    # ----------------------------------------------------------------------------------- an episode

    def draw(self, random: np.random.Generator) -> dict[str, Any]:
        """Draw scene values of an episode, by dotted key.

        Four numbers are drawn for any scene: the friction factor, the shifts along x and y, and the
        rotation.
        """
        factor, x, y, turn = random.uniform(-1.0, 1.0, 4).tolist()
        settings = self.settings
        scene = self.scene
        factor = 1.0 + factor * _chosen(settings.friction_jitter, self.friction_jitter)
        shift = _chosen(settings.position_jitter_m, self.position_jitter_m)
        values = {
            f"ground.{name}": factor * friction
            for name in _FRICTION
            if (friction := getattr(scene.ground, name))
        }
        moved = (
            ("x_m", x * shift),
            ("y_m", y * shift),
            ("heading_deg", turn * _chosen(settings.heading_jitter_deg, self.heading_jitter_deg)),
        )
        for name, change in moved:
            if change and hasattr(scene.start, name):
                values[f"start.{name}"] = getattr(scene.start, name) + change
        return values

    def begin(self, worlds: IndexArray, view: View) -> None:
        """Start an episode in some of the worlds."""
        self.target[worlds] = view.joint_angle[worlds]
        self._centre[worlds] = self.centre(view)[worlds]
        self._velocity[worlds] = 0.0

    def command(self, action: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return joint targets at the start of a control period and their rates, each (n, m), rad and rad/s."""
        before = self.target.copy()
        target = np.clip(self.requested(action), self.lower, self.upper)
        change = np.clip(target - before, -self._largest_change, self._largest_change)
        self.target += change
        return before, change / self.dt

    def evaluate(self, view: View) -> Outcome:
        """Return the result of the finished control period, and start the next one."""
        centre = self.centre(view)
        self._velocity = (centre - self._centre) / self.dt
        self._centre = centre
        return self.judge(view)

    # ----------------------------------------------------------------------------- what tasks share

    @property
    def observation_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds of observations."""
        return _bounds(self.observations)

    @property
    def action_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds of actions."""
        return _bounds(self.actions)

    @property
    def velocity(self) -> FloatArray:
        """Mean velocity of the centre of mass over the last control period, x and y, (n, 2), m/s."""
        return self._velocity

    def centre(self, view: View) -> FloatArray:
        """Centre of mass, x and y, (n, 2), m."""
        centre: FloatArray = (self._shares * view.link_pose[:, :, :2]).sum(axis=1)
        return centre

    def forwards(self, view: View) -> FloatArray:
        """Mean direction of the links, from tail to head, (n,), rad."""
        heading = headings(view.link_pose)
        ahead: FloatArray = np.arctan2(
            self._front * np.sin(heading).mean(axis=1), self._front * np.cos(heading).mean(axis=1)
        )
        return ahead

    def power(self, view: View) -> FloatArray:
        """Sum of the absolute powers of all motors at the end of the control period, (n,), W."""
        power: FloatArray = np.abs(view.joint_torque * view.joint_rate).sum(axis=1)
        return power

    def joint_entries(self) -> tuple[Entry, ...]:
        """Angles, rates and torques of all joint axes, in this order."""
        return (
            *(Entry(f"{axis}_rad", -10.0, 10.0) for axis in self.axes),
            *(Entry(f"{axis}_rad_s", -1e3, 1e3) for axis in self.axes),
            *(Entry(f"{axis}_torque_nm", -1e4, 1e4) for axis in self.axes),
        )

    def joint_values(self, view: View) -> list[FloatArray]:
        """Return the values of `joint_entries`."""
        return [view.joint_angle, view.joint_rate, view.joint_torque]


def _chosen(value: float | None, default: float) -> float:
    return default if value is None else value


def _bounds(entries: tuple[Entry, ...]) -> tuple[FloatArray, FloatArray]:
    return np.array([entry.low for entry in entries]), np.array([entry.high for entry in entries])


def space_of(bounds: tuple[FloatArray, FloatArray]) -> Space[FloatArray]:
    """Return the space of arrays between two bounds."""
    return Box(*bounds, dtype=np.float64)


def names_of(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """Return the names of entries."""
    return tuple(entry.name for entry in entries)


def checked_action(
    action: object, shape: tuple[int, ...], bounds: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return an action as an array, clipped to its space.

    Raises `UsageError` if its shape is wrong or it is not finite.
    """
    try:
        values = np.asarray(action, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"An action must be an array of numbers of shape {shape}.") from None
    if values.shape != shape:
        raise UsageError(f"An action must have the shape {shape} (got {values.shape}).")
    if not np.isfinite(values).all():
        raise UsageError("An action must have finite numbers. No step was taken.")
    return np.clip(values, *bounds)


def reward_of(terms: Mapping[str, FloatArray]) -> FloatArray:
    """Return the sum of the terms in their order, (n,)."""
    total: FloatArray = np.add.reduce(list(terms.values()))
    return total
