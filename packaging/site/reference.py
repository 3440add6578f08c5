"""Reference pages, generated from the program's declarations: each public function returns the Markdown of one page."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer

import snakestudio
import snakestudio.gui.shell.commands
from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.reductions import REDUCTIONS
from snakestudio.cli import COMMANDS, parser_of
from snakestudio.gui.shell.help_dialogs import MOUSE
from snakestudio.kinds.reads import readers
from snakestudio.model.column_help import ENERGY_HELP
from snakestudio.model.column_units import unit_of
from snakestudio.model.documentation import KeyRow, key_rows, parts_of
from snakestudio.model.quantities import QUANTITIES
from snakestudio.model.registry import FORMULATIONS, first_line
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


# ------------------------------------------------------------------------------------------- scenes


def scene_keys() -> str:
    """Every key of a scene: unit, range, default, which models read it, and what it means."""
    parts = parts_of(Scene)
    plain = [row for row in key_rows_of(Scene) if row.name not in parts]
    sections = ["## Beginning of the file", _keys_table(plain, "")]
    for name, kinds in parts.items():
        many = name == "obstacles"
        sections.append(f"## `{'[[' if many else '['}{name}{']]' if many else ']'}`")
        sections.append(f"{Scene.model_fields[name].description}.")
        sections += _part(kinds, f"{name}[1]." if many else f"{name}.", name)
    return "\n\n".join(sections)


def key_rows_of(part: type[BaseModel]) -> list[KeyRow]:
    """Return the rows of `part` whose value a scene file can contain."""
    return [row for row in key_rows(part) if row.name != "kind"]


def _part(kinds: tuple[type[BaseModel], ...], prefix: str, name: str) -> Iterator[str]:
    """Tables of a part of the scene: keys that all of its kinds share, then those of each kind."""
    all_rows = {kind: {row.name: row for row in key_rows_of(kind)} for kind in kinds}
    first = all_rows[kinds[0]]
    shared = [
        row for key, row in first.items() if all(rows.get(key) == row for rows in all_rows.values())
    ]
    if len(kinds) > 1:
        listed = [(f"`{_kind(kind)}`", _meaning(kind, name)) for kind in kinds]
        default = Scene.model_fields[name].get_default(call_default_factory=True)
        yield "`kind` decides which other keys there are" + (
            f"; `{default.kind}` if left out." if isinstance(default, BaseModel) else "."
        )
        yield _table(("`kind`", "Meaning"), listed)
    if shared:
        if len(kinds) > 1:
            yield "Keys of every kind:"
        yield _keys_table(shared, prefix)
    for kind in kinds:
        own = [row for row in all_rows[kind].values() if row not in shared]
        if own and len(kinds) > 1:
            yield f'### `{name}.kind = "{_kind(kind)}"`'
            yield _keys_table(own, prefix)
        for key, inner in parts_of(kind).items():
            if len(kinds) == 1 or key not in {row.name for row in shared}:
                yield f"### `[{name}.{key}]`" if key == "picture" else f"### `[[{name}.{key}]]`"
                yield _keys_table(key_rows_of(inner[0]), f"{prefix}{key}[1].")


def _kind(part: type[BaseModel]) -> str:
    return str(part.model_fields["kind"].default)


def _meaning(part: type[BaseModel], name: str) -> str:
    if name in PARTS_WITH_KINDS:
        kind = PARTS_WITH_KINDS[name][_kind(part)]
        return f"{kind.title}: {kind.help[:1].lower()}{kind.help[1:].rstrip('.')}"
    return first_line(part).rstrip(".")


def _keys_table(rows: Iterable[KeyRow], prefix: str) -> str:
    heads = ("Key", "Value", "Unit", "Range", "If left out", "Models", "Meaning")
    return _table(heads, (_key_cells(row, prefix) for row in rows))


def _key_cells(row: KeyRow, prefix: str) -> tuple[str, ...]:
    kinds = readers(prefix + row.name)
    names = [FORMULATIONS[kind].short for kind in kinds]
    chains = {name for name, kind in FORMULATIONS.items() if not kind.fields.body.strained}
    models = "all" if len(kinds) == len(FORMULATIONS) else ", ".join(names)
    if set(kinds) == chains:
        models = "all with links"
    symbol = f" ({row.doc.symbol})" if row.doc.symbol else ""
    live = " *Live.*" if row.doc.live else ""
    meaning = f"{row.doc.help or row.doc.label}{symbol}.{live}"
    return f"`{row.name}`", row.value, row.unit, row.limits, row.default, models, meaning


def formulations() -> str:
    """Formulations that a scene can name."""
    rows = (
        (f"[`{name}`]({name}.md)", kind.title, kind.help) for name, kind in FORMULATIONS.items()
    )
    return _table(("`model.kind`", "Name", "What moves"), rows)


# ------------------------------------------------------------------------------------------ columns


def columns() -> str:
    """Quantities of a run in the order of the columns of a CSV."""
    return _columns(exported=True)


def displayed_columns() -> str:
    """Quantities that are not exported."""
    return _columns(exported=False)


def _columns(*, exported: bool) -> str:
    rows = (
        (f"`{_pattern(quantity.name)}`", unit_of(quantity.name), quantity.help)
        for quantity in QUANTITIES
        if quantity.exported == exported and quantity.name != "{}"
    )
    return _table(("Column", "Unit", "Meaning"), rows)


def energy_columns() -> str:
    """Energies and works of all formulations of the program."""
    rows = ((f"`{name}`", "J", meaning) for name, meaning in ENERGY_HELP.items())
    return _table(("Column", "Unit", "Meaning"), rows)


def _pattern(name: str) -> str:
    return name.replace("{}", "N")


# ----------------------------------------------------------------------------------------- commands


def commands() -> str:
    """All commands with their options."""
    return "\n\n".join(_command(name, parser_of(name)) for name in COMMANDS)


def _command(name: str, parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=88)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    options = [
        _option(parser, action)
        for action in parser._actions
        if action.help is not argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)
    ]
    parts = [
        f"## {name}",
        " ".join((parser.description or "").split()),
        f"```text\n{formatter.format_help().strip()}\n```",
    ]
    if options:
        parts.append(_table(("Argument", "Meaning"), options))
    if parser.epilog:
        parts.append(f"```text\n{parser.epilog.strip()}\n```")
    return "\n\n".join(parts)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> tuple[str, str]:
    formatter = parser._get_formatter()
    if action.option_strings:
        invocation = formatter._format_action_invocation(action)
    else:
        invocation = formatter._metavar_formatter(action, action.dest)(1)[0]
    return f"`{invocation}`", _literal(formatter._expand_help(action)) if action.help else ""


def _literal(text: str) -> str:
    """Return plain text as Markdown that shows it unchanged."""
    return re.sub(r"([\\`*_<>\[\]{}$~])", r"\\\1", text)


# ---------------------------------------------------------------------------------------- functions


def signal_functions() -> str:
    """Functions of signal expressions."""
    return _functions(FUNCTIONS.values())


def reductions() -> str:
    """Functions that reduce a signal to one number."""
    return _functions(REDUCTIONS.values())


def _functions(functions: Iterable[Function]) -> str:
    rows = ((f"`{function.signature}`", f"{_literal(function.help)}.") for function in functions)
    return _table(("Function", "Value"), rows)


# ----------------------------------------------------------------------------------------- the window


def shortcuts() -> str:
    """Shortcuts of the window by menu, and mouse gestures."""
    sections = []
    specs = [spec for spec in snakestudio.gui.shell.commands.table() if spec.shortcuts]
    by_menu: dict[str, list[tuple[str, str]]] = {}
    for spec in specs:
        top, *below = spec.menu.split("/")
        keys = " or ".join(f"{{kbd}}`{_keys(keys)}`" for keys in spec.shortcuts)
        name = "Play or pause" if spec.id == "play" else spec.text.removesuffix("...")
        by_menu.setdefault(top, []).append((keys, _literal(": ".join([*below, name]))))
    for menu, rows in by_menu.items():
        sections += [f"## {menu}", _table(("Keys", "Command"), rows)]
    for title, gestures in MOUSE:
        sections += [f"## {title}", _table(("Gesture", "Effect"), gestures)]
    return "\n\n".join(sections)


def _keys(keys: str) -> str:
    return keys.replace("PgUp", "Page Up").replace("PgDown", "Page Down")


# -------------------------------------------------------------------------------------- Python


def python_api() -> str:
    """Functions and classes of `import snakestudio`, by autodoc."""
    return _api("snakestudio", snakestudio.__all__)


def gym_api() -> str:
    """Functions and classes of `snakestudio.gym`, by autodoc."""
    import snakestudio.gym

    adapter = "```{eval-rst}\n.. autoclass:: snakestudio.gym.sb3.SnakeVecEnv\n   :members:\n```"
    return (
        f"{_api('snakestudio.gym', snakestudio.gym.__all__)}\n\n## stable-baselines3\n\n{adapter}"
    )


def _api(module: str, names: Iterable[str]) -> str:
    """Entries of the public names of a module by autodoc: functions, classes, data and errors."""
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Data": [], "Errors": []}
    for name in sorted(names, key=str.lower):
        thing = getattr(importlib.import_module(module), name)
        path = f"{module}.{name}"
        if name.startswith("_"):
            continue
        if isinstance(thing, type) and issubclass(thing, Exception):
            groups["Errors"].append(f".. autoexception:: {path}")
        elif isinstance(thing, type):
            members = "" if issubclass(thing, BaseModel) else "\n   :members:"
            groups["Classes"].append(f".. autoclass:: {path}{members}")
        elif callable(thing):
            groups["Functions"].append(f".. autofunction:: {path}")
        else:
            groups["Data"].append(f".. py:data:: {path}\n\n   {_meaning_of(name, thing)}")
    return "\n\n".join(
        "\n\n".join([f"## {title}", "```{eval-rst}", *directives, "```"])
        for title, directives in groups.items()
        if directives
    )


def _meaning_of(name: str, thing: object) -> str:
    """Text behind the definition of a variable, in whichever module defines it."""
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("snakestudio.") and vars(module).get(name) is thing:
            text = ModuleAnalyzer.for_module(module_name).find_attr_docs().get(("", name))
            if text:
                return " ".join(text).strip()
    raise ExtensionError(f"{name} has no description. Write one behind its definition.")
