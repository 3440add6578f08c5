"""The robot: its body and the PD controller of its joints."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from snakestudio.errors import Problem
from snakestudio.model.fields import Frozen, value
from snakestudio.model.robot.overrides import (
    JOINT_AXES,
    JointOverride,
    LinkOverride,
    override_problems,
    selected,
    values_of,
)
from snakestudio.model.shared_values import (
    back_emf,
    current_limit,
    dry_friction,
    dry_friction_rise,
    dry_friction_speed,
    efficiency,
    restitution,
    rotor_inertia,
    speed_limit,
    torque_limit,
)


class Axis(NamedTuple):
    """Axis of a joint.

    A joint turns about its yaw axis (z of the link before it), then pitch (y), then roll (x): axes
    are listed in that order, joint after joint.
    """

    joint: int
    """0-based."""

    kind: str
    """ "yaw", "pitch" or "roll"."""

    @property
    def name(self) -> str:
        """Name as in column names: "joint_3_pitch"."""
        return f"joint_{self.joint + 1}_{self.kind}"


class Link(NamedTuple):
    """Values of one link; m, kg, kg m^2."""

    length: float
    """Distance between the link's joints."""

    radius: float
    contact_half_length: float
    """Distance from the middle of the link to the centre of either end sphere."""

    mass: float
    inertia: float
    """Moment of inertia about a transverse axis through the centre of mass."""

    axial_inertia: float
    centre_of_mass: float
    """Position on the link's axis, from the middle between its joints towards the next link."""

    mu_along: float | None
    """None for that of the ground."""

    mu_backward: float | None
    mu_across: float | None
    wheels: str
    """ "none", "passive" or "ratchet"."""


class Joint(NamedTuple):
    """Values shared by all axes of one joint."""

    name: str
    """Kind of the joint, a key of `JOINT_AXES`."""

    axis_offset: float
    """Distance from the yaw axis to the pitch axis, m; 0 unless the joint has both."""

    @property
    def axes(self) -> tuple[str, ...]:
        """Kinds of the joint's axes."""
        return JOINT_AXES[self.name]


