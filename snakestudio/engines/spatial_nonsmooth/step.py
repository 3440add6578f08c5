"""One step of P1, block by block."""

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
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.engines.spatial_nonsmooth.contact import (
    book_contacts,
    detect_contacts,
    force_directions,
    vary_friction,
    warm_start,
)
from snakestudio.engines.spatial_nonsmooth.dynamics import (
    close_joints,
    drive_joints,
    midpoint,
    move_links,
)
from snakestudio.engines.spatial_nonsmooth.ledger import book_works
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.rows import classify_stick, write_row
from snakestudio.engines.spatial_nonsmooth.state import (
    ANGLE,
    COS,
    NEW_COS,
    NEW_SIN,
    SIN,
    STEADY,
    WORST_CALL,
    WORST_ROW,
    State,
    Work,
    Workspace,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.contact_rescue import rescue
from snakestudio.kernels.dry_rescue import rescue_dry
from snakestudio.kernels.gap import end_speed
from snakestudio.kernels.residual import CONVERGED, GIVE_UP
from snakestudio.kernels.spatial_problem import RX, SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_residual
from snakestudio.kernels.spatial_solver import solve_spatial
from snakestudio.kernels.vec3 import vec3_at
from snakestudio.model.world import STANDARD_GRAVITY


@inlined
def contact_problem(params: Params, work: Work, n_laws: int) -> SpatialProblem:
    """Return the contact problem of the step in `work`."""
    return SpatialProblem(
        params.links,
        params.joints,
        params.half_length,
        params.scale_mass * STANDARD_GRAVITY * params.dt,
        params.swings,
        work.orientation,
        work.reach,
        work.axes,
        work.free,
        n_laws,
        work.first,
        work.rows,
        work.gain,
    )


@inlined
def _turned_over(params: Params, w: FloatArray) -> bool:
    """Return whether a joint or link turns by more than half a turn in one step (or a velocity is not finite)."""
    most = math.pi / params.dt
    bx = by = bz = 0.0
    for k in range(w.shape[0]):
        ox, oy, oz = vec3_at(w, k, RX)
        relative = abs(ox - bx) + abs(oy - by) + abs(oz - bz)
        if not (relative <= most and abs(w[k, X]) + abs(w[k, Y]) + abs(w[k, Z]) < 1e12):
            return True
        bx, by, bz = ox, oy, oz
    return False


@inlined
def _perform_step(params: Params, state: State, space: Workspace, instant: Instant) -> int:
    """Take one step from u_A, q_A to u_E, q_E; see `engines.advance.perform_step`."""
    work = space.work
    scratch = space.scratch
    commanded = fill_references(params, instant, state.counts[STEP], work.reference, work.command)
    # VII-A: midpoint (72), motors (68), (69), the active set (49) at the midpoint and its force
    # directions.
    midpoint(params, state, work)
    n_laws = drive_joints(params, state, work, commanded)
    n = state.q.shape[0]
    n_contacts = detect_contacts(params, work)
    if n_contacts > work.law.shape[0]:
        return CONTACT_OVERFLOW
    used = max(state.counts[SLOTS_ROW], state.counts[SLOTS_CALL]) + n_contacts
    if params.friction.shape[0] > 0 and used > state.slot_key.shape[1]:
        return SLOT_OVERFLOW
    if 0 <= instant.capacity < state.counts[SLOTS_ROW] + n_contacts + 2 * n:
        return ROW_OVERFLOW
    if params.varied > 0:
        time = (state.counts[STEP] + 0.5) * params.dt
        vary_friction(params.ground, work.contacts, n_contacts, time, work.mu, work.gain)
    force_directions(params, work, n_contacts)
    steady = state.counts[STEADY]
    warm_start(params, state, work, n_laws)

    # VII-B: velocities and impulses satisfying (75)-(82).
    problem = contact_problem(params, work, n_laws)
    impulses = SpatialImpulses(work.law, work.joint)
    iterations = solve_spatial(
        problem, impulses, work.w, scratch, params.tolerance, params.max_iterations
    )

    # The solution is checked by code that is independent of the solver.
    residual = spatial_residual(problem, work.w, impulses, work.gamma, work.pushed, work.wrench)
    if not residual <= CONVERGED and iterations < params.max_iterations:
        more, _ = rescue(
            problem,
            impulses,
            work.w,
            scratch.guess,
            params.max_iterations - iterations,
            scratch.rescue,
        )
        iterations += more
        residual = spatial_residual(problem, work.w, impulses, work.gamma, work.pushed, work.wrench)
        if not residual <= CONVERGED and params.dry != 0:
            iterations += rescue_dry(
                problem, impulses, work.w, work.w_start, scratch, residual, params.max_iterations
            )
            residual = spatial_residual(
                problem, work.w, impulses, work.gamma, work.pushed, work.wrench
            )
    outcome = OK
    reach = params.reach  # w is the velocity at the joint behind the link
    if _turned_over(params, work.w):
        outcome = DIVERGED
    elif not residual <= GIVE_UP:
        outcome = NOT_SOLVED
    elif (
        params.dt * max(end_speed(work.w_start, 3, reach), end_speed(work.w, 3, reach)) > params.far
    ):
        outcome = FAR
    if outcome != OK:
        state.counts[STEADY] = steady  # a rejected step must not change the state
        return outcome

    # Ledger, positions (83) and closed joints (VII-C).
    counts = state.counts
    sums = state.sums
    counts[STEP] += 1
    counts[CONTACTS] = n_contacts
    book_works(params, state, work)
    move_links(params, state, work)
    close_joints(params, state, work)
    for j in range(state.angle.shape[0]):
        state.angle[j] = work.axes[j, ANGLE]
        state.turned[j, COS] = work.axes[j, NEW_COS]
        state.turned[j, SIN] = work.axes[j, NEW_SIN]
    counts[ITERATIONS] += iterations
    counts[CALL_STEPS] += 1
    counts[CALL_ITERATIONS] += iterations
    if residual > CONVERGED:
        counts[UNCONVERGED] += 1
    sums[WORST_ROW] = max(sums[WORST_ROW], residual)
    sums[WORST_CALL] = max(sums[WORST_CALL], residual)
    book_contacts(state, work)
    return OK


@inlined
def _write_due_row(
    params: Params, state: State, space: Workspace, instant: Instant, rows: RowBuffers
) -> int:
    work = space.work
    show_references(instant, state.counts[STEP] * params.dt, work.reference)
    classify_stick(state, work)
    write_row(params, state, work, rows)
    return OK


@inlined
def _end_call(params: Params, state: State, space: Workspace) -> None:
    if state.counts[CALL_STEPS] > 0:
        classify_stick(state, space.work)


advance_steps = make_advance(_perform_step, _write_due_row, end_call=_end_call)
