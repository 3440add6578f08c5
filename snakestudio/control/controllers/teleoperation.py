"""Teleoperation: keys, a gamepad or a program say how fast the gait runs, where it bends, how high and which one it is.

Nothing that is wanted reaches the joints at once. Frequency, amplitude and offset follow it with limited rate and
acceleration (`control.limited`), one gait takes over from another as their weighted mean, and the phase is the integral
of the frequency: joint angles and rates never jump, whatever comes from the controls and however often, and the
accelerations stay bounded. Under a constant command the joints do what the plain gait of that amplitude, frequency and
offset does.

Speed bends no joint and turn is no rotation: a robot that stands still keeps its shape, and an offset makes it go along
an arc, as it does under the controllers that steer (`control.steering`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.control.base import OpenLoop
from snakestudio.control.body import Body
from snakestudio.control.gaits.steered import Aim, SteeredGait, shape_of
from snakestudio.control.limited import Limits
from snakestudio.control.set_points import SetPoints
from snakestudio.model.controllers import Teleoperation as Settings
from snakestudio.model.controllers import TimedCommand
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import NEUTRAL, OWN_GAIT, TeleopCommand, gait_called, steerable_gaits

__all__ = ["CHANNELS", "Teleoperation"]

FloatArray = NDArray[np.float64]

CHANNELS = ("gait_frequency_radps", "gait_amplitude_share", "gait_offset_rad", "gait_number")
"""What acts: frequency and offset (of the joints, with their sign), share of the amplitude, and the number of the gait
in `model.teleop.steerable_gaits`."""

_LEAST_OFFSET = 1e-3
"""Offset by which limits are made where the scene allows none: what is left of an earlier one still goes away, rad."""


@dataclass(frozen=True, slots=True)
class _State:
    """What teleoperation remembers.

    Attributes
    ----------
    command : TeleopCommand
        In force.
    coming : TeleopCommand or None
        In force from the next period on.
    by_hand : bool
        Whether somebody has been at the controls: the program has nothing to say any more.
    done : int
        Commands of the program that have begun.
    acting : (float, float, float, float)
        Values of the channels.
    """

    command: TeleopCommand = NEUTRAL
    coming: TeleopCommand | None = None
    by_hand: bool = False
    done: int = 0
    acting: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 0.0)


class Teleoperation(OpenLoop):
    """Drives the scene's gait, or one of the library; what reaches the joints is as `SetPoints` says.

    It must be asked for one control period at a time: what comes from the controls holds from the next one on.

    Parameters
    ----------
    scene : Scene
        Its controller is a `model.controllers.Teleoperation`.
    start : (n-1, 2) array
        Joint angles the robot starts with, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._adopt(scene)
        self._gait = SteeredGait(scene.robot.n_joints, self._shapes[OWN_GAIT])
        self._set_points = SetPoints(scene, start, self._gait)
        self._turn_sign = Body(scene.robot).turn_sign
        self._state = _State()

    def _adopt(self, scene: Scene) -> None:
        assert isinstance(scene.controller, Settings)
        self._scene, self._law = scene, scene.controller
        gaits = {name: gait_called(scene, name) for name in steerable_gaits(scene)}
        self._shapes = {name: shape_of(gait, scene.model.spatial) for name, gait in gaits.items() if gait is not None}
        law = self._law
        self._limits = (
            Limits.of(law.max_frequency, law.speed_time_s),
            Limits.of(1.0, law.amplitude_time_s),
            Limits.of(law.max_offset or _LEAST_OFFSET, law.turn_time_s),
            Limits.of(1.0, law.gait_time_s),
        )

    @property
    def channels(self) -> tuple[str, ...]:
        """Frequency, share of the amplitude and offset of the gait, and which gait it is."""
        return CHANNELS

    def values(self) -> FloatArray:
        """Values of the channels at the begin of the last control period."""
        return np.array(self._state.acting)

    @property
    def command(self) -> TeleopCommand:
        """What is wanted of the robot, by hand or by the program."""
        return self._state.coming or self._state.command

    def steer(self, command: TeleopCommand) -> bool:
        """Take a command from the controls, which holds from the next control period on.

        Returns
        -------
        bool
            Whether it is another one than before. A gait that this robot has not is left out: it keeps the one it has.
        """
        if command.gait not in (None, *self._shapes):
            command = replace(command, gait=self.command.gait)
        if self._state.by_hand and command == self.command:
            return False
        self._state = replace(self._state, coming=command, by_hand=True)
        return True

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """References for the control period that begins at `time[0]`."""
        now = float(time[0])
        self._take(now)
        aim = self._aim()
        self._set_points.change(lambda since: self._gait.aim(aim, since), now)
        number = list(self._shapes).index(self._called)
        self._state = replace(self._state, acting=(*self._gait.values(now), float(number)))
        return self._set_points.reference(time, None)

    def _take(self, now: float) -> None:
        """Let what is due come into force."""
        state, program = self._state, self._law.program
        if state.coming is not None:
            self._state = replace(state, command=state.coming, coming=None)
            return
        done = state.done
        while not state.by_hand and done < len(program) and program[done].time_s <= now + 1e-9:
            done += 1
        if done > state.done:
            self._state = replace(state, command=command_of(program[done - 1]), done=done)

    @property
    def _called(self) -> str:
        """Name of the gait that is meant; the scene's own where a changed scene has that one no more."""
        gait = self._state.command.gait
        return gait if gait in self._shapes else OWN_GAIT

    def _aim(self) -> Aim:
        law, command = self._law, self._state.command
        return Aim(
            self._shapes[self._called],
            command.speed * law.max_frequency,
            command.amplitude,
            self._turn_sign * command.turn * law.max_offset,
            self._limits,
        )

    def apply(self, scene: Scene, time: float) -> None:
        """Go on with the settings and the gait of `scene` from the next period on, from where the joints are."""
        self._adopt(scene)

    def checkpoint(self) -> Any:
        """The full state."""
        return self._state, self._scene, self._set_points.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Go back to a state that `checkpoint` gave."""
        self._state, scene, set_points = checkpoint
        self._adopt(scene)
        self._set_points.restore(set_points)


def command_of(timed: TimedCommand) -> TeleopCommand:
    """The command of a program's entry."""
    return TeleopCommand(timed.speed, timed.turn, timed.amplitude, timed.gait)
