"""Gaits of XiaoJian923/Snake_Robot_Gait: waves, and curves of segments that move along the body.

Frequencies and speeds are those in simulated time: the scripts have a separate clock, which
advances by a fixed amount in each cycle of simulation steps of 1 ms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from math import atan, hypot, pi, radians
from typing import Any

from snakestudio.model.gait_preset import GaitPreset, formulas, serpenoid

_FOURTEEN, _TWENTY, _FORTY = 14, 20, 40
"""Numbers of joints of the robots; pitch and yaw alternate."""

_CYCLE = {_FOURTEEN: 14 * 0.006, _TWENTY: 20 * 0.010}
"""Duration of a cycle of the scripts with waves, s: 6 or 10 steps for each joint."""

_QUARTER = 0.5 * pi


def _rate(omega: float, increment: float, joints: int) -> float:
    """Return the angular frequency in simulated time, rad/s, from that of the script and the increment of its clock."""
    return omega * increment / _CYCLE[joints]


def _degrees(angles: Sequence[float]) -> tuple[float, ...]:
    return tuple(math.degrees(angle) for angle in angles)


def _curve(
    link: float,
    lengths: Sequence[float],
    bends: Sequence[float],
    twists: Sequence[float],
    speed: float,
    torsions: Sequence[float] | None = None,
    *,
    turn: float = 0.0,
    shift: float | None = None,
    roll_rate: float = 0.0,
) -> dict[str, Any]:
    """Return the gait from the lengths of link and segments, in one unit, their angles, rad, and the speed, links/s."""
    values = {
        "segment_links": tuple(length / link for length in lengths),
        "segment_bend_deg": _degrees(bends),
        "segment_twist_deg": _degrees(twists),
        "shift_links_s": speed,
        "shift_links": _FORTY + 1.0 if shift is None else shift,
        "roll_deg_s": math.degrees(roll_rate),
        "roll_deg": math.degrees(turn),
    }
    if torsions is not None:
        values["segment_torsion_deg"] = _degrees(torsions)
    return {"kind": "backbone_curve", **values}


def _inverted(
    link: float,
    lengths: Sequence[float],
    bends: Sequence[float],
    twists: Sequence[float],
    speed: float,
    roll_rate: float = 0.0,
) -> dict[str, Any]:
    """Return the gait whose curve is described from head to tail."""
    angle = [sum(twists[: k + 1]) for k in range(len(twists))][::-1]
    steps = [angle[0] - angle[-1], *(b - a for a, b in pairwise(angle))]
    return _curve(
        link,
        lengths[::-1],
        bends[::-1],
        steps,
        -speed,
        turn=angle[-1],
        shift=0.0,
        roll_rate=roll_rate,
    )


# --- waves ------------------------------------------------------------------------------------------

_SPIRAL = 0.11
_SPIRAL_AMPLITUDE = 1.23


def _spiraling() -> dict[str, Any]:
    """Return the helix with a wider part of one joint that travels from the tail to the head in 19/8 s."""
    link = 70.0
    narrow = _SPIRAL_AMPLITUDE / (2.0 * math.sin(_SPIRAL))
    pitch = link / ((narrow**2 + 1.0) * _SPIRAL)
    radius = narrow * pitch
    wide_pitch, wide_radius = 0.75 * pitch, 10.0 * radius
    spatial = wide_pitch * link / (wide_radius**2 + wide_pitch**2)
    amplitude = 2.0 * wide_radius / wide_pitch * math.sin(spatial)
    omega = 4.5 * 0.04 / _CYCLE[_TWENTY]
    position = "19*(0.5 - atan(tan(pi*(8*t/19 - 0.5)))/pi)"
    window = f"(tanh(15*(i - 0.5 - {position})) + tanh(15*({position} + 1.5 - i)))/2"

    def angle(lead: str) -> str:
        narrow_wave = f"{_SPIRAL_AMPLITUDE}*sin({omega!r}*t + {_SPIRAL}*(i - 1){lead})"
        wide_wave = f"{amplitude!r}*sin({omega!r}*t + {spatial!r}*(i - 1){lead})"
        return f"180/pi*({narrow_wave} + {window}*({wide_wave} - {narrow_wave}))"

    return formulas(angle=angle(" + pi/2"), pitch_angle=angle(""))


def _waves() -> dict[str, tuple[int, str, dict[str, Any], str]]:
    """Return the number of joints, title, gait and explanation, by name."""
    lateral = _rate(0.8185 * 2.0 * pi, 0.1, _FOURTEEN)
    slow = _rate(0.08185 * 2.0 * pi, 1.0, _FOURTEEN)
    winding = _rate(1.5185, 0.22, _FOURTEEN)
    arc = _rate(1.57, 0.3, _FOURTEEN)
    pipe = _rate(4.5, 0.25, _TWENTY)
    pole = _rate(1.57, 0.3, _TWENTY)
    s_curve = 0.5 / (20 * 0.006)
    vertical = (radians(45.0), -0.25 * pi)
    return {
        "sidewinding": (
            _FOURTEEN,
            "Sidewinding",
            serpenoid((radians(60.0), 0.58, winding), (radians(30.0), 0.58, winding), _QUARTER),
            "Both waves travel together, the vertical one a quarter period ahead.",
        ),
        "rolling_arc": (
            _FOURTEEN,
            "Rolling arc",
            serpenoid((radians(21.0), 0.0, arc), (radians(21.0), 0.0, arc), -_QUARTER),
            "The body is an arc that rotates about itself.",
        ),
        "lateral_undulation": (
            _FOURTEEN,
            "Lateral undulation",
            serpenoid((radians(45.0), -pi / 8.0, lateral), (0.0, 0.0, 0.0)),
            "A horizontal wave runs along the body.",
        ),
        "eel_like": (
            _FOURTEEN,
            "Eel-like",
            serpenoid((radians(65.0), -pi / 8.0, lateral), (0.0, 0.0, 0.0), envelope="n/(N + 2)"),
            "A horizontal wave that grows from head to tail.",
        ),
        "inchworm": (
            _FOURTEEN,
            "Inchworm",
            serpenoid((0.0, 0.0, 0.0), (*vertical, slow), 0.25 * pi),
            "A vertical wave runs along the body.",
        ),
        "inchworm_arc": (
            _FOURTEEN,
            "Inchworm on an arc",
            serpenoid((0.0, 0.0, 0.0), (*vertical, lateral), 0.25 * pi, odd_beta_rad=0.4),
            "A vertical wave runs along a body that is bent to an arc.",
        ),
        "inchworm_s": (
            _FOURTEEN,
            "Inchworm on an S",
            formulas(
                angle="180/pi*0.4*(2*rise(i - (n - 1)/2) - 1)",
                pitch_angle=f"45*sin({lateral!r}*t - pi/4*(i - 1))",
            ),
            "A vertical wave runs along a body that is bent to an S.",
        ),
        "pipe_crawling": (
            _TWENTY,
            "Pipe crawling",
            serpenoid((1.13, 0.58, pipe), (1.13, 0.58, pipe), -_QUARTER, phase_rad=_QUARTER - 0.58),
            "A helix that rotates about itself presses against the wall of a pipe.",
        ),
        "pole_climbing": (
            _TWENTY,
            "Pole climbing",
            serpenoid(
                (radians(-76.0), 0.05, pole),
                (radians(-76.0), 0.05, pole),
                -_QUARTER,
                phase_rad=_QUARTER - 0.05,
            ),
            "A tight helix around a pole rotates about itself.",
        ),
        "rolling_s": (
            _TWENTY,
            "Rolling S",
            formulas(
                angle=f"40*sin(pi*i/10)*sin({s_curve!r}*t + pi/2)",
                pitch_angle=f"40*sin(pi*(i - 1)/10)*sin({s_curve!r}*t)",
            ),
            "The body is an S that rotates about itself.",
        ),
        "spiraling": (
            _TWENTY,
            "Spiraling",
            _spiraling(),
            "A tight helix around a pipe, with a wider part that travels along it.",
        ),
    }


# --- curves -----------------------------------------------------------------------------------------

_HUMP_BEND_DEG = (
    9.16732472209,
    9.16732472209,
    9.16732472209,
    9.16732473705,
    9.16738582394,
    9.21046532832,
    12.98849053005,
    26.51719858136,
    13.30842225430,
    13.06254247355,
    70.70913135007,
    14.45276851996,
    12.61688026869,
    26.58459773270,
    13.41066213656,
    9.21986903451,
    9.16740401978,
    9.16732474271,
    9.16732472209,
    9.16732472209,
    9.16732472209,
)
_HUMP_PLANE_DEG = (
    0.00000000008,
    0.00000006262,
    0.00002188027,
    0.00329033302,
    0.21060068187,
    5.59714574899,
    45.88743178890,
    75.18487594630,
    74.25062729432,
    -57.62576444713,
    -69.62892137768,
    -59.27607774968,
    73.47629940607,
    75.54887074814,
    47.72443702800,
    6.17517442854,
    0.23993124338,
    0.00386397394,
    0.00002647180,
    0.00000007804,
    0.00000000010,
)
"""Bend and plane of bending of 21 links of 64 mm on a circle of 0.4 m with a hump 0.13 exp(-(theta -
pi/2)²/0.25²) m, by integration of its curvature and torsion."""


def _hump() -> dict[str, Any]:
    plane = [-radians(angle) for angle in _HUMP_PLANE_DEG]
    return _inverted(
        1.0,
        [1.0] * len(plane),
        [radians(angle) for angle in _HUMP_BEND_DEG],
        [plane[0], *(b - a for a, b in pairwise(plane))],
        0.0,
        roll_rate=pi / 25.0 / 0.2,
    )


def _track(width: float) -> tuple[float, float]:
    """Radius of the arcs of a crawler of height 175 and some width, mm, and the angle between its planes, rad."""
    return hypot(175.0, width / 2.0) / 2.0, 2.0 * atan(width / (2.0 * 175.0))


def _crawler(speed: float, width: float = 160.0, roll_rate: float = 0.0) -> dict[str, Any]:
    radius, plane = _track(width)
    straight = 2.0 * radius + 180.0
    arc = pi * radius
    lengths = [straight, arc, arc, straight, arc, arc]
    bends = [0.0, pi, pi, 0.0, pi, pi]
    twists = [0.0, 0.0, plane, 0.0, 0.0, -plane]
    if roll_rate:
        return _inverted(70.0, lengths, bends, twists, speed, roll_rate)
    return _curve(70.0, lengths, bends, twists, speed)


def _turning_crawler(speed: float) -> dict[str, Any]:
    gap, turn_radius, width = 200.0, 400.0, 160.0
    radius, plane = _track(width)

    def angle(centre: float) -> float:
        return 2.0 * atan(radius / centre) + 2.0 * math.asin(gap / (2.0 * hypot(centre, radius)))

    outer = angle(turn_radius - width / 4.0)
    inner = angle(turn_radius + width / 4.0)
    arc = pi * radius
    lengths = [
        (turn_radius + width / 2.0) * outer,
        arc,
        arc,
        (turn_radius - width / 2.0) * inner,
        arc,
        arc,
    ]
    half = 0.5 * plane
    twists = [-half + _QUARTER, half - _QUARTER, plane, half + _QUARTER, -half - _QUARTER, -plane]
    return _inverted(70.0, lengths, [outer, pi, pi, inner, pi, pi], twists, speed)


def _helix_crawler(speed: float) -> dict[str, Any]:
    radius = 85.0
    slope = 160.0 / (2.0 * pi)
    length = 2.0 * pi * hypot(radius, slope)
    square = radius**2 + slope**2
    bend, torsion = length * radius / square, length * slope / square
    return _curve(
        70.0,
        [300.0, length, 300.0, length],
        [0.0, bend, 0.0, bend],
        [0.0] * 4,
        speed,
        [0.0, torsion, 0.0, -torsion],
    )


def _rolling_crawler(speed: float) -> dict[str, Any]:
    radius, plane = _track(160.0)
    arc = pi * radius
    lengths = [2.0 * radius + 180.0, arc, arc]
    return _curve(70.0, lengths, [0.0, pi, pi], [plane, 0.0, plane], speed)


def _c_pedal(speed: float) -> dict[str, Any]:
    height, width, distance = 100.0, 250.0, 400.0
    plane = 2.0 * atan(width / (2.0 * height))
    side = hypot(height, width / 2.0)
    radius = (4.0 * side**2 + distance**2) / (16.0 * side)
    angle = atan(distance / (4.0 * radius - 2.0 * side))
    bends = [angle, 2.0 * angle, angle, angle, 2.0 * angle, angle]
    lengths = [radius * bend for bend in bends]
    return _curve(70.0, lengths, bends, [plane, pi, pi, -plane, pi, pi], speed)


def _pedals() -> dict[str, Any]:
    bends = [pi, 2.0 * atan(1.0), pi, 2.0 * atan(1.0)]
    twists = [-_QUARTER, _QUARTER, _QUARTER, -_QUARTER]
    return _curve(0.064, [0.11 * bend for bend in bends], bends, twists, 2.0)


def _round_pedals() -> dict[str, Any]:
    side = (pi - radians(60.0)) / 2.0
    bends = [side, pi, side, side, pi, side]
    twists = [0.0, -_QUARTER, _QUARTER, 0.0, _QUARTER, -_QUARTER]
    return _curve(0.064, [0.11 * bend for bend in bends], bends, twists, 2.0)


def _flange() -> dict[str, Any]:
    """Return the helix around a pipe with a bridge over a flange, which travels along the body."""
    radius, height, gap, arc = 95.0, 80.0, 210.0, 90.0
    slope = 110.0 / (2.0 * pi)
    square = radius**2 + slope**2
    length = (_FORTY + 1) * 65.0
    lead = atan(slope / radius)
    off = arc * math.sin(lead)
    centre = hypot(radius + arc, off)
    top = radius + height
    diagonal = math.sqrt(2.0) * arc
    at_arc = math.acos((centre**2 + diagonal**2 - top**2) / (2.0 * diagonal * centre))
    at_top = math.acos((diagonal**2 + top**2 - centre**2) / (2.0 * diagonal * top))
    beta = at_arc - atan(off / (radius + arc)) - 0.25 * pi
    gamma = 2.5 * pi - 2.0 * at_top
    bends = [length * radius / square, lead, beta, _QUARTER, 0.0, _QUARTER, beta, lead]
    lengths = [length, arc * lead, arc * beta, arc * _QUARTER, gap - 2.0 * arc]
    lengths += [arc * _QUARTER, arc * beta, arc * lead]
    twists = [_QUARTER, -_QUARTER, -_QUARTER, -_QUARTER, 0.0, gamma, _QUARTER, _QUARTER]
    # from one period to the next the plane turns by three half turns less
    twists[0] -= 3.0 * pi
    torsions = [length * slope / square, *[0.0] * 7]
    return _curve(65.0, lengths, bends, twists, 2.0, torsions, turn=3.0 * pi)


def _ladder() -> dict[str, Any]:
    """Return the loops around the steps of a ladder, whose arcs all have the same radius."""
    arc, step = 90.0, 260.0
    plane = 120.0 / 57.2958
    bends = [_QUARTER, 0.0, _QUARTER, _QUARTER, 2.0 * plane, _QUARTER] * 2
    lengths = [arc * bend for bend in bends]
    lengths[1] = lengths[7] = step - 2.0 * arc
    twists = [plane + _QUARTER, 0.0, 0.0, plane - _QUARTER, -_QUARTER, _QUARTER]
    twists += [-plane - _QUARTER, 0.0, 0.0, _QUARTER - plane, _QUARTER, -_QUARTER]
    return _curve(65.0, lengths, bends, twists, 1.0)


def _curves() -> dict[str, tuple[int, str, dict[str, Any], str]]:
    """Return the number of joints, title, gait and explanation, by name."""
    return {
        "rolling_hump": (
            _TWENTY,
            "Rolling hump",
            _hump(),
            "The body is an arc with a hump in its middle and rotates about itself.",
        ),
        "s_pedal": (
            _FORTY,
            "S-pedal",
            _pedals(),
            "Upright arcs and flat arcs move along the body in turn.",
        ),
        "c2_pedal": (
            _FORTY,
            "C2-pedal",
            _round_pedals(),
            "Upright arcs between flat ones move along the body.",
        ),
        "c_pedal": (
            _FORTY,
            "C-pedal",
            _c_pedal(2.0),
            "Two rows of upright arcs move along the body, like pedals.",
        ),
        "crawler": (
            _FORTY,
            "Crawler",
            _crawler(0.5 / 0.35),
            "The body is a track with two sides, which moves along itself.",
        ),
        "crawler_rolling": (
            _FORTY,
            "Crawler, rolling sideways",
            _crawler(0.0, 180.0, 0.2 / 2.0),
            "The track of the crawler rotates about itself and rolls sideways.",
        ),
        "crawler_turning": (
            _FORTY,
            "Crawler, turning",
            _turning_crawler(0.5 / 0.5),
            "The sides of the track are arcs, so that the crawler turns.",
        ),
        "h_crawler": (
            _FORTY,
            "H-crawler",
            _helix_crawler(0.2 / 0.05),
            "Straight parts alternate with turns of helices of both hands.",
        ),
        "r_crawler": (
            _FORTY,
            "R-crawler",
            _rolling_crawler(0.5 / 0.35),
            "A track whose plane turns further with each loop.",
        ),
        "flange": (
            _FORTY,
            "Climbing over a flange",
            _flange(),
            "A helix around a pipe has a bridge over a flange, which moves along the body.",
        ),
        "ladder": (
            _FORTY,
            "Ladder climbing",
            _ladder(),
            "Loops around the steps of a ladder move along the body.",
        ),
    }


SEGMENT_GAITS = tuple(
    GaitPreset(
        f"xiaojian_{name}",
        f"{title} (XiaoJian923)",
        explanation,
        "XiaoJian923/Snake_Robot_Gait, codes",
        gait,
        robot=f"{joints} joints, pitch and yaw in turn",
        fewest_joints=joints if joints == _FORTY else 0,
    )
    for name, (joints, title, gait, explanation) in {**_waves(), **_curves()}.items()
)
"""Gaits of the scripts, with the robots of their models."""
