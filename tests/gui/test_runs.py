"""Runs of the window are saved; the browser finds, opens, overlays, names, tags and deletes them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QInputDialog, QMessageBox, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.runs.pinned_runs import PinnedRuns
from snakestudio.gui.runs.run_list import RUN, RunListModel, explained, facts, moment
from snakestudio.gui.runs.run_panel import RunDelegate, RunPanel
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_values
from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.library import RunLibrary, SavedRun
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.runner import Runner
from snakestudio.text import size_text
from tests.gui.conftest import COMPILING_MS
from tests.gui.fake import ENERGIES, make_rows
from tests.gui.pages.parts import label

SCENE = with_values(Scene(), {"model.kind": "planar_lagrangian", "run.duration_s": 0.3})


class Keeper:
    """Stand-in for the keeper of the window: it saves nothing itself."""

    def __init__(self, library: RunLibrary) -> None:
        from PySide6.QtCore import QObject, Signal

        class Told(QObject):
            changed = Signal()

        self.told = Told()
        self.changed = self.told.changed
        self.library = library
        self.present: Path | None = None
        self.recording_enabled = True

    def set_recording_enabled(self, recording_enabled: bool) -> None:
        self.recording_enabled = recording_enabled


def record(library: RunLibrary, name: str) -> Path:
    path = library.new_path(name)
    runner = Runner(SCENE, path=path, scene_file=f"{name}.toml")
    runner.advance(SCENE.n_steps)
    runner.recording.close()
    return path


@pytest.fixture
def library(tmp_path: Path) -> RunLibrary:
    return RunLibrary(tmp_path)


@pytest.fixture
def keeper(library: RunLibrary) -> Keeper:
    return Keeper(library)


@pytest.fixture
def pinned() -> PinnedRuns:
    return PinnedRuns()


@pytest.fixture
def banner(qtbot: QtBot) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    return banner


@pytest.fixture
def panel(
    qtbot: QtBot, library: RunLibrary, keeper: Keeper, pinned: PinnedRuns, banner: Banner
) -> RunPanel:
    for name in ("first", "second"):
        record(library, name)
    panel = RunPanel(library, keeper, pinned, banner)  # type: ignore[arg-type]
    qtbot.addWidget(panel, before_close_func=lambda _: (pinned.clear(), panel.close_reading()))
    panel.resize(288, 400)
    panel.show()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    return panel


def select(qtbot: QtBot, panel: RunPanel, name: str) -> QModelIndex:
    """Click on the run named `name`."""
    rows = [panel.model.index(row) for row in range(panel.model.rowCount())]
    index = next(index for index in rows if index.data(RUN).name == name)
    qtbot.mouseClick(
        panel.list.viewport(), Qt.MouseButton.LeftButton, pos=panel.list.visualRect(index).center()
    )
    return index


def choose(panel: RunPanel, text: str) -> None:
    """Choose an entry of the menu."""
    menu = panel.menu()
    action = next(action for action in menu.actions() if action.text() == text)
    assert action.isEnabled()
    action.trigger()
    menu.deleteLater()


def test_sizes_and_times_are_short() -> None:
    assert [size_text(size) for size in (0, 999, 1000, 12_345, 1_400_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "12 kB",
        "1.4 GB",
    ]
    today = date(2026, 3, 5)
    assert moment(datetime(2026, 3, 5, 9, 7), today) == "09:07 today"
    assert moment(datetime(2026, 3, 4, 23, 59), today) == "23:59 yesterday"
    assert moment(datetime(2026, 1, 4, 8, 0), today) == "08:00, 4 Jan"
    assert moment(datetime(2025, 1, 4, 8, 0), today) == "4 Jan 2025"


def test_typing_filters_the_list(qtbot: QtBot, panel: RunPanel) -> None:
    qtbot.keyClicks(panel.search, "sec")
    assert [panel.model.index(0).data(RUN).name, panel.model.rowCount()] == ["second", 1]
    qtbot.keyClicks(panel.search, "zzz")
    assert panel.model.rowCount() == 0
    assert "No matching runs" in label(panel, "note").text()


def test_double_click_opens_a_run(qtbot: QtBot, panel: RunPanel) -> None:
    index = select(qtbot, panel, "first")
    with qtbot.waitSignal(panel.open_requested) as signal:
        position = panel.list.visualRect(index).center()
        qtbot.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
        qtbot.mouseRelease(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert signal.args == [index.data(RUN).path, "first"]


def test_runs_are_overlaid_on_the_current_one(
    qtbot: QtBot, panel: RunPanel, pinned: PinnedRuns
) -> None:
    for name in ("first", "second"):
        select(qtbot, panel, name)
        choose(panel, "Overlay on Current Run")
    assert [run.name for run in pinned.overlaid()] == ["first", "second"]
    assert len({run.colour for run in pinned.overlaid()}) == 2
    first, second = pinned.ghosts(0.1)
    assert first.colour != second.colour
    assert first.pose.shape == (SCENE.robot.n_links, 7)
    assert pinned.ghosts(5.0) == ()
    assert pinned.names(5.0)[0][1] == "first, ended at 0.3 s"
    select(qtbot, panel, "first")
    choose(panel, "Hide Overlay")
    assert [run.name for run in pinned.overlaid()] == ["second"]


def test_names_and_tags_are_edited(
    qtbot: QtBot, panel: RunPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *args: ("The good one", True))
    select(qtbot, panel, "first")
    qtbot.keyClick(panel, Qt.Key.Key_F2)
    qtbot.waitUntil(lambda: "The good one" in {run.name for run in panel.model.all})
    monkeypatch.setattr(QInputDialog, "getText", lambda *args: ("paper, fig3", True))
    panel.list.selectAll()
    choose(panel, "Tags...")
    qtbot.waitUntil(lambda: all(run.tags == ("paper", "fig3") for run in panel.model.all))


def test_deleting_asks_first(
    qtbot: QtBot,
    panel: RunPanel,
    monkeypatch: pytest.MonkeyPatch,
    keeper: Keeper,
    pinned: PinnedRuns,
    banner: Banner,
) -> None:
    signal: list[str] = []
    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(
        QMessageBox, "question", lambda *args: (signal.append(args[2]), answers.pop(0))[1]
    )
    index = select(qtbot, panel, "first")
    path: Path = index.data(RUN).path
    panel.overlay([index.data(RUN)], True)
    qtbot.keyClick(panel, Qt.Key.Key_Delete)
    assert path.exists()
    with qtbot.waitSignal(panel.deleting):
        qtbot.keyClick(panel, Qt.Key.Key_Delete)
    assert not path.exists()
    assert path not in pinned
    assert "first" in signal[0]
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    # The current run stays.
    keeper.present = panel.model.index(0).data(RUN).path  # type: ignore[misc]
    select(qtbot, panel, "second")
    qtbot.keyClick(panel, Qt.Key.Key_Delete)
    assert len(signal) == 2
    assert "cannot be deleted" in banner.text


def test_unreadable_files_give_a_reason(
    qtbot: QtBot, panel: RunPanel, library: RunLibrary, banner: Banner
) -> None:
    (library.folder / "broken.mcap").write_bytes(b"no run at all")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    index = select(qtbot, panel, "broken.mcap")
    panel.list.activated.emit(index)
    assert "broken.mcap" in banner.text


def test_remaining_rows_keep_their_position(library: RunLibrary) -> None:
    model = RunListModel()
    record(library, "one")
    model.set_runs(library.runs())
    resets: list[int] = []
    model.modelReset.connect(lambda: resets.append(1))
    model.set_runs([library.rename(run, "renamed") for run in library.runs()])
    assert model.index(0).data(RUN).name == "renamed"
    assert resets == []


def test_implausible_run_is_marked_and_searchable(library: RunLibrary) -> None:
    violation = Violation("speed", "speed", 0.4, 5.0, 1.0, "The robot flies.", "Limit it.")
    for name, violations in (("good", ()), ("bad", (violation,))):
        path = library.new_path(name)
        run = RunRecording(
            SCENE,
            Schema(SCENE.robot.n_links, SCENE.body.axes, ENERGIES),
            path,
            origin=Origin(scene_file=f"{name}.toml"),
        )
        run.append(make_rows(SCENE, 0, 50))
        run.set_plausibility(Plausibility(violations, ("speed",)))
        run.close()
    bad, good = sorted(library.runs(), key=lambda run: run.name)
    assert facts(bad).endswith("not plausible")
    assert "plausible" not in facts(good)
    assert "The robot flies." in explained(bad)
    assert "implausible" in bad.search_text
    assert "implausible" not in good.search_text


def test_run_of_a_robot_is_marked_and_searchable(qtbot: QtBot, library: RunLibrary) -> None:
    path = library.new_path("untitled")
    run = RunRecording(
        SCENE,
        Schema(SCENE.robot.n_links, SCENE.body.axes, ENERGIES),
        path,
        origin=Origin(robot="Lab robot"),
    )
    run.append(make_rows(SCENE, 0, 50))
    run.close()
    record(library, "computed")
    computed, driven = sorted(library.runs(), key=lambda saved: saved.name != "computed")
    assert driven.name == "Lab robot"
    assert facts(driven).startswith("Robot ·")
    assert "Robot" not in facts(computed)
    assert "robot" in driven.search_text
    assert _reds(driven) > 10
    assert _reds(computed) == 0


def _reds(run: SavedRun) -> int:
    """Number of red pixels, the colour of the robot, in the drawing of a run in the list."""
    model = RunListModel()
    model.set_runs([run])
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, 288, 64)
    image = QImage(option.rect.size(), QImage.Format.Format_RGB32)
    image.fill(theme.colour("panel"))
    painter = QPainter(image)
    RunDelegate(lambda path: "", lambda: None).paint(painter, option, model.index(0))
    painter.end()
    colours = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return sum(each.red() > 200 and each.green() < 110 and each.blue() < 110 for each in colours)


def test_every_run_of_the_window_is_saved(
    qtbot: QtBot,
    make_window: Callable[[], MainWindow],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_RUNS_DIR", str(tmp_path / "runs"))
    path = tmp_path / "mine.toml"
    from snakestudio.model.scene_file import save_scene

    save_scene(SCENE, path)
    window = make_window()
    window.context.document.open(path)
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    window.context.session_controller.session.set_speed(float("inf"))
    window.context.session_controller.play_or_pause()
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "finished")
    qtbot.waitUntil(lambda: len(list((tmp_path / "runs").glob("*_mine.png"))) == 1)
    window.context.session_controller.reset()
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "ready")
    (run,) = window.context.run_archiver.library.runs()
    assert run.info is not None
    assert (run.info.complete, run.info.scene_file) == (True, "mine.toml")
    assert run.info.duration == pytest.approx(0.3)
    # It is shown again, and released when it is deleted.
    window.context.open_runs.open(run.path, run.name)
    qtbot.waitUntil(lambda: window.context.session_controller.source == "replay")
    assert window.context.session_controller.source_name == "mine"
    window.context.open_runs.close_file(run.path)
    assert window.context.session_controller.source == "simulation"
    # Unless saving is switched off.
    window.context.run_archiver.set_recording_enabled(False)
    window.context.session_controller.reset()
    window.context.session_controller.session.settle()
    window.context.session_controller.play_or_pause()
    qtbot.waitUntil(lambda: window.context.session_controller.status.state == "finished")
    assert len(window.context.run_archiver.library.runs()) == 1


OPENED = """
import sys
from pathlib import Path
from snakestudio.gui.app import run

def watch(window):
    def shown():
        recording = window.context.session_controller.recording
        print(len(recording), recording.scene.model.kind)
        window.close()
    window.context.session_controller.source_changed.connect(shown)

sys.exit(run(Path(sys.argv[1]), watch))
"""


def test_program_starts_with_a_run_file(library: RunLibrary) -> None:
    """Like a file manager that opens a run file."""
    path = record(library, "snake")
    done = subprocess.run(
        [sys.executable, "-c", OPENED, str(path)], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout.split(), done.returncode) == (["31", "planar_lagrangian"], 0), done.stderr
