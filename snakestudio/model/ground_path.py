"""Path on the ground for controllers to follow; part of the world, independent of how the robot moves."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from snakestudio.model.fields import Frozen, value

LEAST_DISTANCE = 1e-3
"""Smallest allowed distance between consecutive waypoints, m."""

_Coordinate = Annotated[float, Field(ge=-1e4, le=1e4)]
Waypoint = tuple[_Coordinate, _Coordinate]
"""x and y, m."""


class GroundPath(Frozen):
    """Waypoints, connected by straight lines or a smooth curve; without waypoints there is no path."""

    waypoints_m: tuple[Waypoint, ...] = value(
        (),
        label="Waypoints",
        unit="m",
        help="Points (x, y) of the path, from its start to its end",
        max_length=1000,
        live=True,
    )
    shape: Literal["straight", "spline"] = value(
        "straight",
        label="Shape",
        help="Straight lines between the waypoints, or a smooth curve through them",
        live=True,
    )
    closed: bool = value(
        False,
        label="Closed",
        help="Whether the path continues from the last waypoint to the first",
        live=True,
    )

    def __bool__(self) -> bool:
        """Whether there is a path."""
        return bool(self.waypoints_m)

    def mistakes(self) -> list[tuple[str, str, str]]:
        """Contradictions: key below `path`, message, remedy."""
        points = self.waypoints_m
        if not points:
            return []
        least = 3 if self.closed else 2
        if len(points) < least:
            what = "a closed path" if self.closed else "a path"
            count = "2 waypoints are" if len(points) == 2 else "1 waypoint is"
            return [("waypoints_m", f"{count} too few", f"{what} needs at least {least}")]
        problems = [
            (
                f"waypoints_m[{i + 2}]",
                f"the waypoint coincides with the one before it at ({b[0]:g}, {b[1]:g})",
                "remove it",
            )
            for i, (a, b) in enumerate(pairwise(points))
            if math.dist(a, b) < LEAST_DISTANCE
        ]
        if self.closed and math.dist(points[0], points[-1]) < LEAST_DISTANCE:
            remedy = "remove it: a closed path returns to its start automatically"
            problems.append(
                (
                    f"waypoints_m[{len(points)}]",
                    "the last waypoint coincides with the first",
                    remedy,
                )
            )
        return problems
