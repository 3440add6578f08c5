"""Workspace of the solver for chains in space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels.rescue_points import rescue_workspace
from snakestudio.kernels.spatial_problem import SpatialImpulses

# Entries of SpatialScratch.joint.
Y_JOINT, STIFF_JOINT = range(2)
# First entries of the octets of a matrix in SpatialScratch.inertia.
M_X, M_Y, M_Z, M_RX, M_RY, M_RZ = range(0, 48, 8)


class SpatialScratch(NamedTuple):
    """Workspace for n links, m joint axes and c contacts."""

    inertia: FloatArray
    """Inertia matrix of every link about its p_k, as six octets."""

    root: FloatArray
    """The system of link 1."""

    eliminated: FloatArray
    """Row of every joint axis in the eliminated system, as an octet."""

    dw: FloatArray
    """Increments of the velocities."""

    rate: FloatArray
    """Joint rates."""

    drate: FloatArray
    """Increments of the joint rates."""

    gamma: FloatArray
    """Relative velocities of the contacts."""

    law: FloatArray
    """Linearisation of every contact: y_N, |y_T|, slip direction (2), beta_T, |y_V|, its direction
    (2), beta_V, the share of friction along in its branch, and the inverse of this share."""

    joint: FloatArray
    """y of the law of every joint axis, and its stiffness."""

    old_w: FloatArray
    """Twists of the links in the previous iterate."""

    old_gamma: FloatArray
    """Relative velocities in the previous iterate."""

    old_contact: FloatArray
    """Contact impulses in the previous iterate."""

    old_rate: FloatArray
    """Joint rates in the previous iterate."""

    old_joint: FloatArray
    """Impulses of the joints in the previous iterate."""

    guess: SpatialImpulses
    """Impulses at the start of the iteration."""

    first: SpatialImpulses
    """Impulses of the first attempt of `rescue_dry`."""

    first_w: FloatArray
    """Twists of the links after the first attempt of `rescue_dry`."""

    bound: FloatArray
    """Largest impulses of the axes' dry friction, N m s."""

    rescue: FloatArray
    """Workspace from `rescue_workspace`."""


def make_spatial_scratch(n: int, axes: int, contacts: int) -> SpatialScratch:
    """Workspace for `n` links, `axes` joint axes and `contacts` contacts."""
    m, c = axes, contacts
    return SpatialScratch(
        inertia=np.zeros((n, 48)),
        root=np.zeros((6, 8)),
        eliminated=np.zeros((m, 8)),
        dw=np.zeros((n, 6)),
        rate=np.zeros(m),
        drate=np.zeros(m),
        gamma=np.zeros((c, 5)),
        law=np.zeros((c, 11)),
        joint=np.zeros((m, 2)),
        old_w=np.zeros((n, 6)),
        old_gamma=np.zeros((c, 5)),
        old_contact=np.zeros((c, 5)),
        old_rate=np.zeros(m),
        old_joint=np.zeros(m),
        guess=SpatialImpulses(np.zeros((c, 5)), np.zeros(m)),
        first=SpatialImpulses(np.zeros((c, 5)), np.zeros(m)),
        first_w=np.zeros((n, 6)),
        bound=np.zeros(m),
        rescue=rescue_workspace(n, m, c),
    )
