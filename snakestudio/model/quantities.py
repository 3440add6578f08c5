"""Quantities of a run, each declared once: columns of CSV and HDF5, channels, curves of plots and videos.

A quantity has one column, or one for each link, joint, cross-section or anchor. Its name ends in its
unit; the computation of its values from recorded rows is only here. Sums since the start of a run,
as recordings store them, become means since the previous row. Values that the source of a run does
not fill (`Schema.valid`) are NaN: a robot on CAN also has columns of contact forces, but no
measurements of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import PluginRuntimeError
from snakestudio.model import registry
from snakestudio.model.column_help import (
    FORCES,
    HOLDS,
    LINK_AXES,
    POSE,
    STRAINS,
    TWIST,
    WRENCH,
)
from snakestudio.model.column_units import parted
from snakestudio.model.piece import Piece
from snakestudio.model.quantity_values import (
    attitude_deg,
    com_component,
    com_speed,
    component_of,
    force_norm,
    forward,
    ground_force,
    head_acceleration,
    head_heading,
    heading,
    in_degrees_of,
    link_force,
    link_yaw,
    mean_iterations,
    norms,
    obstacle_force,
    residual_of_steps,
    steps_unconverged,
    whole_force,
)
from snakestudio.model.recording import HOLD_COLUMNS, Schema
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.robot.overrides import AXES
from snakestudio.model.robot.strain import COMPONENTS
from snakestudio.model.snapshot import Fields
from snakestudio.plugins.column_names import REFERENCE, pattern_of
from snakestudio.plugins.declaration import Declaration, Table

Labels = Callable[[Schema], tuple[str, ...]]
"""Replacements of `{}` in the names of a quantity's columns."""

_FIRST_ENERGIES = ("kinetic", "potential", "work_actuator", "work_friction")


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(str(number + 1) for number in range(count))


def _always(schema: Schema) -> bool:
    return True


def _single(schema: Schema) -> tuple[str, ...]:
    return ("",)


def each_link(schema: Schema) -> tuple[str, ...]:
    """Return the column for each link, or sampled cross-section."""
    return _numbers(schema.n_links)


def each_joint(schema: Schema) -> tuple[str, ...]:
    """Return the column for each joint; none for a continuous body."""
    return _numbers(schema.n_joints)


def each_section(schema: Schema) -> tuple[str, ...]:
    """Return the column for each sampled cross-section of a continuous body."""
    return _numbers(len(schema.sections))


def each_hold(schema: Schema) -> tuple[str, ...]:
    """Return the column for each anchor or support of a continuous body."""
    return _numbers(schema.n_holds)


_NUMBERED_PARTS = (_single, each_link, each_joint, each_section, each_hold)

_NUMBERED = re.compile(r"(link|joint|section|contact)_(\d+)_(.+)")
GROUPS = {
    "link": "Links",
    "joint": "Joints",
    "section": "Sections",
    "contact": "Anchors and supports",
}


def numbered(name: str) -> tuple[str, int, str] | None:
    """Part, number (1-based) and quantity of a numbered column: ("link", 6, "x_m"); None for other columns."""
    match = _NUMBERED.fullmatch(name)
    return None if match is None else (match[1], int(match[2]), match[3])


def column_of_energy(name: str) -> str:
    """Return the name of the column for an entry of `Schema.energy`."""
    return f"{name}_j" if name.startswith("work") else f"energy_{name}_j"


def in_degrees(name: str) -> str:
    """Return the name of the column of an angle or rate in degrees: "heading_deg" for "heading_rad"."""
    stem, ending = parted(name)
    return f"{stem}_{ending.replace('rad', 'deg')}"


_ADDED: Table[Quantity] = Table()
"""Quantities of plug-ins."""

_NAME = re.compile(r"[a-z][a-z0-9_]*(\{\}[a-z0-9_]*)?")


