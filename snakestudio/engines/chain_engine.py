"""Base class for models that define one time step: a chain of links in the plane with prescribed joint angles.

Rows, snapshots, saved states and live edits are derived here from the result of the step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.chain_schema import chain_schema
from snakestudio.engines.outcome import OK, Figures
from snakestudio.engines.row_buffers import QUAT_W, QUAT_Z, TURN_Z, RowBuffers
from snakestudio.engines.saved_state import demand
from snakestudio.engines.time_stepping import TimeSteppingEngine
from snakestudio.errors import MistakeError, SceneError
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.plugins.author_state import public_state, with_public_state

X, Y, TURN = range(3)
"""Entries of a pose in the plane, and of its velocity."""

PLACE = slice(2)
"""X and Y."""

STEP, IN_CALL = range(2)
"""Entries of the counts: steps since the start, and since the call began."""

Z = 2
"""Entry of a pose in space."""


def chain(
    head: FloatArray, angle: FloatArray, length: float | FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return positions and velocities of the links of a chain.

    Parameters
    ----------
    head : (3,) array
        x, y (m) and direction (rad) of link 1.
    angle : (n - 1,) array
        Joint angles, rad: the direction of each link minus that of the previous link.
    length : float or (n,) array
        Lengths of the links, m.

    Returns
    -------
    pose : (n, 3) array
        x, y, direction of every link.
    by_head : (n, 3, 3) array
        Velocity of every link (x, y, direction) per unit velocity of link 1.
    by_joints : (n, 3, n - 1) array
        The same per unit joint rate.
    """
    n = len(angle) + 1
    half = np.broadcast_to(0.5 * np.asarray(length, np.float64), (n,))
    theta = head[TURN] + np.concatenate([[0.0], np.cumsum(angle)])
    axis = np.column_stack([np.cos(theta), np.sin(theta)])
    normal = np.column_stack([-axis[:, Y], axis[:, X]])
    ways = np.vstack(
        [np.zeros(2), np.cumsum(half[:-1, None] * axis[:-1] + half[1:, None] * axis[1:], axis=0)]
    )
    by_head = np.tile(np.eye(3), (n, 1, 1))
    by_head[:, X, TURN] = -ways[:, Y]
    by_head[:, Y, TURN] = ways[:, X]
    turns = np.tril(np.ones((n, n)), -1)[:, : n - 1]  # link k turns with the preceding joints
    swing = normal[:, :, None] * turns[:, None, :]
    by_joints = np.zeros((n, 3, n - 1))
    steps = half[:-1, None, None] * swing[:-1] + half[1:, None, None] * swing[1:]
    by_joints[1:, PLACE] = np.cumsum(steps, axis=0)
    by_joints[:, TURN] = turns
    return np.column_stack([head[PLACE] + ways, theta]), by_head, by_joints


