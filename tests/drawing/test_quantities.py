"""Quantities along a continuous body: values, colour maps, ranges, ticks and the exaggeration of the radius."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.drawing import quantities as q
from snakestudio.drawing.body_range import BodyRange
from snakestudio.drawing.colour_bar import bar, bar_labels, bar_lines, bar_matrix
from snakestudio.drawing.style import DARK
from snakestudio.drawing.view import reference_pixel

from .continuum import fields, plain_strain, snake, worm


def _lightness(colours: np.ndarray) -> np.ndarray:
    """CIE L* of colours as on the screen (k, 3)."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    y = linear @ (0.2126, 0.7152, 0.0722)
    return np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)


def _protan(colours: np.ndarray) -> np.ndarray:
    """Colours as seen without long-wave cones (Vienot, Brettel, Mollon 1999), as linear light."""
    linear = colours**2.2
    return linear @ np.array([[0.11238, 0.11238, 0.00401], [0.88762, 0.88762, -0.00401], [0, 0, 1]])


def test_sequential_map_has_uniform_lightness():
    light = _lightness(q.gradient(False, 256))
    assert (np.diff(light) > 0).all()
    assert light[-1] - light[0] > 60
    steps = np.diff(_lightness(q.gradient(False, 9)))
    assert steps.max() < 1.5 * steps.mean()
    assert steps.min() > 0.5 * steps.mean()


def test_diverging_map_is_symmetric_and_light_in_the_middle():
    light = _lightness(q.gradient(True, 255))
    assert (np.diff(light[:128]) > 0).all()
    assert (np.diff(light[127:]) < 0).all()
    assert np.abs(light - light[::-1]).max() < 8
    ends = _protan(q.gradient(True, 3))
    assert np.abs(ends[0] - ends[2]).max() > 0.3, "blue and orange differ without red cones"


def test_values_of_all_quantities_are_computed():
    strain = np.array([[1.1, 0, 0, 0.3, 3.0, -4.0]])
    wrench = np.array([[-1.0, 2.0, 2.0, 0.0, 3.0, 4.0]])
    body = fields(strain, 1.0, wrench=wrench)
    expected = {
        "torque": 5,
        "torque_z": 4,
        "force": 3,
        "axial_force": -1,
        "curvature": 5,
        "curvature_z": -4,
        "stretch": 0.1,
    }
    assert {
        name: float(q.quantity_values(body, name)[0]) for name in q.QUANTITIES
    } == pytest.approx(expected)


def test_colours_of_values_follow_the_map():
    colours = q.colours(np.array([-1.0, 0.0, 1.0, 9.0, np.nan]), (0.0, 1.0), False, (0.1, 0.2, 0.3))
    assert np.allclose(colours[[0, 1]], q.SEQUENTIAL[0])
    assert np.allclose(colours[[2, 3]], q.SEQUENTIAL[-1])
    assert np.allclose(colours[4], (0.1, 0.2, 0.3))
    assert np.allclose(q.colours(np.zeros(2), (0.0, 0.0), True), q.DIVERGING[4], atol=0.01)


@given(st.floats(1e-9, 1e9))
def test_limits_are_round_and_contain_the_value(size):
    top = q.limit(size)
    assert size * (1 - 1e-9) <= top <= 1.4 * size
    assert float(f"{top:.2g}") == pytest.approx(top)


def test_ranges_contain_the_values():
    assert q.range_of(np.array([0.2, 0.93, np.nan]), False) == (0.0, 1.0)
    assert q.range_of(np.array([-0.0031, 0.001]), True) == pytest.approx((-0.004, 0.004))
    assert q.range_of(np.full(3, np.nan), True) == (0.0, 0.0)
    assert q.merged(None, (0, 1)) == (0, 1)
    assert q.merged((-2, 1), (0, 3)) == (-2, 3)


@given(st.floats(1e-6, 1e6), st.booleans())
def test_three_to_five_round_ticks(size, signed):
    top = q.limit(size)
    span = (-top if signed else 0.0, top)
    marks = q.ticks(span)
    assert 3 <= len(marks) <= 5
    assert min(abs(mark) for mark in marks) < 1e-12
    assert all(span[0] * (1 + 1e-6) <= mark <= span[1] * (1 + 1e-6) for mark in marks)
    assert np.ptp(np.diff(marks)) < 1e-9 * top
    assert all(float(f"{mark:.2g}") == pytest.approx(mark) for mark in marks)
    assert marks[-1] - marks[0] > 0.7 * (span[1] - span[0])


