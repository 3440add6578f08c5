"""Joint targets: another program gives the joints their angles; each goes there with limited rate and acceleration.

Targets of any size and at any rate give continuous angles and rates, and a joint stays between its
previous position and its targets. When no more targets arrive, the joints rest at the last ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import OpenLoop
from snakestudio.control.limited import LimitedMotion, Limits, resting
from snakestudio.errors import Problem
from snakestudio.kinds.controller import ControllerKind
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import value
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.target_limits import TargetLimits
from snakestudio.model.teleop import JointTargets, SteerCommand


class JointTargetsFields(ControllerFields):
    """The joints move to the angles that another program commands."""

    uses = ()

    kind: Literal["joint_targets"] = value(
        "joint_targets",
        label="Controller",
        help="Another program, such as a ROS 2 node, commands the joint angles",
    )
    max_rate_deg_s: float = value(
        90.0,
        label="Largest rate",
        unit="°/s",
        help="Maximum rate at which a joint moves to its target",
        gt=0,
        le=7200,
        slider=(10, 360),
        live=True,
    )
    max_acceleration_deg_s2: float = value(
        720.0,
        label="Largest acceleration",
        unit="°/s²",
        help="Maximum acceleration and deceleration of a joint",
        gt=0,
        le=1e6,
        slider=(100, 3600),
        live=True,
    )
    targets_deg: tuple[float, ...] = value(
        (),
        label="First targets",
        unit="°",
        max_length=10000,
        help="Angles of all joint axes until the first command arrives; the initial angles if omitted",
    )

    @property
    def limits(self) -> Limits:
        """In rad."""
        return Limits(math.radians(self.max_rate_deg_s), math.radians(self.max_acceleration_deg_s2))


@dataclass(frozen=True, slots=True)
class _State:
    """State of the controller."""

    motions: tuple[LimitedMotion, ...]
    """Motion of each joint axis, rad."""

    coming: JointTargets | None = None
    """Targets for the next control period."""

    asked: JointTargets | None = None
    """The last targets received."""


class JointTargetsController(OpenLoop):
    """Moves each joint axis to its target; references must be requested one control period at a time.

    Parameters
    ----------
    scene : Scene
        Its controller has `JointTargetsFields`.
    start : (m,) array
        Initial joint angles, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._adopt(scene)
        first = tuple(math.radians(angle) for angle in self._law.targets_deg)
        coming = JointTargets(first) if first else None
        self._state = _State(tuple(resting(float(angle)) for angle in start), coming, coming)

    def _adopt(self, scene: Scene) -> None:
        assert isinstance(scene.controller, JointTargetsFields)
        self._law = scene.controller
        self._lower = scene.axis_values.lower
        self._upper = scene.axis_values.upper
        self._targets = TargetLimits(scene.axis_values)

    def steer(self, command: SteerCommand) -> bool:
        """Apply targets from the next control period on.

        False if they are already in effect, or far beyond the range of a joint, as degrees are.
        """
        if not isinstance(command, JointTargets) or len(command.angles) != len(self._state.motions):
            return False
        if self._targets.first_beyond(np.array(command.angles)) is not None:
            return False
        if command == self._state.asked:
            return False
        before = self._state.coming
        coming = command
        if before is not None:  # an axis without a target keeps the previous one
            pairs = zip(command.angles, before.angles, strict=True)
            coming = JointTargets(tuple(old if math.isnan(new) else new for new, old in pairs))
        self._state = replace(self._state, coming=coming, asked=command)
        return True

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references of one control period; see `Controller.reference`."""
        state = self._state
        if state.coming is not None:
            self._aim(state.coming.angles, float(time[0]))
        parts = [motion.at(time) for motion in self._state.motions]
        angle, rate, acceleration = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
        return JointReference(time, angle, rate, acceleration)

    def _aim(self, angles: tuple[float, ...], time: float) -> None:
        within = np.clip(np.array(angles), self._lower, self._upper).tolist()
        motions = tuple(
            motion if math.isnan(target) else motion.aimed(target, self._law.limits, time)
            for motion, target in zip(self._state.motions, within, strict=True)
        )
        self._state = replace(self._state, motions=motions, coming=None)

    def apply(self, scene: Scene, time: float) -> None:
        """Apply changed limits; the motion of moving joints is planned again."""
        before = self._law
        self._adopt(scene)
        if self._law.limits != before.limits:
            self._aim(tuple(motion.target for motion in self._state.motions), time)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state, self._law

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state, self._law = checkpoint


def check(scene: Scene) -> list[Problem]:
    """Return the problems of a `scene` with this controller."""
    law = scene.controller
    count = len(scene.body.axes)
    assert isinstance(law, JointTargetsFields)
    if law.targets_deg and len(law.targets_deg) != count:
        angles = len(law.targets_deg)
        message = f"{angles} angles for {count} joint axes"
        return [
            Problem("error", "controller.targets_deg", message, f"give {count}, or omit the key")
        ]
    return []


KIND = ControllerKind(
    fields=JointTargetsFields,
    make=JointTargetsController,
    title="Joint targets",
    help="Another program, such as a ROS 2 node, commands the joint angles; each joint moves there within its limits.",
    place=6,
    check=check,
    states={"joint_targets": _State, "joint_targets_asked": JointTargets},
)
