"""Entry points into kernels that are otherwise inlined into a time step."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.directional import natural_box, natural_unit_velocity
from snakestudio.kernels.gap import stadium_circle, stadium_rectangle, stadium_touches
from snakestudio.kernels.planar_chain import solve_chain
from snakestudio.kernels.planar_chain_skew import solve_chain_skew
from snakestudio.kernels.planar_problem import (
    BOX,
    HALVES,
    UNIT_VELOCITY,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_rescue import PlanarRescue, rescue_contacts
from snakestudio.kernels.planar_scratch import ChainScratch, make_scratch
from snakestudio.kernels.planar_solver import polish_contacts, solve_contacts
from snakestudio.kernels.prox import natural_halves
from snakestudio.kernels.residual import CONVERGED, chain_joint_impulses, chain_law_residual
from snakestudio.kernels.trig import sin_cos


@jit
def _solve(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    tolerance: float,
    most: int,
) -> int:
    return solve_contacts(problem, impulses, u, scratch, tolerance, most)


def solve(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    tolerance: float,
    most: int,
) -> int:
    """Solve in place as a step does; return the number of iterations."""
    _guess(impulses, scratch.rescue)
    iterations: int = _solve(problem, impulses, u, scratch, tolerance, most)
    if max(residuals(problem, u, impulses)) > CONVERGED and iterations < most:
        iterations += polish_contacts(problem, impulses, u, scratch, tolerance, most - iterations)
    if max(residuals(problem, u, impulses)) > CONVERGED and iterations < most:
        iterations += rescue_contacts(problem, impulses, u, most - iterations, scratch.rescue)
    return iterations


def solve_by_rescue(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, most: int
) -> int:
    """Solve as `solve`, without the fast iteration first."""
    scratch = make_scratch(len(u), len(impulses.normal)).rescue
    _guess(impulses, scratch)
    return rescue_contacts(problem, impulses, u, most, scratch)


def _guess(impulses: ChainImpulses, scratch: PlanarRescue) -> None:
    for begun, array in zip(scratch.guess, impulses, strict=True):
        begun[: len(array)] = array


@jit
def solve_chain_alone(
    problem: ChainProblem,
    local: FloatArray,
    stops: FloatArray,
    eliminated: FloatArray,
    du: FloatArray,
    skew: bool,
) -> None:
    if skew:
        solve_chain_skew(problem, local, stops, eliminated, du)
    else:
        solve_chain(problem, local, stops, eliminated, du)


@jit
def _residuals(
    problem: ChainProblem, u: FloatArray, impulses: ChainImpulses, joint: FloatArray
) -> tuple[float, float]:
    return chain_law_residual(problem, u, impulses), chain_joint_impulses(
        problem, u, impulses, joint
    )


def residuals(problem: ChainProblem, u: FloatArray, impulses: ChainImpulses) -> tuple[float, float]:
    """Residuals of the force laws and of the equations of motion."""
    return _residuals(problem, u, impulses, np.zeros((len(u) - 1, 2)))


@jit
def trig(angle: FloatArray, cos: FloatArray, sin: FloatArray) -> None:
    sin_cos(angle, cos, sin)


@jit
def gap(
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    cx: float,
    cy: float,
    cr: float,
) -> tuple[float, float, float, float, float]:
    return stadium_circle(x, y, cos, sin, half, radius, cx, cy, cr)


@jit
def touches(
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    cx: float,
    cy: float,
    cr: float,
) -> bool:
    return stadium_touches(x, y, cos, sin, half, radius, cx, cy, cr)


@jit
def rectangle_gap(
    feature: int,
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    half_x: float,
    half_y: float,
) -> tuple[float, float, float, float, float]:
    return stadium_rectangle(feature, x, y, cos, sin, half, radius, half_x, half_y)


@jit
def _natural_ground(
    kind: int,
    p1: float,
    p2: float,
    g1: float,
    g2: float,
    prox_r: float,
    radius: float,
    plus: float,
    minus: float,
) -> float:
    if kind == HALVES:
        return natural_halves(p1, p2, g1, g2, prox_r, radius, plus, minus)
    if kind == UNIT_VELOCITY:
        return natural_unit_velocity((p1, p2), (g1, g2), prox_r, radius, plus, minus)
    return natural_box((p1, p2), (g1, g2), prox_r, radius, plus, minus)


def natural_ground(law: str, *values: float) -> float:
    """Violation of a friction law on the ground: "halves", "unit_velocity" or "box"."""
    kind = {"halves": HALVES, "unit_velocity": UNIT_VELOCITY, "box": BOX}[law]
    distance: float = _natural_ground(kind, *(float(value) for value in values))
    return distance
