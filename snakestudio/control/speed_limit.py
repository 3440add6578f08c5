"""Speed limits of the joint motors: faster references are followed at the limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.control.base import Controller, Steerable
from snakestudio.control.ramp import JOINT_SPEED
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand


@dataclass(frozen=True, slots=True)
class _Lag:
    """Limited references of each axis at a time (s), and which of them lag behind."""

    time: float
    angle: FloatArray
    rate: FloatArray
    lagging: BoolArray


class SpeedLimit:
    """Speed limit and limited reference of each joint axis.

    An axis that lags follows at its largest speed until it catches up. References within the limit are
    passed on unchanged, bit for bit. If the limit of a lagging axis is removed, the axis catches up at the
    speed with which changed gait parameters move joints.
    """

    def __init__(self, scene: Scene) -> None:
        self._lag: _Lag | None = None
        self.apply(scene)

    def apply(self, scene: Scene) -> None:
        """Use the limits of `scene`."""
        self._limit = scene.axis_values.max_speed
        self._limits = bool(np.isfinite(self._limit).any())

    def checkpoint(self) -> Any:
        """Return the full state; None if nothing is limited."""
        return self._lag

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._lag = checkpoint

    def limited(self, reference: JointReference) -> JointReference:
        """Limit the `reference`, which continue from the previous ones."""
        lag = self._lag
        limit = self._limit
        if reference.torque is not None or (lag is None and not self._limits):
            return reference
        angle = reference.angle[0]
        lagging = np.zeros(len(limit), np.bool_)
        if lag is not None:
            angle = lag.angle
            lagging = lag.lagging
            limit = np.where(lagging & np.isinf(limit), JOINT_SPEED, limit)
        spans = np.diff(reference.time)[:, None]
        with np.errstate(invalid="ignore"):
            most = np.where(spans > 0.0, limit * spans, 0.0)
        if (
            np.array_equal(angle, reference.angle[0])
            and (np.abs(np.diff(reference.angle, axis=0)) <= most).all()
        ):
            still = np.zeros_like(lagging)
            end = _Lag(float(reference.time[-1]), reference.angle[-1], reference.rate[-1], still)
            self._lag = end if self._limits else None
            return reference
        return self._followed(reference, angle, lagging, limit, most)

    def _followed(
        self,
        reference: JointReference,
        angle: FloatArray,
        lagging: BoolArray,
        limit: FloatArray,
        most: FloatArray,
    ) -> JointReference:
        """Limit the `reference` from `angle` on; `most` is the largest change between knots."""
        angles, rates, accelerations = (
            part.copy() for part in (reference.angle, reference.rate, reference.acceleration)
        )
        rate = self._lag.rate if self._lag is not None else reference.rate[0]
        angles[0], rates[0] = angle, np.where(lagging, rate, reference.rate[0]).clip(-limit, limit)
        accelerations[0][lagging] = 0.0
        for k, largest in enumerate(most, start=1):
            missing = reference.angle[k] - angles[k - 1]
            behind = np.abs(missing) > largest
            step = np.copysign(np.where(behind, largest, 0.0), missing)
            angles[k] = np.where(behind, angles[k - 1] + step, reference.angle[k])
            caught = lagging & ~behind
            rates[k] = reference.rate[k].clip(-limit, limit)
            rates[k][behind] = np.copysign(limit, missing)[behind]
            # An axis catches up within one step with constant acceleration.
            span = max(float(reference.time[k] - reference.time[k - 1]), 1e-300)
            evenly = (2.0 * missing / span - rates[k - 1]).clip(-limit, limit)
            rates[k][caught] = evenly[caught]
            accelerations[k][behind | caught] = 0.0
            lagging = behind
        self._lag = _Lag(float(reference.time[-1]), angles[-1], rates[-1], lagging)
        return JointReference(reference.time, angles, rates, accelerations)


class SpeedLimited:
    """A controller whose references are limited to the largest speed of each joint axis."""

    def __init__(self, controller: Controller, scene: Scene) -> None:
        self.controller = controller
        self._speed = SpeedLimit(scene)

    @property
    def needs(self) -> Fields:
        """Fields that the controller needs."""
        return self.controller.needs

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels of the controller."""
        return self.controller.channels

    def values(self) -> NDArray[np.float64]:
        """Return the values of the channels."""
        return self.controller.values()

    def reference(self, time: NDArray[np.float64], snapshot: Snapshot | None) -> Reference:
        """Return the limited references of the controller."""
        reference = self.controller.reference(time, snapshot)
        return (
            self._speed.limited(reference) if isinstance(reference, JointReference) else reference
        )

    def apply(self, scene: Scene, time: float) -> None:
        """Use the settings of `scene` from `time` on."""
        self.controller.apply(scene, time)
        self._speed.apply(scene)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self.controller.checkpoint(), self._speed.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        controller, speed = checkpoint
        self.controller.restore(controller)
        self._speed.restore(speed)


class SteerableSpeedLimited(SpeedLimited):
    """A speed-limited controller that accepts commands."""

    def steer(self, command: SteerCommand) -> bool:
        """Pass a command to the controller; see `Steerable`."""
        controller = self.controller
        return isinstance(controller, Steerable) and controller.steer(command)


def _largest_rates(scene: Scene) -> FloatArray | None:
    """Return the largest rates of the gait for all axes, (m,), rad/s; None if unknown."""
    axes = scene.body.axes
    own = GAIT_KINDS[scene.gait.kind].rates
    if own is not None:
        try:
            rates: FloatArray = own(scene)
            return rates
        except SceneError:
            return None  # reported by the gait's own check
    if not scene.gait.of_waves:
        return None
    waves = scene.waves
    rates = np.zeros(len(axes))
    factors = np.abs(np.array(waves.envelope or (1.0,) * scene.robot.n_joints))
    for kind, wave in waves.of_kinds:
        rates[entries(axes, kind)] = abs(wave.amplitude * wave.omega) * factors[joints(axes, kind)]
    return rates


def check(scene: Scene) -> list[Problem]:
    """Return the warnings if the gait exceeds the speed limits of the motors."""
    if not scene.controller.uses_gait or not scene.body.jointed:
        return []
    limit = scene.axis_values.max_speed
    rates = _largest_rates(scene) if np.isfinite(limit).any() else None
    if rates is None or not (rates > limit * (1.0 + 1e-9)).any():
        return []
    worst = int(np.argmax(rates / limit))
    axis = scene.body.axes[worst]
    fastest = math.degrees(rates[worst])
    most = math.degrees(limit[worst])
    message = (
        f"the gait moves joint {axis.joint + 1} ({axis.kind}) at up to {fastest:.3g}°/s, but its motor is limited to "
        f"{most:.3g}°/s, so it will lag"
    )
    fraction = float(limit[worst] / rates[worst])
    return [
        Problem(
            "hint",
            "actuator.max_speed_deg_s",
            message,
            f"Run the gait at {100 * fraction:.2g} % of its speed",
        )
    ]
