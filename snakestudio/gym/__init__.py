"""Environments for reinforcement learning: scenes with the interface of Gymnasium.

>>> import gymnasium
>>> import snakestudio.gym
>>> env = gymnasium.make("SnakeStudio/PathFollowing-v0")
>>> envs = gymnasium.make_vec("SnakeStudio/Sidewinding-v0", num_envs=64)

Importing this package registers "SnakeStudio/Sidewinding-v0", "SnakeStudio/ObstacleAided-v0",
"SnakeStudio/PathFollowing-v0" and "SnakeStudio/JamEscape-v0". Own tasks derive from `Task` or
`WaveTask`, and `register` names them. `snakestudio.gym.sb3` adapts vector environments to
stable-baselines3. The extra ``rl`` installs the requirements.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("gymnasium") is None:
    raise ModuleNotFoundError(
        'snakestudio.gym needs the package gymnasium. Install it with: pip install "snakestudio[rl]"',
        name="gymnasium",
    )

from snakestudio.gym.environment import SnakeEnv
from snakestudio.gym.settings import Settings
from snakestudio.gym.task import Entry, Task
from snakestudio.gym.task_registry import TASKS, register
from snakestudio.gym.task_state import TaskState
from snakestudio.gym.vector import SnakeVectorEnv
from snakestudio.gym.wave_task import WaveTask

__all__ = [
    "TASKS",
    "Entry",
    "Settings",
    "SnakeEnv",
    "SnakeVectorEnv",
    "Task",
    "TaskState",
    "WaveTask",
    "register",
]
