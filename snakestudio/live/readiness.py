"""What, besides the link, keeps a live robot from being armed: scene, controller, pose, or a twin still being loaded.

A sentence each with its remedy. It is asked for every snapshot and judges the scene only when there
is another one: a controller is made for that.
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
from snakestudio.live.twin import Loading
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.text import capitalized


class SceneReadiness:
    """Remembers what was found last. Any thread may read `reasons` and `not_ready`; one judges.

    Parameters
    ----------
    base_dir : path or None
        What relative paths in scenes are relative to.
    with_twin : bool
        Whether the simulation shall run alongside.
    """

    def __init__(
        self, profile: Profile, base_dir: Path | None, pose: PoseSource | None, *, with_twin: bool
    ) -> None:
        self._profile = profile
        self._base_dir = base_dir
        self._pose = pose
        self._with_twin = with_twin
        self._of_scene: tuple[str, ...] = ()
        self._of_controller: tuple[str, ...] = ()
        self._needs = Fields.NONE
        self._loading: Loading | None = None
        self._loaded_kind = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What of scene and controller forbids moving, a sentence each."""
        return (*self._of_scene, *self._of_controller)

    @property
    def not_ready(self) -> tuple[str, ...]:
        """The same, and what is only a matter of waiting."""
        if self._loading is not None and self._loading.going_on:
            return (
                *self.reasons,
                "The engine of the simulated twin is being loaded. Wait a moment.",
            )
        if self._loading is not None and is_missing(
            self._loaded_kind
        ):  # a mark had said that it is there
            return (*self.reasons, _not_compiled(self._loaded_kind))
        return self.reasons

    def judge(self, scene: Scene) -> None:
        """Find what of the scene keeps the robot from being armed, and begin to load its engine."""
        problems = _scene_problems(self._profile, scene, self._base_dir, self._with_twin)
        try:
            self._needs = _needs_of(scene, self._base_dir) if scene.body.jointed else Fields.NONE
        except SnakeStudioError:
            self._needs = Fields.NONE  # it is among the problems
        self._of_scene = problems
        if self._with_twin and not problems and self._loaded_kind != scene.model.kind:
            self.close()
            self._loaded_kind, self._loading = scene.model.kind, Loading(scene, self._base_dir)

    def missing(self, scene: Scene, valid: Fields) -> tuple[str, ...]:
        """What the scene's controller does not get of what it needs, with `valid` being measured; remembers it."""
        self._of_controller = _unmet(scene, self._needs, valid, self._pose)
        return self._of_controller

    def close(self) -> None:
        """Load nothing any more."""
        if self._loading is not None:
            self._loading.close()


def _needs_of(scene: Scene, base_dir: Path | None) -> Fields:
    """What the scene's controller cannot do without.

    Raises `SnakeStudioError` if there can be no such controller.
    """
    return controllers.create(scene, base_dir).needs


def _scene_problems(
    profile: Profile, scene: Scene, base_dir: Path | None, twin: bool
) -> tuple[str, ...]:
    """What keeps a scene from driving the robot of a profile, whatever is measured."""
    found = list(mismatches(profile, scene, base_dir))
    found += refused_plugins(profile, [plugin.name for plugin in driving_plugins(scene)])
    if not scene.body.jointed:
        return tuple(found)
    try:
        _needs_of(scene, base_dir)
    except SnakeStudioError as error:
        found += str(error).splitlines()
    if twin and not engines.is_warm(scene.model.kind):
        found.append(_not_compiled(scene.model.kind))
    return tuple(found)


def _not_compiled(kind: str) -> str:
    """The twin's engine must not be compiled beside a robot."""
    return (
        f"The engine of the simulated twin ({kind}) is not compiled yet. Wait until it is compiled, or switch off "
        "the simulated twin."
    )


def _unmet(scene: Scene, needs: Fields, valid: Fields, pose: PoseSource | None) -> tuple[str, ...]:
    """What the scene's controller needs and nobody measures.

    Parameters
    ----------
    needs, valid : Fields
        Of the controller, and of the newest snapshot.
    """
    missing = needs & ~valid
    name = scene.controller.kind
    found = []
    if missing & (Fields.POSE | Fields.TWIST):
        if pose is None:
            found.append(
                f"The controller {name} needs the poses of the links, which are not measured. Connect a pose "
                'stream, or use only the gait (controller.kind = "none").'
            )
        else:
            why = (
                pose.problem
                or f"There is no recent pose on {pose.where}. Check that the sender runs."
            )
            found.append(f"The controller {name} needs the poses of the links. {why}")
    if missing & Fields.CONTACTS:
        found.append(
            f"The controller {name} needs contact forces, which a robot on CAN does not measure. "
            + capitalized(
                CONTROLLERS[name].remedies.get(Fields.CONTACTS, "choose another controller.")
            )
        )
    if missing & Fields.JOINTS:
        found.append(
            f"The controller {name} needs all joint angles, but not all joints have reported yet."
        )
    if missing & Fields.TORQUE:
        found.append(
            f"The controller {name} needs joint torques, but not all joints report one. "
            + capitalized(
                CONTROLLERS[name].remedies.get(Fields.TORQUE, "choose another controller.")
            )
        )
    rest = missing & ~(Fields.POSE | Fields.TWIST | Fields.CONTACTS | Fields.JOINTS | Fields.TORQUE)
    if rest:
        found.append(
            f"The controller {name} needs {rest.name}, which this robot does not measure. Choose another controller."
        )
    return tuple(found)
