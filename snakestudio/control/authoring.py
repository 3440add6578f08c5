"""Base classes for controllers and gaits: a subclass supplies only the control law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import unwrap
from typing import Any, ClassVar, NamedTuple

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
from snakestudio.plugins.guards import calling
from snakestudio.plugins.result_types import described

_DIFFERENCE_S = 1e-4
"""Step of the finite differences that give the rates and accelerations of a gait, s. The errors of both
are below 1e-7."""


class AngleController:
    """Base class of controllers that compute joint angles; a subclass defines `angles`.

    Public attributes are the state of the controller: they are saved in run files and restored, so
    they must be numbers, strings, arrays, tuples, lists or dicts. Each channel records the attribute
    of the same name.

    Parameters
    ----------
    start : (m,) array
        Initial angles of the joint axes, rad.
    """

    needs: Fields = Fields.JOINTS
    """Required fields of the snapshot; `Fields.NONE` passes None as `snapshot`."""

    channels: ClassVar[tuple[str, ...]] = ()
    """Attributes to record. Each name ends in its unit."""

    _ahead: tuple[float, Any] | None = None
    """Time, s, and result of `angles_batch` for the next call of `reference`."""

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._scene, self._start = scene, start.copy()
        self._last = start.copy()  # angles at the end of the previous period
        self._away, self._approach = np.zeros(len(start)), constant(0.0)
        self._joined = (
            False  # whether the references have reached the law since the start or the last change
        )
        self.begin()

    def begin(self) -> None:
        """Initialize the state at the start of a run."""

    def angles(self, time: FloatArray, snapshot: Snapshot) -> Any:
        """Return the angles of the joint axes, rad.

        Parameters
        ----------
        time : (k,) array
            The control period, s: its start, the time steps in it, its end.
        snapshot : Snapshot
            The state at its start.

        Returns
        -------
        array
            (k, m): angles at `time`; (m,): angles at the end of the period, to which the references
            are interpolated linearly.
        """
        raise NotImplementedError

    def angles_batch(self, controllers: Sequence[Any], time: FloatArray, state: Any) -> Any:
        """Return the angles of the joint axes in n worlds of a batch, rad: optional, to compute all in one call.

        It is called on the controller of the first of these worlds. Fields, attributes and scene of a
        world are those of its controller. Without it, `angles` is called for each world.

        Parameters
        ----------
        controllers : list of AngleController
            Controllers of n worlds whose control periods begin at the same time.
        time : (k,) array
            The control period, s, as in `angles`.
        state : BatchState
            The states of these worlds at its start, as arrays whose first index is the world. None
            if `needs` is `Fields.NONE`.

        Returns
        -------
        array
            (n, k, m) or (n, m): for each world, as from `angles`.
        """
        del controllers, time, state
        return ()

    @property
    def scene(self) -> Scene:
        """The current scene."""
        return self._scene

    @property
    def fields(self) -> Any:
        """The controller's values in the current scene."""
        return self._scene.controller

    @property
    def start(self) -> FloatArray:
        """Initial angles of the joint axes, (m,), rad."""
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
        """Return the values of the channels."""
        return channel_values(self, self.channels)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references of a control period: the law, blended in from the current references."""
        ahead = self._ahead
        self._ahead = None
        if ahead is not None and ahead[0] == time[0]:
            law = "angles_batch"
            result = ahead[1]
        else:
            law = "angles"
            result = self.angles(time, snapshot)  # type: ignore[arg-type]  # one that needs none is given none
        shape = (len(time), self.n_axes)
        angle = np.asarray(result)
        if angle.dtype.kind not in "fiu" or angle.shape not in (shape, shape[1:], ()):
            raise MistakeError(
                f"{law}() gives {_form(result)}",
                f"give {shape[1]} angles, one for each joint axis, or {shape[0]} x {shape[1]}: times x joint axes",
            )
        angle = angle.astype(np.float64)
        if not np.isfinite(angle).all():
            raise MistakeError(
                f"{law}() gives {angle[~np.isfinite(angle)][0]}", "give finite numbers"
            )
        if angle.shape != shape:
            fraction = ((time - time[0]) / (time[-1] - time[0]))[:, None]
            rate = np.broadcast_to((angle - self._last) / (time[-1] - time[0]), shape).copy()
            angle = self._last + fraction * (angle - self._last)
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
        """Start to blend from the current references to those of the law."""
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
        """Use the values of `scene` from now on; the references are blended to the new law."""
        if scene.controller != self._scene.controller:
            self._joined = False
        self._scene = scene

    def checkpoint(self) -> Any:
        """Return the full state."""
        return (
            public_state(self),
            self._scene,
            self._last.copy(),
            self._away,
            self._approach,
            self._joined,
        )

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        state, self._scene, last, self._away, self._approach, self._joined = checkpoint
        self._ahead = None
        self._last = last.copy()
        with_public_state(self, state)


class LawCall(NamedTuple):
    """Control law of a world of a batch that is due."""

    world: int
    law: AngleController
    plugin: str
    """Plug-in that defines it."""

    time: FloatArray
    """The control period as in `AngleController.angles`, (k,), s."""

    closed_loop: bool
    """Whether it needs the state."""


def batch_law_of(controller: Any) -> tuple[AngleController, str] | None:
    """Return the law inside a controller, and its plug-in, if it computes many worlds together; None otherwise."""
    plugin = ""
    while not isinstance(controller, AngleController):
        plugin = getattr(controller, "plugin", plugin)
        controller = getattr(controller, "controller", None)
        if controller is None:
            return None
    own = unwrap(type(controller).angles_batch)  # plug-ins are guarded
    is_batch = own is not AngleController.angles_batch
    return (controller, plugin) if is_batch else None


def evaluate_together(calls: Sequence[LawCall], state_of: Callable[[list[int]], Any]) -> None:
    """Call `angles_batch` once for all laws of a class that are due at the same time, before `reference` of each.

    Raises `PluginRuntimeError` if it fails or returns a wrong number of results.

    Parameters
    ----------
    state_of : callable
        Returns the state of some worlds.
    """
    groups: dict[Any, list[LawCall]] = {}
    for call in calls:
        groups.setdefault((type(call.law), call.time.tobytes(), call.closed_loop), []).append(call)
    for group in groups.values():
        first = group[0]
        laws = [call.law for call in group]
        state = state_of([call.world for call in group]) if first.closed_loop else None
        with calling(first.plugin, f"{type(first.law).__name__}.angles_batch"):
            results = first.law.angles_batch(laws, first.time, state)
            if not hasattr(results, "__len__") or len(results) != len(group):
                raise MistakeError(
                    f"angles_batch() gives {_form(results)}",
                    f"give {len(group)} x {first.law.n_axes} angles: worlds x joint axes",
                )
        for law, result in zip(laws, results, strict=True):
            law._ahead = float(first.time[0]), result


def channel_values(controller: AngleController, channels: tuple[str, ...]) -> FloatArray:
    """Return the values of the attributes that channels record.

    Raises `MistakeError` if one of them is missing or not a number.
    """
    values = np.empty(len(channels))
    for index, name in enumerate(channels):
        if not hasattr(controller, name):
            raise MistakeError(
                f'{type(controller).__name__} has no attribute "{name}" for its channel',
                "set it in begin(), or remove the channel",
            )
        value = getattr(controller, name)
        try:
            values[index] = float(value)
        except (TypeError, ValueError):
            raise MistakeError(
                f"the channel {name} of {type(controller).__name__} has the value {described(value)}",
                "set it to a number",
            ) from None
    return values


class AngleGait:
    """Base class of gaits whose angles are functions of time; a subclass defines `angles`, and `pitch_angles` to lift.

    Rates and accelerations are finite differences. Values that change during a run are blended in.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._axes = scene.body.axes
        self._gait: GaitFields = scene.gait
        self._earlier: tuple[tuple[GaitFields, Ramp], ...] = ()

    def angles(self, gait: Any, time: FloatArray, joint: FloatArray) -> Any:
        """Yaw angles of the joints over time, rad, (k, p) or an array that broadcasts to it.

        Parameters
        ----------
        gait : GaitFields
            The values of the gait.
        time : (k, 1) array
            s.
        joint : (p,) array
            0-based indices of the joints that have a yaw axis.
        """
        raise NotImplementedError

    def pitch_angles(self, gait: Any, time: FloatArray, joint: FloatArray) -> Any:
        """Pitch angles of the joints that have a pitch axis, as in `angles`; 0 by default."""
        return 0.0

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._scene

    def _angles(self, gait: GaitFields, time: FloatArray) -> FloatArray:
        """Return the angles of all axes, (k, m)."""
        angle = np.zeros((len(time), len(self._axes)))
        for kind, of in (("yaw", self.angles), ("pitch", self.pitch_angles)):
            at: IndexArray = entries(self._axes, kind)
            if not len(at):
                continue
            result = of(gait, time[:, None], joints(self._axes, kind).astype(np.float64))
            try:
                values = np.broadcast_to(np.asarray(result, np.float64), (len(time), len(at)))
            except (TypeError, ValueError):
                raise MistakeError(
                    f"{of.__name__}() gives {_form(result)}",
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
        """Return angles, rates and accelerations for the gait's values in `gait`."""
        h = _DIFFERENCE_S
        middle = np.maximum(time, h)  # the gait is undefined before t = 0
        k = len(time)
        all_angles = self._angles(gait, np.concatenate([time, middle - h, middle, middle + h]))
        angle, before, now, after = (all_angles[i * k : (i + 1) * k] for i in range(4))
        acceleration = (after - 2.0 * now + before) / h**2
        rate = (after - before) / (2.0 * h) + (time - middle)[:, None] * acceleration
        return angle.copy(), rate, acceleration

    def motion(
        self, time: FloatArray, through_ramps: bool = False
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return angles, rates and accelerations at `time` ((k,), s)."""
        going = [
            (gait, ramp) for gait, ramp in self._earlier if time[0] < ramp.start + ramp.duration
        ]
        targets = [*(gait for gait, _ in going[1:]), self._gait]
        motion = self._motion(going[0][0] if going else self._gait, time)
        for (_, ramp), target in zip(going, targets, strict=False):
            motion = _blended(motion, self._motion(target, time), ramp, time)
        return motion

    def apply(self, gait: GaitFields, time: float) -> None:
        """Blend to the values of `gait` from `time` on."""
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
        """Return the full state."""
        return self._gait, self._earlier

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._gait, self._earlier = checkpoint


def _slope(values: FloatArray, time: FloatArray) -> FloatArray:
    """Return the time derivative of values (k, m), of second order if there are at least three times."""
    order: Any = min(2, len(time) - 1)
    slope: FloatArray = np.asarray(np.gradient(values, time, axis=0, edge_order=order))
    return slope


_Motion = tuple[FloatArray, FloatArray, FloatArray]


def _blended(one: _Motion, other: _Motion, ramp: Ramp, time: FloatArray) -> _Motion:
    """Return the blend of two motions; the ramp is the weight of the first."""
    weight, d_weight, dd_weight = (
        of(time)[:, None] for of in (ramp.value, ramp.rate, ramp.acceleration)
    )
    before = (time < ramp.start)[:, None]
    weight = np.where(before, 1.0, weight)
    d_weight = np.where(before, 0.0, d_weight)
    dd_weight = np.where(before, 0.0, dd_weight)
    d, dd, ddd = (a - b for a, b in zip(one, other, strict=True))
    return (
        other[0] + weight * d,
        other[1] + weight * dd + d_weight * d,
        other[2] + weight * ddd + 2.0 * d_weight * dd + dd_weight * d,
    )


def _form(value: Any) -> str:
    """Return the short description of an invalid value."""
    try:
        array = np.asarray(value)
    except ValueError:
        return "a list of unequal lists"
    if array.dtype.kind not in "fiub":
        return f"a value of type {type(value).__name__}" if value is not None else "None"
    return f"an array of {' x '.join(map(str, array.shape)) or 'one number'}"
