"""What the robot moves on and between: the ground plane and the obstacles."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from snakestudio.model.fields import Frozen, value

__all__ = [
    "STANDARD_GRAVITY",
    "Box",
    "Cylinder",
    "Ground",
    "HeightField",
    "Obstacle",
    "Ramp",
    "Rubble",
    "Stairs",
]

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
    viscous_along_ns_per_m: float = value(
        0.0, label="Viscous along", unit="N s/m", symbol="c_t",
        help="Viscous friction of every link along its axis (Lagrangian model; 0: off)",
        ge=0, le=1e6, slider=(0, 10), live=True,
    )  # fmt: skip
    viscous_across_ns_per_m: float = value(
        0.0, label="Viscous across", unit="N s/m", symbol="c_n",
        help="Viscous friction of every link across its axis (Lagrangian model; 0: off)",
        ge=0, le=1e6, slider=(0, 10), live=True,
    )  # fmt: skip
    coulomb_smoothing_m_s: float = value(
        1e-3, label="Coulomb smoothing", unit="m/s", symbol="ε",
        help="Sliding velocity at which Coulomb friction reaches 0.71 of its full value, 0.76 by tanh (Lagrangian"
        " model)",
        gt=0, le=10, slider=(1e-4, 0.1), live=True,
    )  # fmt: skip
    coulomb_law: Literal["sqrt", "tanh"] = value(
        "sqrt", label="Coulomb smoothing law",
        help="What takes the place of sgn v in Coulomb friction: v / sqrt(v² + ε²), or tanh(v / ε) (Lagrangian model)",
        live=True,
    )  # fmt: skip
    coulomb_smoothing_rad_s: float = value(
        1e-2, label="Coulomb smoothing, turning", unit="rad/s",
        help="Turn rate at which the friction torque reaches 0.71 of its full value (nonholonomic model)",
        gt=0, le=100, slider=(1e-3, 1), live=True,
    )  # fmt: skip
    obstacle_damping_ns_per_m: float = value(
        1000.0, label="Obstacle damping", unit="N s/m", symbol="d",
        help="How hard obstacles resist the velocity of a link into them (nonholonomic model)",
        ge=0, le=1e6, slider=(0, 5000), live=True,
    )  # fmt: skip
    mu_rolling: float = value(
        0.05, label="Rolling friction", symbol="µ_V",
        help="Rolling friction coefficient (spatial models; P1 (59), (60), where no value is given)",
        ge=0, le=100, slider=(0, 0.5), live=True,
    )  # fmt: skip
    stribeck_rise: float = value(
        0.0, label="Stribeck rise",
        help="By what fraction friction at rest exceeds that in motion (spatial models; 0: plain Coulomb friction)",
        ge=0, le=10, slider=(0, 1), live=True,
    )  # fmt: skip
    stribeck_velocity_m_s: float = value(
        0.02, label="Stribeck velocity", unit="m/s", symbol="v_s",
        help="Sliding velocity at which that rise has fallen to 1/e", gt=0, le=100, slider=(0.001, 0.2), live=True,
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


def _friction(default: float) -> float:
    friction: float = value(
        default, label="Friction", symbol="µ", help="Coulomb friction coefficient of the surface",
        ge=0, le=100, slider=(0, 1), live=True,
    )  # fmt: skip
    return friction


def _name() -> str:
    name: str = value("", label="Name", help="Name shown in the tree; numbered if left out", max_length=80, live=True)
    return name


def _group() -> str:
    group: str = value(
        "", label="Group", help="Obstacles of one group are picked and moved together", max_length=80, live=True
    )
    return group


def _locked() -> bool:
    locked: bool = value(
        False, label="Locked", help="Neither picked in the view nor moved, turned or deleted", live=True
    )
    return locked


def _hidden() -> bool:
    hidden: bool = value(False, label="Hidden", help="Not drawn; the robot meets it all the same", live=True)
    return hidden


def _place(axis: str, what: str) -> float:
    place: float = value(label=axis, unit="m", help=what, ge=-1e4, le=1e4, slider=(-2, 4), live=True)
    return place


def _size(label: str, what: str, default: float) -> float:
    size: float = value(default, label=label, unit="m", help=what, gt=0, le=1e3, slider=(0.01, 2), live=True)
    return size


def _angle(label: str, what: str) -> float:
    angle: float = value(0.0, label=label, unit="°", help=what, ge=-360, le=360, slider=(-180, 180), live=True)
    return angle


class Cylinder(Frozen):
    """A fixed vertical cylinder standing on the ground."""

    kind: Literal["cylinder"] = value("cylinder", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Centre, x")
    y_m: float = _place("y", "Centre, y")
    radius_m: float = value(
        0.125, label="Radius", unit="m", symbol="L_H", help="Radius", gt=0, le=1e3, slider=(0.005, 0.5), live=True
    )
    height_m: float = _size("Height", "Height above the ground", 0.3)
    friction: float = _friction(0.0)
    locked: bool = _locked()
    hidden: bool = _hidden()


class Box(Frozen):
    """A fixed block; `z_m` is the height of its lower face while it stands upright."""

    kind: Literal["box"] = value("box", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Centre, x")
    y_m: float = _place("y", "Centre, y")
    z_m: float = value(
        0.0, label="z", unit="m", help="Height of the lower face of the upright block; it may lie in the ground",
        ge=-1e3, le=1e3, slider=(-0.5, 1), live=True,
    )  # fmt: skip
    length_m: float = _size("Length", "Size along its own x axis", 0.3)
    width_m: float = _size("Width", "Size along its own y axis", 0.3)
    height_m: float = _size("Height", "Size along its own z axis", 0.1)
    yaw_deg: float = _angle("Yaw", "Turned about the vertical, last")
    pitch_deg: float = _angle("Pitch", "Tilted about its y axis through its centre")
    roll_deg: float = _angle("Roll", "Tilted about its x axis through its centre, first")
    friction: float = _friction(0.2)
    locked: bool = _locked()
    hidden: bool = _hidden()


class Stairs(Frozen):
    """A flight of stairs with a landing behind the last step; its foot is the lower edge of the first riser."""

    kind: Literal["stairs"] = value("stairs", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Middle of the foot, x")
    y_m: float = _place("y", "Middle of the foot, y")
    heading_deg: float = _angle("Heading", "Direction in which the stairs rise")
    steps: int = value(4, label="Steps", help="Number of steps", ge=1, le=200, slider=(1, 20), live=True)
    rise_m: float = _size("Rise", "Height of a step", 0.04)
    run_m: float = _size("Run", "Depth of a step", 0.3)
    width_m: float = _size("Width", "Width of the flight", 1.5)
    landing_m: float = _size("Landing", "Depth of the last step, which is the landing", 1.0)
    friction: float = _friction(0.2)
    locked: bool = _locked()
    hidden: bool = _hidden()


class Ramp(Frozen):
    """A wedge that rises from its foot; a landing may follow."""

    kind: Literal["ramp"] = value("ramp", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Middle of the foot, x")
    y_m: float = _place("y", "Middle of the foot, y")
    heading_deg: float = _angle("Heading", "Direction in which the ramp rises")
    length_m: float = _size("Length", "Horizontal length of the slope", 1.0)
    rise_m: float = _size("Rise", "Height of its upper end", 0.15)
    width_m: float = _size("Width", "Width", 1.0)
    landing_m: float = value(
        0.0, label="Landing", unit="m", help="Depth of the level part at the upper end", ge=0, le=1e3, slider=(0, 2),
        live=True,
    )  # fmt: skip
    friction: float = _friction(0.2)
    locked: bool = _locked()
    hidden: bool = _hidden()


class HeightField(Frozen):
    """Uneven ground over a rectangle: heights on a regular grid, from numbers or from a grey-scale picture.

    Between the grid points lie two triangles a cell. Of `heights_m` the first row is the one with the smallest y; of a
    picture (as seen from above) the lowest. What lies below the ground plane is filled by it.
    """

    kind: Literal["height_field"] = value("height_field", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Centre, x")
    y_m: float = _place("y", "Centre, y")
    yaw_deg: float = _angle("Yaw", "Turned about the vertical")
    length_m: float = _size("Length", "Size along its own x axis", 2.0)
    width_m: float = _size("Width", "Size along its own y axis", 2.0)
    z_m: float = value(
        0.0, label="z", unit="m", help="Height of what is 0 in the table or black in the picture",
        ge=-1e3, le=1e3, slider=(-0.5, 0.5), live=True,
    )  # fmt: skip
    heights_m: tuple[tuple[float, ...], ...] | None = value(
        None, label="Heights", unit="m", help="Rows of heights at the grid points, at least 2 x 2"
    )
    picture: str | None = value(
        None, label="Picture", help="Grey-scale picture file, relative to the scene file, instead of a table",
        min_length=1,
    )  # fmt: skip
    relief_m: float = _size("Relief", "Height of what is white in the picture above what is black", 0.1)
    friction: float = _friction(0.2)
    locked: bool = _locked()
    hidden: bool = _hidden()


class Rubble(Frozen):
    """Blocks of random size, place and tilt on a rectangle; the same seed gives the same blocks."""

    kind: Literal["rubble"] = value("rubble", label="Kind", help="Shape of the obstacle")
    name: str = _name()
    group: str = _group()
    x_m: float = _place("x", "Centre of the rectangle, x")
    y_m: float = _place("y", "Centre of the rectangle, y")
    yaw_deg: float = _angle("Yaw", "The rectangle turned about the vertical")
    length_m: float = _size("Length", "Size of the rectangle along its own x axis", 2.0)
    width_m: float = _size("Width", "Size of the rectangle along its own y axis", 2.0)
    blocks: int = value(60, label="Blocks", help="Number of blocks", ge=1, le=5000, slider=(1, 300), live=True)
    smallest_m: float = _size("Smallest", "Least length and width of a block", 0.06)
    largest_m: float = _size("Largest", "Greatest length and width of a block", 0.2)
    height_m: float = _size("Height", "Greatest height above the ground that a block reaches", 0.05)
    tilt_deg: float = value(
        8.0, label="Tilt", unit="°", help="Greatest tilt of a block", ge=0, le=45, slider=(0, 30), live=True
    )
    seed: int = value(
        1, label="Seed", help="Another seed gives other blocks", ge=0, le=2**31, slider=(0, 100), live=True
    )
    friction: float = _friction(0.2)
    locked: bool = _locked()
    hidden: bool = _hidden()


Obstacle = Annotated[Cylinder | Box | Stairs | Ramp | HeightField | Rubble, Field(discriminator="kind")]
"""Any obstacle."""
