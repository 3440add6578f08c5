"""The kinds of plot one can choose: which channels each shows, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from snakestudio.gui.core import theme
from snakestudio.gui.plots.body_plot_types import BODY_VIEWS, default_body_views
from snakestudio.gui.plots.plot_type import STOPS, CurveSpec, PlotType, link_colour
from snakestudio.kinds.controller import CONTROLLERS, ControllerKind, Plot
from snakestudio.model.column_units import parted, unit_text
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

__all__ = ["VIEWS", "CurveSpec", "PlotType", "default_views", "first_index", "link_colour"]


def _per_link(channel: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        n = schema.n_links
        word = "section" if schema.sections else "link"
        return [CurveSpec(channel, i, f"{word} {i + 1}", link_colour(i, n), "N") for i in range(n)]

    return lines


def _height(schema: Schema, index: int) -> list[CurveSpec]:
    n = schema.n_links
    word = "section" if schema.sections else "link"
    return [CurveSpec("position", 3 * (i + 1) + 2, f"{word} {i + 1}", link_colour(i, n), "m") for i in range(n)]


def _attitude(schema: Schema, index: int) -> list[CurveSpec]:
    p = theme.current()
    colours = {"roll": p.friction, "pitch": p.warning, "yaw": p.accent}
    return [
        CurveSpec("attitude", 3 * index + axis, name, colour, "°")
        for axis, (name, colour) in enumerate(colours.items())
        if schema.has_pitch or schema.sections or name == "yaw"
    ]


def _joint(schema: Schema, index: int) -> list[CurveSpec]:
    p, n = theme.current(), schema.n_joints
    lines = []
    for axis, (name, colour) in enumerate((("yaw", p.accent), ("pitch", p.friction))[: 2 if schema.has_pitch else 1]):
        angle, reference = (name, f"{name} ref") if schema.has_pitch else ("angle", "reference")
        column = index + axis * n
        lines.append(CurveSpec("joint_angle", column, angle, colour, "°"))
        if Fields.REFERENCE in schema.valid:  # joints that are given torques have none
            lines.append(CurveSpec("joint_reference", column, reference, p.dim, "°", faint=True))
    return lines


def _torque(schema: Schema, index: int) -> list[CurveSpec]:
    p, n = theme.current(), schema.n_joints
    lines = [CurveSpec("joint_torque", index, "yaw" if schema.has_pitch else "torque", p.accent, "N m")]
    if schema.has_pitch:
        lines.append(CurveSpec("joint_torque", index + n, "pitch", p.friction, "N m"))
    return lines


def _speed(schema: Schema, index: int) -> list[CurveSpec]:
    p = theme.current()
    return [
        CurveSpec("speed", 0, "CoM", p.good, "m/s"),
        CurveSpec("speed", index + 1, f"{'section' if schema.sections else 'link'} {index + 1}", p.accent, "m/s"),
    ]


def _position(schema: Schema, index: int) -> list[CurveSpec]:
    p, column = theme.current(), 3 * (index + 1)
    lines = [
        CurveSpec("position", column, "x", p.accent, "m"),
        CurveSpec("position", column + 1, "y", p.warning, "m"),
        CurveSpec("position", 0, "CoM x", p.good, "m"),
        CurveSpec("position", 1, "CoM y", p.friction, "m"),
    ]
    if schema.has_pitch or schema.sections:  # a planar robot stays where it lies
        lines.insert(2, CurveSpec("position", column + 2, "z", p.text, "m"))
    return lines


def _solver(schema: Schema, index: int) -> list[CurveSpec]:
    p = theme.current()
    return [
        CurveSpec("solver", 0, "residual", p.good, ""),
        CurveSpec("solver", 1, "iterations", p.friction, "", axis=1),
        CurveSpec("solver", 2, "unconverged", p.warning, "", axis=1),
        CurveSpec("contacts", 0, "contacts", p.accent, "", axis=1),
    ]


def _contacts(schema: Schema, index: int) -> list[CurveSpec]:
    return [CurveSpec("contacts", 0, "contacts closed", theme.current().accent, "")]


def _energy(schema: Schema, index: int) -> list[CurveSpec]:
    p = theme.current()
    colours = (p.accent, p.good, p.warning, p.friction, *STOPS)
    return [CurveSpec("energy", i, _energy_name(name), colours[i % 11], "J") for i, name in enumerate(schema.energy)]


def _energy_name(name: str) -> str:
    kind, _, of = name.partition("_")
    return f"{of} {kind}" if kind == "work" and of else name.replace("_", " ")


_OF_ROBOTS = {
    "force": PlotType(
        "Obstacle force by link",
        "N",
        _per_link("obstacle_force"),
        Fields.CONTACTS,
        from_zero=True,
        least=1.0,
        of="links",
    ),
    "force_stacked": PlotType(
        "Obstacle force, link above link",
        "N",
        _per_link("obstacle_force"),
        Fields.CONTACTS,
        style="stacked",
        least=1.0,
        of="links",
    ),
    "force_map": PlotType(
        "Obstacle force, link by time",
        "N",
        _per_link("obstacle_force"),
        Fields.CONTACTS,
        style="heat",
        least=1.0,
        of="links",
    ),
    "friction": PlotType(
        "Ground friction by link", "N", _per_link("ground_friction"), Fields.CONTACTS, from_zero=True, least=0.1
    ),
    "contact_force": PlotType(
        "Contact force by link", "N", _per_link("contact_force"), Fields.CONTACTS, from_zero=True, least=1.0
    ),
    "ground_load": PlotType(
        "Ground load by link", "N", _per_link("ground_load"), Fields.CONTACTS, from_zero=True, least=1.0
    ),
    "contacts": PlotType("Contacts closed", "", _contacts, Fields.CONTACTS, from_zero=True, least=4.0),
    "joint": PlotType("Angle and reference", "°", _joint, Fields.JOINTS, chooser="joint", least=2.0),
    "torque": PlotType("Torque", "N m", _torque, Fields.TORQUE, chooser="joint", least=0.1),
    "speed": PlotType(
        "Speed",
        "m/s",
        _speed,
        Fields.TWIST,
        chooser="link",
        from_zero=True,
        least=0.01,
        phases=True,  # as P3's Fig. 8 does
    ),
    "position": PlotType("Position", "m", _position, Fields.POSE, chooser="link", least=0.01),
    "height": PlotType("Height by link", "m", _height, Fields.POSE, least=0.01, spatial=True),
    "attitude": PlotType("Roll, pitch, yaw", "°", _attitude, Fields.POSE, chooser="link", least=2.0, spatial=True),
}

_OF_RUNS = {
    "solver": PlotType(
        "Solver",
        "",
        _solver,
        Fields.SOLVER | Fields.CONTACTS,
        decades=True,
        levels=((-8.0, "converged up to here"),),
    ),
    "energy": PlotType("Energy and work", "J", _energy, Fields.ENERGY, least=0.01),
    **BODY_VIEWS,
}


def _declared(plot: Plot) -> PlotType:
    """The kind of plot that a controller declares of its channels."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = theme.current()
        colours = iter((p.accent, p.warning, p.good, p.friction, *STOPS))
        found = []
        for curve in plot.curves:
            channel, unit = _shown(curve.channel)
            colour = p.dim if curve.faint else next(colours)
            column = schema.extra.index(curve.channel)
            found.append(CurveSpec(channel, column, curve.name, colour, unit, int(curve.right), curve.faint))
        return found

    columns = tuple(curve.channel for curve in plot.curves)
    unit = _shown(columns[0])[1]
    return PlotType(plot.title, unit, lines, Fields.NONE, least=plot.least, levels=plot.levels, columns=columns)


