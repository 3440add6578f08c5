"""Vector environments with the interface of stable-baselines3.

>>> from snakestudio.gym.sb3 import SnakeVecEnv
>>> envs = gymnasium.make_vec(
...     "SnakeStudio/PathFollowing-v0", num_envs=64, autoreset_mode="SameStep"
... )
>>> model = PPO("MlpPolicy", SnakeVecEnv(envs))

stable-baselines3 is not among the requirements of SnakeStudio: pip install stable-baselines3
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.errors import UsageError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] != "stable_baselines3":
        raise
    raise ModuleNotFoundError(
        "snakestudio.gym.sb3 needs the package stable-baselines3. Install it with: "
        "pip install stable-baselines3",
        name="stable_baselines3",
    ) from None


class SnakeVecEnv(VecEnv):
    """Vector environment of Gymnasium as a `VecEnv` of stable-baselines3.

    Worlds restart in the step in which their episode ends, and ``infos[k]["terminal_observation"]``
    has the last observation of the episode, as stable-baselines3 expects. ``infos[k]`` also has the
    terms of the reward and the other values of `info`.

    Raises `UsageError` if the environment does not restart worlds in the same step.

    Parameters
    ----------
    envs : gymnasium.vector.VectorEnv
        Environment created by `gymnasium.make_vec` with ``autoreset_mode="SameStep"``; it can be
        wrapped, for example in `gymnasium.wrappers.vector.RescaleAction`.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise UsageError(
                "stable-baselines3 needs an environment that restarts worlds in the same step. "
                'Create it with gymnasium.make_vec(..., autoreset_mode="SameStep").'
            )
        self.envs = envs
        self._actions: FloatArray = np.zeros(0)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> FloatArray:
        """Start episodes in all worlds; world k gets the seed of `seed` plus k."""
        seed = self._seeds[0]
        self._reset_seeds()
        observation: FloatArray
        observation, infos = self.envs.reset(seed=seed)
        self.reset_infos = self._by_world(infos)
        return observation

    def step_async(self, actions: FloatArray) -> None:
        """Set the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[FloatArray, FloatArray, NDArray[np.bool_], list[dict[str, Any]]]:
        """Simulate one control period in all worlds."""
        observation, reward, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        worlds = self._by_world(infos)
        if done.any():
            last = self._by_world(infos["final_info"])
            for world in np.flatnonzero(done).tolist():
                worlds[world] |= last[world]
                worlds[world]["terminal_observation"] = infos["final_obs"][world]
                worlds[world]["TimeLimit.truncated"] = bool(truncated[world])
        return observation, reward, done, worlds

    def _by_world(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """Return `infos` of a vector environment as a dict for each world."""
        worlds: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for name, values in infos.items():
            if name.startswith("_") or name.startswith("final_"):
                continue
            for world in np.flatnonzero(infos[f"_{name}"]).tolist():
                worlds[world][name] = values[world]
        return worlds

    def close(self) -> None:
        """Close the environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the environment or of the one that it wraps, once per world."""
        holder = self.envs if hasattr(self.envs, attr_name) else self.envs.unwrapped
        return [getattr(holder, attr_name)] * len(self._worlds(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise `UsageError`, because the worlds share one environment."""
        raise UsageError(
            f"The worlds of a vector environment share their attributes. Set {attr_name} of "
            "SnakeVecEnv.envs."
        )

    def env_method(
        self, method_name: str, *arguments: Any, indices: Any = None, **keywords: Any
    ) -> list[Any]:
        """Raise `UsageError`, because the worlds share one environment."""
        raise UsageError(
            f"The worlds of a vector environment share their methods. Call {method_name} of "
            "SnakeVecEnv.envs."
        )

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each world."""
        return [False] * len(self._worlds(indices))

    def _worlds(self, indices: int | Sequence[int] | None) -> Sequence[int]:
        return list(self._get_indices(indices))
