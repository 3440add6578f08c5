"""Conversion of runs for other libraries: pandas, xarray and matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import UsageError
from snakestudio.model.arguments import wrong_kind
from snakestudio.model.column_units import label_of, unit_of
from snakestudio.model.columns import column_names, columns_of, table
from snakestudio.model.quantities import Quantity
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes

_PLOTTED = ("com_x_m", "com_y_m", "com_z_m")


class _Columns(Protocol):
    """Part of a run that plots need."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def __getitem__(self, name: str) -> FloatArray: ...

    def signal(self, text: str) -> FloatArray: ...


def library(name: str, what: str) -> Any:
    """Import an optional library.

    Raises `UsageError` if it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(
            f"{what} needs {name}, which is not installed. Install it with: pip install {name}"
        ) from None


def to_pandas(recording: Recording) -> pandas.DataFrame:
    """Return all columns indexed by time; see `Run.to_pandas`."""
    package = library("pandas", "to_pandas")
    names = column_names(recording.schema)
    frame = package.DataFrame(np.concatenate(list(table(recording, names))), columns=list(names))
    indexed: pandas.DataFrame = frame.set_index("time_s")
    return indexed


def to_xarray(recording: Recording, scene_file: str | None) -> xarray.Dataset:
    """Return all columns over time; see `Run.to_xarray`."""
    package = library("xarray", "to_xarray")
    names = column_names(recording.schema)
    by_name = columns_of(recording.schema).by_name
    values = np.concatenate(list(table(recording, names)))
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time_s": ("time_s", values[:, 0], {"units": "s"})}
    members: dict[Quantity, list[int]] = {}
    for index, name in enumerate(names[1:], start=1):
        members.setdefault(by_name[name].quantity, []).append(index)
    for quantity, places in members.items():
        first = names[places[0]]
        if "_{}_" not in quantity.name:
            variables |= {
                names[index]: ("time_s", values[:, index], _units(names[index])) for index in places
            }
            continue
        dimension = _dimension(quantity.name)
        numbers = [int(part) for part in (quantity.having or quantity.of)(recording.schema)]
        coordinates[dimension] = (dimension, numbers)
        variables[quantity.name.replace("_{}", "")] = (
            ("time_s", dimension),
            values[:, places],
            _units(first),
        )
    about = {"scene": scene_file or recording.scene.title}
    dataset: xarray.Dataset = package.Dataset(variables, coordinates, about)
    return dataset


def _dimension(name: str) -> str:
    """Return the dimension of a column of links or joints; joints have one dimension per kind of axis."""
    part, _, rest = name.partition("_{}_")
    return f"{part}_{rest.split('_')[0]}" if part == "joint" else part


def _units(name: str) -> dict[str, str]:
    unit = unit_of(name)
    return {"units": unit} if unit else {}


def plot(run: _Columns, columns: str | Sequence[str] | None, ax: Axes | None) -> Axes:
    """Plot columns over time; see `Run.plot`."""
    names = (
        [columns] if isinstance(columns, str) else list(_PLOTTED if columns is None else columns)
    )
    for name in names:
        if not isinstance(name, str):
            raise wrong_kind("columns", "names of columns or expressions over them", name)
    curves: Mapping[str, FloatArray] = {
        name: run[name] if name in run.columns else run.signal(name) for name in names
    }
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(layout="constrained")
    time = run["time_s"]
    labels = {name: label_of(name) if name in run.columns else name for name in names}
    for name, values in curves.items():
        ax.plot(time, values, label=labels[name])
    ax.set_xlabel("Time (s)")
    units = {unit_of(name) if name in run.columns else "" for name in names}
    unit = f" ({units.pop()})" if len(units) == 1 and "" not in units else ""
    if len(names) == 1:
        ax.set_ylabel(f"{labels[names[0]]}{unit}")
    else:
        ax.set_ylabel(unit.strip(" ()"))
        ax.legend()
    return ax
