"""Measured trials compared with a run: overlaid, drawn, shifted manually, evaluated, and marked when outdated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication, QTabBar
from pytestqt.qtbot import QtBot

from snakestudio.drawing.overlays import MeasuredLine, Overlays
from snakestudio.drawing.style import colour
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.panel import ExperimentPanel
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.top_view import paint_tracks
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.recording import Recording
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.rotations import quaternions, rotation
from snakestudio.viewmodel.experiment.motion import Motion, whole_robot
from snakestudio.viewmodel.experiment.overlay import distance, trial_tracks
from snakestudio.viewmodel.plots.overlaid import Overlay
from tests.gui.fake import FakeExporter, FakeSessionController, make_recording
from tests.gui.pages.hands import show_widget, type_into

pytestmark = pytest.mark.gui

LATE = 0.12
TURN = math.radians(40.0)
LINK = 5


def measured(
    recording: Recording, name: str = "trial", late: float = LATE, link: int = LINK
) -> Capture:
    """A link of a run as cameras measure it at 20 Hz: their clock starts late, in their own frame, with a gap."""
    rows = recording.rows(0, len(recording))
    time = np.arange(late, float(rows.time[-1]), 0.05)
    position = np.column_stack(
        [np.interp(time, rows.time, rows.link_pose[:, link, axis]) for axis in range(3)]
    )
    yaw = 2 * np.arctan2(*(np.interp(time, rows.time, rows.link_pose[:, link, k]) for k in (6, 3)))
    turn = rotation(-TURN)
    seen = np.ones((len(time), 1), bool)
    seen[20:24] = False
    return Capture(
        name=name,
        time=time - late,
        bodies=("marker",),
        links=(link,),
        position=(position @ turn.T + [1.0, -2.0, 0.4])[:, None],
        orientation=quaternions(np.array([rotation(a - TURN) for a in yaw]))[:, None],
        joint_angle=None,
        measured=seen,
    )


@pytest.fixture
def long_bridge(document: Document) -> FakeSessionController:
    """Stand-in for a session with five seconds of a run."""
    return FakeSessionController(make_recording(document.scene, 501))


@pytest.fixture
def experiments(
    qtbot: QtBot, document: Document, long_bridge: FakeSessionController
) -> Iterator[Experiments]:
    created = Experiments(document, long_bridge)  # type: ignore[arg-type]
    yield created
    created.close()


def compared(qtbot: QtBot, experiments: Experiments) -> Experiments:
    """The same with computed values."""
    qtbot.waitUntil(lambda: not experiments.busy and experiments.comparison is not None)
    return experiments


def test_trial_is_overlaid_on_the_run(
    qtbot: QtBot, experiments: Experiments, long_bridge: FakeSessionController
) -> None:
    assert long_bridge.recording is not None
    experiments.add([measured(long_bridge.recording)])
    compared(qtbot, experiments)
    (trial,) = experiments.trials
    assert trial.alignment is not None
    assert trial.offset_s == pytest.approx(LATE, abs=0.003)
    assert trial.alignment.heading_rad == pytest.approx(TURN, abs=0.01)
    long_bridge.set_cursor(250)
    snapshot = long_bridge.displayed
    assert snapshot is not None
    ((name_colour, text),) = experiments.names(snapshot.time)
    assert name_colour == trial_colour(0)
    assert text == "trial · 0 mm off"
    # The line, dashed in the gap; heading and marker at the simulated link, on the robot's back.
    tracks = experiments.tracks(snapshot)
    line = tracks[0]
    marks = next(track for track in tracks if track.marks is not None)
    assert line.colour == colour(trial_colour(0))
    assert line.dashed is not None
    assert np.flatnonzero(line.dashed).tolist() == [19, 20, 21, 22, 23]
    assert marks.marks is not None
    assert np.allclose(marks.marks[0, :2], snapshot.link_pose[LINK, :2], atol=2e-3)
    assert marks.marks[0, 2] > snapshot.link_pose[LINK, 2]
    # The same in the plots: position, speed and attitude of that link only.
    (run,) = experiments.overlaid()
    assert (run.name, run.colour) == ("trial", trial_colour(0))
    row = run.recording.index_at(snapshot.time)
    rows = run.recording.rows(row, row + 1)
    at = float(rows.time[0])
    own = long_bridge.recording.rows(
        long_bridge.recording.index_at(at), long_bridge.recording.index_at(at) + 1
    )
    assert np.allclose(rows.link_pose[0, LINK, :2], own.link_pose[0, LINK, :2], atol=3e-3)
    assert np.isnan(rows.link_pose[0, LINK + 1]).all()


def test_manual_offset_moves_the_trial_immediately(
    qtbot: QtBot, experiments: Experiments, long_bridge: FakeSessionController
) -> None:
    assert long_bridge.recording is not None
    experiments.add([measured(long_bridge.recording)])
    compared(qtbot, experiments)
    before = experiments.comparison
    assert before is not None
    long_bridge.set_cursor(250)
    snapshot = long_bridge.displayed
    assert snapshot is not None
    (run,) = experiments.overlaid()
    overlay = Overlay(run)
    begin = float(run.recording.times[0])
    with qtbot.waitSignal(experiments.shown_changed):
        experiments.shift_to(experiments.trials[0].offset_s + 0.3)
    # The same source, later: values that plots have computed of it stay valid.
    (shifted,) = experiments.overlaid()
    assert Overlay.for_runs([shifted], [overlay]) == [overlay]
    assert shifted.recording.times[0] == pytest.approx(begin + 0.3)
    off = float(experiments.names(snapshot.time)[0][1].split(" · ")[1].split(" ")[0])
    assert off > 30, "0.3 s at 0.16 m/s and more"
    qtbot.waitUntil(
        lambda: experiments.comparison is not None and experiments.comparison is not before
    )
    compared(qtbot, experiments)
    after = experiments.comparison
    assert after is not None
    (trial,) = after.comparison.trials
    assert trial.alignment.offset_s == pytest.approx(LATE + 0.3, abs=0.003)
    assert (
        trial.figures["position_rmse"].value
        > 5 * before.comparison.trials[0].figures["position_rmse"].value
    )
    experiments.find()
    qtbot.waitUntil(lambda: not experiments.busy)
    assert experiments.trials[0].offset_s == pytest.approx(LATE, abs=0.003)


def test_values_of_an_earlier_run_are_marked(
    qtbot: QtBot, experiments: Experiments, long_bridge: FakeSessionController
) -> None:
    recording = long_bridge.recording
    assert recording is not None
    experiments.add([measured(recording)])
    compared(qtbot, experiments)
    assert experiments.stale == ""
    long_bridge.append(50)
    assert "continued" in experiments.stale
    long_bridge.set_recording(make_recording(recording.scene, 2))
    assert "earlier run" in experiments.stale
    assert not experiments.busy, "two rows are not enough for a comparison"
    assert experiments.tracks(recording.snapshot(100)), "the tracks stay during the next run"
    long_bridge.append(500)
    long_bridge.finished.emit(5.0)
    assert experiments.busy
    compared(qtbot, experiments)
    assert experiments.stale == ""


def test_trial_without_overlap_is_named(
    qtbot: QtBot, experiments: Experiments, long_bridge: FakeSessionController
) -> None:
    recording = long_bridge.recording
    assert recording is not None
    trial = measured(recording, "too short")
    short = replace(
        trial,
        time=trial.time[:5],
        position=trial.position[:5],
        measured=trial.measured[:5],
        orientation=None,
    )
    experiments.add([short])
    qtbot.waitUntil(lambda: not experiments.busy)
    assert experiments.message.startswith("Too short: ")
    assert experiments.overlaid() == []


def test_trials_change_during_a_comparison(
    qtbot: QtBot, experiments: Experiments, long_bridge: FakeSessionController
) -> None:
    recording = long_bridge.recording
    assert recording is not None
    experiments.add([measured(recording, "first"), measured(recording, "second")])
    assert experiments.busy
    experiments.remove(0)
    experiments.add([measured(recording, "third")])
    compared(qtbot, experiments)
    assert experiments.comparison is not None
    assert [trial.name for trial in experiments.comparison.comparison.trials] == ["second", "third"]
    assert [run.colour for run in experiments.overlaid()] == [trial_colour(1), trial_colour(2)]
    experiments.compare()
    experiments.remove(1)
    experiments.remove(0)
    assert not experiments.busy
    assert experiments.comparison is None
    assert experiments.message == ""


@pytest.fixture
def panel(qtbot: QtBot, experiments: Experiments, document: Document) -> ExperimentPanel:
    return show_widget(qtbot, ExperimentPanel(experiments, document, FakeExporter()), 356, 900)


def test_panel_works_by_mouse_and_keys(
    qtbot: QtBot,
    panel: ExperimentPanel,
    experiments: Experiments,
    long_bridge: FakeSessionController,
) -> None:
    recording = long_bridge.recording
    assert recording is not None
    assert panel.tables.isHidden()  # no headings of tables that do not exist yet
    with qtbot.waitSignal(panel.import_requested):
        qtbot.mouseClick(panel.import_button, Qt.MouseButton.LeftButton)
    experiments.add([measured(recording, "first"), measured(recording, "second", late=0.3)])
    compared(qtbot, experiments)
    qtbot.waitUntil(lambda: bool(panel.tables.errors.texts))
    assert [panel.tables.which.itemText(i) for i in range(3)] == [
        "All 2 trials",
        "first",
        "second",
    ]
    assert panel.tables.errors.texts[0][0] == "position, RMSE, mm"
    box = panel.alignment
    assert box.trial.currentText() == "second"
    assert float(box.offset.text()) == pytest.approx(0.3, abs=0.005)
    # The slider is dragged: the offset follows, and is a manual one from then on.
    slider = box.slider
    middle = QPoint(slider.width() // 2, slider.height() // 2)
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=middle)
    assert experiments.trials[1].by_hand
    assert experiments.trials[1].offset_s == pytest.approx(0.0, abs=0.02)
    assert not experiments.trials[0].by_hand
    # Bounds in the wrong order are refused with a message.
    type_into(box.low, "0.6")
    assert "must be below" in box.message.text()
    assert experiments.options.offset_bounds_s == (-0.5, 0.5)
    qtbot.keyClick(box.low, Qt.Key.Key_Escape)
    qtbot.mouseClick(box.find_button, Qt.MouseButton.LeftButton)
    compared(qtbot, experiments)
    assert experiments.trials[1].offset_s == pytest.approx(0.3, abs=0.005)
    # Without rotation the tracks do not match.
    qtbot.mouseClick(
        box.heading, Qt.MouseButton.LeftButton, pos=QPoint(8, box.heading.height() // 2)
    )
    assert not experiments.options.align_heading
    compared(qtbot, experiments)
    qtbot.waitUntil(lambda: float(panel.tables.errors.texts[0][1]) > 50)
    qtbot.mouseClick(panel.frame.copy_button, Qt.MouseButton.LeftButton)
    assert "position, RMSE" in QGuiApplication.clipboard().text()
    # Hide one, remove both.
    qtbot.mouseClick(
        panel.rows.shows[0],
        Qt.MouseButton.LeftButton,
        pos=QPoint(8, panel.rows.shows[0].height() // 2),
    )
    assert [run.name for run in experiments.overlaid()] == ["second"]
    qtbot.mouseClick(panel.rows.removes[0], Qt.MouseButton.LeftButton)
    assert [trial.capture.name for trial in experiments.trials] == ["second"]
    qtbot.mouseClick(panel.clear_button, Qt.MouseButton.LeftButton)
    assert experiments.trials == []
    assert not panel.alignment.isVisible()
    assert panel.rows.shows == []


def test_theme_change_recolours_trials(
    qtbot: QtBot,
    panel: ExperimentPanel,
    experiments: Experiments,
    long_bridge: FakeSessionController,
) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert long_bridge.recording is not None
    experiments.add([measured(long_bridge.recording)])
    compared(qtbot, experiments)
    dark = experiments.overlaid()[0].colour
    try:
        with qtbot.waitSignal(experiments.shown_changed):
            theme.apply(app, "light")
        light = experiments.overlaid()[0].colour
        assert light != dark
        swatch = panel.rows.shows[0].icon().pixmap(14, 8).toImage().pixelColor(2, 2).name()
        assert swatch == light
    finally:
        theme.apply(app, "dark")


# --- what is drawn --------------------------------------------------------------------------------


def test_poses_are_interpolated_between_camera_frames(document: Document) -> None:
    position = np.array([[[0.0, 0.0, 0.1]], [[0.2, 0.4, 0.1]], [[np.nan] * 3]])
    turned = quaternions(np.array([rotation(0.0), rotation(math.pi / 2), rotation(0.0)]))[:, None]
    turned[1] *= -1  # the same attitude
    seen = np.array([[True], [False], [False]])
    motion = Motion(
        Capture("c", np.array([1.0, 1.1, 1.2]), ("m",), (0,), position, turned, None, seen)
    )
    assert motion.at(0.94) is None
    assert motion.at(1.26) is None
    nearest = motion.at(1.21)  # a run seldom ends at the time of a row
    assert nearest is not None
    assert np.array_equal(nearest.position, position[2], equal_nan=True)
    half = motion.at(1.05)
    assert half is not None
    assert np.allclose(half.position[0], [0.1, 0.2, 0.1])
    assert half.orientation is not None
    assert np.allclose(half.orientation[0], quaternions(rotation(math.pi / 4)[None])[0])
    assert not half.measured[0]
    exact = motion.at(1.1)
    assert exact is not None
    assert np.allclose(exact.position[0], [0.2, 0.4, 0.1]), (
        "the row itself, although the next one is unknown"
    )
    last = motion.at(1.2)
    assert last is not None
    assert np.isnan(last.position).all()


def test_ghost_is_shown_if_the_robot_is_known(document: Document) -> None:
    recording = make_recording(document.scene, 3)
    snapshot = recording.snapshot(2)
    robot = document.scene.robot
    n = document.scene.robot.n_links
    pose = snapshot.link_pose
    time = np.array([0.0, 1.0])
    one = np.ones((2, n), bool)
    assert recording.schema.axes == yaw_axes(n - 1)
    measured = np.column_stack([snapshot.joint_angle, np.zeros(n - 1)])  # yaw and pitch

    def ghost_of(links: list[int], attitudes: bool, joints: bool) -> np.ndarray | None:
        position = np.repeat(pose[None, links, :3], 2, axis=0)
        attitude = np.repeat(pose[None, links, 3:], 2, axis=0) if attitudes else None
        angles = np.repeat(measured[None], 2, axis=0) if joints else None
        capture = Capture(
            "c",
            time,
            tuple(map(str, links)),
            tuple(links),
            position,
            attitude,
            angles,
            one[:, : len(links)],
        )
        instant = Motion(capture).at(0.0)
        assert instant is not None
        return whole_robot(instant, capture.links, robot)

    everything = ghost_of(list(range(n)), attitudes=True, joints=False)
    assert everything is not None
    assert np.allclose(everything, pose)
    # With positions only, links point along the line through them; the true directions are within
    # the bend of the joints.
    alone = ghost_of(list(range(n)), attitudes=False, joints=False)
    assert alone is not None
    assert np.allclose(alone[:, :3], pose[:, :3])
    yaw = 2 * np.arctan2(alone[:, 6], alone[:, 3])
    assert (
        np.abs(yaw - 2 * np.arctan2(pose[:, 6], pose[:, 3])).max() < document.scene.gait.amplitude
    )
    assert ghost_of([4], attitudes=True, joints=False) is None
    assert ghost_of([4], attitudes=False, joints=True) is None
    # One attitude and all joint angles: a chain through that link, with its links a link length
    # apart around each joint.
    chain = ghost_of([4], attitudes=True, joints=True)
    assert chain is not None
    assert np.allclose(chain[4, :3], pose[4, :3])
    yaw = 2 * np.arctan2(chain[:, 6], chain[:, 3])
    assert np.allclose(np.diff(np.unwrap(yaw)), snapshot.joint_angle)


def test_distances_are_measured_on_the_ground(document: Document) -> None:
    snapshot = make_recording(document.scene, 3).snapshot(1)
    centre = snapshot.centre_of_mass
    position = np.repeat((centre + np.array([0.03, 0.04, 0.5]))[None, None], 2, axis=0)
    capture = Capture(
        "c",
        np.array([0.0, 1.0]),
        ("com",),
        (CENTRE_OF_MASS,),
        position,
        None,
        None,
        np.ones((2, 1), bool),
    )
    motion = Motion(capture)
    pairs = ((0, CENTRE_OF_MASS),)
    assert distance(motion, 0.5, snapshot, pairs) == pytest.approx(0.05)
    assert distance(motion, 1.5, snapshot, pairs) is None
    red = (1.0, 0.0, 0.0)
    white = (1.0, 1.0, 1.0)
    tracks = trial_tracks(motion, 0.5, snapshot, pairs, (red, white), 0.1, 0.06)
    (error,) = [track for track in tracks if track.colour == white]
    assert np.allclose(error.points - centre, [[0, 0, 0.06], [0.03, 0.04, 0.56]])


def test_long_track_is_created_once(document: Document) -> None:
    snapshot = make_recording(document.scene, 3).snapshot(1)
    time = np.linspace(0.0, 2.0, 40)
    position = np.column_stack([time, 0.1 * np.sin(time), 0.05 + 0 * time])[:, None]
    motion = Motion(Capture("c", time, ("m",), (0,), position, None, None, np.ones((40, 1), bool)))
    red = (1.0, 0.0, 0.0)
    white = (1.0, 1.0, 1.0)
    lines = [
        trial_tracks(motion, t, snapshot, ((0, 0),), (red, white), 0.1, 0.06)[0] for t in (0.5, 1.5)
    ]
    assert lines[0] is lines[1], "the renderer caches its data by identity"
    assert (
        trial_tracks(motion, 0.5, snapshot, ((0, 0),), (white, white), 0.1, 0.06)[0].colour == white
    )


def test_plain_view_paints_tracks_with_gaps(qtbot: QtBot) -> None:
    image = QImage(200, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    points = np.array([[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [2.0, 0.0, 0.1]])
    marks = np.array([[1.5, 0.2, 0.1], [np.nan, 0.0, 0.0]])
    track = MeasuredLine(points, (1.0, 0.0, 0.0), np.array([False, True]), 4.0, 1.0, marks)
    painter = QPainter(image)
    paint_tracks(
        painter,
        Overlays(tracks=(track,)),
        100.0,
        lambda p: p[:, :2] * [100.0, -100.0] + [0.0, 40.0],
    )
    painter.end()
    row = [image.pixelColor(x, 40).red() for x in range(200)]
    assert min(row[:100]) == 255
    assert 0.4 < np.mean(np.array(row[100:]) > 0) < 0.6
    assert max(row[100:]) < 200, "dashes are fainter"
    assert image.pixelColor(150, 20).red() == 255


def test_tabbed_docks_leave_nothing_in_the_window(window: MainWindow, qtbot: QtBot) -> None:
    window.context.show_dock("experiment")
    dock = window.context.docks["experiment"]
    qtbot.waitUntil(lambda: dock.isVisible() and not dock.visibleRegion().isEmpty())
    on_screen = [
        bar for bar in window.findChildren(QTabBar) if bar.geometry().intersects(window.rect())
    ]
    (bar,) = [each for each in on_screen if each.isVisible() and each.parent() is window]
    assert (
        bar.geometry().left()
        >= window.context.viewport.mapTo(window, window.context.viewport.rect().topRight()).x()
    )


def test_examples_of_the_scene_are_first(tmp_path: Path) -> None:
    from snakestudio.gui.analysis.experiment.files import examples

    assert [path.stem for path in examples("sidewinding")] == [
        f"synthetic_sidewinding_{k}" for k in (1, 2, 3)
    ]
    assert {path.stem.rpartition("_")[0] for path in examples("stairs")} == {
        "synthetic_obstacle_aided"
    }
