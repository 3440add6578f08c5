"""The contact problem of one step of a planar chain of links, as data: what solver and residual work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray

TURN = 2
"""Beside X and Y: entry of a link's turning in (n, 3), of the moment among its forces."""

# Entries of ChainImpulses.friction.
ALONG, ACROSS = range(2)
# Where in ChainProblem.rows the normal force stands, and where its friction: x, y, arm.
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
"""r / B: how much softer the proximal regularisation is than the link. Larger costs iterations,
smaller digits."""


class ChainProblem(NamedTuple):
    """Find u and the impulses with M (u - u_free) = W P + W_J P_J, W_J^T u = 0 and the force laws (P2 (55)-(61))."""

    links: FloatArray
    """Of every link: mass, kg, and inertia, kg m^2; from its centre of mass to the joint before it
    (towards the next link) and to the one behind it, and both together, m; inverses of mass and
    inertia."""

    law: FloatArray
    """Friction of every link on the ground in the scaled coordinates of `ChainImpulses.friction`.
    Force for a unit of impulse along and across (the larger coefficient of both directions along);
    scaled sliding velocity for a unit of velocity, which is the same but under the law of the unit
    velocity; r (0: no friction); what sticking adds to the link's matrix, force and impulse for a
    unit of scaled velocity in it, along and across each; 1 / B of the tangential direction in slip,
    and its curvature times the load; the shares of the larger coefficient that a force along the
    link's axis and one against it reach."""

    kind: int
    """DISC for one disc of P_1, P_2, or one of the laws of `planar_directional`."""

    load: FloatArray
    """Normal impulse of the ground on every link, which is the radius of its friction disc, N s."""

    scale: float
    """m 9.81 m/s^2 dt with the mean mass: what residuals are measured in, N s."""

    cos: FloatArray
    sin: FloatArray
    """`cos` and `sin`: direction e of every link."""

    u_free: FloatArray
    """Velocity of every link (vx, vy, omega) if no contact and no joint acted, m/s and rad/s."""

    n_contacts: int
    """Obstacle contacts; arrays over contacts may be longer."""

    link: IntArray
    """Link of every obstacle contact, ascending."""

    rows: FloatArray
    """Of every obstacle contact: force direction (n_x, n_y, arm) (P2 (14), (16)), and that of its
    friction, (t_x, t_y, arm) times the obstacle's friction coefficient, so that the admissible set
    is |P_T| <= P_N; 0 if it has none."""

    n_rough: int
    """How many of the contacts have friction."""

    stops: FloatArray
    """+1 for a joint at its lower stop, -1 at its upper, 0 for a free one; gamma_S = stop * joint
    rate >= 0."""

    n_stops: int
    """How many joints are at a stop."""

    drag: FloatArray
    """What motor, spring and damper of a joint lose of their impulse for a unit of the joint's
    rate, N m s/rad; the rest is in `u_free`. Infinite: the joint is fixed."""

    n_drags: int
    """How many joints have one."""


class ChainImpulses(NamedTuple):
    """What acts in a step."""

    friction: FloatArray
    """In scaled coordinates: the impulse on the link is (mu_along P_1 e + mu_across P_2 s),
    mu_along being the larger one of both directions, N s."""

    normal: FloatArray
    """Of the obstacle contacts, N s."""

    tangent: FloatArray
    """Friction of the obstacle contacts in scaled coordinates: the impulse on the link is P_T times
    its direction in `ChainProblem.rows`, N s."""

    stop: FloatArray
    """Of the joint stops, N m s; acts on link i+1 with the sign of the stop and oppositely on link
    i."""


def link_table(
    mass: FloatArray, inertia: FloatArray, front: FloatArray, rear: FloatArray
) -> FloatArray:
    """`ChainProblem.links` of links of these masses, kg, inertias, kg m^2, and arms to the joints, m; each (n,)."""
    return np.column_stack([mass, inertia, front, rear, front + rear, 1.0 / mass, 1.0 / inertia])
