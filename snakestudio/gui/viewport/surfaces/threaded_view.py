"""The surface of machines whose processor has to draw: a plain widget that shows what a thread has drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from snakestudio.drawing.quality import AdaptiveQuality, Quality
from snakestudio.errors import GraphicsError
from snakestudio.gui.viewport.surfaces.render_thread import RenderThread, Result
from snakestudio.gui.viewport.surfaces.surface import FrameRequest

if TYPE_CHECKING:
    from snakestudio.render.renderer import GraphicsInfo

__all__ = ["ThreadedView"]

FRAME_BUDGET = 0.024
"""Time drawing may take, s."""

PAUSE = 0.006
"""Rest between two frames, s: the same cores draw plots and simulate."""

STILL_MS = 350
"""A picture that stands so long is drawn once more, in the best quality that moving ones could not have."""


class ThreadedView(QWidget):
    """Shows pictures; never waits for one. Mouse and keys are left to its parent.

    Parameters
    ----------
    picture : callable
        Gives what is to be drawn at an aspect ratio.

    Signals
    -------
    drawn(seconds: float)
        A frame was drawn in that time.
    failed(message: str)
        Nothing can be drawn any more.
    """

    drawn = Signal(float)
    failed = Signal(str)

    def __init__(self, picture: Callable[[float], FrameRequest], parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self._image: QImage | None = None
        self._drawing = False
        self._wanted = False
        self._fine = False
        self._ended = 0.0
        self.quality = AdaptiveQuality(budget=FRAME_BUDGET)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._thread = RenderThread(self)
        self._thread.finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._thread.failed.connect(self.failed, Qt.ConnectionType.QueuedConnection)
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setTimerType(Qt.TimerType.PreciseTimer)
        self._next.timeout.connect(self._ask)
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(STILL_MS)
        self._still.timeout.connect(self._refine)

    def refresh(self) -> None:
        """Draw again, soon; asked for while drawing, it is done once afterwards."""
        self._wanted = True
        self._still.stop()
        if not self._drawing and not self._next.isActive():
            rest = self._ended + PAUSE - time.perf_counter()
            self._next.start(max(0, round(1000 * rest)))

    def _ask(self) -> None:
        if not self._drawing and self.isVisible():
            self._wanted = False
            self._start(self.quality.level)

    def _refine(self) -> None:
        if not self._drawing and self.isVisible():
            self._fine = True
            self._start(Quality.HIGH)

    def _start(self, quality: Quality) -> None:
        ratio = self.devicePixelRatio()
        width, height = max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))
        self._drawing = True
        self._thread.draw(self._picture(width / height)._replace(ratio=ratio), width, height, quality)

    def _on_finished(self, result: Result) -> None:
        self._drawing = False
        self._ended = time.perf_counter()
        fine, self._fine = self._fine, False
        self._image = result.image
        self._image.setDevicePixelRatio(self.devicePixelRatio())
        self.update()
        if not fine:
            self.quality.add(result.seconds)
            self.drawn.emit(result.seconds)
        if self._wanted:
            self.refresh()
        elif not fine and result.quality < Quality.HIGH:
            self._still.start()

    def info(self) -> GraphicsInfo | None:
        """What the context offers; None if there is none."""
        try:
            return self._thread.info()
        except GraphicsError:
            return None

    def image(self, width: int, height: int) -> QImage:
        """The present picture at full quality and any size.

        Raises
        ------
        GraphicsError
            If it cannot be drawn.
        """
        picture = self._picture(width / height)._replace(ratio=self.devicePixelRatio())
        return self._thread.draw_now(picture, width, height, Quality.FULL)

    def close_surface(self) -> None:
        """End the thread."""
        self._next.stop()
        self._still.stop()
        self._thread.close()

    # --- Qt's events ----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            if self._image is None:
                painter.fillRect(self.rect(), self.palette().window())
            else:
                # While the window is being resized the last picture is stretched until the next is there.
                painter.drawImage(self.rect(), self._image)
        finally:
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.quality.reset()
        self.refresh()
