"""Write a scene in formats of scenes, without running it: its plan, its model for other simulators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.api.running import Run, all_values, prepare
from snakestudio.model.arguments import path_of, values_of
from snakestudio.model.scene import Scene

if TYPE_CHECKING:
    from snakestudio.export.formats import ExportKind, Written


def plan(
    scene: Scene | Run | str | Path,
    path: str | Path,
    *,
    width_mm: float = 180.0,
    names: bool = False,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Path:
    """Draw the plan of a scene to scale: obstacles, the robot at its start, and the path, from above.

    Raises `SnakeStudioError` if the scene or an argument is invalid.

    Parameters
    ----------
    path : str or Path
        File to write; the suffix selects SVG, PNG or PDF.
    width_mm : float
        Width of the sheet; the height follows from the scene.
    names : bool
        Whether to label obstacles with their names.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.

    Returns
    -------
    Path
        File that was written.
    """
    from snakestudio.export.formats import EXPORTS, PlanOptions

    options = PlanOptions(width_mm, names)
    return _write_scene(EXPORTS["plan"], scene, path, options, all_values(values, keywords)).path


def export_model(
    scene: Scene | Run | str | Path,
    path: str | Path,
    model_format: str | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> tuple[str, ...]:
    """Write the robot and the world of a scene as MJCF, URDF or SDF.

    Raises `SnakeStudioError` if the scene or an argument is invalid.

    Parameters
    ----------
    model_format : str, optional
        "mjcf", "urdf" or "sdf"; if omitted, the suffix decides: .xml or .mjcf, .urdf, .sdf.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.

    Returns
    -------
    tuple of str
        Parts of the scene that the format cannot represent, one sentence each.
    """
    from snakestudio.export.formats import EXPORTS, ModelOptions

    options = ModelOptions(model_format)
    return _write_scene(EXPORTS["model"], scene, path, options, all_values(values, keywords)).notes


def export_scene(
    scene: Scene | Run | str | Path,
    path: str | Path,
    export_format: str | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Path:
    """Write a scene in any format of scenes, including those of plug-ins, without running it.

    Raises `SnakeStudioError` if the scene or an argument is invalid, or the file cannot be written.

    Parameters
    ----------
    export_format : str, optional
        Name of the format, such as "plan" or "model"; by default the suffix of `path` decides.
    options : mapping, optional
        Options of the format: ``{"width_mm": 120.0}`` for "plan".
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.

    Returns
    -------
    Path
        File that was written.
    """
    from snakestudio.export.formats import format_of, named_format, options_of

    target = path_of("path", path)
    kind = (
        format_of(target, "scene")
        if export_format is None
        else named_format(export_format, "scene")
    )
    chosen = options_of(kind, values_of("options", options))
    return _write_scene(kind, scene, target, chosen, all_values(values, keywords)).path


def _write_scene(
    kind: ExportKind,
    scene: Scene | Run | str | Path,
    path: str | Path,
    options: Any,
    values: Mapping[str, Any],
) -> Written:
    """Write a scene, with some values replaced, in a format of scenes."""
    from snakestudio.export.formats import SceneSource, write_as

    prepared, base_dir, _ = prepare(scene, values=values)
    written = write_as(kind, SceneSource(prepared, base_dir), path_of("path", path), options)
    assert written is not None, "no progress callback cancels it"
    return written
