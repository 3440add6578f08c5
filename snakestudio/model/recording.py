"""Recording: the rows of a run, with one interface for rows in memory, on disk or from a robot.

A row contains the state at its time, and accumulated quantities (impulses, work, iterations) as sums
since the start of the run. The mean over any interval is therefore a difference, regardless of the
rows in between, and an impact between two rows is neither lost nor turned into a spike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, Int32Array
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.field_docs import with_field_docs
from snakestudio.model.pull import Pull
from snakestudio.model.robot.robot import Axis
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import (
    BodyFields,
    Contacts,
    Fields,
    Snapshot,
    SolverStats,
    mass_shares,
)

HOLD_COLUMNS = (
    "active",
    "abscissa_m",
    "x_m",
    "y_m",
    "z_m",
    "ax",
    "ay",
    "az",
    *(f"f{a}_n" for a in "xyz"),
    *(f"m{a}_nm" for a in "xyz"),
)
"""Columns of `Rows.hold`: whether it holds (1 or 0), and the fields of `BodyFields`, world frame."""


@with_field_docs
@dataclass(frozen=True, slots=True)
class Schema:
    """Description of the rows of a recording."""

    n_links: int
    """Number of links, or of sampled cross-sections."""

    axes: tuple[Axis, ...]
    """Joint axes in the order of the columns of joint values; () for a continuous body."""

    energy: tuple[str, ...]
    """Names of the columns of `Rows.energy`."""

    extra: tuple[str, ...] = ()
    """Names of the columns of `Rows.extra`, each with a unit suffix: additions of controllers and
    models."""

    valid: Fields = Fields.ALL
    """Fields that the source fills."""

    sections: tuple[float, ...] = ()
    """Material abscissas of the cross-sections that take the place of links, m; () for a robot with
    links."""

    n_holds: int = 0
    """Number of anchors or supports of a continuous body."""

    head: int = 0
    """0-based index of the link (or cross-section) that is the head."""

    head_last: bool = False
    """Whether the head is at the end of the last link; see `direction`."""

    link_shares: tuple[float, ...] = ()
    """Share of each link in the mass of the robot; () if all have the same mass, and for a continuous
    body."""

    @property
    def mass_shares(self) -> FloatArray:
        """Share of the mass for each link, or sampled cross-section, (n,)."""
        return mass_shares(self.n_links, bool(self.sections), self.link_shares)

    @property
    def n_joints(self) -> int:
        """Number of joints."""
        return 0 if self.sections else self.n_links - 1


@with_field_docs
@dataclass(frozen=True, slots=True)
class ContactRows:
    """Contacts of k rows, concatenated; row i has ``count[i]`` of them."""

    count: Int32Array
    """Number of contacts of each row. Shape (k,)."""

    link: Int32Array
    """Index of the link, as in `Contacts`; m is the sum of `count`. Shape (m,)."""

    other: Int32Array
    """What the link touches, as in `Contacts`. Shape (m,)."""

    state: Int32Array
    """`ContactState` at the time of the row. Shape (m,)."""

    point: FloatArray
    """Contact point, world frame, m. Shape (m, 3)."""

    impulse_normal: FloatArray
    """Normal impulse on the link since the previous row, world frame, N s. Shape (m, 3)."""

    impulse_friction: FloatArray
    """Friction impulse on the link since the previous row, world frame, N s. Shape (m, 3)."""

    @classmethod
    def none(cls, n_rows: int) -> ContactRows:
        """Return the empty contacts for `n_rows` rows."""
        empty = np.zeros(0, np.int32)
        return cls(
            np.zeros(n_rows, np.int32),
            empty,
            empty,
            empty,
            np.zeros((0, 3)),
            np.zeros((0, 3)),
            np.zeros((0, 3)),
        )

    def slice(self, start: int, stop: int) -> ContactRows:
        """Return the contacts of rows start to stop."""
        offset = np.concatenate([[0], np.cumsum(self.count)])
        part = slice(int(offset[start]), int(offset[stop]))
        return ContactRows(
            self.count[start:stop],
            self.link[part],
            self.other[part],
            self.state[part],
            self.point[part],
            self.impulse_normal[part],
            self.impulse_friction[part],
        )


@with_field_docs
@dataclass(frozen=True, slots=True)
class Rows:
    """k rows of a run; see `Snapshot` for the frames and signs."""

    time: FloatArray
    """Simulated time, s."""

    link_pose: FloatArray
    """Centre of gravity (m) and unit quaternion w x y z of each link. Shape (k, n, 7)."""

    link_twist: FloatArray
    """Velocity (m/s) and angular velocity (rad/s) of each link. Shape (k, n, 6)."""

    joint_angle: FloatArray
    """Angles of the joint axes of the schema, rad. Shape (k, m)."""

    joint_rate: FloatArray
    """Rates of the joint axes, rad/s. Shape (k, m)."""

    joint_angle_ref: FloatArray
    """Reference angles, rad. Shape (k, m)."""

    joint_rate_ref: FloatArray
    """Reference rates, rad/s. Shape (k, m)."""

    joint_torque: FloatArray
    """Motor torques, N m. Shape (k, m)."""

    impulse_obstacle: FloatArray
    """Impulse of all obstacles on each link since the start of the run, N s. Shape (k, n, 3)."""

    impulse_ground: FloatArray
    """Impulse of the ground on each link since the start of the run, normal and friction, N s. Shape (k, n, 3)."""

    contacts_closed: Int32Array
    """Number of closed contacts at that time."""

    energy: FloatArray
    """Energies, J, in columns named by the schema; work is cumulative."""

    solver_residual: FloatArray
    """Largest residual since the previous row."""

    solver_iterations: NDArray[np.int64]
    """Iterations of the contact solver since the start of the run. Shape (k,)."""

    solver_unconverged: NDArray[np.int64]
    """Steps since the start of the run whose contact problem did not converge. Shape (k,)."""

    steps: NDArray[np.int64]
    """Steps since the start of the run. Shape (k,)."""

    extra: FloatArray
    """Additional columns named by the schema."""

    strain: FloatArray
    """Strains of the cross-sections of a continuous body, as in `BodyFields`. Shape (k, n, 6); (k, 0, 6) for links."""

    wrench: FloatArray
    """Internal wrenches of the cross-sections, as in `BodyFields`. Shape (k, n, 6); (k, 0, 6) for links."""

    hold: FloatArray
    """Anchors and supports of a continuous body at that time; see `HOLD_COLUMNS`."""

    contacts: ContactRows
    """Contacts since the previous row."""

    def __len__(self) -> int:
        return len(self.time)

    def slice(self, start: int, stop: int) -> Rows:
        """Return rows start to stop (views, no copies)."""
        columns = {name: getattr(self, name)[start:stop] for name in _COLUMNS}
        return Rows(**columns, contacts=self.contacts.slice(start, stop))

    @staticmethod
    def concatenate(parts: list[Rows]) -> Rows:
        """Concatenate rows.

        Raises `ValueError` if `parts` is empty.
        """
        if len(parts) == 1:
            return parts[0]
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS
        }
        contacts = ContactRows(
            *(
                np.concatenate([getattr(part.contacts, f.name) for part in parts])
                for f in fields(ContactRows)
            )
        )
        return Rows(**columns, contacts=contacts)


_COLUMNS = tuple(f.name for f in fields(Rows) if f.name != "contacts")


class Recording(Protocol):
    """Rows of a run. Reading while a run appends is safe: existing rows do not change.

    Attributes
    ----------
    scene : Scene
        The scene at the start of the run.
    """

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        ...

    @property
    def schema(self) -> Schema:
        """Description of the rows."""
        ...

    @property
    def times(self) -> FloatArray:
        """Times of all rows so far, s, ascending (a view: read-only)."""
        ...

    @property
    def changes(self) -> tuple[Change, ...]:
        """Scene values that changed during the run, sorted by time."""
        ...

    @property
    def pulls(self) -> Sequence[Pull]:
        """Hand wrenches on the robot, sorted by time (read-only)."""
        ...

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Notable moments, in the order in which they were recorded."""
        ...

    def scene_at(self, time: float) -> Scene:
        """Return the scene at `time`: obstacles can move during the run."""
        ...

    def __len__(self) -> int:
        """Number of rows so far."""
        ...

    def rows(self, start: int, stop: int) -> Rows:
        """Return rows start to stop."""
        ...

    def chunks(self) -> Iterator[Rows]:
        """Return all rows so far, in order, in pieces that fit in memory."""
        ...

    def snapshot(self, index: int) -> Snapshot:
        """Return the row `index` as a Snapshot; contact forces are means since the previous row."""
        ...

    def index_at(self, time: float) -> int:
        """Return the index of the row nearest to `time`."""
        ...


