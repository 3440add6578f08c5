"""All kinds of obstacles, and a line about each one: for tree and viewport."""

from __future__ import annotations

from typing import get_args

from snakestudio.model.world import Obstacle
from snakestudio.viewmodel.numbers import format_number

__all__ = ["KINDS", "place_and_size"]

KINDS: dict[str, type[Obstacle]] = {
    model.model_fields["kind"].get_default(): model for model in get_args(get_args(Obstacle)[0])
}
"""All kinds of obstacles, in the order of the menus."""

_SIZES = {
    "cylinder": "radius {radius_m} m, height {height_m} m",
    "box": "{length_m} × {width_m} × {height_m} m",
    "stairs": "{steps} steps of {run_m} × {rise_m} m",
    "ramp": "{length_m} × {width_m} m, rise {rise_m} m",
    "height_field": "{length_m} × {width_m} m",
    "rubble": "{blocks} blocks on {length_m} × {width_m} m",
}


def place_and_size(obstacle: Obstacle) -> str:
    """Where an obstacle is and how large."""
    numbers = {
        name: format_number(value)
        for name in type(obstacle).model_fields
        if isinstance(value := getattr(obstacle, name), int | float)
    }
    return f"x {obstacle.x_m:.3f} m, y {obstacle.y_m:.3f} m, {_SIZES[obstacle.kind].format_map(numbers)}"
