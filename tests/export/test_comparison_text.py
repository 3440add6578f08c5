"""Figures in little room, and sentences beside them."""

from __future__ import annotations

import pytest

from snakestudio.analysis.comparison.models import ModelRun
from snakestudio.export.comparison_tables import number, told
from snakestudio.model.scene import Scene


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 4, "0"),
        (1.23456, 4, "1.235"),
        (-0.0012345, 3, "-0.00123"),
        (-0.00012345, 3, "-1.23e-4"),
        (5.175e-5, 4, "5.175e-5"),
        (147.15, 4, "147.2"),
        (1.5e7, 3, "1.50e7"),
    ],
)
def test_numbers(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_what_went_wrong_is_told() -> None:
    assert told(ModelRun("a", "a", Scene(), notes=("takes long.",))) == []
    assert told(ModelRun("a", "a", Scene(), refusals=("no.", "never."))) == [
        "cannot run this scene: no.",
        "cannot run this scene: never.",
    ]
    assert told(ModelRun("a", "a", Scene(), failure="It diverged.")) == ["ended at 0 s: It diverged."]
