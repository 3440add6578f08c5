"""Contacts of a step in the plane: detection at the midpoint, warm start, and sums of each contact."""

from __future__ import annotations

from snakestudio.engines.contact_sums import CONTACTS, LOADED, SLOT_CALL, SLOT_ROW, SLOTS_ROW, STEP
from snakestudio.engines.planar_nonsmooth.params import CENTRE, HALF, HIGH, LOW, RADIUS, Params
from snakestudio.engines.planar_nonsmooth.state import (
    FRICTION_X,
    FRICTION_Y,
    NORMAL_X,
    NORMAL_Y,
    POINT_X,
    POINT_Y,
    STICKS,
    WEIGHT,
    State,
    Work,
)
from snakestudio.engines.planar_obstacles import BOX_COS, BOX_SIN, HALF_X, HALF_Y, MU
from snakestudio.engines.planar_obstacles import RADIUS as POST_RADIUS
from snakestudio.engines.row_buffers import BODY, FEATURE, LINK
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.gap import (
    point_rectangle,
    stadium_circle,
    stadium_rectangle,
    stadium_touches,
)
from snakestudio.kernels.planar_problem import (
    ACROSS,
    ALONG,
    FORCE_1,
    FORCE_2,
    NORMAL,
    OVER_INERTIA,
    OVER_MASS,
    TANGENT,
    TURN,
    ChainImpulses,
)
from snakestudio.kernels.prox import AT_LIMIT
from snakestudio.kernels.stribeck import stribeck
from snakestudio.kernels.vec3 import vec3_at, vec3_put_at

CLOSED = 1e-9
"""Gap up to which a contact with a box counts as closed, m: if a link starts flush against a wall,
rounding must not decide which of its ends touches."""

# Values of snakestudio.model.snapshot.ContactState.
STICK = 1
SLIP = 2


@inlined
def _enter(
    params: Params,
    state: State,
    work: Work,
    c: int,
    k: int,
    j: int,
    feature: int,
    x: float,
    y: float,
    nx: float,
    ny: float,
    arm: float,
    lever: float,
) -> None:
    """Enter contact `c` of link `k`, whose contact segment has its middle at (`x`, `y`), with obstacle `j`.

    `arm` is the lever arm of the normal force about this middle.
    """
    cos = work.cos[k]
    sin = work.sin[k]
    radius = params.shape[k, RADIUS]
    centre = params.shape[k, CENTRE]
    arm += centre * (cos * ny - sin * nx)
    mu = params.obstacles[j, MU]
    # The tangent (-n_y, n_x) acts on the link's surface: its lever arm is (lever e - radius n) x t.
    slide = (lever + centre) * (cos * nx + sin * ny) - radius
    if params.stribeck_rise > 0.0:
        velocity = nx * state.u[k, Y] - ny * state.u[k, X] + slide * state.u[k, TURN]
        mu *= stribeck(velocity * velocity, params.stribeck_rise, params.stribeck_velocity)
    work.link[c] = k
    work.contact[c, LINK] = k
    work.contact[c, BODY] = j
    work.contact[c, FEATURE] = feature
    vec3_put_at(work.rows, c, NORMAL, (nx, ny, arm))
    vec3_put_at(work.rows, c, TANGENT, (-mu * ny, mu * nx, mu * slide))
    work.point[c, X] = x + lever * cos - radius * nx
    work.point[c, Y] = y + lever * sin - radius * ny
    if mu > 0.0:
        work.active[1] += 1


@jit
def _detect_box(
    params: Params, state: State, work: Work, count: int, k: int, j: int, x: float, y: float
) -> int:
    """Enter the contacts of link `k` with box `j`, in the box's frame; return the new number of contacts."""
    half_x, half_y = params.obstacles[j, HALF_X], params.obstacles[j, HALF_Y]
    box_cos = params.obstacles[j, BOX_COS]
    box_sin = params.obstacles[j, BOX_SIN]
    dx, dy = x - params.obstacles[j, X], y - params.obstacles[j, Y]
    bx = box_cos * dx + box_sin * dy
    by = box_cos * dy - box_sin * dx
    half = params.shape[k, HALF]
    radius = params.shape[k, RADIUS]
    away, _, _ = point_rectangle(bx, by, half_x, half_y)
    if away > half + radius + CLOSED:
        return count
    cos, sin = work.cos[k], work.sin[k]
    link_cos = box_cos * cos + box_sin * sin
    link_sin = box_cos * sin - box_sin * cos
    for feature in range(6):
        gap, nx, ny, arm, lever = stadium_rectangle(
            feature, bx, by, link_cos, link_sin, half, radius, half_x, half_y
        )
        if gap <= CLOSED:
            if count < work.link.shape[0]:
                world_x = box_cos * nx - box_sin * ny
                world_y = box_sin * nx + box_cos * ny
                _enter(
                    params, state, work, count, k, j, feature, x, y, world_x, world_y, arm, lever
                )
            count += 1
    return count


