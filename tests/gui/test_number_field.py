"""Numbers typed, stepped and refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.number_field import NumberField
from snakestudio.model.fields import field_doc
from snakestudio.model.formula.quantity import NumberTextError, parse_number, parse_numbers
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Solver
from snakestudio.text import exact_text
from snakestudio.viewmodel.numbers import nice_step

pytestmark = pytest.mark.gui


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40", 40.0),
        (" 0,25 ", 0.25),
        ("1/4000", 0.00025),
        ("2*(40-5)", 70.0),
        ("−50", -50.0),
        ("-5e1", -50.0),
        ("40 °", 40.0),
        ("40°", 40.0),
        ("2^3", 8.0),
        ("pi", math.pi),
        ("1 / 3", 1 / 3),
    ],
)
def test_text_is_parsed(text: str, value: float) -> None:
    assert parse_number(text, "°") == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1,234.5",
        "1,2,3",
        "1/0",
        "9**9**9",
        "(-8)**0.5",
        "nan",
        "inf",
        "__import__('os')",
        "1 2",
        "1e999",
    ],
)
def test_invalid_text_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(NumberTextError, match=r"\.$"):
        parse_number(text)


@given(st.floats(-1e9, 1e9, allow_nan=False), st.sampled_from([0.0, 0.001, 0.5, 1.0, 50.0]))
def test_displayed_text_can_be_typed(value: float, step: float) -> None:
    assert parse_number(exact_text(value, step)) == pytest.approx(value, rel=1e-11, abs=1e-15)


def test_numbers_have_significant_digits() -> None:
    assert exact_text(40.0, 0.5) == "40.0"
    assert exact_text(40.25, 0.5) == "40.25"
    assert exact_text(-50.0, 1.0) == "−50"
    assert exact_text(1e-9) == "1e-9"
    assert exact_text(-0.0, 0.1) == "0.0"
    assert nice_step(90) == 0.5
    assert nice_step(1200) == 10
    assert parse_numbers("1 2,5; -3") == (1.0, 2.5, -3.0)


class _Host:
    """A field among others, with its committed values."""

    def __init__(self, qtbot: QtBot, field: NumberField) -> None:
        self.window = QWidget()
        layout = QVBoxLayout(self.window)
        self.field = field
        self.other = QLineEdit()
        layout.addWidget(self.field)
        layout.addWidget(self.other)
        self.committed: list[tuple[object, bool]] = []
        field.committed.connect(lambda value, again: self.committed.append((value, again)))
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)
        self.window.activateWindow()
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        field.selectAll()
        self._qtbot = qtbot

    def type(self, text: str, key: Qt.Key | None = Qt.Key.Key_Return) -> None:
        self.field.selectAll()
        self._qtbot.keyClicks(self.field, text)
        if key is not None:
            self._qtbot.keyClick(self.field, key)


@pytest.fixture
def amplitude(qtbot: QtBot) -> _Host:
    field = NumberField(field_doc(LateralUndulation, "amplitude_deg"))
    field.set_value(40.0)
    return _Host(qtbot, field)


def test_enter_commits(amplitude: _Host) -> None:
    amplitude.type("60/2")
    assert amplitude.committed == [(30.0, False)]
    assert amplitude.field.text() == "30.0"


def test_escape_restores(amplitude: _Host) -> None:
    amplitude.type("77", Qt.Key.Key_Escape)
    assert amplitude.committed == []
    assert amplitude.field.text() == "40.0"


def test_leaving_commits(amplitude: _Host, qtbot: QtBot) -> None:
    amplitude.type("12,5", None)
    amplitude.other.setFocus()
    qtbot.waitUntil(lambda: amplitude.committed == [(12.5, False)])


def test_value_out_of_range_is_reported_and_not_set(amplitude: _Host, qtbot: QtBot) -> None:
    amplitude.type("181")
    assert amplitude.committed == []
    assert all(part in amplitude.field.problem for part in ("Amplitude", "180 °", "181"))
    assert amplitude.field.value == 40.0
    amplitude.type("-181")
    assert "at least −180" in amplitude.field.problem
    amplitude.other.setFocus()
    qtbot.waitUntil(lambda: amplitude.field.text() == "40.0")
    amplitude.field.setFocus()
    amplitude.type("50")
    assert amplitude.field.problem == ""
    assert amplitude.committed == [(50.0, False)]


def test_nonsense_is_reported(amplitude: _Host) -> None:
    amplitude.type("much")
    assert "number" in amplitude.field.problem
    assert amplitude.committed == []


def test_arrows_step_onto_the_grid(amplitude: _Host, qtbot: QtBot) -> None:
    amplitude.field.set_value(40.3)
    qtbot.keyClick(amplitude.field, Qt.Key.Key_Up)
    qtbot.keyClick(amplitude.field, Qt.Key.Key_Up)
    qtbot.keyClick(amplitude.field, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert [value for value, _ in amplitude.committed] == [40.5, 41.0, 40.0]


def test_steps_stop_at_the_limit(amplitude: _Host, qtbot: QtBot) -> None:
    amplitude.field.set_value(180.0)
    qtbot.keyClick(amplitude.field, Qt.Key.Key_Up)
    assert amplitude.committed == []


def test_refusal_of_a_listener_is_shown(amplitude: _Host) -> None:
    amplitude.field.committed.connect(
        lambda value, again: amplitude.field.refuse("That contradicts the step.")
    )
    amplitude.type("50")
    assert amplitude.field.problem == "That contradicts the step."
    assert amplitude.field.value == 40.0


def test_new_value_does_not_interrupt_typing(amplitude: _Host, qtbot: QtBot) -> None:
    amplitude.type("12", None)
    amplitude.field.set_value(41.0)
    assert amplitude.field.text() == "12"
    qtbot.keyClick(amplitude.field, Qt.Key.Key_Escape)
    assert amplitude.field.text() == "41.0"


def test_integer_field_refuses_fractions(qtbot: QtBot) -> None:
    host = _Host(qtbot, NumberField(field_doc(Solver, "max_iterations"), integer=True))
    host.type("2.5")
    assert "whole number" in host.field.problem
    host.type("250")
    assert host.committed == [(250, False)]
    assert isinstance(host.committed[0][0], int)


def test_empty_means_none_if_allowed(qtbot: QtBot) -> None:
    host = _Host(qtbot, NumberField(field_doc(Robot, "joint_limit_deg"), optional=True))
    host.type("60")
    host.field.selectAll()
    qtbot.keyClick(host.field, Qt.Key.Key_Delete)
    qtbot.keyClick(host.field, Qt.Key.Key_Return)
    assert host.committed == [(60.0, False), (None, False)]


def test_exclusive_limit_is_stated(qtbot: QtBot) -> None:
    host = _Host(qtbot, NumberField(field_doc(Cylinder, "radius_m")))
    host.type("0")
    assert host.field.problem.startswith("Radius ")
    assert "0 m" in host.field.problem
