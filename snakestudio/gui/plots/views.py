"""The kinds of plot one can choose: which channels each shows, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QColor

from snakestudio.gui import theme
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

__all__ = ["VIEWS", "Line", "View", "default_views", "link_colour"]


@dataclass(frozen=True, slots=True)
class Line:
    """A column of a channel as a curve.

    Attributes
    ----------
    channel : str
    column : int
    name : str
    colour : str
    unit : str
    axis : int
        0 left, 1 right.
    faint : bool
        Drawn dim: a reference.
    """

    channel: str
    column: int
    name: str
    colour: str
    unit: str
    axis: int = 0
    faint: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A kind of plot.

    Attributes
    ----------
    title, unit : str
        Of the plot and its left axis.
    lines : callable
        Curves by the recording's schema and the chosen link or joint (0-based).
    needs : Fields
        What the source must fill.
    chooser : {"", "link", "joint"}
        What one chooses.
    style : {"lines", "stacked", "heat"}
    from_zero : bool
        Whether the axis begins at 0 if the data allow it.
    least : float
        Least length of the left axis.
    decades : bool
        Whether the left axis is logarithmic.
    levels : tuple of (float, str)
        Values to mark, and what they are.
    spatial : bool
        Whether it says something only of robots that leave the plane.
    columns : tuple of str
        What controllers or models must have added to the recording.
    marked : str
        Such a column, if there is one: where it rises above 0 and where it falls back is marked on the first curve.
    marks : (str, str)
        What these marks say.
    """

    title: str
    unit: str
    lines: Callable[[Schema, int], list[Line]]
    needs: Fields
    chooser: Literal["", "link", "joint"] = ""
    style: Literal["lines", "stacked", "heat"] = "lines"
    from_zero: bool = False
    least: float = 1e-9
    decades: bool = False
    levels: tuple[tuple[float, str], ...] = ()
    spatial: bool = False
    columns: tuple[str, ...] = ()
    marked: str = ""
    marks: tuple[str, str] = ("", "")

    def possible(self, schema: Schema) -> bool:
        """Whether a recording holds what is shown."""
        return self.needs in schema.valid and set(self.columns) <= set(schema.extra)

    def suits(self, schema: Schema) -> bool:
        """Whether it has something to say of such a run."""
        return (schema.has_pitch or not self.spatial) and set(self.columns) <= set(schema.extra)


_STOPS = ("#4cc2ff", "#8f9dff", "#c792ea", "#ef9ac8", "#ffb454", "#e6dc6a", "#55d68b")
_STOPS_LIGHT = ("#0a84d0", "#5560d8", "#8d4fc0", "#c2569a", "#c27500", "#8c8410", "#178a4c")


def link_colour(index: int, count: int) -> str:
    """Colour of a link's curve: neighbours look alike, the ends do not."""
    stops = _STOPS if theme.current().name == "dark" else _STOPS_LIGHT
    place = index / max(1, count - 1) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    a, b, share = QColor(stops[first]), QColor(stops[first + 1]), place - first
    mixed = [getattr(a, c)() + share * (getattr(b, c)() - getattr(a, c)()) for c in ("redF", "greenF", "blueF")]
    return QColor.fromRgbF(*mixed).name()


def _per_link(channel: str) -> Callable[[Schema, int], list[Line]]:
    def lines(schema: Schema, index: int) -> list[Line]:
        n = schema.n_links
        return [Line(channel, i, f"link {i + 1}", link_colour(i, n), "N") for i in range(n)]

    return lines


def _height(schema: Schema, index: int) -> list[Line]:
    n = schema.n_links
    return [Line("position", 3 * (i + 1) + 2, f"link {i + 1}", link_colour(i, n), "m") for i in range(n)]


def _attitude(schema: Schema, index: int) -> list[Line]:
    p = theme.current()
    colours = {"roll": p.friction, "pitch": p.warning, "yaw": p.accent}
    return [
        Line("attitude", 3 * index + axis, name, colour, "°")
        for axis, (name, colour) in enumerate(colours.items())
        if schema.has_pitch or name == "yaw"
    ]


def _joint(schema: Schema, index: int) -> list[Line]:
    p, n = theme.current(), schema.n_joints
    lines = []
    for axis, (name, colour) in enumerate((("yaw", p.accent), ("pitch", p.friction))[: 2 if schema.has_pitch else 1]):
        angle, reference = (name, f"{name} ref") if schema.has_pitch else ("angle", "reference")
        column = index + axis * n
        lines.append(Line("joint_angle", column, angle, colour, "°"))
        lines.append(Line("joint_reference", column, reference, p.dim, "°", faint=True))
    return lines


def _torque(schema: Schema, index: int) -> list[Line]:
    p, n = theme.current(), schema.n_joints
    lines = [Line("joint_torque", index, "yaw" if schema.has_pitch else "torque", p.accent, "N m")]
    if schema.has_pitch:
        lines.append(Line("joint_torque", index + n, "pitch", p.friction, "N m"))
    return lines


def _speed(schema: Schema, index: int) -> list[Line]:
    p = theme.current()
    return [
        Line("speed", 0, "CoM", p.good, "m/s"),
        Line("speed", index + 1, f"link {index + 1}", p.accent, "m/s"),
    ]


