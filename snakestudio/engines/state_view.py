"""The state of an engine as its controller sees it: a Snapshot whose fields are computed when they are read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

__all__ = ["StateView"]

_FIELDS = frozenset(field.name for field in fields(Snapshot))


class _Engine(Protocol):
    @property
    def scene(self) -> Scene: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def step_count(self) -> int: ...

    def fields_now(self, name: str) -> dict[str, Any]:
        """A field of a Snapshot of the present state, by its name, and others that come with it."""
        ...


class StateView(Snapshot):
    """A Snapshot of the present state; a controller that needs two of its fields does not wait for all of them.

    What has been read is an array of its own and stays as it is. What has not can be read until the engine advances.

    Parameters
    ----------
    engine : object with `scene`, `schema`, `step_count` and `fields_now`
    """

    __slots__ = ("_engine", "_step")

    _engine: _Engine
    _step: int

    def __init__(self, engine: _Engine) -> None:
        object.__setattr__(self, "_engine", engine)
        object.__setattr__(self, "_step", engine.step_count)
        object.__setattr__(self, "body", None)
        object.__setattr__(self, "mass_shares", engine.schema.mass_shares)

    def __getattr__(self, name: str) -> Any:
        if name not in _FIELDS:
            raise AttributeError(f"A snapshot has no {name!r}.")
        engine = self._engine
        if engine.step_count != self._step:
            time = self._step * engine.scene.solver.step_s
            raise RuntimeError(
                f"{name} of the snapshot at t = {time:.6g} s was not read before the robot moved on. "
                "Read or copy what you need of a snapshot before `reference` returns."
            )
        values = engine.fields_now(name)
        for other, value in values.items():
            object.__setattr__(self, other, value)
        return values[name]
