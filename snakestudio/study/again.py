"""A run of a study once more: its scene to the last value, from what the results keep."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import SceneError, StudyError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import parse_scene
from snakestudio.runfile.mcap.enclosed import named_files
from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import place_of
from snakestudio.study.plan import Plan
from snakestudio.study.store import Asked
from snakestudio.study.study_file import load_study

__all__ = ["scene_of_run"]


def scene_of_run(path: Path, study: StudyFields, text: str, asked: Asked) -> tuple[Scene, Path]:
    """The scene of a run as it was run, and the folder that its file names are relative to.

    Parameters
    ----------
    path : Path
        The study's file.
    study : StudyFields
        As it was run.
    text : str
        Of the scene as it was run, TOML.
    asked : Asked

    Raises
    ------
    SceneError
        If the values do not fit the scene.
    """
    base_dir = (path.parent / study.scene).parent
    scene = parse_scene(text, source=str(path))
    try:  # files outside the folder had other names where they were computed with
        present = Plan.of_file(load_study(path), path).scene
    except (SceneError, StudyError):
        present = scene
    names = {place_of(name): name for _, name in named_files(present)}
    moved = {key: names[name] for key, name in named_files(scene) if names.get(name, name) != name}
    scene = with_values(scene, moved) if moved else scene
    return with_values(scene, asked.changes) if asked.changes else scene, base_dir
