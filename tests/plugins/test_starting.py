"""Files written by `snakestudio plugin new` run unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio import api
from snakestudio.analysis.signals import compile_signal
from snakestudio.analysis.signals.reductions import compile_reduction
from snakestudio.cli import main
from snakestudio.errors import PluginError, PluginRuntimeError, SignalError
from snakestudio.export.formats import EXPORTS, write_as
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.model.columns import column_names
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load
from snakestudio.plugins.starting import ROLES, new_plugin
from snakestudio.session.scene_check import check

from .plugin_files import QUICK

SCENES = {
    "controller": {"controller.kind": "my_kind"},
    "gait": {"gait.kind": "my_kind"},
    "formulation": {"model.kind": "my_kind", "solver.step_s": 0.002},
    "shape": {
        "obstacles": [{"kind": "my_kind", "x_m": 3.0, "y_m": 1.0}],
        "model.kind": "planar_nonsmooth",
    },
}


def started(folder: Path, role: str, name: str = "my_kind") -> Path:
    path = folder / f"{name}.py"
    assert main(["plugin", "new", role, str(path)]) == 0
    return path


@pytest.mark.parametrize("role", SCENES)
def test_template_of_a_scene_kind_runs(tmp_path: Path, role: str) -> None:
    path = started(tmp_path, role)
    assert sum(bool(line.strip()) for line in path.read_text().splitlines()) < 50
    load(path)
    scene = with_values(Scene(), {**QUICK, **SCENES[role]})
    assert [p for p in check(scene) if p.severity == "error"] == []
    run = api.simulate(scene)
    moved = np.hypot(np.diff(run["link_1_x_m"]), np.diff(run["link_1_y_m"])).sum()
    assert moved > 1e-4


@pytest.fixture
def run() -> api.Run:
    return api.simulate(with_values(Scene(), QUICK))


def test_template_of_a_reduction_runs(tmp_path: Path, run: api.Run) -> None:
    load(started(tmp_path, "reduction"))
    figure = compile_reduction("my_kind(com_x_m, 0.5)", column_names(run.recording.schema))
    x, t = run["com_x_m"], run["time_s"]
    assert figure.value(run.recording) == pytest.approx(x[t >= 0.5 * t[-1]].mean(), abs=1e-15)
    assert figure.unit == "m"
    with pytest.raises(SignalError, match=r"is not between 0 and 1|0 to 1"):
        compile_reduction("my_kind(com_x_m, 2)", column_names(run.recording.schema))


def test_template_of_a_filter_runs(tmp_path: Path, run: api.Run) -> None:
    path = started(tmp_path, "filter")
    load(path)
    signal = compile_signal("my_kind(com_x_m, 0.02)", column_names(run.recording.schema))
    x, t = run["com_x_m"], run["time_s"]
    expected = x.copy()
    for k in range(1, len(x)):
        expected[k] = expected[k - 1] + (1 - np.exp(-(t[k] - t[k - 1]) / 0.02)) * (
            x[k] - expected[k - 1]
        )
    np.testing.assert_allclose(signal.values(run.recording), expected, atol=1e-12)
    piece = signal.values(run.recording, 40, 51)
    np.testing.assert_allclose(
        piece, expected[40:51], atol=1e-9, err_msg="asked for piece by piece it is the same"
    )
    path.write_text(path.read_text().replace("result = np.array(values)", "return values[:3]"))
    load(path)
    with pytest.raises(
        SignalError,
        match=r"my_kind gives 3 float64.*51",
    ):
        compile_signal("my_kind(com_x_m, 0.02)", column_names(run.recording.schema)).values(
            run.recording
        )


def test_template_of_a_quantity_runs(tmp_path: Path, run: api.Run) -> None:
    path = started(tmp_path, "quantity")
    load(path)
    columns = column_names(run.recording.schema)
    assert columns[-4:] == tuple(f"link_{k}_my_kind_m" for k in range(1, 5))
    again = api.Run(run.recording)
    np.testing.assert_array_equal(again["link_2_my_kind_m"], 0.0)
    path.write_text(
        path.read_text().replace("return z - np.min(z, axis=1, keepdims=True)", "return z[:, :2]")
    )
    load(path)
    with pytest.raises(
        PluginRuntimeError, match=r"\d+ x 2 float64.* link_\{\}_my_kind_m .*\d+ x 4"
    ):
        api.Run(run.recording)["link_2_my_kind_m"]


def test_template_of_an_export_writes_a_complete_file_or_none(tmp_path: Path, run: api.Run) -> None:
    path = started(tmp_path, "export")
    load(path)
    run.to_mcap(tmp_path / "run.mcap")
    out = tmp_path / "out.my_kind"
    assert main(["export", str(tmp_path / "run.mcap"), "--to", str(out)]) == 0
    assert np.loadtxt(out).shape == (51, 3)
    path.write_text(
        path.read_text().replace("np.savetxt(", "path.write_text('half'); 1 / 0; np.savetxt(")
    )
    load(path)
    with pytest.raises(PluginRuntimeError, match="raised ZeroDivisionError"):
        write_as(EXPORTS["my_kind"], run, tmp_path / "none.my_kind")
    assert {each.name for each in tmp_path.iterdir()} == {"my_kind.py", "run.mcap", "out.my_kind"}
    assert main(["export", str(tmp_path / "run.mcap"), "--to", str(tmp_path / "run.odd")]) == 2


def test_template_of_a_firmware_answers_on_the_bus(tmp_path: Path) -> None:
    loaded = load_profile(find_profile("lab_robot"))
    emulation = loaded.profile.emulation.model_copy(update={"plugin_firmware": "my_kind"})
    own = replace(loaded, profile=loaded.profile.model_copy(update={"emulation": emulation}))
    with pytest.raises(Exception, match='plugin_firmware = "my_kind"'):
        EmulatedRobot(own)
    load(started(tmp_path, "firmware"))
    robots = EmulatedRobot(loaded), EmulatedRobot(own)
    node: Any = robots[1].nodes[0]
    assert type(node).__name__ == "MyKind"
    sent: list[list[Frame]] = [[], []]
    for k in range(200):
        for robot, frames in zip(robots, sent, strict=True):
            frames += robot.poll(0.01 * k)
    assert [frame.id for frame in sent[0]] == [frame.id for frame in sent[1]]
    assert len(sent[0]) > 100
    for address, extended in node.addresses():
        robots[1].receive(Frame(address, bytes(8), extended), 2.0)
    assert node.frames == len(node.addresses())


def test_new_plugin_refuses_invalid_paths(tmp_path: Path) -> None:
    path = started(tmp_path, "gait")
    for name, sentence in {
        "my_kind.py": "already",
        "my-kind.py": "Python module",
        "kind.txt": "Python file",
        "_1.py": "_1 .* valid",
        "none/kind.py": "cannot be written",
    }.items():
        with pytest.raises(PluginError, match=sentence):
            new_plugin("gait", tmp_path / name)
    assert new_plugin("controller", path, force=True) == path.read_text()
    with pytest.raises(PluginError, match=r"template.*robot"):
        new_plugin("robot", path)
    assert len(ROLES) == 9
