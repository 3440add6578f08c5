"""What is wrong or doubtful in a scene with a continuous body: its strain law, what holds it, its timing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.non_sliding import Slip, slip
from snakestudio.errors import Problem, SceneError
from snakestudio.model.beam_shape import grid, shape
from snakestudio.model.holds import Holds
from snakestudio.model.scene import Scene
from snakestudio.model.strain import COMPONENTS, Formulas
from snakestudio.model.strain_law import StrainField, StrainLaw
from snakestudio.model.support import Anchors, EndAnchors, Rings, WaveAnchors

__all__ = ["check"]

FloatArray = NDArray[np.float64]

SAMPLES = 101
"""Times of the run that are looked at."""

MAY_SLIP = 1e-3
"""Sideways slip that is none, relative to the speed of the body or of its strains."""

HUGE = 1e12
"""Strains and their derivatives beyond this (SI) are taken for mistakes."""

ENOUGH = 81
"""Points along a body whose slip is looked for: more do not help to tell slip from none."""

_AVOID = "avoid 1/0, roots and logarithms of negative numbers, and huge numbers"

_GROUPS = {"R": (0,), "SE2": (0, 1, 5), "SE3": (0, 1, 2, 3, 4, 5)}


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, which has a continuous body."""
    with np.errstate(all="ignore"):  # formulas may be anything
        return _check(scene)


def _check(scene: Scene) -> list[Problem]:
    problems = _plain(scene)
    try:
        law = StrainLaw(scene.strain, scene.beam)
    except SceneError as error:
        return [*error.problems, *problems]
    try:
        holds = Holds(scene, law)
    except SceneError as error:
        return [*error.problems, *problems]
    times, points = np.linspace(0.0, scene.run.duration_s, SAMPLES), grid(scene)
    field = law.at(times, points)
    strains = _strains(scene, law, field, times, points)
    problems += strains
    if strains:  # nothing more can be said of a body that cannot be
        return problems
    if isinstance(scene.support, Rings):
        return [*problems, *_rings(scene, law, field, times, points)]
    return [*problems, *_held(scene, holds, times)]


def _plain(scene: Scene) -> list[Problem]:
    """What can be said without the law."""
    problems: list[Problem] = []
    support, group = scene.support, scene.beam.group
    if scene.start.kind not in ("straight", "gait"):
        problems.append(Problem(
            "error", "start.kind", f"a body with a strain law cannot start from '{scene.start.kind}'",
            "choose 'straight' or 'gait'",
        ))  # fmt: skip
    if isinstance(support, EndAnchors):
        steps = 0.5 * support.period_s / scene.solver.step_s
        if abs(steps - round(steps)) > 1e-6 * steps:
            message = f"half of {support.period_s:g} s is not a whole number of time steps of {scene.solver.step_s:g} s"
            better = 2 * max(1, round(steps)) * scene.solver.step_s
            problems.append(Problem("warning", "support.period_s", message, f"make it {better:g}, for example"))
    if not isinstance(support, Rings):
        return problems

    def wrong(key: str, message: str, remedy: str) -> None:
        problems.append(Problem("error", key, message, remedy))

    if group == "R":
        wrong("support.kind", "annular supports hold nothing sideways on a body that stays on a line",
              "choose other contacts, or beam.group = 'SE2'")  # fmt: skip
    elif support.count < 3:
        cannot = "forces along, across and a torque" if group == "SE2" else "a torque about the line between them"
        wrong("support.count", f"p={support.count} supports cannot carry {cannot}", "give at least 3")
    if support.side != "both" and group == "SE3":
        wrong("support.side", f"'{support.side}' supports are one-sided, which is for motions in a plane",
              "make it 'both', or beam.group = 'SE2'")  # fmt: skip
    if support.weights is not None:
        if len(support.weights) != support.count:
            wrong("support.weights", f"{len(support.weights)} weights for {support.count} supports",
                  "give one for each, or leave them out")  # fmt: skip
        if any(weight <= 0.0 for weight in support.weights):
            wrong("support.weights", f"{min(support.weights):g} is no weight", "give positive numbers")
    return problems


def _key(scene: Scene, index: int) -> str:
    """The key of what says a strain."""
    return f"strain.{COMPONENTS[index]}" if isinstance(scene.strain, Formulas) else "strain.kind"


