from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QFileSystemWatcher
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from snakestudio.gui.analysis.comparison.panel import ComparisonPanel
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.plugins import manager as manager_module
from snakestudio.gui.plugins.log_panel import PluginLogPanel
from snakestudio.gui.plugins.manager import PluginManager
from snakestudio.gui.plugins.new_dialog import NewPluginDialog
from snakestudio.gui.plugins.stuck_notice import StuckNotice
from snakestudio.gui.remote.methods import Methods
from snakestudio.gui.runs.export_dialog import ExportDialog
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.command_palette import command_entries
from snakestudio.gui.shell.context import Context
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_values
from snakestudio.model.registry import UncheckedFields
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.plugins.loaded import find
from snakestudio.plugins.source import read_source
from snakestudio.viewmodel.remote.protocol import RemoteError
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.pages.notices import NoticePage
from tests.plugins.plugin_files import QUICK, WAG, written

from .conftest import Answers

pytestmark = pytest.mark.gui


def parameters(c: Context) -> ParameterPanels:
    panels = c.docks["parameters"].widget()
    assert isinstance(panels, ParameterPanels)
    return panels


def offered(c: Context) -> list[str]:
    box = parameters(c).controller.box
    return [str(box.itemData(row)) for row in range(box.count())]


def play(c: Context, qtbot: QtBot, speed: float = math.inf) -> None:
    qtbot.waitUntil(
        lambda: c.session_controller.status.state in ("ready", "paused"), timeout=COMPILING_MS
    )
    c.session_controller.set_speed(speed)
    c.session_controller.play_or_pause()


