"""Gait library: named motion patterns of snake robots, as values that any scene can use."""

from __future__ import annotations

import math
from typing import Any

from snakestudio.errors import SceneError
from snakestudio.model.gait_preset import GaitPreset, serpenoid
from snakestudio.model.scene import Scene
from snakestudio.model.segment_gaits import SEGMENT_GAITS
from snakestudio.model.snakelib_gaits import SNAKELIB_GAITS


def _waves(
    yaw: tuple[float, float, float],
    pitch: tuple[float, float, float],
    ahead: float,
    offset: float = 0.0,
) -> dict[str, Any]:
    """Gait from amplitude, frequency and phase shift of both waves, and the lead of the pitch wave; degrees."""
    return {
        "kind": "two_waves",
        "amplitude_deg": yaw[0],
        "frequency_deg_s": yaw[1],
        "phase_shift_deg": yaw[2],
        "offset_deg": offset,
        "pitch_amplitude_deg": pitch[0],
        "pitch_frequency_deg_s": pitch[1],
        "pitch_phase_shift_deg": pitch[2],
        "pitch_phase_deg": ahead,
    }


def _lateral(amplitude: float, phase_shift: float, offset: float = 0.0) -> dict[str, Any]:
    """Return the gait from the values of its only wave, degrees."""
    return {
        "kind": "lateral_undulation",
        "amplitude_deg": amplitude,
        "frequency_deg_s": 80.0,
        "phase_shift_deg": phase_shift,
        "offset_deg": offset,
    }


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
        _lateral(30.0, -50.0),
    ),
    GaitPreset(
        "obstacle_aided",
        "Lateral undulation between obstacles",
        "The same wave with an amplitude of 40°: between posts it pushes the robot forward on any floor.",
        "P2, VIII",
        _lateral(40.0, -50.0),
    ),
    GaitPreset(
        "turning",
        "Turning",
        "Lateral undulation with a joint offset: the robot follows an arc.",
        "P1 (70) with an offset psi_h",
        _lateral(30.0, -50.0, offset=5.0),
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
        _lateral(23.1, -14.8),
    ),
    GaitPreset(
        "cheap_lateral_undulation",
        "Lateral undulation, most efficient",
        "A longer and lower wave than in the paper: slightly faster, with the least work per distance.",
        "study undulation_cost.toml",
        _lateral(21.9, -34.9),
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
        serpenoid((0.4, 0.5, 5.0), (0.4, 0.5, 5.0), _EIGHTH),
    ),
    GaitPreset(
        "compound_rolling",
        "Rolling arc",
        "The body is a circular arc that rotates about itself: the robot rolls sideways at omega_T times its radius.",
        f"{_CMU}; amplitude for 16 modules",
        serpenoid((0.2, 0.0, 4.0), (0.2, 0.0, 4.0), _QUARTER),
    ),
    GaitPreset(
        "rolling_helix",
        "Rolling helix",
        "The body is a helix of two turns that rotates about itself: it rolls sideways like a tube of that width.",
        f"{_CMU}; amplitude and omega_S of this program, for 16 modules",
        serpenoid((0.6, 0.8, 2.0), (0.6, 0.8, 2.0), _QUARTER),
    ),
    GaitPreset(
        "slithering",
        "Slithering",
        "A wide lateral wave runs to the tail; a vertical wave of half its length lifts the bends: the head leads.",
        f"{_CMU}; amplitudes and phase of this program, for 16 modules",
        serpenoid((1.05, 0.45, -4.0), (0.15, 0.9, -8.0), -1.2),
    ),
    GaitPreset(
        "linear_progression",
        "Linear progression",
        "A vertical wave alone moves the robot straight along its own axis.",
        _CMU,
        serpenoid((0.0, 0.0, 0.0), (0.5, 0.7, 4.0)),
    ),
    GaitPreset(
        "conical_sidewinding",
        "Conical sidewinding",
        "Sidewinding with an amplitude that grows towards the tail, so that the robot follows an arc.",
        "conical sidewinding, Gong et al., ICRA 2013",
        serpenoid((0.4, 0.5, 5.0), (0.4, 0.5, 5.0), _EIGHTH, envelope="0.6 + 0.8*n/N"),
    ),
    GaitPreset(
        "turn_in_place",
        "Turn in place",
        "The vertical wave is shorter than the lateral one: the halves of the body sidewind in opposite directions.",
        "parameters of this program, for 16 modules",
        serpenoid((0.4, 0.5, 5.0), (0.4, 0.7, 5.0), -1.6),
    ),
    GaitPreset(
        "pole_climb",
        "Pole climb",
        "A tight helix around a pole rotates about itself and climbs head first; a positive omega_T makes it descend.",
        f"{_CMU}; the amplitude sets the radius of the helix",
        serpenoid((1.5, 0.25, -2.0), (1.5, 0.25, -2.0), _QUARTER),
    ),
    GaitPreset(
        "eel_like",
        "Eel-like",
        "A lateral wave that grows from the head to the tail, for swimming.",
        "Kelasidi et al. 2014, g(i, n) = (n - i)/(n + 1) with links counted from the tail",
        serpenoid((0.7, 0.7, -1.22), (0.0, 0.0, 0.0), envelope="n/(N + 2)"),
    ),
    GaitPreset(
        "pedal_wave",
        "C-pedal wave",
        "The body is bent to a C and a vertical wave runs along it: it pedals head first along an arc.",
        "C-pedal gait of modular snakes; with lateral waves of omega_T = 0 an S-pedal gait",
        serpenoid((0.0, 0.0, 0.0), (0.5, 0.7, 4.0), odd_beta_rad=0.15),
    ),
    *SNAKELIB_GAITS,
    *SEGMENT_GAITS,
)
"""All gaits of the library."""


def gait_named(name: str) -> GaitPreset | None:
    """Return the gait of the library with a name; None if there is none."""
    return next((preset for preset in GAITS if preset.name == name), None)


def found_by(preset: GaitPreset, query: str) -> bool:
    """Return whether name, title, source, robot or explanation of a gait contain all words of a query."""
    text = f"{preset.name} {preset.title} {preset.source} {preset.robot} {preset.explanation}"
    return all(term in text.casefold() for term in query.casefold().split())


def unsuitable(preset: GaitPreset, scene: Scene) -> str:
    """Return the reason, as a sentence, why the scene's robot cannot perform a gait of the library; "" if it can."""
    gait, robot = preset.gait, scene.robot
    kinds = {axis.kind for axis in scene.body.axes}
    missing = sorted(gait.moved_kinds(robot) - kinds)
    if missing and "yaw" not in missing and not scene.body.in_space:
        return "The gait needs pitch axes. Choose a spatial model."
    if missing:
        return f"The gait needs {missing[0]} axes, but the robot has none."
    if robot.n_joints < preset.fewest_joints:
        return f"The gait needs {preset.fewest_joints} joints, but the robot has {robot.n_joints}."
    try:
        reach = gait.reach(robot)
    except SceneError as error:
        return str(error)
    limit = robot.joint_limit
    if reach > limit + 1e-9:
        return f"The gait bends the joints by {math.degrees(reach):.0f}°, but their limit is {math.degrees(limit):g}°."
    return ""
