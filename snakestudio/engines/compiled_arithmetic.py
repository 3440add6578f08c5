"""Machine code for the arithmetic of `model.compilable`, which paths and controllers use in every control period."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from snakestudio.kernels._cache import jit_disabled
from snakestudio.model import compilable

ARITHMETIC_PARTS = len(compilable.ALL) + len(compilable.HELPERS)
"""Number of compiled functions."""


def use_compiled_arithmetic() -> None:
    """Make all compilable functions run as machine code, which is compiled or loaded at their first call."""
    if jit_disabled() or all(one.run is not one.plain for one in compilable.ALL):
        return
    from snakestudio.kernels._jit import exact

    known: dict[str, Any] = dict(vars(compilable))
    for helper in compilable.HELPERS:
        known[helper.__name__] = exact(FunctionType(helper.__code__, known, helper.__name__))
    for one in compilable.ALL:
        plain: Any = one.plain
        one.run = exact(FunctionType(plain.__code__, known, plain.__name__))


def compile_arithmetic() -> None:
    """Compile or load the machine code now."""
    use_compiled_arithmetic()
    for one in compilable.ALL:
        run: Any = one.run
        if run is not one.plain:
            run.compile(one.signature)
