"""Motion-capture data of a real robot, in SI units with z up, independent of the file format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.model.recognition import Recognition

CENTRE_OF_MASS = -1
"""Entry of `Capture.links` for a track of the robot's centre of mass."""


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Tracks of b bodies at k instants."""

    name: str
    """Name for users: the stem of the file name, unless a better one is known."""

    time: FloatArray
    """s, ascending. Shape (k,)."""

    bodies: tuple[str, ...]
    """Names of the tracked bodies (or markers)."""

    links: tuple[int | None, ...]
    """0-based link that each body is mounted on; `CENTRE_OF_MASS`; None if unknown."""

    position: FloatArray
    """m, z up. NaN where unknown: before the first and after the last sighting of a body, and in gaps
    too long to fill. Shape (k, b, 3)."""

    orientation: FloatArray | None
    """Unit quaternions w x y z; NaN as in `position`, and for a body without orientation. Shape (k, b,
    4)."""

    joint_angle: FloatArray | None
    """Yaw and pitch of each joint, rad. Shape (k, n-1, 2)."""

    measured: BoolArray
    """False where a gap was interpolated or the position is unknown. Shape (k, b)."""

    notes: tuple[str, ...] = ()
    """Sentences on the content of the file and its processing."""

    source: str = ""
    """Name of the source file."""

    digest: str = ""
    """SHA-256 of the source file; "" if unknown."""

    recognition: Recognition | None = None
    """Recognized content of the file."""

    @property
    def duration(self) -> float:
        """Duration from the first to the last instant, s."""
        return float(self.time[-1] - self.time[0])

    @property
    def rate(self) -> float:
        """Sampling rate (median), Hz."""
        return 1.0 / float(np.median(np.diff(self.time)))

    @property
    def known(self) -> BoolArray:
        """Mask of known positions, measured or interpolated, (k, b)."""
        return cast(BoolArray, np.isfinite(self.position).all(axis=2))

    def body_on(self, link: int) -> int | None:
        """Return the index of the first body on a link (0-based, or `CENTRE_OF_MASS`), or None."""
        return self.links.index(link) if link in self.links else None
