"""Thumbnails of moments of the run, rendered and cached by a background thread."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quality import Quality
from snakestudio.drawing.style import Theme
from snakestudio.errors import GraphicsError
from snakestudio.gui.core import theme
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.model.recording import Recording
from snakestudio.render.offscreen import OffscreenRenderer
from snakestudio.viewmodel.work import Progress

WIDTH = 240
HEIGHT = 135
_MOST_PICTURES = 200
_DISTANCE_FACTOR = 2.6
"""Camera distance in lengths of the robot's shadow."""


@dataclass(frozen=True, slots=True)
class _Request:
    recording: Recording
    row: int
    camera: Camera
    palette: str
    colours: Theme
    base_dir: Path | None


class Thumbnails(QObject):
    """Thumbnails of rows of the shown recording, seen from the viewport's camera.

    Parameters
    ----------
    camera : callable
        Returns the camera of the viewport, whose direction the thumbnails use.

    Signals
    -------
    ready(row: int)
        The requested thumbnail of a row is available.
    """

    ready = Signal(int)
    _drawn = Signal(object, str, int, QImage)

    def __init__(
        self,
        session_controller: SessionController,
        camera: Callable[[], Camera] = Camera,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._camera = camera
        self._pictures: OrderedDict[tuple[str, int], QImage] = OrderedDict()
        self._lock = threading.Lock()
        self._request: _Request | None = None
        self._busy = False
        self._task: Task[bool] | None = None
        self._renderer: OffscreenRenderer | None = None
        self._impossible = False
        self._drawn.connect(self._keep)
        session_controller.recording_changed.connect(self.discard)

    @property
    def possible(self) -> bool:
        """Whether this computer can render thumbnails."""
        return not self._impossible

    def picture(self, row: int) -> QImage | None:
        """Return the thumbnail of a row, or None until `ready` reports it; a new request replaces an unfinished one."""
        key = (theme.current().name, row)
        if key in self._pictures:
            self._pictures.move_to_end(key)
            return self._pictures[key]
        recording = self._session_controller.recording
        if self._impossible or recording is None or not 0 <= row < len(recording):
            return None
        with self._lock:
            self._request = _Request(
                recording,
                row,
                self._camera(),
                key[0],
                theme.render_theme(),
                self._session_controller.base_dir,
            )
            begin = not self._busy
            self._busy = True
        if begin:
            self._task = Task("thumbnail", self._draw, self)
        return None

    def _keep(self, recording: Recording, palette: str, row: int, image: QImage) -> None:
        if recording is self._session_controller.recording:
            self._pictures[palette, row] = image
            while len(self._pictures) > _MOST_PICTURES:
                self._pictures.popitem(last=False)
            self.ready.emit(row)

    def discard(self) -> None:
        """Discard all thumbnails because the run changed."""
        with self._lock:
            self._request = None
        self._pictures.clear()

    def close(self) -> None:
        """Release the resources of rendering."""
        self.discard()
        self._impossible = True
        close_tasks(self)
        self._task = None
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    # --- task thread ------------------------------------------------------------------------------

    def _draw(self, progress: Progress) -> bool:
        try:
            while progress(0.0):
                with self._lock:
                    request = self._request
                    self._request = None
                    if request is None:
                        self._busy = False
                        return True
                image = self._image(request)
                if image is not None and progress(1.0):
                    self._drawn.emit(request.recording, request.palette, request.row, image)
        except GraphicsError:
            self._impossible = True  # the card then shows text only
        return False

    def _image(self, request: _Request) -> QImage | None:
        snapshot = request.recording.snapshot(request.row)
        middle = snapshot.centre_of_mass
        if not snapshot.drawn or not np.isfinite(middle).all():
            return None
        if self._renderer is None:
            self._renderer = OffscreenRenderer(WIDTH, HEIGHT, request.colours, Quality.LOW)
        x, y, z = middle.tolist()
        size = float(np.ptp(snapshot.link_pose[:, :2], axis=0).max())
        near = replace(request.camera, target=(x, y, z), distance=max(_DISTANCE_FACTOR * size, 0.3))
        scene = request.recording.scene_at(snapshot.time)
        things = build(scene, snapshot, Overlays(), near, request.colours, request.base_dir)
        pixels = self._renderer.draw(things, near)
        return QImage(
            pixels.tobytes(), WIDTH, HEIGHT, 3 * WIDTH, QImage.Format.Format_RGB888
        ).copy()