class Robot(Frozen):
    """Chain of links connected by joints with any axes.

    A link is a cylinder of half-length `contact_half_length_m` closed by two spheres of radius
    `radius_m`; neighbouring joints are `link_length_m` apart and the centre of gravity lies midway
    (P2, III-A). Values that differ between links or joints are given by `link` and `joint` tables,
    applied in order.
    """

    name: str = value("Snake robot", label="Name", help="Name of the robot", max_length=80)
    n_links: int = value(
        11, label="Links", symbol="n", help="Number of links", ge=1, le=1000, slider=(1, 40)
    )
    link_length_m: float = value(
        0.122,
        label="Link length",
        unit="m",
        symbol="L",
        help="Distance between neighbouring joints",
        gt=0,
        le=100,
        slider=(0.02, 0.5),
    )
    radius_m: float = value(
        0.0525,
        label="Radius",
        unit="m",
        symbol="L_SC",
        help="Radius of a link's cylinder and of its end spheres",
        gt=0,
        le=100,
        slider=(0.005, 0.2),
    )
    contact_half_length_m: float = value(
        0.0393,
        label="Contact half-length",
        unit="m",
        symbol="L_GS",
        help="Distance from the centre of gravity to the centre of either end sphere",
        ge=0,
        le=100,
        slider=(0, 0.25),
    )
    mass_kg: float = value(
        7.5 / 11,
        label="Mass of a link",
        unit="kg",
        symbol="m",
        help="Mass of each link",
        gt=0,
        le=1e6,
        slider=(0.05, 5),
    )
    inertia_kg_m2: float = value(
        1.32e-3,
        label="Inertia of a link",
        unit="kg m²",
        symbol="Θ",
        help="Moment of inertia of each link about a transverse axis through its centre of gravity",
        gt=0,
        le=1e9,
        slider=(1e-4, 1e-2),
    )
    axial_inertia_kg_m2: float = value(
        9.40e-4,
        label="Axial inertia",
        unit="kg m²",
        symbol="Θ₃",
        help="Moment of inertia of each link about its own axis (spatial models)",
        gt=0,
        le=1e9,
        slider=(1e-4, 1e-2),
    )
    axis_offset_m: float = value(
        0.0,
        label="Axis offset",
        unit="m",
        help="Distance from the yaw axis to the pitch axis of a joint (non-smooth models; 0.022 on Aiko, P1 VIII-F)",
        ge=0,
        le=100,
        slider=(0, 0.05),
    )
    head: Literal["first", "last"] = value(
        "first",
        label="Head",
        help="End of the chain that is the head: the first link (papers P1, P2) or the last (P3, P4)",
    )
    joint_limit_deg: float | None = value(
        None,
        label="Joint limit",
        unit="°",
        help="Largest angle of each joint to either side, a mechanical limit; unlimited if omitted",
        gt=0,
        le=180,
        slider=(10, 120),
    )

    joints: Literal["cardan", "yaw", "pitch", "alternating"] = value(
        "cardan",
        label="Joints",
        help="Axes of the joints: yaw and pitch in each (cardan), one kind in all, or yaw and pitch alternating; joint"
        " tables can override single joints",
    )
    wheels: Literal["none", "passive", "ratchet"] = value(
        "none",
        label="Wheels",
        help="Wheels under the links: passive wheels roll freely along the link, a ratchet only forward; both resist"
        " sideways motion with the friction across",
    )
    joint_limit_stiffness_nm_per_rad: float = value(
        1000.0,
        label="Joint limit stiffness",
        unit="N m/rad",
        help="Stiffness of the spring that pushes a joint back from beyond its limit (nonholonomic model)",
        gt=0,
        le=1e9,
        slider=(10, 5000),
    )

    link: tuple[LinkOverride, ...] = value(
        (),
        label="Link overrides",
        help="Values of single links that differ from the rest",
        max_length=2000,
    )
    joint: tuple[JointOverride, ...] = value(
        (),
        label="Joint overrides",
        help="Values of single joints that differ from the rest",
        max_length=2000,
    )

    @property
    def n_joints(self) -> int:
        """Number of joints."""
        return self.n_links - 1

    @property
    def equal_links(self) -> bool:
        """Whether all links are the same."""
        return not self.link

    @property
    def links(self) -> tuple[Link, ...]:
        """Values of each link."""
        return _links(self)

    @property
    def joint_list(self) -> tuple[Joint, ...]:
        """Axes and shape of each joint."""
        return _joints(self)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All axes, joint after joint, each in the order yaw, pitch, roll."""
        return _axes(self)

    def problems(self) -> list[Problem]:
        """Return the contradictions in the robot's tables, with scene keys."""
        problems = override_problems(self.link, self.n_links, "link")
        problems += override_problems(self.joint, self.n_joints, "joint")
        if problems:
            return problems
        for number, override in enumerate(self.joint, start=1):
            chosen = selected(override.index, self.n_joints)
            if (
                override.only is not None
                and chosen
                and all(override.only not in self._axes_of(k) for k in chosen)
            ):
                here = ", ".join(self._axes_of(chosen[0])) or "none, the joint is fixed"
                message = f"joint {chosen[0] + 1} has no {override.only} axis"
                problems.append(
                    Problem(
                        "error", f"robot.joint[{number}].only", message, f"its axes are: {here}"
                    )
                )
        return problems

    def _axes_of(self, joint: int) -> tuple[str, ...]:
        return self.joint_list[joint].axes

    @property
    def length(self) -> float:
        """Length of the straight robot from joint end to joint end, m."""
        if self.equal_links:
            return self.n_links * self.link_length_m
        return math.fsum(link.length for link in self.links)

    @property
    def mass(self) -> float:
        """Mass of the whole robot, kg."""
        return (
            self.mass_kg * self.n_links
            if self.equal_links
            else math.fsum(link.mass for link in self.links)
        )

    @property
    def mass_shares(self) -> tuple[float, ...]:
        """Share of each link in the mass of the robot; () if all links have the same mass."""
        masses = [link.mass for link in self.links]
        return () if len(set(masses)) == 1 else tuple(mass / self.mass for mass in masses)

    @property
    def joint_limit(self) -> float:
        """Mechanical limit of each joint, rad; infinite if unlimited."""
        return math.inf if self.joint_limit_deg is None else math.radians(self.joint_limit_deg)

    @property
    def head_index(self) -> int:
        """0-based index of the head link."""
        return 0 if self.head == "first" else self.n_links - 1


