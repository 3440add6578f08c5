"""Data of the contact problem of one step of a planar chain of links, for the solver and the residual."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray

TURN = 2
"""Index of a link's angular velocity in (n, 3), and of the moment among its forces, after X and Y."""

# Entries of ChainImpulses.friction.
ALONG, ACROSS = range(2)
# Columns of ChainProblem.rows where the normal force starts, and the friction: x, y, arm.
NORMAL = 0
TANGENT = 3


# Entries of ChainProblem.links.
MASS, INERTIA, FRONT, REAR, LENGTH, OVER_MASS, OVER_INERTIA = range(7)
LINK_WIDTH = 7

# Entries of ChainProblem.law.
(
    FORCE_1,
    FORCE_2,
    RATE_1,
    RATE_2,
    PROX,
    HOLD_1,
    HOLD_2,
    PUSH_1,
    PUSH_2,
    B_1,
    B_2,
    SOFT,
    CURVE,
    WITH,
    AGAINST,
) = range(15)
LAW_WIDTH = 15

# Values of ChainProblem.kind.
DISC, HALVES, UNIT_VELOCITY, BOX = range(4)

EPSILON = 3e-6
"""Ratio r / B: compliance of the proximal regularisation relative to the link. Larger values cost
iterations, smaller ones digits."""


class ChainProblem(NamedTuple):
    """Find u and the impulses with M (u - u_free) = W P + W_J P_J, W_J^T u = 0 and the force laws (P2 (55)-(61))."""

    links: FloatArray
    """For every link: mass, kg, and inertia, kg m^2; distances from its centre of mass to the joint
    before it (towards the next link) and to the one behind it, and their sum, m; inverses of mass
    and inertia."""

    law: FloatArray
    """Friction of every link on the ground in the scaled coordinates of `ChainImpulses.friction`:
    force per unit of impulse along and across (the larger coefficient of both directions along);
    scaled sliding velocity per unit of velocity, which is the same except under the law of the unit
    velocity; r (0: no friction); contribution of stick to the link's matrix, force and impulse per
    unit of scaled velocity, each along and across; 1 / B of the tangential direction in slip,
    and its curvature times the load; the shares of the larger coefficient that forces along the
    link's axis and against it can reach."""

    kind: int
    """DISC for one disc of P_1, P_2, or one of the laws of `planar_directional`."""

    load: FloatArray
    """Normal impulse of the ground on every link, which is the radius of its friction disc, N s."""

    scale: float
    """Unit of residuals, m 9.81 m/s^2 dt with the mean mass m, N s."""

    cos: FloatArray
    """First component of the direction e of every link."""

    sin: FloatArray
    """Second component of the direction e of every link."""

    u_free: FloatArray
    """Velocity of every link (vx, vy, omega) without contacts and joints, m/s and rad/s."""

    n_contacts: int
    """Number of obstacle contacts; arrays over contacts may be longer."""

    link: IntArray
    """Link of every obstacle contact, ascending."""

    rows: FloatArray
    """For every obstacle contact: force direction (n_x, n_y, arm) (P2 (14), (16)), and that of its
    friction, (t_x, t_y, arm) times the obstacle's friction coefficient, so that the admissible set
    is |P_T| <= P_N; 0 without friction."""

    n_rough: int
    """Number of contacts with friction."""

    stops: FloatArray
    """+1 for a joint at its lower limit, -1 at its upper, 0 for a free one; gamma_S = stop * joint
    rate >= 0."""

    n_stops: int
    """Number of joints at a limit."""

    drag: FloatArray
    """Impulse that motor, spring and damper of a joint lose per unit of the joint's
    rate, N m s/rad; the rest is in `u_free`. Infinite for a fixed joint."""

    n_drags: int
    """Number of joints with drag."""


class ChainImpulses(NamedTuple):
    """Impulses of a step."""

    friction: FloatArray
    """Friction on the ground in scaled coordinates: the impulse on the link is (mu_along P_1 e +
    mu_across P_2 s), where mu_along is the larger one of both directions, N s."""

    normal: FloatArray
    """Normal impulses of the obstacle contacts, N s."""

    tangent: FloatArray
    """Friction of the obstacle contacts in scaled coordinates: the impulse on the link is P_T times
    its direction in `ChainProblem.rows`, N s."""

    stop: FloatArray
    """Impulses of the joint limits, N m s; they act on link i+1 with the sign of the limit and
    oppositely on link i."""


def link_table(
    mass: FloatArray, inertia: FloatArray, front: FloatArray, rear: FloatArray
) -> FloatArray:
    """`ChainProblem.links` of links with these masses, kg, inertias, kg m^2, and arms to the joints, m; each (n,)."""
    return np.column_stack([mass, inertia, front, rear, front + rear, 1.0 / mass, 1.0 / inertia])
