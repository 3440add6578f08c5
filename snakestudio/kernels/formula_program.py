"""Typed formulas in compiled loops: a list of operations on three variables, evaluated in order.

A formula that depends on the position of a link must be evaluated in every step, where Python
cannot be called, and compiling it would take a second after each change.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit

# Operations; their operands are results of earlier lines.
(
    NUMBER,
    VARIABLE,
    ADD,
    MULTIPLY,
    POWER,
    SIN,
    COS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    TANH,
    EXP,
    LOG,
    SQRT,
    ABS,
    BUMP,
    RISE,
) = range(20)

# Columns of a program.
OPERATION, LEFT, RIGHT, RESULT = range(4)


@jit
def _function(kind: int, v: float) -> float:
    """Value of a function of one number; NaN where it is undefined."""
    if kind == SIN:
        return math.sin(v)
    if kind == COS:
        return math.cos(v)
    if kind == TAN:
        return math.tan(v)
    if kind == ASIN:
        return math.asin(v) if abs(v) <= 1.0 else math.nan
    if kind == ACOS:
        return math.acos(v) if abs(v) <= 1.0 else math.nan
    if kind == ATAN:
        return math.atan(v)
    if kind == SINH:
        return math.sinh(v)
    if kind == COSH:
        return math.cosh(v)
    if kind == TANH:
        return math.tanh(v)
    if kind == EXP:
        return math.exp(v)
    if kind == LOG:
        return math.log(v) if v > 0.0 else math.nan
    if kind == SQRT:
        return math.sqrt(v) if v >= 0.0 else math.nan
    if kind == ABS:
        return abs(v)
    if kind == BUMP:
        return math.exp(1.0 - 1.0 / (1.0 - v * v)) if abs(v) < 1.0 else 0.0 * v
    u = min(max(v, 0.0), 1.0)
    return u * u * u * u * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u)))


@jit
def evaluate_program(program: FloatArray, a: float, b: float, c: float) -> float:
    """Evaluate a formula of three variables.

    Parameters
    ----------
    program : (m, 4)
        For every operation: its kind, its operands (a number, the index of a variable, or indices
        of earlier lines), and its result. The last result is the value of the formula.
    a, b, c : float
        The variables.
    """
    last = program.shape[0] - 1
    for i in range(last + 1):
        kind = int(program[i, OPERATION])
        if kind == NUMBER:
            program[i, RESULT] = program[i, LEFT]
            continue
        first = int(program[i, LEFT])
        if kind == VARIABLE:
            program[i, RESULT] = a if first == 0 else (b if first == 1 else c)
            continue
        left = program[first, RESULT]
        if kind > POWER:
            program[i, RESULT] = _function(kind, left)
            continue
        right = program[int(program[i, RIGHT]), RESULT]
        if kind == ADD:
            program[i, RESULT] = left + right
        elif kind == MULTIPLY:
            program[i, RESULT] = left * right
        elif (left == 0.0 and right < 0.0) or (left < 0.0 and right != math.floor(right)):
            program[i, RESULT] = math.nan
        else:
            program[i, RESULT] = left**right
    result: float = program[last, RESULT]
    return result
