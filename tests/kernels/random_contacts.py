"""Random contact problems: chains in any pose, pushed against any number of planes, with any friction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.spatial_nonsmooth.params import link_rows
from snakestudio.kernels.spatial_problem import (
    AXIS_WIDTH,
    AXIS_X,
    DRAG,
    DRIVE,
    GAIN_WIDTH,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_GAIN,
    SpatialImpulses,
    SpatialProblem,
)

__all__ = ["arrays_of", "random_problem"]


def random_problem(seed: int) -> tuple[SpatialProblem, SpatialImpulses, FloatArray]:
    """A problem with zero initial values: 2 to 6 links, up to 12 contacts (many indeterminate), friction up to 1.5."""
    rng = np.random.default_rng([seed, 712])
    n = int(rng.integers(2, 7))
    mass = 0.7
    inertia = 1.3e-3
    axial = 9.4e-4
    half = 0.05
    dt = 2.5e-4
    axis = rng.normal(size=(n, 3)) * [1.0, 0.3, 0.3]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    axes = np.zeros((2 * (n - 1), AXIS_WIDTH))
    for k in range(n - 1):
        axes[2 * k : 2 * k + 2, AXIS_X : AXIS_X + 3] = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    count = int(rng.integers(1, 13))
    link = np.sort(rng.integers(0, n, count))
    mu = (
        rng.choice([0.0, 0.05, 0.1, 0.1, 0.5, 1.5], count)
        if seed % 2
        else np.full(count, rng.choice([0.05, 0.1]))
    )
    rows = np.zeros((count, 5, 8))
    gain = np.ones((count, GAIN_WIDTH))
    for c in range(count):
        # Most contacts come from one side, as on a ground.
        normal = rng.normal(size=3) * 0.3 + [0.0, 0.0, 1.0]
        normal /= np.linalg.norm(normal)
        along = np.cross(normal, [1.0, 0.3, 0.2])
        along /= np.linalg.norm(along)
        arm = rng.uniform(0.0, 2.0 * half) * axis[link[c]] - 0.04 * normal
        for i, direction in enumerate((normal, mu[c] * along, mu[c] * np.cross(normal, along))):
            rows[c, i, :3] = direction
            rows[c, i, 3:6] = np.cross(arm, direction)
        about = arm - half * axis[link[c]]
        own = [
            direction @ direction / mass
            + np.sum(np.cross(about, direction) ** 2) / min(inertia, axial)
            for direction in rows[c, :3, :3]
        ]
        gain[c, 0] = 1.0 / own[0]
        gain[c, 1:3] = 1.0 / max(own[1:]) if mu[c] > 0.0 else 0.0, 0.0
    stop = np.where(rng.random((n - 1, 2)) < 0.1, rng.choice([-1.0, 1.0], (n - 1, 2)), 0.0)
    free = rng.normal(size=(n, 6)) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0] - [0.0, 0.0, 0.1, 0.0, 0.0, 0.0]
    axes[:, DRIVE] = 1e-4 * rng.normal(size=len(axes))
    axes[:, DRAG] = rng.choice([0.0, 1e-3], size=len(axes))
    axes[stop.ravel() < 0.0, IMPULSE_LOW] = -np.inf
    axes[stop.ravel() > 0.0, IMPULSE_HIGH] = np.inf
    axes[:, LAW_GAIN] = 0.5 * inertia

    def each(value: float) -> FloatArray:
        return np.full(n, value)

    links = link_rows(
        each(mass),
        each(inertia),
        each(axial),
        each(half),
        each(half),
        np.tile([-half, half], (n, 1)),
        each(0.04),
        each(0.0),
        np.ones((n, 3)),
    )
    problem = SpatialProblem(
        links=links,
        joints=2 * np.arange(n),
        half=half,
        scale=mass * 9.81 * dt,
        swings=0,
        axis=axis,
        reach=2.0 * half * axis[:-1],
        axes=axes,
        free=free,
        n_laws=int(np.count_nonzero(stop)),
        first=np.searchsorted(link, np.arange(n + 1)).astype(np.int64),
        rows=rows.reshape(count, 40),
        gain=gain,
    )
    return problem, SpatialImpulses(np.zeros((count, 5)), np.zeros(len(axes))), np.zeros((n, 6))


def arrays_of(problem: SpatialProblem) -> dict[str, NDArray[np.float64]]:
    """Arrays of a problem as the engine writes them, with zero initial values."""
    contacts = int(problem.first[-1])
    n = len(problem.axis)
    return {
        **{
            name: np.asarray(value) for name, value in problem._asdict().items() if name != "n_laws"
        },
        "rows": problem.rows[:contacts].reshape(-1, 5, 8)[:, :, :6],
        "gain": problem.gain[:contacts],
        "guess_w": np.zeros((n, 6)),
        "guess_contact": np.zeros((contacts, 5)),
        "guess_joint": np.zeros(len(problem.axes)),
    }
