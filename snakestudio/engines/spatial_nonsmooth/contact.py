"""Contacts of a step in space: detection at the midpoint, force directions, warm start, and the sums kept of each."""

from __future__ import annotations

import math

from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import CONTACTS, SLOTS_ROW, STEADY, STEP, State, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.solids import ContactList, link_contacts
from snakestudio.kernels.spatial_laws import normal_velocity
from snakestudio.kernels.stribeck import stribeck

__all__ = ["book_contacts", "detect_contacts", "force_directions", "warm_start"]

TOUCHING = 1e-9
"""Gap up to which a contact is closed, m: of one that is exactly touching, rounding must not decide."""

GROUND_BODY = -1

NONE_YET = 0
"""As `int(NONE_YET)` a number like any other; a literal would be compiled into versions of all that it is passed to."""

STEADY_STEPS = 3
"""After so many steps with the same contacts and alike changes, the next change is guessed to be like the last."""

LAW_GOES_ON = 0.9
"""Share of the last change of impulses that the guess adds. Below 1, so that loads which are not determined (22 normal
forces on 12 degrees of freedom) do not drift for ever."""


@inlined
def detect_contacts(params: Params, work: Work) -> int:
    """Find the active set {g_N(q_M) <= 0} (P1 (9), (49)), link by link: two spheres on the ground, all else on bodies.

    What exceeds the capacity is counted but not stored.
    """
    count = int(NONE_YET)
    found = work.found
    capacity = found.link.shape[0]
    lever_half, radius = params.contact_half, params.radius
    obstacles = params.friction.shape[0] > 0
    for k in range(work.axis.shape[0]):
        work.first[k] = count
        x, y, z = work.position[k, 0], work.position[k, 1], work.position[k, 2]
        ex, ey, ez = work.axis[k, 0], work.axis[k, 1], work.axis[k, 2]
        for end in range(2):
            lever = lever_half if end == 0 else -lever_half
            gap = z + lever * ez - radius
            if gap <= TOUCHING:
                if count < capacity:
                    found.link[count] = k
                    found.body[count] = GROUND_BODY
                    found.feature[count] = end
                    found.gap[count] = gap
                    found.normal[count, 0] = 0.0
                    found.normal[count, 1] = 0.0
                    found.normal[count, 2] = 1.0
                    found.point[count, 0] = x + lever * ex
                    found.point[count, 1] = y + lever * ey
                    found.point[count, 2] = z + lever * ez - radius
                count += 1
        if obstacles:
            count = link_contacts(params.world, k, x, y, z, ex, ey, ez, lever_half, radius, TOUCHING, found, count)
    work.first[work.axis.shape[0]] = count
    return count


