"""Mappings as TOML text and back, and what is wrong with one in words that name the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomlkit

from snakestudio.errors import UsageError
from snakestudio.gui.robot.teleop.inputs import parse_input
from snakestudio.gui.robot.teleop.mapping import FUNCTIONS, Binding, Function, InputMap
from snakestudio.inputs import MAPPING, InputError, parse_toml, read_text
from snakestudio.model.atomic import write_atomically

__all__ = ["RANGES", "conflicts", "dump_map", "load_map", "mistakes", "parse_map", "save_map"]

FORMAT = 1

RESERVED = {"Space": "stops a connected robot, and else plays and pauses", "Esc": "leaves teleoperation"}
"""Keys that mean one thing always."""

RANGES = {
    "top_speed": (0.01, 1.0), "top_turn": (0.0, 1.0), "speed_per_s": (0.1, 100.0), "turn_per_s": (0.1, 100.0),
    "amplitude_per_s": (0.01, 10.0),
}  # fmt: skip
"""Least and largest value of every number of an `InputMap`."""
_BINDING_RANGES = {"scale": (-1.0, 1.0), "dead_zone": (0.0, 0.9), "expo": (0.0, 1.0)}


def dump_map(wanted: InputMap) -> str:
    """A mapping as TOML text."""
    document = tomlkit.document()
    document.add(tomlkit.comment("What keys and gamepad do under teleoperation (SnakeStudio)."))
    document["format"] = FORMAT
    document["dead_man"] = wanted.dead_man
    for name in RANGES:
        document[name] = getattr(wanted, name)
    bindings = tomlkit.aot()
    for binding in wanted.bindings:
        table = tomlkit.table()
        table["function"], table["input"] = binding.function, str(binding.input)
        for name in _BINDING_RANGES:
            table[name] = getattr(binding, name)
        bindings.append(table)
    document["bindings"] = bindings
    return tomlkit.dumps(document)


def parse_map(text: str, source: str = "the mapping") -> InputMap:
    """The mapping that a text holds.

    Raises
    ------
    UsageError
        With every mistake, a sentence a line.
    """
    try:
        tree = parse_toml(text, MAPPING)
    except InputError as error:
        raise UsageError(f"{source}: {error}.") from None
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(f"{source}: {sentence}")

    if tree.get("format", FORMAT) != FORMAT:
        raise UsageError(f"{source}: format = {tree['format']!r} is of another program version; export it anew.")
    known = {"format", "dead_man", "bindings", *RANGES}
    for key in tree.keys() - known:
        tell(f"{key}: there is no such key; remove it.")
    dead_man = tree.get("dead_man", False)
    if not isinstance(dead_man, bool):
        tell(f"dead_man = {dead_man!r} is neither true nor false; give true or false.")
    numbers = _numbers(tree, "", RANGES, tell)
    entries = tree.get("bindings", [])
    if not (isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)):
        raise UsageError(f"{source}: bindings is not a list of tables; write each as [[bindings]].")
    bindings = [_binding(entry, f"bindings[{number}]", tell) for number, entry in enumerate(entries, 1)]
    if told:
        raise UsageError("\n".join(told))
    found = InputMap(tuple(binding for binding in bindings if binding is not None), dead_man, **numbers)
    if wrong := mistakes(found):
        raise UsageError("\n".join(f"{source}: {sentence}" for sentence in wrong))
    return found


def _numbers(
    tree: Mapping[str, Any], at: str, ranges: Mapping[str, tuple[float, float]], tell: Callable[[str], None]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, (least, most) in ranges.items():
        if key not in tree:
            continue
        given = tree[key]
        number = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
        if not number or not least <= given <= most:
            tell(f"{at}{key} = {given!r} is not a number from {least:g} to {most:g}; mend it.")
        else:
            found[key] = float(given)
    return found


def _binding(entry: Mapping[str, Any], at: str, tell: Callable[[str], None]) -> Binding | None:
    for key in entry.keys() - {"function", "input", *_BINDING_RANGES}:
        tell(f"{at}.{key}: there is no such key; remove it.")
    numbers = _numbers(entry, f"{at}.", _BINDING_RANGES, tell)
    function: Function | None = next((name for name in FUNCTIONS if name == entry.get("function")), None)
    if function is None:
        tell(f"{at}.function = {entry.get('function')!r} is not known; give one of {', '.join(FUNCTIONS)}.")
    source = parse_input(str(entry.get("input", "")))
    if source is None:
        tell(f"{at}.input = {entry.get('input')!r} is no input; write it like key:W, axis:leftx or button:a.")
    return None if function is None or source is None else Binding(function, source, **numbers)


def mistakes(wanted: InputMap) -> list[str]:
    """Why a mapping cannot be used, a sentence each; none if it can."""
    told: list[str] = []
    seen: dict[str, Function] = {}
    for binding in wanted.bindings:
        name = str(binding.input)
        if name in seen:
            what = " and ".join(dict.fromkeys((FUNCTIONS[seen[name]].title, FUNCTIONS[binding.function].title)))
            told.append(f"{binding.input.title} is bound twice ({what}); remove one of them.")
        seen[name] = binding.function
        reserved = RESERVED.get(binding.input.name) if binding.input.kind == "key" else None
        if reserved is not None:
            told.append(f"{binding.input.title} always {reserved}; choose another key.")
        if binding.scale == 0.0:
            told.append(f"{binding.input.title} has the share 0 and does nothing; give another one or remove it.")
    if not any(binding.function == "speed" for binding in wanted.bindings):
        told.append("Nothing is bound to Speed, so the robot cannot be driven; bind a key or a stick to it.")
    if wanted.dead_man and not any(binding.function == "dead_man" for binding in wanted.bindings):
        told.append("A dead man is asked for, but nothing is bound to it; bind a key or a button, or switch it off.")
    return told


def conflicts(wanted: InputMap, shortcuts: Mapping[str, str]) -> list[str]:
    """Which keys mean something else outside teleoperation: no mistakes, but to be known.

    Parameters
    ----------
    wanted : InputMap
    shortcuts : mapping of str to str
        Titles of the window's commands by their key, as Qt writes it ("R").
    """
    found = [
        f"{binding.input.name} ({shortcuts[binding.input.name]})"
        for binding in wanted.bindings
        if binding.input.kind == "key" and binding.input.name in shortcuts
    ]
    if not found:
        return []
    do = "does" if len(found) == 1 else "do"
    return [f"While teleoperation is on, {', '.join(dict.fromkeys(found))} {do} not do what the menus say."]


def load_map(path: Path) -> InputMap:
    """The mapping in a file.

    Raises
    ------
    UsageError
        If it cannot be read or used.
    """
    try:
        text = read_text(path, MAPPING)
    except InputError as error:
        raise UsageError(f"{path}: {error}.") from None
    return parse_map(text, path.name)


def save_map(wanted: InputMap, path: Path) -> None:
    """Write a mapping to a file, whole or not at all.

    Raises
    ------
    UsageError
        If the file cannot be written.
    """
    try:
        write_atomically(path, dump_map(wanted).encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another place.") from None
