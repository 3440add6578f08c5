"""The body of a continuum robot: a rod of rigid cross-sections, whose strain is imposed (P5, section II)."""

from __future__ import annotations

import math
from typing import Literal

from snakestudio.model.fields import Frozen, value

__all__ = ["Beam"]


class Beam(Frozen):
    """A homogeneous rod of round cross-sections; unstrained it is straight, from the head (X = 0) to the tail (X = l).

    Mass is counted by material length: stretching a piece does not change its mass, and the cross-section keeps the
    volume (P5 (37)).
    """

    length_m: float = value(
        1.0, label="Length", unit="m", symbol="l", help="Length of the unstrained body", gt=0, le=1000, slider=(0.1, 3)
    )
    radius_m: float = value(
        0.02, label="Radius", unit="m", symbol="r", help="Radius of the unstrained cross-sections",
        gt=0, le=100, slider=(0.002, 0.1),
    )  # fmt: skip
    density_kg_m3: float = value(
        1000.0, label="Density", unit="kg/m³", symbol="ρ", help="Mass of the body by volume",
        gt=0, le=1e6, slider=(500, 8000),
    )  # fmt: skip
    group: Literal["R", "SE2", "SE3"] = value(
        "SE2", label="Motions", symbol="G",
        help="How cross-sections move: along a line (R), in a plane (SE2) or in space (SE3), seen from the start",
    )  # fmt: skip
    sections: int = value(
        41, label="Cross-sections", help="Evenly spaced cross-sections that are shown and recorded, both ends included",
        ge=2, le=1000, slider=(11, 201),
    )  # fmt: skip

    @property
    def area(self) -> float:
        """Area of an unstrained cross-section, m^2."""
        return math.pi * self.radius_m**2

    @property
    def mass_per_length(self) -> float:
        """Rho A, kg/m."""
        return self.density_kg_m3 * self.area

    @property
    def inertia_per_length(self) -> tuple[float, float, float]:
        """Moments of inertia of a slice by its thickness about t_X, t_Y, t_Z, kg m."""
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