@inlined
def detect_obstacles(params: Params, state: State, work: Work) -> int:
    """Find the active set {g_H(q_M) <= 0} (P2 (39)) with force directions (14), (16); return the number of contacts.

    Contacts beyond the capacity are counted but not stored; `work.active[1]` is the number of
    stored contacts with friction.
    """
    work.active[1] = 0
    # a literal 0 for `count` would make the compiler specialize functions for it
    count: int = work.active[1]
    capacity = work.link.shape[0]
    if params.grid.nx == 0:
        return 0
    half_dt = 0.5 * params.dt
    for k in range(state.q.shape[0]):
        half = params.shape[k, HALF]
        radius = params.shape[k, RADIUS]
        centre = params.shape[k, CENTRE]
        cos, sin = work.cos[k], work.sin[k]
        x = state.q[k, X] + half_dt * state.u[k, X] + centre * cos
        y = state.q[k, Y] + half_dt * state.u[k, Y] + centre * sin
        across = (x - params.grid.x) * params.grid.inverse
        up = (y - params.grid.y) * params.grid.inverse
        if not (0.0 <= across < params.grid.nx and 0.0 <= up < params.grid.ny):
            continue
        cell = int(up) * params.grid.nx + int(across)
        for i in range(params.grid.first[cell], params.grid.first[cell + 1]):
            j = params.grid.items[i]
            if params.obstacles[j, HALF_X] > 0.0:
                count = _detect_box(params, state, work, count, k, j, x, y)
                continue
            cx = params.obstacles[j, X]
            cy = params.obstacles[j, Y]
            cr = params.obstacles[j, POST_RADIUS]
            if not stadium_touches(x, y, cos, sin, half, radius, cx, cy, cr):
                continue
            if count < capacity:
                _, nx, ny, arm, lever = stadium_circle(x, y, cos, sin, half, radius, cx, cy, cr)
                _enter(params, state, work, count, k, j, 0, x, y, nx, ny, arm, lever)
            count += 1
    return count


@inlined
def detect_stops(params: Params, work: Work) -> int:
    """Find joints at or beyond their stops at q_M; return their number."""
    count = 0
    if params.stopped == 0:
        return count
    for k in range(work.stops.shape[0]):
        angle = work.theta[k + 1] - work.theta[k]
        work.stops[k] = 0.0
        if angle >= params.joints[k, HIGH]:
            work.stops[k] = -1.0
            count += 1
        elif angle <= params.joints[k, LOW]:
            work.stops[k] = 1.0
            count += 1
    return count


@inlined
def warm_start(params: Params, state: State, work: Work, n_contacts: int) -> None:
    """Initialize the solver with the impulses and velocities of the previous step (P2, VI-B)."""
    for k in range(state.q.shape[0]):
        for i in range(3):
            work.u[k, i] = state.u[k, i]
    warm_impulses(
        params,
        state,
        work,
        n_contacts,
        ChainImpulses(work.friction, work.normal, work.tangent, work.stop),
    )


