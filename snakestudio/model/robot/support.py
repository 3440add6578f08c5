"""Contacts of a continuum robot: friction, anchorages and annular supports (P5, sections VI and VIII)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.fields import Frozen, value

ROUNDING = 1e-9
"""Tolerance for the times at which an anchor changes, s."""


class SupportFields(Frozen):
    """The scene's [support] table; each subclass adds a `kind` and its values."""

    kinematic: ClassVar[bool] = True
    """Whether the contacts alone determine the net motion; otherwise friction on the ground does."""

    guides: ClassVar[bool] = False
    """Whether the body can only move along itself, so that no cross-section slides sideways."""

    at_contractions: ClassVar[bool] = False
    """Whether the cross-sections of largest contraction are held."""

    @property
    def n_holds(self) -> int:
        """Number of anchorages or supports; 0 where the strain law determines it."""
        return len(self.explicit_anchors)

    @property
    def explicit_anchors(self) -> tuple[Anchor, ...]:
        """Anchorages that are listed explicitly."""
        return getattr(self, "anchors", ())

    @property
    def viscous(self) -> tuple[float, float]:
        """Viscous friction along and across the body, per unit length, N s/m^2."""
        return 0.0, 0.0

    @property
    def sweeps(self) -> bool:
        """Whether a moving anchor holds the position, not the material: P5 (30) instead of eta(C) = 0."""
        return True

    def problems(self, group: str, step: float) -> list[Problem]:
        """Return the errors and warnings for a body that moves in `group`, in time steps of `step`, s."""
        return []

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """Write the positions where a body of `length` is held into `hold`; arguments as in `Attachments.at`."""


class Friction(SupportFields):
    """No anchorage: the net motion of the body follows from friction along its length (P5, section V).

    Coulomb friction, mu_along and mu_across of the ground times the weight, is added to the viscous
    friction.
    """

    kinematic = False

    kind: Literal["friction"] = value(
        "friction", label="Contacts", help="Friction on the ground moves the body"
    )
    viscous_along_ns_per_m2: float = value(
        1.0,
        label="Viscous along",
        unit="N s/m²",
        symbol="c_t",
        help="Viscous friction along the body, per unit length",
        ge=0,
        le=1e6,
        slider=(0, 50),
        live=True,
    )
    viscous_across_ns_per_m2: float = value(
        10.0,
        label="Viscous across",
        unit="N s/m²",
        symbol="c_n",
        help="Viscous friction across the body, per unit length",
        ge=0,
        le=1e6,
        slider=(0, 200),
        live=True,
    )

    @property
    def viscous(self) -> tuple[float, float]:
        """Viscous friction along and across the body, per unit length, N s/m^2."""
        return self.viscous_along_ns_per_m2, self.viscous_across_ns_per_m2


class WaveAnchors(SupportFields):
    """Anchorage of the most contracted cross-sections (P5 (38) to (43))."""

    at_contractions = True

    kind: Literal["wave_anchors"] = value(
        "wave_anchors",
        label="Contacts",
        help="The most contracted cross-sections are anchored (worm)",
    )
    reading: Literal["sweeping", "material"] = value(
        "sweeping",
        label="Anchored section",
        help="Whether the anchored section slides with the wave, as printed in (42), or its material is at rest",
        live=True,
    )

    @property
    def sweeps(self) -> bool:
        """Whether the anchored section slides with the wave."""
        return self.reading == "sweeping"


class EndAnchors(SupportFields):
    """Alternating anchorage of head and tail, the head first (P5, VIII-B)."""

    kind: Literal["end_anchors"] = value(
        "end_anchors", label="Contacts", help="Head and tail are anchored alternately (inchworm)"
    )
    period_s: float = value(
        2.0,
        label="Period",
        unit="s",
        symbol="T",
        help="Duration of a stride: half of it anchors the head, half the tail",
        gt=0,
        le=1e4,
        slider=(0.2, 10),
        live=True,
    )

    @property
    def n_holds(self) -> int:
        """Two: head and tail."""
        return 2

    def problems(self, group: str, step: float) -> list[Problem]:
        """Return the changes of anchors within a time step."""
        steps = 0.5 * self.period_s / step
        if abs(steps - round(steps)) <= 1e-6 * steps:
            return []
        message = f"half of {self.period_s:g} s is not a whole number of time steps of {step:g} s"
        better = f"set it to {2 * max(1, round(steps)) * step:g}, for example"
        return [Problem("warning", "support.period_s", message, better)]

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """Hold the head in the first half of a period, the tail in the second."""
        tail = np.floor((t + ROUNDING) / (0.5 * self.period_s)) % 2 == 1
        hold[~tail, 0, 0] = 1.0
        hold[tail, 1] = [1.0, length, 0.0, 0.0]


