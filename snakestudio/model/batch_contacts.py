"""Contacts and solver accuracy of all worlds of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, Int32Array, IntArray
from snakestudio.model.field_docs import with_field_docs
from snakestudio.model.snapshot import GROUND, Contacts, SolverStats

NO_LINK = -1
"""`BatchContacts.link` behind the contacts of a world."""

NOTHING = -3
"""`BatchContacts.other` behind the contacts of a world."""


@with_field_docs
@dataclass(frozen=True, slots=True)
class BatchContacts:
    """Contacts of all n worlds that carried load in an interval: k, the largest number in a world, of each.

    World w has `count[w]` contacts, which come first; `mask` is True for them. Behind them, `link` is
    -1, `other` is -3, and all other values are 0. Frames and signs are those of `Contacts`, and
    ``contacts[w]`` are the contacts of world w.
    """

    count: IntArray
    """Number of contacts of each world. Shape (n,)."""

    link: Int32Array
    """Index of the link, counted from 0. Shape (n, k)."""

    other: Int32Array
    """What the link touches: the index of the obstacle, counted from 0; -1 for the ground; -2 for an
    anchor or a support of a continuous body. Shape (n, k)."""

    point: FloatArray
    """Contact point, world frame, m. Shape (n, k, 3)."""

    force_normal: FloatArray
    """Normal force on the link, mean over the interval, world frame, N. Shape (n, k, 3)."""

    force_friction: FloatArray
    """Friction force on the link, mean over the interval, world frame, N. Shape (n, k, 3)."""

    state: Int32Array
    """`ContactState` at the end of the interval: 0 open, 1 sticking, 2 slipping. Shape (n, k)."""

    @classmethod
    def of(cls, worlds: Sequence[Contacts]) -> BatchContacts:
        """Return the contacts of several worlds in common arrays."""
        n = len(worlds)
        count = np.array([len(contacts) for contacts in worlds], np.int64)
        k = count.max(initial=0)
        joined = cls(
            count=count,
            link=np.full((n, k), NO_LINK, np.int32),
            other=np.full((n, k), NOTHING, np.int32),
            point=np.zeros((n, k, 3)),
            force_normal=np.zeros((n, k, 3)),
            force_friction=np.zeros((n, k, 3)),
            state=np.zeros((n, k), np.int32),
        )
        for world, contacts in enumerate(worlds):
            for field in fields(Contacts):
                getattr(joined, field.name)[world, : len(contacts)] = getattr(contacts, field.name)
        return joined

    def of_worlds(self, worlds: IntArray) -> BatchContacts:
        """Return the contacts of some worlds only."""
        count = self.count[worlds]
        k = count.max(initial=0)
        others = (getattr(self, field.name)[worlds, :k] for field in fields(self)[1:])
        return BatchContacts(count, *others)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """True for each entry that is a contact, (n, k)."""
        mask: NDArray[np.bool_] = np.arange(self.link.shape[1]) < self.count[:, None]
        return mask

    def __getitem__(self, world: int) -> Contacts:
        """Contacts of one world, in new arrays."""
        own = slice(0, self.count[world].item())
        return Contacts(
            self.link[world, own].copy(),
            self.other[world, own].copy(),
            self.point[world, own].copy(),
            self.force_normal[world, own].copy(),
            self.force_friction[world, own].copy(),
            self.state[world, own].copy(),
        )

    def force_of_obstacles(self, n_links: int) -> FloatArray:
        """Return the mean force of all obstacles on each link over the interval, world frame, (n, n_links, 3), N."""
        return self._force(self.other >= 0, n_links)

    def force_of_ground(self, n_links: int) -> FloatArray:
        """Return the mean force of the ground on each link over the interval, world frame, (n, n_links, 3), N."""
        return self._force(self.other == GROUND, n_links)

    def _force(self, chosen: NDArray[np.bool_], n_links: int) -> FloatArray:
        force = np.zeros((len(self.count), n_links, 3))
        world, _ = np.nonzero(chosen)
        total = self.force_normal[chosen] + self.force_friction[chosen]
        np.add.at(force, (world, self.link[chosen]), total)
        return force


@with_field_docs
@dataclass(frozen=True, slots=True)
class BatchSolverStats:
    """Quality of the solution of the contact problems in each of n worlds."""

    residual: FloatArray
    """Largest residual of a step in the interval, dimensionless; 1e-8 or less means solved. Shape (n,)."""

    iterations: FloatArray
    """Mean Newton iterations per step in the interval. Shape (n,)."""

    unconverged: IntArray
    """Number of steps with a residual above 1e-8 since the start of the run. Shape (n,)."""

    def of_worlds(self, worlds: IntArray) -> BatchSolverStats:
        """Return the statistics of some worlds only."""
        return BatchSolverStats(*(getattr(self, field.name)[worlds] for field in fields(self)))

    def __getitem__(self, world: int) -> SolverStats:
        """Statistics of one world."""
        return SolverStats(
            self.residual[world].item(),
            self.iterations[world].item(),
            self.unconverged[world].item(),
        )
