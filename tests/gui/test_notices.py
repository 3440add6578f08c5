"""Notices over the viewport: long ones leave the view free, and outdated ones are removed."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.robot.teleop.panel import TeleopPanel
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shapes.box import Box
from tests.gui.fake_link import FakeLink
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.parts import part
from tests.gui.pages.robot import put
from tests.gui.test_robot import poll_link

pytestmark = pytest.mark.gui

LONG = "It was stopped. " + " ".join(
    f"Node {i} was not heard of for 0.{i} s." for i in range(1, 40)
)


def more(banner: Banner) -> QPushButton:
    return part(banner, QPushButton, "more")


def test_long_notice_is_shortened_until_expanded(drawn: MainWindow, qtbot: QtBot) -> None:
    drawn.resize(900, 600)
    banner = drawn.context.banners.robot
    label = NoticePage(banner).text
    line = drawn.context.banners.robot.fontMetrics().lineSpacing()
    banner.show_notice(
        "danger",
        f"CONTACT LOST\n{LONG}",
        [("Show Events", lambda: None)],
        closable=False,
    )
    qtbot.waitUntil(lambda: 2 * line < banner.height() < 0.4 * drawn.context.viewport.height())
    assert label.height() >= 2 * line, "its headline is readable"
    line_height = math.ceil(QFontMetricsF(label.font()).lineSpacing())
    qtbot.waitUntil(lambda: label.height() % line_height == 0)  # no line is clipped
    assert banner.text.endswith(LONG), "the text itself does not change"
    assert "Node 39" in label.toolTip()
    qtbot.mouseClick(more(banner), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: label.height() > 4 * line and label.height() % line_height == 0)
    assert drawn.context.banners.geometry().top() >= drawn.context.viewport.geometry().top()
    qtbot.mouseClick(more(banner), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: banner.height() < 0.4 * drawn.context.viewport.height())
    banner.show_notice("info", "All is well.")
    qtbot.waitUntil(more(banner).isHidden)


def test_next_long_notice_is_shortened_again(drawn: MainWindow, qtbot: QtBot) -> None:
    banner = drawn.context.banners.files
    line = drawn.context.banners.files.fontMetrics().lineSpacing()
    banner.show_notice("warning", LONG)
    qtbot.waitUntil(more(banner).isVisible)
    more(banner).click()
    qtbot.waitUntil(lambda: banner.height() > 4 * line + 12)
    banner.show_notice("warning", LONG[::-1])
    qtbot.waitUntil(lambda: banner.height() < 4 * line + 12)


def test_error_of_a_scene_is_named_by_its_label(window: MainWindow, qtbot: QtBot) -> None:
    obstacles = list(window.context.document.scene.obstacles)
    obstacles[5] = Box(x_m=3.0, y_m=3.0, pitch_deg=20.0)
    window.context.document.edit(
        window.context.document.scene.model_copy(update={"obstacles": tuple(obstacles)}), "Tilt"
    )
    qtbot.waitUntil(lambda: "cannot run yet" in window.context.banners.run.text)
    assert "obstacles[" not in window.context.banners.run.text
    assert "box 6 is a tilted box" in window.context.banners.run.text.lower()


def test_notice_of_a_pending_edit_is_removed(window: MainWindow, link: FakeLink) -> None:
    banner = window.context.banners.robot
    arguments = "Links: not while it streams."
    put(window, link, LinkState.STREAMING)
    link.say(arguments, "warning", "waiting")
    poll_link(window)
    assert banner.text == arguments
    put(window, link, LinkState.ARMED)
    assert banner.text == "", "the next stream starts with it"
    put(window, link, LinkState.STREAMING)
    link.say(arguments, "warning", "waiting")
    poll_link(window)
    link.say("It streams the scene again.", "info", "waiting")
    poll_link(window)
    assert banner.text == "", "the edit was undone"
    link.say(arguments, "warning", "waiting")
    link.say("Node 5 is warm.", "warning", "node")
    poll_link(window)
    put(window, link, LinkState.ARMED)
    assert banner.text == "Node 5 is warm."


def test_reset_notice_is_shown_only_for_the_simulation(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    window.context.session_controller.close_run()
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "ready")
    window.context.session_controller.session.step()
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "paused")
    window.context.document.edit(
        with_values(window.context.document.scene, {"robot.n_links": 12}), "Links"
    )
    qtbot.waitUntil(lambda: "effect after Reset" in window.context.banners.run.text)
    window.context.session_controller.show_robot()
    assert window.context.banners.run.text == "", (
        "a robot has no reset: its own notice states when edits apply"
    )
    window.context.session_controller.close_run()
    assert "effect after Reset" in window.context.banners.run.text
    window.context.session_controller.reset()
    qtbot.waitUntil(lambda: window.context.banners.run.text == "")


def test_streaming_robot_is_not_reported_as_resting(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    teleoperation = window.context.teleop_feature
    panel = TeleopPanel(teleoperation)
    qtbot.addWidget(panel)
    panel.show()
    window.context.session_controller.show_robot()
    put(window, link, LinkState.STREAMING)
    teleoperation.teleop.set_on(True)
    frame = teleoperation.frame_over_view
    qtbot.waitUntil(lambda: not teleoperation.teleop.notice)
    assert "no effect" in frame.text
    window.context.document.set_value("controller.kind", "teleoperation", "Drive by hand")
    assert "no effect" in frame.text, "it still streams the first gait"
    assert "next stream" in panel.message.text()
    teleoperation.teleop.set_on(False)
