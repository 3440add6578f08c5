"""Base class of tasks: start, observations, effect of actions on the joints, and reward.

A task handles n worlds at a time, in arrays with the world as the first index; a single environment
has one world.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.api.running import Run, prepare
from snakestudio.engines.base import Checkpoint
from snakestudio.errors import UsageError
from snakestudio.gym.settings import Settings
from snakestudio.gym.task_state import TaskState
from snakestudio.model.direction import forward, heading, in_link_frames
from snakestudio.model.robot.axis_values import axis_values
from snakestudio.model.scene import Scene

_FRICTION = ("mu_along", "mu_across", "viscous_along_ns_per_m", "viscous_across_ns_per_m")
"""Values of the ground that are multiplied by the drawn factor."""


class Entry(NamedTuple):
    """Element of an observation or an action."""

    name: str
    """Name, which ends in the unit if there is one."""

    low: float
    """Smallest value; smaller values are clipped to it."""

    high: float
    """Largest value; larger values are clipped to it."""


class Task(ABC):
    """Task of n worlds, whose actions are target angles of the joints.

    A task defines `observation_entries`, `observe` and `reward`; the other methods have defaults. All
    arrays have the world as the first index, so that the same code serves a single environment (n =
    1) and a vector environment. `register` gives a task its name in Gymnasium.

    Raises `UsageError` or `SceneError` if the scene does not fit the task.

    Parameters
    ----------
    settings : Settings
        Options of `gymnasium.make`.
    n : int
        Number of worlds.
    """

    default_scene: ClassVar[Scene | Run | str | Path | None] = None
    """Scene of the task: a bundled name, a file or a `Scene`. The option `scene` replaces it."""

    control_period_s: ClassVar[float] = 0.05
    """Control period, s; the option `frame_skip` replaces it."""

    episode_s: ClassVar[float] = 20.0
    """Simulated time after which an episode is truncated, s."""

    friction_jitter: ClassVar[float] = 0.25
    """Relative range j of the friction: every episode draws a factor between 1 - j and 1 + j."""

    position_jitter_m: ClassVar[float] = 0.0
    """Largest drawn shift of the start along x and along y, m."""

    heading_jitter_deg: ClassVar[float] = 0.0
    """Largest drawn rotation of the start to either side, degrees."""

    failure_reward: ClassVar[float] = -10.0
    """Term that a failure of the simulation adds to the reward."""

    settings: Settings
    """Options of the environment."""

    n: int
    """Number of worlds."""

    scene: Scene
    """Scene of all worlds, before friction and start are drawn."""

    dt: float
    """Control period, s."""

    frame_skip: int
    """Number of time steps of the scene per control period."""

    episode_steps: int
    """Number of control periods after which an episode is truncated."""

    axes: tuple[str, ...]
    """Names of the m joint axes: "joint_1_yaw"."""

    lower: FloatArray
    """Smallest target of each joint axis, (m,), rad."""

    upper: FloatArray
    """Largest target of each joint axis, (m,), rad."""

    target: FloatArray
    """Joint targets at the end of the last control period, (n, m), rad."""

    randoms: Sequence[np.random.Generator | None]
    """Random generator of each world, seeded by `reset`; set before `begin` is called."""

    start_state: Checkpoint | None
    """State in which episodes start; None for the start of the scene."""

    def __init__(self, settings: Settings, n: int) -> None:
        self.settings = settings
        self.n = n
        choice = self.default_scene if settings.scene is None else settings.scene
        if choice is None:
            raise UsageError(
                f"{type(self).__name__} has no scene. Set default_scene in the class, or pass scene=..."
            )
        self.scene, self.base_dir, _ = prepare(choice, values=settings.values)
        scene = self.scene
        if not scene.body.jointed or scene.gives_torques:
            raise UsageError(
                f"The scene of {type(self).__name__} needs a robot whose joints follow angles. Choose another scene."
            )
        self.start_state = None
        self.randoms = (None,) * n
        step = scene.solver.step_s
        self.frame_skip = settings.frame_skip or max(1, round(self.control_period_s / step))
        self.dt = self.frame_skip * step
        episode = self.episode_s if settings.episode_s is None else settings.episode_s
        self.episode_steps = max(1, math.ceil(episode / self.dt - 1e-9))
        self.axes = tuple(axis.name for axis in scene.body.axes)
        masses = np.array([link.mass for link in scene.robot.links])
        self._shares: FloatArray = (masses / masses.sum())[:, None]
        values = axis_values(scene.robot, scene.joint_controller, scene.actuator, scene.body.axes)
        self.upper = np.minimum(values.upper, settings.angle_limit_rad)
        self.lower = np.maximum(values.lower, -settings.angle_limit_rad)
        self._largest_change: FloatArray = (
            np.minimum(values.max_speed, settings.rate_limit_rad_s) * self.dt
        )
        self.target = np.zeros((n, len(self.axes)))
        self._centre: FloatArray = np.zeros((n, 2))
        self._velocity: FloatArray = np.zeros((n, 2))

    # ---------------------------------------------------------------------- declared by each task

    @abstractmethod
    def observation_entries(self) -> Sequence[Entry]:
        """Return the elements of an observation: names and bounds."""

    @abstractmethod
    def observe(self, state: TaskState) -> FloatArray | Sequence[FloatArray]:
        """Return the observations, (n, k): one column per entry of `observation_entries`.

        A list of arrays (n,) and (n, j) is joined to one array.
        """

    @abstractmethod
    def reward(self, state: TaskState) -> FloatArray | Mapping[str, FloatArray]:
        """Return the reward of the finished control period, (n,), or its terms by name.

        The reward is the sum of the terms, and `info` has each of them.
        """

    def done(self, state: TaskState) -> NDArray[np.bool_]:
        """Return whether the episode of each world has ended, (n,) bool; by default, never.

        The time limit (`episode_s`) and failures of the simulation end episodes in any case.
        """
        return np.zeros(self.n, np.bool_)

    def info(self, state: TaskState) -> Mapping[str, NDArray[Any]]:
        """Return more values for `info` by name, each (n,); by default, none."""
        return {}

    def action_entries(self) -> Sequence[Entry]:
        """Return the elements of an action: by default, one target angle per joint axis."""
        return tuple(
            Entry(f"{axis}_target_rad", float(low), float(high))
            for axis, low, high in zip(self.axes, self.lower, self.upper, strict=True)
        )

    def joint_targets(self, action: FloatArray) -> FloatArray:
        """Return the joint angles at the end of the control period, (n, m), rad; by default, the action.

        Called once per control period, with actions (n, k) within their bounds. The result is limited
        to the ranges and rates of the joints.
        """
        return action

    def begin(self, worlds: IndexArray, state: TaskState) -> None:
        """Start an episode in the worlds whose indices are given; overrides call `super().begin`."""
        self.target[worlds] = state.joint_angle[worlds]
        self._centre[worlds] = self.centre(state)[worlds]
        self._velocity[worlds] = 0.0

    def update(self, state: TaskState) -> None:
        """Update values of the task at the end of a control period, before `reward` and `observe`.

        Overrides call `super().update`.
        """
        centre = self.centre(state)
        self._velocity = (centre - self._centre) / self.dt
        self._centre = centre

    def draw(self, random: np.random.Generator) -> dict[str, Any]:
        """Draw scene values of an episode, by dotted key; called again if an episode cannot start with them.

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

    # ------------------------------------------------------------------------ called by environments

    @cached_property
    def observations(self) -> tuple[Entry, ...]:
        """Elements of an observation."""
        return tuple(self.observation_entries())

    @cached_property
    def actions(self) -> tuple[Entry, ...]:
        """Elements of an action."""
        return tuple(self.action_entries())

    def limited(self, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limit joint angles to the ranges and rates of the joints.

        Returns the targets at the start of the control period and their rates, each (n, m), rad and
        rad/s.
        """
        before = self.target.copy()
        target = np.clip(targets, self.lower, self.upper)
        change = np.clip(target - before, -self._largest_change, self._largest_change)
        self.target += change
        return before, change / self.dt

    # ----------------------------------------------------------------------------- what tasks share

    @property
    def velocity(self) -> FloatArray:
        """Mean velocity of the centre of mass over the last control period, x and y, (n, 2), m/s."""
        return self._velocity

    def centre(self, state: TaskState) -> FloatArray:
        """Return the centre of mass, x and y, (n, 2), m."""
        centre: FloatArray = (self._shares * state.link_pose[:, :, :2]).sum(axis=1)
        return centre

    def heading(self, state: TaskState) -> FloatArray:
        """Return the heading of each robot, (n,), rad in (-pi, pi], as in `BatchState.heading`."""
        return heading(forward(state.link_pose, self.scene.body.head_last))

    def power(self, state: TaskState) -> FloatArray:
        """Return the sum of the absolute powers of all motors at the end of the control period, (n,), W."""
        power: FloatArray = np.abs(state.joint_torque * state.joint_rate).sum(axis=1)
        return power

    def joint_entries(self) -> tuple[Entry, ...]:
        """Return angles, rates and torques of all joint axes, in this order."""
        return (
            *(Entry(f"{axis}_rad", -10.0, 10.0) for axis in self.axes),
            *(Entry(f"{axis}_rad_s", -1e3, 1e3) for axis in self.axes),
            *(Entry(f"{axis}_torque_nm", -1e4, 1e4) for axis in self.axes),
        )

    def joint_values(self, state: TaskState) -> list[FloatArray]:
        """Return the values of `joint_entries`."""
        return [state.joint_angle, state.joint_rate, state.joint_torque]

    def motion_entries(self) -> tuple[Entry, ...]:
        """Return the sine and cosine of the heading, and the velocity of the centre of mass along x and y."""
        return (
            Entry("forwards_sin", -1.0, 1.0),
            Entry("forwards_cos", -1.0, 1.0),
            Entry("velocity_x_m_s", -100.0, 100.0),
            Entry("velocity_y_m_s", -100.0, 100.0),
        )

    def motion_values(self, state: TaskState) -> list[FloatArray]:
        """Return the values of `motion_entries`."""
        angle = self.heading(state)
        return [np.sin(angle), np.cos(angle), self.velocity]

    def obstacle_entries(self) -> tuple[Entry, ...]:
        """Mean forces of the obstacles on each link over the last control period, along and across the link."""
        links = range(1, self.scene.robot.n_links + 1)
        return (
            *(Entry(f"link_{k}_obstacle_along_n", -1e5, 1e5) for k in links),
            *(Entry(f"link_{k}_obstacle_across_n", -1e5, 1e5) for k in links),
        )

    def obstacle_values(self, state: TaskState) -> list[FloatArray]:
        """Return the values of `obstacle_entries`."""
        last = self.scene.body.head_last
        force = in_link_frames(state.obstacle_force, state.link_pose, last)
        return [force[:, :, 0], force[:, :, 1]]


def _chosen(value: float | None, default: float) -> float:
    return default if value is None else value
