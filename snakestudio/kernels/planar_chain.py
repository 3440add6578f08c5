"""Linear algebra of a planar chain of links: velocity increments in O(n), with joints eliminated.

The joints of a link move with v + F omega p and v - R omega p, p = (-sin, cos), where F and R are
its arms to front and rear. From both ends inwards, each link's angular velocity is eliminated, and
the remaining quadratic function of the velocity of the inner joint is passed on (the
articulated-body recursion, whose joint part is a single number here). The recursion from both ends
is twice as fast as from one, because the two parts are independent.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_problem import FRONT, LENGTH, REAR, TURN, ChainProblem
from snakestudio.kernels.vec3 import vec3_at, vec3_put

# Columns of a local system, three numbers each: A_xx, A_xy, A_yy; A_xw, A_yw, A_ww;
# b_x, b_y, b_w; and the skew part of xy, xw, yw.
A_VV = 0
A_VW = 3
B = 6
SKEW = 9
XX, XY, YY, XW, YW, WW, B_X, B_Y, B_W = range(9)
# Entries of `stops`: stiffness and right-hand side of a joint.
STIFF = 2
PUSH = 3
# Entries of `eliminated`: coefficients of a link's angular velocity: of its inner joint's velocity,
# constant, and of the next link's angular velocity.
BY_X, BY_Y, ALONE, BY_NEXT = range(4)

Message = tuple[float, float, float, float, float, float, float, float, float]
"""Quadratic that a link passes on, 1/2 [v; w]^T A [v; w] - b^T [v; w], with v the joint's velocity
and w the angular velocity of the receiving link: A_xx, A_xy, A_yy, A_xw, A_yw, A_ww, b_x, b_y,
b_w."""


@inlined
def close_joints(problem: ChainProblem, u: FloatArray) -> None:
    """Make `u` (n, 3) satisfy the joints (P2 (61)); the first link and all angular velocities are unchanged."""
    links = problem.links
    fixed = problem.n_drags > 0
    for k in range(1, u.shape[0]):
        if fixed and problem.drag[k - 1] == math.inf:
            u[k, TURN] = u[k - 1, TURN]
        ahead = links[k - 1, FRONT] * u[k - 1, TURN]
        behind = links[k, REAR] * u[k, TURN]
        u[k, X] = u[k - 1, X] - (problem.sin[k - 1] * ahead + problem.sin[k] * behind)
        u[k, Y] = u[k - 1, Y] + (problem.cos[k - 1] * ahead + problem.cos[k] * behind)


@inlined
def _eliminate_link(
    local: FloatArray,
    k: int,
    hx: float,
    hy: float,
    lx: float,
    ly: float,
    stiffness: float,
    q: float,
    m: Message,
    eliminated: FloatArray,
) -> Message:
    """Eliminate the angular velocity of link k, with the quadratic `m` of its outer neighbour.

    The centre of gravity moves with v + h omega, the outer joint with v + l omega, where v is the
    inner joint's velocity. `stiffness` and `q` define the coupling to the next link inwards:
    1/2 B (omega - w)^2 - q (omega - w). An infinite B is a fixed joint, omega = w.
    """
    mxx, mxy, myy, mxw, myw, mww, ox, oy, ow = m
    cxx, cxy, cyy = vec3_at(local, k, A_VV)
    cxw, cyw, cww = vec3_at(local, k, A_VW)
    bx, by, bw = vec3_at(local, k, B)
    sx = cxx * hx + cxy * hy + cxw
    sy = cxy * hx + cyy * hy + cyw
    own = cww + hx * (sx + cxw) + hy * (sy + cyw) + (mww + 2.0 * (lx * mxw + ly * myw))
    bw = bw + hx * bx + hy * by + ow
    tx = mxx * lx + mxy * ly
    ty = mxy * lx + myy * ly
    aww = own + (lx * tx + ly * ty)
    bw += lx * ox + ly * oy
    sx += tx + mxw
    sy += ty + myw
    bx += ox
    by += oy
    if stiffness == math.inf:
        eliminated[k, BY_X] = eliminated[k, BY_Y] = eliminated[k, ALONE] = 0.0
        eliminated[k, BY_NEXT] = 1.0
        return cxx + mxx, cxy + mxy, cyy + myy, sx, sy, aww, bx, by, bw
    if stiffness > 0.0:
        inverse = 1.0 / (aww + stiffness)
        couple = stiffness * inverse
        xw, yw, ww = sx * couple, sy * couple, aww * couple
        hw = (stiffness * bw - q * aww) * inverse
        bw += q
    else:
        inverse = 1.0 / aww
        couple = xw = yw = ww = hw = 0.0
    kx, ky, g = sx * inverse, sy * inverse, bw * inverse
    eliminated[k, BY_X] = kx
    eliminated[k, BY_Y] = ky
    eliminated[k, ALONE] = g
    eliminated[k, BY_NEXT] = couple
    return (
        (cxx + mxx) - sx * kx,
        (cxy + mxy) - sx * ky,
        (cyy + myy) - sy * ky,
        xw,
        yw,
        ww,
        bx - sx * g,
        by - sy * g,
        hw,
    )


@inlined
def spread(
    eliminated: FloatArray,
    k: int,
    hx: float,
    hy: float,
    lx: float,
    ly: float,
    vx: float,
    vy: float,
    w: float,
    du: FloatArray,
) -> tuple[float, float, float]:
    """Motion of link k from that of its inner joint; return that of its outer joint and the angular velocity."""
    omega = (eliminated[k, ALONE] + eliminated[k, BY_NEXT] * w) - (
        eliminated[k, BY_X] * vx + eliminated[k, BY_Y] * vy
    )
    vec3_put(du, k, (vx + hx * omega, vy + hy * omega, omega))
    return vx + lx * omega, vy + ly * omega, omega


@inlined
def solve_chain(
    problem: ChainProblem,
    local: FloatArray,
    stops: FloatArray,
    eliminated: FloatArray,
    du: FloatArray,
) -> None:
    """Minimise the sum over links of 1/2 du^T A du - b^T du over the increments `du` that satisfy the joints.

    Parameters
    ----------
    local : (n, 9 or more)
        For every link, about its centre of gravity: A_xx, A_xy, A_yy, A_xw, A_yw, A_ww, b_x, b_y,
        b_w.
    stops : (n - 1, 4)
        For every joint, columns 2 and 3: stiffness B and right-hand side q of 1/2 B (omega' -
        omega)^2 - q (omega' - omega), omega' of the link behind the joint, from its limit and drag.
        B is infinite for a fixed joint.
    eliminated : (n, 4)
        Workspace.
    du : (n, 3)
        Filled with the result, about the centres of gravity.
    """
    n = local.shape[0]
    links = problem.links
    cos = problem.cos
    sin = problem.sin
    middle = n // 2
    pairs = n - 1 - middle
    coupled = problem.n_stops + problem.n_drags > 0
    front = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # from the last link
    rear = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # from the first link
    stiff_a = q_a = stiff_b = q_b = 0.0
    for j in range(pairs):
        k = n - 1 - j
        if coupled:
            stiff_a = stops[k - 1, STIFF]
            q_a = stops[k - 1, PUSH]
            stiff_b = stops[j, STIFF]
            q_b = -stops[j, PUSH]
        back = links[k, REAR]
        length = links[k, LENGTH]
        front = _eliminate_link(
            local,
            k,
            -back * sin[k],
            back * cos[k],
            -length * sin[k],
            length * cos[k],
            stiff_a,
            q_a,
            front,
            eliminated,
        )
        forth = links[j, FRONT]
        length = links[j, LENGTH]
        rear = _eliminate_link(
            local,
            j,
            forth * sin[j],
            -forth * cos[j],
            length * sin[j],
            -length * cos[j],
            stiff_b,
            q_b,
            rear,
            eliminated,
        )
    if pairs < middle:
        j = pairs
        if coupled:
            stiff_b = stops[j, STIFF]
            q_b = -stops[j, PUSH]
        forth = links[j, FRONT]
        length = links[j, LENGTH]
        rear = _eliminate_link(
            local,
            j,
            forth * sin[j],
            -forth * cos[j],
            length * sin[j],
            -length * cos[j],
            stiff_b,
            q_b,
            rear,
            eliminated,
        )
    # The middle link, expressed at the midpoint of its joints: first its angular velocity, then the
    # velocity of that point.
    k = middle
    half = 0.5 * links[k, LENGTH]
    skew = 0.5 * (links[k, REAR] - links[k, FRONT])
    hx = -half * sin[k]
    hy = half * cos[k]
    ex = -skew * sin[k]
    ey = skew * cos[k]
    fxx, fxy, fyy, fxw, fyw, fww, gx, gy, gw = front
    rxx, rxy, ryy, rxw, ryw, rww, ox, oy, ow = rear
    cxx, cxy, cyy = vec3_at(local, k, A_VV)
    cxw, cyw, cww = vec3_at(local, k, A_VW)
    cx, cy, cw = vec3_at(local, k, B)
    own_x, own_y = cxx * ex + cxy * ey, cxy * ex + cyy * ey
    own_w = ex * (own_x + 2.0 * cxw) + ey * (own_y + 2.0 * cyw)
    dx, dy = (fxx - rxx) * hx + (fxy - rxy) * hy, (fxy - rxy) * hx + (fyy - ryy) * hy
    axx = cxx + fxx + rxx
    axy = cxy + fxy + rxy
    ayy = cyy + fyy + ryy
    sx, sy = cxw + own_x + dx + fxw + rxw, cyw + own_y + dy + fyw + ryw
    aww = (
        cww
        + own_w
        + (fxx + rxx) * hx * hx
        + 2.0 * (fxy + rxy) * hx * hy
        + (fyy + ryy) * hy * hy
        + fww
        + rww
        + 2.0 * (hx * (fxw - rxw) + hy * (fyw - ryw))
    )
    bx, by = cx + gx + ox, cy + gy + oy
    bw = cw + (ex * cx + ey * cy) + hx * (gx - ox) + hy * (gy - oy) + gw + ow
    kx, ky, g = sx / aww, sy / aww, bw / aww
    axx -= sx * kx
    axy -= sx * ky
    ayy -= sy * ky
    bx -= sx * g
    by -= sy * g
    ratio = axy / axx
    vy = (by - ratio * bx) / (ayy - ratio * axy)
    vx = (bx - axy * vy) / axx
    omega = g - kx * vx - ky * vy
    vec3_put(du, k, (vx + ex * omega, vy + ey * omega, omega))
    ax = vx + hx * omega
    ay = vy + hy * omega
    aw = omega
    bx = vx - hx * omega
    by = vy - hy * omega
    bw = omega
    if pairs < middle:
        j = pairs
        forth = links[j, FRONT]
        length = links[j, LENGTH]
        bx, by, bw = spread(
            eliminated,
            j,
            forth * sin[j],
            -forth * cos[j],
            length * sin[j],
            -length * cos[j],
            bx,
            by,
            bw,
            du,
        )
    for i in range(pairs):
        j = pairs - 1 - i
        k = n - 1 - j
        back = links[k, REAR]
        length = links[k, LENGTH]
        ax, ay, aw = spread(
            eliminated,
            k,
            -back * sin[k],
            back * cos[k],
            -length * sin[k],
            length * cos[k],
            ax,
            ay,
            aw,
            du,
        )
        forth = links[j, FRONT]
        length = links[j, LENGTH]
        bx, by, bw = spread(
            eliminated,
            j,
            forth * sin[j],
            -forth * cos[j],
            length * sin[j],
            -length * cos[j],
            bx,
            by,
            bw,
            du,
        )
