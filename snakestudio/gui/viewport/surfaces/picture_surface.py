"""Surface of the viewport: OpenGL, or a plain view from above if OpenGL cannot be used."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from snakestudio.gui.viewport.surfaces.gl_view import GlView
from snakestudio.gui.viewport.surfaces.surface import FrameRequest, choose
from snakestudio.gui.viewport.surfaces.threaded_view import ThreadedView
from snakestudio.gui.viewport.surfaces.top_view import TopView


class PictureSurface(QObject):
    """Fills a widget, below all its children.

    Parameters
    ----------
    picture : callable
        Returns the content of a frame for an aspect ratio.

    Signals
    -------
    drawn(seconds: float)
        A frame was drawn in this time.
    fell_back(reason: str)
        OpenGL cannot be used: a plain view replaces it.
    """

    drawn = Signal(float)
    fell_back = Signal(str)

    def __init__(self, widget: QWidget, picture: Callable[[float], FrameRequest]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._picture = picture
        self.gl: GlView | ThreadedView | None = None
        self._top_view: TopView | None = None

    def begin(self) -> None:
        """Start drawing."""
        choice = choose()
        if choice.kind == "flat":
            self.fall_back(choice.reason)
            return
        self.gl = (ThreadedView if choice.kind == "threaded" else GlView)(
            self._picture, self._widget
        )
        self.gl.lower()  # below legend and buttons
        self.gl.drawn.connect(self.drawn)
        self.gl.failed.connect(self.fall_back, Qt.ConnectionType.QueuedConnection)

    def fall_back(self, reason: str) -> None:
        """Replace OpenGL by the plain view from above."""
        if self._top_view is not None:
            return
        if self.gl is not None:
            self.gl.hide()
            self.gl.close_surface()
            self.gl.deleteLater()
            self.gl = None
        self._top_view = TopView(self._picture, reason, self._widget)
        self._top_view.lower()
        self._top_view.setGeometry(self._widget.rect())
        self._top_view.show()
        self._top_view.drawn.connect(self.drawn)
        self.fell_back.emit(reason)

    @property
    def fallback_reason(self) -> str:
        """Reason why only the plain view is available; empty with OpenGL."""
        return self._top_view.reason if self._top_view is not None else ""

    def refresh(self) -> None:
        """Schedule a frame."""
        surface = self.gl or self._top_view
        if surface is not None:
            surface.refresh()

    def set_geometry(self, rect: QRect) -> None:
        """Fill this rectangle."""
        surface = self.gl or self._top_view
        if surface is not None:
            surface.setGeometry(rect)

    def image(self, size: QSize) -> QImage:
        """Return the current view in a size, px.

        Raises `GraphicsError` if it cannot be drawn.
        """
        if self.gl is not None:
            return self.gl.image(size.width(), size.height())
        assert self._top_view is not None
        return self._top_view.grab().toImage().scaled(size, Qt.AspectRatioMode.KeepAspectRatio)

    def close(self) -> None:
        """Free the resources of drawing; call before the program quits."""
        if self.gl is not None:
            self.gl.close_surface()
