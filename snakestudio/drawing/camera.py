"""The camera: an immutable value with pure functions that move it.

The eye looks at `target` from `distance`, in a direction given by azimuth and elevation. Every
operation returns a new camera, so that navigation can be tested without a window and undone with the
old value. Normalised device coordinates (ndc) run from -1 to 1, left to right and bottom to top;
aspect is width over height.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray

_MIN_DISTANCE = 0.02
_MAX_DISTANCE = 5e3
_MIN_ELEVATION = -math.pi / 2
_MAX_ELEVATION = math.pi / 2

STANDARD_VIEWS: dict[str, tuple[float, float, bool]] = {
    "front": (-90.0, 0.0, True),
    "right": (0.0, 0.0, True),
    "top": (-90.0, 90.0, True),
    "perspective": (-68.0, 36.0, False),
    "isometric": (-45.0, math.degrees(math.atan(1 / math.sqrt(2))), True),
}
"""Standard views: azimuth and elevation in degrees, and whether orthographic."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Camera position, direction and projection."""

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Point in the centre of the frame, m."""

    distance: float = 3.0
    """Distance from the eye to the target, m; sets the scale of an orthographic view."""

    azimuth: float = math.radians(-68.0)
    """Direction from the target to the eye in the ground plane, from the x axis, rad."""

    elevation: float = math.radians(36.0)
    """Height of the eye above the horizon, rad, 0 to pi/2."""

    fov: float = math.radians(28.0)
    """Vertical angle of view, rad."""

    orthographic: bool = False
    """Parallel instead of perspective projection; the scale at the target stays the same."""

    # ------------------------------------------------------------------------------------- geometry

    @property
    def axes(self) -> FloatArray:
        """Rows right, up and back (towards the eye) of the camera in the world, (3, 3)."""
        ca, sa = math.cos(self.azimuth), math.sin(self.azimuth)
        ce, se = math.cos(self.elevation), math.sin(self.elevation)
        return np.array([(-sa, ca, 0.0), (-se * ca, -se * sa, ce), (ce * ca, ce * sa, se)])

    @property
    def eye(self) -> FloatArray:
        """Position of the eye, (3,), m."""
        eye: FloatArray = np.array(self.target) + self.distance * self.axes[2]
        return eye

    @property
    def clip(self) -> tuple[float, float]:
        """Distances from the eye to the near and far clipping planes, m."""
        if self.orthographic:
            reach = max(40.0 * self.distance, 60.0)
            return self.distance - reach, self.distance + reach
        return 0.01 * self.distance, max(150.0 * self.distance, 100.0)

    def view(self) -> FloatArray:
        """Return the matrix from world to camera coordinates, (4, 4)."""
        matrix = np.eye(4)
        axes = self.axes
        matrix[:3, :3] = axes
        matrix[:3, 3] = -axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> FloatArray:
        """Return the matrix from camera to clip coordinates, (4, 4)."""
        near, far = self.clip
        t = math.tan(self.fov / 2)
        if self.orthographic:
            half = self.distance * t
            return np.array(
                [
                    (1 / (half * aspect), 0, 0, 0),
                    (0, 1 / half, 0, 0),
                    (0, 0, -2 / (far - near), -(far + near) / (far - near)),
                    (0, 0, 0, 1),
                ]
            )
        return np.array(
            [
                (1 / (t * aspect), 0, 0, 0),
                (0, 1 / t, 0, 0),
                (0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)),
                (0, 0, -1, 0),
            ]
        )

    def view_height(self, points: ArrayLike) -> FloatArray:
        """Height of the frame at the depth of points (..., 3), m; objects of constant screen size scale with it.

        Never below the height at the near clipping plane.
        """
        p = np.asarray(points, float)
        t = 2 * math.tan(self.fov / 2)
        if self.orthographic:
            return np.full(p.shape[:-1], self.distance * t)
        depth: FloatArray = (self.eye - p) @ self.axes[2]
        return np.maximum(depth, self.clip[0]) * t

    def project(self, points: ArrayLike, aspect: float) -> FloatArray:
        """Return normalised device coordinates (..., 3) of world points (..., 3); NaN behind the eye."""
        p = np.asarray(points, float)
        clip = p @ (m := self.projection(aspect) @ self.view())[:, :3].T + m[:, 3]
        w = clip[..., 3:]
        ndc: FloatArray = np.where(w > 1e-12, clip[..., :3] / np.where(w > 1e-12, w, 1.0), np.nan)
        return ndc

    def unproject(self, ndc: ArrayLike, aspect: float) -> FloatArray:
        """Return world points (..., 3) of normalised device coordinates (..., 3)."""
        n = np.asarray(ndc, float)
        inverse = np.linalg.inv(self.projection(aspect) @ self.view())
        world = n @ inverse[:, :3].T + inverse[:, 3]
        point: FloatArray = world[..., :3] / world[..., 3:]
        return point

    def ray(self, ndc: tuple[float, float], aspect: float) -> tuple[FloatArray, FloatArray]:
        """Return the ray through a point of the frame.

        Returns
        -------
        origin, direction : (3,) arrays
            Start of the ray (m) and unit direction away from the eye.
        """
        right, up, back = self.axes
        t = math.tan(self.fov / 2)
        across = ndc[0] * t * aspect * right + ndc[1] * t * up
        if self.orthographic:
            # Starts behind everything visible.
            return self.eye + self.distance * across - self.clip[0] * back, -back
        direction = across - back
        return self.eye, direction / np.linalg.norm(direction)

    def ground_point(self, ndc: tuple[float, float], aspect: float) -> FloatArray | None:
        """Intersection of the ray through a point of the frame with the ground z = 0, (3,), m; None if they miss."""
        origin, direction = self.ray(ndc, aspect)
        if abs(direction[2]) < 1e-9:
            return None
        s = -origin[2] / direction[2]
        if s <= 0:
            return None
        point: FloatArray = origin + s * direction
        point[2] = 0.0
        return point

    # ----------------------------------------------------------------------------------- navigation

    def orbit(self, dx: float, dy: float, pivot: ArrayLike | None = None) -> Camera:
        """Orbit around a point, which keeps its position in the frame.

        Parameters
        ----------
        dx, dy : float
            Angles by which the world turns right and the eye rises, rad; the elevation stops
            straight above and straight below.
        pivot : (3,) array, optional
            The point, m; the target if omitted.
        """
        elevation = min(max(self.elevation + dy, _MIN_ELEVATION), _MAX_ELEVATION)
        azimuth = math.remainder(self.azimuth - dx, math.tau)
        turned = replace(self, azimuth=azimuth, elevation=elevation)
        if pivot is None:
            return turned
        p = np.asarray(pivot, float)
        target = p + turned.axes.T @ (self.axes @ (np.array(self.target) - p))
        return replace(turned, target=_triple(target))

    def pan(self, dx: float, dy: float, aspect: float, point: ArrayLike | None = None) -> Camera:
        """Shift the frame by (dx, dy) in normalised device coordinates, exact at the depth of `point`."""
        half = 0.5 * float(self.view_height(self.target if point is None else point))
        right, up, _ = self.axes
        return replace(
            self,
            target=_triple(np.array(self.target) - dx * half * aspect * right - dy * half * up),
        )

    def zoom(
        self,
        factor: float,
        cursor_ndc: tuple[float, float] | None = None,
        point: ArrayLike | None = None,
        aspect: float = 1.0,
    ) -> Camera:
        """Move closer (factor < 1) or away, while the point under the cursor stays fixed.

        Parameters
        ----------
        factor : float
            Factor of all distances to the fixed point.
        cursor_ndc : (float, float), optional
            Cursor; the fixed point is at the depth of the target unless `point` is given.
        point : (3,) array, optional
            The fixed point, m.
        aspect : float
            Needed only with `cursor_ndc`.
        """
        distance = min(max(self.distance * factor, _MIN_DISTANCE), _MAX_DISTANCE)
        factor = distance / self.distance
        fixed = np.array(self.target)
        if point is not None:
            fixed = np.asarray(point, float)
        elif cursor_ndc is not None:
            half = self.distance * math.tan(self.fov / 2)
            right, up, _ = self.axes
            fixed = fixed + cursor_ndc[0] * half * aspect * right + cursor_ndc[1] * half * up
        return replace(
            self,
            distance=distance,
            target=_triple(fixed + factor * (np.array(self.target) - fixed)),
        )

    def follow(self, point: ArrayLike) -> Camera:
        """Look at a point from the same direction and distance."""
        return replace(self, target=_triple(point))

    def standard(self, name: str) -> Camera:
        """Return the standard view by name in `STANDARD_VIEWS`, with the same target and distance."""
        azimuth, elevation, orthographic = STANDARD_VIEWS[name]
        return replace(
            self,
            azimuth=math.radians(azimuth),
            elevation=math.radians(elevation),
            orthographic=orthographic,
        )

    def toggled(self) -> Camera:
        """Return the switch between perspective and orthographic projection."""
        return replace(self, orthographic=not self.orthographic)

    def frame(self, lo: ArrayLike, hi: ArrayLike, aspect: float, margin: float = 1.12) -> Camera:
        """Fit the box from lo to hi (m) into the frame with a margin, in the same direction."""
        low, high = np.asarray(lo, float), np.asarray(hi, float)
        centre = 0.5 * (low + high)
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corner = np.abs(0.5 * (high - low)) * signs @ self.axes.T * margin
        t = math.tan(self.fov / 2)
        reach = np.maximum(np.abs(corner[:, 0]) / (t * aspect), np.abs(corner[:, 1]) / t)
        distance = float(np.max(reach if self.orthographic else reach + corner[:, 2]))
        return replace(
            self, target=_triple(centre), distance=min(max(distance, 0.05), _MAX_DISTANCE)
        )


def blend(a: Camera, b: Camera, s: float) -> Camera:
    """Interpolate smoothly from camera a (s = 0) to b (s = 1), with the shorter rotation.

    The projection changes at the end.
    """
    if s <= 0:
        return a
    if s >= 1:
        return b
    w = s * s * (3 - 2 * s)
    return Camera(
        target=_triple((1 - w) * np.array(a.target) + w * np.array(b.target)),
        distance=math.exp((1 - w) * math.log(a.distance) + w * math.log(b.distance)),
        azimuth=math.remainder(
            a.azimuth + w * math.remainder(b.azimuth - a.azimuth, math.tau), math.tau
        ),
        elevation=(1 - w) * a.elevation + w * b.elevation,
        fov=(1 - w) * a.fov + w * b.fov,
        orthographic=a.orthographic and b.orthographic,
    )


def _triple(point: ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(point, float)
    return float(x), float(y), float(z)
