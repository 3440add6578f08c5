"""Images through EGL: compared with references, reproducible to the byte, and a message without OpenGL.

Accept an intended change with ``SNAKESTUDIO_ACCEPT_IMAGES=1``; after a failed comparison the new
image is in ``out/images`` under the name of its reference.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.gizmo import Gizmo, Guide
from snakestudio.drawing.overlays import Ghost, Overlays, Pick, Trail
from snakestudio.drawing.quality import Quality
from snakestudio.drawing.style import DARK, LIGHT
from snakestudio.errors import GraphicsError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.render import egl, gl, program
from snakestudio.render.egl import OffscreenContext
from snakestudio.render.offscreen import OffscreenRenderer
from snakestudio.render.renderer import Renderer
from tests.drawing.continuum import INCHWORM, SNAKE, WORM, box, inchworm, snake, worm
from tests.drawing.scenery import (
    HIGH,
    LOW,
    every_kind,
    lifted_pose,
    loops_pose,
    obstacle_scene,
    serpenoid_pose,
    slanted_contacts,
    snapshot,
    trail,
)

IMAGES = Path(__file__).parents[1] / "images"
FAILED = Path(__file__).parents[2] / "out" / "images"
WIDTH = 640
HEIGHT = 360
PERSPECTIVE = Camera().frame(LOW, HIGH, WIDTH / HEIGHT)
FREE = obstacle_scene().model_copy(update={"obstacles": ()})
FORCES = Overlays(show_friction_forces=True, trail=trail())
TERRAIN = Scene(obstacles=every_kind())
ON_BOX = lifted_pose(0.06, 2.6, 4)
OVERVIEW = Camera().frame((-1.1, -1.2, 0.0), (2.3, 1.5, 0.2), WIDTH / HEIGHT)
LIFT_VIEW = Camera((0.5, 0.13, 0.08), 2.0, math.radians(-60), math.radians(28))

PICTURES = {
    "perspective": (obstacle_scene(), snapshot(), FORCES, PERSPECTIVE, DARK),
    "light": (obstacle_scene(), snapshot(), FORCES, PERSPECTIVE, LIGHT),
    "top": (
        obstacle_scene(),
        snapshot(),
        Overlays(show_friction_forces=True, show_contact_points=True, show_com=True),
        Camera().standard("top").frame(LOW, HIGH, WIDTH / HEIGHT),
        DARK,
    ),
    "front": (obstacle_scene(), snapshot(), Overlays(), Camera().standard("front").frame(LOW, HIGH, 2.0), DARK),
    "lifted": (FREE, snapshot(lifted_pose(), False), Overlays(), LIFT_VIEW, DARK),
    "selection": (
        obstacle_scene(),
        snapshot(with_contacts=False),
        Overlays(selection=(Pick("obstacle", 2), Pick("link", 5)), hover=Pick("obstacle", 3)),
        Camera((0.75, 0.1, 0.05), 1.4, math.radians(-40), math.radians(35)),
        DARK,
    ),
    "ghost": (
        FREE,
        snapshot(with_contacts=False),
        Overlays(ghosts=(Ghost(serpenoid_pose() - np.array((0, 0.35, 0, 0, 0, 0, 0))),), show_joint_axes=True),
        Camera((0.5, 0.0, 0.05), 2.2),
        DARK,
    ),
    "through": (
        obstacle_scene(0.3),
        snapshot(),
        Overlays(obstacle_opacity=0.35, reference_ghost=True),
        PERSPECTIVE,
        DARK,
    ),
    "terrain": (TERRAIN, snapshot(ON_BOX, False), Overlays(), OVERVIEW, DARK),
    "terrain_light": (
        TERRAIN,
        snapshot(ON_BOX, False),
        Overlays(selection=(Pick("obstacle", 1), Pick("obstacle", 3), Pick("obstacle", 5)), hover=Pick("obstacle", 4)),
        OVERVIEW,
        LIGHT,
    ),
    "terrain_top": (TERRAIN, snapshot(ON_BOX, False), Overlays(), OVERVIEW.standard("top"), LIGHT),
    "terrain_through": (TERRAIN, snapshot(ON_BOX, False), Overlays(obstacle_opacity=0.35), OVERVIEW, DARK),
    "on_box": (
        TERRAIN,
        snapshot(ON_BOX, False),
        Overlays(),
        Camera((0.5, 0.15, 0.05), 1.5, math.radians(-60), math.radians(28)),
        DARK,
    ),
    "loops": (FREE, snapshot(loops_pose(), False), Overlays(), LIFT_VIEW, LIGHT),
    "cardan": (
        FREE.model_copy(
            update={"model": FORMULATIONS["spatial_nonsmooth"].fields(), "robot": Robot(axis_offset_m=0.022)}
        ),
        dataclasses.replace(
            snapshot(lifted_pose(0.05, 2.5), False),
            joint_angle=np.zeros(20),
            joint_angle_ref=np.column_stack((np.linspace(-0.5, 0.5, 10), 0.25 * np.cos(np.arange(10)))).ravel(),
            contacts=slanted_contacts(lifted_pose(0.05, 2.5)),
        ),
        Overlays(show_joint_axes=True, reference_ghost=True, show_com=True, show_contact_points=True,
                 show_friction_forces=True, trail=trail() + np.array((0.0, 0.0, 0.1))),
        LIFT_VIEW,
        DARK,
    ),
}  # fmt: skip


_PIVOT = np.array((0.15, -0.5, 0.05))
_GIZMO_VIEW = Camera((0.15, -0.5, 0.05), 1.2, math.radians(-60), math.radians(32))
_GUIDE = Guide((0.15, -0.35, 0.0), (0.42, -0.35, 0.0), dot=True)
for _name, _gizmo, _theme in (
    ("gizmo_move", Gizmo("move", _PIVOT, hovered="x"), DARK),
    ("gizmo_turn", Gizmo("turn", _PIVOT, hovered="z"), LIGHT),
    ("gizmo_scale", Gizmo("scale", _PIVOT, rotation(math.radians(30), math.radians(15))), LIGHT),
    ("gizmo_held", Gizmo("turn", _PIVOT, offered="z", held="z", sweep=(0.3, 1.2)), DARK),
):
    _chosen = Overlays(
        selection=(Pick("obstacle", 2),), gizmo=_gizmo, guides=(_GUIDE,) if _gizmo.held else ()
    )
    PICTURES[_name] = TERRAIN, None, _chosen, _GIZMO_VIEW, _theme

_RINGED = Overlays(
    body_quantity="torque", force_scale=0.05, selection=(Pick("link", 16),), hover=Pick("link", 27)
)
_ARCH_GHOST = Ghost(inchworm().link_pose + np.array((0.02, 0.08, 0, 0, 0, 0, 0)))
_ARCH_VIEW = Camera((0.13, 0.0, 0.05), 0.6, math.radians(-70), math.radians(18))
for _name, _theme in (("", DARK), ("_light", LIGHT)):
    PICTURES |= {
        f"beam_snake{_name}": (
            SNAKE,
            snake(),
            _RINGED,
            Camera().frame(*box(snake()), WIDTH / HEIGHT),
            _theme,
        ),
        f"beam_worm{_name}": (
            WORM,
            worm(),
            Overlays(body_quantity="stretch", force_scale=0.1),
            Camera().frame(*box(worm()), WIDTH / HEIGHT),
            _theme,
        ),
        f"beam_inchworm{_name}": (
            INCHWORM,
            inchworm(),
            Overlays(force_scale=0.03, show_contact_points=True, ghosts=(_ARCH_GHOST,)),
            _ARCH_VIEW,
            _theme,
        ),
    }


@pytest.fixture(scope="module")
def screen() -> Iterator[OffscreenRenderer]:
    with OffscreenRenderer(WIDTH, HEIGHT) as renderer:
        yield renderer


def _draw(screen: OffscreenRenderer, name: str) -> np.ndarray:
    scene, held, overlays, camera, theme = PICTURES[name]
    return screen.draw(build(scene, held, overlays, camera, theme), camera)


@pytest.mark.parametrize("name", PICTURES)
def test_image_equals_its_reference(screen, name):
    picture = _draw(screen, name)
    path = IMAGES / f"{name}.png"
    if os.environ.get("SNAKESTUDIO_ACCEPT_IMAGES"):
        IMAGES.mkdir(exist_ok=True)
        Image.fromarray(picture).save(path, optimize=True)
        return
    assert path.exists(), (
        f"{path} is missing; look at the picture and accept it with SNAKESTUDIO_ACCEPT_IMAGES=1"
    )
    difference = unlike(picture, _reference(name))
    if difference:
        FAILED.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(FAILED / f"{name}.png")
    assert not difference, f"{difference}; see {FAILED / name}.png"


def _reference(name: str) -> np.ndarray:
    return np.asarray(Image.open(IMAGES / f"{name}.png").convert("RGB"))


def unlike(picture: np.ndarray, reference: np.ndarray) -> str:
    """Describe the difference of an image from its reference, "" if only edges of another driver differ.

    Edges may be shifted by a pixel: only colours that do not occur nearby in the other image count. A
    missing or additional object has many of those in some tile, however small it is in the image.
    """
    assert reference.shape == picture.shape
    mean = float(np.abs(picture.astype(int) - reference).max(axis=2).mean())
    if mean > 0.8:
        return f"mean difference {mean:.2f}"
    strange = _nowhere(picture, reference) | _nowhere(reference, picture)
    high, wide = (-(-n // _TILE) * _TILE for n in strange.shape)
    mask = np.zeros((high, wide), bool)
    mask[: strange.shape[0], : strange.shape[1]] = strange
    tiles = mask.reshape(high // _TILE, _TILE, wide // _TILE, _TILE).sum(axis=(1, 3))
    worst = tuple(int(k) for k in np.unravel_index(tiles.argmax(), tiles.shape))
    at = f"around pixel {_TILE * worst[1] + _TILE // 2}, {_TILE * worst[0] + _TILE // 2}"
    return f"{tiles.max()} pixels {at} are of another thing" if tiles.max() > _FEW else ""


_TILE = 16
_FEW = 4
"""Width and height of a tile, pixels, and most pixels of a tile with a colour that differs from all
neighbours."""

_LIKE = 44
"""Difference of colour components, of 255, up to which they are alike."""


def _nowhere(picture: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Pixels whose colour is not in the range of the other image at the same pixel and its eight neighbours."""
    edged = np.pad(other.astype(int), ((1, 1), (1, 1), (0, 0)), mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(edged, (3, 3), axis=(0, 1))
    low = around.min(axis=(3, 4)) - _LIKE
    high = around.max(axis=(3, 4)) + _LIKE
    return ((picture < low) | (picture > high)).any(axis=2)


def _without(name: str) -> tuple[Snapshot, Overlays]:
    """Contents of the image "perspective", less one thing."""
    _, held, overlays, _, _ = PICTURES["perspective"]
    assert held is not None
    contacts = held.contacts
    if name.startswith("force of contact"):
        force = contacts.force_normal.copy()
        force[int(name[-1])] = 0.0
        return dataclasses.replace(
            held, contacts=dataclasses.replace(contacts, force_normal=force)
        ), overlays
    if name == "friction":
        return held, dataclasses.replace(overlays, show_friction_forces=False)
    if name == "trail":
        return held, dataclasses.replace(overlays, trail=None)
    assert name == "axes in the corner"
    return held, dataclasses.replace(overlays, show_triad=False)


@pytest.mark.parametrize(
    "left_out",
    [
        "force of contact 0",
        "force of contact 1",
        "force of contact 2",
        "friction",
        "trail",
        "axes in the corner",
    ],
)
def test_missing_object_differs_from_the_reference(screen, left_out):
    held, overlays = _without(left_out)
    picture = screen.draw(build(obstacle_scene(), held, overlays, PERSPECTIVE, DARK), PERSPECTIVE)
    assert "of another thing" in unlike(picture, _reference("perspective"))


@pytest.mark.parametrize("name", PICTURES)
def test_edges_of_another_driver_are_equal(screen, name):
    """Like those of a driver that samples other positions in a pixel: slightly shifted, and softer."""
    reference = _reference(name).astype(float)
    soft = 0.7 * reference + 0.15 * (np.roll(reference, 1, axis=1) + np.roll(reference, 1, axis=0))
    assert "of another thing" not in unlike(soft.astype(np.uint8), reference.astype(np.uint8))


def test_image_is_reproducible_to_the_byte(screen):
    first = _draw(screen, "perspective")
    _draw(screen, "top")
    assert np.array_equal(_draw(screen, "perspective"), first)
    with OffscreenRenderer(WIDTH, HEIGHT) as other:
        assert np.array_equal(_draw(other, "perspective"), first)


def test_colours_identify_objects(screen):
    def has(picture, colour, least, tolerance=26):
        away = np.abs(picture.astype(int) - np.array(colour)).max(axis=2)
        return (away < tolerance).sum() >= least

    picture = _draw(screen, "perspective")
    assert has(picture, (255, 180, 84), 60), "force arrows"
    assert has(picture, (199, 146, 234), 10), "friction arrows"
    plain = screen.frame(obstacle_scene(), snapshot(), Overlays(show_forces=False), PERSPECTIVE)
    assert not has(plain, (255, 180, 84), 20, 18)
    chosen = _draw(screen, "selection")
    assert has(chosen, (76, 194, 255), 100), "outline in the accent colour"


def test_lifted_link_separates_from_its_shadow(screen):
    """The floor next to a link is dark if the link lies on it, and lit if it is lifted; the shadow is at a distance."""
    plain = Overlays(show_grid=False, show_triad=False)
    bare = screen.frame(FREE, None, plain, LIFT_VIEW).astype(int)
    darkness = {}
    for name, height in (("flat", 0.0525), ("lifted", 0.2)):
        pose = np.zeros((11, 7))
        pose[:, 0] = 0.122 * np.arange(11)
        pose[:, 2] = height
        pose[:, 3] = 1.0
        picture = screen.frame(FREE, snapshot(pose, False), plain, LIFT_VIEW)
        next_to_link = np.array((0.61, -0.046, 0.0))
        x, y = LIFT_VIEW.project(next_to_link, WIDTH / HEIGHT)[:2]
        column = round((x + 1) / 2 * WIDTH)
        row = round((1 - y) / 2 * HEIGHT)
        darkness[name] = 1 - picture[row, column].sum() / bare[row, column].sum()
        shadow = (picture.sum(axis=2, dtype=int) < 0.8 * bare.sum(axis=2)) & (
            picture.max(axis=2) < 60
        )
        assert shadow.sum() > 300
    assert darkness["flat"] > 0.2
    assert darkness["lifted"] < 0.5 * darkness["flat"]


@pytest.mark.parametrize("quality", Quality)
def test_every_quality_draws_the_same_things(screen, quality):
    scene, held, overlays, camera, theme = PICTURES["perspective"]
    full = _draw(screen, "perspective").astype(int)
    with OffscreenRenderer(WIDTH, HEIGHT, theme, quality) as other:
        picture = other.frame(scene, held, overlays, camera)
    assert np.abs(picture - full).mean() < 4


def _brightness(screen, scene, pose, camera, points):
    """Mean brightness of the image around points of the world."""
    drawn = screen.frame(
        scene, None if pose is None else snapshot(pose, False), Overlays(show_grid=False), camera
    )
    values = []
    for point in points:
        x, y, _ = camera.project(np.array(point), WIDTH / HEIGHT)
        column = round((x + 1) / 2 * WIDTH)
        line = round((1 - y) / 2 * HEIGHT)
        values.append(float(drawn[line - 1 : line + 2, column - 1 : column + 2].mean()))
    return np.array(values)


def _bar(height, y=0.0):
    """A straight robot along x at a height, m."""
    pose = np.zeros((11, 7))
    pose[:, 0] = 0.122 * (np.arange(11) - 5)
    pose[:, 1] = y
    pose[:, 2] = height
    pose[:, 3] = 1.0
    return pose


def test_shadows_fall_on_objects_in_the_light(screen):
    """The light comes from (-0.42, -0.30, 1): shadows fall towards +x and +y, by 0.30 m in y for a metre of height."""
    box = Scene(obstacles=(Box(x_m=0, y_m=0, length_m=2, width_m=1.0, height_m=0.4),))
    top = Camera().standard("top").frame((-1.2, -1, 0), (1.2, 1, 0.4), WIDTH / HEIGHT)
    # 0.3 m above the lid: 0.09 m to the side of the robot, and 0.21 m if it fell on the floor
    # there.
    on_lid = (0.0, 0.09, 0.4)
    not_there = (0.0, 0.21, 0.4)
    empty = _brightness(screen, box, None, top, (on_lid, not_there))
    above = _brightness(screen, box, _bar(0.7), top, (on_lid, not_there))
    assert above[0] < 0.85 * empty[0]
    assert above[1] > 0.97 * empty[1]
    # A robot on the floor behind the box shades the floor, not the lid, although the lid is on the
    # same rays.
    behind = _brightness(screen, box, _bar(0.0525, 0.58), top, (on_lid, (0.0, 0.47, 0.4)))
    assert behind[0] > 0.97 * empty[0]
    assert behind[1] > 0.9 * empty[0]
    # The box itself: its shadow is 0.12 m wide on the far side, and there is none on the near side.
    floor = _brightness(
        screen, box, None, top, ((0.0, 0.56, 0.0), (0.0, -0.56, 0.0), (0.0, 0.8, 0.0))
    )
    assert floor[0] < 0.7 * floor[2]
    assert floor[1] > 0.8 * floor[2]


def test_terrain_shades_terrain_and_links(screen):
    step = (Box(x_m=0, y_m=-0.5, length_m=2, width_m=0.4, height_m=0.5),)
    low = (Box(x_m=0, y_m=0.2, length_m=2, width_m=0.8, height_m=0.05),)
    top = Camera().standard("top").frame((-1.2, -1, 0), (1.2, 1, 0.4), WIDTH / HEIGHT)
    near = (0.0, -0.185, 0.05)
    far = (0.0, 0.2, 0.05)
    alone = _brightness(screen, Scene(obstacles=low), None, top, (near, far))
    shaded = _brightness(screen, Scene(obstacles=low + step), None, top, (near, far))
    assert shaded[0] < 0.85 * alone[0]
    assert shaded[1] > 0.97 * alone[1]
    back = (0.03, -0.24, 0.155)
    lit = _brightness(screen, Scene(obstacles=low), _bar(0.1025, -0.24), top, (back,))
    hidden = _brightness(screen, Scene(obstacles=low + step), _bar(0.1025, -0.24), top, (back,))
    assert hidden[0] < 0.85 * lit[0]


def test_camera_inside_objects_and_odd_sizes_draw():
    with OffscreenRenderer(321, 97) as other:
        inside = Camera(tuple(serpenoid_pose()[5, :3]), 0.03)
        picture = other.frame(
            obstacle_scene(), snapshot(), Overlays(selection=(Pick("link", 5),)), inside
        )
        assert picture.shape == (97, 321, 3)
        assert other.frame(Scene(), None).std() > 0


def test_many_obstacles_and_links_are_drawn(screen):
    rng = np.random.default_rng(3)
    posts = tuple(
        Cylinder(x_m=float(x), y_m=float(y), radius_m=0.05)
        for x, y in rng.uniform(-6, 6, (3000, 2))
    )
    scene = Scene(robot=Robot(n_links=1000), obstacles=posts)
    picture = screen.frame(
        scene, snapshot(serpenoid_pose(1000), False), Overlays(), Camera(distance=14)
    )
    assert picture.std() > 20


def test_empty_scene_is_drawn(screen):
    empty = Overlays(show_grid=False, show_triad=False, trail=(Trail(np.zeros((1, 3))),))
    picture = screen.frame(FREE, snapshot(np.full((11, 7), np.nan), False), empty, PERSPECTIVE)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) < 200


