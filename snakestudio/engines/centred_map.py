"""The constant map from link directions to places of a chain about its centre of mass."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray

__all__ = ["centred_map"]


def centred_map(n: int) -> FloatArray:
    """K of `kernels.centred_chain`, (n, n): places of links about the centre of mass, in half links (P4 (2) to (8))."""
    places = 2.0 * np.tril(np.ones((n, n)), -1) + np.eye(n)
    centred: FloatArray = places - places.mean(axis=0)
    return centred
