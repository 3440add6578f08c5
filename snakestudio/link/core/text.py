"""Lists, ages and angles as they stand in the link's sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.profile.schema import Axis

__all__ = ["age", "axis_names", "listed", "node_names"]

_SHOWN = 3


def listed(names: Sequence[str]) -> str:
    """The first few: "joint 1 yaw, joint 2 yaw and 4 more"."""
    if len(names) > _SHOWN + 1:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def axis_names(axes: Sequence[Axis], chosen: NDArray[np.bool_]) -> str:
    """The axes that are chosen, (m,) bool."""
    return listed([axes[index].name for index in np.flatnonzero(chosen).tolist()])


def node_names(nodes: Iterable[int]) -> str:
    """Some nodes: "node 3", "nodes 3, 4 and 5"."""
    numbers = [str(node) for node in nodes]
    return f"node{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


def age(seconds: float) -> str:
    """How old something is: "0.62 s"."""
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
