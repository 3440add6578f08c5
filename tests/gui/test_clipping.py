"""No content is clipped: every panel at its narrowest, every dialog at its initial size, at usual scales."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from pyvirtualdisplay.display import Display

from snakestudio.gui.app import features
from snakestudio.gui.core.feature import docks_of
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.elided_button import ElidedButton
from snakestudio.gui.forms.sections import scrolled
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.clipping import clipped
from tests.gui.furnished import clipped_dialog, clipped_panels, connect, dialogs, furnish

pytestmark = pytest.mark.gui

_SCALE = "QT_SCALE_FACTOR"
_SIZES = ((1280, 800),) if os.environ.get(_SCALE) else ((1280, 800), (1366, 768), (1600, 1000))
_SMALL = 1280, 740
"""Largest size of a dialog on a small screen."""
_OF_THE_ROBOT = "teleop", "robot", "robot_data"


def test_panels_and_dialogs_are_not_clipped(
    ready: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    furnish(ready, qtbot.waitUntil, tmp_path)
    clipped_texts: list[str] = []
    for name, make in dialogs(ready, tmp_path).items():
        dialog = make()
        clipped_texts += [f"{name}: {line}" for line in clipped_dialog(dialog)]
        least = dialog.minimumSizeHint()
        if least.width() > _SMALL[0] or least.height() > _SMALL[1]:
            clipped_texts.append(
                f"{name}: larger than a small screen, {least.width()} x {least.height()}"
            )
        dialog.hide()
        dialog.deleteLater()
    names = [spec.name for spec in docks_of(features())]
    selections = [("obstacle", 2)], [("link", 3)], [("ground", 0)], []
    for size in _SIZES:
        ready.resize(*size)
        qtbot.waitUntil(lambda size=size: (ready.width(), ready.height()) == size)
        clipped_texts += [f"{size}: {line}" for line in clipped_panels(ready, names)]
        for items in selections:
            ready.context.selection.set(items)
            clipped_texts += [
                f"{size}, {items}: {line}" for line in clipped_panels(ready, ["inspector"])
            ]
    connect(ready)
    try:
        for size in _SIZES:
            ready.resize(*size)
            qtbot.waitUntil(lambda size=size: (ready.width(), ready.height()) == size)
            clipped_texts += [
                f"{size}, robot: {line}" for line in clipped_panels(ready, _OF_THE_ROBOT)
            ]
    finally:
        ready.context.robot_controller.disconnect_robot()
    assert not clipped_texts, "\n".join(clipped_texts)


def test_nothing_is_clipped_at_twice_the_scale() -> None:
    with Display(visible=False, size=(2560, 1600), manage_global_env=False) as display:
        environment = {**os.environ, **display.env(), _SCALE: "2"}
        test = f"{__file__}::{test_panels_and_dialogs_are_not_clipped.__name__}"
        command = [sys.executable, "-m", "pytest", "-q", "--no-xvfb", test]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


# --- the check itself -----------------------------------------------------------------------------


def holder(qtbot: QtBot, *parts: QWidget, width: int = 100) -> QWidget:
    widget = QWidget()
    column = QVBoxLayout(widget)
    column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
    for part in parts:
        column.addWidget(part)
    qtbot.addWidget(widget)
    widget.resize(width, 200)
    widget.show()
    QApplication.processEvents()
    return widget


def test_text_that_does_not_fit_is_detected(qtbot: QtBot) -> None:
    text = "a text of more than one hundred pixels"
    for part in (QLabel(text), QPushButton(text)):
        outer = holder(qtbot, part)
        assert clipped(outer)
    wrapped = QLabel(text)
    wrapped.setWordWrap(True)
    outer = holder(qtbot, wrapped)
    assert clipped(outer) == []
    outer.resize(100, 40)
    QApplication.processEvents()
    assert clipped(outer)


def test_child_outside_its_parent_is_detected(qtbot: QtBot) -> None:
    outer = holder(qtbot)
    inner = QLabel("beside", outer)
    inner.adjustSize()
    inner.move(80, 10)
    inner.show()
    assert any("leaves" in line for line in clipped(outer))
    inner.move(10, 10)
    assert clipped(outer) == []


def test_texts_that_their_widgets_shorten_are_in_tooltips(qtbot: QtBot) -> None:
    box = narrow(ChoiceBox())
    button = ElidedButton()
    box.addItem("a choice of very many words")
    box.setToolTip("What to choose")
    button.setText("a button of very many words")
    outer = holder(qtbot, box, button, width=140)
    assert clipped(outer) == []
    assert box.toolTip() == "a choice of very many words\n\nWhat to choose"
    box.addItem("short")
    box.setCurrentIndex(1)
    assert box.toolTip() == "What to choose"


def test_scrolling_column_is_as_wide_as_its_content(qtbot: QtBot) -> None:
    label = QLabel("a line without any breaks")
    content = QWidget()
    QVBoxLayout(content).addWidget(label)
    area = scrolled(content)
    assert area.minimumSizeHint().width() > content.minimumSizeHint().width()
    outer = QWidget()
    QVBoxLayout(outer).addWidget(area)
    qtbot.addWidget(outer)
    outer.show()
    outer.resize(1, 100)
    QApplication.processEvents()
    assert clipped(outer) == []
    label.setText("a line without any breaks, and has become longer")
    qtbot.waitUntil(lambda: outer.width() > content.minimumSizeHint().width())
    assert clipped(outer) == []
