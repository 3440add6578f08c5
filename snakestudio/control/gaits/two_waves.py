"""Two waves, whose values are those that the library of gaits, start poses and strain laws reckon with."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import TwoWaves

__all__ = ["KIND"]

_VERTICAL = tuple(f"gait.{name}" for name in TwoWaves.model_fields if name.startswith("pitch_"))

KIND = GaitKind(
    fields=TwoWaves,
    make=WaveGait,
    title="Two waves",
    help="A horizontal and a vertical wave run along the body.",
    place=1,
    effects=((_VERTICAL, lambda scene: scene.robot.n_links > 1, "only with joints"),),
)