@inlined
def force_directions(params: Params, work: Work, n_contacts: int) -> None:
    """Generalised force directions (P1 (18), (27)-(30), (36)) about p_k, scaled friction, and gains of all laws.

    Along and across are directions in the tangent plane: the link's own axis laid into it, and square to that. Rolling
    friction is isotropic, so its rows may lie along the same two.
    """
    half = params.half_length
    inverse_mass, inverse_across = 1.0 / params.mass, 1.0 / params.inertia
    difference = 1.0 / params.axial - inverse_across
    found, rows, frame = work.found, work.rows, work.frame
    for c in range(n_contacts):
        k = found.link[c]
        body = found.body[c]
        ex, ey, ez = work.axis[k, 0], work.axis[k, 1], work.axis[k, 2]
        nx, ny, nz = found.normal[c, 0], found.normal[c, 1], found.normal[c, 2]
        ax = found.point[c, 0] - work.position[k, 0]
        ay = found.point[c, 1] - work.position[k, 1]
        az = found.point[c, 2] - work.position[k, 2]
        if body < 0:
            mu_along, mu_across, roll = params.mu_along, params.mu_across, params.roll
        else:
            mu_along = mu_across = params.friction[body]
            roll = params.roll if mu_along > 0.0 else 0.0
        # t: the axis less its part along the normal; of an upright link the body's y axis serves.
        lean = ex * nx + ey * ny + ez * nz
        tx, ty, tz = ex - lean * nx, ey - lean * ny, ez - lean * nz
        length = math.sqrt(tx * tx + ty * ty + tz * tz)
        if length < 1e-6:
            tx, ty, tz = work.left[k, 0], work.left[k, 1], work.left[k, 2]
            lean = tx * nx + ty * ny + tz * nz
            tx, ty, tz = tx - lean * nx, ty - lean * ny, tz - lean * nz
            length = math.sqrt(tx * tx + ty * ty + tz * tz)
        inverse = 1.0 / length
        tx *= inverse
        ty *= inverse
        tz *= inverse
        sx, sy, sz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
        frame[c, 0] = tx
        frame[c, 1] = ty
        frame[c, 2] = tz
        frame[c, 3] = sx
        frame[c, 4] = sy
        frame[c, 5] = sz
        # Moments of the unit forces about the centre of gravity, and what they and the forces move there.
        mx, my, mz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
        own = mx * ex + my * ey + mz * ez
        response = inverse_mass + inverse_across * (mx * mx + my * my + mz * mz) + difference * own * own
        work.gain[c, 0] = 1.0 / response
        rows[c, 0] = nx
        rows[c, 1] = ny
        rows[c, 2] = nz
        px, py, pz = ax + half * ex, ay + half * ey, az + half * ez  # from p_k
        rows[c, 3] = py * nz - pz * ny
        rows[c, 4] = pz * nx - px * nz
        rows[c, 5] = px * ny - py * nx
        if params.stribeck_rise > 0.0:
            vx = work.w_start[k, 0] + work.w_start[k, 4] * pz - work.w_start[k, 5] * py
            vy = work.w_start[k, 1] + work.w_start[k, 5] * px - work.w_start[k, 3] * pz
            vz = work.w_start[k, 2] + work.w_start[k, 3] * py - work.w_start[k, 4] * px
            along, across = vx * tx + vy * ty + vz * tz, vx * sx + vy * sy + vz * sz
            square = along * along + across * across
            factor = stribeck(square, params.stribeck_rise, params.stribeck_velocity)
            mu_along *= factor
            mu_across *= factor
        work.mu[c, 0] = mu_along
        work.mu[c, 1] = mu_across
        work.mu[c, 2] = roll
        work.gain[c, 1] = 0.0
        if mu_along > 0.0 or mu_across > 0.0:
            mx, my, mz = ay * tz - az * ty, az * tx - ax * tz, ax * ty - ay * tx
            own = mx * ex + my * ey + mz * ez
            response = inverse_mass + inverse_across * (mx * mx + my * my + mz * mz) + difference * own * own
            mx, my, mz = ay * sz - az * sy, az * sx - ax * sz, ax * sy - ay * sx
            own = mx * ex + my * ey + mz * ez
            other = inverse_mass + inverse_across * (mx * mx + my * my + mz * mz) + difference * own * own
            work.gain[c, 1] = 1.0 / max(mu_along * mu_along * response, mu_across * mu_across * other)
            rows[c, 8] = mu_along * tx
            rows[c, 9] = mu_along * ty
            rows[c, 10] = mu_along * tz
            rows[c, 11] = mu_along * (py * tz - pz * ty)
            rows[c, 12] = mu_along * (pz * tx - px * tz)
            rows[c, 13] = mu_along * (px * ty - py * tx)
            rows[c, 16] = mu_across * sx
            rows[c, 17] = mu_across * sy
            rows[c, 18] = mu_across * sz
            rows[c, 19] = mu_across * (py * sz - pz * sy)
            rows[c, 20] = mu_across * (pz * sx - px * sz)
            rows[c, 21] = mu_across * (px * sy - py * sx)
        else:
            for i in range(6):
                rows[c, 8 + i] = 0.0
                rows[c, 16 + i] = 0.0
        work.gain[c, 2] = 0.0
        if roll > 0.0:
            own = tx * ex + ty * ey + tz * ez
            other = sx * ex + sy * ey + sz * ez
            own = max(own * own, other * other) if difference > 0.0 else min(own * own, other * other)
            work.gain[c, 2] = 1.0 / (roll * roll * (inverse_across + difference * own))
            rows[c, 27] = roll * tx
            rows[c, 28] = roll * ty
            rows[c, 29] = roll * tz
            rows[c, 35] = roll * sx
            rows[c, 36] = roll * sy
            rows[c, 37] = roll * sz
        else:
            for i in range(3, 6):
                rows[c, 24 + i] = 0.0
                rows[c, 32 + i] = 0.0


@inlined
def _before(state: State, found: ContactList, c: int, k: int) -> int:
    """Place of contact `c` of link `k` among those of the step before, -1 if it is new."""
    contact, body, feature = state.contact, found.body[c], found.feature[c]
    if contact[c, 0] == k and contact[c, 1] == body and contact[c, 2] == feature and c < state.first[k + 1]:
        return c  # most often it has not moved
    for old in range(state.first[k], state.first[k + 1]):
        if contact[old, 1] == body and contact[old, 2] == feature:
            return old
    return -1


