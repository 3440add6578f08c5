"""Bounds of formulas over intervals against samples, and extremes between sampled times and positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from snakestudio.control import registry
from snakestudio.model.edits import with_values
from snakestudio.model.formula import ACCELERATION, SPEED, read
from snakestudio.model.formula.intervals import Interval, bounds
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.beam_shape import HIDDEN, resolution, shape
from snakestudio.model.robot.strain import Formulas
from snakestudio.model.robot.strain_bounds import extremes, speed_pole
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene

NAMES = {"X": "m", "t": "s", "s": "m", "l": "m"}
FORMULAS = [
    "10*cos(8*s)",
    "bump((X - l/2)/(0.1*l))",
    "rise(t/2 - 1)*sin(3*X)",
    "1/(t - 5.05)",
    "sqrt((1*t - 1)^2)",
    "2^(X/l)",
    "sqrt(1 + 3*X)",
    "log(2 + 1*s)",
    "tan(0.3*t)",
    "asin(0.1*t)*acos(X/l/2)",
    "exp(-(X/0.3)^2)*cosh(t/4)",
    "(1 + X/l)^(-1.5)",
    "(1*t - 3)^3*atan(4*X)",
    "tanh(3*X)/(2 + cos(3*t))",
    "sinh(t/5)^2",
    "(2 + 1*X)^(t/3)",
]


@pytest.mark.parametrize("text", FORMULAS)
@settings(deadline=None, max_examples=30)
@given(
    st.floats(0, 9),
    st.floats(0, 0.9),
    st.floats(1e-3, 1),
    st.floats(1e-3, 0.1),
    st.integers(0, 2**32 - 1),
)
def test_all_values_are_within_their_bounds(
    text: str, t: float, x: float, dt: float, dx: float, seed: int
) -> None:
    formula = read(text, "", NAMES)
    box = {
        "t": (t, t + dt),
        "X": (x, x + dx),
        "s": (x - 0.5 * t, x + 0.4 * t),
        SPEED: (-0.5, 0.4),
        ACCELERATION: (-1, 2),
    }
    random = np.random.default_rng(seed)
    inside = {name: random.uniform(*ends, 200) for name, ends in box.items()}
    values = formula.at({"l": np.float64(1.0), **inside})
    over = bounds(
        formula,
        {
            "l": np.float64(1.0),
            **{name: Interval(*map(np.float64, ends)) for name, ends in box.items()},
        },
    )
    for value, between in zip(values, over, strict=True):
        value = np.broadcast_to(value, 200)
        value = value[np.isfinite(value)]
        slack = 1e-9 * (1.0 + np.abs(value))
        assert (value >= between.low - slack).all()
        assert (value <= between.high + slack).all()
        # undefined: no bounds
        assert len(value) == 200 or not np.isfinite(between.high - between.low)


def law(curvature: str, speed: str = "-0.5") -> StrainLaw:
    return StrainLaw(Formulas(k_z_per_m=curvature, speed_m_s=speed), Beam())


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("20*sin(2*pi*t)^2*cos(20*X)", -20.0, 20.0),  # 0 at every whole second
        ("3*bump((X - 0.503*l)/(0.003*l))", 0.0, 3.0),
        ("10*cos(8*X) + 7*bump((t - 5.0317)/0.0004)*bump((X - 0.7211*l)/(0.0004*l))", -10.0, 15.7),
        ("10*cos(8*s)", -10.0, 10.0),
    ],
)
def test_extremes_of_a_law_are_found_anywhere(text: str, least: float, most: float) -> None:
    result = [each for each in extremes(law(text), 12.0) if each.component == 5]
    values = [
        law(text).along(5, np.array([each.time]), np.array([each.abscissa]))[0][0]
        for each in result
    ]
    assert min(values) == pytest.approx(least, abs=0.03 * (most - least))
    assert max(values) == pytest.approx(most, abs=0.03 * (most - least))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("1/(t - 5.05)", 5.05),
        ("1/(1*t - 5.0501)^2", 5.0501),
        ("log((1*t - 5.05)^2)", 5.05),
        ("sqrt((1*t - 5.05)^3)", 0),
    ],
)
def test_pole_is_found_between_all_times(text: str, where: float) -> None:
    bad = [each for each in extremes(law(text), 10.0) if not each.usable]
    assert len(bad) == 1
    if where:
        assert bad[0].time == pytest.approx(where, abs=5e-3)  # beyond 1e12 also near the pole


def test_pole_of_the_speed_is_found_and_a_kink_is_not_a_pole() -> None:
    pole = speed_pole(law("1*cos(s*8)", "0.1/(t - 5.0507)"), 10.0)
    assert pole is not None
    assert pole.time == pytest.approx(5.0507, abs=1e-6)
    assert speed_pole(law("1*cos(s*8)"), 10.0) is None
    assert all(each.usable for each in extremes(law("sqrt((X - 0.2*t)^2)*10/l^2"), 10.0))


def bent(curvature: str, **values: object) -> Scene:
    change = {f"run.{name}": value for name, value in values.items()}
    return with_values(
        Scene(),
        {
            "model.kind": "continuum_beam",
            "strain.kind": "formulas",
            "strain.speed_m_s": "-0.5",
            "strain.k_z_per_m": curvature,
            "support.kind": "friction",
            **change,
        },
    )


@pytest.mark.parametrize("half", [0.03, 0.01, 0.003])
def test_narrow_bend_turns_the_tail_by_its_integral(half: float) -> None:
    scene = bent(f"30*bump((X - 0.503*l)/({half}*l))")
    result = resolution(scene)
    points = np.linspace(0.0, 1.0, 2 * result.slices + 1)
    strain = StrainLaw(scene.strain, scene.beam).at(np.zeros(1), points).strain[0]
    turn, _ = shape(strain, 1.0)
    angle = np.arctan2(turn[-1, 1, 0], turn[-1, 0, 0])
    # independent: by an adaptive quadrature
    full = quad(lambda v: np.exp(-v * v / (1.0 - v * v)), -1, 1)[0]
    assert angle == pytest.approx(30.0 * half * full, rel=1e-4)
    assert result.hidden.fraction < HIDDEN
    assert result.excess <= 1.0
    assert [each.key for each in registry.check(scene) if "narrow" in each.message] == []


@pytest.mark.parametrize("half", [0.001, 0.00001])
def test_unresolved_bends_are_reported_with_their_size(half: float) -> None:
    problems = registry.check(bent(f"30*bump((X - 0.503*l)/({half}*l))", duration_s=2.0))
    assert [(each.severity, each.key) for each in problems] == [("warning", "strain.k_z_per_m")]
    assert "at X = 0.50" in problems[0].message
    figure = float(problems[0].message.split("tail by ")[1].removesuffix(" mm"))
    assert 0.1 <= figure <= 1e3 * 30.0 * half * 1.3  # for a body of 1 m, by the full angle


def test_limit_of_slices_is_reported_with_the_error() -> None:
    scene = with_values(bent("10*cos(8*s)", duration_s=2.0), {"solver.error_tolerance": 1e-13})
    problems = registry.check(scene)
    assert [(each.severity, each.key) for each in problems] == [
        ("warning", "solver.error_tolerance")
    ]
    assert f"times the tolerance with {resolution(scene).slices} slices" in problems[0].message


def test_too_tight_bend_is_reported_with_its_value() -> None:
    # r = 20 mm: beyond K = 50 1/m the inner side of a circle of radius 1/K has zero length.
    assert registry.check(bent("49*cos(8*s)")) == []
    for text in ("60*cos(8*s)", "60*cos(8*s)*bump((t - 5.03)/0.01)"):
        problems = registry.check(bent(text, duration_s=10.0))
        tight = [each for each in problems if "inner side" in each.message]
        assert [each.severity for each in tight] == ["warning"]
        assert "below 50 1/m" in tight[0].remedy
        figure = float(tight[0].message.split("bent by ")[1].split()[0])
        assert 58.0 < figure <= 60.0


def test_slices_do_not_depend_on_the_duration() -> None:
    for text in (
        "20*sin(2*pi*t)^2*cos(20*X)",
        "10*cos(8*X + 4*t)",
        "10*cos(8*s) + 20*sin(1*t)^4*cos(30*X)",
    ):
        assert (
            len(
                {
                    resolution(bent(text, duration_s=duration)).slices
                    for duration in (6.0, 10.0, 12.0, 37.0, 60.0)
                }
            )
            == 1
        )
