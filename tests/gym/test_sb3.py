"""The adapter for stable-baselines3, on a base class with the attributes of its `VecEnv`.

stable-baselines3 needs PyTorch, so it is not among the requirements of the tests.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import RescaleAction

from snakestudio.errors import UsageError

PATH = "SnakeStudio/PathFollowing-v0"


class VecEnv:
    """Attributes that stable-baselines3 2.9 sets in the constructor of `VecEnv`."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs = num_envs
        self.observation_space = observation_space
        self.action_space = action_space
        self.render_mode = self.get_attr("render_mode")[0]  # type: ignore[attr-defined]
        self._seeds: list[int | None] = [None] * num_envs

    def seed(self, seed: int) -> None:
        self._seeds = [seed + k for k in range(self.num_envs)]

    def _reset_seeds(self) -> None:
        self._seeds = [None] * self.num_envs

    def _get_indices(self, indices: Any) -> Any:
        return range(self.num_envs) if indices is None else indices

    def step(self, actions: Any) -> Any:
        self.step_async(actions)  # type: ignore[attr-defined]
        return self.step_wait()  # type: ignore[attr-defined]


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name in ("stable_baselines3", "stable_baselines3.common"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    module = ModuleType("stable_baselines3.common.vec_env")
    module.VecEnv = VecEnv  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    yield importlib.import_module("snakestudio.gym.sb3")
    sys.modules.pop("snakestudio.gym.sb3")


def make(mode: str = "SameStep") -> Any:
    return gymnasium.make_vec(PATH, 3, autoreset_mode=mode, episode_s=0.3)


def test_adapter_gives_the_numbers_of_the_vector_environment(adapter: ModuleType) -> None:
    envs = adapter.SnakeVecEnv(RescaleAction(make(), -1.0, 1.0))
    plain = RescaleAction(make(), -1.0, 1.0)
    assert (envs.num_envs, envs.render_mode) == (3, None)
    assert envs.get_attr("dt", [0]) == [0.1]
    assert envs.env_is_wrapped(object) == [False] * 3
    envs.seed(4)
    np.testing.assert_array_equal(envs.reset(), plain.reset(seed=4)[0])
    assert set(envs.reset_infos[1]) == {"values"}
    for period in range(1, 5):
        action = np.full((3, 3), 0.2)
        observation, reward, done, infos = envs.step(action)
        expected, same_reward, _, truncated, values = plain.step(action)
        np.testing.assert_array_equal(observation, expected)
        np.testing.assert_array_equal(reward, same_reward)
        np.testing.assert_array_equal(done, truncated)
        ends = period == 3
        assert done.all() == ends
        source = values["final_info"] if ends else values
        for world, info in enumerate(infos):
            assert info["cross_track_m"] == source["cross_track_m"][world]
            assert info["reward_near"] == source["reward_near"][world]
            assert info.get("TimeLimit.truncated") == (True if ends else None)
            if ends:
                last = values["final_obs"][world]
                np.testing.assert_array_equal(info["terminal_observation"], last)
    envs.close()
    plain.close()


def test_adapter_refuses_other_environments(adapter: ModuleType) -> None:
    envs = make("NextStep")
    with pytest.raises(UsageError, match=r'autoreset_mode="SameStep"'):
        adapter.SnakeVecEnv(envs)
    envs.close()
    adapted = adapter.SnakeVecEnv(make())
    with pytest.raises(UsageError, match=r"Set task of SnakeVecEnv.envs"):
        adapted.set_attr("task", None)
    with pytest.raises(UsageError, match=r"Call reset of SnakeVecEnv.envs"):
        adapted.env_method("reset")
    with pytest.raises(AttributeError):
        adapted.get_attr("speed")
    adapted.close()


def test_missing_stable_baselines_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ModuleNotFoundError, match="pip install stable-baselines3"):
        importlib.import_module("snakestudio.gym.sb3")
