"""Export formats of runs, built-in and from plug-ins."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from snakestudio.errors import ExportError
from snakestudio.export.csv import write_csv
from snakestudio.export.hdf5 import write_hdf5
from snakestudio.export.mcap import write_mcap
from snakestudio.model.registry import first_line, titled
from snakestudio.plugins.declaration import Declaration, Table

EXPORTS: Table[ExportKind] = Table()
"""By name, in the order in which they are listed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportKind(Declaration):
    """A file format."""

    role: ClassVar[str] = "export"
    registry: ClassVar[Any] = EXPORTS
    calls: ClassVar[Mapping[str, str]] = {"write": "run, path"}

    name: str
    """Name of the format in lists."""

    ending: str
    """File extension with the dot: ".vtk"."""

    write: Callable[[Any, Path], object]
    """Writes a run (`snakestudio.Run`: arrays by column name, `scene`, `recording`) to a
    path."""

    title: str = ""
    """Name for people; by default from `name`."""

    help: str = ""
    """Sentence for people; by default from the docstring of `write`."""

    def __post_init__(self) -> None:
        """Fill in default values."""
        title = self.title or titled(self.name)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "help", self.help or first_line(self.write) or title)

    @property
    def kind_name(self) -> str:
        """Name of the format."""
        return self.name

    def mistake(self) -> tuple[str, str] | None:
        """Problem of the declaration and remedy; None if it is valid."""
        if not self.ending.startswith(".") or len(self.ending) < 2 or os.sep in self.ending:
            return f'"{self.ending}" is not a file extension', 'write it like ".vtk"'
        other = next(
            (kind for kind in EXPORTS.values() if kind.ending == self.ending.lower()), None
        )
        if other is not None and other is not self:
            return (
                f'files with the extension "{self.ending}" are already written as {other.title}',
                "choose another extension",
            )
        return super().mistake()


for _kind in (
    ExportKind(
        name="csv",
        ending=".csv",
        title="CSV",
        help="All columns as text, with a header that rebuilds the run.",
        write=lambda run, path: write_csv(path, run.recording, run.scene_file),
    ),
    ExportKind(
        name="hdf5",
        ending=".h5",
        title="HDF5",
        help="All columns as arrays, with units and the scene.",
        write=lambda run, path: write_hdf5(path, run.recording, run.scene_file),
    ),
    ExportKind(
        name="mcap",
        ending=".mcap",
        title="Run file",
        help="A run file, exact to the bit.",
        write=lambda run, path: write_mcap(
            path, run.recording, run.scene_file, base_dir=run.base_dir
        ),
    ),
):
    EXPORTS[_kind.name] = _kind


def format_of(path: Path) -> ExportKind:
    """Format for the extension of a path.

    Raises `ExportError` if there is none.
    """
    ending = path.suffix.lower()
    for kind in EXPORTS.values():
        if kind.ending == ending:
            return kind
    known = ", ".join(kind.ending for kind in EXPORTS.values())
    raise ExportError(
        f'{path}: No format has the extension "{ending}". Use one of {known}, or load a plug-in that has it.'
    )


def write_as(kind: ExportKind, run: Any, path: Path) -> None:
    """Write a run in a format, atomically.

    Raises `ExportError` if it cannot be written. Raises `PluginRuntimeError` if the code of a
    plug-in fails.
    """
    if not EXPORTS.source(kind.name):
        kind.write(run, path)
        return
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        kind.write(run, part)
        if not os.path.isfile(part):
            raise ExportError(
                f"{path}: The plug-in {EXPORTS.source(kind.name)} wrote no file. Fix its export {kind.name}."
            )
        os.replace(part, path)
    except OSError as error:
        raise ExportError(
            f"{path}: The file cannot be written ({error.strerror or error}). Check the folder."
        ) from None
    finally:
        part.unlink(missing_ok=True)
