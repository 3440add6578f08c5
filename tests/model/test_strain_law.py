"""Values of strain laws: the papers' closed forms, the follower property, travel, and error messages."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.integrate import quad

from snakestudio.errors import SceneError
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.strain import Formulas, Inching, Peristalsis, Serpentine, Strain
from snakestudio.model.robot.strain_law import StrainLaw

BEAM = Beam()
T = np.array([0.0, 0.31, 1.7, 4.4, 5.2])
X = np.linspace(0.0, 1.0, 41)


def test_peristalsis_is_the_closed_form() -> None:
    # P5 (36) with s = X - c t - a t^2/2: a wave that travels to the tail; the head is stretched
    # like its start.
    eps = 0.1
    lam = 0.4
    c = 0.3
    a = 0.2
    law = StrainLaw(
        Peristalsis(stretch=eps, wavelength_m=lam, speed_m_s=c, acceleration_m_s2=a),
        Beam(length_m=1.0),
    )
    sigma = -(c * T + a * T**2 / 2)
    np.testing.assert_allclose(law.travel(T), sigma, atol=1e-14)
    np.testing.assert_allclose(
        law.speed(T), np.column_stack([-(c + a * T), np.full(5, -a)]), atol=1e-15
    )
    k = 2 * np.pi / lam
    phase = k * (X[None] + sigma[:, None])
    v = -(c + a * T)[:, None]
    field = law.at(T, X)
    np.testing.assert_allclose(field.strain[..., 0], 1 - eps * np.sin(phase), atol=1e-13)
    np.testing.assert_allclose(field.rate[..., 0], -eps * k * v * np.cos(phase), atol=1e-12)
    np.testing.assert_allclose(
        field.acceleration[..., 0],
        eps * k**2 * v**2 * np.sin(phase) + eps * k * a * np.cos(phase),
        atol=1e-11,
    )
    np.testing.assert_allclose(field.slope[..., 0], -eps * k * np.cos(phase), atol=1e-12)
    assert (field.strain[..., 1:] == 0).all()
    # positions of the sections, x(X) - x(0): its integral
    fine = np.linspace(0, 1, 4001)
    x = np.trapezoid(law.at(T, fine).strain[..., 0], fine, axis=1)
    expected = 1 + eps / k * (np.cos(k * (1 + sigma)) - np.cos(k * sigma))
    np.testing.assert_allclose(x, expected, atol=1e-6)


def test_inching_is_the_papers_formula() -> None:
    alpha = 1.8
    f = 0.25
    law = StrainLaw(Inching(angle_rad=alpha, frequency_hz=f), Beam(length_m=0.5))
    x = np.linspace(0, 0.5, 11)
    assert not law.has_speed
    assert np.isnan(law.speed(T)).all()
    assert (law.travel(T) == 0).all()
    w = 2 * np.pi * f
    along = 2 * np.pi / 0.5 * np.cos(2 * np.pi / 0.5 * (x - 0.5))
    field = law.at(T, x)
    np.testing.assert_allclose(
        field.strain[..., 5], alpha * np.sin(w * T)[:, None] ** 2 * along, atol=1e-12
    )
    np.testing.assert_allclose(
        field.rate[..., 5], alpha * w * np.sin(2 * w * T)[:, None] * along, atol=1e-12
    )
    np.testing.assert_allclose(
        field.acceleration[..., 5],
        2 * alpha * w**2 * np.cos(2 * w * T)[:, None] * along,
        atol=1e-11,
    )
    assert (field.strain[..., 0] == 1).all()


def test_serpentine_follows_its_leader_and_turns() -> None:
    v = 0.5
    law = StrainLaw(Serpentine(turn_per_m=2.0, lift_per_m=0.5), BEAM)
    for x in X:  # X/v later, every section has the current curvature of the head (P5 (51))
        here = law.at(T + x / v, np.array([x])).strain
        np.testing.assert_allclose(here[:, 0], law.at(T, np.zeros(1)).strain[:, 0], atol=1e-12)
    field = law.at(T, X)
    np.testing.assert_allclose(field.rate, -v * field.slope, atol=1e-10)  # (50), (63)
    # the turn of a complete bump: b V T_o/2 times its integral 1.2069003 (it passes X = 0 from t_o
    # = 4 to 6)
    fine = np.linspace(3.9, 6.1, 8001)
    wave = StrainLaw(Serpentine(), BEAM).at(fine, np.zeros(1)).strain[:, 0]
    turned = np.trapezoid(law.at(fine, np.zeros(1)).strain[:, 0] - wave, fine, axis=0)
    assert turned[5] * v == pytest.approx(1.2069003, abs=1e-6)
    assert turned[4] * v == pytest.approx(1.2069003 * 0.25, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("-0.5", lambda t: -0.5),
        ("-(0.1 + 0.02*t^3)", lambda t: -(0.1 + 0.02 * t**3)),
        ("0.3*sin(7*t)", lambda t: 0.3 * np.sin(7 * t)),
        ("-0.2*rise(t/3)*exp(-t/20)", None),
    ],
)
def test_travel_is_the_integral_of_the_speed(text: str, function: object) -> None:
    law = StrainLaw(Formulas(k_z_per_m="3*sin(4*s)", speed_m_s=text), BEAM)
    for t in (0.0, 0.04, 1.0, 3.7, 12.3):
        speed = function if callable(function) else lambda u: law.speed(np.array([u]))[0, 0]
        expected = quad(
            speed, 0.0, t, epsabs=1e-13, epsrel=1e-12, limit=300, points=[3.0] if t > 3 else None
        )[0]
        assert law.travel(np.array([t]))[0] == pytest.approx(expected, abs=2e-13)
    times = np.array([12.3, 0.04, 3.7])  # in any order
    again = StrainLaw(Formulas(k_z_per_m="3*sin(4*s)", speed_m_s=text), BEAM)
    assert (again.travel(times) == law.travel(times)).all()


@pytest.mark.parametrize(
    "strain",
    [
        Formulas(
            gamma_x="1 + 0.1*sin(3*t)*X/l",
            k_z_per_m="5*sin(3*s + 2*X)*cos(t/2)",
            gamma_y="0.2*X/l",
            k_x_per_m="2*t*X",
            speed_m_s="-0.3*cos(2*t)",
        ),
        Serpentine(turn_per_m=1.0, lift_per_m=2.0, turn_start_s=0.2),
        Inching(),
        Peristalsis(acceleration_m_s2=0.1),
    ],
)
def test_derivatives_are_those_of_finite_differences(strain: Strain) -> None:
    law = StrainLaw(strain, BEAM)
    h = 1e-5
    t = T + 0.01
    field = law.at(t, X)
    later = law.at(t + h, X)
    earlier = law.at(t - h, X)
    np.testing.assert_allclose(field.rate, (later.strain - earlier.strain) / (2 * h), atol=2e-6)
    np.testing.assert_allclose(field.acceleration, (later.rate - earlier.rate) / (2 * h), atol=2e-4)
    inner = X[1:-1]
    along = (law.at(t, inner + h).strain - law.at(t, inner - h).strain) / (2 * h)
    np.testing.assert_allclose(law.at(t, inner).slope, along, atol=2e-5)


def test_travel_and_speed_can_be_given() -> None:
    law = StrainLaw(Serpentine(), BEAM)
    speed = np.column_stack([np.full(5, -0.2), np.full(5, 0.3)])
    field = law.at(T, X, np.full(5, 0.1), speed)
    k = 2 * np.pi / 0.8
    phase = k * (X + 0.1)
    np.testing.assert_allclose(field.strain[0, :, 5], 10 * np.cos(phase), atol=1e-12)
    np.testing.assert_allclose(field.rate[0, :, 5], 10 * k * 0.2 * np.sin(phase), atol=1e-11)
    expected = -10 * k**2 * 0.04 * np.cos(phase) - 10 * k * 0.3 * np.sin(phase)
    np.testing.assert_allclose(field.acceleration[0, :, 5], expected, atol=1e-10)


def test_all_errors_are_reported_with_scene_keys() -> None:
    strain = Formulas(k_z_per_m="X", k_y_per_m="sin(s*2)", gamma_x="1 +", speed_m_s="")
    with pytest.raises(SceneError) as caught:
        StrainLaw(strain, BEAM)
    by_key = {problem.key: problem for problem in caught.value.problems}
    assert set(by_key) == {"strain.k_z_per_m", "strain.k_y_per_m", "strain.gamma_x"}
    assert "strain.speed_m_s" in by_key["strain.k_y_per_m"].remedy
    for text, remedy in (("0.1*X", "t"), ("0.1*s", "t"), ("y", "t")):
        with pytest.raises(SceneError) as caught:
            StrainLaw(Formulas(speed_m_s=text), BEAM)
        assert [problem.key for problem in caught.value.problems] == ["strain.speed_m_s"]
        assert remedy in caught.value.problems[0].remedy


def test_poles_are_left_to_the_check() -> None:
    field = StrainLaw(Formulas(k_z_per_m="1/(X - 0.5*l)", k_y_per_m="log(-1*X)"), BEAM).at(T, X)
    assert not np.isfinite(field.strain[0, 20, 5])
    assert np.isnan(field.strain[0, 20, 4])


def test_period_of_references_is_computed_quickly() -> None:
    law = StrainLaw(Serpentine(turn_per_m=2.0), BEAM)
    t, x = np.linspace(0, 1, 100), np.linspace(0, 1, 321)
    law.at(t, x)
    took = []
    for _ in range(5):
        begin = time.thread_time()
        law.at(t, x)
        took.append(time.thread_time() - begin)
    assert min(took) < 0.06  # 0.012 on an idle machine of 2 GHz
