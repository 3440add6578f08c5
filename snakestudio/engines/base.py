"""Interface between the formulations of the dynamics and the rest of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

SetPoints = FloatArray | None
"""Constant values of all joint axes, (m,); None if they are not given."""

Due = RowCollector | None
"""Collector of the rows that are due, if there is one."""


class StepReport(NamedTuple):
    """Result of a call of `Engine.advance`."""

    ok: bool
    """False if the simulation failed; the state is then that before the failed step."""

    message: str
    """Description of the failure; empty if there was none."""

    steps: int
    """Steps taken."""

    residual: float
    """Largest residual."""

    iterations: int
    """Total number of solver iterations."""

    unconverged: int
    """Steps with a residual above 1e-8."""

    rows: Rows
    """The requested rows, up to a failure; none if the caller collects them."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Full state of an engine with its warm starts; `state` has the type of the engine that saved it."""

    kind: str
    time: float
    state: Any


class Kernel(NamedTuple):
    """Compiled functions of a formulation."""

    advance: Any
    """Takes steps; see `engines.advance.make_advance`."""

    write_row: Any
    """Writes the present state as the next row, and resets the sums for the row after it."""

    write_state: Any
    """Writes the present state as the next row without changing the state; its last argument is the
    interval over which contacts are averaged (`row_buffers.ROW` or `CALL`)."""


class Engine(Protocol):
    """A formulation of the dynamics, built for one scene. It is not thread-safe."""

    @property
    def scene(self) -> Scene:
        """The scene as it is simulated now."""
        ...

    @property
    def schema(self) -> Schema:
        """Columns of its rows."""
        ...

    @property
    def time(self) -> float:
        """Simulated time, s."""
        ...

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        ...

    def advance(
        self, reference: Reference, n_steps: int, rows: RowCollector | Sequence[int] | Any = ()
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; the next snapshot shows mean contact forces over this call.

        `rows` are ascending step counts, since the start of the run, after which rows are recorded;
        the report has the rows. A caller that collects the rows of many calls passes a
        `RowCollector` with these step counts, which receives them instead.
        """
        ...

    def hold(
        self, n_steps: int, angle: SetPoints, rate: SetPoints, torque: SetPoints, rows: Due = None
    ) -> str:
        """Take steps under constant set-points of the joints; return the description of a failure, "" without one.

        The joints are held at `angle` ((m,), rad), or move from there at `rate` ((m,), rad/s);
        with `torque` ((m,), N m), the motors exert torques instead.
        """
        ...

    def resume(
        self, reference: Reference, n_steps: int, rows: RowCollector | Sequence[int] | Any = ()
    ) -> StepReport:
        """Extend the last call of `advance` by `n_steps` steps; the next snapshot shows means over both."""
        ...

    def initial_rows(self) -> Rows:
        """Return the row of the present state with its accumulated sums (the first row of a recording)."""
        ...

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """Return the present state; contact forces are means over the last call of `advance`.

        Contacts may be missing if `contacts` is False; `valid` of the snapshot shows whether they
        are.
        """
        ...

    def look(self) -> Snapshot:
        """Return a `snapshot` for controllers: fields are computed when they are read, before the next `advance`.

        Values that have been read do not change.
        """
        ...

    def view(self) -> Snapshot:
        """Return a `look` whose arrays the next view overwrites."""
        ...

    def apply(self, scene: Scene) -> bool:
        """Apply the differences of `scene`; False (and no change) if they need a new engine."""
        ...

    def checkpoint(self) -> Checkpoint:
        """Return the full state, warm starts included."""
        ...

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore the state of a `checkpoint`, bit for bit."""
        ...

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Set the force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed."""
        ...

    def contact_problem(self) -> dict[str, Any]:
        """Return the contact problem of the last or failed step as arrays by name; empty if there is none."""
        ...

    def friction_problem(self) -> FrictionProblem | None:
        """Return the contact problem in the common exchange format; None if there is none."""
        ...
