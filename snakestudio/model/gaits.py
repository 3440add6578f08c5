"""Gait library: named motion patterns of snake robots, as values that any scene can use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from snakestudio.model.motion import LateralUndulation, TwoWaves
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import CompoundSerpenoid


@dataclass(frozen=True, slots=True)
class GaitPreset:
    """Gait of the library."""

    name: str
    """Unique identifier."""

    title: str
    """Name for users."""

    explanation: str
    """One-line description of the gait."""

    source: str
    """Source of the gait."""

    gait: LateralUndulation | CompoundSerpenoid
    """Waves of the gait (`TwoWaves` if it needs pitch)."""

    soft_start_deg: float = 0.0
    """Value of `control.soft_start_deg` for the gait."""

    def values(self) -> dict[str, Any]:
        """Scene values by dotted key, for `with_values`."""
        return {"gait": self.gait, "control.soft_start_deg": self.soft_start_deg}


def _waves(
    yaw: tuple[float, float, float],
    pitch: tuple[float, float, float],
    ahead: float,
    offset: float = 0.0,
) -> TwoWaves:
    """Gait from amplitude, frequency and phase shift of both waves, and the lead of the pitch wave; degrees."""
    return TwoWaves(
        amplitude_deg=yaw[0],
        frequency_deg_s=yaw[1],
        phase_shift_deg=yaw[2],
        offset_deg=offset,
        pitch_amplitude_deg=pitch[0],
        pitch_frequency_deg_s=pitch[1],
        pitch_phase_shift_deg=pitch[2],
        pitch_phase_deg=ahead,
    )


def _serpenoid(
    odd: tuple[float, float, float],
    even: tuple[float, float, float],
    delta: float = 0.0,
    **others: Any,
) -> CompoundSerpenoid:
    """Gait from amplitude, rad, spatial (rad/joint) and temporal frequency (rad/s) of both groups, and delta, rad."""
    return CompoundSerpenoid(
        odd_amplitude_rad=odd[0],
        odd_spatial_frequency_rad=odd[1],
        odd_temporal_frequency_rad_s=odd[2],
        even_amplitude_rad=even[0],
        even_spatial_frequency_rad=even[1],
        even_temporal_frequency_rad_s=even[2],
        delta_rad=delta,
        **others,
    )


_QUARTER = 1.5708
"""A quarter turn, rad, as users type it."""

_EIGHTH = 0.7854
_CMU = "Gaits of the CMU modular snakes"

GAITS: tuple[GaitPreset, ...] = (
    GaitPreset(
        "lateral_undulation",
        "Lateral undulation",
        "A horizontal wave runs along the body; the robot advances where the ground or obstacles hold it sideways.",
        "P1, VIII-B",
        LateralUndulation(amplitude_deg=30.0, frequency_deg_s=80.0, phase_shift_deg=-50.0),
    ),
    GaitPreset(
        "obstacle_aided",
        "Lateral undulation between obstacles",
        "The same wave with an amplitude of 40°: between posts it pushes the robot forward on any floor.",
        "P2, VIII",
        LateralUndulation(amplitude_deg=40.0, frequency_deg_s=80.0, phase_shift_deg=-50.0),
    ),
    GaitPreset(
        "turning",
        "Turning",
        "Lateral undulation with a joint offset: the robot follows an arc.",
        "P1 (70) with an offset psi_h",
        LateralUndulation(
            amplitude_deg=30.0, frequency_deg_s=80.0, phase_shift_deg=-50.0, offset_deg=5.0
        ),
    ),
    GaitPreset(
        "sidewinding",
        "Sidewinding",
        "A vertical wave a quarter period ahead lifts the moving parts: the robot steps sideways.",
        "P1, VIII-E",
        _waves((30.0, 80.0, -50.0), (10.0, 80.0, -50.0), 90.0),
        3.0,
    ),
    GaitPreset(
        "rolling",
        "Lateral rolling",
        "The body is an arc whose plane rotates about the body: the robot rolls sideways like a bent tube.",
        "Mori and Hirose 2002 (P1's reference [4])",
        _waves((15.0, 80.0, 0.0), (15.0, 80.0, 0.0), 90.0),
    ),
    GaitPreset(
        "sinus_lifting",
        "Sinus-lifting",
        "Lateral undulation with lifted bends: the robot advances even on a floor with isotropic friction.",
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
    # At the end, because teleoperation records gaits by their numbers.
    GaitPreset(
        "fast_lateral_undulation",
        "Lateral undulation, fastest",
        "Less than half a wave on the body: nearly twice as fast as in the paper if the floor grips sideways.",
        "study undulation_speed.toml",
        LateralUndulation(amplitude_deg=23.1, frequency_deg_s=80.0, phase_shift_deg=-14.8),
    ),
    GaitPreset(
        "cheap_lateral_undulation",
        "Lateral undulation, most efficient",
        "A longer and lower wave than in the paper: slightly faster, with the least work per distance.",
        "study undulation_cost.toml",
        LateralUndulation(amplitude_deg=21.9, frequency_deg_s=80.0, phase_shift_deg=-34.9),
    ),
    GaitPreset(
        "fast_sidewinding",
        "Sidewinding, fastest",
        "Wider bends and a longer wave: twice as fast as in the paper, without more torque overall.",
        "study sidewinding_speed.toml",
        _waves((44.0, 80.0, -39.1), (9.4, 80.0, -39.1), 148.0),
        3.0,
    ),
    GaitPreset(
        "cheap_sidewinding",
        "Sidewinding, most efficient",
        "Almost no slip: a fifth of the work per distance in the paper, and a third faster.",
        "study sidewinding_cost.toml",
        _waves((44.5, 80.0, -53.0), (6.8, 80.0, -53.0), 160.7),
        3.0,
    ),
    GaitPreset(
        "compound_sidewinding",
        "Sidewinding (compound)",
        "Both waves travel together, the vertical one an eighth period ahead: the robot steps sideways.",
        _CMU,
        _serpenoid((0.4, 0.5, 5.0), (0.4, 0.5, 5.0), _EIGHTH),
    ),
    GaitPreset(
        "compound_rolling",
        "Rolling arc",
        "The body is a circular arc that rotates about itself: the robot rolls sideways at omega_T times its radius.",
        f"{_CMU}; amplitude for 16 modules",
        _serpenoid((0.2, 0.0, 4.0), (0.2, 0.0, 4.0), _QUARTER),
    ),
    GaitPreset(
        "rolling_helix",
        "Rolling helix",
        "The body is a helix of two turns that rotates about itself: it rolls sideways like a tube of that width.",
        f"{_CMU}; amplitude and omega_S of this program, for 16 modules",
        _serpenoid((0.6, 0.8, 2.0), (0.6, 0.8, 2.0), _QUARTER),
    ),
    GaitPreset(
        "slithering",
        "Slithering",
        "A wide lateral wave runs to the tail; a vertical wave of half its length lifts the bends: the head leads.",
        f"{_CMU}; amplitudes and phase of this program, for 16 modules",
        _serpenoid((1.05, 0.45, -4.0), (0.15, 0.9, -8.0), -1.2),
    ),
    GaitPreset(
        "linear_progression",
        "Linear progression",
        "A vertical wave alone moves the robot straight along its own axis.",
        _CMU,
        _serpenoid((0.0, 0.0, 0.0), (0.5, 0.7, 4.0)),
    ),
    GaitPreset(
        "conical_sidewinding",
        "Conical sidewinding",
        "Sidewinding with an amplitude that grows towards the tail, so that the robot follows an arc.",
        "conical sidewinding, Gong et al., ICRA 2013",
        _serpenoid((0.4, 0.5, 5.0), (0.4, 0.5, 5.0), _EIGHTH, envelope="0.6 + 0.8*n/N"),
    ),
    GaitPreset(
        "turn_in_place",
        "Turn in place",
        "The vertical wave is shorter than the lateral one: the halves of the body sidewind in opposite directions.",
        "parameters of this program, for 16 modules",
        _serpenoid((0.4, 0.5, 5.0), (0.4, 0.7, 5.0), -1.6),
    ),
    GaitPreset(
        "pole_climb",
        "Pole climb",
        "A tight helix around a pole rotates about itself and climbs head first; a positive omega_T makes it descend.",
        f"{_CMU}; the amplitude sets the radius of the helix",
        _serpenoid((1.5, 0.25, -2.0), (1.5, 0.25, -2.0), _QUARTER),
    ),
    GaitPreset(
        "eel_like",
        "Eel-like",
        "A lateral wave that grows from the head to the tail, for swimming.",
        "Kelasidi et al. 2014, g(i, n) = (n - i)/(n + 1) with links counted from the tail",
        _serpenoid((0.7, 0.7, -1.22), (0.0, 0.0, 0.0), envelope="n/(N + 2)"),
    ),
    GaitPreset(
        "pedal_wave",
        "C-pedal wave",
        "The body is bent to a C and a vertical wave runs along it: it pedals head first along an arc.",
        "C-pedal gait of modular snakes; with lateral waves of omega_T = 0 an S-pedal gait",
        _serpenoid((0.0, 0.0, 0.0), (0.5, 0.7, 4.0), odd_beta_rad=0.15),
    ),
)
"""All gaits of the library."""


def unsuitable(preset: GaitPreset, scene: Scene) -> str:
    """Reason, as a sentence, why the scene's robot cannot perform a gait of the library; "" if it can."""
    waves = preset.gait.waves(scene.robot)
    kinds = {axis.kind for axis in scene.body.axes}
    if (waves.pitch.amplitude or waves.pitch.offset) and waves.vertical not in kinds:
        if not scene.body.in_space:
            return "The gait needs pitch axes. Choose a spatial model."
        return "The gait needs pitch axes, but the robot has none."
    if (waves.yaw.amplitude or waves.yaw.offset) and "yaw" not in kinds:
        return "The gait needs yaw axes, but the robot has none."
    limit = scene.robot.joint_limit
    reach = max(waves.reach)
    if reach > limit + 1e-9:
        return f"The gait bends the joints by {math.degrees(reach):.0f}°, but their limit is {math.degrees(limit):g}°."
    return ""
