"""Controllers of plug-ins that compute all worlds of a batch in one call: as one by one, bit for bit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.errors import PluginRuntimeError
from snakestudio.paths import docs_dir
from snakestudio.plugins.loaded import find
from snakestudio.plugins.loading import unload
from tests.wording import naming

LAW = """
import numpy as np
from typing import Literal
from snakestudio.plugin import AngleController, ControllerFields, ControllerKind, Fields, value

CALLS = []


class TurnFields(ControllerFields):
    uses = ()
    kind: Literal["turn"] = "turn"
    goal_deg: float = value(0.0, help="Heading to reach", ge=-180, le=180)


class Turn(AngleController):
    channels = ("phase_rad",)
    needs = Fields.JOINTS | Fields.POSE | Fields.CONTACTS

    def begin(self):
        self.phase_rad = 0.0

    def angles(self, time, snapshot):
        CALLS.append(1)
        self.phase_rad += 4.0 * (time[-1] - time[0])
        push = np.abs(snapshot.link_obstacle_force.reshape(-1)).sum()
        bend = np.clip(np.radians(self.fields.goal_deg) - snapshot.heading, -0.1, 0.1)
        joint = np.arange(self.n_axes)
        wave = 0.5 * np.sin(self.phase_rad - 0.7 * joint)
        return (wave + bend) / (1.0 + 0.01 * push)
"""

TOGETHER = """
    def angles_batch(self, controllers, time, state):
        CALLS.append(len(controllers))
        for each in controllers:
            each.phase_rad += 4.0 * (time[-1] - time[0])
        phase = np.array([each.phase_rad for each in controllers])
        goal = np.array([np.radians(each.fields.goal_deg) for each in controllers])
        heading = state.heading
        force = np.abs(state.link_obstacle_force)
        push = force.reshape(len(force), -1).sum(axis=1)
        bend = np.clip(goal - heading, -0.1, 0.1)
        wave = 0.5 * np.sin(phase[:, None] - 0.7 * np.arange(self.n_axes))
        return (wave + bend[:, None]) / (1.0 + 0.01 * push)[:, None]
"""
KIND = """

KIND = ControllerKind(title="Turn", fields=TurnFields, make=Turn)
"""
GOALS = [10.0, 60.0, -40.0]
NAMES = ("link_pose", "joint_angle", "joint_angle_ref", "link_obstacle_force")


def plugin(folder: Path, *parts: str) -> Path:
    path = folder / "turn.py"
    path.write_text("".join((LAW, *parts, KIND)))
    return path


def values_of(goal: float, **more: Any) -> dict[str, Any]:
    return {"controller": {"kind": "turn", "goal_deg": goal}, **more}


def opened(path: Path, **more: Any) -> ss.Batch:
    values = [values_of(goal, **more) for goal in GOALS]
    return ss.open_batch("obstacle_aided", 3, values, plugins=[path])


def calls_of(path: Path) -> list[int]:
    """What the law was called for: the number of worlds of each call, or 1 without a common one."""
    plugin = find(path.stem)
    assert plugin is not None
    calls = list(plugin.module.CALLS)
    plugin.module.CALLS.clear()
    return calls


def states_of(path: Path, **more: Any) -> list[Any]:
    """States of three worlds after steps, with a restored state and a reset of one world."""
    states = []
    with opened(path, **more) as batch:
        period = batch.period_steps

        def note() -> None:
            states.extend(getattr(batch.state, name).copy() for name in NAMES)

        batch.step(n=40 * period + 5)
        note()
        saved = batch.save()
        batch.step(n=3 * period)
        note()
        batch.restore(saved)
        batch.step_period(n=2)
        batch.reset(mask=np.array([False, True, False]))
        batch.step_period(n=3)
        note()
    return states


@pytest.mark.parametrize(
    "more", [{}, {"actuator.max_speed_deg_s": 90.0}], ids=["free", "limited speed"]
)
def test_common_law_gives_identical_states(tmp_path: Path, more: dict[str, float]) -> None:
    path = plugin(tmp_path)
    alone = states_of(path, **more)
    assert set(calls_of(path)) == {1}
    unload(path.stem)
    batched = states_of(plugin(tmp_path, TOGETHER), **more)
    calls = calls_of(path)
    assert {3, 2} <= set(calls)  # the world that was reset has other times
    assert calls[:41] == [3] * 41
    for one, other in zip(alone, batched, strict=True):
        np.testing.assert_array_equal(one, other)
    assert any(force.any() for force in alone[3::4])


def test_common_law_equals_single_simulations(tmp_path: Path) -> None:
    path = plugin(tmp_path, TOGETHER)
    with opened(path) as batch:
        batch.step_period(n=20)
        assert calls_of(path) == [3] * 20
        for world, goal in enumerate(GOALS):
            with ss.open_simulation("obstacle_aided", values_of(goal)) as sim:
                sim.step_period(n=20)
                for name in NAMES:
                    np.testing.assert_array_equal(
                        getattr(batch.state, name)[world], getattr(sim.state, name)
                    )
    assert set(calls_of(path)) == {1}  # single simulations use the other method


def test_common_law_gives_angles_at_all_times(tmp_path: Path) -> None:
    law = """
    def angles(self, time, snapshot):
        return 0.3 * np.sin(2.0 * time[:, None] - 0.7 * np.arange(self.n_axes))
