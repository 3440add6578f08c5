"""A contact problem as a dictionary of arrays, so that a failed one can be saved in a file and solved again."""

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
from snakestudio.errors import ExportError
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    AXIS_WIDTH,
    AXIS_X,
    DRAG,
    DRIVE,
    FRONT,
    GAIN_T,
    GAIN_WIDTH,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    INV_ACROSS,
    INV_AXIAL,
    INV_MASS,
    LAW_GAIN,
    LINK_WIDTH,
    MASS,
    REAR,
    REBOUND,
    SHARE_MINUS,
    SHARE_PLUS,
    SWING_X,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.model.world import STANDARD_GRAVITY

_STOP = 9
"""Column behind the drag in the axes of earlier versions: the sign of the rate that leads away from a limit."""


def problem_arrays(params: Params, state: State, work: Work) -> dict[str, NDArray[Any]]:
    """Return the contact problem in `work` with the initial impulses and velocities of its solution."""
    n_contacts = int(work.first[-1])
    guess = np.zeros((n_contacts, 5))
    for c in range(n_contacts):
        k = work.contacts.link[c]
        for old in range(state.first[k], state.first[k + 1]):
            if (
                state.contact[old, BODY] == work.contacts.body[c]
                and state.contact[old, FEATURE] == work.contacts.feature[c]
            ):
                guess[c] = state.law[old]
    return {
        "links": params.links.copy(),
        "joints": params.joints.copy(),
        "half": np.array(params.half_length),
        "scale": np.array(params.scale_mass * STANDARD_GRAVITY * params.dt),
        "axis": work.orientation[:, :3].copy(),
        "reach": work.reach.copy(),
        "axes": work.axes[:, :AXIS_WIDTH].copy(),
        "free": work.free.copy(),
        "first": work.first.copy(),
        "rows": work.rows[:n_contacts].reshape(-1, 5, 8)[:, :, :6].copy(),
        "gain": work.gain[:n_contacts].copy(),
        "guess_w": work.w_start.copy(),
        "guess_contact": guess,
        "guess_joint": state.stop.copy(),
    }


