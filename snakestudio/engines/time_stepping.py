"""What the time-stepping engines have in common: calls of the kernel, growing buffers, rows, snapshots, checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.base import Checkpoint, StepReport
from snakestudio.engines.outcome import CONTACT_OVERFLOW, NOT_SOLVED, OK, ROW_OVERFLOW, SLOT_OVERFLOW
from snakestudio.engines.row_buffers import RowBuffers, filled_rows, make_row_buffers, more_contacts
from snakestudio.model.motion import StraightStart
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.robot import Robot
from snakestudio.model.scene import Model, Scene, Solver
from snakestudio.model.snapshot import Contacts, Snapshot, SolverFigures

__all__ = ["Figures", "TimeSteppingEngine", "copied", "forget_obstacles", "run_a_step", "tiny_scene"]

T = TypeVar("T", bound=Any)  # a NamedTuple of arrays
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Figures(NamedTuple):
    """What the kernel counts: unconverged steps since the start; its steps, iterations, worst residual in the interval.

    The interval is what the next snapshot shows means over.
    """

    step: int
    steps: int
    iterations: int
    unconverged: int
    worst: float


class TimeSteppingEngine(ABC):
    """The Engine protocol on top of a kernel that takes many steps a call; see `Engine` for the public methods."""

    kind: str

    def __init__(self, scene: Scene, base_dir: Path | None, schema: Schema) -> None:
        self._scene = scene
        self._base_dir = base_dir
        self._schema = schema
        self._reference: JointReference | None = None

    @property
    def scene(self) -> Scene:
        """The scene as last applied."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """What its rows hold."""
        return self._schema

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.step_count * self._scene.solver.step_s

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        return self._figures().step

    # ------------------------------------------------------------------------------------------ of a formulation

    @abstractmethod
    def _figures(self) -> Figures: ...

    @abstractmethod
    def _begin_interval(self) -> None:
        """Start the sums that the next snapshot shows."""

    @abstractmethod
    def _run_kernel(self, reference: JointReference, n_steps: int, wanted: IntArray, rows: RowBuffers) -> int:
        """Take steps under a reference whose arrays are `_plain`; returns what the call ended with."""

    @abstractmethod
    def _grow_contacts(self) -> None: ...

    @abstractmethod
    def _grow_slots(self) -> None: ...

    @abstractmethod
    def _room_for_contacts(self, n_rows: int) -> int: ...

    @abstractmethod
    def _write_present_row(self, angle: FloatArray, rate: FloatArray) -> RowBuffers:
        """The row of the present state, with these references (n-1, 2); must not change the state."""

    @abstractmethod
    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        """Angles and rates of all joints, each (n-1, 2)."""

    @abstractmethod
    def _contacts(self, span: float, link_pose: FloatArray) -> Contacts:
        """Contacts that carried load in the interval, which took `span` s; `link_pose` (n, 7) is the present one."""

    @abstractmethod
    def _take(self, scene: Scene) -> bool:
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""

    @abstractmethod
    def _saved_state(self) -> Any: ...

    @abstractmethod
    def _restore_state(self, state: Any, scene: Scene) -> None: ...

    # ------------------------------------------------------------------------------------------ Engine

    def advance(
        self,
        reference: Reference,
        n_steps: int,
        row_steps: tuple[int, ...] | IntArray | Any = (),
        go_on: bool = False,
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; see `Engine.advance`."""
        assert isinstance(reference, JointReference), "links have joints"
        begin, end = self.step_count, self.step_count + n_steps
        wanted = np.array(row_steps, dtype=np.int64).reshape(-1)
        wanted = wanted[(wanted > begin) & (wanted <= end)]
        plain = JointReference(
            _plain(reference.time), _plain(reference.angle), _plain(reference.rate), _plain(reference.acceleration)
        )
        rows = self._row_buffers(len(wanted))
        if not go_on:
            self._begin_interval()
        before = self._figures()
        while True:
            status = self._run_kernel(plain, end - self.step_count, wanted, rows)
            if status == CONTACT_OVERFLOW:
                self._grow_contacts()
            elif status == SLOT_OVERFLOW:
                self._grow_slots()
            elif status == ROW_OVERFLOW:
                rows = more_contacts(rows)
            else:
                break
        self._reference = reference
        figures = self._figures()
        return StepReport(
            ok=status == OK,
            message="" if status == OK else self._failure(status),
            steps=figures.step - begin,
            residual=figures.worst,
            iterations=figures.iterations - before.iterations,
            unconverged=figures.unconverged - before.unconverged,
            rows=filled_rows(rows, self._scene.solver.step_s),
        )

    def _row_buffers(self, n_rows: int) -> RowBuffers:
        schema = self._schema
        room = self._room_for_contacts(n_rows)
        return make_row_buffers(n_rows, schema.n_links, len(schema.energy), room, schema.n_joints)

    def _failure(self, status: int) -> str:
        """A sentence for a call that ended badly."""
        at = f"step {self.step_count + 1} (t = {self.time:.6g} s)"
        if status == NOT_SOLVED:
            most, usual = self._scene.solver.max_iterations, Solver().max_iterations
            remedy = f"raise solver.max_iterations from {most} to {usual}" if most < usual else "reduce solver.step_s"
            return f"No impulses were found that keep the contact laws to a hundredth in {at}; {remedy}."
        return (
            f"In {at} a link or joint would turn by more than half a turn at once: the motion has diverged; "
            f"{self._calming()}."
        )

    def _calming(self) -> str:
        """What keeps a motion from diverging."""
        return "reduce solver.step_s or the gains of the joint controller"

    def initial_rows(self) -> Rows:
        """The row of the present state, all sums as they stand."""
        # Before the first call nobody has said what the joints shall do: a robot starts where it is.
        angle, rate = self._joints_now() if self._reference is None else self._reference.at(self.time)
        return filled_rows(self._write_present_row(angle, rate), self._scene.solver.step_s)

    def snapshot(self) -> Snapshot:
        """The present state; contact forces are means over the interval."""
        rows = self.initial_rows()
        figures = self._figures()
        return Snapshot(
            time=self.time,
            link_pose=rows.link_pose[0],
            link_twist=rows.link_twist[0],
            joint_angle=rows.joint_angle[0],
            joint_rate=rows.joint_rate[0],
            joint_angle_ref=rows.joint_angle_ref[0],
            joint_rate_ref=rows.joint_rate_ref[0],
            joint_torque=rows.joint_torque[0],
            contacts=self._contacts(figures.steps * self._scene.solver.step_s, rows.link_pose[0]),
            energy=dict(zip(self._schema.energy, (float(e) for e in rows.energy[0]), strict=True)),
            solver=SolverFigures(figures.worst, figures.iterations / max(figures.steps, 1), figures.unconverged),
            valid=self._schema.valid,
        )

    def apply(self, scene: Scene) -> bool:
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""
        if not self._take(scene):
            return False
        self._scene = scene
        return True

    def checkpoint(self) -> Checkpoint:
        """The full state; `restore` continues from it bit for bit."""
        return Checkpoint(self.kind, self.time, (self._saved_state(), self._scene, self._reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a state that this engine, or one of the same scene, has saved."""
        state, scene, reference = checkpoint.state
        self._restore_state(state, scene)
        self._scene = scene
        self._reference = reference


def copied(state: T) -> T:
    """All arrays of `state` anew."""
    copy: T = state._replace(**{name: array.copy() for name, array in state._asdict().items()})
    return copy


def forget_obstacles(state: Any, counters: tuple[int, int], n_obstacles: int) -> None:
    """Drop the sums of contacts with obstacles that are there no more.

    Parameters
    ----------
    state : State of an engine
        `slot_key[which, :, 1]` are the obstacles of `slot_sum[which]`; `contact[:, 3:]` are contacts' places in these.
    counters : (int, int)
        Where in `state.counts` it says how many are used.
    n_obstacles : int
    """
    for count, keys, sums in zip(counters, state.slot_key, state.slot_sum, strict=True):
        used = int(state.counts[count])
        kept = np.flatnonzero(keys[:used, 1] < n_obstacles)
        keys[: len(kept)], sums[: len(kept)] = keys[kept], sums[kept]
        state.counts[count] = len(kept)
    state.contact[:, 3:] = -1


def _plain(array: NDArray[Any]) -> FloatArray:
    """`array` as the kernels are compiled for: float64, contiguous, writeable."""
    plain = np.ascontiguousarray(array, dtype=np.float64)
    return plain if plain.flags.writeable else plain.copy()


def tiny_scene(kind: Any) -> Scene:
    """The smallest scene of a formulation: two links in a line."""
    return Scene(model=Model(kind=kind), robot=Robot(n_links=2), start=StraightStart(kind="straight"))


def run_a_step(engine: TimeSteppingEngine) -> None:
    """Call everything of an engine that is compiled."""
    engine.initial_rows()
    zeros = np.zeros((2, 1, 2))
    engine.advance(JointReference(np.array([0.0, 1.0]), zeros, zeros, zeros), 1, (1,))
    engine.snapshot()
