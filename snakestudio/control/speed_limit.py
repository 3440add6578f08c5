"""The largest speed of the joints' motors: references that ask for more are followed at that speed, no faster."""

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
    """Where limited references are at a time (s), axis by axis, and which of them lag behind what is asked for."""

    time: float
    angle: FloatArray
    rate: FloatArray
    lagging: BoolArray


class SpeedLimit:
    """The largest speed of every joint axis, and where its reference is.

    An axis that lags follows at its largest speed until it has caught up. References that ask for
    no more are handed on as they are, to the last bit. Where the limit is taken away from an axis
    that lags, it catches up at the speed at which changed parameters of a gait move joints.
    """

    def __init__(self, scene: Scene) -> None:
        self._lag: _Lag | None = None
        self.apply(scene)

    def apply(self, scene: Scene) -> None:
        """Go over to the limits of `scene`."""
        self._limit = scene.axis_values.max_speed
        self._limits = bool(np.isfinite(self._limit).any())

    def checkpoint(self) -> Any:
        """The full state; None where nothing is limited."""
        return self._lag

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._lag = checkpoint

    def limited(self, wanted: JointReference) -> JointReference:
        """What follows the references `wanted`, which go on where the last ones ended."""
        lag = self._lag
        limit = self._limit
        if wanted.torque is not None or (lag is None and not self._limits):
            return wanted
        angle = wanted.angle[0]
        lagging = np.zeros(len(limit), np.bool_)
        if lag is not None:
            angle = lag.angle
            lagging = lag.lagging
            limit = np.where(lagging & np.isinf(limit), JOINT_SPEED, limit)
        spans = np.diff(wanted.time)[:, None]
        with np.errstate(invalid="ignore"):
            most = np.where(spans > 0.0, limit * spans, 0.0)
        if (
            np.array_equal(angle, wanted.angle[0])
            and (np.abs(np.diff(wanted.angle, axis=0)) <= most).all()
        ):
            still = np.zeros_like(lagging)
            end = _Lag(float(wanted.time[-1]), wanted.angle[-1], wanted.rate[-1], still)
            self._lag = end if self._limits else None
            return wanted
        return self._followed(wanted, angle, lagging, limit, most)

    def _followed(
        self,
        wanted: JointReference,
        angle: FloatArray,
        lagging: BoolArray,
        limit: FloatArray,
        most: FloatArray,
    ) -> JointReference:
        """What follows the references `wanted` from `angle` on, by at most so much from knot to knot."""
        angles, rates, accelerations = (
            part.copy() for part in (wanted.angle, wanted.rate, wanted.acceleration)
        )
        rate = self._lag.rate if self._lag is not None else wanted.rate[0]
        angles[0], rates[0] = angle, np.where(lagging, rate, wanted.rate[0]).clip(-limit, limit)
        accelerations[0][lagging] = 0.0
        for k, room in enumerate(most, start=1):
            missing = wanted.angle[k] - angles[k - 1]
            behind = np.abs(missing) > room
            step = np.copysign(np.where(behind, room, 0.0), missing)
            angles[k] = np.where(behind, angles[k - 1] + step, wanted.angle[k])
            caught = lagging & ~behind
            rates[k] = wanted.rate[k].clip(-limit, limit)
            rates[k][behind] = np.copysign(limit, missing)[behind]
            # The step in which an axis catches up is one of even acceleration.
            span = max(float(wanted.time[k] - wanted.time[k - 1]), 1e-300)
            evenly = (2.0 * missing / span - rates[k - 1]).clip(-limit, limit)
            rates[k][caught] = evenly[caught]
            accelerations[k][behind | caught] = 0.0
            lagging = behind
        self._lag = _Lag(float(wanted.time[-1]), angles[-1], rates[-1], lagging)
        return JointReference(wanted.time, angles, rates, accelerations)


class SpeedLimited:
    """A controller whose references keep within the largest speed of every joint axis."""

    def __init__(self, controller: Controller, scene: Scene) -> None:
        self.controller = controller
        self._speed = SpeedLimit(scene)

    @property
    def needs(self) -> Fields:
        """What the controller needs."""
        return self.controller.needs

    @property
    def channels(self) -> tuple[str, ...]:
        """Those of the controller."""
        return self.controller.channels

    def values(self) -> NDArray[np.float64]:
        """Values of the channels."""
        return self.controller.values()

    def reference(self, time: NDArray[np.float64], snapshot: Snapshot | None) -> Reference:
        """References of the controller, limited."""
        wanted = self.controller.reference(time, snapshot)
        return self._speed.limited(wanted) if isinstance(wanted, JointReference) else wanted

    def apply(self, scene: Scene, time: float) -> None:
        """Go over to the settings of `scene` from `time` on."""
        self.controller.apply(scene, time)
        self._speed.apply(scene)

    def checkpoint(self) -> Any:
        """The full state."""
        return self.controller.checkpoint(), self._speed.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        controller, speed = checkpoint
        self.controller.restore(controller)
        self._speed.restore(speed)


class SteerableSpeedLimited(SpeedLimited):
    """The same of a controller that can be steered."""

    def steer(self, command: SteerCommand) -> bool:
        """Hand on a command; see `Steerable`."""
        controller = self.controller
        return isinstance(controller, Steerable) and controller.steer(command)


def _largest_rates(scene: Scene) -> FloatArray | None:
    """Largest rates that the gait asks of all axes, (m,), rad/s; None if nothing says so."""
    axes = scene.body.axes
    own = GAIT_KINDS[scene.gait.kind].rates
    if own is not None:
        try:
            rates: FloatArray = own(scene)
            return rates
        except SceneError:
            return None  # which the gait's own check says
    if not scene.gait.of_waves:
        return None
    waves = scene.waves
    rates = np.zeros(len(axes))
    factors = np.abs(np.array(waves.envelope or (1.0,) * scene.robot.n_joints))
    for kind, wave in waves.of_kinds:
        rates[entries(axes, kind)] = abs(wave.amplitude * wave.omega) * factors[joints(axes, kind)]
    return rates


def check(scene: Scene) -> list[Problem]:
    """Whether the gait asks joints for more than the largest speed of their motors."""
    if not scene.controller.uses_gait or not scene.body.jointed:
        return []
    limit = scene.axis_values.max_speed
    rates = _largest_rates(scene) if np.isfinite(limit).any() else None
    if rates is None or not (rates > limit * (1.0 + 1e-9)).any():
        return []
    worst = int(np.argmax(rates / limit))
    axis = scene.body.axes[worst]
    asked = math.degrees(rates[worst])
    most = math.degrees(limit[worst])
    message = (
        f"the gait turns joint {axis.joint + 1} ({axis.kind}) at up to {asked:.3g}°/s, and its motor follows at no more"
        f" than {most:.3g}°/s: it will lag"
    )
    share = float((limit / rates)[worst])
    return [
        Problem(
            "hint",
            "actuator.max_speed_deg_s",
            message,
            f"run the gait at {100 * share:.2g} % of its speed",
        )
    ]
