"""Environment of one simulation with the interface of Gymnasium."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np

from snakestudio._arrays import FloatArray, UInt8Array
from snakestudio.api.simulation import Simulation
from snakestudio.drawing.camera import Camera
from snakestudio.errors import PhysicsError, SceneError, UsageError
from snakestudio.gym.checked_task import names_of, reward_of, space_of
from snakestudio.gym.task import Task
from snakestudio.gym.task_registry import make_task
from snakestudio.gym.task_state import TaskState, simulation_state

DRAWS = 20
"""Largest number of starts that are drawn for an episode."""

_WORLD = np.zeros(1, np.intp)


class SnakeEnv(gymnasium.Env[FloatArray, FloatArray]):
    """Environment of one simulation.

    Observations are float64 arrays in SI units; `observation_names` and `action_names` name the
    elements. The seed determines everything random: friction and start of each episode are drawn from
    `np_random`, and `info["values"]` of `reset` has them. A failure of the simulation terminates the
    episode: `info["failure"]` has the reason, and `reward_failure` (-10) is added.

    Raises `UsageError` or `SceneError` if an argument or the scene is invalid.

    Parameters
    ----------
    task : str or type of Task
        Name of the environment ("SnakeStudio/Sidewinding-v0"), or the class of a task.
    render_mode : str, optional
        "rgb_array", or None for no rendering.
    width : int
        Width of rendered images, pixels.
    height : int
        Height of rendered images, pixels.
    camera : Camera or str, optional
        Camera or view; see `Simulation.render`.
    **options
        Fields of `Settings`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 20}  # type: ignore[misc]

    def __init__(
        self,
        task: str | type[Task],
        *,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 480,
        camera: Camera | str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise UsageError(f'render_mode must be "rgb_array" or None (got {render_mode!r}).')
        self._checked = make_task(task, 1, options)
        self.task: Task = self._checked.task
        """The task, with its scene and its values."""
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1.0 / self.task.dt))}  # type: ignore[misc]
        self._shot: dict[str, Any] = {"width": width, "height": height, "camera": camera}
        self.observation_space = space_of(self._checked.observation_bounds)
        self.action_space = space_of(self._checked.action_bounds)
        self.observation_names: tuple[str, ...] = names_of(self._checked.observations)
        """Names of the elements of an observation; each ends in its unit."""
        self.action_names: tuple[str, ...] = names_of(self._checked.actions)
        """Names of the elements of an action; each ends in its unit."""
        self.simulation: Simulation = Simulation(self.task.scene, self.task.base_dir)
        """The simulation, as `ss.open_simulation` returns it."""
        self._steps = 0
        self._running = False

    @property
    def dt(self) -> float:
        """Control period, the simulated time of one step, s."""
        return self.task.dt

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Start an episode with a drawn friction and start."""
        super().reset(seed=seed)
        values = drawn_start(
            lambda: self._checked.draw(self.np_random),
            lambda values: self.simulation.reset(values=values),
        )
        if self.task.start_state is not None:
            fresh = self.simulation.save()
            self.simulation.restore(
                replace(fresh, state=replace(fresh.state, engine=self.task.start_state))
            )
        self._steps = 0
        self._running = True
        state = simulation_state(self.simulation, begins=True)
        self._checked.begin(_WORLD, state, (self.np_random,))
        return self._observed(state), {"values": values}

    def _observed(self, state: TaskState) -> FloatArray:
        observation: FloatArray = self._checked.observe(state)[0]
        return observation

    def step(
        self, action: FloatArray
    ) -> tuple[FloatArray, SupportsFloat, bool, bool, dict[str, Any]]:
        """Simulate one control period; the action is clipped to its space.

        Raises `UsageError` if the action is invalid; nothing is changed then. Raises
        `gymnasium.error.ResetNeeded` if the episode has ended or none has started.
        """
        if not self._running:
            raise gymnasium.error.ResetNeeded("No episode is running. Call reset() first.")
        task = self.task
        targets, rates = self._checked.command(action, (len(self.action_names),))
        failure = ""
        try:
            self.simulation.step(targets[0], rates=rates[0], n=task.frame_skip)
        except PhysicsError as error:
            failure = str(error)
        state = simulation_state(self.simulation)
        outcome = self._checked.evaluate(state)
        if failure:
            outcome.terms["reward_failure"] = np.array([task.failure_reward])
        self._steps += 1
        terminated = bool(failure) or bool(outcome.terminated[0])
        truncated = not terminated and self._steps >= task.episode_steps
        self._running = not (terminated or truncated)
        info = {name: value[0].item() for name, value in (outcome.terms | outcome.values).items()}
        if failure:
            info["failure"] = failure
        return (
            self._observed(state),
            float(reward_of(outcome.terms)[0]),
            terminated,
            truncated,
            info,
        )

    def render(self) -> UInt8Array | None:
        """Return the image of the current state, (height, width, 3) uint8; None without a render mode."""
        return None if self.render_mode is None else self.simulation.render(**self._shot)

    def close(self) -> None:
        """Close the simulation."""
        self.simulation.close()


def drawn_start(
    draw: Callable[[], Mapping[str, Any]], begin: Callable[[Mapping[str, Any]], None]
) -> dict[str, Any]:
    """Draw values of an episode until it can start with them, because a shifted robot can overlap an obstacle.

    Raises `SceneError` after `DRAWS` failed attempts.
    """
    for _ in range(DRAWS):
        values = dict(draw())
        try:
            begin(values)
        except SceneError as error:
            reason = error
            continue
        return values
    raise SceneError(
        f"None of {DRAWS} random starts can be simulated. Choose a smaller position_jitter_m, "
        f"heading_jitter_deg or friction_jitter. Reason of the last failure: {reason}",
        list(reason.problems),
    )
