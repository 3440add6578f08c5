"""Studies in a real window: set up, run by real workers, and never lost."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.cli import main
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.study.cluster_dialog import ClusterDialog, WorkerChoice
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.panel import StudyPanel
from snakestudio.gui.study.run_bar import StudyRunBar
from snakestudio.gui.study.setup.fixed_form import FixedForm
from snakestudio.gui.study.setup.page import SetupPage
from snakestudio.gui.study.setup.search_form import SearchForm
from snakestudio.gui.study.workers_table import WorkersTable
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.study.cluster import WorkerInfo
from snakestudio.study.running import results_of
from snakestudio.study.store import store_path
from snakestudio.study.study_file import load_study, save_study
from snakestudio.viewmodel.study.landing import newer_results, trace_of
from tests.gui.conftest import COMPILING_MS, MAIN_SCENE, fill_docks
from tests.gui.pages.hands import type_into
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.parts import label, part, suggestions
from tests.study.conftest import study_file
from tests.study.made_up import made_up_study, write_store

pytestmark = pytest.mark.gui
# Workers have the lowest priority, so a busy machine makes them wait: their tests include time to
# compile.

__all__ = ["study_file"]


@pytest.fixture
def open_window(window: MainWindow, study_file: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window with the panels of values and studies, and the study's scene open."""
    c = window.context
    fill_docks(window, "inspector", "parameters", "study")
    assert c.files.open(study_file.parent / "snake.toml")
    WorkerChoice(1).keep(c.settings)
    yield window
    c.study.close()  # otherwise a question would wait for an answer


@pytest.fixture
def opened(open_window: MainWindow, study_file: Path, qtbot: QtBot) -> MainWindow:
    """The same with the study open and checked."""
    assert open_window.context.study.open(study_file)
    checked(open_window, qtbot)
    return open_window


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Questions with their titles and default buttons; all are answered by Escape."""
    widget: list[tuple[str, str]] = []

    def exec_(box: QMessageBox) -> int:
        default = box.defaultButton()
        widget.append(
            (box.windowTitle(), default.text().replace("&", "") if default is not None else "")
        )
        return int(QMessageBox.StandardButton.Cancel)

    monkeypatch.setattr(QMessageBox, "exec", exec_)
    return widget


@pytest.fixture
def long_study(study_file: Path) -> Path:
    """Forty runs of some seconds each."""
    scene = load_scene(study_file.parent / "snake.toml")
    save_scene(with_values(scene, {"run.duration_s": 20.0}), study_file.parent / "snake.toml")
    study_file.write_text(study_file.read_text().replace("steps = 3", "steps = 20"))
    return study_file


def answered(monkeypatch: pytest.MonkeyPatch, button: QMessageBox.StandardButton) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda box: int(button))


def checked(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the current study has been checked."""
    opened = window.context.study.open_study
    qtbot.waitUntil(lambda: not opened.checking)


def panel(window: MainWindow) -> StudyPanel:
    widget = window.context.docks["study"].widget()
    assert isinstance(widget, StudyPanel)
    return widget


def page(window: MainWindow) -> SetupPage:
    return panel(window).setup


def bar(window: MainWindow) -> StudyRunBar:
    return panel(window).run_bar


# ----------------------------------------------------------------------------- creating and opening


