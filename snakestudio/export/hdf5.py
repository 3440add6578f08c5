"""Export of a run to one HDF5 file: each named column as an array with its unit, and everything to reproduce the run.

Content, for h5py, Matlab (``h5read(file, '/columns/com_x_m')``) and other readers of HDF5:

``/`` attributes
    ``format`` ("SnakeStudio run"), ``format_version`` (1), ``snakestudio`` and ``made_with``
    (versions), ``title``, ``model``, ``scene_file``, ``scene_sha256``, ``rows``, ``duration_s``;
    ``step_check`` (JSON) after a check of the time step; ``plausibility`` (JSON), the result of the
    plausibility checks of a simulated run.
``/scene``
    The scene at the start of the run, TOML text.
``/columns/NAME``
    One array of all rows for each column of the CSV, with the same name (``time_s``, ``link_1_x_m``,
    ...), 64-bit floats; attribute ``units`` ("m", "N m", "1" without one). ``time_s`` is the
    dimension scale of all others. Derived channels follow, with their definition in the attribute
    ``expression``.
``/contacts/NAME``
    One entry for each contact of each row, in the order of the rows: ``time`` (s, of its row), ``link``
    (1-based), ``other`` (obstacle, 1-based; 0: the ground, -1: a support of a continuous body),
    ``state`` (0 open, 1 sticking, 2 sliding), ``point`` (m), ``impulse_normal`` and
    ``impulse_friction`` (N s, on the link since the previous row), world frame.
``/changes/time_s, values`` and ``/events/time_s, kind, text, weight``
    Changes during the run, as JSON by dotted key of the scene, and noted moments.
``/pulls/time_s, link, point_m, force_n, torque_nm``
    Only for runs in which a link was pulled by hand: the wrench about the centre of mass of
    ``link`` (1-based), world frame, from each time to the next, and the point of application
    in the frame of the link.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.analysis.with_derived import WithDerived
from snakestudio.export.provenance import (
    known_plausibility,
    plugins_of,
    replayed,
    software_versions,
    step_estimate_of,
)
from snakestudio.inputs import local_path
from snakestudio.model.column_units import unit_of, unit_text
from snakestudio.model.columns import column_names, table
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Recording, Rows
from snakestudio.model.scene_file import dump_scene, scene_hash

FORMAT_VERSION = 1

_CHUNK = 4096
"""Rows per compressed chunk of a column: 32 kB."""

_TEXT = h5py.string_dtype()


def write_hdf5(
    path: str | Path,
    recording: Recording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording as HDF5, in pieces, so that memory does not grow with its length.

    Raises `OSError` if the file cannot be written; an incomplete file remains. See `write_as`.

    Parameters
    ----------
    scene_file : str, optional
        Name of the scene's file, stored in the file.
    progress : callable, optional
        Called with the finished fraction; the file remains incomplete when it returns False.

    Returns
    -------
    bool
        False if it was cancelled.
    """
    with _new_file(local_path(path)) as (file, disk):
        _describe(file, recording, scene_file)

        def written(fraction: float) -> bool:
            disk.check()
            return progress is None or progress(fraction)

        return _write_rows(file, recording, written)


