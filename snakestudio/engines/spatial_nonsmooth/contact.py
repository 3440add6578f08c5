"""Contacts of a step in space: detection at the midpoint, force directions, warm start, and sums of each contact."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.contact_sums import CONTACTS, LOADED, SLOT_CALL, SLOT_ROW, SLOTS_ROW, STEP
from snakestudio.engines.row_buffers import BODY, CALL, FEATURE, LINK, ROW
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import (
    BODY_Y,
    FRICTION_X,
    FRICTION_Y,
    FRICTION_Z,
    GROUND_X,
    GROUND_Y,
    GROUND_Z,
    LAST,
    LOAD,
    MOMENT_X,
    MOMENT_Y,
    MU_ACROSS,
    MU_ALONG,
    MU_ROLL,
    OBSTACLE_X,
    OBSTACLE_Y,
    OBSTACLE_Z,
    S_X,
    S_Y,
    S_Z,
    SLIDE_X,
    SLIDE_Y,
    STEADY,
    T_X,
    T_Y,
    T_Z,
    WEIGHT,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.ground_patches import (
    AGAINST_AXIS,
    SIDEWAYS,
    WITH_AXIS,
    GroundMap,
    friction_scale,
    patch_under,
)
from snakestudio.kernels.solid_contacts import ContactList
from snakestudio.kernels.solids import link_contacts
from snakestudio.kernels.spatial_laws import normal_velocity
from snakestudio.kernels.spatial_problem import (
    CONTACT_FRONT,
    CONTACT_REAR,
    GAIN_N,
    GAIN_T,
    GAIN_V,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    INV_ACROSS,
    INV_AXIAL,
    INV_MASS,
    INVERSE_MINUS,
    INVERSE_PLUS,
    LAW_N,
    LAW_T,
    LAW_T2,
    LINK_SHARES,
    MU_LINK_ACROSS,
    MU_LINK_ALONG,
    RADIUS,
    REAR,
    ROLL_RADIUS,
    ROW_T,
    ROW_T2,
    ROW_V,
    ROW_V2,
    RX,
    RY,
    RZ,
    SHARE_MINUS,
    SHARE_PLUS,
)
from snakestudio.kernels.stribeck import stribeck
from snakestudio.kernels.vec3 import vec3, vec3_at

TOUCHING = 1e-9
"""Gap up to which a contact is closed, m: rounding must not decide on a link that just touches."""

GROUND_BODY = -1

NONE_YET = 0
"""Used as `int(NONE_YET)`, a variable; a literal would make the compiler specialize all functions
that it is passed to."""

STEADY_STEPS = 3
"""Number of steps with the same contacts and similar changes after which the next change is
predicted from the last."""

LAW_GOES_ON = 0.9
"""Fraction of the last change of impulses that the prediction adds. It is below 1, so that
undetermined loads (22 normal forces on 12 degrees of freedom) do not drift forever."""


@inlined
def detect_contacts(params: Params, work: Work) -> int:
    """Find the active set {g_N(q_M) <= 0} (P1 (9), (49)), link by link: two spheres on the ground, and on bodies.

    Contacts beyond the capacity are counted but not stored.
    """
    count = int(NONE_YET)
    contacts = work.contacts
    capacity = contacts.link.shape[0]
    obstacles = params.friction.shape[0] > 0
    n = work.orientation.shape[0]
    for k in range(n):
        work.first[k] = count
        rear = params.links[k, CONTACT_REAR]
        front = params.links[k, CONTACT_FRONT]
        radius = params.links[k, RADIUS]
        x, y, z = vec3(work.position, k)
        ex, ey, ez = vec3(work.orientation, k)
        for end in range(2):
            lever = front if end == 0 else rear
            gap = z + lever * ez - radius
            if gap <= TOUCHING:
                if count < capacity:
                    contacts.link[count] = k
                    contacts.body[count] = GROUND_BODY
                    contacts.feature[count] = end
                    contacts.gap[count] = gap
                    contacts.normal[count, X] = 0.0
                    contacts.normal[count, Y] = 0.0
                    contacts.normal[count, Z] = 1.0
                    contacts.point[count, X] = x + lever * ex
                    contacts.point[count, Y] = y + lever * ey
                    contacts.point[count, Z] = z + lever * ez - radius
                count += 1
        if obstacles:
            half = 0.5 * (front - rear)
            middle = 0.5 * (front + rear)
            x, y, z = x + middle * ex, y + middle * ey, z + middle * ez
            count = link_contacts(
                params.world, k, x, y, z, ex, ey, ez, half, radius, TOUCHING, contacts, count
            )
    work.first[n] = count
    return count


@jit
def vary_friction(
    ground: GroundMap,
    contacts: ContactList,
    n_contacts: int,
    time: float,
    mu: FloatArray,
    gain: FloatArray,
) -> None:
    """Compute the friction of contacts with the ground at their positions and at `time`, s.

    Fills the coefficients along and across in `mu`, and the friction gains along in `gain`.
    """
    for c in range(n_contacts):
        if contacts.body[c] >= 0:
            continue
        x, y = contacts.point[c, X], contacts.point[c, Y]
        line = patch_under(ground, x, y)
        k = contacts.link[c]
        scale = friction_scale(ground, time, x, y)
        plus = ground.friction[line, k, WITH_AXIS]
        minus = ground.friction[line, k, AGAINST_AXIS]
        along = max(plus, minus)
        mu[c, MU_ALONG] = scale * along
        mu[c, MU_ACROSS] = scale * ground.friction[line, k, SIDEWAYS]
        for i in range(4):
            gain[c, SHARE_PLUS + i] = 1.0
        if along > 0.0:
            gain[c, SHARE_PLUS] = plus / along
            gain[c, SHARE_MINUS] = minus / along
            gain[c, INVERSE_PLUS] = along / plus if plus > 0.0 else 0.0
            gain[c, INVERSE_MINUS] = along / minus if minus > 0.0 else 0.0


@inlined
def force_directions(params: Params, work: Work, n_contacts: int) -> None:
    """Compute generalised force directions (P1 (18), (27)-(30), (36)) about p_k, scaled friction, and gains of laws.

    "Along" and "across" are directions in the tangent plane: the projection of the link's axis, and
    the perpendicular direction. Rolling friction is isotropic, so that its rows can have the same
    directions. Ground friction that varies with position or time is filled before by
    `vary_friction`.
    """
    links = params.links
    contacts = work.contacts
    rows = work.rows
    frame = work.frame
    for c in range(n_contacts):
        k = contacts.link[c]
        body = contacts.body[c]
        half = links[k, REAR]
        inverse_mass = links[k, INV_MASS]
        inverse_across = links[k, INV_ACROSS]
        difference = links[k, INV_AXIAL] - inverse_across
        ex, ey, ez = vec3(work.orientation, k)
        nx, ny, nz = vec3(contacts.normal, c)
        ax = contacts.point[c, X] - work.position[k, X]
        ay = contacts.point[c, Y] - work.position[k, Y]
        az = contacts.point[c, Z] - work.position[k, Z]
        if body < 0 and params.varied > 0:
            mu_along = work.mu[c, MU_ALONG]
            mu_across = work.mu[c, MU_ACROSS]
            roll = links[k, ROLL_RADIUS]
        elif body < 0:
            mu_along = links[k, MU_LINK_ALONG]
            mu_across = links[k, MU_LINK_ACROSS]
            roll = links[k, ROLL_RADIUS]
            for i in range(4):
                work.gain[c, SHARE_PLUS + i] = links[k, LINK_SHARES + i]
        else:
            mu_along = mu_across = params.friction[body]
            roll = links[k, ROLL_RADIUS] if mu_along > 0.0 else 0.0
            for i in range(4):
                work.gain[c, SHARE_PLUS + i] = 1.0
        # t: the axis minus its component along the normal; for an upright link, the body's y axis
        # is used.
        lean = ex * nx + ey * ny + ez * nz
        tx, ty, tz = ex - lean * nx, ey - lean * ny, ez - lean * nz
        length = math.sqrt(tx * tx + ty * ty + tz * tz)
        if length < 1e-6:
            tx, ty, tz = vec3_at(work.orientation, k, BODY_Y)
            lean = tx * nx + ty * ny + tz * nz
            tx, ty, tz = tx - lean * nx, ty - lean * ny, tz - lean * nz
            length = math.sqrt(tx * tx + ty * ty + tz * tz)
        inverse = 1.0 / length
        tx *= inverse
        ty *= inverse
        tz *= inverse
        sx, sy, sz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
        frame[c, T_X] = tx
        frame[c, T_Y] = ty
        frame[c, T_Z] = tz
        frame[c, S_X] = sx
        frame[c, S_Y] = sy
        frame[c, S_Z] = sz
        # Moments of the unit forces about the centre of gravity, and the velocities that forces and
        # moments cause there.
        mx, my, mz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
        own = mx * ex + my * ey + mz * ez
        response = (
            inverse_mass + inverse_across * (mx * mx + my * my + mz * mz) + difference * own * own
        )
        work.gain[c, GAIN_N] = 1.0 / response
        rows[c, X] = nx
        rows[c, Y] = ny
        rows[c, Z] = nz
        px, py, pz = ax + half * ex, ay + half * ey, az + half * ez  # from p_k
        rows[c, RX] = py * nz - pz * ny
        rows[c, RY] = pz * nx - px * nz
        rows[c, RZ] = px * ny - py * nx
        if params.stribeck_rise > 0.0:
            vx = work.w_start[k, X] + work.w_start[k, RY] * pz - work.w_start[k, RZ] * py
            vy = work.w_start[k, Y] + work.w_start[k, RZ] * px - work.w_start[k, RX] * pz
            vz = work.w_start[k, Z] + work.w_start[k, RX] * py - work.w_start[k, RY] * px
            along, across = vx * tx + vy * ty + vz * tz, vx * sx + vy * sy + vz * sz
            square = along * along + across * across
            factor = stribeck(square, params.stribeck_rise, params.stribeck_velocity)
            mu_along *= factor
            mu_across *= factor
        work.mu[c, MU_ALONG] = mu_along
        work.mu[c, MU_ACROSS] = mu_across
        work.mu[c, MU_ROLL] = roll
        work.gain[c, GAIN_T] = 0.0
        if not (
            mu_along <= 0.0 and mu_across <= 0.0
        ):  # NaN from a formula must not count as no friction
            mx, my, mz = ay * tz - az * ty, az * tx - ax * tz, ax * ty - ay * tx
            own = mx * ex + my * ey + mz * ez
            response = (
                inverse_mass
                + inverse_across * (mx * mx + my * my + mz * mz)
                + difference * own * own
            )
            mx, my, mz = ay * sz - az * sy, az * sx - ax * sz, ax * sy - ay * sx
            own = mx * ex + my * ey + mz * ez
            other = (
                inverse_mass
                + inverse_across * (mx * mx + my * my + mz * mz)
                + difference * own * own
            )
            work.gain[c, GAIN_T] = 1.0 / max(
                mu_along * mu_along * response, mu_across * mu_across * other
            )
            rows[c, ROW_T + X] = mu_along * tx
            rows[c, ROW_T + Y] = mu_along * ty
            rows[c, ROW_T + Z] = mu_along * tz
            rows[c, ROW_T + RX] = mu_along * (py * tz - pz * ty)
            rows[c, ROW_T + RY] = mu_along * (pz * tx - px * tz)
            rows[c, ROW_T + RZ] = mu_along * (px * ty - py * tx)
            rows[c, ROW_T2 + X] = mu_across * sx
            rows[c, ROW_T2 + Y] = mu_across * sy
            rows[c, ROW_T2 + Z] = mu_across * sz
            rows[c, ROW_T2 + RX] = mu_across * (py * sz - pz * sy)
            rows[c, ROW_T2 + RY] = mu_across * (pz * sx - px * sz)
            rows[c, ROW_T2 + RZ] = mu_across * (px * sy - py * sx)
        else:
            for i in range(6):
                rows[c, 8 + i] = 0.0
                rows[c, 16 + i] = 0.0
        work.gain[c, GAIN_V] = 0.0
        if roll > 0.0:
            own = tx * ex + ty * ey + tz * ez
            other = sx * ex + sy * ey + sz * ez
            own = (
                max(own * own, other * other) if difference > 0.0 else min(own * own, other * other)
            )
            work.gain[c, GAIN_V] = 1.0 / (roll * roll * (inverse_across + difference * own))
            rows[c, ROW_V + RX] = roll * tx
            rows[c, ROW_V + RY] = roll * ty
            rows[c, ROW_V + RZ] = roll * tz
            rows[c, ROW_V2 + RX] = roll * sx
            rows[c, ROW_V2 + RY] = roll * sy
            rows[c, ROW_V2 + RZ] = roll * sz
        else:
            for i in range(3, 6):
                rows[c, 24 + i] = 0.0
                rows[c, 32 + i] = 0.0


@inlined
def _before(state: State, contacts: ContactList, c: int, k: int) -> int:
    """Return the index of contact `c` of link `k` among those of the previous step, -1 if it is new."""
    contact = state.contact
    body = contacts.body[c]
    feature = contacts.feature[c]
    if (
        contact[c, LINK] == k
        and contact[c, BODY] == body
        and contact[c, FEATURE] == feature
        and c < state.first[k + 1]
    ):
        return c  # usually the index is unchanged
    for old in range(state.first[k], state.first[k + 1]):
        if contact[old, BODY] == body and contact[old, FEATURE] == feature:
            return old
    return -1


@inlined
def warm_start(params: Params, state: State, work: Work, n_laws: int) -> None:
    """Initialize with velocities and impulses of the previous step (P1, VII-B), with contacts matched by key.

    Where the motion is smooth, the initial values are extrapolated by their last changes: most
    steps of sliding on flat ground are then solved in a single iteration instead of two.
    """
    contacts = work.contacts
    n = work.orientation.shape[0]
    steady = work.first[n] == state.counts[CONTACTS]
    for k in range(n):
        for c in range(work.first[k], work.first[k + 1]):
            work.gamma_start[c] = normal_velocity(work.rows, c, work.w_start, k)
            work.slots[c, ROW] = -1
            work.slots[c, CALL] = -1
            same = _before(state, contacts, c, k)
            if same >= 0:
                for i in range(5):
                    work.law[c, i] = state.law[same, i]
                    work.law_before[c, i] = state.law_before[same, i]
                for i in range(1, 3):
                    if not (work.gain[c, GAIN_T] > 0.0 and work.mu[c, i - 1] > 0.0):
                        work.law[c, i] = 0.0
                        work.law_before[c, i] = 0.0
                for i in range(3, 5):
                    if not work.gain[c, GAIN_V] > 0.0:
                        work.law[c, i] = 0.0
                        work.law_before[c, i] = 0.0
                work.slots[c, ROW] = state.contact[same, SLOT_ROW]
                work.slots[c, CALL] = state.contact[same, SLOT_CALL]
            else:
                steady = False
                for i in range(5):
                    work.law[c, i] = 0.0
                    work.law_before[c, i] = 0.0
    state.counts[STEADY] = state.counts[STEADY] + 1 if steady else 0
    on_w = on_law = 0.0
    if state.counts[STEADY] >= STEADY_STEPS:
        on_w = 1.0
        on_law = LAW_GOES_ON
    for k in range(n):
        for i in range(6):
            work.w[k, i] = work.w_start[k, i] + on_w * state.change[k, i]
        for c in range(work.first[k], work.first[k + 1]):
            for i in range(5):
                now = work.law[c, i]
                work.law[c, i] = now + on_law * (now - work.law_before[c, i])
                work.law_before[c, i] = now
    for j in range(work.joint.shape[0]):
        work.joint[j] = 0.0
        if n_laws > 0:
            low, high = work.axes[j, IMPULSE_LOW], work.axes[j, IMPULSE_HIGH]
            work.joint[j] = min(max(state.stop[j], low), high)


@jit
def _slot_of(state: State, which: int, link: int, body: int, feature: int) -> int:
    """Return the slot of a contact in the sums since the row (0) or the call's beginning (1); adds one if needed."""
    used: int = state.counts[SLOTS_ROW + which]
    for i in range(used):
        key = state.slot_key[which, i]
        if key[0] == link and key[1] == body and key[2] == feature:
            return i
    state.slot_key[which, used, LINK] = link
    state.slot_key[which, used, BODY] = body
    state.slot_key[which, used, FEATURE] = feature
    for i in range(10):
        state.slot_sum[which, used, i] = 0.0
    state.counts[SLOTS_ROW + which] = used + 1
    return used


