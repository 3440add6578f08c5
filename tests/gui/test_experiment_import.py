"""Import of measured files: guesses and messages, meanings of columns set with the mouse, and dropped files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from snakestudio.analysis.experiment.layout import BodyColumns, JointColumns, Layout
from snakestudio.export.experiment_report import experiment_report
from snakestudio.gui.analysis.experiment.import_dialog import ImportExperimentDialog
from snakestudio.gui.analysis.experiment.panel import ExperimentPanel
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.capture import Capture
from snakestudio.viewmodel.experiment.columns import (
    TIME,
    UNUSED,
    Meaning,
    MeasuredBody,
    layout_of,
    meanings_of,
)
from snakestudio.viewmodel.experiment.dropped import kind_of
from tests.gui.conftest import fill_docks
from tests.gui.pages.hands import type_into
from tests.measured_files import motive, rigid_body

pytestmark = pytest.mark.gui

BARE = "".join(f"{k},{0.01 * k:.3f},0.1\n" for k in range(1, 41))
"""Either time, x and y, or x, y and radius: ambiguous."""


def table(path: Path, header: str = "t;x;y;h", gap: bool = True) -> Path:
    """Ten seconds of a link at 20 Hz in millimetres, degrees and decimal commas, with a short gap."""
    time = np.arange(0, 10, 0.05)
    lines = [header]
    for row, t in enumerate(time):
        position = (10 + 120 * t, 80 * np.sin(4 * t), 20 * np.cos(4 * t))
        cells = [
            f"{1000 * t:.0f}",
            *("" if gap and 50 <= row < 54 else f"{v:.3f}".replace(".", ",") for v in position),
        ]
        lines.append(";".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "dialog.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def make_dialog(
    qtbot: QtBot, document: Document, settings: QSettings
) -> Iterator[Callable[[Path], ImportExperimentDialog]]:
    """Create dialogs and wait until they have read their file."""
    created: list[ImportExperimentDialog] = []

    def make(path: Path) -> ImportExperimentDialog:
        dialog = ImportExperimentDialog(path, document.scene, settings)
        qtbot.addWidget(dialog)
        created.append(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        settle(qtbot, dialog)
        return dialog

    yield make
    for dialog in created:
        dialog.reject()


def settle(qtbot: QtBot, dialog: ImportExperimentDialog) -> None:
    """Wait until the file has been read."""
    qtbot.waitUntil(lambda: dialog.start.isEnabled() or dialog.problems.isVisible())


def imported(qtbot: QtBot, dialog: ImportExperimentDialog) -> Capture:
    """Press Import."""
    qtbot.waitUntil(dialog.start.isEnabled)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert dialog.capture is not None
    return dialog.capture


def choose(qtbot: QtBot, dialog: ImportExperimentDialog, column: int, *path: str) -> None:
    """Click a column's heading and choose an entry of its menu, through its submenus."""
    head = dialog.table.horizontalHeader()
    dialog.table.scrollTo(dialog.table.model().index(0, column))
    at = QPoint(head.sectionViewportPosition(column) + 12, head.height() // 2)
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    for text in path:
        assert isinstance(menu, QMenu)
        action = next(each for each in menu.actions() if plain(each.text()) == text)
        below = action.menu()
        if isinstance(below, QMenu):
            menu = below
        else:
            action.trigger()
    while isinstance(popup := QApplication.activePopupWidget(), QMenu):
        popup.close()


def test_usual_table_is_recognised(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    header = "Time [ms];Link 6 X [mm];Link 6 Y [mm];Link 6 heading [deg]"
    dialog = make_dialog(table(tmp_path / "good.csv", header))
    assert dialog.start.isEnabled()
    assert dialog.form.form.widget_of("delimiter").currentText() == "Semicolon"
    assert dialog.form.form.widget_of("decimal").currentData() == ","
    assert dialog.form.form.widget_of("length_unit").currentData() == "mm"
    assert dialog.table.head_text(1).endswith("· x ▾")
    assert "interpolated" in dialog.notes.text()
    assert dialog.bodies.table.rows[0].widget_of("link").currentText() == "Link 6"
    capture = imported(qtbot, dialog)
    assert capture.links == (5,)
    assert capture.position[-1, 0, 0] == pytest.approx(0.01 + 0.12 * 9.95, abs=1e-3)
    assert np.count_nonzero(~capture.measured) == 4


def test_recognized_file_shows_bodies_units_and_ignored_columns(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    dialog = make_dialog(motive(tmp_path / "take.csv", [rigid_body(b) for b in range(3)]))
    assert [row.widget_of("name").text() for row in dialog.bodies.table.rows] == [
        "link 1",
        "link 2",
        "link 3",
    ]
    recognition = dialog.recognition_view.text
    assert "File: OptiTrack Motive CSV, format 1.23" in recognition
    assert "3 rigid bodies with orientation: link 1, link 2, link 3" in recognition
    assert "Ignored: Mean Marker Error (not a position, 3 columns)" in recognition
    assert dialog.changed_layout is None, "further files are recognized by themselves"
    assert imported(qtbot, dialog).links == (0, 1, 2)
    # The stored layout is that of these bodies: another take is not read with their names.
    other = make_dialog(
        motive(tmp_path / "other.csv", [rigid_body(b, name=f"link {b + 4}") for b in range(3)])
    )
    assert other.bodies.table.rows[0].widget_of("name").text() == "link 4"


def test_uncertain_table_is_read_as_shown_after_a_click(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    path = tmp_path / "bare.csv"
    path.write_text(BARE, encoding="utf-8")
    dialog = make_dialog(path)
    assert "3 columns without names" in dialog.problems.text()
    assert not dialog.start.isEnabled()
    seconds = dialog.form.form.widget_of("time_unit")
    assert seconds.currentData() == "ms"
    qtbot.mouseClick(dialog.read_button, Qt.MouseButton.LeftButton)
    capture = imported(qtbot, dialog)
    assert capture.position[-1, 0, 0] == pytest.approx(0.4)
    assert not dialog.read_button.isVisible()


def test_columns_are_assigned_by_their_headings(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    dialog = make_dialog(table(tmp_path / "odd.csv", "clock;east;north;bearing"))
    choose(qtbot, dialog, 0, "Time")
    for column, part in ((1, "x"), (2, "y"), (3, "heading")):
        body = (
            "New body"
            if not dialog.bodies.table.rows
            else dialog.bodies.table.rows[0].widget_of("name").text()
        )
        choose(qtbot, dialog, column, body, part)
        qtbot.waitUntil(lambda c=column: dialog.table.head_text(c) != "not used ▾")  # type: ignore[misc]
        settle(qtbot, dialog)
    box = dialog.form.form
    for name, value in (("time_unit", "ms"), ("length_unit", "mm"), ("angle_unit", "deg")):
        box.widget_of(name).setCurrentIndex(box.widget_of(name).findData(value))
    dialog.bodies.table.rows[0].widget_of("link").setFocus()
    qtbot.keyClick(dialog.bodies.table.rows[0].widget_of("link"), Qt.Key.Key_End)
    link = dialog.bodies.table.rows[0].widget_of("link").currentData()
    type_into(dialog.bodies.table.rows[0].widget_of("name"), "tail", enter=False)
    qtbot.waitUntil(lambda: not dialog.busy and dialog.start.isEnabled())
    capture = imported(qtbot, dialog)
    assert capture.bodies == ("tail",)
    assert capture.links == (link,) == (10,)
    assert capture.time[-1] == pytest.approx(9.95)
    assert capture.position[-1, 0, 0] == pytest.approx(0.01 + 0.12 * 9.95, abs=1e-3)
    assert capture.orientation is not None
    # A table with the same columns is read in the same way from then on.
    again = make_dialog(table(tmp_path / "next.csv", "clock;east;north;bearing"))
    qtbot.waitUntil(again.start.isEnabled)
    assert "like the last such file" in again.status.text()
    assert again.bodies.table.rows[0].widget_of("name").text() == "tail"


def test_missing_columns_are_reported(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    path = tmp_path / "no_time.csv"
    path.write_text(
        "x,y\n" + "\n".join(f"{0.01 * k:.3f},0.{k % 7}" for k in range(60)) + "\n", encoding="utf-8"
    )
    dialog = make_dialog(path)
    assert not dialog.start.isEnabled()
    assert "Hz" in dialog.problems.text()
    rate = dialog.form.form.widget_of("rate_hz")
    rate.setFocus()
    qtbot.keyClicks(rate, "20")
    qtbot.keyClick(rate, Qt.Key.Key_Return)
    capture = imported(qtbot, dialog)
    assert capture.rate == pytest.approx(20.0)


def test_unreadable_file_is_refused_with_a_message(
    tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    for name, data in (
        ("empty.csv", b"\n"),
        ("binary.csv", bytes(range(256)) * 4),
        ("broken.c3d", b"no c3d at all"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        dialog = make_dialog(path)
        assert not dialog.start.isEnabled()
        assert dialog.problems.text().endswith(".")
        assert "Traceback" not in dialog.problems.text()


def test_layout_is_saved_and_loaded(
    qtbot: QtBot, tmp_path: Path, make_dialog: Callable[[Path], ImportExperimentDialog]
) -> None:
    from snakestudio.analysis.experiment.layout import save_layout

    layout = Layout(
        delimiter=";",
        decimal=",",
        header_rows=1,
        time_column=0,
        time_unit="ms",
        length_unit="mm",
        angle_unit="deg",
        bodies=(BodyColumns("head", 1, 2, None, "vertical", (3,), 10),),
    )
    save_layout(tmp_path / "lab.toml", layout)
    dialog = make_dialog(table(tmp_path / "odd.csv", "a;b;c;d"))
    dialog.open_layout(tmp_path / "lab.toml")
    qtbot.waitUntil(lambda: dialog.file_layout == layout and dialog.start.isEnabled())
    assert dialog.table.head_text(3) == "head · heading ▾"
    dialog.open_layout(tmp_path / "none.toml")
    assert "no such file" in dialog.problems.text()


def test_meanings_of_columns_equal_the_layout() -> None:
    layout = Layout(
        time_column=0,
        bodies=(
            BodyColumns("head", 1, 2, 3, "quaternion", (4, 5, 6, 7), 10),
            BodyColumns("tail", 9, 8, None, "euler", (10, 11, 12), None),
        ),
        joints=(JointColumns(2, 13, None), JointColumns(4, None, 14)),
    )
    meanings, bodies = meanings_of(layout, 16)
    assert meanings[0] == TIME
    assert meanings[9] == Meaning("body", 1, "x")
    assert meanings[15] == UNUSED
    assert bodies == [MeasuredBody("head", 10), MeasuredBody("tail", None)]
    assert layout_of(Layout(), meanings, bodies) == layout
    # Half a rotation is incomplete: the layout reports the missing columns.
    meanings[5] = UNUSED
    assert any("head" in problem for problem in layout_of(Layout(), meanings, bodies).problems())


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("scene.toml", "format = 1\n", "scene"),
        ("plan.svg", "<svg/>", "obstacles"),
        ("markers.trc", "", "experiment"),
        ("pegs.csv", "x_mm,y_mm,radius_mm\n100,200,30\n400,200,30\n", "obstacles"),
        ("pegs_wrong.csv", "x,y,r\n1,2\n", "obstacles"),
        ("track.csv", f"time_s,x_m,y_m\n{BARE}", "experiment"),
        ("bare.csv", BARE, "unclear"),
        ("words.csv", "dear,diary\nnothing,here\n", "unclear"),
    ],
)
def test_kind_of_a_dropped_file_is_detected(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert kind_of(path) == kind


def drop(window: MainWindow, path: Path) -> None:
    """Drop a file on a window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    button = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(300, 300), Qt.DropAction.CopyAction, data, button, none))


def test_dropped_track_is_compared_and_reported(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole process in the window: a run, a dropped track of it, shown in view and plots, and reported."""
    window = recorded
    recording = recorded.context.session_controller.recording
    fill_docks(window)
    assert recording is not None
    rows = recording.rows(0, len(recording))
    lines = ["time_s,link_4_x_m,link_4_y_m"]
    lines += [
        f"{t:.4f},{p[1]:.5f},{-p[0]:.5f}"
        for t, p in zip(rows.time, rows.link_pose[:, 3], strict=True)
    ]
    path = tmp_path / "dropped.csv"
    path.write_text("\n".join(lines[:1] + lines[1::4]) + "\n", encoding="utf-8")
    drop(window, path)
    qtbot.waitUntil(lambda: window.context.experiment_files.dialog is not None)
    dialog = window.context.experiment_files.dialog
    assert dialog is not None
    qtbot.waitUntil(dialog.start.isEnabled)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    experiments = window.context.experiments
    qtbot.waitUntil(lambda: experiments.comparison is not None and not experiments.busy)
    assert window.context.docks["experiment"].isVisible()
    (trial,) = experiments.trials
    assert trial.alignment is not None
    assert trial.alignment.heading_rad == pytest.approx(np.pi / 2, abs=0.02), (
        "the file's x is the run's y"
    )
    assert window.context.viewport.overlays().tracks
    assert window.context.viewport.legends.ghosts.entries[0][1].startswith("dropped · ")
    plots = window.context.docks["plots"].widget()
    assert [overlay.run.name for overlay in plots.overlays] == ["dropped"]  # type: ignore[union-attr]
    panel = window.context.docks["experiment"].widget()
    assert isinstance(panel, ExperimentPanel)
    names: list[str] = []

    def no_name(parent: object, title: str, suggested: str, kinds: str) -> tuple[str, str]:
        names.append(Path(suggested).name)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", no_name)
    panel.frame.export(".html")
    assert names == ["obstacle_aided.experiment.html"]
    assert not window.context.exporter.busy
    experiments.remove_all()
    assert window.context.viewport.overlays().tracks == ()
    assert not plots.overlays  # type: ignore[union-attr]


def test_report_is_written_in_the_background(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = recorded
    window.context.experiment_files.example()
    experiments = window.context.experiments
    qtbot.waitUntil(lambda: experiments.comparison is not None and not experiments.busy)
    assert experiments.comparison is not None
    report = tmp_path / "report.html"
    with qtbot.waitSignal(window.context.exporter.finished, timeout=60_000):
        window.context.exporter.report(report, experiment_report(experiments.comparison.comparison))
    assert "synthetic_obstacle_aided_2" in report.read_text(encoding="utf-8")


def test_ambiguous_file_causes_a_question(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text(BARE, encoding="utf-8")
    requests: list[str] = []

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, press)
            return
        requests.append(box.text())
        next(button for button in box.buttons() if "Measured" in button.text()).click()

    QTimer.singleShot(0, press)
    assert window.context.experiment_files.open_dropped(path)
    assert requests == ["What does bare.csv contain?"]
    dialog = window.context.experiment_files.dialog
    assert dialog is not None
    dialog.reject()
    assert window.context.experiments.trials == []


def test_example_opens_with_its_scene(window: MainWindow, qtbot: QtBot) -> None:
    assert not [
        bar
        for bar in window.context.docks.all.values()
        if bar.objectName() == "dock_experiment" and bar.isVisible()
    ]
    window.context.action_registry["import_example"].trigger()
    qtbot.waitUntil(lambda: len(window.context.experiments.trials) == 3)
    assert all(
        trial.capture.name.startswith("synthetic_obstacle_aided")
        for trial in window.context.experiments.trials
    )
    assert window.context.docks["experiment"].isVisible()
