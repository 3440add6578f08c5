"""Compiling engines in separate processes: progress, endings, and that none is compiled twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from snakestudio.engines import registry
from snakestudio.errors import PreparationError
from snakestudio.session import engine_compiler as preparation_module
from snakestudio.session.engine_compiler import (
    EngineCompiler,
    Preparation,
    Stage,
    compile_here,
    is_prepared,
    prepare,
)
from tests.preparing import Preparing
from tests.waiting import Clock, wait_until

LINUX = sys.platform == "linux"


@pytest.fixture(autouse=True)
def _nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Preparing, "begun", [])
    monkeypatch.setattr(registry, "is_warm", lambda kind: False)
    monkeypatch.setattr(preparation_module, "expected_seconds", lambda kind: 10.0)


# --- several in a row -----------------------------------------------------------------------------


class Quick(Preparing):
    """Preparation that ends at the fourth poll."""

    polls = 0

    def poll(self) -> Stage:
        self.polls += 1
        return Stage(self.polls / 4, 4.0 - self.polls, self.polls == 4)


def test_only_missing_engines_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation_module, "is_prepared", lambda kind: kind == "planar_nonsmooth")
    messages: list[tuple[str, float]] = []

    def progress(kind: str, stage: Stage) -> bool:
        messages.append((kind, stage.fraction))
        return True

    kinds = ["spatial_nonsmooth", "planar_nonsmooth", "planar_lagrangian"]
    assert prepare(kinds, progress, EngineCompiler(Quick), wait=lambda seconds: None)
    del kinds[1]
    assert [one.kind for one in Preparing.begun] == kinds
    assert all(one.stopped for one in Preparing.begun)
    assert messages == [(kind, poll / 4) for kind in kinds for poll in (1, 2, 3, 4)]


def test_stop_ends_the_compilation_and_starts_no_other() -> None:
    kinds = ["spatial_nonsmooth", "planar_lagrangian"]
    assert not prepare(
        kinds, lambda kind, stage: stage.fraction < 0.5, EngineCompiler(Quick), lambda seconds: None
    )
    assert [(one.kind, one.stopped) for one in Preparing.begun] == [("spatial_nonsmooth", True)]


def test_failure_is_reported_with_its_reason() -> None:
    class Failing(Preparing):
        def poll(self) -> Stage:
            return Stage(0.3, None, True, "The disk is full.")

    with pytest.raises(PreparationError, match="The disk is full"):
        prepare(["planar_lagrangian"], lambda kind, stage: True, EngineCompiler(Failing))
    assert Preparing.begun[0].stopped


# --- who prepares what ----------------------------------------------------------------------------


def test_callers_share_a_preparation() -> None:
    preparations = EngineCompiler(Preparing)
    one = preparations.need("a")
    other = preparations.need("a")
    assert one is other
    preparations.release(one)
    assert not Preparing.begun[0].stopped, "somebody still waits for it"
    preparations.release(other)
    preparations.release(other)
    assert Preparing.begun[0].stopped
    assert preparations.need("a") is not one


# --- the process ----------------------------------------------------------------------------------


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def begin(clock: Clock) -> Iterator[Callable[..., Preparation]]:
    """Start a preparation whose process runs a script."""
    result: list[Preparation] = []

    def begun(script: str) -> Preparation:
        command = [sys.executable, "-c", textwrap.dedent(script)]
        result.append(Preparation("planar_nonsmooth", command=command, clock=clock))
        return result[-1]

    yield begun
    for one in result:
        one.stop()
        wait_until(lambda one=one: one.process.poll() is not None and not one.reader.is_alive())


SAY_AND_STAY = """
    import signal, sys
    {}
    print("0.250 Compiling", flush=True)
    sys.stdin.read()
    signal.pause()
