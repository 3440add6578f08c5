"""Two waves, whose values are those that the library of gaits, start poses and strain laws reckon with."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import TwoWaves

KIND = GaitKind(
    fields=TwoWaves,
    make=WaveGait,
    title="Two waves",
    help="A horizontal and a vertical wave run along the body.",
    place=1,
)