@dataclass(frozen=True, slots=True, eq=False)
class Quantity(Declaration):
    """Quantity reported by runs."""

    name: str
    """Name of its columns, ending in the unit; `{}` is replaced by the number (or the name) of each
    part."""

    values: Callable[[Piece], FloatArray]
    """Values (k, columns), or (k,) for a single column, SI unless the name has another unit."""

    needs: Fields = Fields.NONE
    """Fields that the source must fill."""

    group: str = ""
    """Group of its columns in the channel browser, if it does not follow from their names; "" for
    none."""

    of: Labels = _single
    """Parts with one column each."""

    having: Labels | None = None
    """Subset of these parts that has a column, if not all: joints with an axis of the quantity's
    kind."""

    there: Callable[[Schema], bool] = _always
    """Condition on runs that have the quantity."""

    yields_to: str = ""
    """Name of a channel of a controller that replaces it; "" for none."""

    exported: bool = True
    """Whether it is a column of CSV, HDF5 and expressions; otherwise it is only displayed."""

    key: str = ""
    """Name for all of its columns together; "link_*_x_m" for "link_{}_x_m" if omitted."""

    help: str = ""
    """Short description of its values, for the reference of columns and the channel browser."""

    cost: str = ""
    """Pattern of its columns that are costs: an objective that increases with one is minimized."""

    role: ClassVar[str] = "quantity"
    registry: ClassVar[Any] = _ADDED
    calls: ClassVar[Mapping[str, str]] = {
        "values": "piece",
        "of": "schema",
        "having": "schema",
        "there": "schema",
    }

    @property
    def kind_name(self) -> str:
        """Name of its columns."""
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns, if they follow from its name."""
        return (self.name,) if "{}" not in self.name or self.of in _NUMBERED_PARTS else ()

    def built_in_rivals(self) -> Iterable[Declaration]:
        """Return all controllers and models."""
        return (*registry.CONTROLLERS.values(), *registry.FORMULATIONS.values())

    def mistake(self) -> tuple[str, str] | None:
        """Return the error of the declaration, and remedy; None if it is valid."""
        if not _NAME.fullmatch(self.name):
            return (
                f'"{self.name}" is not a valid column name',
                'write it like "link_{}_load_n"',
            )
        if taken := taken_mistake(self.columns):
            return taken
        if "{}" in self.name and self.of is _single:
            return (
                f'"{self.name}" does not define which parts have columns',
                "add of=each_link, each_joint or each_section",
            )
        return None

    def register(self, source: str) -> None:
        """Register the quantity; wrong shapes of values, and exceptions in its code, become messages."""
        _ADDED.add(self.name, replace(self, values=_checked(self, source)), source)


def _checked(quantity: Quantity, plugin: str) -> Callable[[Piece], FloatArray]:
    """Return the checked values of a plug-in's quantity."""

    def values(piece: Piece) -> FloatArray:
        array = np.asarray(quantity.values(piece))
        count = len((quantity.having or quantity.of)(piece.schema))
        rows = len(piece.rows)
        if array.dtype.kind not in "fiub" or array.shape not in (
            (rows, count),
            *(((rows,),) if count == 1 else ()),
        ):
            form = " x ".join(map(str, array.shape)) or "one"
            raise PluginRuntimeError(
                plugin,
                f"The plug-in {plugin} returned {form} {array.dtype} values of {quantity.name} for {rows} rows. "
                f"Return numbers with the shape {rows} x {count}.",
            )
        result: FloatArray = array.astype(np.float64)
        return result

    return values


def _energies(*, among_first: bool) -> tuple[Callable[[Piece], FloatArray], Labels]:
    """Return the values of some energies, and the names of their columns."""

    def names(schema: Schema) -> list[str]:
        if among_first:
            return [name for name in _FIRST_ENERGIES if name in schema.energy]
        return [name for name in schema.energy if name not in _FIRST_ENERGIES]

    def values(piece: Piece) -> FloatArray:
        return piece.rows.energy[
            :, [piece.schema.energy.index(name) for name in names(piece.schema)]
        ]

    return values, lambda schema: tuple(map(column_of_energy, names(schema)))


def _extra_channels(schema: Schema) -> tuple[str, ...]:
    return schema.extra


def _extra_in_degrees(ending: str) -> tuple[Callable[[Piece], FloatArray], Labels]:
    """Additional angles or rates of controllers and models: values in degrees, and names of their columns."""

    def names(schema: Schema) -> list[str]:
        return [name for name in schema.extra if parted(name)[1] == ending]

    def values(piece: Piece) -> FloatArray:
        return np.degrees(
            piece.rows.extra[:, [piece.schema.extra.index(name) for name in names(piece.schema)]]
        )

    return values, lambda schema: tuple(map(in_degrees, names(schema)))


