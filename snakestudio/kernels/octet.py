"""Rows of eight numbers as one value, two vector registers: six coordinates, a right-hand side and padding.

In compiled code, an octet is a vector of the processor, and every function here is one or a few of
its instructions. Automatic vectorization by the compiler gave code half as fast, and took much
longer. Without compilation, an octet is an array of eight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import instruction, value_type

Octet = FloatArray
"""Array of shape (8,)."""

WIDTH = 8
_vector = ir.VectorType(ir.DoubleType(), WIDTH)
_compiled = value_type("Octet", _vector)
_index = ir.IntType(32)


def _everywhere(builder: Any, x: Any) -> Any:
    """Broadcast the number `x` to all eight lanes."""
    undefined = ir.Constant(_vector, ir.Undefined)
    first = builder.insert_element(undefined, x, ir.Constant(_index, 0))
    return builder.shuffle_vector(
        first, undefined, ir.Constant(ir.VectorType(_index, WIDTH), [0] * WIDTH)
    )


def _fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Compute a b + c, lane by lane, with one rounding if the processor supports it."""
    function_type = ir.FunctionType(_vector, [_vector] * 3)
    name = "llvm.fmuladd.v8f64"
    function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
    return builder.call(function, [a, b, c])


def _address(context: Any, builder: Any, array_type: Any, array: Any, i: Any, at: Any) -> Any:
    """Pointer to eight numbers in row `i` of a C-ordered 2D array, from entry `at` on."""
    struct = context.make_array(array_type)(context, builder, array)
    _, width = (builder.extract_value(struct.shape, d) for d in range(2))
    place = builder.gep(struct.data, [builder.add(builder.mul(i, width), at)])
    return builder.bitcast(place, _vector.as_pointer())


def _load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(
        _address(context, builder, signature.args[0], args[0], args[1], args[2]), align=8
    )


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store(
        args[3], _address(context, builder, signature.args[0], args[0], args[1], args[2]), align=8
    )
    return context.get_dummy_value()


def _signs(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    name = "llvm.sqrt.v8f64"
    root = builder.module.globals.get(name) or ir.Function(
        builder.module, ir.FunctionType(_vector, [_vector]), name
    )
    squares = _fused(
        builder, args[0], args[0], _everywhere(builder, builder.fmul(args[1], args[1]))
    )
    return builder.fdiv(args[0], builder.call(root, [squares]))


def _crossed(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    a, x, y, z = args
    first = second = ir.Constant(_vector, [0.0] * WIDTH)
    for lane, one, other in ((3, y, z), (4, z, x), (5, x, y)):
        first = builder.insert_element(first, one, ir.Constant(_index, lane))
        second = builder.insert_element(second, other, ir.Constant(_index, lane))
    mask_type = ir.VectorType(_index, WIDTH)
    one, other = (
        builder.shuffle_vector(a, a, ir.Constant(mask_type, mask))
        for mask in ([0, 1, 2, 2, 0, 1, 6, 7], [0, 1, 2, 1, 2, 0, 6, 7])
    )
    return _fused(builder, builder.fneg(second), other, _fused(builder, first, one, a))


@instruction(lambda t: _compiled(t.array(2), t.index, t.index), _load)
def octet(rows: FloatArray, i: int, at: int) -> Octet:
    """Eight numbers of row `i` of `rows` (m, any), from entry `at` on; the row must contain them."""
    return rows[i, at : at + WIDTH].copy()


@instruction(lambda t: t.nothing(t.array(2), t.index, t.index, _compiled), _store)
def octet_put(rows: FloatArray, i: int, at: int, a: Octet) -> None:
    """Write `a` to row `i` of `rows` (m, any), from entry `at` on."""
    rows[i, at : at + WIDTH] = a


@instruction(
    lambda t: _compiled(),
    lambda context, builder, signature, args: ir.Constant(_vector, [0.0] * WIDTH),
)
def octet_zero() -> Octet:
    """Eight zeros."""
    return np.zeros(WIDTH)


@instruction(
    lambda t: _compiled(t.number, _compiled),
    lambda context, builder, signature, args: builder.fmul(_everywhere(builder, args[0]), args[1]),
)
def octet_times(x: float, a: Octet) -> Octet:
    """Product x a."""
    return x * a


@instruction(
    lambda t: _compiled(_compiled, _compiled),
    lambda context, builder, signature, args: builder.fadd(args[0], args[1]),
)
def octet_sum(a: Octet, b: Octet) -> Octet:
    """Sum a + b."""
    return a + b


@instruction(
    lambda t: _compiled(_compiled, _compiled),
    lambda context, builder, signature, args: builder.fmul(args[0], args[1]),
)
def octet_product(a: Octet, b: Octet) -> Octet:
    """Product a b, lane by lane."""
    return a * b


@instruction(lambda t: _compiled(_compiled, t.number), _signs)
def octet_signs(a: Octet, eps: float) -> Octet:
    """Smooth sign a / sqrt(a^2 + eps^2), lane by lane."""
    return a / np.sqrt(a * a + eps * eps)


@instruction(
    lambda t: _compiled(_compiled, t.number, _compiled),
    lambda context, builder, signature, args: _fused(
        builder, _everywhere(builder, args[1]), args[2], args[0]
    ),
)
def octet_plus(a: Octet, x: float, b: Octet) -> Octet:
    """Sum a + x b."""
    return a + x * b


@instruction(
    lambda t: _compiled(_compiled, t.number, _compiled),
    lambda context, builder, signature, args: _fused(
        builder, _everywhere(builder, builder.fneg(args[1])), args[2], args[0]
    ),
)
def octet_minus(a: Octet, x: float, b: Octet) -> Octet:
    """Difference a - x b."""
    return a - x * b


@instruction(
    lambda t: t.number(_compiled, t.index),
    lambda context, builder, signature, args: builder.extract_element(args[0], args[1]),
)
def octet_lane(a: Octet, i: int) -> float:
    """Number `i` of `a`."""
    return float(a[i])


@instruction(
    lambda t: _compiled(_compiled, t.index, t.number),
    lambda context, builder, signature, args: builder.insert_element(args[0], args[2], args[1]),
)
def octet_with(a: Octet, i: int, x: float) -> Octet:
    """Copy of `a` with number `i` replaced by `x`."""
    changed = a.copy()
    changed[i] = x
    return changed


@instruction(lambda t: _compiled(_compiled, t.number, t.number, t.number), _crossed)
def octet_crossed(a: Octet, x: float, y: float, z: float) -> Octet:
    """Copy of `a` with the vector product (x, y, z) x a[:3] added to a[3:6]."""
    changed = a.copy()
    changed[3:6] += np.cross((x, y, z), a[:3])
    return changed
