"""Loading of plug-ins from Python; a call is consent to run their code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snakestudio.model.arguments import wrong_kind
from snakestudio.plugins.loaded import Plugin, loaded
from snakestudio.plugins.loading import load


def load_plugin(plugin: str | Path) -> Plugin:
    """Run the code of a plug-in and register its kinds; nothing happens if the same code is loaded already.

    Raises `PluginError` if it cannot be loaded; no kind is registered then. Raises
    `PluginRuntimeError` if its code raises an exception.

    Parameters
    ----------
    plugin : str or Path
        Name of a file that ends in ".py", or of an installed plug-in.
    """
    if not isinstance(plugin, str | Path):
        raise wrong_kind("plugin", 'a file name (str or Path) such as "my_gait.py"', plugin)
    return load(plugin)


def load_plugins(plugins: str | Path | Sequence[str | Path]) -> None:
    """Load one or several plug-ins; see `load_plugin`."""
    for each in (plugins,) if isinstance(plugins, str | Path) else plugins:
        load_plugin(each)


def loaded_plugins() -> tuple[Plugin, ...]:
    """Return the loaded plug-ins."""
    return loaded()
