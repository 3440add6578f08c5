"""Teleoperation: keys, a gamepad or a program say how fast the gait runs, where it bends, how high and which one it is.

Nothing that is wanted reaches the joints at once. Frequency, amplitude and offset follow it with
limited rate and acceleration (`control.limited`), one gait takes over from another as their
weighted mean, and the phase is the integral of the frequency: joint angles and rates never jump,
whatever comes from the controls and however often, and the accelerations stay bounded. Under a
constant command the joints do what the plain gait of that amplitude, frequency and offset does.

Speed bends no joint and turn is no rotation: a robot that stands still keeps its shape, and an
offset makes it go along an arc, as it does under the controllers that steer (`control.steering`).
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
"""What acts: frequency and offset (of the joints, with their sign), share of the amplitude, and the
number of the gait in `model.teleop.steerable_gaits`."""

_LEAST_OFFSET = 1e-3
"""Offset by which limits are made where the scene allows none: what is left of an earlier one still
goes away, rad."""


class TimedCommand(Frozen):
    """What somebody at the controls would want from a time on."""

    time_s: float = value(
        label="Time", unit="s", help="From when on it holds", ge=0, le=1e6, slider=(0, 60)
    )
    speed: float = value(
        0.0,
        label="Speed",
        help="Share of the highest frequency; negative: backwards",
        ge=-1,
        le=1,
        slider=(-1, 1),
    )
    turn: float = value(
        0.0,
        label="Turn",
        help="Share of the largest offset; positive: to the left",
        ge=-1,
        le=1,
        slider=(-1, 1),
    )
    amplitude: float = value(
        1.0, label="Amplitude", help="Share of the gait's amplitude", ge=0, le=1, slider=(0, 1)
    )
    gait: str | None = value(
        None,
        label="Gait",
        help="Name of a gait of the library; the scene's own if left out",
        max_length=100,
    )


class TeleoperationFields(ControllerFields):
    """Somebody at the controls says how fast the gait runs and where it bends; without anybody, a program does."""

    uses = ("gait", "path")  # who drives by hand sees the path

    kind: Literal["teleoperation"] = value(
        "teleoperation",
        label="Controller",
        help="Keys or a gamepad drive the gait; without them, its program",
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
        help="Offset of every joint at full turn",
        ge=0,
        le=90,
        slider=(0, 30),
        live=True,
    )
    speed_time_s: float = value(
        0.6,
        label="Time to full speed",
        unit="s",
        help="From standing to full speed, and back",
        ge=0.05,
        le=100,
        slider=(0.1, 3),
        live=True,
    )
    turn_time_s: float = value(
        0.8,
        label="Time to full turn",
        unit="s",
        help="From straight ahead to full turn, and back",
        ge=0.05,
        le=100,
        slider=(0.1, 3),
        live=True,
    )
    amplitude_time_s: float = value(
        1.5,
        label="Time to full amplitude",
        unit="s",
        help="From a straight robot to the gait's whole amplitude",
        ge=0.05,
        le=100,
        slider=(0.2, 5),
        live=True,
    )
    gait_time_s: float = value(
        1.5,
        label="Gait change",
        unit="s",
        help="Time in which one gait takes over from another",
        ge=0.05,
        le=100,
        slider=(0.2, 5),
        live=True,
    )
    program: tuple[TimedCommand, ...] = value(
        (),
        label="Program",
        max_length=10000,
        help="Commands by their times, for runs without anybody at the controls; whoever steers overrules it",
    )

    @property
    def max_frequency(self) -> float:
        """Frequency of the gait at full speed, rad/s."""
        return math.radians(self.max_frequency_deg_s)

    @property
    def max_offset(self) -> float:
        """Offset of every joint at full turn, rad."""
        return math.radians(self.max_offset_deg)


class _State(NamedTuple):
    """What teleoperation remembers."""

    command: TeleopCommand = NEUTRAL
    """In force."""

    coming: TeleopCommand | None = None
    """In force from the next period on."""

    by_hand: bool = False
    """Whether somebody has been at the controls: the program has nothing to say any more."""

    done: int = 0
    """Commands of the program that have begun."""

    acting: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 0.0)
    """Values of the channels."""


class Teleoperation(OpenLoop):
    """Drives the scene's gait, or one of the library; what reaches the joints is as `SetPoints` says.

    It must be asked for one control period at a time: what comes from the controls holds from the
    next one on.

    Parameters
    ----------
    scene : Scene
        Its controller has `TeleoperationFields`.
    start : (m,) array
        Joint angles the robot starts with, rad.
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
        """Frequency, share of the amplitude and offset of the gait, and which gait it is."""
        return CHANNELS

    def values(self) -> FloatArray:
        """Values of the channels at the begin of the last control period."""
        return np.array(self._state.acting)

    @property
    def command(self) -> TeleopCommand:
        """What is wanted of the robot, by hand or by the program."""
        return self._state.coming or self._state.command

    def steer(self, command: SteerCommand) -> bool:
        """Take a command from the controls, which holds from the next control period on.

        Returns
        -------
        bool
            Whether it is another one than before. A gait that this robot has not is left out: it
            keeps the one it has.
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
        """References for the control period that begins at `time[0]`."""
        now = float(time[0])
        self._take(now)
        aim = self._aim()
        self._set_points.change(lambda since: self._gait.aim(aim, since), now)
        number = list(self._shapes).index(self._called)
        self._state = self._state._replace(acting=(*self._gait.values(now), float(number)))
        return self._set_points.reference(time, None)

    def _take(self, now: float) -> None:
        """Let what is due come into force."""
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
        """Name of the gait that is meant; the scene's own where a changed scene has that one no more."""
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
        """Go on with the settings and the gait of `scene` from the next period on, from where the joints are."""
        self._adopt(scene)
        self._set_points.apply_speed(scene)

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


