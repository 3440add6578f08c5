"""What holds a continuum robot: friction, anchorages and annular supports (P5, sections VI and VIII)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.fields import Frozen, value

ROUNDING = 1e-9
"""A time that is a border but for so much is one, s."""


class SupportFields(Frozen):
    """The scene's [support] table; a subclass has a `kind` and the values of that kind."""

    kinematic: ClassVar[bool] = True
    """Whether the contacts alone determine the net motion; else friction on the ground does."""

    guides: ClassVar[bool] = False
    """Whether the body can only move along itself: no cross-section slides sideways."""

    at_contractions: ClassVar[bool] = False
    """Whether the cross-sections of largest contraction are held."""

    @property
    def n_holds(self) -> int:
        """Places at which the body is held; 0 where the strain law determines how many."""
        return len(self.given)

    @property
    def given(self) -> tuple[Anchor, ...]:
        """Anchorages that are given one by one."""
        return getattr(self, "anchors", ())

    @property
    def viscous(self) -> tuple[float, float]:
        """Viscous friction along and across the body, by length, N s/m^2."""
        return 0.0, 0.0

    @property
    def sweeps(self) -> bool:
        """Whether a moving anchor holds the place, not the material: P5 (30), not eta(C) = 0."""
        return True

    def problems(self, group: str, step: float) -> list[Problem]:
        """What is wrong or doubtful with it for a body that moves in `group`, in time steps of `step`, s."""
        return []

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """Write into `hold` where a body of `length` is held as far as no formula says; all as in `Attachments.at`."""


