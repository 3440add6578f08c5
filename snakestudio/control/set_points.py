"""Joint references of a gait, with lead-in from the start pose, start delay, soft start and sampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray, IntArray
from snakestudio.control.base import OpenLoop
from snakestudio.control.look_ahead import Motion
from snakestudio.control.ramp import constant, lead_in
from snakestudio.control.speed_limit import SpeedLimit
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.joint_axes import entries
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class _State:
    released: (
        IntArray  # (m,): step at which the soft start of a joint axis ends; NEVER: not known yet
    )
    examined: int = 0  # number of steps examined for that
    # current set-point at the last change of the scene, and the step of its sample
    held_step: int = -1
    held: FloatArray | None = None  # (m,)
    turned: float = 0.0  # offset of a controller in the current set-point, rad


class Offset(Protocol):
    """An angle that a controller adds to the yaw of each joint."""

    def at(self, time: FloatArray) -> FloatArray:
        """Return the angle, rate and acceleration at `time` (k,), (3, k); rad, s."""
        ...

    def add_to(self, motion: Motion, columns: IndexArray, time: FloatArray) -> None:
        """Add the result of `at` to some columns of angles, rates and accelerations at `time`, each (k, m)."""
        ...


class Gait(Protocol):
    """Motion of the joints before start delay, soft start, sampling and limits are applied."""

    def motion(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Exact angles, rates and accelerations at `time` ((k,), s); `through_ramps` disables the fast path."""
        ...

    def checkpoint(self) -> Any:
        """Return the full state."""
        ...

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        ...


class OwnGait(Gait, Protocol):
    """A gait of a scene, whose values can change."""

    def apply(self, gait: Any, time: float) -> None:
        """Change to the values of `gait` from `time` on, without a jump."""
        ...


