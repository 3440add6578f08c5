"""Values of single links and joints: the scene's [[robot.link]] and [[robot.joint]] tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from snakestudio.errors import Problem
from snakestudio.model.fields import Frozen, value
from snakestudio.model.shared_values import (
    back_emf,
    current_limit,
    dry_friction,
    dry_friction_rise,
    dry_friction_speed,
    efficiency,
    friction_coefficient,
    restitution,
    rotor_inertia,
    speed_limit,
    torque_limit,
)

AXES = ("yaw", "pitch", "roll")
"""Kinds of joint axes in the order of rotation: about z, y and x of the link before the joint."""

JOINT_AXES: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "yaw": ("yaw",),
    "pitch": ("pitch",),
    "roll": ("roll",),
    "cardan": ("yaw", "pitch"),
    "yaw+roll": ("yaw", "roll"),
    "pitch+roll": ("pitch", "roll"),
    "yaw+pitch+roll": ("yaw", "pitch", "roll"),
}
"""Kinds of joints and the axes of each."""

JointAxes = Literal[
    "fixed", "yaw", "pitch", "roll", "cardan", "yaw+roll", "pitch+roll", "yaw+pitch+roll"
]

_WORDS = ("all", "first", "last", "odd", "even")
_RANGE = re.compile(r"\s*(\d{1,9})\s*-\s*(\d{1,9})\s*\Z")


def _index(noun: str) -> int | str:
    result: int | str = value(
        label="Index",
        help=f'{noun} to which the table applies: a number, a range such as "2-5", "odd", "even", "first",'
        ' "last" or "all"',
    )
    return result


class LinkOverride(Frozen):
    """Values of some links that override those of [robot]; omitted values stay unchanged."""

    index: int | str = _index("Links")
    length_m: float | None = value(
        None,
        label="Length",
        unit="m",
        symbol="L",
        help="Distance between the joints of the link",
        gt=0,
        le=100,
        slider=(0.02, 0.5),
    )
    radius_m: float | None = value(
        None,
        label="Radius",
        unit="m",
        help="Radius of the link's cylinder and of its end spheres",
        gt=0,
        le=100,
        slider=(0.005, 0.2),
    )
    contact_half_length_m: float | None = value(
        None,
        label="Contact half-length",
        unit="m",
        help="Distance from the middle of the link to the centre of either end sphere",
        ge=0,
        le=100,
        slider=(0, 0.25),
    )
    mass_kg: float | None = value(
        None,
        label="Mass",
        unit="kg",
        symbol="m",
        help="Mass of the link",
        gt=0,
        le=1e6,
        slider=(0.05, 5),
    )
    inertia_kg_m2: float | None = value(
        None,
        label="Inertia",
        unit="kg m²",
        symbol="Θ",
        help="Moment of inertia about a transverse axis through the centre of mass; if omitted, that of [robot],"
        " scaled as a uniform cylinder of the link's mass, length and radius",
        gt=0,
        le=1e9,
        slider=(1e-4, 1e-2),
    )
    axial_inertia_kg_m2: float | None = value(
        None,
        label="Axial inertia",
        unit="kg m²",
        symbol="Θ₃",
        help="Moment of inertia about the link's own axis; if omitted, scaled in the same way",
        gt=0,
        le=1e9,
        slider=(1e-4, 1e-2),
    )
    centre_of_mass_m: float | None = value(
        None,
        label="Centre of mass",
        unit="m",
        help="Position of the centre of mass on the link's axis, from the middle between its joints towards the next"
        " link",
        ge=-100,
        le=100,
        slider=(-0.1, 0.1),
    )
    mu_along: float | None = friction_coefficient(
        None,
        "Friction along",
        "Friction coefficient along the link's axis, instead of the ground's",
    )
    mu_backward: float | None = friction_coefficient(
        None,
        "Friction backward",
        "Friction coefficient along the axis for sliding tail first, instead of the ground's",
    )
    mu_across: float | None = friction_coefficient(
        None,
        "Friction across",
        "Friction coefficient across the link's axis, instead of the ground's",
    )
    wheels: Literal["none", "passive", "ratchet"] | None = value(
        None,
        label="Wheels",
        help="Wheels under the link: passive wheels roll freely along it, a ratchet only forward; both resist sideways"
        " motion with the friction across",
    )


class JointOverride(Frozen):
    """Values of some joints that override the rest; omitted values stay unchanged."""

    index: int | str = _index("Joints")
    only: Literal["yaw", "pitch", "roll"] | None = value(
        None,
        label="Only axis",
        help="Axis of these joints to which the values apply; all axes if omitted",
    )
    axes: JointAxes | None = value(
        None,
        label="Axes",
        help="Axes of the joint: one, two or all three of them, or fixed for none",
    )
    axis_offset_m: float | None = value(
        None,
        label="Axis offset",
        unit="m",
        help="Distance from the yaw axis to the pitch axis of the joint",
        ge=0,
        le=100,
        slider=(0, 0.05),
    )
    lower_limit_deg: float | None = value(
        None,
        label="Lower limit",
        unit="°",
        help="Mechanical limit of the smallest angle",
        ge=-360,
        le=360,
        slider=(-180, 0),
    )
    upper_limit_deg: float | None = value(
        None,
        label="Upper limit",
        unit="°",
        help="Mechanical limit of the largest angle",
        ge=-360,
        le=360,
        slider=(0, 180),
    )
    kp_nm_per_rad: float | None = value(
        None,
        label="Stiffness",
        unit="N m/rad",
        symbol="K_P",
        help="Proportional gain of the joint's controller",
        ge=0,
        le=1e9,
        slider=(0, 1200),
        live=True,
    )
    kd_nms_per_rad: float | None = value(
        None,
        label="Damping",
        unit="N m s/rad",
        symbol="K_D",
        help="Derivative gain of the joint's controller",
        ge=0,
        le=1e9,
        slider=(0, 5),
        live=True,
    )
    max_torque_nm: float | None = torque_limit("Torque at which the motor saturates")
    max_speed_deg_s: float | None = speed_limit("Largest rate of the joint's reference")
    free_play_deg: float | None = value(
        None,
        label="Backlash",
        unit="°",
        help="Width of the band of joint angles in which the motor does not act on the joint",
        ge=0,
        le=90,
        slider=(0, 10),
        live=True,
    )
    spring_nm_per_rad: float | None = value(
        None,
        label="Spring",
        unit="N m/rad",
        help="Stiffness of a passive spring around the rest angle",
        ge=0,
        le=1e9,
        slider=(0, 50),
        live=True,
    )
    damper_nms_per_rad: float | None = value(
        None,
        label="Damper",
        unit="N m s/rad",
        help="Passive damping of the joint",
        ge=0,
        le=1e9,
        slider=(0, 5),
        live=True,
    )
    rest_deg: float | None = value(
        None,
        label="Rest angle",
        unit="°",
        help="Angle at which the passive spring is relaxed",
        ge=-360,
        le=360,
        slider=(-90, 90),
        live=True,
    )
    rotor_inertia_kg_m2: float | None = rotor_inertia(None)
    dry_friction_nm: float | None = dry_friction(None)
    dry_friction_rise: float | None = dry_friction_rise(None)
    dry_friction_speed_deg_s: float | None = dry_friction_speed(None)
    restitution: float | None = restitution(None)
    efficiency: float | None = efficiency(None)
    back_emf_nms_per_rad: float | None = back_emf(None)
    max_current_torque_nm: float | None = current_limit()
    reversed: bool | None = value(
        None,
        label="Reversed",
        help="Whether the robot counts this angle with the opposite sign; applies to angle tables and robot files,"
        " not to gaits. On CAN, the sign in the profile applies",
    )
    zero_deg: float | None = value(
        None,
        label="Zero",
        unit="°",
        help="Joint angle at which the robot itself reads 0; applies to angle tables and robot files. On CAN, the"
        " offset in the profile applies",
        ge=-360,
        le=360,
        slider=(-180, 180),
    )


Override = LinkOverride | JointOverride


def selected(index: int | str, count: int) -> range:
    """Return 0-based links or joints, out of `count`, that an `index` selects.

    Raises `ValueError` with the reason if it is not an index, or selects one that does not exist.
    """
    if isinstance(index, int):
        first, last = index, index
    elif index in _WORDS:
        if index == "first":
            return range(min(1, count))
        if index == "last":
            return range(max(count - 1, 0), count)
        return range(1 if index == "even" else 0, count, 1 if index == "all" else 2)
    elif match := _RANGE.match(index):
        first, last = int(match[1]), int(match[2])
    else:
        raise ValueError(f'"{index}" is not an index')
    if first > last:
        raise ValueError(f"the range {index} runs backward")
    if first < 1 or last > count:
        raise ValueError(f"there is no {last if last > count else first}")
    return range(first - 1, last)


def values_of(override: Override) -> Iterator[tuple[str, object]]:
    """Yield the names and values given by an override."""
    for name in type(override).model_fields:
        value = getattr(override, name)
        if name not in ("index", "only") and value is not None:
            yield name, value


def override_problems(overrides: Sequence[Override], count: int, table: str) -> list[Problem]:
    """Return the problems in the overrides of `count` links ("link") or joints ("joint"), by index.

    Overrides apply in order, so a range followed by one of its members is valid; two that select the
    same links or joints and give different values for the same key contradict each other.
    """
    problems = []
    seen: dict[tuple[range, str | None, str], tuple[int, object]] = {}
    for number, override in enumerate(overrides, start=1):
        key = f"robot.{table}[{number}]"
        try:
            chosen = selected(override.index, count)
        except ValueError as error:
            remedy = (
                f'set it to a number from 1 to {count}, a range such as "1-{count}", "odd", "even", "first", "last" or'
                ' "all"'
                if count
                else "remove the table"
            )
            message = str(error)
            if message.startswith("there is no "):
                message = f"there is no {table} {message.removeprefix('there is no ')}"
            problems.append(Problem("error", f"{key}.index", message, remedy))
            continue
        for name, this in values_of(override):
            entry = chosen, getattr(override, "only", None), name
            if entry in seen and seen[entry][1] != this:
                other, that = seen[entry]
                problems.append(
                    Problem(
                        "error",
                        f"{key}.{name}",
                        f"{this} contradicts robot.{table}[{other}], which gives {that} for the same {table}s",
                        "remove one of the two",
                    )
                )
            seen.setdefault(entry, (number, this))
    return problems
