"""Guards around the functions that a plug-in declares, and around the objects that they create."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeVar

from snakestudio.errors import PluginRuntimeError, SnakeStudioError
from snakestudio.plugins.faults import fault_in, fault_of, log
from snakestudio.plugins.result_types import conforms, described, hints_of, text_of
from snakestudio.plugins.surroundings import enter, leave

T = TypeVar("T")


class calling:  # noqa: N801  # used as a function
    """Guard around code of plug-ins: its exceptions become `PluginRuntimeError`; other exceptions pass unchanged.

    What the code prints goes to the log (see `plugins.surroundings`).

    Parameters
    ----------
    plugin : str
        Plug-in whose code is called; any exception is then a fault of it. By default, only
        exceptions with a frame of a plug-in are.
    what : str
        Class or function that is called, for exceptions without such a frame.
    """

    __slots__ = ("_plugin", "_what")

    def __init__(self, plugin: str = "", what: str = "") -> None:
        self._plugin = plugin
        self._what = what

    def __enter__(self) -> None:
        enter()

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        leave()
        if error is None or isinstance(error, SnakeStudioError | KeyboardInterrupt):
            return
        fault = fault_in(self._plugin, self._what, error) if self._plugin else fault_of(error)
        if fault is None:
            return
        if fault.traceback:
            log.error("%s", fault.traceback.rstrip())
        raise fault from None


def guarded(
    function: Callable[..., Any], plugin: str, what: str, result: Any = Any
) -> Callable[..., Any]:
    """Wrap a function of a plug-in: any exception in it, and a result of another type, is a fault of the plug-in.

    The same function gives the same wrapper.
    """
    try:
        return _guarded(function, plugin, what, Any if result is type(None) else result)
    except TypeError:  # an object that is not hashable
        return _guarded.__wrapped__(function, plugin, what, result)


@lru_cache(maxsize=4096)
def _guarded(
    function: Callable[..., Any], plugin: str, what: str, result: Any
) -> Callable[..., Any]:
    def checked(*arguments: Any, **named: Any) -> Any:
        with calling(plugin, what):
            value = function(*arguments, **named)
            if conforms(value, result):
                return value
            text = described(value)
        raise PluginRuntimeError(
            plugin, f"The plug-in {plugin} returns {text} from {what}. Return {text_of(result)}."
        )

    checked.__name__ = getattr(function, "__name__", what)
    checked.__doc__ = function.__doc__
    checked.__wrapped__ = function  # type: ignore[attr-defined]
    return checked


def guard_object(thing: T, interface: type, plugin: str) -> T:
    """Guard the members of an interface, and inherited methods of the program's classes, of an object of a plug-in.

    The object gets a subclass of its class, so its attributes and its type remain those of the plug-in.

    Raises `PluginRuntimeError` if it has no such members.
    """
    with calling(plugin, type(thing).__name__):
        for name in _members(interface):
            if not hasattr(thing, name):
                what = f"The plug-in {plugin} creates a {type(thing).__name__} without {name}"
                raise PluginRuntimeError(plugin, f"{what}. Add it.")
        cls: Any = type(thing)
        thing.__class__ = _guarded_class(cls, interface, plugin)
    return thing


def _members(interface: type) -> dict[str, Any]:
    """Return the public methods and properties of an interface and its bases."""
    members: dict[str, Any] = {}
    for base in reversed(interface.__mro__):
        if base.__module__.startswith("snakestudio."):
            members |= {name: each for name, each in vars(base).items() if not name.startswith("_")}
    return {
        name: each
        for name, each in members.items()
        if inspect.isfunction(each) or isinstance(each, property)
    }


@lru_cache(maxsize=256)
def _guarded_class(cls: type, interface: type, plugin: str) -> type:
    members = _members(interface)
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("snakestudio."):
            own = vars(base).items()
            members |= {
                name: each
                for name, each in own
                if inspect.isfunction(each)
                and not name.startswith("_")
                and inspect.getattr_static(cls, name) is each
            }
    namespace = {"__slots__": (), "__module__": cls.__module__}
    for name, declared in members.items():
        actual = inspect.getattr_static(cls, name, None)
        namespace |= _guarded_member(f"{cls.__name__}.{name}", actual, declared, plugin)
    return type(cls)(cls.__name__, (cls,), namespace)


def _guarded_member(what: str, actual: Any, declared: Any, plugin: str) -> dict[str, Any]:
    """Return the guarded method or property by its name; {} for other members.

    Parameters
    ----------
    what : str
        Class and name, such as "Wag.angles".
    declared : Any
        Member of the interface, whose type hint is that of the result.
    """
    hint = hints_of(declared.fget if isinstance(declared, property) else declared).get(
        "return", Any
    )
    name = what.rpartition(".")[2]
    if inspect.isfunction(actual):
        return {name: guarded(actual, plugin, what, hint)}
    if isinstance(actual, property) and actual.fget is not None:
        getter = guarded(actual.fget, plugin, what, hint)
        return {name: property(getter, actual.fset, actual.fdel)}
    return {}


def guard_fields(declaration: Any, plugin: str) -> None:
    """Guard the methods and properties of the program that the fields of a kind override, in their own class.

    The program reads them anywhere, and their class is part of scenes, so that a guarded copy would be another class.
    """
    base = getattr(declaration, "fields_type", None)
    if base is None:
        return
    members = _members(declaration.fields)
    for cls in declaration.fields.__mro__:
        if is_own(cls) and issubclass(cls, base):
            for name in members.keys() & vars(cls).keys():
                what = f"{cls.__name__}.{name}"
                for each in _guarded_member(what, vars(cls)[name], members[name], plugin).values():
                    setattr(cls, name, each)


@lru_cache(maxsize=1024)
def _guarding(make: Callable[..., Any], location: str, plugin: str) -> Callable[..., Any]:
    """Wrap a function so that the objects it creates are guarded; `location` is their interface, "module:class"."""

    def making(*arguments: Any) -> Any:
        module, _, name = location.partition(":")
        return guard_object(make(*arguments), getattr(import_module(module), name), plugin)

    making.__name__ = make.__name__
    making.__doc__ = make.__doc__
    making.__wrapped__ = make  # type: ignore[attr-defined]
    return making


def is_own(value: Any) -> bool:
    """Return whether a value is a function or class that is not one of the program."""
    return callable(value) and not f"{getattr(value, '__module__', '')}.".startswith("snakestudio.")


def with_guards(declaration: Any, plugin: str) -> Any:
    """Return the copy of a declaration whose functions are guarded."""
    changes: dict[str, Any] = {}
    for name in declaration.calls:
        value = getattr(declaration, name)
        if is_own(value):
            what = getattr(value, "__name__", name)
            what = name if what == "<lambda>" else what
            call = guarded(value, plugin, what, declaration.result(name))
            location = declaration.makes.get(name)
            changes[name] = _guarding(call, location, plugin) if location else call
    effects = getattr(declaration, "effects", ())
    if effects:
        changes["effects"] = tuple(
            (keys, guarded(holds, plugin, "effects", bool), reason)
            for keys, holds, reason in effects
        )
    return replace(declaration, **changes) if changes else declaration
