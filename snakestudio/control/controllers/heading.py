"""Heading control: the robot turns to a heading and holds it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from snakestudio.control.steering import CHANNELS, PLOT, Steering, SteeringFields, check
from snakestudio.kinds.controller import ControllerKind, Said
from snakestudio.model.fields import value
from snakestudio.model.snapshot import Snapshot


class HeadingFields(SteeringFields):
    """The robot turns to a heading and holds it."""

    kind: Literal["heading"] = value(
        "heading", label="Controller", help="An offset of the gait holds a heading"
    )
    heading_deg: float = value(
        0.0,
        label="Heading",
        unit="°",
        symbol="θ_ref",
        help="Reference heading of the robot, from the x axis",
        ge=-3600,
        le=3600,
        slider=(-180, 180),
        live=True,
    )

    @property
    def heading(self) -> float:
        """Reference heading, rad."""
        return math.radians(self.heading_deg)


class HeadingController(Steering):
    """Steers to the heading of the scene."""

    def _target(self, snapshot: Snapshot, period: float) -> tuple[float, float]:
        assert isinstance(self._law, HeadingFields)
        return self._law.heading, 0.0


def _says(control: Mapping[str, float]) -> list[Said]:
    heading, reference = (
        math.degrees(control[name]) for name in ("heading_rad", "heading_ref_rad")
    )
    return [Said("accent", f"heading {heading:.0f}°, reference {reference:.0f}°")]


KIND = ControllerKind(
    fields=HeadingFields,
    make=HeadingController,
    title="Heading",
    help="A small offset of all joints turns the robot to a heading and holds it.",
    place=1,
    check=check,
    channels=CHANNELS,
    plots=(PLOT,),
    shown=("heading", "joint", "speed", "position"),
    says=_says,
    formerly={"model.controllers:HeadingControl": HeadingFields},
)