def snapshot_from_rows(rows: Rows, index: int, schema: Schema) -> Snapshot:
    """Row `index` as a Snapshot; contact forces are means since the previous row, which must be in `rows`."""
    before = max(index - 1, 0)
    span = float(rows.time[index] - rows.time[before])
    steps = int(rows.steps[index] - rows.steps[before])
    contacts = Contacts.none()
    if span > 0:
        part = rows.contacts.slice(index, index + 1)
        contacts = Contacts(
            part.link,
            part.other,
            part.point,
            part.impulse_normal / span,
            part.impulse_friction / span,
            part.state,
        )
    body = None
    if schema.sections:
        hold = rows.hold[index]
        body = BodyFields(
            np.array(schema.sections),
            rows.strain[index],
            rows.wrench[index],
            hold[:, 0] > 0.5,
            hold[:, 1],
            hold[:, 2:5],
            hold[:, 5:8],
            hold[:, 8:11],
            hold[:, 11:14],
        )
    return Snapshot(
        time=float(rows.time[index]),
        link_pose=rows.link_pose[index],
        link_twist=rows.link_twist[index],
        joint_angle=rows.joint_angle[index],
        joint_rate=rows.joint_rate[index],
        joint_angle_ref=rows.joint_angle_ref[index],
        joint_rate_ref=rows.joint_rate_ref[index],
        joint_torque=rows.joint_torque[index],
        contacts=contacts,
        energy=dict(zip(schema.energy, (float(e) for e in rows.energy[index]), strict=True)),
        solver=SolverStats(
            float(rows.solver_residual[index]),
            float(rows.solver_iterations[index] - rows.solver_iterations[before]) / steps
            if steps
            else 0.0,
            int(rows.solver_unconverged[index]),
        ),
        control=dict(zip(schema.extra, (float(x) for x in rows.extra[index]), strict=True)),
        body=body,
        mass_shares=schema.mass_shares,
        head_last=schema.head_last,
        valid=schema.valid,
    )