def _position(schema: Schema, index: int) -> list[Line]:
    p, column = theme.current(), 3 * (index + 1)
    lines = [
        Line("position", column, "x", p.accent, "m"),
        Line("position", column + 1, "y", p.warning, "m"),
        Line("position", 0, "CoM x", p.good, "m"),
        Line("position", 1, "CoM y", p.friction, "m"),
    ]
    if schema.has_pitch:  # a planar robot stays where it lies
        lines.insert(2, Line("position", column + 2, "z", p.text, "m"))
    return lines


def _cross_track(schema: Schema, index: int) -> list[Line]:
    return [
        Line("control", schema.extra.index("cross_track_m"), "to the left of the path", theme.current().accent, "m")
    ]


def _heading(schema: Schema, index: int) -> list[Line]:
    p = theme.current()
    shown = (("heading_rad", "heading", p.accent, False), ("heading_ref_rad", "ref", p.dim, True))
    lines = [
        Line("control_angle", schema.extra.index(name), text, colour, "°", faint=faint)
        for name, text, colour, faint in shown
    ]
    return [*lines, Line("control_angle", schema.extra.index("gait_offset_rad"), "offset", p.warning, "°", axis=1)]


def _solver(schema: Schema, index: int) -> list[Line]:
    p = theme.current()
    return [
        Line("solver", 0, "residual", p.good, ""),
        Line("solver", 1, "iterations", p.friction, "", axis=1),
        Line("solver", 2, "unconverged", p.warning, "", axis=1),
        Line("contacts", 0, "contacts", p.accent, "", axis=1),
    ]


def _contacts(schema: Schema, index: int) -> list[Line]:
    return [Line("contacts", 0, "contacts closed", theme.current().accent, "")]


def _energy(schema: Schema, index: int) -> list[Line]:
    p = theme.current()
    colours = (p.accent, p.good, p.warning, p.friction, *_STOPS)
    return [Line("energy", i, _energy_name(name), colours[i % 11], "J") for i, name in enumerate(schema.energy)]


def _energy_name(name: str) -> str:
    kind, _, of = name.partition("_")
    return f"{of} {kind}" if kind == "work" and of else name.replace("_", " ")


VIEWS = {
    "force": View(
        "Obstacle force by link", "N", _per_link("obstacle_force"), Fields.CONTACTS, from_zero=True, least=1.0
    ),
    "force_stacked": View(
        "Obstacle force, link above link", "N", _per_link("obstacle_force"), Fields.CONTACTS, style="stacked", least=1.0
    ),
    "force_map": View(
        "Obstacle force, link by time", "N", _per_link("obstacle_force"), Fields.CONTACTS, style="heat", least=1.0
    ),
    "friction": View(
        "Ground friction by link", "N", _per_link("ground_friction"), Fields.CONTACTS, from_zero=True, least=0.1
    ),
    "contact_force": View(
        "Contact force by link", "N", _per_link("contact_force"), Fields.CONTACTS, from_zero=True, least=1.0
    ),
    "ground_load": View(
        "Ground load by link", "N", _per_link("ground_load"), Fields.CONTACTS, from_zero=True, least=1.0
    ),
    "contacts": View("Contacts closed", "", _contacts, Fields.CONTACTS, from_zero=True, least=4.0),
    "joint": View("Angle and reference", "°", _joint, Fields.JOINTS | Fields.REFERENCE, chooser="joint", least=2.0),
    "torque": View("Torque", "N m", _torque, Fields.TORQUE, chooser="joint", least=0.1),
    "speed": View(
        "Speed",
        "m/s",
        _speed,
        Fields.TWIST,
        chooser="link",
        from_zero=True,
        least=0.01,
        marked="controller_state",  # as P3's Fig. 8 does
        marks=("jam", "resolved"),
    ),
    "position": View("Position", "m", _position, Fields.POSE, chooser="link", least=0.01),
    "height": View("Height by link", "m", _height, Fields.POSE, least=0.01, spatial=True),
    "attitude": View("Roll, pitch, yaw", "°", _attitude, Fields.POSE, chooser="link", least=2.0, spatial=True),
    "cross_track": View(
        "Cross-track error",
        "m",
        _cross_track,
        Fields.NONE,
        least=0.02,
        levels=((0.0, "the path"),),
        columns=("cross_track_m",),
    ),
    "heading": View(
        "Heading", "°", _heading, Fields.NONE, least=5.0, columns=("heading_rad", "heading_ref_rad", "gait_offset_rad")
    ),
    "solver": View(
        "Solver",
        "",
        _solver,
        Fields.SOLVER | Fields.CONTACTS,
        decades=True,
        levels=((-8.0, "converged up to here"),),
    ),
    "energy": View("Energy and work", "J", _energy, Fields.ENERGY, least=0.01),
}
"""All kinds by name."""


def default_views(scene: Scene) -> tuple[str, str, str, str]:
    """What the four plots show at first: where something happens in this scene."""
    if scene.controller.kind == "path_following":
        return "cross_track", "heading", "speed", "position"
    if scene.controller.kind == "heading":
        return "heading", "joint", "speed", "position"
    if scene.controller.kind == "leader_follower":
        return "speed", "joint", "force", "position"
    if scene.obstacles:
        return "force", "joint", "speed", "position"
    if scene.model.kind.startswith("planar"):
        return "friction", "joint", "speed", "position"
    return "ground_load", "joint", "height", "position"
