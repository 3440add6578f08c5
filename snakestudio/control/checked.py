"""Checks of the references that controllers and gaits of plug-ins return, before anything follows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import Controller, OnePeriod, OpenLoop, Steerable
from snakestudio.errors import PluginRuntimeError
from snakestudio.model.arguments import kind_of
from snakestudio.model.quantities import taken_mistake
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import TeleopCommand
from snakestudio.plugins.column_names import channels_mistake
from snakestudio.plugins.guards import calling
from snakestudio.plugins.result_types import described
from snakestudio.text import capitalized


def checked_controller(controller: Controller, scene: Scene, plugin: str) -> Controller:
    """Wrap `controller` so that references that cannot be followed raise `PluginRuntimeError`.

    It is called ahead of time only if its class derives from `OpenLoop`, because other controllers may
    have state, draw random numbers or count their calls.
    """
    kind: type[_CheckedController] = (
        _CheckedController if isinstance(controller, OpenLoop) else _CheckedPeriod
    )
    if isinstance(controller, Steerable):
        kind = _CheckedSteerable
    return kind(controller, scene, plugin)


class _CheckedController:
    def __init__(self, controller: Controller, scene: Scene, plugin: str) -> None:
        self.controller = controller
        self.plugin = plugin
        self._axes = len(scene.body.axes)
        self._torques = scene.gives_torques
        for name in ("reference", "apply", "checkpoint", "restore", "values"):
            if not callable(getattr(controller, name, None)):
                raise self._fault(
                    f"creates {kind_of(controller)}, which has no method {name}", "Add it"
                )
        self.needs: Fields = controller.needs
        if not isinstance(self.needs, Fields):
            raise self._fault(
                f"has needs = {described(self.needs)}",
                "Use Fields.JOINTS or other fields of a snapshot",
            )
        self.channels: tuple[str, ...] = controller.channels
        mistake = channels_mistake(self.channels) or taken_mistake(self.channels)
        if mistake is not None:
            raise self._fault(f"cannot run: {mistake[0]}", capitalized(mistake[1]))

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call a method; any exception is a fault of the plug-in, whose values can make code of the program fail."""
        with calling(self.plugin, f"{type(self.controller).__name__}.{name}"):
            return getattr(self.controller, name)(*arguments)

    def _fault(self, what: str, remedy: str) -> PluginRuntimeError:
        return PluginRuntimeError(self.plugin, f"The plug-in {self.plugin} {what}. {remedy}.")

    def values(self) -> FloatArray:
        values = self._call("values")
        count = len(self.channels)
        if (
            not isinstance(values, np.ndarray)
            or values.shape != (count,)
            or values.dtype.kind not in "fiub"
        ):
            raise self._fault(
                f"returns {_described(values)} as the values of its channels",
                f"Return an array of {count} numbers, one per channel",
            )
        numbers: FloatArray = values.astype(np.float64)
        return numbers

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> Reference:
        reference = self._call("reference", time, snapshot)
        if not isinstance(reference, JointReference):
            raise self._fault(
                f"returns {_described(reference)} as a reference", "Return a JointReference"
            )
        knots: Any = reference.time
        if (
            not isinstance(knots, np.ndarray)
            or knots.ndim != 1
            or len(knots) < 2
            or not (np.diff(knots) > 0).all()
        ):
            raise self._fault(
                f"returns {_described(knots)} as the times of a reference",
                "Return at least two, in ascending order",
            )
        if knots[0] > time[0] + 1e-9 or knots[-1] < time[-1] - 1e-9:
            raise self._fault(
                f"returns a reference from {knots[0]:g} to {knots[-1]:g} s, but {time[0]:g} to {time[-1]:g} s "
                "was requested",
                "Return a reference for all requested times",
            )
        torque = reference.torque
        if (torque is not None) != self._torques:
            required = "torques" if self._torques else "angles"
            raise self._fault(
                f"returns no {required}, but its kind requires it", f"Return {required}"
            )
        parts = (
            {"torque": torque}
            if self._torques
            else {name: getattr(reference, name) for name in ("angle", "rate", "acceleration")}
        )
        for name, values in parts.items():
            self._check(name, values, (len(knots), self._axes), float(time[0]))
        checked_reference: JointReference = reference
        return checked_reference

    def _check(self, name: str, values: Any, shape: tuple[int, int], time: float) -> None:
        if (
            not isinstance(values, np.ndarray)
            or values.dtype != np.float64
            or values.shape != shape
        ):
            raise self._fault(
                f"returns {_described(values)} as {name} at t = {time:.6g} s",
                f"Return an array of {shape[0]} x {shape[1]} floating-point numbers: times x joint axes",
            )
        if not np.isfinite(values).all():
            axis = int(np.argwhere(~np.isfinite(values))[0, 1])
            raise self._fault(
                f"returns {values[~np.isfinite(values)][0]} as {name} of joint axis {axis + 1} after t = {time:.6g} s",
                "Return finite numbers",
            )

    def apply(self, scene: Scene, time: float) -> None:
        self._call("apply", scene, time)

    def checkpoint(self) -> Any:
        return self._call("checkpoint")

    def restore(self, checkpoint: Any) -> None:
        self._call("restore", checkpoint)


class _CheckedPeriod(_CheckedController, OnePeriod):
    pass


class _CheckedSteerable(_CheckedController):
    def steer(self, command: TeleopCommand) -> bool:
        return bool(self._call("steer", command))


def _described(value: Any) -> str:
    """Return the short description of an invalid value."""
    if isinstance(value, np.ndarray):
        return f"an array of {' x '.join(map(str, value.shape)) or 'one'} {value.dtype}"
    return f"a value of type {type(value).__name__}" if value is not None else "None"
