"""StepEstimate: how far the result of a run depends on its time step, as the headers of its files carry it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from snakestudio.inputs import SCENE, InputError, parse_json

_LONGEST = 20_000
"""Characters of the text; it takes about a thousand."""


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """The result of a step size check, as one line of JSON, and which run it is of."""

    text: str
    """JSON object: `scene_sha256`, `changes`, `duration_s`, `step_s`, `finer_steps_s`, `settled`,
    and for each quantity an object of `value`, `error` (absolute, null if it does not settle),
    `percent`, `percent_of` and `from`."""
    scene_sha256: str
    """Of the scene that was checked, see `scene_hash`."""
    changes: int
    """Changes of scene values and pulls on links during the run that was checked."""

    @classmethod
    def of(cls, values: dict[str, Any]) -> StepEstimate:
        """The estimate with these values; see `text`."""
        text = json.dumps(values, ensure_ascii=True, allow_nan=False)
        return cls(text, str(values["scene_sha256"]), int(values["changes"]))

    @classmethod
    def read(cls, text: str) -> StepEstimate | None:
        """The estimate in a line that `text` of another one gave; None if it is not one."""
        if len(text) > _LONGEST:
            return None
        try:
            values = parse_json(text, SCENE)
            return cls.of(values) if isinstance(values, dict) else None
        except (InputError, KeyError, TypeError, ValueError, OverflowError):
            return None

    @property
    def values(self) -> dict[str, Any]:
        """The same as a dict."""
        values: dict[str, Any] = json.loads(self.text)
        return values

    def is_of(self, scene_sha256: str, changes: int) -> bool:
        """Whether it is of the run of a scene with that hash and that many changes and pulls."""
        return self.scene_sha256 == scene_sha256 and self.changes == changes
