"""A compiled function called many times without the interpreter's lock, with arguments that are read from a table.

A row of the table holds what one call takes: the address, shape and strides of every array, and the
bits of every number. So worlds of a batch keep arrays of their own, which may grow one by one, and
what runs is the very code that a single run calls, reached by its address: nothing is compiled but
a loop of some lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_not
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core import extending as numba_extending
from numba.core import types as numba_types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.np import arrayobj

from snakestudio._arrays import IntArray
from snakestudio.kernels._jit import direct, jit, layout

Job = Callable[..., int]

# Entries of the progress that threads share.
NEXT, DONE = range(2)

_WORD = ir.IntType(64)

# Their annotations know half of them.
types: Any = numba_types
extending: Any = numba_extending


class _Callee:
    """A compiled function with the types of its arguments, and where its code is.

    Parameters
    ----------
    function : compiled function
        Returns an int or nothing, and never raises.
    arguments : tuple
        Of one call; those of all others must be of the same types.
    """

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        kinds = tuple(function.typeof_pyval(argument) for argument in arguments)
        function.compile(kinds)
        compiled = function.overloads[kinds]
        self.kind = _CalleeType(kinds, compiled.signature.return_type)
        self.address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


_CALLEES: dict[Any, _Callee] = {}
"""By function and layout of its arguments: finding their types takes numba a millisecond."""


def _callee(function: Any, arguments: tuple[Any, ...]) -> _Callee:
    """The callee of a function with arguments like these."""
    key = function, layout(arguments)
    if key not in _CALLEES:
        _CALLEES[key] = _Callee(function, arguments)
    return _CALLEES[key]


class _CalleeType(types.Opaque):  # type: ignore[misc]
    """What the loop over rows is compiled for: it gets no value of this type, but knows how to read a row."""

    def __init__(self, arguments: tuple[Any, ...], result: Any) -> None:
        self.arguments = arguments
        self.result = result
        super().__init__(f"Callee({', '.join(map(str, arguments))}) -> {result}")


register_default(_CalleeType)(models.OpaqueModel)


@extending.typeof_impl.register(_Callee)  # type: ignore[untyped-decorator]
def _type_of_callee(callee: _Callee, context: Any) -> _CalleeType:
    return callee.kind


@extending.unbox(_CalleeType)  # type: ignore[untyped-decorator]
def _unbox_callee(kind: Any, value: Any, context: Any) -> Any:
    return extending.NativeValue(context.context.get_dummy_value())


def _words(value: Any, words: list[int]) -> list[int]:
    """What a row of the table holds of an argument: arrays by address, shape and strides, numbers by their bits.

    It is added to `words`.
    """
    if isinstance(value, np.ndarray):
        words.append(value.__array_interface__["data"][0])
        words.extend(value.shape)
        words.extend(value.strides)
    elif isinstance(value, tuple):
        for part in value:
            _words(part, words)
    elif isinstance(value, float):  # numpy's, too
        words.append(np.float64(value).view(np.int64).item())
    else:
        words.append(int(value))
    return words


class _RowReader:
    """Makes arguments of the words of a row, in the order of `_words`."""

    def __init__(self, context: Any, builder: Any, row: Any) -> None:
        self._context = context
        self._builder = builder
        self._row = row
        self._count = 0

    def _word(self) -> Any:
        position = self._builder.gep(self._row, [ir.Constant(_WORD, self._count)])
        self._count += 1
        return self._builder.load(position)

    def argument(self, kind: Any) -> Any:
        context = self._context
        builder = self._builder
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.argument(part) for part in kind.types])
        if isinstance(kind, types.Array):
            return self._array(kind)
        if isinstance(kind, types.Float):
            return builder.bitcast(self._word(), context.get_value_type(kind))
        if isinstance(kind, types.Boolean):
            return builder.icmp_unsigned("!=", self._word(), ir.Constant(_WORD, 0))
        if isinstance(kind, types.Integer) and kind.bitwidth == _WORD.width:
            return self._word()
        raise NotImplementedError(f"rows of arguments of type {kind}")

    def _array(self, kind: Any) -> Any:
        context = self._context
        builder = self._builder
        array = context.make_array(kind)(context, builder)
        arrayobj.populate_array(
            array,
            data=builder.inttoptr(self._word(), array.data.type),
            shape=[self._word() for _ in range(kind.ndim)],
            strides=[self._word() for _ in range(kind.ndim)],
            itemsize=context.get_constant(
                types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))
            ),
            meminfo=None,
        )
        return array._getvalue()


@extending.intrinsic  # type: ignore[untyped-decorator]
def _call_row(typing: Any, callee: Any, address: Any, table: Any, row: Any) -> Any:
    """Call the function at `address` with what is in a row of the table; gives what it returns, or 0."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, address, table, row = args
        _, _, kind, _ = signature.args
        array = context.make_array(kind)(context, builder, table)
        _, width = cgutils.unpack_tuple(builder, array.shape)
        reader = _RowReader(context, builder, builder.gep(array.data, [builder.mul(row, width)]))
        arguments = [reader.argument(kind) for kind in callee.arguments]
        convention = context.call_conv
        pointer = convention.get_function_type(callee.result, callee.arguments).as_pointer()
        function = builder.inttoptr(address, pointer)
        _, result = convention.call_function(
            builder, function, callee.result, callee.arguments, arguments
        )
        return ir.Constant(_WORD, 0) if callee.result == types.none else result

    return types.int64(callee, types.int64, types.Array(types.int64, 2, "C"), types.int64), emit


