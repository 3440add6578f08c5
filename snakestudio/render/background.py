"""Sky, floor, tint, grid and their labels; cached while the camera is at rest."""

from __future__ import annotations

import math

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.floor import REACH, grid_lines
from snakestudio.drawing.view import View
from snakestudio.render import gl
from snakestudio.render.blending import blend_over
from snakestudio.render.buffers import FloorMesh, Quads
from snakestudio.render.floor_picture import FloorPicture
from snakestudio.render.labels import LabelPainter
from snakestudio.render.lines import LinePainter
from snakestudio.render.program import Program
from snakestudio.render.shadow import Shadows
from snakestudio.render.targets import RenderTarget

_FLAT = 1e-3
"""Elevation below which the floor is drawn as a line, rad."""


class Background:
    """Everything behind the solids."""

    def __init__(self, quads: Quads, lines: LinePainter, labels: LabelPainter) -> None:
        self._quads = quads
        self._lines = lines
        self._labels = labels
        self._floor_program = Program("floor.vert", "floor.frag")
        self._sky_program = Program("screen.vert", "sky.frag")
        self._shade_program = Program("shade.vert", "shade.frag")
        self._mesh = FloorMesh()
        self._floor_picture = FloorPicture()
        self._target: RenderTarget | None = None
        self._key: object = None

    def copy_to(self, picture: RenderTarget, draw_list: DrawList, view: View) -> None:
        """Copy the background to a frame; redrawn only if it has changed."""
        have = self._target
        if have is None or (have.width, have.height) != (view.width, view.height):
            if have is not None:
                have.release()
            have = self._target = RenderTarget(view.width, view.height, depth=False)
            self._key = None
        seen = draw_list.show_grid, bool(draw_list.labels), draw_list.friction
        key = (view.camera, view.ratio, draw_list.theme, *seen)
        if key != self._key:
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, have.name)
            gl.glViewport(0, 0, view.width, view.height)
            gl.glDisable(gl.GL_DEPTH_TEST)
            gl.glDisable(gl.GL_CULL_FACE)
            gl.glDisable(gl.GL_BLEND)
            self._draw(draw_list, view)
            self._key = key
        have.copy_to(picture.name)

    def _draw(self, draw_list: DrawList, view: View) -> None:
        """Draw everything without depth, so that objects below the floor are visible through it."""
        theme = draw_list.theme
        camera = view.camera
        above = camera.elevation > _FLAT
        horizon = _horizon(camera)
        if not above or horizon < 1.0:
            self._sky_program.use()
            self._sky_program.set("u_horizon", *theme.horizon)
            self._sky_program.set("u_sky", *theme.sky)
            self._sky_program.set("u_band", horizon, 2.5)
            self._quads.draw_one(3)
        if abs(camera.elevation) <= _FLAT:
            return
        if above:  # from below only the grid is drawn, so that objects above it are visible
            self._floor_program.use()
            self._floor_program.set_matrix("u_matrix", view.matrix)
            self._floor_program.set(
                "u_middle", *camera.target[:2], REACH * float(camera.view_height(camera.target))
            )
            self._floor_program.set("u_floor", *theme.floor)
            self._floor_program.set("u_horizon", *theme.horizon)
            self._mesh.draw()
        gl.glEnable(gl.GL_BLEND)
        blend_over()
        if above and draw_list.friction is not None:
            self._floor_picture.draw(draw_list.friction, theme, view, self._quads)
        if draw_list.show_grid:
            self._lines.draw(grid_lines(camera, theme), view, self._quads)
        if draw_list.labels:
            self._labels.draw(draw_list.labels, view, self._quads)

    def draw_shadows(self, shadows: Shadows, draw_list: DrawList, view: View) -> None:
        """Draw the shadows on the floor over the background; blending must be enabled."""
        at = shadows.region
        if at is None or view.camera.elevation <= _FLAT:
            return
        strength = draw_list.theme.shadow
        self._shade_program.use()
        self._shade_program.set_matrix("u_matrix", view.matrix)
        self._shade_program.set("u_region", at.x, at.y, at.width, at.depth)
        self._shade_program.set("u_strength", strength, 0.6 * strength)
        self._shade_program.set_integer("u_shadow", 0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, shadows.texture)
        self._quads.draw_one()

    def release(self) -> None:
        """Delete all OpenGL objects."""
        for program in (self._floor_program, self._sky_program, self._shade_program):
            program.release()
        self._mesh.release()
        self._floor_picture.release()
        if self._target is not None:
            self._target.release()
        self._target = None
        self._key = None


def _horizon(camera: Camera) -> float:
    """Return the height of the horizon in the frame: 0 lower, 1 upper edge, beyond if outside."""
    if camera.orthographic:
        if camera.elevation > _FLAT:
            return math.inf
        # The floor is seen edge-on.
        return 0.5 - camera.target[2] / float(camera.view_height(camera.target))
    return 0.5 + 0.5 * math.tan(camera.elevation) / math.tan(camera.fov / 2)