class ChainEngine(TimeSteppingEngine):
    """A chain of links in the plane with a yaw axis in every joint; a subclass defines `begin`, `step` and `links`.

    Attributes whose names have no leading underscore are the state, as in `AngleController`.

    Parameters
    ----------
    base_dir : path, optional
        Folder that relative file names in the scene refer to.

    Attributes
    ----------
    angle, rate : (n - 1,) arrays
        Joint angles and rates after the last step, rad and rad/s.
    """

    energies: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes with energies and works to record, J: "kinetic", "work_friction"."""

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        n = scene.robot.n_links
        if scene.gives_torques:
            raise SceneError(
                f'gait.kind: The model "{scene.model.kind}" requires joint angles. Choose a gait with joint angles.'
            )
        if len(scene.body.axes) != n - 1 or any(axis.kind != "yaw" for axis in scene.body.axes):
            raise SceneError(
                f'robot.joints: The model "{scene.model.kind}" requires a yaw axis in every joint. Set robot.joints to '
                '"yaw".'
            )
        self.kind = scene.model.kind
        valid = Fields.POSE | Fields.TWIST | Fields.JOINTS | Fields.REFERENCE
        if self.energies:
            valid |= Fields.ENERGY
        super().__init__(scene, base_dir, chain_schema(scene, self.energies, valid))
        pose, _ = planar_pose(scene, base_dir)
        self._counts = np.zeros(2, np.int64)
        self.angle = np.diff(pose[:, TURN])
        self.rate = np.zeros(n - 1)
        self.begin(pose)

    def begin(self, pose: FloatArray) -> None:
        """Set the state at the start; the links are at `pose` ((n, 3): x, y in m, direction in rad)."""
        raise NotImplementedError

    def step(self, angle: FloatArray, rate: FloatArray) -> None:
        """Advance the links by the time step `dt` while the joints reach `angle` at `rate` (each (n - 1,))."""
        raise NotImplementedError

    def links(self) -> tuple[FloatArray, FloatArray]:
        """Return poses and velocities of the links, each (n, 3): x, y, direction in m, rad, and per second."""
        raise NotImplementedError

    @property
    def fields(self) -> Any:
        """The values of the model in the present scene."""
        return self._scene.model

    @property
    def dt(self) -> float:
        """Time step, s."""
        return self._scene.solver.step_s

    def _checked_links(self) -> tuple[FloatArray, FloatArray]:
        """Return the result of `links`.

        Raises `MistakeError` if it is not two arrays of finite numbers of the right shape.
        """
        result: Any = self.links()
        shape = (self._schema.n_links, 3)
        if not isinstance(result, tuple) or len(result) != 2:
            raise MistakeError(
                f"links() returns {type(result).__name__}",
                "return positions and velocities of the links",
            )
        arrays = []
        for name, values in zip(("positions", "velocities"), result, strict=True):
            array = np.asarray(values)
            if array.dtype.kind not in "fiu" or array.shape != shape:
                form = " x ".join(map(str, array.shape))
                raise MistakeError(
                    f"links() returns {name} of shape {form}", f"return {shape[0]} x 3 numbers"
                )
            if not np.isfinite(array).all():
                link = int(np.argwhere(~np.isfinite(array)).item(0)) + 1
                raise MistakeError(
                    f"links() returns {array[~np.isfinite(array)][0]} among the {name} of link {link} after "
                    f"t = {self._now():.6g} s",
                    "return finite numbers; a smaller solver.step_s may help",
                )
            arrays.append(array.astype(np.float64))
        return arrays[0], arrays[1]

    def _run_kernel(
        self, reference: JointReference, n_steps: int, due_steps: IntArray, rows: RowBuffers
    ) -> int:
        due = set(due_steps.tolist())
        for _ in range(n_steps):
            before = public_state(self)
            counts = self._counts.copy()
            try:
                angle, _ = reference.at(float(self._counts[STEP] + 1) * self.dt)
                rate = (angle - self.angle) / self.dt
                self.step(angle, rate)
                self.angle = angle.copy()
                self.rate = rate
                self._counts += 1
                if int(self._counts[STEP]) in due:
                    self._write_present_row(*reference.at(self._now()), rows, call=False)
            except BaseException:
                with_public_state(self, before)
                self._counts = counts
                raise
        return OK

    def _now(self) -> float:
        return float(self._counts[STEP]) * self.dt

    def _links(self) -> FloatArray:
        return self._checked_links()[0]

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        pose, velocity = self._checked_links()
        energies = [float(getattr(self, name)) for name in self.energies]
        i = rows.filled.item(0)
        rows.link_pose[i, :, PLACE] = pose[:, PLACE]
        rows.link_pose[i, :, Z] = self._scene.body.sizes.radius
        half = 0.5 * pose[:, TURN]
        rows.link_pose[i, :, QUAT_W] = np.cos(half)
        rows.link_pose[i, :, QUAT_Z] = np.sin(half)
        rows.link_twist[i][:, [X, Y, TURN_Z]] = velocity
        rows.joint_angle[i] = self.angle
        rows.joint_rate[i] = self.rate
        rows.joint_angle_ref[i] = angle
        rows.joint_rate_ref[i] = rate
        rows.energy[i] = energies
        rows.steps[i] = self._counts[STEP]
        rows.filled[0] = i + 1

    def _figures(self) -> Figures:
        return Figures(int(self._counts[STEP]), int(self._counts[IN_CALL]), 0, 0, 0.0)

    def _begin_interval(self) -> None:
        self._counts[IN_CALL] = 0

    def _room_for_contacts(self, n_rows: int) -> int:
        return 0

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        return self.angle.copy(), self.rate.copy()

    def _adopt(self, scene: Scene) -> bool:
        return type(scene.model) is type(self._scene.model) and scene.robot == self._scene.robot

    def _saved_state(self) -> Any:
        return public_state(self), self._counts.copy()

    def _restore_state(self, state: Any, scene: Scene) -> None:
        demand(isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict))
        values, counts = state
        demand(isinstance(counts, np.ndarray) and counts.dtype == np.int64 and counts.shape == (2,))
        own = public_state(self)
        demand(values.keys() == own.keys())
        for name, value in own.items():
            if isinstance(value, np.ndarray):
                saved = values[name]
                demand(
                    isinstance(saved, np.ndarray)
                    and saved.dtype == value.dtype
                    and saved.ndim == value.ndim
                )
        demand(all(values[name].shape == own[name].shape for name in ("angle", "rate")))
        with_public_state(self, values)
        self._counts = counts.copy()
