"""Process that runs a study for the window, which starts, monitors and stops it without waiting."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from snakestudio.errors import Problem, StudyError
from snakestudio.paths import own_program
from snakestudio.study.driver import Progress
from snakestudio.study.running import Workers
from snakestudio.study.watched import CANCEL, PAUSE, RESUME, StudyMessage, message_in

_GRACE_S = 0.8
_GRACE_CLUSTER_S = 5.0
"""Time for an orderly end after a cancel, s; remote workers receive the stop over the network."""


class StudyProcess:
    """Execution of a study to its end or until it is cancelled.

    Raises `StudyError` if the process cannot be started.

    Parameters
    ----------
    study : Path
        Study file.
    workers : Workers
        Workers that compute the runs.
    command : sequence of str, optional
        Command that runs the study given as its last argument; this program if omitted.

    Attributes
    ----------
    process : Popen
        Process; it ends when its standard input is closed.
    progress : Progress or None
        Latest reported progress.
    doing : str
        Activity before the first run, as text; "" for none.
    notes : tuple of str
        Notes for the user, as sentences.
    error : str
        Reason why it ended early, one sentence per line; "" if it did not or is still running.
    problems : tuple of Problem
        Problems of the study that caused the error.
    """

    def __init__(self, study: Path, workers: Workers, command: Sequence[str] | None = None) -> None:
        self.study = study
        self.workers = workers
        self.progress: Progress | None = None
        self.doing = ""
        self.error = ""
        self.notes: tuple[str, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self.cancelled = False
        self._ended = threading.Event()
        self._changed = threading.Event()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (closed when the process has ended)
        start = [
            *(command or (*own_program(), "study", "run")),
            str(study),
            "--watched",
            *_options(workers),
        ]
        try:
            self.process = subprocess.Popen(
                start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
            )
        except OSError as error:
            self._complaints.close()
            raise StudyError(
                f"The study could not be started ({error.strerror or error})."
            ) from error
        self._reader = threading.Thread(target=self._read, name="snakestudio-study", daemon=True)
        self._reader.start()

    # --------------------------------------------------------------------------------------- status

    @property
    def running(self) -> bool:
        """Whether it is running, or has not ended yet after a cancel."""
        return not self._ended.is_set()

    @property
    def paused(self) -> bool:
        """Whether it is paused and starts no runs."""
        return self.progress is not None and self.progress.state == "paused"

    def _read(self) -> None:
        assert self.process.stdout is not None
        finished = False
        for line in self.process.stdout:
            report = message_in(line.decode(errors="replace"))
            if report is not None:
                self._apply_report(report)
                self._changed.set()
                finished = report.progress is not None and report.progress.state in (
                    "done",
                    "cancelled",
                )
        code = self.process.wait()
        if not (finished or self.error or self.cancelled):
            self.error = f"The study ended unexpectedly ({self._complaint(code)}). Finished results are saved."
        self._complaints.close()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._ended.set()
        self._changed.set()

    def follow(self, on_change: Callable[[], object]) -> None:
        """Call `on_change` after each change of its status, and return when it has ended."""
        while not self._ended.is_set():
            self._changed.wait()
            self._changed.clear()
            on_change()

    def _apply_report(self, report: StudyMessage) -> None:
        if report.progress is not None:
            self.progress = report.progress
            self.doing = ""
            for note in report.progress.notes:
                self._note(note)
        elif report.kind == "doing":
            self.doing = report.text
        elif report.kind == "note":
            self._note(report.text)
        else:
            self.error = report.text
            self.problems = report.problems

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes = (*self.notes, note)

    def _complaint(self, code: int) -> str:
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("snakestudio: ")[:300] if lines else f"exit code {code}"

    # ------------------------------------------------------------------------------------- commands

    def pause(self) -> None:
        """Start no more runs; running ones end."""
        self._send(PAUSE)

    def resume(self) -> None:
        """Resume after a pause."""
        self._send(RESUME)

    def cancel(self) -> None:
        """End within a second and keep finished results. Returns immediately."""
        if self.cancelled:
            return
        self.cancelled = True
        self._send(CANCEL)
        threading.Thread(
            target=self._see_to_the_end, name="snakestudio-study-end", daemon=True
        ).start()

    def close(self) -> None:
        """Cancel the study and wait until it has ended."""
        self.cancel()
        self._reader.join()

    def _see_to_the_end(self) -> None:
        # Its workers end with it, because their standard input is closed.
        if not self._ended.wait(_GRACE_S if self.workers.scheduler is None else _GRACE_CLUSTER_S):
            self.process.kill()

    def _send(self, command: str) -> None:
        stdin = self.process.stdin
        with contextlib.suppress(OSError, ValueError):
            if stdin is not None:
                stdin.write(f"{command}\n".encode())
                stdin.flush()


def _options(workers: Workers) -> list[str]:
    options = []
    if workers.scheduler is not None:
        options += ["--scheduler", workers.scheduler]
    elif workers.count is not None:
        options += ["--workers", str(workers.count)]
    if workers.tls is not None:
        tls = workers.tls
        options += [
            "--tls-ca",
            str(tls.ca),
            "--tls-cert",
            str(tls.certificate),
            "--tls-key",
            str(tls.key),
        ]
    return options
