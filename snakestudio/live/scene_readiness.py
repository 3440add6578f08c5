"""What, besides the link, keeps a live robot from being armed: scene, controller, or a twin that is still being loaded.

It is asked for every snapshot and judges the scene only when there is another one: a controller is made for that.
"""

from __future__ import annotations

from pathlib import Path

from snakestudio.engines.compiled_only import is_missing
from snakestudio.errors import SnakeStudioError
from snakestudio.link.profile.schema import Profile
from snakestudio.live.pose_source import PoseSource
from snakestudio.live.readiness import needs_of, not_compiled, scene_problems, unmet
from snakestudio.live.twin import Loading
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

__all__ = ["SceneReadiness"]


class SceneReadiness:
    """Remembers what was found last. Any thread may read `reasons` and `not_ready`; one judges.

    Parameters
    ----------
    profile : Profile
    base_dir : path or None
        What relative paths in scenes are relative to.
    pose : PoseSource or None
    with_twin : bool
        Whether the simulation shall run alongside.
    """

    def __init__(self, profile: Profile, base_dir: Path | None, pose: PoseSource | None, *, with_twin: bool) -> None:
        self._profile, self._base_dir, self._pose, self._with_twin = profile, base_dir, pose, with_twin
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
            return (*self.reasons, "The engine of the simulation alongside is being loaded: wait a moment.")
        if self._loading is not None and is_missing(self._loaded_kind):  # a mark had said that it is there
            return (*self.reasons, not_compiled(self._loaded_kind))
        return self.reasons

    def judge(self, scene: Scene) -> None:
        """Find what of the scene keeps the robot from being armed, and begin to load its engine."""
        problems = scene_problems(self._profile, scene, self._base_dir, self._with_twin)
        try:
            self._needs = Fields.NONE if scene.model.continuum else needs_of(scene, self._base_dir)
        except SnakeStudioError:
            self._needs = Fields.NONE  # it is among the problems
        self._of_scene = problems
        if self._with_twin and not problems and self._loaded_kind != scene.model.kind:
            self.close()
            self._loaded_kind, self._loading = scene.model.kind, Loading(scene, self._base_dir)

    def missing(self, scene: Scene, valid: Fields) -> tuple[str, ...]:
        """What the scene's controller does not get of what it needs, with `valid` being measured; remembers it."""
        self._of_controller = unmet(scene, self._needs, valid, self._pose)
        return self._of_controller

    def close(self) -> None:
        """Load nothing any more."""
        if self._loading is not None:
            self._loading.close()
