"""Lateral undulation; the gait library, start poses and strain laws use the same parameters."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import LateralUndulation

KIND = GaitKind(
    fields=LateralUndulation,
    make=WaveGait,
    title="Lateral undulation",
    help="A horizontal wave travels along the body.",
    place=0,
)