"""


def test_preparation_reports_its_progress(begin: Callable[..., Preparation], clock: Clock) -> None:
    running = begin(SAY_AND_STAY.format(""))
    assert running.poll().fraction == 0.0
    wait_until(lambda: running.poll().fraction == 0.25)
    clock.now = 1.0
    stage = running.poll()
    assert 0.25 < stage.fraction < 1.0
    assert stage.seconds_left is not None
    assert not stage.ended


def test_successful_preparation_is_done(begin: Callable[..., Preparation]) -> None:
    running = begin("print('0.5 Half'); print('1.000 Ready')")
    wait_until(lambda: running.poll().ended)
    assert running.poll() == Stage(1.0, None, True)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import os; os.kill(os.getpid(), 9)", "probably because of low memory"),
        ("import os; os.kill(os.getpid(), 6)", "signal 6"),
        ("raise MemoryError('no room')", "code 1: MemoryError: no room"),
        ("import sys; sys.exit('snakestudio: odd')", "code 1: odd"),
        (
            "import sys; print('snakestudio: Free some space.', file=sys.stderr); sys.exit(2)",
            "Free some space.",
        ),
    ],
)
def test_failed_process_is_reported(
    begin: Callable[..., Preparation], script: str, message: str
) -> None:
    running = begin(script)
    wait_until(lambda: running.poll().ended)
    stage = running.poll()
    assert message in stage.error
    assert stage.error.endswith(".")
    assert stage.fraction < 1.0


def test_stop_does_not_wait_and_leaves_nothing(
    begin: Callable[..., Preparation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation_module, "_PATIENCE_S", 0.05)
    deaf = begin(SAY_AND_STAY.format("signal.signal(signal.SIGTERM, signal.SIG_IGN)"))
    wait_until(lambda: deaf.poll().fraction == 0.25)  # it ignores all signals
    deaf.stop()
    assert deaf.process.returncode is None, "nobody waited"
    deaf.stop()
    wait_until(lambda: deaf.process.poll() is not None)
    assert deaf.process.returncode == -signal.SIGKILL
    assert "is not prepared" in deaf.poll().error


def test_another_program_can_finish_first(
    begin: Callable[..., Preparation], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = begin(SAY_AND_STAY.format(""))
    monkeypatch.setattr(registry, "is_warm", lambda kind: True)
    assert not running.poll().ended
    clock.now = 6.0
    assert running.poll() == Stage(1.0, None, True)


@pytest.mark.skipif(not LINUX, reason="priorities as Linux has them")
def test_compilation_leaves_the_processor_to_others(begin: Callable[..., Preparation]) -> None:
    script = f"""
        import sys
        sys.path.insert(0, {str(Path.cwd())!r})
        from snakestudio.session.engine_compiler import step_back
        step_back()
        print("0.250 Compiling", flush=True)
        sys.stdin.read()
    """
    running = begin(script)
    wait_until(lambda: running.poll().fraction >= 0.25)
    assert os.getpriority(os.PRIO_PROCESS, running.pid) == 5


@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_preparation_ends_with_a_killed_window(tmp_path: Path) -> None:
    window = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import time\nfrom snakestudio.session.engine_compiler import Preparation\n"
            "one = Preparation('planar_lagrangian')\n"
            "while not one.poll().fraction > 0.02: time.sleep(0.01)\n"
            "print(one.pid, flush=True)\ntime.sleep(600)",
        ],
        env={
            **os.environ,
            "SNAKESTUDIO_KERNELS_DIR": str(tmp_path),
            "SNAKESTUDIO_CACHE_DIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert window.stdout is not None
    pid = int(window.stdout.readline())
    assert _runs(pid)
    window.kill()
    window.wait()
    window.stdout.close()
    wait_until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


# --- what is in the cache -------------------------------------------------------------------------


def test_mark_without_code_is_not_prepared(
    tmp_path: Path,
) -> None:
    script = (
        "from snakestudio.engines import registry\n"
        "from snakestudio.session.engine_compiler import is_prepared\n"
        "from snakestudio.kernels import _cache\n"
        "_cache.mark_compiled('planar_lagrangian', [])\n"
        "assert registry.is_warm('planar_lagrangian')\n"
        "print(is_prepared('planar_lagrangian'))\n"
    )
    environment = {**os.environ, "SNAKESTUDIO_KERNELS_DIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("False\n", "")
    assert not list(tmp_path.rglob("*.kernel")), "nothing was compiled"


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(28, "No space left on device")]
)
def test_unwritable_cache_folder_is_reported(
    error: OSError, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path))

    def refuse(*arguments: object) -> bool:
        raise error

    monkeypatch.setattr(registry, "is_warm", refuse)
    monkeypatch.setattr(registry, "warm_up", refuse)
    for ask in (
        lambda: is_prepared("planar_lagrangian"),
        lambda: compile_here("planar_lagrangian", print),
    ):
        with pytest.raises(PreparationError) as caught:
            ask()
        assert str(tmp_path) in str(caught.value)
        assert str(error.strerror) in str(caught.value)
        assert "SNAKESTUDIO_KERNELS_DIR" in str(caught.value)
