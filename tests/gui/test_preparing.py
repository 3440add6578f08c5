"""While no engine is there: the robot is drawn, the button says what it waits for, and everything else works."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QSettings, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.engines import registry
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.preparing_ahead import PreparingAhead, next_kind, on_battery
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.paths import scenes_dir
from snakestudio.session import engine_compiler as preparation_module
from snakestudio.session import session_core as conduct_module
from snakestudio.session.engine_compiler import EngineCompiler, Stage
from snakestudio.session.status import State
from tests.gui.conftest import MAIN_SCENE
from tests.gui.fake import make_recording
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
    """A window whose engine is prepared: 43 %, 9 s left."""
    window = make_window()
    assert window.context.files.open(MAIN_SCENE)
    qtbot.waitUntil(lambda: window.context.bridge.status.state == "preparing")
    tell(window, qtbot, Stage(0.43, 9.0))
    return window


def tell(window: MainWindow, qtbot: QtBot, stage: Stage) -> None:
    Preparing.begun[-1].stage = stage
    qtbot.waitUntil(lambda: window.context.run_bar.play.progress == stage.fraction)


def robot_pixels(window: MainWindow, qtbot: QtBot) -> int:
    """How many pixels of the viewport have the colour of the robot: nothing else is green."""
    qtbot.waitUntil(lambda: window.context.viewport.settled)
    with qtbot.waitSignal(window.context.viewport.frame_drawn):
        window.context.viewport.refresh()
    image = window.context.viewport.grab().toImage()
    found = 0
    for y in range(0, image.height(), 2):
        for x in range(0, image.width(), 2):
            colour = image.pixelColor(x, y)
            found += colour.green() > 1.5 * colour.red() and colour.green() > 1.2 * colour.blue()
    return found


def test_the_button_says_what_it_waits_for(preparing: MainWindow, qtbot: QtBot) -> None:
    play = preparing.context.run_bar.play
    plain = theme.scaled(44)
    assert play.says == "Preparing the planar engine 43 % · 9 s left"
    assert play.toolTip().startswith("Preparing the planar engine 43 % · 9 s left")
    assert play.width() > 3 * plain
    assert play.cancel.isVisible()
    qtbot.waitUntil(lambda: "preparing planar engine · 43 %, 9 s left" in preparing.context.status_bar.left.text)
    assert "43 %, 9 s left" in preparing.context.banners.run.text
    preparing.resize(900, 600)
    qtbot.waitUntil(lambda: play.width() < theme.scaled(180))
    Preparing.begun[0].stage = DONE
    qtbot.waitUntil(lambda: preparing.context.bridge.status.state == "ready" and play.says == "")
    assert play.width() == plain
    assert not play.cancel.isVisible()
    qtbot.waitUntil(lambda: play.toolTip().startswith("Play ("))


def test_the_button_is_filled_as_far_as_it_is(preparing: MainWindow, qtbot: QtBot) -> None:
    play = preparing.context.run_bar.play

    def filled() -> float:
        image = play.grab().toImage()
        row, accent = image.height() - 2, theme.colour("accent")
        inside = range(8, image.width() - 8)
        return sum(image.pixelColor(x, row).rgb() == accent.rgb() for x in inside) / len(inside)

    assert filled() == pytest.approx(0.43, abs=0.04)
    tell(preparing, qtbot, Stage(0.9, 2.0))
    assert filled() == pytest.approx(0.9, abs=0.04)


def test_it_plays_when_ready_and_that_can_be_taken_back(preparing: MainWindow, qtbot: QtBot) -> None:
    play = preparing.context.run_bar.play
    qtbot.mouseClick(play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: play.says == "Plays when ready 43 % · 9 s left")
    qtbot.waitUntil(lambda: "plays when ready" in preparing.context.status_bar.left.text)
    assert "running" not in preparing.context.status_bar.left.text
    qtbot.waitUntil(lambda: plain(preparing.context.actions_table["play"].text()) == "Do Not Play When Ready")
    qtbot.keyClick(preparing.context.viewport, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: play.says.startswith("Preparing"))
    qtbot.mouseClick(play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: preparing.context.bridge.status.queued)
    Preparing.begun[0].stage = DONE
    qtbot.waitUntil(lambda: preparing.context.bridge.status.state == "running")
    qtbot.waitUntil(
        lambda: preparing.context.bridge.displayed is not None and preparing.context.bridge.displayed.time > 0.0
    )
    assert len(Preparing.begun) == 1


@pytest.mark.parametrize("way", ["button", "banner", "command"])
def test_it_can_be_cancelled_and_begun_again(preparing: MainWindow, qtbot: QtBot, way: str) -> None:
    play, banner = preparing.context.run_bar.play, preparing.context.banners.run

    def press(text: str) -> None:
        qtbot.waitUntil(lambda: any(button.text() == text for button in banner.findChildren(QPushButton)))
        next(button for button in banner.findChildren(QPushButton) if button.text() == text).click()

    if way == "button":
        qtbot.mouseClick(play.cancel, Qt.MouseButton.LeftButton)
    elif way == "banner":
        press("Cancel")
    else:
        preparing.context.actions_table["prepare"].trigger()
    qtbot.waitUntil(lambda: play.says == "The planar engine is not prepared Prepare and play")
    assert Preparing.begun[0].stopped
    qtbot.waitUntil(lambda: "not prepared" in preparing.context.status_bar.left.text)
    assert robot_pixels(preparing, qtbot) > 100
    if way == "button":
        qtbot.mouseClick(play, Qt.MouseButton.LeftButton)
    elif way == "banner":
        press("Prepare")
    else:
        qtbot.waitUntil(lambda: plain(preparing.context.actions_table["prepare"].text()) == "Prepare the Engine")
        preparing.context.actions_table["prepare"].trigger()
    qtbot.waitUntil(lambda: preparing.context.bridge.status.state == "preparing")
    assert preparing.context.bridge.status.queued == (way == "button")
    assert len(Preparing.begun) == 2


def test_what_failed_is_said(preparing: MainWindow, qtbot: QtBot) -> None:
    Preparing.begun[0].stage = Stage(0.5, None, True, "The compiled engine cannot be kept in /full: make room there.")
    qtbot.waitUntil(lambda: "make room there" in preparing.context.banners.run.text)
    assert preparing.context.bridge.status.state == "unprepared"


def test_the_robot_is_drawn_and_follows_what_is_edited(preparing: MainWindow, qtbot: QtBot) -> None:
    document, bridge = preparing.context.document, preparing.context.bridge
    assert robot_pixels(preparing, qtbot) > 100
    before = bridge.displayed
    assert before is not None
    document.set_value("start.x_m", 0.52, "Move")
    qtbot.waitUntil(lambda: bridge.displayed.link_pose[0, 0] == pytest.approx(before.link_pose[0, 0] + 0.005))
    document.undo_stack.undo()
    qtbot.waitUntil(lambda: bridge.displayed.link_pose[0, 0] == pytest.approx(before.link_pose[0, 0]))
    assert preparing.context.run_bar.play.says, "it goes on being prepared"
    assert preparing.context.files.open(scenes_dir() / "sidewinding.toml")
    qtbot.waitUntil(lambda: "spatial engine" in preparing.context.run_bar.play.says)
    assert robot_pixels(preparing, qtbot) > 100
    assert [one.stopped for one in Preparing.begun] == [True, False]


def test_a_recorded_run_can_be_looked_at_meanwhile(preparing: MainWindow, qtbot: QtBot) -> None:
    bridge, play = preparing.context.bridge, preparing.context.run_bar.play
    bridge.open_run(make_recording(preparing.context.document.scene, 50), "earlier")
    assert play.says == "", "it plays what is shown"
    qtbot.waitUntil(preparing.context.actions_table["play"].isEnabled)
    play.click()
    qtbot.waitUntil(lambda: bridge.playing or bridge.cursor == 49)
    bridge.close_run()
    assert play.says.startswith("Preparing the planar engine")
    assert not Preparing.begun[0].stopped


def test_closing_ends_the_preparation(preparing: MainWindow) -> None:
    assert preparing.close()
    assert Preparing.begun[0].stopped


def test_dialogs_say_which_engine_they_wait_for(preparing: MainWindow, qtbot: QtBot) -> None:
    comparer = preparing.context.comparer
    monkey = ["planar_nonsmooth", "planar_lagrangian"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preparation_module, "is_prepared", lambda kind: False)
        comparer.start(monkey, 0.1)
        qtbot.waitUntil(lambda: comparer.doing == "Preparing the planar engine: 43 %, 9 s left")
        assert len(Preparing.begun) == 1, "the window's own is shared"
        task = comparer.task
        assert task is not None
        comparer.cancel()
        qtbot.waitUntil(lambda: not task.running)
    assert not Preparing.begun[0].stopped, "the window itself still waits for it"


# --- ahead of need ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Machine:
    """What the background preparation looks at."""

    now: float = 0.0
    state: State = "ready"
    busy: bool = False
    robot: bool = False
    battery: bool = False


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def ahead(qtbot: QtBot, tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[PreparingAhead]:
    """Where only the planar engine is compiled, and the newest of the recent scenes is one of the continuum."""
    monkeypatch.setattr(registry, "is_warm", lambda kind: kind == "planar_nonsmooth")
    made = PreparingAhead(
        EngineCompiler(),
        QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat),
        state=lambda: machine.state,
        busy=lambda: machine.busy,
        robot=lambda: machine.robot,
        recent=lambda: [MAIN_SCENE, scenes_dir() / "worm.toml"],
        clock=lambda: machine.now,
        battery=lambda: machine.battery,
    )
    yield made
    made.close()
    made.deleteLater()


def pass_time(ahead: PreparingAhead, machine: Machine, seconds: float) -> None:
    machine.now += seconds
    ahead.look()
    if ahead._search is not None:
        ahead._search.wait()
        QCoreApplication.sendPostedEvents()


def test_the_next_likely_engine_is_prepared_while_the_program_idles(ahead: PreparingAhead, machine: Machine) -> None:
    pass_time(ahead, machine, 4.0)
    assert not Preparing.begun
    pass_time(ahead, machine, 2.0)
    assert [(one.kind, one.idle) for one in Preparing.begun] == [("continuum_beam", True)]
    Preparing.begun[0].stage = Stage(0.5, 10.0)
    pass_time(ahead, machine, 1.0)
    assert ahead.doing == "Preparing the continuum engine in the background, 50 %"
    pass_time(ahead, machine, 60.0)
    assert len(Preparing.begun) == 1, "one at a time"
    Preparing.begun[0].stage = DONE
    pass_time(ahead, machine, 1.0)
    assert ahead.doing == ""


@pytest.mark.parametrize("what", ["running", "preparing", "unprepared", "busy", "battery", "unwanted", "robot"])
def test_nothing_is_prepared_where_it_would_disturb(ahead: PreparingAhead, machine: Machine, what: str) -> None:
    if what in ("running", "preparing", "unprepared"):
        machine.state = what  # type: ignore[assignment]
    elif what == "unwanted":
        ahead.set_wanted(False)
    else:
        setattr(machine, what, True)
    for _ in range(10):
        pass_time(ahead, machine, 3.0)
    assert not Preparing.begun


@pytest.mark.parametrize("what", ["robot", "unwanted", "close"])
def test_it_ends_at_once(ahead: PreparingAhead, machine: Machine, what: str) -> None:
    pass_time(ahead, machine, 6.0)
    assert not Preparing.begun[0].stopped
    if what == "robot":
        machine.robot = True
        ahead.look()
    elif what == "unwanted":
        ahead.set_wanted(False)
    else:
        ahead.close()
    assert Preparing.begun[0].stopped


def test_what_failed_once_is_not_tried_again(ahead: PreparingAhead, machine: Machine) -> None:
    pass_time(ahead, machine, 6.0)
    Preparing.begun[0].stage = Stage(0.1, None, True, "The disk is full.")
    for _ in range(6):
        pass_time(ahead, machine, 3.0)
    assert [one.kind for one in Preparing.begun[:2]] == ["continuum_beam", "spatial_nonsmooth"]


def test_which_engine_comes_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("no scene")
    warm = {"planar_nonsmooth"}
    monkeypatch.setattr(registry, "is_warm", lambda kind: kind in warm)
    recent = [broken, tmp_path / "gone.toml", MAIN_SCENE, scenes_dir() / "sidewinding.toml"]
    assert next_kind(recent) == "spatial_nonsmooth"
    first = next_kind([])
    assert first not in (None, "planar_nonsmooth")
    assert next_kind([], [str(first)]) not in (None, first, "planar_nonsmooth")
    warm.update(FORMULATIONS)
    assert next_kind(recent) is None, "shipped compiled, nothing is begun"


def test_the_choice_is_kept_and_the_robot_ends_it_in_the_window(
    make_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = make_window()
    assert window.context.ahead.wanted
    window.context.actions_table["prepare_ahead"].trigger()
    qtbot.waitUntil(lambda: not window.context.actions_table["prepare_ahead"].isChecked())
    assert not make_window().context.ahead.wanted
    window.context.ahead.set_wanted(True)
    window.context.bridge.session.preparations.ahead("continuum_beam")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(window.context.robot), "connected", True)
        window.context.robot.changed.emit()
        assert Preparing.begun[-1].stopped


def test_on_battery(tmp_path: Path) -> None:
    def supply(name: str, **says: str) -> None:
        (tmp_path / name).mkdir(exist_ok=True)
        for what, text in says.items():
            (tmp_path / name / what).write_text(f"{text}\n")

    assert not on_battery(tmp_path / "none")
    supply("AC", type="Mains", online="0")
    supply("mouse", type="Battery", scope="Device", status="Discharging")
    assert not on_battery(tmp_path)
    supply("BAT0", type="Battery", status="Discharging")
    assert on_battery(tmp_path)
    supply("BAT0", status="Charging")
    assert not on_battery(tmp_path)
