"""The kinds of plot one can choose: which channels each shows, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from snakestudio.kinds.controller import CONTROLLERS, ControllerKind, Plot
from snakestudio.model.column_units import parted, unit_of
from snakestudio.model.quantities import column_of_energy, in_degrees
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.plot_type import STOPS, CurveSpec, PlotType, link_colour

__all__ = ["VIEWS", "CurveSpec", "PlotType", "default_views", "first_index", "link_colour"]


def _per_link(series: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        n = schema.n_links
        word = "section" if schema.sections else "link"
        return [CurveSpec(series, i, f"{word} {i + 1}", link_colour(i, n), unit_of(series)) for i in range(n)]

    return lines


def _attitude(schema: Schema, index: int) -> list[CurveSpec]:
    colours = {"roll": "friction", "pitch": "warning", "yaw": "accent"}
    return [
        CurveSpec(f"link_*_{name}_deg", index, name, colour, "°")
        for name, colour in colours.items()
        if schema.has_pitch or schema.sections or name == "yaw"
    ]


def _joint(schema: Schema, index: int) -> list[CurveSpec]:
    lines = []
    for axis, colour in (("yaw", "accent"), ("pitch", "friction"))[: 2 if schema.has_pitch else 1]:
        angle, reference = (axis, f"{axis} ref") if schema.has_pitch else ("angle", "reference")
        lines.append(CurveSpec(f"joint_*_{axis}_deg", index, angle, colour, "°"))
        if Fields.REFERENCE in schema.valid:  # joints that are given torques have none
            lines.append(CurveSpec(f"joint_*_{axis}_ref_deg", index, reference, "dim", "°", faint=True))
    return lines


def _torque(schema: Schema, index: int) -> list[CurveSpec]:
    name = "yaw" if schema.has_pitch else "torque"
    lines = [CurveSpec("joint_*_yaw_torque_nm", index, name, "accent", "N m")]
    if schema.has_pitch:
        lines.append(CurveSpec("joint_*_pitch_torque_nm", index, "pitch", "friction", "N m"))
    return lines


def _speed(schema: Schema, index: int) -> list[CurveSpec]:
    name = f"{'section' if schema.sections else 'link'} {index + 1}"
    return [
        CurveSpec("com_speed_mps", 0, "CoM", "good", "m/s"),
        CurveSpec("link_*_speed_mps", index, name, "accent", "m/s"),
    ]


def _position(schema: Schema, index: int) -> list[CurveSpec]:
    lines = [
        CurveSpec("link_*_x_m", index, "x", "accent", "m"),
        CurveSpec("link_*_y_m", index, "y", "warning", "m"),
        CurveSpec("com_x_m", 0, "CoM x", "good", "m"),
        CurveSpec("com_y_m", 0, "CoM y", "friction", "m"),
    ]
    if schema.has_pitch or schema.sections:  # a planar robot stays where it lies
        lines.insert(2, CurveSpec("link_*_z_m", index, "z", "text", "m"))
    return lines


def _solver(schema: Schema, index: int) -> list[CurveSpec]:
    return [
        CurveSpec("solver_residual_of_steps", 0, "residual", "good", ""),
        CurveSpec("solver_iterations", 0, "iterations", "friction", "", axis=1),
        CurveSpec("solver_unconverged", 0, "unconverged", "warning", "", axis=1),
        CurveSpec("contacts_closed", 0, "contacts", "accent", "", axis=1),
    ]


def _contacts(schema: Schema, index: int) -> list[CurveSpec]:
    return [CurveSpec("contacts_closed", 0, "contacts closed", "accent", "")]


def _energy(schema: Schema, index: int) -> list[CurveSpec]:
    colours = ("accent", "good", "warning", "friction", *STOPS)
    return [
        CurveSpec(column_of_energy(name), 0, _energy_name(name), colours[i % 11], "J")
        for i, name in enumerate(schema.energy)
    ]


def _energy_name(name: str) -> str:
    kind, _, of = name.partition("_")
    return f"{of} {kind}" if kind == "work" and of else name.replace("_", " ")


_OF_ROBOTS = {
    "force": PlotType(
        "Obstacle force by link",
        "N",
        _per_link("link_*_obstacle_force_n"),
        Fields.CONTACTS,
        from_zero=True,
        least=1.0,
        of="links",
    ),
    "force_stacked": PlotType(
        "Obstacle force, link above link",
        "N",
        _per_link("link_*_obstacle_force_n"),
        Fields.CONTACTS,
        style="stacked",
        least=1.0,
        of="links",
    ),
    "force_map": PlotType(
        "Obstacle force, link by time",
        "N",
        _per_link("link_*_obstacle_force_n"),
        Fields.CONTACTS,
        style="heat",
        least=1.0,
        of="links",
    ),
    "friction": PlotType(
        "Ground friction by link",
        "N",
        _per_link("link_*_ground_friction_n"),
        Fields.CONTACTS,
        from_zero=True,
        least=0.1,
    ),
    "contact_force": PlotType(
        "Contact force by link",
        "N",
        _per_link("link_*_contact_force_n"),
        Fields.CONTACTS,
        from_zero=True,
        least=1.0,
    ),
    "ground_load": PlotType(
        "Ground load by link", "N", _per_link("link_*_ground_load_n"), Fields.CONTACTS, from_zero=True, least=1.0
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
    "height": PlotType("Height by link", "m", _per_link("link_*_z_m"), Fields.POSE, least=0.01, spatial=True),
    "attitude": PlotType("Roll, pitch, yaw", "°", _attitude, Fields.POSE, chooser="link", least=2.0, spatial=True),
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
"""By the papers' symbols: torques, forces, curvatures and twist, stretch."""

