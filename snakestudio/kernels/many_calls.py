"""Repeated calls of a compiled function without the interpreter's lock, with arguments read from a table.

A row of the table contains the arguments of one call: the address, shape and strides of every
array, and the bits of every number. Thus the worlds of a batch have separate arrays, which can grow
one by one, and the code that runs is the same as that of a single run, called by its address: only
a short loop is compiled in addition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from snakestudio.kernels._cache import jit_disabled
from snakestudio.kernels._jit import direct, jit, layout

Job = Callable[..., int]

# Entries of the progress counters that threads share.
NEXT, DONE = range(2)

_INT64 = ir.IntType(64)

# The type stubs of these modules are incomplete.
types: Any = numba_types
extending: Any = numba_extending


class _Callee:
    """A compiled function with the types of its arguments and the address of its code.

    Parameters
    ----------
    function : compiled function
        Returns an int or nothing, and never raises.
    arguments : tuple
        Arguments of one call; those of all other calls must have the same types.
    """

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        kinds = tuple(function.typeof_pyval(argument) for argument in arguments)
        function.compile(kinds)
        compiled = function.overloads[kinds]
        self.kind = _CalleeType(kinds, compiled.signature.return_type)
        self.address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


_CALLEES: dict[Any, _Callee] = {}
"""Callee for each function and layout of its arguments: determining their types takes numba a millisecond."""


def _callee(function: Any, arguments: tuple[Any, ...]) -> _Callee:
    """Callee of a function with arguments of the types of these."""
    key = function, layout(arguments)
    if key not in _CALLEES:
        _CALLEES[key] = _Callee(function, arguments)
    return _CALLEES[key]


class _CalleeType(types.Opaque):  # type: ignore[misc]
    """numba type of a callee: it has no value, but defines how `_call_row` reads a row."""

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


def _row_entries(value: Any, entries: list[int]) -> list[int]:
    """Append the table entries of an argument to `entries`: address, shape and strides of arrays, bits of numbers."""
    if isinstance(value, np.ndarray):
        entries.append(value.__array_interface__["data"][0])
        entries.extend(value.shape)
        entries.extend(value.strides)
    elif isinstance(value, tuple):
        for part in value:
            _row_entries(part, entries)
    elif isinstance(value, float):  # also numpy's
        entries.append(np.float64(value).view(np.int64).item())
    else:
        entries.append(int(value))
    return entries


def _rebind(entries: IntArray, position: int, value: Any, old: Any) -> int:
    """Write the entries of those parts of an argument that are other objects than before; return the next position."""
    if isinstance(value, tuple):
        for part, old_part in zip(value, old, strict=True):
            position = _rebind(entries, position, part, old_part)
        return position
    end = position + (1 + 2 * value.ndim if isinstance(value, np.ndarray) else 1)
    if value is not old or end == position + 1:
        entries[position:end] = _row_entries(value, [])
    return end


class _RowReader:
    """Converts the entries of a row to arguments, in the order of `_row_entries`."""

    def __init__(self, context: Any, builder: Any, row: Any) -> None:
        self._context = context
        self._builder = builder
        self._row = row
        self._count = 0

    def _next_entry(self) -> Any:
        position = self._builder.gep(self._row, [ir.Constant(_INT64, self._count)])
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
            return builder.bitcast(self._next_entry(), context.get_value_type(kind))
        if isinstance(kind, types.Boolean):
            return builder.icmp_unsigned("!=", self._next_entry(), ir.Constant(_INT64, 0))
        if isinstance(kind, types.Integer) and kind.bitwidth == _INT64.width:
            return self._next_entry()
        raise NotImplementedError(f"rows of arguments of type {kind}")

    def _array(self, kind: Any) -> Any:
        context = self._context
        builder = self._builder
        array = context.make_array(kind)(context, builder)
        arrayobj.populate_array(
            array,
            data=builder.inttoptr(self._next_entry(), array.data.type),
            shape=[self._next_entry() for _ in range(kind.ndim)],
            strides=[self._next_entry() for _ in range(kind.ndim)],
            itemsize=context.get_constant(
                types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))
            ),
            meminfo=None,
        )
        return array._getvalue()


@extending.intrinsic  # type: ignore[untyped-decorator]
def _call_row(typing: Any, callee: Any, address: Any, table: Any, row: Any) -> Any:
    """Call the function at `address` with the arguments in a row of the table; return its result, or 0."""

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
        return ir.Constant(_INT64, 0) if callee.result == types.none else result

    return types.int64(callee, types.int64, types.Array(types.int64, 2, "C"), types.int64), emit


@extending.intrinsic  # type: ignore[untyped-decorator]
def _add_one(typing: Any, array: Any, index: Any) -> Any:
    """Add 1 to an entry that other threads also increment; return its previous value."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, _ = signature.args
        value, entry = args
        counters = context.make_array(kind)(context, builder, value)
        return builder.atomic_rmw(
            "add", builder.gep(counters.data, [entry]), ir.Constant(_INT64, 1), "acq_rel"
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
    """Call a function for those rows of the table that no other thread has started; return the number of calls.

    Parameters
    ----------
    callee, address
        The function, and the address of its code.
    table : (n, w) int
    order : (k,) int
        Rows to call the function for, the slowest first.
    progress : (2,) int
        Numbers of rows started and finished by all threads; both 0 initially.
    status : (n,) int
        Results of the calls.
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
    """Calls of one compiled function, one per row.

    Parameters
    ----------
    function : compiled function
        Returns an int or nothing, and never raises.
    arguments : sequence of tuples
        Arguments of each call: arrays, numbers and tuples of them. The table stores their
        addresses, and keeps references to the arrays.
    """

    def __init__(self, function: Any, arguments: Sequence[tuple[Any, ...]]) -> None:
        first = arguments[0]
        self._arguments = list(arguments)
        self._callee = _callee(function, first)
        self._table = np.array([_row_entries(one, []) for one in arguments], np.int64)
        self._columns = np.cumsum([0, *(len(_row_entries(one, [])) for one in first)]).tolist()
        self._status = np.zeros(len(arguments), np.int64)
        self._run = direct(_call_rows)
        # compiled now, otherwise each thread would compile it
        self._run(*self._job(np.zeros(0, np.int64), np.zeros(2, np.int64)))

    def bind(self, row: int, arguments: tuple[Any, ...], first: int = 0) -> None:
        """Replace arguments of a row, from argument number `first` on; arrays that are the same stay bound."""
        before = self._arguments[row]
        self._arguments[row] = before[:first] + arguments + before[first + len(arguments) :]
        entries = self._table[row]
        for number, argument in enumerate(arguments, first):
            # Numbers may have been filled since.
            if argument is not before[number] or isinstance(argument, int | float):
                _rebind(entries, self._columns[number], argument, before[number])

    def fill(self, argument: int, number: int) -> None:
        """Set an integer argument of all rows; `argument` is counted from the end if negative."""
        self._table[:, self._columns[argument % len(self._arguments[0])]] = number

    def single(self, row: int) -> Callable[[], int]:
        """Return a function that calls one row and returns its result, for repeated calls from a single thread."""
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
        """Make the calls of `rows`, given with the slowest first.

        Parameters
        ----------
        rows : (k,) int
        share : function
            Runs a job with its arguments in all of its threads, and
            returns when the function passed as last argument returns True.

        Returns
        -------
        (n,) int array
            Results of the calls (0 for none), by row; overwritten by the next call.
        """
        progress = np.zeros(2, np.int64)
        share(self._run, self._job(rows, progress), lambda: bool(progress[DONE] == len(rows)))
        return self._status

    def _job(self, rows: IntArray, progress: IntArray) -> tuple[Any, ...]:
        return self._callee, self._callee.address, self._table, rows, progress, self._status


class KernelCall:
    """A call of one compiled function, repeated from a single thread with arguments that rarely change.

    Passing the hundred arrays of an engine to compiled code takes longer than many a step; a table
    of their addresses is read in a fraction of that time.

    Parameters
    ----------
    function : compiled function
        Returns an int or nothing, and never raises.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._arguments: tuple[Any, ...] = ()
        self._table: CallTable | None = None
        self.run: Callable[[], int] = self._interpreted
        """Makes the call and returns its result, 0 if there is none."""

    def bind(self, arguments: tuple[Any, ...]) -> None:
        """Replace all arguments; only addresses of other arrays than before are written."""
        self._arguments = arguments
        if jit_disabled():
            return
        if self._table is None:
            self._table = CallTable(self._function, [arguments])
            self.run = self._table.single(0)
        else:
            self._table.bind(0, arguments)

    def fill(self, argument: int, number: int) -> None:
        """Set an integer argument; `argument` is counted from the end if negative."""
        if self._table is not None:
            self._table.fill(argument, number)
            return
        own = list(self._arguments)
        own[argument] = number
        self._arguments = tuple(own)

    def _interpreted(self) -> int:
        return int(self._function(*self._arguments) or 0)
