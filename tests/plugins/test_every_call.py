"""Every call that the program makes to a plug-in is guarded: a table of the calls of all kinds, and of faults."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from snakestudio import api
from snakestudio.analysis.signals import compile_signal
from snakestudio.analysis.signals.reductions import compile_reduction
from snakestudio.api.simulation import open_simulation
from snakestudio.errors import PluginRuntimeError, SignalError, SnakeStudioError, StateError
from snakestudio.export.formats import EXPORTS, write_as
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.kinds.reads import findings
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.model.columns import column_names
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shape import SHAPES
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load
from snakestudio.plugins.starting import ROLES, new_plugin
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check

from .plugin_files import QUICK

SCENES: dict[str, dict[str, Any]] = {
    "controller": {"controller.kind": "my_kind"},
    "gait": {"gait.kind": "my_kind"},
    "formulation": {"model.kind": "my_kind", "solver.step_s": 0.002},
    "shape": {
        "obstacles": [{"kind": "my_kind", "x_m": 3.0, "y_m": 1.0}],
        "model.kind": "planar_nonsmooth",
    },
}


def scene_of(role: str) -> Scene:
    return with_values(Scene(), {**QUICK, **SCENES.get(role, {}), "run.duration_s": 0.1})


def run_scene(role: str) -> None:
    """Check and run a scene, change a value, save and restore its state."""
    scene = scene_of(role)
    problems = check(scene)
    assert not [each for each in problems if each.severity == "error"], problems
    findings(scene)
    runner = Runner(scene)
    runner.advance(20)
    if runner.error is not None:
        raise runner.error
    state, time = runner.checkpoint(), runner.time
    live = {"controller": "controller.amplitude_deg", "gait": "gait.amplitude_deg"}
    if role in live:
        runner.apply(with_values(scene, {live[role]: 31.0}))
    runner.advance(20)
    runner.restore(state, scene, time)
    runner.advance(20)
    if runner.error is not None:
        raise runner.error
    with open_simulation(scene) as sim:
        saved = sim.save()
        sim.step(n=20)
        sim.restore(saved)
        assert sim.time == 0.0
    api.simulate(scene)


def run_controller(folder: Path) -> None:
    run_scene("controller")
    kind = CONTROLLERS["my_kind"]
    fields = scene_of("controller").controller
    kind.note(fields)
    kind.says({})
    kind.marks({})
    if kind.events is not None:
        kind.events(SimpleNamespace(extra=()), fields)


def run_gait(folder: Path) -> None:
    run_scene("gait")
    kind = GAIT_KINDS["my_kind"]
    kind.readable(scene_of("gait").gait)
    if kind.rates is not None:
        kind.rates(scene_of("gait"))


def run_formulation(folder: Path) -> None:
    run_scene("formulation")
    kind = FORMULATIONS["my_kind"]
    kind.loaded(kind.largest_stable_step)(scene_of("formulation"))
    if kind.schema:
        kind.loaded(kind.schema)(scene_of("formulation"))


def run_shape(folder: Path) -> None:
    run_scene("shape")
    kind = SHAPES["my_kind"]
    obstacle = scene_of("shape").obstacles[0]
    kind.solids(obstacle, None)
    kind.middle(obstacle)
    kind.scaled(obstacle, 1.0, 1.0, 1.0)
    kind.fresh(lambda length: length)
    kind.typical(obstacle)
    kind.without_files(obstacle)


def recorded() -> api.Run:
    return api.simulate(scene_of(""))


def run_reduction(folder: Path) -> None:
    run = recorded()
    figure = compile_reduction("my_kind(com_x_m, 0.5)", column_names(run.recording.schema))
    assert math.isfinite(figure.value(run.recording))


def run_filter(folder: Path) -> None:
    run = recorded()
    signal = compile_signal("my_kind(com_x_m, 0.02)", column_names(run.recording.schema))
    assert np.isfinite(signal.values(run.recording)).all()


def run_quantity(folder: Path) -> None:
    run = recorded()
    run.to_csv(folder / "run.csv")


def run_export(folder: Path) -> None:
    write_as(EXPORTS["my_kind"], recorded(), folder / "out.my_kind")


def run_firmware(folder: Path) -> None:
    loaded = load_profile(find_profile("lab_robot"))
    emulation = loaded.profile.emulation.model_copy(update={"plugin_firmware": "my_kind"})
    own = replace(loaded, profile=loaded.profile.model_copy(update={"emulation": emulation}))
    robot = EmulatedRobot(own)
    for k in range(100):
        robot.poll(0.01 * k)
    for address, extended in robot.nodes[0].addresses():
        robot.receive(Frame(address, bytes(8), extended), 1.0)


DRIVERS: dict[str, Callable[[Path], None]] = {role: globals()[f"run_{role}"] for role in ROLES}

METHODS = {
    "controller": ("begin", "angles", "values", "reference", "apply", "checkpoint", "restore"),
    "gait": ("__init__", "angles", "motion", "apply", "checkpoint", "restore"),
    "formulation": (
        "begin",
        "step",
        "links",
        "advance",
        "snapshot",
        "initial_rows",
        "checkpoint",
        "restore",
        "scene",
        "schema",
        "time",
        "step_count",
    ),
    "firmware": ("handle", "poll", "addresses", "condition"),
}
"""Methods and properties of the classes of a kind."""

FIELDS = {
    "controller": ("make", "check", "note", "says", "marks", "events"),
    "gait": ("make", "check", "readable", "rates"),
    "formulation": ("engine", "check", "schema", "largest_stable_step"),
    "shape": ("solids", "middle", "scaled", "fresh", "typical", "without_files"),
    "reduction": ("of", "unit"),
    "filter": ("of", "unit", "reach_s"),
    "quantity": ("values", "of", "having", "there"),
    "export": ("write",),
    "firmware": ("make",),
}
"""Functions of the declaration of a kind."""

PROPERTIES = ("condition", "scene", "schema", "time", "step_count")

RAISING = {
    "exit": "raise SystemExit(1)",
    "no_text": "raise NoText()",
}
OTHERS = {
    "exception": "1 / 0",
    "recursion": "return bad(*a, **k)",
    "generator_exit": "raise GeneratorExit()",
    "stop": "raise StopIteration()",
}
"""Exceptions that are tried in the first call of each kind."""
RETURNING = {"none": "return None", "evil": "return Evil()"}

SABOTAGE = """

