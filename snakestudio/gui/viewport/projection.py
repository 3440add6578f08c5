"""Where things are seen in the viewport: points of the widget, and what lies under them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF

from snakestudio.drawing import picking
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.gui.core import theme
from snakestudio.gui.core.selection import Item, item_of
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

if TYPE_CHECKING:
    from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["Projection"]


class Projection:
    """Answers what is where in a viewport's picture.

    Parameters
    ----------
    viewport : Viewport
    stretch_scale : callable
        Gives by how much changes of a continuous body's radius are exaggerated in the picture.
    """

    def __init__(self, viewport: Viewport, stretch_scale: Callable[[], float]) -> None:
        self._viewport, self._stretch_scale = viewport, stretch_scale
        self._pickable: tuple[Scene, Snapshot | None, DrawList] | None = None

    @property
    def aspect(self) -> float:
        """Width of the picture over its height."""
        return self._viewport.width() / max(1, self._viewport.height())

    def ndc(self, position: QPointF) -> tuple[float, float]:
        """Normalised device coordinates of a point of the widget."""
        width, height = max(1, self._viewport.width()), max(1, self._viewport.height())
        return 2 * position.x() / width - 1, 1 - 2 * position.y() / height

    def pixel(self, point: tuple[float, float, float]) -> QPointF:
        """Where in the widget a point of the world is seen."""
        navigator = self._viewport.navigator
        x, y, _ = navigator.camera.project(np.array(point), navigator.aspect)
        return QPointF((float(x) + 1) / 2 * self._viewport.width(), (1 - float(y)) / 2 * self._viewport.height())

    def _things(self) -> DrawList:
        """What can be picked, made anew when scene or robot are others."""
        viewport = self._viewport
        scene, snapshot = viewport.scene, viewport.snapshot
        if self._pickable is None or self._pickable[0] is not scene or self._pickable[1] is not snapshot:
            shown, folder = Overlays(stretch_scale=self._stretch_scale()), viewport.document.base_dir
            things = build(scene, snapshot, shown, viewport.navigator.camera, theme.render_theme(), folder)
            self._pickable = scene, snapshot, things
        return self._pickable[2]

    def pick(self, position: QPointF) -> Pick | None:
        """What is under a point of the widget; None for the sky."""
        things, camera = self._things(), self._viewport.navigator.camera
        return picking.pick(things, camera, self.ndc(position), self.aspect)

    def item_at(self, position: QPointF) -> tuple[Pick | None, Item | None]:
        """What is under a point of the widget, and as what it can be selected."""
        picked = self.pick(position)
        return picked, item_of(picked, self._viewport.scene, self._viewport.document.scene)

    def items_in(self, corner: QPointF, opposite: QPointF) -> set[Item]:
        """Everything whose middle is seen in a rectangle of the widget, as far as it can be selected there."""
        things, viewport = self._things(), self._viewport
        picks = picking.pick_rectangle(
            things, viewport.navigator.camera, self.ndc(corner), self.ndc(opposite), self.aspect
        )
        items = (item_of(picked, viewport.scene, viewport.document.scene) for picked in picks)
        return {item for item in items if item is not None}
