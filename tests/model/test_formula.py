"""Typed formulas: valid and refused ones with messages, derivatives against sympy and finite differences."""

from __future__ import annotations

import contextlib
import inspect
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakestudio.errors import FormulaError
from snakestudio.model import formula as reading
from snakestudio.model.formula import ACCELERATION, SPEED, primitive, read
from snakestudio.model.formula.reader import FUNCTIONS
from snakestudio.model.robot.smooth_steps import bump, rise

NAMES = {"X": "m", "t": "s", "s": "m", "l": "m", "r": "m", "lam": "m", "V": "m/s", "k": "1/m"}


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("sin(2*X)", ""),
        ("sin(2*X)", "1/m"),
        ("10*cos(2*pi*(t + X/0.5))", "1/m"),
        ("X/l", ""),
        ("X + l", "m"),
        ("V*t + X", "m"),
        ("sqrt(X*l)", "m"),
        ("k*bump((X - l/2)/r)", "1/m"),
        ("X^2/l", "m"),
        ("2^(X/l)", ""),
        ("5", "1/m"),
        ("0", "1/m"),
        ("-X^2/l + l", "m"),
        ("exp(-(t/2)^2)", ""),
        ("+X", "m"),
        ("1e-3*X", ""),
        ("V*t*k", ""),
        ("0*X", "1/m"),
        ("rise(t/2 - 1)", ""),
        (" X\n+ l ", "m"),
        ("+".join(["X"] * 50), "m"),
    ],
)
def test_right_units_are_accepted(text: str, unit: str) -> None:
    read(text, unit, NAMES)


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("X + t", "m", "different units"),
        ("sin(X)", "", "in m"),
        ("X", "1/m", "1/m is required"),
        ("X^t", "", "exponent"),
        ("X^(X/l)", "", "number"),
        ("pi", "1/m", "no unit"),
        ("V*t", "", "in m"),
        ("X/l", "1/m", "no unit"),
        ("sqrt(X)", "m", "m^0.5"),
        ("cos(V)", "", "m/s"),
        ("X - 1*t*V/V", "", "in m"),
    ],
)
def test_wrong_units_are_refused(text: str, unit: str, says: str) -> None:
    if text == "X - 1*t*V/V":  # a number can have any unit
        read(text, "m", NAMES)
        return
    with pytest.raises(FormulaError) as caught:
        read(text, unit, NAMES)
    assert says in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "__import__('os').system('ls')",
        "X.__class__",
        "().__class__",
        "lambda: 1",
        "[X for X in l]",
        "{1}",
        "{1: 2}",
        "'a'",
        "f'{X}'",
        "b'a'",
        "X if t else l",
        "X < l",
        "X and l",
        "not X",
        "~X",
        "X // l",
        "X % l",
        "X @ l",
        "X[0]",
        "X := 1",
        "(X := 1)",
        "await X",
        "yield X",
        "print(X)",
        "eval('1')",
        "sin(*X)",
        "sin(x=1)",
        "sin()",
        "sin(1, 2)",
        "sin",
        "X(2)",
        "foo(1)",
        "sin(1)(2)",
        "y",
        "_speed",
        "None",
        "True",
        "...",
        "1j",
        "0,5",
        "9**9**9",
        "9^9^9^9",
        "9^-999",
        "tanh(1*t^100)^100",
        "((1*X)^20)^20",
        "X^1e9",
        "((X^90)^90)^90",
        "1e999",
        "1e308*1e308",
        "10^20*1e300",
        "1/0",
        "X/0",
        "1/(X-X)",
        "0^-1",
        "sqrt(-1)",
        "log(0)",
        "log(-1)",
        "asin(2)",
        "exp(1e9)",
        "(-8)^(1/3)",
        "(-1)^(X/l)",
        "",
        " ",
        "X +",
        "(((X",
        ")",
        "2 X",
        "X X",
        "\x00",
        "\ud800",
        "# X",
        "X # l",
        "X; l",
        "X = 1",
        "1" * 501,
        "(" * 300,
        "-" * 400 + "1",
        "sin(" * 70 + "1*X" + ")" * 70,
        "1" * 400,
        "*".join(f"(1+{i}*X)" for i in range(40)),
        "import os",
        "X\\",
        "0x",
        "1__0",
        "'",
        '"""',
    ],
)
def test_text_that_is_not_a_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read(text, "m", NAMES)
    assert caught.value.message
    assert caught.value.remedy
    assert len(str(caught.value)) < 400


