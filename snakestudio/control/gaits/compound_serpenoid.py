"""The compound serpenoid gait; the gait library and start poses use the same parameters."""

from __future__ import annotations

from snakestudio.control.waves import WaveGait
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.motion import GaitFields
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import CompoundSerpenoid, envelope_of

_VERTICAL = (
    "gait.delta_rad",
    *(f"gait.{name}" for name in CompoundSerpenoid.model_fields if name.startswith("even_")),
)


def _check(scene: Scene) -> list[Problem]:
    """Problems: an envelope that is not finite at each joint, or waves without a joint axis to move."""
    gait = scene.gait
    assert isinstance(gait, CompoundSerpenoid)
    try:
        envelope_of(gait.envelope, scene.robot.n_joints)
    except SceneError as error:
        return list(error.problems)
    waves = scene.waves
    problems = []
    kinds = {axis.kind for axis in scene.body.axes}
    if scene.body.in_space and gait.even_amplitude_rad and waves.vertical not in kinds:
        what = "the robot has no pitch or roll axes, so the vertical wave has no effect"
        problems.append(
            Problem("hint", "gait.even_amplitude_rad", what, 'choose robot.joints = "alternating"')
        )
    if gait.odd_amplitude_rad and "yaw" not in kinds:
        what = "the robot has no yaw axes, so the lateral wave has no effect"
        problems.append(
            Problem("hint", "gait.odd_amplitude_rad", what, 'choose robot.joints = "alternating"')
        )
    return problems


def _is_readable(gait: GaitFields) -> bool:
    assert isinstance(gait, CompoundSerpenoid)
    try:
        return bool(envelope_of(gait.envelope, 2))
    except SceneError:
        return False


KIND = GaitKind(
    fields=CompoundSerpenoid,
    make=WaveGait,
    title="Compound serpenoid",
    help="A lateral and a vertical wave with the usual parameters β, A, ω_S, ω_T and δ.",
    place=1.5,
    check=_check,
    readable=_is_readable,
    effects=((_VERTICAL, lambda scene: scene.body.in_space, "only in the spatial models"),),
)
