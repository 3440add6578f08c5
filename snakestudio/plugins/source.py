"""Code of a plug-in as it was read: the bytes that are hashed and trusted are run, even if the file changes."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from snakestudio.errors import PluginError
from snakestudio.inputs import PLUGIN, InputError, read_bytes, text_of
from snakestudio.plugins.named import is_file, plugin_name, problem_of_name
from snakestudio.text import sentences

GROUP = "snakestudio"
"""Group of entry points of packages with plug-ins."""

_MOST_MODULES = 2000


@dataclass(frozen=True, slots=True)
class Source:
    """Origin and code of a plug-in."""

    name: str
    """Name of the file without suffix, or of the entry point of the package."""

    path: Path | None
    """Path of the file, or of the module of a package."""

    data: bytes
    """Text of the file; empty for a package, because Python imports it."""

    digest: str
    """SHA-256 of the file, or of all Python files of the package."""

    module: str = ""
    """Module of a package to import; "" for a file."""

    @property
    def file(self) -> str:
        """Name of the file; "" for a package."""
        return "" if self.module or self.path is None else self.path.name

    @property
    def where(self) -> str:
        """File or package, for messages."""
        return str(self.path) if not self.module and self.path is not None else self.name


def read_source(name: str | Path) -> Source:
    """Read a plug-in from a path that ends in ".py", or by the name of the entry point of an installed package.

    Raises `PluginError` if it cannot be read.
    """
    text = str(name)
    if is_file(text) or isinstance(name, Path) or os.path.isdir(text):
        return source_of_file(Path(text))
    return _source_of_package(text)


def source_of_file(path: Path) -> Source:
    """Read the plug-in in a file.

    Raises
    ------
    PluginError
    """
    try:
        data = read_bytes(path, PLUGIN)
        text_of(data, PLUGIN)
    except InputError as error:
        raise PluginError(f"{path}: {error}") from None
    if path.suffix != ".py":
        raise PluginError(f'{path}: This is not a Python file. Give a file that ends in ".py".')
    return source_of_bytes(path, data)


def source_of_bytes(path: Path, data: bytes) -> Source:
    """Return a plug-in whose text is already read.

    Raises `PluginError` if the name of the file is not valid.
    """
    if problem := problem_of_name(path.name):
        raise PluginError(f"{path}: {sentences(*problem)}")
    return Source(plugin_name(path.name), path, data, hashlib.sha256(data).hexdigest())


def installed() -> dict[str, str]:
    """Return the modules of installed packages with plug-ins, by name, without importing them."""
    return {point.name: point.module for point in importlib.metadata.entry_points(group=GROUP)}


def _source_of_package(name: str) -> Source:
    points = [point for point in importlib.metadata.entry_points(group=GROUP) if point.name == name]
    if not points:
        known = ", ".join(sorted(installed())) or "none"
        raise PluginError(
            f'No installed package has a plug-in "{name}" (installed: {known}). Install it, or give a file that ends '
            'in ".py".'
        )
    if len({point.value for point in points}) > 1:
        raise PluginError(
            f'Several installed packages have a plug-in "{name}". Uninstall all but one.'
        )
    module = points[0].module
    try:
        # Only the top package, because locating a module would import its parent packages.
        spec = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise PluginError(
            f'The plug-in "{name}" is in the module {module}, which does not exist. Reinstall its package.'
        )
    origin = Path(spec.origin)
    files = sorted(origin.parent.rglob("*.py")) if spec.submodule_search_locations else [origin]
    digest = hashlib.sha256()
    for file in files[:_MOST_MODULES]:
        digest.update(str(file.relative_to(origin.parent)).encode() + b"\0" + file.read_bytes())
    return Source(name, origin, b"", digest.hexdigest(), module)