def test_new_study_is_saved_next_to_the_scene(
    open_window: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    c = open_window.context
    assert not c.docks["study"].isVisible()
    c.action_registry["new_study"].trigger()
    path = c.study.open_study.path
    assert path == study_file.parent / "snake-2.study.toml", "the first name exists"
    assert c.docks["study"].isVisible()
    study = load_study(path)
    assert (study.scene, study.vary[0].key, study.goals[0].measure) == (
        "snake.toml",
        "gait.amplitude_deg",
        "net_speed",
    )
    checked(open_window, qtbot)
    assert c.study.open_study.ready
    assert bar(open_window).run_button.isEnabled()
    assert bar(open_window).text.text() == "11 points"
    assert page(open_window).goals.cards[0].unit.text() == "m/s"
    assert c.study.recent.paths[0] == path


def test_scene_without_a_file_is_saved_first(
    open_window: MainWindow,
    questions: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    c = open_window.context
    c.files.open(MAIN_SCENE)  # a copy of a bundled one
    assert not c.study.new()
    assert [default for _, default in questions] == ["Save"]
    assert c.study.open_study.path is None
    answered(monkeypatch, QMessageBox.StandardButton.Save)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine.toml"), "")
    )
    assert c.study.new()
    assert c.study.open_study.scene_path == tmp_path / "mine.toml"


def test_dropped_study_is_opened_with_its_scene(
    window: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    c = window.context
    c.open_file(study_file)
    assert c.study.open_study.path == study_file
    assert c.document.path == study_file.parent / "snake.toml"
    fill_docks(window, "study")
    qtbot.waitUntil(lambda: page(window).varying.cards[0].title.text() == "Gait: Amplitude")


def test_study_on_the_command_line_is_opened(
    study_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("snakestudio.gui.app.run", lambda path, watch: started.append(path) or 0)
    assert main([str(study_file)]) == 0
    assert started == [study_file]
    study_file.write_text("format = 1\nscene = 'none.toml'\n[[vary]]\nkey = 'a'\n")
    assert main([str(study_file)]) == 2
    assert "none.toml" in capsys.readouterr().err
    assert len(started) == 1


STARTED = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from snakestudio.gui.app import run

def watch(window):
    def look():
        if not window.context.docks["study"].visibleRegion().isEmpty():
            print(window.context.study.open_study.path)
            window.close()
    window.timer = QTimer(window)
    window.timer.timeout.connect(look)
    window.context.docks.filled.connect(lambda: window.timer.start(50))

sys.exit(run(Path(sys.argv[1]), watch))
"""


def test_program_starts_with_a_study_in_front(study_file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(study_file)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.stdout.strip(), done.returncode) == (str(study_file), 0), done.stderr


def test_file_changed_by_another_program_is_reloaded(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    text = study_file.read_text()
    study_file.write_text(text.replace("high = 40.0", "high = 45.0  # mine"))
    qtbot.waitUntil(lambda: page(opened).varying.cards[0].high.editor.value == 45)
    assert "reloaded" in panel(opened).banner.text
    type_into(page(opened).varying.cards[0].low.field, "25")
    qtbot.waitUntil(lambda: "low = 25.0" in study_file.read_text())
    assert "# mine" in study_file.read_text()


def test_removed_file_is_written_again_only_on_request(
    opened: MainWindow, study_file: Path, questions: list[tuple[str, str]], qtbot: QtBot
) -> None:
    text = study_file.read_text()
    study_file.unlink()
    qtbot.waitUntil(lambda: panel(opened).banner.text != "")
    assert panel(opened).banner.text.startswith("snake.study.toml ")
    assert not opened.context.study.open_study.ready
    assert opened.context.study.may_close(), "it equals its last file"
    study_file.write_text(text.replace("high = 40.0", "high = 45.0"))  # restored by another program
    qtbot.waitUntil(lambda: page(opened).varying.cards[0].high.editor.value == 45)
    checked(opened, qtbot)
    assert opened.context.study.open_study.ready

    study_file.unlink()
    type_into(page(opened).varying.cards[0].low.field, "25")  # before the study is checked
    assert not study_file.exists()
    assert "snake.study.toml" in panel(opened).banner.text
    assert not opened.context.study.may_close()
    assert questions == [("Unsaved Changes", "Save")]
    assert not study_file.exists()
    NoticePage(panel(opened).banner).press("again")
    assert load_study(study_file).vary[0].low == 25.0
    assert panel(opened).banner.text == ""


def test_unreadable_file_is_reported_and_never_written(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    good = study_file.read_text()
    bad = good.replace("steps = 3", "steps = 'many'")
    study_file.write_text(bad)
    qtbot.waitUntil(lambda: panel(opened).banner.text != "")
    assert "vary[1].steps" in panel(opened).banner.text
    assert not bar(opened).run_button.isEnabled()
    menu = panel(opened).menu_button.menu()
    menu.aboutToShow.emit()
    save_as = next(action for action in menu.actions() if action.text() == "Save As...")
    assert not save_as.isEnabled(), "nothing was read that could be saved"
    opened.context.study.vary(["ground.mu_along"])
    assert study_file.read_text() == bad
    study_file.write_text(good)
    assert opened.context.study.open(study_file)
    checked(opened, qtbot)
    assert bar(opened).run_button.isEnabled()


def test_bundled_studies_are_never_written(
    opened: MainWindow,
    study_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    before = study_file.read_text()
    monkeypatch.setattr(
        "snakestudio.viewmodel.study.study_on_disk.is_shipped_scene",
        lambda path: path == study_file,
    )
    assert opened.context.study.open(study_file)
    type_into(page(opened).varying.cards[0].low.field, "25")
    assert study_file.read_text() == before
    assert "bundled" in panel(opened).banner.text
    own = tmp_path / "own" / "mine.study.toml"
    own.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(own), ""))
    assert opened.context.study.ask_save_as()
    study = load_study(own)
    assert study.vary[0].low == 25.0
    assert study.scene == "../snake.toml"
    checked(opened, qtbot)
    assert opened.context.study.open_study.ready


def test_failed_save_as_keeps_the_file(
    opened: MainWindow, study_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "file" / "mine.study.toml"), "")
    )
    assert not opened.context.study.ask_save_as()
    assert "cannot be written" in opened.context.banners.study.text
    assert opened.context.study.open_study.path == study_file
    assert opened.context.study.open_study.ready
    assert panel(opened).file.text() == "snake.study.toml, of snake.toml"


# ------------------------------------------------------------------------------------------- set up


def test_typed_values_are_saved_and_checked_immediately(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    study_file.write_text("# why\n" + study_file.read_text())
    qtbot.waitUntil(lambda: opened.context.study.open_study.taken_up)
    card = page(opened).varying.cards[0]
    type_into(card.low.field, "50")
    checked(opened, qtbot)
    assert "from 50 to 40" in card.message.text()
    assert not bar(opened).run_button.isEnabled()
    assert "1 problem" in bar(opened).text.text()
    assert "low = 50.0" in study_file.read_text(), "the typed values stay"
    assert study_file.read_text().startswith("# why\n")
    type_into(card.low.field, "500")
    assert "at most" in card.message.text(), "an invalid value is reported while it is in the field"
    type_into(card.low.field, "20 °")
    type_into(card.steps.field, "5")
    checked(opened, qtbot)
    assert card.message.text() == ""
    assert bar(opened).text.text() == "10 points"


def test_value_is_found_by_name_and_varies_over_a_list(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    varying = page(opened).varying
    varying.add.setFocus()
    QTest.keyClicks(varying.add, "formulation")
    QTest.keyClick(varying.add, Qt.Key.Key_Escape)
    type_into(varying.add, "gait.frequency_deg_s")
    qtbot.waitUntil(lambda: len(varying.cards) == 3)
    card = varying.cards[2]
    assert "Frequency" in card.title.text()
    card.kind.field.setCurrentIndex(card.kind.field.findData("list"))
    assert card.vary.values
    type_into(card.values.field, "40, 60; 80")
    assert load_study(study_file).vary[2].values == (40.0, 60.0, 80.0)
    card.kind.field.setCurrentIndex(card.kind.field.findData("range"))
    vary = load_study(study_file).vary[2]
    assert (vary.low, vary.high, vary.steps) == (40.0, 80.0, 3)
    type_into(varying.add, "gait.nonsense")
    assert "no such key" in varying.message.text()
    type_into(varying.add, "ground.mu_across")
    assert "already varies" in varying.message.text()
    card.remove_button.click()
    assert len(load_study(study_file).vary) == 2


def test_choices_vary_over_the_selected_ones(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    opened.context.study.vary(["model.kind"])
    card = page(opened).varying.cards[2]
    qtbot.waitUntil(lambda: bool(page(opened).varying.cards[2].ticks))
    card = page(opened).varying.cards[2]
    card.ticks["planar_nonsmooth"].click()
    assert "planar_nonsmooth" not in load_study(study_file).vary[2].values
    assert "planar_lagrangian" in load_study(study_file).vary[2].values


def test_expression_is_checked_while_typing(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    goals = page(opened).goals
    action = next(
        action for action in goals.menu.actions() if action.text().startswith("Expression")
    )
    action.trigger()
    checked(opened, qtbot)
    card = goals.cards[1]
    assert card.unit.text() == "m"
    type_into(card.expression, "max(link_3_vx_mp", enter=False)
    QTest.keyClick(card.expression, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: card.message.text() != "")
    card.expression.setText("max(link_3_vx_mps)")
    card.expression.setModified(True)
    card.expression.textEdited.emit(card.expression.text())
    qtbot.waitUntil(lambda: card.message.text() == "" and card.unit.text() == "m/s")
    assert load_study(study_file).goals[1].measure != "max(link_3_vx_mps)", (
        "only on leaving the field"
    )
    suggestions(card.expression).hide()
    card.expression.setFocus()
    QTest.keyClick(card.expression, Qt.Key.Key_Return)
    assert load_study(study_file).goals[1].measure == "max(link_3_vx_mps)"


def test_goals_limits_repeats_and_fixed_values_are_edited(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    setup = page(opened)
    setup.search.kind.setCurrentIndex(setup.search.kind.findData("cma_es"))
    checked(opened, qtbot)
    setup.goals.add("cost_of_transport")
    checked(opened, qtbot)
    assert "1 goal" in setup.goals.message.text()
    assert "there are 2" in setup.goals.message.text()
    setup.goals.cards[0].remove_button.click()
    assert load_study(study_file).goals[0].aim == "minimise", "a lower cost is better"
    setup.limits.add("largest_torque")
    checked(opened, qtbot)
    assert not setup.sections["Limits"].is_folded, "a section with a problem is expanded"
    assert "no bound" in setup.limits.cards[0].message.text()
    assert setup.limits.cards[0].unit.text() == "N m"
    type_into(setup.limits.cards[0].at_most.field, "3")  # type: ignore[attr-defined]
    type_into(setup.search.fields["points"], "12")
    type_into(setup.repeats.count, "4")
    type_into(setup.repeats.add, "ground.mu_along")
    type_into(setup.repeats.cards[0].spread, "0.2")
    type_into(setup.fixed.add, "run.duration_s")
    type_into(setup.fixed.cards[0].value, "0.4")
    checked(opened, qtbot)
    study = load_study(study_file)
    assert study.limits[0].at_most == 3.0
    assert study.repeats.jitter[0].key == "ground.mu_along"
    assert study.repeats.jitter[0].spread == 0.2
    assert study.fixed == {"run.duration_s": 0.4}
    assert bar(opened).text.text() == "12 points, 48 runs"
    assert opened.context.study.open_study.ready


def test_value_is_varied_from_its_menu(
    open_window: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    c = open_window.context
    row = c.docks["parameters"].widget().rows["gait.phase_shift_deg"]
    c.docks.show("parameters")
    menu_of(row.field, qtbot, "Vary in a Study")
    path = c.study.open_study.path
    assert path is not None, "a new study of the current scene"
    assert [vary.key for vary in load_study(path).vary] == ["gait.phase_shift_deg"]
    inspector = c.docks["inspector"].widget()
    inspector.search.setText("friction along")
    qtbot.waitUntil(lambda: "ground.mu_along" in inspector.rows)
    menu_of(label(inspector.rows["ground.mu_along"]), qtbot, "Vary in a Study")
    assert [vary.key for vary in load_study(path).vary] == [
        "gait.phase_shift_deg",
        "ground.mu_along",
    ]
    menu_of(inspector.rows["ground.mu_along"].field, qtbot, "Vary in a Study")
    assert "already varies in snake-2.study.toml" in c.banners.study.text
    menu_of(inspector.rows["ground.mu_along"].field, qtbot, "Copy Key")
    assert QApplication.clipboard().text() == "ground.mu_along"


def menu_of(widget: QWidget, qtbot: QtBot, entry: str) -> None:
    """Open the context menu of a widget, like a right click, and choose an entry."""
    middle = widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, widget.mapToGlobal(middle))
    QApplication.sendEvent(widget, event)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if plain(action.text()) == entry).trigger()
    menu.hide()


# ---------------------------------------------------------------------------------------------- run


def test_study_runs_and_computes_nothing_twice(
    opened: MainWindow, study_file: Path, make_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    c = opened.context
    runner = c.study.runner
    bar(opened).run_button.click()
    assert runner.busy
    assert panel(opened).tabs.currentWidget() is panel(opened).results_page
    qtbot.waitUntil(lambda: bar(opened).workers.model().rowCount() == 1, timeout=COMPILING_MS)
    assert not part(page(opened), QWidget, "setup_form").isEnabled(), (
        "a running study cannot be changed"
    )
    qtbot.waitUntil(bar(opened).run_button.isVisible, timeout=COMPILING_MS)
    qtbot.waitUntil(lambda: not c.study.open_study.reading)
    assert runner.error == ""
    assert results_of(study_file)["runs"].sum() == 6
    assert panel(opened).results.linked.has_results, "the results are shown"
    assert bar(opened).text.text() == "6 of 6 runs complete"
    study = c.study.open_study.study
    c.study.open_study.edit(study.model_copy(update={"title": "Another"}))
    assert bar(opened).text.text() == "6 of 6 runs complete"
    c.study.open_study.edit(study.model_copy(update={"vary": study.vary[:1]}))
    assert re.fullmatch(r"3 points, about .* with \d workers?; 6 complete", bar(opened).text.text())
    c.study.open_study.edit(study)
    checked(opened, qtbot)
    opened.close()
    # A week later:
    window = make_window()
    c = window.context
    assert c.study.recent.paths == [study_file]
    c.action_registry.menus["Simulation/Open Recent Study"].aboutToShow.emit()
    c.action_registry.menus["Simulation/Open Recent Study"].actions()[0].trigger()
    checked(window, qtbot)
    qtbot.waitUntil(lambda: c.study.open_study.results is not None, timeout=COMPILING_MS)
    assert c.study.run()
    qtbot.waitUntil(lambda: not c.study.runner.busy, timeout=COMPILING_MS)
    progress = c.study.runner.progress
    assert progress is not None
    assert (progress.state, progress.finished, progress.known) == ("done", 6, 6)


def test_unreadable_results_are_named_until_repaired(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    results = store_path(study_file)
    results.write_bytes(b"damaged" * 1000)
    c = opened.context
    c.study.close()
    assert c.study.open(study_file)
    checked(opened, qtbot)
    qtbot.waitUntil(lambda: c.study.open_study.unreadable_results != "")
    assert c.study.run()
    qtbot.waitUntil(lambda: c.study.runner.error != "", timeout=COMPILING_MS)
    for banner in (panel(opened).banner, bar(opened).error):
        assert banner.text.startswith("snake.study.results: ")
    results.unlink()
    assert c.study.open(study_file)
    assert bar(opened).error.text == ""


def test_results_fit_into_a_small_window(
    opened: MainWindow, study_file: Path, qtbot: QtBot
) -> None:
    """At 900 by 600 pixels one part at a time is visible in full, without scrolling."""
    study = made_up_study(("amplitude", "phase"), 1)
    save_study(study, study_file)
    write_store(store_path(study_file), study)
    c = opened.context
    c.study.close()
    opened.resize(900, 600)
    assert c.study.open(study_file)
    p = panel(opened)
    p.tabs.setCurrentWidget(p.results_page)
    results = p.results
    qtbot.waitUntil(lambda: results.linked.has_results and opened.height() == 600)
    chart = results.charts[results.shown_charts[0]]
    qtbot.waitUntil(
        lambda: chart.height() >= 160 and chart.visibleRegion().boundingRect() == chart.rect()
    )
    assert not p.title.isVisible(), "it is visible in the setup"
    for name, chip in results.chips.items():
        assert chip.visibleRegion().boundingRect() == chip.rect()
        assert chip.width() > chip.fontMetrics().horizontalAdvance(name), f"{name} is not clipped"
    results.chips["Table"].click()
    table = results.table
    qtbot.waitUntil(lambda: table.viewport().height() >= 4 * table.rowHeight(0))
    assert table.visibleRegion().boundingRect() == table.rect()
    p.tabs.setCurrentWidget(p.setup)
    assert p.title.isVisible()


def test_closing_the_window_asks_and_ends_the_study(
    long_study: Path,
    opened: MainWindow,
    questions: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    runner = opened.context.study.runner
    assert opened.context.study.run()
    qtbot.waitUntil(
        lambda: bool(runner.progress and runner.progress.finished), timeout=COMPILING_MS
    )
    opened.close()
    assert questions == [("Close SnakeStudio", "Cancel")]
    assert opened.isVisible()
    assert runner.busy
    answered(monkeypatch, QMessageBox.StandardButton.Close)
    opened.close()
    assert not opened.isVisible()
    assert not runner.busy
    assert results_of(long_study)["runs"].sum() >= 1


def test_unsaved_changes_of_a_study_cause_a_question(
    opened: MainWindow,
    study_file: Path,
    questions: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("snakestudio.study.study_file.write_atomically", full)
    type_into(page(opened).varying.cards[0].low.field, "25")
    assert "No space left" in panel(opened).banner.text
    assert not opened.context.study.may_close()
    assert questions == [("Unsaved Changes", "Save")]
    assert page(opened).varying.cards[0].low.editor.value == 25.0
    monkeypatch.undo()
    opened.context.study.open_study.save()
    assert load_study(study_file).vary[0].low == 25.0
    assert panel(opened).banner.text == ""


def test_workers_are_listed_by_name(qtbot: QtBot) -> None:
    table = WorkersTable()
    qtbot.addWidget(table)
    table.show_workers(
        tuple(WorkerInfo(name, "lab", "tcp://lab:1", 2, 97.4, 1 << 28) for name in ("b", "a"))
    )
    model = table.model()
    assert [model.index(row, 0).data() for row in range(2)] == ["a", "b"]
    assert [model.index(0, column).data() for column in (1, 2, 3)] == ["2", "97 %", "256 MB"]
    table.show_workers(())
    assert not table.isVisible()


def test_new_study_has_no_results(tmp_path: Path) -> None:
    assert newer_results(tmp_path / "a.study.toml") is None
    assert trace_of(tmp_path / "a.study.toml", "key") is None


def test_fields_are_those_of_the_search(study_file: Path, qtbot: QtBot) -> None:
    opened = OpenStudy()
    opened.open(study_file)
    form = SearchForm(opened)
    fixed = FixedForm(opened)
    for widget in (form, fixed):
        qtbot.addWidget(widget)
        opened.changed.connect(widget.refresh)
        widget.refresh()
    form.show()
    visible = {name: field.isVisible() for name, field in form.fields.items()}
    assert visible == {"points": False, "seed": False, "batch": False}
    for kind, batch in (("sobol", False), ("cma_es", True)):
        form.kind.setCurrentIndex(form.kind.findData(kind))
        visible = {name: field.isVisible() for name, field in form.fields.items()}
        assert visible == {"points": True, "seed": True, "batch": batch}
    opened.edit(opened.study.model_copy(update={"fixed": {"run.duration_s": 2.5}}))
    assert [card.value.text() for card in fixed.cards] == ["2.5"]
    opened.close()


def test_cluster_is_chosen_by_its_address(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ClusterDialog(WorkerChoice())
    qtbot.addWidget(dialog)
    assert not dialog.ok_button.isEnabled()
    dialog.address.setText("host:8786")
    assert "tcp://host:8786" in dialog.message.text()
    dialog.address.setText("tls://host:8786")
    assert "three files" in dialog.message.text()
    for name, field in dialog.files.items():
        (tmp_path / name).write_text("")
        field.setText(str(tmp_path / name))
    assert dialog.ok_button.isEnabled()
    workers = dialog.choice.workers
    assert workers.scheduler == "tls://host:8786"
    assert workers.tls is not None
    assert workers.tls.key == tmp_path / "key"
    (tmp_path / "key").unlink()
    dialog.address.setText("tls://host:8787")
    assert f"{tmp_path / 'key'} does not exist" in dialog.message.text()