def _strains(scene: Scene, law: StrainLaw, field: StrainField, times: FloatArray, points: FloatArray) -> list[Problem]:
    """Strains that no body can have, or not this one."""
    problems: list[Problem] = []
    motion = np.column_stack([law.travel(times)[:, None], law.speed(times)])
    if law.has_speed and not (fine := (np.abs(motion) < HUGE).all(axis=1)).all():
        at = times[np.argmin(fine)]
        problems.append(Problem("error", "strain.speed_m_s", f"it has no usable value at t = {at:.3g} s",
                                _AVOID))  # fmt: skip
        return problems
    allowed = _GROUPS[scene.beam.group]
    for index in law.components:
        parts = np.stack([part[:, :, index] for part in field])
        usable = np.abs(parts) < HUGE  # nor is what is not a number
        if not usable.all():
            i, j = np.argwhere(~usable.all(axis=0))[0]
            what = "derivative" if usable[0, i, j] else "value"
            problems.append(Problem(
                "error", _key(scene, index),
                f"{COMPONENTS[index]} has no usable {what} at X = {points[j]:.3g} m, t = {times[i]:.3g} s",
                _AVOID,
            ))  # fmt: skip
        elif index not in allowed and np.abs(parts[0]).max() > 0.0:
            names = ", ".join(COMPONENTS[i] for i in allowed)
            problems.append(Problem(
                "error", _key(scene, index),
                f"{COMPONENTS[index]} is not 0, but with beam.group = '{scene.beam.group}' a body has only {names}",
                "make it 0, or choose another beam.group",
            ))  # fmt: skip
    stretch = field.strain[:, :, 0]
    if not problems and (lowest := stretch.min()) <= 0.0:
        i, j = np.argwhere(stretch == lowest)[0]
        problems.append(Problem(
            "error", _key(scene, 0),
            f"gamma_x is {lowest:.3g} at X = {points[j]:.3g} m, t = {times[i]:.3g} s: the body is squeezed to nothing",
            "keep it above 0",
        ))  # fmt: skip
    return problems


def _held(scene: Scene, holds: Holds, times: FloatArray) -> list[Problem]:
    """Anchorages that are never on the body, and times without any."""
    support = scene.support
    if isinstance(support, Rings) or not support.kinematic:
        return []
    problems: list[Problem] = []
    active = holds.at(times)[0][:, :, 0] > 0.0
    if isinstance(support, Anchors):
        border = [b for anchor in support.anchors for b in (anchor.from_s, anchor.until_s) if b is not None]
        more = np.array([b for b in border if 0.0 <= b < scene.run.duration_s])
        times = np.unique(np.concatenate([times, more, 0.5 * (times[1:] + times[:-1])]))
        hold, twist = holds.at(times)
        active = hold[:, :, 0] > 0.0
        tame = (np.abs(np.concatenate([hold, twist], axis=2)) < HUGE).all(axis=2)
        for i in np.flatnonzero(~tame.all(axis=0)):
            t = times[np.argmin(tame[:, i])]
            problems.append(Problem(
                "error", f"support.anchors[{i + 1}]", f"its motion has no usable value at t = {t:.4g} s",
                _AVOID,
            ))  # fmt: skip
        for i in np.flatnonzero(~active.any(axis=0)):
            problems.append(Problem(
                "warning", f"support.anchors[{i + 1}]",
                f"'{support.anchors[i].at_m}' is never on the body of {scene.beam.length_m:g} m while it holds",
                "keep it between 0 and beam.length_m within the run",
            ))  # fmt: skip
    free = times[~active.any(axis=1)]
    if isinstance(support, WaveAnchors) and len(free) == len(times):
        problems.append(Problem(
            "error", "support.kind", "the strain law has no wave of contraction that the body could be anchored at",
            "let gamma_x have a minimum on the body, or choose other contacts",
        ))  # fmt: skip
    elif len(free):
        key = "support.anchors" if isinstance(support, Anchors) else "support.kind"
        remedy = (
            "make the waves shorter than the body"
            if isinstance(support, WaveAnchors)
            else "let an anchor hold at all times"
        )
        problems.append(Problem("error", key, f"nothing holds the body at t = {free[0]:.4g} s", remedy))
    return problems


def _rings(scene: Scene, law: StrainLaw, field: StrainField, times: FloatArray, points: FloatArray) -> list[Problem]:
    """Whether the strains let the body move without sliding sideways (P5 (50), (56), (63))."""
    if scene.beam.group == "R":
        return []
    support = scene.support
    assert isinstance(support, Rings)
    if support.fixed == "space" and not law.has_speed:
        return [Problem(
            "error", "support.fixed", "a strain law without a speed does not tell where supports fixed in space are",
            "give strain.speed_m_s, or make it 'body'",
        )]  # fmt: skip
    while len(points) > 2 * ENOUGH and (len(points) - 1) % 4 == 0:
        points, field = points[::2], StrainField(*(part[:, ::2] for part in field))
    turn, place = shape(field.strain, scene.beam.length_m)
    own = law.speed(times) if law.has_speed else None
    found: Slip = slip(field, turn, place, points, scene.beam.radius_m, None if own is None else own[:, 0])
    key = "strain.speed_m_s" if isinstance(scene.strain, Formulas) else "strain.kind"
    if found.undetermined is not None:
        t = times[found.undetermined]
        return [Problem(
            "error", key,
            f"supports do not determine the motion of a body of constant curvature, as at t = {t:.3g} s",
            "give strain.speed_m_s",
        )]  # fmt: skip
    rates = np.abs(field.rate).max(axis=(0, 1)) * scene.beam.length_m
    fastest = max(np.abs(found.speed).max(), rates[:3].max(), rates[3:].max() * scene.beam.length_m)
    i, j = np.unravel_index(np.argmax(found.size), found.size.shape)
    worst = float(found.size[i, j])
    if worst <= MAY_SLIP * fastest:
        return []
    return [Problem(
        "error", "strain.kind" if not isinstance(scene.strain, Formulas) else "strain",
        f"on annular supports the section at X = {points[j]:.3g} m would slide sideways at {1e3 * worst:.3g} mm/s at "
        f"t = {times[i]:.3g} s", "let the strains depend on s alone, or choose other contacts",
    )]  # fmt: skip
