"""What the robot moves on and between: the ground plane and the obstacles."""

from __future__ import annotations

import math
from typing import Literal

from snakestudio.model.fields import Frozen, value

__all__ = ["STANDARD_GRAVITY", "Cylinder", "Ground", "Obstacle"]

STANDARD_GRAVITY = 9.81
"""The gravity that residuals are scaled with, whatever the scene's, m/s^2."""


class Ground(Frozen):
    """The ground plane z = 0: friction along and across a link, and gravity, tilted if the ground slopes."""

    mu_along: float = value(
        0.2, label="Friction along", symbol="µ_T,x", help="Coulomb friction coefficient along the link's axis",
        ge=0, le=100, slider=(0, 1), live=True,
    )  # fmt: skip
    mu_across: float = value(
        0.2, label="Friction across", symbol="µ_T,y", help="Coulomb friction coefficient across the link's axis",
        ge=0, le=100, slider=(0, 1), live=True,
    )  # fmt: skip
    gravity_m_s2: float = value(
        STANDARD_GRAVITY, label="Gravity", unit="m/s²", symbol="g", help="Acceleration of gravity",
        ge=0, le=1000, slider=(0, 20), live=True,
    )  # fmt: skip
    slope_deg: float = value(
        0.0, label="Slope", unit="°", help="Angle by which the ground is tilted", ge=0, le=90, slider=(0, 45), live=True
    )
    downhill_deg: float = value(
        0.0, label="Downhill direction", unit="°", help="Direction in which the ground falls, from the x axis",
        ge=-360, le=360, slider=(-180, 180), live=True,
    )  # fmt: skip

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity in the frame of the ground (z is the ground's normal), m/s^2."""
        slope, downhill = math.radians(self.slope_deg), math.radians(self.downhill_deg)
        g = self.gravity_m_s2
        along = g * math.sin(slope) if self.slope_deg else 0.0
        return along * math.cos(downhill), along * math.sin(downhill), -g * math.cos(slope)


class Cylinder(Frozen):
    """A fixed vertical cylinder standing on the ground."""

    kind: Literal["cylinder"] = value("cylinder", label="Kind", help="Shape of the obstacle")
    name: str = value("", label="Name", help="Name shown in the tree; numbered if left out", max_length=80, live=True)
    x_m: float = value(label="x", unit="m", help="Centre, x", ge=-1e4, le=1e4, slider=(-2, 4), live=True)
    y_m: float = value(label="y", unit="m", help="Centre, y", ge=-1e4, le=1e4, slider=(-2, 2), live=True)
    radius_m: float = value(
        0.125, label="Radius", unit="m", symbol="L_H", help="Radius", gt=0, le=1e3, slider=(0.005, 0.5), live=True
    )
    height_m: float = value(
        0.3, label="Height", unit="m", help="Height above the ground", gt=0, le=1e3, slider=(0.02, 1), live=True
    )
    friction: float = value(
        0.0, label="Friction", symbol="µ", help="Coulomb friction coefficient of the surface (0 in the papers)",
        ge=0, le=100, slider=(0, 1), live=True,
    )  # fmt: skip


Obstacle = Cylinder
"""Any obstacle; further shapes join as a union told apart by `kind`."""
