"""Gaits of the software of the CMU modular snakes, with the parameters of each robot.

The sign pattern (-1)^floor(n/2) of the sources belongs to the orientation of their modules: it is
`reversed` of the robot's joints. Numbers are those of the files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from snakestudio.model.gait_preset import GaitPreset, formulas, serpenoid

_QUARTER = 1.57079632679
_EIGHTH = 0.78539816339
_TWELFTH = 0.52359877559
"""Parts of a turn, rad, as in the files."""

_FIRST = "kmkar31/snakelib, param/gait_param.yaml"
_SECOND = "joel-kallarackal/snakelib_ros2, snakelib_control/param/snake_params.yaml"


def _first() -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Yield names, titles, gaits and explanations of the first library (joints n = 1 ... 14, lateral: odd)."""
    yield (
        "linear_progression",
        "Linear progression",
        serpenoid((0.0, _EIGHTH, 0.25), (0.8, _EIGHTH, 1.0), odd_beta_rad=0.4),
        "A vertical wave on a body that is bent to an arc.",
    )
    yield (
        "lateral_undulation",
        "Lateral undulation",
        serpenoid((0.6, _EIGHTH, -1.0), (0.0, _EIGHTH, 2.0)),
        "A horizontal wave runs to the tail.",
    )
    yield (
        "sidewinding",
        "Sidewinding",
        serpenoid((0.6, 0.5, 5.0), (0.6, 0.5, 5.0), _EIGHTH),
        "Both waves travel together, the vertical one an eighth period ahead.",
    )
    yield (
        "rolling",
        "Rolling arc",
        serpenoid((0.3, 0.0, -2.0), (0.3, 0.0, -2.0), _QUARTER),
        "The body is an arc that rotates about itself.",
    )
    yield (
        "rolling_helix",
        "Rolling helix",
        serpenoid((1.3, 0.1, -1.0), (1.3, 0.1, -1.0), _QUARTER),
        "The body is a tight helix that rotates about itself.",
    )
    yield (
        "differential_turning",
        "Differential turning",
        formulas(
            angle="180/pi*0.08*i*sin(0.5236*i - 2*t)",
            pitch_angle=f"180/pi*0.3*sin(0.5236*i - 2*t - {_QUARTER})",
        ),
        "The lateral amplitude grows from joint to joint, so that the robot turns.",
    )
    yield (
        "reversal_turning",
        "Reversal turning",
        serpenoid((1.0, 0.5236, -1.0), (0.3, 0.31416, -1.0), 4.7123),
        "The vertical wave is longer than the lateral one: front and rear move in opposite directions.",
    )
    yield (
        "slithering",
        "Slithering",
        serpenoid((0.4, _TWELFTH, 4.5), (0.8, _EIGHTH, 9.0)),
        "A vertical wave of twice the frequency lifts the bends of a lateral wave.",
    )


class _Robot(NamedTuple):
    """Parameters of a robot of the second library; amplitudes, rad, frequencies, rad per joint and rad/s."""

    key: str
    title: str
    modules: int
    sidewinding: tuple[float, float, float]  # amplitude, spatial and temporal frequency
    turning: tuple[float, float, float]
    progression: float  # amplitude
    rolling: tuple[float, float]  # amplitude, delta
    helix: tuple[float, float]  # spatial and temporal frequency
    undulation: tuple[float, float]  # amplitude, spatial frequency
    slithering: tuple[tuple[float, float, float], tuple[float, float, float]]
    pole: tuple[float, float]  # largest amplitude, its ratio to the spatial frequency


_ROBOTS = (
    _Robot(
        "reu",
        "ReU",
        16,
        (0.4, 0.5, 5.0),
        (0.4, 0.5, 3.5),
        0.5,
        (0.6, -_QUARTER),
        (1.2, 1.75),
        (0.75, 4.0),
        ((1.2, 0.508, 6.0), (0.8, 0.978, 9.0)),
        (1.75, 0.125),
    ),
    _Robot(
        "sea",
        "SEA",
        16,
        (0.65, 0.6, 4.0),
        (0.6, _EIGHTH, 4.0),
        0.5,
        (0.2, _QUARTER),
        (14.406, 2.0),
        (0.75, 4.0),
        ((1.0, _TWELFTH, 3.0), (0.5, _EIGHTH, 6.0)),
        (1.25, 0.3),
    ),
    _Robot(
        "rsnake",
        "R-Snake",
        14,
        (0.5, 0.686, 2.5),
        (0.5, 0.686, 2.5),
        0.35,
        (0.3, -_QUARTER),
        (14.406, 2.0),
        (0.5, 4.4),
        ((0.75, _TWELFTH, 3.0), (0.375, _EIGHTH, 6.0)),
        (1.25, 0.2),
    ),
)

_TOLERANCE = 0.2
"""Largest change of the amplitude of conical sidewinding, rad."""

