"""Two waves; the gait library, start poses and strain laws use the same parameters."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import TwoWaves

KIND = GaitKind(
    fields=TwoWaves,
    make=WaveGait,
    title="Two waves",
    help="A horizontal and a vertical wave travel along the body.",
    place=1,
)
