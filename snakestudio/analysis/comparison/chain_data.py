"""What a comparison of chains of links with a continuous body finds, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.scene import Scene

__all__ = ["PARTS", "ChainComparison", "ChainProfile", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of the wrenches that is compared.

    Attributes
    ----------
    entry : int
        Index in Lambda: N_X, N_Y, N_Z, C_X, C_Y, C_Z.
    sign : float
        -1 for couples: a joint's torque turns the part behind, Lambda the part in front.
    name, label, symbol, unit : str
    """

    entry: int
    sign: float
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
    """A chain of n links beside the body at one instant.

    Attributes
    ----------
    links : int
        n.
    time : float
        s.
    joint : (n-1,) array
        Abscissas X = j h of the joints, m.
    chain, body : (n-1, parts) arrays
        The compared entries at the joints: of the chain's joints, and of the body's cross-sections
        there.
    pose : (n, 7) array
        Centres (m) and unit quaternions of the links in the world.
    chain_speed, body_speed : float
        Of the centres of mass, m/s.
    """

    links: int
    time: float
    joint: FloatArray
    chain: FloatArray
    body: FloatArray
    pose: FloatArray
    chain_speed: float
    body_speed: float


@dataclass(frozen=True, slots=True, eq=False)
class ChainComparison:
    """Chains of several numbers of links beside a continuous body.

    Attributes
    ----------
    scene : Scene
        Of the body.
    free : bool
        Whether friction moved the chains; otherwise they move as the body does.
    links : tuple of int
        Ascending.
    times : tuple of float
        Instants, s.
    parts : tuple of Part
    profiles : tuple of tuple of ChainProfile
        By number of links, then by instant.
    errors : (links, times, parts) array
        Largest difference over the joints, by the largest of that entry in the body at that
        instant.
    speed_errors : (links, times) array
        Of the centre of mass's speed, by the body's.
    path_errors : (links,) array
        Largest distance between the centres of mass over the run, m; NaN for chains that move as
        the body does.
    """

    scene: Scene
    free: bool
    links: tuple[int, ...]
    times: tuple[float, ...]
    parts: tuple[Part, ...]
    profiles: tuple[tuple[ChainProfile, ...], ...]
    errors: FloatArray
    speed_errors: FloatArray
    path_errors: FloatArray

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