# Parts of a scene are copied with all their contents, so values derived from a robot are cached here
# instead of in the robot.


@lru_cache(maxsize=64)
def _links(robot: Robot) -> tuple[Link, ...]:
    own: list[dict[str, Any]] = [{} for _ in range(robot.n_links)]
    for override in robot.link:
        for k in selected(override.index, robot.n_links):
            own[k].update(values_of(override))
    usual = _link(robot, {})
    return tuple(_link(robot, values) if values else usual for values in own)


def _link(robot: Robot, overrides: dict[str, Any]) -> Link:
    """Return the link with the values of [robot], overridden by those of `overrides`, keyed by `LinkOverride` names."""
    length = overrides.get("length_m", robot.link_length_m)
    radius = overrides.get("radius_m", robot.radius_m)
    mass = overrides.get("mass_kg", robot.mass_kg)
    usual = uniform_cylinder(robot.mass_kg, robot.link_length_m, robot.radius_m)
    own = uniform_cylinder(mass, length, radius)
    return Link(
        length=length,
        radius=radius,
        contact_half_length=overrides.get("contact_half_length_m", robot.contact_half_length_m),
        mass=mass,
        inertia=overrides.get("inertia_kg_m2", robot.inertia_kg_m2 * (own[0] / usual[0])),
        axial_inertia=overrides.get(
            "axial_inertia_kg_m2", robot.axial_inertia_kg_m2 * (own[1] / usual[1])
        ),
        centre_of_mass=overrides.get("centre_of_mass_m", 0.0),
        mu_along=overrides.get("mu_along"),
        mu_backward=overrides.get("mu_backward"),
        mu_across=overrides.get("mu_across"),
        wheels=overrides.get("wheels", robot.wheels),
    )


@lru_cache(maxsize=64)
def _joints(robot: Robot) -> tuple[Joint, ...]:
    pattern = ("yaw", "pitch") if robot.joints == "alternating" else (robot.joints, robot.joints)
    names = [pattern[k % 2] for k in range(robot.n_joints)]
    offsets = [robot.axis_offset_m] * robot.n_joints
    for override in robot.joint:
        for k in selected(override.index, robot.n_joints):
            if override.axes is not None:
                names[k] = override.axes
            if override.axis_offset_m is not None:
                offsets[k] = override.axis_offset_m
    pair = {"yaw", "pitch"}
    return tuple(
        Joint(name, offset if pair <= set(JOINT_AXES[name]) else 0.0)
        for name, offset in zip(names, offsets, strict=True)
    )


@lru_cache(maxsize=64)
def _axes(robot: Robot) -> tuple[Axis, ...]:
    return tuple(Axis(k, kind) for k, joint in enumerate(robot.joint_list) for kind in joint.axes)


def uniform_cylinder(mass: float, length: float, radius: float) -> tuple[float, float]:
    """Return the moments of inertia of a uniform solid cylinder about its centre, transverse and axial, kg m^2."""
    return mass * (radius**2 / 4.0 + length**2 / 12.0), 0.5 * mass * radius**2


