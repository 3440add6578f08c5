"""What a plausibility check consists of: its declaration, and a detector that receives the rows of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from snakestudio.model.snapshot import Fields
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.text import number_text


@dataclass(frozen=True, slots=True)
class Exceedance:
    """A bound that a run exceeded."""

    value: float
    """In the unit of the text."""

    limit: float
    """In the unit of the text."""

    time: float
    """Simulated time of the worst value, s."""

    text: str
    """Clause with part, value, time and bound, without a full stop."""

    remedy: str = ""
    """Sentence on what to do; that of the check if omitted."""


def amount(value: float) -> str:
    """Return the value with three digits, or without decimals if it is large: "0.213", "53.1", "9120"."""
    return number_text(value, 3) if abs(value) < 100.0 else f"{value:,.0f}"


class Detector(Protocol):
    """Looks for one kind of violation in a run."""

    def feed(self, block: Block) -> None:
        """Receive consecutive rows."""
        ...

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """Return the violation in the rows so far; None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class PlausibilityCheck:
    """Declaration of a plausibility check."""

    name: str
    """Name in files, tables and JSON."""

    title: str
    """Title in sentences, in lower case."""

    help: str
    """Sentence on what it means if a run does not pass."""

    bound: str
    """Clause with the bound and the reason for it."""

    remedy: str
    """Sentence on what to do."""

    detector: Callable[[RunContext], Detector | None]
    """Creates the detector for a run; None if the check does not apply to it."""

    needs: Fields = Fields.NONE
    """Fields that the source of the run must fill."""
