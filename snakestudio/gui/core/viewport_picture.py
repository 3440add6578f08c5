"""What other parts of the window may ask of the viewport: its picture, and how it looks at the scene."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from snakestudio.drawing.camera import Camera
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.viewport.view_settings import ViewSettings


class ViewportPicture(Protocol):
    """The viewport, as exports and the library of runs see it."""

    @property
    def camera(self) -> Camera:
        """Where it looks from."""

    @property
    def following(self) -> bool:
        """Whether the camera goes along with the robot."""

    @property
    def settings(self) -> ViewSettings:
        """What is to be seen beside scene and robot."""

    @property
    def snapshot(self) -> Snapshot | None:
        """What the robot does in it."""

    def size(self) -> QSize:
        """How large it is, px."""

    def image(self, size: QSize) -> QImage:
        """The picture as it stands, at full quality.

        Raises `GraphicsError` if it cannot be drawn.
        """
