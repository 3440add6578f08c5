"""Check of a plug-in's functions and classes against the calls that the program makes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import fields as dataclass_fields
from importlib import import_module
from typing import Any, NamedTuple

from snakestudio.plugins.declaration import Declaration
from snakestudio.plugins.guards import is_own
from snakestudio.plugins.result_types import conforms, described, hints_of, text_of

_PROGRAM = "snakestudio."
"""Start of the names of the program's own modules."""

_FUNCTIONS = (staticmethod, classmethod)


class Mistake(NamedTuple):
    """Function or value that the program cannot use."""

    line: int
    """Line in the file; 0 if unknown."""

    what: str
    remedy: str


def mistakes(declaration: Declaration) -> Iterator[Mistake]:
    """Yield the mistakes of a declaration, its functions and the classes of its objects."""
    label = type(declaration).__name__
    hints = hints_of(type(declaration))
    for field in dataclass_fields(declaration):  # type: ignore[arg-type]  # all are dataclasses
        value = getattr(declaration, field.name)
        hint = hints.get(field.name, Any)
        if not conforms(value, hint):
            what = f"{label} has {field.name} = {described(value)}"
            yield Mistake(0, what, f"give a value of the type {text_of(hint)}")
            return
    for name in declaration.calls:
        value = getattr(declaration, name)
        if not is_own(value):
            continue
        arguments = declaration.arguments(name)
        if isinstance(value, type):
            yield from _constructor(value, arguments)
            if name in declaration.makes:
                yield from _of_class(value, declaration.makes[name])
        else:
            yield from _function(value, getattr(value, "__name__", name), arguments)
    fields = getattr(declaration, "fields", None)
    if isinstance(fields, type):
        yield from _overrides(fields)


def mistakes_of_classes(namespace: dict[str, Any], module: str) -> Iterator[Mistake]:
    """Yield the mistakes of all classes of a module that derive from a class of the program."""
    for value in tuple(namespace.values()):
        if isinstance(value, type) and value.__module__ == module:
            yield from _overrides(value)


def _constructor(cls: type, arguments: Sequence[str]) -> Iterator[Mistake]:
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
        yield Mistake(_line(cls), f"{cls.__name__} does not define {missing}", "define all of them")
    own = inspect.getattr_static(cls, "__init__", None)
    if isinstance(own, type(_constructor)):
        yield from _function(own, f"{cls.__name__}.__init__", ("self", *arguments), "__init__")


def _of_class(cls: type, location: str) -> Iterator[Mistake]:
    """Yield the mistakes of a class whose objects have the interface at `location` ("module:class")."""
    yield from _overrides(cls)
    module, _, name = location.partition(":")
    interface = getattr(import_module(module), name)
    if interface in cls.__mro__ or hasattr(cls, "__getattr__"):
        return
    for method, declared in _public(interface):
        if not inspect.isfunction(declared):
            continue  # a property, which can also be set for each object
        if not hasattr(cls, method):
            call = _call(method, _parameters(declared))
            yield Mistake(_line(cls), f"{cls.__name__} has no method {call}", "add it")
        elif not _from_program(cls, method):
            yield from _method(cls, method, declared)


def _overrides(cls: type) -> Iterator[Mistake]:
    """Yield the mistakes of methods that override those of a class of the program, and missing ones."""
    checked = set()
    for base in cls.__mro__:
        if not f"{base.__module__}.".startswith(_PROGRAM):
            continue
        for name, declared in _public(base):
            if name in checked:
                continue
            checked.add(name)
            if _from_program(cls, name):
                if _is_stub(declared) and not inspect.isabstract(base):
                    call = _call(name, _parameters(declared))
                    yield Mistake(_line(cls), f"{cls.__name__} does not define {call}", "define it")
            elif inspect.isfunction(declared):
                yield from _method(cls, name, declared)
            elif not callable(declared) and inspect.isfunction(inspect.getattr_static(cls, name)):
                function = inspect.getattr_static(cls, name)
                what = f"{cls.__name__}.{name} is a method, but the program reads it as a value"
                yield Mistake(_line(function), what, "write @property above it")


def _public(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield public functions, properties and values that a class itself defines."""
    for name, value in vars(cls).items():
        if not name.startswith("_") and not name.startswith("model_"):
            yield name, value


def _from_program(cls: type, name: str) -> bool:
    """Return whether the attribute of a class is defined by a class of the program, or nowhere."""
    owner = next((base for base in cls.__mro__ if name in vars(base)), None)
    return owner is None or f"{owner.__module__}.".startswith(_PROGRAM)


def _is_stub(function: Any) -> bool:
    """Return whether a function only raises NotImplementedError, so that authors must define it."""
    return inspect.isfunction(function) and function.__code__.co_names == ("NotImplementedError",)


def _method(cls: type, name: str, declared: Any) -> Iterator[Mistake]:
    own = inspect.getattr_static(cls, name)
    label = f"{cls.__name__}.{name}"
    expected = _parameters(declared)
    if isinstance(own, property) or not (callable(own) or isinstance(own, _FUNCTIONS)):
        what = f"{label} is not a method"
        yield Mistake(_line(getattr(own, "fget", None)), what, f"write def {_call(name, expected)}")
        return
    bound = own.__get__(None, cls) if isinstance(own, _FUNCTIONS) else own
    if isinstance(own, _FUNCTIONS):
        expected = expected[1:]
    yield from _function(bound, label, expected, name)


def _parameters(function: Any) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())


def _call(name: str, parameters: Sequence[inspect.Parameter | str]) -> str:
    """Return the call as code, without annotations: "angles(self, time, snapshot)"."""
    plain = [
        inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if isinstance(each, str)
        else each.replace(annotation=inspect.Parameter.empty)
        for each in parameters
    ]
    return f"{name}{inspect.Signature(plain)}"


def _function(
    function: Any, label: str, expected: Sequence[inspect.Parameter | str], name: str = ""
) -> Iterator[Mistake]:
    """Yield the mistake of a function that does not accept the arguments that it gets."""
    short = name or label
    inner = inspect.unwrap(function) if callable(function) else function
    kinds = {
        "a coroutine (async def)": inspect.iscoroutinefunction,
        "a generator (it contains yield)": inspect.isgeneratorfunction,
    }
    for text, test in kinds.items():
        if test(inner):
            what = f"{label} is {text}"
            yield Mistake(_line(function), what, "return the values from a plain function")
            return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # compiled code has no signature
    if _accepts(signature, expected):
        return
    declared = _call(label, tuple(signature.parameters.values()))
    what = f"{declared} does not accept the arguments of the call {_call(short, expected)}"
    yield Mistake(_line(function), what, f"write def {_call(short, expected)}")


def _accepts(signature: inspect.Signature, expected: Sequence[inspect.Parameter | str]) -> bool:
    names = [each if isinstance(each, str) else each.name for each in expected]
    optional = {
        each.name: None
        for each in expected
        if not isinstance(each, str) and each.default is not inspect.Parameter.empty
    }
    required = [name for name in names if name not in optional]
    try:
        signature.bind(*names)
        signature.bind(*required)
        signature.bind(*required, **optional)
    except TypeError:
        return False
    return True


def _line(thing: Any) -> int:
    """Return the first line of a function or class; 0 if unknown."""
    if isinstance(thing, type):
        lines = [_line(each) for each in vars(thing).values() if inspect.isfunction(each)]
        return max(min(lines, default=0) - 1, 0)
    code = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__code__", None)
    return code.co_firstlineno if code is not None else 0