@inlined
def warm_start(params: Params, state: State, work: Work, n_stops: int) -> None:
    """Begin with the velocities and impulses of the step before (P1, VII-B), contacts told apart by their keys.

    Where the motion is smooth, begin with what these become if they go on changing as they did: most steps of sliding
    on flat ground are then solved by a single iteration instead of two.
    """
    found = work.found
    n = work.axis.shape[0]
    steady = work.first[n] == state.counts[CONTACTS]
    for k in range(n):
        for c in range(work.first[k], work.first[k + 1]):
            work.gamma_start[c] = normal_velocity(work.rows, c, work.w_start, k)
            work.slots[c, 0] = -1
            work.slots[c, 1] = -1
            same = _before(state, found, c, k)
            if same >= 0:
                for i in range(5):
                    work.law[c, i] = state.law[same, i]
                    work.law_before[c, i] = state.law_before[same, i]
                for i in range(1, 3):
                    if not (work.gain[c, 1] > 0.0 and work.mu[c, i - 1] > 0.0):
                        work.law[c, i] = 0.0
                        work.law_before[c, i] = 0.0
                for i in range(3, 5):
                    if not work.gain[c, 2] > 0.0:
                        work.law[c, i] = 0.0
                        work.law_before[c, i] = 0.0
                work.slots[c, 0] = state.contact[same, 3]
                work.slots[c, 1] = state.contact[same, 4]
            else:
                steady = False
                for i in range(5):
                    work.law[c, i] = 0.0
                    work.law_before[c, i] = 0.0
    state.counts[STEADY] = state.counts[STEADY] + 1 if steady else 0
    on_w = on_law = 0.0
    if state.counts[STEADY] >= STEADY_STEPS:
        on_w, on_law = 1.0, LAW_GOES_ON
    for k in range(n):
        for i in range(6):
            work.w[k, i] = work.w_start[k, i] + on_w * state.change[k, i]
        for c in range(work.first[k], work.first[k + 1]):
            for i in range(5):
                now = work.law[c, i]
                work.law[c, i] = now + on_law * (now - work.law_before[c, i])
                work.law_before[c, i] = now
    for k in range(work.stop.shape[0]):
        for a in range(2):
            work.stop[k, a] = state.stop[k, a] if n_stops > 0 and work.stop_sign[k, a] != 0.0 else 0.0


@jit
def _take_slot(state: State, which: int, link: int, body: int, feature: int) -> int:
    """Slot of a contact in the sums since the row (0) or the call's beginning (1), a new one if it has none."""
    used: int = state.counts[SLOTS_ROW + which]
    for i in range(used):
        key = state.slot_key[which, i]
        if key[0] == link and key[1] == body and key[2] == feature:
            return i
    state.slot_key[which, used, 0] = link
    state.slot_key[which, used, 1] = body
    state.slot_key[which, used, 2] = feature
    for i in range(10):
        state.slot_sum[which, used, i] = 0.0
    state.counts[SLOTS_ROW + which] = used + 1
    return used


@inlined
def book_contacts(state: State, work: Work) -> None:
    """Add the step's contacts to the sums, and keep its impulses as a warm start; `state.counts` is that after it."""
    found, impulse = work.found, state.impulse
    step = state.counts[STEP]
    for c in range(state.counts[CONTACTS]):
        k = found.link[c]
        p = work.law[c, 0]
        along, across = work.mu[c, 0] * work.law[c, 1], work.mu[c, 1] * work.law[c, 2]
        fx = along * work.frame[c, 0] + across * work.frame[c, 3]
        fy = along * work.frame[c, 1] + across * work.frame[c, 4]
        fz = along * work.frame[c, 2] + across * work.frame[c, 5]
        if found.body[c] < 0:
            impulse[k, 0] += fx
            impulse[k, 1] += fy
            impulse[k, 2] += p
            if p > 0.0:
                end = found.feature[c]
                ground = state.ground
                ground[k, end, 0] += p
                ground[k, end, 1] += fx
                ground[k, end, 2] += fy
                ground[k, end, 3] += p * found.point[c, 0]
                ground[k, end, 4] += p * found.point[c, 1]
                ground[k, end, 5] = step
        else:
            impulse[k, 3] += p * found.normal[c, 0] + fx
            impulse[k, 4] += p * found.normal[c, 1] + fy
            impulse[k, 5] += p * found.normal[c, 2] + fz
            if p > 0.0:
                for which in range(2):
                    slot = work.slots[c, which]
                    if slot < 0:
                        slot = _take_slot(state, which, k, found.body[c], found.feature[c])
                        work.slots[c, which] = slot
                    state.slot_key[which, slot, 3] = step
                    sums = state.slot_sum
                    for i in range(3):
                        sums[which, slot, i] += p * found.normal[c, i]
                        sums[which, slot, 6 + i] += p * found.point[c, i]
                    sums[which, slot, 3] += fx
                    sums[which, slot, 4] += fy
                    sums[which, slot, 5] += fz
                    sums[which, slot, 9] += p
        state.contact[c, 0] = k
        state.contact[c, 1] = found.body[c]
        state.contact[c, 2] = found.feature[c]
        state.contact[c, 3] = work.slots[c, 0]
        state.contact[c, 4] = work.slots[c, 1]
        for i in range(5):
            state.law[c, i] = work.law[c, i]
            state.law_before[c, i] = work.law_before[c, i]
    for k in range(state.first.shape[0]):
        state.first[k] = work.first[k]
    for k in range(state.stop.shape[0]):
        for a in range(2):
            state.stop[k, a] = work.stop[k, a]
