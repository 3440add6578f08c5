"""What a comparison of chains of links with a continuous body finds, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of the wrenches that is compared."""

    entry: int
    """Index in Lambda: N_X, N_Y, N_Z, C_X, C_Y, C_Z."""

    sign: float
    """-1 for couples: a joint's torque turns the part behind, Lambda the part in front."""

    name: str
    label: str
    symbol: str
    unit: str


PARTS = (
    Part(0, 1.0, "axial_force", "axial force", "N_X", "N"),
    Part(3, -1.0, "twist_torque", "twisting torque", "-C_X", "N m"),
    Part(4, -1.0, "pitch_torque", "pitch torque", "-C_Y", "N m"),
    Part(5, -1.0, "yaw_torque", "yaw torque", "-C_Z", "N m"),
)
"""What the joints of a chain can be told to do."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainProfile:
    """A chain of n links beside the body at one instant."""

    links: int
    """n."""

    time: float
    """s."""

    joint: FloatArray
    """Abscissas X = j h of the joints, m. Shape (n-1,)."""

    chain: FloatArray
    body: FloatArray
    """`chain` and `body`: the compared entries at the joints: of the chain's joints, and of the
    body's cross-sections there. Shape (n-1, parts)."""

    pose: FloatArray
    """Centres (m) and unit quaternions of the links in the world. Shape (n, 7)."""

    chain_speed: float
    body_speed: float
    """`chain_speed` and `body_speed`: of the centres of mass, m/s."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainComparison:
    """Chains of several numbers of links beside a continuous body."""

    scene: Scene
    """Of the body."""

    free: bool
    """Whether friction moved the chains; otherwise they move as the body does."""

    links: tuple[int, ...]
    """Ascending."""

    times: tuple[float, ...]
    """Instants, s."""

    parts: tuple[Part, ...]
    profiles: tuple[tuple[ChainProfile, ...], ...]
    """By number of links, then by instant."""

    errors: FloatArray
    """Largest difference over the joints, by the largest of that entry in the body at that instant.
    Shape (links, times, parts)."""

    speed_errors: FloatArray
    """Of the centre of mass's speed, by the body's. Shape (links, times)."""

    path_errors: FloatArray
    """Largest distance between the centres of mass over the run, m; NaN for chains that move as the
    body does. Shape (links,)."""

    def order(self, errors: FloatArray) -> float:
        """Order in n of errors by number of links, (links,), by least squares; NaN where there is none to tell.

        Of many numbers only the larger half counts, three at least: a few long links are not yet on
        any line.
        """
        usable = np.flatnonzero(np.isfinite(errors) & (errors > 1e-13))
        if len(usable) < 2:
            return math.nan
        finest = usable[np.argsort(np.array(self.links)[usable])][-max(3, (len(usable) + 1) // 2) :]
        return -float(
            np.polyfit(np.log(np.array(self.links)[finest]), np.log(errors[finest]), 1)[0]
        )
