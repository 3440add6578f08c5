"""Interface of the viewport for tools and overlays: scene, robot, camera, and positions in the view."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing import picking
from snakestudio.drawing.camera import STANDARD_VIEWS, Camera
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import Preview
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import ViewOptions
from snakestudio.gui.viewport.navigation import Navigator
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.viewmodel.scene.items import Item, item_of
from snakestudio.viewmodel.viewport.body_look import BodyLook

_NEAREST_LINKS = 2
_NEAR_STEPS = 5
"""Number of links that are tried next to the cursor, and of points up to each, with the cursor."""


class ViewportApi:
    """Scene and robot shown by a viewport, and positions in its view.

    Parameters
    ----------
    widget : QWidget
        The viewport itself; used for its size, cursor and focus, and as parent of overlays.
        lie over it.

    Attributes
    ----------
    navigator : Navigator
        Camera navigation.
    options : ViewOptions
        Display options in addition to the scene.
    preview : Preview
        Obstacles that are shown before they are added to the scene.
    look : BodyLook
        Appearance of a continuous body.
    """

    def __init__(
        self,
        widget: QWidget,
        document: Document,
        session_controller: SessionController,
        selection: Selection,
    ) -> None:
        self.widget = widget
        self.document = document
        self.session_controller = session_controller
        self.selection = selection
        self.navigator = Navigator(widget)
        self.options = ViewOptions(widget)
        self.preview = Preview(widget)
        self.look = BodyLook()
        self._stale_snapshot: Snapshot | None = None
        self._pickable: tuple[Scene, Snapshot | None, DrawList] | None = None

    # --- content ----------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """Drawn scene: that of the document, or that of the past (or of another run) while it is viewed.

        A run continues with its own robot if the document has another one.
        """
        recording = self.session_controller.recording
        snapshot = self.session_controller.displayed
        scene = self.document.scene
        if recording is None or snapshot is None or snapshot is self._stale_snapshot:
            return scene
        present = self.session_controller.live and self.session_controller.source == "simulation"
        return scene if present and scene.body.fits(snapshot) else recording.scene_at(snapshot.time)

    @property
    def snapshot(self) -> Snapshot | None:
        """Drawn state of the robot of `scene`; None until it is known."""
        displayed = self.session_controller.displayed
        if displayed is None or displayed is self._stale_snapshot:
            return None
        return displayed if self.scene.body.fits(displayed) else None

    def ignore_snapshot(self, snapshot: Snapshot | None) -> None:
        """Ignore a state that is still displayed after another scene was opened."""
        self._stale_snapshot = snapshot

    @property
    def placeable(self) -> bool:
        """Whether the document's robot is shown at the start of a run that has not begun."""
        session_controller = self.session_controller
        snapshot = self.snapshot
        at_start = session_controller.live and session_controller.status.state in (
            "ready",
            "preparing",
            "unprepared",
            "blocked",
        )
        return (
            at_start
            and snapshot is not None
            and Fields.POSE in snapshot.valid
            and self.document.scene.body.fits(snapshot)
        )

    @property
    def drafting(self) -> bool:
        """Whether the camera looks straight down in parallel projection, x to the right: a drafting view."""
        camera = self.navigator.camera
        azimuth, elevation, _ = STANDARD_VIEWS["top"]
        return (
            self.options.now.drafting
            and camera.orthographic
            and abs(math.remainder(camera.azimuth - math.radians(azimuth), math.tau)) < 1e-6
            and abs(camera.elevation - math.radians(elevation)) < 1e-6
        )

    # --- what is where ----------------------------------------------------------------------------

    def ndc(self, position: QPointF) -> tuple[float, float]:
        """Return the normalised device coordinates of a point of the widget."""
        width, height = max(1, self.widget.width()), max(1, self.widget.height())
        return 2 * position.x() / width - 1, 1 - 2 * position.y() / height

    def pixel(self, point: tuple[float, float, float]) -> QPointF:
        """Return the position in the widget of a point of the world."""
        x, y, _ = self.navigator.camera.project(np.array(point), self.navigator.aspect)
        return QPointF(
            (float(x) + 1) / 2 * self.widget.width(), (1 - float(y)) / 2 * self.widget.height()
        )

    def ground(
        self, position: QPointF, height: float = 0.0, camera: Camera | None = None
    ) -> tuple[float, float] | None:
        """Return the point at `height` (m) under a point of the widget, m, seen by `camera` if given.

        None near the horizon.
        """
        camera = camera or self.navigator.camera
        origin, direction = camera.ray(self.ndc(position), self.navigator.aspect)
        if direction[2] > -0.02:
            return None  # at or above the horizon a pixel spans kilometres
        s = (height - origin[2]) / direction[2]
        if s <= 0 or (not camera.orthographic and s > 200 * camera.distance):
            return None
        point = origin + s * direction
        return float(point[0]), float(point[1])

    def _things(self) -> DrawList:
        """Return the objects that can be picked, rebuilt when scene or robot change."""
        scene = self.scene
        snapshot = self.snapshot
        if (
            self._pickable is None
            or self._pickable[0] is not scene
            or self._pickable[1] is not snapshot
        ):
            overlays = Overlays(stretch_scale=self.look.stretch_scale)
            folder = self.document.base_dir
            things = build(
                scene, snapshot, overlays, self.navigator.camera, theme.render_theme(), folder
            )
            self._pickable = scene, snapshot, things
        return self._pickable[2]

    @property
    def _aspect(self) -> float:
        return self.widget.width() / max(1, self.widget.height())

    def pick(self, position: QPointF) -> Pick | None:
        """Return the object under a point of the widget; None for the sky."""
        return picking.pick(self._things(), self.navigator.camera, self.ndc(position), self._aspect)

    def item_at(self, position: QPointF) -> tuple[Pick | None, Item | None]:
        """Return the object under a point of the widget, and the item that it selects."""
        picked = self.pick(position)
        return picked, item_of(picked, self.scene, self.document.scene)

    def link_near(self, position: QPointF, reach: float) -> Pick | None:
        """Return the link under a point of the widget, or the nearest one within `reach` pixels of a free point."""
        picked = self.pick(position)
        if picked is not None and picked.kind == "link":
            return picked
        if picked is not None and picked.kind == "obstacle":
            return None
        things = self._things()
        half = things.sizes.half_length[:, None] * things.links.axis
        ends = np.stack([things.links.position - half, things.links.position + half])
        size = 0.5 * np.array([self.widget.width(), self.widget.height()])
        seen = self.navigator.camera.project(ends.reshape(-1, 3), self._aspect)[:, :2] * size
        begin, end = seen.reshape(2, -1, 2)
        cursor = np.array(self.ndc(position)) * size
        span = end - begin
        fraction = np.einsum("ij,ij->i", cursor - begin, span) / np.maximum(
            (span**2).sum(axis=1), 1e-9
        )
        towards = begin + np.clip(fraction, 0.0, 1.0)[:, None] * span - cursor
        away = np.linalg.norm(towards, axis=1)
        for link in np.argsort(away)[:_NEAREST_LINKS].tolist():
            if not away[link] > 0.0:
                continue
            for step in np.linspace(0.0, min(reach, away[link]), _NEAR_STEPS)[1:].tolist():
                x, y = towards[link] * (step / away[link])
                picked = self.pick(position + QPointF(x, -y))
                if picked is not None and picked.kind == "link":
                    return picked
        return None

    def items_in(self, corner: QPointF, opposite: QPointF) -> set[Item]:
        """Return all selectable items whose centre is in a rectangle of the widget."""
        things = self._things()
        camera = self.navigator.camera
        picks = picking.pick_rectangle(
            things, camera, self.ndc(corner), self.ndc(opposite), self._aspect
        )
        items = (item_of(picked, self.scene, self.document.scene) for picked in picks)
        return {item for item in items if item is not None}


