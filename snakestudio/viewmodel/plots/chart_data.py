"""What a chart shows: axes, curves, a strip of brightness, a cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

__all__ = ["Across", "Axis", "ChartData", "Dot", "Heat", "Mark", "Trace"]

Across = Literal["time", "body", "plane", "frequency"]
"""What the horizontal axis is."""


@dataclass(slots=True)
class Axis:
    """A vertical axis.

    Attributes
    ----------
    low, high : float
        Ends; with `decades`, decadic logarithms.
    decades : bool
    labels : list of (float, str) or None
        Ticks, if they are not to be numbers.
    """

    low: float = 0.0
    high: float = 1.0
    decades: bool = False
    labels: list[tuple[float, str]] | None = None


@dataclass(slots=True)
class Trace:
    """A curve: the band from `low` to `high` over `time`; they are the same where nothing was thinned out.

    Attributes
    ----------
    time : (b,) array
        s; what stands on the horizontal axis, where that is not the time.
    low, high : (b,) arrays
        In units of the axis.
    colour : str
    name : str
    axis : int
        0 left, 1 right.
    faint : bool
        Drawn dim: a reference.
    dashed : bool
        Of another run, which is drawn over the window's own.
    """

    time: FloatArray
    low: FloatArray
    high: FloatArray
    colour: str
    name: str = ""
    axis: int = 0
    faint: bool = False
    dashed: bool = False


@dataclass(slots=True)
class Heat:
    """A strip chart of many rows: brightness is size.

    Attributes
    ----------
    time : (b,) array
        Middle of every bin, s.
    values : (b, m) array
        Row 0 is drawn at the top.
    top : float
        Value of full brightness.
    signed : bool
        Whether values below 0 have a colour of their own, as bright at -top as those above at top.
    """

    time: FloatArray
    values: NDArray[np.floating]
    top: float
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A triangle on a curve, pointing down where something begins and up where it ends.

    Attributes
    ----------
    time, value : float
        s, and in units of the left axis.
    begins : bool
    """

    time: float
    value: float
    begins: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """A disc on a curve, with a word beside it.

    Attributes
    ----------
    x, y : float
        In units of the axes.
    colour : str
    text : str
    """

    x: float
    y: float
    colour: str
    text: str = ""


@dataclass(slots=True)
class ChartData:
    """All a chart shows.

    Attributes
    ----------
    start, stop : float
        Left and right end: times, s; of a profile, material abscissas, m; or whatever stands
        across.
    axes : list of Axis
        Left, and right if there is one.
    traces : list of Trace
    heat : Heat or None
    levels : list of (float, str)
        Values on the left axis to mark by a dashed line, and what they are.
    marks : list of Mark
    stride : int
        Rows of the recording in a bin of the curves.
    unit : str
        Unit of the left axis.
    legend : list of (str, str)
        Colour and text of what the legend says, the most important first.
    cursor : float or None
        Time of the cursor, s; of a profile, the abscissa under the mouse, m.
    across : {"time", "body", "plane", "frequency"}
        What the horizontal axis is. A body is drawn from its head to its tail; in a plane both axes
        can be moved.
    across_unit : str
        Unit of the horizontal axis.
    ticks : list of (float, bool)
        Where on the body an anchor or a support is, m, and whether it holds.
    dots : list of Dot
    outlines : list of (k, 2) arrays
        Closed polygons below the curves: obstacles from above, m.
    note : str
        What has to be said about the picture, in it.
    invites : bool
        Whether the note is no more than what one could do here.
    span : (float, float) or None
        Stretch of time that is selected, s.
    """

    start: float = 0.0
    stop: float = 10.0
    axes: list[Axis] = field(default_factory=lambda: [Axis()])
    traces: list[Trace] = field(default_factory=list)
    heat: Heat | None = None
    levels: list[tuple[float, str]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    stride: int = 1
    unit: str = ""
    legend: list[tuple[str, str]] = field(default_factory=list)
    cursor: float | None = None
    across: Across = "time"
    across_unit: str = "s"
    ticks: list[tuple[float, bool]] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    outlines: list[FloatArray] = field(default_factory=list)
    note: str = ""
    invites: bool = False
    span: tuple[float, float] | None = None

    @property
    def profile(self) -> bool:
        """Whether it is drawn over the body and not over the time."""
        return self.across == "body"
