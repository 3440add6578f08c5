"""Camera keyframes of the open scene, stored with the scene's file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.drawing.camera import Camera
from snakestudio.errors import UsageError
from snakestudio.export.camera_path import (
    CameraKey,
    CameraPath,
    dump_camera_path,
    parse_camera_path,
)
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import Setting

_CAMERA_PATH = Setting(
    "camera_paths", "", "Camera keyframes", "Camera keyframes of each scene file", remembered=True
)


class CameraKeys(QObject):
    """Camera keyframes of the open scene.

    Parameters
    ----------
    session_controller : SessionController
        Provides the times of keyframes.
    camera : callable
        Returns the camera of the viewport.
    move_camera : callable
        Sets the camera of the viewport.
    settings : QSettings
        Stores a path per scene file.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        camera: Callable[[], Camera],
        move_camera: Callable[[Camera], None],
        settings: QSettings,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session_controller = session_controller
        self._settings = settings
        self._camera = camera
        self._move_camera = move_camera
        self._path = CameraPath()
        document.opened.connect(self._recall)
        self._recall()

    @property
    def path(self) -> CameraPath:
        """Current keyframes."""
        return self._path

    def set_path(self, path: CameraPath) -> None:
        """Replace the keyframes."""
        if path == self._path:
            return
        self._path = path
        location = self._scene_key
        if location:
            if path.keys:
                _CAMERA_PATH.store(self._settings, dump_camera_path(path), location)
            else:
                _CAMERA_PATH.discard(self._settings, location)
        self.changed.emit()

    def add(self) -> float | None:
        """Add a keyframe with the current view at the shown time; returns the time (s), or None without a run."""
        snapshot = self._session_controller.displayed
        if snapshot is None:
            return None
        self.set_path(self._path.with_key(CameraKey(snapshot.time, self._camera())))
        return snapshot.time

    def show_key(self, index: int) -> None:
        """Show the time and the view of a keyframe."""
        key = self._path.keys[index]
        recording = self._session_controller.recording
        if recording is not None and len(recording):
            self._session_controller.set_cursor(recording.index_at(key.time))
        self._move_camera(key.camera)

    @property
    def _scene_key(self) -> str:
        path = self._document.origin
        return hashlib.sha1(str(path).encode()).hexdigest()[:16] if path is not None else ""

    def _recall(self) -> None:
        """Load the keyframes of the scene that was just opened."""
        text = _CAMERA_PATH.load(self._settings, self._scene_key) if self._scene_key else ""
        try:
            self._path = parse_camera_path(text) if text else CameraPath()
        except UsageError:  # written by another version: ignored
            self._path = CameraPath()
        self.changed.emit()
