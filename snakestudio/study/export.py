"""Export of study results as CSV, HDF5 or Parquet: one row per point, or one row per run.

CSV begins with lines that start with ``#``: versions, and the study and its scene as TOML. HDF5
contains the points in ``/points/NAME`` and the runs in ``/runs/NAME``, each column with its
``units``, and the same texts. Parquet contains one table, with units in the metadata of its fields and
texts in its own metadata.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._version import __version__
from snakestudio.errors import ExportError, SceneError, StudyError
from snakestudio.export.files import replacing
from snakestudio.export.provenance import software_versions
from snakestudio.model.column_units import unit_text
from snakestudio.model.edits import declared
from snakestudio.model.fields import field_doc
from snakestudio.model.plausibility import NOT_CHECKED
from snakestudio.model.scene import Scene
from snakestudio.study.results import Table


def runs_of(table: Table) -> dict[str, np.ndarray]:
    """Return the columns of all runs of a study: values, measures and state."""
    runs = [run for repeats in table.rows for run in repeats]
    study = table.study
    keys = list(dict.fromkeys(key for request, _ in runs for key in request.changes))
    measures = [part.called for part in study.measured]
    columns: dict[str, Any] = {
        "point": np.array([request.point for request, _ in runs], np.int64),
        "repeat": np.array([request.repeat for request, _ in runs], np.int64),
    }
    for key in keys:
        columns[key] = _array([request.changes.get(key) for request, _ in runs])
    for k, name in enumerate(measures):
        columns[name] = np.array(
            [o.measures[k] if o is not None and k < len(o.measures) else math.nan for _, o in runs],
            np.float64,
        )
    columns["state"] = np.array(["waiting" if o is None else o.state for _, o in runs], np.object_)
    columns["sentence"] = np.array(["" if o is None else o.sentence for _, o in runs], np.object_)
    columns["seconds"] = np.array(
        [math.nan if o is None else o.seconds for _, o in runs], np.float64
    )
    columns["plausibility"] = np.array(
        [
            ""
            if o is None or o.state != "done"
            else NOT_CHECKED
            if o.plausibility is None
            else o.plausibility.names
            for _, o in runs
        ],
        np.object_,
    )
    columns["worker"] = np.array(["" if o is None else o.worker for _, o in runs], np.object_)
    columns["key"] = np.array([request.key for request, _ in runs], np.object_)
    return columns


def _array(values: list[Any]) -> np.ndarray:
    plain = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return np.array(values, np.float64 if plain else np.object_)


def units_in(table: Table, units: Mapping[str, str], scene: Scene) -> dict[str, str]:
    """Return the units of all columns for people; "1" for columns without unit.

    Parameters
    ----------
    units : mapping
        Unit suffixes of goals and limits by name.
    scene : Scene
        Scene of the study, which declares the units of its values.
    """
    known = {name: unit_text(ending) or "1" for name, ending in units.items()} | {"seconds": "s"}
    return {
        name: known.get(name) or _unit_of_value(scene, name) for name in (*table, *runs_of(table))
    }


def _unit_of_value(scene: Scene, name: str) -> str:
    try:
        return field_doc(*declared(scene, name.partition("+")[0])).unit or "1"
    except SceneError:  # this scene has no such value, or one of another kind
        return "1"


def write_csv(path: Path, columns: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> None:
    """Write a table as CSV; every number reads back exactly.

    Raises `ExportError` if the file cannot be written.
    """
    with replacing(path) as partial, partial.path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# SnakeStudio {__version__} study, {software_versions()}\n")
        for name, text in texts.items():
            file.write(f"# {name}\n")
            file.writelines(f"#| {line}\n" for line in text.splitlines())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def write_hdf5(
    path: Path, table: Table, written: Mapping[str, str], texts: Mapping[str, str]
) -> None:
    """Write points and runs as HDF5, with the units of `units_in`.

    Raises `ExportError` if the file cannot be written.
    """
    import h5py

    text = h5py.string_dtype()
    memory = io.BytesIO()
    with h5py.File(memory, "w", track_order=True) as file:
        file.attrs["format"] = "SnakeStudio study"
        file.attrs["format_version"] = 1
        file.attrs["snakestudio"], file.attrs["made_with"] = __version__, software_versions()
        for name, value in texts.items():
            file.create_dataset(name, data=value, dtype=text)
        for name, columns in (("points", table), ("runs", runs_of(table))):
            group = file.create_group(name, track_order=True)
            for column, values in columns.items():
                plain = values.dtype != np.object_
                data = values if plain else [str(value) for value in values]
                dataset = group.create_dataset(
                    column.replace("/", " over "), data=data, dtype=None if plain else text
                )
                dataset.attrs["units"] = written[column]
    with replacing(path) as partial:
        partial.path.write_bytes(memory.getbuffer())


def write_parquet(
    path: Path,
    columns: Mapping[str, np.ndarray],
    units: Mapping[str, str],
    texts: Mapping[str, str],
) -> None:
    """Write a table as Parquet.

    Raises `ExportError` if the file cannot be written. Raises `StudyError` if pyarrow is not
    installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise StudyError(
            f'{path}: Parquet needs pyarrow, which is not installed. Install it with pip install "snakestudio[study]",'
            " or write CSV or HDF5."
        ) from None
    arrays = []
    fields = []
    for name, values in columns.items():
        plain = values.dtype != np.object_
        array = pyarrow.array(values if plain else [str(value) for value in values])
        arrays.append(array)
        fields.append(pyarrow.field(name, array.type, metadata={"units": units.get(name, "1")}))
    schema = pyarrow.schema(fields, metadata={"snakestudio": __version__, **texts})
    with replacing(path) as partial:
        try:
            parquet.write_table(pyarrow.table(arrays, schema=schema), partial.path)
        except OSError as error:
            raise ExportError(f"{path}: it cannot be written ({error}).") from None
