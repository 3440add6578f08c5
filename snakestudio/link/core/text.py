"""Axes, nodes and ages in the sentences of the link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.profile.schema import Axis
from snakestudio.text import listing, numbered

SHOWN = 3
"""Names in a list before the rest is counted."""


def axis_names(axes: Sequence[Axis], chosen: NDArray[np.bool_]) -> str:
    """The axes that are chosen, (m,) bool."""
    return listing((axes[index].name for index in np.flatnonzero(chosen).tolist()), most=SHOWN)


def node_names(nodes: Iterable[int]) -> str:
    """Some nodes: "node 3", "nodes 3, 4 and 5"."""
    return numbered("node", nodes, SHOWN)


def age(seconds: float) -> str:
    """How old something is: "0.62 s"."""
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