def test_scene_runs_once_its_plugin_is_trusted(
    named: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    c = named.context
    assert find("wag") is None
    assert "wag.py of this scene" in c.banners.plugins.text
    assert c.banners.run.text == ""
    assert "wag" not in offered(c)
    c.document.set_value("run.duration_s", 0.3, "Shorter")
    assert isinstance(c.document.scene.controller, UncheckedFields)
    NoticePage(c.banners.plugins).press("review")
    assert answers.asked == [(tmp_path / "wag.py").read_text(encoding="utf-8")]
    assert not isinstance(c.document.scene.controller, UncheckedFields)
    assert c.document.scene.controller.amplitude_deg == 30.0
    assert c.banners.plugins.text == ""
    assert c.document.dirty
    assert c.document.undo_stack.count() == 1
    panel = parameters(c).controller
    assert "wag" in offered(c)
    assert panel.box.currentData() == "wag"
    assert panel.rows["controller.amplitude_deg"].field.doc.unit == "°"
    play(c, qtbot)
    qtbot.waitUntil(lambda: c.session_controller.status.state == "finished")
    recording = c.session_controller.recording
    assert recording is not None
    assert "phase_rad" in recording.schema.extra
    c.document.undo_stack.undo()
    assert not c.document.dirty
    assert not isinstance(c.document.scene.controller, UncheckedFields)
    assert c.plugins.unload("wag") == ""
    assert isinstance(c.document.scene.controller, UncheckedFields)
    assert c.document.scene.controller.model_dump()["amplitude_deg"] == 30.0
    assert "wag" not in offered(c)
    qtbot.waitUntil(lambda: c.session_controller.status.state == "blocked")
    assert not c.document.dirty


def test_question_is_asked_once_for_each_content(
    named: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    c = named.context
    answers.agree = False
    NoticePage(c.banners.plugins).press("review")
    assert find("wag") is None
    assert c.banners.plugins.text == ""
    assert "not trusted" in c.banners.run.text
    assert c.files.open(tmp_path / "scene.toml")
    assert c.banners.plugins.text == ""
    written(tmp_path, text=WAG.replace("20.0", "21.0"))
    qtbot.waitUntil(lambda: bool(c.banners.plugins.text))
    NoticePage(c.banners.plugins).press("open")
    assert c.banners.plugins.text == ""
    assert len(answers.asked) == 1
    answers.agree = True
    manager = PluginManager(c.plugins, c.document, named)
    qtbot.addWidget(manager)
    assert [(entry.name, entry.origin, entry.state) for entry in c.plugins.entries] == [
        ("wag", "scene", "untrusted")
    ]
    manager.load_button.click()
    assert manager.message.text() == ""
    assert manager.entry is not None
    assert (manager.entry.state_text, manager.entry.adds_text) == ("Loaded", "controller wag")
    manager.trust_button.click()
    assert "no longer trusted" in manager.message.text()
    manager.load_button.click()
    assert manager.entry.state == "untrusted"


def test_plugin_is_reloaded_during_a_run(
    named: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    c = named.context
    answers.own = True
    NoticePage(c.banners.plugins).press("review")
    c.document.set_value("run.duration_s", 1000.0, "Longer")
    play(c, qtbot, 1.0)
    qtbot.waitUntil(lambda: c.session_controller.status.state == "running")
    qtbot.waitUntil(
        lambda: (
            c.session_controller.session.latest is not None
            and c.session_controller.session.latest.time > 0.1
        )
    )
    written(tmp_path, text=WAG.replace("20.0", "21.0"))
    qtbot.waitUntil(lambda: "was reloaded" in c.banners.plugins.text)
    recording = c.session_controller.recording
    assert recording is not None
    qtbot.waitUntil(
        lambda: any("was reloaded, with its state" in event.text for event in recording.events)
    )
    assert c.session_controller.status.state == "running"
    before = find("wag")
    written(tmp_path, text="def broken(:")
    qtbot.waitUntil(lambda: "stays loaded" in c.banners.plugins.text)
    assert find("wag") is before
    assert c.session_controller.status.state == "running"
    assert len(answers.asked) == 1
    c.plugins.set_own(tmp_path / "wag.py", False)
    written(tmp_path, text=WAG.replace("20.0", "22.0"))
    qtbot.waitUntil(lambda: "wag.py has changed" in c.banners.plugins.text)
    NoticePage(c.banners.plugins).press("keep")
    assert find("wag") is before


def test_fault_pauses_and_the_run_continues_once_fixed(
    named: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    c = named.context
    answers.own = True
    fill_docks(named, "plugin_log")
    panel = c.docks["plugin_log"].widget()
    assert isinstance(panel, PluginLogPanel)
    written(tmp_path, here="print('at', time[0])\nif time[0] > 0.2: 1 / 0")
    c.plugins.check_files()
    NoticePage(c.banners.plugins).press("review")
    play(c, qtbot)
    qtbot.waitUntil(lambda: c.plugins.error is not None)
    assert c.session_controller.status.state == "paused"
    assert panel.message.text() == "The plug-in wag failed."
    assert "if time[0] > 0.2: 1 / 0" in panel.traceback.toPlainText()
    assert "division by zero" in c.banners.plugins.text
    assert panel.traceback.toPlainText().startswith(c.banners.plugins.text)
    qtbot.waitUntil(lambda: "wag: at 0.0" in panel.output.toPlainText())
    watcher = c.plugins.findChild(QFileSystemWatcher)
    assert watcher is not None
    watcher.blockSignals(True)
    written(tmp_path)
    panel.again.click()
    assert c.plugins.error is None
    qtbot.waitUntil(lambda: c.session_controller.status.state == "finished")
    assert "wag" not in panel.message.text()


def test_stop_pauses_when_plugin_returns_and_window_closes(
    named: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    c = named.context
    wait = "if time[0] > 0.2:\n    while not globals().get('opened'): pass"
    written(tmp_path, here=wait)
    c.plugins.check_files()
    NoticePage(c.banners.plugins).press("review")
    play(c, qtbot)
    qtbot.waitUntil(lambda: c.plugins.stuck == "wag")
    notice = next(each for each in c.status_bar.findChildren(StuckNotice) if each.isVisible())
    assert "wag" in notice.label.text()
    notice.button.click()
    assert not notice.button.isEnabled()
    assert "wag returns" in c.banners.plugins.text
    c.document.set_value("run.duration_s", 0.45, "Shorter")
    c.document.save()
    assert not c.document.dirty
    plugin = find("wag")
    assert plugin is not None
    plugin.module.__dict__["opened"] = True
    qtbot.waitUntil(lambda: c.session_controller.status.state == "paused")
    qtbot.waitUntil(lambda: c.plugins.stuck == "")
    assert c.banners.plugins.text == ""
    assert notice.button.isEnabled()
    assert not notice.isVisible()
    del plugin.module.__dict__["opened"]
    play(c, qtbot)
    qtbot.waitUntil(lambda: c.plugins.stuck == "wag")
    named.close()
    assert not named.isVisible()
    (worker,) = (each for each in threading.enumerate() if each.name == "snakestudio-session")
    plugin.module.__dict__["opened"] = True
    worker.join()


def test_new_plugin_is_listed_loaded_and_named(
    make_window: Callable[[], MainWindow],
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(manager_module, "open_file", lambda path: bool(opened.append(path)) or True)
    c = make_window().context
    fill_docks(c.window, "parameters")
    scene = tmp_path / "scene.toml"
    save_scene(with_values(Scene(), QUICK), scene)
    assert c.files.open(scene)
    manager = PluginManager(c.plugins, c.document, c.window)
    qtbot.addWidget(manager)
    dialog = NewPluginDialog(tmp_path, manager)
    qtbot.addWidget(dialog)
    dialog.write("controller", tmp_path / "my controller.py")
    assert "Python module" in dialog.message.text()
    path = tmp_path / "my_controller.py"
    dialog.write("controller", path)
    assert dialog.path == path
    manager.load_new_file(path)
    assert opened == [path]
    assert manager.message.text() == ""
    assert manager.entry is not None
    assert (manager.entry.name, manager.entry.state, manager.own.isChecked()) == (
        "my_controller",
        "loaded",
        True,
    )
    assert "my_controller" in offered(c)
    c.document.set_value("controller.kind", "my_controller", "Controller")
    assert "without naming it" in c.banners.plugins.text
    NoticePage(c.banners.plugins).press("add")
    assert c.document.scene.plugins == ("my_controller.py",)
    assert c.banners.plugins.text == ""
    c.document.save()
    assert load_scene(scene).controller.kind == "my_controller"


def test_plugins_stay_as_they_are_while_a_robot_may_move(
    named: MainWindow, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = named.context
    NoticePage(c.banners.plugins).press("review")
    monkeypatch.setattr(c.plugins, "_movable", lambda: True)
    before = find("wag")
    for refusal in (c.plugins.unload("wag"), c.plugins.reload("wag")):
        assert "may move" in refusal
    assert find("wag") is before


def test_window_offers_kinds_of_plugins_while_they_are_loaded(
    make_window: Callable[[], MainWindow], qtbot: QtBot, answers: Answers
) -> None:
    window = make_window()
    c = window.context
    fill_docks(window, "scene", "comparison")
    tree = c.docks["scene"].widget()
    compare = c.docks["comparison"].widget()
    assert isinstance(tree, SceneTree)
    assert isinstance(compare, ComparisonPanel)

    def shapes() -> list[str]:
        texts = [
            plain(action.text())
            for action in c.action_registry.menus["Edit/Add Obstacle"].actions()
        ]
        listed = [plain(action.text()) for action in tree.add_menu.actions()]
        strip = [button.preset.title for button in tree.palette_strip.buttons.values()]
        assert texts == listed == strip
        entries = {
            each.text
            for each in command_entries(c.action_registry, c.focus_cycle, c.layouts, c.files.open)
        }
        assert entries.issuperset(f"Add Obstacle: {text}" for text in texts)
        return texts

    def models() -> list[str]:
        return list(compare.boxes)

    before = shapes(), models()
    cylinder = c.action_registry["add_cylinder"]
    compare.boxes["planar_lagrangian"].click()
    toys = Path(__file__).parents[2] / "toys"
    for name in ("fence", "creeping"):
        assert c.plugins.load(read_source(toys / f"{name}.py")) == ""
    assert "Fence" in shapes()
    assert "creeping" in models()
    assert c.action_registry["add_cylinder"] is cylinder
    assert not compare.boxes["planar_lagrangian"].isChecked()
    assert not c.action_registry["add_fence"].icon().isNull()
    count = len(c.document.scene.obstacles)
    c.action_registry["add_fence"].trigger()
    assert c.document.scene.obstacles[count].kind == "fence"
    for name in ("fence", "creeping"):
        assert c.plugins.unload(name) == ""
    assert (shapes(), models()) == before
    assert not compare.boxes["planar_lagrangian"].isChecked()
    tree.add_button.click()  # the same kind as before, which is no longer available
    assert c.document.scene.obstacles[-1].kind != "fence"
    assert c.plugins.load(read_source(toys / "fence.py")) == ""
    tree.palette_strip.buttons["fence"].click()
    assert c.document.scene.obstacles[-1].kind == "fence"


def test_plugin_format_is_in_menu_and_remote_control(
    recorded: MainWindow,
    qtbot: QtBot,
    answers: Answers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    c = recorded.context
    methods = Methods(c)

    def menu() -> list[str]:
        actions = c.action_registry.menus["File/Export"].actions()
        return ["-" if each.isSeparator() else plain(each.text()) for each in actions]

    before = menu()
    csv = c.action_registry["export_csv"]
    toy = Path(__file__).parents[2] / "toys" / "milestones.py"
    assert c.plugins.load(read_source(toy)) == ""
    formats = menu()
    assert formats.index("Figures...") < formats.index("Milestones...") < formats.index("-")
    assert formats[-1] == "Obstacle list..."
    assert c.action_registry["export_csv"] is csv
    c.action_registry.refresh()
    assert c.action_registry["export_obstacle_list"].isEnabled()
    for command, name in (("milestones", "a.miles"), ("obstacle_list", "a.list")):
        arguments: list[str] = []

        def answer(
            *texts: object, name: str = name, arguments: list[str] = arguments
        ) -> tuple[str, str]:
            arguments += map(str, texts[1:])
            return str(tmp_path / name), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        qtbot.waitUntil(c.action_registry[f"export_{command}"].isEnabled)  # the last one has ended
        with qtbot.waitSignal(c.exporter.finished, timeout=60_000) as done:
            c.action_registry[f"export_{command}"].trigger()
            for dialog in recorded.findChildren(ExportDialog):  # of formats with options
                dialog.choose_button.click()
        assert done.args == [tmp_path / name], c.exporter.error
        assert arguments[2].endswith(f"(*{Path(name).suffix})")
    assert len((tmp_path / "a.miles").read_text().splitlines()) == 11
    assert set((tmp_path / "a.list").read_text().split()) == {
        each.kind for each in c.document.scene.obstacles
    }
    offered = {each["kind"]: each["endings"] for each in methods.call("formats", {})}
    assert offered["milestones"] == [".miles"]
    remote = tmp_path / "remote.miles"
    export = methods.call("export", {"path": str(remote), "options": {"every": 50}})
    assert export.work(lambda fraction: True) == str(remote)
    assert len(remote.read_text().splitlines()) == 3
    plan = methods.call("export", {"path": str(tmp_path / "plan.png"), "kind": "plan"})
    assert plan.work(lambda fraction: True) == str(tmp_path / "plan.png")
    c.document.set_value("obstacles", (), "Remove Obstacles")
    c.action_registry.refresh()
    assert not c.action_registry["export_obstacle_list"].isEnabled()
    with pytest.raises(RemoteError, match="cannot represent"):
        methods.call("export", {"path": str(tmp_path / "b.list")})
    assert c.plugins.unload("milestones") == ""
    assert menu() == before
    with pytest.raises(RemoteError, match=r"\.miles"):
        methods.call("export", {"path": str(tmp_path / "b.miles")})
    c.document.undo_stack.setClean()
