"""A chain of links that follows a strain law: the discrete counterpart of a continuous body (P5, conclusion)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.base import OpenLoop
from snakestudio.control.gaits.ramp import Ramp, constant, lead_in
from snakestudio.control.strain_source import BLEND_TIME
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.joint_strain import joint_motion
from snakestudio.model.robot.smooth_steps import rise
from snakestudio.model.robot.strain import Strain
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

__all__ = ["StrainFollower"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    source: tuple[Strain, Beam]  # of the law in force
    layers: tuple[
        tuple[StrainLaw, float, float], ...
    ]  # laws with the body's length and since when; the first is beneath


class StrainFollower(OpenLoop):
    """References of all joints from the scene's strain law; open loop.

    In space the joints bend about their two axes one after the other, a body about both at once: where a law bends it
    about both, the chain's twist against it falls with the order 1 in n, everything else with order 2.

    A robot that starts in another shape is led to the law's (not so in a scene without lead-in), and a changed law
    takes over, with continuous angles, rates and accelerations.

    Parameters
    ----------
    scene : Scene
    start : (n-1, 2) array, optional
        Joint angles the robot starts with, rad; those of the law if left out.

    Raises
    ------
    SceneError
        If a formula of the strain law cannot be used.
    """

    def __init__(self, scene: Scene, start: FloatArray | None = None) -> None:
        self._links, self._spatial = scene.robot.n_links, scene.model.spatial
        law = StrainLaw(scene.strain, scene.beam)
        self._state = _State((scene.strain, scene.beam), ((law, scene.beam.length_m, 0.0),))
        self._away = np.zeros((self._links - 1, 2))
        self._approach: Ramp = constant(0.0)
        if start is not None and scene.control.lead_in:
            away = start - self.reference(np.zeros(1), None).angle[0]
            self._away, self._approach = lead_in(away)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """See `Controller.reference`; angles, rates and accelerations are exact at every knot."""
        motion: list[FloatArray] = []
        for law, length, since in self._state.layers:
            new = joint_motion(law, length, self._links, time)
            if not motion:
                motion = list(new)
                continue
            u = ((time - since) / BLEND_TIME)[:, None, None]
            w, rate, acceleration = rise(u), rise(u, 1) / BLEND_TIME, rise(u, 2) / BLEND_TIME**2
            d = [after - before for before, after in zip(motion, new, strict=True)]
            motion[2] = motion[2] + w * d[2] + 2.0 * rate * d[1] + acceleration * d[0]
            motion[1] = motion[1] + w * d[1] + rate * d[0]
            motion[0] = motion[0] + w * d[0]
        ramp = self._approach
        for part, left in zip(motion, (ramp.value(time), ramp.rate(time), ramp.acceleration(time)), strict=True):
            part += left[:, None, None] * self._away
            if not self._spatial:
                part[:, :, 1] = 0.0
        return JointReference(time, *motion)

    def apply(self, scene: Scene, time: float) -> None:
        """Let the law of `scene` take over from `time` on.

        Raises
        ------
        SceneError
            If a formula of the strain law cannot be used; then nothing has changed.
        """
        if (scene.strain, scene.beam) == self._state.source:
            return
        layers = self._state.layers
        done = [index for index, (_, _, since) in enumerate(layers) if index and time >= since + BLEND_TIME]
        if done:  # it covers all that is beneath
            layers = layers[done[-1] :]
        new = StrainLaw(scene.strain, scene.beam), scene.beam.length_m, time
        self._state = replace(self._state, source=(scene.strain, scene.beam), layers=(*layers, new))

    def checkpoint(self) -> Any:
        """The full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._state = checkpoint
