"""What every formulation of the dynamics offers to the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot


class StepReport(NamedTuple):
    """How a call of `Engine.advance` went."""

    ok: bool
    """False: the physics failed; the state is that before the failed step."""

    message: str
    """A sentence saying what failed, empty if nothing did."""

    steps: int
    """Steps taken."""

    residual: float
    """Worst residual."""

    iterations: int
    """Solver iterations in all."""

    unconverged: int
    """Steps with a residual above 1e-8."""

    rows: Rows
    """The rows that were asked for, as far as the run got."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The full state of an engine, warm starts too; `state` belongs to the engine that made it."""

    kind: str
    time: float
    state: Any


class Kernel(NamedTuple):
    """What is compiled of a formulation."""

    advance: Any
    """Takes steps, see `engines.advance.make_advance`."""

    write_row: Any
    """Writes the present state as the next row, and starts the sums of the row after it."""

    write_state: Any
    """Writes the present state as the next row and changes nothing; its last argument is the
    interval that contacts are of (`row_buffers.ROW` or `CALL`)."""


class Engine(Protocol):
    """A formulation of the dynamics, built for one scene. Only one thread may use it at a time."""

    @property
    def scene(self) -> Scene:
        """The scene as it is run now."""
        ...

    @property
    def schema(self) -> Schema:
        """What its rows hold."""
        ...

    @property
    def time(self) -> float:
        """Time reached, s."""
        ...

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        ...

    def advance(
        self,
        reference: Reference,
        n_steps: int,
        row_steps: tuple[int, ...] | Any,
        go_on: bool = False,
        keep_rows: bool = False,
    ) -> StepReport:
        """Take `n_steps` steps under `reference`.

        `row_steps` (ascending ints) are the step counts, since the start of the run, after which a
        row is wanted. Under `go_on` the call belongs to the interval of the calls before it: the
        next snapshot shows the mean over them all. Under `keep_rows` an engine may keep the rows,
        and hand them over with those of a later call, or of one that fails: one by one, their
        handling takes as long as making them.
        """
        ...

    def initial_rows(self) -> Rows:
        """The row of the present state, all sums as they stand (the first row of a recording)."""
        ...

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """The present state; contact forces are means over the calls of `advance` since one that did not `go_on`.

        It may come without `contacts` to who looks at none: its `valid` says so.
        """
        ...

    def look(self) -> Snapshot:
        """As `snapshot`, for a controller: fields are computed when they are read, which must be before `advance`.

        What has been read stays as it is.
        """
        ...

    def apply(self, scene: Scene) -> bool:
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""
        ...

    def checkpoint(self) -> Checkpoint:
        """The full state, warm starts too."""
        ...

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a state that `checkpoint` gave, bit for bit."""
        ...

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed."""
        ...

    def contact_problem(self) -> dict[str, Any]:
        """The contact problem of the last step, also of one that failed, as arrays by name; empty if there is none."""
        ...

    def friction_problem(self) -> FrictionProblem | None:
        """The same in the form in which the field exchanges them; None if there is none."""
        ...
