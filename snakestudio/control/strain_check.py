"""Checks of scenes with a continuous body: strain law, supports and timing."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.anchorage import anchorage, switches
from snakestudio.control.non_sliding import Slip, slip
from snakestudio.errors import Problem, SceneError
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.beam import GROUPS
from snakestudio.model.robot.beam_shape import HIDDEN, grid, resolution, shape
from snakestudio.model.robot.strain import COMPONENTS
from snakestudio.model.robot.strain_bounds import HUGE, extremes, hidden, speed_pole
from snakestudio.model.robot.strain_law import StrainField, StrainLaw
from snakestudio.model.scene import Scene

SAMPLES = 101
"""Number of times of the run that are checked."""

MAY_SLIP = 1e-3
"""Negligible sideways slip, relative to the speed of the body or of its strains."""

ENOUGH = 81
"""Initial number of points along the body at which slip is computed; enough for most bodies."""

MAY_DISAGREE = 0.01
"""Negligible slip of anchored sections, relative to the fastest section."""

MAY_JUMP = 1e-3
"""Negligible jump of the kinetic energy, relative to its maximum."""

JUST_BEFORE = 1e-7
"""Interval before a change of anchors at which the previous motion is evaluated, s."""

FEW = 13
"""Number of times, those with the most slip, at which more points are checked."""

_AVOID = "avoid 1/0, roots and logarithms of negative numbers, and very large numbers"


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` with a continuous body."""
    with np.errstate(all="ignore"):  # formulas may be anything
        return _check(scene)


def _check(scene: Scene) -> list[Problem]:
    problems = _plain(scene)
    try:
        law = StrainLaw(scene.strain, scene.beam)
    except SceneError as error:
        return [*error.problems, *problems]
    try:
        holds = Attachments(scene, law)
    except SceneError as error:
        return [*error.problems, *problems]
    times = np.linspace(0.0, scene.run.duration_s, SAMPLES)
    points = grid(scene)
    field = law.at(times, points)
    strains = _strains(scene, law, field, times, points) or _between(scene, law)
    if strains:  # an impossible body cannot be checked further
        return [*problems, *strains]
    problems += _coarse(scene) + _tight(scene, law, field, times, points)
    if scene.support.guides:
        return [*problems, *_rings(scene, law, field, times, points)]
    held = _held(scene, holds, times)
    if not any(problem.severity == "error" for problem in held) and scene.support.kinematic:
        held += _unused(scene, holds, times) + _contradicting(scene, law, holds, times)
    return [*problems, *held]


def _plain(scene: Scene) -> list[Problem]:
    """Return the checks that do not need the law."""
    problems: list[Problem] = []
    if not scene.start.any_body:
        problems.append(
            Problem(
                "error",
                "start.kind",
                f"a body with a strain law cannot start from '{scene.start.kind}'",
                "choose 'straight' or 'gait'",
            )
        )
    return problems + scene.support.problems(scene.beam.group, scene.solver.step_s)


def _strains(
    scene: Scene, law: StrainLaw, field: StrainField, times: FloatArray, points: FloatArray
) -> list[Problem]:
    """Return the errors for strains that are impossible for any body, or for this one."""
    problems: list[Problem] = []
    motion = np.column_stack([law.travel(times)[:, None], law.speed(times)])
    if law.has_speed and not (fine := (np.abs(motion) < HUGE).all(axis=1)).all():
        at = times[np.argmin(fine)]
        problems.append(
            Problem(
                "error", "strain.speed_m_s", f"it has no finite value at t = {at:.3g} s", _AVOID
            )
        )
        return problems
    allowed = GROUPS[scene.beam.group]
    for index in law.components:
        parts = np.stack([part[:, :, index] for part in field])
        usable = np.abs(parts) < HUGE  # False for NaN
        if not usable.all():
            i, j = np.argwhere(~usable.all(axis=0))[0]
            what = "derivative" if usable[0, i, j] else "value"
            problems.append(
                Problem(
                    "error",
                    scene.strain.key(COMPONENTS[index]),
                    f"{COMPONENTS[index]} has no finite {what} at X = {points[j]:.3g} m, t = {times[i]:.3g} s",
                    _AVOID,
                )
            )
        elif index not in allowed and np.abs(parts[0]).max() > 0.0:
            names = ", ".join(COMPONENTS[i] for i in allowed)
            problems.append(
                Problem(
                    "error",
                    scene.strain.key(COMPONENTS[index]),
                    f"{COMPONENTS[index]} is not 0, but with beam.group = '{scene.beam.group}' a body has only {names}",
                    "set it to 0, or choose another beam.group",
                )
            )
    stretch = field.strain[:, :, 0]
    if not problems and (lowest := stretch.min()) <= 0.0:
        i, j = np.argwhere(stretch == lowest)[0]
        problems.append(
            Problem(
                "error",
                scene.strain.key(COMPONENTS[0]),
                f"gamma_x is {lowest:.3g} at X = {points[j]:.3g} m, t = {times[i]:.3g} s: "
                "the body is compressed to zero length",
                "keep it above 0",
            )
        )
    return problems


