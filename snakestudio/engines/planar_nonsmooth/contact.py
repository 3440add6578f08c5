"""Contacts of a step in the plane: detection at the midpoint, warm start, and the sums kept of every contact."""

from __future__ import annotations

from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.state import CONTACTS, SLOTS_ROW, STEP, State, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.gap import stadium_circle, stadium_touches

__all__ = ["book_contacts", "detect_obstacles", "detect_stops", "warm_start"]


@inlined
def detect_obstacles(params: Params, state: State, work: Work) -> int:
    """Find the active set {g_H(q_M) <= 0} (P2 (39)) with force directions (14), (16); returns how many contacts it has.

    What exceeds the capacity is counted but not stored.
    """
    count = 0
    capacity = work.link.shape[0]
    if params.grid_nx == 0:
        return 0
    half_dt = 0.5 * params.dt
    for k in range(state.q.shape[0]):
        x = state.q[k, 0] + half_dt * state.u[k, 0]
        y = state.q[k, 1] + half_dt * state.u[k, 1]
        across = (x - params.grid_x) * params.grid_inverse
        up = (y - params.grid_y) * params.grid_inverse
        if not (0.0 <= across < params.grid_nx and 0.0 <= up < params.grid_ny):
            continue
        cell = int(up) * params.grid_nx + int(across)
        cos, sin = work.cos[k], work.sin[k]
        for i in range(params.grid_first[cell], params.grid_first[cell + 1]):
            j = params.grid_items[i]
            cx, cy, cr = params.obstacles[j, 0], params.obstacles[j, 1], params.obstacles[j, 2]
            if not stadium_touches(x, y, cos, sin, params.contact_half, params.radius, cx, cy, cr):
                continue
            if count < capacity:
                _, nx, ny, arm, lever = stadium_circle(x, y, cos, sin, params.contact_half, params.radius, cx, cy, cr)
                work.link[count] = k
                work.contact[count, 0] = k
                work.contact[count, 1] = j
                work.rows[count, 0] = nx
                work.rows[count, 1] = ny
                work.rows[count, 2] = arm
                work.point[count, 0] = x + lever * cos - params.radius * nx
                work.point[count, 1] = y + lever * sin - params.radius * ny
            count += 1
    return count


@inlined
def detect_stops(params: Params, work: Work) -> int:
    """Joints at or beyond their stops at q_M; returns how many."""
    count = 0
    for k in range(work.stops.shape[0]):
        angle = work.theta[k + 1] - work.theta[k]
        work.stops[k] = 0.0
        if angle >= params.joint_limit:
            work.stops[k] = -1.0
            count += 1
        elif angle <= -params.joint_limit:
            work.stops[k] = 1.0
            count += 1
    return count


@inlined
def warm_start(params: Params, state: State, work: Work, n_contacts: int) -> None:
    """Begin with the impulses of the step before, contacts told apart by link and obstacle (P2, VI-B)."""
    n = state.q.shape[0]
    keep_1 = 1.0 if params.mu_along > 0.0 and params.gn > 0.0 else 0.0
    keep_2 = 1.0 if params.mu_across > 0.0 and params.gn > 0.0 else 0.0
    for k in range(n):
        work.friction[k, 0] = keep_1 * state.friction[k, 0]
        work.friction[k, 1] = keep_2 * state.friction[k, 1]
        for i in range(3):
            work.u[k, i] = state.u[k, i]
    begin = 0  # of the old contacts of the same link: both lists ascend by link
    for c in range(n_contacts):
        link, obstacle = work.contact[c, 0], work.contact[c, 1]
        while begin < state.counts[CONTACTS] and state.contact[begin, 0] < link:
            begin += 1
        work.normal[c] = 0.0
        work.contact[c, 2] = -1
        work.contact[c, 3] = -1
        old = begin
        while old < state.counts[CONTACTS] and state.contact[old, 0] == link:
            if state.contact[old, 1] == obstacle:
                work.normal[c] = state.normal[old]
                work.contact[c, 2] = state.contact[old, 2]
                work.contact[c, 3] = state.contact[old, 3]
            old += 1
    for k in range(n - 1):
        work.stop[k] = state.stop[k] if work.stops[k] != 0.0 else 0.0


@jit
def _take_slot(state: State, which: int, link: int, obstacle: int) -> int:
    """Slot of a contact in the sums since the row (0) or the call's beginning (1), a new one if it has none."""
    used: int = state.counts[SLOTS_ROW + which]
    for i in range(used):
        if state.slot_key[which, i, 0] == link and state.slot_key[which, i, 1] == obstacle:
            return i
    state.slot_key[which, used, 0] = link
    state.slot_key[which, used, 1] = obstacle
    for i in range(5):
        state.slot_sum[which, used, i] = 0.0
    state.counts[SLOTS_ROW + which] = used + 1
    return used


@inlined
def book_contacts(state: State, work: Work) -> None:
    """Add the step's obstacle contacts to the sums of row and call, and keep the step's impulses as a warm start.

    `state.counts` must already be that after the step.
    """
    for c in range(state.counts[CONTACTS]):
        impulse = work.normal[c]
        if impulse > 0.0:
            for which in range(2):
                slot = work.contact[c, 2 + which]
                if slot < 0:
                    slot = _take_slot(state, which, work.contact[c, 0], work.contact[c, 1])
                    work.contact[c, 2 + which] = slot
                state.slot_key[which, slot, 2] = state.counts[STEP]
                state.slot_sum[which, slot, 0] += impulse * work.rows[c, 0]
                state.slot_sum[which, slot, 1] += impulse * work.rows[c, 1]
                state.slot_sum[which, slot, 2] += impulse * work.point[c, 0]
                state.slot_sum[which, slot, 3] += impulse * work.point[c, 1]
                state.slot_sum[which, slot, 4] += impulse
        for i in range(4):
            state.contact[c, i] = work.contact[c, i]
        state.normal[c] = impulse
    n = state.q.shape[0]
    for k in range(n):
        state.friction[k, 0] = work.friction[k, 0]
        state.friction[k, 1] = work.friction[k, 1]
    for k in range(n - 1):
        state.stop[k] = work.stop[k]