class NoText(Exception):
    def __str__(self):
        raise ValueError("no text")
    __repr__ = __str__


class Evil:
    def fail(self, *a):
        raise ValueError("evil")
    __repr__ = __str__ = __eq__ = __iter__ = __len__ = __bool__ = __array__ = __float__ = fail
    __hash__ = None
    __getattr__ = fail


def bad(*a, **k):
    {body}
"""


def sabotaged(folder: Path, role: str, target: str, body: str, *, field: bool) -> Path:
    path = folder / "my_kind.py"
    text = new_plugin(role, path) + SABOTAGE.format(body=body)
    if field:
        text += f"\n\nimport dataclasses\n\nKIND = dataclasses.replace(KIND, {target}=bad)\n"
    elif target in PROPERTIES:
        text += f"\n\nMyKind.{target} = property(bad)\n"
    else:
        text += f"\n\nMyKind.{target} = bad\n"
    path.write_text(text, encoding="utf-8")
    return path


CALLS = [(role, name, False) for role, names in METHODS.items() for name in names] + [
    (role, name, True) for role, names in FIELDS.items() for name in names
]


def outcome(
    folder: Path, role: str, target: str, body: str, field: bool
) -> SnakeStudioError | None:
    """Error of the program for a sabotaged call; any other exception fails the test."""
    try:
        load(sabotaged(folder, role, target, body, field=field))
        DRIVERS[role](folder)
    except SnakeStudioError as error:
        return error
    return None


@pytest.mark.parametrize("body", RAISING)
@pytest.mark.parametrize(("role", "target", "field"), CALLS, ids=lambda value: str(value))
def test_exception_in_any_call_is_one_sentence(
    tmp_path: Path, role: str, target: str, field: bool, body: str
) -> None:
    error = outcome(tmp_path, role, target, RAISING[body], field)
    assert isinstance(error, PluginRuntimeError | SignalError), error
    assert "my_kind" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("body", OTHERS)
@pytest.mark.parametrize("role", ROLES)
def test_any_exception_is_one_sentence(tmp_path: Path, role: str, body: str) -> None:
    error = outcome(tmp_path, role, FIELDS[role][0], OTHERS[body], True)
    assert isinstance(error, PluginRuntimeError | SignalError), error
    assert "my_kind" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("body", RETURNING)
@pytest.mark.parametrize(("role", "target", "field"), CALLS, ids=lambda value: str(value))
def test_result_of_another_type_is_one_sentence_or_is_accepted(
    tmp_path: Path, role: str, target: str, field: bool, body: str
) -> None:
    error = outcome(tmp_path, role, target, RETURNING[body], field)
    if error is not None:
        assert "my_kind" in str(error) or isinstance(error, StateError), error
        assert "\n" not in str(error)
