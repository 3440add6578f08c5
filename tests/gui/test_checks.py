"""Buttons of the problems: they fix a problem in one undo step, without changing the selection."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from snakestudio.errors import Fix, Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.checks import Checks
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.conftest import fill_docks
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.parts import label

LONG_STEP = Problem(
    "warning",
    "solver.step_s",
    "0.005 s is too long",
    "at most 0.0004 s",
    fixes=(
        Fix("Set the time step to 0.2 ms", (("solver.step_s", 0.0002),)),
        Fix("Softer joints", (("joint_controller.kp_nm_per_rad", 5.0),)),
    ),
)


@pytest.fixture
def checks(
    qtbot: QtBot,
    document: Document,
    session_controller: FakeSessionController,
    selection: Selection,
) -> Checks:
    panel = Checks(document, session_controller, selection)  # type: ignore[arg-type]
    selection.setParent(panel)
    show_widget(qtbot, panel, 300, 300)
    session_controller.set_status(problems=(LONG_STEP,))
    return panel


def button(checks: Checks, row: int, number: int) -> QPoint:
    """Centre of a button, in the list's viewport."""
    index = checks.list.model().index(row, 0)
    rect = checks.list.visualRect(index)
    boxes = checks.delegate.buttons(index, rect, checks.list.fontMetrics())
    assert all(rect.contains(box) for box, _ in boxes), "the entry is high enough for its buttons"
    return boxes[number][0].center()