@jit
def warm_impulses(
    params: Params, state: State, work: Work, n_contacts: int, into: ChainImpulses
) -> None:
    """Copy the impulses and sum slots of the previous step for contacts with the same link, obstacle and feature."""
    n = state.q.shape[0]
    for k in range(n):
        keep_1 = 1.0 if work.law[k, FORCE_1] > 0.0 and work.load[k] > 0.0 else 0.0
        keep_2 = 1.0 if work.law[k, FORCE_2] > 0.0 and work.load[k] > 0.0 else 0.0
        into.friction[k, ALONG] = keep_1 * state.friction[k, ALONG]
        into.friction[k, ACROSS] = keep_2 * state.friction[k, ACROSS]
    begin = 0  # first old contact of the same link; both lists ascend by link
    for c in range(n_contacts):
        link = work.contact[c, LINK]
        obstacle = work.contact[c, BODY]
        feature = work.contact[c, FEATURE]
        rough = 1.0 if params.obstacles[obstacle, MU] > 0.0 else 0.0
        while begin < state.counts[CONTACTS] and state.contact[begin, LINK] < link:
            begin += 1
        into.normal[c] = 0.0
        into.tangent[c] = 0.0
        work.contact[c, SLOT_ROW] = -1
        work.contact[c, SLOT_CALL] = -1
        old = begin
        while old < state.counts[CONTACTS] and state.contact[old, LINK] == link:
            if state.contact[old, BODY] == obstacle and state.contact[old, FEATURE] == feature:
                into.normal[c] = state.normal[old]
                into.tangent[c] = rough * state.tangent[old]
                work.contact[c, SLOT_ROW] = state.contact[old, SLOT_ROW]
                work.contact[c, SLOT_CALL] = state.contact[old, SLOT_CALL]
            old += 1
    for k in range(n - 1):
        into.stop[k] = state.stop[k] if work.stops[k] != 0.0 else 0.0


@jit
def _slot_of(state: State, which: int, link: int, obstacle: int, feature: int) -> int:
    """Return the slot of a contact in the sums since the row (0) or the call's beginning (1); adds one if needed."""
    used: int = state.counts[SLOTS_ROW + which]
    for i in range(used):
        key = state.slot_key
        if (
            key[which, i, LINK] == link
            and key[which, i, BODY] == obstacle
            and key[which, i, FEATURE] == feature
        ):
            return i
    state.slot_key[which, used, LINK] = link
    state.slot_key[which, used, BODY] = obstacle
    state.slot_key[which, used, FEATURE] = feature
    for i in range(7):
        state.slot_sum[which, used, i] = 0.0
    state.counts[SLOTS_ROW + which] = used + 1
    return used


@inlined
def _contact_state(params: Params, work: Work, c: int) -> int:
    """Return whether an obstacle contact sticks: whether P_T - r gamma_T lies in the admissible set of its friction."""
    k = work.link[c]
    tx, ty, arm = vec3_at(work.rows, c, TANGENT)
    own = (tx * tx + ty * ty) * params.links[k, OVER_MASS] + arm * arm * params.links[
        k, OVER_INERTIA
    ]
    if own <= 0.0:
        return SLIP
    gamma = tx * work.u[k, X] + ty * work.u[k, Y] + arm * work.u[k, TURN]
    return STICK if abs(work.tangent[c] - gamma / own) <= AT_LIMIT * work.normal[c] else SLIP


@inlined
def book_contacts(params: Params, state: State, work: Work) -> None:
    """Add the step's obstacle contacts to the sums of row and call, and save the impulses for the next warm start.

    `state.counts` must already be that after the step.
    """
    for c in range(state.counts[CONTACTS]):
        impulse = work.normal[c]
        if impulse > 0.0:
            kind = _contact_state(params, work, c)
            for which in range(2):
                slot = work.contact[c, 3 + which]
                if slot < 0:
                    slot = _slot_of(
                        state,
                        which,
                        work.contact[c, LINK],
                        work.contact[c, BODY],
                        work.contact[c, FEATURE],
                    )
                    work.contact[c, 3 + which] = slot
                state.slot_key[which, slot, LOADED] = state.counts[STEP]
                state.slot_key[which, slot, STICKS] = kind
                state.slot_sum[which, slot, NORMAL_X] += impulse * work.rows[c, NORMAL + X]
                state.slot_sum[which, slot, NORMAL_Y] += impulse * work.rows[c, NORMAL + Y]
                state.slot_sum[which, slot, POINT_X] += impulse * work.point[c, X]
                state.slot_sum[which, slot, POINT_Y] += impulse * work.point[c, Y]
                state.slot_sum[which, slot, WEIGHT] += impulse
                state.slot_sum[which, slot, FRICTION_X] += (
                    work.tangent[c] * work.rows[c, TANGENT + X]
                )
                state.slot_sum[which, slot, FRICTION_Y] += (
                    work.tangent[c] * work.rows[c, TANGENT + Y]
                )
        for i in range(5):
            state.contact[c, i] = work.contact[c, i]
        state.normal[c] = impulse
        state.tangent[c] = work.tangent[c]
    n = state.q.shape[0]
    for k in range(n):
        state.friction[k, ALONG] = work.friction[k, ALONG]
        state.friction[k, ACROSS] = work.friction[k, ACROSS]
    for k in range(n - 1):
        state.stop[k] = work.stop[k]
