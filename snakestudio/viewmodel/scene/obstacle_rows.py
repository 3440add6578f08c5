"""Where every obstacle stands in the scene tree: under a group or beside the groups; numbers only, for thousands."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.model.obstacles.shape import Obstacle


class ObstacleRows:
    """Rows of obstacles and groups; a group stands where its first obstacle would.

    Attributes
    ----------
    names : list of str
        Of the groups, in their order.
    members : list of list of int
        0-based obstacles of every group.
    top : list of int
        What stands beside each other: obstacles by their 0-based index, group g as -1 - g.
    group_row : list of int
        Row of every group in `top`.
    group : list of int
        Group of every obstacle, -1 for none.
    row : list of int
        Row of every obstacle in its group, or in `top`.
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
        """Rows of some obstacles (0-based, ascending) as (group or -1, first row, last row) without gaps."""
        found: list[tuple[int, int, int]] = []
        for g, row in sorted((self.group[i], self.row[i]) for i in indices):
            if found and found[-1][0] == g and found[-1][2] == row - 1:
                found[-1] = (g, found[-1][1], row)
            else:
                found.append((g, row, row))
        return found
