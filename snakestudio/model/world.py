"""World of the robot: the ground plane, its friction and its slope."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from snakestudio.model.fields import Frozen, value
from snakestudio.model.shared_values import friction_coefficient

STANDARD_GRAVITY = 9.81
"""Gravity used to scale residuals, m/s^2, regardless of the scene's gravity."""


class GroundPatch(Frozen):
    """Polygonal area of the ground with separate friction coefficients; where patches overlap, the last one applies."""

    name: str = value("", label="Name", help="Name of the patch", max_length=80, live=True)
    points_m: tuple[tuple[float, float], ...] = value(
        label="Corners",
        unit="m",
        help="Corners of the polygon, x and y",
        min_length=3,
        max_length=1000,
        live=True,
    )
    mu_along: float = friction_coefficient(
        0.2, "Friction along", "Friction coefficient along the link's axis"
    )
    mu_backward: float | None = friction_coefficient(
        None,
        "Friction backward",
        "Friction coefficient along the axis for sliding tail first; same as along if omitted",
    )
    mu_across: float = friction_coefficient(
        0.2, "Friction across", "Friction coefficient across the link's axis"
    )


class GroundPicture(Frozen):
    """Grey-scale image on the ground that multiplies all friction coefficients; without a file it has no effect.

    The centres of its pixels have the factors `black` to `white`, with bilinear interpolation between
    them. Outside the image the factor is 1.
    """

    files: ClassVar[tuple[str, ...]] = ("file",)
    optional: ClassVar[bool] = True

    file: str = value(
        "",
        label="File",
        help="Grey-scale image of friction factors, relative to the scene file",
        max_length=1000,
    )
    x_m: float = value(
        0.0,
        label="x",
        unit="m",
        help="Centre of the image on the ground, x",
        ge=-1e4,
        le=1e4,
        slider=(-5, 5),
    )
    y_m: float = value(
        0.0,
        label="y",
        unit="m",
        help="Centre of the image on the ground, y",
        ge=-1e4,
        le=1e4,
        slider=(-5, 5),
    )
    width_m: float = value(
        2.0,
        label="Width",
        unit="m",
        help="Width of the image on the ground; its height follows from its aspect ratio",
        gt=0,
        le=1e4,
        slider=(0.1, 10),
    )
    yaw_deg: float = value(
        0.0,
        label="Yaw",
        unit="°",
        help="Rotation of the image about the vertical",
        ge=-360,
        le=360,
        slider=(-180, 180),
    )
    black: float = value(
        0.2,
        label="Black",
        help="Factor of all friction coefficients where the image is black",
        ge=0,
        le=100,
        slider=(0, 2),
    )
    white: float = value(
        1.0,
        label="White",
        help="Factor of all friction coefficients where the image is white",
        ge=0,
        le=100,
        slider=(0, 2),
    )

    def __bool__(self) -> bool:
        """Whether there is an image."""
        return bool(self.file)