def test_button_fixes_in_one_step(
    qtbot: QtBot, checks: Checks, document: Document, selection: Selection
) -> None:
    before = document.scene
    selected = selection.items
    for number, key in enumerate(("solver.step_s", "joint_controller.kp_nm_per_rad")):
        position = button(checks, 0, number)
        qtbot.mouseMove(checks.list.viewport(), position)
        qtbot.mouseClick(checks.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
        part, _, name = key.partition(".")
        assert (
            getattr(getattr(document.scene, part), name)
            == dict(LONG_STEP.fixes[number].values)[key]
        )
        assert document.undo_stack.undoText() == f"Fix: {LONG_STEP.fixes[number].label.lower()}"
        document.undo_stack.undo()
        assert document.scene == before
    assert selection.items == selected, "a fix does not select"


def test_click_next_to_the_buttons_selects_the_object(
    qtbot: QtBot, checks: Checks, document: Document, selection: Selection
) -> None:
    before = document.scene
    rect = checks.list.visualRect(checks.list.model().index(0, 0))
    with qtbot.waitSignal(checks.problem_activated) as signal:
        position = rect.topLeft() + QPoint(60, 10)
        qtbot.mouseMove(checks.list.viewport(), position)
        qtbot.mouseClick(checks.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert signal.args == [LONG_STEP]
    assert selection.items == {("run", 0)}
    assert document.scene is before


def test_menu_has_all_actions(checks: Checks, document: Document) -> None:
    menu = checks.menu(checks.list.model().index(0, 0))
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Go to Object", "Set the time step to 0.2 ms", "Softer joints"]
    menu.actions()[1].trigger()
    assert document.scene.solver.step_s == 0.0002
    menu.deleteLater()


def test_outdated_fix_is_reported_and_changes_nothing(
    qtbot: QtBot, checks: Checks, document: Document, session_controller: FakeSessionController
) -> None:
    outdated = Problem(
        "hint",
        "",
        "an obstacle is hidden",
        "",
        fixes=(Fix("Show it", (("obstacles[99].hidden", False),)),),
    )
    session_controller.set_status(problems=(outdated,))
    before = document.scene
    qtbot.mouseClick(checks.list.viewport(), Qt.MouseButton.LeftButton, pos=button(checks, 0, 0))
    assert document.scene is before
    assert "obstacles[99]" in label(checks, "message").text()
    session_controller.set_status(problems=())
    assert not label(checks, "message").isVisible()


def test_problem_has_space_for_text_and_buttons(qtbot: QtBot, checks: Checks) -> None:
    checks.resize(theme.scaled(240), 60)
    qtbot.waitUntil(lambda: checks.height() >= checks.minimumSizeHint().height() > 60)
    rect = checks.list.visualRect(checks.list.model().index(0, 0))
    assert checks.list.viewport().rect().contains(rect)
    for box, _ in checks.delegate.buttons(
        checks.list.model().index(0, 0), rect, checks.list.fontMetrics()
    ):
        assert checks.list.viewport().rect().contains(box)


def test_notice_fixes_and_shows_the_problem(window: MainWindow, qtbot: QtBot) -> None:
    c = window.context
    fill_docks(window)
    window.resize(1366, 768)
    c.obstacles.add("stairs")
    qtbot.waitUntil(lambda: "Stairs 1" in c.banners.run.text)
    assert "model.kind" not in c.banners.run.text
    names = [button.text() for button in NoticePage(c.banners.run).buttons]
    assert names[-1] == "Show Checks"
    assert len(names) == 2
    c.docks["checks"].hide()
    qtbot.mouseClick(NoticePage(c.banners.run).buttons[-1], Qt.MouseButton.LeftButton)
    checks = c.docks["checks"].widget()
    assert isinstance(checks, Checks)
    index = checks.list.model().index(0, 0)

    def seen() -> bool:
        rect = checks.list.visualRect(index)
        return (
            checks.isVisible()
            and checks.list.viewport().rect().contains(rect)
            and checks.list.currentIndex() == index
        )

    qtbot.waitUntil(seen)
    assert "model.kind" not in index.data()
    qtbot.mouseClick(NoticePage(c.banners.run).buttons[0], Qt.MouseButton.LeftButton)
    assert c.document.scene.model.kind == "spatial_nonsmooth"
    assert c.document.undo_stack.undoText().startswith("Fix: ")


@pytest.mark.parametrize("name", ["dark", "light"])
def test_buttons_are_drawn_where_they_are_clicked(checks: Checks, name: str, qapp) -> None:
    theme.apply(qapp, name)
    index = checks.list.model().index(0, 0)
    rect = QRect(0, 0, 280, checks.delegate.sizeHint(QStyleOptionViewItem(), index).height())
    image = QImage(rect.size(), QImage.Format.Format_RGB32)
    image.fill(theme.colour("panel"))
    option = QStyleOptionViewItem()
    option.rect = rect
    option.state = QStyle.StateFlag.State_Enabled
    painter = QPainter(image)
    checks.delegate.paint(painter, option, index)
    painter.end()
    accent = theme.colour("accent")
    for box, _ in checks.delegate.buttons(index, rect, option.fontMetrics):
        edge = [image.pixelColor(x, box.center().y()) for x in (box.left(), box.left() + 1)]
        near = min(
            sum(abs(a - b) for a, b in zip(c.getRgb()[:3], accent.getRgb()[:3], strict=True))
            for c in edge
        )
        assert near < 120
    theme.apply(qapp, "dark")


def test_long_fix_fits_into_a_narrow_panel(
    qtbot: QtBot, checks: Checks, session_controller: FakeSessionController
) -> None:
    label = (
        "Choose the model in space, which climbs stairs and ramps, and let the links fall on them"
    )
    fixes = (Fix("Remove it", ()), Fix(label, ()), Fix("Mirror", ()))
    session_controller.set_status(
        problems=(Problem("error", "", "obstacle 3 is a ramp", "remove it", fixes=fixes),)
    )
    index = checks.list.model().index(0, 0)
    delegate = checks.delegate
    for width in (150, 220, 280):
        checks.resize(width, 500)
        qtbot.waitUntil(lambda width=width: checks.list.viewport().width() < width)
        rect = checks.list.visualRect(index)
        metrics = checks.list.fontMetrics()
        boxes = delegate.buttons(index, rect, metrics)
        for box, fix in boxes:
            assert rect.contains(box), "no part of a button is clipped"
            arguments = metrics.boundingRect(
                box.adjusted(9, 3, -9, -3), Qt.TextFlag.TextWordWrap, fix.label
            )
            assert arguments.width() <= box.width() - 12
            assert arguments.height() <= box.height() - 4, "and all its words are readable"
        assert not any(a.intersects(b) for (a, _), (b, _) in itertools.combinations(boxes, 2))


def fill(window: MainWindow, qtbot: QtBot) -> None:
    fill_docks(window)
    qtbot.waitUntil(lambda: isinstance(window.context.docks["checks"].widget(), Checks))


def test_problems_lead_to_the_object_and_the_field(window: MainWindow, qtbot: QtBot) -> None:
    fill(window, qtbot)
    checks = window.context.docks["checks"].widget()
    assert isinstance(checks, Checks)
    viewport = window.context.viewport
    viewport.frame_all(at_once=True)
    window.context.selection.set([("obstacle", 6)])
    checks.problem_activated.emit(Problem("hint", "obstacles[7]", "far away", "", (6,)))
    viewport.navigator.finish()
    obstacle = window.context.document.scene.obstacles[6]
    assert viewport.navigator.camera.target[:2] == pytest.approx(
        (obstacle.x_m, obstacle.y_m), abs=0.01
    )

    panels = window.context.docks["parameters"].widget()
    inspector = window.context.docks["inspector"].widget()
    assert isinstance(panels, ParameterPanels)
    assert isinstance(inspector, Inspector)
    checks.problem_activated.emit(Problem("hint", "ground.mu_across", "slippery", ""))
    assert panels.rows["ground.mu_across"].field.hasFocus()
    window.context.docks["inspector"].hide()
    checks.problem_activated.emit(Problem("warning", "robot.mass_kg", "heavy", ""))
    assert not window.context.docks["inspector"].isHidden()
    (row,) = (row for row in inspector.rows.values() if "robot.mass_kg" in row.binding.keys)
    assert isinstance(row, ValueRow)
    qtbot.waitUntil(row.field.hasFocus)
    # A problem of an unknown object leads nowhere, and the search stays empty.
    checks.problem_activated.emit(Problem("hint", "no.such_key", "what", ""))
    assert inspector.search.text() == ""


def test_edit_waiting_for_the_reset_is_checked(
    checks: Checks, document: Document, session_controller: FakeSessionController
) -> None:
    """While the run continues unchanged, its session has no problem."""
    before = document.scene
    document.set_value("obstacles[1].radius_m", 0.5, "Radius")
    session_controller.set_status(problems=(), pending=("obstacles[1].radius_m",))
    assert "No errors" not in checks.summary.text()
    assert checks.summary.text().endswith("1 edit at reset")
    document.undo_stack.undo()
    assert document.scene == before
    session_controller.set_status(problems=(), pending=())
    assert checks.summary.text() == "No errors"


def test_problem_names_the_obstacle(
    checks: Checks, session_controller: FakeSessionController
) -> None:
    session_controller.set_status(
        problems=(Problem("hint", "obstacles[6]", "2 obstacles are far away", "move them"),)
    )
    assert checks.list.model().index(0, 0).data().startswith("Cylinder 6: 2 obstacles")


def test_hint_is_a_muted_line_until_it_is_followed(
    checks: Checks, document: Document, qtbot: QtBot
) -> None:
    assert checks.advice.isVisible()
    assert checks.advice.property("role") == "dim"
    assert "Largest torque" in checks.advice.text()
    assert checks.summary.text() == "No errors, 1 warning"
    checks.resize(theme.scaled(240), 60)
    needed = checks.advice.heightForWidth(checks.advice.width())
    qtbot.waitUntil(lambda: checks.advice.height() >= needed)
    document.set_value("actuator.max_torque_nm", 7.0, "Largest torque")
    qtbot.waitUntil(lambda: not checks.advice.isVisible())
    document.undo_stack.undo()
    qtbot.waitUntil(checks.advice.isVisible)


def test_button_is_never_wider_than_the_list(
    checks: Checks, session_controller: FakeSessionController
) -> None:
    long = (
        "Take steps that are as short as the stiffest of all joints of this robot would have them"
    )
    session_controller.set_status(
        problems=(replace(LONG_STEP, fixes=(Fix(long, ()), *LONG_STEP.fixes)),)
    )
    checks.resize(200, 300)
    button(checks, 0, 0)
    rect = checks.list.visualRect(checks.list.model().index(0, 0))
    assert rect.width() <= checks.list.viewport().width()
    assert not checks.list.horizontalScrollBar().isVisible()
