"""States of all worlds of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from snakestudio.api.batch import Batch


class BatchState:
    """Current states of all worlds of a batch, as arrays with the world as the first index.

    Values are computed when they are read. Arrays are views of the batch's memory, which the first
    read after the next step overwrites; copy them to keep them. Frame and order of links and
    axes are
    those of the scene.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._worlds = batch._worlds
        self._rows: Any = None
        self._shares: FloatArray = np.empty((batch.n, self._worlds.engines[0].schema.n_links))
        self.weigh(range(batch.n))

    def weigh(self, worlds: Iterable[int]) -> None:
        """Update the masses of the links of some worlds."""
        for world in worlds:
            self._shares[world] = self._worlds.engines[world].schema.mass_shares

    def expire(self) -> None:
        """Mark the states as outdated, so that the next read recomputes them."""
        self._rows = None

    def _field(self, name: str) -> NDArray[Any]:
        if self._rows is None:
            self._rows = self._worlds.write_rows()
        view: NDArray[Any] = getattr(self._rows, name).view()
        view.flags.writeable = False
        return view

    def _over_mass(self, values: FloatArray) -> FloatArray:
        """Mass-weighted mean of the first three values of all links."""
        mean: FloatArray = np.einsum("kl,klx->kx", self._shares, values[:, :, :3])
        return mean

    @property
    def time(self) -> FloatArray:
        """Simulated time of each world, (n,), s."""
        return np.asarray(
            self._worlds.steps * self._worlds.engines[0].scene.solver.step_s, np.float64
        )

    @property
    def step_count(self) -> IntArray:
        """Number of steps taken by each world, (n,)."""
        return self._worlds.steps.copy()

    @property
    def ok(self) -> NDArray[np.bool_]:
        """True for each world that has not failed, (n,)."""
        ok = np.ones(self._batch.n, np.bool_)
        ok[list(self._worlds.failures)] = False
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
    def com(self) -> FloatArray:
        """Centre of mass of the robot, (n, 3), m."""
        return self._over_mass(self.link_pose)

    @property
    def com_velocity(self) -> FloatArray:
        """Velocity of the centre of mass, (n, 3), m/s."""
        return self._over_mass(self.link_twist)

    @property
    def energy(self) -> dict[str, FloatArray]:
        """Energies, and works since the start, by name, J; each an array of shape (n,)."""
        table = self._field("energy")
        return {name: table[:, column] for column, name in enumerate(self._batch.energies)}

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
