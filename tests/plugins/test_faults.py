from __future__ import annotations

import signal
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.cli.ending import Ending
from snakestudio.errors import PluginRuntimeError
from snakestudio.model.edits import with_values
from snakestudio.plugins.faults import PluginCancelled, fault_of
from snakestudio.plugins.loading import load, reload
from snakestudio.session.runner import Runner

from .plugin_files import WAG, scene_file, wagging, written


def failing(folder: Path, here: str) -> Runner:
    load(written(folder, here=here))
    return Runner(wagging())


FAULTS = {
    "raises": (
        "if time[0] > 0.2: 1 / 0",
        r"raised ZeroDivisionError: division by zero \(line \d+ of .*wag.py\). Fix",
    ),
    "nan": (
        "if time[0] > 0.2: return np.full(self.n_axes, np.nan)",
        r"angles\(\) gives nan. Give finite numbers",
    ),
    "shape": (
        "if time[0] > 0.2: return np.zeros(7)",
        r"angles\(\).*7.*3 angles",
    ),
    "type": (
        "if time[0] > 0.2: return 'x'",
        r"angles\(\) gives.*3 angles",
    ),
    "exit": (
        "if time[0] > 0.2: raise SystemExit(1)",
        "exit",
    ),
    "recursion": ("f = lambda: f()\nif time[0] > 0.2: f()", "deeply"),
    "state": (
        "if time[0] > 0.2: self.odd = object()",
        "attribute",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_stops_the_run_with_one_message_and_all_rows(tmp_path: Path, name: str) -> None:
    here, sentence = FAULTS[name]
    runner = failing(tmp_path, here)
    report = runner.advance(10_000)
    if report.ok:  # states are checked when they are saved
        with pytest.raises(PluginRuntimeError, match=sentence):
            runner.controller.checkpoint()
        return
    assert runner.error is not None
    assert runner.error.plugin == "wag"
    with pytest.raises(PluginRuntimeError, match=sentence):
        raise runner.error
    assert report.message == runner.error.message
    assert "\n" not in report.message
    assert runner.time == pytest.approx(0.21)
    assert len(runner.recording) == 22
    assert runner.recording.events[-1].text == report.message
    if name == "raises":
        assert "if time[0] > 0.2: 1 / 0" in runner.error.traceback
        assert "runner.py" not in runner.error.traceback, "the plug-in's own frames alone"


def test_run_continues_once_the_plugin_is_fixed(tmp_path: Path) -> None:
    runner = failing(tmp_path, "if time[0] > 0.2: 1 / 0")
    assert not runner.advance(10_000).ok
    phase = runner.latest.control["phase_rad"]
    written(tmp_path, text=WAG.replace("20.0", "21.0"))
    reload("wag")
    assert runner.reload_plugins(wagging()) == []
    assert runner.advance(10_000).ok
    assert runner.finished
    (note,) = (event.text for event in runner.recording.events if "reloaded" in event.text)
    assert note.startswith("Plug-in wag (")
    assert note.endswith("was reloaded, with its state")
    assert runner.latest.control["phase_rad"] == pytest.approx(phase + 2 * 3.141592653589793 * 0.29)


def test_reloaded_controller_gets_its_new_needs(tmp_path: Path) -> None:
    blind = WAG.replace("value\n", "value, Fields\n", 1).replace(
        "class Wag(AngleController):", "class Wag(AngleController):\n    needs = Fields.NONE"
    )
    load(written(tmp_path, text=blind))
    runner = Runner(wagging())
    assert runner.advance(400).ok
    seeing = blind.replace("Fields.NONE", "Fields.JOINTS")
    written(tmp_path, text=seeing, here="snapshot.joint_angle[0]")
    reload("wag")
    assert runner.reload_plugins(wagging()) == []
    assert runner.advance(400).ok


def test_changed_channels_need_a_reset(tmp_path: Path) -> None:
    runner = failing(tmp_path, "")
    runner.advance(400)
    written(
        tmp_path, text=WAG.replace('("phase_rad",)', '("phase_rad", "more_m")\n    more_m = 1.0')
    )
    reload("wag")
    assert runner.reload_plugins(wagging()) == ["controller"]
    assert runner.advance(400).ok


def test_fault_exits_with_3_and_writes_the_rows(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path, here="if time[0] > 0.2: 1 / 0")
    out = tmp_path / "run.csv"
    assert main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin), "--csv", str(out)]) == 3
    lines = capfd.readouterr().err.strip().splitlines()
    assert lines[-1].startswith(
        "snakestudio: The plug-in wag raised ZeroDivisionError: division by zero (line "
    )
    assert sum(not line.startswith("#") for line in out.read_text().splitlines()) == 1 + 22


def test_prints_go_to_stderr_with_the_plugin_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path, here="if time[0] == 0.0: print('hello\\nworld')")
    assert main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin), "--csv", "-"]) == 0
    print("of the program", flush=True)
    output = capfd.readouterr()
    assert "hello" not in output.out
    assert output.out.splitlines()[-1] == "of the program"
    assert "wag: hello\nwag: world\n" in output.err


def test_signal_cancels_only_code_of_plugins(tmp_path: Path) -> None:
    ending = Ending()
    with ending.deferring_signals():
        signal.raise_signal(signal.SIGINT)
    assert ending.number == 2, "the program itself comes to its end"
    plugin = load(written(tmp_path, text=WAG + "\ndef call(f):\n    return f()\n"))
    with Ending().deferring_signals(), pytest.raises(PluginCancelled) as caught:
        plugin.module.call(lambda: signal.raise_signal(signal.SIGINT))
    fault = fault_of(caught.value)
    assert fault is not None
    assert "cancelled in line" in fault.message


def test_faults_outside_plugins_are_unchanged(tmp_path: Path) -> None:
    load(written(tmp_path))
    with pytest.raises(ValueError, match="of the program") as caught:
        raise ValueError("of the program")
    assert fault_of(caught.value) is None


@pytest.mark.parametrize("where", ["check", "make", "note"])
def test_fault_in_any_callable_is_reported(tmp_path: Path, where: str) -> None:
    boom = {"check": "check=lambda scene: 1 / 0", "make": "", "note": "note=lambda fields: 1 / 0"}[
        where
    ]
    text = (
        WAG.replace("make=Wag)", f"make=Wag, {boom})")
        if boom
        else WAG.replace("self.phase_rad = 0.0", "1 / 0")
    )
    load(written(tmp_path, text=text))
    if where == "note":
        assert Runner(wagging()) is not None, "the note is only for the window"
        return
    with pytest.raises(PluginRuntimeError, match="raised ZeroDivisionError"):
        api.simulate(wagging())


def test_live_change_is_blended_without_a_jump(tmp_path: Path) -> None:
    runner = failing(tmp_path, "")
    runner.advance(800)
    assert runner.apply(with_values(runner.scene, {"controller.amplitude_deg": 60.0})) == []
    runner.advance(10_000)
    rows = runner.recording.rows(0, len(runner.recording))
    import numpy as np

    steps = np.abs(np.diff(rows.joint_angle_ref, axis=0)).max()
    assert steps < np.radians(60.0) * 2 * np.pi * 0.01 * 2
