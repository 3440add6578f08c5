"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.dynamics import internal_wrench
from snakestudio.engines.continuum_beam.knots import find_knot
from snakestudio.engines.continuum_beam.params import FRICTION, Params
from snakestudio.engines.continuum_beam.state import (
    AT,
    AXIAL_SPEED,
    EVALUATIONS,
    HOLDS,
    MISMATCH,
    MISSED,
    OVERLOADED,
    SLIP,
    SLIP_SPEED,
    STEP,
    Knots,
    State,
    Work,
)
from snakestudio.engines.continuum_beam.step import begin_at
from snakestudio.engines.row_buffers import (
    KINETIC,
    POTENTIAL,
    ROW,
    RowBuffers,
    filled_rows,
    make_row_buffers,
)
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.frames import frame_from_pose, wrench_from_head
from snakestudio.model.recording import Rows, Schema

# Values of snakestudio.model.snapshot.ContactState, GROUND and SUPPORT.
OPEN = 0
STICK = 1
SLIDE = 2
GROUND = -1
SUPPORT = -2


_BODY_FIELDS = ("strain", "wrench", "hold", "extra")
_namedtuple: Any = namedtuple  # whose fields cannot be checked here
BodyRowBuffers = _namedtuple("BodyRowBuffers", RowBuffers._fields + _BODY_FIELDS)
"""`RowBuffers` with the fields of rows that only continuous bodies have; fields as in `Rows`."""


def make_body_row_buffers(n_rows: int, schema: Schema) -> Any:
    """Return buffers for `n_rows` rows, with space for the contacts of all cross-sections and supports."""
    n = schema.n_links
    p = schema.n_holds
    return BodyRowBuffers(
        *make_row_buffers(n_rows, n, len(schema.energy), n_rows * (n + p), 0),
        strain=np.zeros((n_rows, n, 6)),
        wrench=np.zeros((n_rows, n, 6)),
        hold=np.zeros((n_rows, p, 14)),
        extra=np.zeros((n_rows, len(schema.extra))),
    )


def filled_body_rows(buffers: Any, dt: float, since: tuple[int, ...]) -> Rows:
    """Return `filled_rows` with the fields of continuous bodies."""
    rows = slice(since[0], buffers.filled.item(0))
    body = {name: getattr(buffers, name)[rows] for name in _BODY_FIELDS}
    return replace(filled_rows(buffers, dt, since), **body)


@inlined
def _quaternion(f: FloatArray, before: FloatArray, out: FloatArray) -> None:
    """Write the unit quaternion of frame `f` (12,) to out[3:], with the sign that is closer to before[3:]."""
    trace = f[0] + f[4] + f[8]
    if trace > 0.0:
        w = 0.5 * math.sqrt(1.0 + trace)
        x, y, z = (f[7] - f[5]) / (4.0 * w), (f[2] - f[6]) / (4.0 * w), (f[3] - f[1]) / (4.0 * w)
    elif f[0] >= f[4] and f[0] >= f[8]:
        x = 0.5 * math.sqrt(max(1.0 + f[0] - f[4] - f[8], 0.0))
        w = (f[7] - f[5]) / (4.0 * x)
        y = (f[1] + f[3]) / (4.0 * x)
        z = (f[2] + f[6]) / (4.0 * x)
    elif f[4] >= f[8]:
        y = 0.5 * math.sqrt(max(1.0 - f[0] + f[4] - f[8], 0.0))
        w = (f[2] - f[6]) / (4.0 * y)
        x = (f[1] + f[3]) / (4.0 * y)
        z = (f[5] + f[7]) / (4.0 * y)
    else:
        z = 0.5 * math.sqrt(max(1.0 - f[0] - f[4] + f[8], 0.0))
        w = (f[3] - f[1]) / (4.0 * z)
        x = (f[2] + f[6]) / (4.0 * z)
        y = (f[5] + f[7]) / (4.0 * z)
    sign = 1.0 if w * before[3] + x * before[4] + y * before[5] + z * before[6] >= 0.0 else -1.0
    out[3] = sign * w
    out[4] = sign * x
    out[5] = sign * y
    out[6] = sign * z


@inlined
def _to_world(head: FloatArray, frame: FloatArray, out: FloatArray) -> None:
    """Convert a frame (12,) from the head's frame to the world."""
    for a in range(3):
        for b in range(3):
            out[3 * a + b] = (
                head[3 * a] * frame[b]
                + head[3 * a + 1] * frame[3 + b]
                + head[3 * a + 2] * frame[6 + b]
            )
        out[9 + a] = (
            head[9 + a]
            + head[3 * a] * frame[9]
            + head[3 * a + 1] * frame[10]
            + head[3 * a + 2] * frame[11]
        )


@inlined
def _energies(
    params: Params, work: Work, world: FloatArray, head: FloatArray
) -> tuple[float, float]:
    """Return kinetic and potential energy, J, by Simpson's rule."""
    kinetic = potential = 0.0
    count = work.frames.shape[0]
    h = 2.0 * params.length / (count - 1)
    for j in range(count):
        weight = h / 6.0 * (4.0 if j % 2 == 1 else (1.0 if j == 0 or j == count - 1 else 2.0))
        v = work.twist[j]
        square = params.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        for e in range(3):
            square += params.inertia[e] * v[3 + e] * v[3 + e]
        kinetic += 0.5 * weight * square
        _to_world(head, work.frames[j], world)
        g = params.gravity
        potential -= weight * params.mass * (g[0] * world[9] + g[1] * world[10] + g[2] * world[11])
    return kinetic, potential


