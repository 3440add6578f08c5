"""Solution of the linearised contact problem by the articulated recursion, for Newton's step and a path's tangent."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.octet import Octet, octet, octet_plus, octet_times, octet_with, octet_zero
from snakestudio.kernels.rescue_points import (
    DISC_T,
    DISC_V,
    JOINT_K,
    JOINT_Q,
    JOINT_S,
    K_1N,
    K_2N,
    K_11,
    K_12,
    K_21,
    K_22,
    K_N,
    Q_1,
    Q_2,
    Q_N,
    S_1,
    S_2,
    S_N,
    WIDTH,
    Point,
    RescueScratch,
    accelerate,
)
from snakestudio.kernels.spatial_chain import (
    add_inertia,
    add_product,
    add_turning,
    close_chain,
    eliminate_axis,
    eliminate_pair,
    expand_joints,
    no_system,
    shift_system,
    solve_root,
    solve_triangular,
)
from snakestudio.kernels.spatial_laws import contact_velocities
from snakestudio.kernels.spatial_problem import (
    DRAG,
    DRIVE,
    GAIN_N,
    GAIN_T,
    GAIN_V,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_N,
    SpatialImpulses,
    SpatialProblem,
)

NEWTON = 6
TANGENT = 7
"""Numbers of the octets' lanes of the two right-hand sides."""


@inlined
def _step_disc(d: Point, c: int, i: int, law: FloatArray, at: int, with_q: bool) -> None:
    """Compute the impulses of a disc along a direction from its relative velocities."""
    q1, q2 = (
        (law[c, at + Q_1], law[c, at + Q_2]) if with_q else (law[c, at + S_1], law[c, at + S_2])
    )
    g0 = d.gamma[c, LAW_N]
    g1 = d.gamma[c, i]
    g2 = d.gamma[c, i + 1]
    d.contact[c, i] = q1 - law[c, at + K_1N] * g0 - law[c, at + K_11] * g1 - law[c, at + K_12] * g2
    d.contact[c, i + 1] = (
        q2 - law[c, at + K_2N] * g0 - law[c, at + K_21] * g1 - law[c, at + K_22] * g2
    )


@jit
def _expand(problem: SpatialProblem, d: Point, s: RescueScratch, side: int) -> None:
    """Compute velocities and impulses along a direction from right-hand side `side` of the eliminated system."""
    solve_triangular(s.root, side, d.w)
    expand_joints(problem, s.eliminated, side, d.w, d.rate)
    with_q = side == NEWTON
    law = s.law
    for k in range(d.w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, d.w, k, d.gamma, False)
            d.contact[c, LAW_N] = (law[c, Q_N] if with_q else law[c, S_N]) - law[c, K_N] * d.gamma[
                c, LAW_N
            ]
            if problem.gain[c, GAIN_T] > 0.0:
                _step_disc(d, c, 1, law, DISC_T, with_q)
            if problem.gain[c, GAIN_V] > 0.0:
                _step_disc(d, c, 3, law, DISC_V, with_q)
    for j in range(problem.axes.shape[0]):
        d.joint[j] = 0.0  # also without a law, because the workspace is that of the previous step
        if problem.axes[j, IMPULSE_LOW] < problem.axes[j, IMPULSE_HIGH]:
            push = s.joint[j, JOINT_Q] if with_q else s.joint[j, JOINT_S]
            d.joint[j] = push - s.joint[j, JOINT_K] * d.rate[j]


@inlined
def _own_impulse(
    problem: SpatialProblem, at: Point, s: RescueScratch, j: int
) -> tuple[float, Octet]:
    """Impulse that a joint axis loses per unit of its rate, and impulse of its motor and law at the current rate."""
    stiff: float = problem.axes[j, DRAG]
    push: float = problem.axes[j, DRIVE] - stiff * at.rate[j]
    growth = 0.0
    if problem.axes[j, IMPULSE_LOW] < problem.axes[j, IMPULSE_HIGH]:
        stiff += s.joint[j, JOINT_K]
        push += at.joint[j] + s.joint[j, JOINT_Q]
        growth = s.joint[j, JOINT_S]
    return stiff, octet_with(octet_with(octet_zero(), NEWTON, push), TANGENT, growth)


