"""What people are told about an engine that is prepared: its name, how far that is, and how long it still takes."""

from __future__ import annotations

__all__ = ["ENGINE_NAMES", "percent", "time_left"]

ENGINE_NAMES = {
    "planar_nonsmooth": "planar",
    "spatial_nonsmooth": "spatial",
    "planar_lagrangian": "Lagrangian",
    "planar_nonholonomic": "nonholonomic",
    "continuum_beam": "continuum",
}
"""The formulations of the dynamics where there is little room."""


def percent(fraction: float) -> str:
    """A finished fraction; never 100 % before the end."""
    return f"{int(100 * fraction)} %"


def time_left(seconds: float | None) -> str:
    """How long it still takes; None stands for longer than was expected."""
    if seconds is None:
        return "longer than expected"
    if seconds >= 3570:
        return f"{seconds / 3600:.1f} h left"
    if seconds >= 57.5:  # in steps of five seconds: more than a minute is not known to the second
        minutes, rest = divmod(5 * round(seconds / 5), 60)
        return f"{minutes} min {rest} s left" if rest else f"{minutes} min left"
    return f"{max(1, round(seconds))} s left"
