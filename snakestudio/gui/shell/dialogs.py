"""The windows beside the main one, each made when it is first asked for."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from snakestudio.errors import SnakeStudioError

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["Dialogs"]


class Dialogs(QObject):
    """Brings them up.

    Parameters
    ----------
    window : MainWindow
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.robot.changed.connect(self._prepare_for_robot)

    def show_array(self) -> None:
        """The one that makes arrays of obstacles."""
        from snakestudio.gui.scene.array_dialog import ArrayDialog

        w = self._window
        dialog = w.findChild(ArrayDialog)
        if dialog is None:
            dialog = ArrayDialog(w.document, w.selection, w.obstacles, w.viewport.preview, w)
            corner = w.viewport.mapToGlobal(w.viewport.rect().topRight())
            dialog.move(corner.x() - dialog.sizeHint().width() - 12, corner.y() + 56)  # beside what it makes
        _bring_up(dialog)

    def show_chain(self) -> None:
        """The one that holds chains of links against a continuous body."""
        from snakestudio.gui.analysis.comparison.chain_dialog import ChainDialog

        w = self._window
        _bring_up(w.findChild(ChainDialog) or ChainDialog(w.chain_comparer, self._shown_time, w))

    def show_fit(self) -> None:
        """The one that fits the scene to measured runs."""
        from snakestudio.gui.analysis.fitting.dialog import FitDialog

        w = self._window
        dialog = w.findChild(FitDialog)
        if dialog is None:
            dialog = FitDialog(w.fitter, w.document, lambda: [trial.capture for trial in w.experiments.trials], w)
            w.experiments.changed.connect(dialog.data.refresh)
        _bring_up(dialog)

    def show_tuning(self) -> None:
        """The one where it is measured and chosen which processor is computed for."""
        from snakestudio.gui.shell.tuning_dialog import TuningDialog

        w = self._window
        w.tuner.note_told()
        _bring_up(w.findChild(TuningDialog) or TuningDialog(w.tuner, w))

    def show_camera_keys(self) -> None:
        """The list of camera keyframes."""
        from snakestudio.gui.runs.video.camera_dialog import CameraDialog

        CameraDialog.shown(self._window.camera_keys, self._window)

    def add_camera_key(self) -> None:
        """Set a camera keyframe at the shown moment, and say so."""
        keys = self._window.camera_keys
        time = keys.add()
        if time is not None:
            count = len(keys.path.keys)
            text = f"Camera keyframe at {time:.3f} s; there are {count} now." if count > 1 else (
                f"Camera keyframe at {time:.3f} s. Add another at another moment, and the camera moves between them."
            )  # fmt: skip
            self._window.banners.exports.say("info", text, [("Show Keyframes", self.show_camera_keys)], passing=True)

    def _prepare_for_robot(self) -> None:
        """Make what is wanted while the robot is armed: making it then keeps the window longer than the robot waits."""
        robot = self._window.robot
        if robot.connected and not robot.movable and robot.telemetry is not None:
            QTimer.singleShot(0, self._make_wiggle_test)

    def _make_wiggle_test(self) -> None:
        from snakestudio.gui.profile.entry import prepare_wiggle
        from snakestudio.gui.robot.teleop.sdl import SdlError, load_sdl

        if self._window.robot.connected and not self._window.robot.movable:
            prepare_wiggle(self._window)
            with contextlib.suppress(SdlError):
                load_sdl()  # which looks for libraries by processes of its own

    def _shown_time(self) -> float:
        displayed = self._window.bridge.displayed
        return 0.0 if displayed is None else displayed.time

    def make_continuum(self) -> None:
        """Let a continuous body take the chain's place that moves as its gait says: one undo step, or why not."""
        from snakestudio.model.robot.strain_fit import as_continuum

        document = self._window.document
        try:
            made = as_continuum(document.scene, document.base_dir)
        except SnakeStudioError as error:
            QMessageBox.warning(self._window, "Make Continuum Scene from Gait", str(error))
        else:
            document.edit(made, "Make continuum scene from gait")


def _bring_up(dialog: QWidget) -> None:
    dialog.show()
    dialog.raise_()
