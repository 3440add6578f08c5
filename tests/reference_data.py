"""Cases of the papers and their tracks by an independent implementation (see references/README.md)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray

__all__ = ["CASES", "reference"]

_DIRECTORY = Path(__file__).parent / "references"
CASES: dict[str, Any] = json.loads((_DIRECTORY / "cases.json").read_text())


@cache
def reference(name: str) -> dict[str, FloatArray]:
    """Return the arrays of a reference track, by name."""
    with np.load(_DIRECTORY / f"{name}.npz") as arrays:
        return dict(arrays)