"""
    states = [states_of(plugin(tmp_path, law))]
    unload("turn")
    batch_law = """
    def angles_batch(self, controllers, time, state):
        own = 0.3 * np.sin(2.0 * time[:, None] - 0.7 * np.arange(self.n_axes))
        return np.broadcast_to(own, (len(controllers), *own.shape))
"""
    states.append(states_of(plugin(tmp_path, law, batch_law)))
    for one, other in zip(*states, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("return np.zeros((2, self.n_axes))", ("angles_batch()", "2 x 10", "3 x 10")),
        ("return None", ("angles_batch()", "None", "3 x 10")),
        ("return np.zeros((3, 4))", ("angles_batch()", "array of 4", "10 angles")),
        ("return np.full((3, self.n_axes), np.nan)", ("angles_batch()", "nan", "finite")),
        ("return state[9]", ("TypeError", "turn.py")),
    ],
    ids=["two worlds", "nothing", "four axes", "nan", "error"],
)
def test_invalid_common_law_is_named(tmp_path: Path, body: str, parts: tuple[str, ...]) -> None:
    law = f"""
    def angles_batch(self, controllers, time, state):
        {body}
"""
    with opened(plugin(tmp_path, law)) as batch:
        with pytest.raises(PluginRuntimeError) as error:
            batch.step_period()
        assert str(error.value) == naming("The plug-in turn", *parts)


def test_common_law_with_a_wrong_signature_is_refused(tmp_path: Path) -> None:
    law = """
    def angles_batch(self, state):
        return 0
"""
    with pytest.raises(PluginRuntimeError, match=r"Turn.angles_batch\(self, state\)"):
        ss.load_plugin(plugin(tmp_path, law))


def test_documented_law_is_the_same_for_all_worlds(tmp_path: Path) -> None:
    page = (docs_dir() / "batch.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (law,) = (each for each in programs if "angles_batch" in each)
    fields = LAW[LAW.index("class TurnFields") : LAW.index("class Turn(")]
    head = "from typing import Literal\nfrom snakestudio.plugin import ControllerFields, ControllerKind, value\n"
    path = tmp_path / "turn.py"
    path.write_text("".join((head, fields, law, KIND)))
    with opened(path) as batch:
        batch.step_period(n=30)
        for world, goal in enumerate(GOALS):
            with ss.open_simulation("obstacle_aided", values_of(goal)) as sim:
                sim.step_period(n=30)
                np.testing.assert_array_equal(batch.state.link_pose[world], sim.state.link_pose)
