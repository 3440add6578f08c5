"""The gait library: motion patterns of snake robots by name, as values that any scene can take over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from snakestudio.model.motion import LateralUndulation, TwoWaves

__all__ = ["GAITS", "GaitPreset"]


@dataclass(frozen=True, slots=True)
class GaitPreset:
    """A gait of the library.

    Attributes
    ----------
    name : str
        Unique, for programs.
    title : str
        For people.
    explanation : str
        What it does, in one line.
    source : str
        Where it comes from.
    gait : LateralUndulation
        Its waves (`TwoWaves` where it needs pitch).
    soft_start_deg : float
        What `control.soft_start_deg` should be.
    """

    name: str
    title: str
    explanation: str
    source: str
    gait: LateralUndulation
    soft_start_deg: float = 0.0

    def values(self) -> dict[str, Any]:
        """Scene values by dotted key, for `with_values`."""
        return {"gait": self.gait, "control.soft_start_deg": self.soft_start_deg}


def _waves(
    yaw: tuple[float, float, float], pitch: tuple[float, float, float], ahead: float, offset: float = 0.0
) -> TwoWaves:
    """Amplitude, frequency and phase shift of both waves, and by how much the pitch is ahead; degrees."""
    return TwoWaves(
        amplitude_deg=yaw[0], frequency_deg_s=yaw[1], phase_shift_deg=yaw[2], offset_deg=offset,
        pitch_amplitude_deg=pitch[0], pitch_frequency_deg_s=pitch[1], pitch_phase_shift_deg=pitch[2],
        pitch_phase_deg=ahead,
    )  # fmt: skip


GAITS: tuple[GaitPreset, ...] = (
    GaitPreset(
        "lateral_undulation",
        "Lateral undulation",
        "A horizontal wave runs along the body; it travels where the ground or obstacles hold it sideways.",
        "P1, VIII-B",
        LateralUndulation(amplitude_deg=30.0, frequency_deg_s=80.0, phase_shift_deg=-50.0),
    ),
    GaitPreset(
        "obstacle_aided",
        "Lateral undulation between obstacles",
        "The same wave, 40 degrees high: between posts it pushes the robot ahead on any floor.",
        "P2, VIII",
        LateralUndulation(amplitude_deg=40.0, frequency_deg_s=80.0, phase_shift_deg=-50.0),
    ),
    GaitPreset(
        "turning",
        "Turning",
        "Lateral undulation about bent joints: the robot goes along an arc.",
        "P1 (70) with an offset psi_h",
        LateralUndulation(amplitude_deg=30.0, frequency_deg_s=80.0, phase_shift_deg=-50.0, offset_deg=5.0),
    ),
    GaitPreset(
        "sidewinding",
        "Sidewinding",
        "A vertical wave a quarter of a period ahead lifts what moves: the robot steps sideways.",
        "P1, VIII-E",
        _waves((30.0, 80.0, -50.0), (10.0, 80.0, -50.0), 90.0),
        3.0,
    ),
    GaitPreset(
        "rolling",
        "Lateral rolling",
        "The whole body is one arc whose plane turns about the body: it rolls sideways like a bent tube.",
        "Mori and Hirose 2002 (P1's reference [4])",
        _waves((15.0, 80.0, 0.0), (15.0, 80.0, 0.0), 90.0),
    ),
    GaitPreset(
        "sinus_lifting",
        "Sinus-lifting",
        "Lateral undulation that lifts its bends: it gets ahead even on a floor that grips alike in all directions.",
        "Mori and Hirose 2002 (P1's reference [4])",
        _waves((40.0, 80.0, -50.0), (4.0, 160.0, -100.0), -90.0),
    ),
    GaitPreset(
        "inchworm",
        "Vertical wave",
        "A vertical wave runs from the tail to the head and carries the body along its own axis.",
        "P1 (71) with A_h = 0",
        _waves((0.0, 0.0, 0.0), (25.0, 80.0, 72.0), 0.0),
    ),
    # At the end, so that the numbers under which teleoperation records gaits stay what they were.
    GaitPreset(
        "fast_lateral_undulation",
        "Lateral undulation, fastest",
        "Less than half a wave on the body: nearly twice as fast as the paper's where the floor grips sideways.",
        "found by the study undulation_speed.toml",
        LateralUndulation(amplitude_deg=23.1, frequency_deg_s=80.0, phase_shift_deg=-14.8),
    ),
    GaitPreset(
        "cheap_lateral_undulation",
        "Lateral undulation, cheapest",
        "A longer and lower wave than the paper's: somewhat faster, and with the least work for the way.",
        "found by the study undulation_cost.toml",
        LateralUndulation(amplitude_deg=21.9, frequency_deg_s=80.0, phase_shift_deg=-34.9),
    ),
    GaitPreset(
        "fast_sidewinding",
        "Sidewinding, fastest",
        "Wider bends and a longer wave: twice as fast as the paper's, with no more torque on the whole.",
        "found by the study sidewinding_speed.toml",
        _waves((44.0, 80.0, -39.1), (9.4, 80.0, -39.1), 148.0),
        3.0,
    ),
    GaitPreset(
        "cheap_sidewinding",
        "Sidewinding, cheapest",
        "Nearly without slipping: a fifth of the paper's work for the way, and a third faster.",
        "found by the study sidewinding_cost.toml",
        _waves((44.5, 80.0, -53.0), (6.8, 80.0, -53.0), 160.7),
        3.0,
    ),
)
"""All gaits of the library."""
