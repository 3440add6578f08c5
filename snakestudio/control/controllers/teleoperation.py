"""Teleoperation: keys, a gamepad or a program set the gait, its frequency, amplitude and offset.

Commands never reach the joints directly. Frequency, amplitude and offset follow them with limited
rate and acceleration (`control.limited`), a change of gait is a weighted mean of both, and the phase is
the integral of the frequency. Joint angles and rates are therefore continuous and accelerations
bounded for any sequence of commands. Under a constant command the joints follow the plain gait of
that amplitude, frequency and offset.

Speed and turn command the gait, not the body: a robot at rest keeps its shape, and an offset makes a
moving one follow an arc, as with the steering controllers (`control.steering`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import OpenLoop
from snakestudio.control.body import Body
from snakestudio.control.limited import Limits
from snakestudio.control.set_points import SetPoints
from snakestudio.control.steered_gait import Aim, SteeredGait, shape_of
from snakestudio.errors import Fix, Problem
from snakestudio.kinds.controller import ControllerKind, Curve, Plot, Said
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.fields import Frozen, value
from snakestudio.model.gaits import GAITS
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import (
    NEUTRAL,
    OWN_GAIT,
    SteerCommand,
    TeleopCommand,
    gait_called,
    steerable_gaits,
)
from snakestudio.text import counted

CHANNELS = ("gait_frequency_radps", "gait_amplitude_share", "gait_offset_rad", "gait_number")
"""Actual values: frequency and offset (of the joints, with their sign), fraction of the amplitude, and
index of the gait in `model.teleop.steerable_gaits`."""

_LEAST_OFFSET = 1e-3
"""Offset, rad, that sets the rate limits if the scene allows no offset, so that an earlier one still
decays."""


class TimedCommand(Frozen):
    """A command of the program, in effect from a given time."""

    time_s: float = value(
        label="Time", unit="s", help="Start time of the command", ge=0, le=1e6, slider=(0, 60)
    )
    speed: float = value(
        0.0,
        label="Speed",
        help="Fraction of the highest frequency; negative: backwards",
        ge=-1,
        le=1,
        slider=(-1, 1),
    )
    turn: float = value(
        0.0,
        label="Turn",
        help="Fraction of the largest offset; positive: to the left",
        ge=-1,
        le=1,
        slider=(-1, 1),
    )
    amplitude: float = value(
        1.0, label="Amplitude", help="Fraction of the gait's amplitude", ge=0, le=1, slider=(0, 1)
    )
    gait: str | None = value(
        None,
        label="Gait",
        help="Name of a gait in the library; the gait of the scene if omitted",
        max_length=100,
    )


class TeleoperationFields(ControllerFields):
    """An operator drives the gait by keys or gamepad; until then, a program of timed commands does."""

    uses = ("gait", "path")  # the operator sees the path

    kind: Literal["teleoperation"] = value(
        "teleoperation",
        label="Controller",
        help="Keys or a gamepad drive the gait; without input, the program does",
    )
    max_frequency_deg_s: float = value(
        80.0,
        label="Highest frequency",
        unit="°/s",
        symbol="ω_max",
        help="Frequency of the gait at full speed",
        gt=0,
        le=7200,
        slider=(10, 200),
        live=True,
    )
    max_offset_deg: float = value(
        10.0,
        label="Largest offset",
        unit="°",
        symbol="ψ_max",
        help="Offset of each joint at full turn",
        ge=0,
        le=90,
        slider=(0, 30),
        live=True,
    )
    speed_time_s: float = value(
        0.6,
        label="Time to full speed",
        unit="s",
        help="Time from rest to full speed, and back",
        ge=0.05,
        le=100,
        slider=(0.1, 3),
        live=True,
    )
    turn_time_s: float = value(
        0.8,
        label="Time to full turn",
        unit="s",
        help="Time from straight ahead to full turn, and back",
        ge=0.05,
        le=100,
        slider=(0.1, 3),
        live=True,
    )
    amplitude_time_s: float = value(
        1.5,
        label="Time to full amplitude",
        unit="s",
        help="Time from a straight robot to the full amplitude of the gait",
        ge=0.05,
        le=100,
        slider=(0.2, 5),
        live=True,
    )
    gait_time_s: float = value(
        1.5,
        label="Gait change",
        unit="s",
        help="Duration of the transition between gaits",
        ge=0.05,
        le=100,
        slider=(0.2, 5),
        live=True,
    )
    program: tuple[TimedCommand, ...] = value(
        (),
        label="Program",
        max_length=10000,
        help="Timed commands for runs without an operator; input from the operator overrides them",
    )

    @property
    def max_frequency(self) -> float:
        """Frequency of the gait at full speed, rad/s."""
        return math.radians(self.max_frequency_deg_s)

    @property
    def max_offset(self) -> float:
        """Offset of each joint at full turn, rad."""
        return math.radians(self.max_offset_deg)


class _State(NamedTuple):
    """State of teleoperation."""

    command: TeleopCommand = NEUTRAL
    """Current command."""

    coming: TeleopCommand | None = None
    """Command for the next period."""

    by_hand: bool = False
    """Whether an operator has taken control, which ends the program."""

    done: int = 0
    """Number of program commands that have started."""

    acting: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 0.0)
    """Values of the channels."""


class Teleoperation(OpenLoop):
    """Drives the gait of the scene or one of the library; `SetPoints` computes the joint references.

    References must be requested one control period at a time: commands take effect in the next one.

    Parameters
    ----------
    scene : Scene
        Its controller has `TeleoperationFields`.
    start : (m,) array
        Initial joint angles, rad.
    """

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._adopt(scene)
        self._gait = SteeredGait(scene.body.axes, self._shapes[OWN_GAIT], scene.solver.step_s)
        self._set_points = SetPoints(scene, start, self._gait)
        self._turn_sign = Body(scene.robot).turn_sign
        self._state = _State()

    def _adopt(self, scene: Scene) -> None:
        assert isinstance(scene.controller, TeleoperationFields)
        self._scene = scene
        self._law = scene.controller
        gaits = {name: gait_called(scene, name) for name in steerable_gaits(scene)}
        self._shapes = {
            name: shape_of(gait, scene.robot, scene.model.spatial)
            for name, gait in gaits.items()
            if gait is not None
        }
        law = self._law
        self._limits = (
            Limits.of(law.max_frequency, law.speed_time_s),
            Limits.of(1.0, law.amplitude_time_s),
            Limits.of(law.max_offset or _LEAST_OFFSET, law.turn_time_s),
            Limits.of(1.0, law.gait_time_s),
        )

    @property
    def channels(self) -> tuple[str, ...]:
        """Frequency, fraction of the amplitude, offset and index of the gait."""
        return CHANNELS

    def values(self) -> FloatArray:
        """Return the values of the channels at the start of the last control period."""
        return np.array(self._state.acting)

    @property
    def command(self) -> TeleopCommand:
        """Current command, of the operator or the program."""
        return self._state.coming or self._state.command

    def steer(self, command: SteerCommand) -> bool:
        """Apply a command of the operator from the next control period on.

        Returns
        -------
        bool
            Whether it differs from the current one. A gait that this robot cannot do is ignored.
        """
        if not isinstance(command, TeleopCommand):
            return False
        if command.gait not in (None, *self._shapes):
            command = replace(command, gait=self.command.gait)
        if self._state.by_hand and command == self.command:
            return False
        self._state = self._state._replace(coming=command, by_hand=True)
        return True

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        """Return the references of the control period that starts at `time[0]`."""
        now = float(time[0])
        self._start_due_commands(now)
        aim = self._aim()
        self._set_points.change(lambda since: self._gait.aim(aim, since), now)
        number = list(self._shapes).index(self._called)
        self._state = self._state._replace(acting=(*self._gait.values(now), float(number)))
        return self._set_points.reference(time, None)

    def _start_due_commands(self, now: float) -> None:
        """Put commands that are due into effect."""
        state = self._state
        program = self._law.program
        if state.coming is not None:
            self._state = state._replace(command=state.coming, coming=None)
            return
        done = state.done
        while not state.by_hand and done < len(program) and program[done].time_s <= now + 1e-9:
            done += 1
        if done > state.done:
            self._state = state._replace(command=command_of(program[done - 1]), done=done)

    @property
    def _called(self) -> str:
        """Name of the commanded gait; that of the scene if a changed scene no longer has it."""
        gait = self._state.command.gait
        return gait if gait in self._shapes else OWN_GAIT

    def _aim(self) -> Aim:
        law = self._law
        command = self._state.command
        return Aim(
            self._shapes[self._called],
            command.speed * law.max_frequency,
            command.amplitude,
            self._turn_sign * command.turn * law.max_offset,
            self._limits,
        )

    def apply(self, scene: Scene, time: float) -> None:
        """Continue with the settings and the gait of `scene` from the next period on, without a jump."""
        self._adopt(scene)
        self._set_points.apply_speed(scene)

    def checkpoint(self) -> Any:
        """Return the full state."""
        return self._state, self._scene, self._set_points.checkpoint()

    def restore(self, checkpoint: Any) -> None:
        """Restore a state returned by `checkpoint`."""
        self._state, scene, set_points = checkpoint
        self._adopt(scene)
        self._set_points.restore(set_points)


def command_of(timed: TimedCommand) -> TeleopCommand:
    """Return the command of a program entry."""
    return TeleopCommand(timed.speed, timed.turn, timed.amplitude, timed.gait)


def _gait_problems(scene: Scene) -> list[Problem]:
    """Return the warnings about a gait that cannot propel the robot."""
    yaw, pitch = scene.waves.yaw, scene.waves.pitch
    waves = [yaw, *([pitch] if scene.model.spatial else [])]
    if any(wave.amplitude and wave.omega for wave in waves):
        return []
    still = any(wave.amplitude for wave in waves)
    key = "gait.frequency_deg_s" if still else scene.gait.wave_keys[0][0]
    if still and key.rpartition(".")[2] not in type(scene.gait).model_fields:
        key = "gait.odd_temporal_frequency_rad_s"
    message = (
        "the gait has zero frequency, so forward is undefined"
        if still
        else "the gait has no amplitude to drive"
    )
    return [
        Problem("warning", key, message, "set a value other than 0, or drive a gait of the library")
    ]


def _reach_problems(scene: Scene, law: TeleoperationFields) -> list[Problem]:
    """Return warnings if full turn exceeds the joint limits."""
    limit = scene.robot.joint_limit_deg
    reach = scene.gait.reach_deg
    if limit is None or reach > limit or reach + law.max_offset_deg <= limit + 1e-9:
        return []
    margin = limit - reach
    return [
        Problem(
            "warning",
            "controller.max_offset_deg",
            f"the gait reaches {reach:g}° and full turn adds {law.max_offset_deg:g}°, but the joint limits are"
            f" {limit:g}°",
            f"set at most {margin:g}",
            fixes=(
                Fix(f"Limit the offset to {margin:g}°", (("controller.max_offset_deg", margin),)),
            ),
        )
    ]


def _program_problems(scene: Scene, law: TeleoperationFields) -> list[Problem]:
    """Return the problems of the program."""
    problems = []
    before = 0.0
    possible = steerable_gaits(scene)
    known = {entry.name for entry in GAITS} | {OWN_GAIT}
    for number, entry in enumerate(law.program, 1):
        key = f"controller.program[{number}]"
        if entry.time_s < before:
            message = f"{entry.time_s:g} s follows {before:g} s in the list"
            problems.append(
                Problem(
                    "error",
                    f"{key}.time_s",
                    message,
                    "sort the commands by time",
                )
            )
        before = max(before, entry.time_s)
        if entry.gait is not None and entry.gait not in possible:
            listed = ", ".join(possible)
            why = (
                "this robot cannot do it (it needs a vertical wave, or exceeds the joint limits)"
                if entry.gait in known
                else "there is no such gait"
            )
            problems.append(
                Problem("error", f"{key}.gait", f'"{entry.gait}": {why}', f"choose one of {listed}")
            )
    return problems


def check(scene: Scene) -> list[Problem]:
    """Return the errors and warnings for a `scene` with this controller."""
    law = scene.controller
    assert isinstance(law, TeleoperationFields)
    if not scene.gait.of_waves:
        what = f'"{law.kind}" drives waves, but the gait "{scene.gait.kind}" is not a wave'
        return [
            Problem(
                "error",
                "controller.kind",
                what,
                'set it to "none", or choose a gait of the library',
            )
        ]
    return _gait_problems(scene) + _reach_problems(scene, law) + _program_problems(scene, law)


def _sets_pace(scene: Scene) -> bool:
    """Return whether more than the sign of the gait's frequency matters: the ratio of the speeds of its waves."""
    two = scene.model.spatial and scene.gait.has_vertical_wave
    return two or scene.waves.yaw.omega <= 0.0


