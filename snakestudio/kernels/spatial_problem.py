"""Data of the contact problem of one time step of a chain in space, shared by solver, residual and engine.

Velocities of link k are that of its rear joint's point p_k (the free end of link 1) and its angular
velocity, both in the world frame: the articulated-body recursion then only shifts from point to
point.
"""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray

RX, RY, RZ = range(3, 6)
"""Entries of rotation and moments after X, Y, Z in rows of six."""
(
    MASS,
    ACROSS,
    AXIAL,
    REAR,
    FRONT,
    CONTACT_REAR,
    CONTACT_FRONT,
    RADIUS,
    ROLL_RADIUS,
    INV_MASS,
    INV_ACROSS,
    INV_AXIAL,
    MU_LINK_ALONG,
    MU_LINK_ACROSS,
    LINK_SHARES,
) = range(15)
"""Entries of SpatialProblem.links.

Mass, kg; moments of inertia across and along the axis, kg m^2; distances from the centre of mass to
the joint behind (REAR) and ahead (FRONT), m; signed positions of the rear and the front contact
sphere on the axis, from the centre of mass, m; radius and rolling friction times radius, m; the
inverses of mass and inertia; friction on the ground along (the larger of both directions) and
across; and from LINK_SHARES on the four values from SHARE_PLUS on in SpatialProblem.gain for
contacts with the ground."""
LINK_WIDTH = 18
"""Number of entries in a row of SpatialProblem.links."""
(
    SWING_X,
    SWING_Y,
    SWING_Z,
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    LAW_GAIN,
    DRIVE,
    DRAG,
    IMPULSE_LOW,
    IMPULSE_HIGH,
    REBOUND,
) = range(12)
"""Entries of SpatialProblem.axes."""
AXIS_WIDTH = 12
"""Number of entries in a row of SpatialProblem.axes."""
LAW_N, LAW_T, LAW_T2, LAW_V, LAW_V2 = range(5)
"""Laws of a contact: normal, friction along and across, rolling friction along and across."""
ROW_N, ROW_T, ROW_T2, ROW_V, ROW_V2 = range(0, 40, 8)
"""First entries of their octets in SpatialProblem.rows."""
GAIN_N, GAIN_T, GAIN_V, SHARE_PLUS, SHARE_MINUS, INVERSE_PLUS, INVERSE_MINUS = range(7)
"""Entries of SpatialProblem.gain.

The shares are the fractions of the friction coefficient along that forces towards +axis and -axis
of the link can reach (the larger one is 1), followed by their inverses (0 for a share of 0)."""
GAIN_WIDTH = 7
"""Number of entries in a row of SpatialProblem.gain."""
MANY = 40
"""Number of contacts from which a problem counts as dense: its iteration has other gains, divergent
exact steps of its rescue are aborted, and a path starts from the best point. With fewer contacts
all of this is fast, and exact steps that converge after all distribute statically undetermined
loads as in the previous step: without them sidewinding ends 2.7 cm away from an independent
implementation instead of 0.3 cm."""
LAWS = 5
"""Number of laws of a contact: normal, friction along and across, rolling friction along and across."""


class SpatialProblem(NamedTuple):
    """Contact problem of a step for n links, m joint axes and c contacts; at the midpoint, world frame, SI."""

    links: FloatArray
    """(n, LINK_WIDTH) constants of the links."""
    joints: IntArray
    """(n,); joint k, between links k and k + 1, has the axes from joints[k] to joints[k + 1]: zero
    to three."""
    half: float
    """Length by which moments are divided when compared with impulses, m."""
    scale: float
    """Unit of residuals, m g dt, N s."""
    swings: int
    """Whether any joint axis moves p_k+1 (an offset between the axes of a joint)."""
    axis: FloatArray
    """(n, 3 or more) unit vector along every link, in the first three columns."""
    reach: FloatArray
    """(n - 1, 3) from p_k to p_k+1, m."""
    axes: FloatArray
    """(m, AXIS_WIDTH) for every joint axis: velocity of p_k+1 per unit rate, m; the unit vector;
    gain of its law; drive, N m s, and drag, N m s per rad/s: the impulse of its motor, spring and
    rotor is drive - drag * (rate at the end of the step); bounds of the impulse of its law, N m s,
    and rate at which this impulse is inside the bounds, rad/s.

    One set-valued law contains the dry friction and the limit of an axis: the impulse is in
    [IMPULSE_LOW, IMPULSE_HIGH], and REBOUND - rate is in the normal cone of this interval there. Dry friction of
    b has the bounds -b and b; at a limit, the bound that leads away from it is infinite. Without
    either, both bounds are 0."""
    free: FloatArray
    """(n, 6) velocity of the centre of mass and angular velocity without contacts, joints and
    motors."""
    n_laws: int
    """Number of axes with a law, that is with dry friction or at their limits."""
    first: IntArray
    """(n + 1,); contacts of link k are those from first[k] to first[k + 1]."""
    rows: FloatArray
    """(c, 40) force directions of every law about p_k, as five octets (lanes 6 and 7 of each are
    0). Friction is scaled by its coefficient, along by the larger one of both directions."""
    gain: FloatArray
    """(c, GAIN_WIDTH) for the normal, friction and rolling law: 1 / largest diagonal of W^T M^-1 W
    on the free link; 0 for a law without effect (no friction). They are followed by the shares of
    friction along."""


class SpatialImpulses(NamedTuple):
    """Impulses of all laws, as a guess or a result."""

    contact: FloatArray
    """Normal (N s), friction and rolling friction in scaled coordinates (N s)."""

    joint: FloatArray
    """Impulses of the laws of the joint axes, N m s; positive ones increase the angle."""
