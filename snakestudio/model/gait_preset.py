"""A gait of the library: a name, the values of the gait, their source, and the robot that they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from snakestudio.model.motion import GaitFields
from snakestudio.model.registry import GAIT_KINDS


@dataclass(frozen=True)
class GaitPreset:
    """Gait of the library."""

    name: str
    """Unique identifier, for `--set gait=NAME`, studies and Python."""

    title: str
    """Name for users."""

    explanation: str
    """One-line description of the gait."""

    source: str
    """Source of the gait."""

    table: Mapping[str, Any]
    """Values of the gait, as in a scene file."""

    soft_start_deg: float = 0.0
    """Value of `control.soft_start_deg` for the gait."""

    robot: str = ""
    """Robot of the source, in a few words."""

    fewest_joints: int = 0
    """Number of joints that the gait needs."""

    @cached_property
    def gait(self) -> GaitFields:
        """Gait with these values."""
        fields: GaitFields = GAIT_KINDS[self.table["kind"]].fields(**self.table)
        return fields

    def values(self) -> dict[str, Any]:
        """Return the scene values by dotted key, for `with_values`."""
        return {"gait": self.gait, "control.soft_start_deg": self.soft_start_deg}


def serpenoid(
    odd: tuple[float, float, float],
    even: tuple[float, float, float],
    delta: float = 0.0,
    **others: Any,
) -> dict[str, Any]:
    """Gait from amplitude, rad, spatial (rad/joint) and temporal frequency (rad/s) of both groups, and delta, rad."""
    return {
        "kind": "compound_serpenoid",
        "odd_amplitude_rad": odd[0],
        "odd_spatial_frequency_rad": odd[1],
        "odd_temporal_frequency_rad_s": odd[2],
        "even_amplitude_rad": even[0],
        "even_spatial_frequency_rad": even[1],
        "even_temporal_frequency_rad_s": even[2],
        "delta_rad": delta,
        **others,
    }


def formulas(angle: str, pitch_angle: str) -> dict[str, Any]:
    """Return the gait from formulas of the yaw and pitch angles, degrees."""
    return {"kind": "joint_angle", "angle_deg": angle, "pitch_angle_deg": pitch_angle}
