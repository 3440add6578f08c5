"""A contact problem as a dictionary of arrays, so that one that failed can be kept in a file and solved again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.state import State, Work
from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.model.world import STANDARD_GRAVITY

__all__ = ["problem_arrays", "problem_from_arrays"]

FloatArray = NDArray[np.float64]


def problem_arrays(params: Params, state: State, work: Work) -> dict[str, NDArray[Any]]:
    """The contact problem in `work` with the impulses and velocities its solution started from."""
    n_contacts = int(work.active[0])
    return {
        "mass": np.array(params.mass),
        "inertia": np.array(params.inertia),
        "half_length": np.array(params.half_length),
        "load": np.array(params.mass * params.gn * params.dt),
        "mu_along": np.array(params.mu_along),
        "mu_across": np.array(params.mu_across),
        "scale": np.array(params.mass * STANDARD_GRAVITY * params.dt),
        "cos": work.cos.copy(),
        "sin": work.sin.copy(),
        "u_free": work.u_free.copy(),
        "link": work.link[:n_contacts].copy(),
        "rows": work.rows[:n_contacts].copy(),
        "stops": work.stops.copy(),
        "guess_u": state.u.copy(),
        "guess_friction": state.friction.copy(),
        "guess_stop": state.stop.copy(),
    }


def problem_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> tuple[ChainProblem, ChainImpulses, FloatArray]:
    """Problem, impulses to start from and velocities to start from, as `solve_contacts` takes them.

    Parameters
    ----------
    arrays : mapping
        What `problem_arrays` gave, or the `.npz` file it was saved in.
    """
    link = np.array(arrays["link"], dtype=np.int64)
    rows = np.array(arrays["rows"], dtype=np.float64).reshape(len(link), 6)
    stops = np.array(arrays["stops"], dtype=np.float64)
    problem = ChainProblem(
        mass=float(arrays["mass"]),
        inertia=float(arrays["inertia"]),
        half_length=float(arrays["half_length"]),
        load=float(arrays["load"]),
        mu_along=float(arrays["mu_along"]),
        mu_across=float(arrays["mu_across"]),
        scale=float(arrays["scale"]),
        cos=np.array(arrays["cos"]),
        sin=np.array(arrays["sin"]),
        u_free=np.array(arrays["u_free"]),
        n_contacts=len(link),
        link=link,
        rows=rows,
        n_rough=int(np.count_nonzero(rows[:, 3:].any(axis=1))),
        stops=stops,
        n_stops=int(np.count_nonzero(stops)),
    )
    impulses = ChainImpulses(
        np.array(arrays["guess_friction"]),
        np.zeros(len(link)),
        np.zeros(len(link)),
        np.where(stops != 0.0, arrays["guess_stop"], 0.0),
    )
    return problem, impulses, np.array(arrays["guess_u"])