@jit
def write_row(
    params: Params,
    knots: Knots,
    state: State,
    work: Work,
    hint: int,
    rows: Any,
) -> int:
    """Evaluate the present state and write it as the next row; reset the sums for the row after it.

    `rows` are `BodyRowBuffers`. Returns 0, and writes nothing, if the supports do not determine the motion.
    """
    time = state.counts[STEP] * params.dt
    knot = find_knot(knots, time, hint)
    if begin_at(params, knots, state, work, time, knot, knot) == 0:
        return 0
    n, p = state.ground.shape[0], work.hold.shape[0]
    stride = (work.frames.shape[0] - 1) // (n - 1)
    i, at = rows.filled[0], rows.filled[1]
    head = work.scratch[6]
    world = work.scratch[7]
    local = work.scratch[8]
    frame_from_pose(state.pose, head)
    for k in range(n):
        j = stride * k
        pose = rows.link_pose[i, k]
        _to_world(head, work.frames[j], world)
        for a in range(3):
            pose[a] = world[9 + a]
        _quaternion(world, state.pose if k == 0 else rows.link_pose[i, k - 1], pose)
        for a in range(3):
            rows.link_twist[i, k, a] = rows.link_twist[i, k, 3 + a] = 0.0
            for b in range(3):
                rows.link_twist[i, k, a] += world[3 * a + b] * work.twist[j, b]
                rows.link_twist[i, k, 3 + a] += world[3 * a + b] * work.twist[j, 3 + b]
        internal_wrench(params, work, j, rows.wrench[i, k])
        for e in range(6):
            rows.strain[i, k, e] = work.strain[j, e]
        for a in range(3):
            rows.impulse_ground[i, k, a] = state.ground[k, a]
            rows.impulse_obstacle[i, k, a] = state.support[k, a]
    rows.energy[i, KINETIC], rows.energy[i, POTENTIAL] = _energies(params, work, world, head)
    for e in range(state.sums.shape[0]):
        rows.energy[i, 2 + e] = state.sums[e]
    closed = 0
    for q in range(p):
        row = rows.hold[i, q]
        if work.hold[q, HOLDS] > 0.5:
            closed += 1
            row[0] = 1.0
            row[1] = work.hold[q, AT]
            _to_world(head, work.hold_frame[q], world)
            for a in range(3):
                row[2 + a] = world[9 + a]
                row[5 + a] = world[3 * a]
            # The couple is about the contact itself, not about the head.
            wrench_from_head(work.hold_frame[q], work.hold_wrench[q], local)
            for a in range(3):
                row[8 + a] = (
                    world[3 * a] * local[0]
                    + world[3 * a + 1] * local[1]
                    + world[3 * a + 2] * local[2]
                )
                row[11 + a] = (
                    world[3 * a] * local[3]
                    + world[3 * a + 1] * local[4]
                    + world[3 * a + 2] * local[5]
                )
        else:
            row[1] = row[2] = row[3] = row[4] = math.nan
    for e in range(6):
        rows.extra[i, e] = work.resultant[e] if params.mode != FRICTION else 0.0
    rows.extra[i, AXIAL_SPEED] = work.head_twist[0]
    rows.extra[i, SLIP_SPEED] = work.figures[SLIP]
    rows.extra[i, MISSED] = work.figures[MISMATCH]
    rows.contacts_closed[i] = n if params.mode == FRICTION else closed
    rows.residual[i] = max(state.worst[MISMATCH], work.figures[MISMATCH])
    rows.iterations[i] = state.counts[EVALUATIONS]
    rows.unconverged[i] = state.counts[OVERLOADED]
    rows.steps[i] = state.counts[STEP]
    state.worst[MISMATCH] = 0.0
    if params.mode == FRICTION:
        for k in range(n):
            rows.contact_link[at] = k
            rows.contact_other[at] = GROUND
            rows.contact_state[at] = SLIDE
            for a in range(3):
                rows.contact_point[at, a] = rows.link_pose[i, k, a]
                gained = state.ground[k, a] - state.before[ROW, k, a]
                rows.contact_normal[at, a] = gained if a == 2 else 0.0
                rows.contact_friction[at, a] = gained if a < 2 else 0.0
                state.before[ROW, k, a] = state.ground[k, a]
            at += 1
    for q in range(p):
        holds = work.hold[q, HOLDS] > 0.5
        loaded = False  # a support that was released since the previous row still has an impulse
        for a in range(3):
            loaded = loaded or state.hold[q, a] != state.before[ROW, n + q, a]
        if holds or loaded:
            nearest = min(max(int(work.hold[q, AT] / params.length * (n - 1) + 0.5), 0), n - 1)
            rows.contact_link[at] = nearest
            rows.contact_other[at] = SUPPORT
            rows.contact_state[at] = STICK if holds else OPEN
            for a in range(3):
                rows.contact_point[at, a] = (
                    rows.hold[i, q, 2 + a] if holds else rows.link_pose[i, nearest, a]
                )
                rows.contact_normal[at, a] = state.hold[q, a] - state.before[ROW, n + q, a]
                rows.contact_friction[at, a] = 0.0
            at += 1
        for a in range(3):
            state.before[ROW, n + q, a] = state.hold[q, a]
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
    return 1