def _of_joints(
    attribute: str, ending: str, needs: Fields, text: str, *, exported: bool = True, cost: str = ""
) -> list[Quantity]:
    return [
        Quantity(
            f"joint_{{}}_{kind}_{ending}",
            _of_axes(attribute, kind) if exported else in_degrees_of(_of_axes(attribute, kind)),
            needs,
            of=each_joint,
            having=partial(_joints_with, kind),
            exported=exported,
            help=f"{text}, {kind} axis",
            cost=cost,
        )
        for kind in AXES
    ]


def _joints_with(kind: str, schema: Schema) -> tuple[str, ...]:
    """Return the numbers of the joints with an axis of a kind."""
    return tuple(str(joint + 1) for joint in joints(schema.axes, kind).tolist())


def _of_axes(attribute: str, kind: str) -> Callable[[Piece], FloatArray]:
    """Return the values of the joint axes of a kind."""

    def values(piece: Piece) -> FloatArray:
        component: FloatArray = getattr(piece.rows, attribute)[:, entries(piece.schema.axes, kind)]
        return component

    return values


_AXES = tuple(enumerate("xyz"))
_FIRST = _energies(among_first=True)
_FURTHER = _energies(among_first=False)
_ANGLES = _extra_in_degrees("rad")
_RATES = _extra_in_degrees("radps")

