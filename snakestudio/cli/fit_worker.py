"""Simulate for a fit that runs in another process; started by it."""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import sys
from typing import IO

from snakestudio.analysis.fitting.objective import Objective

__all__ = ["add_arguments", "execute"]

# What a worker process does: it reads the trials once, then one task after the other, and answers each.

NICENESS = 10
"""How far workers step back: the window that waits for them, and everything else, shall stay fluid."""


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Work until `tasks` ends: with its parent, however that goes, a worker ends, too."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICENESS)  # whatever the window that starts it has
    try:
        objective = Objective(pickle.load(tasks))
        while True:
            task = pickle.load(tasks)
            pickle.dump(objective.evaluate(task), answers)
            answers.flush()
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        return  # nobody is there any more


# Simulate for a fit that runs in another process; started by it.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio fit-worker`: there are none."""


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio fit-worker`."""
    # Answers get the output for themselves: a library's stray line must not come between them.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)
    return 0