def _of_equal_links(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Convert arrays of version 0.2 and before, with equal links and two axes in every joint, to the present layout."""
    n = len(arrays["axis"])
    mass, across, axial, half = (
        float(arrays[name]) for name in ("mass", "inertia", "axial", "half")
    )
    link = np.zeros(LINK_WIDTH)
    link[[MASS, ACROSS, AXIAL, REAR, FRONT]] = mass, across, axial, half, half
    link[[INV_MASS, INV_ACROSS, INV_AXIAL]] = 1.0 / mass, 1.0 / across, 1.0 / axial
    joint = np.array(arrays["joint"])  # yaw axis, pitch axis, reach, swing
    axes = np.zeros((n - 1, 2, _STOP + 1))
    yaw, pitch = np.moveaxis(axes, 1, 0)
    yaw[:, SWING_X : SWING_X + 3] = joint[:, 9:]
    yaw[:, AXIS_X : AXIS_X + 3] = joint[:, :3]
    pitch[:, AXIS_X : AXIS_X + 3] = joint[:, 3:6]
    axes[:, :, LAW_GAIN] = 0.5 * across
    for column, name in ((DRIVE, "drive"), (DRAG, "drag"), (_STOP, "stop")):
        axes[:, :, column] = arrays[name]
    gain = np.ones((len(arrays["gain"]), GAIN_WIDTH))
    gain[:, :3] = arrays["gain"]
    return {
        **arrays,
        "links": np.tile(link, (n, 1)),
        "joints": 2 * np.arange(n),
        "reach": joint[:, 6:9].copy(),
        "axes": axes.reshape(-1, _STOP + 1),
        "guess_stop": np.ravel(arrays["guess_stop"]),
        "gain": gain,
    }


def _with_laws(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Convert arrays whose axes have only limits: a sign instead of bounds, and impulses that are never negative."""
    old = np.array(arrays["axes"], dtype=np.float64).reshape(-1, _STOP + 1)
    stop = old[:, _STOP]
    axes = np.zeros((len(old), AXIS_WIDTH))
    axes[:, :_STOP] = old[:, :_STOP]
    axes[stop < 0.0, IMPULSE_LOW] = -np.inf
    axes[stop > 0.0, IMPULSE_HIGH] = np.inf
    return {**arrays, "axes": axes, "guess_joint": stop * arrays["guess_stop"]}


def problem_from_arrays(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[SpatialProblem, SpatialImpulses, FloatArray]:
    """Return problem, initial impulses and initial velocities, as arguments of `solve_spatial`.

    Parameters
    ----------
    arrays : mapping
        Result of `problem_arrays`, or the `.npz` file it was saved in.
    """
    if "joint" in arrays:
        arrays = _of_equal_links(dict(arrays))
    if "guess_stop" in arrays:
        arrays = _with_laws(dict(arrays))
    rows = np.pad(
        np.array(arrays["rows"], dtype=np.float64).reshape(-1, 5, 6), ((0, 0), (0, 0), (0, 2))
    )
    axes = np.array(arrays["axes"], dtype=np.float64).reshape(-1, AXIS_WIDTH)
    low, high = axes[:, IMPULSE_LOW], axes[:, IMPULSE_HIGH]
    problem = SpatialProblem(
        links=np.array(arrays["links"]),
        joints=np.array(arrays["joints"], dtype=np.int64),
        half=float(arrays["half"]),
        scale=float(arrays["scale"]),
        swings=int(axes[:, SWING_X : SWING_X + 3].any()),
        axis=np.array(arrays["axis"]),
        reach=np.array(arrays["reach"]),
        axes=axes,
        free=np.array(arrays["free"]),
        n_laws=int(np.count_nonzero(low < high)),
        first=np.array(arrays["first"], dtype=np.int64),
        rows=rows.reshape(-1, 40),
        gain=np.array(arrays["gain"], dtype=np.float64).reshape(-1, GAIN_WIDTH),
    )
    impulses = SpatialImpulses(
        np.array(arrays["guess_contact"]).reshape(-1, 5),
        np.clip(arrays["guess_joint"], low, high),
    )
    return problem, impulses, np.array(arrays["guess_w"])


def as_friction_problem(arrays: Mapping[str, NDArray[Any]]) -> FrictionProblem:
    """Return a problem for other solvers; v is the velocity of link 1's free end, its angular velocity, joint rates.

    Raises `ExportError` if friction along depends on the direction, because the cones of these
    problems are circular, and if joints have dry friction or rebound from their limits.
    """
    problem, _, _ = problem_from_arrays(arrays)
    directional = problem.gain[:, SHARE_PLUS] != problem.gain[:, SHARE_MINUS]
    if directional[problem.gain[:, GAIN_T] > 0.0].any():
        raise ExportError(
            "Other solvers require the same ground friction forwards and backwards. Save the contact problem as .npz."
        )
    n = len(problem.axis)
    size = 6 + len(problem.axes)
    # Velocities of each link about p_k as functions of the generalised ones.
    links = np.zeros((n, 6, size))
    links[0][:, :6] = np.eye(6)
    for k in range(n - 1):
        links[k + 1] = links[k]
        links[k + 1, :3] += rotated(problem.reach[k]) @ links[k, 3:]
        for j in range(problem.joints[k], problem.joints[k + 1]):
            links[k + 1, :, 6 + j] = problem.axes[j, SWING_X : SWING_X + 6]
    mass = np.zeros((size, size))
    force = np.zeros(size)
    for k, (link, e) in enumerate(zip(links, problem.axis, strict=True)):
        own, across, axial, half = problem.links[k, [MASS, ACROSS, AXIAL, REAR]]
        inertia = across * np.eye(3) + (axial - across) * np.outer(e, e)
        centre = link[:3] + rotated(half * e) @ link[3:]
        turning = link[3:]
        mass += own * centre.T @ centre + turning.T @ inertia @ turning
        force += own * centre.T @ problem.free[k, :3] + turning.T @ inertia @ problem.free[k, 3:]
    mass[6:, 6:] += np.diag(problem.axes[:, DRAG])
    force[6:] += problem.axes[:, DRIVE]

    contacts = []
    unit = []
    for k in range(n):
        for c in range(problem.first[k], problem.first[k + 1]):
            rows = problem.rows[c].reshape(5, 8)[:, :6]
            contacts.append(Contact(rows[0] @ links[k], rows[1:3] @ links[k], rows[3:5] @ links[k]))
            # The coefficients are the lengths of the rows that they scale: of sliding and of
            # rolling.
            unit += [
                float(np.linalg.norm(pair, axis=1).max()) for pair in (rows[1:3, :3], rows[3:5, 3:])
            ]
    low, high, rebound = problem.axes[:, [IMPULSE_LOW, IMPULSE_HIGH, REBOUND]].T
    if np.minimum(-low, high).any():
        raise ExportError(
            "Other solvers require joints without dry friction and losses. Save the contact problem as .npz."
        )
    if rebound.any():
        raise ExportError(
            "Other solvers require joint limits without restitution in this step. Save the contact problem as .npz."
        )
    for j in np.flatnonzero(low < high).tolist():
        normal = np.zeros(size)
        normal[6 + j] = 1.0 if np.isinf(high[j]) else -1.0
        contacts.append(Contact(normal))
        unit += [0.0, 0.0]
    coordinates = "v: velocity of link 1 at its free end (m/s), its angular velocity, rates of all joint axes."
    return friction_problem(mass, force, contacts, unit, coordinates)
