"""What can be plotted: how each channel is computed from the rows of a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.columns import column_names, column_values
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import Fields, mass_shares
from snakestudio.viewmodel.plots.body_channels import BODY_CHANNELS
from snakestudio.viewmodel.plots.channel import Channel

if TYPE_CHECKING:
    from snakestudio.analysis.signals import Signal

__all__ = ["CHANNELS", "Channel", "channel_of", "column_key", "is_given", "is_signal", "signal_key", "signal_of"]

_COLUMNS, _SIGNAL = "columns:", "signal:"
_COLUMN_BYTES = 8 * 1024 * 1024
"""What is kept at full detail of a column that somebody chose: over five hours at 100 rows a second."""


def _since_before(values: NDArray[np.generic], before: NDArray[np.generic] | None) -> FloatArray:
    """Differences from row to row; 0 in the very first."""
    first = values[:1] if before is None else before[-1:]
    difference: FloatArray = np.diff(values, axis=0, prepend=first).astype(np.float64)
    return difference


def _force(impulse: Callable[[Rows], FloatArray], axes: slice) -> Callable[[Rows, Rows | None], FloatArray]:
    """Size of the mean force on every link since the row before, N."""

    def compute(rows: Rows, before: Rows | None) -> FloatArray:
        span = _since_before(rows.time, None if before is None else before.time)
        change = _since_before(impulse(rows), None if before is None else impulse(before))[:, :, axes]
        size = np.sqrt(np.einsum("kna,kna->kn", change, change))
        force: FloatArray = np.divide(size, span[:, None], out=np.zeros_like(size), where=span[:, None] > 0)
        return force

    return compute


def _joint(values: Callable[[Rows], FloatArray], scale: float) -> Callable[[Rows, Rows | None], FloatArray]:
    """Yaw of every joint, then pitch of every joint."""

    def compute(rows: Rows, before: Rows | None) -> FloatArray:
        both = values(rows)
        return np.concatenate([both[:, :, 0], both[:, :, 1]], axis=1) * scale

    return compute


def _link_names(pattern: str) -> Callable[[Schema], tuple[str, ...]]:
    return lambda schema: tuple(pattern.format(i + 1) for i in range(schema.n_links))


def _joint_names(ending: str) -> Callable[[Schema], tuple[str, ...]]:
    return lambda schema: tuple(
        f"joint_{i + 1}_{axis}_{ending}" for axis in ("yaw", "pitch") for i in range(schema.n_joints)
    )


def _mean(values: FloatArray, rows: Rows) -> FloatArray:
    """Mean over the mass of values (k, n, 3) of links or cross-sections, (k, 1, 3)."""
    shares = mass_shares(values.shape[1], rows.strain.shape[1] > 0)
    mean: FloatArray = np.einsum("n,kna->ka", shares, values)[:, None, :]
    return mean


def _speed(rows: Rows, before: Rows | None) -> FloatArray:
    velocity = rows.link_twist[:, :, :3]
    with_centre = np.concatenate([_mean(velocity, rows), velocity], axis=1)
    speed: FloatArray = np.sqrt(np.einsum("kna,kna->kn", with_centre, with_centre))
    return speed


def _speed_names(schema: Schema) -> tuple[str, ...]:
    return ("com_speed_mps", *(f"link_{i + 1}_speed_mps" for i in range(schema.n_links)))


def _position(rows: Rows, before: Rows | None) -> FloatArray:
    place = rows.link_pose[:, :, :3]
    with_centre = np.concatenate([_mean(place, rows), place], axis=1)
    return with_centre.reshape(len(place), -1)


def _position_names(schema: Schema) -> tuple[str, ...]:
    bodies = ["com", *(f"link_{i + 1}" for i in range(schema.n_links))]
    return tuple(f"{body}_{axis}_m" for body in bodies for axis in "xyz")


def _attitude(rows: Rows, before: Rows | None) -> FloatArray:
    """Roll, pitch and yaw of every link, degrees."""
    angles: FloatArray = np.degrees(roll_pitch_yaw(rows.link_pose[:, :, 3:])).reshape(len(rows.time), -1)
    return angles


def _attitude_names(schema: Schema) -> tuple[str, ...]:
    return tuple(f"link_{i + 1}_{axis}_deg" for i in range(schema.n_links) for axis in ("roll", "pitch", "yaw"))


def _control_angle_names(schema: Schema) -> tuple[str, ...]:
    return tuple(f"{name.removesuffix('_rad')}_deg" for name in schema.extra)


def _solver(rows: Rows, before: Rows | None) -> FloatArray:
    steps = _since_before(rows.steps, None if before is None else before.steps)
    iterations = _since_before(rows.solver_iterations, None if before is None else before.solver_iterations)
    mean = np.divide(iterations, steps, out=np.zeros_like(steps), where=steps > 0)
    residual = np.where(steps > 0, rows.solver_residual, np.nan)  # the first row has nothing to be worst of
    bad = _since_before(rows.solver_unconverged, None if before is None else before.solver_unconverged)
    return np.stack([residual, mean, bad], axis=1)


CHANNELS = {
    "obstacle_force": Channel(
        _link_names("link_{}_obstacle_force_n"),
        _force(lambda rows: rows.impulse_obstacle, slice(0, 3)),
        Fields.CONTACTS,
    ),
    # The ground's normal is z: what is left is friction.
    "ground_friction": Channel(
        _link_names("link_{}_ground_friction_n"), _force(lambda rows: rows.impulse_ground, slice(0, 2)), Fields.CONTACTS
    ),
    "ground_load": Channel(
        _link_names("link_{}_ground_load_n"), _force(lambda rows: rows.impulse_ground, slice(2, 3)), Fields.CONTACTS
    ),
    "contact_force": Channel(
        _link_names("link_{}_contact_force_n"),
        _force(lambda rows: rows.impulse_obstacle + rows.impulse_ground, slice(0, 3)),
        Fields.CONTACTS,
    ),
    "joint_angle": Channel(_joint_names("deg"), _joint(lambda rows: rows.joint_angle, 180 / np.pi), Fields.JOINTS),
    "joint_reference": Channel(
        _joint_names("ref_deg"), _joint(lambda rows: rows.joint_angle_ref, 180 / np.pi), Fields.REFERENCE
    ),
    "joint_torque": Channel(_joint_names("torque_nm"), _joint(lambda rows: rows.joint_torque, 1.0), Fields.TORQUE),
    "speed": Channel(_speed_names, _speed, Fields.TWIST),
    "position": Channel(_position_names, _position, Fields.POSE),
    "attitude": Channel(_attitude_names, _attitude, Fields.POSE),
    "solver": Channel(
        lambda schema: ("solver_residual", "solver_iterations", "solver_unconverged"), _solver, Fields.SOLVER
    ),
    "contacts": Channel(
        lambda schema: ("contacts_closed",),
        lambda rows, before: rows.contacts_closed[:, None].astype(np.float64),
        Fields.CONTACTS,
    ),
    "energy": Channel(
        lambda schema: tuple(f"{name}_j" if name.startswith("work") else f"energy_{name}_j" for name in schema.energy),
        lambda rows, before: rows.energy,
        Fields.ENERGY,
    ),
    **BODY_CHANNELS,
    "control": Channel(lambda schema: schema.extra, lambda rows, before: rows.extra, Fields.NONE),
    "control_angle": Channel(_control_angle_names, lambda rows, before: np.degrees(rows.extra), Fields.NONE),
}
"""All channels by name; "control" is what controllers and models add, "control_angle" its angles in degrees."""


def column_key(names: Sequence[str]) -> str:
    """Key of the channel that holds some columns of the CSV."""
    return _COLUMNS + ",".join(names)


def signal_key(name: str, text: str) -> str:
    """Key of a channel called `name` that an expression over the columns gives."""
    return f"{_SIGNAL}{name}={text}"


def is_signal(key: str) -> bool:
    """Whether a key is that of a derived channel."""
    return key.startswith(_SIGNAL)


@lru_cache(maxsize=1024)
def channel_of(key: str, schema: Schema) -> Channel:
    """The channel of a key: one of `CHANNELS`, columns of the CSV of recordings of a schema, or a derived one.

    A derived one (see `signal_of`) is not computed from rows alone, as filters look at rows around them.

    Raises
    ------
    KeyError
        If there is no such channel.
    """
    if not key.startswith((_COLUMNS, _SIGNAL)):
        return CHANNELS[key]
    if is_signal(key):
        name = key.removeprefix(_SIGNAL).partition("=")[0]
        return Channel(lambda schema: (name,), _not_by_rows, Fields.NONE, _COLUMN_BYTES)
    names = tuple(key.removeprefix(_COLUMNS).split(","))

    def compute(rows: Rows, before: Rows | None) -> FloatArray:
        return column_values(schema, rows, before, names)

    return Channel(lambda schema: names, compute, Fields.NONE, len(names) * _COLUMN_BYTES)


def is_given(key: str, schema: Schema) -> bool:
    """Whether recordings of a schema tell a channel: one over another run may be of another robot."""
    if key.startswith(_COLUMNS):
        return set(column_names(schema)).issuperset(key.removeprefix(_COLUMNS).split(","))
    return channel_of(key, schema).needs in schema.valid


def _not_by_rows(rows: Rows, before: Rows | None) -> FloatArray:
    raise TypeError("a derived channel is evaluated on a recording, see signal_of")


@lru_cache(maxsize=256)
def signal_of(key: str, schema: Schema, other: Schema | None = None) -> Signal | None:
    """The expression of a key; None of a channel that rows tell.

    Parameters
    ----------
    key : str
    schema : Schema
    other : Schema, optional
        Of the run that expressions call the other one.

    Raises
    ------
    SignalError
        If the run has no such columns, or the expression is wrong.
    """
    if not is_signal(key):
        return None
    from snakestudio.analysis.signals import compile_signal  # filters take long to import, and few runs need them

    text = key.removeprefix(_SIGNAL).partition("=")[2]
    return compile_signal(text, column_names(schema), () if other is None else column_names(other))
