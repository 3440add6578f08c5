"""What inputs mean: bindings of keys, sticks and buttons to speed, turn, amplitude, gaits, dead man and stop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from snakestudio.gui.robot.teleop.inputs import Input, Readings

__all__ = ["DEFAULT", "FUNCTIONS", "Binding", "Function", "FunctionInfo", "InputMap", "Wanted", "shaped"]

Function = Literal["speed", "turn", "amplitude", "gait_next", "gait_previous", "dead_man", "stop"]


class FunctionInfo(NamedTuple):
    """How a function is shown.

    Attributes
    ----------
    title, help : str
    analog : bool
        Whether it follows how far an input is moved; else it happens, or holds, when that is pressed.
    ways : (str, str)
        What 1 and -1 of it are.
    """

    title: str
    help: str
    analog: bool
    ways: tuple[str, str] = ("", "")


FUNCTIONS: MappingProxyType[Function, FunctionInfo] = MappingProxyType({
    "speed": FunctionInfo("Speed", "How fast the gait runs", True, ("ahead", "back")),
    "turn": FunctionInfo("Turn", "How much the body is bent to one side", True, ("left", "right")),
    "amplitude": FunctionInfo("Amplitude", "Raises or lowers the amplitude while it is held", True, ("more", "less")),
    "gait_next": FunctionInfo("Next gait", "Switches to the next gait of the list", False),
    "gait_previous": FunctionInfo("Gait before", "Switches to the gait before", False),
    "dead_man": FunctionInfo("Dead man", "The robot moves only while it is held, if that is asked for", False),
    "stop": FunctionInfo("Stop", "Stops a robot at once; a simulation stands still", False),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Binding:
    """One input that has a function.

    Attributes
    ----------
    function : str
    input : Input
    scale : float
        Share of the function at full deflection, -1 to 1; negative: the other way round.
    dead_zone : float
        Deflections up to this share read 0 (axes), 0 to 0.9; above it they grow from 0 on.
    expo : float
        0: in proportion; 1: by the third power, which is finer around the middle (axes).
    """

    function: Function
    input: Input
    scale: float = 1.0
    dead_zone: float = 0.1
    expo: float = 0.0

    def value(self, readings: Readings) -> float:
        """What it contributes to its function, -1 to 1."""
        read = readings.get(self.input, 0.0)
        if self.input.kind == "axis":
            read = shaped(read, self.dead_zone, self.expo)
        return self.scale * read


def shaped(read: float, dead_zone: float, expo: float) -> float:
    """An axis' deflection (-1 to 1) after its dead zone and its curve; without a step anywhere."""
    beyond = min(max((abs(read) - dead_zone) / (1.0 - dead_zone), 0.0), 1.0)
    curved = (1.0 - expo) * beyond + expo * beyond**3
    return curved if read > 0.0 else -curved


class Wanted(NamedTuple):
    """What all inputs together want.

    Attributes
    ----------
    speed, turn, amplitude : float
        -1 to 1; the amplitude's is how fast it shall change.
    pressed : frozenset of str
        Functions whose inputs are held.
    """

    speed: float
    turn: float
    amplitude: float
    pressed: frozenset[Function]


@dataclass(frozen=True, slots=True)
class InputMap:
    """Everything about how a person drives.

    Attributes
    ----------
    bindings : tuple of Binding
    dead_man : bool
        Whether the robot moves only while a dead-man input is held.
    top_speed, top_turn : float
        Share of the scene's limits that full deflection asks for, above 0 to 1.
    speed_per_s, turn_per_s : float
        How fast speed and turn follow an input, 1/s; letting go is never slower than pressing.
    amplitude_per_s : float
        How fast the amplitude changes at full deflection, 1/s.
    """

    bindings: tuple[Binding, ...] = field(default=())
    dead_man: bool = False
    top_speed: float = 1.0
    top_turn: float = 1.0
    speed_per_s: float = 4.0
    turn_per_s: float = 4.0
    amplitude_per_s: float = 0.5

    def wanted(self, readings: Readings) -> Wanted:
        """What the inputs want, before any limit of rate."""
        sums = dict.fromkeys(FUNCTIONS, 0.0)
        for binding in self.bindings:
            sums[binding.function] += binding.value(readings)
        speed, turn, amplitude = (_clipped(sums[name]) for name in ("speed", "turn", "amplitude"))
        held = frozenset(name for name, info in FUNCTIONS.items() if not info.analog and abs(sums[name]) > 0.5)
        return Wanted(self.top_speed * speed, self.top_turn * turn, amplitude, held)

    @property
    def inputs(self) -> frozenset[Input]:
        """All inputs that mean something."""
        return frozenset(binding.input for binding in self.bindings)

    @property
    def keys(self) -> frozenset[int]:
        """All keys that mean something."""
        return frozenset(int(key) for one in self.inputs if (key := one.key) is not None)

    def at_rest(self, readings: Readings) -> bool:
        """Whether nothing is touched that would move the robot or do something to it; the dead man may be held."""
        wanted = self.wanted(readings)
        return not (wanted.speed or wanted.turn or wanted.amplitude or wanted.pressed - {"dead_man"})


def _clipped(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _keys(function: Function, names: Iterable[str], scale: float = 1.0) -> list[Binding]:
    return [Binding(function, Input("key", name), scale, 0.0) for name in names]


def _pad(function: Function, name: str, scale: float = 1.0) -> Binding:
    analog = name.endswith(("x", "y", "trigger")) and name != "x" and name != "y"
    return Binding(
        function, Input("axis" if analog else "button", name), scale, 0.12 if analog else 0.0, 0.3 if analog else 0.0
    )


DEFAULT = InputMap((
    *_keys("speed", ("W", "Up")),
    *_keys("speed", ("S", "Down"), -1.0),
    *_keys("turn", ("A", "Left")),
    *_keys("turn", ("D", "Right"), -1.0),
    *_keys("amplitude", ("R",)),
    *_keys("amplitude", ("F",), -1.0),
    *_keys("gait_next", ("E",)),
    *_keys("gait_previous", ("Q",)),
    *_keys("dead_man", ("X",)),
    *_keys("stop", ("Backspace",)),
    _pad("speed", "lefty", -1.0),  # SDL counts downwards
    _pad("turn", "rightx", -1.0),
    _pad("amplitude", "dpup"),
    _pad("amplitude", "dpdown", -1.0),
    _pad("gait_next", "y"),
    _pad("gait_previous", "x"),
    _pad("dead_man", "leftshoulder"),
    _pad("stop", "b"),
))  # fmt: skip
"""What is bound at first: W, A, S, D or the arrows; on a gamepad the left stick ahead, the right one across."""
