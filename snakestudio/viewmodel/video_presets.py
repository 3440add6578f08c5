"""Choices of the video dialog: presets, sizes, rates, speeds, and common curves."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.export.codecs import Quality
from snakestudio.model.recording import Schema

SIZES = (
    (1280, 720),
    (1920, 1080),
    (2560, 1440),
    (3840, 2160),
    (1080, 1080),
    (640, 360),
    (480, 270),
)
RATES = (10, 15, 24, 25, 30, 50, 60)
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class VideoPreset:
    """Values of the dialog for one purpose."""

    name: str
    suffix: str
    """Suffix of the file."""

    size: tuple[int, int]
    """Width and height, px."""

    fps: int
    quality: Quality
    supersample: int = 1


PRESETS = (
    VideoPreset("Talk, 1080p", ".mp4", (1920, 1080), 30, "good"),
    VideoPreset("Supplement of a paper, 720p", ".mp4", (1280, 720), 25, "best", 2),
    VideoPreset("Web page, GIF", ".gif", (640, 360), 15, "good"),
    VideoPreset("Single images, PNG", ".png", (1920, 1080), 30, "good", 2),
)


def curve_offers(schema: Schema, names: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return sets of columns for the curves below the image, of those that a run has."""
    middle = schema.n_links // 2 + 1
    kind = next((axis.kind for axis in schema.axes if axis.joint == middle - 1), "yaw")
    offers = [
        ("None", ()),
        ("Velocity of the centre of mass", ("com_vx_mps", "com_vy_mps")),
        ("Path of the centre of mass", ("com_x_m", "com_y_m")),
        ("Forces of obstacles", ("contact_obstacle_fx_n", "contact_obstacle_fy_n")),
        ("Velocity and forces of obstacles", ("com_vx_mps", "contact_obstacle_fx_n")),
        (
            f"Joint {middle}, angle and reference",
            (f"joint_{middle}_{kind}_rad", f"joint_{middle}_{kind}_ref_rad"),
        ),
        ("Energy and work", ("energy_kinetic_j", "work_actuator_j", "work_friction_j")),
    ]
    return [(text, columns) for text, columns in offers if all(name in names for name in columns)]