_TORQUES, _FORCES = ("C_Z", "|C|", "C_Y", "C_X"), ("N_X", "N_Y", "N_Z", "|N|")
_CURVATURES, _STRETCH = ("K_Z", "K_Y", "K_X"), ("Γ_X − 1",)


def _sections(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Every cross-section, the head first."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        series, n = _SERIES[choices[index]], len(schema.sections)
        return [
            CurveSpec(series, i, f"X {place:.3g} m", link_colour(i, n), unit_of(series))
            for i, place in enumerate(schema.sections)
        ]

    return lines


def _profile(schema: Schema, index: int) -> list[CurveSpec]:
    """One line for all cross-sections, whose series has a column for each."""
    symbol, series = tuple(_SERIES.items())[index]
    return [CurveSpec(series, 0, symbol, "accent", unit_of(series))]


def _section(choices: tuple[str, ...]) -> Callable[[Schema, int], list[CurveSpec]]:
    """Some quantities of one cross-section over the time."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = ("accent", "warning", "friction")
        return [
            CurveSpec(_SERIES[symbol], index, symbol, colour, unit_of(_SERIES[symbol]))
            for symbol, colour in zip(choices, colours, strict=True)
        ]

    return lines


def _held(series: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        p = schema.n_holds
        return [CurveSpec(series, i, f"contact {i + 1}", link_colour(i, p), unit_of(series)) for i in range(p)]

    return lines


def _axial(schema: Schema, index: int) -> list[CurveSpec]:
    shown = (("axial_speed_mps", "along the body", "accent"), ("slip_mps", "slip", "friction"))
    return [CurveSpec(name, 0, text, colour, "m/s") for name, text, colour in shown]


_RESULTANT = tuple(f"resultant_{what}" for what in ("fx_n", "fy_n", "fz_n", "mx_nm", "my_nm", "mz_nm"))


def _resultant(first: int, symbol: str, unit: str) -> Callable[[Schema, int], list[CurveSpec]]:
    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = ("accent", "warning", "friction")
        return [
            CurveSpec(_RESULTANT[first + axis], 0, f"{symbol}_{'XYZ'[axis]}", colour, unit)
            for axis, colour in enumerate(colours)
        ]

    return lines


def _body_map(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    return PlotType(
        title, unit, _sections(choices), Fields.NONE if choices in (_CURVATURES, _STRETCH) else Fields.TORQUE,
        chooser="quantity", style="heat", least=least, of="body", choices=choices, signed=True,
    )  # fmt: skip


def _over_time(title: str, unit: str, choices: tuple[str, ...], least: float) -> PlotType:
    needs = Fields.NONE if choices == _CURVATURES else Fields.TORQUE
    return PlotType(title, unit, _section(choices), needs, chooser="link", least=least, of="body")


_OF_BODIES = {
    "profile": PlotType(
        "Profile along the body", "", _profile, Fields.NONE, chooser="quantity", style="profile", least=1e-6, of="body",
        choices=tuple(_SERIES), signed=True,
    ),
    "body_torque": _body_map("Internal torque by section", "N m", _TORQUES, 1e-6),
    "body_force": _body_map("Internal force by section", "N", _FORCES, 1e-6),
    "body_curvature": _body_map("Curvature by section", "1/m", _CURVATURES, 1e-3),
    "body_stretch": _body_map("Stretch by section", "", _STRETCH, 1e-4),
    "section_torque": _over_time("Torque in a section", "N m", ("C_X", "C_Y", "C_Z"), 1e-6),
    "section_force": _over_time("Force in a section", "N", ("N_X", "N_Y", "N_Z"), 1e-6),
    "section_curvature": _over_time("Curvature of a section", "1/m", _CURVATURES, 1e-3),
    "supports": PlotType(
        "Contact forces", "N", _held("contact_*_force_n"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
        holds=True,
    ),
    "support_torques": PlotType(
        "Contact torques", "N m", _held("contact_*_torque_nm"), Fields.CONTACTS, from_zero=True, least=1e-3, of="body",
        holds=True,
    ),
    "resultant_force": PlotType(
        "Resultant force on the body", "N", _resultant(0, "F", "N"), Fields.NONE, least=1e-3, of="body",
        columns=_RESULTANT[:3],
    ),
    "resultant_torque": PlotType(
        "Resultant torque about the head", "N m", _resultant(3, "M", "N m"), Fields.NONE, least=1e-3, of="body",
        columns=_RESULTANT[3:],
    ),
    "axial": PlotType(
        "Axial speed and slip", "m/s", _axial, Fields.NONE, least=0.01, of="body",
        columns=("axial_speed_mps", "slip_mps"),
    ),
}  # fmt: skip

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
    **_OF_BODIES,
}


def _declared(plot: Plot) -> PlotType:
    """The kind of plot that a controller declares of its channels."""

    def lines(schema: Schema, index: int) -> list[CurveSpec]:
        colours = iter(("accent", "warning", "good", "friction", *STOPS))
        found = []
        for curve in plot.curves:
            series, unit = _shown(curve.channel)
            colour = "dim" if curve.faint else next(colours)
            found.append(CurveSpec(series, 0, curve.name, colour, unit, int(curve.right), curve.faint))
        return found

    columns = tuple(curve.channel for curve in plot.curves)
    unit = _shown(columns[0])[1]
    return PlotType(plot.title, unit, lines, Fields.NONE, least=plot.least, levels=plot.levels, columns=columns)


def _shown(column: str) -> tuple[str, str]:
    """The column in which one of a controller is shown, and its unit: angles in degrees."""
    shown = in_degrees(column) if parted(column)[1] in ("rad", "radps") else column
    return shown, unit_of(shown)


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
    if scene.model.continuum:  # the head, and what an axis without bending has
        return VIEWS[name].choices.index("N_X") if name == "profile" and scene.beam.group == "R" else 0
    return _FIRST_CHOSEN.get(name, 0)


def default_views(scene: Scene) -> tuple[str, str, str, str]:
    """What the four plots show at first: where something happens in this scene."""
    if scene.model.continuum:
        return _default_of_body(scene)
    own = CONTROLLERS[scene.controller.kind].shown
    if own is not None:
        return own
    if scene.obstacles:
        return "force", "joint", "speed", "position"
    if scene.model.kind.startswith("planar"):
        return "friction", "joint", "speed", "position"
    return "ground_load", "joint", "height", "position"


def _default_of_body(scene: Scene) -> tuple[str, str, str, str]:
    """What the four plots of a continuous body show at first."""
    inside = "body_force" if scene.beam.group == "R" else "body_torque"
    held = "speed" if scene.support.kind == "friction" else "supports"
    return "profile", inside, held, "position"
