"""Gaits of the library from public sources: joint angles over two periods, from the sources' own formulas.

The formulas are written here from the scripts and parameter files that each test names, without the sign
pattern of their modules, in simulated time, and independently of the program's gaits.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp

from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.edits import with_values
from snakestudio.model.gait_preset import GaitPreset
from snakestudio.model.gaits import GAITS, unsuitable
from snakestudio.model.scene import Scene
from snakestudio.session.scene_check import check

Angle = Callable[[int, float], float]
"""Angle, rad, of the joint with a number, counted from 1, at a time, s."""

PRESETS = {preset.name: preset for preset in GAITS}
TOLERANCE = 1e-9


def scene_of(name: str, joints: int, first: str) -> Scene:
    """A scene with a gait and a robot whose axes alternate, `first` at joint 1."""
    values: dict[str, Any] = {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": joints + 1,
        "robot.joints": "yaw",
        "robot.joint_limit_deg": None,
        "robot.joint": [{"index": "odd" if first == "pitch" else "even", "axes": "pitch"}],
        "gait": name,
    }
    return with_values(Scene(), values)


def compare(name: str, joints: int, first: str, period: float, angle: Angle) -> None:
    """Compare a gait with the formula of its source over two periods."""
    scene = scene_of(name, joints, first)
    assert [axis.kind for axis in scene.body.axes[:2]] == [
        first,
        "yaw" if first == "pitch" else "pitch",
    ]
    make = GAIT_KINDS[scene.gait.kind].make
    assert make is not None
    time = np.linspace(0.0, 2.0 * abs(period), 41)
    time[-1] *= 1.0 - 1e-12
    motion = make(scene).motion(time)
    expected = np.array([[angle(j, t) for j in range(1, joints + 1)] for t in time])
    assert np.ptp(expected, axis=0).max() > 0.05
    np.testing.assert_allclose(motion[0], expected, atol=TOLERANCE)


# --- kmkar31/snakelib: param/gait_param.yaml, gait_control/src/src/snake.py ------------------------

PI_4, PI_6, PI_2 = 0.78539816339, 0.52359877559, 1.57079632679
FIRST = {  # A_odd, wS_odd, wT_odd, A_even, wS_even, wT_even, beta_odd, delta
    "linear_progression": (0.0, PI_4, 0.25, 0.8, PI_4, 1.0, 0.4, 0.0),
    "lateral_undulation": (0.6, PI_4, -1.0, 0.0, PI_4, 2.0, 0.0, 0.0),
    "sidewinding": (0.6, 0.5, 5.0, 0.6, 0.5, 5.0, 0.0, PI_4),
    "rolling": (0.3, 0.0, -2.0, 0.3, 0.0, -2.0, 0.0, PI_2),
    "rolling_helix": (1.3, 0.1, -1.0, 1.3, 0.1, -1.0, 0.0, PI_2),
    "differential_turning": (0.08, 0.5236, -2.0, 0.3, 0.5236, -2.0, 0.0, -PI_2),
    "reversal_turning": (1.0, 0.5236, -1.0, 0.3, 0.31416, -1.0, 0.0, 4.7123),
    "slithering": (0.4, PI_6, 4.5, 0.8, PI_4, 9.0, 0.0, 0.0),
}


@pytest.mark.parametrize("gait", FIRST)
def test_snakelib_gait_has_the_angles_of_its_source(gait: str) -> None:
    a_odd, s_odd, t_odd, a_even, s_even, t_even, beta_odd, delta = FIRST[gait]

    def angle(n: int, t: float) -> float:
        if n % 2 == 0:
            return a_even * math.sin(s_even * n + t_even * t + delta)
        factor = n if gait == "differential_turning" else 1
        return beta_odd + a_odd * factor * math.sin(s_odd * n + t_odd * t)

    slow = min(abs(w) for w in (t_odd, t_even, 5.0) if w)
    compare(f"snakelib_{gait}", 14, "yaw", 2 * math.pi / slow, angle)


# --- joel-kallarackal/snakelib_ros2: snake_params.yaml, gaitlib/reu_gaits --------------------------

ROBOTS: dict[str, dict[str, Any]] = {
    "reu": {
        "N": 16,
        "conical_sidewinding": {"A": (0.4, 0.4), "wS": (0.5, 0.5), "wT": (5, 5), "delta": PI_4},
        "turn_in_place": {"A": (0.4, 0.4), "wS": (0.5, 0.5), "wT": (3.5, 3.5), "delta": PI_4},
        "linear_progression": {"A": (0.0, 0.5), "wS": (PI_4, PI_4), "wT": (3.5, 3.5), "delta": 0},
        "rolling": {"A": (0.6, 0.6), "wS": (0, 0), "wT": (4, 4), "delta": -PI_2},
        "rolling_helix": {"A": (0.2, 0.2), "wS": (1.2, 1.2), "wT": (1.75, 1.75), "delta": -PI_2},
        "lateral_undulation": {"A": (0.0, 0.75), "wS": (4, 4), "wT": (2, 2), "delta": 0},
        "slithering": {"A": (0.8, 1.2), "wS": (0.978, 0.508), "wT": (-9, -6), "delta": 0},
        "pole": (0.35, 1.75, 0.125),
    },
    "sea": {
        "N": 16,
        "conical_sidewinding": {"A": (0.65, 0.65), "wS": (0.6, 0.6), "wT": (4, 4), "delta": PI_4},
        "turn_in_place": {"A": (0.6, 0.6), "wS": (PI_4, PI_4), "wT": (4, 4), "delta": PI_4},
        "linear_progression": {"A": (0.0, 0.5), "wS": (PI_4, PI_4), "wT": (3.5, 3.5), "delta": 0},
        "rolling": {"A": (0.2, 0.2), "wS": (0, 0), "wT": (4, 4), "delta": PI_2},
        "rolling_helix": {"A": (0.2, 0.2), "wS": (14.406,) * 2, "wT": (2, 2), "delta": -PI_2},
        "lateral_undulation": {"A": (0.0, 0.75), "wS": (4, 4), "wT": (2, 2), "delta": 0},
        "slithering": {"A": (0.5, 1.0), "wS": (PI_4, PI_6), "wT": (-6, -3), "delta": 0},
        "pole": (0.35, 1.25, 0.3),
    },
    "rsnake": {
        "N": 14,
        "conical_sidewinding": {
            "A": (0.5, 0.5),
            "wS": (0.686, 0.686),
            "wT": (2.5, 2.5),
            "delta": PI_4,
        },
        "turn_in_place": {"A": (0.5, 0.5), "wS": (0.686, 0.686), "wT": (2.5, 2.5), "delta": PI_4},
        "linear_progression": {"A": (0.0, 0.35), "wS": (PI_4, PI_4), "wT": (3.5, 3.5), "delta": 0},
        "rolling": {"A": (0.3, 0.3), "wS": (0, 0), "wT": (4, 4), "delta": -PI_2},
        "rolling_helix": {"A": (0.2, 0.2), "wS": (14.406,) * 2, "wT": (2, 2), "delta": -PI_2},
        "lateral_undulation": {"A": (0.0, 0.5), "wS": (4.4, 4.4), "wT": (2, 2), "delta": 0},
        "slithering": {"A": (0.375, 0.75), "wS": (PI_4, PI_6), "wT": (-6, -3), "delta": 0},
        "pole": (0.35, 1.25, 0.2),
    },
}
"""Values of even and odd n."""


def compound(n: int, t: float, of: dict[str, Any], amplitude: float | None = None) -> float:
    """compound_serpenoid.py, without the signs of the modules."""
    group = n % 2
    size = of["A"][group] if amplitude is None else amplitude
    phase = of["wS"][group] * n - of["wT"][group] * t + (of["delta"] if group else 0.0)
    return of.get("beta_even", 0.0) * (1 - group) + size * math.sin(phase)


def angle_ros2(robot: dict[str, Any], gait: str, n: int, t: float) -> float:
    """Angle of joint n = 0, 1 ..., as the file of the gait computes it."""
    count = robot["N"]
    if gait == "sidewinding":  # slope 0
        return compound(n, t, robot["conical_sidewinding"])
    if gait == "pole_climb":
        least, most, ratio = robot["pole"]
        of = robot["rolling_helix"] | {"wS": ((most - least) * ratio,) * 2}
        return compound(n, t, of, most)
    of = dict(robot[gait])
    if gait == "conical_sidewinding":  # max_slope
        base = of["A"][n % 2]
        return compound(n, t, of, min(max(base + 0.1 * n, base - 0.2), base + 0.2))
    if gait == "turn_in_place" and n >= count // 2:
        of["delta"] = -of["delta"]
    if gait == "linear_progression":
        of["wT"] = (-of["wT"][0], -of["wT"][1])
        of["beta_even"] = 0.3 if n <= count // 2 else -0.3
    if gait == "slithering" and n % 2:
        return compound(n, t, of, n * of["A"][1] / count)
    return compound(n, t, of)


GAITS_ROS2 = (
    "sidewinding",
    "conical_sidewinding",
    "turn_in_place",
    "linear_progression",
    "rolling",
    "rolling_helix",
    "pole_climb",
    "lateral_undulation",
    "slithering",
)


@pytest.mark.parametrize("gait", GAITS_ROS2)
@pytest.mark.parametrize("robot", ROBOTS)
def test_ros2_gait_has_the_angles_of_its_source(robot: str, gait: str) -> None:
    of = ROBOTS[robot]
    # their lateral axes are those with odd n in the last two, with even n in the others
    shift = 0 if gait in ("lateral_undulation", "slithering") else 1
    compare(
        f"{robot}_{gait}",
        of["N"],
        "yaw",
        math.pi,
        lambda j, t: angle_ros2(of, gait, j - shift, t),
    )


# --- XiaoJian923/Snake_Robot_Gait: codes/*.py ------------------------------------------------------


def clocked(omega: float, increment: float, cycle_ms: float) -> float:
    """Rate in simulated time, whose steps are 1 ms, of the clock of a script, which advances once in a cycle."""
    return omega * increment / (1e-3 * cycle_ms)


def wave(degrees: float, phase: float) -> float:
    return math.radians(degrees) * math.sin(phase)


def test_sidewinding_has_the_angles_of_its_source() -> None:
    w = clocked(1.5185, 0.22, 14 * 6)
    compare(
        "xiaojian_sidewinding",
        14,
        "pitch",
        2 * math.pi / w,
        lambda j, t: (
            wave(60, w * t + j * 0.58) if j % 2 == 0 else wave(30, w * t + j * 0.58 + math.pi / 2)
        ),
    )


def test_rolling_arc_has_the_angles_of_its_source() -> None:
    w = clocked(1.57, 0.3, 14 * 6)
    compare(
        "xiaojian_rolling_arc",
        14,
        "pitch",
        2 * math.pi / w,
        lambda j, t: wave(21, w * t - (math.pi / 2 if j % 2 else 0.0)),
    )


@pytest.mark.parametrize(("name", "amplitude"), [("lateral_undulation", 45), ("eel_like", 65)])
def test_lateral_wave_has_the_angles_of_its_source(name: str, amplitude: float) -> None:
    w = clocked(0.8185 * 2 * math.pi, 0.1, 14 * 6)

    def angle(j: int, t: float) -> float:
        factor = (j // 2) / (14 / 2 + 1) if name == "eel_like" else 1.0
        return 0.0 if j % 2 else factor * wave(amplitude, w * t - (j // 2) * 2 * math.pi / 8)

    compare(f"xiaojian_{name}", 14, "pitch", 2 * math.pi / w, angle)


@pytest.mark.parametrize("name", ["inchworm", "inchworm_arc", "inchworm_s"])
def test_inchworm_has_the_angles_of_its_source(name: str) -> None:
    omega, increment, joints, direct = (
        (0.08185, 1.0, 4, -1) if name == "inchworm" else (0.8185, 0.1, 8, -2)
    )
    w = clocked(omega * 2 * math.pi, increment, 14 * 6)

    def angle(j: int, t: float) -> float:
        if j % 2:
            return wave(45, w * t + direct * (j // 2) * 2 * math.pi / joints)
        return {"inchworm": 0.0, "inchworm_arc": 0.4}.get(name, -0.4 if j <= 14 / 2 else 0.4)

    compare(f"xiaojian_{name}", 14, "pitch", 2 * math.pi / w, angle)


@pytest.mark.parametrize(
    ("name", "amplitude", "v", "omega", "increment"),
    [
        ("pipe_crawling", 1.13, 0.58, 4.5, 0.25),
        ("pole_climbing", math.radians(-76), 0.05, 1.57, 0.3),
    ],
)
def test_helix_has_the_angles_of_its_source(
    name: str, amplitude: float, v: float, omega: float, increment: float
) -> None:
    w = clocked(omega, increment, 20 * 10)

    def angle(j: int, t: float) -> float:
        n = j - 1  # counted from 0
        return amplitude * math.sin(w * t + v * n + (0.0 if n % 2 == 0 else math.pi / 2))

    compare(f"xiaojian_{name}", 20, "pitch", 2 * math.pi / w, angle)


def test_rolling_s_has_the_angles_of_its_source() -> None:
    w = clocked(0.5, 1.0, 20 * 6)
    compare(
        "xiaojian_rolling_s",
        20,
        "pitch",
        2 * math.pi / w,
        lambda j, t: (
            wave(40, (j // 2) * 2 * math.pi / 10)
            * math.sin(w * t + (0.0 if j % 2 else math.pi / 2))
        ),
    )


def test_spiraling_has_the_angles_of_its_source() -> None:
    """The position n_s falls by 2 x 0.04 for each of 20 joints in a cycle, here continuously."""
    scale = 0.04 / (20 * 10e-3)
    size, w, s, link = 1.23, 4.5 * scale, 0.11, 70
    p = link / (((size / (2 * math.sin(s))) ** 2 + 1) * s)
    r = size / (2 * math.sin(s)) * p
    wide_s = 0.75 * p * link / ((10 * r) ** 2 + (0.75 * p) ** 2)
    wide = 2 * 10 * r / (0.75 * p) * math.sin(wide_s)

    def angle(j: int, t: float) -> float:
        n = j - 1
        position = 19 - math.fmod(2 * 20 * scale * t, 19)
        weight = 1 / (1 + math.exp(-30 * (n - (position - 0.5))))
        weight += 1 / (1 + math.exp(-30 * ((position + 0.5) - n))) - 1
        lead = 0.0 if n % 2 == 0 else math.pi / 2
        return (
            size * math.sin(w * t + s * n + lead) * (1 - weight)
            + wide * math.sin(w * t + wide_s * n + lead) * weight
        )

    compare("xiaojian_spiraling", 20, "pitch", 19 / 8 - 1e-4, angle)


def test_rolling_hump_has_the_angles_of_its_source() -> None:
    """Curvature and torsion of a circle of 0.4 m with a Gaussian hump, integrated along its arc length."""
    radius, height, middle, width, link = 0.4, 0.13, math.pi / 2, 0.25, 0.064

    def slopes(_: float, state: NDArray[np.float64]) -> list[float]:
        theta, plane = state[:2]
        u = theta - middle
        bell = math.exp(-(u**2) / width**2)
        first = -2 * height * u / width**2 * bell
        second = (2 * height / width**2) * (2 * u**2 / width**2 - 1) * bell
        third = (4 * height * u / width**4) * (3 - 2 * u**2 / width**2) * bell
        d = np.array([-radius * math.sin(theta), radius * math.cos(theta), first])
        dd = np.array([-radius * math.cos(theta), -radius * math.sin(theta), second])
        cross = np.cross(d, dd)
        speed = float(np.linalg.norm(d))
        # the third derivative of the script has only a third component
        curvature = float(np.linalg.norm(cross)) / speed**3
        torsion = float(
            cross
            @ np.array([radius * math.sin(theta), -radius * math.cos(theta), third])
            / (cross @ cross + 1e-10)
        )
        return [1 / speed, torsion, curvature * math.cos(plane), curvature * math.sin(plane)]

    at = np.arange(22) * link
    bends = solve_ivp(
        slopes, (0, at[-1]), np.zeros(4), "DOP853", at, rtol=1e-12, atol=1e-13, max_step=4e-3
    ).y[2:]
    of_cos, of_sin = bends[:, 2:] - bends[:, :-2]  # from (j - 1) l to (j + 1) l
    # lists in the script, which it computed by quadrature
    assert of_cos[9] == pytest.approx(0.5516648928752, abs=1e-6)
    assert of_sin[9] == pytest.approx(-1.3494718885613, abs=1e-6)
    w = -math.pi / 25 / 0.2

    def angle(j: int, t: float) -> float:
        c, s = of_cos[j - 1], of_sin[j - 1]
        turn = w * t
        if j % 2 == 0:
            return float(math.cos(turn) * c - math.sin(turn) * s)
        return float(math.sin(turn) * c + math.cos(turn) * s)

    compare("xiaojian_rolling_hump", 20, "pitch", 2 * math.pi / w, angle)


class Segments:
    """A curve of segments as the scripts describe it, in mm.

    Parameters
    ----------
    plane : function
        Angle of the plane of bending of segment n, counted from 1, in period k, at a length x after its start.
    """

    def __init__(
        self,
        lengths: list[float],
        curvature: list[float],
        plane: Callable[[int, int, float], float],
    ) -> None:
        self.ends = [sum(lengths[: k + 1]) for k in range(len(lengths))]
        self.curvature, self.plane = curvature, plane

    def at(self, s: float) -> complex:
        period = math.floor(s / self.ends[-1])
        x = s - period * self.ends[-1]
        n = min(bisect.bisect_left(self.ends, x), len(self.ends) - 1)
        x -= self.ends[n - 1] if n else 0.0
        angle = self.plane(n + 1, period, x)
        return self.curvature[n] * complex(math.cos(angle), math.sin(angle))

    def integral(self, low: float, high: float) -> complex:
        total = self.ends[-1]
        cuts = {low, high}
        for k in range(math.floor(low / total), math.floor(high / total) + 1):
            cuts |= {k * total + end for end in (0.0, *self.ends) if low < k * total + end < high}
        ordered = sorted(cuts)
        result = 0j
        for a, b in pairwise(ordered):
            if b - a > 1e-9:  # quadrature does not evaluate the ends, where the curve jumps
                result += quad(lambda s: self.at(s).real, a, b, epsabs=1e-13)[0]
                result += 1j * quad(lambda s: self.at(s).imag, a, b, epsabs=1e-13)[0]
        return result


def twisted(psi: list[float]) -> Callable[[int, int, float], float]:
    """Plane of bending by the sum of the twists, which is the same in all periods."""
    return lambda n, period, x: sum(psi[:n])


def track(width: float) -> tuple[float, float]:
    return math.hypot(175, width / 2) / 2, 2 * math.atan(width / (2 * 175))


def s_pedal() -> Segments:
    beta = 2 * math.atan(1.0)
    lengths = [0.11 * math.pi, 0.11 * beta] * 2
    return Segments(lengths, [1 / 0.11] * 4, twisted([-PI / 2, PI / 2, PI / 2, -PI / 2]))


PI = math.pi


def c2_pedal() -> Segments:
    side = (PI - math.radians(60)) / 2 * 0.11
    psi = [0, -PI / 2, PI / 2, 0, PI / 2, -PI / 2]
    return Segments([side, PI * 0.11, side] * 2, [1 / 0.11] * 6, twisted(psi))


def c_pedal() -> Segments:
    alpha = 2 * math.atan(250 / (2 * 100))
    a = math.sqrt(100**2 + 125**2)
    r = (4 * a**2 + 400**2) / (16 * a)
    beta = math.atan(400 / (4 * r - 2 * a))
    psi = [alpha, PI, PI, -alpha, PI, PI]
    lengths = [r * beta, 2 * r * beta, r * beta] * 2
    return Segments(lengths, [1 / r] * 6, lambda n, k, x: 4 * PI * k + sum(psi[:n]))


def crawler(width: float = 160) -> Segments:
    r, alpha = track(width)
    lengths = [2 * r + 180, PI * r, PI * r] * 2
    return Segments(lengths, [0, 1 / r, 1 / r] * 2, twisted([0, 0, alpha, 0, 0, -alpha]))


def r_crawler() -> Segments:
    r, alpha = track(160)
    psi = [alpha, 0, alpha]
    lengths = [2 * r + 180, PI * r, PI * r]
    return Segments(lengths, [0, 1 / r, 1 / r], lambda n, k, x: 2 * alpha * k + sum(psi[:n]))


def h_crawler() -> Segments:
    slope = 160 / (2 * PI)
    square = 85**2 + slope**2
    curvature, torsion, helix = 85 / square, slope / square, 2 * PI * math.sqrt(square)
    turn = helix * torsion

    def plane(n: int, period: int, x: float) -> float:
        return (0.0, x * torsion, turn, turn - x * torsion)[n - 1]

    return Segments([300, helix] * 2, [0, curvature] * 2, plane)


def crawler_turning() -> Segments:
    r, alpha = track(160)
    d, turn, w = 200, 400, 160

    def arc(o: float) -> float:
        return 2 * math.atan(r / o) + 2 * math.asin(d / (2 * math.sqrt(o * o + r * r)))

    right, left = turn + w / 2, turn - w / 2
    lengths = [right * arc(turn - w / 4), PI * r, PI * r, left * arc(turn + w / 4), PI * r, PI * r]
    a1, a2 = -0.5 * PI, 0.5 * PI
    psi = [-alpha / 2 - a1, alpha / 2 - a2, alpha, alpha / 2 - a1, -alpha / 2 - a2, -alpha]
    return Segments(lengths, [1 / right, 1 / r, 1 / r, 1 / left, 1 / r, 1 / r], twisted(psi))


def flange() -> Segments:
    r_h, h, d, r_c = 95, 80, 210, 90
    slope = 110 / (2 * PI)
    square = r_h**2 + slope**2
    phi = 41 * 65 / math.sqrt(square)
    alpha = math.atan(slope / r_h)
    o_v = (r_h + r_c) ** 2 + (r_c * math.sin(alpha)) ** 2
    top = (r_h + h) ** 2
    at_arc = math.acos((o_v + 2 * r_c**2 - top) / (2 * math.sqrt(2) * r_c * math.sqrt(o_v)))
    at_top = math.acos((2 * r_c**2 + top - o_v) / (2 * math.sqrt(2) * r_c * (r_h + h)))
    beta = at_arc - math.atan(r_c * math.sin(alpha) / (r_h + r_c)) - PI / 4
    gamma = PI * 5 / 2 - 2 * at_top
    psi = [PI / 2, -PI / 2, -PI / 2, 0, -PI / 2, 0, gamma, 0, PI / 2, PI / 2]
    lengths = [phi * math.sqrt(square), r_c * alpha, r_c * beta, 0, r_c * PI / 2, d - 2 * r_c]
    lengths += [r_c * PI / 2, 0, r_c * beta, r_c * alpha]
    curvature = [r_h / square, 1 / r_c, 1 / r_c, 0, 1 / r_c, 0, 1 / r_c, 0, 1 / r_c, 1 / r_c]
    torsion = slope / square
    turn = lengths[0] * torsion

    def plane(n: int, period: int, x: float) -> float:
        start = period * (turn + gamma - 3 * PI)
        return start + (x * torsion if n == 1 else turn) + sum(psi[:n])

    return Segments(lengths, curvature, plane)


def ladder() -> Segments:
    """With K_n = 1: the script changes the radius of some arcs by up to 10 % as they pass the head."""
    h, r, alpha = 260, 90, 120 / 57.2958
    lengths = [r * PI / 2, h - 2 * r, r * PI / 2, r * PI / 2, r * 2 * alpha, r * PI / 2] * 2
    psi = [alpha + PI / 2, 0, 0, alpha - PI / 2, -PI / 2, PI / 2]
    psi += [-(alpha + PI / 2), 0, 0, PI / 2 - alpha, PI / 2, -PI / 2]
    return Segments(lengths, [1 / r, 0, 1 / r, 1 / r, 1 / r, 1 / r] * 2, twisted(psi))


SHIFTED = {  # link, links per cycle, duration of a cycle in ms, first joint
    "s_pedal": (s_pedal, 0.064, 0.2, 100, "pitch"),
    "c2_pedal": (c2_pedal, 0.064, 0.4, 200, "pitch"),
    "c_pedal": (c_pedal, 70, 0.1, 50, "pitch"),
    "crawler": (crawler, 70, 0.5, 350, "pitch"),
    "r_crawler": (r_crawler, 70, 0.5, 350, "pitch"),
    "h_crawler": (h_crawler, 70, 0.2, 50, "pitch"),
    "flange": (flange, 65, 0.1, 50, "yaw"),
    "ladder": (ladder, 65, 0.05, 50, "yaw"),
    "crawler_turning": (crawler_turning, 70, 0.5, 500, "pitch"),
}


@pytest.mark.parametrize("name", SHIFTED)
def test_shifted_curve_has_the_angles_of_its_source(name: str) -> None:
    """The whole body is on the curve from the start: the scripts let a straight body enter it."""
    make, link, links, cycle, first = SHIFTED[name]
    curve = make()
    speed = links / (1e-3 * cycle)

    def angle(j: int, t: float) -> float:
        # their turning crawler counts the curve from the head
        position = speed * t + j if name == "crawler_turning" else 41 + speed * t - j
        middle = position * link
        bend = curve.integral(middle - link, middle + link)
        is_pitch = (j % 2 == 1) == (first == "pitch")
        return -bend.imag if is_pitch else bend.real

    compare(f"xiaojian_{name}", 40, first, curve.ends[-1] / link / speed, angle)


def test_rolling_crawler_has_the_angles_of_its_source() -> None:
    curve = crawler(180)
    bends = [curve.integral((j - 1) * 70, (j + 1) * 70) for j in range(1, 41)]

    def angle(j: int, t: float) -> float:
        bend = bends[j - 1] * complex(math.cos(0.1 * t), math.sin(0.1 * t))  # 0.2 rad in 2 s
        return -bend.imag if j % 2 else bend.real

    compare("xiaojian_crawler_rolling", 40, "pitch", 2 * math.pi / 0.1, angle)


SOURCED = [preset for preset in GAITS if preset.robot]
WAVES = (
    "sidewinding rolling_arc lateral_undulation eel_like inchworm inchworm_arc inchworm_s pipe_crawling "
    "pole_climbing rolling_s spiraling rolling_hump crawler_rolling"
)


def test_every_gait_of_a_source_is_compared() -> None:
    compared = {f"snakelib_{gait}" for gait in FIRST}
    compared |= {f"{robot}_{gait}" for robot in ROBOTS for gait in GAITS_ROS2}
    compared |= {f"xiaojian_{gait}" for gait in (*WAVES.split(), *SHIFTED)}
    assert {preset.name for preset in SOURCED} == compared


@pytest.mark.parametrize("preset", SOURCED, ids=lambda preset: preset.name)
def test_gait_suits_the_robot_of_its_source(preset: GaitPreset) -> None:
    """Joints of all these robots turn by 90° in either direction."""
    joints = int(next(part for part in preset.robot.split() if part.isdigit()))
    first = "pitch" if "pitch and yaw" in preset.robot else "yaw"
    scene = with_values(scene_of(preset.name, joints, first), {"robot.joint_limit_deg": 90.0})
    if preset.name not in BEYOND:
        assert not unsuitable(preset, scene)
        assert not [problem for problem in check(scene) if problem.severity == "error"]
    else:
        assert "90°" in unsuitable(preset, scene)


BEYOND = {"reu_pole_climb"}
"""Gaits whose formulas command more than the joints can do."""
