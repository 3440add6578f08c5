"""States of all worlds of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.model import direction
from snakestudio.model.renamed import warn_renamed
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
        self._rows: RowBuffers | None = None
        self._impulses: FloatArray = np.zeros((2, n, schema.n_links, 3))
        self._steps: IntArray = worlds.steps.copy()
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
        """Mark the rows as outdated, and forget the last call of `Batch.step` in some worlds."""
        self._rows = None
        chosen = list(worlds)
        self._steps[chosen] = self.worlds.steps[chosen]

    def begin_call(self) -> None:
        """Note the impulses at the start of a call of `Batch.step`, and mark the rows as outdated."""
        rows = self.present()
        self._impulses[0] = rows.impulse_obstacle
        self._impulses[1] = rows.impulse_ground
        self._steps[:] = self.worlds.steps
        self._rows = None

    def present(self) -> RowBuffers:
        """Return the rows of the current states."""
        if self._rows is None:
            self._rows = self.worlds.write_rows()
        return self._rows

    def mean_forces(self) -> tuple[FloatArray, FloatArray]:
        """Mean forces of obstacles and of the ground over the last call, each (n, n_links, 3), N."""
        rows = self.present()
        step = self.worlds.engines[0].scene.solver.step_s
        span = ((self.worlds.steps - self._steps) * step)[:, None, None]
        obstacle, ground = (
            np.divide(now - before, span, out=np.zeros_like(before), where=span > 0.0)
            for now, before in zip(
                (rows.impulse_obstacle, rows.impulse_ground), self._impulses, strict=True
            )
        )
        return obstacle, ground


class BatchState:
    """Current states of all worlds of a batch, as arrays with the world as the first index.

    Values are computed when they are read. Arrays are views of the batch's memory, which the first
    read after the next step overwrites; copy them to keep them. Frame and order of links and
    axes are
    those of the scene.
    """

    def __init__(self, rows: WorldRows, energies: tuple[str, ...]) -> None:
        self._rows = rows
        self._energies = energies

    def __repr__(self) -> str:
        worlds = self._rows.worlds
        return f"<State of {len(worlds.engines)} worlds: {len(worlds.failures)} failed>"

    def _field(self, name: str) -> NDArray[Any]:
        view: NDArray[Any] = getattr(self._rows.present(), name).view()
        view.flags.writeable = False
        return view

    def _over_mass(self, values: FloatArray) -> FloatArray:
        """Mass-weighted mean of the first three values of all links."""
        mean: FloatArray = np.einsum("kl,klx->kx", self._rows.shares, values[:, :, :3])
        return mean

    @property
    def time(self) -> FloatArray:
        """Simulated time of each world, (n,), s."""
        worlds = self._rows.worlds
        return np.asarray(worlds.steps * worlds.engines[0].scene.solver.step_s, np.float64)

    @property
    def step_count(self) -> IntArray:
        """Number of steps taken by each world, (n,)."""
        return self._rows.worlds.steps.copy()

    @property
    def ok(self) -> NDArray[np.bool_]:
        """True for each world that has not failed, (n,)."""
        worlds = self._rows.worlds
        ok = np.ones(len(worlds.engines), np.bool_)
        ok[list(worlds.failures)] = False
        return ok

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
        return np.where(self._rows.head_last, self._rows.shares.shape[1] - 1, 0)

    @property
    def turn_sign(self) -> FloatArray:
        """Sign of the yaw angles of joints that bend the front of each robot to the left, 1 or -1, (n,)."""
        return np.where(self._rows.head_last, direction.ahead(True), direction.ahead(False))

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
        headings: FloatArray = self.link_heading[np.arange(len(self._rows.head_last)), self.head]
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
        """Mean force of the obstacles on each link over the last call of `Batch.step`, (n, n_links, 3), N.

        Components along the link (forward), across it (to its left), and up. 0 before the first
        call, and after `reset` and `restore`.
        """
        return self._in_link_frames(self._rows.mean_forces()[0])

    @property
    def link_ground_force(self) -> FloatArray:
        """Mean force of the ground on each link, (n, n_links, 3), N; as `link_obstacle_force`."""
        return self._in_link_frames(self._rows.mean_forces()[1])

    def _in_link_frames(self, force: FloatArray) -> FloatArray:
        turned = direction.in_link_frames(force, self.link_pose, True)
        turned[..., :2] *= self.turn_sign[:, None, None]
        return turned

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
