"""Errors and warnings of a scene for this formulation, in numpy only (without compiled code).

Strain law and contacts are checked with the source of the strain references, in
control/strain_check.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio.engines import checks
from snakestudio.errors import Problem
from snakestudio.model.ground_friction import ground_friction_problems
from snakestudio.model.motion import PlacedStart
from snakestudio.model.robot.beam import GROUPS, TIP
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene


def largest_stable_step(scene: Scene) -> float:
    """Return infinity: steps are subdivided according to their error."""
    return math.inf


def _obstacles(scene: Scene) -> list[Problem]:
    """Return the problem of obstacles, which this model does not support."""
    if not scene.obstacles:
        return []
    return [
        Problem(
            "error",
            "obstacles",
            "this model does not support obstacles, only the anchors and supports in the support table",
            'remove them, or set model.kind to "planar_nonsmooth", "planar_nonholonomic" or "spatial_nonsmooth"',
            obstacles=tuple(range(len(scene.obstacles))),
        )
    ]


def _friction(scene: Scene, base_dir: Path | None) -> list[Problem]:
    """Return problems of a body that is moved by friction but is not flat on the ground."""
    if scene.support.kinematic:
        return []
    problems = []
    if scene.beam.group == "SE3":
        problems.append(
            Problem(
                "error",
                "support.kind",
                "friction requires a body on the ground, but this one can move in space",
                'set beam.group to "SE2", or choose other contacts',
            )
        )
    start = scene.start
    if isinstance(start, PlacedStart):
        for key, angle in (
            ("start.pitch_deg", start.pitch_deg),
            ("start.roll_deg", start.roll_deg),
        ):
            if angle != 0.0:
                problems.append(
                    Problem(
                        "error",
                        key,
                        f"{angle:g}° lifts the body off the ground, so friction cannot act",
                        "set it to 0",
                    )
                )
    problems += ground_friction_problems(scene, base_dir)
    if scene.support.viscous == (0.0, 0.0):
        problems += checks.missing_friction(scene)
    return problems


def _tip(scene: Scene) -> list[Problem]:
    """Return problems of components of the tip wrench in directions in which the body does not move."""
    start = scene.start
    group = scene.beam.group
    angles = (getattr(start, name, 0.0) for name in ("heading_deg", "pitch_deg", "roll_deg"))
    frame = rotation(*(math.radians(angle) for angle in angles))
    allowed = np.array(GROUPS[group])
    seen = np.kron(np.eye(2), frame.T)  # columns: axes of the ground in the body's frame
    return [
        Problem(
            "warning",
            f"beam.{name}",
            f"{value:g} has no effect: with beam.group = '{group}' the body does not move in this direction",
            "set it to 0, or choose another beam.group",
        )
        for k, (name, value) in enumerate(zip(TIP, scene.beam.tip_wrench, strict=True))
        if value and np.linalg.norm(seen[allowed, k]) < 1e-9
    ]


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene`; `base_dir` is the folder of relative file names."""
    return _obstacles(scene) + _friction(scene, base_dir) + _tip(scene)
