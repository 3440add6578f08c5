"""Forms from declared fields: rows, conditions, mistakes, defaults and settings follow from the declarations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtGui import QContextMenuEvent, QFocusEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, Note, fields_of, form_field
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.model.edits.arrays import ArrayPlan
from tests.gui.pages.hands import type_into

pytestmark = pytest.mark.gui

W = TypeVar("W", bound=QWidget)

SIZES = (Choice((1280, 720), "720p"), Choice((1920, 1080), "1080p", "Twice the pixels"))


@dataclass(frozen=True)
class Camera:
    name: str = form_field("left", "&Name", help="Of the camera", max_length=8)
    size: tuple[int, int] = form_field((1280, 720), "&Size", choices=SIZES, stored=True)
    finer: bool = form_field(False, "", place="beside", text="&Finer lines")
    codec: str = form_field("h264", "&Codec", choices=lambda camera: codecs(camera.name))
    fires: bool = form_field(False, "Fire", text="Fire the &flash", stored=True)
    delay_s: float = form_field(
        0.5,
        "&Delay",
        unit="s",
        minimum=0.0,
        maximum=9.0,
        visible_if=lambda camera: camera.fires,
        stored=True,
    )
    limit_s: float = form_field(
        0.0,
        "&Limit",
        unit="s",
        minimum=0.0,
        optional=True,
        empty=0.0,
        refusal="Give seconds, or nothing.",
    )
    port: int = form_field(
        5005,
        "&Port",
        minimum=1,
        maximum=65535,
        integer=True,
        plain=True,
        width=80,
        enabled=lambda camera: camera.fires,
    )
    serial: str = ""
    """Not part of the form."""


def codecs(name: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(each, each.upper()) for each in (("h264", "av1") if name != "old" else ("mjpeg",))
    )


def check(camera: Camera) -> dict[str, str]:
    return {"name": "" if camera.name else "Give the camera a name."}


def editor(form: DeclaredForm[Camera], kind: type[W], name: str) -> W:
    widget = form.findChild(kind, name)
    assert widget is not None
    return widget


@pytest.fixture
def form(qtbot: QtBot) -> DeclaredForm[Camera]:
    form = DeclaredForm(Camera(serial="7"), check=check)
    qtbot.addWidget(form)
    form.show()
    return form


def retype(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    if text:
        type_into(field, text, enter=False)
    else:
        field.selectAll()
        qtbot.keyClick(field, Qt.Key.Key_Delete)


def leave(field: QWidget) -> None:
    """Move the keyboard focus away from a field, in whichever window it is."""
    QApplication.sendEvent(field, QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.TabFocusReason))


@contextmanager
def opened_menu(widget: QWidget) -> Iterator[QMenu]:
    """Open the context menu of a widget, as the right mouse button does."""
    middle = widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, widget.mapToGlobal(middle))
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    yield menu
    menu.close()


def texts(menu: QMenu) -> list[str]:
    return [plain(action.text()) for action in menu.actions()]


def test_rows_show_values_and_return_them(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    assert form.values == Camera(serial="7")
    retype(qtbot, editor(form, QLineEdit, "name"), "a camera with a long name")
    editor(form, QComboBox, "size").setCurrentText("1080p")
    editor(form, QCheckBox, "finer").click()
    assert form.values == Camera("a camera", (1920, 1080), True, serial="7")
    assert form.touched == {"name", "size", "finer"}
    form.set_values(Camera("b", fires=True, delay_s=0.123456789))
    assert form.values == Camera("b", fires=True, delay_s=0.123456789)


def test_conditions_follow_the_values(form: DeclaredForm[Camera]) -> None:
    delay = editor(form, NumberField, "delay_s")
    port = editor(form, NumberField, "port")
    assert not delay.isVisible()
    assert not port.isEnabled()
    editor(form, QCheckBox, "fires").click()
    assert delay.isVisible()
    assert port.isEnabled()
    codec = editor(form, QComboBox, "codec")
    codec.setCurrentText("AV1")
    editor(form, QLineEdit, "name").setText("old")
    assert [codec.itemText(row) for row in range(codec.count())] == ["MJPEG"]
    assert form.values.codec == "mjpeg"


def test_mistakes_are_shown_while_they_are_typed(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    editor(form, QCheckBox, "fires").click()
    delay = editor(form, NumberField, "delay_s")
    retype(qtbot, delay, "12")
    assert "at most 9 s" in form.message.text()
    assert form.message.isVisible()
    assert delay.accessibleDescription() == form.message.text()
    assert (form.values.delay_s, form.commit()) == (1.0, False)  # 1 was valid
    leave(delay)
    assert delay.text() == "12"  # the message is about this text
    retype(qtbot, delay, "300 ms")
    assert (form.values.delay_s, form.problem) == (0.3, "")
    limit = editor(form, NumberField, "limit_s")
    retype(qtbot, limit, "soon")
    assert form.problem == "Give seconds, or nothing."
    editor(form, QLineEdit, "name").setText(" ")
    assert form.problem == "Give the camera a name."  # the first row first
    editor(form, QLineEdit, "name").setText("x")
    retype(qtbot, limit, "")
    assert (form.problem, form.values.limit_s) == ("", 0.0)
    retype(qtbot, limit, "3")
    qtbot.keyClicks(limit, "\b*2")
    assert form.problem


def test_hidden_fields_are_not_checked(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    fires = editor(form, QCheckBox, "fires")
    fires.click()
    retype(qtbot, editor(form, NumberField, "port"), "70000")
    assert "65535" in form.problem
    fires.click()
    assert form.problem == ""
    assert form.commit()


def test_menu_resets_a_field_to_its_initial_value(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    form.set_values(Camera("b", (1920, 1080), True, fires=True, limit_s=4.0))
    with opened_menu(editor(form, QComboBox, "size")) as menu:
        assert texts(menu) == ["Reset to 720p"]
        menu.actions()[0].trigger()
    assert form.values == Camera("b", (1280, 720), True, fires=True, limit_s=4.0)
    form.set_first(limit_s=2.0)
    form.reset("limit_s")
    assert form.values.limit_s == 2.0


def test_menu_of_a_text_has_edits_and_reset(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    name = editor(form, QLineEdit, "name")
    with opened_menu(name) as menu:
        assert texts(menu)[-1] == "Reset to left"
        assert not menu.actions()[-1].isEnabled(), "it is unchanged"
        assert any("Paste" in text for text in texts(menu))
    retype(qtbot, name, "right")
    (caption,) = (each for each in form.findChildren(QLabel) if each.buddy() is name)
    with opened_menu(caption) as menu:
        assert texts(menu) == ["Reset to left"]
        menu.actions()[0].trigger()
    assert form.values.name == "left"


def test_each_field_is_a_row_of_its_own(form: DeclaredForm[Camera]) -> None:
    assert set(form.rows) == set(form.editors)
    for name, row in form.rows.items():
        assert row.isAncestorOf(form.widget_of(name))
        assert form.widget_of(name).toolTip() == form.fields[name].help
    form.set_first(limit_s=2.0)
    form.rows["limit_s"].reset()
    assert form.values.limit_s == 2.0


def test_initial_value_of_dependent_choices_is_kept(qtbot: QtBot) -> None:
    form = DeclaredForm(Camera(codec="av1"))
    qtbot.addWidget(form)
    assert form.values.codec == "av1"


def test_stored_fields_outlive_the_form(qtbot: QtBot, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "x.ini"), QSettings.Format.IniFormat)
    first = DeclaredForm(Camera(), settings=settings, group="camera")
    qtbot.addWidget(first)
    first.set_values(Camera("b", (1920, 1080), fires=True, delay_s=2.0))
    first.save()
    settings.sync()
    again = DeclaredForm(Camera(), settings=settings, group="camera")
    qtbot.addWidget(again)
    assert again.values == Camera(size=(1920, 1080), fires=True, delay_s=2.0)
    settings.setValue("camera/delay_s", "soon")
    settings.setValue("camera/size", "huge")
    spoilt = DeclaredForm(Camera(), settings=settings, group="camera")
    qtbot.addWidget(spoilt)
    assert spoilt.values == Camera(fires=True)


def test_tab_follows_the_declaration(form: DeclaredForm[Camera], qtbot: QtBot) -> None:
    editor(form, QCheckBox, "fires").click()
    form.activateWindow()
    editor(form, QLineEdit, "name").setFocus()
    order = []
    for _ in form.editors:
        order.append(form.focusWidget().objectName())
        qtbot.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
    assert order == list(form.editors)


def test_part_of_the_scene_gives_a_form(qtbot: QtBot) -> None:
    form = DeclaredForm(ArrayPlan())
    qtbot.addWidget(form)
    assert list(form.editors) == list(ArrayPlan.model_fields) == list(fields_of(ArrayPlan()))
    rows = form.widget("rows", NumberField)
    rows.setText("3")
    assert form.values == ArrayPlan(rows=3)
    rows.setText("2.5")
    assert "whole number" in form.problem


def test_notes_are_rows_only_with_a_text(qtbot: QtBot) -> None:
    fields = {"caution": Note("warning"), **fields_of(Camera())}
    form = DeclaredForm(Camera(), fields)
    qtbot.addWidget(form)
    form.show()
    assert not form.notes["caution"].isVisible()
    form.show_note("caution", "Everybody can listen.")
    assert form.notes["caution"].isVisible()


def test_enter_in_a_number_presses_default_button(qtbot: QtBot) -> None:
    dialog = Dialog(title="Camera", note="Of the camera.")
    form = DeclaredForm(Camera(fires=True), parent=dialog)
    buttons, accept = dialog.make_buttons("&Use")
    dialog.arrange(form, buttons)
    qtbot.addWidget(dialog)
    dialog.show()
    assert accept.isDefault()
    delay = form.widget("delay_s", NumberField)
    retype(qtbot, delay, "2")
    with qtbot.waitSignal(dialog.accepted):
        qtbot.keyClick(delay, Qt.Key.Key_Return)
    assert form.values.delay_s == 2.0


def test_fields_that_are_not_live_apply_on_leave(qtbot: QtBot) -> None:
    fields = {name: replace(field, live=False) for name, field in fields_of(ArrayPlan()).items()}
    form = DeclaredForm(ArrayPlan(), fields)
    qtbot.addWidget(form)
    form.show()
    edits: list[ArrayPlan] = []
    form.changed.connect(lambda: edits.append(form.values))
    rows = form.widget("rows", NumberField)
    retype(qtbot, rows, "12")
    assert edits == []
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert edits == [ArrayPlan(rows=12)]
    retype(qtbot, rows, "0")
    leave(rows)
    assert (rows.text(), form.values.rows) == ("12", 12)
    assert "at least 1" in form.message.text()


def test_overflow_is_reported(qtbot: QtBot) -> None:
    form = DeclaredForm(ArrayPlan())
    qtbot.addWidget(form)
    form.show()
    rows = form.widget("rows", NumberField)
    for text in ("*1e308", "/1e-320"):
        retype(qtbot, rows, text)
        assert form.problem.endswith("finite number."), text
        qtbot.keyClick(rows, Qt.Key.Key_Return)
        assert form.values == ArrayPlan()
