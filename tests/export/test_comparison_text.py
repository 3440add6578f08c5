"""Text of a model comparison for runs that ended early or could not start."""

from __future__ import annotations

from snakestudio.analysis.comparison.models import ModelRun
from snakestudio.export.comparison_tables import reported
from snakestudio.model.scene import Scene
from tests.wording import naming


def test_what_went_wrong_is_reported() -> None:
    assert reported(ModelRun("a", "a", Scene(), notes=("takes long.",))) == []
    assert reported(ModelRun("a", "a", Scene(), refusals=("no.", "never."))) == [
        naming("cannot run"),
        naming("scene: never"),
    ]
    assert reported(ModelRun("a", "a", Scene(), failure="It diverged.")) == [
        "ended at 0 s: It diverged."
    ]
