"""Lateral undulation, whose values are those that the library of gaits, start poses and strain laws reckon with."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import LateralUndulation

KIND = GaitKind(
    fields=LateralUndulation,
    make=WaveGait,
    title="Lateral undulation",
    help="A horizontal wave runs along the body.",
    place=0,
)
