"""Reference pages, generated from the program's declarations: each public function returns the Markdown of one page."""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer

import snakestudio
import snakestudio.gym
import snakestudio.plugin
from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.reductions import REDUCTIONS
from snakestudio.cli import COMMANDS, parser_of
from snakestudio.gui.app import features
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.help_dialogs import MOUSE
from snakestudio.kinds.reads import readers
from snakestudio.model.column_help import ENERGY_HELP
from snakestudio.model.column_units import unit_of
from snakestudio.model.documentation import KeyRow, key_rows, parts_of
from snakestudio.model.quantities import QUANTITIES
from snakestudio.model.registry import FORMULATIONS, first_line
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene
from snakestudio.plugins.declaration import Declaration


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
    specs = [spec for spec in table(features()) if spec.shortcuts]
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
    """Functions and classes of `import snakestudio`, by autodoc, and the objects that they return."""
    returned = [f"{module}.{name}" for name, module in RETURNED.items()]
    return f"{_api('snakestudio', snakestudio.__all__)}\n\n{_group('Other objects', returned)}"


RETURNED = {
    "BatchContacts": "snakestudio.model.batch_contacts",
    "BatchSolverStats": "snakestudio.model.batch_contacts",
    "BatchState": "snakestudio.api.batch_state",
    "BodyFields": "snakestudio.model.snapshot",
    "Contacts": "snakestudio.model.snapshot",
    "ContactState": "snakestudio.model.snapshot",
    "Progress": "snakestudio.study.driver",
    "SolverStats": "snakestudio.model.snapshot",
    "VideoOptions": "snakestudio.export.video_options",
}
"""Classes of arguments, results and their attributes, which have no name in `snakestudio`."""


def gym_api() -> str:
    """Functions and classes of `snakestudio.gym`, by autodoc."""
    # Its base class is in a package that is not installed everywhere.
    adapter = ".. autoclass:: snakestudio.gym.sb3.SnakeVecEnv\n   :members:"
    section = "\n\n".join(["## stable-baselines3", "```{eval-rst}", adapter, "```"])
    return f"{_api('snakestudio.gym', snakestudio.gym.__all__)}\n\n{section}"


PLUGIN_TOPICS = {
    "Kinds": ("kinds", "analysis.signals", "model.quantities", "export", "model.registry"),
    "Controllers and gaits": ("control", "model.controllers", "model.motion", "model.reference"),
    "Formulations": ("engines", "model.formulations", "model.recording"),
    "Obstacles": ("model.obstacles",),
    "Firmware of the emulated robot": ("link",),
    "Fields, scenes and problems": ("",),
}
"""Sections of the page of plug-ins, with the modules that define their names."""


def plugin_api() -> str:
    """Names of `snakestudio.plugin` by topic; those that `import snakestudio` has, too, are on its page."""
    sections: dict[str, list[str]] = {title: [] for title in PLUGIN_TOPICS}
    for name in sorted(snakestudio.plugin.__all__, key=str.lower):
        if name in snakestudio.__all__:
            continue
        thing = getattr(snakestudio.plugin, name)
        home = str(getattr(thing, "__module__", "")).removeprefix("snakestudio.")
        fitting = (title for title, homes in PLUGIN_TOPICS.items() if home.startswith(homes))
        if isinstance(thing, type) and name.endswith("Kind"):
            fitting = iter(["Kinds"])
        sections[next(fitting)].append(f"snakestudio.plugin.{name}")
    return "\n\n".join(_group(title, paths) for title, paths in sections.items())


def _api(module: str, names: Iterable[str]) -> str:
    """Entries of the public names of a module by autodoc: functions, classes, data and errors."""
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Data": [], "Errors": []}
    for name in sorted(names, key=str.lower):
        thing = getattr(importlib.import_module(module), name)
        if not name.startswith("_"):
            is_error = isinstance(thing, type) and issubclass(thing, Exception)
            title = "Errors" if is_error else "Classes" if isinstance(thing, type) else "Data"
            groups["Functions" if inspect.isfunction(thing) else title].append(f"{module}.{name}")
    return "\n\n".join(_group(title, paths) for title, paths in groups.items() if paths)


def _group(title: str, paths: Iterable[str]) -> str:
    """Section with the entries of some objects, by their full names."""
    return "\n\n".join([f"## {title}", "```{eval-rst}", *map(_entry, paths), "```"])


_OF_DECLARATIONS = ("role", "registry", "fields_type", "needs_defaults", "one_per_run")
"""Members that the program sets for each class of declarations."""


def _entry(path: str) -> str:
    """Directive that describes an object."""
    module, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    if not isinstance(thing, type):
        if callable(thing):
            return f".. autofunction:: {path}"
        return f".. py:data:: {path}\n\n   {_meaning_of(name, thing)}"
    if issubclass(thing, Exception):
        return f".. autoexception:: {path}"
    lines = [f".. autoclass:: {path}", "   :members:"]
    if issubclass(thing, BaseModel):
        hidden = sorted(name for name in vars(thing) if name.startswith("model_"))
        lines.append(f"   :exclude-members: {', '.join([*hidden, 'kind'])}")
    if issubclass(thing, Declaration):
        lines.append(f"   :exclude-members: {', '.join(_OF_DECLARATIONS)}")
    if any(base.__name__ in snakestudio.gym.__all__ for base in thing.__bases__):
        lines.append("   :show-inheritance:")
    return "\n".join(lines)


def _meaning_of(name: str, thing: object) -> str:
    """Text behind the definition of a variable, in whichever module defines it."""
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("snakestudio.") and vars(module).get(name) is thing:
            text = ModuleAnalyzer.for_module(module_name).find_attr_docs().get(("", name))
            if text:
                return " ".join(text).strip()
    raise ExtensionError(f"{name} has no description. Write one behind its definition.")