def _places(law: StrainLaw, duration: float) -> tuple[FloatArray, FloatArray]:
    """Return additional times (k,) and abscissas (m,) at which the law has an extremum or is not finite."""
    places = [(each.time, each.abscissa) for each in extremes(law, duration)]
    return np.unique([t for t, _ in places]), np.unique([x for _, x in places])


def _between(scene: Scene, law: StrainLaw) -> list[Problem]:
    """Return the errors for impossible strains between the checked times and points."""
    if pole := speed_pole(law, scene.run.duration_s):
        return [
            Problem(
                "error",
                "strain.speed_m_s",
                f"it has no finite value at t = {pole.time:.3g} s",
                _AVOID,
            )
        ]
    times, points = _places(law, scene.run.duration_s)
    return _strains(scene, law, law.at(times, points), times, points) if len(times) else []


def _coarse(scene: Scene) -> list[Problem]:
    """Return the errors if even the finest grid does not resolve the law."""
    grid = resolution(scene)
    if grid.hidden.fraction >= HIDDEN:
        index = grid.hidden.component
        length = scene.beam.length_m
        return [
            Problem(
                "warning",
                scene.strain.key(COMPONENTS[index]),
                f"{COMPONENTS[index]} changes at X = {grid.hidden.abscissa:.4g} m, t = {grid.hidden.time:.4g} s over a "
                f"length too short for {grid.slices} slices, which can misplace the tail by "
                f"{1e3 * grid.hidden.fraction * length:.3g} mm",
                f"spread the change over more than {2.0 * length / grid.slices:.2g} m",
            )
        ]
    if grid.excess > 1.0:
        return [
            Problem(
                "warning",
                "solver.error_tolerance",
                f"the error of the body's shape or rates is {grid.excess:.3g} times the tolerance "
                f"with {grid.slices} slices, the maximum",
                "increase it, or make the strain law smoother",
            )
        ]
    return []


def _tight(
    scene: Scene, law: StrainLaw, field: StrainField, times: FloatArray, points: FloatArray
) -> list[Problem]:
    """Return the errors for bends so tight that the cross-sections overlap on the inner side: r K > Gamma_X."""
    more = _places(law, scene.run.duration_s)
    samples = [(field.strain, times, points)]
    if len(more[0]):
        samples.append((law.at(*more).strain, *more))
    worst = 1.0
    problem = []
    for strain, t, x in samples:
        bend = np.hypot(strain[:, :, 4], strain[:, :, 5])
        over = scene.beam.radius_m * bend / np.maximum(strain[:, :, 0], 1e-12)
        if over.max(initial=0.0) > worst:
            worst = float(over.max())
            i, j = np.unravel_index(np.argmax(over), over.shape)
            index = 4 if abs(strain[i, j, 4]) > abs(strain[i, j, 5]) else 5
            problem = [
                Problem(
                    "warning",
                    scene.strain.key(COMPONENTS[index]),
                    f"the body is bent by {bend[i, j]:.4g} 1/m at X = {x[j]:.3g} m, t = {t[i]:.3g} s: its inner side, "
                    f"{scene.beam.radius_m:g} m from the centre line, would pass through itself",
                    f"stay below {bend[i, j] / worst:.4g} 1/m there, or reduce beam.radius_m",
                )
            ]
    return problem


