"""What a chart shows: axes, curves, a strip of brightness, a cursor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axis", "Heat", "Mark", "Picture", "Trace"]

FloatArray = NDArray[np.float64]


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
        s.
    low, high : (b,) arrays
        In units of the axis.
    colour : str
    name : str
    axis : int
        0 left, 1 right.
    faint : bool
        Drawn dim: a reference.
    """

    time: FloatArray
    low: FloatArray
    high: FloatArray
    colour: str
    name: str = ""
    axis: int = 0
    faint: bool = False


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


@dataclass(slots=True)
class Picture:
    """All a chart shows.

    Attributes
    ----------
    start, stop : float
        Time at the left and the right end, s; of a profile, material abscissas, m.
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
    profile : bool
        Whether it is drawn over the body, from its head to its tail, and not over the time.
    ticks : list of (float, bool)
        Where on the body an anchor or a support is, m, and whether it holds.
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
    profile: bool = False
    ticks: list[tuple[float, bool]] = field(default_factory=list)
