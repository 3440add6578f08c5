"""A contact problem as a dictionary of arrays, so that one that failed can be kept in a file and solved again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import Contact, FrictionProblem, friction_problem, rotated
from snakestudio.engines.row_buffers import BODY, FEATURE
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import State, Work
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.model.world import STANDARD_GRAVITY

__all__ = ["as_friction_problem", "problem_arrays", "problem_from_arrays"]


def problem_arrays(params: Params, state: State, work: Work) -> dict[str, NDArray[Any]]:
    """The contact problem in `work` with the impulses and velocities its solution started from."""
    n_contacts = int(work.first[-1])
    guess = np.zeros((n_contacts, 5))
    for c in range(n_contacts):
        k = work.found.link[c]
        for old in range(state.first[k], state.first[k + 1]):
            if state.contact[old, BODY] == work.found.body[c] and state.contact[old, FEATURE] == work.found.feature[c]:
                guess[c] = state.law[old]
    return {
        "mass": np.array(params.mass),
        "inertia": np.array(params.inertia),
        "axial": np.array(params.axial),
        "half": np.array(params.half_length),
        "offset": np.array(params.offset),
        "scale": np.array(params.mass * STANDARD_GRAVITY * params.dt),
        "axis": work.axis.copy(),
        "joint": work.joint.copy(),
        "free": work.free.copy(),
        "drive": work.drive.copy(),
        "drag": work.drag.copy(),
        "stop": work.stop_sign.copy(),
        "first": work.first.copy(),
        "rows": work.rows[:n_contacts].reshape(-1, 5, 8)[:, :, :6].copy(),
        "gain": work.gain[:n_contacts].copy(),
        "guess_w": work.w_start.copy(),
        "guess_contact": guess,
        "guess_stop": state.stop.copy(),
    }


def problem_from_arrays(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[SpatialProblem, SpatialImpulses, FloatArray]:
    """Problem, impulses and velocities to start from, as `solve_spatial` takes them.

    Parameters
    ----------
    arrays : mapping
        What `problem_arrays` gave, or the `.npz` file it was saved in.
    """
    stop = np.array(arrays["stop"], dtype=np.float64)
    rows = np.pad(np.array(arrays["rows"], dtype=np.float64).reshape(-1, 5, 6), ((0, 0), (0, 0), (0, 2)))
    problem = SpatialProblem(
        mass=float(arrays["mass"]),
        inertia=float(arrays["inertia"]),
        axial=float(arrays["axial"]),
        half=float(arrays["half"]),
        offset=float(arrays["offset"]),
        scale=float(arrays["scale"]),
        axis=np.array(arrays["axis"]),
        joint=np.array(arrays["joint"]),
        free=np.array(arrays["free"]),
        drive=np.array(arrays["drive"]),
        drag=np.array(arrays["drag"]),
        stop=stop,
        n_stops=int(np.count_nonzero(stop)),
        first=np.array(arrays["first"], dtype=np.int64),
        rows=rows.reshape(-1, 40),
        gain=np.array(arrays["gain"], dtype=np.float64).reshape(-1, 3),
    )
    impulses = SpatialImpulses(
        np.array(arrays["guess_contact"]).reshape(-1, 5), np.where(stop != 0.0, arrays["guess_stop"], 0.0)
    )
    return problem, impulses, np.array(arrays["guess_w"])


def as_friction_problem(arrays: Mapping[str, NDArray[Any]]) -> FrictionProblem:
    """The same for other solvers; v is the velocity of link 1 at its free end, its turning, and all joint rates."""
    problem, _, _ = problem_from_arrays(arrays)
    n = len(problem.axis)
    size = 6 + 2 * (n - 1)
    # Velocities of every link about p_k from the generalised ones.
    links = np.zeros((n, 6, size))
    links[0][:, :6] = np.eye(6)
    for k in range(n - 1):
        yaw, pitch, reach, sweep = problem.joint[k].reshape(4, 3)
        links[k + 1] = links[k]
        links[k + 1, :3] += rotated(reach) @ links[k, 3:]
        links[k + 1, :, 6 + 2 * k] = np.concatenate([sweep, yaw])
        links[k + 1, 3:, 7 + 2 * k] = pitch
    mass, force = np.zeros((size, size)), np.zeros(size)
    for k, (link, e) in enumerate(zip(links, problem.axis, strict=True)):
        inertia = problem.inertia * np.eye(3) + (problem.axial - problem.inertia) * np.outer(e, e)
        centre, turning = link[:3] + rotated(problem.half * e) @ link[3:], link[3:]
        mass += problem.mass * centre.T @ centre + turning.T @ inertia @ turning
        force += problem.mass * centre.T @ problem.free[k, :3] + turning.T @ inertia @ problem.free[k, 3:]
    mass[6:, 6:] += np.diag(problem.drag.ravel())
    force[6:] += problem.drive.ravel()

    contacts, unit = [], []
    for k in range(n):
        for c in range(problem.first[k], problem.first[k + 1]):
            rows = problem.rows[c].reshape(5, 8)[:, :6]
            contacts.append(Contact(rows[0] @ links[k], rows[1:3] @ links[k], rows[3:5] @ links[k]))
            # The coefficients are the lengths of the rows they are scaled by: of pushing, and of turning.
            unit += [float(np.linalg.norm(pair, axis=1).max()) for pair in (rows[1:3, :3], rows[3:5, 3:])]
    for k, a in np.argwhere(problem.stop != 0.0):
        normal = np.zeros(size)
        normal[6 + 2 * k + a] = problem.stop[k, a]
        contacts.append(Contact(normal))
        unit += [0.0, 0.0]
    coordinates = (
        "v: velocity of link 1 at its free end (m/s), its angular velocity, yaw and pitch rates of all joints."
    )
    return friction_problem(mass, force, contacts, unit, coordinates)
