"""Vector environment of Gymnasium: many simulations, stepped together by compiled code in several threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.api.batch import open_batch
from snakestudio.errors import UsageError
from snakestudio.gym.checked_task import names_of, reward_of, space_of
from snakestudio.gym.environment import drawn_start
from snakestudio.gym.task import Task
from snakestudio.gym.task_registry import make_task
from snakestudio.gym.task_state import TaskState, batch_state
from snakestudio.model.arguments import is_number

Info = dict[str, Any]


class SnakeVectorEnv(gymnasium.vector.VectorEnv[FloatArray, FloatArray, NDArray[Any]]):
    """Environment of many simulations, with the same observations, rewards and random numbers as `SnakeEnv`.

    World k of a reset with seed s has the seed s + k, as in `gymnasium.vector.SyncVectorEnv`. Every
    entry of `infos` is an array over the worlds, with a mask of the same name after an underscore.

    Raises `UsageError` or `SceneError` if an argument or the scene is invalid.

    Parameters
    ----------
    num_envs : int
        Number of simulations, at least 1.
    task : str or type of Task
        Name of the environment ("SnakeStudio/Sidewinding-v0"), or the class of a task.
    threads : int, optional
        Number of threads; the number of processors if omitted.
    autoreset_mode : AutoresetMode or str
        Time at which a world whose episode has ended starts the next one: in the next step
        ("NextStep"), in the same step, with the last observation in ``infos["final_obs"]``
        ("SameStep"), or at a reset with ``options={"reset_mask": ...}`` ("Disabled").
    render_mode : None
        Worlds of a batch are not rendered.
    **options
        Fields of `Settings`.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # type: ignore[misc]

    def __init__(
        self,
        num_envs: int,
        task: str | type[Task],
        *,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not is_number(num_envs, Integral) or num_envs < 1:
            raise UsageError(
                f"num_envs must be a whole number of simulations, at least 1 (got {num_envs!r})."
            )
        num_envs = int(num_envs)
        if render_mode is not None:
            raise UsageError(
                "A vector environment cannot be rendered. Create a single environment to render it."
            )
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(f'"{mode.value}"' for mode in AutoresetMode)
            raise UsageError(
                f"autoreset_mode must be one of {modes} (got {autoreset_mode!r})."
            ) from None
        self.metadata = {"autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self._checked = make_task(task, num_envs, options)
        self.task: Task = self._checked.task
        """The task, with its scene and its values."""
        self.batch = open_batch(self.task.scene, num_envs, threads=threads)
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = space_of(self._checked.observation_bounds)
        self.single_action_space = space_of(self._checked.action_bounds)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_names: tuple[str, ...] = names_of(self._checked.observations)
        """Names of the elements of an observation; each ends in its unit."""
        self.action_names: tuple[str, ...] = names_of(self._checked.actions)
        """Names of the elements of an action; each ends in its unit."""
        self._shape = (num_envs, len(self.action_names))
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._steps = np.zeros(num_envs, np.intp)
        self._begun = np.zeros(num_envs, np.bool_)  # worlds that have had an episode
        self._ended = np.zeros(num_envs, np.bool_)
        self._impulse: FloatArray = self.batch.state.impulse_obstacle.copy()

    @property
    def dt(self) -> float:
        """Control period, the simulated time of one step, s."""
        return self.task.dt

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[FloatArray, Info]:
        """Start episodes in all worlds, or in those of ``options={"reset_mask": (n,) array of bool}``.

        Parameters
        ----------
        seed : int or sequence, optional
            Seed of world 0, where world k gets `seed` + k, or one seed per world.
        """
        seeds = self._seeds(seed)
        mask = None if options is None else options.get("reset_mask")
        worlds = np.arange(self.num_envs) if mask is None else np.flatnonzero(self._mask(mask))
        for world in worlds.tolist():
            if seeds[world] is not None:
                self._randoms[world] = seeding.np_random(seeds[world])[0]
        infos = self._begin(worlds)
        return self._checked.observe(self._state()), infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + world for world in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise UsageError(
                f"seed has {len(seed)} entries for {self.num_envs} worlds. Give one for each world."
            )
        return list(seed)

    def _mask(self, mask: Any) -> NDArray[np.bool_]:
        flags = np.asarray(mask)
        if flags.dtype != np.bool_ or flags.shape != (self.num_envs,) or not flags.any():
            raise UsageError(
                f"reset_mask must be an array of {self.num_envs} bools, with at least one True "
                f"(got {flags.dtype} of shape {flags.shape})."
            )
        return flags

    def _begin(self, worlds: IndexArray) -> Info:
        """Start an episode in some worlds."""
        drawn = np.full(self.num_envs, None, object)
        for world in worlds.tolist():
            drawn[world] = self._draw_start(world)
        if self.task.start_state is not None:
            fresh = self.batch.save()
            states = list(fresh.states)
            for world in worlds.tolist():
                states[world] = self.task.start_state
            self.batch.restore(replace(fresh, states=tuple(states)))
        self._steps[worlds] = 0
        self._begun[worlds] = True
        self._ended[worlds] = False
        self._impulse[worlds] = self.batch.state.impulse_obstacle[worlds]
        self._checked.begin(worlds, self._state(), self._randoms)
        return {"values": drawn, "_values": self._chosen(worlds)}

    def _draw_start(self, world: int) -> dict[str, Any]:
        random = self._randoms[world]
        if random is None:
            random = self._randoms[world] = seeding.np_random()[0]
        mask = self._chosen(np.array([world]))
        others: list[dict[str, Any]] = [{}] * self.num_envs

        def begin(values: Any) -> None:
            own = others.copy()
            own[world] = dict(values)
            self.batch.reset(mask, values=own)

        return drawn_start(lambda: self._checked.draw(random), begin)

    def _chosen(self, worlds: IndexArray) -> NDArray[np.bool_]:
        mask = np.zeros(self.num_envs, np.bool_)
        mask[worlds] = True
        return mask

    def _state(self) -> TaskState:
        return batch_state(self.batch, self._impulse, self.task.dt)

    def step(
        self, actions: FloatArray
    ) -> tuple[FloatArray, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Simulate one control period in all worlds; actions are clipped to their space.

        Raises `UsageError` if the actions are invalid; nothing is changed then. Raises
        `gymnasium.error.ResetNeeded` if no episode has started, or one has ended and worlds are not
        reset automatically.
        """
        again = np.flatnonzero(self._ended)
        idle = (
            ~self._begun
            if self.autoreset_mode is AutoresetMode.NEXT_STEP
            else ~self._begun | self._ended
        )
        if idle.any():
            raise gymnasium.error.ResetNeeded(
                f"No episode is running in world {np.argmax(idle)}. Call reset() first, or reset it with "
                'options={"reset_mask": ...}.'
            )
        task = self.task
        batch = self.batch
        targets, rates = self._checked.command(actions, self._shape)
        self._impulse = batch.state.impulse_obstacle.copy()
        batch.step(targets, task.frame_skip, rates=rates)
        state = self._state()
        outcome = self._checked.evaluate(state)
        failed = ~batch.state.ok
        self._steps += 1
        going = ~self._chosen(again)
        terms = {**outcome.terms, "reward_failure": np.where(failed, task.failure_reward, 0.0)}
        terminated = (outcome.terminated | failed) & going
        truncated = (self._steps >= task.episode_steps) & ~terminated & going
        reward = np.where(going, reward_of(terms), 0.0)
        self._ended = ended = terminated | truncated
        values = terms | outcome.values
        if not (ended.any() and self.autoreset_mode is AutoresetMode.SAME_STEP):
            infos = self._infos(values, going, failed & going)
            if len(again):
                infos |= self._begin(again)
            return self._checked.observe(self._state()), reward, terminated, truncated, infos
        final = np.full(self.num_envs, None, object)
        for world, observation in enumerate(self._checked.observe(state)):
            if ended[world]:
                final[world] = observation
        infos = self._infos(values, ~ended, np.zeros_like(failed))
        infos |= {"final_obs": final, "final_info": self._infos(values, ended, failed)}
        infos |= {"_final_obs": ended.copy(), "_final_info": ended.copy()}
        infos |= self._begin(np.flatnonzero(ended))
        return self._checked.observe(self._state()), reward, terminated, truncated, infos

    def _infos(
        self, values: dict[str, FloatArray], mask: NDArray[np.bool_], failed: NDArray[np.bool_]
    ) -> Info:
        """Return the values of all worlds, masks of valid entries, and reasons of failures."""
        infos: Info = {}
        for name, value in values.items():
            infos[name] = np.where(mask, value, np.zeros_like(value))
            infos[f"_{name}"] = mask.copy()
        if failed.any():
            reasons = np.full(self.num_envs, None, object)
            for world, reason in self.batch.failed.items():
                if failed[world]:
                    reasons[world] = reason
            infos |= {"failure": reasons, "_failure": failed.copy()}
        return infos

    def render(self) -> None:
        """Do nothing, because worlds of a batch are not rendered."""

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.batch.close()
