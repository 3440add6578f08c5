"""StepEstimate: estimated dependence of a run's result on its time step, stored in headers of the run's files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from snakestudio.inputs import SCENE, InputError, parse_json

_LONGEST = 20_000
"""Largest number of characters of the text; typical are a thousand."""


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Result of a step size check, as one line of JSON, and the run that it belongs to."""

    text: str
    """JSON object: ``scene_sha256``, ``changes``, ``duration_s``, ``step_s``, ``finer_steps_s``,
    ``settled``, and for each quantity an object of ``value``, ``error`` (absolute, null if it does
    not settle), ``percent``, ``percent_of`` and ``from``."""
    scene_sha256: str
    """Hash of the checked scene, see `scene_hash`."""
    changes: int
    """Number of changes of scene values and pulls on links in the checked run."""

    @classmethod
    def of(cls, values: dict[str, Any]) -> StepEstimate:
        """Estimate with these values; see `text`."""
        text = json.dumps(values, ensure_ascii=True, allow_nan=False)
        return cls(text, str(values["scene_sha256"]), int(values["changes"]))

    @classmethod
    def read(cls, text: str) -> StepEstimate | None:
        """Estimate from a line of another estimate's `text`; None if the line is not an estimate."""
        if len(text) > _LONGEST:
            return None
        try:
            values = parse_json(text, SCENE)
            return cls.of(values) if isinstance(values, dict) else None
        except (InputError, KeyError, TypeError, ValueError, OverflowError):
            return None

    @property
    def values(self) -> dict[str, Any]:
        """Values as a dict."""
        values: dict[str, Any] = json.loads(self.text)
        return values

    def is_of(self, scene_sha256: str, changes: int) -> bool:
        """Return whether it belongs to the run of a scene with that hash and that many changes and pulls."""
        return self.scene_sha256 == scene_sha256 and self.changes == changes
