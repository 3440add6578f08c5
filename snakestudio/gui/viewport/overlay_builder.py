"""What the viewport shows beside scene and robot, but for tools: trail, ghosts, colours, what is selected or wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snakestudio.drawing.colour_bar import bar_left
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.view import reference_pixel
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.viewport.body_look import BodyLook
from snakestudio.viewmodel.viewport.trail import TrailReader
from snakestudio.viewmodel.viewport.warned import warned

if TYPE_CHECKING:
    from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["OverlayBuilder"]

_MARGIN = 12


class OverlayBuilder:
    """Makes the overlays of a viewport's pictures; keeps what is dear to read from one to the next."""

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self._trail = TrailReader()
        self._look = BodyLook()

    @property
    def stretch_scale(self) -> float:
        """By how much changes of a continuous body's radius are exaggerated."""
        return self._look.stretch_scale

    @property
    def reference_ghost(self) -> bool:
        """Whether it is seen where the joints were told to be: of a robot always, for one looks at how it lags."""
        return self._viewport.options.now.reference_ghost or self._viewport.bridge.source == "robot"

    def overlays(self) -> Overlays:
        """Everything but what tools add."""
        v = self._viewport
        trail = None
        snapshot, bridge = v.snapshot, v.bridge
        if snapshot is not None and Fields.POSE in snapshot.valid:
            link = v.options.now.trail_index(snapshot.n_links)
            if link is not None:
                trail = self._trail.points(bridge.recording, link, snapshot)
        dressed = self._look.dress(
            v.options.now.overlays(v.scene), v.scene.beam, bridge.recording, snapshot, self._bar_top
        )
        v.legends.forces.set_factors(*self._look.factors)
        return replace(
            dressed,
            trail=trail,
            reference_ghost=self.reference_ghost,
            stale=v.robot_stale(),
            warned=warned(bridge.status.problems) if bridge.live else (),
            ghosts=v.ghosts(snapshot.time) if snapshot is not None else (),
            tracks=v.tracks(snapshot) if snapshot is not None else (),
            selection=tuple(Pick(kind, index) for kind, index in sorted(v.selection.bodies)),
            hover=Pick(*v.selection.hovered) if v.selection.hovered is not None else None,
            show_grid_labels=not v.sheet.drafting,  # its rulers say that, and where x and y point
            show_triad=not v.sheet.drafting,
        )

    @property
    def _bar_top(self) -> float:
        """Where there is room below the buttons, and the legend in a narrow picture, as a share of the height."""
        v, ratio = self._viewport, self._viewport.devicePixelRatioF()
        below, legend = v.buttons.geometry().bottom() + _MARGIN, v.legends.forces.geometry()
        pixel = reference_pixel(round(v.height() * ratio), ratio)
        if bar_left(round(v.width() * ratio), pixel) < legend.right() * ratio:
            below = max(below, legend.bottom())
        return below / max(1, v.height())
