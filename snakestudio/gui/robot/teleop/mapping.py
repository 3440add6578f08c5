"""Mapping of inputs to functions: speed, turn, amplitude, gaits, dead-man switch and stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import tomlkit

from snakestudio.errors import UsageError
from snakestudio.gui.robot.teleop.inputs import Input, Readings, parse_input
from snakestudio.inputs import MAPPING, InputError, parse_toml, read_text
from snakestudio.model.atomic import write_atomically

Function = Literal["speed", "turn", "amplitude", "gait_next", "gait_previous", "dead_man", "stop"]


class FunctionInfo(NamedTuple):
    """Display texts of a function."""

    title: str
    help: str
    analog: bool
    """Whether the function follows the deflection of the input; otherwise it triggers, or holds,
    while pressed."""

    ways: tuple[str, str] = ("", "")
    """Names of the directions 1 and -1."""


FUNCTIONS: MappingProxyType[Function, FunctionInfo] = MappingProxyType(
    {
        "speed": FunctionInfo("Speed", "Speed of the gait", True, ("ahead", "back")),
        "turn": FunctionInfo("Turn", "How far the body bends to one side", True, ("left", "right")),
        "amplitude": FunctionInfo(
            "Amplitude", "Raises or lowers the amplitude while held", True, ("more", "less")
        ),
        "gait_next": FunctionInfo("Next gait", "Switches to the next gait in the list", False),
        "gait_previous": FunctionInfo(
            "Previous gait", "Switches to the previous gait in the list", False
        ),
        "dead_man": FunctionInfo(
            "Dead-man switch", "The robot moves only while it is held, if enabled", False
        ),
        "stop": FunctionInfo(
            "Stop", "Stops a robot immediately; brings a simulation to rest", False
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Binding:
    """Binding of an input to a function."""

    function: Function
    input: Input
    scale: float = 1.0
    """Share of the function at full deflection, -1 to 1; negative reverses it."""

    dead_zone: float = 0.1
    """Deflections up to this share read 0 (axes), 0 to 0.9; above it the value increases from 0."""

    expo: float = 0.0
    """0: linear; 1: cubic, which is finer around the centre (axes)."""

    def value(self, readings: Readings) -> float:
        """Return the contribution to the function, -1 to 1."""
        read = readings.get(self.input, 0.0)
        if self.input.kind == "axis":
            read = shaped(read, self.dead_zone, self.expo)
        return self.scale * read


def shaped(read: float, dead_zone: float, expo: float) -> float:
    """Return the deflection of an axis (-1 to 1) after dead zone and curve; continuous."""
    beyond = min(max((abs(read) - dead_zone) / (1.0 - dead_zone), 0.0), 1.0)
    curved = (1.0 - expo) * beyond + expo * beyond**3
    return curved if read > 0.0 else -curved


class References(NamedTuple):
    """References of all inputs together."""

    speed: float
    """-1 to 1."""

    turn: float
    """-1 to 1."""

    amplitude: float
    """Rate of change of the amplitude, -1 to 1."""

    pressed: frozenset[Function]
    """Functions whose inputs are held."""


@dataclass(frozen=True, slots=True)
class InputMap:
    """Bindings and response of manual control."""

    bindings: tuple[Binding, ...] = field(default=())
    dead_man: bool = False
    """Whether the robot moves only while a dead-man input is held."""

    top_speed: float = 1.0
    """Fraction of the scene's speed limit at full deflection, above 0 to 1."""

    top_turn: float = 1.0
    """Fraction of the scene's turn limit at full deflection, above 0 to 1."""

    speed_per_s: float = 4.0
    """Largest rate at which the speed follows an input, 1/s; releasing is never slower than
    pressing."""

    turn_per_s: float = 4.0
    """Largest rate at which the turn follows an input, 1/s; releasing is never slower than
    pressing."""

    amplitude_per_s: float = 0.5
    """Rate of change of the amplitude at full deflection, 1/s."""

    def references(self, readings: Readings) -> References:
        """Return the references of the inputs before rate limits."""
        sums = dict.fromkeys(FUNCTIONS, 0.0)
        for binding in self.bindings:
            sums[binding.function] += binding.value(readings)
        speed, turn, amplitude = (_clipped(sums[name]) for name in ("speed", "turn", "amplitude"))
        held = frozenset(
            name for name, info in FUNCTIONS.items() if not info.analog and abs(sums[name]) > 0.5
        )
        return References(self.top_speed * speed, self.top_turn * turn, amplitude, held)

    @property
    def inputs(self) -> frozenset[Input]:
        """Bound inputs."""
        return frozenset(binding.input for binding in self.bindings)

    @property
    def keys(self) -> frozenset[int]:
        """Bound keys."""
        return frozenset(int(key) for one in self.inputs if (key := one.key) is not None)

    def at_rest(self, readings: Readings) -> bool:
        """Whether no input is active that moves the robot or triggers a function; the dead-man input may be held."""
        references = self.references(readings)
        return not (
            references.speed
            or references.turn
            or references.amplitude
            or references.pressed - {"dead_man"}
        )


