"""Interface of the viewport for other parts of the window: its image and its camera."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from snakestudio.drawing.camera import Camera
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.viewport.view_settings import ViewSettings


class ViewportPicture(Protocol):
    """Members of the viewport that exports and the library of runs use."""

    @property
    def camera(self) -> Camera:
        """The camera."""

    @property
    def following(self) -> bool:
        """Whether the camera follows the robot."""

    @property
    def settings(self) -> ViewSettings:
        """Marks, trails and other items in addition to scene and robot."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot that is shown."""

    def size(self) -> QSize:
        """Return the size of the viewport, px."""

    def image(self, size: QSize) -> QImage:
        """Return the present view at full quality.

        Raises `GraphicsError` if it cannot be drawn.
        """
