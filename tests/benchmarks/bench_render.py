"""Frames per second of the renderer alone: 1280 x 720, eleven links, seven obstacles, arrows, trail and shadow."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from time import perf_counter

import numpy as np

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.picking import pick
from snakestudio.drawing.quality import AdaptiveQuality, Quality
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, ContactState, Snapshot
from snakestudio.render.offscreen import OffscreenRenderer
from tests.drawing.continuum import SNAKE, box, snake

Row = tuple[str, object, str, str, bool]

WIDTH = 1280
HEIGHT = 720
BAR = 30.0
CENTRES = (
    (0.0507, 0.1761), (0.4215, 0.0029), (0.8037, 0.1851), (1.1532, 0.0031), (1.5298, 0.1783), (1.8877, 0.0020),
    (2.2588, 0.1745),
)  # fmt: skip
SCENE = Scene(
    robot=Robot(), obstacles=tuple(Cylinder(x_m=x, y_m=y, height_m=0.15) for x, y in CENTRES)
)
CAMERA = Camera().frame((-0.15, -0.13, 0.0), (2.4, 0.33, 0.15), WIDTH / HEIGHT)
PAST = np.linspace(-0.4, 0.5, 400)
OVERLAYS = Overlays(
    show_friction_forces=True,
    trail=np.stack((PAST, 0.157 + 0.05 * np.sin(10 * PAST), np.full(400, 0.0525)), axis=1),
    selection=(Pick("obstacle", 2),),
)


def _snapshot(frame: int) -> Snapshot:
    """Snapshot of the moving robot, with a new shape in every frame."""
    n = 11
    delta = math.radians(-50)
    phase = 0.02 * frame
    theta = math.pi - math.radians(40) / (2 * math.sin(delta / 2)) * np.cos(
        (np.arange(n) - 0.5) * delta + phase
    )
    axis = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    pose = np.zeros((n, 7))
    pose[1:, :2] = np.cumsum(0.061 * (axis[1:] + axis[:-1]), axis=0)
    pose[:, :2] += np.array((0.515 + 0.002 * frame, 0.157)) - pose[5, :2]
    pose[:, 2] = 0.0525
    pose[:, 3] = np.cos(theta / 2)
    pose[:, 6] = np.sin(theta / 2)
    link = np.array([*range(n), 1, 4, 7], np.int32)
    other = np.array([-1] * n + [1, 2, 3], np.int32)
    point = pose[link, :3] * (1, 1, 0)
    normal = np.zeros((n + 3, 3))
    friction = np.zeros((n + 3, 3))
    normal[n:, 1] = (30.0, -45.0, 25.0)
    friction[:n, 0] = 1.3
    zero = np.zeros((n - 1, 2))
    held = Contacts(
        link, other, point, normal, friction, np.full(n + 3, ContactState.SLIP, np.int32)
    )
    return Snapshot(0.01 * frame, pose, np.zeros((n, 6)), zero, zero, zero, zero, zero, held)


SNAPSHOTS = [_snapshot(frame) for frame in range(40)]


def _frame(screen: OffscreenRenderer, frame: int, quality: Quality, turning: bool = False) -> float:
    """Time of a frame from snapshot to finished pixels, s."""
    camera = replace(CAMERA, azimuth=CAMERA.azimuth + 0.01 * frame) if turning else CAMERA
    start = perf_counter()
    drawn = build(SCENE, SNAPSHOTS[frame % len(SNAPSHOTS)], OVERLAYS, camera)
    built = perf_counter() - start
    return built + screen.time(drawn, camera, quality, 1)[0]


def _picking() -> float:
    """Time of a pick among 2,000 obstacles, s."""
    places = np.random.default_rng(1).uniform(-5, 5, (2000, 2))
    posts = tuple(Cylinder(x_m=float(x), y_m=float(y), radius_m=0.05) for x, y in places)
    camera = Camera(distance=8)
    drawn = build(Scene(obstacles=posts), _snapshot(0), Overlays(), camera)
    times = []
    for _ in range(10):
        started = perf_counter()
        pick(drawn, camera, (0.1, 0.2), 16 / 9)
        times.append(perf_counter() - started)
    return min(times)


def _body() -> tuple[float, float]:
    """Times of a draw list of a coloured continuous body of 41 cross-sections, and of a pick in it, s."""
    held = snake()
    overlays = Overlays(body_quantity="torque")
    camera = Camera().frame(*box(held), WIDTH / HEIGHT)
    x, y, _ = camera.project(held.link_pose[20, :3], WIDTH / HEIGHT)
    built = []
    picked = []
    for _ in range(100):
        start = perf_counter()
        drawn = build(SNAKE, held, overlays, camera)
        middle = perf_counter()
        pick(drawn, camera, (float(x), float(y)), WIDTH / HEIGHT)
        built.append(middle - start)
        picked.append(perf_counter() - middle)
    return min(built), min(picked)


def run(frames: int = 60) -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    rows: list[Row] = []
    best = math.inf
    for k in range(100):
        start = perf_counter()
        build(SCENE, SNAPSHOTS[k % len(SNAPSHOTS)], OVERLAYS, CAMERA)
        best = min(best, perf_counter() - start)
    rows.append(("building a draw list", 1e3 * best, "ms", "<= 2", best <= 2e-3))
    built, picked = _body()
    rows.append(("building a draw list, continuous body", 1e3 * built, "ms", "<= 2", built <= 2e-3))
    rows.append(("picking a section of it", 1e3 * picked, "ms", "<= 2", picked <= 2e-3))
    best = _picking()
    rows.append(("picking one of 2,000 obstacles", 1e3 * best, "ms", "<= 5", best <= 5e-3))
    with OffscreenRenderer(WIDTH, HEIGHT) as screen:
        rows.append(("renderer", screen.info().renderer.split(" (")[0], "", "", True))
        for quality in Quality:
            times = [_frame(screen, k, quality) for k in range(3, frames)]
            rows.append(
                (f"frames a second, {quality.name.lower()}", 1 / median(times), "1/s", "", True)
            )
            if quality is Quality.MEDIUM:
                times = [_frame(screen, k, quality, turning=True) for k in range(3, frames)]
                rows.append(
                    (
                        "frames a second, medium, camera turning",
                        1 / median(times),
                        "1/s",
                        "",
                        True,
                    )
                )
        control = AdaptiveQuality()
        times = []
        for k in range(10 * frames):
            level = control.level
            times.append((level, _frame(screen, k, level)))
            control.add(times[-1][1])
        settled = [seconds for level, seconds in times[-2 * frames :]]
        speed = len(settled) / sum(settled)
        name = control.level.name.lower()
        rows.append(
            (
                f"frames a second, adaptive (settles on {name})",
                speed,
                "1/s",
                f">= {BAR:g}",
                speed >= BAR,
            )
        )
    return rows