class JointController(Frozen):
    """PD law of each joint, tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi') (P2 (43), P1 (68), (69)).

    With feedback linearization (P4 (24)) the torques make the joints accelerate with
    phi_ref'' + k_d (phi_ref' - phi') + k_p (phi_ref - phi), independent of ground forces.
    """

    law: Literal["pd", "feedback_linearization"] = value(
        "pd",
        label="Law",
        help="PD control, or exact feedback linearization of the joints (Lagrangian model)",
        live=True,
    )
    kp_nm_per_rad: float = value(
        800.0,
        label="Stiffness",
        unit="N m/rad",
        symbol="K_P",
        help="Proportional gain of each joint (0: limp)",
        ge=0,
        le=1e9,
        slider=(0, 1200),
        live=True,
    )
    kd_nms_per_rad: float = value(
        2.0,
        label="Damping",
        unit="N m s/rad",
        symbol="K_D",
        help="Derivative gain of each joint",
        ge=0,
        le=1e9,
        slider=(0, 5),
        live=True,
    )
    kp_pitch_nm_per_rad: float | None = value(
        None,
        label="Stiffness in pitch",
        unit="N m/rad",
        symbol="K_P,v",
        help="Proportional gain of the pitch axes (spatial models); that of the yaw axes if omitted",
        ge=0,
        le=1e9,
        slider=(0, 1200),
        live=True,
    )
    kd_pitch_nms_per_rad: float | None = value(
        None,
        label="Damping in pitch",
        unit="N m s/rad",
        symbol="K_D,v",
        help="Derivative gain of the pitch axes (spatial models); that of the yaw axes if omitted",
        ge=0,
        le=1e9,
        slider=(0, 5),
        live=True,
    )
    linearization_kp_per_s2: float = value(
        400.0,
        label="Stiffness, linearized",
        unit="1/s²",
        symbol="k_p",
        help="Joint acceleration per unit of angle error, with feedback linearization",
        ge=0,
        le=1e9,
        slider=(0, 2000),
        live=True,
    )
    linearization_kd_per_s: float = value(
        40.0,
        label="Damping, linearized",
        unit="1/s",
        symbol="k_d",
        help="Joint acceleration per unit of rate error, with feedback linearization",
        ge=0,
        le=1e9,
        slider=(0, 200),
        live=True,
    )

    @property
    def kp(self) -> tuple[float, float]:
        """Proportional gains of yaw and pitch axes, N m/rad."""
        pitch = self.kp_pitch_nm_per_rad
        return self.kp_nm_per_rad, self.kp_nm_per_rad if pitch is None else pitch

    @property
    def kd(self) -> tuple[float, float]:
        """Derivative gains of yaw and pitch axes, N m s/rad."""
        pitch = self.kd_pitch_nms_per_rad
        return self.kd_nms_per_rad, self.kd_nms_per_rad if pitch is None else pitch


class Actuator(Frozen):
    """Effects of real joint motors beyond the PD law (P1, VIII-F); all are off by default."""

    free_play_deg: float = value(
        0.0,
        label="Backlash",
        unit="°",
        help="Width of the band of joint angles in which the motor does not act on the joint (3 to 5 on Aiko)",
        ge=0,
        le=90,
        slider=(0, 10),
        live=True,
    )
    max_torque_nm: float | None = torque_limit(
        "Torque at which a motor saturates; unlimited if omitted"
    )
    max_speed_deg_s: float | None = speed_limit(
        "Largest rate of the joint references; unlimited if omitted"
    )
    time_constant_s: float = value(
        0.0,
        label="Time constant",
        unit="s",
        symbol="T",
        help="Time constant of the first-order lag between the PD law and the torque",
        ge=0,
        le=10,
        slider=(0, 0.2),
        live=True,
    )
    rotor_inertia_kg_m2: float = rotor_inertia(0.0)
    dry_friction_nm: float = dry_friction(0.0)
    dry_friction_rise: float = dry_friction_rise(0.0)
    dry_friction_speed_deg_s: float = dry_friction_speed(5.0)
    restitution: float = restitution(0.0)
    efficiency: float = efficiency(1.0)
    back_emf_nms_per_rad: float = back_emf(0.0)
    max_current_torque_nm: float | None = current_limit()

    @property
    def ideal(self) -> bool:
        """Whether the motor torques are exactly those of the PD law."""
        return self == Actuator()
