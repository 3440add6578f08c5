"""A single link on the ground whose friction differs forwards, backwards and across: closed forms.

Pushed along its axis by a force F from rest for a time t, it has E = t^2 (F - mu m g)^2 / 2 m, or
stays at rest below the threshold (Gazzola, Dudte, McCormick, Mahadevan, R. Soc. Open Sci. 5,
171628, 2018, 5:4.1.4).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines.contact_sums import UNCONVERGED
from snakestudio.engines.spatial_nonsmooth.params import link_rows
from snakestudio.engines.spatial_nonsmooth.state import make_state
from snakestudio.model.world import Ground
from tests.engines.spatial_chains import chain_of, limp_axes, params_with, pose_of, run_chain

MASS = 0.8
GRAVITY = 9.81
SECONDS = 0.5
TOWARDS_PLUS = 0.15
TOWARDS_MINUS = 0.10
ACROSS = 0.20
"""Friction coefficients for forces towards +axis, towards -axis and across."""


def slide(
    push: tuple[float, float],
    friction: tuple[float, float, float] = (TOWARDS_PLUS, TOWARDS_MINUS, ACROSS),
    speed: tuple[float, float] = (0.0, 0.0),
    seconds: float = SECONDS,
    shift: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return centre of mass (3,), m, and velocities (6,) of a solid cylinder along x under a constant force.

    `shift` moves the centre of mass along the axis, m.
    """
    radius = 0.05
    half = 0.04
    one = np.ones(1)
    links = link_rows(
        MASS * one,
        MASS * (radius**2 / 4 + 0.12**2 / 12) * one,
        0.5 * MASS * radius**2 * one,
        0.06 * one,
        0.06 * one,
        np.array([[-half - shift, half - shift]]),
        radius * one,
        0.0 * one,
        np.array([friction]),
    )
    chain = chain_of(links, [], limp_axes(0))
    params = params_with(chain, 2.5e-4, Ground())
    velocity = np.zeros((1, 6))
    velocity[0, :2] = speed
    state = make_state(
        pose_of(chain, np.zeros(0), (0.0, 0.0, radius - 1e-6)), velocity, np.zeros(0)
    )
    state.wrench[0, :2] = push
    run_chain(params, state, seconds)
    assert state.counts[UNCONVERGED] == 0
    return state.q[0, :3], state.u[0]


@pytest.mark.parametrize(
    ("force", "mu"),
    [(2.0, TOWARDS_MINUS), (-2.0, TOWARDS_PLUS), (0.7, TOWARDS_MINUS), (-1.1, TOWARDS_PLUS)],
)
def test_pushed_link_slides_beyond_its_directional_limit(force: float, mu: float) -> None:
    _, velocity = slide((force, 0.0))
    beyond = max(abs(force) - mu * MASS * GRAVITY, 0.0)
    assert 0.5 * MASS * velocity[0] ** 2 == pytest.approx(
        0.5 * (SECONDS * beyond) ** 2 / MASS, rel=1e-8, abs=1e-12
    )


@pytest.mark.parametrize(("speed", "mu"), [(0.7, TOWARDS_MINUS), (-0.7, TOWARDS_PLUS)])
def test_thrown_link_stops_after_the_distance_of_its_direction(speed: float, mu: float) -> None:
    centre, _ = slide((0.0, 0.0), speed=(speed, 0.0), seconds=1.5)
    assert centre[0] == pytest.approx(
        math.copysign(speed**2 / (2.0 * mu * GRAVITY), speed), rel=1e-6
    )


@pytest.mark.parametrize("degrees", [20.0, 80.0, 100.0, 160.0, 200.0, 290.0])
def test_sliding_force_dissipates_most(degrees: float) -> None:
    """Compare with all forces in two half ellipses, at the velocity of the lowest points at the end of a step."""
    speed = 3.0 * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
    _, velocity = slide((0.0, 0.0), speed=(float(speed[0]), float(speed[1])), seconds=2.5e-4)
    force = MASS * (velocity[:2] - speed) / 2.5e-4
    lowest = velocity[:2] + 0.05 * np.array([-velocity[4], velocity[3]])
    angle = np.linspace(-math.pi, math.pi, 200_001)
    along = np.where(np.cos(angle) > 0.0, TOWARDS_PLUS, TOWARDS_MINUS) * np.cos(angle)
    rim = MASS * GRAVITY * np.column_stack([along, ACROSS * np.sin(angle)])
    assert force == pytest.approx(rim[(rim @ lowest).argmin()], abs=2e-4)
    assert force @ lowest == pytest.approx((rim @ lowest).min(), rel=1e-8)


@pytest.mark.parametrize(
    ("force", "acceleration"),
    [
        ((-0.5, 1.0), (-0.5 / MASS, 1.0 / (1.5 * MASS))),
        ((1.0, 1.0), (0.0, 1.0 / (1.5 * MASS))),
        ((-0.5, 6.0), (-0.5 / MASS, 6.0 / MASS - ACROSS * GRAVITY)),
    ],
)
def test_ratchet_is_free_one_way_and_held_the_other(
    force: tuple[float, float], acceleration: tuple[float, float]
) -> None:
    """Without friction towards +axis, it is free towards -axis; across, it rolls with 2/3 F / m, until it slides."""
    _, velocity = slide(force, (0.0, 0.2, ACROSS))
    assert velocity[:2] / SECONDS == pytest.approx(acceleration, abs=1e-9)


@pytest.mark.parametrize("force", [1.0, -1.0])
def test_passive_wheel_rolls_freely_along_and_holds_across(force: float) -> None:
    _, velocity = slide((force, 0.5), (0.0, 0.0, ACROSS))
    assert velocity[:2] / SECONDS == pytest.approx((force / MASS, 0.5 / (1.5 * MASS)), abs=1e-9)


def test_shifted_centre_of_mass_loads_the_nearer_sphere() -> None:
    """A link that is thrown along its axis does not rotate, for any centre of mass between the spheres."""
    centre, velocity = slide((0.0, 0.0), speed=(0.7, 0.0), seconds=0.5, shift=0.02)
    assert centre[0] == pytest.approx(
        0.7**2 / (2.0 * TOWARDS_MINUS * GRAVITY)
        - 0.5 * TOWARDS_MINUS * GRAVITY * (0.7 / (TOWARDS_MINUS * GRAVITY) - 0.5) ** 2,
        rel=1e-6,
    )
    assert np.abs(velocity[3:]).max() < 1e-6
    assert abs(centre[2] - (0.05 - 1e-6)) < 1e-6
