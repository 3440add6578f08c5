"""The one decorator of everything compiled; numba is imported only here, after its cache folder is chosen."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from snakestudio.kernels._cache import TESTED, compile_cache

F = TypeVar("F", bound=Callable[..., Any])

# Errors in colour would take their libraries a tenth of a compilation, although none is ever shown.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

import numba  # noqa: E402  (the setting above must be known to it)
from numba.core import types  # noqa: E402
from numba.core.datamodel import models  # noqa: E402
from numba.core.datamodel.registry import register_default  # noqa: E402
from numba.core.extending import intrinsic  # noqa: E402

_config: Any = numba.config

_STRICT: dict[str, Any] = {
    "nogil": True,
    # 1 / 0 is inf, and no exception.
    "error_model": "numpy",
    # Products may be added without being rounded first: a tenth less time. All else of "fast math"
    # is forbidden, for it makes isnan() lie.
    "fastmath": {"contract"},
    # Kernels allocate nothing and hand out no arrays, so they need not count references: without
    # this a third of a time step went into counters.
    "_nrt": False,
}


if numba.__version__.startswith(TESTED) and not _config.DISABLE_JIT:
    from snakestudio.kernels._compiler import OPTIMIZE, KernelDispatcher, used_files

    def _compiled(function: F, **more: Any) -> F:
        return cast(F, KernelDispatcher(function, {"nopython": True, **_STRICT, **more}))

else:
    OPTIMIZE = "snakestudio:optimize"
    _config.CACHE_DIR = str(compile_cache())

    def used_files() -> list[str]:
        """Names of files with compiled code that are needed; numba looks after its own."""
        return []

    def _compiled(function: F, **more: Any) -> F:
        return cast(F, numba.njit(**{**_STRICT, **more}, cache=True)(function))


def jit(function: F) -> F:
    """Compile `function`: no interpreter lock, cached, strict floating point, no exceptions, no allocation."""
    # Unless told, numba hands "always inline" down to whatever is reached first from such a
    # function, rescues and all.
    return _compiled(function, forceinline=False)


def inlined(function: F) -> F:
    """As `jit`, for parts of a time step and helpers in inner loops: always inlined into their caller."""
    return _compiled(function, forceinline=True)


def exact(function: F) -> F:
    """As `jit`, but products are rounded before they are added: the bits are those of Python and numpy."""
    return _compiled(function, forceinline=False, fastmath=False)


def specialised(function: F, module: str, **names: Any) -> F:
    """A copy of `function`, not yet compiled, in which these names are other functions.

    What a compiled function calls is inlined and known to the compiler only if it is no argument. A
    closure would do, but numba keeps no compiled code of one with functions in it.

    Parameters
    ----------
    module : str
        Name of the module that the copy belongs to.
    """
    own = {**function.__globals__, "__name__": module, **names}
    copy = FunctionType(function.__code__, own, function.__name__)
    copy.__doc__ = function.__doc__
    return cast(F, copy)


_ENTRIES: dict[Any, Any] = {}
"""Machine code by function and layout of its arguments."""

_LAYOUT = 0x503
"""Of an array's flags: contiguous in either order, aligned, writeable."""


def layout(value: Any) -> Any:
    """What the type of a compiled argument follows from."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num & _LAYOUT
    if isinstance(value, tuple):
        return (type(value), *map(layout, value))
    return type(value) if isinstance(value, int | float) else numba.typeof(value)


def direct(function: F) -> F:
    """`function`, compiled, for a caller in Python whose arguments always have the types they have the first time.

    Finding them out takes 10 us for tuples of a hundred arrays, which is more than many a step, and
    numba's types of them 1 ms, which is why these are found once for all callers. After the first
    call its `entry` is the compiled code itself.
    """
    if _config.DISABLE_JIT:
        return function
    compiled = cast(Any, function)
    entry: Any = None

    def call(*args: Any) -> Any:
        nonlocal entry
        if entry is None:
            key = (function, layout(args))
            if key not in _ENTRIES:
                result = compiled(*args)
                entry = _ENTRIES[key] = compiled.overloads[
                    tuple(compiled.typeof_pyval(a) for a in args)
                ].entry_point
                call.entry = entry  # type: ignore[attr-defined]
                return result
            entry = call.entry = _ENTRIES[key]  # type: ignore[attr-defined]
        return entry(*args)

    call.__wrapped__ = function  # type: ignore[attr-defined]
    return cast(F, call)


class Types:
    """What the arguments of an `instruction` may be."""

    nothing = types.void
    number = types.float64
    index = types.intp
    vector: Any = types.containers.UniTuple(types.float64, 3)

    @staticmethod
    def array(dimensions: int) -> Any:
        """C-ordered array of floats."""
        return types.Array(types.float64, dimensions, "C")


def value_type(name: str, layout: Any) -> Any:
    """A type of compiled values that has the layout of an LLVM type."""

    class Value(types.Type):
        def __init__(self) -> None:
            super().__init__(name=name)

    @register_default(Value)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, layout)

    return Value()


def instruction(signature: Callable[[Types], Any], emit: Callable[..., Any]) -> Callable[[F], F]:
    """Compile calls of a function of Python into what `emit` says; without compilation the function itself is called.

    Parameters
    ----------
    signature : function
        From `Types` to the signature that calls have.
    emit : function (context, builder, signature, args) -> value
        As in numba's `intrinsic`.
    """

    def decorate(function: F) -> F:
        if _config.DISABLE_JIT:
            return function
        names = list(inspect.signature(function).parameters)
        kind = signature(Types())

        def define(context: Any, *args: Any) -> Any:
            return kind, emit

        empty = inspect.Parameter.POSITIONAL_OR_KEYWORD
        define.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, empty) for name in ("context", *names)]
        )
        define.__name__ = function.__name__
        return cast(F, intrinsic(define))

    return decorate


@contextmanager
def reporting_compilation(report: Callable[[int, str], None]) -> Iterator[None]:
    """While this lasts, call `report` with the number of functions begun so far and what is done with which."""
    from numba.core import event

    class Listener(event.Listener):
        count = 0

        def on_start(self, event: Any) -> None:
            optimizing = event.kind == OPTIMIZE
            self.count += not optimizing
            report(
                self.count,
                f"{'Optimizing' if optimizing else 'Compiling'} {event.data['dispatcher'].__name__}",
            )

        def on_end(self, event: Any) -> None:
            pass

    listener = Listener()
    with (
        event.install_listener("numba:compile", listener),
        event.install_listener(OPTIMIZE, listener),
    ):
        yield
