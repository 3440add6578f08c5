"""The contact problem of one step of a planar chain of links, as data: what solver and residual work on."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray

__all__ = ["ChainImpulses", "ChainProblem"]


TURN = 2
"""Beside X and Y: entry of a link's turning in (n, 3), of the moment among its forces."""

# Entries of ChainImpulses.friction.
ALONG, ACROSS = range(2)
# Where in ChainProblem.rows the normal force stands, and where its friction: x, y, arm.
NORMAL, TANGENT = 0, 3


class ChainProblem(NamedTuple):
    """Find u and the impulses with M (u - u_free) = W P + W_J P_J, W_J^T u = 0 and the force laws (P2 (55)-(61)).

    Attributes
    ----------
    mass, inertia : float
        Of every link: kg, kg m^2.
    front, rear : float
        From the centre of gravity of every link to the joint before it and to the one behind it, m.
    load : (n,)
        Normal impulse of the ground on every link, which is the radius of its friction disc, N s.
    mu_along, mu_across : float
        Friction coefficients along and across a link; the scaled sliding velocity is (mu_along v.e, mu_across v.s), so
        that P2 (52) becomes a disc. An axis with 0 has no friction.
    scale : float
        m 9.81 m/s^2 dt: what residuals are measured in, N s.
    cos, sin : (n,)
        Direction e of every link.
    u_free : (n, 3)
        Velocity of every link (vx, vy, omega) if no contact and no joint acted, m/s and rad/s.
    n_contacts : int
        Obstacle contacts; arrays over contacts may be longer.
    link : (c,) int
        Link of every obstacle contact, ascending.
    rows : (c, 6)
        Of every obstacle contact: force direction (n_x, n_y, arm) (P2 (14), (16)), and that of its friction, (t_x, t_y,
        arm) times the obstacle's friction coefficient, so that the admissible set is |P_T| <= P_N; 0 if it has none.
    n_rough : int
        How many of the contacts have friction.
    stops : (n - 1,)
        +1 for a joint at its lower stop, -1 at its upper, 0 for a free one; gamma_S = stop * joint rate >= 0.
    n_stops : int
        How many joints are at a stop.
    drag : (n - 1,)
        What a joint's motor loses of its impulse for a unit of the joint's rate, N m s/rad; the rest is in `u_free`.
    n_drags : int
        How many joints have one.
    """

    mass: float
    inertia: float
    front: float
    rear: float
    load: FloatArray
    mu_along: float
    mu_across: float
    scale: float
    cos: FloatArray
    sin: FloatArray
    u_free: FloatArray
    n_contacts: int
    link: IntArray
    rows: FloatArray
    n_rough: int
    stops: FloatArray
    n_stops: int
    drag: FloatArray
    n_drags: int


class ChainImpulses(NamedTuple):
    """What acts in a step.

    Attributes
    ----------
    friction : (n, 2)
        In scaled coordinates: the impulse on the link is (mu_along P_1 e + mu_across P_2 s), N s.
    normal : (c,)
        Of the obstacle contacts, N s.
    tangent : (c,)
        Friction of the obstacle contacts in scaled coordinates: the impulse on the link is P_T times its direction in
        `ChainProblem.rows`, N s.
    stop : (n - 1,)
        Of the joint stops, N m s; acts on link i+1 with the sign of the stop and oppositely on link i.
    """

    friction: FloatArray
    normal: FloatArray
    tangent: FloatArray
    stop: FloatArray
