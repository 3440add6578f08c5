"""Fields with arrows look like the other fields."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.boxes import DoubleSpinBox, SpinBox
from snakestudio.gui.shell.main_window import MainWindow

pytestmark = pytest.mark.gui

_FRAME = 2
"""Frame width in pixels."""


def first_ink(widget: QWidget) -> int:
    """Return the first column inside the frame that differs from the field's background."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(
        image.height(), image.bytesPerLine()
    )
    inside = (
        pixels[8:-8, : 4 * image.width()]
        .reshape(image.height() - 16, image.width(), 4)[..., :3]
        .astype(int)
    )
    differs = np.abs(inside - inside[:, _FRAME + 1 : _FRAME + 2]).max(axis=(0, 2)) > 60
    return int(np.argmax(differs[_FRAME:])) + _FRAME


def test_text_is_aligned_with_other_fields(window: MainWindow, qtbot: QtBot) -> None:
    holder = QWidget(window)  # the window's style
    line = QLineEdit("88", holder)
    whole = SpinBox(holder)
    real = DoubleSpinBox(holder)
    whole.setRange(0, 88)
    whole.setValue(88)
    real.setRange(0.0, 88.88)
    real.setValue(88.88)
    layout = QVBoxLayout(holder)
    for field in (line, whole, real):
        layout.addWidget(field)
    holder.resize(200, 150)
    holder.show()
    qtbot.waitUntil(lambda: real.height() > 0)
    found = [first_ink(field) for field in (line, whole, real)]
    assert found == pytest.approx([found[0]] * 3, abs=1)
    assert found[0] > 4


def test_longest_number_is_not_clipped(window: MainWindow, qtbot: QtBot) -> None:
    holder = QWidget(window)
    whole = SpinBox(holder)
    real = DoubleSpinBox(holder)
    whole.setRange(-888_888, 888_888)
    real.setRange(-8888.88, 8888.88)
    whole.setSuffix(" bytes")
    real.setSuffix(" %/s")
    for box in (whole, real):
        box.setValue(box.minimum())  # type: ignore[arg-type]
        box.ensurePolished()
        box.resize(box.sizeHint())
        box.show()
    holder.show()
    qtbot.waitUntil(lambda: real.isVisible())
    for box in (whole, real):
        edit = box.lineEdit()
        text = edit.fontMetrics().horizontalAdvance(edit.text())
        assert edit.width() - edit.textMargins().left() - 2 >= text, (edit.width(), text)


def test_number_without_arrows_uses_the_full_width(window: MainWindow, qtbot: QtBot) -> None:
    holder = QWidget(window)
    whole = SpinBox(holder)
    real = DoubleSpinBox(holder)
    layout = QVBoxLayout(holder)
    for box in (whole, real):
        box.setButtonSymbols(box.ButtonSymbols.NoButtons)
        layout.addWidget(box)
    holder.resize(200, 100)
    holder.show()
    qtbot.waitUntil(lambda: real.isVisible())
    for box in (whole, real):
        assert box.lineEdit().width() > 0.8 * box.width()