def box_around(
    scene: Scene,
    snapshot: Snapshot | None,
    base_dir: Path | None,
    items: frozenset[Item] | None = None,
) -> tuple[FloatArray, FloatArray] | None:
    """Return the corners of the box around some items, m, or around everything, with path and patches, if omitted.

    None without any items.
    """
    world = obstacles_of(scene.obstacles, base_dir, shown_only=items is None)
    lows = []
    highs = []
    for index, (low, high) in enumerate(zip(world.low, world.high, strict=True)):
        if (items is None or ("obstacle", index) in items) and np.isfinite(low).all():
            lows.append(low)
            highs.append(high)
    if items is None and scene.path:
        points = np.array(scene.path.waypoints_m)
        lows.append(np.append(points.min(axis=0), 0.0))
        highs.append(np.append(points.max(axis=0), 0.0))
    for index, patch in enumerate(scene.ground.patch):
        if items is None or ("patch", index) in items:
            points = np.array(patch.points_m)
            lows.append(np.append(points.min(axis=0), 0.0))
            highs.append(np.append(points.max(axis=0), 0.0))
    if snapshot is not None and snapshot.drawn:
        reach = scene.body.reach
        for index, pose in enumerate(snapshot.link_pose):
            if np.isfinite(pose).all() and (items is None or ("link", index) in items):
                lows.append(pose[:3] - reach)
                highs.append(pose[:3] + reach)
    if not lows:
        return None
    return np.min(lows, axis=0), np.max(highs, axis=0)
