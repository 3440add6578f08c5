"""Strain laws: the strains imposed on a continuum robot's body, as formulas of X, t and s (P5, sections III and VIII).

Every law is six formulas, including those of the papers; a preset only names their parameters. In
addition to the material abscissa X and the time t, formulas can use s = X + integral of V_o, the
abscissa along the path of a body that moves along itself with the axial speed V_o (P5 (51)): a
strain that depends only on s is such a motion for any V_o. Forward is V_o < 0.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from snakestudio.model.fields import Frozen, value

COMPONENTS = ("gamma_x", "gamma_y", "gamma_z", "k_x_per_m", "k_y_per_m", "k_z_per_m")
"""Strains in the order of twists: stretch, shears, twist, curvatures."""


class LawText(NamedTuple):
    """A strain law as text."""

    strains: dict[str, str]
    """Formulas by name in `COMPONENTS`; omitted ones are 1 (gamma_x) or 0."""

    speed: str
    """V_o, m/s; "" if the contacts alone determine it."""

    constants: dict[str, tuple[float, str]]
    """Values that the formulas can use, in SI, with their units ("", "m", "s", "1/m", "1/s", "m/s",
    "m/s^2")."""


class StrainFields(Frozen):
    """The scene's [strain] table; each subclass adds a `kind` and its values."""

    typed: ClassVar[bool] = False
    """Whether each strain is a formula in the scene."""

    @property
    def stretching(self) -> tuple[float, float] | None:
        """Amplitude and length, m, of the wave gamma_x = 1 - eps sin(2 pi s / lambda); None for other laws."""
        return None

    def key(self, name: str) -> str:
        """Return the scene key that defines a strain (of `COMPONENTS`) or the speed."""
        return f"strain.{name}" if self.typed else "strain.kind"


class Peristalsis(StrainFields):
    """Wave of stretching that travels to the tail, as of a burrowing worm (P5 (36)); its speed can grow linearly."""

    kind: Literal["peristalsis"] = value(
        "peristalsis", label="Strain law", help="Waves of stretching (worm)"
    )
    stretch: float = value(
        0.004,
        label="Stretch",
        symbol="ε",
        help="Amplitude of the relative stretch",
        ge=0,
        lt=1,
        slider=(0, 0.3),
        live=True,
    )
    wavelength_m: float = value(
        0.15,
        label="Wavelength",
        unit="m",
        symbol="λ",
        help="Wavelength along the unstrained body",
        gt=0,
        le=1000,
        slider=(0.05, 1),
        live=True,
    )
    speed_m_s: float = value(
        0.3,
        label="Wave speed",
        unit="m/s",
        symbol="c",
        help="Initial speed of the waves",
        ge=-100,
        le=100,
        slider=(-1, 1),
        live=True,
    )
    acceleration_m_s2: float = value(
        0.0,
        label="Wave acceleration",
        unit="m/s²",
        symbol="a",
        help="Acceleration of the waves",
        ge=-100,
        le=100,
        slider=(-0.1, 0.1),
        live=True,
    )

    def text(self) -> LawText:
        """Return the formulas of the law."""
        return LawText(
            {"gamma_x": "1 - eps*sin(2*pi*s/lam)"},
            "-(c + a*t)",
            {
                "eps": (self.stretch, ""),
                "lam": (self.wavelength_m, "m"),
                "c": (self.speed_m_s, "m/s"),
                "a": (self.acceleration_m_s2, "m/s^2"),
            },
        )

    @property
    def stretching(self) -> tuple[float, float] | None:
        """Amplitude and length of the only wave."""
        return self.stretch, self.wavelength_m


class Inching(StrainFields):
    """Arch that grows and flattens, as of a measuring caterpillar (P5 (46), (47))."""

    kind: Literal["inching"] = value(
        "inching", label="Strain law", help="An arch that grows and flattens (inchworm)"
    )
    angle_rad: float = value(
        1.8,
        label="Angle",
        unit="rad",
        symbol="α",
        help="Steepest slope of the arch",
        ge=-3.1,
        le=3.1,
        slider=(0, 2.4),
        live=True,
    )
    frequency_hz: float = value(
        0.25,
        label="Frequency",
        unit="Hz",
        symbol="ω/2π",
        help="Half the number of strides per second",
        gt=0,
        le=100,
        slider=(0.05, 2),
        live=True,
    )

    def text(self) -> LawText:
        """Return the formulas of the law."""
        return LawText(
            {"k_z_per_m": "alpha*sin(2*pi*f*t)^2*(2*pi/l)*cos(2*pi*(X - l)/l)"},
            "",
            {"alpha": (self.angle_rad, ""), "f": (self.frequency_hz, "1/s")},
        )