def _clipped(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _keys(function: Function, names: Iterable[str], scale: float = 1.0) -> list[Binding]:
    return [Binding(function, Input("key", name), scale, 0.0) for name in names]


def _pad(function: Function, name: str, scale: float = 1.0) -> Binding:
    analog = name.endswith(("x", "y", "trigger")) and name != "x" and name != "y"
    return Binding(
        function,
        Input("axis" if analog else "button", name),
        scale,
        0.12 if analog else 0.0,
        0.3 if analog else 0.0,
    )


DEFAULT = InputMap(
    (
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
        _pad("speed", "lefty", -1.0),  # positive is down in SDL
        _pad("turn", "rightx", -1.0),
        _pad("amplitude", "dpup"),
        _pad("amplitude", "dpdown", -1.0),
        _pad("gait_next", "y"),
        _pad("gait_previous", "x"),
        _pad("dead_man", "leftshoulder"),
        _pad("stop", "b"),
    )
)
"""Default bindings: W, A, S, D or the arrow keys; on a gamepad the left stick drives and the right
one turns."""


# Conversion of mappings to and from TOML text, with error messages that name the remedy.


FORMAT = 1

RESERVED = {
    "Space": "stops a connected robot, and otherwise plays and pauses",
    "Esc": "leaves teleoperation",
}
"""Reserved keys."""

RANGES = {
    "top_speed": (0.01, 1.0),
    "top_turn": (0.0, 1.0),
    "speed_per_s": (0.1, 100.0),
    "turn_per_s": (0.1, 100.0),
    "amplitude_per_s": (0.01, 10.0),
}
"""Range of every number of an `InputMap`."""
_BINDING_RANGES = {"scale": (-1.0, 1.0), "dead_zone": (0.0, 0.9), "expo": (0.0, 1.0)}


def dump_map(mapping: InputMap) -> str:
    """Convert a mapping to TOML text."""
    document = tomlkit.document()
    document.add(tomlkit.comment("Key and gamepad bindings of teleoperation in SnakeStudio."))
    document["format"] = FORMAT
    document["dead_man"] = mapping.dead_man
    for name in RANGES:
        document[name] = getattr(mapping, name)
    bindings = tomlkit.aot()
    for binding in mapping.bindings:
        table = tomlkit.table()
        table["function"] = binding.function
        table["input"] = str(binding.input)
        for name in _BINDING_RANGES:
            table[name] = getattr(binding, name)
        bindings.append(table)
    document["bindings"] = bindings
    return tomlkit.dumps(document)


def parse_map(text: str, source: str = "the mapping") -> InputMap:
    """Parse a mapping from TOML text.

    Raises `UsageError` with one line per error.
    """
    try:
        tree = parse_toml(text, MAPPING)
    except InputError as error:
        raise UsageError(f"{source}: {error}") from None
    errors: list[str] = []

    def add_error(sentence: str) -> None:
        errors.append(f"{source}: {sentence}")

    if tree.get("format", FORMAT) != FORMAT:
        what = f"format = {tree['format']!r} belongs to another version of the program"
        raise UsageError(f"{source}: {what}. Export it again.")
    known = {"format", "dead_man", "bindings", *RANGES}
    for key in tree.keys() - known:
        add_error(f"{key} is not a known key. Remove it.")
    dead_man = tree.get("dead_man", False)
    if not isinstance(dead_man, bool):
        add_error(f"dead_man must be true or false (got {dead_man!r}).")
    numbers = _numbers(tree, "", RANGES, add_error)
    entries = tree.get("bindings", [])
    if not (isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)):
        raise UsageError(f"{source}: bindings is not a list of tables. Write each as [[bindings]].")
    bindings = [
        _binding(entry, f"bindings[{number}]", add_error) for number, entry in enumerate(entries, 1)
    ]
    if errors:
        raise UsageError("\n".join(errors))
    mapping = InputMap(
        tuple(binding for binding in bindings if binding is not None), dead_man, **numbers
    )
    if wrong := mistakes(mapping):
        raise UsageError("\n".join(f"{source}: {sentence}" for sentence in wrong))
    return mapping


