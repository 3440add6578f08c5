"""TRC files (Motion Analysis, OpenSim): markers in a table of tabs under five lines of header."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from snakestudio.analysis.experiment.layout import length_unit
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.text_table import number, read_lines, room_for
from snakestudio.errors import ExperimentError

__all__ = ["read_trc"]


def read_trc(path: Path, data: bytes) -> Markers:
    """What a TRC file holds.

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    lines = read_lines(path, data)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise ExperimentError(
            f"{path}: this is no TRC file (its first line does not begin with PathFileType); export it anew, or give a "
            "table the ending .csv."
        )
    about = {key.strip(): value.strip() for key, value in zip(lines[1].split("\t"), lines[2].split("\t"), strict=False)}
    unit = length_unit(path, about.get("Units", "mm"))
    names = tuple(cell.strip() for cell in lines[3].rstrip().split("\t")[2:] if cell.strip())
    if not names:
        raise ExperimentError(f"{path}: line 4 names no markers; export it anew.")
    width = 2 + 3 * len(names)
    room_for(path, len(lines), width)
    numbers = array("d")
    for index, line in enumerate(lines[5:], 6):
        if not line.strip():
            continue
        row = [cell.strip() for cell in line.split("\t")]
        try:
            # A marker out of sight is an empty cell, and the last ones of a line may be left away.
            numbers.extend([number(cell, ".") for cell in [*row, *[""] * (width - len(row))][:width]])
        except ValueError as error:
            raise ExperimentError(f'{path}: line {index}: "{error}" is not a number; mend it.') from None
    table = np.frombuffer(numbers).reshape(-1, width)
    if len(table) < 2:
        raise ExperimentError(f"{path}: there are fewer than two frames; export the measurement again.")
    time = table[:, 1]
    notes: tuple[str, ...] = ()
    if not np.isfinite(time).all():
        rate = _rate(about.get("DataRate", ""))
        if not rate > 0:
            raise ExperimentError(f"{path}: frames have no time, and there is no DataRate; export it anew.")
        time = np.arange(len(table)) / rate
        notes = (f"The times are counted off at {rate:g} Hz, as some are missing.",)
    position = table[:, 2:].reshape(len(table), len(names), 3).copy()
    position[(position == 0.0).all(axis=2)] = np.nan
    step = float(np.median(np.diff(time)))
    return Markers("TRC", time, names, position, unit, 1.0 / step if step > 0 else 0.0, notes)


def _rate(text: str) -> float:
    try:
        return number(text, ".")
    except ValueError:
        return 0.0
