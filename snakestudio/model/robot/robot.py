"""The robot's body and the PD controller of its joints."""

from __future__ import annotations

import math
from typing import Literal

from snakestudio.model.fields import Frozen, value

__all__ = ["Actuator", "JointController", "Robot"]


class Robot(Frozen):
    """A chain of equal links joined by revolute (planar) or cardan (spatial) joints.

    A link is a cylinder of half-length `contact_half_length_m` closed by two spheres of radius `radius_m`;
    neighbouring joints are `link_length_m` apart and the centre of gravity lies midway (P2, III-A).
    """

    name: str = value("Snake robot", label="Name", help="Name of the robot", max_length=80)
    n_links: int = value(11, label="Links", symbol="n", help="Number of links", ge=1, le=1000, slider=(1, 40))
    link_length_m: float = value(
        0.122, label="Link length", unit="m", symbol="L", help="Distance between neighbouring joints",
        gt=0, le=100, slider=(0.02, 0.5),
    )  # fmt: skip
    radius_m: float = value(
        0.0525, label="Radius", unit="m", symbol="L_SC", help="Radius of a link's cylinder and of its end spheres",
        gt=0, le=100, slider=(0.005, 0.2),
    )  # fmt: skip
    contact_half_length_m: float = value(
        0.0393, label="Contact half-length", unit="m", symbol="L_GS",
        help="Distance from the centre of gravity to the centre of either end sphere", ge=0, le=100, slider=(0, 0.25),
    )  # fmt: skip
    mass_kg: float = value(
        7.5 / 11, label="Mass of a link", unit="kg", symbol="m", help="Mass of one link",
        gt=0, le=1e6, slider=(0.05, 5),
    )  # fmt: skip
    inertia_kg_m2: float = value(
        1.32e-3, label="Inertia of a link", unit="kg m²", symbol="Θ",
        help="Moment of inertia of one link about its transverse axis through the centre of gravity",
        gt=0, le=1e9, slider=(1e-4, 1e-2),
    )  # fmt: skip
    axial_inertia_kg_m2: float = value(
        9.40e-4, label="Axial inertia", unit="kg m²", symbol="Θ₃",
        help="Moment of inertia of one link about its own axis (spatial models)", gt=0, le=1e9, slider=(1e-4, 1e-2),
    )  # fmt: skip
    axis_offset_m: float = value(
        0.0, label="Axis offset", unit="m",
        help="Distance from the yaw axis to the pitch axis of a joint (non-smooth models; 0.022 on Aiko, P1 VIII-F)",
        ge=0, le=100, slider=(0, 0.05),
    )  # fmt: skip
    head: Literal["first", "last"] = value(
        "first", label="Head", help="Which end is the head: the first link (papers P1, P2) or the last (P3, P4)"
    )
    joint_limit_deg: float | None = value(
        None, label="Joint limit", unit="°", help="Mechanical stop of every joint, to either side; none if left out",
        gt=0, le=180, slider=(10, 120),
    )  # fmt: skip

    joint_limit_stiffness_nm_per_rad: float = value(
        1000.0, label="Stiffness of the stops", unit="N m/rad",
        help="How hard a joint is pushed back beyond its limit, where stops are springs (nonholonomic model)",
        gt=0, le=1e9, slider=(10, 5000),
    )  # fmt: skip

    @property
    def n_joints(self) -> int:
        """Number of joints."""
        return self.n_links - 1

    @property
    def length(self) -> float:
        """Length of the straight robot from joint end to joint end, m."""
        return self.n_links * self.link_length_m

    @property
    def joint_limit(self) -> float:
        """Mechanical stop of every joint, rad; infinite if there is none."""
        return math.inf if self.joint_limit_deg is None else math.radians(self.joint_limit_deg)

    @property
    def head_index(self) -> int:
        """0-based index of the head link."""
        return 0 if self.head == "first" else self.n_links - 1


class JointController(Frozen):
    """The PD law of every joint, tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi') (P2 (43), P1 (68), (69)).

    Under feedback linearization (P4 (24)) the torques are those that make the joints accelerate with
    phi_ref'' + k_d (phi_ref' - phi') + k_p (phi_ref - phi), whatever the ground does.
    """

    law: Literal["pd", "feedback_linearization"] = value(
        "pd", label="Law", help="PD control, or exact feedback linearization of the joints (Lagrangian model)"
    )
    kp_nm_per_rad: float = value(
        800.0, label="Stiffness", unit="N m/rad", symbol="K_P", help="Proportional gain of every joint (0: limp)",
        ge=0, le=1e9, slider=(0, 1200), live=True,
    )  # fmt: skip
    kd_nms_per_rad: float = value(
        2.0, label="Damping", unit="N m s/rad", symbol="K_D", help="Derivative gain of every joint",
        ge=0, le=1e9, slider=(0, 5), live=True,
    )  # fmt: skip
    kp_pitch_nm_per_rad: float | None = value(
        None, label="Stiffness in pitch", unit="N m/rad", symbol="K_P,v",
        help="Proportional gain of the pitch axes (spatial models); that of the yaw axes if left out",
        ge=0, le=1e9, slider=(0, 1200), live=True,
    )  # fmt: skip
    kd_pitch_nms_per_rad: float | None = value(
        None, label="Damping in pitch", unit="N m s/rad", symbol="K_D,v",
        help="Derivative gain of the pitch axes (spatial models); that of the yaw axes if left out",
        ge=0, le=1e9, slider=(0, 5), live=True,
    )  # fmt: skip
    linearization_kp_per_s2: float = value(
        400.0, label="Stiffness, linearized", unit="1/s²", symbol="k_p",
        help="Joint acceleration for an error of the angle, under feedback linearization",
        ge=0, le=1e9, slider=(0, 2000), live=True,
    )  # fmt: skip
    linearization_kd_per_s: float = value(
        40.0, label="Damping, linearized", unit="1/s", symbol="k_d",
        help="Joint acceleration for an error of the rate, under feedback linearization",
        ge=0, le=1e9, slider=(0, 200), live=True,
    )  # fmt: skip

    @property
    def kp(self) -> tuple[float, float]:
        """Proportional gains of the yaw and the pitch axes, N m/rad."""
        pitch = self.kp_pitch_nm_per_rad
        return self.kp_nm_per_rad, self.kp_nm_per_rad if pitch is None else pitch

    @property
    def kd(self) -> tuple[float, float]:
        """Derivative gains of the yaw and the pitch axes, N m s/rad."""
        pitch = self.kd_pitch_nms_per_rad
        return self.kd_nms_per_rad, self.kd_nms_per_rad if pitch is None else pitch


class Actuator(Frozen):
    """What real joint motors do beyond the PD law (P1, VIII-F); all of it is off by default."""

    free_play_deg: float = value(
        0.0, label="Free play", unit="°",
        help="Width of the band of joint angles within which the motor has no hold on the joint (3 to 5 on Aiko)",
        ge=0, le=90, slider=(0, 10), live=True,
    )  # fmt: skip
    max_torque_nm: float | None = value(
        None, label="Largest torque", unit="N m", help="Torque at which a motor saturates; unlimited if left out",
        gt=0, le=1e9, slider=(0.1, 50), live=True,
    )  # fmt: skip
    time_constant_s: float = value(
        0.0, label="Time constant", unit="s", symbol="T", help="First-order lag of the torque behind the PD law",
        ge=0, le=10, slider=(0, 0.2), live=True,
    )  # fmt: skip

    @property
    def ideal(self) -> bool:
        """Whether the motors do exactly what the PD law says."""
        return self == Actuator()
