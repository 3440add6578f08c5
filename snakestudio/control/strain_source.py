"""Strains of a continuous body from its strain law, with smooth transitions between laws."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.control.base import OpenLoop
from snakestudio.control.ramp import Ramp, constant
from snakestudio.model.reference import StrainReference
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.beam_shape import grid
from snakestudio.model.robot.smooth_steps import rise
from snakestudio.model.robot.strain import Strain
from snakestudio.model.robot.strain_law import StrainField, StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

BLEND_TIME = 0.5
"""Duration of a transition to a changed law on the whole body, or to a changed speed, s."""

ENTRY = 0.25
"""Length over which a changed law enters a body that moves along its own shape, in body lengths."""

_NOTHING = constant(0.0)


@dataclass(frozen=True, slots=True)
class _Drive:
    """Speed along the body since `start`: that of the law, plus the decaying remainder of the previous one (`rest`)."""

    law: StrainLaw
    start: float = 0.0
    travelled: float = 0.0  # integral of V_o until `start`, m
    rest: Ramp = _NOTHING

    def at(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the integral of V_o since the start of the run (k,), and V_o and its derivative (k, 2).

        With a law without a speed, the speed of the previous law decays to rest, together with the
        pattern that it left on the body.
        """
        left = np.column_stack([self.rest.value(t), self.rest.rate(t)])
        since = self.law.travel(t) - self.law.travel(np.array([self.start])) + self.rest.integral(t)
        return self.travelled + since, self._own(t) + left

    def _own(self, t: FloatArray) -> FloatArray:
        return self.law.speed(t) if self.law.has_speed else np.zeros((len(t), 2))

    def towards(self, law: StrainLaw, time: float) -> _Drive:
        """Return the drive of `law` that continues distance, speed and acceleration at `time`."""
        at = np.array([time])
        travelled, now = self.at(at)
        new = _Drive(law)
        d, v = now[0] - new.at(at)[1][0]
        v *= BLEND_TIME
        # The quintic that starts with d and v and ends at rest at 0.
        powers = (d, v, 0.0, -10 * d - 6 * v, 15 * d + 8 * v, -6 * d - 3 * v)
        rest = Ramp(0.0, time, BLEND_TIME, tuple(map(float, powers)))
        return _Drive(law, time, float(travelled[0]), rest)


@dataclass(frozen=True, slots=True)
class _Layer:
    """A law that replaces the previous ones."""

    law: StrainLaw
    start: float
    border: float = np.nan
    """Initial s = X + distance at the end of the body at which the law enters, m; NaN: the law replaces
    the previous ones on the whole body."""

    length: float = 1.0
    """Length over which the law enters, m; the sign selects the side of the border."""

    def weight(
        self, t: FloatArray, x: FloatArray, travelled: FloatArray, speed: FloatArray
    ) -> tuple[FloatArray, ...]:
        """Return the weight of the law and the derivatives in `StrainField`, each (k, m)."""
        if np.isnan(self.border):
            u = ((t - self.start) / BLEND_TIME)[:, None]
            du = 1.0 / BLEND_TIME
            parts = rise(u), du * rise(u, 1), du * du * rise(u, 2), np.zeros_like(u)
            return tuple(np.broadcast_to(part, (len(t), len(x))) for part in parts)
        u = (x[None, :] + travelled[:, None] - self.border) / self.length
        du = 1.0 / self.length
        v = speed[:, :1] * du
        a = speed[:, 1:] * du
        first = rise(u, 1)
        second = rise(u, 2)
        return rise(u), v * first, v * v * second + a * first, du * first


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    strain: Strain  # of the current law
    drive: _Drive
    layers: tuple[_Layer, ...]  # later layers cover earlier ones
    holds: Attachments
    grid: FloatArray  # abscissas of the references


