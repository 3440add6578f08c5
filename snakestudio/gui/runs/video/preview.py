"""A picture of what a video will show at a moment, drawn beside the window, and how long such a picture takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio.export.composition import Composition
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.gui.core import theme
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.job import Job, Progress

__all__ = ["Preview", "Shot"]

_WAIT_MS = 120
_WATCH_MS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """What is to be drawn.

    Attributes
    ----------
    recording : Recording
    name : str
        Of the run, where there are others.
    options : VideoOptions
    ghosts : sequence of Companion
    beside : Companion or None
    time : float
        s.
    base_dir : Path or None
    """

    recording: Recording
    name: str
    options: VideoOptions
    ghosts: Sequence[Companion]
    beside: Companion | None
    time: float
    base_dir: Path | None


class Preview(QWidget):
    """The picture; while another is drawn the one before stays.

    Signals
    -------
    drawn(seconds: float)
        There is another picture; so long would it take to draw it in full size.
    """

    drawn = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(theme.scaled(320), theme.scaled(180))
        self.setAccessibleName("Preview")
        self._wanted: Callable[[], Shot | None] = lambda: None
        self._image: QImage | None = None
        self.sentence = "Drawing a picture ..."
        self._job: Job[tuple[NDArray[np.uint8], float]] | None = None
        self._stale = False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_WAIT_MS)
        self._again.timeout.connect(self._begin)
        self._watch = QTimer(self)
        self._watch.setInterval(_WATCH_MS)
        self._watch.timeout.connect(self._look)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(480), theme.scaled(270))

    @property
    def image(self) -> QImage | None:
        """The newest picture."""
        return self._image

    def show_shot(self, wanted: Callable[[], Shot | None]) -> None:
        """Draw what `wanted` gives, soon; None where nothing can be drawn."""
        self._wanted = wanted
        self._again.start()

    def say(self, sentence: str) -> None:
        """Show a sentence instead of a picture."""
        self.sentence, self._image = sentence, None
        self.update()

    def _begin(self) -> None:
        self._stale = self._job is not None
        if self._stale:
            return
        shot = self._wanted()
        if shot is None:
            return
        ratio = self.devicePixelRatio()
        factor = min(1.0, ratio * self.width() / shot.options.width, ratio * self.height() / shot.options.height)
        size = max(64, round(shot.options.width * factor)), max(64, round(shot.options.height * factor))
        small = replace(shot.options, width=size[0], height=size[1]) if not shot.options.strip else shot.options
        share = shot.options.width * shot.options.height / (small.width * small.height)

        def work(progress: Progress) -> tuple[NDArray[np.uint8], float]:
            composition = Composition(
                shot.recording, small, None, shot.base_dir, shot.ghosts, shot.beside, shot.name
            )  # fmt: skip
            try:
                picture = composition.paint(shot.time)  # the first one makes shaders and meshes, too
                started = time.perf_counter()
                if progress(0.5):
                    picture = composition.paint(shot.time)
                return picture, share * (time.perf_counter() - started)
            finally:
                composition.close()

        self._job = Job("preview", work)
        self._watch.start()

    def _look(self) -> None:
        job = self._job
        if job is None or job.running:
            return
        self._watch.stop()
        self._job = None
        if job.error:
            self.say(job.error)
        elif job.result is not None:
            picture, seconds = job.result
            height, width, _ = picture.shape
            self._image = QImage(picture.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
            self.update()
            self.drawn.emit(seconds)
        if self._stale:
            self._again.start()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.fillRect(self.rect(), theme.colour("ground"))
            if self._image is None:
                painter.setPen(theme.colour("dim"))
                room = self.rect().adjusted(16, 16, -16, -16)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(room, flags, self.sentence)
                return
            size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            place = QRect((self.width() - size.width()) // 2, (self.height() - size.height()) // 2, 0, 0)
            place.setSize(size)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(place, self._image)
        finally:
            painter.end()

    def close_job(self) -> None:
        """End what is under way; call before it goes."""
        self._again.stop()
        self._watch.stop()
        if self._job is not None:
            self._job.cancel()
            self._job.wait()
            self._job = None
