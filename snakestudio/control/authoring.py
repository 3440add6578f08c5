"""Bases for controllers and gaits that are a function or a little more: what is left to write is the law itself."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.control.ramp import START_TOLERANCE, Ramp, constant
from snakestudio.errors import MistakeError
from snakestudio.model.motion import GaitFields
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.plugins.author_state import public_state, with_public_state

_DIFFERENCE_S = 1e-4
"""Time between the angles of which rates and accelerations of a gait are made, s: errors of both
are below 1e-7."""


class AngleController:
    """Base of controllers that give angles; a subclass has `angles`.

    Attributes without an underscore before their names are its state: they are saved in run files
    and restored, so they hold numbers, texts, arrays, tuples, lists and dicts. A channel is
    recorded from the attribute of its name.

    Parameters
    ----------
    start : (m,) array
        Angles of the joint axes that the robot starts with, rad.
    """

    needs: Fields = Fields.JOINTS
    """The fields of a snapshot that it cannot do without; with `Fields.NONE` `snapshot` is None."""

    channels: ClassVar[tuple[str, ...]] = ()
    """Attributes that are recorded, each name ending in its unit."""

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._scene, self._start = scene, start.copy()
        self._last = start.copy()  # angles at the end of the last period
        self._away, self._approach = np.zeros(len(start)), constant(0.0)
        self._joined = False  # whether the references have been led to the law since the start or the last change
        self.begin()

    def begin(self) -> None:
        """Set up the state at the start of a run."""

    def angles(self, time: FloatArray, snapshot: Snapshot) -> Any:
        """Angles of the joint axes, rad.

        Parameters
        ----------
        time : (k,) array
            The control period, s: its begin, the time steps in it, its end.
        snapshot : Snapshot
            The state at its begin.

        Returns
        -------
        array
            (k, m): at these times; (m,): at the end, to be reached steadily from where the joints
            are asked to be.
        """
        raise NotImplementedError

    @property
    def scene(self) -> Scene:
        """The scene as it is now."""
        return self._scene

    @property
    def fields(self) -> Any:
        """Its values in the scene as they are now."""
        return self._scene.controller

    @property
    def start(self) -> FloatArray:
        """Angles of the joint axes at the start of the run, (m,), rad."""
        return self._start.copy()

    @property
    def n_axes(self) -> int:
        """Number of joint axes, m."""
        return len(self._start)

    @property
    def n_joints(self) -> int:
        """Number of joints."""
        return self._scene.robot.n_joints

    def values(self) -> FloatArray:
        """The channels' values."""
        return np.array([float(getattr(self, name)) for name in self.channels])

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """References of a control period: the law, and what leads to it from where the joints are."""
        given = self.angles(time, snapshot)  # type: ignore[arg-type]  # one that needs none is given none
        shape = (len(time), self.n_axes)
        angle = np.asarray(given)
        if angle.dtype.kind not in "fiu" or angle.shape not in (shape, shape[1:], ()):
            raise MistakeError(
                f"angles() gives {_form(given)}",
                f"give {shape[1]} angles, one for each joint axis, or {shape[0]} x {shape[1]}: times x joint axes",
            )
        angle = angle.astype(np.float64)
        if not np.isfinite(angle).all():
            raise MistakeError(
                f"angles() gives {angle[~np.isfinite(angle)][0]}", "give finite numbers"
            )
        if angle.shape != shape:
            share = ((time - time[0]) / (time[-1] - time[0]))[:, None]
            rate = np.broadcast_to((angle - self._last) / (time[-1] - time[0]), shape).copy()
            angle = self._last + share * (angle - self._last)
            self._last = angle[-1].copy()
            return JointReference(time, angle, rate, np.zeros(shape))
        rate = _slope(angle, time)
        acceleration = _slope(rate, time)
        if not self._joined:
            self._lead(float(time[0]), angle[0])
        if (
            time[0] < self._approach.start + self._approach.duration
        ) and self._approach.coefficients:
            ramp = self._approach
            for part, of in (
                (angle, ramp.value),
                (rate, ramp.rate),
                (acceleration, ramp.acceleration),
            ):
                part += of(time)[:, None] * self._away
        self._last = angle[-1].copy()
        return JointReference(time, angle, rate, acceleration)

    def _lead(self, time: float, first: FloatArray) -> None:
        """Begin to lead the references from where they are to where the law begins."""
        self._joined = True
        away = self._last - first
        if time == 0.0 and not self._scene.control.lead_in:
            away = np.zeros_like(away)
        furthest = float(np.abs(away).max(initial=0.0))
        self._away = away
        self._approach = (
            constant(1.0).towards(0.0, time, furthest)
            if furthest > START_TOLERANCE
            else constant(0.0)
        )

    def apply(self, scene: Scene, time: float) -> None:
        """Use the values of `scene` from now on; the references are led to what they make of it."""
        if scene.controller != self._scene.controller:
            self._joined = False
        self._scene = scene

    def checkpoint(self) -> Any:
        """The full state."""
        return (
            public_state(self),
            self._scene,
            self._last.copy(),
            self._away,
            self._approach,
            self._joined,
        )

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        state, self._scene, last, self._away, self._approach, self._joined = checkpoint
        self._last = last.copy()
        with_public_state(self, state)


