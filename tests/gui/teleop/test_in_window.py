"""Teleoperation in the window: the panel, the driven source, and motion of the simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.robot.teleop.editor import MappingEditor
from snakestudio.gui.robot.teleop.inputs import Input
from snakestudio.gui.robot.teleop.mapping import DEFAULT, RANGES, InputMap
from snakestudio.gui.robot.teleop.panel import TeleopPanel, acting, bound_keys
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.gui.robot.teleop.teleop_feature import Steerer
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.teleop import TeleopCommand
from snakestudio.paths import scenes_dir

pytestmark = pytest.mark.gui


class Driven:
    """Stand-in for a session."""

    def __init__(self) -> None:
        self.driven: list[TeleopCommand] = []

    def steer(self, command: TeleopCommand) -> None:
        self.driven.append(command)


class Robot(Driven):
    """Stand-in for a live robot."""

    def __init__(self) -> None:
        super().__init__()
        self.movable = True
        self.stopped: list[str] = []

    def stop(self, reason: str) -> None:
        self.stopped.append(reason)


@dataclass
class Shown:
    """Stand-in for the session controller."""

    source: str
    session: Driven


@pytest.fixture
def planar(ready: MainWindow, qtbot: QtBot) -> MainWindow:
    assert ready.context.files.open(scenes_dir() / "path_following.toml")
    qtbot.waitUntil(lambda: ready.context.session_controller.status.state == "ready")
    ready.context.run_bar.speed.choose(1.0)
    return ready


@pytest.fixture
def panel(planar: MainWindow, qtbot: QtBot) -> Iterator[TeleopPanel]:
    panel = TeleopPanel(planar.context.teleop_feature)
    qtbot.addWidget(panel)
    yield panel
    planar.context.teleop_feature.teleop.set_on(False)


def test_scene_becomes_drivable_in_one_undo_step(
    planar: MainWindow, panel: TeleopPanel, qtbot: QtBot
) -> None:
    window = planar
    teleoperation = planar.context.teleop_feature
    scene = window.context.document.scene
    assert panel.switch.text() == "Drive by Hand"
    window.context.action_registry["teleop"].trigger()
    assert "“Path following”" in window.context.banners.edits.text
    assert panel.message.text() == window.context.banners.edits.text
    assert panel.switch.text() == "Leave Teleoperation (Esc)"
    assert teleoperation.adoptable
    panel.adopt.click()
    assert window.context.document.undo_stack.count() == 1
    qtbot.waitUntil(
        lambda: (
            window.context.session_controller.status.state == "ready"
            and not window.context.session_controller.status.pending
        )
    )
    assert teleoperation.refusal == ""
    assert window.context.banners.edits.text == ""
    window.activateWindow()
    qtbot.waitUntil(lambda: not teleoperation.teleop.waiting)
    window.context.session_controller.play_or_pause()
    qtbot.keyPress(window.context.viewport, Qt.Key.Key_W)

    def moves() -> bool:
        now = acting(window.context.document.scene, window.context.session_controller.displayed)
        return now is not None and now.speed > 0.5

    qtbot.waitUntil(moves)
    assert window.context.session_controller.recording is not None
    events = window.context.session_controller.recording.events
    assert any("by hand" in event.text for event in events)
    qtbot.keyRelease(window.context.viewport, Qt.Key.Key_W)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_Escape)
    assert not window.context.action_registry["teleop"].isChecked() or not teleoperation.teleop.on
    assert not teleoperation.teleop.on
    window.context.document.undo_stack.undo()
    assert window.context.document.scene == scene


def test_continuous_body_is_refused_with_a_message(planar: MainWindow, qtbot: QtBot) -> None:
    assert planar.context.files.open(scenes_dir() / "worm.toml")
    planar.context.teleop_feature.toggle()
    assert not planar.context.teleop_feature.teleop.on
    assert "strain law" in planar.context.banners.edits.text


def test_frame_and_panel_show_the_command(
    planar: MainWindow, panel: TeleopPanel, qtbot: QtBot
) -> None:
    teleop = planar.context.teleop_feature.teleop
    frame = planar.context.teleop_feature.frame_over_view
    assert frame.isHidden()
    teleop.set_on(True)
    assert not frame.isHidden()
    planar.context.viewport.setFocus()
    qtbot.waitUntil(lambda: not teleop.waiting)
    qtbot.keyPress(planar.context.viewport, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: "paused" in frame.text and "Esc" in frame.text)
    planar.context.session_controller.play_or_pause()
    qtbot.waitUntil(lambda: frame.text == "back 100 %  ·  Esc leaves")
    assert panel.values["speed"][0].text() == "−100 %"
    assert panel.values["speed"][1].text() == "–", "nothing follows"
    names = {"fast_lateral_undulation", "cheap_lateral_undulation", "eel_like"}
    assert (
        set(panel.gait_buttons)
        == {"scene", "lateral_undulation", "obstacle_aided", "turning"} | names
    )
    assert bound_keys(DEFAULT).startswith("<b>W Up S Down</b> speed · <b>A Left D Right</b> turn")
    teleop.set_on(False)
    assert frame.isHidden()


@pytest.mark.parametrize("source", ["simulation", "robot", "replay"])
def test_shown_source_is_driven_and_other_robot_stopped(source: str, qtbot: QtBot) -> None:
    robot = Robot()
    session = Driven()
    teleop = Teleop(QWidget(), lambda: ("scene",), QSettings())
    qtbot.addWidget(teleop.parent())  # type: ignore[arg-type]
    steerer = Steerer(teleop, Shown(source, session), robot)  # type: ignore[arg-type]
    teleop.steered.emit(TeleopCommand(0.5))
    assert (len(session.driven), len(robot.driven)) == {
        "simulation": (1, 0),
        "robot": (0, 1),
        "replay": (0, 0),
    }[source]
    teleop.stop_requested.emit("The gamepad was unplugged.")
    assert robot.stopped == ["The gamepad was unplugged."]
    robot.movable = False
    teleop.stop_requested.emit("again")
    assert len(robot.stopped) == 1
    steerer.deleteLater()


def test_editor_binds_pressed_inputs_and_reports_problems(planar: MainWindow, qtbot: QtBot) -> None:
    teleop = planar.context.teleop_feature.teleop
    planar.context.teleop_feature.edit_mapping()
    editor = planar.findChild(MappingEditor)
    assert editor is not None
    assert editor.mapping == DEFAULT
    assert "F (Frame Selection)" in editor.conflicts.text()
    qtbot.waitUntil(editor.isActiveWindow)
    editor.table.rows[0].widget_of("input").click()
    qtbot.keyClick(editor, Qt.Key.Key_I)
    assert editor.table.rows[0].values.input == Input("key", "I")
    editor.table.rows[1].widget_of("input").click()
    qtbot.keyClick(editor, Qt.Key.Key_I)
    assert "Key I " in editor.message.text()
    assert "(Speed)" in editor.message.text()
    assert not editor.use.isEnabled()
    editor.table.rows[1].widget_of("input").click()
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible(), "Escape ends the waiting, not the dialog"
    editor.table.rows[1].widget_of("input").click()
    qtbot.keyClick(editor, Qt.Key.Key_U)
    assert editor.use.isEnabled()
    editor.add()
    qtbot.keyClick(editor, Qt.Key.Key_J)
    editor.table.rows[-1].widget_of("scale_percent").setValue(40.0)
    for index, field in enumerate(editor.numbers.values()):
        field.setValue(60.0 + index)
    assert {f.name for f in fields(InputMap)} == {"bindings", "dead_man", *editor.numbers}, (
        "all are reachable"
    )
    editor.use.click()
    assert teleop.mapping.references({Input("key", "I"): 1.0}).speed == pytest.approx(0.6)
    assert teleop.mapping.references({Input("key", "J"): 1.0}).speed == pytest.approx(0.4 * 0.6)
    assert [getattr(teleop.mapping, name) for name in RANGES] == pytest.approx(
        [0.6, 0.61, 0.62, 0.63, 0.64]
    )
    assert teleop.mapping.references({Input("key", "W"): 1.0}).speed == 0.0
    assert editor.isHidden()
    editor.close()
