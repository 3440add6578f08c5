"""Workspace of the solver for chains in space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SpatialScratch", "make_spatial_scratch"]

FloatArray = NDArray[np.float64]


class SpatialScratch(NamedTuple):
    """Workspace for n links and c contacts.

    Attributes
    ----------
    inertia : (6, 8)
        Articulated inertia of one link with the missing momentum in column 6 (column 7 only fills a vector register).
    eliminated : (n - 1, 2, 8)
        Of every joint: its row of the eliminated system.
    dw : (n, 6)
        Increment of the velocities.
    rate, drate : (n - 1, 2)
        Joint rates and their increments.
    gamma : (c, 5)
        Relative velocities.
    law : (c, 12)
        Linearisation of every contact: y_N, |y_T|, slip direction (2), beta_T, |y_V|, its direction (2), beta_V, and
        the radius that friction was compared with.
    stop : (n - 1, 2, 2)
        Of the stops: y and stiffness.
    old_w, old_gamma, old_contact, old_rate, old_stop : arrays
        The iterate before.
    best_w, best_contact, best_stop : arrays
        The best result so far.
    """

    inertia: FloatArray
    eliminated: FloatArray
    dw: FloatArray
    rate: FloatArray
    drate: FloatArray
    gamma: FloatArray
    law: FloatArray
    stop: FloatArray
    old_w: FloatArray
    old_gamma: FloatArray
    old_contact: FloatArray
    old_rate: FloatArray
    old_stop: FloatArray
    best_w: FloatArray
    best_contact: FloatArray
    best_stop: FloatArray


def make_spatial_scratch(n: int, contacts: int) -> SpatialScratch:
    """Workspace for `n` links and `contacts` contacts."""
    j, c = n - 1, contacts
    return SpatialScratch(
        inertia=np.zeros((6, 8)),
        eliminated=np.zeros((j, 2, 8)),
        dw=np.zeros((n, 6)),
        rate=np.zeros((j, 2)),
        drate=np.zeros((j, 2)),
        gamma=np.zeros((c, 5)),
        law=np.zeros((c, 12)),
        stop=np.zeros((j, 2, 2)),
        old_w=np.zeros((n, 6)),
        old_gamma=np.zeros((c, 5)),
        old_contact=np.zeros((c, 5)),
        old_rate=np.zeros((j, 2)),
        old_stop=np.zeros((j, 2)),
        best_w=np.zeros((n, 6)),
        best_contact=np.zeros((c, 5)),
        best_stop=np.zeros((j, 2)),
    )
