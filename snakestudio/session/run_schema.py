"""Schema of a run, derived from its scene before anything is built."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller
from snakestudio.engines import registry as engines
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene


def run_schema(scene: Scene, base_dir: Path | None = None) -> Schema:
    """Return the schema of a run of `scene`; relative paths in it are relative to `base_dir`.

    Raises `SceneError` with all errors if the scene cannot run.
    """
    controller = controllers.create(scene, base_dir)
    return with_channels(engines.schema(scene, base_dir), controller)


def with_channels(schema: Schema, controller: Controller) -> Schema:
    """Return the schema of an engine with the columns of a controller appended."""
    return replace(schema, extra=schema.extra + controller.channels)
