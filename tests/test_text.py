"""Texts with a fixed form: sentences, lists, plurals, quotes and numbers."""

from __future__ import annotations

import math

import pytest

from snakestudio import text
from snakestudio.errors import FormulaError, Problem, SceneError


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        (("the file is empty", "export it again"), "The file is empty. Export it again."),
        (("it is empty.", ""), "It is empty."),
        (("", "give one"), "Give one."),
        (("'x' is not known", "did you mean y"), "'x' is not known. Did you mean y?"),
        (("robot.mass_kg is missing", "give it"), "robot.mass_kg is missing. Give it."),
        (("obstacles[2] is hidden", ""), "obstacles[2] is hidden."),
        (("snake.urdf has no links", "add one"), "snake.urdf has no links. Add one."),
        (("format = 2 is newer", "update SnakeStudio"), "format = 2 is newer. Update SnakeStudio."),
        (("is this right?", "check it!"), "Is this right? Check it!"),
        (("did you mean a? Otherwise remove it", ""), "Did you mean a? Otherwise remove it."),
    ],
)
def test_clauses_become_sentences(clauses: tuple[str, ...], expected: str) -> None:
    assert text.sentences(*clauses) == expected


def test_lists_end_with_a_conjunction_or_a_count() -> None:
    assert text.listing([]) == ""
    assert text.listing(["a"]) == "a"
    assert text.listing(("a", "b")) == "a and b"
    assert text.listing("abc", "or") == "a, b or c"
    assert text.listing("abcd", most=3) == "a, b, c and d"  # "and 1 more" is not shorter
    assert text.listing("abcdef", most=3) == "a, b, c and 3 more"
    assert text.numbered("joint", [3]) == "joint 3"
    assert text.numbered("joint", iter([3, 4, 7])) == "joints 3, 4 and 7"


@pytest.mark.parametrize(
    ("count", "singular", "expected"),
    [
        (1, "run", "1 run"),
        (0, "run", "0 runs"),
        (2500, "run", "2,500 runs"),
        (2, "axis", "2 axes"),
        (2, "joint axis", "2 joint axes"),
        (2, "body", "2 bodies"),
        (2, "key", "2 keys"),
        (2, "box", "2 boxes"),
        (1, "entry", "1 entry"),
        (3, "entry", "3 entries"),
    ],
)
def test_counts_have_the_right_plural(count: int, singular: str, expected: str) -> None:
    assert text.counted(count, singular) == expected


def test_irregular_plurals_can_be_passed() -> None:
    assert text.counted(2, "other shape", "other shapes") == "2 other shapes"
    assert text.noun(1, "vertex", "vertices") == "vertex"
    assert text.noun(2, "vertex", "vertices") == "vertices"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        (0.25, "0.25"),
        (20000.0, "20000"),
        (-1.0, "-1"),
        (1e6, "1000000"),
        (1 / 3, repr(1 / 3)),
        (7, "7"),
        ("x", '"x"'),
        ((1, 2.5), "[1, 2.5]"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (1e-9, "1e-09"),
    ],
)
def test_literals_are_spelt_as_in_files(value: object, expected: str) -> None:
    assert text.literal_text(value) == expected


def test_long_values_are_shortened() -> None:
    assert text.literal_text("y" * 100) == '"' + "y" * 56 + "..."
    assert text.quoted("z" * 100, 10) == '"' + "z" * 7 + '..."'


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.123456, 4, "0.1235"),
        (-2.0, 4, "−2"),
        (-0.0, 4, "0"),
        (1.5e-7, 4, "1.5e−7"),
        (1e20, 4, "1e20"),
        (math.nan, 4, "–"),
        (123456.0, 6, "123456"),
    ],
)
def test_numbers_have_significant_digits(value: float, digits: int, expected: str) -> None:
    assert text.number_text(value, digits) == expected


def test_numbers_have_decimals_units_and_never_minus_zero() -> None:
    assert text.decimal_text(-0.04, 1) == "0.0"
    assert text.decimal_text(-1.26, 1) == "−1.3"
    assert text.exact_text(-0.0, 0.1) == "0.0"
    assert text.exact_text(0.1 + 0.2, 0.1) == "0.3"
    assert text.exact_text(-50.25, 1.0) == "−50.25"
    assert text.measure_text(0.25, "s") == "0.25 s"
    assert text.measure_text(0.25, "") == "0.25"
    assert text.measure_text(math.nan, "s") == "–"
    assert text.length_text(0.0125) == "12.5 mm"
    assert text.length_text(-1.5) == "−1.500 m"


def test_problem_names_its_value_by_key_or_label() -> None:
    problem = Problem("error", "ground.mu_along", "must be greater than 0 (got -1)", "")
    assert problem.sentence() == "ground.mu_along must be greater than 0 (got -1)."
    assert (
        problem.sentence_for("Friction along") == "Friction along must be greater than 0 (got -1)."
    )
    assert problem.sentence_for() == "Must be greater than 0 (got -1)."
    single = Problem("error", "format", "is missing", "begin the file with format = 1")
    assert single.sentence() == "format is missing. Begin the file with format = 1."


def test_problem_with_full_message_has_a_key_prefix() -> None:
    problem = Problem("warning", "start.file", "the file cannot be read", "choose another one")
    assert problem.sentence() == "start.file: The file cannot be read. Choose another one."
    assert problem.sentence_for("File") == "The file cannot be read. Choose another one."
    value = Problem("warning", "gait.offset_deg", "3 has no effect here", "make it 0")
    assert value.sentence_for("Offset") == "Offset: 3 has no effect here. Make it 0."
    assert Problem("error", "", "the scene is empty", "").sentence() == "The scene is empty."


def test_errors_consist_of_problems_and_mistakes() -> None:
    mistake = FormulaError("it is empty", "give a formula", 2, 5)
    assert str(mistake) == "It is empty. Give a formula."
    assert (mistake.start, mistake.stop) == (2, 5)
    error = SceneError.of([mistake.problem("strain.k_y_per_m"), mistake.problem()], "a.toml")
    assert str(error).splitlines() == [
        "a.toml: strain.k_y_per_m: It is empty. Give a formula.",
        "a.toml: It is empty. Give a formula.",
    ]
    assert len(error.problems) == 2