_SLOPE = 0.1
"""Largest slope of its amplitude, rad per joint."""

_TIGHT = 0.35
"""Amplitude from which the helix has a spatial frequency, rad."""


def _within_turn(angle: float) -> float:
    return math.remainder(angle, 2.0 * math.pi)


def _rotating(amplitude: float, spatial: float, temporal: float, delta: float) -> dict[str, Any]:
    """Wave of the library's joints n = 0, 1 ...: sin(omega_S n - omega_T t), the vertical axes with `delta`."""
    wave = (amplitude, _within_turn(spatial), -temporal)
    return serpenoid(wave, wave, delta, phase_rad=-_within_turn(spatial))


def _second(robot: _Robot) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Yield names, titles, gaits and explanations of the second library (n = 0 ...; vertical: odd n, lateral: even n).

    Lateral undulation and slithering have their lateral wave at odd n, on a robot that lies on its
    side; here they are for a robot with lateral axes at n = 1, 3 ...
    """
    amplitude, spatial, temporal = robot.sidewinding
    yield (
        "sidewinding",
        "Sidewinding",
        _rotating(amplitude, spatial, temporal, _EIGHTH),
        "Both waves travel together, the vertical one an eighth period ahead.",
    )
    wave = (amplitude, spatial, -temporal)
    excess = f"({_SLOPE:g}*(n - 1) - {_TOLERANCE:g})"
    grown = f"({_SLOPE:g}*(n - 1) + {_TOLERANCE:g} - sqrt({excess}^2))/2"
    yield (
        "conical_sidewinding",
        "Conical sidewinding",
        serpenoid(wave, wave, _EIGHTH, phase_rad=-spatial, envelope=f"1 + {grown}/{amplitude:g}"),
        "Sidewinding whose amplitude grows behind the head, so that the robot follows an arc.",
    )
    amplitude, spatial, temporal = robot.turning
    wave_text = f"180/pi*{amplitude:g}*sin({spatial!r}*(i - 1) - {temporal:g}*t"
    yield (
        "turn_in_place",
        "Turn in place",
        formulas(
            angle=f"{wave_text})",
            pitch_angle=f"{wave_text} + {_EIGHTH}*(1 - 2*rise(i - (n - 1)/2)))",
        ),
        "Front and rear sidewind in opposite directions.",
    )
    yield (
        "linear_progression",
        "Linear progression",
        formulas(
            angle="180/pi*0.3*(1 - 2*rise(i - 1 - (n - 1)/2))",
            pitch_angle=f"180/pi*{robot.progression:g}*sin({_EIGHTH}*(i - 1) + 3.5*t)",
        ),
        "A vertical wave on a body that is bent to an S.",
    )
    amplitude, delta = robot.rolling
    yield (
        "rolling",
        "Rolling arc",
        _rotating(amplitude, 0.0, 4.0, delta),
        "The body is an arc that rotates about itself.",
    )
    yield (
        "rolling_helix",
        "Rolling helix",
        _rotating(0.2, *robot.helix, -_QUARTER),
        "The body is a helix that rotates about itself.",
    )
    yield (
        "pole_climb",
        "Pole climb",
        _rotating(
            robot.pole[0], (robot.pole[0] - _TIGHT) * robot.pole[1], robot.helix[1], -_QUARTER
        ),
        "The helix at its largest tightness, around a pole.",
    )
    amplitude, spatial = robot.undulation
    yield (
        "lateral_undulation",
        "Lateral undulation",
        serpenoid((amplitude, spatial, -2.0), (0.0, spatial, -2.0)),
        "A horizontal wave runs along the body.",
    )
    (odd, spatial_odd, temporal_odd), (even, spatial_even, temporal_even) = robot.slithering
    yield (
        "slithering",
        "Slithering",
        formulas(
            angle=f"180/pi*{odd:g}*i/(n - 1)*sin({spatial_odd!r}*i + {temporal_odd:g}*t)",
            pitch_angle=f"180/pi*{even:g}*sin({spatial_even!r}*i + {temporal_even:g}*t)",
        ),
        "A lateral wave that grows towards the tail, with a vertical wave that lifts its bends.",
    )


SNAKELIB_GAITS = (
    *(
        GaitPreset(
            f"snakelib_{name}",
            f"{title} (snakelib)",
            explanation,
            _FIRST,
            gait,
            robot="14 joints, yaw and pitch in turn",
        )
        for name, title, gait, explanation in _first()
    ),
    *(
        GaitPreset(
            f"{robot.key}_{name}",
            f"{title} ({robot.title})",
            explanation,
            _SECOND,
            gait,
            robot=f"{robot.title}, {robot.modules} joints, yaw and pitch in turn",
        )
        for robot in _ROBOTS
        for name, title, gait, explanation in _second(robot)
    ),
)
"""Gaits of both libraries."""
