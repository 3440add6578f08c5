"""External wrench of a hand that pulls on a link, as recorded in runs and files."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snakestudio.model.body import Body
from snakestudio.model.world import STANDARD_GRAVITY

_STRETCH = 0.25
"""Stretch, as a share of the body's length, at which the default spring pulls with the weight of the
robot."""

MOST_PULLS = 60_000
"""Largest number of entries in a run: ten simulated minutes of pulling, which still fit in the header
of a CSV."""

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Pull:
    """Wrench on a link from `time` until the next entry; a hand holds one link at a time."""

    time: float
    """Simulated time, s."""
    link: int
    """0-based part of the body."""
    point: Vector
    """Material point where the hand holds the link, in the link's frame, m."""
    force: Vector
    """World frame, N; zero after the hand has released the link."""
    torque: Vector
    """About the centre of gravity, world frame, N m."""

    @property
    def released(self) -> bool:
        """Whether the hand has released the link."""
        return not any((*self.force, *self.torque))

    @property
    def newtons(self) -> float:
        """Magnitude of the force, N."""
        return math.hypot(*self.force)


def weight(body: Body) -> float:
    """Return the weight of the robot on Earth, regardless of the scene's gravity, as the scale of a hand's force, N."""
    return STANDARD_GRAVITY * body.mass


def usual_stiffness(body: Body) -> float:
    """Return the stiffness of the spring between a hand and the link it holds, at strength 1, N/m."""
    return weight(body) / (_STRETCH * body.length)


def acting(pulls: Sequence[Pull], time: float) -> Pull | None:
    """Return the entry that applies at `time` (s), out of entries sorted by time; None if no hand pulls."""
    current = bisect_right(pulls, time, key=lambda pull: pull.time) - 1
    return None if current < 0 or pulls[current].released else pulls[current]


def plain_pull(pull: Pull) -> dict[str, Any]:
    """Pull without its time, as stored in files; links are numbered from 1 there."""
    return {
        "link": pull.link + 1,
        "point_m": list(pull.point),
        "force_n": list(pull.force),
        "torque_nm": list(pull.torque),
    }


def pull_from_plain(time: float, plain: Mapping[str, Any]) -> Pull:
    """Pull from the output of `plain_pull`.

    Raises `ValueError`, `KeyError` or `TypeError` if it is invalid.
    """
    link = plain["link"]
    if type(link) is not int or link < 1 or not math.isfinite(time):
        raise ValueError("the pull has no link")
    return Pull(
        time, link - 1, *(_vector(plain[key]) for key in ("point_m", "force_n", "torque_nm"))
    )


def _vector(values: Any) -> Vector:
    x, y, z = map(float, values)
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise ValueError("the pull is not finite")
    return x, y, z
