"""All obstacles except posts as one mesh: one draw call for thousands, and partial updates for moved ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing import surfaces
from snakestudio.drawing.bodies import ObstacleBody
from snakestudio.drawing.meshes import Mesh

MOST_RIMMED = 600
"""Largest number of blocks with light edges; with more, the edges would not be visible."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Boxes as arrays."""

    centre: FloatArray
    """Centres, m. Shape (k, 3)."""

    rotation: FloatArray
    """Columns are the axes. Shape (k, 3, 3)."""

    half: FloatArray
    """Half edge lengths, m. Shape (k, 3)."""

    owner: IndexArray
    """0-based obstacle of each block, ascending. Shape (k,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One of the two meshes of a terrain."""

    mesh: Mesh
    range: IndexArray
    """First index and number of indices of every obstacle of the scene; none for posts. Shape (n,
    2)."""

    vertices: IndexArray
    """First vertex and number of vertices, similarly. Shape (n, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """All obstacles except posts as triangles."""

    skin_part: Part
    shell_part: Part
    rimmed: bool
    """Whether blocks have light edges."""

    earthen: NDArray[np.bool_]
    """Whether an obstacle has the colour of ground. Shape (n,)."""

    balls: FloatArray
    """Bounding balls (centre, radius), m. Shape (k, 4)."""

    sunk: bool
    """Whether parts of it are below the ground and must be clipped."""

    @property
    def skin(self) -> Mesh:
        """Visible mesh, as in `Surface`."""
        return self.skin_part.mesh

    @property
    def shell(self) -> Mesh:
        """Shell for outlines, as in `Surface`."""
        return self.shell_part.mesh

    @property
    def skin_range(self) -> IndexArray:
        """First index and number of indices of every obstacle in `skin`."""
        return self.skin_part.range

    @property
    def shell_range(self) -> IndexArray:
        """First index and number of indices of every obstacle in `shell`."""
        return self.shell_part.range


def make_terrain(
    bodies: Sequence[ObstacleBody], blocks: Blocks, balls: FloatArray, rimmed: bool | None = None
) -> Terrain | None:
    """Build the terrain from all obstacles except posts; None if there are only posts.

    Parameters
    ----------
    blocks : Blocks
        Blocks of all bodies.
    balls : (k, 4) array
        Bounding balls of everything, m.
    rimmed : bool or None
        Whether blocks have light edges; None: only if there are few.
    """
    n = len(bodies)
    plain = np.array([body.surface is None for body in bodies], bool)
    drawn = np.flatnonzero(plain[blocks.owner]) if n else np.zeros(0, np.intp)
    own = [i for i in range(n) if not plain[i]]
    if not len(drawn) and not own:
        return None
    rimmed = len(drawn) <= MOST_RIMMED if rimmed is None else rimmed
    block_mesh = surfaces.blocks(
        blocks.centre[drawn], blocks.rotation[drawn], blocks.half[drawn], rimmed
    )
    others = [body.surface for body in bodies if body.surface is not None]
    count = np.bincount(blocks.owner[drawn], minlength=n)
    skin = _part(block_mesh.skin, [surface.skin for surface in others], own, count)
    shell = _part(block_mesh.shell, [surface.shell for surface in others], own, count)
    earthen = np.array([body.earthen for body in bodies])
    return Terrain(skin, shell, rimmed, earthen, balls, _sunk(skin.mesh))


def _sunk(skin: Mesh) -> bool:
    return bool((skin.vertices[:, 2] < -1e-6).any())


def _part(first_mesh: Mesh, others: list[Mesh], own: list[int], count: IndexArray) -> Part:
    """Join all meshes: `count` blocks of every obstacle first, then those of the obstacles `own`."""
    total = max(int(count.sum()), 1)
    spans = []
    for name in ("indices", "vertices"):
        each = len(getattr(first_mesh, name)) // total
        span = np.column_stack((each * (np.cumsum(count) - count), each * count))
        at = len(getattr(first_mesh, name))
        for i, mesh in zip(own, others, strict=True):
            span[i] = at, len(getattr(mesh, name))
            at += span[i, 1]
        spans.append(span)
    return Part(surfaces.join([first_mesh, *others]), spans[0], spans[1])


def with_others(
    terrain: Terrain, changed: Sequence[int], others: Terrain, balls: FloatArray
) -> Terrain | None:
    """Return the terrain with the triangles of some obstacles replaced; None if their number differs.

    Parameters
    ----------
    changed : sequence of int
        0-based obstacles.
    others : Terrain
        Terrain of the changed obstacles only, in the same order.
    balls : (k, 4) array
        New bounding balls of everything.
    """
    parts = []
    for old, new in (
        (terrain.skin_part, others.skin_part),
        (terrain.shell_part, others.shell_part),
    ):
        part = _replaced(old, changed, new)
        if part is None:
            return None
        parts.append(part)
    earthen = terrain.earthen.copy()
    earthen[list(changed)] = others.earthen
    return Terrain(parts[0], parts[1], terrain.rimmed, earthen, balls, _sunk(parts[0].mesh))


def _replaced(old: Part, changed: Sequence[int], new: Part) -> Part | None:
    vertices = old.mesh.vertices.copy()
    for k, i in enumerate(changed):
        (to, count), (at, new_count) = old.vertices[i], new.vertices[k]
        (first, length), (own_first, own_length) = old.range[i], new.range[k]
        if count != new_count or length != own_length:
            return None
        # Blocks of one obstacle always have the same topology; for other surfaces it must be
        # compared.
        joined = old.mesh.indices[first : first + length] - np.uint32(to)
        if not np.array_equal(
            joined, new.mesh.indices[own_first : own_first + length] - np.uint32(at)
        ):
            return None
        vertices[to : to + count] = new.mesh.vertices[at : at + count]
    return Part(Mesh(vertices, old.mesh.indices), old.range, old.vertices)
