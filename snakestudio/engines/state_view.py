"""The present state of an engine: a Snapshot whose fields are computed when they are read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats

__all__ = ["StateView"]

_FIELDS = frozenset(field.name for field in fields(Snapshot))
_FROM_THE_ROW = frozenset(("link_pose", "link_twist", "joint_angle", "joint_rate", "joint_torque"))
_REFERENCES = frozenset(("joint_angle_ref", "joint_rate_ref"))

_put = object.__setattr__


class _Engine(Protocol):
    @property
    def scene(self) -> Scene: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def time(self) -> float: ...

    @property
    def step_count(self) -> int: ...

    def view_row(self, again: bool) -> tuple[RowBuffers, int, slice]:
        """Buffers in which the present state has just been written, its row there, and the contacts of that row.

        References are not in it. Nothing else is ever written there, unless it is the row that is written `again`.
        """
        ...

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Angles and rates that the joints must have now, each (m,), arrays of its own."""
        ...

    def solver_stats(self) -> SolverStats:
        """How well the contact problems of the interval were solved."""
        ...

    def contacts_in(self, rows: RowBuffers, part: slice) -> Contacts:
        """Contacts of the interval, from a row of the present state."""
        ...


class StateView(Snapshot):
    """A Snapshot of the present state; those who need two of its fields do not wait for all of them.

    What has been read stays as it is. What has not can be read until the engine advances.

    Parameters
    ----------
    engine : object as `_Engine`
    again : bool
        Arrays are in the one row of the engine that is written again: they stay as they are until the next such view
        is read.
    """

    __slots__ = ("_again", "_engine", "_row", "_step")

    _engine: _Engine
    _step: int
    _again: bool
    _row: tuple[RowBuffers, int, slice] | None

    def __init__(self, engine: _Engine, again: bool = False) -> None:
        _put(self, "_engine", engine)
        _put(self, "_step", engine.step_count)
        _put(self, "_again", again)
        _put(self, "_row", None)
        _put(self, "control", {})
        _put(self, "body", None)
        _put(self, "mass_shares", engine.schema.mass_shares)
        _put(self, "valid", engine.schema.valid)

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
        value: Any
        if name in _FROM_THE_ROW:
            rows, i, _ = self._row or self._written()
            value = getattr(rows, name)[i]
        elif name in _REFERENCES:
            value = engine.references_now()[name == "joint_rate_ref"]
        elif name == "time":
            value = engine.time
        elif name == "solver":
            value = engine.solver_stats()
        elif name == "energy":
            rows, i, _ = self._row or self._written()
            value = dict(zip(engine.schema.energy, rows.energy[i].tolist(), strict=True))
        else:
            rows, _, contacts = self._row or self._written()
            value = engine.contacts_in(rows, contacts)
        _put(self, name, value)
        return value

    def _written(self) -> tuple[RowBuffers, int, slice]:
        row = self._engine.view_row(self._again)
        _put(self, "_row", row)
        return row
