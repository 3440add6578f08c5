"""Contact problems as FCLIB files, which Siconos and the comparisons of contact solvers in the literature read.

HDF5, as FCLIB's ``fclib_write_global`` and ``fclib_write_global_rolling`` lay it out (Acary and others,
INRIA RT-0444, 2014): ``/fclib_global`` or ``/fclib_global_rolling`` with ``spacedim``, the matrices
``M`` and ``H`` (compressed columns), ``vectors/f``, ``w``, ``mu`` and ``mu_r``, and ``info``.
"""

from __future__ import annotations

import io

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from snakestudio.engines.friction_problem import FrictionProblem


def fclib_bytes(problem: FrictionProblem, title: str) -> bytes:
    """Return a problem as the content of an FCLIB file."""
    rolling = problem.mu_rolling is not None
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        main = file.create_group("fclib_global_rolling" if rolling else "fclib_global")
        _put_number(main, "spacedim", problem.spacedim)
        _put_matrix(main.create_group("M"), problem.mass)
        _put_matrix(main.create_group("H"), problem.directions)
        vectors = main.create_group("vectors")
        vectors["f"] = problem.force
        vectors["w"] = np.zeros(problem.directions.shape[1])
        vectors["mu"] = problem.mu
        if rolling:
            vectors["mu_r"] = problem.mu_rolling
        info = main.create_group("info")
        _put_text(info, "title", title)
        _put_text(
            info,
            "description",
            f"A step of a snake robot. {problem.coordinates} Impulses in N s, of joints N m s.",
        )
        _put_text(
            info,
            "math_info",
            "M is positive definite. If friction differs along and across, the weaker tangent is shorter.",
        )
    return memory.getvalue()


def _put_number(group: h5py.Group, name: str, number: int) -> None:
    group.create_dataset(name, data=np.array([number], np.int32))


def _put_text(group: h5py.Group, name: str, text: str) -> None:
    """Write a text for C: of fixed length, with a trailing zero."""
    data = text.encode("utf-8") + b"\0"
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(data))
    kind.set_strpad(h5py.h5t.STR_NULLTERM)
    entry = h5py.h5d.create(group.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
    entry.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(data), mtype=kind)


def _put_matrix(group: h5py.Group, matrix: NDArray[np.float64]) -> None:
    sparse = csc_array(matrix)
    rows, columns = sparse.shape
    for name, number in (("nzmax", sparse.nnz), ("m", rows), ("n", columns), ("nz", -1)):
        _put_number(group, name, number)
    group["p"] = sparse.indptr.astype(np.int32)
    group["i"] = sparse.indices.astype(np.int32)
    group["x"] = sparse.data
