"""Environments for reinforcement learning: scenes with the interface of Gymnasium.

>>> import gymnasium
>>> import snakestudio.gym
>>> env = gymnasium.make("SnakeStudio/PathFollowing-v0")
>>> envs = gymnasium.make_vec("SnakeStudio/Sidewinding-v0", num_envs=64)

Importing this package registers "SnakeStudio/Sidewinding-v0", "SnakeStudio/ObstacleAided-v0",
"SnakeStudio/PathFollowing-v0" and "SnakeStudio/JamEscape-v0". The extra `rl` installs its
requirements.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("gymnasium") is None:
    raise ModuleNotFoundError(
        'snakestudio.gym needs the package gymnasium. Install it with: pip install "snakestudio[rl]"',
        name="gymnasium",
    )

import gymnasium

from snakestudio.gym.environment import SnakeEnv
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Task
from snakestudio.gym.task_registry import TASKS
from snakestudio.gym.vector import SnakeVectorEnv

__all__ = ["TASKS", "Settings", "SnakeEnv", "SnakeVectorEnv", "Task"]

for _id in TASKS:
    gymnasium.register(
        _id,
        entry_point="snakestudio.gym.environment:SnakeEnv",
        vector_entry_point="snakestudio.gym.vector:SnakeVectorEnv",
        kwargs={"task": _id},
    )
