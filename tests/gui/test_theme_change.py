"""Switching between dark and light leaves nothing of the other theme, in a window with all panels open."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QRect,
    Qt,
)
from PySide6.QtGui import QBrush, QColor, QIcon, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.channel_library import DerivedChannel
from snakestudio.gui.runs.plausibility_notice import PlausibilityNotice
from snakestudio.gui.runs.run_panel import in_theme
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.viewmodel.plots.content import Content, Curve
from tests.gui.conftest import fill_docks
from tests.gui.fake import FakeSessionController

pytestmark = pytest.mark.gui

DIALOGS = (
    "camera_keys",
    "compare_models",
    "fit",
    "connect_robot",
    "edit_profile",
    "teleop_mapping",
    "derived_channel",
    "first_study_page",
    "wiggle_test",
    "learn_profile",
)
HEX = re.compile(r"#[0-9a-fA-F]{6}")
LEAST_CONTRAST = 2.5
"""The faintest intended text (dim on a card) has 3.7; text in the colour of its background has 1."""


def name_of(widget: QWidget) -> str:
    """Description of a widget with its parents."""
    names = []
    above: QWidget | None = widget
    while above is not None and len(names) < 4:
        names.append(f"{type(above).__name__}({above.objectName() or above.accessibleName()})")
        above = above.parentWidget()
    return " in ".join(names)


def rows_of(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(model.rowCount(parent), 20)):
        for column in range(columns):
            index = model.index(row, column, parent)
            yield index
            if column == 0:
                yield from rows_of(model, index)


def held_by(widget: QWidget) -> Iterator[tuple[str, object]]:
    """Colours and images stored in a widget, which must change with the theme."""
    if HEX.search(widget.styleSheet()):
        yield "style sheet", widget.styleSheet()
    if isinstance(widget, QLabel) and HEX.search(widget.text()):
        yield "text", widget.text()
    # Qt draws these
    own = isinstance(widget.parentWidget(), QLineEdit) or widget.objectName().startswith("qt_")
    if isinstance(widget, QAbstractButton) and not own and not widget.icon().isNull():
        yield f"icon of {widget.toolTip() or widget.text()}", widget.icon().cacheKey()
    for action in widget.actions():
        if not action.icon().isNull() and action.text():
            yield f"icon of {action.text()}", action.icon().cacheKey()
    if (
        isinstance(widget, QAbstractItemView)
        and not isinstance(widget, QHeaderView)
        and widget.model() is not None
    ):
        roles = (
            Qt.ItemDataRole.ForegroundRole,
            Qt.ItemDataRole.BackgroundRole,
            Qt.ItemDataRole.DecorationRole,
        )
        for index in rows_of(widget.model(), QModelIndex()):
            for role in roles:
                value = index.data(role)
                where = f"{role.name} of {index.data()} ({index.row()}, {index.column()})"
                if isinstance(value, QBrush | QColor):
                    yield where, value.color().name() if isinstance(value, QBrush) else value.name()
                elif isinstance(value, QIcon) and not value.isNull():
                    yield where, value.cacheKey()


def held() -> dict[tuple[QWidget, str], object]:
    return {
        (widget, what): value
        for widget in QApplication.allWidgets()
        for what, value in held_by(widget)
    }


def text_rect(widget: QWidget) -> QRect | None:
    """Area of the text of a visible widget, in its coordinates; None without text."""
    if (
        not widget.isVisible()
        or not widget.isEnabled()
        or widget.visibleRegion().boundingRect() != widget.rect()
    ):
        return None
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        rect = widget.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, part, widget
        )
        return (
            rect.adjusted(3, 3, -3, -3)
            if widget.currentText() or widget.placeholderText()
            else None
        )
    if isinstance(widget, QLineEdit | QLabel | QAbstractButton) and widget.text().strip():
        return widget.contentsRect().adjusted(3, 3, -3, -3)
    return None


def contrast(pixels: np.ndarray) -> float:
    """Contrast ratio of the lightest to the darkest of pixels (..., 4), of which the first three are B, G, R."""
    known = np.unique(np.ascontiguousarray(pixels).view(np.uint32))
    colours = known.view(np.uint8).reshape(-1, 4)[:, 2::-1] / 255.0
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722) + 0.05
    return float(luminance.max() / luminance.min())


def unreadable(window: QWidget) -> set[str]:
    """Texts of a window with too little contrast to their background."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.bits(), np.uint8).reshape(image.height(), image.width(), 4)
    viewport = window.findChild(Viewport)
    wrong = set()
    for widget in window.findChildren(QWidget):
        rect = text_rect(widget)
        if (
            rect is None
            or widget.window() is not window
            or (viewport is not None and viewport.isAncestorOf(widget))
        ):
            continue
        area = QRect(widget.mapTo(window, rect.topLeft()), rect.size()).intersected(image.rect())
        part = pixels[area.top() : area.bottom(), area.left() : area.right()]
        if part.size and min(part.shape[:2]) > 4 and contrast(part) < LEAST_CONTRAST:
            wrong.add(name_of(widget))
    return wrong