class Serpentine(StrainFields):
    """Curve along which the body moves, as of a snake in lateral undulation, with an optional turn (P5 (54))."""

    kind: Literal["serpentine"] = value(
        "serpentine", label="Strain law", help="Waves of bending (snake)"
    )
    curvature_per_m: float = value(
        10.0,
        label="Curvature",
        unit="1/m",
        symbol="a",
        help="Amplitude of the curvature",
        ge=-1000,
        le=1000,
        slider=(0, 20),
        live=True,
    )
    wavelength_m: float = value(
        0.8,
        label="Wavelength",
        unit="m",
        symbol="λ",
        help="Wavelength along the body",
        gt=0,
        le=1000,
        slider=(0.1, 3),
        live=True,
    )
    speed_m_s: float = value(
        0.5,
        label="Speed",
        unit="m/s",
        symbol="−V₀",
        help="Speed along the body, head first; negative: backwards",
        ge=-100,
        le=100,
        slider=(-1, 1),
        live=True,
    )
    turn_per_m: float = value(
        0.0,
        label="Turn",
        unit="1/m",
        symbol="b",
        help="Largest additional curvature of a turn",
        ge=-1000,
        le=1000,
        slider=(-5, 5),
        live=True,
    )
    lift_per_m: float = value(
        0.0,
        label="Turn out of the plane",
        unit="1/m",
        symbol="b_Y",
        help="Largest additional curvature out of the plane",
        ge=-1000,
        le=1000,
        slider=(-2, 2),
        live=True,
    )
    turn_start_s: float = value(
        4.0,
        label="Turn start",
        unit="s",
        symbol="t₀",
        help="Time at which the head starts the turn",
        ge=-1e4,
        le=1e4,
        slider=(0, 10),
        live=True,
    )
    turn_duration_s: float = value(
        2.0,
        label="Turn duration",
        unit="s",
        symbol="T₀",
        help="Duration of the head's turn",
        gt=0,
        le=1e4,
        slider=(0.5, 10),
        live=True,
    )

    def text(self) -> LawText:
        """Return the formulas of the law."""
        turn = "bump((s/V - t_o - T_o/2)/(T_o/2))"
        moving = self.speed_m_s != 0.0  # a body at rest never reaches a turn
        return LawText(
            {
                "k_z_per_m": f"a*cos(2*pi*s/lam) + b*{turn}" if moving else "a*cos(2*pi*s/lam)",
                "k_y_per_m": f"b_y*{turn}" if moving and self.lift_per_m else "0",
            },
            "V",
            {
                "a": (self.curvature_per_m, "1/m"),
                "lam": (self.wavelength_m, "m"),
                "V": (-self.speed_m_s, "m/s"),
                "b": (self.turn_per_m, "1/m"),
                "b_y": (self.lift_per_m, "1/m"),
                "t_o": (self.turn_start_s, "s"),
                "T_o": (self.turn_duration_s, "s"),
            },
        )


def _formula(default: str, label: str, unit: str, symbol: str, help: str) -> str:
    formula: str = value(
        default, label=label, unit=unit, symbol=symbol, help=help, max_length=500, live=True
    )
    return formula


class Formulas(StrainFields):
    """Strain law with typed formulas."""

    typed = True

    kind: Literal["formulas"] = value("formulas", label="Strain law", help="Formulas of X, t and s")
    gamma_x: str = _formula(
        "1", "Stretch", "", "Γ_X", "Stretch of the centre line as a formula of X, t, s; 1: none"
    )
    gamma_y: str = _formula(
        "0", "Shear along Y", "", "Γ_Y", "Shear along t_Y as a formula of X, t, s"
    )
    gamma_z: str = _formula(
        "0", "Shear along Z", "", "Γ_Z", "Shear along t_Z as a formula of X, t, s"
    )
    k_x_per_m: str = _formula(
        "0", "Twist", "1/m", "K_X", "Twist per unit length as a formula of X, t, s"
    )
    k_y_per_m: str = _formula(
        "0", "Curvature about Y", "1/m", "K_Y", "Bending about t_Y as a formula of X, t, s"
    )
    k_z_per_m: str = _formula(
        "0", "Curvature about Z", "1/m", "K_Z", "Bending about t_Z as a formula of X, t, s"
    )
    speed_m_s: str = _formula(
        "",
        "Axial speed",
        "m/s",
        "V₀",
        "Speed along the body as a formula of t, negative head first; defines s; empty: determined by the contacts",
    )

    def text(self) -> LawText:
        """Return the formulas of the law."""
        return LawText({name: getattr(self, name) for name in COMPONENTS}, self.speed_m_s, {})


Strain = Annotated[Serpentine | Peristalsis | Inching | Formulas, Field(discriminator="kind")]
"""Any kind of strain law."""
