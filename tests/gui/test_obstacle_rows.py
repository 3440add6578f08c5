"""Rows of obstacles in the scene tree: in their group, or next to the groups."""

from __future__ import annotations

from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.viewmodel.scene.obstacle_rows import ObstacleRows

ROWS = ObstacleRows(
    [
        Cylinder(x_m=0.0, y_m=float(i), group=group)
        for i, group in enumerate(["", "a", "b", "a", ""])
    ]
)


def test_group_has_the_row_of_its_first_obstacle() -> None:
    assert ROWS.names == ["a", "b"]
    assert ROWS.members == [[1, 3], [2]]
    assert ROWS.top == [0, -1, -2, 4]
    assert ROWS.group_row == [1, 2]


def test_every_obstacle_has_its_group_and_row() -> None:
    assert ROWS.group == [-1, 0, 1, 0, -1]
    assert ROWS.row == [0, 0, 0, 1, 3]


def test_changes_of_neighbours_are_reported_together() -> None:
    assert ROWS.runs([1, 2, 3]) == [(0, 0, 1), (1, 0, 0)]
    assert ROWS.runs([0, 4]) == [(-1, 0, 0), (-1, 3, 3)]
    assert ROWS.runs([]) == []