@pytest.fixture
def dark_again(qapp: QApplication) -> Iterator[None]:
    """Restore the theme of all other tests after the window is closed: with a window it takes seconds."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.apply(qapp, "dark")


def test_theme_change_leaves_nothing_of_the_old_theme(
    dark_again: None, window: MainWindow, qtbot: QtBot
) -> None:
    c = window.context
    fill_docks(window)
    c.channel_library.put(DerivedChannel("double_x", "2 * com_x_m", "m"))
    c.plot_docks.new_panel([Content("time", curves=(Curve("double_x"),))])
    c.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    for name in DIALOGS:
        c.action_registry[name].trigger()
    qtbot.wait(50)
    before = held()
    assert len(before) > 500
    c.toggle_theme()
    qtbot.wait(50)
    after = held()
    assert [
        (name_of(widget), what, value)
        for (widget, what), value in before.items()
        if after.get((widget, what)) == value
    ] == []
    for dialog in QApplication.topLevelWidgets():
        if dialog.isVisible() and dialog is not window:
            assert unreadable(dialog) == set()
    for name in c.docks.all:
        c.docks.show(name)
        qtbot.waitUntil(lambda: not unreadable(window))  # plots are drawn in separate turns


def test_reapplying_theme_does_not_restyle(qapp: QApplication, qtbot: QtBot) -> None:
    changes: list[QEvent.Type] = []

    class Witness(QWidget):
        def changeEvent(self, event: QEvent) -> None:
            changes.append(event.type())

    theme.apply(qapp, "dark")
    witness = Witness()
    qtbot.addWidget(witness)
    witness.show()
    changes.clear()
    theme.apply(qapp, "dark")
    assert QEvent.Type.StyleChange not in changes
    theme.apply(qapp, "light")
    assert QEvent.Type.StyleChange in changes
    theme.apply(qapp, "dark")


@pytest.mark.parametrize(("name", "ground"), [("dark", 0), ("light", 255)])
def test_images_of_runs_have_the_current_theme(qapp: QApplication, name: str, ground: int) -> None:
    try:
        theme.apply(qapp, name)
        for taken in (20, 235):
            picture = QImage(30, 20, QImage.Format.Format_RGB32)
            picture.fill(QColor(taken, taken, taken))
            picture.setPixelColor(15, 10, QColor(40, 160, 90))
            image = in_theme(picture)
            assert abs(image.pixelColor(0, 0).green() - ground) < 40
            assert abs(image.pixelColor(15, 10).hue() - QColor(40, 160, 90).hue()) <= 2, (
                "colours keep their hue"
            )
    finally:
        theme.apply(qapp, "dark")


def test_warnings_in_the_status_bar_have_the_colour_of_warnings(
    qtbot: QtBot, qapp: QApplication, session_controller: FakeSessionController
) -> None:
    recording = session_controller.recording
    assert recording is not None
    fling = Violation("fling", "fling", 0.1, 5.0, 1.0, "It leaves.", "Limit the motors.")
    recording.set_plausibility(Plausibility((fling,), ("fling",)))
    notice = PlausibilityNotice(session_controller, lambda time: None)  # type: ignore[arg-type]
    qtbot.addWidget(notice)
    try:
        for name in ("light", "dark"):
            theme.apply(qapp, name)
            notice.ensurePolished()
            assert notice.palette().color(notice.foregroundRole()) == theme.colour("warning")
    finally:
        theme.apply(qapp, "dark")


def test_entries_of_a_modified_preset_have_the_colour_of_text(
    qtbot: QtBot, qapp: QApplication, panels: ParameterPanels, document: Document
) -> None:
    document.set_value("gait.amplitude_deg", 12.0, "x")
    box = panels.gait.presets
    assert box.property("role") == "changed"
    for name in ("light", "dark"):
        theme.apply(qapp, name)
        box.showPopup()
        colours = {
            box.itemData(k, Qt.ItemDataRole.ForegroundRole).name() for k in range(box.count())
        }
        assert colours <= {theme.colour("text").name(), theme.colour("dim").name()}
        assert theme.colour("text").name() in colours
        assert box.palette().color(box.foregroundRole()) == theme.colour("text")
        box.hidePopup()
    assert box.palette().color(box.foregroundRole()) == theme.colour("accent")
