"""The whole window: playback, display of measurements, edits during a run, and error messages."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from snakestudio.gui.analysis.fitting.dialog import FitDialog
from snakestudio.gui.app import features
from snakestudio.gui.core import theme
from snakestudio.gui.core.command import SEPARATOR
from snakestudio.gui.core.feature import docks_of
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.derived_dialog import DerivedDialog
from snakestudio.gui.runs.speed_chooser import SPEEDS
from snakestudio.gui.scene.gait_panel import GaitPanel
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.crash import CrashGuard
from snakestudio.gui.shell.help_dialogs import DocumentDialog
from snakestudio.gui.shell.main_window import MainWindow, short_names
from snakestudio.model.edits import with_values
from snakestudio.model.snapshot import SolverStats
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.status import Status
from tests.elsewhere import answer_of
from tests.gui.conftest import MAIN_SCENE, fill_docks
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import NO_MODIFIER, show_widget
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.parts import label, suggestions

SPACE = Qt.Key.Key_Space


def test_panel_opened_from_the_menu_is_in_front(window: MainWindow, qtbot: QtBot) -> None:
    docks = window.context.docks
    fill_docks(window)
    for spec in docks_of(features()):  # in sequence, so that all others of a group are open
        dock = docks[spec.name]
        dock.hide()
        for other in docks_of(features()):
            if other.area == spec.area and other.name != spec.name and other.behind:
                docks.show(other.name)
        action = dock.toggleViewAction()
        assert action in window.context.action_registry.menus["View/Panels"].actions()
        action.trigger()
        qtbot.waitUntil(lambda dock=dock: not dock.visibleRegion().isEmpty())


def test_space_plays_and_pauses(ready: MainWindow, qtbot: QtBot) -> None:
    ready.context.run_bar.speed.choose(1.0)
    qtbot.keyClick(ready.context.viewport, SPACE)
    qtbot.waitUntil(lambda: ready.context.session_controller.status.state == "running")
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.displayed is not None
            and ready.context.session_controller.displayed.time > 0.1
        )
    )
    qtbot.waitUntil(lambda: ready.context.run_bar.factor.value[:1].isdigit())
    qtbot.waitUntil(lambda: ready.context.run_bar.residual.role == "good")
    qtbot.waitUntil(lambda: plain(ready.context.action_registry["play"].text()) == "Pause")
    qtbot.keyClick(ready.context.viewport, SPACE)
    qtbot.waitUntil(lambda: ready.context.session_controller.status.state == "paused")
    qtbot.waitUntil(lambda: "paused" in ready.context.status_bar.left.text)
    assert "contact" in ready.context.status_bar.left.text
    assert "converged in all" in ready.context.status_bar.left.text
    assert (ready.context.run_bar.unconverged.value, ready.context.run_bar.unconverged.role) == (
        "0",
        "good",
    )
    for figure in (
        ready.context.run_bar.residual,
        ready.context.run_bar.iterations,
        ready.context.run_bar.unconverged,
        ready.context.run_bar.factor,
    ):
        assert len(figure.toolTip()) > 30


def test_step_and_reset_work(ready: MainWindow, qtbot: QtBot) -> None:
    scene = ready.context.document.scene
    qtbot.keyClicks(ready.context.viewport, "n")
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.displayed.time == pytest.approx(scene.control.period_s)
        )
    )
    ready.context.action_registry["single_step"].trigger()
    one_more = scene.control.period_s + scene.solver.step_s
    qtbot.waitUntil(
        lambda: ready.context.session_controller.displayed.time == pytest.approx(one_more)
    )
    qtbot.keyClick(ready.context.viewport, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.displayed.time == 0.0
            and ready.context.session_controller.status.state == "ready"
        )
    )


def test_speed_is_set_in_the_session(ready: MainWindow, qtbot: QtBot) -> None:
    ready.context.run_bar.speed.choose(1.0)
    qtbot.keyClicks(ready.context.viewport, "[")
    assert ready.context.run_bar.speed.speed == 0.5
    qtbot.waitUntil(lambda: ready.context.session_controller.session.speed == 0.5)
    for _ in SPEEDS:
        qtbot.keyClicks(ready.context.viewport, "]")
    qtbot.waitUntil(lambda: math.isinf(ready.context.session_controller.session.speed))


def test_edits_apply_during_a_run(ready: MainWindow, qtbot: QtBot) -> None:
    ready.context.run_bar.speed.choose(1.0)
    ready.context.session_controller.play_or_pause()
    qtbot.waitUntil(lambda: ready.context.session_controller.displayed.time > 0.05)
    ready.context.document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    recording = ready.context.session_controller.recording
    assert recording is not None
    qtbot.waitUntil(lambda: bool(recording.changes))
    assert recording.changes[0].values == {"gait.amplitude_deg": 20.0}
    assert ready.context.session_controller.status.state == "running"


def test_edit_that_needs_a_reset_is_marked(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.context.document.set_value("robot.mass_kg", 1.0, "Mass")
    qtbot.waitUntil(lambda: "after Reset" in recorded.context.banners.run.text)
    assert "Mass" in recorded.context.banners.run.text
    NoticePage(recorded.context.banners.run).press("reset")
    qtbot.waitUntil(lambda: recorded.context.session_controller.status.state == "ready")
    qtbot.waitUntil(lambda: recorded.context.banners.run.text == "")


def test_scene_that_cannot_run_opens_with_a_reason(
    make_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    # The robot starts inside an obstacle.
    path = tmp_path / "inside.toml"
    path.write_text(MAIN_SCENE.read_text().replace("y_m = 0.157", "y_m = 0.10"))
    window = make_window()
    assert window.context.files.open(path)
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "blocked")
    qtbot.waitUntil(lambda: "cannot run" in window.context.banners.run.text)
    window.context.action_registry.refresh()
    assert not window.context.action_registry["play"].isEnabled()
    window.context.document.set_value("start.y_m", 0.157, "Mend")
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state in ("ready", "preparing")
    )


def test_unconverged_steps_are_reported(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = make_recording(window.context.document.scene, 200)
    bad = replace(recording.snapshot(150), solver=SolverStats(3.4e-7, 12.0, 1234))
    monkeypatch.setattr(SessionController, "displayed", property(lambda self: bad))
    window.context.session_controller.frame.emit()
    qtbot.waitUntil(lambda: "did not converge" in window.context.status_bar.left.text)
    assert (window.context.run_bar.residual.value, window.context.run_bar.residual.role) == (
        "3.4e-07",
        "warning",
    )
    assert (window.context.run_bar.unconverged.value, window.context.run_bar.unconverged.role) == (
        "1 234",
        "warning",
    )
    assert window.context.run_bar.iterations.value == "12.0"
    assert "1\u2009234 of 6\u2009000 steps" in window.context.status_bar.left.text


def test_large_run_file_is_shown(
    recorded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = recorded.context.session_controller
    bar = recorded.context.status_bar
    recording = controller.session.recording
    assert recording is not None
    assert recording.path is not None
    bar.refresh_soon()
    qtbot.waitUntil(lambda: "finished" in bar.left.text)
    assert "run file" not in bar.right.text
    # The thread that records may still write the end of the file, so the file itself is left alone.
    path = recording.path
    size_of = os.path.getsize
    monkeypatch.setattr(
        os.path, "getsize", lambda name: 1_300_000_000 if name == path else size_of(name)
    )
    bar.refresh_soon()
    qtbot.waitUntil(lambda: "run file 1.3 GB" in bar.right.text)


def test_messages_of_the_session_are_shown(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    banners = window.context.banners
    session_controller = window.context.session_controller
    session_controller.status_changed.emit(
        Status("preparing", progress=0.4, seconds_left=9.0, engine="planar_nonsmooth")
    )
    assert all(part in banners.run.text for part in ("planar", "40 %", "9 s"))
    session_controller.status_changed.emit(
        Status("failed", "The contact solver stopped at t = 3.2 s.")
    )
    assert "t = 3.2 s" in banners.run.text
    session_controller.status_changed.emit(Status("ready"))
    saved = tmp_path / "failed-contact-problems" / "step.npz"
    with monkeypatch.context() as patch:
        opened: list[str] = []
        patch.setattr(
            "snakestudio.gui.forms.banner.QDesktopServices.openUrl",
            lambda url: opened.append(url.toLocalFile()),
        )
        failed = Status("failed", "The contact solver stopped at t = 3.2 s.")
        patch.setattr(SessionController, "status", property(lambda self: failed))
        session_controller.failed.emit(failed.message, saved)
        assert str(saved) in banners.run.text
        NoticePage(banners.run).press("folder")
        assert opened == [str(saved.parent)]
    session_controller.status_changed.emit(Status("ready"))
    assert banners.run.text == ""


def test_docks_are_filled_in_sequence(window: MainWindow, qtbot: QtBot) -> None:
    fill_docks(window)
    for spec in docks_of(features()):
        assert type(window.context.docks[spec.name].widget()).__name__ != "QWidget", spec.name
    window.context.docks["scene"].close()
    window.context.action_registry.menus["View/Panels"].actions()
    assert not window.context.docks["scene"].toggleViewAction().isChecked()
    window.context.docks["scene"].toggleViewAction().trigger()
    assert window.context.docks["scene"].isVisible()


def test_values_of_removed_links_are_reported(window: MainWindow) -> None:
    document = window.context.document
    document.edit(
        with_values(document.scene, {"robot.link": [{"index": 9, "mass_kg": 2.0}]}), "Heavy"
    )
    document.edit(with_values(document.scene, {"robot.n_links": 8}), "Fewer")
    assert "8 links were removed" in window.context.banners.edits.text


def test_layout_is_stored(make_window: Callable[[], MainWindow]) -> None:
    first = make_window()
    first.resize(1300, 750)
    first.context.docks["checks"].close()
    first.close()
    second = make_window()
    assert second.context.docks["checks"].isHidden()
    assert not second.context.docks["scene"].isHidden()
    assert second.width() == 1300


def test_window_fits_a_small_screen(window: MainWindow, qtbot: QtBot) -> None:
    fill_docks(window)
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: window.size().width() == 1280)
    assert (window.width(), window.height()) == (1280, 720)
    assert window.context.viewport.width() >= 400
    assert window.context.viewport.height() >= 200
    assert not window.context.viewport.legends.forces.geometry().intersects(
        window.context.viewport.buttons.geometry()
    )


def test_command_table_is_consistent(window: MainWindow) -> None:
    names = [spec.id for spec in table(features()) if spec.id != SEPARATOR]
    assert len(names) == len(set(names))
    keys = [QKeySequence(key).toString() for spec in table(features()) for key in spec.shortcuts]
    assert "" not in keys
    assert len(keys) == len(set(keys)), "one key would have two actions"
    for spec in table(features()):
        if spec.run is not None:
            action = window.context.action_registry[spec.id]
            assert action.toolTip()
            assert spec.text.rstrip(" .")[0].isupper()


def test_names_and_menus_of_commands_are_fixed() -> None:
    notices = [
        " | ".join((spec.menu, spec.id, spec.text, ", ".join(spec.shortcuts))).rstrip()
        for spec in table(features())
    ]
    assert (
        notices == (Path(__file__).parent / "commands.txt").read_text(encoding="utf-8").splitlines()
    )


def test_undo_is_named_and_enabled_only_when_it_can(window: MainWindow, qtbot: QtBot) -> None:
    undo = window.context.action_registry["undo"]
    qtbot.waitUntil(lambda: not undo.isEnabled())
    window.context.document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    qtbot.waitUntil(lambda: undo.isEnabled() and plain(undo.text()) == "Undo Amplitude")
    assert label(window, "document_state").text() == "edited"
    undo.trigger()
    assert window.context.document.scene.gait.amplitude_deg == 40.0
    assert label(window, "document_state").text() == ""


def test_space_in_a_button_presses_the_button(ready: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(ready.context.action_registry["play"].isEnabled)
    follow = next(
        b
        for b in ready.context.viewport.buttons.findChildren(QAbstractButton)
        if b.text() == "Follow"
    )
    follow.setFocus()
    qtbot.waitUntil(follow.hasFocus)
    qtbot.keyClick(follow, SPACE)
    assert not ready.context.viewport.navigator.following
    ready.context.session_controller.session.settle()
    assert ready.context.session_controller.status.state == "ready", (
        "the space bar did not start playback, too"
    )


def test_space_plays_after_a_click_on_a_button_or_a_box(ready: MainWindow, qtbot: QtBot) -> None:
    context = ready.context
    fill_docks(ready, "parameters")
    controller = context.session_controller
    box = ready.findChild(GaitPanel).presets
    follow = next(
        b for b in context.viewport.buttons.findChildren(QAbstractButton) if b.text() == "Follow"
    )

    def click(widget: QWidget, position: QPoint) -> None:
        """Click as the window system does, which also moves the focus."""
        handle = widget.window().windowHandle()
        at = widget.mapTo(widget.window(), position)
        QTest.mouseClick(handle, Qt.MouseButton.LeftButton, NO_MODIFIER, at)

    click(follow, follow.rect().center())
    qtbot.keyClick(QApplication.focusWidget(), SPACE)
    qtbot.waitUntil(lambda: controller.status.state == "running")
    qtbot.keyClick(QApplication.focusWidget(), SPACE)
    qtbot.waitUntil(lambda: controller.status.state == "paused")
    click(box, box.rect().center())
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    view.setCurrentIndex(view.model().index(2, 0))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.waitUntil(context.viewport.hasFocus)
    assert box.currentIndex() == 2
    qtbot.keyClick(context.viewport, SPACE)
    qtbot.waitUntil(lambda: controller.status.state == "running")
    assert not view.isVisible()


def test_light_and_dark_theme_can_be_switched(window: MainWindow, qtbot: QtBot) -> None:
    window.context.banners.error("Something is said.")
    window.context.toggle_theme()
    assert theme.current() is theme.LIGHT
    notices = [
        banner for banner in window.findChildren(Banner) if banner.text == "Something is said."
    ]
    assert theme.LIGHT.card in notices[0].styleSheet()
    assert window.context.settings.value("theme") == "light"
    window.context.toggle_theme()
    assert theme.current() is theme.DARK


@pytest.mark.parametrize(("name", "arguments"), [("about", "SnakeStudio"), ("graphics", "OpenGL")])
def test_help_is_shown(drawn: MainWindow, qtbot: QtBot, name: str, arguments: str) -> None:
    drawn.context.action_registry[name].trigger()
    dialog = drawn.findChild(QDialog)
    assert dialog is not None
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    texts += [edit.toPlainText() for edit in dialog.findChildren(QPlainTextEdit)]
    assert any(arguments in text for text in texts)
    dialog.close()
    qtbot.waitUntil(lambda: drawn.findChild(QDialog) is None)


def test_escape_closes_dialogs_and_pages(window: MainWindow, qtbot: QtBot) -> None:
    for name, kind in (("fit", FitDialog), ("first_study_page", DocumentDialog)):
        window.context.action_registry[name].trigger()
        dialog = window.findChild(kind)
        assert dialog is not None
        qtbot.waitUntil(dialog.isVisible)
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow, timeout=5000)
        qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Escape)
        qtbot.waitUntil(
            lambda kind=kind: not any(image.isVisible() for image in window.findChildren(kind)),
            timeout=5000,
        )


def test_internal_error_is_reported_and_logged(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    guard = CrashGuard(window.context.banners.error)
    try:
        sys.excepthook(ValueError, ValueError("the roof leaks"), None)
        assert "the roof leaks" in window.context.banners.program.text
        assert guard.path is not None
        assert "the roof leaks" in guard.path.read_text()
    finally:
        guard.close()
    reported: list[str] = []
    guard = CrashGuard(reported.append)
    try:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        assert "ZeroDivisionError" in reported[0]
    finally:
        guard.close()


def test_importing_the_window_is_fast() -> None:
    # Half of the time to a window on screen was spent on libraries that only some dialogs use.
    heavy = (
        "numba",
        "scipy",
        "av",
        "matplotlib",
        "sympy",
        "h5py",
        "cantools",
        "can",
        "PIL",
        "cma",
        "ezc3d",
    )
    loaded = f"[name for name in {heavy} if name in sys.modules]"
    program = f"import json, sys, snakestudio.gui.app, snakestudio.gui.shell.main_window; print(json.dumps({loaded}))"
    assert answer_of(program) == []


def test_notice_does_not_move_other_widgets(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    banners = drawn.context.banners
    before = viewport.mapToGlobal(QPoint(0, 0)), viewport.size()
    for banner in (banners.robot, banners.program, banners.files):
        banner.show_notice(
            "warning",
            "Something happened, and this is told in a sentence that is long enough for two lines.",
        )
    qtbot.waitUntil(lambda: banners.isVisible() and banners.files.height() > 10)
    assert (viewport.mapToGlobal(QPoint(0, 0)), viewport.size()) == before
    rect = QRect(banners.mapTo(drawn, QPoint(0, 0)), banners.size())
    assert QRect(viewport.mapTo(drawn, QPoint(0, 0)), viewport.size()).contains(rect)
    # The mouse on a notice does not act on the scene, and next to it the scene is reachable.
    camera = viewport.navigator.camera
    drag(drawn, banners.files.mapTo(drawn, banners.files.rect().center()), qtbot)
    assert viewport.navigator.camera == camera
    drag(drawn, QPoint(rect.center().x(), rect.top() - 20), qtbot)
    assert viewport.navigator.camera != camera
    for banner in (banners.robot, banners.program, banners.files):
        banner.clear()
    qtbot.waitUntil(lambda: not banners.isVisible())


def drag(window: MainWindow, start: QPoint, qtbot: QtBot) -> None:
    """Drag from a point of the window with events of the screen."""
    handle = window.windowHandle()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 5):
        QTest.mouseMove(handle, start + QPoint(8 * step, 3 * step))
        QApplication.processEvents()
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start + QPoint(32, 12))
    QApplication.processEvents()


def test_home_frames_everything_and_keeps_the_direction(drawn: MainWindow, qtbot: QtBot) -> None:
    navigator = drawn.context.viewport.navigator
    looking = replace(navigator.camera, azimuth=1.0, elevation=0.3, target=(50.0, 50.0, 0.0))
    navigator.jump(looking)
    drawn.context.viewport.setFocus()
    QTest.keyClick(drawn.context.viewport, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: not navigator.moving)
    assert math.hypot(*navigator.camera.target[:2]) < 3.0
    assert (navigator.camera.azimuth, navigator.camera.elevation) == pytest.approx((1.0, 0.3))


def test_new_scene_has_no_overlaid_runs(
    drawn: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cleared: list[bool] = []
    recording = make_recording(drawn.context.document.scene, 5)
    monkeypatch.setattr("snakestudio.gui.runs.pinned_runs.open_run", lambda path: recording)
    drawn.context.pinned_runs.show(tmp_path / "run.mcap", "Before")
    monkeypatch.setattr(RunRecording, "close", lambda self: cleared.append(True), raising=False)
    assert len(drawn.context.overlaid.overlaid()) == 1
    assert drawn.context.files.open(MAIN_SCENE.with_name("sidewinding.toml"))
    assert drawn.context.overlaid.overlaid() == []
    assert cleared


def test_window_shows_loading_until_the_session_is_ready(
    qtbot: QtBot, make_window: Callable[[], MainWindow]
) -> None:
    window = make_window()
    assert window.context.session_controller.status.state == "empty"
    qtbot.waitUntil(lambda: "loading the scene" in window.context.status_bar.left.text)


def test_tooltips_and_completions_have_a_background(
    window: MainWindow, session_controller: FakeSessionController, qtbot: QtBot
) -> None:
    hint = window.context.viewport.hint
    edge = hint.grab().toImage().pixelColor(3, hint.height() // 2)
    assert edge == theme.colour("panel"), "not the content below it"
    dialog = DerivedDialog(session_controller, ChannelLibrary())  # type: ignore[arg-type]
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    show_widget(qtbot, dialog)
    qtbot.keyClicks(dialog.field, "link_6_y")
    qtbot.waitUntil(suggestions(dialog.field).isVisible)
    image = suggestions(dialog.field).grab().toImage()
    assert image.pixelColor(image.width() // 2, 3) == theme.colour("card")


def test_display_timer_is_slow_while_nothing_changes(ready: MainWindow, qtbot: QtBot) -> None:
    controller = ready.context.session_controller
    timer = controller.findChild(QTimer, "display_timer")
    assert isinstance(timer, QTimer)
    qtbot.waitUntil(lambda: timer.interval() >= 100)
    controller.session.play()
    qtbot.waitUntil(lambda: timer.interval() < 20)
    qtbot.waitUntil(lambda: controller.status.state == "finished")
    qtbot.waitUntil(lambda: timer.interval() >= 100)
    ready.context.document.set_value("run.duration_s", 20.0, "Duration")
    assert timer.interval() < 20
    qtbot.waitUntil(lambda: timer.interval() >= 100)


def test_recent_files_have_short_names(window: MainWindow, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a/snake.toml", "b/snake.toml", "a/wall.toml")]
    assert short_names(paths) == [
        str(Path("a", "snake.toml")),
        str(Path("b", "snake.toml")),
        "wall.toml",
    ]
    assert short_names([]) == []
