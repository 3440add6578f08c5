"""Ground patches in the viewport: drawing one corner by corner, dragging corners, removing them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QMouseEvent

from snakestudio.drawing.overlays import Overlays
from snakestudio.errors import SceneError
from snakestudio.gui.viewport.gestures import Action, action_for, hint_of
from snakestudio.gui.viewport.tools.path_tool import REACH, SLACK, PathTool, waypoint_hint
from snakestudio.model.edits import with_patches
from snakestudio.model.ground_path import GroundPath, Waypoint
from snakestudio.model.labels import patch_title
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPatch

_RECTANGLE = frozenset({Action.DRAW_RECTANGLE})


class PatchTool(PathTool):
    """Edits patches with mouse and keys, as `PathTool` edits the path: corners are its waypoints.

    `hovered` counts the corners of all patches. A drag while nothing is drawn yet draws a rectangle.

    Signals
    -------
    added(key: str)
        A patch was drawn; the scene key of its friction.
    """

    added = Signal(str)

    _draws_rectangle = False

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add the patch being drawn and the highlighted corner to the overlays."""
        return replace(
            overlays, draft=self.draft if self.drawing else overlays.draft, corner=self.hovered
        )

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do to a patch; "" if nothing."""
        if self.drawing:
            click = hint_of(Action.SET_POINT, "set a corner")
            if not self._points:
                return f"{hint_of(Action.DRAW_RECTANGLE, 'rectangle')} · {click} · Esc: cancel"
            return f"{click} · Enter: finish · Backspace: remove · Esc: cancel"
        picked = self._corner_of(self._viewport.document.scene)
        if picked is None:
            return ""
        patch, corner = picked
        x, y = self._viewport.document.scene.ground.patch[patch].points_m[corner]
        return f"{self._name(patch)}, corner {corner + 1} · {x:.3f}, {y:.3f} m · {waypoint_hint()}"

    def _name(self, patch: int) -> str:
        return patch_title(self._viewport.document.scene.ground.patch[patch], patch)

    def _corner_of(self, scene: Scene, index: int | None = None) -> tuple[int, int] | None:
        """Patch and corner of a counted corner, `hovered` if omitted."""
        left = self.hovered if index is None else index
        for number, patch in enumerate(scene.ground.patch):
            if 0 <= left < len(patch.points_m):
                return number, left
            left -= len(patch.points_m)
        return None

    def _waypoint_at(self, position: QPointF) -> int:
        viewport = self._viewport
        if viewport.scene.ground.patch != viewport.document.scene.ground.patch:
            return -1
        nearest = -1
        least = float(REACH)
        index = 0
        for patch in viewport.scene.ground.patch:
            for point in patch.points_m:
                distance = self._near(point, position)
                if distance < least:
                    nearest = index
                    least = distance
                index += 1
        return nearest

    # --- a rectangle ------------------------------------------------------------------------------

    @property
    def draft(self) -> GroundPath | None:
        """Outline of the patch being drawn, up to the cursor; None if none is."""
        corners = self._rectangle()
        if corners:
            return GroundPath(waypoints_m=(*corners, corners[0]))
        return super().draft

    def _rectangle(self) -> tuple[Waypoint, ...]:
        """Corners of the rectangle being dragged, counterclockwise; () if none is."""
        if not self.drawing or not self._dragged or self._pressed is None or self._cursor is None:
            return ()
        begin = self._ground(self._pressed)
        if begin is None or begin[0] == self._cursor[0] or begin[1] == self._cursor[1]:
            return ()
        (left, right), (bottom, top) = (
            sorted(pair) for pair in zip(begin, self._cursor, strict=True)
        )
        return (left, bottom), (right, bottom), (right, top), (left, top)

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press; the first one of a drawing can begin a rectangle."""
        used = super().press(event)
        if not self.drawing or self._points:
            return used
        self._draws_rectangle = action_for(event, "drag", "drawing", _RECTANGLE) is not None
        if self._draws_rectangle:
            self._pressed = event.position()
            self._button.hold(event)
        return used or self._pressed is not None

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        used = super().move(event)
        if not self.drawing or self._pressed is None or self._points:
            return used
        away = event.position() - self._pressed
        is_drag = abs(away.x()) + abs(away.y()) >= SLACK
        self._dragged = self._dragged or (is_drag and self._draws_rectangle)
        self.changed.emit()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        if not (self.drawing and self._dragged and self._button.is_released_by(event)):
            return super().release(event)
        self._cursor = self._ground(event.position())
        self._points = list(self._rectangle())
        self._dragged = False
        self.finish()
        return True

    def cancel(self) -> bool:
        """Cancel drawing, or restore a dragged corner; return False if neither is in progress."""
        self._dragged = self._dragged and not self.drawing
        return super().cancel()

    def finish(self) -> None:
        """Add and select the drawn patch, unless it has fewer than three corners."""
        points = tuple(self._points)
        self._stop()
        document = self._viewport.document
        if len(points) < 3:
            return
        ground = document.scene.ground
        new = GroundPatch(
            name=f"Patch {len(ground.patch) + 1}",
            points_m=points,
            mu_along=ground.mu_along,
            mu_backward=ground.mu_backward,
            mu_across=ground.mu_across,
        )
        document.edit(with_patches(document.scene, (*ground.patch, new)), "Draw friction patch")
        number = len(document.scene.ground.patch)
        self._viewport.selection.set([("patch", number - 1)])
        self.added.emit(f"ground.patch[{number}].mu_along")

    def remove(self, index: int) -> None:
        """Remove a corner; a patch with three corners is removed as a whole."""
        document = self._viewport.document
        patches = list(document.scene.ground.patch)
        picked = self._corner_of(document.scene, index)
        if picked is None:
            return
        number, corner = picked
        text = f"Remove corner {corner + 1} of {self._name(number)}"
        left = tuple(point for k, point in enumerate(patches[number].points_m) if k != corner)
        if len(left) < 3:
            text = f"Remove {self._name(number)}"
            del patches[number]
        else:
            patches[number] = patches[number].model_copy(update={"points_m": left})
        self.hovered = -1
        document.edit(with_patches(document.scene, tuple(patches)), text)
        self.changed.emit()

    def insert(self, position: QPointF) -> bool:
        """Do nothing: a double-click adds no corner."""
        return False

    def clear(self) -> None:
        """Remove all patches."""
        document = self._viewport.document
        document.edit(with_patches(document.scene, ()), "Remove friction patches")

    def _text(self) -> str:
        picked = self._corner_of(self._viewport.document.scene)
        return (
            "Move corner"
            if picked is None
            else f"Move corner {picked[1] + 1} of {self._name(picked[0])}"
        )

    def _move_waypoint(self) -> None:
        if self._scene_before is None or self._target is None:
            return
        picked = self._corner_of(self._scene_before)
        if picked is None:
            return
        number, corner = picked
        patches = list(self._scene_before.ground.patch)
        points: list[Waypoint] = list(patches[number].points_m)
        points[corner] = self._target
        patches[number] = patches[number].model_copy(update={"points_m": tuple(points)})
        try:
            moved = with_patches(self._scene_before, tuple(patches))
        except SceneError:
            return
        self._viewport.document.edit(moved, self._text(), self._gesture)
