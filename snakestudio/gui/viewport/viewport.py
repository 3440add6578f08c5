"""Viewport: the current scene and robot, drawn only when something about them changed."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import Preview
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import ViewOptions
from snakestudio.gui.viewport.companions import Companions
from snakestudio.gui.viewport.corners import Hint, ViewButtons
from snakestudio.gui.viewport.drafting.drafting_overlay import DraftingOverlay
from snakestudio.gui.viewport.legend import Legends
from snakestudio.gui.viewport.mouse import DropTarget, Mouse
from snakestudio.gui.viewport.navigation import Navigator
from snakestudio.gui.viewport.overlay_builder import OverlayBuilder
from snakestudio.gui.viewport.surfaces.gl_view import GlView
from snakestudio.gui.viewport.surfaces.picture_surface import PictureSurface
from snakestudio.gui.viewport.surfaces.surface import FrameRequest
from snakestudio.gui.viewport.surfaces.threaded_view import ThreadedView
from snakestudio.gui.viewport.tools.viewport_tools import ViewportTools
from snakestudio.gui.viewport.viewport_api import ViewportApi, box_around
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.viewmodel.viewport.view_settings import ViewSettings, rows_of

_MARGIN = 12


class Viewport(QWidget):
    """Scene, robot, forces and trail, with navigation and picking.

    Parameters
    ----------
    session_controller : SessionController
        Source of the displayed state.

    Signals
    -------
    frame_drawn(seconds: float)
        A frame was drawn in this time.
    fell_back(reason: str)
        OpenGL cannot be used: a plain view from above is shown instead.
    """

    frame_drawn = Signal(float)
    fell_back = Signal(str)

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        selection: Selection,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        api = self.api = ViewportApi(self, document, session_controller, selection)
        self.companions = Companions()
        self._frame_home = True
        self._locked_pick: Pick | None = None
        self.tools = ViewportTools(api, lambda: self._mouse.busy)
        self._mouse = Mouse(api, self.tools.editor.transforms, self.hover)
        self.drop = DropTarget(api)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(320, 204)
        self.setObjectName("viewport")
        self.setAccessibleName("3D view of the scene")

        self.surface = PictureSurface(self, self._picture)
        self.drafting_overlay = DraftingOverlay(api, self.tools.robot_tool, self.tools.measure_tool)
        self.legends = Legends(api.options, api.navigator, self)
        self.buttons = ViewButtons(api.navigator, self)
        self._builder = OverlayBuilder(api, self.legends.forces, self.buttons)
        self.hint = Hint(self)
        self.surface.drawn.connect(self.frame_drawn)
        self.surface.fell_back.connect(self._on_fallback)
        self.surface.begin()

        api.navigator.changed.connect(self.refresh)
        api.options.changed.connect(self.show_instant)
        self.tools.changed.connect(self._on_tool)
        api.preview.changed.connect(self.refresh)
        self.drafting_overlay.inset_changed.connect(self._arrange)
        session_controller.frame.connect(self.show_instant)
        session_controller.status_changed.connect(self.refresh)
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        session_controller.source_changed.connect(self._on_source)
        selection.changed.connect(self.refresh)
        selection.hover_changed.connect(self.refresh)
        theme.follow(self, Viewport.show_instant)
        self._on_scene()
        self._on_opened()

    # --- content ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Schedule a frame."""
        self.drafting_overlay.refresh()
        self.surface.refresh()

    @property
    def scene(self) -> Scene:
        """Drawn scene."""
        return self.api.scene

    @property
    def snapshot(self) -> Snapshot | None:
        """Drawn state of the robot; None until the first state of a newly opened scene is known."""
        return self.api.snapshot

    @property
    def selection(self) -> Selection:
        """Selection, and the object under the cursor."""
        return self.api.selection

    @property
    def navigator(self) -> Navigator:
        """Navigator of the camera."""
        return self.api.navigator

    @property
    def options(self) -> ViewOptions:
        """Display options of the user."""
        return self.api.options

    @property
    def preview(self) -> Preview:
        """Obstacles that are shown before they are added to the scene."""
        return self.api.preview

    def ndc(self, position: QPointF) -> tuple[float, float]:
        """Return the normalised device coordinates of a point of the widget."""
        return self.api.ndc(position)

    def pixel(self, point: tuple[float, float, float]) -> QPointF:
        """Return the position in the widget of a point of the world."""
        return self.api.pixel(point)

    def pick(self, position: QPointF) -> Pick | None:
        """Return the object under a point of the widget; None for the sky."""
        return self.api.pick(position)

    @property
    def camera(self) -> Camera:
        """Current camera."""
        return self.navigator.camera

    @property
    def following(self) -> bool:
        """Whether the camera follows the robot."""
        return self.navigator.following

    @property
    def settings(self) -> ViewSettings:
        """Settings of the items in addition to scene and robot."""
        return self.options.now

    @property
    def settled(self) -> bool:
        """Whether the camera has been placed in the scene."""
        return not self._frame_home

    def overlays(self) -> Overlays:
        """Everything that is drawn in addition to scene and robot."""
        companions = self.companions
        snapshot = self.snapshot
        overlays = self._builder.overlays(
            companions.ghosts(snapshot),
            companions.tracks(snapshot),
            stale=companions.robot.is_stale(),
        )
        return self.tools.add_overlays(overlays)

    def _picture(self, aspect: float) -> FrameRequest:
        self.navigator.set_aspect(aspect)
        if self._frame_home:
            # The first frames of a scene show all of it, for any size of the window, until its robot
            # is there too, or the user moves the camera.
            if not self.navigator.touched:
                self.frame_all(at_once=True)
            self._frame_home = self.snapshot is None and not self.navigator.touched
        scene, overlays = self.preview.add_to(self.scene, self.overlays())
        camera = self.navigator.camera
        folder = self.api.session_controller.base_dir
        return FrameRequest(scene, self.snapshot, overlays, camera, theme.render_theme(), folder)

    def free_range_above(self) -> tuple[int, int]:
        """Return the horizontal range along the upper edge without overlays: from the legend to the buttons, px."""
        legend = self.legends.forces
        return legend.geometry().right() if legend.isVisible() else 0, self.buttons.x()

    def _on_fallback(self, reason: str) -> None:
        """Adapt to the plain view from above."""
        self.navigator.set_flat()
        self.buttons.set_flat()
        self.hint.set_flat()
        self._frame_home = True
        self.fell_back.emit(reason)

    @property
    def gl(self) -> GlView | ThreadedView | None:
        """OpenGL view, if there is one."""
        return self.surface.gl

    @property
    def fallback_reason(self) -> str:
        """Reason why only the plain view is available; empty with OpenGL."""
        return self.surface.fallback_reason

    def close_surface(self) -> None:
        """Free the resources of drawing; call before the program quits."""
        self.surface.close()

    def image(self, size: QSize | None = None) -> QImage:
        """Return the current view without buttons at full quality; a drafting view includes rulers and dimensions.

        Raises `GraphicsError` if it cannot be drawn.
        """
        ratio = self.devicePixelRatio()
        size = size or QSize(round(self.width() * ratio), round(self.height() * ratio))
        image = self.surface.image(size)
        self.drafting_overlay.draw_on(image)
        return image

    # --- events of the program --------------------------------------------------------------------

    def show_instant(self) -> None:
        """Show another time, or other ghosts."""
        snapshot = self.snapshot
        names = self.companions.ghost_names(snapshot)
        self.legends.show_snapshot(snapshot, names, commanded=self._builder.reference_ghost)
        if snapshot is not None and Fields.POSE in snapshot.valid:
            centre = snapshot.centre_of_mass
            if np.isfinite(centre).all():
                # a dragged obstacle stays under the cursor
                self.navigator.follow(centre, paused=self.tools.editor.transforms.busy)
        self.refresh()

    def show_marks(self) -> None:
        """Update the notes on a live robot."""
        self.legends.mark(self.companions.robot.marks())
        if self.companions.poll_stale():
            self.refresh()

    def _on_scene(self) -> None:
        self.legends.forces.set_links(self.scene.body.n_parts, self.scene.body.part_name)
        self.legends.forces.set_rows(rows_of(self.scene))
        self._arrange()
        self.tools.editor.place(self.buttons.geometry())
        self._explain()
        self.refresh()

    def _on_source(self) -> None:
        """React to another run, possibly of another robot."""
        self.selection.clear()
        self._on_scene()
        self._on_opened()
        self.api.ignore_snapshot(None)

    def _on_opened(self) -> None:
        self._mouse.cancel()
        self.tools.cancel()
        self.api.ignore_snapshot(self.api.session_controller.displayed)
        self._frame_home = True
        self.navigator.set_following(
            True, centred=False
        )  # the robot would otherwise leave the view
        self.navigator.set_untouched()

    # --- views ------------------------------------------------------------------------------------

    def frame_all(self, *, at_once: bool = False) -> None:
        """Show everything including the robot from the current direction; `at_once` uses the initial direction."""
        box = box_around(self.scene, self.snapshot, self.api.document.base_dir)
        if box is not None:
            self.navigator.frame(*box, home=at_once, at_once=at_once)

    def frame_selection(self) -> None:
        """Show the selection, or everything without one, from the current direction."""
        chosen = frozenset(
            item for item in self.selection.items if item[0] in ("obstacle", "link", "patch")
        )
        box = box_around(self.scene, self.snapshot, self.api.document.base_dir, chosen or None)
        if box is not None:
            self.navigator.frame(*box)

    # --- what is under the cursor -----------------------------------------------------------------

    def hover(self, position: QPointF) -> None:
        """Handle the cursor at a position without a button held."""
        inside = self.rect().contains(position.toPoint())
        picked, item = self.api.item_at(position) if inside else (None, None)
        self._locked_pick = (
            picked if item is None and picked is not None and picked.kind == "obstacle" else None
        )
        self.selection.set_hovered(item)
        self._explain()

    def _explain(self) -> None:
        """Show a hint on the object under the cursor."""
        if self.tools.hint:
            self.hint.show_tool(self.tools.hint)
        elif not self._mouse.busy:
            item = self.selection.hovered
            self.hint.show_item(item, self.scene, item in self.selection, self._locked_pick)

    def _on_tool(self) -> None:
        self._explain()
        self.refresh()

    # --- Qt's events ------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() != QEvent.Type.KeyRelease
            and self.tools.wants(event)
        ):
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.keyPressEvent(event)  # Tab too, which would otherwise move the focus
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if not self.tools.press(event):
            self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if not self.tools.double_click(event):
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.drafting_overlay.point_at(event.position())
        if self.tools.move(event):
            self.selection.set_hovered(None)
        else:
            self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.tools.release(event):
            self._mouse.cancel()
            self._explain()
        else:
            self._mouse.release(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.tools.pull_tool.wheel(event):
            self._mouse.wheel(event)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.tools.leave()
        self.drafting_overlay.point_at(None)
        if not self._mouse.busy:
            self.selection.set_hovered(None)
            self._explain()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        used = self.tools.key(event)
        if used:
            pass
        elif key == Qt.Key.Key_Escape:
            used = self._mouse.cancel()
            if not used and self.selection.items:
                self.selection.clear()
                used = True
        if not used:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.surface.set_geometry(self.rect())
        self.drafting_overlay.setGeometry(self.rect())
        self._arrange()

    def _arrange(self) -> None:
        """Place the overlays in the corners, next to the rulers."""
        inset = self.drafting_overlay.inset
        self.buttons.adjustSize()
        self.buttons.move(self.width() - self.buttons.width() - _MARGIN, _MARGIN)
        left = _MARGIN + inset
        fits_beside = left + self.legends.forces.full_width + _MARGIN <= self.buttons.x()
        self.legends.forces.set_short(not fits_beside)
        self.legends.move(
            left, _MARGIN if fits_beside else self.buttons.geometry().bottom() + _MARGIN
        )
        self.tools.editor.place(self.buttons.geometry())
        self.hint.place(self.rect().adjusted(_MARGIN, 0, -_MARGIN, -_MARGIN - inset))

    def sizeHint(self) -> QSize:
        return QSize(960, 520)
