"""Results of a comparison of link chains with a continuous body."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class Part:
    """A component of the wrench that is compared."""

    entry: int
    """Index in Lambda: N_X, N_Y, N_Z, C_X, C_Y, C_Z."""

    sign: float
    """-1 for couples: a joint torque acts on the part behind the joint, Lambda on the part in front."""

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
"""Loads that the joints of a chain can exert."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainProfile:
    """A chain of n links compared with the body at one instant."""

    links: int
    """n."""

    time: float
    """s."""

    joint: FloatArray
    """Abscissas X = j h of the joints, m. Shape (n-1,)."""

    chain: FloatArray
    """Compared components at the joints of the chain. Shape (n-1, parts)."""

    body: FloatArray
    """Compared components at the same cross-sections of the body. Shape (n-1, parts)."""

    pose: FloatArray
    """Centres (m) and unit quaternions of the links in the world frame. Shape (n, 7)."""

    chain_speed: float
    """Speed of the centre of mass of the chain, m/s."""

    body_speed: float
    """Speed of the centre of mass of the body, m/s."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainComparison:
    """Chains with different numbers of links compared with a continuous body."""

    scene: Scene
    """Scene of the body."""

    free: bool
    """Whether friction moves the chains; otherwise they follow the motion of the body."""

    links: tuple[int, ...]
    """Numbers of links, ascending."""

    times: tuple[float, ...]
    """Instants, s."""

    parts: tuple[Part, ...]
    profiles: tuple[tuple[ChainProfile, ...], ...]
    """By number of links, then by time."""

    errors: FloatArray
    """Largest difference over the joints, relative to the largest value of that component in the body at
    that time. Shape (links, times, parts)."""

    speed_errors: FloatArray
    """Error of the speed of the centre of mass, relative to that of the body. Shape (links, times)."""

    path_errors: FloatArray
    """Largest distance between the centres of mass over the run, m; NaN for chains that follow the motion
    of the body. Shape (links,)."""

    def order(self, errors: FloatArray) -> float:
        """Return the order of convergence in n of errors (links,), by least squares; NaN if it cannot be determined.

        Only the larger half of the numbers of links is used, but at least three: chains of few long links
        are not yet in the asymptotic range.
        """
        usable = np.flatnonzero(np.isfinite(errors) & (errors > 1e-13))
        if len(usable) < 2:
            return math.nan
        finest = usable[np.argsort(np.array(self.links)[usable])][-max(3, (len(usable) + 1) // 2) :]
        return -float(
            np.polyfit(np.log(np.array(self.links)[finest]), np.log(errors[finest]), 1)[0]
        )