_EXPORTED = (
    Quantity(
        "time_s",
        lambda piece: piece.rows.time,
        help="Simulated time, or time since recording began",
    ),
    *(
        Quantity(
            f"link_{{}}_{name}",
            component_of("link_pose", k),
            Fields.POSE,
            of=each_link,
            help=text,
        )
        for k, (name, text) in enumerate(POSE.items())
    ),
    *_of_joints("joint_angle", "rad", Fields.JOINTS, "Joint angle"),
    *_of_joints("joint_angle_ref", "ref_rad", Fields.REFERENCE, "Reference of the joint angle"),
    *_of_joints("joint_rate", "rate_radps", Fields.JOINTS, "Rate of the joint angle"),
    *_of_joints(
        "joint_torque", "torque_nm", Fields.TORQUE, "Torque of the motor", cost="joint_*_torque_nm"
    ),
    *(
        Quantity(
            f"com_{axis}_m",
            com_component("link_pose", k),
            Fields.POSE,
            "Centre of mass",
            help=f"Position of the robot's centre of mass, {axis}",
        )
        for k, axis in _AXES
    ),
    *(
        Quantity(
            f"com_v{axis}_mps",
            com_component("link_twist", k),
            Fields.TWIST,
            "Centre of mass",
            help=f"Velocity of the robot's centre of mass, {axis}",
        )
        for k, axis in _AXES
    ),
    *(
        Quantity(
            f"contact_{other}_f{axis}_n",
            whole_force(other, k),
            Fields.CONTACTS,
            "Contacts",
            help=f"Force of {source} on the whole robot, {axis}, mean since the previous row",
        )
        for other, source in FORCES.items()
        for k, axis in _AXES
    ),
    *(
        Quantity(
            f"link_{{}}_{other}_f{axis}_n",
            link_force(other, k),
            Fields.CONTACTS,
            of=each_link,
            help=f"Force of {source} on the link, {axis}, mean since the previous row",
            # Not for the ground, which carries the weight.
            cost="link_*_obstacle_f*_n" if other == "obstacle" else "",
        )
        for other, source in FORCES.items()
        for k, axis in _AXES
    ),
    Quantity(
        "contacts_closed",
        lambda p: p.rows.contacts_closed.astype(np.float64),
        Fields.CONTACTS,
        "Contacts",
        help="Number of closed contacts",
    ),
    Quantity(
        "{}",
        _FIRST[0],
        Fields.ENERGY,
        "Energy and work",
        _FIRST[1],
        help="Energies, and work since the start of the run, common to all models with links",
        cost="*_j",
    ),
    Quantity(
        "solver_residual",
        lambda piece: piece.rows.solver_residual,
        Fields.SOLVER,
        "Solver",
        help="Residual of the contact problem, the largest since the previous row",
        cost="solver_residual",
    ),
    Quantity(
        "solver_iterations",
        mean_iterations,
        Fields.SOLVER,
        "Solver",
        help="Iterations of the contact solver per step, mean since the previous row",
        cost="solver_iterations",
    ),
    Quantity(
        "solver_unconverged",
        steps_unconverged,
        Fields.SOLVER,
        "Solver",
        help="Number of steps since the previous row whose contact problem did not converge",
        cost="solver_unconverged",
    ),
    # Additions of the models follow the fixed columns.
    *(
        Quantity(
            f"link_{{}}_{name}",
            component_of("link_twist", k),
            Fields.TWIST,
            of=each_link,
            help=text,
        )
        for k, (name, text) in enumerate(TWIST.items())
    ),
    Quantity(
        "{}",
        _FURTHER[0],
        Fields.ENERGY,
        "Energy and work",
        _FURTHER[1],
        help="Additional work since the start of the run, defined by the model",
    ),
    *(
        Quantity(
            f"head_a{axis}_mps2",
            head_acceleration(k),
            Fields.TWIST,
            "Head",
            help=f"Acceleration of the head link, {axis}, mean since the previous row",
        )
        for k, axis in _AXES
    ),
    Quantity(
        "heading_rad",
        heading,
        Fields.POSE,
        "Heading",
        yields_to="heading_rad",
        help="Heading of the robot: that of the mean direction of its links, -pi to pi",
    ),
    Quantity(
        "head_heading_rad",
        head_heading,
        Fields.POSE,
        "Heading",
        help="Heading of the head link, -pi to pi",
    ),
    *(
        Quantity(
            f"forward_{axis}",
            forward(k),
            Fields.POSE,
            "Heading",
            help=f"Direction from tail to head, unit vector, {axis}",
        )
        for k, axis in _AXES
    ),
    Quantity(
        "link_{}_yaw_rad",
        link_yaw,
        Fields.POSE,
        of=each_link,
        help="Heading of the link's x axis, which points to the next link, -pi to pi",
    ),
    *(
        Quantity(
            f"link_{{}}_{other}_{axis}_n",
            force(k),
            Fields.CONTACTS | Fields.POSE,
            of=each_link,
            help=f"Force of {FORCES[other]} on the link, {text}, mean since the previous row",
            cost="link_*_obstacle_*_n" if other == "obstacle" else "",
        )
        for other, force in (("obstacle", obstacle_force), ("ground", ground_force))
        for k, (axis, text) in enumerate(LINK_AXES.items())
    ),
    *(
        Quantity(f"section_{{}}_{name}", component_of("strain", k), of=each_section, help=text)
        for k, (name, text) in enumerate(zip(COMPONENTS, STRAINS, strict=True))
    ),
    *(
        Quantity(
            f"section_{{}}_lambda_{name}",
            component_of("wrench", k),
            Fields.TORQUE,
            of=each_section,
            help=text,
        )
        for k, (name, text) in enumerate(WRENCH.items())
    ),
    *(
        Quantity(
            f"contact_{{}}_{name}",
            component_of("hold", k),
            Fields.CONTACTS,
            of=each_hold,
            help=text,
        )
        for k, (name, text) in enumerate(zip(HOLD_COLUMNS, HOLDS, strict=True))
    ),
    Quantity(
        "{}",
        lambda piece: piece.rows.extra,
        group="Controller",
        of=_extra_channels,
        help="Additional channel of the controller, the model or the source",
        cost="joint_*_jammed",
    ),
)

_unexported = partial(Quantity, exported=False)

