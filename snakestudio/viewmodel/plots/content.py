"""Content of a plot as plain data for layouts and presets, and plots of chosen channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from snakestudio.model.column_units import label_of
from snakestudio.model.quantities import numbered
from snakestudio.model.recording import Schema
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.channels import Channel, is_signal, series_key
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType, distinct_colour, link_colour
from snakestudio.viewmodel.plots.plot_types import VIEWS

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpectrumWindow

Kind = Literal["view", "time", "xy", "spectrum", "heat"]
"""A view of the list, or chosen channels over time, against each other, over frequency, or as a heat
map."""

WINDOWS: tuple[SpectrumWindow, ...] = ("hann", "hamming", "blackman", "flattop", "rectangular")
"""Window functions for spectra."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Chosen channel."""

    name: str
    """Name as in a CSV, or of a derived channel."""

    against: str = ""
    """Channel of the horizontal axis of an X-Y plot."""


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a plot."""

    kind: Kind = "time"
    view: str = ""
    """Name in `VIEWS`, for the kind "view"."""

    index: int = 0
    """Chosen link, joint or quantity, 0-based, for the kind "view"."""

    curves: tuple[Curve, ...] = ()
    """Curves of all other kinds."""

    title: str = ""
    """Title; "" for an automatic one."""

    log: bool = False
    """Whether the value axis is logarithmic."""

    equal: bool = False
    """Whether both axes of an X-Y plot have the same scale."""

    outlines: bool = False
    """Whether obstacles of the scene are drawn, for tracks from above."""

    whole: bool = False
    """Whether an X-Y plot shows the whole run instead of the time in view."""

    window: SpectrumWindow = "hann"
    """Window function of a spectrum, one of `WINDOWS`."""

    def without(self, number: int) -> Content:
        """Return the content without one of its curves (0-based)."""
        return replace(self, curves=self.curves[:number] + self.curves[number + 1 :])

    def moved(self, number: int, to: int) -> Content:
        """Return the content with a curve at another position."""
        curves = list(self.curves)
        curves.insert(to, curves.pop(number))
        return replace(self, curves=tuple(curves))

    @staticmethod
    def of_view(view: str, index: int = 0) -> Content:
        """Return the content of a view of the list."""
        return Content("view", view, index)

    @staticmethod
    def tracks(links: tuple[int, ...], centre: bool = False) -> Content:
        """Return paths of links (1-based) from above, and of the centre of mass."""
        bodies = [f"link_{link}" for link in links] + (["com"] if centre else [])
        curves = tuple(Curve(f"{body}_y_m", f"{body}_x_m") for body in bodies)
        return Content("xy", curves=curves, equal=True, outlines=True, whole=True)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all its channels."""
        return tuple(name for curve in self.curves for name in (curve.against, curve.name) if name)


def write_content(content: Content) -> dict[str, Any]:
    """Return the content for JSON, without default values."""
    default = Content(content.kind)
    written = {f.name: getattr(content, f.name) for f in fields(Content) if f.name != "curves"}
    values = {
        key: value
        for key, value in written.items()
        if key == "kind" or value != getattr(default, key)
    }
    if content.curves:
        values["curves"] = [
            {key: value for key, value in asdict(curve).items() if value}
            for curve in content.curves
        ]
    return values


def read_content(written: object) -> Content | None:
    """Return the content from `write_content`; None if it is not valid."""
    if not isinstance(written, Mapping):
        return None
    values = dict(written)
    curves = values.pop("curves", [])
    types = {f.name: type(getattr(Content(), f.name)) for f in fields(Content)}
    if not all(key in types and type(value) is types[key] for key, value in values.items()):
        return None
    if not isinstance(curves, list) or not all(
        isinstance(curve, Mapping)
        and set(curve) <= {"name", "against"}
        and isinstance(curve.get("name"), str)
        and all(isinstance(value, str) for value in curve.values())
        for curve in curves
    ):
        return None
    content = Content(**values, curves=tuple(Curve(**curve) for curve in curves))
    known = content.kind in get_args(Kind) and content.window in WINDOWS
    return content if known and (content.kind != "view" or content.view in VIEWS) else None


_TITLES = {
    "time": "Chosen channels",
    "xy": "X-Y plot",
    "spectrum": "Spectrum",
    "heat": "Strips by number",
}
_STYLES = {"time": "lines", "xy": "xy", "spectrum": "spectrum", "heat": "heat"}


Known = Mapping[str, Channel]
"""Channels by name."""


def _unit(name: str, known: Known) -> str:
    """Return the unit of a channel; "" if it does not exist."""
    return known[name].unit if name in known else ""


def _title(content: Content) -> str:
    if content.title:
        return content.title
    return "Tracks from above" if content.outlines else _TITLES[content.kind]


def _short(names: Sequence[str]) -> dict[str, str]:
    """Return the labels without their common first words, so that legends stay short."""
    parts = {name: label_of(name).split() for name in names}
    shared = 0
    while len(parts) > 1 and all(len(each) > shared + 1 for each in parts.values()):
        if len({each[shared] for each in parts.values()}) > 1:
            break
        shared += 1
    if shared and any(
        each[shared].isdigit() for each in parts.values()
    ):  # "6 x" alone would be unclear
        shared -= 1
    return {name: " ".join(each[shared:]) for name, each in parts.items()}


def _time_lines(content: Content, known: Known) -> list[CurveSpec]:
    units = list(
        dict.fromkeys(known[curve.name].unit for curve in content.curves if curve.name in known)
    )
    labels = _short([curve.name for curve in content.curves])
    return [
        CurveSpec(
            known[curve.name].series,
            0,
            labels[curve.name],
            distinct_colour(number),
            known[curve.name].unit,
            axis=min(1, units.index(known[curve.name].unit)),
        )
        for number, curve in enumerate(content.curves)
        if curve.name in known
    ]


