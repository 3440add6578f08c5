"""Scene of an imported robot: a stable time step, and a gait verified by short simulations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.robot_files.gait_choice import GaitProposal
from snakestudio.robot_files.to_scene import ImportedRobot
from snakestudio.session.engine_compiler import is_prepared
from snakestudio.session.gait_trial import BUDGET_S, GaitTrial, try_gait
from snakestudio.session.scene_check import check
from snakestudio.text import listing, number_text

FAR = 0.2
"""Body lengths in 10 s that a gait must move a robot."""

_SLOW = math.radians(30.0)
"""Largest speed of a joint with which robots hardly move, rad/s."""


class ProposedGait(NamedTuple):
    """Gait for an imported robot."""

    proposal: GaitProposal
    notes: tuple[str, ...]
    """Why it was chosen and how far it moves the robot, one sentence each."""


def by_rule(imported: ImportedRobot) -> ProposedGait:
    """Gait by the axes of the robot and the friction of the ground."""
    first = imported.gaits[0]
    return ProposedGait(first, (f"The gait is {_named(first)}, because {first.reason}.",))


def verified(
    imported: ImportedRobot,
    scene: Scene,
    *,
    budget_s: float = BUDGET_S,
    now: Callable[[], float] = time.monotonic,
    stopped: Callable[[], bool] = lambda: False,
    trial: Callable[..., GaitTrial] = try_gait,
) -> ProposedGait:
    """Gait of the first proposal that moves the robot in a short simulation, or of the fastest one.

    Without a compiled engine it is the one by the rule.

    Parameters
    ----------
    scene : Scene
        Scene with the robot.
    budget_s : float
        Time that each simulation may take, s.
    now, stopped
        Clock of the simulations, s, and whether to stop them.
    trial : callable
        Simulates a scene.
    """
    rule = by_rule(imported)
    if not is_prepared(scene.model.kind):
        return rule._replace(
            notes=(*rule.notes, "It was not simulated, because the engine is not compiled yet.")
        )
    distances: list[tuple[float, GaitProposal]] = []
    for proposal in imported.gaits:
        result = trial(
            scene.model_copy(update={"gait": proposal.gait}),
            budget_s=budget_s,
            now=now,
            stopped=stopped,
        )
        if not result.is_known:
            return rule._replace(
                notes=(*rule.notes, "It was not simulated, because that takes long for this robot.")
            )
        distances.append((10.0 * result.speed / scene.robot.length, proposal))
        if distances[-1][0] >= FAR:
            break
    length, best = max(distances, key=lambda each: each[0])
    others = listing(
        (f"{_named(other)} by {_lengths(far)}" for far, other in distances if other is not best),
        "and",
    )
    compared = f", {others}" if others else ""
    far = f"In a short simulation it moves the robot by {_lengths(length)} body lengths in 10 s{compared}."
    notes = [f"The gait is {_named(best)}, because {best.reason}.", far]
    if length < FAR:
        notes.append(_reason_for_rest(imported, scene))
    return ProposedGait(best, tuple(notes))


def _named(proposal: GaitProposal) -> str:
    return proposal.title.lower()


def _lengths(value: float) -> str:
    return number_text(float(f"{value:.2g}"))


def _reason_for_rest(imported: ImportedRobot, scene: Scene) -> str:
    """Sentences why no gait moves the robot far."""
    if scene.ground.gravity_m_s2 == 0.0:
        return (
            "The robot hardly moves, because the file has no gravity and so the ground no friction. "
            "Set ground.gravity_m_s2."
        )
    speeds = [axis.max_speed for axis in imported.axes if axis.max_speed is not None]
    if speeds and min(speeds) < _SLOW:
        slowest = math.degrees(min(speeds))
        return (
            f"The robot moves slowly, because the file limits its joints to {slowest:.3g}°/s. "
            "Raise actuator.max_speed_deg_s if the motors are faster."
        )
    if not any(axis.kind == "pitch" for axis in imported.axes):
        return (
            "The robot moves slowly, because it cannot lift links and friction across them is not larger than along "
            "them. Increase ground.mu_across, or add obstacles."
        )
    return (
        "The robot moves slowly, because its joints follow the gait poorly. "
        "Increase joint_controller.kp_nm_per_rad and actuator.max_torque_nm, or reduce the amplitudes."
    )


def with_stable_step(scene: Scene, folder: Path | None) -> tuple[Scene, tuple[str, ...]]:
    """Return a scene with a time step that is stable for its gains, and a sentence if that is a new one.

    Parameters
    ----------
    folder : Path or None
        Folder of the relative file names in the scene.
    """
    for problem in check(scene, folder):
        if problem.key == "solver.step_s" and problem.fixes:
            changed = with_values(scene, dict(problem.fixes[0].values))
            return changed, (f"{problem.fixes[0].label}, because the gains need it.",)
    return scene, ()
