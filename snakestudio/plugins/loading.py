"""Loading of plug-ins: their code is run, and their declarations are registered."""

from __future__ import annotations

import ast
import importlib
import sys
import traceback
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from snakestudio.errors import MistakeError, PluginError, PluginRuntimeError
from snakestudio.plugins.declaration import Declaration
from snakestudio.plugins.faults import MARK, cache_source, fault_of, import_mistake, message_of
from snakestudio.plugins.guards import calling, guard_fields, with_guards
from snakestudio.plugins.loaded import LOCK, PLUGINS, Plugin, find
from snakestudio.plugins.signatures import mistakes, mistakes_of_classes
from snakestudio.plugins.source import Source, read_source
from snakestudio.plugins.surroundings import enter, leave
from snakestudio.text import capitalized, sentence, sentences

T = TypeVar("T")

PLUGIN_API = 1
"""Version of the interface for plug-ins; it increases when older plug-ins no longer work."""


def load(plugin: Source | str | Path) -> Plugin:
    """Run the code of a plug-in and register its kinds; nothing happens if the same code is loaded already.

    Callers must have the user's consent.

    Raises `PluginError` if it cannot be loaded; no kind is registered then. Raises
    `PluginRuntimeError`
    if its code raises an exception.

    Parameters
    ----------
    plugin : Source, str or Path
        Name of a file that ends in ".py", or of an installed package.
    """
    source = plugin if isinstance(plugin, Source) else read_source(plugin)
    with LOCK:
        present = find(source.name)
        if present is not None:
            if present.digest == source.digest:
                return present
            if _same_place(present.source, source):
                return _replaced(present, source)
            raise PluginError(
                f"{source.where}: Another plug-in has the name {source.name}: {present.source.where}. Rename one of "
                "the files."
            )
        return _load(source)


def load_all(plugins: Iterable[Source | str | Path]) -> tuple[Plugin, ...]:
    """Load several plug-ins; see `load`."""
    return tuple(load(each) for each in plugins)


def _same_place(one: Source, other: Source) -> bool:
    if one.path is None or other.path is None or one.module or other.module:
        return one.module == other.module
    return one.path.resolve() == other.path.resolve()


def reload(name: str) -> Plugin:
    """Reload a plug-in and use its current code; if that fails, the previous code remains in use.

    Objects from the previous code (parts of scenes, controllers) are unchanged; see
    `Runner.reload_plugins`.

    Raises `PluginError` if the plug-in does not exist or cannot be loaded. Raises
    `PluginRuntimeError` if its code raises an exception.
    """
    present = find(name)
    if present is None:
        raise PluginError(f"The plug-in {name} is not loaded. Load it first.")
    return load(
        read_source(
            present.source.path if not present.source.module and present.source.path else name
        )
    )


def unload(name: str) -> None:
    """Remove the kinds of a plug-in; nothing happens if it is not loaded."""
    with LOCK:
        plugin = find(name)
        if plugin is None:
            return
        _withdraw(plugin)


def _withdraw(plugin: Plugin) -> None:
    del PLUGINS[plugin.name]
    for declaration in plugin.declarations:
        declaration.withdraw()
    if not plugin.source.module:
        sys.modules.pop(plugin.module.__name__, None)


def _replaced(present: Plugin, source: Source) -> Plugin:
    order = list(PLUGINS)
    _withdraw(present)
    try:
        added = _load(source)
    except BaseException:
        sys.modules[present.module.__name__] = present.module
        _register(present)
        added = PLUGINS[present.name] = present
        raise
    finally:
        previous = dict(PLUGINS)
        PLUGINS.clear()
        PLUGINS.update({name: previous[name] for name in order if name in previous})
    return added


def _load(source: Source) -> Plugin:
    module = _package(source) if source.module else _executed(source)
    try:
        with calling(source.name, "its declarations"):
            declarations = _declared(module, source)
    except BaseException:
        if not source.module:
            sys.modules.pop(module.__name__, None)
        raise
    plugin = Plugin(source, module, declarations)
    for declaration in declarations:
        guard_fields(declaration, plugin.name)
    _register(plugin)
    PLUGINS[source.name] = plugin
    return plugin


def _register(plugin: Plugin) -> None:
    for declaration in plugin.declarations:
        with_guards(declaration, plugin.name).register(plugin.name)


