"""Camera navigation: orbit, pan, zoom and frame, with short smooth transitions between views."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.drawing.camera import Camera, blend

TRANSITION = 0.25
"""Duration of a transition, s."""

_TURN = 0.008
"""Rotation per pixel of mouse movement, rad."""

_FAR = 25.0
"""Maximum distance of a pivot on the ground, in camera distances."""


class Navigator(QObject):
    """Camera of a viewport and its movements. `touched` is whether the user has moved it.

    Signals
    -------
    changed()
        `camera` has changed.
    following_changed(following: bool)
    """

    changed = Signal()
    following_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.camera = Camera()
        self.aspect = 1.6
        self.flat = False
        self.following = False
        self.touched = False
        self._followed: NDArray[np.float64] | None = None
        self._centred = True
        self._from = self.camera
        self._to = self.camera
        self._began = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(16)
        self._timer.timeout.connect(self._advance)

    @property
    def moving(self) -> bool:
        """Whether a transition is in progress."""
        return self._timer.isActive()

    def set_aspect(self, aspect: float) -> None:
        """Set the ratio of width to height of the view."""
        self.aspect = aspect

    def set_untouched(self) -> None:
        """Mark the view as chosen by the program again, not by the user."""
        self.touched = False

    def set_flat(self) -> None:
        """Restrict the camera to look straight down, for a view that cannot draw anything else."""
        self.flat = True
        self.jump(self.camera.standard("top"))
        self.touched = False

    def jump(self, camera: Camera) -> None:
        """Set the camera immediately."""
        self.touched = True
        self._timer.stop()
        camera = camera.standard("top") if self.flat else camera
        if camera != self.camera:
            self.camera = camera
            self.changed.emit()

    def animate_to(self, camera: Camera) -> None:
        """Move the camera by a short transition."""
        self.touched = True
        camera = camera.standard("top") if self.flat else camera
        self._from, self._to, self._began = self.camera, camera, time.perf_counter()
        self._timer.start()

    def finish(self) -> None:
        """Complete a transition immediately."""
        if self.moving:
            self.jump(self._to)

    def _advance(self) -> None:
        fraction = (time.perf_counter() - self._began) / TRANSITION
        if fraction >= 1:
            self._timer.stop()
        self.camera = blend(self._from, self._to, fraction)
        self.changed.emit()

    # --- by mouse ---------------------------------------------------------------------------------

    def pivot(self, point: tuple[float, float, float] | None) -> NDArray[np.float64]:
        """Return the point to orbit around or to zoom to, if `point` is under the cursor (None for the sky)."""
        target = np.array(self.camera.target)
        if point is None:
            return target
        reach = _FAR * self.camera.distance
        candidate = np.array(point)
        return (
            candidate
            if float(np.linalg.norm(candidate - self.camera.eye)) < reach
            or self.camera.orthographic
            else target
        )

    def orbit(self, dx: float, dy: float, pivot: ArrayLike) -> None:
        """Orbit around `pivot` by a mouse movement in pixels."""
        if self.flat:
            return
        camera = self.camera
        if camera.orthographic and camera.elevation in (0.0, math.pi / 2):
            # leaving a standard view restores perspective
            camera = replace(camera, orthographic=False)
        self.jump(camera.orbit(_TURN * dx, _TURN * dy, pivot))

    def pan(self, dx: float, dy: float, point: ArrayLike) -> None:
        """Pan by normalised device coordinates, exact at the depth of `point`."""
        self.jump(self.camera.pan(dx, dy, self.aspect, point))

    def zoom(self, notches: float, cursor: tuple[float, float], point: ArrayLike) -> None:
        """Zoom in by notches of the wheel; the point under the cursor stays there."""
        self.jump(self.camera.zoom(0.87**notches, cursor, point, self.aspect))

    # --- by key and button ------------------------------------------------------------------------

    def view(self, name: str) -> None:
        """Show a standard view."""
        self.animate_to(self._destination().standard(name))

    def toggle_projection(self) -> None:
        """Toggle between perspective and orthographic projection."""
        if not self.flat:
            self.jump(self._destination().toggled())

    def frame(
        self, low: ArrayLike, high: ArrayLike, *, home: bool = False, at_once: bool = False
    ) -> None:
        """Show a whole box; `home` also sets the initial direction of the program."""
        camera = self._destination().standard("perspective") if home else self._destination()
        camera = camera.standard("top") if self.flat else camera
        framed = camera.frame(low, high, self.aspect, margin=1.1)
        touched = self.touched
        (self.jump if at_once else self.animate_to)(framed)
        self.touched = touched or not at_once

    def _destination(self) -> Camera:
        return self._to if self.moving else self.camera

    # --- following the robot ----------------------------------------------------------------------

    def set_following(self, following: bool, *, centred: bool = True) -> None:
        """Move the camera along with the robot, or stop doing so.

        Unless `centred`, the robot stays where it is in the view, with everything else that is framed.
        """
        self._followed = None
        self._centred = centred
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    def follow(self, point: ArrayLike, *, paused: bool = False) -> None:
        """Set the robot's position to `point`; the camera moves along if it follows the robot.

        While `paused`, it stays where it is.
        """
        if not self.following:
            return
        now = np.asarray(point, float)
        if self._followed is None:
            if self._centred:
                touched = self.touched  # following is not a movement by the user
                self.animate_to(self.camera.follow(now))
                self.touched = touched
        elif not paused:
            shift = now - self._followed
            self._from = _shifted(self._from, shift)
            self._to = _shifted(self._to, shift)
            if not self.moving:
                self.camera = _shifted(self.camera, shift)
        self._followed = now


def _shifted(camera: Camera, shift: NDArray[np.float64]) -> Camera:
    x, y, z = np.array(camera.target) + shift
    return replace(camera, target=(float(x), float(y), float(z)))
