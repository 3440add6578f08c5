"""Plots that somebody puts together from channels: over the time, over each other, their spectra, strips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from snakestudio.model.column_units import label_of
from snakestudio.model.quantities import numbered
from snakestudio.model.recording import Schema
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.channels import Channel, is_signal, series_key
from snakestudio.viewmodel.plots.content import Content, Curve
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType, distinct_colour, link_colour
from snakestudio.viewmodel.plots.plot_types import VIEWS

__all__ = ["custom_view", "missing", "with_curves"]

_TITLES = {"time": "Chosen channels", "xy": "X-Y plot", "spectrum": "Spectrum", "heat": "Strips by number"}
_STYLES = {"time": "lines", "xy": "xy", "spectrum": "spectrum", "heat": "heat"}


Known = Mapping[str, Channel]
"""Channels by name."""


def _unit(name: str, known: Known) -> str:
    """Unit of a channel; "" of one that is not there."""
    return known[name].unit if name in known else ""


def _title(content: Content) -> str:
    if content.title:
        return content.title
    return "Tracks from above" if content.outlines else _TITLES[content.kind]


def _short(names: Sequence[str]) -> dict[str, str]:
    """Labels without the words that all of them begin with: those leave no room for the others in a legend."""
    words = {name: label_of(name).split() for name in names}
    shared = 0
    while len(words) > 1 and all(len(each) > shared + 1 for each in words.values()):
        if len({each[shared] for each in words.values()}) > 1:
            break
        shared += 1
    if shared and any(each[shared].isdigit() for each in words.values()):  # "6 x" is of what?
        shared -= 1
    return {name: " ".join(each[shared:]) for name, each in words.items()}


def _time_lines(content: Content, known: Known) -> list[CurveSpec]:
    units = list(dict.fromkeys(known[curve.name].unit for curve in content.curves if curve.name in known))
    labels = _short([curve.name for curve in content.curves])
    return [
        CurveSpec(
            known[curve.name].series, 0, labels[curve.name], distinct_colour(number), known[curve.name].unit,
            axis=min(1, units.index(known[curve.name].unit)),
        )
        for number, curve in enumerate(content.curves)
        if curve.name in known
    ]  # fmt: skip


def _pairs(content: Content, known: Known) -> list[CurveSpec]:
    lines: list[CurveSpec] = []
    for number, curve in enumerate(content.curves):
        if curve.name in known and curve.against in known:
            for name in (curve.against, curve.name):
                one = known[name]
                label = label_of(name)
                lines.append(CurveSpec(one.series, 0, label, distinct_colour(number), one.unit))
            if content.outlines:  # the axes say x and y
                lines[-1] = replace(lines[-1], name=label_of(curve.name).removesuffix(" y"))
    return lines


def _strips(content: Content, known: Known) -> list[CurveSpec]:
    """One series of all of them, so that they are drawn as one strip; a derived channel has one of its own."""
    names = [curve.name for curve in content.curves if curve.name in known]
    if len(names) > 1:
        names = [name for name in names if not is_signal(known[name].series)]
    together = series_key([known[name].series for name in names])
    lines = []
    for number, name in enumerate(names):
        found = numbered(name)
        label = f"{found[0]} {found[1]}" if found else label_of(name)
        lines.append(CurveSpec(together, number, label, link_colour(number, len(names)), known[name].unit))
    return lines


def custom_view(content: Content, known_of: Callable[[Schema], Known], schema: Schema | None) -> PlotType:
    """The view of a content.

    Parameters
    ----------
    content : Content
    known_of : callable
        All channels of runs of a schema.
    schema : Schema or None
        Of the run; its channels' units are those of the axes.
    """
    if content.kind == "view":
        return VIEWS[content.view]
    units = [] if schema is None else [_unit(curve.name, known_of(schema)) for curve in content.curves]
    make = {"time": _time_lines, "spectrum": _time_lines, "xy": _pairs, "heat": _strips}[content.kind]
    return PlotType(
        _title(content), units[0] if units else "", lambda schema, index: make(content, known_of(schema)), Fields.NONE,
        style=_STYLES[content.kind],  # type: ignore[arg-type]
        decades=content.log, signed=content.kind == "heat", chosen=True, equal=content.equal,
        outlines=content.outlines, whole=content.whole, window=content.window,
    )  # fmt: skip


def missing(content: Content, known: Known) -> list[str]:
    """Channels that a recording does not have."""
    return [name for name in dict.fromkeys(content.names) if name not in known]


def with_curves(content: Content, names: tuple[str, ...], known: Known) -> Content | str:
    """The content with channels added to it, or why not, in a sentence.

    Parameters
    ----------
    content : Content
        Of any kind but a view; an X-Y plot takes one more against its horizontal axis, or two that begin one.
    names : tuple of str
    known : mapping of str to Channel
        All channels of the run.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        return f"This run has no channel {unknown[0]}; choose one of those in the channel browser."
    if content.kind == "xy":
        return _with_pairs(content, names, known)
    new = tuple(Curve(name) for name in names if Curve(name) not in content.curves)
    made = replace(content, curves=content.curves + new)
    units = list(dict.fromkeys(_unit(curve.name, known) for curve in made.curves))
    most = 2 if content.kind == "time" else 1
    if len(units) > most:
        shown = " and ".join(unit or "a pure number" for unit in units[:most])
        return (
            f"This plot shows {shown} already, and {'it has only two axes' if most == 2 else 'it has one axis'}: drop "
            f"{label_of(names[-1])} ({units[most] or 'a pure number'}) on another plot, or beside the plots for one of "
            "its own."
        )
    if content.kind == "heat" and new:
        return _as_strips(made, known)
    return made


def _as_strips(content: Content, known: Known) -> Content | str:
    """Strips are columns of one series, and a derived channel has one of its own."""
    keys = [known[curve.name].series for curve in content.curves]
    if len(keys) > 1 and any(map(is_signal, keys)):
        return "Strips show one quantity of every link or joint: put the other one into a plot of its own."
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
        return "An X-Y plot needs two channels: drag the one across and the one upwards onto it together."
    else:
        curves = tuple(Curve(name, names[0]) for name in names[1:])
    made = replace(content, curves=content.curves + tuple(curve for curve in curves if curve not in content.curves))
    for side in ("against", "name"):
        units = list(dict.fromkeys(_unit(getattr(curve, side), known) for curve in made.curves))
        if len(units) > 1:
            return (
                f"The axes of this X-Y plot have one unit each, and {units[0] or 'a pure number'} is there already: "
                f"{label_of(names[-1])} ({units[-1] or 'a pure number'}) needs a plot of its own."
            )
    return made


def _track(name: str, known: Known) -> Curve | None:
    """The path from above of the body that a channel belongs to: dropping any channel of a link adds its track."""
    found = numbered(name)
    body = f"{found[0]}_{found[1]}" if found else name.partition("_")[0]
    curve = Curve(f"{body}_y_m", f"{body}_x_m")
    return curve if curve.name in known and curve.against in known else None
