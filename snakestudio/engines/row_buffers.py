"""Buffers for the rows of a recording while a kernel fills them, the same for all engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.model.recording import ContactRows, Rows

# Entries behind X, Y, Z: of a pose's quaternion, and of a planar twist.
QUAT_W, QUAT_X, QUAT_Y, QUAT_Z = range(3, 7)
TURN_Z = 5
# Axes of a joint.
YAW, PITCH = range(2)
# Columns of all energy ledgers; works follow.
KINETIC, POTENTIAL, WORKS = range(3)
# Entries of a planar joint reference.
ANGLE, RATE = range(2)
# Intervals of separate sums in the states of engines: since the last row, and since the beginning
# of the call.
ROW, CALL = range(2)
# Entries of contact keys in these states.
LINK, BODY, FEATURE = range(3)


class RowBuffers(NamedTuple):
    """Buffers of rows: fields as in `Rows`, contacts as in `ContactRows`; `filled` counts rows and contacts."""

    link_pose: FloatArray
    link_twist: FloatArray
    joint_angle: FloatArray
    joint_rate: FloatArray
    joint_angle_ref: FloatArray
    joint_rate_ref: FloatArray
    joint_torque: FloatArray
    energy: FloatArray
    impulse_obstacle: FloatArray
    impulse_ground: FloatArray
    contacts_closed: NDArray[np.int32]
    residual: FloatArray
    iterations: IntArray
    unconverged: IntArray
    steps: IntArray
    contact_count: NDArray[np.int32]
    contact_link: NDArray[np.int32]
    contact_other: NDArray[np.int32]
    contact_state: NDArray[np.int32]
    contact_point: FloatArray
    contact_normal: FloatArray
    contact_friction: FloatArray
    filled: IntArray


def make_row_buffers(n_rows: int, n: int, n_energy: int, contacts: int, axes: int) -> RowBuffers:
    """Return buffers for `n_rows` rows of `n` links, `axes` joint axes, `n_energy` energies, `contacts` contacts."""
    k, m, c = n_rows, axes, contacts
    integer = np.int32
    return RowBuffers(
        link_pose=np.zeros((k, n, 7)),
        link_twist=np.zeros((k, n, 6)),
        joint_angle=np.zeros((k, m)),
        joint_rate=np.zeros((k, m)),
        joint_angle_ref=np.zeros((k, m)),
        joint_rate_ref=np.zeros((k, m)),
        joint_torque=np.zeros((k, m)),
        impulse_obstacle=np.zeros((k, n, 3)),
        impulse_ground=np.zeros((k, n, 3)),
        contacts_closed=np.zeros(k, integer),
        energy=np.zeros((k, n_energy)),
        residual=np.zeros(k),
        iterations=np.zeros(k, np.int64),
        unconverged=np.zeros(k, np.int64),
        steps=np.zeros(k, np.int64),
        contact_count=np.zeros(k, integer),
        contact_link=np.zeros(c, integer),
        contact_other=np.zeros(c, integer),
        contact_state=np.zeros(c, integer),
        contact_point=np.zeros((c, 3)),
        contact_normal=np.zeros((c, 3)),
        contact_friction=np.zeros((c, 3)),
        filled=np.zeros(2, np.int64),
    )


def more_contacts(rows: RowBuffers) -> RowBuffers:
    """Return a copy of `rows` with space for twice as many contacts."""
    names = (
        "contact_link",
        "contact_other",
        "contact_state",
        "contact_point",
        "contact_normal",
        "contact_friction",
    )
    longer: dict[str, NDArray[Any]] = {}
    for name in names:
        old = getattr(rows, name)
        new = np.zeros((2 * len(old) + 16, *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        longer[name] = new
    return rows._replace(**longer)


def filled_rows(buffers: RowBuffers, dt: float, since: tuple[int, ...] = (0, 0)) -> Rows:
    """Return the rows that a kernel has filled, without copying.

    Parameters
    ----------
    dt : float
        Time step, s.
    since : (int, int)
        Value of `buffers.filled` before the first of these rows.
    """
    filled, touched = buffers.filled.tolist()
    rows = slice(since[0], filled)
    contacts = slice(since[1], touched)
    k = filled - since[0]
    return Rows(
        time=np.asarray(buffers.steps[rows] * dt, dtype=np.float64),
        link_pose=buffers.link_pose[rows],
        link_twist=buffers.link_twist[rows],
        joint_angle=buffers.joint_angle[rows],
        joint_rate=buffers.joint_rate[rows],
        joint_angle_ref=buffers.joint_angle_ref[rows],
        joint_rate_ref=buffers.joint_rate_ref[rows],
        joint_torque=buffers.joint_torque[rows],
        impulse_obstacle=buffers.impulse_obstacle[rows],
        impulse_ground=buffers.impulse_ground[rows],
        contacts_closed=buffers.contacts_closed[rows],
        energy=buffers.energy[rows],
        solver_residual=buffers.residual[rows],
        solver_iterations=buffers.iterations[rows],
        solver_unconverged=buffers.unconverged[rows],
        steps=buffers.steps[rows],
        extra=np.zeros((k, 0)),
        strain=np.zeros((k, 0, 6)),
        wrench=np.zeros((k, 0, 6)),
        hold=np.zeros((k, 0, 14)),
        contacts=ContactRows(
            count=buffers.contact_count[rows],
            link=buffers.contact_link[contacts],
            other=buffers.contact_other[contacts],
            state=buffers.contact_state[contacts],
            point=buffers.contact_point[contacts],
            impulse_normal=buffers.contact_normal[contacts],
            impulse_friction=buffers.contact_friction[contacts],
        ),
    )


class RowWriter(Protocol):
    """Interface of an engine whose rows are collected."""

    def row_buffers(self, n_rows: int) -> Any:
        """Return buffers for `n_rows` rows: a NamedTuple with the fields of `RowBuffers`."""
        ...

    def rows_in(self, buffers: Any, since: tuple[int, ...]) -> Rows:
        """Return the rows in buffers that were filled after `since`, a value of `filled`, without copying."""
        ...


class RowCollector:
    """Rows that an engine writes for a caller, until the caller removes them.

    Handling rows one by one takes as long as computing them; therefore the buffers belong to the
    caller, who removes the rows of many calls together.

    Parameters
    ----------
    due : sequence of int
        See `due`.
    """

    def __init__(self, due: Sequence[int] | IntArray = ()) -> None:
        self.due = due
        """Ascending step counts, since the start of the run, after which the next call of
        `Engine.advance` writes rows."""
        self.buffers: Any = None
        """Buffers that are being filled; None before the first row."""
        self._writer: RowWriter
        self._since: tuple[int, ...] = (0, 0)  # value of `filled` before the first row
        self._parts: list[Rows] = []  # rows before those in the buffers

    @property
    def count(self) -> int:
        """Number of rows."""
        n_rows = sum(map(len, self._parts)) if self._parts else 0
        if self.buffers is not None:
            n_rows += self.buffers.filled.item(0) - self._since[0]
        return n_rows

    @property
    def last_step(self) -> int:
        """Step count of the last row; there must be one."""
        if self.buffers is not None and (filled := self.buffers.filled.item(0)) > self._since[0]:
            return int(self.buffers.steps[filled - 1])
        return int(self._parts[-1].steps[-1])

    def add(self, rows: Rows) -> None:
        """Add rows that are not in the buffers."""
        self._detach()
        self._parts.append(rows)

    def reserve(self, n_rows: int, contacts: int, writer: RowWriter, block: int) -> None:
        """Provide space for so many more rows and contacts; rows that are already filled are not changed.

        From the second time on, at least `block` rows are allocated together.
        """
        buffers = self.buffers
        if buffers is not None:
            filled, touched = buffers.filled.tolist()
            if filled + n_rows <= len(buffers.steps) and touched + contacts <= len(
                buffers.contact_link
            ):
                return
            n_rows = max(n_rows, block)
        self._detach()
        self._writer = writer
        self.buffers = writer.row_buffers(n_rows)
        self._since = (0, 0)

    def grow_contacts(self) -> None:
        """Provide space for twice as many contacts."""
        self.buffers = more_contacts(self.buffers)

    def pop(self) -> Rows | None:
        """Remove and return all rows; None if there are none."""
        self._detach()
        parts = self._parts
        self._parts = []
        return Rows.concatenate(parts) if parts else None

    def _detach(self) -> None:
        """Move the rows in the buffers to the parts."""
        if self.buffers is not None and self.buffers.filled.item(0) > self._since[0]:
            self._parts.append(self._writer.rows_in(self.buffers, self._since))
            self._since = tuple(self.buffers.filled.tolist())