def test_renderer_works_in_another_context():
    """Zero sizes are ignored; release and initialise again work; the context is left clean."""
    context = OffscreenContext()
    try:
        renderer = Renderer()
        drawn = build(obstacle_scene(), snapshot(), FORCES, PERSPECTIVE)
        renderer.draw(drawn, PERSPECTIVE, 0, 300)
        renderer.draw(drawn, PERSPECTIVE, 300, -1)
        renderer.initialise()
        info = renderer.info()
        assert info.max_texture_size >= 1024
        assert "OpenGL" in str(info)
        renderer.release()
        renderer.release()
        renderer.initialise()
        assert renderer.pick(drawn, PERSPECTIVE, 0, 0, 3, 4) is None
        assert renderer.pick(drawn, PERSPECTIVE, WIDTH, HEIGHT, 3, 4) == Pick("ground")
        renderer.release()
        assert gl.glGetError() == 0
    finally:
        context.close()


def test_old_context_is_refused_with_a_message(monkeypatch):
    monkeypatch.setattr(
        gl, "integer", lambda name: {gl.GL_MAJOR_VERSION: 3, gl.GL_MINOR_VERSION: 1}.get(name, 0)
    )
    monkeypatch.setattr(gl, "text", lambda name: "3.1 Elderly")
    with pytest.raises(GraphicsError, match=r"needs OpenGL 3\.3; this computer has 3\.1 Elderly"):
        Renderer().initialise()


