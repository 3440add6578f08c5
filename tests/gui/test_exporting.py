"""Exports: they run in the background, report progress, can be cancelled, and report errors."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from pathlib import Path

import av
import h5py
import mujoco
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.api import load_run
from snakestudio.drawing.camera import Camera
from snakestudio.export.camera_path import CameraKey, CameraPath
from snakestudio.export.formats import EXPORTS, Written, is_possible
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.gui.plots.channel_library import DerivedChannel
from snakestudio.gui.runs.video.dialog import VideoDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.video_presets import PRESETS
from snakestudio.viewmodel.work import Progress
from tests.gui.fake import make_recording
from tests.gui.pages.hands import type_into
from tests.gui.pages.notices import NoticePage


def cancel_button(window: MainWindow) -> QPushButton:
    (cancel,) = NoticePage(window.context.banners.exports).buttons
    return cancel


def test_exports_are_disabled_before_the_run(window: MainWindow, qtbot: QtBot) -> None:
    window.context.action_registry.refresh()
    assert not window.context.action_registry["export_csv"].isEnabled()
    assert not window.context.action_registry["export_video"].isEnabled()


def test_run_is_exported_as_numbers(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    recorded.context.action_registry.refresh()
    assert recorded.context.action_registry["export_csv"].isEnabled()
    path = tmp_path / "run.csv"
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000) as done:
        recorded.context.exporter.export(EXPORTS["csv"], path)
        assert recorded.context.exporter.busy
    assert done.args == [path]
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert lines[0].startswith("time_s,")
    assert len(lines) == 1 + 101
    assert load_scene(path) == recorded.context.session_controller.recording.scene
    assert str(path) in recorded.context.banners.exports.text
    for kind, name in (("hdf5", "run.h5"), ("mcap", "run.mcap")):
        with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000) as done:
            recorded.context.exporter.export(EXPORTS[kind], tmp_path / name)
        assert done.args == [tmp_path / name]
    with h5py.File(tmp_path / "run.h5") as file:
        assert len(file["columns/time_s"]) == 101
    with contextlib.closing(load_run(tmp_path / "run.mcap")) as run:
        assert len(run.recording) == 101


def test_contact_problem_of_the_current_step_is_exported(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    recorded.context.action_registry.refresh()
    assert recorded.context.action_registry["export_contact_problem"].isEnabled()
    path = tmp_path / "step.hdf5"
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000) as done:
        recorded.context.exporter.export(EXPORTS["contact_problem"], path)
    assert done.args == [path], recorded.context.banners.exports.text
    with h5py.File(path) as file:
        assert file["fclib_global/spacedim"][0] == 3
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000):
        recorded.context.exporter.export(EXPORTS["contact_problem"], tmp_path / "step.dat")
    assert ".hdf5 (FCLIB) or .npz" in recorded.context.banners.exports.text


def test_derived_channels_are_exported_like_others(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    library = recorded.context.plot_docks.library
    library.put(DerivedChannel("lead_m", "link_11_x_m - com_x_m", "m"))
    library.put(DerivedChannel("slow_mps", "lowpass(derivative(com_x_m), 5)", "m/s"))
    library.put(DerivedChannel("last_m", "link_12_x_m - link_1_x_m", "m"))
    for kind, name in (("csv", "run.csv"), ("hdf5", "run.h5")):
        with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000):
            recorded.context.exporter.export(EXPORTS[kind], tmp_path / name)
        assert "without last_m" in recorded.context.banners.exports.text, (
            "what this run lacks is reported"
        )
        assert "link_12_x_m" in recorded.context.banners.exports.text
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert "# derived: lead_m = link_11_x_m - com_x_m" in lines
    rows = [line.split(",") for line in lines if not line.startswith("#")]
    assert rows[0][-2:] == ["lead_m", "slow_mps"]
    columns = dict(zip(rows[0], np.array(rows[1:], float).T, strict=True))
    assert len(columns["lead_m"]) == 101
    assert columns["lead_m"] == pytest.approx(
        columns["link_11_x_m"] - columns["com_x_m"], abs=1e-15
    )
    assert np.isfinite(columns["slow_mps"][1:]).all()
    assert (
        load_scene(tmp_path / "run.csv") == recorded.context.session_controller.recording.scene
    ), "and it can be rerun"
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.array_equal(file["columns/lead_m"][:], columns["lead_m"])
        assert file["columns/lead_m"].attrs["expression"] == "link_11_x_m - com_x_m"
        assert file["columns/slow_mps"].attrs["units"] == "m/s"


def test_exported_model_lists_its_differences(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = recorded.context
    chosen = str(tmp_path / "robot"), "ROS robot (*.urdf)"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: chosen)
    context.action_registry.refresh()
    with qtbot.waitSignal(context.exporter.finished, timeout=60_000) as done:
        context.action_registry["export_model"].trigger()
    assert done.args == [tmp_path / "robot.urdf"]
    assert context.banners.exports.text.startswith(str(tmp_path / "robot.urdf"))
    assert "•  URDF " in context.banners.exports.text
    assert (
        mujoco.MjModel.from_xml_path(str(tmp_path / "robot.urdf")).njnt
        == context.document.scene.robot.n_joints
    )
    with qtbot.waitSignal(context.exporter.finished, timeout=60_000) as done:
        context.exporter.export(EXPORTS["model"], tmp_path / "robot.step")
    assert done.args == [None]
    assert ".urdf" in context.banners.exports.text
    assert [path.name for path in tmp_path.glob("robot*")] == ["robot.urdf"]


@pytest.mark.parametrize(("name", "offered"), [("sidewinding", True), ("worm", False)])
def test_models_of_robots_with_joints_are_offered(name: str, offered: bool) -> None:
    assert is_possible(EXPORTS["model"], load_scene(scenes_dir() / f"{name}.toml")) is offered


def test_video_draws_derived_channels(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    recorded.context.plot_docks.library.put(DerivedChannel("lead_m", "link_11_x_m - com_x_m", "m"))
    recording = recorded.context.exporter.recording
    viewport = recorded.context.viewport
    settings = recorded.context.settings
    assert recording is not None
    dialog = VideoDialog(tmp_path / "run.mp4", recording, viewport, settings, recorded)
    dialog.show()
    dialog.form.widget_of("curves").setCurrentText("lead_m")
    assert dialog.start.isEnabled(), dialog.summary.text()
    qtbot.waitUntil(lambda: dialog.preview.image is not None)
    options = replace(dialog.options(), width=320, height=240, fps=10)
    dialog.reject()
    dialog.deleteLater()
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=90_000) as done:
        recorded.context.exporter.export(EXPORTS["video"], tmp_path / "run.mp4", options)
    assert done.args == [tmp_path / "run.mp4"], recorded.context.banners.exports.text


def test_video_of_the_run_is_exported(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    options = VideoOptions(
        width=160, height=120, fps=10, camera=recorded.context.viewport.navigator.camera
    )
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=90_000) as done:
        recorded.context.exporter.export(EXPORTS["video"], tmp_path / "run.mp4", options)
    assert recorded.context.banners.exports.text.endswith("was written.")
    with av.open(str(done.args[0])) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == 11
    assert (frames[0].width, frames[0].height) == (160, 120)
    # The window draws as before.
    with qtbot.waitSignal(recorded.context.viewport.frame_drawn):
        recorded.context.viewport.refresh()


def test_export_can_be_cancelled(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    released = threading.Event()

    def work(progress: Progress) -> Written | None:
        while progress(0.42):
            released.wait(0.01)
        return None

    recorded.context.exporter.start(work, "Writing forever")
    try:
        qtbot.waitUntil(lambda: "42 %" in recorded.context.banners.exports.text)
        qtbot.waitUntil(lambda: " left" in recorded.context.banners.exports.text)
        recorded.context.action_registry.refresh()
        assert not recorded.context.action_registry["export_csv"].isEnabled()
        with qtbot.waitSignal(recorded.context.exporter.finished) as done:
            cancel_button(recorded).click()
        assert done.args == [None]
        assert "cancelled" in recorded.context.banners.exports.text
        assert recorded.context.exporter.can_export(EXPORTS["csv"])
    finally:
        recorded.context.exporter.cancel()


def test_cancelled_video_leaves_no_file(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    recorded.context.exporter.export(
        EXPORTS["video"],
        tmp_path / "run.mp4",
        VideoOptions(width=320, height=240, fps=240, speed=0.05),
    )
    qtbot.waitUntil(
        lambda: (
            recorded.context.exporter.task is not None
            and recorded.context.exporter.task.fraction > 0
        ),
        timeout=60_000,
    )
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000):
        recorded.context.exporter.cancel()
    assert list(tmp_path.glob("*run*")) == []


def test_unwritable_export_is_reported(recorded: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with qtbot.waitSignal(recorded.context.exporter.finished, timeout=60_000):
        recorded.context.exporter.export(EXPORTS["csv"], tmp_path / "file" / "run.csv")
    assert "cannot be written" in recorded.context.banners.exports.text


def test_closing_the_window_cancels_an_export(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    recorded.context.exporter.export(
        EXPORTS["video"],
        tmp_path / "run.mp4",
        VideoOptions(width=320, height=240, fps=240, speed=0.05),
    )
    recorded.context.document.undo_stack.setClean()
    assert recorded.close()
    assert not recorded.context.exporter.busy
    assert list(tmp_path.glob("*run*")) == []


def test_span_of_a_video_is_typed_and_shown(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    recording = recorded.context.session_controller.recording
    assert recording is not None
    dialog = VideoDialog(
        tmp_path / "a", recording, recorded.context.viewport, recorded.context.settings, recorded
    )
    try:
        dialog.show()
        qtbot.waitExposed(dialog)
        for box in (dialog.form.widget_of("begin"), dialog.form.widget_of("end")):
            edit = box.lineEdit()
            assert (
                edit.width()
                > edit.fontMetrics().horizontalAdvance(edit.text()) + edit.textMargins().left()
            )
            dialog.activateWindow()
            qtbot.mouseClick(
                edit, Qt.MouseButton.LeftButton, pos=QPoint(edit.width() // 3, edit.height() // 2)
            )
            qtbot.waitUntil(box.hasFocus)
            type_into(edit, "0.5", enter=False)
            qtbot.keyClick(edit, Qt.Key.Key_Tab)
            assert (box.value(), edit.text()) == (0.5, "0.500 s")
    finally:
        dialog.reject()
        dialog.deleteLater()


def test_dialog_starts_with_the_view_of_the_window(
    recorded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    def seconds_per_frame(
        suffix: str, recording: object, options: VideoOptions, *_: object, **__: object
    ) -> float:
        measured.append(options.width)
        return 1.0 if options.width == 640 else 10.0

    monkeypatch.setattr("snakestudio.gui.runs.video.dialog.seconds_per_frame", seconds_per_frame)
    recorded.context.viewport.options.set(friction=True, trail_link=2, force_scale=0.5)
    recorded.context.viewport.navigator.set_following(True)
    recording = recorded.context.session_controller.recording
    assert recording is not None
    other = [Companion(recording, "Other")]
    keys = CameraPath((CameraKey(0.0, Camera()), CameraKey(1.0, Camera(distance=1.0))))
    dialog = VideoDialog(
        tmp_path / "a",
        recording,
        recorded.context.viewport,
        recorded.context.settings,
        recorded,
        keys=keys,
        companions=other,
    )
    try:
        dialog.form.widget_of("camera").setCurrentText("Current view, following the robot")
        options = dialog.options()
        assert dialog.path == tmp_path / "a.mp4"
        assert options.follow
        assert options.camera == recorded.context.viewport.navigator.camera
        assert recorded.context.session_controller.displayed is not None
        # the view shows the robot at that time
        assert options.camera_time_s == recorded.context.session_controller.displayed.time > 0.9
        assert options.friction_forces
        assert options.trail_link == 2
        assert options.force_scale == 0.5
        dialog.form.widget_of("size").setCurrentText("640 × 360 px")
        dialog.form.widget_of("speed").setCurrentText("0.5 ×")
        dialog.form.widget_of("trail").setChecked(False)
        assert (dialog.options().width, dialog.options().speed) == (640, 0.5)
        assert dialog.options().trail_link is None
        assert "2.0 s of video, 61 frames" in dialog.summary.text()
        assert "estimating" in dialog.summary.text()
        qtbot.waitUntil(lambda: dialog.preview.image is not None, timeout=60_000)
        qtbot.waitUntil(lambda: dialog.summary.text().endswith("and 60 s to render."))
        # twice as many frames, each of which takes the same time
        dialog.form.widget_of("speed").setCurrentText("0.25 ×")
        assert "121 frames" in dialog.summary.text()
        assert dialog.summary.text().endswith("and 2 min to render.")
        dialog.form.widget_of("size").setCurrentText("1920 × 1080 px")
        assert "estimating" in dialog.summary.text()
        qtbot.waitUntil(lambda: dialog.summary.text().endswith("and 20 min to render."))
        assert measured == [640, 1920], "each size once"
        dialog.form.widget_of("size").setCurrentText("640 × 360 px")
        assert dialog.summary.text().endswith("and 2 min to render.")
        dialog.form.widget_of("speed").setCurrentText("0.5 ×")
        dialog.form.apply_preset(PRESETS[2])
        assert dialog.path == tmp_path / "a.gif"
        assert (
            dialog.options().fps,
            dialog.options().codec,
            dialog.form.widget_of("codec").isEnabled(),
        ) == (
            15,
            "",
            False,
        )
        assert dialog.form.widget_of("preset").currentText() == PRESETS[2].name
        dialog.form.widget_of("file").setText(str(tmp_path / "a.webm"))
        assert dialog.options().codec == "vp9"
        assert dialog.form.widget_of("preset").currentIndex() == 0
        dialog.form.widget_of("curves").setCurrentText("com_x")
        assert "Did you mean com_x_m" in dialog.summary.text()
        assert not dialog.start.isEnabled()
        dialog.form.widget_of("curves").setCurrentText("com_x_m, com_y_m")
        assert dialog.options().strip == ("com_x_m", "com_y_m")
        assert dialog.start.isEnabled()
        dialog.form.widget_of("begin").setValue(0.25)
        dialog.form.widget_of("end").setValue(0.5)
        assert (dialog.options().start, dialog.options().end) == (0.25, 0.5)
        dialog.form.widget_of("camera").setCurrentText("Keyframes (2)")
        assert dialog.options().path == keys
        dialog.form.widget_of("camera").setCurrentText("Whole scene")
        assert dialog.options().path is None
        assert dialog.companion is None
        assert [ghost.name for ghost in dialog.ghosts] == ["Other"]
        dialog.form.widget_of("beside").setCurrentIndex(1)
        assert dialog.companion is not None
        assert dialog.companion.name == "Other"
    finally:
        dialog.reject()
        dialog.deleteLater()


def test_menu_opens_the_dialog_and_cancel_does_nothing(recorded: MainWindow, qtbot: QtBot) -> None:
    seen: list[str] = []

    def dismiss() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, VideoDialog):
            seen.append(dialog.windowTitle())
            dialog.reject()
        else:
            QTimer.singleShot(20, dismiss)

    QTimer.singleShot(0, dismiss)
    recorded.context.action_registry["export_video"].trigger()
    assert seen == ["Export Video"]
    assert not recorded.context.exporter.busy


@pytest.mark.parametrize("where", ["good", "bad"])
def test_screenshot_is_saved(drawn: MainWindow, tmp_path: Path, where: str) -> None:
    path = tmp_path / ("a.png" if where == "good" else "no/such/folder/a.png")
    drawn.context.exporter.export(EXPORTS["screenshot"], path)
    if where == "good":
        assert QImage(str(path)).width() == 2 * drawn.context.viewport.width()
    else:
        assert "cannot be written" in drawn.context.banners.exports.text


@pytest.mark.parametrize(
    ("kind", "offered"),
    [("spatial_nonsmooth", {"forces", "ground"}), ("planar_nonsmooth", {"forces", "friction"})],
)
def test_dialog_offers_the_arrows_of_the_legend(
    recorded: MainWindow, tmp_path: Path, kind: str, offered: set[str]
) -> None:
    scene = with_values(recorded.context.document.scene, {"model.kind": kind})
    recorded.context.viewport.options.set(ground_forces=False, ground_scale=0.02)
    dialog = VideoDialog(
        tmp_path / "a",
        make_recording(scene, 10),
        recorded.context.viewport,
        recorded.context.settings,
        recorded,
        keys=CameraPath(()),
        companions=(),
    )
    try:
        form = dialog.form
        assert {
            name for name in ("forces", "friction", "ground") if not form.rows[name].isHidden()
        } == offered
        assert dialog.options().ground_forces is False
        form.widget_of("ground").setChecked(True)
        assert (dialog.options().ground_forces, dialog.options().ground_scale) == (True, 0.02)
    finally:
        dialog.reject()  # closing a hidden dialog would leave its preview behind
        dialog.deleteLater()
