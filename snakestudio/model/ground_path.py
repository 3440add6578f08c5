"""The path on the ground that a controller may follow: a thing of the world, whatever moves the robot."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from snakestudio.model.fields import Frozen, value

LEAST_DISTANCE = 1e-3
"""Waypoints nearer to the one before them than this are mistakes, m."""

_Coordinate = Annotated[float, Field(ge=-1e4, le=1e4)]
Waypoint = tuple[_Coordinate, _Coordinate]
"""x and y, m."""


class GroundPath(Frozen):
    """Waypoints, joined by straight lines or by a smooth curve through all of them; no path without waypoints."""

    waypoints_m: tuple[Waypoint, ...] = value(
        (),
        label="Waypoints",
        unit="m",
        help="Points (x, y) the path goes through, from its start to its end",
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
        help="Whether the path goes on from the last waypoint to the first",
        live=True,
    )

    def __bool__(self) -> bool:
        """Whether there is a path."""
        return bool(self.waypoints_m)

    def mistakes(self) -> list[tuple[str, str, str]]:
        """What contradicts itself: key below `path`, what is wrong, remedy."""
        points = self.waypoints_m
        if not points:
            return []
        least = 3 if self.closed else 2
        if len(points) < least:
            what = "a closed path" if self.closed else "a path"
            count = "2 waypoints make" if len(points) == 2 else "1 waypoint makes"
            return [("waypoints_m", f"{count} no path", f"{what} needs at least {least}")]
        found = [
            (
                f"waypoints_m[{i + 2}]",
                f"the waypoint lies on the one before it at ({b[0]:g}, {b[1]:g})",
                "leave it out",
            )
            for i, (a, b) in enumerate(pairwise(points))
            if math.dist(a, b) < LEAST_DISTANCE
        ]
        if self.closed and math.dist(points[0], points[-1]) < LEAST_DISTANCE:
            remedy = "leave it out: a closed path returns by itself"
            found.append(
                (f"waypoints_m[{len(points)}]", "the last waypoint lies on the first", remedy)
            )
        return found
