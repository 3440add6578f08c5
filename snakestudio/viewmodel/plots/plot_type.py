"""What a kind of plot is: its curves, its axes, and which recordings have something to say in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.recording import Schema
from snakestudio.model.snapshot import Fields

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpectrumWindow

STOPS = tuple(f"stop:{place}" for place in range(7))
"""Colours for curves beyond those that roles of the theme have."""


@dataclass(frozen=True, slots=True)
class CurveSpec:
    """A column of a series as a curve."""

    series: str
    """Its key (see `viewmodel.plots.channels`)."""

    column: int
    name: str
    colour: str
    """A role of the theme ("accent"), a place among colours that stand in a row (`link_colour`,
    `distinct_colour`, `STOPS`), or a colour ("#4cc2ff")."""

    unit: str
    axis: int = 0
    """0 left, 1 right."""

    faint: bool = False
    """Drawn dim: a reference."""


def leaves_the_plane(schema: Schema) -> bool:
    """Whether a robot can bend out of the plane."""
    return bool(schema.sections) or any(axis.kind != "yaw" for axis in schema.axes)


@dataclass(frozen=True, slots=True)
class PlotType:
    """A kind of plot."""

    title: str
    unit: str
    """`title` and `unit`: of the plot and its left axis."""

    lines: Callable[[Schema, int], list[CurveSpec]]
    """Curves by the recording's schema and the chosen link or joint (0-based)."""

    needs: Fields
    """What the source must fill."""

    chooser: Literal["", "link", "joint", "quantity"] = ""
    """What one chooses."""

    style: Literal["lines", "stacked", "heat", "profile", "xy", "spectrum"] = "lines"
    """A profile is drawn over the body at the time of the cursor, an X-Y plot has its lines in
    pairs (what stands on the horizontal axis first), a spectrum is drawn over the frequency,
    everything else over the time."""

    from_zero: bool = False
    """Whether the axis begins at 0 if the data allow it."""

    least: float = 1e-9
    """Least length of the left axis."""

    decades: bool = False
    """Whether the left axis is logarithmic."""

    levels: tuple[tuple[float, str], ...] = ()
    """Values to mark, and what they are."""

    spatial: bool = False
    """Whether it says something only of robots that leave the plane."""

    columns: tuple[str, ...] = ()
    """What controllers or models must have added to the recording."""

    phases: bool = False
    """Whether it is marked on the first curve where a phase of the controller begins and ends."""

    of: Literal["", "links", "body"] = ""
    """Whether it is of robots that have links only, or of continuous bodies only."""

    holds: bool = False
    """Whether it is of a body's anchors and supports."""

    choices: tuple[str, ...] = ()
    """Quantities to choose from."""

    signed: bool = False
    """Whether values below 0 count as much as those above."""

    chosen: bool = False
    """Whether somebody put its curves together: then they stay in that order, and none is left
    out."""

    equal: bool = False
    """Whether both axes of an X-Y plot have the same scale."""

    outlines: bool = False
    """Whether the obstacles are drawn in an X-Y plot."""

    whole: bool = False
    """Whether an X-Y plot shows all of the run, and not only the time in view."""

    window: SpectrumWindow = "hann"
    """By what a stretch is weighed for its spectrum."""

    def possible(self, schema: Schema) -> bool:
        """Whether a recording holds what is shown."""
        return self.needs in schema.valid and self._fits(schema)

    def suits(self, schema: Schema) -> bool:
        """Whether it has something to say of such a run."""
        return (leaves_the_plane(schema) or not self.spatial) and self._fits(schema)

    def _fits(self, schema: Schema) -> bool:
        kind = "body" if schema.sections else "links"
        there = self.of in ("", kind) and (schema.n_joints > 0 or self.chooser != "joint")
        return (
            there
            and (schema.n_holds > 0 or not self.holds)
            and set(self.columns) <= set(schema.extra)
        )

    def phase(self, schema: Schema | None) -> tuple[str, str, str] | None:
        """Column of the phase that is marked, which is above 0 in it, and what its begin and its end are called."""
        known = CONTROLLERS.values() if self.phases and schema is not None and schema.extra else ()
        return next(
            (
                kind.phase
                for kind in known
                if schema and kind.phase and kind.phase[0] in schema.extra
            ),
            None,
        )

    def word(self, schema: Schema | None) -> str:
        """What one chooses is called: a continuous body has sections for links."""
        return (
            "section"
            if self.chooser == "link" and schema is not None and schema.sections
            else self.chooser
        )

    def count(self, schema: Schema) -> int:
        """How many there are to choose from."""
        if self.chooser == "quantity":
            return len(self.choices)
        return schema.n_joints if self.chooser == "joint" else schema.n_links

    def choice(self, schema: Schema | None, index: int) -> str:
        """Name of what is chosen (0-based)."""
        if self.chooser == "quantity":
            return self.choices[min(index, len(self.choices) - 1)]
        return f"{self.word(schema)} {index + 1}"


def link_colour(index: int, count: int) -> str:
    """Colour of a link's curve: neighbours look alike, the ends do not."""
    return f"ramp:{index / max(1, count - 1)!r}"


def distinct_colour(number: int) -> str:
    """Colour of the curve of a number (0-based) among curves that somebody put together."""
    return f"distinct:{number}"
