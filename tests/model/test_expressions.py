"""The common parser and interpreter of typed arithmetic, with a small custom vocabulary."""

from __future__ import annotations

import ast
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.analysis.signals import compile_signal
from snakestudio.errors import FormulaError, SignalError
from snakestudio.link.profile.formula import read_formula
from snakestudio.model.formula import read
from snakestudio.model.formula.expressions import Interpreter, Limits, Vocabulary

VALUES = {"speed": 2.0, "mass": 3.0}


class Arithmetic(Interpreter[float]):
    """Vocabulary of floating-point numbers and two names."""

    vocabulary = Vocabulary(
        example="2*speed",
        operators={"+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow},
        limits=Limits(characters=400, depth=20, parts=50, exponent=10),
    )

    def __init__(self) -> None:
        super().__init__()
        self.functions = {"half": "half(x)"}

    def number(self, tree: ast.expr, value: float) -> float:
        return value

    def name(self, tree: ast.expr, name: str) -> float:
        if name not in VALUES:
            self.unknown_name(tree, name, VALUES, remedy="use speed or mass")
        return VALUES[name]

    def sign(self, tree: ast.UnaryOp, symbol: str, value: float) -> float:
        return -value

    def operation(self, tree: ast.BinOp, symbol: str, left: float, right: float) -> float:
        return float(self.vocabulary.operators[symbol](left, right))

    def call(self, tree: ast.Call, name: str) -> float:
        return 0.5 * self.evaluate(tree.args[0])

    def constant(self, value: float) -> float:
        return value


def mistake(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as caught:
        Arithmetic().read(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7.0),
        ("-speed^2", -4.0),
        ("half(mass − 1)", 1.0),
        (" 2\n× speed ", 4.0),
        ("+2·3", 6.0),
    ],
)
def test_arithmetic_has_its_value(text: str, value: float) -> None:
    assert Arithmetic().read(text) == value


@pytest.mark.parametrize(
    ("text", "marked", "message", "remedy"),
    [
        ("2*sped", "sped", "is not known", "did you mean speed"),
        ("2*qqq", "qqq", "is not known", "use speed or mass"),
        ("1 + haf(2)", "haf", "function", "did you mean half"),
        ("2^2 + half", "half", "is a function", "write half(x)"),
        ("1 + half(x=2)", "half(x=2)", "positional arguments", "write half(x)"),
        ("1 + (2, 5)", "(2, 5)", "contains a comma", "write decimals with a point"),
        (
            "1 + speed/2",
            "speed/2",
            "is not understood",
            "use numbers, names, + - * ^ and functions",
        ),
        ("1 + not_", "not_", "is not known", "use speed or mass"),
        ("1 + (not 2)", "not 2", "is not understood", "use numbers"),
        ("1 + 'a'", "'a'", "is not understood", "use numbers"),
        ("1 + speed.real", "speed.real", "is not understood", "use numbers"),
        ("1 + 1e999", "1e999", "is not finite", "use another number"),
        ("1 + 2^11", "11", "exponent", "use at most 10"),
        ("2 + )", ")", "no matching", "remove it"),
        ("(2 + 3", "(", "is not closed", "add the ')'"),
        ("2 + # 3", "#", "there is a '#'", "remove it"),
        ("ä + sped", "ä", "is not known", "use speed or mass"),
        ("2^2*sped", "sped", "is not known", "did you mean speed"),
    ],
)
def test_mistake_has_its_position_and_a_remedy(
    text: str, marked: str, message: str, remedy: str
) -> None:
    error = mistake(text)
    assert text[error.start : error.stop] == marked
    assert f"at character {error.start + 1}" in error.message
    assert message in error.message
    assert error.remedy.startswith(remedy)


def test_positions_count_characters() -> None:
    text = "mass*(sped + \N{GREEK SMALL LETTER PI})"
    assert mistake(text).start == text.index("sped")
    text = "half(\N{GREEK SMALL LETTER PI}) + sped"
    assert mistake(text).start == text.index("\N{GREEK SMALL LETTER PI}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1" * 401, "401 characters"),
        ("-" * 21 + "1", "nested too deeply"),
        ("half(" + "-" * 20 + "1)", "nested too deeply"),
        ("+".join(["(1+1+1)"] * 15), "more than 50 numbers"),
        ("  ", "it is empty"),
        ("2 *", "incomplete"),
        ("\ud800", "syntax error"),
    ],
)
def test_too_large_or_incomplete_input_is_refused(text: str, message: str) -> None:
    assert message in mistake(text).message


def test_limits_hold_up_to_their_last_value() -> None:
    assert Arithmetic().read("-" * 20 + "1") == 1.0
    assert Arithmetic().read("2^10") == 1024.0


@given(st.text(alphabet="12.+-*^() speedmashlf,#_=<'", max_size=40))
def test_any_text_is_a_number_or_a_mistake(text: str) -> None:
    value: float | None = None
    refusal: FormulaError | None = None
    try:
        value = Arithmetic().read(text)
    except FormulaError as error:
        refusal = error
    if refusal is None:
        assert isinstance(value, float)
    else:
        assert refusal.message
        assert refusal.remedy
        assert 0 <= refusal.start <= refusal.stop <= len(text)


@pytest.mark.parametrize("text", ["1 + speed_", "(1", "1 if 2 else 3", "2 +/ 3", ""])
def test_all_vocabularies_use_the_same_messages(text: str) -> None:
    messages = set()
    for use in (
        lambda: read(text, "", {"speed": ""}),
        lambda: read_formula(text),
        lambda: compile_signal(text, ["speed_mps"]),
    ):
        with pytest.raises((FormulaError, SignalError)) as caught:
            use()
        messages.add(caught.value.message.replace(" a column of the run", " known"))
    assert len(messages) == 1
