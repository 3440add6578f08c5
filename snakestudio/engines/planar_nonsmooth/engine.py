"""The planar non-smooth engine (paper P2) as the rest of the program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.base import Checkpoint, StepReport
from snakestudio.engines.planar_nonsmooth.params import Params, make_params, same_structure
from snakestudio.engines.planar_nonsmooth.problem_file import problem_arrays
from snakestudio.engines.planar_nonsmooth.rows import write_row
from snakestudio.engines.planar_nonsmooth.state import (
    CALL_ITERATIONS,
    CALL_STEPS,
    ENERGY,
    LOAD,
    SLOTS_CALL,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
    WORST_CALL,
    RowBuffers,
    State,
    grow_contacts,
    grow_slots,
    make_row_buffers,
    make_state,
    make_work,
)
from snakestudio.engines.planar_nonsmooth.step import (
    CONTACT_OVERFLOW,
    NOT_SOLVED,
    OK,
    ROW_OVERFLOW,
    SLOT_OVERFLOW,
    advance_steps,
)
from snakestudio.model.pose import planar_pose
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND, Contacts, ContactState, Snapshot, SolverFigures

__all__ = ["PlanarNonsmoothEngine"]

FloatArray = NDArray[np.float64]

KIND = "planar_nonsmooth"


def _plain(array: NDArray[Any]) -> FloatArray:
    """`array` as the kernels are compiled for: float64, contiguous, writeable."""
    plain = np.ascontiguousarray(array, dtype=np.float64)
    return plain if plain.flags.writeable else plain.copy()


class PlanarNonsmoothEngine:
    """Moreau time stepping of a snake robot in the plane among cylinders and upright boxes.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.

    Raises
    ------
    SceneError
        If a file that the start refers to cannot be used. `registry.create` finds all other mistakes beforehand.
    """

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        self._scene = scene
        self._params: Params = make_params(scene)
        self._state: State = make_state(*planar_pose(scene, base_dir))
        n = scene.robot.n_links
        self._work, self._scratch = make_work(n, len(self._state.normal))
        self._schema = Schema(n_links=n, has_pitch=False, energy=ENERGY)
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
        return self.step_count * self._params.dt

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        return int(self._state.counts[STEP])

    def advance(
        self, reference: JointReference, n_steps: int, row_steps: tuple[int, ...] | NDArray[np.int64] | Any = ()
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; see `Engine.advance`."""
        begin, end = self.step_count, self.step_count + n_steps
        wanted = np.array(row_steps, dtype=np.int64).reshape(-1)
        wanted = wanted[(wanted > begin) & (wanted <= end)]
        knots, angle, rate = _plain(reference.time), _plain(reference.angle), _plain(reference.rate)
        rows = make_row_buffers(len(wanted), self._scene.robot.n_links, self._room_for_contacts(len(wanted)))
        self._begin_call()
        unconverged = int(self._state.counts[UNCONVERGED])
        while True:
            status = advance_steps(
                self._params, self._state, self._work, self._scratch, knots, angle, rate, end - self.step_count, wanted,
                rows,
            )  # fmt: skip
            if status == CONTACT_OVERFLOW:
                self._state = grow_contacts(self._state)
                self._work, self._scratch = make_work(self._scene.robot.n_links, len(self._state.normal))
            elif status == SLOT_OVERFLOW:
                self._state = grow_slots(self._state)
            elif status == ROW_OVERFLOW:
                rows = _more_contacts(rows)
            else:
                break
        self._reference = reference
        counts = self._state.counts
        return StepReport(
            ok=status == OK,
            message="" if status == OK else self._failure(status),
            steps=self.step_count - begin,
            residual=float(self._state.sums[WORST_CALL]),
            iterations=int(counts[CALL_ITERATIONS]),
            unconverged=int(counts[UNCONVERGED]) - unconverged,
            rows=self._rows(rows),
        )

    def _room_for_contacts(self, n_rows: int) -> int:
        n = self._scene.robot.n_links
        room: int = n_rows * (n + 4) + len(self._state.normal) + self._state.slot_key.shape[1]
        return room

    def _begin_call(self) -> None:
        """Start the sums that the next snapshot shows."""
        state = self._state
        state.counts[[CALL_ITERATIONS, CALL_STEPS, SLOTS_CALL]] = 0
        state.sums[WORST_CALL] = 0.0
        state.contact[:, 4] = -1
        state.before[1, :-1] = state.impulse[:, :2]
        state.before[1, -1] = self._load()

    def _load(self) -> float:
        """Cumulative normal impulse of the ground on a link, N s."""
        return float(self._state.sums[LOAD])

    def _failure(self, status: int) -> str:
        """A sentence for a call that ended badly."""
        at = f"step {self.step_count + 1} (t = {self.time:.6g} s)"
        if status == NOT_SOLVED:
            return (
                f"The contact problem of {at} was not solved in {self._params.max_iterations} iterations; "
                "raise solver.max_iterations or reduce solver.step_s."
            )
        return (
            f"In {at} a link or joint would turn by more than half a turn at once: the motion has diverged; "
            "reduce solver.step_s or the gains of the joint controller."
        )

    def _rows(self, filled: RowBuffers) -> Rows:
        """The rows that the kernel has filled, without copying."""
        k, m = int(filled.filled[0]), int(filled.filled[1])
        contacts = ContactRows(
            count=filled.contact_count[:k],
            link=filled.contact_link[:m],
            other=filled.contact_other[:m],
            state=filled.contact_state[:m],
            point=filled.contact_point[:m],
            impulse_normal=filled.contact_normal[:m],
            impulse_friction=filled.contact_friction[:m],
        )
        return Rows(
            time=np.asarray(filled.steps[:k] * self._params.dt, dtype=np.float64),
            link_pose=filled.link_pose[:k],
            link_twist=filled.link_twist[:k],
            joint_angle=filled.joint_angle[:k],
            joint_rate=filled.joint_rate[:k],
            joint_angle_ref=filled.joint_angle_ref[:k],
            joint_rate_ref=filled.joint_rate_ref[:k],
            joint_torque=filled.joint_torque[:k],
            impulse_obstacle=filled.impulse_obstacle[:k],
            impulse_ground=filled.impulse_ground[:k],
            contacts_closed=filled.contacts_closed[:k],
            energy=filled.energy[:k],
            solver_residual=filled.residual[:k],
            solver_iterations=filled.iterations[:k],
            solver_unconverged=filled.unconverged[:k],
            steps=filled.steps[:k],
            extra=np.zeros((k, 0)),
            contacts=contacts,
        )

    def initial_rows(self) -> Rows:
        """The row of the present state, all sums as they stand."""
        own = self._state  # writing a row begins new sums, which looking at the state must not
        state = own._replace(
            counts=own.counts.copy(), sums=own.sums.copy(), contact=own.contact.copy(), before=own.before.copy()
        )
        n = self._scene.robot.n_links
        rows = make_row_buffers(1, n, n + state.slot_key.shape[1])
        angle, rate = self._reference_now()
        write_row(self._params, state, np.column_stack([angle[:, 0], rate[:, 0]]), rows)
        return self._rows(rows)

    def _reference_now(self) -> tuple[FloatArray, FloatArray]:
        """Angle and rate that the joints shall have now, each (n-1, 2)."""
        if self._reference is not None:
            return self._reference.at(self.time)
        # Before the first call nobody has said: a robot starts where it is.
        yaw = np.diff(self._state.q[:, 2])
        yaw_rate = np.diff(self._state.u[:, 2])
        return np.column_stack([yaw, 0 * yaw]), np.column_stack([yaw_rate, 0 * yaw_rate])

    def snapshot(self) -> Snapshot:
        """The present state; contact forces are means over the last call of `advance`."""
        rows = self.initial_rows()
        counts, sums = self._state.counts, self._state.sums
        steps = int(counts[CALL_STEPS])
        return Snapshot(
            time=self.time,
            link_pose=rows.link_pose[0],
            link_twist=rows.link_twist[0],
            joint_angle=rows.joint_angle[0],
            joint_rate=rows.joint_rate[0],
            joint_angle_ref=rows.joint_angle_ref[0],
            joint_rate_ref=rows.joint_rate_ref[0],
            joint_torque=rows.joint_torque[0],
            contacts=self._contacts(steps * self._params.dt),
            energy=dict(zip(ENERGY, (float(e) for e in rows.energy[0]), strict=True)),
            solver=SolverFigures(
                float(sums[WORST_CALL]), float(counts[CALL_ITERATIONS]) / max(steps, 1), int(counts[UNCONVERGED])
            ),
        )

    def _contacts(self, span: float) -> Contacts:
        """Contacts that carried load in the last call, which took `span` s."""
        state = self._state
        if span <= 0.0:
            return Contacts.none()
        n = self._scene.robot.n_links
        used = int(state.counts[SLOTS_CALL])
        keys, sums = state.slot_key[1, :used], state.slot_sum[1, :used]
        load = self._load() - float(state.before[1, n, 0])
        grounded = n if load > 0.0 else 0
        point = np.zeros((used + grounded, 3))
        normal, friction = np.zeros_like(point), np.zeros_like(point)
        point[:used, :2] = sums[:, 2:4] / sums[:, 4:5]
        point[:used, 2] = self._params.radius
        normal[:used, :2], friction[:used, :2] = sums[:, :2] / span, sums[:, 5:7] / span
        loaded = keys[:, 3] == state.counts[STEP]
        kind = np.where(loaded, keys[:, 4], int(ContactState.OPEN))
        if grounded:
            point[used:, :2] = state.q[:, :2]
            normal[used:, 2] = load / span
            friction[used:, :2] = (state.impulse[:, :2] - state.before[1, :n]) / span
        return Contacts(
            link=np.concatenate([keys[:, 0], np.arange(grounded)]).astype(np.int32),
            other=np.concatenate([keys[:, 1], np.full(grounded, GROUND)]).astype(np.int32),
            point=point,
            force_normal=normal,
            force_friction=friction,
            state=np.concatenate([kind, state.stick[:grounded]]).astype(np.int32),
        )

    def apply(self, scene: Scene) -> bool:
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""
        if not same_structure(self._scene, scene):
            return False
        old = self._params
        self._params = make_params(scene, old)
        self._scene = scene
        if self._params.obstacles is not old.obstacles:
            self._forget_obstacles(len(self._params.obstacles))
        return True

    def _forget_obstacles(self, n_obstacles: int) -> None:
        """Drop the sums of contacts with obstacles that are there no more."""
        state = self._state
        for count, keys, sums in zip((SLOTS_ROW, SLOTS_CALL), state.slot_key, state.slot_sum, strict=True):
            used = int(state.counts[count])
            kept = np.flatnonzero(keys[:used, 1] < n_obstacles)
            keys[: len(kept)], sums[: len(kept)] = keys[kept], sums[kept]
            state.counts[count] = len(kept)
        state.contact[:, 3:] = -1

    def checkpoint(self) -> Checkpoint:
        """The full state; `restore` continues from it bit for bit."""
        return Checkpoint(KIND, self.time, (_copy(self._state), self._scene, self._reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a state that this engine, or one of the same scene, has saved."""
        state, scene, reference = checkpoint.state
        self._params = make_params(scene, self._params)
        self._scene = scene
        self._reference = reference
        self._state = _copy(state)
        if len(self._state.normal) != len(self._work.link):
            self._work, self._scratch = make_work(scene.robot.n_links, len(self._state.normal))

    def apply_wrench(self, link: int, wrench: tuple[float, float, float, float, float, float]) -> None:
        """Force (N) and torque (N m) on a link, world frame, until changed; f_x, f_y and t_z act in the plane."""
        self._state.wrench[link] = (wrench[0], wrench[1], wrench[5])

    def failing_problem(self) -> dict[str, NDArray[Any]]:
        """The last contact problem and its warm start as arrays, for a file; `problem_from_arrays` reads it back."""
        return problem_arrays(self._params, self._state, self._work)


def _copy(state: State) -> State:
    """All arrays of `state` anew."""
    return state._replace(**{name: array.copy() for name, array in state._asdict().items()})


def _more_contacts(rows: RowBuffers) -> RowBuffers:
    """`rows` with room for twice as many contacts."""
    names = (
        "contact_link", "contact_other", "contact_state", "contact_point", "contact_normal", "contact_friction",
    )  # fmt: skip
    longer = {}
    for name in names:
        old = getattr(rows, name)
        new = np.zeros((2 * len(old) + 16, *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        longer[name] = new
    return rows._replace(**longer)
