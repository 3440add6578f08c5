"""Values of quantities as functions of the rows of a run; `quantities` declares the quantities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model import direction
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Rows


def component_of(attribute: str, k: int) -> Callable[[Piece], FloatArray]:
    """Return the component k of an attribute of each link, cross-section or anchor."""

    def values(piece: Piece) -> FloatArray:
        component: FloatArray = getattr(piece.rows, attribute)[:, :, k]
        return component

    return values


def in_degrees_of(of: Callable[[Piece], FloatArray]) -> Callable[[Piece], FloatArray]:
    """Return the values of `of`, in rad, converted to degrees."""
    return lambda piece: np.degrees(of(piece))


def link_force(other: str, axis: int) -> Callable[[Piece], FloatArray]:
    """Return the mean force on each link since the previous row, N."""
    return lambda piece: piece.mean(lambda rows: getattr(rows, f"impulse_{other}")[:, :, axis])


def whole_force(other: str, axis: int) -> Callable[[Piece], FloatArray]:
    """Return the mean force on the whole robot since the previous row, N."""
    return lambda piece: piece.mean(
        lambda rows: getattr(rows, f"impulse_{other}")[:, :, axis].sum(axis=1)
    )


def force_norm(others: tuple[str, ...], axes: slice) -> Callable[[Piece], FloatArray]:
    """Return the magnitude of the mean force on each link since the previous row, N."""

    def impulse(rows: Rows) -> FloatArray:
        parts: list[FloatArray] = [
            getattr(rows, f"impulse_{other}")[:, :, axes] for other in others
        ]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    return lambda piece: norms(piece.mean(impulse))


def norms(vectors: FloatArray) -> FloatArray:
    """Return the lengths of vectors (..., 3)."""
    length: FloatArray = np.sqrt(np.einsum("...a,...a->...", vectors, vectors))
    return length


def attitude_deg(axis: int) -> Callable[[Piece], FloatArray]:
    """Return the roll, pitch or yaw of each link, degrees."""
    return lambda piece: np.degrees(piece.roll_pitch_yaw[:, :, axis])


def com_component(attribute: str, k: int) -> Callable[[Piece], FloatArray]:
    """Return the component k of an attribute of the links for the centre of mass."""
    return lambda piece: piece.over_mass(getattr(piece.rows, attribute)[:, :, k])


def com_speed(piece: Piece) -> FloatArray:
    """Return the speed of the centre of mass, m/s."""
    return norms(
        np.stack([piece.over_mass(piece.rows.link_twist[:, :, k]) for k in range(3)], axis=1)
    )


def mean_iterations(piece: Piece) -> FloatArray:
    """Return the mean iterations per step since the previous row."""
    grown = piece.difference(lambda rows: rows.solver_iterations)
    return np.divide(grown, piece.steps, out=np.zeros(len(piece.steps)), where=piece.steps > 0)


def steps_unconverged(piece: Piece) -> FloatArray:
    """Return the steps without convergence since the previous row."""
    return piece.difference(lambda rows: rows.solver_unconverged)


def residual_of_steps(piece: Piece) -> FloatArray:
    """NaN in the first row, because there is no interval before it."""
    return np.where(piece.steps > 0, piece.rows.solver_residual, np.nan)


def head_acceleration(axis: int) -> Callable[[Piece], FloatArray]:
    """Return the mean since the previous row, because an impact has no finite acceleration."""
    return lambda piece: piece.mean(lambda rows: rows.link_twist[:, piece.schema.head, axis])


def forward(axis: int) -> Callable[[Piece], FloatArray]:
    """Return the component of the direction from tail to head."""
    return lambda piece: piece.forward[:, axis]


def heading(piece: Piece) -> FloatArray:
    """Return the heading of the robot, rad."""
    return direction.heading(piece.forward)


def head_heading(piece: Piece) -> FloatArray:
    """Return the heading of the head link, rad."""
    head = piece.rows.link_pose[:, [piece.schema.head]]
    return direction.link_heading(head, piece.schema.head_last)[:, 0]


def link_yaw(piece: Piece) -> FloatArray:
    """Return the heading of each link's x axis, rad."""
    return direction.link_yaw(piece.rows.link_pose)


def obstacle_force(axis: int) -> Callable[[Piece], FloatArray]:
    """Return the component of the mean force of obstacles on each link, in its frame, N."""
    return lambda piece: piece.obstacle_forces[:, :, axis]


def ground_force(axis: int) -> Callable[[Piece], FloatArray]:
    """Return the component of the mean force of the ground on each link, in its frame, N."""
    return lambda piece: piece.ground_forces[:, :, axis]