@inlined
def book_contacts(state: State, work: Work) -> None:
    """Add the step's contacts to the sums, save impulses for the warm start; `state.counts` is that after the step."""
    contacts = work.contacts
    impulse = state.impulse
    step = state.counts[STEP]
    for c in range(state.counts[CONTACTS]):
        k = contacts.link[c]
        p = work.law[c, LAW_N]
        along = work.mu[c, MU_ALONG] * work.law[c, LAW_T]
        across = work.mu[c, MU_ACROSS] * work.law[c, LAW_T2]
        fx = along * work.frame[c, T_X] + across * work.frame[c, S_X]
        fy = along * work.frame[c, T_Y] + across * work.frame[c, S_Y]
        fz = along * work.frame[c, T_Z] + across * work.frame[c, S_Z]
        if contacts.body[c] < 0:
            impulse[k, GROUND_X] += fx
            impulse[k, GROUND_Y] += fy
            impulse[k, GROUND_Z] += p
            if p > 0.0:
                end = contacts.feature[c]
                ground = state.ground
                ground[k, end, LOAD] += p
                ground[k, end, SLIDE_X] += fx
                ground[k, end, SLIDE_Y] += fy
                ground[k, end, MOMENT_X] += p * contacts.point[c, X]
                ground[k, end, MOMENT_Y] += p * contacts.point[c, Y]
                ground[k, end, LAST] = step
        else:
            impulse[k, OBSTACLE_X] += p * contacts.normal[c, X] + fx
            impulse[k, OBSTACLE_Y] += p * contacts.normal[c, Y] + fy
            impulse[k, OBSTACLE_Z] += p * contacts.normal[c, Z] + fz
            if p > 0.0:
                for which in range(2):
                    slot = work.slots[c, which]
                    if slot < 0:
                        slot = _slot_of(state, which, k, contacts.body[c], contacts.feature[c])
                        work.slots[c, which] = slot
                    state.slot_key[which, slot, LOADED] = step
                    sums = state.slot_sum
                    for i in range(3):
                        sums[which, slot, i] += p * contacts.normal[c, i]
                        sums[which, slot, 6 + i] += p * contacts.point[c, i]
                    sums[which, slot, FRICTION_X] += fx
                    sums[which, slot, FRICTION_Y] += fy
                    sums[which, slot, FRICTION_Z] += fz
                    sums[which, slot, WEIGHT] += p
        state.contact[c, LINK] = k
        state.contact[c, BODY] = contacts.body[c]
        state.contact[c, FEATURE] = contacts.feature[c]
        state.contact[c, SLOT_ROW] = work.slots[c, ROW]
        state.contact[c, SLOT_CALL] = work.slots[c, CALL]
        for i in range(5):
            state.law[c, i] = work.law[c, i]
            state.law_before[c, i] = work.law_before[c, i]
    for k in range(state.first.shape[0]):
        state.first[k] = work.first[k]
    for j in range(state.stop.shape[0]):
        state.stop[j] = work.joint[j]
