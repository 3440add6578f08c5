"""A chain of links that follows a strain law: the discrete counterpart of a continuous body (P5, conclusion)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import OpenLoop
from snakestudio.control.ramp import Ramp, constant, lead_in
from snakestudio.control.strain_source import BLEND_TIME
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.controller import ControllerKind
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import value
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.joint_strain import joint_motion
from snakestudio.model.robot.smooth_steps import rise
from snakestudio.model.robot.strain import COMPONENTS, Strain
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

SAMPLES = 41
"""Numbers of times and of body points at which the law is checked."""


class StrainFollowerFields(ControllerFields):
    """The joints follow the scene's strain law as if the links were segments of its continuous body (P5).

    Joint j is at X = j l / n of the body. Its angle is the integral of the curvature over one link length
    centred there.
    """

    uses = ("strain",)

    kind: Literal["strain_follower"] = value(
        "strain_follower",
        label="Controller",
        help="The joints follow the strain law of the scene's continuous body",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    source: tuple[Strain, Beam]  # of the current law
    # laws, each with the body's length and its start time; later ones cover earlier ones
    layers: tuple[tuple[StrainLaw, float, float], ...]


class StrainFollower(OpenLoop):
    """References of all joints from the scene's strain law; open loop.

    In space, joints rotate about their two axes in sequence, whereas a body bends about both
    simultaneously. Where a law bends it about both, the twist error of the chain converges with order 1
    in n, everything else with order 2.

    A robot with another initial shape is blended to that of the law (except in a scene without lead-in),
    and a changed law is blended in, with continuous angles, rates and accelerations.

    Raises `SceneError` if a formula of the strain law cannot be used.

    Parameters
    ----------
    start : (m,) array, optional
        Initial joint angles, rad; those of the law if omitted.
    """

    def __init__(self, scene: Scene, start: FloatArray | None = None) -> None:
        self._links = scene.robot.n_links
        self._axes = scene.body.axes
        law = StrainLaw(scene.strain, scene.beam)
        self._state = _State((scene.strain, scene.beam), ((law, scene.beam.length_m, 0.0),))
        self._away = np.zeros(len(self._axes))
        self._approach: Ramp = constant(0.0)
        if start is not None and scene.control.lead_in:
            away = start - self.reference(np.zeros(1), None).angle[0]
            self._away, self._approach = lead_in(away)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """References as in `Controller.reference`; angles, rates and accelerations are exact at the knots."""
        motion: list[FloatArray] = []
        for law, length, since in self._state.layers:
            new = joint_motion(law, length, self._links, self._axes, time)
            if not motion:
                motion = list(new)
                continue
            u = ((time - since) / BLEND_TIME)[:, None]
            w = rise(u)
            rate = rise(u, 1) / BLEND_TIME
            acceleration = rise(u, 2) / BLEND_TIME**2
            d = [after - before for before, after in zip(motion, new, strict=True)]
            motion[2] = motion[2] + w * d[2] + 2.0 * rate * d[1] + acceleration * d[0]
            motion[1] = motion[1] + w * d[1] + rate * d[0]
            motion[0] = motion[0] + w * d[0]
        ramp = self._approach
        for part, left in zip(
            motion, (ramp.value(time), ramp.rate(time), ramp.acceleration(time)), strict=True
        ):
            part += left[:, None] * self._away
        return JointReference(time, *motion)

    def apply(self, scene: Scene, time: float) -> None:
        """Blend to the law of `scene` from `time` on.

        Raises `SceneError` if a formula of the strain law cannot be used; then nothing changes.
        """
        if (scene.strain, scene.beam) == self._state.source:
            return
        layers = self._state.layers
        done = [
            index
            for index, (_, _, since) in enumerate(layers)
            if index and time >= since + BLEND_TIME
        ]
        if done:  # this law covers all earlier ones
            layers = layers[done[-1] :]
        new = StrainLaw(scene.strain, scene.beam), scene.beam.length_m, time
        self._state = replace(self._state, source=(scene.strain, scene.beam), layers=(*layers, new))

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state = checkpoint


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` with this controller."""
    problems: list[Problem] = []
    try:
        law = StrainLaw(scene.strain, scene.beam)
    except SceneError as error:
        return list(error.problems)
    times = np.linspace(0.0, scene.run.duration_s, SAMPLES)
    points = np.linspace(0.0, scene.beam.length_m, SAMPLES)
    with np.errstate(all="ignore"):  # formulas may be anything
        field = law.at(times, points)
    strain = field.strain
    keys = [scene.strain.key(name) for name in COMPONENTS]
    for entry in range(6):
        parts = (strain[:, :, entry], field.rate[:, :, entry], field.acceleration[:, :, entry])
        if not all(np.isfinite(part).all() for part in parts):
            problems.append(
                Problem(
                    "error",
                    keys[entry],
                    f"{COMPONENTS[entry]} is not finite somewhere on the body during the run",
                    "avoid 1/0, roots and logarithms of negative numbers, and very large numbers",
                )
            )
        elif entry < 4 and np.abs(parts[0] - (1.0 if entry == 0 else 0.0)).max() > 1e-12:
            usual = "1" if entry == 0 else "0"
            problems.append(
                Problem(
                    "error",
                    keys[entry],
                    f"{COMPONENTS[entry]} is not {usual} everywhere, but links cannot stretch, shear or twist",
                    f"set it to {usual}, choose a law that only bends, or choose another controller.kind",
                )
            )
    if not scene.model.spatial and np.abs(strain[:, :, 4]).max() > 1e-12:
        problems.append(
            Problem(
                "warning",
                keys[4],
                "k_y_per_m bends the body out of the plane, but joints of a planar model cannot",
                'set it to 0, or set model.kind to "spatial_nonsmooth"',
            )
        )
    body = scene.beam.length_m
    robot = scene.robot.length
    if abs(body - robot) > 0.01 * robot:
        problems.append(
            Problem(
                "hint",
                "beam.length_m",
                f"the body of the strain law is {body:g} m long, but the robot is {robot:.4g} m long",
                f"set it to {robot:.6g} to give the robot the shape of the body",
            )
        )
    if scene.robot.head == "last":
        problems.append(
            Problem(
                "hint",
                "robot.head",
                "the head of the strain law is at the first link, but the robot's head is at the last",
                'set it to "first"',
            )
        )
    return problems


KIND = ControllerKind(
    fields=StrainFollowerFields,
    make=StrainFollower,
    title="Strain law (P5)",
    help="The joints follow the scene's strain law as if the links were segments of its continuous body.",
    place=4,
    check=check,
    states={"strain_follower": _State},
    formerly={
        "control.strain_follower:_State": _State,
        "model.controllers:StrainFollower": StrainFollowerFields,
    },
)