class Ground(Frozen):
    """Ground plane z = 0: friction along and across a link, and gravity, tilted if the ground slopes."""

    mu_along: float = friction_coefficient(
        0.2, "Friction along", "Coulomb friction coefficient along the link's axis", "µ_T,x"
    )
    mu_across: float = friction_coefficient(
        0.2, "Friction across", "Coulomb friction coefficient across the link's axis", "µ_T,y"
    )
    mu_backward: float | None = friction_coefficient(
        None,
        "Friction backward",
        "Coulomb friction coefficient along the link's axis for sliding tail first; same as along if omitted",
        "µ_B",
    )
    law: Literal["ellipse", "components", "unit_velocity"] | None = value(
        None,
        label="Friction law",
        help="How friction along and across combine: force on the edge of an ellipse with maximum dissipation"
        " (ellipse), each direction separately (components), or along the unit velocity, weighted by direction"
        " (unit_velocity); the model's default if omitted",
        live=True,
    )
    load_factor: str = value(
        "1",
        label="Load factor",
        help="Factor of the load on the ground along the body, a formula of X (from the head, m) and t;"
        " lifted parts carry less (planar and continuum models)",
        max_length=500,
        live=True,
    )
    friction_factor: str = value(
        "1",
        label="Friction factor",
        help="Factor of all friction coefficients, a formula of t and of the position x, y on the ground",
        max_length=500,
        live=True,
    )
    viscous_along_ns_per_m: float = value(
        0.0,
        label="Viscous along",
        unit="N s/m",
        symbol="c_t",
        help="Viscous friction of each link along its axis (Lagrangian model; 0: off)",
        ge=0,
        le=1e6,
        slider=(0, 10),
        live=True,
    )
    viscous_across_ns_per_m: float = value(
        0.0,
        label="Viscous across",
        unit="N s/m",
        symbol="c_n",
        help="Viscous friction of each link across its axis (Lagrangian model; 0: off)",
        ge=0,
        le=1e6,
        slider=(0, 10),
        live=True,
    )
    coulomb_smoothing_m_s: float = value(
        1e-3,
        label="Coulomb smoothing",
        unit="m/s",
        symbol="ε",
        help="Sliding velocity at which Coulomb friction reaches 0.71 of its full value, or 0.76 with tanh (Lagrangian"
        " model)",
        gt=0,
        le=10,
        slider=(1e-4, 0.1),
        live=True,
    )
    coulomb_law: Literal["sqrt", "tanh"] = value(
        "sqrt",
        label="Coulomb smoothing law",
        help="Replacement of sgn v in Coulomb friction: v / sqrt(v² + ε²), or tanh(v / ε) (Lagrangian model)",
        live=True,
    )
    coulomb_smoothing_rad_s: float = value(
        1e-2,
        label="Coulomb smoothing, turning",
        unit="rad/s",
        help="Turn rate at which the frictional torque reaches 0.71 of its full value (nonholonomic model)",
        gt=0,
        le=100,
        slider=(1e-3, 1),
        live=True,
    )
    obstacle_damping_ns_per_m: float = value(
        1000.0,
        label="Obstacle damping",
        unit="N s/m",
        symbol="d",
        help="Damping of a link's velocity into an obstacle (nonholonomic model)",
        ge=0,
        le=1e6,
        slider=(0, 5000),
        live=True,
    )
    mu_rolling: float = value(
        0.05,
        label="Rolling friction",
        symbol="µ_V",
        help="Rolling friction coefficient (spatial models; P1 (59), (60) give no value)",
        ge=0,
        le=100,
        slider=(0, 0.5),
        live=True,
    )
    stribeck_rise: float = value(
        0.0,
        label="Stribeck rise",
        help="Relative excess of static over kinetic friction (spatial models; 0: plain Coulomb friction)",
        ge=0,
        le=10,
        slider=(0, 1),
        live=True,
    )
    stribeck_velocity_m_s: float = value(
        0.02,
        label="Stribeck velocity",
        unit="m/s",
        symbol="v_s",
        help="Sliding velocity at which the Stribeck rise has decayed to 1/e",
        gt=0,
        le=100,
        slider=(0.001, 0.2),
        live=True,
    )
    gravity_m_s2: float = value(
        STANDARD_GRAVITY,
        label="Gravity",
        unit="m/s²",
        symbol="g",
        help="Gravitational acceleration",
        ge=0,
        le=1000,
        slider=(0, 20),
        live=True,
    )
    slope_deg: float = value(
        0.0,
        label="Slope",
        unit="°",
        help="Tilt of the ground",
        ge=0,
        le=90,
        slider=(0, 45),
        live=True,
    )
    downhill_deg: float = value(
        0.0,
        label="Downhill direction",
        unit="°",
        help="Direction in which the ground falls, from the x axis",
        ge=-360,
        le=360,
        slider=(-180, 180),
        live=True,
    )

    patch: tuple[GroundPatch, ...] = value(
        (),
        label="Patches",
        help="Areas of the ground with separate friction coefficients",
        max_length=1000,
        live=True,
    )
    picture: GroundPicture = value(
        GroundPicture(),
        label="Friction image",
        help="Image that multiplies the friction coefficients",
    )

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity in the frame of the ground (z is the ground's normal), m/s^2."""
        slope = math.radians(self.slope_deg)
        downhill = math.radians(self.downhill_deg)
        g = self.gravity_m_s2
        along = g * math.sin(slope) if self.slope_deg else 0.0
        return along * math.cos(downhill), along * math.sin(downhill), -g * math.cos(slope)
