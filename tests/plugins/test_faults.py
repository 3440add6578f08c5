from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.cli.ending import Ending
from snakestudio.errors import PluginRuntimeError
from snakestudio.model.edits import with_values
from snakestudio.plugins.faults import PluginCancelled, cancel, fault_of, running_in
from snakestudio.plugins.loading import load, reload
from snakestudio.plugins.watch import MemoryWatch
from snakestudio.session.runner import Runner
from snakestudio.session.session import Session
from snakestudio.session.status import PluginFailed
from tests.waiting import wait_until

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
    "_exit": (
        "if time[0] > 0.2: import os; os._exit(1)",
        "tried",
    ),
    "fork": (
        "if time[0] > 0.2: import os; os.fork()",
        "fork",
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


LOOP = "if time[0] > 0.2:\n    globals()['looping'] = True\n    while True: pass"


def test_endless_loop_is_cancelled_from_outside(tmp_path: Path) -> None:
    plugin = load(written(tmp_path, here=LOOP))
    runner = Runner(wagging())
    reports = []
    thread = threading.Thread(target=lambda: reports.append(runner.advance(10_000)), daemon=True)
    thread.start()
    wait_until(lambda: hasattr(plugin.module, "looping"))
    assert thread.ident is not None
    assert running_in(thread.ident) == "wag"
    assert cancel(thread.ident, timeout=60.0)
    thread.join(60.0)
    assert "cancelled in line" in reports[0].message
    assert running_in(threading.get_ident()) == ""


def test_signal_cancels_only_code_of_plugins(tmp_path: Path) -> None:
    ending = Ending()
    with ending.awaited():
        signal.raise_signal(signal.SIGINT)
    assert ending.number == 2, "the program itself comes to its end"
    plugin = load(written(tmp_path, text=WAG + "\ndef call(f):\n    return f()\n"))
    with Ending().awaited(), pytest.raises(PluginCancelled) as caught:
        plugin.module.call(lambda: signal.raise_signal(signal.SIGINT))
    fault = fault_of(caught.value)
    assert fault is not None
    assert "cancelled in line" in fault.message


def test_session_pauses_cancels_and_closes(tmp_path: Path) -> None:
    plugin = load(written(tmp_path, here=LOOP))
    failed = threading.Event()
    session = Session(lambda event: failed.set() if isinstance(event, PluginFailed) else None)
    session.set_speed(float("inf"))
    session.open(wagging())
    session.play()
    wait_until(lambda: hasattr(plugin.module, "looping"))
    assert session.running_plugin == "wag"
    assert session.cancel_plugin(timeout=60.0)
    assert failed.wait(60.0)
    session.settle()
    assert session.status.state == "paused"
    assert session.status.message.startswith("The plug-in wag was cancelled")
    del plugin.module.looping
    session.play()
    wait_until(lambda: hasattr(plugin.module, "looping"))
    session.close()
    threads = {thread.name for thread in threading.enumerate()}
    assert "snakestudio-session" not in threads, (
        "a plug-in that loops does not keep the window from closing"
    )


def test_growing_memory_is_reported(tmp_path: Path) -> None:
    load(written(tmp_path))
    now = [0.0]
    used = [1_000_000_000]
    watch = MemoryWatch(clock=lambda: now[0], resident=lambda: used[0])
    now[0] = 2.0
    used[0] = 2_500_000_000
    watch.check()
    now[0] = 4.0
    used[0] = 3_500_000_000
    with pytest.raises(PluginRuntimeError, match=r"grew.*2\.5"):
        watch.check()
    watch.check()


def test_thread_of_a_plugin_is_reported_and_ends_with_the_program(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = (
        "import threading",
        "def start():",
        "    t = threading.Thread(target=lambda: 1 / 0)",
        "    t.start()",
    )
    text = "\n".join((WAG, *lines, "    t.join()", "    return t.daemon", ""))
    plugin = load(written(tmp_path, text=text))
    assert plugin.module.start() is True
    assert "The plug-in wag started a thread." in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_faults_outside_plugins_are_unchanged(tmp_path: Path) -> None:
    load(written(tmp_path))
    with pytest.raises(ValueError, match="of the program") as caught:
        raise ValueError("of the program")
    assert fault_of(caught.value) is None
    child = os.fork()  # only code of plug-ins must not
    if not child:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


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
