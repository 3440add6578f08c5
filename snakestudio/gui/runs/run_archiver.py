"""Keeps every run of the window in the library, with a picture of how it looked."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSettings, QSize, QTimer, Signal
from PySide6.QtGui import QImageWriter

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.viewport_picture import ViewportPicture
from snakestudio.model.scene import Scene
from snakestudio.runfile.library import RunLibrary
from snakestudio.runfile.recording import RunRecording

log = logging.getLogger(__name__)

PICTURE = QSize(320, 200)
"""Size of the pictures, px: twice as fine as they are shown."""

_SOON_MS = 1500
"""A run that goes on has its first picture after this time: it may end without a moment to take
one."""

_KEEP = "runs/keep"


class RunArchiver(QObject):
    """Says where runs go, and takes their pictures when they stand still.

    Parameters
    ----------
    robot_waits : callable
        Whether a robot could move: no picture keeps the window from it.

    Signals
    -------
    changed()
        The present run has a picture, or is another one.
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
        self._keeping = settings.value(_KEEP, True, bool) is not False
        self._taken: tuple[Path, float] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._take)
        self._robots = QTimer(self)
        self._robots.setObjectName("robot_picture_timer")
        self._robots.setSingleShot(True)
        self._robots.setInterval(_SOON_MS)
        self._robots.timeout.connect(self._take_robots)
        self.robot_waits = robot_waits
        session_controller.status_changed.connect(self._on_status)
        session_controller.recording_changed.connect(self.changed)
        session_controller.recording_changed.connect(self._on_recording)

    @property
    def library(self) -> RunLibrary:
        """Where they go."""
        return self._library

    # --- where runs go ----------------------------------------------------------------------------

    @property
    def keeping(self) -> bool:
        """Whether runs are kept."""
        return self._keeping

    def set_keeping(self, keeping: bool) -> None:
        """Keep the runs that begin from now on, or do not."""
        self._keeping = keeping
        self._settings.setValue(_KEEP, keeping)

    def new_run(self, scene: Scene) -> Path | None:
        """Where the run of a scene that begins now goes; None if it is not kept. Called by the session's thread."""
        if not self._keeping:
            return None
        try:
            return self._library.new_path(Path(self._document.name).stem)
        except OSError as error:
            log.warning("runs cannot be saved in %s: %s", self._library.folder, error)
            return None

    @property
    def present(self) -> Path | None:
        """The file of the run that the window makes at present, if it is kept."""
        recording = self._session_controller.session.recording
        return None if recording is None else recording.path

    # --- pictures ---------------------------------------------------------------------------------

    def _on_status(self) -> None:
        state = self._session_controller.status.state
        if state == "running":
            self._soon.start()
        elif state in ("paused", "finished", "failed"):
            self._soon.stop()
            self._take()
        else:
            self._soon.stop()

    def _take(self) -> None:
        """Keep what the viewport shows as the picture of the present run, unless it shows something else."""
        path = self.present
        shown = self._session_controller.displayed
        live = self._session_controller.live and self._session_controller.source == "simulation"
        if path is None or not live or (shown is not None and self._taken == (path, shown.time)):
            return
        if (
            shown is None or not path.exists()
        ):  # a short run ends before the first of it is on the disk
            self._soon.start()
            return
        self._taken = path, shown.time
        self._keep(path)

    def _on_recording(self) -> None:
        if self._robots_run is not None:
            self._robots.start()

    @property
    def _robots_run(self) -> Path | None:
        """The file of the robot's run that is shown, if it is kept."""
        recording = self._session_controller.recording
        return (
            recording.path
            if self._session_controller.source == "robot" and isinstance(recording, RunRecording)
            else None
        )

    def _take_robots(self) -> None:
        """Keep what the viewport shows as the picture of a robot's run, as soon as the robot rests."""
        path = self._robots_run
        if path is None:
            return
        if self.robot_waits() or self._session_controller.displayed is None or not path.exists():
            self._robots.start()
        else:
            self._keep(path)

    def _keep(self, path: Path) -> None:
        """Keep what the viewport shows as the picture of a run."""
        try:
            image = self._viewport.image(PICTURE)
        except SnakeStudioError:
            return  # a run without a picture is none the worse
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, b"png").write(image)
        try:
            self._library.set_picture(path, bytes(data.data()))
        except OSError as error:
            log.warning("the thumbnail of %s cannot be saved: %s", path, error)
        self.changed.emit()