def test_very_slow_formula_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 56 nested functions: 160 million calls in sympy. The budget is in calls, so the verdict
    # does not depend on time.
    text = "sinh(asin(" * 28 + "1*X + 1*t + 1*s" + "))" * 28
    monkeypatch.setattr(reading, "MOST_CALLS", 500_000)
    result = []
    monkeypatch.setattr(
        reading, "formula_of", lambda *all_, own=reading.formula_of: result.append(1) or own(*all_)
    )
    for _ in range(2):
        with pytest.raises(FormulaError) as caught:
            read(text, "", NAMES)
        assert "differentiate" in caught.value.message
        assert caught.value.remedy
    assert len(result) == 1  # the verdict is also cached
    assert sys.getprofile() is None
    read("1*X + " + "0*X + " * 30 + "2*t", "", NAMES)  # long, not slow


def test_exhausted_budget_in_a_finalizer_still_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python ignores exceptions raised in a finalizer, and with them the counting."""

    class Heap:
        def __del__(self) -> None:
            for _ in range(10_000):
                abs(-1)

    def build(*all_: object) -> None:
        Heap()
        for _ in range(20_000):
            abs(-1)

    monkeypatch.setattr(reading, "MOST_CALLS", 10_000)
    monkeypatch.setattr(reading, "formula_of", build)
    for name in ("A", "B"):
        with pytest.raises(FormulaError, match="too long"):
            read("0*X + " * 30 + name, "", {"A": "", "B": ""})
    assert sys.getprofile() is None


def test_verdict_on_a_deep_formula_does_not_depend_on_the_caller() -> None:
    # not used by any other test
    text = "sinh(asin(" * 28 + "1*X + 1*t + 1*s" + "))" * 28 + " + 0*X"
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        with pytest.raises(FormulaError) as caught:
            read(text, "", NAMES)
    finally:
        sys.setrecursionlimit(limit)
    assert "differentiate" in caught.value.message


def test_active_profiler_is_preserved() -> None:
    def watch(frame: object, event: str, value: object) -> None: ...

    sys.setprofile(watch)
    try:
        read("2*X + " + "sin(3*X) + " * 12 + "2*t", "", NAMES)
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)


def test_error_names_position_and_allowed_syntax() -> None:
    with pytest.raises(FormulaError, match=r"character 7"):
        read("X^2 + )", "m", NAMES)
    with pytest.raises(
        FormulaError, match=r"'y' at character 1 is not known. Use X, t, s, l, r, lam, V, k, pi and"
    ):
        read("y", "m", NAMES)
    with pytest.raises(FormulaError, match="'s' at character 1"):
        read("s", "m", {"X": "m"}, elsewhere={"s": "give a speed"})
    with pytest.raises(FormulaError, match=r"decimals.*point"):
        read("0,5", "m", NAMES)


PIECES = st.sampled_from(
    [*NAMES, "pi", *FUNCTIONS, *"+-*/^()., 0123456789_'\"[]{}:=<>@%#\\~", "**", "//", "e9", "1e300"]
)


@settings(deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=40)))
def test_any_text_raises_only_formula_errors(text: str) -> None:
    with contextlib.suppress(FormulaError):
        formula = read(text, "m", NAMES)
        values = {name: np.full((2, 3), 0.3) for name in (*NAMES, SPEED, ACCELERATION)}
        for part in formula.at(values):
            np.broadcast_to(np.asarray(part, np.float64), (2, 3))  # a real number


EXPRESSIONS = [
    "k*cos(2*pi*s/lam) + 2*bump((s/V - 4 - 1)/1)",
    "1 - 0.3*sin(2*pi*s/lam)*exp(-t/3)",
    "rise(t/2)*X/l*sqrt(1 + (X/l)^2)",
    "tanh(3*s)*t^3",
    "atan(3*X*t)/(2 + cos(3*t))",
    "log(2 + s/l)^2",
    "2^(s/l)*sinh(t/2)",
    "asin(X/l/2)*cosh(t/4)",
    "X/l/3",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_derivatives_are_those_of_sympy_along_the_motion(text: str) -> None:
    import sympy  # sixty megabytes needed only here

    # Independent: s is first substituted as a function of t, then sympy differentiates the whole.
    t = sympy.Symbol("t")
    x = sympy.Symbol("X")
    sigma = sympy.Function("sigma")
    constants = {"l": 1.3, "lam": 0.7, "V": -0.4, "k": 3.0, "r": 0.1}
    path = 0.2 - 0.4 * t + 0.05 * t**2  # with speed -0.4 + 0.1 t
    own = {
        "bump": lambda v: sympy.Piecewise(
            (sympy.exp(-(v**2) / (1 - v**2)), sympy.Abs(v) < 1), (0, True)
        ),
        "rise": lambda v: sympy.Piecewise(
            (0, v <= 0), (1, v >= 1), (35 * v**4 - 84 * v**5 + 70 * v**6 - 20 * v**7, True)
        ),
    }
    result = sympy.sympify(
        text.replace("^", "**"), locals={**own, "t": t, "X": x, "s": x + sigma(t), **constants}
    )
    rate = result.diff(t)
    expected = [
        part.subs(sigma(t), path).doit() for part in (result, rate, rate.diff(t), result.diff(x))
    ]
    formula = read(text, "", {**NAMES, "k": ""})
    values = {name: np.float64(value) for name, value in constants.items()}
    for at_t, at_x in ((0.7, 0.4), (1.9, 1.1), (0.1, 0.01)):
        here = {
            "t": np.float64(at_t),
            "X": np.float64(at_x),
            "s": np.float64(at_x + 0.2 - 0.4 * at_t + 0.05 * at_t**2),
        }
        here |= {SPEED: np.float64(-0.4 + 0.1 * at_t), ACCELERATION: np.float64(0.1)}
        ours = formula.at(values | here)
        theirs = [float(part.subs({t: at_t, x: at_x}).evalf(30)) for part in expected]
        np.testing.assert_allclose(np.array(ours, float), theirs, rtol=2e-12, atol=1e-13)


def test_numbers_keep_their_last_digit() -> None:
    for number in (1 / 3, math.pi * 1e-7, 0.1 + 0.2, 12345.678901234567):
        assert read(repr(number), "", {}).at({})[0] == number


def test_modulus_has_finite_derivatives() -> None:
    formula = read("sqrt((X - 2*t)^2)", "m", NAMES)
    value = formula.at(
        {"X": np.float64(1.0), "t": np.float64(2.0), "s": np.float64(0), SPEED: np.float64(0)}
    )
    np.testing.assert_allclose(np.array(value, float), [3.0, 2.0, 0.0, -1.0], atol=1e-15)


def test_constants_are_not_recompiled() -> None:
    assert read("k*X", "", NAMES) is read("k*X", "", dict(NAMES))
    assert read("k*X", "", NAMES, zero=frozenset({"k"})).zero


def test_primitive_of_a_polynomial() -> None:
    formula = read("-(V + 0.3*t + 2*t^2)", "m/s", NAMES)
    integral = primitive(formula)
    assert integral is not None
    assert integral.at({"V": np.float64(0.2), "t": np.float64(1.5)})[0] == pytest.approx(
        -(0.3 + 0.3375 + 2.25), abs=1e-14
    )
    assert primitive(read("sin(t/2)", "m/s", NAMES)) is None
    zero = primitive(read("0", "m/s", NAMES))
    assert zero is not None
    assert zero.at({})[0] == 0


def test_bump_and_rise() -> None:
    v = np.linspace(-1.2, 1.2, 200001)
    assert np.trapezoid(bump(v), v) == pytest.approx(1.2069003, abs=1e-7)
    assert (bump(v)[np.abs(v) >= 1] == 0).all()
    assert np.isfinite(bump(np.array([1 - 1e-16, -1 + 1e-15, np.inf, 1e300]), 2)).all()
    assert np.isnan(bump(np.array([np.nan]))).all()
    np.testing.assert_array_equal(rise(np.array([-3.0, 0.0, 0.5, 1.0, 7.0])), [0, 0, 0.5, 1, 1])
    for f in (bump, rise):
        for order in (0, 1):
            np.testing.assert_allclose(
                np.gradient(f(v, order), v)[1:-1], f(v, order + 1)[1:-1], atol=2e-3
            )
        h = 1e-5
        u = np.linspace(-0.9, 1.05, 40)
        np.testing.assert_allclose((f(u + h) - f(u - h)) / (2 * h), f(u, 1), atol=1e-7)
        np.testing.assert_allclose((f(u + h, 1) - f(u - h, 1)) / (2 * h), f(u, 2), atol=1e-5)
    edge = np.array([1e-4, 1 - 1e-4])
    # the second derivative goes to 0 at the ends and stays 0
    assert np.abs(420 * (edge * (1 - edge)) ** 2).max() < 1e-5
    assert np.abs(np.diff(rise(np.array([-1e-4, 0, 1e-4]), 2))).max() < 1e-5


def test_sympy_is_imported_with_the_first_formula_only() -> None:
    code = (
        "import sys, snakestudio.model.robot.pose, snakestudio.control.strain_check; "
        "assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sin(X", r"a '\)' is missing: the '\(' at character 4 is not closed"),
        ("2*(X + (1 - t)", r"a '\)' is missing: the '\(' at character 3 is not closed"),
        ("X + 1)", r"the '\)' at character 6 has no matching"),
        ("X *", "the text is incomplete"),
    ],
)
def test_missing_names_are_reported(text: str, sentence: str) -> None:
    with pytest.raises(FormulaError, match=f"(?i){sentence}"):
        read(text, "m", NAMES)
