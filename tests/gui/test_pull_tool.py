"""Pulling a link with the mouse: start, end, and display of the force."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.pull import acting
from snakestudio.model.recording import Recording
from tests.gui.pages.hands import move
from tests.gui.test_viewport import CTRL, LEFT, NONE

pytestmark = pytest.mark.gui

LINK = 3
AWAY = QPoint(20, 45)


def link_at(viewport: Viewport) -> QPoint:
    """Position of the back of a link in the current view."""
    snapshot = viewport.snapshot
    assert snapshot is not None
    x, y, z = snapshot.link_pose[LINK, :3]
    return viewport.pixel((x, y, z + viewport.scene.body.radius)).toPoint()


def grab(qtbot: QtBot, viewport: Viewport) -> QPoint:
    """Drag a link with Ctrl and keep the button pressed; returns the position of the press."""
    begin = link_at(viewport)
    qtbot.mousePress(viewport, LEFT, CTRL, begin)
    move(viewport, begin + AWAY / 2, held=LEFT, modifiers=CTRL)
    move(viewport, begin + AWAY, held=LEFT, modifiers=CTRL)
    return begin


def recording_of(window: MainWindow) -> Recording:
    recording = window.context.session_controller.recording
    assert recording is not None
    return recording


@pytest.fixture
def standing(ready: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window whose run has started and is paused, seen from above."""
    session_controller = ready.context.session_controller
    viewport = ready.context.viewport
    session_controller.session.step(200)
    qtbot.waitUntil(
        lambda: (
            session_controller.status.state == "paused" and session_controller.displayed is not None
        )
    )
    qtbot.waitUntil(lambda: session_controller.displayed is session_controller.session.latest)
    viewport.frame_all(at_once=True)
    viewport.navigator.view("top")
    viewport.navigator.finish()
    return ready


def test_ctrl_drag_pulls_a_link_until_release(standing: MainWindow, qtbot: QtBot) -> None:
    viewport = standing.context.viewport
    session_controller = standing.context.session_controller
    camera = viewport.navigator.camera
    selected = set(standing.context.selection.items)
    before = viewport.snapshot
    assert before is not None
    move(viewport, link_at(viewport), modifiers=CTRL)
    assert viewport.hint.text() == f"Link {LINK + 1} · Ctrl+drag: pull"
    assert viewport.cursor().shape() == Qt.CursorShape.OpenHandCursor
    begin = grab(qtbot, viewport)
    grip = viewport.tools.pull_tool.grip
    assert grip is not None
    assert grip.link == LINK
    assert viewport.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    height = grip.target[2]
    under = viewport.api.ground(QPointF(begin + AWAY), height)
    assert under is not None
    target = pytest.approx((*under, height))
    qtbot.waitUntil(lambda: viewport.tools.pull_tool.grip.target == target)  # type: ignore[union-attr]
    preview = viewport.overlays().pull
    assert preview is not None
    assert preview.target == target
    assert "run continues" in viewport.hint.text()
    session_controller.session.step(1200)
    session_controller.session.settle()
    recording = recording_of(standing)
    entry = recording.pulls[0]
    assert (entry.link, entry.time) == (LINK, pytest.approx(0.05))
    assert entry.force == pytest.approx(tuple(preview.force), rel=1e-9)
    qtbot.mouseRelease(viewport, LEFT, CTRL, begin + AWAY)
    assert viewport.tools.pull_tool.grip is None
    assert "Ctrl+drag: pull" in viewport.hint.text()
    session_controller.session.step(200)
    session_controller.session.settle()
    assert recording.pulls[-1].released
    assert acting(recording.pulls, session_controller.session.latest.time) is None  # type: ignore[union-attr]
    assert viewport.navigator.camera == camera
    assert set(standing.context.selection.items) == selected
    # In the recording this moment shows the force without a hand.
    session_controller.set_cursor(recording.index_at(0.2))
    pull = viewport.overlays().pull
    assert pull is not None
    assert pull.target is None
    held = acting(recording.pulls, recording.times[recording.index_at(0.2)])
    assert held is not None
    np.testing.assert_array_equal(pull.force, held.force)


@pytest.mark.parametrize("end", ["escape", "focus", "reset", "look back", "lost release"])
def test_every_interruption_ends_a_pull(standing: MainWindow, qtbot: QtBot, end: str) -> None:
    viewport = standing.context.viewport
    session_controller = standing.context.session_controller
    camera = viewport.navigator.camera
    begin = grab(qtbot, viewport)
    session_controller.session.step(200)
    session_controller.session.settle()
    recording = recording_of(standing)
    assert recording.pulls
    if end == "escape":
        qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    elif end == "focus":
        QApplication.sendEvent(viewport, QFocusEvent(QEvent.Type.FocusOut))
    elif end == "reset":
        session_controller.reset()
        qtbot.waitUntil(lambda: viewport.tools.pull_tool.grip is None)
    elif end == "look back":
        session_controller.set_cursor(1)
    else:
        move(viewport, begin, modifiers=NONE)
    assert viewport.tools.pull_tool.grip is None
    move(viewport, begin + 2 * AWAY, held=LEFT, modifiers=CTRL)  # the button may still be pressed
    qtbot.mouseRelease(viewport, LEFT, CTRL, begin + 2 * AWAY)
    assert viewport.tools.pull_tool.grip is None
    if end != "lost release":
        assert viewport.navigator.camera == camera
    if end != "reset":
        session_controller.session.step(200)
        session_controller.session.settle()
        assert recording.pulls[-1].released


