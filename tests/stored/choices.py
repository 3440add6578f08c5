"""Choices of the user of the stored files as plain data: `make` applies them in the program, the tests expect them."""

from __future__ import annotations

from typing import Any

SCENE_PATH = "/home/ada/snakes/mine.toml"
"""The user's scene; only the name of a file that does not exist."""
SCENE: dict[str, Any] = {"title": "Ada's", "gait.amplitude_deg": 31.25, "ground.mu_along": 0.125}
"""Values of the scene that differ from the main scene."""

VIEW: dict[str, Any] = {
    "grid": False,
    "trail_link": 4,
    "force_scale": 0.0125,
    "body_quantity": "curvature",
}
EDITOR: dict[str, Any] = {"mode": "turn", "on": True, "grid_m": 0.025, "angle_deg": 5.0}

DERIVED = ("speed_of_head_mps", "sqrt(com_vx_mps ** 2 + com_vy_mps ** 2)", "m/s")
PLOTS: list[dict[str, Any]] = [
    {
        "kind": "time",
        "curves": [{"name": "speed_of_head_mps"}, {"name": "com_vx_mps"}],
        "title": "Speed",
    },
    {"kind": "view", "view": "joint", "index": 2},
    {
        "kind": "xy",
        "curves": [{"name": "link_6_y_m", "against": "link_6_x_m"}],
        "equal": True,
        "outlines": True,
    },
    {
        "kind": "spectrum",
        "curves": [{"name": "joint_4_yaw_deg"}],
        "window": "blackman",
        "log": True,
    },
    {
        "kind": "heat",
        "curves": [{"name": "link_1_obstacle_force_n"}, {"name": "link_2_obstacle_force_n"}],
    },
]
"""Plots of the preset `PRESET`, and of the second panel in the layout `LAYOUT`: every kind of plot."""
PRESET = "Ada's plots"

LAYOUT = "Bench"
HIDDEN = ("inspector",)
SHOWN = ("experiment", "scene")
"""Hidden and visible dock."""
LAST_HIDDEN = ("scene", "history")
LAST_SHOWN = ("parameters", "plots")
"""The same for the arrangement in which the window was closed."""

MAPPING: dict[str, Any] = {"dead_man": True, "top_speed": 0.5, "turn_per_s": 2.5}
BINDINGS: tuple[tuple[str, str, float, float, float], ...] = (
    ("speed", "key:I", 1.0, 0.0, 0.0), ("speed", "axis:lefty", -0.75, 0.2, 0.5), ("turn", "key:J", 1.0, 0.0, 0.0),
    ("gait_next", "button:a", 1.0, 0.0, 0.0), ("dead_man", "key:K", 1.0, 0.0, 0.0),
)  # fmt: skip
"""Function, input, scale, dead zone and exponent."""

CAMERA: tuple[tuple[float, tuple[float, float, float], float, float, float, bool], ...] = (
    (0.0, (0.5, 0.0, 0.1), 3.5, -0.7, 0.9, False), (2.5, (1.5, -0.25, 0.0), 2.0, 1.25, 0.5, True),
)  # fmt: skip
"""Time (s), target (m), distance (m), azimuth and elevation (rad), orthographic."""

SIGNATURE = "0123456789abcdef"
TABLE: dict[str, Any] = {
    "delimiter": ";",
    "decimal": ",",
    "time_unit": "ms",
    "length_unit": "mm",
    "angle_unit": "deg",
    "axes": "+x-z+y",
    "bodies": [{"name": "Head", "x": 1, "y": 2, "z": 3, "link": 0}],
    "joints": [{"joint": 1, "yaw": 4}],
}
"""Layout of measured tables, as in its file."""

PLAIN: dict[str, Any] = {
    "theme": "light",
    "runs/keep": False,
    "autosave/interval_s": 12.5,
    "palette/recent": ["show_grid", "play", "panel_plots"],
    "files/recent": [SCENE_PATH, "/home/ada/snakes/other.toml"],
    "robot/profiles": ["/home/ada/.local/share/snakestudio/profiles/mine.toml"],
    "robot/logs": "/home/ada/logs",
    "video/size": "1920 × 1080 px",
    "video/fps": "25 frames a second",
    "runs/folder": "/home/ada/runs",
    "export/folder": "/home/ada/out",
    "experiment/folder": "/home/ada/tracks",
    "welcome/gallery_seen": True,
    "welcome/tour_seen": True,
}
"""Settings with a single value."""

RUN_NAME = "Ada's best"
RUN_TAGS = ("paper", "figures")
