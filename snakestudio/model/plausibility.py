"""Plausibility: which plausibility checks a run went through, and what they found, as stored in the run's files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from snakestudio.inputs import NOTE, InputError, parse_json
from snakestudio.text import listing

_LONGEST = 20_000
"""Largest number of characters of a stored result; typical are a few hundred."""

_MOST = 100
"""Largest number of entries of a stored result."""

NOT_CHECKED = "not checked"
"""Entry of tables and headers for runs of earlier versions."""

PLAUSIBLE = "plausible"
"""Entry of tables and headers for runs without violations."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A plausibility check that a run did not pass."""

    check: str
    """Name of the check, a key of `plausibility.checks.CHECKS`."""

    title: str
    """Title of the check, in lower case: "joint torque"."""

    time: float
    """Simulated time of the worst violation, s."""

    value: float
    """Worst value, in the unit of the text."""

    limit: float
    """Bound that the value exceeds, in the same unit."""

    text: str
    """Sentence with the part of the robot, the value, the time and the bound."""

    remedy: str
    """Sentence on what to do."""

    @property
    def excess(self) -> float:
        """Relative violation, at least 0: 1 for twice the bound."""
        if self.limit > 0.0 and math.isfinite(self.value):
            return max(self.value / self.limit - 1.0, 0.0)
        return 1.0


@dataclass(frozen=True, slots=True)
class Plausibility:
    """Result of the plausibility checks of a run."""

    violations: tuple[Violation, ...] = ()
    """Checks that the run did not pass, the most conclusive first."""

    checked: tuple[str, ...] = ()
    """Names of all checks that applied to the run."""

    @property
    def plausible(self) -> bool:
        """Whether no check found anything."""
        return not self.violations

    @property
    def summary(self) -> str:
        """Titles of the violations: "joint torque and speed"; "plausible" without violations."""
        return listing([violation.title for violation in self.violations]) or PLAUSIBLE

    @property
    def names(self) -> str:
        """Names of the violations for tables: "joint_torque speed"; "plausible" without violations."""
        return " ".join(violation.check for violation in self.violations) or PLAUSIBLE

    @property
    def excess(self) -> float:
        """Largest relative violation; 0 for a plausible run."""
        return max((violation.excess for violation in self.violations), default=0.0)

    @property
    def values(self) -> dict[str, Any]:
        """Values as a dict for JSON."""
        return {
            "plausible": self.plausible,
            "violations": [asdict(violation) for violation in self.violations],
            "checked": list(self.checked),
        }

    @property
    def text(self) -> str:
        """Values as one line of JSON, for headers of files."""
        return json.dumps(self.values, ensure_ascii=True)

    @classmethod
    def read(cls, text: str) -> Plausibility | None:
        """Return the result from a line of another result's `text`; None if the line is not a result."""
        if not text or len(text) > _LONGEST:
            return None
        try:
            values = parse_json(text, NOTE)
            return cls._of(values) if isinstance(values, Mapping) else None
        except (InputError, KeyError, TypeError, ValueError, OverflowError):
            return None

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Plausibility:
        violations = [
            Violation(
                str(entry["check"]),
                str(entry["title"]),
                float(entry["time"]),
                float(entry["value"]),
                float(entry["limit"]),
                str(entry["text"]),
                str(entry["remedy"]),
            )
            for entry in list(values["violations"])[:_MOST]
        ]
        return cls(tuple(violations), tuple(map(str, list(values["checked"])[:_MOST])))


def summary_of(result: Plausibility | None) -> str:
    """Return the titles of the violations of a result; "not checked" without a result."""
    return NOT_CHECKED if result is None else result.summary
