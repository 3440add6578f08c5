"""A window without a compiled engine: the robot is drawn, the button shows the progress, and all else works."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.paths import scenes_dir
from snakestudio.session import engine_compiler as preparation_module
from snakestudio.session import session_core as conduct_module
from snakestudio.session.engine_compiler import Stage
from tests.gui.conftest import MAIN_SCENE
from tests.gui.fake import make_recording
from tests.gui.pages.notices import NoticePage
from tests.preparing import Preparing

DONE = Stage(1.0, None, True)


@pytest.fixture(autouse=True)
def _nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Preparing, "begun", [])
    monkeypatch.setattr(preparation_module, "Preparation", Preparing)
    monkeypatch.setattr(
        conduct_module,
        "is_prepared",
        lambda kind: any(one.kind == kind and one.stage == DONE for one in Preparing.begun),
    )


@pytest.fixture
def preparing(make_window: Callable[[], MainWindow], qtbot: QtBot) -> MainWindow:
    """A window whose engine is being prepared: 43 %, 9 s left."""
    window = make_window()
    assert window.context.files.open(MAIN_SCENE)
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "preparing")
    report_stage(window, qtbot, Stage(0.43, 9.0))
    return window


def report_stage(window: MainWindow, qtbot: QtBot, stage: Stage) -> None:
    Preparing.begun[-1].stage = stage
    qtbot.waitUntil(lambda: window.context.run_bar.play.progress == stage.fraction)


def robot_pixels(window: MainWindow, qtbot: QtBot) -> int:
    """Number of pixels of the viewport with the colour of the robot: nothing else is green."""
    qtbot.waitUntil(lambda: window.context.viewport.settled)
    with qtbot.waitSignal(window.context.viewport.frame_drawn):
        window.context.viewport.refresh()
    image = window.context.viewport.grab().toImage()
    count = 0
    for y in range(0, image.height(), 2):
        for x in range(0, image.width(), 2):
            colour = image.pixelColor(x, y)
            count += colour.green() > 1.5 * colour.red() and colour.green() > 1.2 * colour.blue()
    return count


def test_notice_is_the_only_text_and_the_toolbar_stays(preparing: MainWindow, qtbot: QtBot) -> None:
    bar = preparing.context.run_bar
    banner = preparing.context.banners.run
    qtbot.waitUntil(lambda: "43 %, 9 s left" in banner.text)
    assert "planar engine" in banner.text
    qtbot.waitUntil(lambda: "preparing" in preparing.context.status_bar.left.text)
    assert "43 %" not in preparing.context.status_bar.left.text
    assert bar.play.toolTip().startswith("Press to start")
    places = {
        child: child.geometry() for child in bar.findChildren(QToolButton) if child.isVisible()
    }
    report_stage(preparing, qtbot, Stage(0.99, None))
    qtbot.waitUntil(lambda: "almost done" in banner.text)
    Preparing.begun[0].stage = DONE
    qtbot.waitUntil(lambda: preparing.context.session_controller.status.state == "ready")
    qtbot.waitUntil(lambda: bar.play.progress is None)
    assert {child: child.geometry() for child in places} == places
    qtbot.waitUntil(lambda: bar.play.toolTip().startswith("Play ("))


def test_button_is_filled_by_the_progress(preparing: MainWindow, qtbot: QtBot) -> None:
    play = preparing.context.run_bar.play

    def filled() -> float:
        image = play.grab().toImage()
        row = image.height() - 5
        done = theme.colour("text")
        inside = range(4, image.width() - 4)
        return sum(image.pixelColor(x, row).rgb() == done.rgb() for x in inside) / len(inside)

    assert filled() == pytest.approx(0.43, abs=0.06)
    report_stage(preparing, qtbot, Stage(0.9, 2.0))
    assert filled() == pytest.approx(0.9, abs=0.06)


def test_playback_starts_when_ready_unless_cancelled(preparing: MainWindow, qtbot: QtBot) -> None:
    play = preparing.context.run_bar.play
    qtbot.mouseClick(play, Qt.MouseButton.LeftButton)
    banner = preparing.context.banners.run
    qtbot.waitUntil(lambda: "run starts" in banner.text)
    assert "running" not in preparing.context.status_bar.left.text
    qtbot.waitUntil(
        lambda: "Cancel" in plain(preparing.context.action_registry["play"].text()).split()
    )
    qtbot.keyClick(preparing.context.viewport, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "run starts" not in banner.text)
    qtbot.mouseClick(play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: preparing.context.session_controller.status.queued)
    Preparing.begun[0].stage = DONE
    qtbot.waitUntil(lambda: preparing.context.session_controller.status.state == "running")
    qtbot.waitUntil(
        lambda: (
            preparing.context.session_controller.displayed is not None
            and preparing.context.session_controller.displayed.time > 0.0
        )
    )
    assert len(Preparing.begun) == 1


@pytest.mark.parametrize("method", ["banner", "command"])
def test_preparation_can_be_cancelled_and_restarted(
    preparing: MainWindow, qtbot: QtBot, method: str
) -> None:
    play = preparing.context.run_bar.play
    banner = preparing.context.banners.run

    def press(text: str) -> None:
        notice = NoticePage(banner)
        qtbot.waitUntil(lambda: text in notice.texts)
        notice.press(text)

    if method == "banner":
        press("Cancel")
    else:
        preparing.context.action_registry["prepare"].trigger()
    qtbot.waitUntil(lambda: "not prepared" in banner.text)
    assert Preparing.begun[0].stopped
    assert "not prepared" in play.toolTip()
    qtbot.waitUntil(lambda: "not prepared" in preparing.context.status_bar.left.text)
    assert robot_pixels(preparing, qtbot) > 100
    if method == "banner":
        press("Prepare")
    else:
        qtbot.waitUntil(
            lambda: (
                plain(preparing.context.action_registry["prepare"].text()) == "Prepare the Engine"
            )
        )
        preparing.context.action_registry["prepare"].trigger()
    qtbot.waitUntil(lambda: preparing.context.session_controller.status.state == "preparing")
    assert not preparing.context.session_controller.status.queued
    assert len(Preparing.begun) == 2


def test_play_prepares_again_and_starts(preparing: MainWindow, qtbot: QtBot) -> None:
    session_controller = preparing.context.session_controller
    session_controller.session.cancel_preparing()
    qtbot.waitUntil(lambda: session_controller.status.state == "unprepared")
    qtbot.mouseClick(preparing.context.run_bar.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_controller.status.state == "preparing")
    assert session_controller.status.queued


def test_failed_preparation_is_reported(preparing: MainWindow, qtbot: QtBot) -> None:
    Preparing.begun[0].stage = Stage(0.5, None, True, "Nothing can be kept in /full.")
    qtbot.waitUntil(lambda: "/full" in preparing.context.banners.run.text)
    assert preparing.context.session_controller.status.state == "unprepared"


def test_robot_is_drawn_and_follows_edits(preparing: MainWindow, qtbot: QtBot) -> None:
    document = preparing.context.document
    session_controller = preparing.context.session_controller
    assert robot_pixels(preparing, qtbot) > 100
    before = session_controller.displayed
    assert before is not None
    document.set_value("start.x_m", 0.52, "Move")
    qtbot.waitUntil(
        lambda: (
            session_controller.displayed.link_pose[0, 0]
            == pytest.approx(before.link_pose[0, 0] + 0.005)
        )
    )
    document.undo_stack.undo()
    qtbot.waitUntil(
        lambda: (
            session_controller.displayed.link_pose[0, 0] == pytest.approx(before.link_pose[0, 0])
        )
    )
    assert preparing.context.run_bar.play.progress, "the preparation continues"
    assert preparing.context.files.open(scenes_dir() / "sidewinding.toml")
    qtbot.waitUntil(lambda: "spatial engine" in preparing.context.banners.run.text)
    assert robot_pixels(preparing, qtbot) > 100
    assert [one.stopped for one in Preparing.begun] == [True, False]


def test_recorded_run_can_be_viewed_meanwhile(preparing: MainWindow, qtbot: QtBot) -> None:
    session_controller = preparing.context.session_controller
    play = preparing.context.run_bar.play
    session_controller.open_run(make_recording(preparing.context.document.scene, 50), "earlier")
    assert play.progress is None, "it plays the displayed run"
    qtbot.waitUntil(preparing.context.action_registry["play"].isEnabled)
    play.click()
    qtbot.waitUntil(lambda: session_controller.playing or session_controller.cursor == 49)
    session_controller.close_run()
    assert play.progress is not None
    assert not Preparing.begun[0].stopped


def test_closing_cancels_the_preparation(preparing: MainWindow) -> None:
    assert preparing.close()
    assert Preparing.begun[0].stopped


def test_dialogs_name_the_engine_they_wait_for(preparing: MainWindow, qtbot: QtBot) -> None:
    comparer = preparing.context.comparer
    monkey = ["planar_nonsmooth", "planar_lagrangian"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preparation_module, "is_prepared", lambda kind: False)
        comparer.start(monkey, 0.1)
        qtbot.waitUntil(lambda: comparer.doing == "Preparing the planar engine: 43 %, 9 s left")
        assert len(Preparing.begun) == 1, "the window's preparation is shared"
        task = comparer.task
        assert task is not None
        comparer.cancel()
        qtbot.waitUntil(lambda: not task.running)
    assert not Preparing.begun[0].stopped, "the window itself still waits for it"
