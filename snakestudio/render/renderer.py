"""Renderer of draw lists to any framebuffer of the current OpenGL 3.3 core context.

It does not need a window: the viewport, video frames and image tests all call `draw`. To be fast on
software renderers, sky, floor and grid are cached while the camera is at rest, and only the part of the
frame that contains solids is multisampled, then copied over the floor tile by tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from snakestudio.drawing import picking
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.extent import Extent, extent
from snakestudio.drawing.facets import link_facets
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.light import LIGHT_DIRECTION
from snakestudio.drawing.overlays import Pick
from snakestudio.drawing.quality import SETTINGS, Quality, Settings
from snakestudio.drawing.view import View
from snakestudio.errors import GraphicsError
from snakestudio.render import gl
from snakestudio.render.background import Background
from snakestudio.render.blending import blend_over, blend_over_premultiplied, translucent
from snakestudio.render.buffers import MeshStore, Quads, RowBuffer, StreamMesh
from snakestudio.render.corners import draw_corners
from snakestudio.render.labels import LabelPainter
from snakestudio.render.lines import LinePainter
from snakestudio.render.obstacle_painter import ObstaclePainter
from snakestudio.render.program import Program
from snakestudio.render.shadow import Casters, Shadows, region
from snakestudio.render.targets import Layer, RenderTarget


@dataclass(frozen=True, slots=True)
class GraphicsInfo:
    """Names and limits of an OpenGL context; `str()` is for people."""

    vendor: str
    renderer: str
    version: str
    shading_language: str
    max_samples: int
    max_texture_size: int

    @property
    def is_software(self) -> bool:
        """Whether the processor renders instead of a graphics card."""
        return any(
            name in self.renderer.lower()
            for name in ("llvmpipe", "softpipe", "swrast", "swiftshader")
        )

    def __str__(self) -> str:
        return (
            f"Vendor: {self.vendor}\nRenderer: {self.renderer}\nOpenGL: {self.version}\n"
            f"Shading language: {self.shading_language}\nSamples per pixel: up to {self.max_samples}\n"
            f"Textures: up to {self.max_texture_size} x {self.max_texture_size}"
        )


def graphics_info() -> GraphicsInfo:
    """Return the names and limits of the current context."""
    return GraphicsInfo(
        gl.text(gl.GL_VENDOR),
        gl.text(gl.GL_RENDERER),
        gl.text(gl.GL_VERSION),
        gl.text(gl.GL_SHADING_LANGUAGE_VERSION),
        gl.integer(gl.GL_MAX_SAMPLES),
        gl.integer(gl.GL_MAX_TEXTURE_SIZE),
    )


_VARIANTS: tuple[tuple[str, ...], ...] = ((), ("SHADED",), ("SHADED", "TERRAIN"))
"""Shader variants of solids: without shadows, with those of posts, with those of terrain."""


_STANDING = ("hoop", "clamp", "pin", "wheel")
"""Solids whose lower part may be in the ground, where it must not be visible."""


class Releasable(Protocol):
    """An owner of OpenGL objects."""

    def release(self) -> None:
        """Delete the OpenGL objects."""


class Renderer:
    """Renderer of draw lists. All methods except the constructor need the current context."""

    def __init__(self) -> None:
        self._ready = False
        self._target: RenderTarget | None = None
        self._layer: Layer | None = None
        self._max_samples = 0

    # ----------------------------------------------------------------------------------------- life

    def initialise(self) -> None:
        """Compile shaders and create buffers in the current context, also after a context was lost or replaced.

        Raises `GraphicsError` if the context is older than OpenGL 3.3, or the driver refuses a
        shader.
        """
        try:
            version = (gl.integer(gl.GL_MAJOR_VERSION), gl.integer(gl.GL_MINOR_VERSION))
        except Exception as error:  # PyOpenGL raises various exceptions without OpenGL.
            raise GraphicsError(f"OpenGL cannot be used on this computer: {error}") from error
        if version < (3, 3):
            have = gl.text(gl.GL_VERSION) or "none"
            raise GraphicsError(f"The viewport needs OpenGL 3.3; this computer has {have}")
        while gl.glGetError():
            pass
        # Object names of a lost context are invalid in this one.
        self._target = None
        self._layer = None
        self._max_samples = gl.integer(gl.GL_MAX_SAMPLES)
        self._solid = {
            defines: Program("solid.vert", "solid.frag", defines) for defines in _VARIANTS
        }
        self._merge = {
            defines: Program("tile.vert", "merge.frag", defines) for defines in ((), ("FOUR",))
        }
        self._quads = Quads()
        self._mesh_store = MeshStore()
        self._obstacles = ObstaclePainter(self._mesh_store, self._quads)
        self._tubes: list[StreamMesh] = []
        self._rows: dict[str, RowBuffer] = {}
        self._lines = LinePainter()
        self._labels = LabelPainter()
        self._shadows = Shadows()
        self._background = Background(self._quads, self._lines, self._labels)
        gl.check("prepare the viewport")
        self._ready = True

    def release(self) -> None:
        """Delete all OpenGL objects; `initialise` can be called again."""
        if not self._ready:
            return
        self._ready = False
        for target in (self._target, self._layer):
            if target is not None:
                target.release()
        self._target = None
        self._layer = None
        parts: tuple[Releasable, ...] = (
            *self._solid.values(),
            *self._merge.values(),
            *self._rows.values(),
            self._background,
            self._shadows,
            self._labels,
            self._lines,
            self._mesh_store,
            self._obstacles,
            *self._tubes,
            self._quads,
        )
        for part in parts:
            part.release()

    def info(self) -> GraphicsInfo:
        """Return the names and limits of the current context."""
        return graphics_info()

    # -------------------------------------------------------------------------------------- picture

    def draw(
        self,
        draw_list: DrawList,
        camera: Camera,
        width: int,
        height: int,
        target_framebuffer: int = 0,
        quality: Quality = Quality.HIGH,
        ratio: float = 1.0,
    ) -> None:
        """Draw a frame.

        Parameters
        ----------
        width, height : int
            Size in device pixels; nothing happens if either is 0.
        target_framebuffer : int
            Name of the target framebuffer; it needs colour only, without multisampling.
        ratio : float
            Device pixels per logical pixel of the window, so that text is readable on any
            screen.

        Raises
        ------
        GraphicsError
        """
        if width <= 0 or height <= 0:
            return
        if not self._ready:
            self.initialise()
        settings = SETTINGS[quality]
        view = View.of(camera, width, height, ratio)
        for switch in (
            gl.GL_SCISSOR_TEST,
            gl.GL_STENCIL_TEST,
            gl.GL_DITHER,
            gl.GL_FRAMEBUFFER_SRGB,
        ):
            gl.glDisable(switch)
        gl.glColorMask(True, True, True, True)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        self._upload(draw_list)
        at = region(draw_list.low, draw_list.high, camera)
        self._casters = Casters(
            draw_list.links,
            draw_list.sizes.half_length,
            draw_list.sizes.radius,
            draw_list.link_radius,
            draw_list.world,
        )
        if draw_list.tube is not None:
            tube = draw_list.tube
            self._casters = Casters(
                tube.links, tube.half, draw_list.link_radius, draw_list.link_radius, draw_list.world
            )
        self._shadows.make(
            at, self._casters, settings, self._quads, partial(self._obstacles.cast, draw_list)
        )

        picture = self._picture_of(width, height)
        self._background.copy_to(picture, draw_list, view)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, picture.name)
        gl.glViewport(0, 0, width, height)
        gl.glEnable(gl.GL_BLEND)
        blend_over()
        self._background.draw_shadows(self._shadows, draw_list, view)
        where = extent(draw_list, camera, width, height)
        if where is not None:
            self._draw_layer(draw_list, view, settings, picture, where)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        self._labels.draw(draw_list.mark_labels, view, self._quads)
        draw_corners(draw_list, view, self._lines, self._labels, self._quads)
        picture.copy_to(target_framebuffer)
        _leave(target_framebuffer)

    def pick(
        self, draw_list: DrawList, camera: Camera, width: int, height: int, x: float, y: float
    ) -> Pick | None:
        """Return the object under a pixel (from the upper left corner, device pixels); exact, and without a context."""
        if width <= 0 or height <= 0:
            return None
        ndc = (2 * (x + 0.5) / width - 1, 1 - 2 * (y + 0.5) / height)
        return picking.pick(draw_list, camera, ndc, width / height)

    # ---------------------------------------------------------------------------------------- parts

    def _upload(self, draw_list: DrawList) -> None:
        batches: dict[str, Batch] = dict(draw_list.opaque.items())
        batches |= {
            "outline " + mesh: rows for mesh, rows in draw_list.outlines.items() if mesh != "drum"
        }
        batches |= {"mark " + mesh: rows for mesh, rows in draw_list.marks.items()}
        batches |= {"handle " + mesh: rows for mesh, rows in draw_list.handles.items()}
        batches |= {f"ghost {k}": rows for k, rows in enumerate(draw_list.ghosts)}
        for key, rows in batches.items():
            if len(rows):
                if key not in self._rows:
                    self._rows[key] = RowBuffer()
                self._rows[key].upload(rows)
        tubes = (*([draw_list.tube] if draw_list.tube is not None else []), *draw_list.ghost_tubes)
        self._tubes += [StreamMesh() for _ in tubes[len(self._tubes) :]]
        for mesh, tube in zip(self._tubes, tubes, strict=False):
            mesh.upload(tube.skin.vertices, tube.colours, tube.skin.indices, tube.row)

    def _draw_rows(self, key: str, mesh: str, detail: int, count: int) -> None:
        if count:
            self._mesh_store.draw(mesh, detail, self._rows[key], count)

    def _solids(self, batches: dict[str, Batch], detail: int) -> None:
        for mesh, rows in batches.items():
            if mesh in _STANDING:
                gl.glEnable(gl.GL_CLIP_DISTANCE0)
            self._draw_rows(mesh, mesh, detail, len(rows))
            gl.glDisable(gl.GL_CLIP_DISTANCE0)

    def _use_solid(self, draw_list: DrawList, view: View, settings: Settings) -> Program:
        """Select and prepare the program of the solids."""
        shaded = settings.shaded and self._shadows.texture > 0
        program = self._solid[
            _VARIANTS[(1 if draw_list.world.terrain is None else 2) if shaded else 0]
        ]
        program.use()
        program.set_matrix("u_matrix", view.matrix)
        program.set("u_light", *LIGHT_DIRECTION)
        camera = view.camera
        at = camera.axes[2] if camera.orthographic else camera.eye
        program.set("u_eye", *at, 0.0 if camera.orthographic else 1.0)
        program.set("u_ambient_up", *draw_list.theme.ambient_up)
        program.set("u_ambient_down", *draw_list.theme.ambient_down)
        program.set("u_opacity", 1.0)
        program.set("u_grow", 0.0, 0.0)
        program.set("u_cut", 0.0 if draw_list.sunk else 1.0)
        if shaded:
            self._shadows.prepare(program, self._casters)
        return program

    def _draw_outlines(
        self, draw_list: DrawList, view: View, settings: Settings, program: Program, detail: int
    ) -> None:
        """Draw the back faces of enlarged solids, visible only around the solids, and not below the floor."""
        gl.glCullFace(gl.GL_FRONT)
        gl.glEnable(gl.GL_CLIP_DISTANCE0)
        for mesh, rows in draw_list.outlines.items():
            if mesh != "drum":
                self._draw_rows("outline " + mesh, mesh, detail, len(rows))
        self._obstacles.draw_outlines(draw_list, view, settings, program)
        gl.glDisable(gl.GL_CLIP_DISTANCE0)
        gl.glCullFace(gl.GL_BACK)

    def _draw_layer(
        self,
        draw_list: DrawList,
        view: View,
        settings: Settings,
        picture: RenderTarget,
        where: Extent,
    ) -> None:
        """Draw the solids to a multisampled layer that is copied over the frame, or directly to the frame."""
        samples = min(settings.samples, self._max_samples)
        if samples < 2:
            gl.glDepthMask(True)
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
            self._draw_solids(draw_list, view, settings, picture)
            return
        layer = self._layer_of(where.width, where.height, samples)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, layer.name)
        gl.glViewport(-where.x, -where.y, view.width, view.height)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glDepthMask(True)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        self._draw_solids(draw_list, view, settings)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, picture.name)
        gl.glViewport(0, 0, view.width, view.height)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        program = self._merge[("FOUR",) if samples == 4 else ()]
        program.use()
        program.set("u_pixels", view.width, view.height)
        program.set_integer("u_layer", 0)
        program.set_integer("u_samples", samples)
        gl.glUniform2i(program.location("u_corner"), where.x, where.y)
        gl.glBindTexture(gl.GL_TEXTURE_2D_MULTISAMPLE, layer.texture)
        blend_over_premultiplied()
        self._quads.draw(where.tiles)
        gl.glBindTexture(gl.GL_TEXTURE_2D_MULTISAMPLE, 0)
        blend_over()

    def _draw_solids(
        self,
        draw_list: DrawList,
        view: View,
        settings: Settings,
        picture: RenderTarget | None = None,
    ) -> None:
        """Draw everything with depth, opaque objects first; `picture` is the target if there is no layer."""
        detail = link_facets(settings, draw_list, view)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(True)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glCullFace(gl.GL_BACK)
        program = self._use_solid(draw_list, view, settings)
        gl.glDisable(gl.GL_BLEND)
        if draw_list.obstacle_opacity >= 1.0:
            self._obstacles.draw(draw_list, view, settings, program, picture)
        self._solids(draw_list.opaque, detail)
        if draw_list.tube is not None:
            self._tubes[0].draw()
        if draw_list.outlines or draw_list.terrain_outlines:
            self._draw_outlines(draw_list, view, settings, program, detail)
        gl.glEnable(gl.GL_BLEND)
        self._lines.draw(draw_list.lines, view, self._quads)
        gl.glEnable(gl.GL_CULL_FACE)
        program.use()
        if draw_list.obstacle_opacity < 1.0:
            translucent(
                partial(self._obstacles.draw_translucent, draw_list, view, settings, program)
            )
        for k, rows in enumerate(draw_list.ghosts):
            translucent(partial(self._draw_rows, f"ghost {k}", "capsule", detail, len(rows)))
        own = int(draw_list.tube is not None)
        for mesh in self._tubes[own : own + len(draw_list.ghost_tubes)]:
            translucent(mesh.draw)
        self._draw_marks(draw_list, detail, program)
        self._draw_handles(draw_list, view, detail)

    def _draw_marks(self, draw_list: DrawList, detail: int, program: Program) -> None:
        """Draw arrows and marks: faint where they are hidden, then normally."""
        if not draw_list.marks:
            return
        program.set("u_opacity", 0.68)
        gl.glDepthFunc(gl.GL_GREATER)
        gl.glDepthMask(False)
        for mesh, rows in draw_list.marks.items():
            self._draw_rows("mark " + mesh, mesh, detail, len(rows))
        program.set("u_opacity", 1.0)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glDepthMask(True)
        for mesh, rows in draw_list.marks.items():
            self._draw_rows("mark " + mesh, mesh, detail, len(rows))

    def _draw_handles(self, draw_list: DrawList, view: View, detail: int) -> None:
        """Draw the gizmo in front of everything; nothing after it needs the depth of the scene."""
        if len(draw_list.handle_lines) or draw_list.handles:
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
            for mesh, rows in draw_list.handles.items():
                self._draw_rows("handle " + mesh, mesh, detail, len(rows))
            self._lines.draw(draw_list.handle_lines, view, self._quads)

    def _picture_of(self, width: int, height: int) -> RenderTarget:
        """Render target of a size, cached until the size changes."""
        if self._target is None or (self._target.width, self._target.height) != (width, height):
            if self._target is not None:
                self._target.release()
            self._target = RenderTarget(width, height)
        return self._target

    def _layer_of(self, width: int, height: int, samples: int) -> Layer:
        """Return the layer of a size, cached until the size changes."""
        have = self._layer
        if have is None or (have.width, have.height, have.samples) != (width, height, samples):
            if have is not None:
                have.release()
            have = self._layer = Layer(width, height, samples)
        return have


def _leave(target_framebuffer: int) -> None:
    """Restore the state that a window system expects."""
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target_framebuffer)
    gl.glBindVertexArray(0)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, 0)
    gl.glUseProgram(0)
    gl.glBindTexture(gl.GL_TEXTURE_2D, 0)
    gl.glDisable(gl.GL_DEPTH_TEST)
    gl.glDisable(gl.GL_CULL_FACE)
    gl.glDisable(gl.GL_BLEND)
    gl.check("draw the frame")
