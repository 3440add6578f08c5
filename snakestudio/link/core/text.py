"""Text of axes, nodes and ages in messages of the link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.profile.schema import Axis
from snakestudio.text import listing, numbered

SHOWN = 3
"""Number of names in a list before the rest is counted."""


def axis_names(axes: Sequence[Axis], chosen: NDArray[np.bool_]) -> str:
    """Return the names of the chosen axes, (m,) bool."""
    return listing((axes[index].name for index in np.flatnonzero(chosen).tolist()), most=SHOWN)


def node_names(nodes: Iterable[int]) -> str:
    """Return nodes as text: "node 3", "nodes 3, 4 and 5"."""
    return numbered("node", nodes, SHOWN)


def age(seconds: float) -> str:
    """Return an age as text: "0.62 s"."""
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
