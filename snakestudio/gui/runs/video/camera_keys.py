"""The camera path that videos of the open scene can take: keyframes set in the viewport, kept with the scene's file."""

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


class CameraKeys(QObject):
    """Keyframes of the camera, and how they come about.

    Parameters
    ----------
    session_controller : SessionController
        Shows the moments that keyframes are set at.
    camera : callable
        Gives where the viewport looks from.
    go : callable
        Has it look from elsewhere.
    settings : QSettings
        Keeps a path for each scene's file.

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
        go: Callable[[Camera], None],
        settings: QSettings,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session_controller = session_controller
        self._settings = settings
        self._camera = camera
        self._go = go
        self._path = CameraPath()
        document.opened.connect(self._recall)
        self._recall()

    @property
    def path(self) -> CameraPath:
        """The keyframes there are."""
        return self._path

    def set_path(self, path: CameraPath) -> None:
        """Have other keyframes."""
        if path == self._path:
            return
        self._path = path
        place = self._place
        if place:
            if path.keys:
                self._settings.setValue(place, dump_camera_path(path))
            else:
                self._settings.remove(place)
        self.changed.emit()

    def add(self) -> float | None:
        """Set a keyframe: the present view at the shown moment, whose time is returned (s); None without a run."""
        shown = self._session_controller.displayed
        if shown is None:
            return None
        self.set_path(self._path.with_key(CameraKey(shown.time, self._camera())))
        return shown.time

    def go_to(self, index: int) -> None:
        """Show the moment of a keyframe as it will be seen."""
        key = self._path.keys[index]
        recording = self._session_controller.recording
        if recording is not None and len(recording):
            self._session_controller.set_cursor(recording.index_at(key.time))
        self._go(key.camera)

    @property
    def _place(self) -> str:
        path = self._document.origin
        return (
            f"camera_paths/{hashlib.sha1(str(path).encode()).hexdigest()[:16]}"
            if path is not None
            else ""
        )

    def _recall(self) -> None:
        """Take over the keyframes that belong to the scene that was just opened."""
        text = str(self._settings.value(self._place) or "") if self._place else ""
        try:
            self._path = parse_camera_path(text) if text else CameraPath()
        except UsageError:  # written by another version: as good as none
            self._path = CameraPath()
        self.changed.emit()