_SHOWN = (
    _unexported(
        "link_{}_obstacle_force_n",
        force_norm(("obstacle",), slice(3)),
        Fields.CONTACTS,
        of=each_link,
        help="Magnitude of the force of obstacles on the link",
    ),
    # The ground's normal is z: the other components are friction.
    _unexported(
        "link_{}_ground_friction_n",
        force_norm(("ground",), slice(2)),
        Fields.CONTACTS,
        of=each_link,
        help="Magnitude of the friction force of the ground on the link",
    ),
    _unexported(
        "link_{}_ground_load_n",
        force_norm(("ground",), slice(2, 3)),
        Fields.CONTACTS,
        of=each_link,
        help="Magnitude of the normal force of the ground on the link",
    ),
    _unexported(
        "link_{}_contact_force_n",
        force_norm(("obstacle", "ground"), slice(3)),
        Fields.CONTACTS,
        of=each_link,
        help="Magnitude of the force of obstacles and ground on the link",
    ),
    *_of_joints("joint_angle", "deg", Fields.JOINTS, "Joint angle", exported=False),
    *_of_joints(
        "joint_angle_ref",
        "ref_deg",
        Fields.REFERENCE,
        "Reference of the joint angle",
        exported=False,
    ),
    _unexported(
        "heading_deg",
        in_degrees_of(heading),
        Fields.POSE,
        "Heading",
        yields_to="heading_rad",
        help="Heading of the robot: that of the mean direction of its links",
    ),
    _unexported(
        "head_heading_deg",
        in_degrees_of(head_heading),
        Fields.POSE,
        "Heading",
        help="Heading of the head link",
    ),
    _unexported(
        "com_speed_mps",
        com_speed,
        Fields.TWIST,
        "Centre of mass",
        help="Speed of the robot's centre of mass",
    ),
    _unexported(
        "link_{}_speed_mps",
        lambda piece: norms(piece.rows.link_twist[:, :, :3]),
        Fields.TWIST,
        of=each_link,
        help="Speed of the link's centre of mass",
    ),
    *(
        _unexported(
            f"link_{{}}_{axis}_deg",
            attitude_deg(k),
            Fields.POSE,
            of=each_link,
            help=f"Orientation of the link, {axis} angle",
        )
        for k, axis in enumerate(("roll", "pitch", "yaw"))
    ),
    _unexported(
        "solver_residual",
        residual_of_steps,
        Fields.SOLVER,
        key="solver_residual_of_steps",
        help="Residual of the contact problem, the largest since the previous row",
    ),
    _unexported(
        "section_{}_lambda_n_n",
        lambda piece: norms(piece.rows.wrench[:, :, :3]),
        Fields.TORQUE,
        of=each_section,
        help="Magnitude of the internal force",
    ),
    _unexported(
        "section_{}_lambda_c_nm",
        lambda piece: norms(piece.rows.wrench[:, :, 3:]),
        Fields.TORQUE,
        of=each_section,
        help="Magnitude of the internal couple",
    ),
    _unexported(
        "section_{}_gamma_x_minus_1",
        lambda piece: piece.rows.strain[:, :, 0] - 1.0,
        of=each_section,
        help="Stretch relative to the unstrained body",
    ),
    _unexported(
        "contact_{}_force_n",
        lambda piece: norms(piece.rows.hold[:, :, 8:11]),
        Fields.CONTACTS,
        of=each_hold,
        help="Magnitude of the force of the anchor or support",
    ),
    _unexported(
        "contact_{}_torque_nm",
        lambda piece: norms(piece.rows.hold[:, :, 11:14]),
        Fields.CONTACTS,
        of=each_hold,
        help="Magnitude of the torque of the anchor or support",
    ),
    _unexported(
        "{}",
        _ANGLES[0],
        group="Controller",
        of=_ANGLES[1],
        help="Additional angles of the controller, the model or the source",
    ),
    _unexported(
        "{}",
        _RATES[0],
        of=_RATES[1],
        help="Additional rates of the controller, the model or the source",
    ),
)

QUANTITIES: tuple[Quantity, ...] = (*_EXPORTED, *_SHOWN)
"""All quantities in CSV order; columns of consecutive quantities with the same parts are grouped by
part."""


def all_quantities() -> tuple[Quantity, ...]:
    """Return all quantities, those of plug-ins last."""
    return (*QUANTITIES, *_ADDED.values())


def taken_mistake(names: Iterable[str]) -> tuple[str, str] | None:
    """Problem of the first column name (with `{}` for a number) that a built-in column has, and its remedy."""
    pattern = _built_in(QUANTITIES)
    for name in names:
        if pattern.fullmatch(name.replace("{}", "1")):
            what = f'the name "{name}" belongs to a column that runs have already'
            return what, f"choose a name that is not in {REFERENCE}"
    return None


@lru_cache(maxsize=4)
def _built_in(quantities: tuple[Quantity, ...]) -> re.Pattern[str]:
    """Return the pattern of the names of all built-in columns of any model; models name their energies themselves."""
    return pattern_of(
        [
            "energy_*_j",
            "work_*_j",
            *(each.name for each in quantities if each.columns and not each.yields_to),
        ]
    )


def is_cost(column: str) -> bool:
    """Whether smaller values of a column, or of the columns of a pattern such as "joint_*_torque_nm", are better."""
    return any(
        quantity.cost and fnmatchcase(column, quantity.cost) for quantity in all_quantities()
    )
