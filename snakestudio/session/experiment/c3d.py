"""C3D files (Vicon, Qualisys, OptiTrack and most others): markers and their residuals, read by ezc3d."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.errors import ExperimentError
from snakestudio.session.experiment.layout import length_unit
from snakestudio.session.experiment.markers import Markers

__all__ = ["read_c3d"]

_KEY = 0x50
"""Second byte of every C3D file."""


def read_c3d(path: Path, data: bytes) -> Markers:
    """What a C3D file holds; a marker with a negative residual was not seen (C3D user guide, "Residuals").

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    if len(data) < 512 or data[1] != _KEY:
        raise ExperimentError(f"{path}: this is no C3D file; export it anew, or give a table the ending .csv.")
    import ezc3d

    try:
        file: Any = ezc3d.c3d(str(path))
        points = np.asarray(file["data"]["points"], dtype=np.float64)
        residuals = np.asarray(file["data"]["meta_points"]["residuals"], dtype=np.float64)[0]
        parameters = file["parameters"]["POINT"]
        rate = float(np.ravel(parameters["RATE"]["value"])[0])
        first = int(file["header"]["points"]["first_frame"])
    except (OSError, ValueError, RuntimeError, KeyError, IndexError, MemoryError) as error:
        raise ExperimentError(f"{path}: the C3D file is damaged ({error}); export it again.") from None
    n_markers, k = points.shape[1], points.shape[2]
    if n_markers == 0 or k < 2:
        raise ExperimentError(f"{path}: there are no marker tracks in it; export the trajectories as well.")
    if not rate > 0.0:
        raise ExperimentError(f"{path}: the file tells no frame rate; export it again.")
    units = parameters.get("UNITS", {}).get("value", [])
    unit = length_unit(path, str(units[0]) if units else "mm")
    labels = [str(label).strip() for label in parameters.get("LABELS", {}).get("value", [])][:n_markers]
    labels += [f"Marker {i + 1}" for i in range(len(labels), n_markers)]
    position = points[:3].transpose(2, 1, 0).copy()
    position[(residuals.T < 0.0) | (position == 0.0).all(axis=2)] = np.nan
    time = (first + np.arange(k)) / rate
    notes: tuple[str, ...] = ()
    if first > 0:
        notes = (f"The file begins with frame {first + 1}, so its first time is {time[0]:.4g} s.",)
    return Markers("C3D", time, tuple(labels), position, unit, rate, notes)