def _held(scene: Scene, holds: Attachments, times: FloatArray) -> list[Problem]:
    """Return the problems for anchors that are never on the body, and for times without any anchor."""
    support = scene.support
    if support.guides or not support.kinematic:
        return []
    problems: list[Problem] = []
    active = holds.at(times)[0][:, :, 0] > 0.0
    if support.explicit_anchors:
        border = [
            b
            for anchor in support.explicit_anchors
            for b in (anchor.from_s, anchor.until_s)
            if b is not None
        ]
        more = np.array([b for b in border if 0.0 <= b < scene.run.duration_s])
        times = np.unique(np.concatenate([times, more, 0.5 * (times[1:] + times[:-1])]))
        hold, twist = holds.at(times)
        active = hold[:, :, 0] > 0.0
        tame = (np.abs(np.concatenate([hold, twist], axis=2)) < HUGE).all(axis=2)
        for i in np.flatnonzero(~tame.all(axis=0)):
            t = times[np.argmin(tame[:, i])]
            problems.append(
                Problem(
                    "error",
                    f"support.anchors[{i + 1}]",
                    f"its motion has no finite value at t = {t:.4g} s",
                    _AVOID,
                )
            )
        for i in np.flatnonzero(~active.any(axis=0)):
            at = support.explicit_anchors[i].at_m
            problems.append(
                Problem(
                    "warning",
                    f"support.anchors[{i + 1}]",
                    f"'{at}' is never on the body of {scene.beam.length_m:g} m while it is active",
                    "keep it between 0 and beam.length_m within the run",
                )
            )
    free = times[~active.any(axis=1)]
    if support.at_contractions and len(free) == len(times):
        problems.append(
            Problem(
                "error",
                "support.kind",
                "the strain law has no wave of contraction at which the body could be anchored",
                "choose a gamma_x with a minimum on the body, or other contacts",
            )
        )
    elif len(free):
        key = "support.anchors" if support.explicit_anchors else "support.kind"
        remedy = (
            "make the waves shorter than the body"
            if support.at_contractions
            else "keep an anchor active at all times"
        )
        problems.append(
            Problem("error", key, f"nothing holds the body at t = {free[0]:.4g} s", remedy)
        )
    return problems


def _unused(scene: Scene, holds: Attachments, times: FloatArray) -> list[Problem]:
    """Return the warnings for components of anchor motion that the body cannot follow."""
    if not scene.support.explicit_anchors:
        return []
    allowed = GROUPS[scene.beam.group]
    names = ", ".join(("V_X", "V_Y", "V_Z", "Omega_X", "Omega_Y", "Omega_Z")[e] for e in allowed)
    twist = np.abs(holds.at(times)[1][:, :, :6]).max(axis=0)
    return [
        Problem(
            "warning",
            f"support.anchors[{i + 1}].{'velocity_m_s' if e < 3 else 'angular_velocity_rad_s'}",
            f"its component {e % 3 + 1} of up to {twist[i, e]:.3g} {'m/s' if e < 3 else 'rad/s'} has no effect: with "
            f"beam.group = '{scene.beam.group}' a body moves by {names}",
            "set it to 0, or choose another beam.group",
        )
        for i in range(len(twist))
        for e in range(6)
        if e not in allowed and twist[i, e] > 0.0
    ]


def _contradicting(
    scene: Scene, law: StrainLaw, holds: Attachments, times: FloatArray
) -> list[Problem]:
    """Warnings for anchors that cannot all be at rest, and for changes of anchors that make the motion jump."""
    problems: list[Problem] = []
    key = "support.anchors" if scene.support.explicit_anchors else "support.kind"
    changes = switches(holds, times)
    checked = np.unique(np.concatenate([times, changes, changes - JUST_BEFORE]))
    checked = checked[checked >= 0.0]
    motion = anchorage(scene, law, holds, checked)
    i, j = np.unravel_index(np.argmax(motion.slip), motion.slip.shape)
    if motion.slip[i, j] > MAY_DISAGREE * motion.fastest.max() + 1e-9:
        problems.append(
            Problem(
                "warning",
                key,
                f"the anchors contradict each other: with this strain law they cannot all be at rest, and the "
                f"section of anchor {j + 1} slips at {motion.slip[i, j]:.3g} m/s at t = {checked[i]:.3g} s",
                "activate one anchor at a time, or keep the strains between two anchors constant",
            )
        )
    at = np.searchsorted(checked, changes)
    jump = motion.kinetic[at] - motion.kinetic[np.maximum(at - 1, 0)]
    if len(jump) and np.abs(jump).max() > MAY_JUMP * motion.kinetic.max() + 1e-15:
        most = int(np.argmax(np.abs(jump)))
        problems.append(
            Problem(
                "warning",
                key,
                f"at t = {changes[most]:.4g} s the anchors change while the body moves: its kinetic energy jumps by "
                f"{jump[most]:.3g} J, which the energy balance does not account for",
                "change anchors while the strains are at rest, or while both anchors require the same motion",
            )
        )
    return problems


