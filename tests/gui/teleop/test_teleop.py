"""The teleoperation mode: keyboard focus, effects of commands, and lost inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMainWindow, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.robot.teleop.gamepad import Sdl
from snakestudio.gui.robot.teleop.inputs import Input
from snakestudio.gui.robot.teleop.mapping import DEFAULT
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.model.teleop import NEUTRAL, OWN_GAIT, TeleopCommand
from tests.gui.pages.hands import show_widget
from tests.gui.teleop.conftest import VirtualPad

pytestmark = pytest.mark.gui

GAITS = (OWN_GAIT, "lateral_undulation", "turning")
STILL = TeleopCommand()


class Bench(QMainWindow):
    """A window with a plain widget, a line of text and a shortcut that clashes."""

    def __init__(self, settings: QSettings) -> None:
        super().__init__()
        inside = QWidget()
        column = QVBoxLayout(inside)
        self.view = QWidget()
        self.line = QLineEdit()
        self.view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column.addWidget(self.view)
        column.addWidget(self.line)
        self.setCentralWidget(inside)
        self.fired: list[str] = []
        for keys in ("R", "N"):
            action = QAction(keys, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _=False, name=keys: self.fired.append(name))
            self.addAction(action)
        self.teleop = Teleop(self, lambda: GAITS, settings)
        self.said: list[TeleopCommand] = []
        self.stops: list[str] = []
        self.teleop.steered.connect(self.said.append)
        self.teleop.stop_requested.connect(self.stops.append)


@pytest.fixture
def settings(tmp_path_factory: pytest.TempPathFactory) -> QSettings:
    return QSettings(str(tmp_path_factory.mktemp("teleop") / "s.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def bench(qtbot: QtBot, settings: QSettings) -> Iterator[Bench]:
    bench = Bench(settings)
    show_widget(qtbot, bench)
    bench.activateWindow()
    qtbot.waitUntil(bench.isActiveWindow)
    bench.view.setFocus()
    yield bench
    bench.teleop.close()


@pytest.fixture
def driving(bench: Bench, qtbot: QtBot) -> Bench:
    bench.teleop.set_on(True)
    qtbot.waitUntil(lambda: len(bench.said) > 1)
    return bench


def last(bench: Bench) -> TeleopCommand:
    return bench.said[-1]


def test_held_keys_command_and_released_keys_stop(driving: Bench, qtbot: QtBot) -> None:
    assert last(driving) == STILL
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: last(driving).speed == 1.0)
    qtbot.keyPress(driving.view, Qt.Key.Key_D)
    qtbot.waitUntil(lambda: last(driving) == TeleopCommand(1.0, -1.0))
    rising = [command.speed for command in driving.said]
    assert any(0.0 < speed < 1.0 for speed in rising), "full speed is reached after 0.25 s"
    qtbot.keyRelease(driving.view, Qt.Key.Key_W)
    qtbot.keyRelease(driving.view, Qt.Key.Key_D)
    count = len(driving.said)
    qtbot.waitUntil(lambda: len(driving.said) > count)
    assert driving.said[count] == STILL, "a release takes effect immediately"


def test_keys_have_no_effect_outside_the_mode(bench: Bench, qtbot: QtBot) -> None:
    qtbot.keyClick(bench.view, Qt.Key.Key_R)
    assert bench.fired == ["R"]
    qtbot.keyPress(bench.view, Qt.Key.Key_W)
    qtbot.wait(60)
    assert bench.said == []
    qtbot.keyRelease(bench.view, Qt.Key.Key_W)


def test_clashing_shortcut_does_not_fire_and_others_do(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyClick(driving.view, Qt.Key.Key_R)
    qtbot.keyClick(driving.view, Qt.Key.Key_N)
    assert driving.fired == ["N"]
    driving.teleop.set_on(False)
    qtbot.keyClick(driving.view, Qt.Key.Key_R)
    assert driving.fired == ["N", "R"]


def test_text_is_typed_and_does_not_drive(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: last(driving).speed > 0.0)
    driving.line.setFocus()
    qtbot.waitUntil(lambda: last(driving) == STILL)
    qtbot.keyClicks(driving.line, "wasd")
    assert driving.line.text() == "wasd"
    assert last(driving) == STILL
    qtbot.keyClick(driving.line, Qt.Key.Key_Escape)
    assert driving.teleop.on, "Escape belongs to the field"


def test_escape_leaves_the_mode_and_stops(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: last(driving).speed > 0.0)
    qtbot.keyClick(driving.view, Qt.Key.Key_Escape)
    assert not driving.teleop.on
    assert last(driving) == STILL
    assert driving.stops == []


def test_tap_between_two_polls_is_not_missed(driving: Bench, qtbot: QtBot) -> None:
    for gait in ("lateral_undulation", "turning", None):
        count = len(driving.said)
        qtbot.keyClick(driving.view, Qt.Key.Key_E)
        qtbot.waitUntil(lambda gait=gait: last(driving).gait == gait)
        # a poll between two taps, as with any fingers
        qtbot.waitUntil(lambda count=count: len(driving.said) > count + 1)
    qtbot.keyClick(driving.view, Qt.Key.Key_Q)
    qtbot.waitUntil(lambda: last(driving).gait == "turning")


def test_amplitude_changes_while_its_key_is_held(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_F)
    qtbot.waitUntil(lambda: last(driving).amplitude < 0.9)
    qtbot.keyRelease(driving.view, Qt.Key.Key_F)
    qtbot.wait(50)
    stays = last(driving).amplitude
    qtbot.wait(60)
    assert last(driving).amplitude == stays
    driving.teleop.set_on(False)
    assert last(driving).amplitude == stays, "leaving the mode moves no joint"


def test_lost_focus_stops_once_and_waits_for_rest(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: last(driving).speed == 1.0)
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: not driving.isActiveWindow())
    assert last(driving) == STILL
    qtbot.wait(100)
    (reason,) = driving.stops
    assert "keyboard" in reason
    assert driving.teleop.notice.startswith(reason)
    driving.activateWindow()
    qtbot.waitUntil(driving.isActiveWindow)
    qtbot.waitUntil(lambda: driving.teleop.notice == "")
    assert last(driving) == STILL, "the held key must be pressed again"


def test_open_menu_releases_the_keys(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: last(driving).speed == 1.0)
    menu = QMenu(driving)
    menu.addAction("Something")
    menu.popup(driving.mapToGlobal(driving.rect().center()))
    qtbot.waitUntil(lambda: last(driving) == STILL)
    menu.close()
    assert len(driving.stops) == 1


def test_gamepad_drives_and_unplugging_it_stops(
    driving: Bench, qtbot: QtBot, plug: Callable[..., VirtualPad]
) -> None:
    pad = plug(driving.teleop.gamepads)
    pad.axis(1, -1.0)
    pad.axis(2, 0.05)
    qtbot.waitUntil(lambda: last(driving) == TeleopCommand(1.0, 0.0))
    pad.unplug()
    qtbot.waitUntil(lambda: bool(driving.stops))
    assert last(driving) == STILL
    assert driving.stops[0].endswith("was unplugged.")
    other = plug(driving.teleop.gamepads)
    other.axis(1, -0.7)
    other.button(3, True)
    qtbot.waitUntil(lambda: last(driving).speed > 0.3)
    assert last(driving).gait == "lateral_undulation"


def test_hanging_gamepad_stops_once_and_keeps_its_inputs(
    driving: Bench, qtbot: QtBot, plug: Callable[..., VirtualPad], monkeypatch: pytest.MonkeyPatch
) -> None:
    pad = plug(driving.teleop.gamepads)
    pad.axis(1, -1.0)
    qtbot.waitUntil(lambda: last(driving) == TeleopCommand(1.0, 0.0))
    goes_on = threading.Event()
    real = Sdl.read

    def held(sdl: Sdl) -> dict[Input, float]:
        goes_on.wait(30.0)
        return real(sdl)

    monkeypatch.setattr(Sdl, "read", held)
    monkeypatch.setattr("snakestudio.gui.robot.teleop.gamepad._STALE_S", 0.3)
    qtbot.waitUntil(lambda: bool(driving.stops))
    qtbot.wait(200)
    (reason,) = driving.stops
    assert "gamepad" in reason
    monkeypatch.setattr("snakestudio.gui.robot.teleop.gamepad._STALE_S", 5.0)
    goes_on.set()
    qtbot.waitUntil(lambda: bool(driving.teleop.gamepads.readings))
    qtbot.wait(200)
    assert last(driving) == STILL, "the stick was held all the time"
    pad.axis(1, 0.0)
    qtbot.waitUntil(lambda: driving.teleop.notice == "")
    pad.axis(1, -1.0)
    qtbot.waitUntil(lambda: last(driving).speed > 0.3)


def test_inputs_held_at_the_start_do_not_drive(
    bench: Bench, qtbot: QtBot, plug: Callable[..., VirtualPad]
) -> None:
    bench.teleop.gamepads.want("test", True)
    pad = plug(bench.teleop.gamepads)
    pad.axis(1, -1.0)
    qtbot.waitUntil(lambda: bool(bench.teleop.gamepads.readings))
    bench.teleop.set_on(True)
    qtbot.wait(100)
    assert {command.speed for command in bench.said} == {0.0}
    assert "Release" in bench.teleop.notice
    pad.axis(1, 0.0)
    qtbot.waitUntil(lambda: bench.teleop.notice == "")
    pad.axis(1, -1.0)
    qtbot.waitUntil(lambda: last(bench).speed == 1.0)


def test_nothing_moves_without_the_dead_man_button(driving: Bench, qtbot: QtBot) -> None:
    driving.teleop.set_mapping(replace(DEFAULT, dead_man=True))
    qtbot.wait(50)
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: "dead-man" in driving.teleop.notice)
    assert last(driving) == STILL
    qtbot.keyPress(driving.view, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: last(driving).speed == 1.0)
    assert driving.teleop.notice == ""
    qtbot.keyRelease(driving.view, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: last(driving) == STILL)
    assert driving.stops == []


def test_pressed_stop_is_commanded_immediately(driving: Bench, qtbot: QtBot) -> None:
    qtbot.keyPress(driving.view, Qt.Key.Key_W)
    qtbot.keyPress(driving.view, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: driving.stops == ["Stop was pressed."])
    assert last(driving).still


def test_mapping_is_stored_and_a_broken_one_ignored(
    bench: Bench, settings: QSettings, qtbot: QtBot
) -> None:
    mine = replace(DEFAULT, dead_man=True, top_speed=0.5)
    bench.teleop.set_mapping(mine)
    again = Bench(settings)
    qtbot.addWidget(again)
    assert again.teleop.mapping == mine
    settings.setValue("teleop/mapping", "speed = [")
    broken = Bench(settings)
    qtbot.addWidget(broken)
    assert broken.teleop.mapping == DEFAULT
    assert broken.teleop.command == NEUTRAL