class StrainSource(OpenLoop):
    """Strains of a continuous body, and its supports.

    A law that changes during a run is blended in without a jump of the strains or of their first two
    derivatives. On annular supports it enters at the leading end and moves along the body with it: its
    weight depends only on s = X + integral of V_o, so laws of s remain laws of s, and no section slips
    sideways (P5 (51)). Otherwise it is blended in on the whole body within `BLEND_TIME`. The distance
    travelled is continuous; a new speed is reached within that time.

    Raises `SceneError` if a formula of the scene cannot be used.
    """

    def __init__(self, scene: Scene) -> None:
        self._length = scene.beam.length_m
        law = StrainLaw(scene.strain, scene.beam)
        self._state = _State(
            scene.strain, _Drive(law), (_Layer(law, 0.0),), Attachments(scene, law), grid(scene)
        )

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> StrainReference:
        """Return the strains at `time` (k,) and at the midpoints, as Runge-Kutta steps need them: 2k - 1 knots."""
        t = np.empty(2 * len(time) - 1)
        t[::2] = time
        t[1::2] = 0.5 * (time[:-1] + time[1:])
        state = self._state
        travelled, speed = state.drive.at(t)
        alone = self._covers(t)
        hold = np.empty((len(t), state.holds.count, 4))
        twist = np.empty((len(t), state.holds.count, 12))
        for which, field in ((alone, None), (~alone, self.field)):
            if which.any():
                hold[which], twist[which] = state.holds.at(
                    t[which], travelled[which], speed[which], field
                )
        if not state.drive.law.has_speed:
            speed = np.full_like(speed, np.nan)
        strains = self.field(t, state.grid)
        return StrainReference(
            t,
            state.grid,
            strains.strain,
            strains.rate,
            strains.acceleration,
            speed,
            travelled,
            hold,
            twist,
        )

    def _ends(self, t: FloatArray) -> FloatArray:
        """Weight of the current law at both ends of the body at times `t`, (k, 2); it is monotonic in between."""
        if len(self._state.layers) == 1:
            return np.ones((len(t), 2))
        travelled, speed = self._state.drive.at(t)
        return self._state.layers[-1].weight(t, np.array([0.0, self._length]), travelled, speed)[0]

    def _covers(self, t: FloatArray) -> NDArray[np.bool_]:
        """Return whether the current law covers the whole body at times `t`."""
        alone: NDArray[np.bool_] = (self._ends(t) == 1.0).all(axis=1)
        return alone

    def field(self, t: FloatArray, x: FloatArray) -> StrainField:
        """Return the strains at times `t` (k,) and abscissas `x` (m,), blended from all laws on the body."""
        travelled, speed = self._state.drive.at(t)
        layers = self._state.layers
        weights = [layer.weight(t, x, travelled, speed) for layer in layers[1:]]
        base = 0  # laws that are covered everywhere need not be evaluated
        for i, weight in enumerate(weights, start=1):
            if (weight[0] == 1.0).all():
                base = i
        field = layers[base].law.at(t, x, travelled, speed)
        for layer, (w, rate, acceleration, slope) in itertools.islice(
            zip(layers[1:], weights, strict=True), base, None
        ):
            seen = np.flatnonzero((w > 0.0).any(axis=0))
            if not len(seen):
                continue
            part = slice(seen[0], seen[-1] + 1)
            old = StrainField(*(values[:, part] for values in field))
            new = layer.law.at(t, x[part], travelled, speed)
            # Where the weight is exactly 1 or 0, the result must be exactly that of one law.
            w, rate, acceleration, slope = (
                values[:, part, None] for values in (w, rate, acceleration, slope)
            )
            d = new.strain - old.strain
            d_rate = new.rate - old.rate
            mixed = [(1.0 - w) * a + w * b for a, b in zip(old, new, strict=True)]
            old.strain[...] = mixed[0]
            old.rate[...] = mixed[1] + rate * d
            old.acceleration[...] = mixed[2] + 2.0 * rate * d_rate + acceleration * d
            old.slope[...] = mixed[3] + slope * d
        return field

    def apply(self, scene: Scene, time: float) -> None:
        """Blend to the law of `scene` from `time` on; its contacts apply immediately.

        Raises `SceneError` if a formula of the scene cannot be used; then nothing changes.
        """
        state = self._state
        at = np.array([time])
        law = state.layers[-1].law
        if scene.strain != state.strain:
            law = StrainLaw(scene.strain, scene.beam)
            points = grid(scene)
            layers = state.layers
            if len(layers) > 1:  # discard laws that are covered, or have not entered yet
                if self._covers(at)[0]:
                    layers = layers[-1:]
                elif not self._ends(at).any():
                    layers = layers[:-1]
            drive = state.drive.towards(law, time)
            layers = (*layers, self._layer(scene, law, time, drive))
            # The remainder of the previous law keeps its points.
            points = points if len(points) > len(state.grid) else state.grid
            state = replace(state, strain=scene.strain, drive=drive, layers=layers, grid=points)
        self._state = replace(state, holds=Attachments(scene, law, state.holds.count))

    def _layer(self, scene: Scene, law: StrainLaw, time: float, drive: _Drive) -> _Layer:
        """Create the transition to `law` at `time`."""
        if not (scene.support.guides and law.has_speed):
            return _Layer(law, time)
        if law.speed(np.array([time]))[0, 0] > 0.0:  # backwards: the tail leads
            return _Layer(law, time, drive.travelled + self._length, ENTRY * self._length)
        return _Layer(law, time, drive.travelled, -ENTRY * self._length)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state = checkpoint
