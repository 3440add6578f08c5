"""States of all worlds of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.model import direction
from snakestudio.model.batch_contacts import NO_LINK, NOTHING, BatchContacts, BatchSolverStats
from snakestudio.model.renamed import warn_renamed
from snakestudio.model.snapshot import ContactState, Snapshot
from snakestudio.session.worlds import Worlds


class WorldRows:
    """Rows of the current states of all worlds, written when they are first needed.

    Parameters
    ----------
    worlds : Worlds
        Worlds that a batch steps.
    """

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        engines = worlds.engines
        schema = engines[0].schema
        n = len(engines)
        self._stale = np.ones(n, np.bool_)
        self._begin: IntArray = worlds.steps.copy()
        self._iterations: IntArray = np.zeros(n, np.int64)
        self.expired = np.ones(n, np.bool_)
        """Whether each state has been replaced since its interval began, (n,)."""
        self.shares: FloatArray = np.empty((n, schema.n_links))
        """Share of each link in the mass of its robot, (n, n_links)."""
        self.head_last: NDArray[np.bool_] = np.empty(n, np.bool_)
        """Whether the head of each robot is at the end of its last link, (n,)."""
        self.adopt(range(n))

    def adopt(self, worlds: Iterable[int]) -> None:
        """Adopt masses and heads of the robots of some worlds, whose engines have been replaced."""
        for world in worlds:
            schema = self.worlds.engines[world].schema
            self.shares[world] = schema.mass_shares
            self.head_last[world] = schema.head_last

    def expire(self, worlds: Iterable[int]) -> None:
        """Mark the rows of worlds whose states have been replaced as outdated, and end their intervals."""
        chosen = list(worlds)
        self._stale[chosen] = self.expired[chosen] = True
        self._begin[chosen] = self.worlds.steps[chosen]

    def begin(self, worlds: Sequence[int] | IntArray) -> None:
        """Begin the interval of contacts and solver statistics of some worlds, before their next steps."""
        chosen = np.asarray(worlds, np.int64)
        if not len(chosen):
            return
        self.worlds.begin_interval(chosen)
        self._begin[chosen] = self.worlds.steps[chosen]
        self._iterations[chosen] = self.worlds.rows.iterations[chosen]
        self._stale[chosen] = True
        self.expired[chosen] = False

    def outdate(self, worlds: Sequence[int]) -> None:
        """Mark the rows of worlds that take steps in their present interval as outdated."""
        self._stale[list(worlds)] = True

    def present(self) -> RowBuffers:
        """Return the rows of the current states; contacts are impulses since the interval began."""
        stale = np.flatnonzero(self._stale)
        if len(stale):
            self.worlds.write_rows(stale)
            self._stale[stale] = False
        return self.worlds.rows

    def _steps(self) -> IntArray:
        """Return the number of steps in the interval, (n,)."""
        return self.worlds.steps - self._begin

    def contacts(self) -> BatchContacts:
        """Return the contacts that carried load in the interval."""
        worlds = self.worlds
        if not worlds.compiled:
            states = [worlds.state_of(world, True) for world in range(len(worlds.engines))]
            return BatchContacts.of([state.contacts for state in states])
        steps = self._steps()
        rows = self.present()
        count = np.where(steps > 0, rows.contact_count, 0)
        k = count.max(initial=0)
        mask = np.arange(k) < count[:, None]
        step = worlds.engines[0].scene.solver.step_s
        span = np.where(steps > 0, steps * step, 1.0)[:, None, None]
        return BatchContacts(
            count=count.astype(np.int64),
            link=np.where(mask, rows.contact_link[:, :k], np.int32(NO_LINK)),
            other=np.where(mask, rows.contact_other[:, :k], np.int32(NOTHING)),
            point=np.where(mask[:, :, None], rows.contact_point[:, :k], 0.0),
            force_normal=np.where(mask[:, :, None], rows.contact_normal[:, :k] / span, 0.0),
            force_friction=np.where(mask[:, :, None], rows.contact_friction[:, :k] / span, 0.0),
            state=np.where(mask, rows.contact_state[:, :k], np.int32(ContactState.OPEN)),
        )

    def solver(self) -> BatchSolverStats:
        """Return the accuracy of the contact solver in the interval."""
        worlds = self.worlds
        if not worlds.compiled:
            stats = [worlds.state_of(world).solver for world in range(len(worlds.engines))]
            return BatchSolverStats(
                np.array([each.residual for each in stats]),
                np.array([each.iterations for each in stats]),
                np.array([each.unconverged for each in stats]),
            )
        steps = self._steps()
        rows = self.present()
        iterations = (rows.iterations - self._iterations) / np.maximum(steps, 1)
        return BatchSolverStats(
            np.where(steps > 0, rows.residual, 0.0),
            np.where(steps > 0, iterations, 0.0),
            rows.unconverged.copy(),
        )

    def snapshots(self, worlds: Sequence[int], contacts: bool = True) -> list[Snapshot]:
        """Return the current states of some worlds, with contacts of the interval if they are required."""
        if not self.worlds.compiled:
            return [self.worlds.state_of(world, contacts) for world in worlds]
        solver = self.solver()
        present = self.contacts() if contacts else None
        states = []
        for world in worlds:
            parts: dict[str, Any] = {"solver": solver[world]}
            if present is not None:
                valid = self.worlds.engines[world].schema.valid
                parts |= {"contacts": present[world], "valid": valid}
            states.append(replace(self.worlds.state_of(world), **parts))
        return states

    def interval(self, world: int) -> tuple[int, int]:
        """Return the number of steps, and of solver iterations, at the start of the interval of a world."""
        return self._begin[world].item(), self._iterations[world].item()

    def continue_interval(self, world: int, interval: tuple[int, int]) -> None:
        """Continue the `interval` of a world whose state has been restored."""
        self._begin[world], self._iterations[world] = interval
        self.expired[world] = False


class BatchState:
    """Current states of all worlds of a batch, as arrays with the world as the first index.

    Values are computed when they are read. Arrays are views of the batch's memory, which the first
    read after the next step overwrites; copy them to keep them. Frame and order of links and axes
    are those of the scene.
    """

    def __init__(
        self, rows: WorldRows, energies: tuple[str, ...], chosen: IntArray | None = None
    ) -> None:
        self._rows = rows
        self._energies = energies
        self._chosen = chosen  # indices of the worlds; None for all

    def __repr__(self) -> str:
        return f"<State of {len(self.ok)} worlds: {np.count_nonzero(~self.ok)} failed>"

    def _of_chosen(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the worlds of this state, from those of all worlds."""
        return values if self._chosen is None else values[self._chosen]

    def _field(self, name: str) -> NDArray[Any]:
        view: NDArray[Any] = self._of_chosen(getattr(self._rows.present(), name)).view()
        view.flags.writeable = False
        return view

    @property
    def _head_last(self) -> NDArray[np.bool_]:
        return self._of_chosen(self._rows.head_last)

    def _over_mass(self, values: FloatArray) -> FloatArray:
        """Return the mass-weighted mean of the first three values of all links."""
        shares = self._of_chosen(self._rows.shares)
        mean: FloatArray = np.einsum("kl,klx->kx", shares, values[:, :, :3])
        return mean

    @property
    def time(self) -> FloatArray:
        """Simulated time of each world, (n,), s."""
        worlds = self._rows.worlds
        return self._of_chosen(worlds.steps * worlds.engines[0].scene.solver.step_s)

    @property
    def step_count(self) -> IntArray:
        """Number of steps taken by each world, (n,)."""
        return self._of_chosen(self._rows.worlds.steps).copy()

    @property
    def ok(self) -> NDArray[np.bool_]:
        """True for each world that has not failed, (n,)."""
        worlds = self._rows.worlds
        ok = np.ones(len(worlds.engines), np.bool_)
        ok[list(worlds.failures)] = False
        return self._of_chosen(ok)

    @property
    def link_pose(self) -> FloatArray:
        """Centre of gravity (m) and unit quaternion w x y z of each link or cross-section, (n, n_links, 7)."""
        return self._field("link_pose")

    @property
    def link_twist(self) -> FloatArray:
        """Velocity (m/s) and angular velocity (rad/s) of each link, world frame, (n, n_links, 6)."""
        return self._field("link_twist")

    @property
    def joint_angle(self) -> FloatArray:
        """Angles of the joint axes, (n, m), rad."""
        return self._field("joint_angle")

    @property
    def joint_rate(self) -> FloatArray:
        """Rates of the joint axes, (n, m), rad/s."""
        return self._field("joint_rate")

    @property
    def joint_angle_ref(self) -> FloatArray:
        """Reference angles of the joint axes, (n, m), rad; NaN under torques; a new array."""
        return self._of_chosen(self._rows.worlds.references()[0])

    @property
    def joint_rate_ref(self) -> FloatArray:
        """Reference rates of the joint axes, (n, m), rad/s; NaN under torques; a new array."""
        return self._of_chosen(self._rows.worlds.references()[1])

    @property
    def joint_torque(self) -> FloatArray:
        """Mean motor torques over the last step, (n, m), N m; positive torque increases the angle."""
        return self._field("joint_torque")

    @property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass of each robot, world frame, (n, 3), m; a new array."""
        return self._over_mass(self.link_pose)

    @property
    def centre_of_mass_velocity(self) -> FloatArray:
        """Velocity of each centre of mass, world frame, (n, 3), m/s; a new array."""
        return self._over_mass(self.link_twist)

    @property
    def com(self) -> FloatArray:
        """Former name of `centre_of_mass`."""
        warn_renamed("com", "centre_of_mass")
        return self.centre_of_mass

    @property
    def com_velocity(self) -> FloatArray:
        """Former name of `centre_of_mass_velocity`."""
        warn_renamed("com_velocity", "centre_of_mass_velocity")
        return self.centre_of_mass_velocity

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in ("com", "com_velocity")]

    @property
    def head(self) -> IntArray:
        """0-based index of the head link in each world, (n,)."""
        return np.where(self._head_last, self._rows.shares.shape[1] - 1, 0)

    @property
    def turn_sign(self) -> FloatArray:
        """Sign of the yaw angles of joints that bend the front of each robot to the left, 1 or -1, (n,)."""
        return np.where(self._head_last, direction.ahead(True), direction.ahead(False))

    @property
    def forward(self) -> FloatArray:
        """Direction from tail to head: mean of those of the links, world frame, (n, 3) unit vectors.

        NaN if the mean is 0, as for links that form a closed ring.
        """
        return direction.forward(self.link_pose, True) * self.turn_sign[:, None]

    @property
    def heading(self) -> FloatArray:
        """Heading of each robot: angle of `forward` about z from the x axis, (n,), rad in (-pi, pi]."""
        return direction.heading(self.forward)

    @property
    def head_heading(self) -> FloatArray:
        """Heading of each head link, (n,), rad in (-pi, pi]."""
        headings: FloatArray = self.link_heading[np.arange(len(self.head)), self.head]
        return headings

    @property
    def link_heading(self) -> FloatArray:
        """Heading of each link's direction towards the head, (n, n_links), rad in (-pi, pi]."""
        axes = direction.link_axes(self.link_pose, True) * self.turn_sign[:, None, None]
        return direction.heading(axes)

    @property
    def link_yaw(self) -> FloatArray:
        """Heading of each link's x axis, which points to the next link, (n, n_links), rad in (-pi, pi]."""
        return direction.link_yaw(self.link_pose)

    @property
    def link_obstacle_force(self) -> FloatArray:
        """Mean force of the obstacles on each link, (n, n_links, 3), N, over the interval of `contacts`.

        Components along the link (forward), across it (to its left), and up.
        """
        n_links = self._rows.shares.shape[1]
        return self._in_link_frames(self.contacts.force_of_obstacles(n_links))

    @property
    def link_ground_force(self) -> FloatArray:
        """Mean force of the ground on each link, (n, n_links, 3), N; as `link_obstacle_force`."""
        n_links = self._rows.shares.shape[1]
        return self._in_link_frames(self.contacts.force_of_ground(n_links))

    def _in_link_frames(self, force: FloatArray) -> FloatArray:
        turned = direction.in_link_frames(force, self.link_pose, True)
        turned[..., :2] *= self.turn_sign[:, None, None]
        return turned

    @property
    def contacts(self) -> BatchContacts:
        """Contacts that carried load in the last call of `Batch.step`; forces (N) are means over the call.

        Under a closed-loop controller of the scene they are means over its current control period.
        There are none before the first call, and after `reset`. New arrays.
        """
        contacts = self._rows.contacts()
        return contacts if self._chosen is None else contacts.of_worlds(self._chosen)

    @property
    def solver(self) -> BatchSolverStats:
        """Accuracy of the contact solver in the interval of `contacts`; new arrays."""
        solver = self._rows.solver()
        return solver if self._chosen is None else solver.of_worlds(self._chosen)

    def copy(self) -> tuple[Snapshot, ...]:
        """Return the current state of each world with its own arrays, as that of a single simulation."""
        n = len(self._rows.worlds.engines)
        return tuple(
            self._rows.snapshots(range(n) if self._chosen is None else self._chosen.tolist())
        )

    @property
    def energy(self) -> dict[str, FloatArray]:
        """Energies, and works since the start, by name, J; each an array of shape (n,)."""
        table = self._field("energy")
        return {name: table[:, column] for column, name in enumerate(self._energies)}

    @property
    def impulse_ground(self) -> FloatArray:
        """Impulses of the ground on each link since the start, (n, n_links, 3), N s."""
        return self._field("impulse_ground")

    @property
    def impulse_obstacle(self) -> FloatArray:
        """Impulses of all obstacles on each link since the start, (n, n_links, 3), N s."""
        return self._field("impulse_obstacle")

    @property
    def contacts_closed(self) -> NDArray[np.int32]:
        """Number of closed contacts in the last step, (n,)."""
        return self._field("contacts_closed")

    @property
    def unconverged(self) -> IntArray:
        """Number of steps since the start with a residual above 1e-8, (n,)."""
        return self._field("unconverged")
