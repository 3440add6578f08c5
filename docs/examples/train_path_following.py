"""Trains a policy that follows a path: PPO of stable-baselines3 on 64 simulations, a few minutes on two processors.

python train_path_following.py --steps 600000 --out learned_path_following

Writes the policy as NAME.npz, which learned_path_following.py runs, and the learning curve as
NAME.csv and NAME.png. Needs: pip install "snakestudio[rl]" stable-baselines3
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers.vector import RescaleAction
from matplotlib.figure import Figure
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.vec_env import VecNormalize

from snakestudio.gym.sb3 import SnakeVecEnv  # importing snakestudio.gym registers the environments

Array = NDArray[np.float64]


class LearningCurve(BaseCallback):
    """Mean reward of a control period and mean distance from the path, after every round of training."""

    def __init__(self, normalized: VecNormalize) -> None:
        super().__init__()
        self.normalized = normalized
        self.rows: list[tuple[int, float, float, float]] = []
        self.rewards: list[float] = []
        self.distances: list[float] = []
        self.began = time.perf_counter()

    def _on_step(self) -> bool:
        self.rewards.append(float(self.normalized.get_original_reward().mean()))
        distances = [abs(info["cross_track_m"]) for info in self.locals["infos"]]
        self.distances.append(float(np.mean(distances)))
        return True

    def _on_rollout_end(self) -> None:
        row = (
            time.perf_counter() - self.began,
            float(np.mean(self.rewards)),
            float(np.mean(self.distances)),
        )
        self.rows.append((self.num_timesteps, *row))
        self.rewards.clear()
        self.distances.clear()
        print(
            "{:8d} steps  {:5.0f} s  reward {:6.3f}  off the path {:.3f} m".format(*self.rows[-1]),
            flush=True,
        )


def export(model: PPO, normalized: VecNormalize, low: Array, high: Array, path: Path) -> None:
    """Write what the policy is made of: a few matrices, so that plain NumPy can evaluate it."""
    parts = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    layers = [part for part in parts if isinstance(part, torch.nn.Linear)]
    arrays: dict[str, Any] = {"low": low, "high": high}
    for number, layer in enumerate(layers):
        arrays[f"weight_{number}"] = layer.weight.detach().numpy()
        arrays[f"bias_{number}"] = layer.bias.detach().numpy()
    seen = normalized.obs_rms
    assert isinstance(seen, RunningMeanStd)
    arrays["mean"] = seen.mean
    arrays["scale"] = 1.0 / np.sqrt(seen.var + normalized.epsilon)
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    np.savez_compressed(path, **arrays)


def draw(rows: list[tuple[int, float, float, float]], path: Path) -> None:
    """Draw the learning curve, averaged over the rounds of one episode: all simulations begin theirs together."""
    table = np.array(rows)
    rounds = min(len(table), 10)
    steps, _, reward, distance = (
        np.convolve(column, np.full(rounds, 1.0 / rounds), mode="valid") for column in table.T
    )
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(steps / 1000.0, reward)
    left.set(xlabel="control periods / 1000", ylabel="reward per control period")
    right.plot(steps / 1000.0, 100.0 * distance, color="tab:orange")
    right.set(
        xlabel="control periods / 1000", ylabel="distance from the path, cm", ylim=(0.0, None)
    )
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


def main() -> None:
    """Train, export, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--steps", type=int, default=600_000, help="control periods, of all simulations together"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("learned_path_following"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    # The planar Lagrangian model is smooth: five times the time step of the scene makes no
    # difference that counts.
    envs = gymnasium.make_vec(
        "SnakeStudio/PathFollowing-v0",
        num_envs=64,
        values={"solver.step_s": 0.005},
        autoreset_mode="SameStep",
    )
    actions = envs.single_action_space
    assert isinstance(actions, gymnasium.spaces.Box)
    batch = SnakeVecEnv(RescaleAction(envs, -1.0, 1.0))
    batch.seed(chosen.seed)
    normalized = VecNormalize(batch, clip_obs=10.0)
    curve = LearningCurve(normalized)
    model = PPO(
        "MlpPolicy",
        normalized,
        n_steps=64,
        batch_size=512,
        n_epochs=5,
        gamma=0.98,
        learning_rate=lambda left: 1e-3 * left,  # what is left of the training
        policy_kwargs={"net_arch": [32, 32], "log_std_init": -0.5},
        seed=chosen.seed,
        device="cpu",
    )
    model.learn(chosen.steps, callback=curve)
    export(model, normalized, actions.low, actions.high, chosen.out.with_suffix(".npz"))
    with chosen.out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["steps", "time_s", "reward", "off_path_m"])
        writer.writerows(
            (steps, *(f"{value:.4g}" for value in values)) for steps, *values in curve.rows
        )
    draw(curve.rows, chosen.out.with_suffix(".png"))
    batch.close()


if __name__ == "__main__":
    main()
