"""Content of a marker file before it is rotated upright; shared by the readers of TRC and C3D."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.column_names import link_of
from snakestudio.analysis.experiment.layout import AXES, BodyColumns, Layout, axes_matrix
from snakestudio.analysis.experiment.samples import Samples
from snakestudio.analysis.experiment.upright import up_axis
from snakestudio.model.recognition import IgnoredColumns
from snakestudio.model.rotations import matrices, quaternions
from snakestudio.model.tables.units import LENGTH_UNITS, LengthUnit
from snakestudio.text import counted


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """Tracks of m markers in the form of their file."""

    kind: str
    """Name of the format for people."""

    time: FloatArray
    """s. Shape (k,)."""

    names: tuple[str, ...]
    position: FloatArray
    """In `unit`, along the file's axes; NaN if a marker was not visible. Shape (k, m, 3)."""

    unit: LengthUnit
    rate: float
    """Hz."""

    notes: tuple[str, ...] = ()
    orientation: FloatArray | None = None
    """Unit quaternions w x y z along the file's axes; NaN if there is none. Shape (k, m, 4)."""

    file_type: str = ""
    """File type with its version if the file states one; `kind` if empty."""

    ignored: tuple[IgnoredColumns, ...] = ()

    def layout(self) -> Layout:
        """Default layout."""
        bodies = tuple(BodyColumns(name, link=link_of(name)) for name in self.names)
        axes = AXES[up_axis(self.position)]
        return Layout(
            time_column=None, rate_hz=self.rate, length_unit=self.unit, axes=axes, bodies=bodies
        )

    def samples(self, layout: Layout) -> tuple[Samples, list[str]]:
        """Return the tracks in metres with z up, with remarks; bodies that the layout does not name are omitted."""
        links = {body.name: body.link for body in layout.bodies}
        chosen = [i for i, name in enumerate(self.names) if name in links] or list(
            range(len(self.names))
        )
        names = tuple(self.names[i] for i in chosen)
        matrix = axes_matrix(layout.axes)
        position = self.position[:, chosen] * LENGTH_UNITS[layout.length_unit] @ matrix.T
        markers = f"{counted(len(names), 'marker')}"
        summary = f"{self.kind} with {markers} in {layout.length_unit} at {self.rate:g} Hz, {layout.axes[5]} up."
        of_links = tuple(links.get(name) for name in names)
        orientation = (
            None if self.orientation is None else _turned(self.orientation[:, chosen], matrix)
        )
        return Samples(self.time, names, of_links, position, orientation), [summary, *self.notes]


def _turned(orientation: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return quaternions (k, m, 4) in the world's axes; the axes of the bodies are rotated in the same way."""
    result = orientation.copy()
    known = np.isfinite(orientation).all(axis=2)
    result[known] = quaternions(matrix @ matrices(orientation[known]) @ matrix.T)
    return result
