"""Scene values that several tables declare: shared unit, range and slider, separate help texts."""

from __future__ import annotations

from typing import Any

from snakestudio.model.fields import value


def friction_coefficient(default: float | None, label: str, help: str, symbol: str = "") -> Any:
    """Coefficient of Coulomb friction."""
    return value(
        default, label=label, symbol=symbol, help=help, ge=0, le=100, slider=(0, 1), live=True
    )


def torque_limit(help: str) -> Any:
    """Largest torque of a motor, N m; unlimited by default."""
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
    """Largest rate of a joint's reference, °/s; unlimited by default."""
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
    """Constant angle of pitch axes, °."""
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