class Anchor(Frozen):
    """One anchorage: locked if `at_m` does not depend on time, otherwise sweeping (P5 (27) to (30))."""

    at_m: str = value(
        "0",
        label="Abscissa",
        unit="m",
        symbol="C",
        help="Position on the body, a formula of t",
        max_length=500,
        live=True,
    )
    from_s: float = value(
        0.0,
        label="From",
        unit="s",
        help="Time from which the anchor holds",
        ge=0,
        le=1e6,
        slider=(0, 10),
    )
    until_s: float | None = value(
        None,
        label="Until",
        unit="s",
        help="Time at which the anchor releases; never if omitted",
        gt=0,
        le=1e6,
        slider=(0, 20),
    )
    velocity_m_s: tuple[str, str, str] = value(
        ("0", "0", "0"),
        label="Velocity",
        unit="m/s",
        help="Velocity of the object it is anchored to, in the frame of that cross-section, formulas of t",
    )
    angular_velocity_rad_s: tuple[str, str, str] = value(
        ("0", "0", "0"),
        label="Angular velocity",
        unit="rad/s",
        help="Angular velocity of the object it is anchored to, in the frame of that cross-section, formulas of t",
    )


class Anchors(SupportFields):
    """Explicitly listed anchorages, as of a manipulator."""

    kind: Literal["anchors"] = value(
        "anchors", label="Contacts", help="Anchored at the listed positions"
    )
    anchors: tuple[Anchor, ...] = value(
        (Anchor(),), label="Anchors", help="List of anchorages", min_length=1, max_length=100
    )


class Rings(SupportFields):
    """Annular supports: no cross-section slides sideways, and some carry the load (P5, VI-B, VIII-C, (58))."""

    guides = True

    kind: Literal["rings"] = value(
        "rings", label="Contacts", help="No section slides sideways; rings carry the load"
    )
    count: int = value(
        5,
        label="Rings",
        symbol="p",
        help="Number of evenly spaced supports that carry the load",
        ge=1,
        le=100,
        slider=(3, 20),
    )
    fixed: Literal["space", "body"] = value(
        "space",
        label="Fixed",
        help="Whether the body moves through supports fixed in space, or carries them along",
    )
    side: Literal["both", "left", "right", "alternating", "inner", "outer"] = value(
        "both",
        label="Sides",
        help="Side from which supports push on the body, seen towards the tail: rings on both; others are one-sided",
        live=True,
    )
    weights: tuple[float, ...] | None = value(
        None,
        label="Weights",
        help="Relative compliance with which each support takes load, one number per support; all equal if omitted",
    )

    @property
    def n_holds(self) -> int:
        """Every support."""
        return self.count

    def problems(self, group: str, step: float) -> list[Problem]:
        """Too few supports, supports that the group of motions does not allow, and invalid weights."""
        problems: list[Problem] = []

        def wrong(key: str, message: str, remedy: str) -> None:
            problems.append(Problem("error", key, message, remedy))

        if group == "R":
            wrong(
                "support.kind",
                "annular supports have no effect on a body that stays on a line",
                "choose other contacts, or beam.group = 'SE2'",
            )
        elif self.count < 3:
            cannot = (
                "forces along, across and a torque"
                if group == "SE2"
                else "a torque about the line between them"
            )
            wrong(
                "support.count", f"p={self.count} supports cannot carry {cannot}", "give at least 3"
            )
        if self.side != "both" and group == "SE3":
            wrong(
                "support.side",
                f"'{self.side}' supports are one-sided, which requires motions in a plane",
                "set it to 'both', or beam.group = 'SE2'",
            )
        if self.weights is not None:
            if len(self.weights) != self.count:
                wrong(
                    "support.weights",
                    f"{len(self.weights)} weights for {self.count} supports",
                    "give one for each support, or remove them",
                )
            if any(weight <= 0.0 for weight in self.weights):
                wrong(
                    "support.weights",
                    f"{min(self.weights):g} is not a positive weight",
                    "set all weights to positive numbers",
                )
        return problems

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """Place the supports evenly: in the middles of equal pieces of the body."""
        count = hold.shape[1]  # count of the run; a changed count applies at the next reset
        rest = (np.arange(count) + 0.5) * length / max(count, 1)
        hold[:, :, 0] = 1.0
        hold[:, :, 1] = rest
        if self.fixed == "space":
            hold[:, :, 1] = np.mod(rest - travel[:, None], length)
            hold[:, :, 2:] = -speed[:, None, :]


Support = Annotated[
    Rings | WaveAnchors | EndAnchors | Anchors | Friction, Field(discriminator="kind")
]
"""Any kind of contacts of a continuum robot."""