def _numbers(
    tree: Mapping[str, Any],
    at: str,
    ranges: Mapping[str, tuple[float, float]],
    tell: Callable[[str], None],
) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for key, (least, most) in ranges.items():
        if key not in tree:
            continue
        value = tree[key]
        number = (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        )
        if not number or not least <= value <= most:
            tell(f"{at}{key} must be a number from {least:g} to {most:g} (got {value!r}).")
        else:
            numbers[key] = float(value)
    return numbers


def _binding(entry: Mapping[str, Any], at: str, tell: Callable[[str], None]) -> Binding | None:
    for key in entry.keys() - {"function", "input", *_BINDING_RANGES}:
        tell(f"{at}.{key} is not a known key. Remove it.")
    numbers = _numbers(entry, f"{at}.", _BINDING_RANGES, tell)
    function: Function | None = next(
        (name for name in FUNCTIONS if name == entry.get("function")), None
    )
    if function is None:
        tell(
            f"{at}.function = {entry.get('function')!r} is unknown. Set it to one of {', '.join(FUNCTIONS)}."
        )
    source = parse_input(str(entry.get("input", "")))
    if source is None:
        tell(
            f"{at}.input = {entry.get('input')!r} is not an input. Write it like key:W, axis:leftx or button:a."
        )
    return None if function is None or source is None else Binding(function, source, **numbers)


def mistakes(mapping: InputMap) -> list[str]:
    """Return the errors that prevent using a mapping, one message each."""
    errors: list[str] = []
    seen: dict[str, Function] = {}
    for binding in mapping.bindings:
        name = str(binding.input)
        if name in seen:
            what = " and ".join(
                dict.fromkeys((FUNCTIONS[seen[name]].title, FUNCTIONS[binding.function].title))
            )
            errors.append(
                f"{binding.input.title} is bound twice ({what}). Remove one of the bindings."
            )
        seen[name] = binding.function
        reserved = RESERVED.get(binding.input.name) if binding.input.kind == "key" else None
        if reserved is not None:
            errors.append(f"{binding.input.title} always {reserved}. Choose another key.")
        if binding.scale == 0.0:
            errors.append(
                f"{binding.input.title} has a share of 0 and no effect. Change the share, or remove the binding."
            )
    if not any(binding.function == "speed" for binding in mapping.bindings):
        errors.append(
            "Nothing is bound to Speed, so the robot cannot be driven. Bind a key or a stick to it."
        )
    if mapping.dead_man and not any(binding.function == "dead_man" for binding in mapping.bindings):
        errors.append(
            "The dead-man switch is enabled, but nothing is bound to it. Bind a key or a button, or disable it."
        )
    return errors


def conflicts(mapping: InputMap, shortcuts: Mapping[str, str]) -> list[str]:
    """Return the messages about keys with another function outside teleoperation; they are not errors.

    Parameters
    ----------
    shortcuts : mapping of str to str
        Titles of the window's commands by their key, as Qt writes it ("R").
    """
    keys = [
        f"{binding.input.name} ({shortcuts[binding.input.name]})"
        for binding in mapping.bindings
        if binding.input.kind == "key" and binding.input.name in shortcuts
    ]
    if not keys:
        return []
    do = "does" if len(keys) == 1 else "do"
    return [
        f"While teleoperation is on, {', '.join(dict.fromkeys(keys))} {do} not act as menu shortcuts."
    ]


def load_map(path: Path) -> InputMap:
    """Load a mapping from a file.

    Raises `UsageError` if it cannot be read or used.
    """
    try:
        text = read_text(path, MAPPING)
    except InputError as error:
        raise UsageError(f"{path}: {error}") from None
    return parse_map(text, path.name)


def save_map(mapping: InputMap, path: Path) -> None:
    """Save a mapping to a file atomically.

    Raises `UsageError` if the file cannot be written.
    """
    try:
        write_atomically(path, dump_map(mapping).encode())
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written ({error.strerror}). Choose another location."
        ) from None