def _gait_problems(scene: Scene) -> list[Problem]:
    """Whether the gait can be driven ahead."""
    yaw, pitch = scene.waves.yaw, scene.waves.pitch
    waves = [yaw, *([pitch] if scene.model.spatial else [])]
    if any(wave.amplitude and wave.omega for wave in waves):
        return []
    still = any(wave.amplitude for wave in waves)
    key = "gait.frequency_deg_s" if still else scene.gait.wave_keys[0][0]
    if still and key.rpartition(".")[2] not in type(scene.gait).model_fields:
        key = "gait.odd_temporal_frequency_rad_s"
    message = (
        "the gait stands still, so nothing says which way is ahead"
        if still
        else "the gait has no amplitude to drive"
    )
    return [
        Problem(
            "warning", key, message, "give another value than 0, or drive a gait of the library"
        )
    ]


def _reach_problems(scene: Scene, law: TeleoperationFields) -> list[Problem]:
    """Whether full turn goes beyond the joints' stops."""
    limit = scene.robot.joint_limit_deg
    reach = scene.gait.reach_deg
    if limit is None or reach > limit or reach + law.max_offset_deg <= limit + 1e-9:
        return []
    room = limit - reach
    return [
        Problem(
            "warning",
            "controller.max_offset_deg",
            f"the gait reaches {reach:g}° and full turn adds {law.max_offset_deg:g}°, but the joints' stops are at"
            f" {limit:g}°",
            f"give at most {room:g}",
            fixes=(Fix(f"Turn by {room:g}° at most", (("controller.max_offset_deg", room),)),),
        )
    ]


def _program_problems(scene: Scene, law: TeleoperationFields) -> list[Problem]:
    """Whether the program can be followed."""
    problems = []
    before = 0.0
    possible = steerable_gaits(scene)
    known = {entry.name for entry in GAITS} | {OWN_GAIT}
    for number, entry in enumerate(law.program, 1):
        key = f"controller.program[{number}]"
        if entry.time_s < before:
            message = f"{entry.time_s:g} s comes after {before:g} s in the list"
            problems.append(
                Problem(
                    "error",
                    f"{key}.time_s",
                    message,
                    "put the commands in the order of their times",
                )
            )
        before = max(before, entry.time_s)
        if entry.gait is not None and entry.gait not in possible:
            listed = ", ".join(possible)
            why = (
                "this robot cannot do it (it needs a vertical wave, or goes beyond the joints' stops)"
                if entry.gait in known
                else "there is no such gait"
            )
            problems.append(
                Problem("error", f"{key}.gait", f'"{entry.gait}": {why}', f"give one of {listed}")
            )
    return problems


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, which is teleoperated."""
    law = scene.controller
    assert isinstance(law, TeleoperationFields)
    if not scene.gait.of_waves:
        what = f'"{law.kind}" drives waves, and the gait "{scene.gait.kind}" is none'
        return [
            Problem(
                "error", "controller.kind", what, 'make it "none", or choose a gait of the library'
            )
        ]
    return _gait_problems(scene) + _reach_problems(scene, law) + _program_problems(scene, law)


def _sets_pace(scene: Scene) -> bool:
    """Whether the gait's frequency says more than its sign: how fast one wave runs beside the other."""
    two = scene.model.spatial and scene.gait.has_vertical_wave
    return two or scene.waves.yaw.omega <= 0.0


def _note(law: TeleoperationFields) -> str:
    """What there is to say about the program; it is written in the scene's file."""
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
            f"gait at {pace:.0f}°/s, bent by {bend:.1f}°" if pace or bend else "gait stands still",
        )
    ]


KIND = ControllerKind(
    fields=TeleoperationFields,
    make=Teleoperation,
    title="Teleoperation",
    help="Keys or a gamepad say how fast the gait runs and how it bends, or which one it is; without them, a program.",
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
