"""The window where it is measured and chosen which processor is computed for, and the notice that says so once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from snakestudio import processor
from snakestudio.errors import PreparationError
from snakestudio.gui.core import theme
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.tuning import Tuner
from snakestudio.gui.shell.tuning_dialog import TuningDialog
from snakestudio.session import tuning
from snakestudio.session.tuning import CASES, PAIRS, Stage, Timing
from tests.gui.conftest import MAIN_SCENE

pytestmark = pytest.mark.gui


def timings(count: int = len(CASES), gain: float = 1.2) -> tuple[Timing, ...]:
    """The first ones measured: a microsecond a step, and `gain` times that for the baseline."""
    return tuple(
        Timing(case, ((gain * 1e-6, 1e-6),) * PAIRS) if number < count else Timing(case)
        for number, case in enumerate(CASES)
    )


class Measuring:
    """Measures as a test says: tells `stage` until it is let go or stopped."""

    def __init__(self) -> None:
        self.stage = Stage(0.0, 100.0, "Looking", timings(0))
        self.go_on, self.stopped = threading.Event(), threading.Event()
        self.error = ""
        self.begun = 0

    def __call__(self, tell: Callable[[Stage], bool]) -> tuple[Timing, ...] | None:
        self.begun += 1
        while not self.go_on.wait(0.01):
            if not tell(self.stage):
                self.stopped.set()
                return None
        if self.error:
            raise PreparationError(self.error)
        return timings()


@pytest.fixture(autouse=True)
def _fast_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One with wider vectors, nothing chosen, nobody told; compiled engines stay where they are."""
    monkeypatch.setattr(processor, "_given", "")
    monkeypatch.setattr(processor, "processor_name", lambda: "Fast One")
    monkeypatch.setattr(processor, "has_wider_vectors", lambda: True)
    monkeypatch.setattr(processor, "has_baseline", lambda: True)
    monkeypatch.setattr(processor, "_tuned_mark", lambda: tmp_path / "marks" / "tuned")
    monkeypatch.setattr(processor, "_told_mark", lambda: tmp_path / "marks" / "told")
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")


class Rig:
    """A dialog with a measurement of its own."""

    def __init__(self, qtbot: QtBot, settings: QSettings) -> None:
        self.measuring, self.robot, self.occupied = Measuring(), False, ""
        self.tuner = Tuner(settings, lambda: self.robot, lambda: self.occupied, self.measuring)
        self.dialog = TuningDialog(self.tuner)
        self.tuner.setParent(self.dialog)
        qtbot.addWidget(self.dialog)
        self.dialog.show()
        qtbot.waitExposed(self.dialog)

    def row(self, index: int) -> list[str]:
        table = self.dialog.table
        items = (table.item(index, column) for column in range(table.columnCount()))
        return [item.text() for item in items if item is not None]


