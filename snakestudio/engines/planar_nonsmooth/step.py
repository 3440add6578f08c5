"""One step of P2, block by block."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.advance import Instant, make_advance
from snakestudio.engines.contact_sums import (
    CALL_ITERATIONS,
    CALL_STEPS,
    CONTACTS,
    ITERATIONS,
    SLOTS_CALL,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
)
from snakestudio.engines.joint_references import fill_references, show_references
from snakestudio.engines.outcome import (
    CONTACT_OVERFLOW,
    DIVERGED,
    FAR,
    NOT_SOLVED,
    OK,
    ROW_OVERFLOW,
    SLOT_OVERFLOW,
)
from snakestudio.engines.planar_nonsmooth.contact import (
    book_contacts,
    detect_obstacles,
    detect_stops,
    warm_impulses,
    warm_start,
)
from snakestudio.engines.planar_nonsmooth.dynamics import (
    book_works,
    free_velocity,
    load_discs,
    midpoint,
    move_links,
)
from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.rows import classify_stick, write_row
from snakestudio.engines.planar_nonsmooth.state import WORST_CALL, WORST_ROW, State, Work, Workspace
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.gap import end_speed
from snakestudio.kernels.planar_problem import TURN, ChainImpulses, ChainProblem
from snakestudio.kernels.planar_rescue import rescue_contacts
from snakestudio.kernels.planar_solver import (
    ATTEMPTS,
    polish_contacts,
    soften_contacts,
    solve_contacts,
)
from snakestudio.kernels.residual import (
    CONVERGED,
    GIVE_UP,
    chain_joint_impulses,
    chain_law_residual,
)
from snakestudio.model.world import STANDARD_GRAVITY


@inlined
def contact_problem(params: Params, work: Work, n_contacts: int, n_stops: int) -> ChainProblem:
    """Return the contact problem of the step in `work`."""
    return ChainProblem(
        params.links,
        work.law,
        params.kind,
        work.load,
        params.mass * STANDARD_GRAVITY * params.dt,
        work.cos,
        work.sin,
        work.u_free,
        n_contacts,
        work.link,
        work.rows,
        work.active[1],
        work.stops,
        n_stops,
        work.total,
        len(work.total)
        if params.implicit or params.springs + params.fixed + params.rotors > 0
        else 0,
    )


@inlined
def _residual(problem: ChainProblem, work: Work, impulses: ChainImpulses) -> float:
    """Return the larger residual of force laws and equations of motion (NaN if either is); also fill `work.joint`."""
    laws = chain_law_residual(problem, work.u, impulses)
    motion = chain_joint_impulses(problem, work.u, impulses, work.joint)
    return motion if laws < motion else laws + 0.0 * motion


@inlined
def _turned_over(params: Params, u: FloatArray) -> bool:
    """Return whether a joint or link turns by more than half a turn in one step (or a velocity is not finite)."""
    most = math.pi / params.dt
    before = 0.0
    for k in range(u.shape[0]):
        here = u[k, TURN]
        if not (abs(here - before) <= most and abs(u[k, X]) + abs(u[k, Y]) < 1e12):
            return True
        before = here
    return False


@inlined
def _perform_step(params: Params, state: State, space: Workspace, instant: Instant) -> int:
    """Take one step from u_A, q_A to u_E, q_E; see `engines.advance.perform_step`."""
    work = space.work
    scratch = space.scratch
    # VI-A: midpoint (54), torques (42), (43), and the active set (39) at the midpoint.
    midpoint(params, state, work)
    commanded = fill_references(params, instant, state.counts[STEP], work.reference, work.command)
    free_velocity(params, state, work, commanded)
    load_discs(params, state, work)
    n = state.q.shape[0]
    n_contacts = detect_obstacles(params, state, work)
    if n_contacts > work.link.shape[0]:
        return CONTACT_OVERFLOW
    used = max(state.counts[SLOTS_ROW], state.counts[SLOTS_CALL]) + n_contacts
    if used > state.slot_key.shape[1]:
        return SLOT_OVERFLOW
    if 0 <= instant.capacity < state.counts[SLOTS_ROW] + n_contacts + n:
        return ROW_OVERFLOW
    work.active[0] = n_contacts
    n_stops = detect_stops(params, work)
    warm_start(params, state, work, n_contacts)

    # VI-B: velocities and impulses satisfying (55)-(61).
    problem = contact_problem(params, work, n_contacts, n_stops)
    impulses = ChainImpulses(work.friction, work.normal, work.tangent, work.stop)
    iterations = solve_contacts(
        problem, impulses, work.u, scratch, params.tolerance, params.max_iterations
    )

    # The solution is checked by code that is independent of the solver.
    residual = _residual(problem, work, impulses)
    if residual > CONVERGED and iterations < params.max_iterations:
        iterations += polish_contacts(
            problem, impulses, work.u, scratch, params.tolerance, params.max_iterations - iterations
        )
        residual = _residual(problem, work, impulses)
    attempt = -1
    while not residual <= CONVERGED and iterations < params.max_iterations and attempt < ATTEMPTS:
        most = params.max_iterations - iterations
        if attempt < 0:
            warm_impulses(params, state, work, n_contacts, scratch.rescue.guess)
            iterations += rescue_contacts(problem, impulses, work.u, most, scratch.rescue)
        else:
            if attempt == 0:
                warm_start(params, state, work, n_contacts)
            iterations += soften_contacts(
                problem, impulses, work.u, scratch, params.tolerance, most, attempt
            )
        residual = _residual(problem, work, impulses)
        attempt += 1
    if _turned_over(params, work.u):
        return DIVERGED
    if not residual <= GIVE_UP:
        return NOT_SOLVED
    reach = params.reach
    if params.dt * max(end_speed(state.u, 2, reach), end_speed(work.u, 2, reach)) > params.far:
        return FAR

    # Ledger, positions (63) and closed joints (VI-C).
    counts = state.counts
    sums = state.sums
    counts[STEP] += 1
    counts[CONTACTS] = n_contacts
    book_works(params, state, work)
    move_links(params, state, work)
    counts[ITERATIONS] += iterations
    counts[CALL_STEPS] += 1
    counts[CALL_ITERATIONS] += iterations
    if residual > CONVERGED:
        counts[UNCONVERGED] += 1
    sums[WORST_ROW] = max(sums[WORST_ROW], residual)
    sums[WORST_CALL] = max(sums[WORST_CALL], residual)
    book_contacts(params, state, work)
    return OK


@inlined
def _write_due_row(
    params: Params, state: State, space: Workspace, instant: Instant, rows: RowBuffers
) -> int:
    work = space.work
    show_references(instant, state.counts[STEP] * params.dt, work.reference)
    classify_stick(params, state, work)
    write_row(params, state, work.reference, rows)
    return OK


@inlined
def _end_call(params: Params, state: State, space: Workspace) -> None:
    if state.counts[CALL_STEPS] > 0:
        classify_stick(params, state, space.work)


advance_steps = make_advance(_perform_step, _write_due_row, end_call=_end_call)
