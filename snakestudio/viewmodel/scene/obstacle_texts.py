"""A line about an obstacle, for tree and viewport."""

from __future__ import annotations

from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.viewmodel.numbers import format_number

__all__ = ["place_and_size"]


def place_and_size(obstacle: Obstacle) -> str:
    """Where an obstacle is and how large."""
    numbers = {
        name: format_number(value)
        for name in type(obstacle).model_fields
        if isinstance(value := getattr(obstacle, name), int | float)
    }
    return f"x {obstacle.x_m:.3f} m, y {obstacle.y_m:.3f} m, {shape_of(obstacle).sizes.format_map(numbers)}"
