"""What a worker process does: it reads the trials once, then one task after the other, and answers each."""

from __future__ import annotations

import contextlib
import os
import pickle
from typing import IO

from snakestudio.analysis.fitting.objective import Objective

__all__ = ["NICENESS", "serve"]

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
