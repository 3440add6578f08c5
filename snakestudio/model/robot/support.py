"""What holds a continuum robot: friction, anchorages and annular supports (P5, sections VI and VIII)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from snakestudio.model.fields import Frozen, value

__all__ = ["Anchor", "Anchors", "EndAnchors", "Friction", "Rings", "Support", "WaveAnchors"]


class Friction(Frozen):
    """Nothing holds the body: its net motion follows from friction along its length (P5, section V).

    Coulomb friction, mu_along and mu_across of the ground times the weight, comes on top of the viscous one.
    """

    kinematic: ClassVar[bool] = False
    """Whether the contacts alone determine the net motion."""

    kind: Literal["friction"] = value("friction", label="Contacts", help="Friction on the ground moves the body")
    viscous_along_ns_per_m2: float = value(
        1.0, label="Viscous along", unit="N s/m²", symbol="c_t", help="Viscous friction along the body, by length",
        ge=0, le=1e6, slider=(0, 50), live=True,
    )  # fmt: skip
    viscous_across_ns_per_m2: float = value(
        10.0, label="Viscous across", unit="N s/m²", symbol="c_n", help="Viscous friction across the body, by length",
        ge=0, le=1e6, slider=(0, 200), live=True,
    )  # fmt: skip


class WaveAnchors(Frozen):
    """The cross-sections of largest contraction hold on to what is around them (P5 (38) to (43))."""

    kinematic: ClassVar[bool] = True

    kind: Literal["wave_anchors"] = value(
        "wave_anchors", label="Contacts", help="Where the body is shortest, it is anchored (worm)"
    )
    reading: Literal["sweeping", "material"] = value(
        "sweeping", label="Anchored section",
        help="The anchored section slides with the wave as (42) is printed, or its material stands still", live=True,
    )  # fmt: skip


class EndAnchors(Frozen):
    """Head and tail are anchored in turn, the head first (P5, VIII-B)."""

    kinematic: ClassVar[bool] = True

    kind: Literal["end_anchors"] = value(
        "end_anchors", label="Contacts", help="Head and tail are anchored in turn (inchworm)"
    )
    period_s: float = value(
        2.0, label="Period", unit="s", symbol="T", help="Time of a stride: half of it for the head, half for the tail",
        gt=0, le=1e4, slider=(0.2, 10), live=True,
    )  # fmt: skip


class Anchor(Frozen):
    """One anchorage: locked where `at` does not depend on the time, else sweeping (P5 (27) to (30))."""

    at_m: str = value(
        "0", label="Abscissa", unit="m", symbol="C", help="Where on the body, a formula of t", max_length=500, live=True
    )
    from_s: float = value(0.0, label="From", unit="s", help="When it begins to hold", ge=0, le=1e6, slider=(0, 10))
    until_s: float | None = value(
        None, label="Until", unit="s", help="When it lets go; never if left out", gt=0, le=1e6, slider=(0, 20)
    )
    velocity_m_s: tuple[str, str, str] = value(
        ("0", "0", "0"), label="Velocity", unit="m/s",
        help="Velocity of what it is anchored to, in the frame of that cross-section, formulas of t",
    )  # fmt: skip
    angular_velocity_rad_s: tuple[str, str, str] = value(
        ("0", "0", "0"), label="Angular velocity", unit="rad/s",
        help="Angular velocity of what it is anchored to, in the frame of that cross-section, formulas of t",
    )  # fmt: skip


class Anchors(Frozen):
    """Given anchorages, as of a manipulator."""

    kinematic: ClassVar[bool] = True

    kind: Literal["anchors"] = value("anchors", label="Contacts", help="Anchored where you say")
    anchors: tuple[Anchor, ...] = value((Anchor(),), label="Anchors", help="Anchorages", min_length=1, max_length=100)


class Rings(Frozen):
    """Annular supports: no cross-section slides sideways, and some of them carry the load (P5, VI-B, VIII-C, (58))."""

    kinematic: ClassVar[bool] = True

    kind: Literal["rings"] = value("rings", label="Contacts", help="No section slides sideways; rings take the load")
    count: int = value(
        5, label="Rings", symbol="p", help="Supports that carry the load, evenly spaced", ge=1, le=100, slider=(3, 20)
    )
    fixed: Literal["space", "body"] = value(
        "space", label="Fixed", help="The body moves through supports fixed in space, or carries them along"
    )
    side: Literal["both", "left", "right", "alternating", "inner", "outer"] = value(
        "both", label="Sides",
        help="Sides from which they push on the body, seen towards the tail: rings hold both; others are one-sided",
        live=True,
    )  # fmt: skip
    weights: tuple[float, ...] | None = value(
        None, label="Weights", help="How readily each support takes load, one number each; all alike if left out"
    )


Support = Annotated[Rings | WaveAnchors | EndAnchors | Anchors | Friction, Field(discriminator="kind")]
"""Anything that holds a continuum robot."""
