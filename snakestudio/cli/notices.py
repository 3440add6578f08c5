"""Warnings and log messages on the terminal: only those for users, not those of libraries for developers."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from snakestudio.cli.terminal import print_warning
from snakestudio.errors import SnakeStudioWarning


@contextmanager
def notices_for_users() -> Iterator[None]:
    """Print warnings and log messages that concern users, in one form; leave out the others.

    Libraries warn about slow disks, missing networks and similar conditions, depending on the load of the computer.
    """
    before = logging.lastResort
    logging.lastResort = _LogHandler()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            yield
    finally:
        logging.lastResort = before


class _LogHandler(logging.Handler):
    """Prints the program's log messages from warnings on, if no file gets them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(logging.Filter("snakestudio"))

    def emit(self, record: logging.LogRecord) -> None:
        print_warning(self.format(record))


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of the program or of a plug-in, without the line of code that raised it."""
    if issubclass(category, SnakeStudioWarning):
        print_warning(str(message))
    elif plugin := _calling_plugin():
        print_warning(f"{plugin}: {message}")


def _calling_plugin() -> str:
    """Return the name of the plug-in whose code is running in this thread; "" if there is none."""
    if "snakestudio.plugins.loaded" not in sys.modules:
        return ""
    from inspect import currentframe

    from snakestudio.plugins.faults import owner

    return owner(currentframe())
