"""Entry points into kernels of the Lagrangian model that are otherwise inlined into a time step."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_lagrangian.dynamics import accelerate
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.state import Work
from snakestudio.kernels._jit import jit
from snakestudio.kernels.centred_chain import gather_on_angles, inertia_and_bias, spread_from_centre
from snakestudio.kernels.cholesky import cholesky_solve
from snakestudio.kernels.hermite import evaluate_linear, evaluate_reference
from snakestudio.kernels.smooth_friction import smooth_friction
from snakestudio.kernels.smooth_robot import CentredChain


@jit
def solve(matrix: FloatArray, rhs: FloatArray) -> None:
    cholesky_solve(matrix, rhs)


@jit
def spread(part: FloatArray, chain: CentredChain, centre: FloatArray, out: FloatArray) -> None:
    spread_from_centre(part, chain, centre, out)


@jit
def gather(
    force: FloatArray, chain: CentredChain, cos: FloatArray, sin: FloatArray, out: FloatArray
) -> None:
    gather_on_angles(force, chain, cos, sin, out)


@jit
def mass_and_bias(
    coupling: FloatArray,
    inertia: FloatArray,
    cos: FloatArray,
    sin: FloatArray,
    omega: FloatArray,
    matrix: FloatArray,
    bias: FloatArray,
) -> None:
    inertia_and_bias(coupling, inertia, cos, sin, omega, matrix, bias)


@jit
def accelerations(params: Params, wrench: FloatArray, work: Work) -> None:
    accelerate(params, wrench, work, False, 0.0)


@jit
def reference_at(
    knots: FloatArray,
    angle: FloatArray,
    rate: FloatArray,
    acceleration: FloatArray,
    time: float,
    reference: FloatArray,
    expected: FloatArray,
) -> None:
    knot = evaluate_reference(knots, angle, rate, 2, time, 0, reference)
    evaluate_linear(knots, acceleration, 2, time, knot, expected)


@jit
def friction(
    law: int,
    tanh: bool,
    eps: float,
    limits: tuple[float, float, float],
    along: float,
    across: float,
) -> tuple[float, float]:
    result: tuple[float, float] = smooth_friction(
        law, tanh, eps, limits[0], limits[1], limits[2], along, across
    )
    return result
