"""The constant map from link directions to positions of a chain about its centre of mass."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels.smooth_robot import CentredChain
from snakestudio.model.robot.robot import Robot


def centred_map(
    n: int, back: FloatArray | None = None, weight: FloatArray | None = None
) -> FloatArray:
    """Return K of `kernels.centred_chain`, (n, n): positions of links about the centre of mass, in half links.

    P4 (2) to (8). `back` and `weight` are those of a `CentredChain`; equal links if omitted.
    """
    positions = 2.0 * np.tril(np.ones((n, n)), -1) + np.diag(np.ones(n) if back is None else back)
    middle = positions.mean(axis=0) if weight is None else weight @ positions / n
    centred: FloatArray = positions - middle
    return centred


def mean_mass(robot: Robot) -> float:
    """Return the mean mass of a link, kg."""
    return robot.mass_kg if robot.equal_links else robot.mass / robot.n_links


def make_chain(robot: Robot, links: slice = slice(None)) -> CentredChain:
    """Return the constants of the links of `robot`, or of some neighbouring links as a separate chain."""
    mean = mean_mass(robot)
    values = robot.links[links]
    n = len(values)
    half = np.array([0.5 * link.length for link in values])
    back = np.array([1.0 + link.centre_of_mass / (0.5 * link.length) for link in values])
    mass = np.array([link.mass for link in values])
    if links != slice(None) and not robot.equal_links:
        mean = float(mass.mean())
    weight = mass / mean
    behind = np.cumsum(weight[::-1])[::-1] - weight
    return CentredChain(
        half=half,
        back=back,
        weight=weight,
        share=(2.0 * behind + back * weight) / n,
        mass=mass,
        inertia=np.array([link.inertia for link in values]),
        total=n * mean,
    )


def coupling_of(robot: Robot, chain: CentredChain) -> FloatArray:
    """Return the coupling of the links' rotations in the mass matrix, `coupling` of `inertia_and_bias`, kg m^2."""
    n = robot.n_links
    if robot.equal_links:
        half = 0.5 * robot.link_length_m
        centred = centred_map(n)
        equal: FloatArray = robot.mass_kg * half * half * (centred.T @ centred)
        return equal
    levers = centred_map(n, chain.back, chain.weight) * chain.half
    result: FloatArray = levers.T @ (chain.mass[:, None] * levers)
    return result
