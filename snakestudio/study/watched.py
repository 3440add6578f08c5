"""Protocol between a process that runs a study and its parent: messages as JSON lines, and commands.

The process writes progress and messages as lines of JSON to its standard output. It reads the
commands `pause`, `resume` and `cancel` as lines from its standard input, whose end means `cancel`:
the parent process has ended.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal, NamedTuple

from snakestudio.errors import Problem
from snakestudio.study.cluster import WorkerInfo
from snakestudio.study.driver import Progress

PAUSE = "pause"
RESUME = "resume"
CANCEL = "cancel"


class StudyMessage(NamedTuple):
    """Message of a process that runs a study."""

    kind: Literal["progress", "doing", "note", "error"]
    """Progress, preparation steps before the start, note for the user, or fatal error."""

    text: str = ""
    """Text for people; "" for progress."""

    progress: Progress | None = None
    problems: tuple[Problem, ...] = ()
    """Problems behind an error."""


def line_of(message: StudyMessage) -> str:
    """Encode a message as a line of JSON."""
    values: dict[str, object] = {"kind": message.kind}
    if message.progress is not None:
        progress = asdict(message.progress)
        progress["left_s"] = (
            None if math.isnan(message.progress.left_s) else message.progress.left_s
        )
        values["progress"] = progress
    else:
        values["text"] = message.text
        values["problems"] = [
            [problem.key, problem.message, problem.remedy] for problem in message.problems
        ]
    return json.dumps(values)


def message_in(line: str) -> StudyMessage | None:
    """Decode a line; None for other output, because libraries also write to the standard output."""
    try:
        values = json.loads(line)
        kind = values["kind"]
        if kind == "progress":
            return StudyMessage(kind, progress=_progress(dict(values["progress"])))
        if kind in ("doing", "note", "error"):
            return StudyMessage(kind, str(values["text"]), problems=_problems(values["problems"]))
    except (ValueError, KeyError, TypeError):
        pass
    return None


def _progress(values: dict[str, object]) -> Progress:
    progress = Progress(**values)  # type: ignore[arg-type]
    workers = tuple(WorkerInfo(**worker) for worker in values["workers"])  # type: ignore[attr-defined]
    left = math.nan if values["left_s"] is None else values["left_s"]
    return Progress(
        progress.state,
        progress.runs,
        progress.finished,
        progress.known,
        progress.failed,
        float(left),  # type: ignore[arg-type]
        workers,
        progress.dashboard,
        tuple(progress.notes),
    )


def _problems(values: Sequence[Sequence[str]]) -> tuple[Problem, ...]:
    return tuple(Problem("error", key, message, remedy) for key, message, remedy in values)