def test_missing_egl_names_the_package(monkeypatch):
    def missing(name, *args, **kwargs):
        raise OSError("not there")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(GraphicsError, match="libegl1"):
        OffscreenRenderer(10, 10)


def test_missing_surfaceless_platform_names_the_package(monkeypatch):
    monkeypatch.setattr(OffscreenContext, "_devices", lambda self: [])
    monkeypatch.setattr(egl, "_SURFACELESS_MESA", 0x1)
    with pytest.raises(GraphicsError, match="without a display"):
        OffscreenRenderer(10, 10)


def test_impossible_sizes_are_refused():
    with pytest.raises(GraphicsError, match="0 x 10"):
        OffscreenRenderer(0, 10)
    with pytest.raises(GraphicsError, match="too large"):
        OffscreenRenderer(200000, 10)


def test_broken_shader_is_named(monkeypatch, tmp_path):
    (tmp_path / "bad.vert").write_text("void main() { gl_Position = nonsense; }\n")
    (tmp_path / "good.frag").write_text("out vec4 c; void main() { c = vec4(1.0); }\n")
    monkeypatch.setattr(program, "resource", lambda *parts: tmp_path / parts[-1])
    context = OffscreenContext()
    try:
        with pytest.raises(GraphicsError, match=r"bad\.vert.*nonsense"):
            program.Program("bad.vert", "good.frag")
        with pytest.raises(GraphicsError, match=r"none\.vert cannot be read"):
            program.Program("none.vert", "good.frag")
    finally:
        context.close()


def test_closing_twice_is_allowed():
    renderer = OffscreenRenderer(16, 16)
    renderer.close()
    renderer.close()
