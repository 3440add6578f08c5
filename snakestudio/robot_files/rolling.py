"""Rolling friction of a robot file as the coefficient of a scene, which is the same for all links."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.robot_files.compact import most_common, plain
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.tree import Segment

_LARGEST = 100.0

_NOTEWORTHY = 0.01
"""Smallest relative difference between links that is reported."""


def rolling_coefficient(segment: Segment, radius: float, notes: Notes) -> float | None:
    """Return the rolling friction coefficient of a link; None if the file has none.

    Parameters
    ----------
    radius : float
        Radius of the link, m: files have the arm of the torque in metres, scenes its ratio to the radius.
    """
    touching = [g for g in segment.geometries if g.collides and g.rolling_friction is not None]
    if not touching:
        return None
    first = touching[0]
    assert first.rolling_friction is not None
    if any(g.rolling_friction != first.rolling_friction for g in touching):
        notes.add(
            segment.name,
            f"its geometries have different rolling friction; {first.rolling_friction:g} m was used",
            "several rolling",
        )
    torsion = max(g.torsional_friction for g in touching)
    if torsion > 0.0:
        notes.add(
            segment.name,
            f"the torsional friction of {torsion:g} m in its contacts was ignored",
            "torsional friction",
        )
    return min(float(f"{first.rolling_friction / radius:.9g}"), _LARGEST)


def rolling_of_ground(coefficients: Sequence[float | None], notes: Notes) -> float | None:
    """Return the coefficient that most links have; None if the file has none."""
    own = [value for value in coefficients if value is not None]
    if not own:
        return None
    usual = most_common(own)
    if max(own) - min(own) > _NOTEWORTHY * max(own):
        notes.add(
            "",
            f"Rolling friction is {min(own):.3g} to {max(own):.3g} times the radius of the links and was"
            f" set to {usual:.3g} for all of them",
        )
    return plain(usual)
