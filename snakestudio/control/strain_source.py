"""What makes the strains of a continuous body: its law, and how a changed one takes over from another."""

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

__all__ = ["BLEND_TIME", "ENTRY", "StrainSource"]


BLEND_TIME = 0.5
"""How long a changed law takes to take over everywhere at once, and a changed speed, s."""

ENTRY = 0.25
"""Length over which a changed law enters a body that moves along itself, in lengths of the body."""

_NOTHING = constant(0.0)


@dataclass(frozen=True, slots=True)
class _Drive:
    """The speed along the body since `start`: the law's own, and what is left of the one before (`rest`)."""

    law: StrainLaw
    start: float = 0.0
    travelled: float = 0.0  # integral of V_o until `start`, m
    rest: Ramp = _NOTHING

    def at(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Integral of V_o since the start of the run (k,), and V_o and its derivative (k, 2).

        Under a law without a speed, that of the law before comes to rest: the patterns it left on
        the body do.
        """
        left = np.column_stack([self.rest.value(t), self.rest.rate(t)])
        since = self.law.travel(t) - self.law.travel(np.array([self.start])) + self.rest.integral(t)
        return self.travelled + since, self._own(t) + left

    def _own(self, t: FloatArray) -> FloatArray:
        return self.law.speed(t) if self.law.has_speed else np.zeros((len(t), 2))

    def towards(self, law: StrainLaw, time: float) -> _Drive:
        """The drive that takes over way, speed and its derivative at `time`."""
        at = np.array([time])
        way, now = self.at(at)
        new = _Drive(law)
        d, v = now[0] - new.at(at)[1][0]
        v *= BLEND_TIME
        # The quintic that leaves with d and v and ends at rest at 0.
        powers = (d, v, 0.0, -10 * d - 6 * v, 15 * d + 8 * v, -6 * d - 3 * v)
        rest = Ramp(0.0, time, BLEND_TIME, tuple(map(float, powers)))
        return _Drive(law, time, float(way[0]), rest)


@dataclass(frozen=True, slots=True)
class _Layer:
    """A law that takes over from those before it."""

    law: StrainLaw
    start: float
    border: float = np.nan
    """Where s = X + travel is when it begins, at the end of the body it enters at, m; NaN:
    everywhere at once."""

    length: float = 1.0
    """Over which it enters, m; its sign says to which side of the border."""

    def weight(
        self, t: FloatArray, x: FloatArray, way: FloatArray, speed: FloatArray
    ) -> tuple[FloatArray, ...]:
        """Its weight and the derivatives that `StrainField` has, each (k, m)."""
        if np.isnan(self.border):
            u = ((t - self.start) / BLEND_TIME)[:, None]
            du = 1.0 / BLEND_TIME
            parts = rise(u), du * rise(u, 1), du * du * rise(u, 2), np.zeros_like(u)
            return tuple(np.broadcast_to(part, (len(t), len(x))) for part in parts)
        u = (x[None, :] + way[:, None] - self.border) / self.length
        du = 1.0 / self.length
        v = speed[:, :1] * du
        a = speed[:, 1:] * du
        first = rise(u, 1)
        second = rise(u, 2)
        return rise(u), v * first, v * v * second + a * first, du * first


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    strain: Strain  # of the law in force
    drive: _Drive
    layers: tuple[_Layer, ...]  # the first is underneath
    holds: Attachments
    grid: FloatArray  # abscissas of the references


class StrainSource(OpenLoop):
    """The strains of a continuous body, and where it is held.

    A law that is changed during a run takes over without a jump of the strains or of their first
    two derivatives. On annular supports it enters at the end that leads and moves down the body
    with it: its share depends on s = X + integral of V_o alone, so that laws of s stay laws of s,
    and no section slides sideways (P5 (51)). Otherwise it takes over everywhere within
    `BLEND_TIME`. The way made so far stays; a new speed is reached within that time.

    Raises `SceneError` if a formula of the scene cannot be used.
    """

    def __init__(self, scene: Scene) -> None:
        self._length = scene.beam.length_m
        law = StrainLaw(scene.strain, scene.beam)
        self._state = _State(
            scene.strain, _Drive(law), (_Layer(law, 0.0),), Attachments(scene, law), grid(scene)
        )

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> StrainReference:
        """Strains at the times `time` (k,) and halfway between them: 2k - 1 knots, as a step of Runge-Kutta needs."""
        t = np.empty(2 * len(time) - 1)
        t[::2] = time
        t[1::2] = 0.5 * (time[:-1] + time[1:])
        state = self._state
        way, speed = state.drive.at(t)
        alone = self._covers(t)
        hold = np.empty((len(t), state.holds.count, 4))
        twist = np.empty((len(t), state.holds.count, 12))
        for which, field in ((alone, None), (~alone, self.field)):
            if which.any():
                hold[which], twist[which] = state.holds.at(
                    t[which], way[which], speed[which], field
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
            way,
            hold,
            twist,
        )

    def _ends(self, t: FloatArray) -> FloatArray:
        """Weight of the law in force at both ends of the body at times `t`, (k, 2): it is monotonic in between."""
        if len(self._state.layers) == 1:
            return np.ones((len(t), 2))
        way, speed = self._state.drive.at(t)
        return self._state.layers[-1].weight(t, np.array([0.0, self._length]), way, speed)[0]

    def _covers(self, t: FloatArray) -> NDArray[np.bool_]:
        """Whether the law in force is the only one left on the body at times `t`."""
        alone: NDArray[np.bool_] = (self._ends(t) == 1.0).all(axis=1)
        return alone

    def field(self, t: FloatArray, x: FloatArray) -> StrainField:
        """The strains at times `t` (k,) and abscissas `x` (m,), of all laws on the body."""
        way, speed = self._state.drive.at(t)
        layers = self._state.layers
        weights = [layer.weight(t, x, way, speed) for layer in layers[1:]]
        base = 0  # whatever is covered everywhere need not be evaluated
        for i, weight in enumerate(weights, start=1):
            if (weight[0] == 1.0).all():
                base = i
        field = layers[base].law.at(t, x, way, speed)
        for layer, (w, rate, acceleration, slope) in itertools.islice(
            zip(layers[1:], weights, strict=True), base, None
        ):
            seen = np.flatnonzero((w > 0.0).any(axis=0))
            if not len(seen):
                continue
            part = slice(seen[0], seen[-1] + 1)
            old = StrainField(*(values[:, part] for values in field))
            new = layer.law.at(t, x[part], way, speed)
            # A law is exactly itself where its weight is 1 or 0, whatever else is evaluated with
            # it.
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
        """Let the laws of `scene` take over from `time` on; its contacts do so at once.

        Raises `SceneError` if a formula of the scene cannot be used; then nothing has changed.
        """
        state = self._state
        at = np.array([time])
        law = state.layers[-1].law
        if scene.strain != state.strain:
            law = StrainLaw(scene.strain, scene.beam)
            points = grid(scene)
            layers = state.layers
            if len(layers) > 1:  # what cannot be seen any more, or not yet, is forgotten
                if self._covers(at)[0]:
                    layers = layers[-1:]
                elif not self._ends(at).any():
                    layers = layers[:-1]
            drive = state.drive.towards(law, time)
            layers = (*layers, self._layer(scene, law, time, drive))
            # What is left of the law before keeps the points that it needed.
            points = points if len(points) > len(state.grid) else state.grid
            state = replace(state, strain=scene.strain, drive=drive, layers=layers, grid=points)
        self._state = replace(state, holds=Attachments(scene, law, state.holds.count))

    def _layer(self, scene: Scene, law: StrainLaw, time: float, drive: _Drive) -> _Layer:
        """How a law takes over at `time`."""
        if not (scene.support.guides and law.has_speed):
            return _Layer(law, time)
        if law.speed(np.array([time]))[0, 0] > 0.0:  # backwards: the tail leads
            return _Layer(law, time, drive.travelled + self._length, ENTRY * self._length)
        return _Layer(law, time, drive.travelled, -ENTRY * self._length)

    def checkpoint(self) -> Any:
        """The full state."""
        return self._state

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._state = checkpoint