class SetPoints(OpenLoop):
    """Joint references of a gait.

    The gait itself ramps changes of its parameters. A robot with another initial shape also approaches
    the first set-points along a ramp, because a jump of the references would throw it about at these
    gains; a scene without lead-in disables this. In addition:

    - Start delay: until it ends, the set-points of gait time 0 are held.
    - Soft start (P1, VIII-E): each joint axis holds 0 until the gait's angle is below a limit for the
      first time, evaluated at the midpoint of each step like the steps themselves (P1 (72)). There is no
      lead-in for an axis that starts within that limit of its reference, and no waiting for a joint that
      starts with the angle of the gait.
    - Set-point period: the set-points are sampled and held, at rate 0.

    A reference that jumps at the start of a step has two knots at adjacent floating-point numbers. No
    midpoint falls between them, so the jump has no effect on joint damping, and the knot itself has the
    old value.

    Parameters
    ----------
    start : (m,) array, optional
        Initial joint angles, rad; those of the gait if omitted.
    gait : Gait, optional
        Replaces the gait of the scene; its owner changes it by `change`.
    """

    def __init__(
        self, scene: Scene, start: FloatArray | None = None, gait: Gait | None = None
    ) -> None:
        control = scene.control
        self._step = scene.solver.step_s
        make = GAIT_KINDS[scene.gait.kind].make
        self._own: OwnGait | None = make(scene) if gait is None and make is not None else None
        self._gait: Gait = gait or self._own  # type: ignore[assignment]  # torques need no set-points
        self._delay = control.start_delay_s
        self._limit = np.radians(control.soft_start_deg)
        # steps; 0: a set-point at every instant
        self._hold = round(control.set_point_period_s / self._step)
        shape = len(scene.body.axes)
        self._yaw = entries(scene.body.axes, "yaw").copy()
        self._state = _State(np.full(shape, NEVER if self._limit else 0, np.int64))
        self._away = np.zeros(shape)
        self._led = False
        self._approach = constant(0.0)
        self._speed = SpeedLimit(scene)
        if start is not None:
            if self._limit:  # a joint with the angle of the gait need not be straightened first
                bent = np.abs(start) > self._limit
                aligned = np.abs(start - self._delayed(np.zeros(1))[0][0]) <= self._limit
                self._state = replace(
                    self._state, released=np.where(bent & aligned, 0, self._state.released)
                )
            if not control.lead_in:
                return
            away = start - self._unlimited(np.zeros(1)).angle[0]
            if self._limit:
                away[np.abs(away) <= self._limit] = 0.0
            self._away, self._approach = lead_in(away)
            self._led = bool(self._away.any())

    def begun(self, time: float) -> bool:
        """Return whether all joints follow the gait at `time`, that is, start delay and soft start are over."""
        if time < self._delay:
            return False
        return not self._limit or math.floor(time / self._step + 1e-6) >= int(
            self._state.released.max()
        )

    def reference(
        self, time: FloatArray, snapshot: Snapshot | None, offset: Offset | None = None
    ) -> JointReference:
        """References as in `Controller.reference`, exact at the knots and within the speed limits of the motors.

        An `offset` is added to the yaw of all joints; with a set-point period it is sampled together with
        the set-points. Soft start ignores it: pass an offset only after the gait has `begun`.
        """
        return self._speed.limited(self._unlimited(time, offset))

    def _unlimited(self, time: FloatArray, offset: Offset | None = None) -> JointReference:
        """Return the references before the speed limit is applied."""
        if not (self._limit or self._hold):
            motion = self._following(time)
            if offset is not None:
                offset.add_to(motion, self._yaw, time)
            return JointReference(time, *motion)
        steps = self._steps(time)
        if self._limit:
            self._release(int(steps[-1]) + 1)
        jumps = (
            np.isin(steps, self._jumps())
            if not self._hold
            else (steps % self._hold == 0) & (steps > 0)
        )
        jumps &= np.abs(time / self._step - steps) < 1e-6
        jumps[-1] = False  # the next call includes it
        at = np.repeat(np.arange(len(time)), 1 + jumps)
        after = np.concatenate([[False], np.diff(at) == 0])
        if self._hold:
            motion = self._sampled(steps[at], after)
            if offset is not None:
                motion[0][:, self._yaw] += self._turned(offset, steps[at], after, int(steps[0]))[
                    :, None
                ]
        else:
            motion = self._with_offset(self._softened(time[at], steps[at], after), offset, time[at])
        return JointReference(np.where(after, np.nextafter(time[at], np.inf), time[at]), *motion)

    def _with_offset(self, motion: Motion, offset: Offset | None, time: FloatArray) -> Motion:
        """Add an offset of the yaw to `motion` at `time`."""
        if offset is not None:
            offset.add_to(motion, self._yaw, time)
        return motion

    def _steps(self, time: FloatArray) -> IntArray:
        """Step that starts at `time` or contains it."""
        steps: IntArray = np.floor(time / self._step + 1e-6).astype(np.int64)
        return steps

    def _jumps(self) -> IntArray:
        """Return the steps at which the soft start of a joint axis ends (with a jump from 0)."""
        released = self._state.released
        return np.unique(released[(released > 0) & (released < NEVER)])

    def _delayed(self, time: FloatArray, through_ramps: bool = False) -> Motion:
        """Return the gait, shifted by the start delay."""
        if not self._delay:
            return self._gait.motion(time, through_ramps)
        motion = self._gait.motion(np.maximum(time - self._delay, 0.0), through_ramps)
        for derivative in motion[1:]:
            derivative[time < self._delay] = 0.0
        return motion

    def _following(self, time: FloatArray, follows: NDArray[np.bool_] | None = None) -> Motion:
        """Return the gait with lead-in from the initial pose; axes that do not follow it yet are at 0."""
        motion = self._delayed(time, through_ramps=self._led)
        if follows is not None:
            for part in motion:
                part[~follows] = 0.0
        if self._led:
            approach = self._approach
            left = (approach.value(time), approach.rate(time), approach.acceleration(time))
            for part, weight in zip(motion, left, strict=True):
                part += weight[:, None] * self._away
        return motion

    def _release(self, until: int) -> None:
        """Find the joint axes whose soft start ends before step `until`."""
        state = self._state
        begin = state.examined
        if until <= begin or (state.released < NEVER).all():
            return
        middles = self._step * (np.arange(begin, until, dtype=np.float64) + 0.5)
        near = np.abs(self._delayed(middles)[0]) <= self._limit
        first = np.where(near.any(axis=0), begin + near.argmax(axis=0), NEVER)
        self._state = replace(state, released=np.minimum(state.released, first), examined=until)

    def _softened(self, time: FloatArray, steps: IntArray, after: NDArray[np.bool_]) -> Motion:
        """`_following` with soft start; `after` selects the side of a jump."""
        if not self._limit:
            return self._following(time)
        begun = np.where(after | (time > (steps + 1e-6) * self._step), steps, steps - 1)
        released = self._state.released
        return self._following(time, (begun[:, None] >= released) | (released == 0))

    def _sampled(self, steps: IntArray, after: NDArray[np.bool_]) -> Motion:
        """Return the current set-points, sampled once per set-point period."""
        samples, which = np.unique(self._sample_step(steps, after), return_inverse=True)
        angle = self._softened(
            np.asarray(samples * self._step, np.float64), samples, np.ones(len(samples), bool)
        )[0]
        state = self._state
        if state.held is not None:
            angle[samples == state.held_step] = state.held
        still = np.zeros((2, len(steps), *angle.shape[1:]))
        return angle[which], still[0], still[1]

    def _turned(
        self, offset: Offset, steps: IntArray, after: NDArray[np.bool_], begin: int
    ) -> FloatArray:
        """Return the offset in the current set-points, (k,), rad; set-points before step `begin` keep theirs."""
        sampled = self._sample_step(steps, after)
        now = offset.at(np.asarray(sampled * self._step, np.float64))[0]
        turned = np.where(sampled >= begin, now, self._state.turned)
        self._state = replace(self._state, turned=float(turned[-1]))
        return turned

    def _sample_step(self, steps: IntArray, after: NDArray[np.bool_]) -> IntArray:
        """Return the step at which the current set-point was sampled."""
        begun: IntArray = np.where(after | (steps % self._hold > 0), steps, steps - 1).clip(0)
        return begun // self._hold * self._hold

    def apply(self, scene: Scene, time: float) -> None:
        """Ramp to the parameters of `scene` from `time` on."""
        gait = scene.gait
        own = self._own
        assert own is not None
        self.change(lambda since: own.apply(gait, since), time)
        self._speed.apply(scene)

    def apply_speed(self, scene: Scene) -> None:
        """Use the speed limits of `scene`, if another controller changes the gait."""
        self._speed.apply(scene)

    def change(self, how: Callable[[float], object], time: float) -> None:
        """Change the gait from `time` (s) on by calling `how` with the time of the gait."""
        before = self._gait.checkpoint()
        how(max(time - self._delay, 0.0))
        after = self._gait.checkpoint()
        if after is before or after == before:
            return
        step = int(self._steps(np.array([time]))[0])
        self._gait.restore(before)
        if self._limit:  # results beyond `time` may change
            self._release(step)
            released = self._state.released
            released = np.where((released >= step) & (released > 0), NEVER, released)
            self._state = replace(
                self._state, released=released, examined=min(self._state.examined, step)
            )
        if self._hold and step > 0:  # the current set-point holds until the next sample
            now = np.array([step])
            earlier = np.zeros(1, bool)
            held = self._sampled(now, earlier)[0][0]
            self._state = replace(
                self._state, held_step=int(self._sample_step(now, earlier)[0]), held=held
            )
        self._gait.restore(after)

    def checkpoint(self) -> Any:
        """Return the full state."""
        state = (self._gait.checkpoint(), self._state)
        speed = self._speed.checkpoint()
        return state if speed is None else (*state, speed)

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        gait, self._state, *speed = checkpoint
        self._speed.restore(speed[0] if speed else None)
        self._gait.restore(gait)