def _pairs(content: Content, known: Known) -> list[CurveSpec]:
    lines: list[CurveSpec] = []
    for number, curve in enumerate(content.curves):
        if curve.name in known and curve.against in known:
            for name in (curve.against, curve.name):
                one = known[name]
                label = label_of(name)
                lines.append(CurveSpec(one.series, 0, label, distinct_colour(number), one.unit))
            if content.outlines:  # the axes are labelled x and y
                lines[-1] = replace(lines[-1], name=label_of(curve.name).removesuffix(" y"))
    return lines


def _strips(content: Content, known: Known) -> list[CurveSpec]:
    """Return one series of all channels, so that they form one heat map; a derived channel has a separate series."""
    names = [curve.name for curve in content.curves if curve.name in known]
    if len(names) > 1:
        names = [name for name in names if not is_signal(known[name].series)]
    key = series_key([known[name].series for name in names])
    lines = []
    for number, name in enumerate(names):
        parts = numbered(name)
        label = f"{parts[0]} {parts[1]}" if parts else label_of(name)
        lines.append(
            CurveSpec(key, number, label, link_colour(number, len(names)), known[name].unit)
        )
    return lines


def custom_view(
    content: Content, known_of: Callable[[Schema], Known], schema: Schema | None
) -> PlotType:
    """Return the view of a content.

    Parameters
    ----------
    known_of : callable
        Function that returns all channels of a schema.
    schema : Schema or None
        Schema of the run, whose channels determine the units of the axes.
    """
    if content.kind == "view":
        return VIEWS[content.view]
    units = (
        [] if schema is None else [_unit(curve.name, known_of(schema)) for curve in content.curves]
    )
    make = {"time": _time_lines, "spectrum": _time_lines, "xy": _pairs, "heat": _strips}[
        content.kind
    ]
    return PlotType(
        _title(content),
        units[0] if units else "",
        lambda schema, index: make(content, known_of(schema)),
        Fields.NONE,
        style=_STYLES[content.kind],  # type: ignore[arg-type]
        decades=content.log,
        signed=content.kind == "heat",
        chosen=True,
        equal=content.equal,
        outlines=content.outlines,
        whole_run=content.whole,
        window=content.window,
    )


def missing(content: Content, known: Known) -> list[str]:
    """Return the channels that a recording lacks."""
    return [name for name in dict.fromkeys(content.names) if name not in known]


def with_curves(content: Content, names: tuple[str, ...], known: Known) -> Content | str:
    """Return the content with channels added, or a sentence with the reason why they cannot be added.

    Parameters
    ----------
    content : Content
        Content of any kind but "view". An X-Y plot takes one more channel against its horizontal axis,
        or its first two.
    known : mapping of str to Channel
        All channels of the run.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        return f"This run has no channel {unknown[0]}. Choose one from the channel browser."
    if content.kind == "xy":
        return _with_pairs(content, names, known)
    new = tuple(Curve(name) for name in names if Curve(name) not in content.curves)
    extended = replace(content, curves=content.curves + new)
    units = list(dict.fromkeys(_unit(curve.name, known) for curve in extended.curves))
    most = 2 if content.kind == "time" else 1
    if len(units) > most:
        listed = " and ".join(unit or "a pure number" for unit in units[:most])
        return (
            f"This plot already shows {listed} and has only {'two axes' if most == 2 else 'one axis'}. Drop "
            f"{label_of(names[-1])} ({units[most] or 'a pure number'}) on another plot, or next to the plots for a new "
            "one."
        )
    if content.kind == "heat" and new:
        return _as_strips(extended, known)
    return extended


def _as_strips(content: Content, known: Known) -> Content | str:
    """Return the columns of a heat map form one series, and a derived channel has a separate one."""
    keys = [known[curve.name].series for curve in content.curves]
    if len(keys) > 1 and any(map(is_signal, keys)):
        return "A heat map shows one quantity of all links or joints. Drop this channel on a separate plot."
    return content


def _with_pairs(content: Content, names: tuple[str, ...], known: Known) -> Content | str:
    if content.curves:
        across = content.curves[0].against
        curves = (
            tuple(_track(name, known) or Curve(name, across) for name in names)
            if content.outlines
            else (tuple(Curve(name, across) for name in names))
        )
    elif len(names) < 2:
        return "An X-Y plot needs two channels. Drag the horizontal and the vertical one onto it together."
    else:
        curves = tuple(Curve(name, names[0]) for name in names[1:])
    extended = replace(
        content,
        curves=content.curves + tuple(curve for curve in curves if curve not in content.curves),
    )
    for side in ("against", "name"):
        units = list(dict.fromkeys(_unit(getattr(curve, side), known) for curve in extended.curves))
        if len(units) > 1:
            return (
                f"Each axis of this X-Y plot has one unit, and {units[0] or 'a pure number'} is already shown. Drop "
                f"{label_of(names[-1])} ({units[-1] or 'a pure number'}) on a separate plot."
            )
    return extended


def _track(name: str, known: Known) -> Curve | None:
    """Return the path from above of the body of a channel; dropping any channel of a link adds its track."""
    parts = numbered(name)
    body = f"{parts[0]}_{parts[1]}" if parts else name.partition("_")[0]
    curve = Curve(f"{body}_y_m", f"{body}_x_m")
    return curve if curve.name in known and curve.against in known else None
