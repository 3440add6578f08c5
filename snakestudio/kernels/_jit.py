"""Decorators of all compiled functions. Only this module imports numba, after its cache folder is set."""

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

# Loading the libraries for coloured errors takes a tenth of a compilation, and none is ever shown.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

import numba  # noqa: E402  (numba reads the setting above when it is imported)
from numba.core import types  # noqa: E402
from numba.core.datamodel import models  # noqa: E402
from numba.core.datamodel.registry import register_default  # noqa: E402
from numba.core.extending import intrinsic  # noqa: E402

_config: Any = numba.config

_STRICT: dict[str, Any] = {
    "nogil": True,
    # 1 / 0 is inf instead of an exception.
    "error_model": "numpy",
    # Products may be added without intermediate rounding: a tenth less time. All other options of
    # "fast math" are excluded because they make isnan() unreliable.
    "fastmath": {"contract"},
    # Kernels allocate nothing and return no arrays, so they need no reference counts: without
    # this a third of a time step is spent on counting.
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
        """Names of required files with compiled code: empty, because numba manages its own cache."""
        return []

    def _compiled(function: F, **more: Any) -> F:
        return cast(F, numba.njit(**{**_STRICT, **more}, cache=True)(function))


def jit(function: F) -> F:
    """Compile `function`: no interpreter lock, cached, strict floating point, no exceptions, no allocation."""
    # Without this option numba passes "always inline" down to the first callees of such a
    # function, including the rescues.
    return _compiled(function, forceinline=False)


def inlined(function: F) -> F:
    """Compile as `jit`, for parts of a time step and helpers in inner loops: always inlined into the caller."""
    return _compiled(function, forceinline=True)


def exact(function: F) -> F:
    """Compile as `jit`, but round products before they are added: the bits are those of Python and numpy."""
    return _compiled(function, forceinline=False, fastmath=False)


def specialised(function: F, module: str, **names: Any) -> F:
    """Copy of `function`, not yet compiled, in which the global names in `names` are replaced by other functions.

    A callee of a compiled function is inlined only if it is not an argument. A
    closure would also do, but numba does not cache a closure that contains functions.

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
"""Machine code for each function and layout of its arguments."""

_LAYOUT = 0x503
"""Mask of an array's flags: contiguous in either order, aligned, writeable."""


def layout(value: Any) -> Any:
    """Key that determines the type of a compiled argument."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num & _LAYOUT
    if isinstance(value, tuple):
        return (type(value), *map(layout, value))
    return type(value) if isinstance(value, int | float) else numba.typeof(value)


def direct(function: F) -> F:
    """Wrap a compiled function for a caller in Python whose argument types never change after the first call.

    Determining the types takes 10 us for tuples of a hundred arrays, longer than many a step, and
    numba's types of them take 1 ms; the result is therefore shared by all callers. After the first
    call, the attribute `entry` is the compiled code itself.
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
    """Types of the arguments and of the result of an `instruction`."""

    nothing = types.void
    number = types.float64
    index = types.intp
    vector: Any = types.containers.UniTuple(types.float64, 3)

    @staticmethod
    def array(dimensions: int) -> Any:
        """C-ordered array of floats."""
        return types.Array(types.float64, dimensions, "C")


def value_type(name: str, layout: Any) -> Any:
    """Type of compiled values that has the layout of an LLVM type."""

    class Value(types.Type):
        def __init__(self) -> None:
            super().__init__(name=name)

    @register_default(Value)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, layout)

    return Value()


def instruction(signature: Callable[[Types], Any], emit: Callable[..., Any]) -> Callable[[F], F]:
    """Replace calls of a Python function by the code that `emit` generates; without compilation it is called itself.

    Parameters
    ----------
    signature : function
        Returns the signature of the calls, given `Types`.
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
    """Call `report` with the number of functions started so far and the current action and function."""
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
