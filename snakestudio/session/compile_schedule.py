"""When a preparation does what: measured where the program was made, and from the first one on, on this machine.

Every preparation that compiles keeps its times in the cache folder, in the form of `resources/preparation_times.json`:
copied there from a cache folder, they are what comes with the program.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from snakestudio.paths import cache_dir, resource

__all__ = ["Progressing", "Recorder", "Schedule", "expected"]

_NAME = "preparation_times.json"

_UNKNOWN_S = 60.0
"""How long an engine is expected to take that was never measured, s."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """One preparation.

    Attributes
    ----------
    seconds : float
        Processor time of the whole, s.
    marks : tuple of (str, float)
        What it said it was doing, and the processor time at which it did, s.
    """

    seconds: float
    marks: tuple[tuple[str, float], ...] = ()

    def scaled(self, factor: float) -> Schedule:
        """The same on a machine that takes so many times as long."""
        return Schedule(factor * self.seconds, tuple((text, factor * at) for text, at in self.marks))


class Progressing:
    """Turns what a preparation says it is doing into the share of the expected time that has passed.

    Parameters
    ----------
    schedule : Schedule
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule, self._next, self._fraction = schedule, 0, 0.0

    def fraction(self, text: str, told: float) -> float:
        """Share of the expected time; `told`, a share of other things, where nothing is known of times."""
        marks = self._schedule.marks
        if not marks:
            return told
        for index in range(self._next, len(marks)):
            if marks[index][0] == text:
                self._next, self._fraction = index + 1, min(marks[index][1] / self._schedule.seconds, 1.0)
                break
        return self._fraction


class Recorder:
    """Notes when a preparation does what.

    Parameters
    ----------
    now : float
        Processor time at its beginning, s.
    """

    def __init__(self, now: float) -> None:
        self._begun = now
        self._marks: list[tuple[str, float]] = []

    def note(self, text: str, now: float) -> None:
        """It says that it does this."""
        if not self._marks or text != self._marks[-1][0]:
            self._marks.append((text, now - self._begun))

    def keep(self, kind: str, now: float) -> None:
        """It ended well: the next one is expected to go like this. A folder that takes nothing in is no error."""
        shipped, kept = _shipped(), _kept()
        kept[kind] = {
            "seconds": round(now - self._begun, 3),
            "marks": [[text, round(at, 3)] for text, at in self._marks],
            # Another program compiles otherwise: its times say nothing of this one.
            "shipped_seconds": shipped[kind].seconds if kind in shipped else 0.0,
        }
        with contextlib.suppress(OSError):
            path = cache_dir() / _NAME
            new = path.with_suffix(f".{os.getpid()}.new")
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(text)}" for name, text in kept.items())
            new.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
            new.replace(path)


def expected(kind: str) -> Schedule:
    """How the preparation of the engine `kind` is expected to go on this machine."""
    shipped = _shipped()
    here = {
        name: _schedule(text)
        for name, text in _kept().items()
        if text.get("shipped_seconds", 0.0) == (shipped[name].seconds if name in shipped else 0.0)
    }
    if kind in here:
        return here[kind]
    if kind not in shipped:
        return Schedule(_UNKNOWN_S)
    both = [name for name in here if name in shipped]
    if not both:
        return shipped[kind]
    return shipped[kind].scaled(sum(here[name].seconds for name in both) / sum(shipped[name].seconds for name in both))


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Schedule]:
    return {kind: _schedule(text) for kind, text in _read(resource(_NAME)).items()}


def _kept() -> dict[str, dict[str, Any]]:
    try:
        return _read(cache_dir() / _NAME)
    except OSError:  # the folder cannot even be made
        return {}


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """What a file of times says, as far as it can be understood."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    good = {}
    for kind, text in found.items():
        with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
            if _schedule(text).seconds > 0.0:
                good[kind] = text
    return good


def _schedule(text: dict[str, Any]) -> Schedule:
    return Schedule(float(text["seconds"]), tuple((str(name), float(at)) for name, at in text["marks"]))
