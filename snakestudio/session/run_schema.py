"""Schema of a run, derived from its scene before anything is built."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller
from snakestudio.engines import registry as engines
from snakestudio.errors import PluginRuntimeError
from snakestudio.kinds.plugin_kinds import plugins_in_use
from snakestudio.model.columns import columns_of
from snakestudio.model.quantities import Quantity
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene


def run_schema(scene: Scene, base_dir: Path | None = None) -> Schema:
    """Return the schema of a run of `scene`; relative paths in it are relative to `base_dir`.

    Raises `SceneError` with all errors if the scene cannot run.
    """
    controller = controllers.create(scene, base_dir)
    return with_channels(engines.schema(scene, base_dir), controller, scene)


def with_channels(schema: Schema, controller: Controller, scene: Scene) -> Schema:
    """Return the schema of an engine with the columns of a controller appended.

    Raises `PluginRuntimeError` if two columns have the same name, which only plug-ins can cause.
    """
    result = replace(schema, extra=schema.extra + controller.channels)
    check_columns(result, scene)
    return result


def check_columns(schema: Schema, scene: Scene) -> None:
    """Refuse a schema in which a column of a plug-in has the name of another column.

    Raises
    ------
    PluginRuntimeError
    """
    for _, column in columns_of(schema).clashes:
        source = Quantity.registry.source(column.quantity.name)
        if not source:
            source = next((plugin.name for plugin in plugins_in_use(scene)), "")
        raise PluginRuntimeError(
            source,
            f'The plug-in {source} records a column "{column.name}", but the run has a column of this name '
            "already. Rename the plug-in's column.",
        )
