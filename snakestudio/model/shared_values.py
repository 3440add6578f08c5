"""Scene values that several tables declare: shared unit, range and slider, separate help texts."""

from __future__ import annotations

from typing import Any

from snakestudio.model.fields import value

DRIVE_TRAIN = (
    "rotor_inertia_kg_m2",
    "dry_friction_nm",
    "dry_friction_rise",
    "dry_friction_speed_deg_s",
    "restitution",
    "efficiency",
    "back_emf_nms_per_rad",
    "max_current_torque_nm",
)
"""Names of the values of rotor, gear and motor that [actuator] and joint tables declare."""


def friction_coefficient(default: float | None, label: str, help: str, symbol: str = "") -> Any:
    """Return the coefficient of Coulomb friction."""
    return value(
        default, label=label, symbol=symbol, help=help, ge=0, le=100, slider=(0, 1), live=True
    )


def torque_limit(help: str) -> Any:
    """Return the largest torque of a motor, N m; unlimited by default."""
    return value(
        None,
        label="Largest torque",
        unit="N m",
        help=help,
        gt=0,
        le=1e9,
        slider=(0.1, 50),
        live=True,
    )


def speed_limit(help: str) -> Any:
    """Return the largest rate of a joint's reference, °/s; unlimited by default."""
    return value(
        None,
        label="Largest speed",
        unit="°/s",
        help=help,
        gt=0,
        le=1e6,
        slider=(10, 720),
        live=True,
    )


def pitch_offset(help: str) -> Any:
    """Return the constant angle of pitch axes, °."""
    return value(
        0.0,
        label="Pitch offset",
        unit="°",
        symbol="ψ_v",
        help=help,
        ge=-90,
        le=90,
        slider=(-20, 20),
        live=True,
    )


def rotor_inertia(default: float | None) -> Any:
    """Inertia of a motor's rotor, kg m^2."""
    return value(
        default,
        label="Rotor inertia",
        unit="kg m²",
        symbol="I_R",
        help="Moment of inertia of the rotor, reflected to the joint: that of the rotor times the square of the gear"
        " ratio",
        ge=0,
        le=1e6,
        slider=(0, 0.01),
    )


def dry_friction(default: float | None) -> Any:
    """Dry friction of a joint, N m."""
    return value(
        default,
        label="Dry friction",
        unit="N m",
        help="Torque of dry friction in the joint, which holds it exactly at rest up to this torque",
        ge=0,
        le=1e6,
        slider=(0, 1),
        live=True,
    )


def dry_friction_rise(default: float | None) -> Any:
    """Relative increase of dry friction near rest."""
    return value(
        default,
        label="Dry friction rise",
        help="Relative increase of the dry friction at rest (Stribeck effect): 0.5 means half as much again",
        ge=0,
        le=100,
        slider=(0, 1),
        live=True,
    )


def dry_friction_speed(default: float | None) -> Any:
    """Joint rate at which this increase has decreased to 1/e, °/s."""
    return value(
        default,
        label="Dry friction speed",
        unit="°/s",
        help="Joint rate at which the rise of the dry friction has decreased to 37 %",
        gt=0,
        le=1e6,
        slider=(0.1, 50),
        live=True,
    )


def restitution(default: float | None) -> Any:
    """Restitution of joint limits."""
    return value(
        default,
        label="Restitution",
        symbol="e",
        help="Ratio of the joint rates after and before an impact on a joint limit: 0 stops, 1 loses no energy",
        ge=0,
        le=1,
        slider=(0, 1),
        live=True,
    )


def efficiency(default: float | None) -> Any:
    """Efficiency of a gear."""
    return value(
        default,
        label="Efficiency",
        symbol="η",
        help="Fraction of the motor's torque that the gear transmits; the rest acts as dry friction",
        gt=0,
        le=1,
        slider=(0.1, 1),
        live=True,
    )


def back_emf(default: float | None) -> Any:
    """Slope of a motor's torque over its speed, N m s/rad."""
    return value(
        default,
        label="Back EMF",
        unit="N m s/rad",
        symbol="K²/R",
        help="Torque that the motor loses per unit of joint rate at constant voltage; the largest torque is then that"
        " at standstill",
        ge=0,
        le=1e9,
        slider=(0, 1),
        live=True,
    )


def current_limit() -> Any:
    """Torque at the current limit of a motor, N m; unlimited by default."""
    return value(
        None,
        label="Torque at current limit",
        unit="N m",
        help="Torque of the motor at the current limit of its driver, at any rate",
        gt=0,
        le=1e9,
        slider=(0.1, 50),
        live=True,
    )
