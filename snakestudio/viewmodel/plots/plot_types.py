"""Plot types that users can choose, with their channels and styles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from snakestudio.kinds.controller import CONTROLLERS, ControllerKind, Plot
from snakestudio.model.column_units import parted, unit_of
from snakestudio.model.quantities import column_of_energy, in_degrees
from snakestudio.model.recording import Schema
from snakestudio.model.robot.joint_axes import joints
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.plot_type import (
    STOPS,
    CurveSpec,
    PlotType,
    leaves_the_plane,
    link_colour,
)


class _Curve(NamedTuple):
    """Curve of a plot type; if its series has many columns, the curve of the chosen item."""

    series: str
    name: str
    """Name; "" for that of the chosen item."""

    colour: str
    axis: int = 0
    faint: bool = False
    is_in: Callable[[Schema], bool] = lambda schema: True
    """Whether runs with a schema have the curve."""


Lines = Callable[[Schema, int], list[CurveSpec]]


def _curves(*curves: _Curve) -> Lines:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        return [
            CurveSpec(
                curve.series,
                index if "*" in curve.series else 0,
                curve.name or f"{_part_name(schema)} {index + 1}",
                curve.colour,
                unit_of(curve.series),
                curve.axis,
                curve.faint,
            )
            for curve in curves
            if curve.is_in(schema)
        ]

    return lines


def _part_name(schema: Schema) -> str:
    return "section" if schema.sections else "link"


def _per_link(series: str) -> Lines:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        n = schema.n_links
        return [
            CurveSpec(
                series, i, f"{_part_name(schema)} {i + 1}", link_colour(i, n), unit_of(series)
            )
            for i in range(n)
        ]

    return lines


def _in_space(schema: Schema) -> bool:
    """Return whether the robot can leave the plane."""
    return leaves_the_plane(schema)


_AXIS_COLOURS = {"yaw": "accent", "pitch": "friction", "roll": "warning"}


def _axes_of(schema: Schema, joint: int) -> list[tuple[str, int, str]]:
    """Return the axes of a joint: kind, index among axes of this kind, and colour."""
    joint_axes = []
    for kind, colour in _AXIS_COLOURS.items():
        those = joints(schema.axes, kind).tolist()
        if joint in those:
            joint_axes.append((kind, those.index(joint), colour))
    return joint_axes


def _joint(schema: Schema, index: int) -> list[CurveSpec]:
    lines = []
    for kind, entry, colour in _axes_of(schema, index):
        angle, reference = (kind, f"{kind} ref") if _in_space(schema) else ("angle", "reference")
        lines.append(CurveSpec(f"joint_*_{kind}_deg", entry, angle, colour, "°"))
        if Fields.REFERENCE in schema.valid:  # joints under torques have none
            lines.append(
                CurveSpec(f"joint_*_{kind}_ref_deg", entry, reference, "dim", "°", faint=True)
            )
    return lines


def _torque(schema: Schema, index: int) -> list[CurveSpec]:
    named = _in_space(schema)
    return [
        CurveSpec(f"joint_*_{kind}_torque_nm", entry, kind if named else "torque", colour, "N m")
        for kind, entry, colour in _axes_of(schema, index)
    ]


def _energy(schema: Schema, index: int) -> list[CurveSpec]:
    colours = ("accent", "good", "warning", "friction", *STOPS)
    return [
        CurveSpec(column_of_energy(name), 0, _energy_name(name), colours[i % 11], "J")
        for i, name in enumerate(schema.energy)
    ]


def _energy_name(name: str) -> str:
    kind, _, of = name.partition("_")
    return f"{of} {kind}" if kind == "work" and of else name.replace("_", " ")


def _of_links(title: str, what: str, least: float, **more: Any) -> PlotType:
    """Plot type of forces on all links."""
    return PlotType(title, "N", _per_link(f"link_*_{what}_n"), Fields.CONTACTS, least=least, **more)


_SPEED = _curves(_Curve("com_speed_mps", "CoM", "good"), _Curve("link_*_speed_mps", "", "accent"))
_POSITION = _curves(
    _Curve("link_*_x_m", "x", "accent"),
    _Curve("link_*_y_m", "y", "warning"),
    _Curve("link_*_z_m", "z", "text", is_in=_in_space),
    _Curve("com_x_m", "CoM x", "good"),
    _Curve("com_y_m", "CoM y", "friction"),
)
_ATTITUDE = _curves(
    _Curve("link_*_roll_deg", "roll", "friction", is_in=_in_space),
    _Curve("link_*_pitch_deg", "pitch", "warning", is_in=_in_space),
    _Curve("link_*_yaw_deg", "yaw", "accent"),
)
_SOLVER = _curves(
    _Curve("solver_residual_of_steps", "residual", "good"),
    _Curve("solver_iterations", "iterations", "friction", axis=1),
    _Curve("solver_unconverged", "unconverged", "warning", axis=1),
    _Curve("contacts_closed", "contacts", "accent", axis=1),
)
_CLOSED = _curves(_Curve("contacts_closed", "contacts closed", "accent"))

_OF_ROBOTS = {
    "force": _of_links("Obstacle force by link", "obstacle_force", 1.0, from_zero=True, of="links"),
    "force_stacked": _of_links(
        "Obstacle force, link above link", "obstacle_force", 1.0, style="stacked", of="links"
    ),
    "force_map": _of_links(
        "Obstacle force, link by time", "obstacle_force", 1.0, style="heat", of="links"
    ),
    "friction": _of_links("Ground friction by link", "ground_friction", 0.1, from_zero=True),
    "contact_force": _of_links("Contact force by link", "contact_force", 1.0, from_zero=True),
    "ground_load": _of_links("Ground load by link", "ground_load", 1.0, from_zero=True),
    "contacts": PlotType(
        "Contacts closed", "", _CLOSED, Fields.CONTACTS, from_zero=True, least=4.0
    ),
    "joint": PlotType(
        "Angle and reference", "°", _joint, Fields.JOINTS, chooser="joint", least=2.0
    ),
    "torque": PlotType("Torque", "N m", _torque, Fields.TORQUE, chooser="joint", least=0.1),
    "speed": PlotType(  # with the phases of P3, Fig. 8
        "Speed",
        "m/s",
        _SPEED,
        Fields.TWIST,
        chooser="link",
        from_zero=True,
        least=0.01,
        phases=True,
    ),
    "position": PlotType("Position", "m", _POSITION, Fields.POSE, chooser="link", least=0.01),
    "height": PlotType(
        "Height by link", "m", _per_link("link_*_z_m"), Fields.POSE, least=0.01, spatial=True
    ),
    "attitude": PlotType(
        "Roll, pitch, yaw", "°", _ATTITUDE, Fields.POSE, chooser="link", least=2.0, spatial=True
    ),
}

_SERIES = {
    "C_Z": "section_*_lambda_cz_nm",
    "|C|": "section_*_lambda_c_nm",
    "C_Y": "section_*_lambda_cy_nm",
    "C_X": "section_*_lambda_cx_nm",
    "N_X": "section_*_lambda_nx_n",
    "N_Y": "section_*_lambda_ny_n",
    "N_Z": "section_*_lambda_nz_n",
    "|N|": "section_*_lambda_n_n",
    "K_Z": "section_*_k_z_per_m",
    "K_Y": "section_*_k_y_per_m",
    "K_X": "section_*_k_x_per_m",
    "Γ_X − 1": "section_*_gamma_x_minus_1",
}
"""Quantities with the symbols of the papers: torques, forces, curvatures and twist, stretch."""

_TORQUES = ("C_Z", "|C|", "C_Y", "C_X")
_FORCES = ("N_X", "N_Y", "N_Z", "|N|")
_CURVATURES = ("K_Z", "K_Y", "K_X")
_STRETCH = ("Γ_X − 1",)


def _sections(choices: tuple[str, ...]) -> Lines:
    """Return the curves of all cross-sections, the head first."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        series = _SERIES[choices[index]]
        n = len(schema.sections)
        return [
            CurveSpec(series, i, f"X {abscissa:.3g} m", link_colour(i, n), unit_of(series))
            for i, abscissa in enumerate(schema.sections)
        ]

    return lines