def _shown(column: str) -> tuple[str, str]:
    """Channel in which a column of a controller is shown, and its unit there."""
    unit = unit_text(parted(column)[1])
    return ("control_angle", unit.replace("rad", "°")) if unit.startswith("rad") else ("control", unit)


@cache
def _of_controllers(kinds: tuple[ControllerKind, ...]) -> dict[str, PlotType]:
    plots = {plot.key: plot for kind in kinds for plot in kind.plots}
    return {plot.key: _declared(plot) for plot in sorted(plots.values(), key=lambda plot: plot.place)}


class _PlotTypes(Mapping[str, PlotType]):
    """All kinds of plot: of robots, those that controllers declare, of runs and of continuous bodies."""

    def __getitem__(self, name: str) -> PlotType:
        own = _OF_ROBOTS.get(name) or _OF_RUNS.get(name)
        return own if own is not None else _of_controllers(tuple(CONTROLLERS.values()))[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_OF_ROBOTS, *_of_controllers(tuple(CONTROLLERS.values())), *_OF_RUNS))

    def __len__(self) -> int:
        return sum(1 for _ in self)


VIEWS: Mapping[str, PlotType] = _PlotTypes()
"""All kinds by name."""

_FIRST_CHOSEN = {"joint": 3, "speed": 5, "position": 5}


def first_index(name: str, scene: Scene) -> int:
    """Which link, joint or quantity (0-based) a plot of a kind begins with."""
    if scene.body.strained:  # the head, and what an axis without bending has
        return VIEWS[name].choices.index("N_X") if name == "profile" and scene.beam.group == "R" else 0
    return _FIRST_CHOSEN.get(name, 0)


def default_views(scene: Scene) -> tuple[str, str, str, str]:
    """What the four plots show at first: where something happens in this scene."""
    if scene.body.strained:
        return default_body_views(scene)
    own = CONTROLLERS[scene.controller.kind].shown
    if own is not None:
        return own
    if scene.obstacles:
        return "force", "joint", "speed", "position"
    if not scene.model.spatial:
        return "friction", "joint", "speed", "position"
    return "ground_load", "joint", "height", "position"
