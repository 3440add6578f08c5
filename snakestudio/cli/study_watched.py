"""Run a study for a window in another process, which receives the progress and can pause and cancel it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.ending import Ending
from snakestudio.cli.shared import ProgressLine, warm_up
from snakestudio.errors import SceneError, StudyError, UserError
from snakestudio.session.tether import end_at_once
from snakestudio.study.watched import CANCEL, PAUSE, RESUME, StudyMessage, line_of

if TYPE_CHECKING:
    from snakestudio.study.driver import Driver, Progress
    from snakestudio.study.running import Workers

_STEP_BACK = 5
"""Niceness of this process: below the window, above the workers."""

_PACE_S = 0.1
"""Shortest interval between progress messages, s."""


def carry_out(path: Path, workers: Workers) -> int:
    """Run the study in a file, controlled by commands on the standard input; return the exit code."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _STEP_BACK)
    commands = _Commands()
    commands.start()
    try:
        return _run(path, workers, commands)
    except (StudyError, SceneError) as error:
        _write(StudyMessage("error", str(error), problems=error.problems))
    except UserError as error:
        _write(StudyMessage("error", str(error)))
    return 2


def _run(path: Path, workers: Workers, commands: _Commands) -> int:
    from snakestudio.study import running

    ending = Ending()
    last = (-1.0, "")

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if ending.number:
            driver.cancel()
        if progress.state != last[1] or now - last[0] >= _PACE_S:
            last = now, progress.state
            _write(StudyMessage("progress", progress=progress))

    plan = running.open_plan(path)
    for sentence in running.warnings_of(plan):
        _write(StudyMessage("note", sentence))
    warm_up(running.formulations_of(plan), _PreparationLines())
    units = running.check_measures(plan)
    with (
        running.driver_of(path, plan, units, workers, report) as driver,
        ending.deferring_signals(),
    ):
        commands.give_to(driver)
        progress = driver.run()
    _write(StudyMessage("progress", progress=progress))  # the last one may have been held back
    return 0 if progress.state == "done" else 130


def _write(message: StudyMessage) -> None:
    """Write a line; errors are ignored, because the study ends anyway when its reader closes the standard input."""
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{line_of(message)}\n")
        sys.stdout.flush()


class _PreparationLines(ProgressLine):
    """Steps before the start of the study, as lines."""

    def __init__(self) -> None:
        super().__init__()
        self.visible = True

    def _write(self, *texts: str) -> None:
        _write(StudyMessage("doing", texts[0]))


class _Commands(threading.Thread):
    """Thread that reads commands from the standard input, even before there is a driver to execute them."""

    def __init__(self) -> None:
        super().__init__(name="snakestudio-commands", daemon=True)
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        self._paused = False

    def give_to(self, driver: Driver) -> None:
        """Let a driver execute the commands from now on."""
        with self._lock:
            self._driver = driver
            if self._paused:
                driver.pause()

    def run(self) -> None:
        """Read commands until the end of the input."""
        rest = b""
        while True:
            try:
                # Not through `sys.stdin`: this thread would still hold its lock at process exit.
                read = os.read(sys.stdin.fileno(), 4096)
            except OSError:
                read = b""
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                self._carry_out(line.decode(errors="replace").strip())
            if not read:
                self._carry_out(CANCEL)
                return

    def _carry_out(self, command: str) -> None:
        with self._lock:
            driver = self._driver
            if command in (PAUSE, RESUME):
                self._paused = command == PAUSE
                if driver is not None:
                    driver.pause() if self._paused else driver.resume()
            elif command == CANCEL:
                if driver is None:
                    end_at_once(130)  # nothing has started that could be lost
                driver.cancel()