class AngleGait:
    """Base of gaits whose angles are a function of time; a subclass has `angles`, and `pitch_angles` if it lifts.

    Rates and accelerations follow by differences. Values that are changed while a run goes are
    blended in.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._axes = scene.body.axes
        self._gait: GaitFields = scene.gait
        self._earlier: tuple[tuple[GaitFields, Ramp], ...] = ()

    def angles(self, gait: Any, time: FloatArray, joint: FloatArray) -> Any:
        """Yaw angles of the joints over time, rad, (k, p) or what numpy makes that of.

        Parameters
        ----------
        gait : GaitFields
            The values of the gait.
        time : (k, 1) array
            s.
        joint : (p,) array
            Numbers of the joints that have a yaw axis, the first is 0.
        """
        raise NotImplementedError

    def pitch_angles(self, gait: Any, time: FloatArray, joint: FloatArray) -> Any:
        """The same of the joints that have a pitch axis: 0."""
        return 0.0

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._scene

    def _angles(self, gait: GaitFields, time: FloatArray) -> FloatArray:
        """Angles of all axes, (k, m)."""
        angle = np.zeros((len(time), len(self._axes)))
        for kind, of in (("yaw", self.angles), ("pitch", self.pitch_angles)):
            at: IndexArray = entries(self._axes, kind)
            if not len(at):
                continue
            given = of(gait, time[:, None], joints(self._axes, kind).astype(np.float64))
            try:
                values = np.broadcast_to(np.asarray(given, np.float64), (len(time), len(at)))
            except (TypeError, ValueError):
                raise MistakeError(
                    f"{of.__name__}() gives {_form(given)}",
                    f"give {len(time)} x {len(at)} angles: times x joints",
                ) from None
            if not np.isfinite(values).all():
                first = float(time[np.argwhere(~np.isfinite(values))[0, 0]])
                raise MistakeError(
                    f"{of.__name__}() gives {values[~np.isfinite(values)][0]} at t = {first:.6g} s",
                    "give finite numbers",
                )
            angle[:, at] = values
        return angle

    def _motion(
        self, gait: GaitFields, time: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angles, rates and accelerations of some values of the gait."""
        h = _DIFFERENCE_S
        middle = np.maximum(time, h)  # nothing is asked for before t = 0
        k = len(time)
        all_angles = self._angles(gait, np.concatenate([time, middle - h, middle, middle + h]))
        angle, before, there, after = (all_angles[i * k : (i + 1) * k] for i in range(4))
        acceleration = (after - 2.0 * there + before) / h**2
        rate = (after - before) / (2.0 * h) + (time - middle)[:, None] * acceleration
        return angle.copy(), rate, acceleration

    def motion(
        self, time: FloatArray, through_ramps: bool = False
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angles, rates and accelerations at `time` ((k,), s)."""
        going = [
            (gait, ramp) for gait, ramp in self._earlier if time[0] < ramp.start + ramp.duration
        ]
        targets = [*(gait for gait, _ in going[1:]), self._gait]
        motion = self._motion(going[0][0] if going else self._gait, time)
        for (_, ramp), target in zip(going, targets, strict=False):
            motion = _blended(motion, self._motion(target, time), ramp, time)
        return motion

    def apply(self, gait: GaitFields, time: float) -> None:
        """Blend over to other values of the gait from `time` on."""
        if gait == self._gait:
            return
        now = np.array([time])
        away = float(
            np.abs(self._angles(self._gait, now) - self._angles(gait, now)).max(initial=0.0)
        )
        ramp = constant(1.0).towards(0.0, time, max(away, START_TOLERANCE))
        going = tuple(each for each in self._earlier if time < each[1].start + each[1].duration)
        self._earlier = (*going, (self._gait, ramp))
        self._gait = gait

    def checkpoint(self) -> Any:
        """The full state."""
        return self._gait, self._earlier

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._gait, self._earlier = checkpoint


def _slope(values: FloatArray, time: FloatArray) -> FloatArray:
    """Derivative of values (k, m) in time, of second order where there are three times."""
    order: Any = min(2, len(time) - 1)
    slope: FloatArray = np.asarray(np.gradient(values, time, axis=0, edge_order=order))
    return slope


_Motion = tuple[FloatArray, FloatArray, FloatArray]


def _blended(one: _Motion, other: _Motion, ramp: Ramp, time: FloatArray) -> _Motion:
    """The way from one motion to another: the ramp is the share of the first."""
    share, d_share, dd_share = (
        of(time)[:, None] for of in (ramp.value, ramp.rate, ramp.acceleration)
    )
    before = (time < ramp.start)[:, None]
    share = np.where(before, 1.0, share)
    d_share = np.where(before, 0.0, d_share)
    dd_share = np.where(before, 0.0, dd_share)
    d, dd, ddd = (a - b for a, b in zip(one, other, strict=True))
    return (
        other[0] + share * d,
        other[1] + share * dd + d_share * d,
        other[2] + share * ddd + 2.0 * d_share * dd + dd_share * d,
    )


def _form(value: Any) -> str:
    """A wrong value in a few words."""
    try:
        array = np.asarray(value)
    except ValueError:
        return "a list of unequal lists"
    if array.dtype.kind not in "fiub":
        return f"a value of type {type(value).__name__}" if value is not None else "None"
    return f"an array of {' x '.join(map(str, array.shape)) or 'one number'}"
