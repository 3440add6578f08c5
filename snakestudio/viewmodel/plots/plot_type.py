"""Plot types: curves, axes, and the recordings that they apply to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.recording import Schema
from snakestudio.model.snapshot import Fields

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpectrumWindow

STOPS = tuple(f"stop:{index}" for index in range(7))
"""Colours of curves in addition to roles of the theme."""


@dataclass(frozen=True, slots=True)
class CurveSpec:
    """Column of a series as a curve."""

    series: str
    """Key of the series (see `viewmodel.plots.channels`)."""

    column: int
    name: str
    colour: str
    """A role of the theme ("accent"), a position in a sequence of colours (`link_colour`,
    `distinct_colour`, `STOPS`), or a colour ("#4cc2ff")."""

    unit: str
    axis: int = 0
    """0 for the left axis, 1 for the right."""

    faint: bool = False
    """Whether the curve is dim, for references."""


def leaves_the_plane(schema: Schema) -> bool:
    """Return whether a robot can bend out of the plane."""
    return bool(schema.sections) or any(axis.kind != "yaw" for axis in schema.axes)


@dataclass(frozen=True, slots=True)
class PlotType:
    """Type of plot."""

    title: str
    """Title of the plot."""

    unit: str
    """Unit of its left axis."""

    lines: Callable[[Schema, int], list[CurveSpec]]
    """Curves by schema of the recording and chosen link or joint (0-based)."""

    needs: Fields
    """Fields that the source must fill."""

    chooser: Literal["", "link", "joint", "quantity"] = ""
    """Kind of item that users choose."""

    style: Literal["lines", "stacked", "heat", "profile", "xy", "spectrum"] = "lines"
    """A profile is drawn over the body at the time of the cursor. An X-Y plot has lines in pairs, the
    horizontal one first. A spectrum is drawn over frequency, everything else over time."""

    from_zero: bool = False
    """Whether the axis starts at 0 if the data allow it."""

    least: float = 1e-9
    """Smallest length of the left axis."""

    decades: bool = False
    """Whether the left axis is logarithmic."""

    levels: tuple[tuple[float, str], ...] = ()
    """Values with dashed lines, and their labels."""

    spatial: bool = False
    """Whether it applies only to robots that leave the plane."""

    columns: tuple[str, ...] = ()
    """Columns that controllers or models must have recorded."""

    phases: bool = False
    """Whether the first curve has marks at the start and end of a controller phase."""

    of: Literal["", "links", "body"] = ""
    """"links" for robots with links only, "body" for continuous bodies only, "" for both."""

    holds: bool = False
    """Whether it applies only to bodies with anchors or supports."""

    choices: tuple[str, ...] = ()
    """Quantities to choose from."""

    signed: bool = False
    """Whether negative values have a separate colour."""

    chosen: bool = False
    """Whether users chose the curves; then the legend keeps their order and shows all."""

    equal: bool = False
    """Whether both axes of an X-Y plot have the same scale."""

    outlines: bool = False
    """Whether an X-Y plot shows the obstacles."""

    whole_run: bool = False
    """Whether an X-Y plot shows the whole run instead of the time in view."""

    window: SpectrumWindow = "hann"
    """Window function of the spectrum."""

    def possible(self, schema: Schema) -> bool:
        """Return whether a recording has the required columns."""
        return self.needs in schema.valid and self._fits(schema)

    def suits(self, schema: Schema) -> bool:
        """Return whether the plot applies to runs with a schema."""
        return (leaves_the_plane(schema) or not self.spatial) and self._fits(schema)

    def _fits(self, schema: Schema) -> bool:
        kind = "body" if schema.sections else "links"
        available = self.of in ("", kind) and (schema.n_joints > 0 or self.chooser != "joint")
        return (
            available
            and (schema.n_holds > 0 or not self.holds)
            and set(self.columns) <= set(schema.extra)
        )

    def phase(self, schema: Schema | None) -> tuple[str, str, str] | None:
        """Return the column of the marked phase, which is positive during it, and names of its start and end."""
        known = CONTROLLERS.values() if self.phases and schema is not None and schema.extra else ()
        return next(
            (
                kind.phase
                for kind in known
                if schema and kind.phase and kind.phase[0] in schema.extra
            ),
            None,
        )

    def item_name(self, schema: Schema | None) -> str:
        """Return the name of the items to choose from; a continuous body has sections instead of links."""
        return (
            "section"
            if self.chooser == "link" and schema is not None and schema.sections
            else self.chooser
        )

    def count(self, schema: Schema) -> int:
        """Return the number of items to choose from."""
        if self.chooser == "quantity":
            return len(self.choices)
        return schema.n_joints if self.chooser == "joint" else schema.n_links

    def choice(self, schema: Schema | None, index: int) -> str:
        """Return the name of an item (0-based)."""
        if self.chooser == "quantity":
            return self.choices[min(index, len(self.choices) - 1)]
        return f"{self.item_name(schema)} {index + 1}"


def link_colour(index: int, count: int) -> str:
    """Return the colour of the curve of a link; neighbours have similar colours."""
    return f"ramp:{index / max(1, count - 1)!r}"


def distinct_colour(number: int) -> str:
    """Return the colour of the curve with a number (0-based) among chosen curves."""
    return f"distinct:{number}"
