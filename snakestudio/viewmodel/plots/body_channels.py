"""What can be plotted of a continuous body: its strains, the forces and torques inside, and what holds it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.robot.strain import COMPONENTS
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.channel import Channel

__all__ = ["BODY_CHANNELS"]

_WRENCH = ("nx_n", "ny_n", "nz_n", "cx_nm", "cy_nm", "cz_nm")
_FORCE, _TORQUE = slice(8, 11), slice(11, 14)
"""Columns of `Rows.hold`."""


def _section_names(ending: str) -> Callable[[Schema], tuple[str, ...]]:
    return lambda schema: tuple(f"section_{i + 1}_{ending}" for i in range(len(schema.sections)))


def _wrench(axis: int) -> Channel:
    return Channel(
        _section_names(f"lambda_{_WRENCH[axis]}"), lambda rows, before: rows.wrench[:, :, axis], Fields.TORQUE
    )


def _size(axes: slice, ending: str) -> Channel:
    return Channel(
        _section_names(f"lambda_{ending}"),
        lambda rows, before: np.asarray(np.linalg.norm(rows.wrench[:, :, axes], axis=2)),
        Fields.TORQUE,
    )


def _strain(axis: int) -> Channel:
    return Channel(_section_names(COMPONENTS[axis]), lambda rows, before: rows.strain[:, :, axis], Fields.NONE)


def _held(axes: slice, ending: str) -> Channel:
    def compute(rows: Rows, before: Rows | None) -> FloatArray:
        size: FloatArray = np.linalg.norm(rows.hold[:, :, axes], axis=2)
        return size

    return Channel(
        lambda schema: tuple(f"contact_{i + 1}_{ending}" for i in range(schema.n_holds)), compute, Fields.CONTACTS
    )


def _places(rows: Rows, before: Rows | None) -> FloatArray:
    return np.concatenate([rows.hold[:, :, 0], rows.hold[:, :, 1]], axis=1)


def _place_names(schema: Schema) -> tuple[str, ...]:
    return tuple(f"contact_{i + 1}_{what}" for what in ("active", "abscissa_m") for i in range(schema.n_holds))


BODY_CHANNELS = {
    **{f"body_{name}": _wrench(axis) for axis, name in enumerate(("n_x", "n_y", "n_z", "c_x", "c_y", "c_z"))},
    "body_n": _size(slice(0, 3), "n_n"),
    "body_c": _size(slice(3, 6), "c_nm"),
    "body_k_x": _strain(3),
    "body_k_y": _strain(4),
    "body_k_z": _strain(5),
    "body_stretch": Channel(
        _section_names("gamma_x_minus_1"), lambda rows, before: rows.strain[:, :, 0] - 1.0, Fields.NONE
    ),
    "hold_force": _held(_FORCE, "force_n"),
    "hold_torque": _held(_TORQUE, "torque_nm"),
    "hold_place": Channel(_place_names, _places, Fields.NONE),
}
"""By name; "hold_place" says of every anchor or support whether it holds, and then where, m."""