def _note(law: TeleoperationFields) -> str:
    """Return the note about the program, which is edited in the scene file."""
    if not law.program:
        return ""
    count = len(law.program)
    return f"Its program has {counted(count, 'command')}, the last at {law.program[-1].time_s:g} s."


def _says(control: Mapping[str, float]) -> list[Said]:
    pace, bend = (
        math.degrees(control[name]) for name in ("gait_frequency_radps", "gait_offset_rad")
    )
    return [
        Said(
            "accent",
            f"gait at {pace:.0f}°/s, bent by {bend:.1f}°" if pace or bend else "gait stopped",
        )
    ]


KIND = ControllerKind(
    fields=TeleoperationFields,
    make=Teleoperation,
    title="Teleoperation",
    help="Keys or a gamepad select the gait and set its speed and turn; without input, a program does.",
    place=5,
    check=check,
    effects=((("gait.frequency_deg_s",), _sets_pace, "only its sign under teleoperation"),),
    tools=("drive",),
    note=_note,
    channels=CHANNELS,
    plots=(
        Plot(
            "driving",
            "Driving",
            (
                Curve("gait_frequency_radps", "frequency"),
                Curve("gait_offset_rad", "offset", right=True),
            ),
            least=10.0,
            place=3,
        ),
    ),
    shown=("driving", "joint", "speed", "position"),
    says=_says,
    states={"teleoperation": _State},
    formerly={
        "control.teleoperation:_State": _State,
        "model.controllers:Teleoperation": TeleoperationFields,
    },
)
