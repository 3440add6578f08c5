"""Formulas of ids: their values, and that they accept only arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import FormulaError
from snakestudio.link.profile.formula import read_formula


@pytest.mark.parametrize(
    ("text", "node", "value"),
    [
        ("0x200 + node", 3, 0x203),
        ("node << 5 | 0x0C", 2, 0x4C),  # ODrive: node in the upper six bits
        ("(node - 1) * 4 // 2", 6, 10),
        ("node & 0b11 ^ 1", 6, 3),
        ("~node & 0xFF", 1, 0xFE),
        ("-(-node) >> 1", 9, 4),
        ("7", 1, 7),
    ],
)
def test_formula_has_the_expected_value(text: str, node: int, value: int) -> None:
    assert read_formula(text)(node) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("0x200 + nod", "'nod' at character 9 is not known"),
        ("node + 1.5", "'1.5' at character 8"),
        ("node + True", "'True' at character 8"),
        ("node ** 2", "is not understood"),
        ("__import__('os')", "is not understood"),
        ("node if node else 1", "is not understood"),
        ("node +", "incomplete"),
        ("node ++* 2", "character"),
        ("node # 3", "a '#' at character 6"),
        ("1" * 300, "300 characters"),
        ("(" * 60 + "node" + ")" * 60 + "+-+-+-+-+", "incomplete"),
        ("-" * 40 + "node", "nested too deeply"),
        ("9" * 40, "exceeds 64 bits"),
    ],
)
def test_invalid_formula_is_refused(text: str, says: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(text)
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 << node", "shifts by 70 bits"),
        ("1 >> -node", "shifts by -70 bits"),
        ("1 // (node - 70)", "divides by zero"),
        ("0x7FFFFFFFFFFFFFFF * node", "exceeds 64 bits"),
    ],
)
def test_formula_wrong_for_a_node_is_refused(text: str, says: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(text)(70)
    assert says in caught.value.message


@given(st.text("node0123456789xAF+-*/<>|&^~() ", max_size=30), st.integers(0, 2**29 - 1))
def test_any_text_gives_a_value_or_an_error(text: str, node: int) -> None:
    try:
        value = read_formula(text)(node)
    except FormulaError:
        return
    assert abs(value) < 2**64
    assert value == eval(text.strip(), {"__builtins__": {}}, {"node": node})
