"""Content of a chart: axes, curves, a heat map and a cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

Across = Literal["time", "body", "plane", "frequency"]
"""Quantity of the horizontal axis."""


@dataclass(slots=True)
class Axis:
    """Vertical axis."""

    low: float = 0.0
    """Lower end; its decadic logarithm with `decades`."""

    high: float = 1.0
    """Upper end; its decadic logarithm with `decades`."""

    decades: bool = False
    labels: list[tuple[float, str]] | None = None
    """Ticks with texts; None for numbers."""


@dataclass(slots=True)
class Trace:
    """Curve as a band from `low` to `high` over `time`; both are equal unless rows were combined."""

    time: FloatArray
    """Times, s, or the values of another horizontal axis. Shape (b,)."""

    low: FloatArray
    """Smallest value of each bin, in units of the axis. Shape (b,)."""

    high: FloatArray
    """Largest value of each bin, in units of the axis. Shape (b,)."""

    colour: str
    name: str = ""
    axis: int = 0
    """0 for the left axis, 1 for the right."""

    faint: bool = False
    """Whether the curve is dim, for references."""

    dashed: bool = False
    """Whether the curve is dashed, for overlaid runs."""


@dataclass(slots=True)
class Heat:
    """Heat map of many rows; brightness shows the value."""

    time: FloatArray
    """Centre of each bin, s. Shape (b,)."""

    values: NDArray[np.floating]
    """Values, with row 0 at the top. Shape (b, m)."""

    top: float
    """Value at full brightness."""

    signed: bool = False
    """Whether negative values have a separate colour, with full brightness at -top."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Triangle on a curve, which points down at the start and up at the end of a phase."""

    time: float
    """Time, s."""

    value: float
    """Value, in units of the left axis."""

    begins: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """Disc on a curve, with a label."""

    x: float
    """Horizontal position, in units of the axis."""

    y: float
    """Vertical position, in units of the axis."""

    colour: str
    text: str = ""


@dataclass(slots=True)
class ChartData:
    """Complete content of a chart."""

    start: float = 0.0
    """Left end of the horizontal axis: a time, s; a material abscissa of a profile, m; or a value
    of another horizontal axis."""

    stop: float = 10.0
    """Right end of the horizontal axis, in the same unit."""

    axes: list[Axis] = field(default_factory=lambda: [Axis()])
    """Left axis, and right axis if there is one."""

    traces: list[Trace] = field(default_factory=list)
    heat: Heat | None = None
    levels: list[tuple[float, str]] = field(default_factory=list)
    """Values on the left axis with dashed lines, and their labels."""

    marks: list[Mark] = field(default_factory=list)
    stride: int = 1
    """Number of recorded rows per bin of the curves."""

    unit: str = ""
    """Unit of the left axis."""

    legend: list[tuple[str, str]] = field(default_factory=list)
    """Colours and texts of the legend, the most important first."""

    cursor: float | None = None
    """Time of the cursor, s; for a profile, the abscissa under the pointer, m."""

    across: Across = "time"
    """Quantity of the horizontal axis. A body is drawn from head to tail; both axes of a plane can be
    panned."""

    across_unit: str = "s"
    """Unit of the horizontal axis."""

    ticks: list[tuple[float, bool]] = field(default_factory=list)
    """Abscissas of anchors or supports on the body, m, and whether they hold."""

    dots: list[Dot] = field(default_factory=list)
    outlines: list[FloatArray] = field(default_factory=list)
    """Closed polygons below the curves, such as obstacles from above, m."""

    note: str = ""
    """Note in the chart."""

    invites: bool = False
    """Whether the note is only a hint on what to do."""

    span: tuple[float, float] | None = None
    """Selected time span, s."""

    @property
    def profile(self) -> bool:
        """Whether the horizontal axis is the body instead of time."""
        return self.across == "body"