def _profile(schema: Schema, index: int) -> list[CurveSpec]:
    """Return one curve over all cross-sections, whose series has one column per cross-section."""
    symbol, series = tuple(_SERIES.items())[index]
    return [CurveSpec(series, 0, symbol, "accent", unit_of(series))]


def _section(choices: tuple[str, ...]) -> Lines:
    """Return the curves of some quantities of one cross-section over time."""
    return _three(tuple(map(_SERIES.__getitem__, choices)), choices)


def _three(series: tuple[str, ...], names: tuple[str, ...]) -> Lines:
    return _curves(*map(_Curve, series, names, ("accent", "warning", "friction")))


def _held(series: str) -> Lines:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = schema.n_holds
        return [
            CurveSpec(series, i, f"contact {i + 1}", link_colour(i, p), unit_of(series))
            for i in range(p)
        ]

    return lines


_AXIAL = _curves(
    _Curve("axial_speed_mps", "along the body", "accent"), _Curve("slip_mps", "slip", "friction")
)
_FORCE = tuple(f"resultant_f{axis}_n" for axis in "xyz")
_MOMENT = tuple(f"resultant_m{axis}_nm" for axis in "xyz")


def _body_map(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    return PlotType(
        title,
        unit,
        _sections(choices),
        Fields.NONE if choices in (_CURVATURES, _STRETCH) else Fields.TORQUE,
        chooser="quantity",
        style="heat",
        least=least,
        of="body",
        choices=choices,
        signed=True,
    )


def _over_time(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    needs = Fields.NONE if choices == _CURVATURES else Fields.TORQUE
    return PlotType(title, unit, _section(choices), needs, chooser="link", least=least, of="body")


_OF_BODIES = {
    "profile": PlotType(
        "Profile along the body",
        "",
        _profile,
        Fields.NONE,
        chooser="quantity",
        style="profile",
        least=1e-6,
        of="body",
        choices=tuple(_SERIES),
        signed=True,
    ),
    "body_torque": _body_map("Internal torque by section", "N m", _TORQUES, 1e-6),
    "body_force": _body_map("Internal force by section", "N", _FORCES, 1e-6),
    "body_curvature": _body_map("Curvature by section", "1/m", _CURVATURES, 1e-3),
    "body_stretch": _body_map("Stretch by section", "", _STRETCH, 1e-4),
    "section_torque": _over_time("Torque in a section", "N m", ("C_X", "C_Y", "C_Z"), 1e-6),
    "section_force": _over_time("Force in a section", "N", ("N_X", "N_Y", "N_Z"), 1e-6),
    "section_curvature": _over_time("Curvature of a section", "1/m", _CURVATURES, 1e-3),
    "supports": PlotType(
        "Contact forces",
        "N",
        _held("contact_*_force_n"),
        Fields.CONTACTS,
        from_zero=True,
        least=1e-3,
        of="body",
        holds=True,
    ),
    "support_torques": PlotType(
        "Contact torques",
        "N m",
        _held("contact_*_torque_nm"),
        Fields.CONTACTS,
        from_zero=True,
        least=1e-3,
        of="body",
        holds=True,
    ),
    "resultant_force": PlotType(
        "Resultant force on the body",
        "N",
        _three(_FORCE, ("F_X", "F_Y", "F_Z")),
        Fields.NONE,
        least=1e-3,
        of="body",
        columns=_FORCE,
    ),
    "resultant_torque": PlotType(
        "Resultant torque about the head",
        "N m",
        _three(_MOMENT, ("M_X", "M_Y", "M_Z")),
        Fields.NONE,
        least=1e-3,
        of="body",
        columns=_MOMENT,
    ),
    "axial": PlotType(
        "Axial speed and slip",
        "m/s",
        _AXIAL,
        Fields.NONE,
        least=0.01,
        of="body",
        columns=("axial_speed_mps", "slip_mps"),
    ),
}

_OF_RUNS = {
    "solver": PlotType(
        "Solver",
        "",
        _SOLVER,
        Fields.SOLVER | Fields.CONTACTS,
        decades=True,
        levels=((-8.0, "converged up to here"),),
    ),
    "energy": PlotType("Energy and work", "J", _energy, Fields.ENERGY, least=0.01),
    **_OF_BODIES,
}


def _declared(plot: Plot) -> PlotType:
    """Plot type that a controller declares for its channels."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = iter(("accent", "warning", "good", "friction", *STOPS))
        curves = []
        for curve in plot.curves:
            series, unit = _display_column(curve.channel)
            colour = "dim" if curve.faint else next(colours)
            curves.append(
                CurveSpec(series, 0, curve.name, colour, unit, int(curve.right), curve.faint)
            )
        return curves

    columns = tuple(curve.channel for curve in plot.curves)
    unit = _display_column(columns[0])[1]
    return PlotType(
        plot.title, unit, lines, Fields.NONE, least=plot.least, levels=plot.levels, columns=columns
    )


def _display_column(column: str) -> tuple[str, str]:
    """Return the displayed column for a column of a controller, and its unit; angles are in degrees."""
    name = in_degrees(column) if parted(column)[1] in ("rad", "radps") else column
    return name, unit_of(name)


@cache
def _of_controllers(kinds: tuple[ControllerKind, ...]) -> dict[str, PlotType]:
    plots = {plot.key: plot for kind in kinds for plot in kind.plots}
    return {
        plot.key: _declared(plot) for plot in sorted(plots.values(), key=lambda plot: plot.place)
    }


class _PlotTypes(Mapping[str, PlotType]):
    """All plot types: of robots, of controllers, of runs and of continuous bodies."""

    def __getitem__(self, name: str) -> PlotType:
        own = _OF_ROBOTS.get(name) or _OF_RUNS.get(name)
        return own if own is not None else _of_controllers(tuple(CONTROLLERS.values()))[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_OF_ROBOTS, *_of_controllers(tuple(CONTROLLERS.values())), *_OF_RUNS))

    def __len__(self) -> int:
        return sum(1 for _ in self)


VIEWS: Mapping[str, PlotType] = _PlotTypes()
"""All plot types by name."""

_FIRST_CHOSEN = {"joint": 3, "speed": 5, "position": 5}


def first_index(name: str, scene: Scene) -> int:
    """Return the initial link, joint or quantity (0-based) of a plot type."""
    if scene.body.strained:  # the head, and what an axis without bending has
        return (
            VIEWS[name].choices.index("N_X") if name == "profile" and scene.beam.group == "R" else 0
        )
    return _FIRST_CHOSEN.get(name, 0)


def default_views(scene: Scene) -> tuple[str, str, str, str]:
    """Return the initial types of the four plots, chosen for a scene."""
    if scene.body.strained:
        return _default_of_body(scene)
    own = CONTROLLERS[scene.controller.kind].shown
    if own is not None:
        return own
    if scene.obstacles:
        return "force", "joint", "speed", "position"
    if not scene.model.spatial:
        return "friction", "joint", "speed", "position"
    return "ground_load", "joint", "height", "position"


def _default_of_body(scene: Scene) -> tuple[str, str, str, str]:
    """Return the initial types of the four plots for a continuous body."""
    inside = "body_force" if scene.beam.group == "R" else "body_torque"
    held = "speed" if scene.body.slides else "supports"
    return "profile", inside, held, "position"
