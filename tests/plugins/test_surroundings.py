"""Calls of plug-ins in progress: their output, threads that do not return, and a process that stays that of Python."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snakestudio import api
from snakestudio.analysis.comparison.side_by_side import run_side_by_side
from snakestudio.errors import PluginRuntimeError
from snakestudio.plugins.loading import load
from snakestudio.plugins.surroundings import enter, join, leave, listen, not_returning
from snakestudio.session.runner import Runner
from snakestudio.session.session import Session

from .plugin_files import WAG, wagging, written

WAITING = "if time[0] > 0.2:\n    import sys\n    sys.modules['snakestudio_plugin_wag'].waits()"


class Gate:
    """Point in a plug-in at which it waits until a test opens it."""

    def __init__(self, folder: Path, text: str = WAG) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        plugin = load(written(folder, text=text, here=WAITING))
        # a function of the plug-in, so that its frame is among the callers
        code = "def waits():\n    reached.set()\n    opened.wait()\n"
        vars(plugin.module).update(reached=self.reached, opened=self.opened)
        exec(code, vars(plugin.module))


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path)
    yield gate
    gate.opened.set()


def functions() -> dict[str, Any]:
    """What plug-ins must not cause to be replaced for the process."""
    return {
        "start": threading.Thread.start,
        "excepthook": threading.excepthook,
        "hook": sys.excepthook,
        "_exit": os._exit,
        "abort": os.abort,
        "fork": os.fork,
        "stdout": sys.stdout,
        "stderr": sys.stderr,
        "print": print,
    }


def test_functions_of_python_are_never_replaced(tmp_path: Path) -> None:
    before = functions()
    inside = "import builtins, os, sys, threading\nnow = "
    inside += "(threading.Thread.start, os._exit, os.abort, os.fork, builtins.print, sys.stderr)"
    plugin = load(written(tmp_path, text=f"{inside}\n{WAG}", here="print('x')"))
    api.simulate(wagging())
    assert functions() == before
    assert plugin.module.now == tuple(
        before[name] for name in ("start", "_exit", "abort", "fork", "print", "stderr")
    )


def test_no_audit_hook_is_added(tmp_path: Path) -> None:
    path = written(tmp_path, here="print('x')")
    program = (
        "import sys\nfrom snakestudio import api\nhooks = []\n"
        "sys.addaudithook(lambda event, _: hooks.append(event) if event == 'sys.addaudithook' else None)\n"
        f"api.load_plugin({str(path)!r})\nassert hooks == [], hooks\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


PRINTS = {
    "print": "print('hello')",
    "write": "sys.stdout.write('hello\\n')",
    "library": "pprint.pprint('hello', width=3)",
    "pieces": "print('he', end=''); print('llo', flush=True)",
    "thread": "t = threading.Thread(target=lambda: print('hello')); t.start(); t.join()",
}


@pytest.mark.parametrize("at_import", [True, False])
@pytest.mark.parametrize("name", PRINTS)
def test_output_of_a_plugin_is_listed_with_its_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, at_import: bool
) -> None:
    output_of_plugins: list[tuple[str, str]] = []
    stop = listen(lambda plugin, text: output_of_plugins.append((plugin, text)))
    head = f"import pprint, sys, threading\n{PRINTS[name] if at_import else ''}\n{WAG}"
    here = "" if at_import else f"if time[0] == 0.0: {PRINTS[name]}"
    try:
        load(written(tmp_path, text=head, here=here))
        Runner(wagging()).advance(100)
    finally:
        stop()
    output = capfd.readouterr()
    assert output.out == ""
    assert "hello" in output.err.replace("'", "")
    assert {plugin for plugin, _ in output_of_plugins} == {"wag"}
    assert "hello" in "".join(text for _, text in output_of_plugins)


def test_output_of_other_threads_is_unchanged_during_a_call(
    gate: Gate, capfd: pytest.CaptureFixture[str]
) -> None:
    stream = sys.stdout
    runner = Runner(wagging())
    thread = threading.Thread(target=runner.advance, args=(10_000,), daemon=True)
    thread.start()
    assert gate.reached.wait(60.0)
    print("of the program", flush=True)
    enter()  # a second thread with a call, which ends first
    leave()
    print("again", flush=True)
    gate.opened.set()
    thread.join()
    assert capfd.readouterr().out == "of the program\nagain\n"
    assert sys.stdout is stream


def test_plugin_that_does_not_return_is_named_until_it_does(gate: Gate) -> None:
    runner = Runner(wagging())
    thread = threading.Thread(target=runner.advance, args=(10_000,), daemon=True)
    thread.start()
    assert gate.reached.wait(60.0)
    assert not_returning(0.0) == "wag"
    assert not_returning(3600.0) == ""
    assert not join(thread, 0.01)
    assert thread.is_alive()
    gate.opened.set()
    assert join(thread)
    assert not_returning(0.0) == ""


def test_session_pauses_when_its_plugin_returns(gate: Gate) -> None:
    session = Session()
    session.set_speed(float("inf"))
    session.open(wagging())
    session.play()
    assert gate.reached.wait(60.0)
    session.pause()
    gate.opened.set()
    session.settle()
    assert session.status.state == "paused"
    assert session.latest is not None
    assert session.latest.time == pytest.approx(0.22)  # the end of the period of the call
    session.close()


def test_session_closes_while_its_plugin_does_not_return(gate: Gate, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    session = Session(new_run=lambda scene: path)
    session.set_speed(float("inf"))
    session.open(wagging())
    session.play()
    assert gate.reached.wait(60.0)
    session.close()
    (worker,) = (each for each in threading.enumerate() if each.name == "snakestudio-session")
    assert worker.daemon
    gate.opened.set()
    worker.join()
    assert api.load_run(path).recording.times[-1] == pytest.approx(0.22)


def test_interrupted_comparison_does_not_wait_for_a_plugin(gate: Gate) -> None:
    runner = Runner(wagging())

    def fails(report: object) -> object:
        gate.reached.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_side_by_side([fails, lambda report: runner.advance(10_000)])
    (worker,) = (each for each in threading.enumerate() if each.name == "snakestudio-compare")
    gate.opened.set()
    worker.join()
    assert worker.daemon


def test_pausing_in_a_slow_plugin_needs_one_call(tmp_path: Path) -> None:
    load(written(tmp_path, here="self.calls = getattr(self, 'calls', 0) + 1"))
    runner = Runner(wagging())
    module = sys.modules["snakestudio_plugin_wag"]
    angles = module.Wag.angles

    def interrupting(*arguments: Any) -> Any:
        runner.interrupt()
        return angles(*arguments)

    module.Wag.angles = interrupting
    runner = Runner(wagging())
    runner.advance(10_000)
    assert runner.time == pytest.approx(0.01)
    assert len(runner.recording) == 2


def test_fields_of_a_kind_are_guarded_wherever_they_are_read(tmp_path: Path) -> None:
    uses = "    @property\n    def uses_gait(self):\n        return 'x'\n\n"
    load(
        written(
            tmp_path,
            text=WAG.replace("    amplitude_deg: float", f"{uses}    amplitude_deg: float"),
        )
    )
    with pytest.raises(PluginRuntimeError, match=r"wag returns 'x' from WagFields.uses_gait"):
        _ = wagging().controller.uses_gait
