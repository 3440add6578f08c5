"""Vectors of three numbers in rows of arrays, loaded, stored and combined as one value.

In compiled code, a vector is a tuple of three numbers in registers, and every function here
consists only of the loads, stores, products and sums in its Python code. Offsets in a row (`at`)
are never literals for the compiler, which would otherwise compile a separate version for each.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import instruction

Vec3 = tuple[float, float, float]


def _place(context: Any, builder: Any, array_type: Any, array: Any, i: Any, at: Any) -> Any:
    """Pointer to number `at` in row `i` of a C-ordered 2D array."""
    struct = context.make_array(array_type)(context, builder, array)
    width = builder.extract_value(struct.shape, 1)
    return builder.gep(struct.data, [builder.add(builder.mul(i, width), at)])


def _next(builder: Any, place: Any, lane: int) -> Any:
    return builder.gep(place, [ir.Constant(ir.IntType(64), lane)])


def _load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    at = args[2] if len(args) > 2 else ir.Constant(ir.IntType(64), 0)
    place = _place(context, builder, signature.args[0], args[0], args[1], at)
    return context.make_tuple(
        builder,
        signature.return_type,
        [builder.load(_next(builder, place, lane)) for lane in range(3)],
    )


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    at = args[2] if len(args) > 3 else ir.Constant(ir.IntType(64), 0)
    place = _place(context, builder, signature.args[0], args[0], args[1], at)
    for lane in range(3):
        builder.store(builder.extract_value(args[-1], lane), _next(builder, place, lane))
    return context.get_dummy_value()


def _add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = _place(context, builder, signature.args[0], *args[:3])
    for lane in range(3):
        entry = _next(builder, place, lane)
        builder.store(
            builder.fadd(builder.load(entry), builder.extract_value(args[3], lane)), entry
        )
    return context.get_dummy_value()


def _lanes(builder: Any, a: Any) -> tuple[Any, ...]:
    return tuple(builder.extract_value(a, lane) for lane in range(3))


def _dot(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    x, y, z = map(builder.fmul, _lanes(builder, args[0]), _lanes(builder, args[1]))
    return builder.fadd(builder.fadd(x, y), z)


def _times(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    parts = [builder.fmul(args[0], lane) for lane in _lanes(builder, args[1])]
    return context.make_tuple(builder, signature.return_type, parts)


def _plus(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    parts = list(map(builder.fadd, _lanes(builder, args[0]), _lanes(builder, args[1])))
    return context.make_tuple(builder, signature.return_type, parts)


def _minus(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    parts = list(map(builder.fsub, _lanes(builder, args[0]), _lanes(builder, args[1])))
    return context.make_tuple(builder, signature.return_type, parts)


@instruction(lambda t: t.vector(t.array(2), t.index), _load)
def vec3(rows: FloatArray, i: int) -> Vec3:
    """The first three numbers of row `i` of `rows` (m, 3 or more)."""
    return rows[i, 0], rows[i, 1], rows[i, 2]


@instruction(lambda t: t.vector(t.array(2), t.index, t.index), _load)
def vec3_at(rows: FloatArray, i: int, at: int) -> Vec3:
    """Three numbers of row `i` of `rows` (m, any), from entry `at` on."""
    return rows[i, at], rows[i, at + 1], rows[i, at + 2]


@instruction(lambda t: t.nothing(t.array(2), t.index, t.vector), _store)
def vec3_put(rows: FloatArray, i: int, a: Vec3) -> None:
    """Write `a` to the first three numbers of row `i` of `rows` (m, 3 or more)."""
    rows[i, 0], rows[i, 1], rows[i, 2] = a


@instruction(lambda t: t.nothing(t.array(2), t.index, t.index, t.vector), _store)
def vec3_put_at(rows: FloatArray, i: int, at: int, a: Vec3) -> None:
    """Write `a` to row `i` of `rows` (m, any), from entry `at` on."""
    rows[i, at], rows[i, at + 1], rows[i, at + 2] = a


@instruction(lambda t: t.number(t.vector, t.vector), _dot)
def dot(a: Vec3, b: Vec3) -> float:
    """Scalar product of a and b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@instruction(lambda t: t.vector(t.number, t.vector), _times)
def times(x: float, a: Vec3) -> Vec3:
    """Product x a."""
    return x * a[0], x * a[1], x * a[2]


@instruction(lambda t: t.vector(t.vector, t.vector), _plus)
def plus(a: Vec3, b: Vec3) -> Vec3:
    """Sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@instruction(lambda t: t.vector(t.vector, t.vector), _minus)
def minus(a: Vec3, b: Vec3) -> Vec3:
    """Difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@instruction(lambda t: t.nothing(t.array(2), t.index, t.index, t.vector), _add)
def vec3_add_at(rows: FloatArray, i: int, at: int, a: Vec3) -> None:
    """Add `a` to row `i` of `rows` (m, any), from entry `at` on."""
    vec3_put_at(rows, i, at, plus(vec3_at(rows, i, at), a))