def _executed(source: Source) -> ModuleType:
    """Return the module of a file, run from the bytes that were hashed."""
    text = source.data.decode("utf-8-sig")
    path = str(source.path)
    try:
        tree = ast.parse(text, path)
        code = compile(tree, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise PluginError(
            f"{path}, line {error.lineno}: {sentence(error.msg)} Fix the line."
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise PluginError(
            f"{path}: This is not valid Python code ({error}). Fix the file."
        ) from None
    _check_version(_stated_version(tree), path)
    module = ModuleType(f"snakestudio_plugin_{source.name}")
    module.__file__ = path
    module.__package__ = ""  # the file is not part of a package, so relative imports fail
    setattr(module, MARK, source.name)
    cache_source(path, text)
    sys.modules[module.__name__] = module
    try:
        _run(source, lambda: exec(code, module.__dict__))
    except BaseException:
        sys.modules.pop(module.__name__, None)
        raise
    return module


def _package(source: Source) -> ModuleType:
    module = _run(source, lambda: importlib.import_module(source.module))
    _check_version(getattr(module, "PLUGIN_API", PLUGIN_API), source.name)
    return module


def _run(source: Source, code: Callable[[], T]) -> T:
    """Run the code of a plug-in; its exceptions become `PluginError` or `PluginRuntimeError`."""
    enter()
    try:
        return code()
    except BaseException as error:
        raise _failed(source, error) from None
    finally:
        leave()


def _failed(source: Source, error: BaseException) -> BaseException:
    """Return the exception to raise if a plug-in could not be run."""
    if isinstance(error, KeyboardInterrupt | PluginError | PluginRuntimeError):
        return error
    line = _line(source, error)
    where = f"{source.where}, line {line}" if line else source.where
    mistake = import_mistake(
        error, None if source.module or source.path is None else source.path.parent
    )
    if mistake is not None:
        return PluginError(f"{where}: {sentences(*mistake)}")
    if isinstance(error, ImportError):
        what = f"{sentence(message_of(error))} See docs/plugins.md for what SnakeStudio offers."
        return PluginError(f"{where}: {what}")
    if isinstance(error, MistakeError):
        return PluginError(f"{where}: {error}")
    fault = fault_of(error)
    if fault is None:
        text = f"{type(error).__name__}: {message_of(error)}"
        return PluginRuntimeError(
            source.name,
            f"{where}: {text}. Fix the plug-in.",
            "".join(traceback.format_exception(error)),
        )
    return fault


def _line(source: Source, error: BaseException) -> int:
    """Return the line of an exception in the file of a plug-in; 0 if unknown."""
    line = 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(source.path):
            line = step.tb_lineno
        step = step.tb_next
    return line


def _stated_version(tree: ast.Module) -> object:
    """`PLUGIN_API` of a file, read before the file is run, because another version could fail anywhere."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "PLUGIN_API"
            for target in statement.targets
        ):
            return getattr(statement.value, "value", None)
    return PLUGIN_API


def _check_version(stated: object, where: str) -> None:
    if stated == PLUGIN_API and not isinstance(stated, bool):
        return
    if isinstance(stated, int) and stated > PLUGIN_API:
        remedy = "Update SnakeStudio"
    else:
        remedy = "Change the plug-in as docs/plugins.md describes"
    raise PluginError(
        f"{where}: The plug-in is written for version {stated!r} of the plug-in interface, but this "
        "SnakeStudio has version "
        f"{PLUGIN_API}. {remedy}."
    )


def _declared(module: ModuleType, source: Source) -> tuple[Declaration, ...]:
    """Return the checked declarations of a module.

    Raises
    ------
    PluginError
    """
    where = source.where
    declared = getattr(module, "KINDS", None)
    if declared is None:
        declared = (module.KIND,) if hasattr(module, "KIND") else ()
    elif not isinstance(declared, list | tuple):
        raise PluginError(
            f"{where}: KINDS is {type(declared).__name__}, not a tuple. Write KINDS = (one, another)."
        )
    if not declared:
        raise PluginError(
            f"{where}: The file declares no KIND. Add KIND = ControllerKind(...) or another declaration."
        )
    names: set[tuple[int, str]] = set()
    others = [(each, plugin.name) for plugin in PLUGINS.values() for each in plugin.declarations]
    for each in declared:
        if not isinstance(each, Declaration):
            raise PluginError(
                f"{where}: A KIND is of the class {type(each).__name__}, which is not a declaration. Use one of "
                "snakestudio.plugin: ControllerKind, GaitKind, FormulationKind, ShapeKind, ReductionKind, FilterKind, "
                "Quantity, ExportKind or FirmwareKind."
            )
        _check_code(each, module, source)
        name = each.kind_name
        mistake = each.mistake()
        if mistake is not None:
            raise PluginError(f"{where}: {sentences(*mistake)}")
        key = (id(each.registry), name)
        if key in names:
            raise PluginError(
                f'{where}: Two of its kinds are a {each.role} "{name}". Rename one of them.'
            )
        names.add(key)
        if each.registry.source(name):
            other = each.registry.source(name)
            raise PluginError(
                f'{where}: The plug-in {other} already has a {each.role} "{name}". Rename one of them.'
            )
        if name in each.registry:
            raise PluginError(
                f'{where}: SnakeStudio already has a {each.role} "{name}". Choose another name.'
            )
        if each.columns:
            built_in = ((other, "") for other in each.built_in_rivals())
            _refuse_shared_column(each, (*others, *built_in), where)
        others.append((each, source.name))
    return tuple(declared)


def _check_code(declaration: Declaration, module: ModuleType, source: Source) -> None:
    """Check functions and classes against the calls that the program makes.

    Raises
    ------
    PluginRuntimeError
    """
    mistake = next(
        chain(mistakes(declaration), mistakes_of_classes(module.__dict__, module.__name__)),
        None,
    )
    if mistake is not None:
        where = f"{source.where}, line {mistake.line}" if mistake.line else source.where
        text = f"{where}: {mistake.what}. {capitalized(mistake.remedy)}."
        raise PluginRuntimeError(source.name, text)


def _refuse_shared_column(
    declaration: Declaration, others: Iterable[tuple[Declaration, str]], where: str
) -> None:
    """Refuse a column that another declaration, of a plug-in or ("") built in, can add to the same run.

    Raises
    ------
    PluginError
    """
    for other, plugin in others:
        if declaration.one_per_run and declaration.one_per_run == other.one_per_run:
            continue
        name = declaration.shared_column(other)
        if name:
            owner = f"the plug-in {plugin}" if plugin else "SnakeStudio"
            raise PluginError(
                f'{where}: The {declaration.role} "{declaration.kind_name}" adds the column "{name}", which the '
                f'{other.role} "{other.kind_name}" of {owner} adds already. Rename one of the columns.'
            )
