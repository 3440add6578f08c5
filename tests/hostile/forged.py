"""Forged states in run files: values in a valid state, replaced by invalid ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.states import decode, encode
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner

__all__ = [
    "ARRAYS",
    "SCENES",
    "Forged",
    "continue_forged",
    "last_state",
    "leaves",
    "recorded",
    "with_leaf",
]

PartPath = tuple[str | int, ...]
Array = np.ndarray[Any, Any]

SCENES: dict[str, dict[str, Any]] = {
    "obstacle_aided": {},
    "obstacle_aided_3d": {},
    "lagrangian_undulation": {},
    "jam_resolution": {},
    "path_following": {},
    "continuum_snake_2d": {},
    "sidewinding": {"controller.kind": "strain_follower"},
}
"""Scenes for each engine, and controllers with large states; by names of bundled scenes."""

ARRAYS: dict[str, Callable[[Array], Array]] = {
    "one short": lambda a: a[:-1].copy(),
    "one more": lambda a: np.concatenate([a, a[-1:]]),
    "nothing": lambda a: a[:0].copy(),
    "of another dimension": lambda a: a[..., None].copy(),
    "of half precision": lambda a: a.astype(np.float32 if a.dtype.kind == "f" else np.int32),
    "of thousands": lambda a: np.zeros(
        (min(20_000, 5_000_000 // max(a[:1].size, 1)), *a.shape[1:]), a.dtype
    ),
    "no numbers": lambda a: np.full(a.shape, np.nan),
    "infinite": lambda a: np.full(a.shape, -np.inf),
}
"""Arrays that never have the sizes and types of compiled code."""

_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    7,
    1 << 40,
    -(1 << 62),
    1 << 70,
    0.5,
    -1.0,
    1e300,
    float("nan"),
    float("inf"),
    "x",
    (),
    (1.0,),
    [],
    np.zeros(3),
    np.float64(2.0),
    np.zeros((2, 3, 4)),
)


def recorded(name: str) -> RunRecording:
    """Record a short run of a bundled scene, with its states."""
    runner = Runner(
        with_values(
            load_scene(scenes_dir() / f"{name}.toml"), {**SCENES[name], "run.duration_s": 0.3}
        )
    )
    while not runner.finished:
        runner.advance(100 * runner.scene.steps_per_period)
        runner.recording.add_checkpoint(runner.time, runner.checkpoint())
    return runner.recording


def last_state(run: RunRecording) -> tuple[float, Any, Scene]:
    """Return the last saved state of a run, with its time (s) and scene."""
    time, data = run.checkpoint_before(0.3) or (0.0, b"")
    scene = run.scene_at(time)
    return time, decode(data, scene), scene


def leaves(value: Any, path: PartPath = ()) -> Iterator[tuple[PartPath, Any]]:
    """Parts of a state that have no parts, with their paths."""
    if is_dataclass(value) and not hasattr(value, "model_fields"):
        inner: list[tuple[str | int, Any]] = [
            (f.name, getattr(value, f.name)) for f in fields(value)
        ]
    elif hasattr(value, "_asdict"):
        inner = list(value._asdict().items())
    elif isinstance(value, (tuple, list)) and value:
        inner = list(enumerate(value))
    else:
        yield path, value
        return
    for name, part in inner:
        yield from leaves(part, (*path, name))


def with_leaf(value: Any, path: PartPath, replacement: Any) -> Any:
    """Return `value` with the part at the end of a path replaced."""
    if not path:
        return replacement
    name = path[0]
    rest = path[1:]
    if isinstance(name, int):
        items = list(value)
        items[name] = with_leaf(items[name], rest, replacement)
        return type(value)(items)
    new = with_leaf(getattr(value, name), rest, replacement)
    return (
        value._replace(**{name: new})
        if hasattr(value, "_replace")
        else replace(value, **{name: new})
    )


def _forged(state: Any, rng: random.Random) -> Any:
    """Return a state with one part replaced at random."""
    path, value = rng.choice(list(leaves(state)))
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.9:
        if rng.random() < 0.4:
            replacement = rng.choice(list(ARRAYS.values()))(value)
        else:
            replacement = value.copy()
            numbers = (
                [0, 1, -1, 2, 17, 255, 1 << 31, 1 << 62, -(1 << 62)]
                if value.dtype.kind in "iu"
                else [0.0, 1e3, -1e9, 1e300]
            )
            for _ in range(rng.choice((1, 3))):
                replacement.flat[rng.randrange(value.size)] = rng.choice(numbers)
    elif isinstance(value, int | float) and rng.random() < 0.3:
        replacement = value + rng.choice((1, -1, 0.5, 1000, 1 << 40))
    else:
        replacement = rng.choice(_VALUES)
    return with_leaf(state, path, replacement)


class Forged:
    """A run whose only state is a given one."""

    def __init__(self, run: RunRecording, time: float, state: bytes) -> None:
        self._run = run
        self._time = time
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def __len__(self) -> int:
        return len(self._run)

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """Like any run with states."""
        return (self._time, self._state) if time >= self._time else None


_runs: dict[str, RunRecording] = {}


def continue_forged(name: str, seed: int) -> None:
    """Continue a run from a randomly forged state for some steps; seed 0: from the valid state."""
    run = _runs.get(name) or _runs.setdefault(name, recorded(name))
    time, state, scene = last_state(run)
    if seed:
        state = _forged(state, random.Random(f"{name} {seed}"))
    try:
        data = encode(state, scene, time)
    except (TypeError, ValueError, IndexError):
        return  # such a value cannot be written
    continued = continue_run(Forged(run, time, data), time, scenes_dir())  # type: ignore[arg-type]
    assert continued is not None
    assert seed or continued.exact
    continued.runner.extend()
    continued.runner.advance(2 * continued.runner.scene.steps_per_period)
    continued.runner.recording.close()
