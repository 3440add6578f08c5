"""Handling of internal errors: a message on screen, the details in a file, and the program continues."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO

from snakestudio.errors import PluginRuntimeError
from snakestudio.paths import cache_dir
from snakestudio.plugins.faults import fault_of

log = logging.getLogger("snakestudio")


class CrashGuard:
    """Handles uncaught exceptions in all threads.

    Parameters
    ----------
    report : callable
        Called with the message for the user, on the thread that failed.
    rescue : callable, optional
        Called before that, on the same thread, to back up unsaved work.
    report_fault : callable, optional
        Called with an error in the code of a plug-in, which is not an error of the program.
    """

    def __init__(
        self,
        report: Callable[[str], None],
        rescue: Callable[[], None] | None = None,
        report_fault: Callable[[PluginRuntimeError], None] | None = None,
    ) -> None:
        self._report = report
        self._rescue = rescue
        self._report_fault = report_fault
        self._reporting = False
        self.path: Path | None = None
        self._handler: logging.Handler | None = None
        self._dump: IO[str] | None = None
        with contextlib.suppress(OSError):
            self.path = cache_dir() / "snakestudio.log"
            if os.path.exists(self.path) and self.path.stat().st_size > 1_000_000:
                self.path.replace(self.path.with_suffix(".old.log"))
            handler = logging.FileHandler(self.path, encoding="utf-8")
            handler.setFormatter(
                logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
            )
            logging.getLogger().addHandler(handler)
            self._handler = handler
            self._dump = self.path.open(
                "a", encoding="utf-8"
            )  # this also covers crashes of the interpreter itself
            faulthandler.enable(self._dump)
        self._before = sys.excepthook, threading.excepthook
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread

    def _on_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        fault = fault_of(error) if self._report_fault is not None else None
        if fault is not None and self._report_fault is not None:
            log.warning("%s\n%s", fault.message, fault.traceback)
            self._report_fault(fault)
            return
        log.error("a defect", exc_info=(kind, error, trace))
        if self._handler is None:
            self._before[0](kind, error, trace)
        if self._reporting:
            return  # an error while reporting must not be reported again
        self._reporting = True
        try:
            if self._rescue is not None:
                self._rescue()
            where = f" Details are in {self.path}." if self.path is not None else ""
            self._report(
                f"Internal error: {kind.__name__}: {error}. The program continues. Please report this.{where}"
            )
        finally:
            self._reporting = False

    def close(self) -> None:
        """Restore the previous exception hooks."""
        sys.excepthook, threading.excepthook = self._before
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()
        if self._dump is not None:
            faulthandler.disable()
            self._dump.close()