@pytest.mark.parametrize(
    ("span", "unit", "texts", "expected"),
    [
        ((0, 0.012), "N m", ["0.0", "2.5", "5.0", "7.5", "10.0"], "mN m"),
        ((-0.004, 0.004), "", ["−0.4", "−0.2", "0.0", "0.2", "0.4"], "%"),
        ((0, 20), "1/m", ["0", "5", "10", "15", "20"], "1/m"),
        ((-1500, 1500), "N", ["−1.5", "0.0", "1.5"], "kN"),
        ((0, 0), "N", ["0"], "N"),
    ],
)
def test_ticks_have_short_texts(span, unit, texts, expected):
    rows, in_unit = q.tick_texts(span, unit)
    assert in_unit == expected
    assert [text for _, text in rows] == texts
    shares = [fraction for fraction, _ in rows]
    assert all(0 <= fraction <= 1 for fraction in shares)
    assert shares == sorted(shares)


def test_radius_is_exaggerated_to_a_quarter():
    wave = np.sin(np.linspace(0, 6, 100))
    for epsilon in (1e-5, 0.004, 0.05):
        gamma = 1 + epsilon * wave
        scale = q.stretch_scale(gamma)
        assert float(f"{scale:.2g}") == pytest.approx(scale)
        radius = gamma ** (-0.5 * scale)
        assert 0.17 < radius.max() / radius.min() - 1 <= 0.2501
    assert q.stretch_scale(1 + 0.3 * wave) == 1.0, "visible without exaggeration"
    assert q.stretch_scale(1 + 1e-8 * wave) == 1.0, "rounding must not be visible"
    assert q.stretch_scale(np.full(3, np.nan)) == 1.0
    assert q.stretch_scale(np.array([-1.0])) == 1.0


def test_ranges_of_a_run_only_grow():
    held = BodyRange("stretch")
    assert held.span is None
    held.show(worm(0.001))
    assert held.span == pytest.approx((-0.001, 0.001))
    first = held.stretch_scale
    held.show(worm(0.004))
    held.show(worm(0.002))
    assert held.span == pytest.approx((-0.004, 0.004))
    assert held.stretch_scale < first
    assert held.arrow_length("friction", 1.0) is None
    plain = BodyRange("")
    plain.show(snake())
    assert plain.span is None
    assert plain.stretch_scale == 1.0


def test_colour_bar_names_the_quantity():
    assert bar("", (0.0, 0.0), 1.0, 0.0) is None
    only_radius = bar("", (0.0, 0.0), 60.0, 0.0)
    assert only_radius is not None
    assert [label.text for label in bar_labels(only_radius, DARK, 1.0)] == [
        "radius changes drawn ×60"
    ]
    both = bar("torque", (0.0, 0.012), 60.0, 0.1)
    assert both is not None
    texts = [label.text for label in bar_labels(both, DARK, 1.0)]
    assert texts == [
        "Torque  |C|  (mN m)",
        "0.0",
        "2.5",
        "5.0",
        "7.5",
        "10.0",
        "radius changes drawn ×60",
    ]
    assert np.isfinite(bar_lines(both, DARK, 1.0)).all()
    for width, height, ratio in ((1280, 720, 1.0), (420, 240, 1.0), (640, 462, 2.0)):
        pixel = reference_pixel(height, ratio)
        corner = bar_matrix(both, width, height, pixel)
        letters = bar_labels(both, DARK, pixel)[0].size * pixel  # device pixels
        assert letters == pytest.approx(12.0 * corner[0, 0] * width / 2), "the text fits the bar"
        lines = bar_lines(both, DARK, pixel)
        points = (
            np.column_stack((lines[:, :2], np.zeros(len(lines)), np.ones(len(lines)))) @ corner.T
        )
        assert (np.abs(points[:, :2]) <= 1).all(), "the bar is in the view"
        assert points[0, 1] < 1 - 2 * 0.1


def test_unknown_strain_has_no_value():
    assert math.isnan(float(q.quantity_values(fields(plain_strain() * np.nan, 1.0), "stretch")[0]))