@pytest.fixture
def rig(qtbot: QtBot, tmp_path: Path) -> Iterator[Rig]:
    made = Rig(qtbot, QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    yield made
    made.tuner.close()


def click(qtbot: QtBot, button: QPushButton) -> None:
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_table_fills_and_ends_in_a_recommendation(qtbot: QtBot, rig: Rig) -> None:
    dialog = rig.dialog
    assert "for x86-64-v3" in dialog.now.text()
    assert "Fast One" in dialog.now.text()
    assert rig.row(0) == ["planar", "obstacle_aided", "", "", ""]
    assert not dialog.copy_button.isEnabled()
    click(qtbot, dialog.measure_button)
    rig.measuring.stage = Stage(0.4, 65.0, "Timing the planar engine", timings(1))
    qtbot.waitUntil(lambda: dialog.note.text() == "Timing the planar engine: 40 %, 1 min 5 s left")
    assert dialog.bar.value() == 400
    assert rig.row(0) == ["planar", "obstacle_aided", "1.20 µs", "1.00 µs", "+20.0 %"]
    assert rig.row(1)[2:] == ["", "", ""]
    assert dialog.cancel_button.isVisible()
    assert not dialog.measure_button.isVisible()
    rig.measuring.go_on.set()
    qtbot.waitUntil(lambda: dialog.note.text().startswith("Worth it"))
    assert all("" not in rig.row(index) for index in range(len(CASES)))
    assert not dialog.bar.isVisible()
    click(qtbot, dialog.copy_button)
    assert "planar\tobstacle_aided\t1.20 µs\t1.00 µs\t+20.0 %" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("way", ["button", "close", "robot"])
def test_it_can_be_stopped(qtbot: QtBot, rig: Rig, way: str) -> None:
    dialog = rig.dialog
    click(qtbot, dialog.measure_button)
    rig.measuring.stage = Stage(0.4, 65.0, "Timing", timings(2))
    qtbot.waitUntil(lambda: rig.row(1)[4] == "+20.0 %")
    if way == "button":
        click(qtbot, dialog.cancel_button)
    elif way == "close":
        dialog.close()
    else:
        rig.robot = True
        rig.tuner.look()
    assert not rig.tuner.busy
    qtbot.waitUntil(rig.measuring.stopped.is_set)
    assert rig.row(1)[4] == "+20.0 %", "what was measured stays to be seen"
    assert not dialog.copy_button.isEnabled()
    if way == "robot":
        assert dialog.note.text().startswith("The measurement was stopped. A robot is connected")
    else:
        assert dialog.note.text() == "The measurement was cancelled."


def test_why_it_cannot_be_measured_is_said(qtbot: QtBot, rig: Rig) -> None:
    rig.robot = True
    rig.tuner.look()
    button, note = rig.dialog.measure_button, rig.dialog.note
    assert not button.isEnabled()
    assert button.toolTip().startswith("A robot is connected")
    assert note.text() == button.toolTip()
    rig.tuner.start()
    assert not rig.tuner.busy
    rig.robot, rig.occupied = False, "The simulation is running: pause it to measure."
    rig.tuner.look()
    assert not button.isEnabled()
    assert note.text() == rig.occupied
    rig.occupied = ""
    rig.tuner.look()
    assert button.isEnabled()
    assert rig.measuring.begun == 0


def test_what_failed_is_said_and_can_be_tried_again(qtbot: QtBot, rig: Rig) -> None:
    rig.measuring.error = "The disk is full."
    rig.measuring.go_on.set()
    click(qtbot, rig.dialog.measure_button)
    qtbot.waitUntil(lambda: rig.dialog.note.text() == "The disk is full.")
    rig.measuring.error = ""
    click(qtbot, rig.dialog.measure_button)
    qtbot.waitUntil(lambda: rig.dialog.note.text().startswith("Worth it"))


def test_the_switch_holds_from_the_next_start_on(qtbot: QtBot, rig: Rig) -> None:
    switch = rig.dialog.switch
    assert not switch.isChecked()
    switch.click()
    assert processor.chosen()
    assert switch.isChecked()
    assert "From the next start on it computes for this very processor" in rig.dialog.now.text()
    assert not processor.target().tuned
    switch.click()
    assert not processor.chosen()
    assert "next start" not in rig.dialog.now.text()


def test_a_choice_that_cannot_be_kept_is_said(qtbot: QtBot, rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("a file stands in the way")
    rig.dialog.switch.click()
    assert not rig.dialog.switch.isChecked()
    assert "cannot be kept" in rig.dialog.note.text()


def test_gains_that_count_stand_out_in_both_palettes(qtbot: QtBot, rig: Rig) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = theme.current().name
    rig.measuring.go_on.set()
    click(qtbot, rig.dialog.measure_button)
    qtbot.waitUntil(lambda: rig.tuner.measured)
    gain = rig.dialog.table.item(0, 4)
    assert gain is not None
    try:
        for name in ("light", "dark"):
            theme.apply(app, name)
            qtbot.waitUntil(lambda: gain.foreground().color() == theme.colour("good"))
    finally:
        theme.apply(app, before)


# --- in the window --------------------------------------------------------------------------------------------------


@pytest.fixture
def untold(qtbot: QtBot, make_window: Callable[[], MainWindow]) -> MainWindow:
    """A window that has not said it yet."""
    window = make_window()
    window.context.settings.remove("tuning/told")
    assert window.context.files.open(MAIN_SCENE)
    qtbot.waitUntil(lambda: window.context.bridge.status.state == "ready")
    return window


def run_for_a_moment(window: MainWindow, qtbot: QtBot) -> None:
    for state in ("running", "paused"):
        # Once the window has heard of it, not only the session.
        with qtbot.waitSignal(
            window.context.bridge.status_changed, check_params_cb=lambda now, to=state: now.state == to
        ):
            window.context.bridge.play_or_pause()


def test_it_is_said_once_when_the_first_run_stands(qtbot: QtBot, untold: MainWindow) -> None:
    banner = untold.context.banners.program
    untold.context.bridge.play_or_pause()
    qtbot.waitUntil(lambda: untold.context.bridge.status.state == "running")
    assert banner.text == "", "not beside a run"
    untold.context.bridge.play_or_pause()
    qtbot.waitUntil(lambda: banner.text == tuning.OFFER)
    button = next(one for one in banner.findChildren(QPushButton) if one.text() == "Tune ...")
    click(qtbot, button)
    dialog = untold.findChild(TuningDialog)
    assert dialog is not None
    assert dialog.isVisible()
    assert banner.text == ""
    assert untold.context.settings.value("tuning/told", False, bool)
    processor._told_mark().unlink()  # the settings alone are enough
    run_for_a_moment(untold, qtbot)
    assert banner.text == ""
    dialog.close()


@pytest.mark.parametrize("reason", ["narrow", "chosen", "told on the command line", "robot"])
def test_it_is_not_said(qtbot: QtBot, untold: MainWindow, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    with monkeypatch.context() as patched:
        if reason == "narrow":
            patched.setattr(processor, "has_wider_vectors", lambda: False)
        elif reason == "chosen":
            processor.tune(True)
        elif reason == "robot":
            patched.setattr(type(untold.context.robot), "connected", property(lambda self: True))
        else:
            processor.note_told()
        run_for_a_moment(untold, qtbot)
    assert untold.context.banners.program.text == ""
    assert not untold.context.settings.value("tuning/told", False, bool)


def test_it_waits_for_another_notice(qtbot: QtBot, untold: MainWindow) -> None:
    untold.context.banners.error("Something is wrong.")
    run_for_a_moment(untold, qtbot)
    assert untold.context.banners.program.text == "Something is wrong."
    untold.context.banners.program.clear()
    run_for_a_moment(untold, qtbot)
    assert untold.context.banners.program.text == tuning.OFFER


def test_the_window_says_why_this_is_no_moment(qtbot: QtBot, untold: MainWindow) -> None:
    untold.context.tuner.note_told()
    untold.context.actions_table["tune"].trigger()
    dialog = untold.findChild(TuningDialog)
    assert dialog is not None
    assert dialog.measure_button.isEnabled()
    untold.context.bridge.play_or_pause()
    qtbot.waitUntil(lambda: dialog.note.text() == "The simulation is running: pause it to measure.")
    untold.context.bridge.play_or_pause()
    qtbot.waitUntil(dialog.measure_button.isEnabled)
    dialog.close()
