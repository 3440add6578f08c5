"""A formulation from a separate file outside the package: a massless chain on viscous ground, in plain numpy.

Gray and Hancock 1955, J. Exp. Biol. 32: resistance across a thin body is larger than along it, and
at every instant the forces and the moment on it vanish. The joints follow their references exactly,
and determine the rest of the motion.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.outcome import OK, Figures
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.engines.saved_state import agreeing
from snakestudio.engines.time_stepping import TimeSteppingEngine, copied
from snakestudio.errors import Problem
from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import LINKS
from snakestudio.model.fields import value
from snakestudio.model.formulations import ModelFields
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

ENERGY = ("kinetic", "potential", "work_friction")
STEP, CALL_STEPS = range(2)


class CreepingFields(ModelFields):
    """Resistance of the ground."""

    kind: Literal["creeping"] = value(
        "creeping", label="Model", help="Formulation of the dynamics: massless"
    )
    drag_ratio: float = value(
        10.0,
        label="Drag ratio",
        help="Resistance across a link by that along it",
        ge=1,
        le=100,
        slider=(1, 20),
        live=True,
    )


class State(NamedTuple):
    """Link 1 as x, y, theta, (3,); joint angles and rates, (n-1,); velocity of link 1, (3,); work; steps."""

    head: FloatArray
    angle: FloatArray
    rate: FloatArray
    velocity: FloatArray
    work: FloatArray
    counts: IntArray


class CreepingEngine(TimeSteppingEngine):
    """Steps of Euler's forward scheme, without compiled code."""

    kind = "creeping"

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        n = scene.robot.n_links
        valid = Fields.POSE | Fields.TWIST | Fields.JOINTS | Fields.REFERENCE | Fields.ENERGY
        super().__init__(
            scene,
            base_dir,
            Schema(n, scene.body.axes, ENERGY, valid=valid, head=scene.robot.head_index),
        )
        q, _ = planar_pose(scene, base_dir)
        self._params = scene
        self._state = State(
            q[0].copy(),
            np.diff(q[:, 2]),
            np.zeros(n - 1),
            np.zeros(3),
            np.zeros(1),
            np.zeros(2, np.int64),
        )

    def _chain(self, rate: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Poses of the links (n, 3), derivatives by link 1 (n, 3, 3), and velocities by the joint rates (n, 3)."""
        half = 0.5 * self._scene.robot.link_length_m
        theta = self._state.head[2] + np.concatenate([[0.0], np.cumsum(self._state.angle)])
        axis = np.column_stack([np.cos(theta), np.sin(theta)])
        ways = np.vstack([np.zeros(2), np.cumsum(half * (axis[:-1] + axis[1:]), axis=0)])
        turn = np.concatenate([[0.0], np.cumsum(rate)])
        normal = np.column_stack([-axis[:, 1], axis[:, 0]]) * turn[:, None]
        by_joints = np.vstack([np.zeros(2), np.cumsum(half * (normal[:-1] + normal[1:]), axis=0)])
        with_head = np.tile(np.eye(3), (len(theta), 1, 1))
        with_head[:, 0, 2] = -ways[:, 1]
        with_head[:, 1, 2] = ways[:, 0]
        pose = np.column_stack([self._state.head[:2] + ways, theta])
        return pose, with_head, np.column_stack([by_joints, turn])

    def _move(self, rate: FloatArray) -> None:
        """Velocity of link 1 at which total force and moment vanish, and the power of the ground."""
        ratio = self._scene.model.drag_ratio  # type: ignore[attr-defined]
        pose, with_head, by_joints = self._chain(rate)
        c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        drag = np.zeros((len(pose), 3, 3))
        drag[:, 0, 0] = c * c + ratio * s * s
        drag[:, 1, 1] = s * s + ratio * c * c
        drag[:, 0, 1] = drag[:, 1, 0] = (1.0 - ratio) * c * s
        drag[:, 2, 2] = ratio * self._scene.robot.link_length_m**2 / 12.0
        total_drag = np.einsum("kia,kij,kjb->ab", with_head, drag, with_head)
        push = np.einsum("kia,kij,kj->a", with_head, drag, by_joints)
        self._state.velocity[:] = np.linalg.solve(total_drag, -push)
        motion = with_head @ self._state.velocity + by_joints
        self._power = -float(np.einsum("ki,kij,kj->", motion, drag, motion))

    def _run_kernel(
        self, reference: JointReference, n_steps: int, expected: IntArray, rows: RowBuffers
    ) -> int:
        state = self._state
        dt = self._scene.solver.step_s
        for _ in range(n_steps):
            angle, _ = reference.at((state.counts[STEP] + 1) * dt)
            rate = (angle - state.angle) / dt
            self._move(rate)
            state.head[:] += dt * state.velocity
            state.angle[:] = angle
            state.rate[:] = rate
            state.work[0] += dt * self._power
            state.counts[:] += 1
            if state.counts[STEP] in expected:
                self._write_present_row(*reference.at(self._now()), rows, call=False)
        return OK

    def _now(self) -> float:
        return float(self._state.counts[STEP]) * self._scene.solver.step_s

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        i = int(rows.filled[0])
        state = self._state
        pose, with_head, by_joints = self._chain(state.rate)
        rows.link_pose[i, :, :2] = pose[:, :2]
        rows.link_pose[i, :, 2] = self._scene.robot.radius_m
        rows.link_pose[i, :, 3] = np.cos(0.5 * pose[:, 2])
        rows.link_pose[i, :, 6] = np.sin(0.5 * pose[:, 2])
        rows.link_twist[i][:, [0, 1, 5]] = with_head @ state.velocity + by_joints
        rows.joint_angle[i] = state.angle
        rows.joint_rate[i] = state.rate
        rows.joint_angle_ref[i] = angle
        rows.joint_rate_ref[i] = rate
        rows.energy[i, 2] = state.work[0]
        rows.steps[i] = state.counts[STEP]
        rows.filled[0] = i + 1

    def _figures(self) -> Figures:
        return Figures(
            int(self._state.counts[STEP]), int(self._state.counts[CALL_STEPS]), 0, 0, 0.0
        )

    def _begin_interval(self) -> None:
        self._state.counts[CALL_STEPS] = 0

    def _room_for_contacts(self, n_rows: int) -> int:
        return 0

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        return self._state.angle.copy(), self._state.rate.copy()

    def _adopt(self, scene: Scene) -> bool:
        return type(scene.model) is CreepingFields and scene.robot == self._scene.robot

    def _saved_state(self) -> State:
        return copied(self._state)

    def _restore_state(self, state: State, scene: Scene) -> None:
        self._state = agreeing(state, self._state)


def _check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    assert isinstance(scene.model, CreepingFields)
    if scene.model.drag_ratio > 1.0:
        return []
    return [
        Problem(
            "warning", "model.drag_ratio", "what slides alike all ways gets nowhere", "give more"
        )
    ]


KIND = FormulationKind(
    fields=CreepingFields,
    title="Creeping",
    help="Links without mass on viscous ground.",
    short="creeping",
    name="creeping",
    reads=LINKS - {"ground.mu_along", "ground.mu_across", "robot.mass_kg", "robot.inertia_kg_m2"},
    engine=CreepingEngine,
    check=_check,
    largest_stable_step=lambda scene: math.inf,
    states={"toy.creeping": State},
)
