"""The contact problem of one time step of a chain in space, as data: solver, residual and engine speak through it.

Velocities of link k are those of its rear joint's point p_k (the free end of link 1) and its angular velocity, both in
the world's frame: the articulated-body recursion then shifts from point to point without any other change.
"""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray

__all__ = ["LAWS", "SpatialImpulses", "SpatialProblem"]


RX, RY, RZ = range(3, 6)
"""Behind X, Y, Z: entries of turning and of moments in rows of six."""
YAW, PITCH = range(2)
"""Axes of a joint."""
(
    YAW_X, YAW_Y, YAW_Z, PITCH_X, PITCH_Y, PITCH_Z, REACH_X, REACH_Y, REACH_Z, SWING_X, SWING_Y, SWING_Z,
) = range(12)  # fmt: skip
"""Entries of SpatialProblem.joint: axes, the vector from p_k to p_k+1, the velocity of p_k+1 for a unit yaw rate."""
LAW_N, LAW_T, LAW_T2, LAW_V, LAW_V2 = range(5)
"""Laws of a contact: normal, friction along and across, rolling friction along and across."""
ROW_N, ROW_T, ROW_T2, ROW_V, ROW_V2 = range(0, 40, 8)
"""Where their octets begin in SpatialProblem.rows."""
GAIN_N, GAIN_T, GAIN_V = range(3)
"""Entries of SpatialProblem.gain."""
LAWS = 5
"""Rows of a contact: normal, friction along and across, rolling friction along and across."""


class SpatialProblem(NamedTuple):
    """What a step has to solve for n links and c contacts; at the midpoint, world frame, SI.

    Attributes
    ----------
    mass, inertia, axial : float
        Of every link: m, kg, and the moments of inertia across and along its axis, kg m^2.
    half : float
        From p_k to the link's centre of gravity along its axis, m.
    offset : float
        Distance from the yaw to the pitch axis of a joint, m.
    scale : float
        m g dt, what residuals are measured in, N s.
    axis : (n, 3)
        Unit vector along every link.
    joint : (n - 1, 12)
        Yaw axis and pitch axis of every joint (unit vectors), the vector from p_k to p_k+1, and the velocity of p_k+1
        for a unit yaw rate (0 without an offset between the axes), as four vectors of three.
    free : (n, 6)
        Velocity of the centre of gravity and angular velocity without contacts, joints and motors.
    drive, drag : (n - 1, 2)
        Impulse of the motors, N m s, is drive - drag * (joint rate at the end of the step).
    stop : (n - 1, 2)
        0 for a joint axis off its stops; else the sign of the rate that leads away.
    n_stops : int
    first : (n + 1,) int
        Contacts of link k are those from first[k] to first[k + 1].
    rows : (c, 40)
        Force directions of every law about p_k, as five octets (number 6 and 7 of each is 0). Friction is scaled by its
        coefficient, so that every friction impulse lives in the disc of the normal impulse.
    gain : (c, 3)
        Of normal, friction and rolling law: 1 / largest diagonal of W^T M^-1 W on the free link; 0 for a law that has
        no effect (no friction).
    """

    mass: float
    inertia: float
    axial: float
    half: float
    offset: float
    scale: float
    axis: FloatArray
    joint: FloatArray
    free: FloatArray
    drive: FloatArray
    drag: FloatArray
    stop: FloatArray
    n_stops: int
    first: IntArray
    rows: FloatArray
    gain: FloatArray


class SpatialImpulses(NamedTuple):
    """Impulses of all laws, guess and result.

    Attributes
    ----------
    contact : (c, 5)
        Normal (N s), friction and rolling friction in scaled coordinates (N s).
    stop : (n - 1, 2)
        Of the joints' stops, not negative, N m s.
    """

    contact: FloatArray
    stop: FloatArray
