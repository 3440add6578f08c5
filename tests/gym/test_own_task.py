"""Own tasks: registration, Gymnasium's checker, single against vector environments, and mistakes in their code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import snakestudio.gym
from snakestudio.errors import UsageError
from snakestudio.gym import TASKS, Entry, SnakeEnv, SnakeVectorEnv, Task, WaveTask
from tests.test_docs import code

PERIODS = 4


class Reach(Task):
    """Move the centre of mass to a drawn distance along x, by targets of the joints."""

    default_scene: ClassVar[str] = "lagrangian_undulation"
    control_period_s: ClassVar[float] = 0.05
    episode_s: ClassVar[float] = PERIODS * 0.05

    def __init__(self, settings: Any, n: int) -> None:
        super().__init__(settings, n)
        self.goal = np.zeros(n)

    def begin(self, worlds: Any, state: Any) -> None:
        super().begin(worlds, state)
        for world in worlds:
            self.goal[world] = self.randoms[world].uniform(0.1, 0.2)  # type: ignore[union-attr]

    def observation_entries(self) -> Any:
        return (*self.joint_entries(), Entry("left_m", -10.0, 10.0), *self.motion_entries())

    def observe(self, state: Any) -> Any:
        left = self.goal - self.centre(state)[:, 0]
        return [*self.joint_values(state), left, *self.motion_values(state)]

    def reward(self, state: Any) -> Any:
        return self.velocity[:, 0]


@pytest.fixture
def own(request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"Test/{request.node.name.partition('[')[0]}-v0"
    yield name
    TASKS.pop(name, None)
    gymnasium.registry.pop(name, None)


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return the module of the tutorial."""
    (tmp_path / "turn.py").write_text(code("tutorials/own-task", "python")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import turn  # type: ignore[import-not-found]

    yield turn
    del sys.modules["turn"]
    del TASKS["Me/Turn-v0"], gymnasium.registry["Me/Turn-v0"]


def test_code_of_the_tutorial_runs(turn: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    _, check, many, train = code("tutorials/own-task", "python")
    namespace: dict[str, Any] = {"np": np}
    exec(compile(check + many.replace("64", "8"), "own-task.md", "exec"), namespace)
    assert "error_rad" in capsys.readouterr().out
    compile(train, "own-task.md", "exec")


def test_code_of_the_tutorial_is_about_as_short_as_promised() -> None:
    (task, *_) = code("tutorials/own-task", "python")
    lines = [line for line in task.splitlines() if line.strip()]
    assert len(lines) <= 45


def step(kind: type[Task], n: int) -> None:
    """Create an environment of a task, and take a step."""
    env = SnakeVectorEnv(n, kind) if n else SnakeEnv(kind)
    with closing(env):
        env.reset(seed=0)
        env.step(env.action_space.sample())


def test_messages_of_the_tutorial_are_those_of_the_program(turn: ModuleType) -> None:
    quoted = code("tutorials/own-task", "")[0].splitlines()
    entries = turn.Turn.observation_entries
    kinds = [
        type("Turn", (turn.Turn,), {"observe": lambda self, state: state.joint_angle[:, :1]}),
        type("Turn", (turn.Turn,), {"power": lambda self, state: np.full(self.n, np.nan)}),
        type("Turn", (WaveTask,), {"observation_entries": entries, "observe": entries}),
    ]
    for kind, line in zip(kinds, quoted, strict=True):
        with pytest.raises(UsageError) as caught:
            step(kind, 0)
        numbers = str(caught.value).replace("(got 1)", "(got 32)").replace("world 0", "world 5")
        assert numbers == line


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_own_task_has_the_same_bits_in_a_vector_environment(own: str, mode: str) -> None:
    snakestudio.gym.register(own, Reach)
    singles = gymnasium.make_vec(
        own, 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}
    )
    worlds = gymnasium.make_vec(own, 3, autoreset_mode=mode, threads=2)
    assert isinstance(worlds.unwrapped, SnakeVectorEnv)
    np.testing.assert_array_equal(singles.reset(seed=5)[0], worlds.reset(seed=5)[0])
    worlds.action_space.seed(2)
    ends = 0
    for _ in range(2 * PERIODS + 2):
        action = worlds.action_space.sample()
        *expected, _ = singles.step(action)
        *numbers, info = worlds.step(action)
        for one, other in zip(expected, numbers, strict=True):
            np.testing.assert_array_equal(one, other)
        ends += int(numbers[3].sum())
        assert "reward" in info
    assert ends == 6
    singles.close()
    worlds.close()


def test_tutorial_task_has_the_same_bits_in_a_vector_environment(turn: ModuleType) -> None:
    singles = gymnasium.make_vec("Me/Turn-v0", 3, vectorization_mode="sync")
    worlds = gymnasium.make_vec("Me/Turn-v0", 3)
    np.testing.assert_array_equal(singles.reset(seed=1)[0], worlds.reset(seed=1)[0])
    for _ in range(5):
        action = worlds.action_space.sample()
        for one, other in zip(singles.step(action)[:4], worlds.step(action)[:4], strict=True):
            np.testing.assert_array_equal(one, other)
    singles.close()
    worlds.close()


def test_own_task_passes_the_checker_and_takes_all_options(own: str) -> None:
    snakestudio.gym.register(own, Reach)
    check_env(gymnasium.make(own).unwrapped, skip_render_check=True)
    env = gymnasium.make(
        own,
        scene="path_following",
        values={"ground.viscous_across_ns_per_m": 5.0},
        frame_skip=10,
        episode_s=1.0,
        friction_jitter=0.1,
        angle_limit_rad=0.3,
        render_mode="rgb_array",
        width=32,
        height=24,
    )
    _, info = env.reset(seed=0)
    assert 4.5 <= info["values"]["ground.viscous_across_ns_per_m"] <= 5.5
    assert env.action_space.high.max() == 0.3  # type: ignore[attr-defined]
    assert env.get_wrapper_attr("dt") == pytest.approx(0.01)
    assert np.shape(env.render()) == (24, 32, 3)
    env.close()


def test_own_task_runs_in_other_processes(own: str) -> None:
    snakestudio.gym.register(own, Reach)
    envs = gymnasium.make_vec(own, 2, vectorization_mode="async")
    again = gymnasium.make_vec(own, 2)
    np.testing.assert_array_equal(envs.reset(seed=3)[0], again.reset(seed=3)[0])
    envs.close()
    again.close()


def test_simulation_failure_ends_episode_of_own_task() -> None:
    diverging = {
        "joint_controller.kp_nm_per_rad": 1e9,
        "solver.step_s": 0.001,
        "control.period_s": 0.01,
    }
    env = SnakeEnv(Reach, scene="obstacle_aided", values=diverging)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(env.action_space.high)
    assert terminated
    assert info["reward_failure"] == -10.0
    assert reward < -5.0
    assert info["failure"]


def test_name_can_be_registered_again(own: str) -> None:
    snakestudio.gym.register(own, Reach)
    changed = type("Reach", (Reach,), {"episode_s": 1.0})
    snakestudio.gym.register(own, changed)
    assert gymnasium.make(own).unwrapped.task.episode_steps == 20  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "task", "message"),
    [
        ("Me/X-v0", 3, "subclass of snakestudio.gym.Task, not 3"),
        ("Me/X-v0", dict, "dict"),
        ("Me/X-v0", Task, "observation_entries(self)"),
        ("no name", Reach, '"no name"'),
        (7, Reach, '"7"'),
        ("SnakeStudio/Sidewinding-v0", Reach, "Choose another name"),
    ],
)
def test_invalid_registrations_are_refused(name: Any, task: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        snakestudio.gym.register(name, task)
    assert message in str(caught.value)


def bad_init(self: Any, settings: Any, n: int) -> None:
    self.n = n


MISTAKES: list[tuple[dict[str, Any], *tuple[str, ...]]] = [
    ({"default_scene": None}, "Set default_scene"),
    ({"default_scene": "worm"}, "joints follow angles"),
    ({"__init__": bad_init}, "Call super().__init__(settings, n)"),
    ({"__init__": lambda self: None}, "__init__(self, settings, n)"),
    ({"reward": lambda self: 0.0}, "Reach.reward", "reward(self, state)"),
    ({"begin": lambda self, state: None}, "begin(self, worlds, state)"),
    ({"reward": 3.0}, "Reach.reward", "reward(self, state)"),
    ({"reward": lambda self, state: 1.0}, "Reach.reward", "array of shape"),
    ({"reward": lambda self, state: None}, "Reach.reward", "arrays of real"),
    ({"reward": lambda self, state: {}}, "Reach.reward must return"),
    ({"reward": lambda self, state: {"a": "fast"}}, "Reach.reward", "arrays of real"),
    ({"reward": lambda self, state: {1: state.time}}, "name 1."),
    ({"reward": lambda self, state: {"_a": state.time}}, "name '_a'."),
    ({"reward": lambda self, state: {"failure": state.time}}, "name 'failure'."),
    ({"reward": lambda self, state: state.joint_angle}, "Reach.reward", "array of shape"),
    (
        {"reward": lambda self, state: state.time * np.nan},
        "Reach.reward",
        "nan for reward in world 0",
    ),
    ({"reward": lambda self, state: state.time + 1j}, "real numbers for reward"),
    ({"done": lambda self, state: False}, "Reach.done", "(got ())"),
    ({"done": lambda self, state: state.time}, "Reach.done", "bools"),
    ({"done": lambda self, state: None}, "Reach.done", "bools"),
    ({"info": lambda self, state: None}, "Reach.info", "dict of arrays"),
    ({"info": lambda self, state: {"reward": state.time}}, "same name"),
    ({"info": lambda self, state: {"x": [[1.0]] * self.n}}, "Reach.info", "array of shape"),
    ({"observe": lambda self, state: None}, "Reach.observe", "arrays of real"),
    ({"observe": lambda self, state: []}, "Reach.observe", "32 columns"),
    ({"observe": lambda self, state: state.joint_angle}, "Reach.observe", "32 columns"),
    ({"observe": lambda self, state: [state.joint_angle.T]}, "Reach.observe", "first index"),
    ({"observe": lambda self, state: [[1.0, [2.0]]]}, "Reach.observe", "arrays of real"),
    (
        {"observe": lambda self, state: np.full((self.n, 32), np.nan)},
        "Reach.observe",
        "nan for joint_1_yaw_rad in world 0",
    ),
    ({"observation_entries": lambda self: ()}, "at least one"),
    ({"observation_entries": lambda self: (Entry("a", 1.0, 0.0),)}, "Entry(name, low, high)"),
    ({"observation_entries": lambda self: ("a", "b")}, "Entry(name, low, high)"),
    ({"observation_entries": lambda self: (Entry("a", 0.0, np.inf),)}, "Entry(name, low, high)"),
    ({"observation_entries": lambda self: (Entry("a", 0.0, 1.0),) * 2}, 'named "a"'),
    ({"joint_targets": lambda self, action: action[:, :2]}, "Reach.joint_targets", "(got"),
    (
        {"joint_targets": lambda self, action: action * np.nan},
        "Reach.joint_targets",
        "nan for joint_1_yaw in world 0",
    ),
    ({"draw": lambda self, random: None}, "Reach.draw", "dict of scene"),
]


@pytest.mark.parametrize("n", [0, 2], ids=["single", "vector"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_task_give_one_message(
    mistake: tuple[dict[str, Any], *tuple[str, ...]], n: int
) -> None:
    members, *parts = mistake
    with pytest.raises(UsageError) as caught:
        step(type("Reach", (Reach,), members), n)
    assert all(part in str(caught.value) for part in parts), caught.value


@pytest.mark.parametrize(
    "parameters", [(), (Entry("speed", 0.0, 1.0),), ("offset_rad",), (("offset_rad", 0.0, 1.0),)]
)
def test_invalid_parameters_of_a_wave_are_refused(turn: ModuleType, parameters: Any) -> None:
    with pytest.raises(UsageError, match=r"Turn.parameters.*offset_rad"):
        step(type("Turn", (turn.Turn,), {"parameters": parameters}), 0)


@pytest.mark.parametrize("count", [0, -1, 2.5, None, True])
def test_invalid_numbers_of_simulations_are_refused(count: Any) -> None:
    with pytest.raises(UsageError, match="num_envs"):
        SnakeVectorEnv(count, Reach)
