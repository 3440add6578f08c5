"""Rows of obstacles in the scene tree, in groups or next to them, as numbers for thousands of obstacles."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.model.obstacles.shape import Obstacle


class ObstacleRows:
    """Rows of obstacles and groups; a group is at the position of its first obstacle.

    Attributes
    ----------
    names : list of str
        Names of the groups in their order.
    members : list of list of int
        0-based indices of the obstacles of each group.
    top : list of int
        Top-level rows: obstacles as 0-based indices, and group g as -1 - g.
    group_row : list of int
        Row of each group in `top`.
    group : list of int
        Group of each obstacle, -1 for none.
    row : list of int
        Row of each obstacle in its group, or in `top`.
    """

    def __init__(self, obstacles: Sequence[Obstacle] = ()) -> None:
        self.names: list[str] = []
        self.members: list[list[int]] = []
        self.top: list[int] = []
        self.group_row: list[int] = []
        self.group: list[int] = []
        self.row: list[int] = []
        known: dict[str, int] = {}
        for i, obstacle in enumerate(obstacles):
            name = obstacle.group
            if not name:
                self.group.append(-1)
                self.row.append(len(self.top))
                self.top.append(i)
                continue
            if name not in known:
                known[name] = len(self.names)
                self.names.append(name)
                self.members.append([])
                self.group_row.append(len(self.top))
                self.top.append(-1 - known[name])
            g = known[name]
            self.group.append(g)
            self.row.append(len(self.members[g]))
            self.members[g].append(i)

    def runs(self, indices: Sequence[int]) -> list[tuple[int, int, int]]:
        """Return the rows of obstacles (0-based, ascending) as contiguous (group or -1, first row, last row)."""
        spans: list[tuple[int, int, int]] = []
        for g, row in sorted((self.group[i], self.row[i]) for i in indices):
            if spans and spans[-1][0] == g and spans[-1][2] == row - 1:
                spans[-1] = (g, spans[-1][1], row)
            else:
                spans.append((g, row, row))
        return spans
