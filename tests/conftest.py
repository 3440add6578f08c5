"""Settings of all tests: no leaks, no access to the user's files, and the effort of hypothesis."""

from __future__ import annotations

import gc
import itertools
import linecache
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from snakestudio import heap, processor
from snakestudio.paths import kernels_dir
from tests.bundle_imports import Module, imported_modules, unbundled
from tests.open_files import collect_garbage, open_files

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
COMPILING_S = 120
"""How long workers wait for the first one; after that they compile the rest themselves."""

# Set before anything reads them. Compiled kernels are shared with the user, because they are the
# same in every checkout; everything else is separate.
os.environ.setdefault("SNAKESTUDIO_KERNELS_DIR", str(kernels_dir()))
os.environ.setdefault("SNAKESTUDIO_CACHE_DIR", str(CACHE))
processor.use_one_thread()
os.environ.setdefault("MESA_SHADER_CACHE_DIR", str(CACHE / "mesa"))
if sys.platform == "linux":
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    # "offscreen" has no OpenGL; pytest-xvfb provides the screen
    os.environ.setdefault("QT_QPA_PLATFORM", "xcb")
_home = tempfile.mkdtemp(prefix="snakestudio-tests-")
for _kind in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ[f"XDG_{_kind}_HOME"] = str(Path(_home, _kind.lower()))
# File that exists once the tests are compiled; workers inherit its path from the process that
# starts them.
_compiled = Path(os.environ.setdefault("SNAKESTUDIO_TESTS_COMPILED", str(Path(_home, "compiled"))))

# Bytecode, also of the tests, is compiled once instead of in each process that tests start.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that runs tests in the background ignores Ctrl+C, and nohup ignores hang-ups; programs
# inherit that, and would not end.
if threading.current_thread() is threading.main_thread():
    for _name, _usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, _name), _usual)

from hypothesis import HealthCheck, settings  # noqa: E402
from hypothesis.configuration import set_hypothesis_home_dir  # noqa: E402

