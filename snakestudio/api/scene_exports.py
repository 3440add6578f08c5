"""Write a scene in formats of scenes, without running it: its plan, its model for other simulators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snakestudio.api.running import Run, all_values, prepare
from snakestudio.model.arguments import path_of
from snakestudio.model.scene import Scene


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
    from snakestudio.export.plan import write_plan

    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    return write_plan(path_of("path", path), prepared, base_dir, width_mm=width_mm, names=names)


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
    from snakestudio.export.model import write_model

    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    return write_model(path_of("path", path), prepared, base_dir, model_format)
