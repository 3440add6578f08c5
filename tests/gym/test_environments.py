"""Gymnasium environments: its checker, the vector environment against single ones, seeds, terminations, mistakes."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RescaleAction

from snakestudio.errors import SceneError, SnakeStudioWarning, UsageError
from snakestudio.gym import SnakeEnv, SnakeVectorEnv
from snakestudio.gym.documentation import with_environments
from snakestudio.gym.task_registry import BUNDLED as TASKS
from snakestudio.paths import docs_dir

SIDEWINDING, AIDED, PATH, JAM = TASKS
PERIODS = 6
FLYING = {"joint_controller.kp_nm_per_rad": 1e9, "solver.step_s": 0.001, "control.period_s": 0.01}
"""Values with which the joints of obstacle_aided diverge in the first steps."""


def make(task: str, **options: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(task, **options)


def make_vec(task: str, n: int, **options: Any) -> SnakeVectorEnv:
    envs = gymnasium.make_vec(
        task, n, vectorization_mode="vector_entry_point", threads=2, **options
    )
    assert isinstance(envs, SnakeVectorEnv)
    return envs


def make_sync(
    task: str, n: int, mode: str, **options: Any
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    return gymnasium.make_vec(
        task, n, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )


def episode(task: str, periods: int) -> float:
    return periods * TASKS[task].control_period_s


@pytest.mark.parametrize("task", TASKS)
def test_environments_pass_the_checker_of_gymnasium(task: str) -> None:
    env = make(task, episode_s=0.5, width=64, height=48)
    check_env(env.unwrapped, skip_render_check=task != JAM)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task", TASKS)
def test_batch_worlds_equal_single_environments(task: str, mode: str) -> None:
    options = {"episode_s": episode(task, PERIODS)}
    singles = make_sync(task, 3, mode, **options)
    worlds = make_vec(task, 3, autoreset_mode=mode, **options)
    names = np.array(worlds.observation_names)
    to_rounding = np.char.find(names, "_obstacle_") >= 0

    def assert_same(one: Any, other: Any) -> None:
        np.testing.assert_array_equal(one[..., ~to_rounding], other[..., ~to_rounding])
        np.testing.assert_allclose(
            one[..., to_rounding], other[..., to_rounding], rtol=1e-9, atol=1e-8
        )

    observation, infos = worlds.reset(seed=5)
    assert_same(singles.reset(seed=5)[0], observation)
    # each has its own friction
    assert len({next(iter(values.values())) for values in infos["values"]}) == 3
    worlds.action_space.seed(2)
    ends = 0
    for _ in range(2 * PERIODS):
        action = worlds.action_space.sample()
        *numbers, info = worlds.step(action)
        *expected, own = singles.step(action)
        assert_same(expected[0], numbers[0])
        for one, other in zip(expected[1:], numbers[1:], strict=True):
            np.testing.assert_array_equal(one, other)
        assert set(own) - {"values", "_values"} <= set(info)
        for name in [name for name in info if name.startswith("_") and name != "_reward_failure"]:
            np.testing.assert_array_equal(
                info[name], own.get(name, np.zeros(3, bool)), err_msg=name
            )
        for last, other in zip(own.get("final_obs", ()), info.get("final_obs", ()), strict=True):
            assert_same(last, other)
        for name, value in own.items():
            if name.startswith("reward"):
                np.testing.assert_array_equal(value, info[name], err_msg=name)
        ends += int(numbers[3].sum())
    assert ends == (3 if mode == "NextStep" else 6)
    singles.close()
    worlds.close()


@pytest.mark.parametrize("task", [SIDEWINDING, JAM])
def test_seed_determines_start_values_and_motion(task: str) -> None:
    one = make(task)
    other = make(task)
    other.reset(seed=8)
    other.step(other.action_space.sample())
    for seed in (3, None):  # the second episode draws its own start from the same generator
        first, info = one.reset(seed=seed)
        again, same = other.reset(seed=seed)
        assert info == same
        np.testing.assert_array_equal(first, again)
        one.action_space.seed(1)
        for _ in range(4):
            action = one.action_space.sample()
            (first, reward, *_), (again, reward_again, *_) = one.step(action), other.step(action)
            np.testing.assert_array_equal(first, again)
            assert reward == reward_again


def test_reward_is_the_sum_of_its_terms() -> None:
    env = make(SIDEWINDING)
    env.reset(seed=0)
    simulation = env.unwrapped.simulation  # type: ignore[attr-defined]
    before = simulation.state.centre_of_mass
    _, reward, _, _, info = env.step(env.action_space.high)
    displacement = simulation.state.centre_of_mass - before
    assert reward == pytest.approx(
        sum(value for name, value in info.items() if name.startswith("reward")), rel=1e-12
    )
    assert info["reward_speed"] == pytest.approx(10.0 * displacement[1] / 0.05, rel=1e-9)
    assert info["reward_drift"] == pytest.approx(-5.0 * abs(displacement[0]) / 0.05, rel=1e-9)
    state = simulation.state
    assert info["reward_power"] == pytest.approx(
        -0.01 * np.abs(state.joint_torque * state.joint_rate).sum(), rel=1e-9
    )


def test_scene_gait_as_action_has_the_known_speed() -> None:
    env = make(SIDEWINDING, friction_jitter=0.0, heading_jitter_deg=0.0)
    env.reset(seed=0)
    gait = np.array([np.radians(30.0), np.radians(10.0), 80.0 / 360.0, -np.radians(50.0), 0.0])
    places = [env.step(gait)[4]["y_m"] for _ in range(200)]
    assert (places[-1] - places[89]) / (110 * 0.05) == pytest.approx(0.105, abs=0.01)  # P1: 10 cm/s


def test_leaving_the_path_terminates() -> None:
    env = make(PATH, values={"start.y_m": 2.5}, position_jitter_m=0.0)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(env.action_space.high)
    assert (terminated, truncated, info["reward_lost"]) == (True, False, -10.0)
    assert float(reward) < -5.0
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.unwrapped.step(env.action_space.high)


def test_leaving_the_obstacles_terminates_with_success() -> None:
    env = make(JAM)
    env.reset(seed=0)
    simulation = env.unwrapped.simulation  # type: ignore[attr-defined]
    for _ in range(100):  # pulled out by hand
        for link in range(10):
            simulation.apply_wrench(link, (60.0, 0.0, 0.0))
        _, _, terminated, truncated, info = env.step(simulation.state.joint_angle)
        if terminated or truncated:
            break
    assert info["progress_m"] == pytest.approx(0.3, abs=0.05)
    assert (terminated, truncated, info["is_success"], info["reward_goal"]) == (
        True,
        False,
        True,
        10.0,
    )


def test_simulation_failure_terminates_with_a_reason() -> None:
    env = make(AIDED, values=FLYING)
    worlds = make_vec(AIDED, 2, values=FLYING)
    env.reset(seed=1)
    worlds.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.high)
    assert (terminated, truncated, info["reward_failure"]) == (True, False, -10.0)
    assert "step" in info["failure"]
    several, rewards, ended, _, infos = worlds.step(np.stack([env.action_space.high] * 2))
    assert ended.all()
    assert infos["failure"][0] == info["failure"]
    assert rewards[0] == reward
    names = np.char.find(np.array(worlds.observation_names), "_obstacle_") < 0
    np.testing.assert_array_equal(several[0][names], observation[names])
    assert worlds.step(worlds.action_space.sample())[0].shape == several.shape  # begins again
    worlds.close()


def test_manually_reset_worlds_continue() -> None:
    worlds = make_vec(PATH, 3, autoreset_mode="Disabled", episode_s=0.2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="world 0"):
        worlds.step(worlds.action_space.sample())
    worlds.reset(seed=0)
    for _ in range(2):
        observation, _, _, truncated, _ = worlds.step(worlds.action_space.sample())
    assert truncated.all()
    again, _ = worlds.reset(options={"reset_mask": np.array([True, False, True])})
    np.testing.assert_array_equal(again[1], observation[1])
    with pytest.raises(gymnasium.error.ResetNeeded, match="world 1"):
        worlds.step(worlds.action_space.sample())
    worlds.reset(options={"reset_mask": np.array([False, True, False])})
    worlds.step(worlds.action_space.sample())
    for wrong in (np.ones(2, bool), np.ones(3), np.zeros(3, bool)):
        with pytest.raises(UsageError, match=r"reset_mask.*3 bools"):
            worlds.reset(options={"reset_mask": wrong})
    worlds.close()


def test_actions_are_scaled_clipped_and_checked() -> None:
    scaled = RescaleAction(make(PATH), -1.0, 1.0)
    plain = make(PATH)
    scaled.reset(seed=4)
    plain.reset(seed=4)
    np.testing.assert_array_equal(
        scaled.step(np.ones(3))[0],
        plain.unwrapped.step(np.full(3, 5.0))[0],  # type: ignore[arg-type]
    )
    for wrong in (np.zeros(2), [np.nan, 0.0, 0.0], "fast", None):
        with pytest.raises(UsageError, match="An action must"):
            plain.unwrapped.step(wrong)


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        (PATH, {"scen": "x"}, '"scen"'),
        (
            PATH,
            {"frame_skip": 0},
            "frame_skip",
        ),
        (PATH, {"episode_s": 0.0}, "episode_s must be more than 0 (got 0)."),
        (PATH, {"friction_jitter": 1.0}, "friction_jitter must be below 1 (got 1)."),
        (
            PATH,
            {"position_jitter_m": float("nan")},
            "position_jitter_m",
        ),
        (PATH, {"render_mode": "human"}, 'render_mode must be "rgb_array" or None'),
        (PATH, {"scene": "sidewinding"}, "path to follow"),
        (
            SIDEWINDING,
            {"scene": "path_following"},
            "action has pitch_amplitude_rad",
        ),
        (SIDEWINDING, {"scene": "table_gait"}, "waves"),
        (AIDED, {"scene": "sidewinding"}, "push"),
        (AIDED, {"scene": "worm"}, "follow angles"),
        (JAM, {"scene": "jam_resolution"}, "10 s"),
        ("SnakeStudio/Flying-v0", {}, '"SnakeStudio/Flying-v0"'),
    ],
)
def test_invalid_options_are_refused(task: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        SnakeEnv(task, **options)
    assert message in str(caught.value)


def test_custom_scene_replaces_the_bundled_one() -> None:
    env = make(SIDEWINDING, scene="alternating_16", frame_skip=100)
    names = env.get_wrapper_attr("observation_names")
    assert names[0] == "joint_1_yaw_rad"
    assert len(names) == env.reset(seed=0)[0].size == 3 * 15 + 11
    assert env.get_wrapper_attr("dt") == pytest.approx(
        100 * env.get_wrapper_attr("task").scene.solver.step_s
    )


def test_invalid_starts_are_redrawn_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = SnakeEnv(AIDED, position_jitter_m=0.3)  # most of them in a pipe
    used = env.reset(seed=0)[1]["values"]
    assert used != env.task.draw(np.random.Generator(np.random.PCG64(0)))
    monkeypatch.setattr("snakestudio.gym.environment.DRAWS", 2)
    with pytest.raises(SceneError, match="None of 2"):
        env.reset(seed=0)


def test_missing_gymnasium_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("snakestudio.gym")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "snakestudio\[rl\]"'):
        importlib.import_module("snakestudio.gym")


def test_reference_of_environments_is_up_to_date() -> None:
    text = (docs_dir() / "environments.md").read_text(encoding="utf-8")
    assert with_environments(text) == text, "run: python packaging/document_keys.py"


def test_action_in_degrees_is_noticed_once() -> None:
    env = make(PATH)
    env.reset(seed=4)
    with pytest.warns(SnakeStudioWarning, match="yaw_amplitude_rad"):
        env.step(np.array([30.0, 0.3, 0.0]))  # type: ignore[arg-type]
    env.step(np.array([30.0, 0.3, 0.0]))  # type: ignore[arg-type]
    env.step(np.array([0.5, 30.0, 0.0]))  # type: ignore[arg-type]  # not an angle
