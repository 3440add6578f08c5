"""A contact problem as a dictionary of arrays, so that a failed one can be saved in a file and solved again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import Contact, FrictionProblem, friction_problem
from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.state import State, Work
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_ground import coefficients, law_table
from snakestudio.kernels.planar_problem import (
    DISC,
    FORCE_1,
    FORCE_2,
    FRONT,
    INERTIA,
    MASS,
    REAR,
    TURN,
    ChainImpulses,
    ChainProblem,
    link_table,
)
from snakestudio.model.world import STANDARD_GRAVITY


def problem_arrays(params: Params, state: State, work: Work) -> dict[str, NDArray[Any]]:
    """Return the contact problem in `work` with the initial impulses and velocities of its solution."""
    n_contacts = int(work.active[0])
    return {
        "links": params.links[:, : REAR + 1].copy(),
        "friction": coefficients(work.law),
        "law": np.array(params.kind),
        "load": work.load.copy(),
        "scale": np.array(params.mass * STANDARD_GRAVITY * params.dt),
        "cos": work.cos.copy(),
        "sin": work.sin.copy(),
        "u_free": work.u_free.copy(),
        "link": work.link[:n_contacts].copy(),
        "rows": work.rows[:n_contacts].copy(),
        "stops": work.stops.copy(),
        "drag": work.total.copy(),
        "guess_u": state.u.copy(),
        "guess_friction": state.friction.copy(),
        "guess_stop": state.stop.copy(),
    }


def _links_and_friction(arrays: Mapping[str, NDArray[Any]]) -> tuple[FloatArray, FloatArray, int]:
    """Return `ChainProblem.links`, coefficients for `law_table`, and `ChainProblem.kind`."""
    if "links" in arrays:
        return link_table(*arrays["links"].T), np.array(arrays["friction"]), int(arrays["law"])
    # Files of 0.2.0 and before have equal links and one friction; those of 0.1.0 have one
    # half-length.
    half = arrays.get("half_length", 0.0)
    n = len(arrays["cos"])
    values = arrays["mass"], arrays["inertia"], arrays.get("front", half), arrays.get("rear", half)
    links = link_table(*(np.full(n, float(value)) for value in values))
    along, across = float(arrays["mu_along"]), float(arrays["mu_across"])
    return links, np.tile([along, along, across], (n, 1)), DISC


def problem_from_arrays(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[ChainProblem, ChainImpulses, FloatArray]:
    """Return problem, initial impulses and initial velocities, as arguments of `solve_contacts`.

    Parameters
    ----------
    arrays : mapping
        Result of `problem_arrays`, or the `.npz` file it was saved in.
    """
    link = np.array(arrays["link"], dtype=np.int64)
    rows = np.array(arrays["rows"], dtype=np.float64).reshape(len(link), 6)
    stops = np.array(arrays["stops"], dtype=np.float64)
    drag = np.array(arrays.get("drag", np.zeros(len(stops))))  # files of 0.1.0 have none
    links, friction, kind = _links_and_friction(arrays)
    problem = ChainProblem(
        links=links,
        law=law_table(links[:, MASS], friction, kind),
        kind=kind,
        load=np.array(np.broadcast_to(arrays["load"], len(links))),
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
        drag=drag,
        n_drags=int(np.count_nonzero(drag)),
    )
    impulses = ChainImpulses(
        np.array(arrays["guess_friction"]),
        np.zeros(len(link)),
        np.zeros(len(link)),
        np.where(stops != 0.0, arrays["guess_stop"], 0.0),
    )
    return problem, impulses, np.array(arrays["guess_u"])


def as_friction_problem(arrays: Mapping[str, NDArray[Any]]) -> FrictionProblem:
    """Return a problem for other solvers; v is the velocity of link 1's centre, joint rates, and loads of the links.

    The load of each ground contact is fixed, which a friction cone cannot express: a separate mass
    is pressed on each contact with exactly that impulse.

    Raises `ValueError` if the friction on the ground is not a disc, which the file format requires.
    """
    problem, _, _ = problem_from_arrays(arrays)
    if problem.kind != DISC:
        raise ValueError("friction on the ground that differs forward and backward is not a cone")
    n = len(problem.cos)
    front = problem.links[:, FRONT]
    rear = problem.links[:, REAR]
    rough = problem.law[:, [FORCE_1, FORCE_2]].max(axis=1)
    loaded = np.flatnonzero((rough > 0.0) & (problem.load > 0.0))
    joints = np.flatnonzero(np.isfinite(problem.drag))
    own = 3 + len(joints)
    size = own + len(loaded)
    links = np.zeros((n, 3, size))
    links[0][:, :3] = np.eye(3)
    for k in range(n - 1):
        links[k + 1, TURN] = links[k, TURN]
        links[k + 1, TURN, 3 + np.flatnonzero(joints == k)] = 1.0
        before = front[k] * links[k, TURN]
        behind = rear[k + 1] * links[k + 1, TURN]
        links[k + 1, X] = links[k, X] - (problem.sin[k] * before + problem.sin[k + 1] * behind)
        links[k + 1, Y] = links[k, Y] + (problem.cos[k] * before + problem.cos[k + 1] * behind)
    mass = np.zeros((size, size))
    force = np.zeros(size)
    for link, free, inertia in zip(
        links, problem.u_free, problem.links[:, [MASS, MASS, INERTIA]], strict=True
    ):
        mass += link.T @ (inertia[:, None] * link)
        force += link.T @ (inertia * free)
    mass[3:own, 3:own] += np.diag(problem.drag[joints])

    contacts = []
    unit = []
    for at, k in enumerate(loaded.tolist(), start=own):
        mass[at, at] = problem.links[k, MASS]
        force[at] = -problem.load[k]
        normal = np.zeros(size)
        normal[at] = 1.0
        cos, sin = problem.cos[k], problem.sin[k]
        frame = (
            np.array([[cos, sin, 0.0], [-sin, cos, 0.0]]) * problem.law[k, [FORCE_1, FORCE_2], None]
        )
        contacts.append(Contact(normal, frame @ links[k]))
        unit += [float(rough[k]), 0.0]
    for k, row in zip(problem.link, problem.rows, strict=True):
        along = np.array([row[3:], np.zeros(3)])
        contacts.append(Contact(row[:3] @ links[k], along @ links[k]))
        unit += [float(np.hypot(row[3], row[4])), 0.0]
    for joint in np.flatnonzero(problem.stops):
        normal = np.zeros(size)
        normal[3 + np.flatnonzero(joints == joint)] = problem.stops[joint]
        contacts.append(Contact(normal))
        unit += [0.0, 0.0]
    coordinates = (
        "v: velocity of link 1's centre (m/s), its angular velocity, all joint rates, "
        "and velocities of the loads on the links."
    )
    return friction_problem(mass, force, contacts, unit, coordinates)