class _Disk(io.RawIOBase):
    """Raw file for the HDF5 library, to which every write appears to succeed.

    After a failed write the library has parts that it can neither write nor release, and closing
    the file then crashes the program (signal 11). So errors of the disk are stored here until
    `check`, and later data are discarded.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("w+b", buffering=0)
        self._trouble: OSError | None = None

    def check(self) -> None:
        """Raise the stored error, if any."""
        if self._trouble is not None:
            raise self._trouble

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(buffer)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._trouble = self._trouble or error
            return self._file.tell() if size is None else size

    def write(self, data: Any) -> int:
        view = memoryview(data)
        begin = self._file.tell()
        try:
            while len(view) and self._trouble is None:
                view = view[self._file.write(view) :]
        except OSError as error:
            self._trouble = error
        if len(view):
            self._file.seek(begin + len(data))
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[tuple[Any, _Disk]]:
    """A new file that older readers understand; whole chunks are written, so none need to be cached (1 MB each)."""
    with contextlib.closing(_Disk(path)) as disk:
        with h5py.File(disk, "w", libver=("earliest", "v110"), rdcc_nbytes=32 * _CHUNK) as file:
            yield file, disk
        disk.check()


def _describe(file: Any, recording: Recording, scene_file: str | None) -> None:
    """Write everything except the rows."""
    scene = recording.scene
    file.attrs.update(
        {
            "format": "SnakeStudio run",
            "format_version": FORMAT_VERSION,
            "snakestudio": __version__,
            "made_with": software_versions(),
            "title": scene.title,
            "model": scene.model.kind,
            "scene_file": scene_file or "unsaved",
            "scene_sha256": scene_hash(scene),
            "rows": len(recording),
            "duration_s": float(recording.times[-1] - recording.times[0]),
        }
    )
    if plugins := plugins_of(recording):
        file.attrs["plugins"] = "\n".join(plugins)
    estimate = step_estimate_of(recording)
    if estimate is not None:
        file.attrs["step_check"] = estimate.text
    result = known_plausibility(recording)
    if result is not None:
        file.attrs["plausibility"] = result.text
    file.create_dataset("scene", data=dump_scene(scene), dtype=_TEXT).attrs["language"] = "TOML"
    changes = replayed(recording.changes)
    _table(
        file.create_group("changes"),
        {
            "time_s": [change.time for change in changes],
            "values": [json.dumps(change.values, ensure_ascii=False) for change in changes],
        },
    )
    if recording.pulls:
        _write_pulls(file.create_group("pulls"), recording.pulls)
    events = recording.events
    _table(
        file.create_group("events"),
        {
            "time_s": [event.time for event in events],
            "kind": [event.kind for event in events],
            "text": [event.text for event in events],
            "weight": [event.weight for event in events],
        },
    )


def _write_pulls(group: Any, pulls: Sequence[Pull]) -> None:
    """Write the pulls on the robot, each until the next one; links are numbered from 1."""
    group["time_s"] = [pull.time for pull in pulls]
    group["link"] = [pull.link + 1 for pull in pulls]
    group["point_m"] = [pull.point for pull in pulls]
    group["force_n"] = [pull.force for pull in pulls]
    group["torque_nm"] = [pull.torque for pull in pulls]
    for name, unit in (("time_s", "s"), ("point_m", "m"), ("force_n", "N"), ("torque_nm", "N m")):
        group[name].attrs["units"] = unit


def _table(group: Any, columns: dict[str, list[Any]]) -> None:
    for name, values in columns.items():
        kind = np.float64 if name in ("time_s", "weight") else _TEXT
        group.create_dataset(
            name, data=np.array(values, kind if kind is np.float64 else object), dtype=kind
        )
    group["time_s"].attrs["units"] = "s"


def _write_rows(file: Any, recording: Recording, progress: Callable[[float], bool] | None) -> bool:
    names = column_names(recording.schema)
    count = len(recording)
    derived = recording.derived if isinstance(recording, WithDerived) else {}
    group = file.create_group("columns")
    contacts = _Contacts(file.create_group("contacts"))
    columns = []
    for name in names:
        column = group.create_dataset(
            name,
            (count,),
            np.float64,
            chunks=(min(_CHUNK, max(1, count)),),
            compression="gzip",
            compression_opts=1,
            shuffle=True,
        )
        column.attrs["units"] = unit_of(name, plain="1")
        if name in derived:
            column.attrs["units"] = unit_text(derived[name].unit) or "1"
            column.attrs["expression"] = derived[name].text
        columns.append(column)
    columns[0].make_scale("time_s")
    for column in columns[1:]:
        column.dims[0].attach_scale(columns[0])
    done = 0
    for values, rows in _pieces(recording, names):
        stop = min(done + len(values), count)  # the run may have grown since
        for index, column in enumerate(columns):
            column[done:stop] = values[: stop - done, index]
        contacts.append(rows.slice(0, stop - done))
        done = stop
        if progress is not None and not progress(done / count):
            return False
        if done >= count:
            break
    return True


def _pieces(recording: Recording, names: tuple[str, ...]) -> Iterator[tuple[FloatArray, Rows]]:
    """Yield the values of the columns with their rows, in pieces that fill whole chunks of the file."""
    values: list[FloatArray] = []
    parts: list[Rows] = []
    for block, rows in zip(table(recording, names), recording.chunks(), strict=False):
        length = min(len(block), len(rows))
        start = 0
        while start < length:
            space = _CHUNK - sum(map(len, values))
            stop = min(length, start + space)
            values.append(block[start:stop])
            parts.append(rows.slice(start, stop))
            start = stop
            if sum(map(len, values)) == _CHUNK:
                yield np.concatenate(values), Rows.concatenate(parts)
                values = []
                parts = []
    if values:
        yield np.concatenate(values), Rows.concatenate(parts)


class _Contacts:
    """Contacts of all rows; their number is not known in advance."""

    def __init__(self, group: Any) -> None:
        self._sets = {}
        for name, kind, width, unit in (
            ("time", np.float64, 0, "s"),
            ("link", np.int32, 0, "1"),
            ("other", np.int32, 0, "1"),
            ("state", np.int32, 0, "1"),
            ("point", np.float64, 3, "m"),
            ("impulse_normal", np.float64, 3, "N s"),
            ("impulse_friction", np.float64, 3, "N s"),
        ):
            tail = (width,) if width else ()
            dataset = group.create_dataset(
                name,
                (0, *tail),
                kind,
                maxshape=(None, *tail),
                chunks=(_CHUNK, *tail),
                compression="gzip",
                compression_opts=1,
                shuffle=True,
            )
            dataset.attrs["units"] = unit
            self._sets[name] = dataset

    def append(self, rows: Rows) -> None:
        """Add the contacts of some rows."""
        contacts = rows.contacts
        count = len(contacts.link)
        if not count:
            return
        values: dict[str, NDArray[Any]] = {
            "time": np.repeat(rows.time, contacts.count),
            "link": contacts.link + 1,
            "other": contacts.other + 1,
            "state": contacts.state,
            "point": contacts.point,
            "impulse_normal": contacts.impulse_normal,
            "impulse_friction": contacts.impulse_friction,
        }
        for name, column in self._sets.items():
            start = len(column)
            column.resize(start + count, axis=0)
            column[start:] = values[name]
