"""Export of the robot and the world of a scene for other simulators: MJCF, URDF or SDF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snakestudio.errors import UsageError
from snakestudio.model.scene import Scene
from snakestudio.robot_files.from_scene import SceneModel, scene_model
from snakestudio.robot_files.write_mjcf import mjcf_notes, mjcf_text
from snakestudio.robot_files.write_sdf import sdf_notes, sdf_text
from snakestudio.robot_files.write_urdf import urdf_notes, urdf_text

MODEL_FORMATS = ("mjcf", "urdf", "sdf")

_WRITERS: dict[str, tuple[Callable[[SceneModel], str], Callable[[SceneModel], tuple[str, ...]]]] = {
    "mjcf": (mjcf_text, mjcf_notes),
    "urdf": (urdf_text, urdf_notes),
    "sdf": (sdf_text, sdf_notes),
}

_BY_SUFFIX = {".xml": "mjcf", ".mjcf": "mjcf", ".urdf": "urdf", ".sdf": "sdf"}


def write_model(
    path: Path, scene: Scene, base_dir: Path | None = None, model_format: str | None = None
) -> tuple[str, ...]:
    """Write the robot and the world of a scene; returns notes on omissions, one sentence each.

    Raises `UsageError` if the format is unknown. Raises `ExportError` if the robot cannot be
    written in this format. Raises `OSError` if the file cannot be written, see `write_as`. Raises
    `SceneError` if a file that the scene refers to is invalid.

    Parameters
    ----------
    base_dir : Path or None
        Folder to which file names in the scene are relative.
    model_format : str, optional
        One of `MODEL_FORMATS`; by default from the suffix of `path`.
    """
    text, notes = _WRITERS[format_of_model(path, model_format)]
    model = scene_model(scene, base_dir)
    path.write_text(text(model), encoding="utf-8")
    return notes(model)


def format_of_model(path: Path, model_format: str | None = None) -> str:
    """Format of a model in a file: the given one, by default that of the suffix.

    Raises `UsageError` if it is unknown.
    """
    if model_format is None:
        model_format = _BY_SUFFIX.get(path.suffix.lower())
        if model_format is None:
            raise UsageError(
                f"{path.name} has no known extension. End the name in .xml (MJCF), .urdf or .sdf."
            )
    elif model_format not in _WRITERS:
        raise UsageError(f'"{model_format}" is not a model format. Choose mjcf, urdf or sdf.')
    return model_format