@jit
def solve(problem: SpatialProblem, at: Point, s: RescueScratch, tangent: bool) -> None:
    """Solve the linearised problem for Newton's step and, if requested, for the path's tangent."""
    law = s.law
    rows = problem.rows
    n = at.w.shape[0]
    system = no_system()
    for reverse in range(n):
        k = n - 1 - reverse
        system = add_inertia(problem, s.inertia, at.w, k, system)
        for c in range(problem.first[k], problem.first[k + 1]):
            normal = octet(rows, c, 0)
            row = octet_with(
                octet_times(law[c, K_N], normal), NEWTON, at.contact[c, LAW_N] + law[c, Q_N]
            )
            system = add_product(system, normal, octet_with(row, TANGENT, law[c, S_N]))
            for j in range(1, 3):
                if problem.gain[c, j] > 0.0:
                    i = 2 * j - 1
                    d = DISC_T if j == 1 else DISC_V
                    a = octet(rows, c, 8 * i)
                    b = octet(rows, c, 8 * i + 8)
                    one = octet_plus(octet_times(law[c, d + K_1N], normal), law[c, d + K_11], a)
                    one = octet_with(
                        octet_plus(one, law[c, d + K_12], b),
                        NEWTON,
                        at.contact[c, i] + law[c, d + Q_1],
                    )
                    two = octet_plus(octet_times(law[c, d + K_2N], normal), law[c, d + K_21], a)
                    two = octet_with(
                        octet_plus(two, law[c, d + K_22], b),
                        NEWTON,
                        at.contact[c, i + 1] + law[c, d + Q_2],
                    )
                    one = octet_with(one, TANGENT, law[c, d + S_1])
                    two = octet_with(two, TANGENT, law[c, d + S_2])
                    if j == 1:
                        system = add_product(add_product(system, a, one), b, two)
                    else:
                        system = add_turning(add_turning(system, a, one), b, two)
        if k > 0:
            begin = problem.joints[k - 1]
            end = problem.joints[k]
            if (end - begin) % 2 == 1:  # the last of one or three; the remaining axes form a pair
                stiff, push = _own_impulse(problem, at, s, end - 1)
                system = eliminate_axis(problem, end - 1, system, stiff, push, s.eliminated)
            if end - begin >= 2:
                stiff_0, push_0 = _own_impulse(problem, at, s, begin)
                stiff_1, push_1 = _own_impulse(problem, at, s, begin + 1)
                system = eliminate_pair(
                    problem, begin, system, stiff_0, stiff_1, push_0, push_1, s.eliminated
                )
            system = shift_system(problem, k - 1, system)
    solve_root(system, s.root, s.newton.w)
    _expand(problem, s.newton, s, NEWTON)
    if tangent:
        _expand(problem, s.tangent, s, TANGENT)


@jit
def begin(
    problem: SpatialProblem, at: Point, guess: SpatialImpulses, use: float, s: RescueScratch
) -> None:
    """Set the impulses to `use` times the guess, and the velocities to those of the equations of motion."""
    contacts = int(problem.first[at.w.shape[0]])
    for c in range(contacts):
        for i in range(5):
            is_load = problem.gain[c, GAIN_N] == 0.0 and i == 0
            at.contact[c, i] = guess.contact[c, i] if is_load else use * guess.contact[c, i]
        for i in range(WIDTH):
            s.law[c, i] = 0.0
    for j in range(at.joint.shape[0]):
        at.joint[j] = use * guess.joint[j]
        for i in range(3):
            s.joint[j, i] = 0.0
    close_chain(problem, at.w, at.rate)
    for _ in range(2):  # the second pass removes rounding errors
        solve(problem, at, s, False)
        accelerate(at, s.newton, 0)
    for k in range(at.w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, at.w, k, at.gamma, False)


@inlined
def largest_impulse(problem: SpatialProblem, at: Point) -> float:
    """Largest impulse that would cancel one of a point's relative velocities alone, N s."""
    largest: float = problem.scale
    for c in range(problem.first[at.w.shape[0]]):
        for i in range(5):
            largest = max(largest, problem.gain[c, (i + 1) // 2] * abs(at.gamma[c, i]))
    return largest
