"""Scenes of a batch: one scene with separate values for each world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.api.seeds import with_drawn_seeds
from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine
from snakestudio.errors import SceneError, UsageError
from snakestudio.model.arguments import kind_of, wrong_kind
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene

Values = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


def values_by_world(values: object, n: int) -> list[dict[str, Any]]:
    """Return the scene values of each of `n` worlds, by dotted key.

    Raises `UsageError` if the type or the number of values is wrong.

    Parameters
    ----------
    values
        For each key a list or array of n values, or one value for all worlds; or a list of
        n mappings.
    """
    if values is None:
        return [{} for _ in range(n)]
    if isinstance(values, Mapping):
        if not all(isinstance(key, str) for key in values):
            raise _wrong_kind(values)
        columns = {key: _column(key, column, n) for key, column in values.items()}
        return [{key: column[world] for key, column in columns.items()} for world in range(n)]
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise _wrong_kind(values)
    if len(values) != n:
        raise UsageError(
            f"values has {len(values)} mappings for {n} worlds. Give one for each world."
        )
    for world, own in enumerate(values):
        if not isinstance(own, Mapping) or not all(isinstance(key, str) for key in own):
            raise UsageError(
                f"values[{world}] must be a mapping of scene values by dotted key, not {kind_of(own)}."
            )
    return [{key: _plain(value) for key, value in own.items()} for own in values]


def values_of_first(values: object, n: int) -> dict[str, Any]:
    """Return the values of world 0 of n, without those of the others. Raises like `values_by_world`."""
    if isinstance(values, Mapping):
        firsts = {}
        for key, entry in values.items():
            several = isinstance(entry, list | tuple | range) or (
                isinstance(entry, np.ndarray) and entry.ndim > 0
            )
            if several and len(entry) != n:
                values_by_world({key: entry}, n)
            firsts[key] = [entry[0] if several else entry]
        return values_by_world(firsts, 1)[0]
    if isinstance(values, Sequence) and not isinstance(values, str):
        if len(values) != n:
            values_by_world(values, n)
        return values_by_world(values[:1], 1)[0]
    return values_by_world(values, 1)[0]


def _wrong_kind(value: object) -> UsageError:
    return wrong_kind(
        "values",
        'a mapping such as {"ground.mu_along": [0.2, 0.3]} or a list of one for each world',
        value,
    )


def _column(key: str, entry: Any, n: int) -> list[Any]:
    """Return the values of one key in all worlds."""
    if isinstance(entry, np.ndarray) and entry.ndim:
        entry = entry.tolist()
    if not isinstance(entry, list | tuple | range):
        return [_plain(entry)] * n
    if len(entry) != n:
        raise UsageError(
            f'values["{key}"] has {len(entry)} entries for {n} worlds. Give one for each world.'
        )
    return [_plain(value) for value in entry]


def _plain(value: Any) -> Any:
    """Return the value as a plain type of a scene file."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def build_world(
    scene: Scene,
    base_dir: Path | None,
    values: Mapping[str, Any],
    world: int,
    n: int,
    seed: int | None = None,
    earlier: Mapping[str, Any] | None = None,
    checked: bool = False,
) -> Engine:
    """Return the engine of one world.

    Raises `SceneError` with the number of the world and its problems.

    Parameters
    ----------
    values : mapping
        Scene values to replace, by dotted key.
    world, n : int
        Number of the world, and number of worlds.
    seed : int, optional
        Seed of the batch, from which random parts of the scene get seeds of this world.
    earlier : mapping, optional
        Scene values that were given before; see `with_drawn_seeds`.
    checked : bool
        Whether the scene with these values was checked already.
    """
    try:
        own = with_values(scene, dict(values)) if values else scene
        if seed is not None:
            drawn = with_drawn_seeds(own, [seed, world], {**(earlier or {}), **values})
            checked = checked and drawn is own
            own = drawn
        if not checked:
            errors = [
                problem
                for problem in controllers.check(own, base_dir)
                if problem.severity == "error"
            ]
            if errors:
                raise SceneError.of(errors)
        return engines.create(own, base_dir, checked=checked)
    except SceneError as error:
        if not values:
            raise
        raise SceneError(f"World {world} of 0 to {n - 1}: {error}", list(error.problems)) from None
