"""The present state of an engine: a Snapshot whose fields are computed when they are read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from snakestudio._arrays import FloatArray
from snakestudio.engines.present_row import VIEW_FIELDS, PresentRow
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats

_FIELDS = frozenset(field.name for field in fields(Snapshot))
_ROW_FIELDS = frozenset(VIEW_FIELDS)
_CONSTANT = frozenset(("control", "body", "mass_shares", "head_last", "valid"))
_REFERENCES = ("joint_angle_ref", "joint_rate_ref")

_put = object.__setattr__


class ViewedEngine(Protocol):
    """Interface of an engine for views."""

    @property
    def scene(self) -> Scene:
        """The scene as it is simulated now."""
        ...

    @property
    def schema(self) -> Schema:
        """Columns of the rows."""
        ...

    @property
    def mass_shares(self) -> FloatArray:
        """Fraction of the mass that belongs to each link, (n,)."""
        ...

    @property
    def time(self) -> float:
        """Simulated time, s."""
        ...

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        ...

    def view_row(self, again: bool) -> PresentRow:
        """Return the row in which the present state has just been written; `again` selects the row of reused views.

        References are not in it.
        """
        ...

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Return the present reference angles and rates of the joints, each (m,), in new arrays."""
        ...

    def solver_stats(self) -> SolverStats:
        """Return statistics of the contact solver in the interval."""
        ...

    def contacts_in(self, row: PresentRow, copy: bool) -> Contacts:
        """Return the contacts of the interval from a row of the present state; with `copy`, in new arrays."""
        ...


class StateView(Snapshot):
    """A Snapshot of the present state that computes only the fields that are read.

    Values that have been read do not change. Others can be read until the engine advances.

    Parameters
    ----------
    again : bool
        Whether arrays are those of a row that the engine reuses; they are valid until the next such
        view is read.
    """

    __slots__ = ("_again", "_engine", "_row", "_step", "_write")

    _engine: ViewedEngine
    _step: int
    _again: bool
    _row: PresentRow | None
    _write: int
    """Number of the row's write that belongs to this view."""

    def __init__(self, engine: ViewedEngine, again: bool = False) -> None:
        _put(self, "_engine", engine)
        _put(self, "_step", engine.step_count)
        _put(self, "_again", again)
        _put(self, "_row", None)

    def __getattr__(self, name: str) -> Any:
        engine = self._engine
        value: Any
        if name in _CONSTANT:
            value = _constant(engine, name)
            _put(self, name, value)
            return value
        if name not in _FIELDS:
            raise AttributeError(f"A snapshot has no {name!r}.")
        if engine.step_count != self._step:
            time = self._step * engine.scene.solver.step_s
            raise RuntimeError(
                f"{name} of the snapshot at t = {time:.6g} s was not read before the next step. "
                "Read or copy the required values of a snapshot before `reference` returns."
            )
        if name in _ROW_FIELDS:
            value = self._written().values[name]
            if not self._again:
                value = value.copy()
        elif name in _REFERENCES:
            both = dict(zip(_REFERENCES, engine.references_now(), strict=True))
            for each, reference in both.items():
                _put(self, each, reference)
            return both[name]
        elif name == "time":
            value = engine.time
        elif name == "solver":
            value = engine.solver_stats()
        elif name == "energy":
            value = dict(
                zip(engine.schema.energy, self._written().rows.energy[0].tolist(), strict=True)
            )
        else:
            value = engine.contacts_in(self._written(), not self._again)
        _put(self, name, value)
        return value

    def _written(self) -> PresentRow:
        """Return the row, with the state of this view in it."""
        row = self._row
        if row is None or row.writes != self._write:
            row = self._engine.view_row(self._again)
            _put(self, "_row", row)
            _put(self, "_write", row.writes)
        return row


def _constant(engine: ViewedEngine, name: str) -> Any:
    """Return a field of a snapshot that does not depend on the state."""
    if name == "control":
        return {}
    if name == "body":
        return None
    if name == "mass_shares":
        return engine.mass_shares
    return engine.schema.head_last if name == "head_last" else engine.schema.valid