def _rings(
    scene: Scene, law: StrainLaw, field: StrainField, times: FloatArray, points: FloatArray
) -> list[Problem]:
    """Return the errors if the body cannot move without sideways slip (P5 (50), (56), (63))."""
    if scene.beam.group == "R":
        return []
    if getattr(scene.support, "fixed", "") == "space" and not law.has_speed:
        return [
            Problem(
                "error",
                "support.fixed",
                "a strain law without a speed does not define where supports fixed in space are",
                "set strain.speed_m_s, or set this to 'body'",
            )
        ]
    most = 2 * ENOUGH
    while (
        most < len(points)
        and hidden(law, times[:: SAMPLES // FEW], _thinned(points, most)).fraction >= HIDDEN
    ):
        most *= 2
    if most > 2 * ENOUGH:
        some = np.linspace(0, len(times) - 1, FEW).astype(np.int64)
        times = times[some]
        field = StrainField(*(part[some] for part in field))
    slip, checked = _slip(scene, law, field, times, points, most)
    key = scene.strain.key("speed_m_s")
    if slip.undetermined is not None:
        t = times[slip.undetermined]
        return [
            Problem(
                "error",
                key,
                f"supports do not determine the motion of a body of constant curvature, as at t = {t:.3g} s",
                "set strain.speed_m_s",
            )
        ]
    i, j = np.unravel_index(np.argmax(slip.size), slip.size.shape)
    worst = float(slip.size[i, j])
    before = np.inf
    while worst > (allowed := MAY_SLIP * _fastest(scene, field, slip)) and len(checked) < len(
        points
    ):
        # The slip is due to too few points or to the law; only the former shrinks with more points.
        before = worst
        some = np.sort(np.argsort(slip.size.max(axis=1))[-FEW:])
        times = times[some]
        field = StrainField(*(part[some] for part in field))
        slip, checked = _slip(scene, law, field, times, points, 2 * len(checked))
        i, j = np.unravel_index(np.argmax(slip.size), slip.size.shape)
        worst = float(slip.size[i, j])
    if worst <= allowed or worst < 0.5 * before < np.inf:
        return []
    return [
        Problem(
            "error",
            "strain" if scene.strain.typed else "strain.kind",
            f"on annular supports, the section at X = {checked[j]:.3g} m would slip sideways "
            f"at {1e3 * worst:.3g} mm/s at t = {times[i]:.3g} s",
            "make the strains functions of s alone, or choose other contacts",
        )
    ]


def _slip(
    scene: Scene,
    law: StrainLaw,
    field: StrainField,
    times: FloatArray,
    points: FloatArray,
    most: int,
) -> tuple[Slip, FloatArray]:
    """Return the sideways slip of a body at about `most` of its points, and these points."""
    stride = (len(points) - 1) // (len(_thinned(points, most)) - 1)
    points = points[::stride]
    field = StrainField(*(part[:, ::stride] for part in field))
    turn, position = shape(field.strain, scene.beam.length_m)
    own = law.speed(times)[:, 0] if law.has_speed else None
    return slip(field, turn, position, points, scene.beam.radius_m, own), points


def _thinned(points: FloatArray, most: int) -> FloatArray:
    """Select about `most` of evenly spaced points; ends and midpoints of slices stay ends and midpoints."""
    while len(points) > most and (len(points) - 1) % 4 == 0:
        points = points[::2]
    return points


def _fastest(scene: Scene, field: StrainField, slip: Slip) -> float:
    """Reference speed for slip: the largest speed of the body, or the integral of its strain rates, m/s."""
    rates = np.abs(field.rate).mean(axis=1).max(axis=0) * scene.beam.length_m
    return float(
        max(np.abs(slip.speed).max(), rates[:3].max(), rates[3:].max() * scene.beam.length_m)
    )
