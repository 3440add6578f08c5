"""Seeds of Python calls: one number determines all random parts of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from snakestudio.errors import UsageError
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.edits import parse_key, with_values
from snakestudio.model.scene import Scene

_SEEDS = 1 << 31
"""Seeds of a scene are below this number."""


def seed_of(value: object) -> int:
    """Seed given by an argument.

    Raises `UsageError` if it is not a whole number of at least 0.
    """
    if not is_number(value, Integral):
        raise wrong_kind("seed", "a whole number", value)
    if value < 0:
        raise UsageError(
            f"seed must not be negative. Give a whole number of at least 0 (got {value})."
        )
    return int(value)


def with_drawn_seeds(scene: Scene, seed: int | Sequence[int], values: Mapping[str, Any]) -> Scene:
    """Return a scene with new seeds for its random parts; the scene itself if there are none.

    Random parts are fields of rubble and the force noise of a controller.

    Parameters
    ----------
    scene : Scene
        Scene to which `values` have been applied.
    seed : int or sequence of int
        Entropy of the random numbers, as of `numpy.random.SeedSequence`.
    values : mapping
        Scene values that were given explicitly, by dotted key; seeds among them are not replaced.
    """
    keys = _seed_keys(scene)
    if not keys:
        return scene
    random = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    drawn: dict[str, Any] = {key: int(random.integers(_SEEDS)) for key in keys}
    by_path = {parse_key(key): value for key, value in values.items()}
    new = {key: seed for key, seed in drawn.items() if not _contains(by_path, parse_key(key))}
    return with_values(scene, new) if new else scene


def is_random(scene: Scene) -> bool:
    """Return whether a scene has random parts."""
    return bool(_seed_keys(scene))


def _seed_keys(scene: Scene) -> list[str]:
    """Return the dotted keys of all seeds in a scene."""
    keys = [
        f"obstacles[{k}].seed"
        for k, obstacle in enumerate(scene.obstacles, start=1)
        if hasattr(obstacle, "seed")
    ]
    return [*keys, "controller.noise_seed"] if hasattr(scene.controller, "noise_seed") else keys


def _contains(values: Mapping[tuple[str | int, ...], Any], path: tuple[str | int, ...]) -> bool:
    """Return whether values by path contain that of a path, also inside a table or a list."""
    for length in range(1, len(path) + 1):
        part: Any = values.get(path[:length])
        for name in path[length:]:
            try:
                part = part[name]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if path[:length] in values:
                return True
    return False
