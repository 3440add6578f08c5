"""Start of the window: application, theme, main window and scene, in the order that shows a first frame soonest."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

    from snakestudio.gui.core.feature import Feature
    from snakestudio.gui.shell.context import Context
    from snakestudio.gui.shell.main_window import MainWindow

_IMPORTED = time.time()


def _process_start() -> float:
    """Start time of this process, s since the epoch; if it cannot be determined, the import time of this module."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        uptime = float(Path("/proc/uptime").read_text().split()[0])
    except OSError:
        return _IMPORTED
    ticks = os.sysconf("SC_CLK_TCK")
    return time.time() - (uptime - int(fields[19]) / ticks)


class StartTrace:
    """Prints the time of each start-up step since the process began if SNAKESTUDIO_TRACE_START=1."""

    def __init__(self) -> None:
        self.on = bool(os.environ.get("SNAKESTUDIO_TRACE_START"))
        self._began = _process_start() if self.on else 0.0
        self._marked: set[str] = set()

    def mark(self, what: str) -> None:
        """Print the time at which `what` happened, the first time only."""
        if self.on and what not in self._marked:
            self._marked.add(what)
            print(
                f"start: {what}: {1000 * (time.time() - self._began):.0f} ms",
                file=sys.stderr,
                flush=True,
            )


def features() -> tuple[Feature[Context], ...]:
    """Return the features of the window, in the order in which they are made."""
    from snakestudio.gui.analysis.declaration import FEATURE as ANALYSIS
    from snakestudio.gui.plots.declaration import FEATURE as PLOTS
    from snakestudio.gui.plugins.declaration import FEATURE as PLUGINS
    from snakestudio.gui.profile.declaration import FEATURE as PROFILE
    from snakestudio.gui.remote.declaration import FEATURE as REMOTE
    from snakestudio.gui.robot.declaration import FEATURE as ROBOT
    from snakestudio.gui.runs.declaration import FEATURE as RUNS
    from snakestudio.gui.scene.declaration import FEATURE as SCENE
    from snakestudio.gui.streaming.declaration import FEATURE as STREAMING
    from snakestudio.gui.study.declaration import FEATURE as STUDY
    from snakestudio.gui.viewport.declaration import FEATURE as VIEWPORT

    return (
        VIEWPORT,
        SCENE,
        PLOTS,
        ANALYSIS,
        STUDY,
        RUNS,
        ROBOT,
        PROFILE,
        PLUGINS,
        STREAMING,
        REMOTE,
    )


def make_window(settings: QSettings | None = None) -> MainWindow:
    """Return the main window with all its commands and docks; without `settings` it uses those of the user."""
    from PySide6.QtCore import QSettings

    from snakestudio.gui.shell.commands import table
    from snakestudio.gui.shell.main_window import MainWindow

    declared = features()
    return MainWindow(settings or QSettings(), table(declared), declared)


