"""What a chart shows: axes, curves, a strip of brightness, a cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

Across = Literal["time", "body", "plane", "frequency"]
"""What the horizontal axis is."""


@dataclass(slots=True)
class Axis:
    """A vertical axis."""

    low: float = 0.0
    high: float = 1.0
    """`low` and `high`: ends; with `decades`, decadic logarithms."""

    decades: bool = False
    labels: list[tuple[float, str]] | None = None
    """Ticks, if they are not to be numbers."""


@dataclass(slots=True)
class Trace:
    """A curve: the band from `low` to `high` over `time`; they are the same where nothing was thinned out."""

    time: FloatArray
    """s; what stands on the horizontal axis, where that is not the time. Shape (b,)."""

    low: FloatArray
    high: FloatArray
    """`low` and `high`: in units of the axis. Shape (b,)."""

    colour: str
    name: str = ""
    axis: int = 0
    """0 left, 1 right."""

    faint: bool = False
    """Drawn dim: a reference."""

    dashed: bool = False
    """Of another run, which is drawn over the window's own."""


@dataclass(slots=True)
class Heat:
    """A strip chart of many rows: brightness is size."""

    time: FloatArray
    """Middle of every bin, s. Shape (b,)."""

    values: NDArray[np.floating]
    """Row 0 is drawn at the top. Shape (b, m)."""

    top: float
    """Value of full brightness."""

    signed: bool = False
    """Whether values below 0 have a colour of their own, as bright at -top as those above at
    top."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A triangle on a curve, pointing down where something begins and up where it ends."""

    time: float
    value: float
    """`time` and `value`: s, and in units of the left axis."""

    begins: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """A disc on a curve, with a word beside it."""

    x: float
    y: float
    """`x` and `y`: in units of the axes."""

    colour: str
    text: str = ""


@dataclass(slots=True)
class ChartData:
    """All a chart shows."""

    start: float = 0.0
    stop: float = 10.0
    """`start` and `stop`: left and right end: times, s; of a profile, material abscissas, m; or
    whatever stands across."""

    axes: list[Axis] = field(default_factory=lambda: [Axis()])
    """Left, and right if there is one."""

    traces: list[Trace] = field(default_factory=list)
    heat: Heat | None = None
    levels: list[tuple[float, str]] = field(default_factory=list)
    """Values on the left axis to mark by a dashed line, and what they are."""

    marks: list[Mark] = field(default_factory=list)
    stride: int = 1
    """Rows of the recording in a bin of the curves."""

    unit: str = ""
    """Unit of the left axis."""

    legend: list[tuple[str, str]] = field(default_factory=list)
    """Colour and text of what the legend says, the most important first."""

    cursor: float | None = None
    """Time of the cursor, s; of a profile, the abscissa under the mouse, m."""

    across: Across = "time"
    """What the horizontal axis is. A body is drawn from its head to its tail; in a plane both axes
    can be moved."""

    across_unit: str = "s"
    """Unit of the horizontal axis."""

    ticks: list[tuple[float, bool]] = field(default_factory=list)
    """Where on the body an anchor or a support is, m, and whether it holds."""

    dots: list[Dot] = field(default_factory=list)
    outlines: list[FloatArray] = field(default_factory=list)
    """Closed polygons below the curves: obstacles from above, m."""

    note: str = ""
    """What has to be said about the picture, in it."""

    invites: bool = False
    """Whether the note is no more than what one could do here."""

    span: tuple[float, float] | None = None
    """Stretch of time that is selected, s."""

    @property
    def profile(self) -> bool:
        """Whether it is drawn over the body and not over the time."""
        return self.across == "body"
