"""Recording of every run in the library, with a thumbnail."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSettings, QSize, Signal
from PySide6.QtGui import QImageWriter

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.model.scene import Scene
from snakestudio.runfile.library import RunLibrary
from snakestudio.runfile.recording import RunRecording

log = logging.getLogger(__name__)

PICTURE = QSize(320, 200)
"""Size of thumbnails, px: twice the displayed size."""

_SOON_MS = 1500
"""Delay until the first thumbnail of a run, ms; a short run may end without one."""

_SAVES_RUNS = Setting("runs/keep", True, "Save runs", "Whether every run is saved as a run file")


class RunArchiver(QObject):
    """Chooser of the files of runs, and source of their thumbnails.

    Parameters
    ----------
    robot_waits : callable
        Whether a robot could move; no thumbnail is rendered then.

    Signals
    -------
    changed()
        The current run changed or has a thumbnail.
    """

    changed = Signal()

    def __init__(
        self,
        library: RunLibrary,
        document: Document,
        session_controller: SessionController,
        viewport: ViewportPicture,
        settings: QSettings,
        parent: QObject | None = None,
        robot_waits: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._document = document
        self._session_controller = session_controller
        self._viewport = viewport
        self._settings = settings
        self._recording_enabled = _SAVES_RUNS.load(settings)
        self._latest_thumbnail: tuple[Path, float] | None = None
        self._soon = Delay(_SOON_MS, self._save_thumbnail, self)
        self._robots = Delay(_SOON_MS, self._save_robot_thumbnail, self)
        self._robots.setObjectName("robot_picture_timer")
        self.robot_waits = robot_waits
        session_controller.status_changed.connect(self._on_status)
        session_controller.recording_changed.connect(self.changed)
        session_controller.recording_changed.connect(self._on_recording)

    @property
    def library(self) -> RunLibrary:
        """Library that holds the runs."""
        return self._library

    # --- where runs go ----------------------------------------------------------------------------

    @property
    def recording_enabled(self) -> bool:
        """Whether runs are saved."""
        return self._recording_enabled

    def set_recording_enabled(self, recording_enabled: bool) -> None:
        """Set whether runs that start from now on are saved."""
        self._recording_enabled = recording_enabled
        _SAVES_RUNS.store(self._settings, recording_enabled)

    def new_run(self, scene: Scene) -> Path | None:
        """Return the file for a new run of `scene`; None if runs are not saved. Called from the session's thread."""
        if not self._recording_enabled:
            return None
        try:
            return self._library.new_path(Path(self._document.name).stem)
        except OSError as error:
            log.warning("runs cannot be saved in %s: %s", self._library.folder, error)
            return None

    @property
    def present(self) -> Path | None:
        """File of the current run, if it is saved."""
        recording = self._session_controller.session.recording
        return None if recording is None else recording.path

    # --- thumbnails -------------------------------------------------------------------------------

    def _on_status(self) -> None:
        state = self._session_controller.status.state
        if state == "running":
            self._soon.start()
        elif state in ("paused", "finished", "failed"):
            self._soon.stop()
            self._save_thumbnail()
        else:
            self._soon.stop()

    def _save_thumbnail(self) -> None:
        """Save the viewport as the thumbnail of the current run, if it shows that run."""
        path = self.present
        snapshot = self._session_controller.displayed
        live = self._session_controller.live and self._session_controller.source == "simulation"
        if (
            path is None
            or not live
            or (snapshot is not None and self._latest_thumbnail == (path, snapshot.time))
        ):
            return
        if snapshot is None or not os.path.exists(
            path
        ):  # a short run may end before its file exists
            self._soon.start()
            return
        self._latest_thumbnail = path, snapshot.time
        self._keep(path)

    def _on_recording(self) -> None:
        if self._robots_run is not None:
            self._robots.start()

    @property
    def _robots_run(self) -> Path | None:
        """File of the shown robot run, if it is saved."""
        recording = self._session_controller.recording
        return (
            recording.path
            if self._session_controller.source == "robot" and isinstance(recording, RunRecording)
            else None
        )

    def _save_robot_thumbnail(self) -> None:
        """Save the viewport as the thumbnail of a robot run once the robot rests."""
        path = self._robots_run
        if path is None:
            return
        if (
            self.robot_waits()
            or self._session_controller.displayed is None
            or not os.path.exists(path)
        ):
            self._robots.start()
        else:
            self._keep(path)

    def _keep(self, path: Path) -> None:
        """Save the viewport as the thumbnail of a run."""
        try:
            image = self._viewport.image(PICTURE)
        except SnakeStudioError:
            return  # a thumbnail is optional
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, b"png").write(image)
        try:
            self._library.set_picture(path, bytes(data.data()))
        except OSError as error:
            log.warning("the thumbnail of %s cannot be saved: %s", path, error)
        self.changed.emit()
