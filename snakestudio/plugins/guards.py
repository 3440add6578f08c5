"""Guards around the functions that a plug-in declares, and around the objects that they create."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeVar

from snakestudio.errors import PluginRuntimeError
from snakestudio.plugins.faults import calling
from snakestudio.plugins.result_types import conforms, described, hints_of, text_of

T = TypeVar("T")


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
    """Public methods and properties of an interface and its bases."""
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
    namespace: dict[str, Any] = {"__slots__": (), "__module__": cls.__module__}
    for name, declared in members.items():
        actual = inspect.getattr_static(cls, name, None)
        of = declared.fget if isinstance(declared, property) else declared
        hint = hints_of(of).get("return", Any)
        what = f"{cls.__name__}.{name}"
        if inspect.isfunction(actual):
            namespace[name] = guarded(actual, plugin, what, hint)
        elif isinstance(actual, property) and actual.fget is not None:
            getter = guarded(actual.fget, plugin, what, hint)
            namespace[name] = property(getter, actual.fset, actual.fdel)
    return type(cls)(cls.__name__, (cls,), namespace)


@lru_cache(maxsize=1024)
def _guarding(make: Callable[..., Any], place: str, plugin: str) -> Callable[..., Any]:
    """Wrap a function so that the objects that it creates are guarded; `place` is their interface, "module:class"."""

    def making(*arguments: Any) -> Any:
        module, _, name = place.partition(":")
        return guard_object(make(*arguments), getattr(import_module(module), name), plugin)

    making.__name__ = make.__name__
    making.__doc__ = make.__doc__
    making.__wrapped__ = make  # type: ignore[attr-defined]
    return making


def is_own(value: Any) -> bool:
    """Whether a value is a function or class that is not one of the program."""
    return callable(value) and not f"{getattr(value, '__module__', '')}.".startswith("snakestudio.")


def with_guards(declaration: Any, plugin: str) -> Any:
    """Copy of a declaration whose functions are guarded."""
    changes: dict[str, Any] = {}
    for name in declaration.calls:
        value = getattr(declaration, name)
        if is_own(value):
            what = getattr(value, "__name__", name)
            what = name if what == "<lambda>" else what
            call = guarded(value, plugin, what, declaration.result(name))
            place = declaration.makes.get(name)
            changes[name] = _guarding(call, place, plugin) if place else call
    effects = getattr(declaration, "effects", ())
    if effects:
        changes["effects"] = tuple(
            (keys, guarded(holds, plugin, "effects", bool), reason)
            for keys, holds, reason in effects
        )
    return replace(declaration, **changes) if changes else declaration
