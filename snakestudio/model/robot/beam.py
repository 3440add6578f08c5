"""Body of a continuum robot: a rod of rigid cross-sections with imposed strain (P5, section II)."""

from __future__ import annotations

import math
from typing import Literal

from snakestudio.model.fields import Frozen, value

GROUPS = {"R": (0,), "SE2": (0, 1, 5), "SE3": (0, 1, 2, 3, 4, 5)}
"""Nonzero components of a twist in each group of motions."""

TIP = ("tip_fx_n", "tip_fy_n", "tip_fz_n", "tip_mx_nm", "tip_my_nm", "tip_mz_nm")
"""Names of the components of the wrench at the tip."""


def _tip(what: str, axis: str, unit: str) -> float:
    reach: float = value(
        0.0,
        label=f"{what} at the tip, {axis}",
        unit=unit,
        symbol="F₊",
        help=f"External {what.lower()} on the last cross-section (X = l), {axis} component in the ground frame",
        ge=-1e6,
        le=1e6,
        slider=(-1, 1),
    )
    return reach


class Beam(Frozen):
    """Homogeneous rod of round cross-sections, straight when unstrained, from the head (X = 0) to the tail (X = l).

    Mass is distributed by material length: stretching a piece does not change its mass, and
    cross-sections keep their volume (P5 (37)).
    """

    length_m: float = value(
        1.0,
        label="Length",
        unit="m",
        symbol="l",
        help="Length of the unstrained body",
        gt=0,
        le=1000,
        slider=(0.1, 3),
    )
    radius_m: float = value(
        0.02,
        label="Radius",
        unit="m",
        symbol="r",
        help="Radius of the unstrained cross-sections",
        gt=0,
        le=100,
        slider=(0.002, 0.1),
    )
    density_kg_m3: float = value(
        1000.0,
        label="Density",
        unit="kg/m³",
        symbol="ρ",
        help="Mass density of the body",
        gt=0,
        le=1e6,
        slider=(500, 8000),
    )
    group: Literal["R", "SE2", "SE3"] = value(
        "SE2",
        label="Motions",
        symbol="G",
        help="Motion of the cross-sections from the start: along a line (R), in a plane (SE2) or in space (SE3)",
    )
    sections: int = value(
        41,
        label="Cross-sections",
        help="Number of evenly spaced cross-sections that are shown and recorded, including both ends",
        ge=2,
        le=1000,
        slider=(11, 201),
    )
    tip_fx_n: float = _tip("Force", "x", "N")
    tip_fy_n: float = _tip("Force", "y", "N")
    tip_fz_n: float = _tip("Force", "z", "N")
    tip_mx_nm: float = _tip("Torque", "x", "N m")
    tip_my_nm: float = _tip("Torque", "y", "N m")
    tip_mz_nm: float = _tip("Torque", "z", "N m")

    @property
    def tip_wrench(self) -> tuple[float, ...]:
        """Force (N) and torque (N m) on the last cross-section, F_+ of P5, in the ground frame."""
        return tuple(getattr(self, name) for name in TIP)

    @property
    def area(self) -> float:
        """Area of an unstrained cross-section, m^2."""
        return math.pi * self.radius_m**2

    @property
    def mass_per_length(self) -> float:
        """Mass per unit length, rho A, kg/m."""
        return self.density_kg_m3 * self.area

    @property
    def inertia_per_length(self) -> tuple[float, float, float]:
        """Moments of inertia per unit length about t_X, t_Y, t_Z, kg m."""
        across = 0.25 * self.mass_per_length * self.radius_m**2
        return 2.0 * across, across, across

    @property
    def mass(self) -> float:
        """Mass of the body, kg."""
        return self.mass_per_length * self.length_m

    @property
    def abscissas(self) -> tuple[float, ...]:
        """Material abscissas X of the recorded cross-sections, m."""
        pieces = self.sections - 1
        return tuple(self.length_m * i / pieces for i in range(self.sections))
