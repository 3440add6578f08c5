"""Units in DBCs: every known spelling has its usual meaning, and nothing else is a unit."""

from __future__ import annotations

import math

import pytest

from snakestudio.link.profile.schema import Quantity
from snakestudio.link.profile.units import ambiguous_unit, known_units, to_si

DEGREE = math.pi / 180
QUANTITIES: tuple[Quantity, ...] = ("angle", "rate", "torque", "current", "temperature", "voltage")


@pytest.mark.parametrize(
    ("quantity", "units", "factor"),
    [
        ("angle", "rad radians Radian", 1.0),
        ("angle", "deg Deg deg. ° º Â° degree Degrees Grad grader Grader graden", DEGREE),
        ("angle", "gon Gradian", 0.9 * DEGREE),
        ("angle", "mdeg", 0.001 * DEGREE),
        ("angle", "rev turns Umdrehung", 2 * math.pi),
        ("rate", "deg/s °/s °/sec Grad/s grader/s dps deg*s^-1", DEGREE),
        ("rate", "rpm 1/min U/min min^-1 rev/min", math.pi / 30),
        ("rate", "deg/min Grad/min", DEGREE / 60),
        ("rate", "rad/s", 1.0),
        ("torque", "Nm N·m N*m", 1.0),
        ("torque", "mNm Nmm", 1e-3),
        ("torque", "Ncm", 1e-2),
        ("current", "A Amp", 1.0),
        ("current", "mA", 1e-3),
        ("current", "µA μA uA", 1e-6),
        ("temperature", "°C degC C Celsius GradC", 1.0),
        ("voltage", "mV", 1e-3),
    ],
)
def test_known_spelling_has_its_factor(quantity: Quantity, units: str, factor: float) -> None:
    for unit in units.split():
        assert to_si(quantity, unit) == pytest.approx((factor, 0.0)), unit


def test_spaces_do_not_matter() -> None:
    assert to_si("torque", "N m") == to_si("torque", "Nm")
    assert to_si("rate", "deg / s") == to_si("rate", "deg/s")


def test_temperatures_have_offsets() -> None:
    for unit, value in (("K", 300.0), ("°F", 80.33)):
        converted = to_si("temperature", unit)
        assert converted is not None
        assert converted[0] * value + converted[1] == pytest.approx(26.85, abs=0.01)


@pytest.mark.parametrize(
    "unit", ["grad", "GRAD", "degs", "grd", "1/s", "Hz", "rps", "counts", "0.1deg", "%", ""]
)
def test_unknown_spellings_are_not_units(unit: str) -> None:
    assert to_si("angle", unit) is None
    assert to_si("rate", unit) is None


@pytest.mark.parametrize(
    ("quantity", "unit", "meanings"),
    [
        ("angle", "grad", ("deg", "gon")),
        ("rate", "grad/s", ("deg/s", "gon/s")),
        ("angle", "GRAD", ("deg", "gon")),
        ("angle", "grader", None),
        ("angle", "gradient", None),
        ("voltage", "grad", None),
    ],
)
def test_grad_in_small_letters_is_ambiguous(
    quantity: Quantity, unit: str, meanings: tuple[str, str] | None
) -> None:
    assert ambiguous_unit(quantity, unit) == meanings


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_proposed_units_are_known(quantity: Quantity) -> None:
    assert all(to_si(quantity, unit) for unit in known_units(quantity))
