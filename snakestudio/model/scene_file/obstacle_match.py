"""Matching of obstacles between two versions of a scene, to preserve comments and to describe differences."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.model.obstacles.shape import Obstacle


def sources(before: Sequence[Obstacle | None], after: Sequence[Obstacle]) -> list[int | None]:
    """For each later obstacle, the index of the earlier one it comes from, or None if it is new.

    That is an equal one, in order; otherwise the one of the same kind at the same position in the list.


    Parameters
    ----------
    before : sequence of obstacle
        None for an entry that is not an obstacle.
    """
    places: dict[Obstacle | None, list[int]] = {}
    for index in reversed(range(len(before))):
        places.setdefault(before[index], []).append(index)
    result: list[int | None] = []
    for obstacle in after:
        equal = places.get(obstacle)
        result.append(equal.pop() if equal else None)
    used = set(result)
    for index, obstacle in enumerate(after):
        above = result[index - 1] if index else -1
        if (
            result[index] is None
            and above is not None
            and above + 1 < len(before)
            and above + 1 not in used
        ):
            candidate = before[above + 1]
            if candidate is not None and candidate.kind == obstacle.kind:
                result[index] = above + 1
                used.add(above + 1)
    return result
