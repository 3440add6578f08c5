"""Joint torques as functions of time, and checks of scenes that use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import OpenLoop
from snakestudio.errors import Fix, Problem
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields, GaitStart
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.joint_formulas import JointFormulas, formula_problems, is_readable
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot


class JointTorqueFields(GaitFields):
    """Torques of the joint motors as formulas of time, instead of angle references.

    A formula may use the time t (s), the joint number i (1 to n - 1, from the first link) and the
    number of links n. A positive torque increases the yaw or pitch angle.
    """

    gives_torques = True
    formulas: ClassVar[Mapping[str, str]] = {"torque_nm": "yaw", "pitch_torque_nm": "pitch"}

    kind: Literal["joint_torque"] = value("joint_torque", label="Gait", help="Kind of gait")
    torque_nm: str = value(
        "0.2*sin(2*pi*t + 0.7*i)",
        label="Torque",
        unit="N m",
        symbol="τ",
        help="Torque about the yaw axis of each joint as a formula of the time t (s), the joint number i and the "
        "number of links n",
        max_length=500,
        live=True,
    )
    pitch_torque_nm: str = value(
        "0",
        label="Pitch torque",
        unit="N m",
        symbol="τ_v",
        help="Torque about the pitch axis of each joint as a formula of t, i and n (spatial models)",
        max_length=500,
        live=True,
    )


class JointTorques(OpenLoop):
    """Torques as functions of time; changes take effect immediately, because a torque may jump.

    Raises `SceneError` if a formula of the scene cannot be used.

    Parameters
    ----------
    start : (m,) array, optional
        Initial joint angles; unused, because torques need no transition.
    """

    def __init__(self, scene: Scene, start: FloatArray | None = None) -> None:
        self._n_links = scene.robot.n_links
        self._axes = scene.body.axes
        assert isinstance(scene.gait, JointTorqueFields)
        self._compile(scene.gait)

    def _compile(self, gait: JointTorqueFields) -> None:
        self._law = JointFormulas(gait, self._n_links, self._axes)
        self._gait = gait

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the torques at `time` (k,) and at the midpoints, where engines evaluate them: 2k - 1 knots."""
        t = np.empty(2 * len(time) - 1)
        t[::2] = time
        t[1::2] = 0.5 * (time[:-1] + time[1:])
        torque = self._law.at(t)
        nothing = np.full_like(torque, np.nan)
        return JointReference(t, nothing, nothing, nothing, torque)

    def apply(self, scene: Scene, time: float) -> None:
        """Use the formulas of `scene`.

        Raises `SceneError` if one of them cannot be used; then nothing changes.
        """
        assert isinstance(scene.gait, JointTorqueFields)
        if scene.gait != self._gait:
            self._compile(scene.gait)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._gait

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._compile(checkpoint)


def check(scene: Scene) -> list[Problem]:
    """Return the errors of a `scene` with this gait."""
    assert isinstance(scene.gait, JointTorqueFields)
    if not scene.body.jointed:
        what = "a continuous body has no joints that torques could drive"
        fixes = (Fix("Remove the gait", (("gait", None),)),)
        return [
            Problem(
                "error",
                "gait.kind",
                what,
                "remove the gait, or choose a model with links",
                fixes=fixes,
            )
        ]
    problems: list[Problem] = []
    if scene.controller.acts:
        what = f'"{scene.controller.kind}" commands joint angles, but this gait commands torques'
        remedy = (
            'set it to "none", or choose a gait that sets joint angles, '
            'for example gait.kind = "lateral_undulation"'
        )
        fixes = (Fix("Remove the controller", (("controller", None),)),)
        problems.append(Problem("error", "controller.kind", what, remedy, fixes=fixes))
    if isinstance(scene.start, GaitStart):
        what = "a gait of torques defines no pose to start in"
        remedy = 'set it to "straight", or to "joint_angles" for another pose'
        fixes = (Fix("Start straight", (("start.kind", "straight"),)),)
        problems.append(Problem("error", "start.kind", what, remedy, fixes=fixes))
    return [*problems, *formula_problems(scene)]


KIND = GaitKind(
    fields=JointTorqueFields,
    torques=JointTorques,
    title="Joint torques",
    help="Joint torques as formulas of time.",
    place=2,
    check=check,
    readable=is_readable,
    effects=(
        (
            ("gait.torque_nm", "gait.pitch_torque_nm"),
            lambda scene: scene.robot.n_links > 1,
            "only with joints",
        ),
    ),
    formerly={"model.motion:JointTorque": JointTorqueFields},
)
