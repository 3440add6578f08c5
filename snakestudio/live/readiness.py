"""What of scene, controller and pose keeps a robot from being armed, a sentence each with its remedy."""

from __future__ import annotations

from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.engines import registry as engines
from snakestudio.errors import SnakeStudioError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.link.profile.schema import Profile
from snakestudio.live.axes import mismatches
from snakestudio.live.pose_source import PoseSource
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

__all__ = ["needs_of", "not_compiled", "scene_problems", "unmet"]


def needs_of(scene: Scene, base_dir: Path | None) -> Fields:
    """What the scene's controller cannot do without.

    Raises
    ------
    SnakeStudioError
        If there can be no such controller.
    """
    return controllers.create(scene, base_dir).needs


def scene_problems(profile: Profile, scene: Scene, base_dir: Path | None, twin: bool) -> tuple[str, ...]:
    """What keeps a scene from driving the robot of a profile, whatever is measured."""
    found = list(mismatches(profile, scene))
    if scene.model.continuum:
        return tuple(found)
    try:
        needs_of(scene, base_dir)
    except SnakeStudioError as error:
        found += str(error).splitlines()
    if twin and not engines.is_warm(scene.model.kind):
        found.append(not_compiled(scene.model.kind))
    return tuple(found)


def not_compiled(kind: str) -> str:
    """The twin's engine must not be compiled beside a robot."""
    return (
        f"The engine of the simulation alongside ({kind}) is not compiled yet: wait until it is, or go without the "
        "simulation alongside."
    )


def unmet(scene: Scene, needs: Fields, valid: Fields, pose: PoseSource | None) -> tuple[str, ...]:
    """What the scene's controller needs and nobody measures.

    Parameters
    ----------
    scene : Scene
    needs, valid : Fields
        Of the controller, and of the newest snapshot.
    pose : PoseSource or None
    """
    missing, name = needs & ~valid, scene.controller.kind
    found = []
    if missing & (Fields.POSE | Fields.TWIST):
        if pose is None:
            found.append(
                f"The controller {name} needs to know where the links are, which nobody measures: connect a pose "
                'stream, or choose the gait alone (controller.kind = "none").'
            )
        else:
            why = pose.problem or f"There is no fresh pose on {pose.where}: see that the sender runs."
            found.append(f"The controller {name} needs to know where the links are. {why}")
    if missing & Fields.CONTACTS:
        found.append(
            f"The controller {name} needs contact forces, which a robot on CAN does not measure: "
            + CONTROLLERS[name].remedies.get(Fields.CONTACTS, "choose another controller.")
        )
    if missing & Fields.JOINTS:
        found.append(f"The controller {name} needs all joint angles, and not all joints were heard of yet.")
    rest = missing & ~(Fields.POSE | Fields.TWIST | Fields.CONTACTS | Fields.JOINTS)
    if rest:
        found.append(
            f"The controller {name} needs {rest.name}, which this robot does not measure: choose another controller."
        )
    return tuple(found)
