"""Capture: what motion capture measured of a real robot, in SI units and with z up, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.model.recognition import Recognition

CENTRE_OF_MASS = -1
"""`Capture.links` of a track that is that of the robot's centre of mass."""


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """The tracks of b bodies at k instants."""

    name: str
    """What people call it: the file's stem, unless something better is known."""

    time: FloatArray
    """s, ascending. Shape (k,)."""

    bodies: tuple[str, ...]
    """Names of the tracked bodies (or markers)."""

    links: tuple[int | None, ...]
    """0-based link that each body sits on; `CENTRE_OF_MASS`; None where that is unknown."""

    position: FloatArray
    """m, z up. NaN where nothing is known: before the first and behind the last sight of a body,
    and in gaps too long to be filled. Shape (k, b, 3)."""

    orientation: FloatArray | None
    """Unit quaternions w x y z; NaN as in `position`, and for a body without any. Shape (k, b,
    4)."""

    joint_angle: FloatArray | None
    """Yaw and pitch of every joint, rad. Shape (k, n-1, 2)."""

    measured: BoolArray
    """False where a gap was filled by interpolation, or nothing is known. Shape (k, b)."""

    notes: tuple[str, ...] = ()
    """What was found and done on import, in sentences."""

    source: str = ""
    """Name of the file it came from."""

    digest: str = ""
    """SHA-256 of that file; empty if it is unknown."""

    recognition: Recognition | None = None
    """What the file was found to hold."""

    @property
    def duration(self) -> float:
        """From the first to the last instant, s."""
        return float(self.time[-1] - self.time[0])

    @property
    def rate(self) -> float:
        """Instants a second (median), Hz."""
        return 1.0 / float(np.median(np.diff(self.time)))

    @property
    def known(self) -> BoolArray:
        """Where there is a position, measured or filled in, (k, b)."""
        return cast(BoolArray, np.isfinite(self.position).all(axis=2))

    def body_on(self, link: int) -> int | None:
        """Index of the first body that sits on a link (0-based, or `CENTRE_OF_MASS`); None if there is none."""
        return self.links.index(link) if link in self.links else None