@extending.intrinsic  # type: ignore[untyped-decorator]
def _add_one(typing: Any, array: Any, index: Any) -> Any:
    """Add 1 to an entry that other threads add to, too; gives what it was before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, _ = signature.args
        value, entry = args
        counters = context.make_array(kind)(context, builder, value)
        return builder.atomic_rmw(
            "add", builder.gep(counters.data, [entry]), ir.Constant(_WORD, 1), "acq_rel"
        )

    return types.int64(types.Array(types.int64, 1, "C"), types.int64), emit


@jit
def _call_rows(
    callee: _Callee,
    address: int,
    table: IntArray,
    order: IntArray,
    progress: IntArray,
    status: IntArray,
) -> int:
    """Call a function for those rows of the table that no other thread takes; returns how many that were.

    Parameters
    ----------
    callee, address
        The function, and where it is.
    table : (n, w) int
    order : (k,) int
        Rows to be called for, those that take long first.
    progress : (2,) int
        Count of rows that some thread has begun, and of those it has finished; both 0 at first.
    status : (n,) int
        What the calls returned.
    """
    count = 0
    while True:
        place = _add_one(progress, NEXT)
        if place >= order.shape[0]:
            return count
        row = order[place]
        status[row] = _call_row(callee, address, table, row)
        _add_one(progress, DONE)
        count += 1


class CallTable:
    """Calls of one compiled function, a row each.

    Parameters
    ----------
    function : compiled function
        Returns an int or nothing, and never raises.
    arguments : sequence of tuples
        What each call takes: arrays, numbers and tuples of them. Tables hold addresses, and keep
        the arrays alive.
    """

    def __init__(self, function: Any, arguments: Sequence[tuple[Any, ...]]) -> None:
        first = arguments[0]
        self._arguments = list(arguments)
        self._callee = _callee(function, first)
        self._table = np.array([_words(one, []) for one in arguments], np.int64)
        self._columns = np.cumsum([0, *(len(_words(one, [])) for one in first)]).tolist()
        self._status = np.zeros(len(arguments), np.int64)
        self._run = direct(_call_rows)
        # or threads would compile it at a time
        self._run(*self._job(np.zeros(0, np.int64), np.zeros(2, np.int64)))

    def bind(self, row: int, arguments: tuple[Any, ...], first: int = 0) -> None:
        """Take other arguments of a row, from argument number `first` on; they may be some of all."""
        before = self._arguments[row]
        self._arguments[row] = before[:first] + arguments + before[first + len(arguments) :]
        begin = self._columns[first]
        end = self._columns[first + len(arguments)]
        self._table[row, begin:end] = _words(arguments, [])

    def fill(self, argument: int, number: int) -> None:
        """Give all rows the same whole number as an argument; counted from the end if negative."""
        self._table[:, self._columns[argument % len(self._arguments[0])]] = number

    def single(self, row: int) -> Callable[[], int]:
        """The call of one row, for a thread that makes it by itself again and again; it gives what the call returns."""
        progress = np.zeros(2, np.int64)
        status = self._status
        job = self._job(np.array([row], np.int64), progress)
        entry: Callable[..., int] = getattr(self._run, "entry", self._run)

        def call() -> int:
            progress[NEXT] = 0
            entry(*job)
            result: int = status.item(row)
            return result

        return call

    def call(
        self, rows: IntArray, share: Callable[[Job, tuple[Any, ...], Callable[[], bool]], None]
    ) -> IntArray:
        """Make the calls of `rows`, those that take long first.

        Parameters
        ----------
        rows : (k,) int
        share : function
            Runs a job with its arguments in as many threads as it has, all with the same, and
            returns when the function that it gets, too, says that all is done.

        Returns
        -------
        (n,) int array
            What the calls returned (0 for nothing), by row; the next call fills it again.
        """
        progress = np.zeros(2, np.int64)
        share(self._run, self._job(rows, progress), lambda: bool(progress[DONE] == len(rows)))
        return self._status

    def _job(self, rows: IntArray, progress: IntArray) -> tuple[Any, ...]:
        return self._callee, self._callee.address, self._table, rows, progress, self._status


def same_objects(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether arguments are the very objects that others are, so that what was bound to those holds for them."""
    return len(some) == len(others) and not any(map(is_not, some, others))