def run(scene: Path | None, watch: Callable[[MainWindow], object] | None = None) -> int:
    """Open the window and run until it is closed.

    Parameters
    ----------
    scene : Path or None
        Scene, study or recorded run to open; the main example if None.
    watch : callable, optional
        Called with the window once it is shown, for benchmarks and for checks of an installed program.

    Returns
    -------
    int
        Exit code.
    """
    trace = StartTrace()
    # By default, a thread waits up to 5 ms for another that computes; a window that draws, plots and
    # simulates in threads of one process would stutter.
    sys.setswitchinterval(0.0001)
    from PySide6.QtCore import QObject, Qt, QTimer, Signal

    from snakestudio.gui.core.application import make_application
    from snakestudio.gui.core.fonts import add_missing_fonts
    from snakestudio.gui.viewport.surfaces.surface import set_default_format

    # Three threads of the window run Python: one that yields must not wait 5 ms before it continues.
    sys.setswitchinterval(0.0001)
    set_default_format()
    app = make_application(sys.argv[:1])
    add_missing_fonts(app)
    app.setApplicationName("SnakeStudio")
    app.setOrganizationName("SnakeStudio")
    app.setDesktopFileName("snakestudio")
    trace.mark("Qt ready")

    from PySide6.QtCore import QSettings

    from snakestudio.gui.core import theme
    from snakestudio.gui.runs.opening import RUN_SUFFIX
    from snakestudio.gui.shell.context import THEME
    from snakestudio.gui.shell.crash import CrashGuard
    from snakestudio.paths import main_scene, replaced_folders
    from snakestudio.study.study_file import is_study
    from snakestudio.viewmodel.unwritable import unwritable_notice

    settings = QSettings()
    theme.apply(app, THEME.load(settings))
    window = make_window(settings)
    context = window.context

    class Reporter(QObject):
        """Passes a message from the thread that failed to the window's thread."""

        reported = Signal(str)
        failed = Signal(object)

    reporter = Reporter()
    reporter.failed.connect(context.plugins.show_error, Qt.ConnectionType.QueuedConnection)
    reporter.reported.connect(context.banners.error, Qt.ConnectionType.QueuedConnection)
    autosave = context.document_recovery.autosave
    guard = CrashGuard(reporter.reported.emit, autosave.write_now, reporter.failed.emit)
    recorded = scene is not None and scene.suffix.lower() == RUN_SUFFIX
    study = scene is not None and not recorded and is_study(scene)
    if scene is not None and not recorded:
        context.study.open(scene) if study else context.files.open(scene)
    else:
        context.files.open(main_scene(), remember=False)
    window.show()
    trace.mark("window shown")
    if watch is not None:
        watch(window)

    def show_notices() -> None:
        notice = unwritable_notice(
            replaced_folders(), "" if settings.isWritable() else settings.fileName()
        )
        if notice:
            context.banners.files.show_notice("warning", notice)
        # Unsaved changes are offered before anything else.
        asking = context.document_recovery.offer()
        if scene is not None and recorded:
            context.open_runs.open(scene)
        if study and context.study.open_study.path is not None:
            # a tab that is raised before the window is shown does not stay in front
            context.show_dock("study")
        if scene is not None:
            return
        if asking is not None:
            asking.finished.connect(lambda _: context.help_controller.welcome())
        else:
            context.help_controller.welcome()

    def on_first_frame() -> None:
        with contextlib.suppress(RuntimeError):
            context.viewport.frame_drawn.disconnect(on_first_frame)
        trace.mark("first frame drawn")
        QTimer.singleShot(0, window, lambda: context.docks.fill(context))
        QTimer.singleShot(0, window, show_notices)

    def on_motion() -> None:
        snapshot = context.session_controller.displayed
        if snapshot is not None and snapshot.time > 0.0:
            context.viewport.frame_drawn.disconnect(on_motion)
            trace.mark("first motion")

    # A quarter of a million objects of modules and panels are permanent: scanning them in every
    # garbage collection would stop the window for a tenth of a second.
    context.docks.filled.connect(gc.freeze)
    context.viewport.frame_drawn.connect(on_first_frame)
    if trace.on:
        context.viewport.frame_drawn.connect(on_motion)
    if context.viewport.gl is None:
        QTimer.singleShot(0, on_first_frame)

    # Without this, Ctrl+C in the terminal is handled only when Qt calls Python code the next time.
    if sys.platform != "win32":
        signal.signal(signal.SIGINT, lambda *_: window.close())

        def on_end(number: int, _: object) -> None:
            # The machine shuts down or the screen was disconnected: the user cannot be asked, so
            # unsaved changes are backed up.
            autosave.write_now()
            app.exit(128 + number)

        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, on_end)
    try:
        return app.exec()
    finally:
        context.robot_controller.close()  # a signal ends the program without closing the window
        autosave.write_now()  # there is no backup after an orderly end
        autosave.close(keep=True)
        context.session_controller.close()
        context.viewport.close_surface()  # a driver that still compiles shaders would crash while the process ends
        guard.close()
