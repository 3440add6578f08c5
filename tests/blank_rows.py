"""Rows of a recording that are empty except for the columns of a test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.recording import ContactRows, Rows, Schema

__all__ = ["blank_rows"]


def blank_rows(schema: Schema, time: NDArray[np.float64], **columns: NDArray[np.generic]) -> Rows:
    """Return rows at times (k,), s, with some columns of `Rows` by name; the others are 0, without contacts."""
    k = len(time)
    n = schema.n_links
    m = len(schema.axes)
    sections = len(schema.sections)
    integers = np.zeros(k, np.int64)
    blank: dict[str, NDArray[np.generic]] = {
        "link_pose": np.zeros((k, n, 7)),
        "link_twist": np.zeros((k, n, 6)),
        "impulse_obstacle": np.zeros((k, n, 3)),
        "impulse_ground": np.zeros((k, n, 3)),
        "contacts_closed": np.zeros(k, np.int32),
        "energy": np.zeros((k, len(schema.energy))),
        "solver_residual": np.zeros(k),
        "solver_iterations": integers,
        "solver_unconverged": integers,
        "steps": integers,
        "extra": np.zeros((k, len(schema.extra))),
        "strain": np.zeros((k, sections, 6)),
        "wrench": np.zeros((k, sections, 6)),
        "hold": np.zeros((k, schema.n_holds, 14)),
    }
    for name in ("joint_angle", "joint_rate", "joint_angle_ref", "joint_rate_ref", "joint_torque"):
        blank[name] = np.zeros((k, m))
    return Rows(time=time, contacts=ContactRows.none(k), **{**blank, **columns})  # type: ignore[arg-type]