set_hypothesis_home_dir(CACHE / "hypothesis")
# `make test` draws the same examples every time; `make soak` searches for new ones.
# Neither depends on the load of the machine: deadlines and the check of slow examples are off.
_untimed: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("default", max_examples=30, derandomize=True, **_untimed)
settings.register_profile("soak", max_examples=1000, **_untimed)
settings.load_profile("soak" if os.environ.get("SNAKESTUDIO_SOAK") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that draw random examples: `make soak` draws many more of them."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("fuzz")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Import all tests in the first worker, which compiles them, before the others do.

    Imports leave next to no garbage, but a quarter of their time would go into looking for it.
    """
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    deadline = time.monotonic() + COMPILING_S
    while worker not in (None, "gw0") and not _compiled.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        if worker == "gw0":
            _compiled.touch()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Drop the sources of imported modules from `linecache`: PySide reads all of them, which takes 37 MB."""
    report = yield
    linecache.clearcache()
    return report


# ------------------------------------------------------------------------------------------- memory

MEMORY_BAR_MB = 1000
"""Most memory of a process that runs tests. The scheduler assigns the tests to processes, so it varies."""
_peaks = pytest.StashKey[dict[str, int]]()


def _peak_mb() -> int | None:
    """Peak memory of this process, MB; None if the system does not report it."""
    if sys.platform != "linux":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 10**6


_modules = pytest.StashKey[set[Module]]()
"""Modules of bundled packages that workers imported."""

_unbundled = pytest.StashKey[list[str]]()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Record the peak memory and the imports of the tests; a worker sends them to the process that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["peak_mb"] = _peak_mb()
        session.config.workeroutput["modules"] = [tuple(each) for each in imported_modules()]
    elif not getattr(session.config.option, "numprocesses", None):
        session.config.stash.setdefault(_peaks, {})["tests"] = _peak_mb() or 0
    elif missing := unbundled(session.config.stash.get(_modules, set())):
        session.config.stash[_unbundled] = missing
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receive the peak memory and the imports of a worker."""
    output = getattr(node, "workeroutput", {})
    node.config.stash.setdefault(_peaks, {})[node.gateway.id] = output.get("peak_mb") or 0
    node.config.stash.setdefault(_modules, set()).update(
        Module(*each) for each in output.get("modules", ())
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print modules that the bundle would lack, and the peak memory of every process with its bar."""
    if missing := config.stash.get(_unbundled, []):
        terminalreporter.write_line(
            "The program imports by name, so that the bundle lacks (packaging/bundle/contents.py): "
            + ", ".join(missing),
            red=True,
        )
    peaks = config.stash.get(_peaks, {})
    if any(peaks.values()):
        each = ", ".join(f"{name} {peak} MB" for name, peak in sorted(peaks.items()))
        terminalreporter.write_line(
            f"most memory (bar {MEMORY_BAR_MB} MB): {each}", red=max(peaks.values()) > MEMORY_BAR_MB
        )


def pytest_unconfigure() -> None:
    """Remove the temporary directories of settings and caches."""
    shutil.rmtree(_home, ignore_errors=True)


_tests = itertools.count()


@pytest.fixture(autouse=True)
def _own_user_dirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test empty settings; the caches (fonts, shaders) are shared.

    Directories of pytest would be read through for a free number, which takes longer with each test.
    """
    base = Path(_home, f"user{next(_tests)}")
    base.mkdir()
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(base / kind.lower()))


@pytest.fixture(autouse=True)
def _own_priority() -> Iterator[None]:
    """Reset the priority that commands which communicate with robots set for their thread."""
    if sys.platform != "linux":
        yield
        return
    policy = os.sched_getscheduler(0)
    level = os.sched_getparam(0)
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    yield
    if os.sched_getscheduler(0) != policy:
        os.sched_setscheduler(0, policy, level)
    if os.getpriority(os.PRIO_PROCESS, 0) != nice:
        os.setpriority(os.PRIO_PROCESS, 0, nice)


# -------------------------------------------------------------------------------------------- leaks

_GRACE_S = 2.0
_LEFT_OPEN = "leaves to the garbage collector"
_QT_OWN_WINDOWS = {
    "QTipLabel",
    "QComboBoxPrivateContainer",
    "QDesktopWidget",
    "QShapedPixmapWidget",
}
_started_timers: weakref.WeakSet[Any] = weakref.WeakSet()


def _leaked_threads(before: set[threading.Thread]) -> list[str]:
    return [
        thread.name
        for thread in threading.enumerate()
        if thread not in before and (not thread.daemon or thread.name.startswith("snakestudio-"))
    ]


def _qt_app() -> Any | None:
    widgets = sys.modules.get("PySide6.QtWidgets")
    return widgets.QApplication.instance() if widgets else None


def _watch_timers() -> None:
    """Record every QTimer that Python code starts."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None or hasattr(core.QTimer, "snakestudio_start"):
        return
    original = core.QTimer.start

    def start(self: Any, *args: Any) -> None:
        _started_timers.add(self)
        original(self, *args)

    core.QTimer.snakestudio_start = original
    core.QTimer.start = start


def _top_levels() -> dict[int, str]:
    """Top-level widgets without an owner, by address."""
    app = _qt_app()
    if app is None:
        return {}
    from shiboken6 import getCppPointer, isValid

    return {
        getCppPointer(widget)[
            0
        ]: f"{type(widget).__name__} {widget.objectName()!r} {widget.windowTitle()!r}"
        for widget in app.topLevelWidgets()
        if isValid(widget)
        and widget.parent() is None
        and widget.metaObject().className() not in _QT_OWN_WINDOWS
    }


def _running_timers() -> dict[int, str]:
    if not _started_timers:
        return {}
    from shiboken6 import getCppPointer, isValid

    return {
        getCppPointer(timer)[0]: f"QTimer every {timer.interval()} ms of {timer.parent()!r}"
        for timer in list(_started_timers)
        if isValid(timer) and timer.isActive()
    }


_frozen = 0
"""Number of objects that the collector no longer visits, at the start of the present module."""


@pytest.fixture(scope="module", autouse=True)
def _frozen_imports() -> None:
    """Exclude the quarter of a million objects of the imports from garbage collection."""
    global _frozen
    linecache.clearcache()
    gc.freeze()
    _frozen = gc.get_freeze_count()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Collect the garbage of a module at its end: what is left open there fails this module, and always.

    Otherwise it would fail the test during which the collector happens to run.
    """
    result = yield
    if nextitem is None or nextitem.path != item.path:
        getattr(item, "funcargs", {}).clear()  # released only after this hook
        if gc.get_freeze_count() > _frozen:
            gc.unfreeze()  # what a test froze may be garbage by now
        if problems := collect_garbage(files="gui" not in item.keywords):
            pytest.fail(f"{item.path.name} {_LEFT_OPEN}: " + "; ".join(problems), pytrace=False)
        heap.release()
    return result


_RELEASE_MB = 40
"""Growth after which freed pages are returned: small enough to limit the peak, large enough to take no
time."""
_resident_mb = 0.0


def _read_resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.fixture(autouse=True)
def _freed_memory() -> Iterator[None]:
    """Return freed pages to the system after a test has made the process grow: the C library would keep them."""
    global _resident_mb
    yield
    if sys.platform != "linux" or _read_resident_mb() < _resident_mb + _RELEASE_MB:
        return
    gc.collect()
    heap.release()
    _resident_mb = _read_resident_mb()


def _run_deferred_deletes() -> None:
    gc.collect()
    app = _qt_app()
    if app is not None:
        from PySide6.QtCore import QEvent

        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        app.processEvents()


@pytest.fixture(autouse=True)
def _no_leaks(request: pytest.FixtureRequest, _own_user_dirs: None) -> Iterator[None]:
    """Fail a test that leaves a thread, a top-level widget, a running timer, or a file for the collector to close."""
    _watch_timers()
    files = open_files()
    threads = set(threading.enumerate())
    widgets = set(_top_levels())
    timers = set(_running_timers())
    yield

    def leaks() -> list[str]:
        return [
            *(f"thread {name}" for name in _leaked_threads(threads)),
            *(
                f"widget {text}"
                for address, text in _top_levels().items()
                if address not in widgets
            ),
            *(
                f"timer {text}"
                for address, text in _running_timers().items()
                if address not in timers
            ),
        ]

    deadline = time.monotonic() + _GRACE_S
    while (left := leaks()) and time.monotonic() < deadline:
        _run_deferred_deletes()
        time.sleep(0.01)
    if left:
        pytest.fail("the test leaves behind: " + "; ".join(left), pytrace=False)
    # Files that fixtures of the module or caches hold stay open; only then does this take time.
    # A window is freed by the collector, with the files of its run.
    is_gui = "gui" in request.keywords
    if not is_gui and not open_files().items() <= files.items() and (problems := collect_garbage()):
        pytest.fail(f"the test {_LEFT_OPEN}: " + "; ".join(problems), pytrace=False)