class Friction(SupportFields):
    """Nothing holds the body: its net motion follows from friction along its length (P5, section V).

    Coulomb friction, mu_along and mu_across of the ground times the weight, comes on top of the
    viscous one.
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
        help="Viscous friction along the body, by length",
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
        help="Viscous friction across the body, by length",
        ge=0,
        le=1e6,
        slider=(0, 200),
        live=True,
    )

    @property
    def viscous(self) -> tuple[float, float]:
        """Viscous friction along and across the body, by length, N s/m^2."""
        return self.viscous_along_ns_per_m2, self.viscous_across_ns_per_m2


class WaveAnchors(SupportFields):
    """The cross-sections of largest contraction hold on to what is around them (P5 (38) to (43))."""

    at_contractions = True

    kind: Literal["wave_anchors"] = value(
        "wave_anchors", label="Contacts", help="Where the body is shortest, it is anchored (worm)"
    )
    reading: Literal["sweeping", "material"] = value(
        "sweeping",
        label="Anchored section",
        help="The anchored section slides with the wave as (42) is printed, or its material stands still",
        live=True,
    )

    @property
    def sweeps(self) -> bool:
        """Whether the anchored section slides with the wave."""
        return self.reading == "sweeping"


class EndAnchors(SupportFields):
    """Head and tail are anchored in turn, the head first (P5, VIII-B)."""

    kind: Literal["end_anchors"] = value(
        "end_anchors", label="Contacts", help="Head and tail are anchored in turn (inchworm)"
    )
    period_s: float = value(
        2.0,
        label="Period",
        unit="s",
        symbol="T",
        help="Time of a stride: half of it for the head, half for the tail",
        gt=0,
        le=1e4,
        slider=(0.2, 10),
        live=True,
    )

    @property
    def n_holds(self) -> int:
        """Head and tail."""
        return 2

    def problems(self, group: str, step: float) -> list[Problem]:
        """A change of anchors within a step."""
        steps = 0.5 * self.period_s / step
        if abs(steps - round(steps)) <= 1e-6 * steps:
            return []
        message = f"half of {self.period_s:g} s is not a whole number of time steps of {step:g} s"
        better = f"make it {2 * max(1, round(steps)) * step:g}, for example"
        return [Problem("warning", "support.period_s", message, better)]

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """The head in the first half of a period, the tail in the second."""
        tail = np.floor((t + ROUNDING) / (0.5 * self.period_s)) % 2 == 1
        hold[~tail, 0, 0] = 1.0
        hold[tail, 1] = [1.0, length, 0.0, 0.0]


class Anchor(Frozen):
    """One anchorage: locked where `at` does not depend on the time, else sweeping (P5 (27) to (30))."""

    at_m: str = value(
        "0",
        label="Abscissa",
        unit="m",
        symbol="C",
        help="Where on the body, a formula of t",
        max_length=500,
        live=True,
    )
    from_s: float = value(
        0.0, label="From", unit="s", help="When it begins to hold", ge=0, le=1e6, slider=(0, 10)
    )
    until_s: float | None = value(
        None,
        label="Until",
        unit="s",
        help="When it lets go; never if left out",
        gt=0,
        le=1e6,
        slider=(0, 20),
    )
    velocity_m_s: tuple[str, str, str] = value(
        ("0", "0", "0"),
        label="Velocity",
        unit="m/s",
        help="Velocity of what it is anchored to, in the frame of that cross-section, formulas of t",
    )
    angular_velocity_rad_s: tuple[str, str, str] = value(
        ("0", "0", "0"),
        label="Angular velocity",
        unit="rad/s",
        help="Angular velocity of what it is anchored to, in the frame of that cross-section, formulas of t",
    )


class Anchors(SupportFields):
    """Given anchorages, as of a manipulator."""

    kind: Literal["anchors"] = value("anchors", label="Contacts", help="Anchored where you say")
    anchors: tuple[Anchor, ...] = value(
        (Anchor(),), label="Anchors", help="Anchorages", min_length=1, max_length=100
    )


class Rings(SupportFields):
    """Annular supports: no cross-section slides sideways, and some of them carry the load (P5, VI-B, VIII-C, (58))."""

    guides = True

    kind: Literal["rings"] = value(
        "rings", label="Contacts", help="No section slides sideways; rings take the load"
    )
    count: int = value(
        5,
        label="Rings",
        symbol="p",
        help="Supports that carry the load, evenly spaced",
        ge=1,
        le=100,
        slider=(3, 20),
    )
    fixed: Literal["space", "body"] = value(
        "space",
        label="Fixed",
        help="The body moves through supports fixed in space, or carries them along",
    )
    side: Literal["both", "left", "right", "alternating", "inner", "outer"] = value(
        "both",
        label="Sides",
        help="Sides from which they push on the body, seen towards the tail: rings hold both; others are one-sided",
        live=True,
    )
    weights: tuple[float, ...] | None = value(
        None,
        label="Weights",
        help="How readily each support takes load, one number each; all alike if left out",
    )

    @property
    def n_holds(self) -> int:
        """Every support."""
        return self.count

    def problems(self, group: str, step: float) -> list[Problem]:
        """Too few supports, or such that a group does not know, and weights that are none."""
        problems: list[Problem] = []

        def wrong(key: str, message: str, remedy: str) -> None:
            problems.append(Problem("error", key, message, remedy))

        if group == "R":
            wrong(
                "support.kind",
                "annular supports hold nothing sideways on a body that stays on a line",
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
                f"'{self.side}' supports are one-sided, which is for motions in a plane",
                "make it 'both', or beam.group = 'SE2'",
            )
        if self.weights is not None:
            if len(self.weights) != self.count:
                wrong(
                    "support.weights",
                    f"{len(self.weights)} weights for {self.count} supports",
                    "give one for each, or leave them out",
                )
            if any(weight <= 0.0 for weight in self.weights):
                wrong(
                    "support.weights",
                    f"{min(self.weights):g} is no weight",
                    "give positive numbers",
                )
        return problems

    def place(
        self, t: FloatArray, travel: FloatArray, speed: FloatArray, length: float, hold: FloatArray
    ) -> None:
        """Evenly along the body: the middles of as many equal pieces."""
        count = hold.shape[1]  # of the run: another number applies at the next reset
        rest = (np.arange(count) + 0.5) * length / max(count, 1)
        hold[:, :, 0] = 1.0
        hold[:, :, 1] = rest
        if self.fixed == "space":
            hold[:, :, 1] = np.mod(rest - travel[:, None], length)
            hold[:, :, 2:] = -speed[:, None, :]


Support = Annotated[
    Rings | WaveAnchors | EndAnchors | Anchors | Friction, Field(discriminator="kind")
]
"""Anything that holds a continuum robot."""