def test_wheel_sets_the_strength_while_a_link_is_pulled(standing: MainWindow, qtbot: QtBot) -> None:
    viewport = standing.context.viewport
    camera = viewport.navigator.camera
    begin = grab(qtbot, viewport)
    at = QPointF(begin + AWAY)
    wheel = QWheelEvent(
        at,
        QPointF(viewport.mapToGlobal(begin + AWAY)),
        QPoint(),
        QPoint(0, 120),
        LEFT,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    weak = viewport.overlays().pull
    QApplication.sendEvent(viewport, wheel)
    strong = viewport.overlays().pull
    assert weak is not None
    assert strong is not None
    assert viewport.tools.pull_tool.strength == 1.25
    assert np.linalg.norm(strong.force) > 1.1 * np.linalg.norm(weak.force)
    assert viewport.navigator.camera == camera
    qtbot.mouseRelease(viewport, LEFT, CTRL, begin + AWAY)


def test_ctrl_click_selects_and_drag_beside_links_does_not_pull(
    standing: MainWindow, qtbot: QtBot
) -> None:
    viewport = standing.context.viewport
    session_controller = standing.context.session_controller
    qtbot.mouseClick(viewport, LEFT, CTRL, link_at(viewport))
    assert standing.context.selection.links == (LINK,)
    corner = QPoint(5, viewport.height() - 5)
    qtbot.mousePress(viewport, LEFT, CTRL, corner)
    move(viewport, corner + AWAY, held=LEFT, modifiers=CTRL)
    assert viewport.tools.pull_tool.grip is None
    qtbot.mouseRelease(viewport, LEFT, CTRL, corner + AWAY)
    # A recorded run cannot be pulled, and a message explains this.
    session_controller.set_cursor(0)
    grab(qtbot, viewport)
    assert viewport.tools.pull_tool.grip is None
    qtbot.mouseRelease(viewport, LEFT, CTRL, corner)
    move(viewport, link_at(viewport), modifiers=CTRL)
    assert viewport.hint.text().endswith(" to pull")
    assert not recording_of(standing).pulls


def test_real_robot_is_never_pulled(
    standing: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewport = standing.context.viewport
    session_controller = standing.context.session_controller
    commands: list[object] = []
    monkeypatch.setattr(session_controller.session, "pull", commands.append)
    monkeypatch.setattr(type(session_controller), "source", property(lambda self: "robot"))
    begin = grab(qtbot, viewport)
    assert viewport.tools.pull_tool.grip is None
    qtbot.mouseRelease(viewport, LEFT, CTRL, begin)
    move(viewport, link_at(viewport), modifiers=CTRL)
    assert viewport.hint.text().startswith(f"Link {LINK + 1} · ")
    assert "real robot" in viewport.hint.text()
    assert not commands


def test_near_miss_pulls_the_highlighted_link(standing: MainWindow, qtbot: QtBot) -> None:
    viewport = standing.context.viewport
    snapshot = viewport.snapshot
    assert snapshot is not None
    # next to the silhouette of the link, at a right angle to it
    x, y, z = snapshot.link_pose[LINK, :3]
    w, _, _, k = snapshot.link_pose[LINK, 3:]
    left = np.array([-2 * w * k, w * w - k * k])
    side = np.array([x, y]) + 1.02 * viewport.scene.body.radius * left
    edge = viewport.pixel((side[0], side[1], z))
    away = edge - viewport.pixel((x, y, z))
    near, far = (
        (edge + away * (pixels / np.hypot(away.x(), away.y()))).toPoint() for pixels in (8, 24)
    )
    assert viewport.pick(QPointF(near)).kind != "link"  # type: ignore[union-attr]
    move(viewport, near, modifiers=CTRL)
    hover = viewport.overlays().hover
    assert hover is not None
    assert (hover.kind, hover.index) == ("link", LINK)
    qtbot.mousePress(viewport, LEFT, CTRL, near)
    move(viewport, near + AWAY, held=LEFT, modifiers=CTRL)
    assert viewport.tools.pull_tool.grip is not None
    assert viewport.tools.pull_tool.grip.link == LINK
    qtbot.mouseRelease(viewport, LEFT, CTRL, near + AWAY)
    move(viewport, far, modifiers=CTRL)
    assert viewport.overlays().hover is None


def test_drag_with_ctrl_never_moves_the_camera(standing: MainWindow, qtbot: QtBot) -> None:
    viewport = standing.context.viewport
    viewport.navigator.set_following(False)
    camera = viewport.navigator.camera
    nothing = QPoint(viewport.width() // 2, viewport.height() - 60)
    qtbot.mousePress(viewport, LEFT, CTRL, nothing)
    for step in (10, 40, 80):
        move(viewport, nothing + QPoint(step, -step // 2), held=LEFT, modifiers=CTRL)
    qtbot.mouseRelease(viewport, LEFT, CTRL, nothing + QPoint(80, -40))
    assert viewport.tools.pull_tool.grip is None
    assert viewport.navigator.camera == camera
