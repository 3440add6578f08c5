"""What a plot is to show, as plain data: kept in layouts and presets, read back on any recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from snakestudio.viewmodel.plots.plot_types import VIEWS

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpectrumWindow

__all__ = ["Content", "Curve", "Kind", "read_content", "write_content"]

Kind = Literal["view", "time", "xy", "spectrum", "heat"]
"""A view of the list; or chosen channels over the time, over each other, over the frequency, as a strip each."""

WINDOWS: tuple[SpectrumWindow, ...] = ("hann", "hamming", "blackman", "flattop", "rectangular")
"""By what a stretch may be weighed for its spectrum."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A chosen channel.

    Attributes
    ----------
    name : str
        As in a CSV, or of a derived channel.
    against : str
        Of an X-Y plot, what stands on the horizontal axis.
    """

    name: str
    against: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What a plot shows.

    Attributes
    ----------
    kind : str
    view : str
        Name in `VIEWS`, of that kind.
    index : int
        Chosen link, joint or quantity, 0-based, of that kind.
    curves : tuple of Curve
        Of all other kinds.
    title : str
        "" for one that says what it is.
    log : bool
        Whether the value axis is logarithmic.
    equal : bool
        Whether both axes of an X-Y plot have the same scale.
    outlines : bool
        Whether the scene's obstacles are drawn: for tracks from above.
    whole : bool
        Whether an X-Y plot shows all of the run, and not only the time in view.
    window : str
        Of a spectrum, one of `WINDOWS`.
    """

    kind: Kind = "time"
    view: str = ""
    index: int = 0
    curves: tuple[Curve, ...] = ()
    title: str = ""
    log: bool = False
    equal: bool = False
    outlines: bool = False
    whole: bool = False
    window: SpectrumWindow = "hann"

    def without(self, number: int) -> Content:
        """The same less one of its curves (0-based)."""
        return replace(self, curves=self.curves[:number] + self.curves[number + 1 :])

    def moved(self, number: int, to: int) -> Content:
        """The same with a curve in another place of the order."""
        curves = list(self.curves)
        curves.insert(to, curves.pop(number))
        return replace(self, curves=tuple(curves))

    @staticmethod
    def of_view(view: str, index: int = 0) -> Content:
        """A view of the list."""
        return Content("view", view, index)

    @staticmethod
    def tracks(links: tuple[int, ...], centre: bool = False) -> Content:
        """Paths of links (1-based) seen from above, and of the centre of mass."""
        bodies = [f"link_{link}" for link in links] + (["com"] if centre else [])
        curves = tuple(Curve(f"{body}_y_m", f"{body}_x_m") for body in bodies)
        return Content("xy", curves=curves, equal=True, outlines=True, whole=True)

    @property
    def names(self) -> tuple[str, ...]:
        """All channels it names."""
        return tuple(name for curve in self.curves for name in (curve.against, curve.name) if name)


def write_content(content: Content) -> dict[str, Any]:
    """As JSON knows it; what is as always is left out."""
    default = Content(content.kind)
    written = {f.name: getattr(content, f.name) for f in fields(Content) if f.name != "curves"}
    kept = {key: value for key, value in written.items() if key == "kind" or value != getattr(default, key)}
    if content.curves:
        kept["curves"] = [{key: value for key, value in asdict(curve).items() if value} for curve in content.curves]
    return kept


def read_content(written: object) -> Content | None:
    """What was written by `write_content`; None if it cannot be understood."""
    if not isinstance(written, Mapping):
        return None
    kept = dict(written)
    curves = kept.pop("curves", [])
    types = {f.name: type(getattr(Content(), f.name)) for f in fields(Content)}
    if not all(key in types and type(value) is types[key] for key, value in kept.items()):
        return None
    if not isinstance(curves, list) or not all(
        isinstance(curve, Mapping) and set(curve) <= {"name", "against"} and isinstance(curve.get("name"), str)
        and all(isinstance(value, str) for value in curve.values())
        for curve in curves
    ):  # fmt: skip
        return None
    content = Content(**kept, curves=tuple(Curve(**curve) for curve in curves))
    known = content.kind in get_args(Kind) and content.window in WINDOWS
    return content if known and (content.kind != "view" or content.view in VIEWS) else None
