"""Reasons outside the link why a live robot cannot be armed: scene, controller, pose, or a twin that is loading.

Each reason is a message with its remedy. Fields are checked with every snapshot, the scene only
when it changes, because its controller must be created for that.
"""

from __future__ import annotations

from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.engines.compiled_only import is_missing
from snakestudio.errors import SnakeStudioError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.plugin_kinds import driving_plugins
from snakestudio.link.core.readiness import refused_plugins
from snakestudio.link.profile.schema import Profile
from snakestudio.live.axes import mismatches
from snakestudio.live.pose_source import PoseSource
from snakestudio.live.twin import TwinLoader
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.text import capitalized


class SceneReadiness:
    """The last reasons against arming. Any thread may read `reasons` and `not_ready`; one thread updates them.

    Parameters
    ----------
    base_dir : path or None
        Folder that paths in scenes are relative to.
    with_twin : bool
        Whether the simulation must run alongside.
    """

    def __init__(
        self, profile: Profile, base_dir: Path | None, pose: PoseSource | None, *, with_twin: bool
    ) -> None:
        self._profile = profile
        self._base_dir = base_dir
        self._pose = pose
        self._with_twin = with_twin
        self._scene_reasons: tuple[str, ...] = ()
        self._controller_reasons: tuple[str, ...] = ()
        self._needs = Fields.NONE
        self._loading: TwinLoader | None = None
        self._loaded_kind = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons in scene and controller why the robot must not move."""
        return (*self._scene_reasons, *self._controller_reasons)

    @property
    def not_ready(self) -> tuple[str, ...]:
        """`reasons`, and those for which waiting is sufficient."""
        if self._loading is not None and self._loading.running:
            return (
                *self.reasons,
                "The engine of the simulated twin is being loaded. Wait a moment.",
            )
        # The engine was marked as compiled, but loading it failed.
        if self._loading is not None and is_missing(self._loaded_kind):
            return (*self.reasons, _not_compiled(self._loaded_kind))
        return self.reasons

    def judge(self, scene: Scene) -> None:
        """Update the reasons in the scene, and start to load its engine."""
        problems = _scene_problems(self._profile, scene, self._base_dir, self._with_twin)
        try:
            self._needs = _needs_of(scene, self._base_dir) if scene.body.jointed else Fields.NONE
        except SnakeStudioError:
            self._needs = Fields.NONE  # the error is among the problems
        self._scene_reasons = problems
        if self._with_twin and not problems and self._loaded_kind != scene.model.kind:
            self.close()
            self._loaded_kind, self._loading = scene.model.kind, TwinLoader(scene, self._base_dir)

    def missing(self, scene: Scene, valid: Fields) -> tuple[str, ...]:
        """Update and return the messages about fields that the scene's controller needs and that are not valid."""
        self._controller_reasons = _unmet(scene, self._needs, valid, self._pose)
        return self._controller_reasons

    def close(self) -> None:
        """Wait until loading has ended."""
        if self._loading is not None:
            self._loading.close()


def _needs_of(scene: Scene, base_dir: Path | None) -> Fields:
    """Return the fields that the scene's controller needs.

    Raises `SnakeStudioError` if the controller cannot be created.
    """
    return controllers.create(scene, base_dir).needs


def _scene_problems(
    profile: Profile, scene: Scene, base_dir: Path | None, twin: bool
) -> tuple[str, ...]:
    """Return messages why a scene cannot drive the robot of a profile, independent of measurements."""
    problems = list(mismatches(profile, scene, base_dir))
    problems += refused_plugins(profile, [plugin.name for plugin in driving_plugins(scene)])
    if not scene.body.jointed:
        return tuple(problems)
    try:
        _needs_of(scene, base_dir)
    except SnakeStudioError as error:
        problems += str(error).splitlines()
    if twin and not engines.is_warm(scene.model.kind):
        problems.append(_not_compiled(scene.model.kind))
    return tuple(problems)


def _not_compiled(kind: str) -> str:
    """Return the message that the twin's engine is not compiled: compiling must not run alongside a robot."""
    return (
        f"The engine of the simulated twin ({kind}) is not compiled yet. Wait until it is compiled, or switch off "
        "the simulated twin."
    )


def _unmet(scene: Scene, needs: Fields, valid: Fields, pose: PoseSource | None) -> tuple[str, ...]:
    """Return messages about fields that the scene's controller needs and that are not measured.

    Parameters
    ----------
    needs : Fields
        Fields that the controller needs.
    valid : Fields
        Valid fields of the newest snapshot.
    """
    missing = needs & ~valid
    name = scene.controller.kind
    problems = []
    if missing & (Fields.POSE | Fields.TWIST):
        if pose is None:
            problems.append(
                f"The controller {name} needs the poses of the links, which are not measured. Connect a pose "
                'stream, or use only the gait (controller.kind = "none").'
            )
        else:
            why = (
                pose.problem
                or f"There is no recent pose on {pose.where}. Check that the sender runs."
            )
            problems.append(f"The controller {name} needs the poses of the links. {why}")
    if missing & Fields.CONTACTS:
        problems.append(
            f"The controller {name} needs contact forces, which a robot on CAN does not measure. "
            + capitalized(
                CONTROLLERS[name].remedies.get(Fields.CONTACTS, "choose another controller.")
            )
        )
    if missing & Fields.JOINTS:
        problems.append(
            f"The controller {name} needs all joint angles, but not all joints have reported yet."
        )
    if missing & Fields.TORQUE:
        problems.append(
            f"The controller {name} needs joint torques, but not all joints report one. "
            + capitalized(
                CONTROLLERS[name].remedies.get(Fields.TORQUE, "choose another controller.")
            )
        )
    rest = missing & ~(Fields.POSE | Fields.TWIST | Fields.CONTACTS | Fields.JOINTS | Fields.TORQUE)
    if rest:
        problems.append(
            f"The controller {name} needs {rest.name}, which this robot does not measure. Choose another controller."
        )
    return tuple(problems)
