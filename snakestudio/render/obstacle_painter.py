"""Painter of obstacles: posts as instances, all others as ranges of one mesh; static ones of many are cached."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.drawing import world
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.facets import cast_facets, post_look
from snakestudio.drawing.quality import Settings
from snakestudio.drawing.view import View
from snakestudio.render import gl
from snakestudio.render.buffers import MeshStore, Quads, RangeMesh, RowBuffer
from snakestudio.render.program import Program
from snakestudio.render.static_layer import MANY, Mask, StaticLayer
from snakestudio.render.targets import RenderTarget


class ObstaclePainter:
    """The obstacles on the graphics card."""

    def __init__(self, meshes: MeshStore, quads: Quads) -> None:
        self._mesh_store = meshes
        self._all_buffer = RowBuffer()
        self._some_buffer = RowBuffer()
        self._outline_buffer = RowBuffer()
        self._skin_mesh = RangeMesh()
        self._shell_mesh = RangeMesh()
        self._static_layer = StaticLayer(quads)

    def draw(
        self,
        draw_list: DrawList,
        view: View,
        settings: Settings,
        program: Program,
        picture: RenderTarget | None,
    ) -> None:
        """Draw all opaque obstacles with the current program.

        Parameters
        ----------
        picture : RenderTarget or None
            Target without solids, if it has one sample per pixel.
        """
        mesh, detail = post_look(settings, draw_list, view)
        bodies = draw_list.world.bodies
        # The shadows of links change in every frame.
        if picture is None or settings.shaded or len(bodies) < MANY:
            self._draw(draw_list, program, mesh, detail)
            return
        static = self._static_layer.static_instances
        key = (
            view.camera,
            view.width,
            view.height,
            draw_list.theme,
            draw_list.bright,
            mesh,
            detail,
        )
        if not static.holds(bodies, key):
            self._static_layer.bind(view.width, view.height)
            self._draw(draw_list, program, mesh, detail, ~static.mask())
        self._static_layer.lay(picture)
        gl.glEnable(gl.GL_CULL_FACE)
        program.use()
        if static.moving:
            self._draw(draw_list, program, mesh, detail, static.mask())

    def draw_translucent(
        self, draw_list: DrawList, view: View, settings: Settings, program: Program
    ) -> None:
        """Draw all translucent obstacles, with all their sides."""
        _, detail = post_look(settings, draw_list, view)
        self._draw(draw_list, program, "drum", detail)

    def cast(self, draw_list: DrawList, texel: float, mask: Mask | None) -> None:
        """Draw the obstacles (those of `mask`) as shadow casters with the current program; `texel` size in m."""
        terrain = draw_list.world.terrain
        if terrain is not None:
            ranges = terrain.skin_range if mask is None else terrain.skin_range[mask]
            self._skin_mesh.draw(terrain.skin, world.merged(ranges), draw_list.terrain[0].row)
        self._posts(draw_list, "stub", cast_facets(draw_list, texel), mask)

    def draw_outlines(
        self, draw_list: DrawList, view: View, settings: Settings, program: Program
    ) -> None:
        """Draw the shells of selected obstacles with the current program, which shows back faces."""
        _, detail = post_look(settings, draw_list, view)
        rows = draw_list.outlines.get("drum")
        if rows is not None:
            self._outline_buffer.upload(rows)
            self._mesh_store.draw("drum", detail, self._outline_buffer, len(rows))
        terrain = draw_list.world.terrain
        camera = view.camera
        if terrain is None:
            return
        for look in draw_list.terrain_outlines:
            # As in `Camera.view_height`, for every corner.
            height = look.grow * 2.0 * math.tan(camera.fov / 2.0)
            grow = (height * camera.distance, 0.0) if camera.orthographic else (0.0, height)
            program.set("u_grow", *grow)
            self._shell_mesh.draw(terrain.shell, look.ranges, look.row)
        program.set("u_grow", 0.0, 0.0)

    def _draw(
        self,
        draw_list: DrawList,
        program: Program,
        mesh: str,
        detail: int,
        mask: Mask | None = None,
    ) -> None:
        self._posts(draw_list, mesh, detail, mask)
        terrain = draw_list.world.terrain
        if terrain is None:
            return
        looks = draw_list.terrain
        if mask is not None:
            looks = world.terrain_looks(
                terrain, draw_list.theme, draw_list.bright, draw_list.obstacle_opacity, mask
            )
        if terrain.sunk:
            gl.glEnable(gl.GL_CLIP_DISTANCE0)
            program.set("u_cut", 1.0)
        program.set("u_receiver", 1.0)
        for look in looks:
            self._skin_mesh.draw(terrain.skin, look.ranges, look.row)
        program.set("u_receiver", 0.0)
        program.set("u_cut", 0.0 if draw_list.sunk else 1.0)
        gl.glDisable(gl.GL_CLIP_DISTANCE0)

    def _posts(self, draw_list: DrawList, mesh: str, detail: int, mask: Mask | None) -> None:
        rows = draw_list.obstacles
        buffer = self._all_buffer
        if mask is not None:
            rows = rows[mask[draw_list.world.posts.owner]]
            buffer = self._some_buffer
        if len(rows):
            buffer.upload(np.asarray(rows))
            self._mesh_store.draw(mesh, detail, buffer, len(rows))

    def release(self) -> None:
        """Delete all OpenGL objects."""
        for part in (
            self._all_buffer,
            self._some_buffer,
            self._outline_buffer,
            self._skin_mesh,
            self._shell_mesh,
            self._static_layer,
        ):
            part.release()
