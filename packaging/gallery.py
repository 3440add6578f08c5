"""Render the images of the gallery: each shipped scene at a characteristic moment of its run, in both themes.

`make gallery` renders all of them; `python packaging/gallery.py stairs rubble` only these two.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from math import radians
from pathlib import Path

import numpy as np
from PIL import Image

from snakestudio import api
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.style import DARK, LIGHT, Theme
from snakestudio.export.painter import FramePainter
from snakestudio.export.video_options import VideoOptions
from snakestudio.paths import resource, scenes_dir
from snakestudio.render.offscreen import OffscreenRenderer

SIZE = 480, 288
"""Size of an image, px: twice that of a card, for high-resolution screens."""

ASPECT = SIZE[0] / SIZE[1]

SHADES = 256
"""Colours of an image, chosen so that thin lines and arrows keep theirs."""


@dataclass(frozen=True)
class Moment:
    """View of a scene.

    Attributes
    ----------
    time : float
        Time of the run, s.
    margin : float
        Visible space around the robot, in robot sizes.
    azimuth, elevation : float
        Direction of the camera, degrees.
    forces : float
        Length of the arrows of contact forces, m/N; 0 for none.
    friction : float
        The same for friction forces.
    """

    time: float
    margin: float = 1.25
    azimuth: float = -62.0
    elevation: float = 38.0
    forces: float = 0.03
    friction: float = 0.0


MOMENTS = {
    "alternating_16": Moment(4.0, margin=1.1, azimuth=-35.0, elevation=20.0, forces=0.0),
    "compliant_passage": Moment(6.5, elevation=58.0, forces=0.01),
    "compliant_pipes": Moment(5.5, forces=0.01),
    "continuum_friction": Moment(8.0),
    "continuum_snake_2d": Moment(5.0),
    "continuum_snake_3d": Moment(4.5, elevation=24.0),
    "continuum_undulation": Moment(9.0),
    "cpg_undulation": Moment(6.0, azimuth=-70.0, elevation=44.0, friction=0.06),
    "friction_patches": Moment(13.0, margin=1.5, friction=0.15),
    "inchworm": Moment(5.0, margin=1.35),
    "jam_resolution": Moment(6.0, margin=1.1, forces=0.01),
    "jam_resolution_3d": Moment(6.0, azimuth=-110.0, margin=1.1, forces=0.01),
    "jam_without_resolution": Moment(4.0, azimuth=-90.0, elevation=60.0, forces=0.006),
    "joint_formula": Moment(5.0, azimuth=-100.0, elevation=40.0, friction=0.1),
    "lagrangian_undulation": Moment(12.0, friction=0.15),
    "lateral_undulation_isotropic": Moment(6.0, azimuth=-90.0, elevation=60.0, friction=0.15),
    "obstacle_aided": Moment(5.0),
    "obstacle_aided_3d": Moment(7.0, azimuth=-40.0, elevation=28.0),
    "obstacle_aided_obstacle3_removed": Moment(8.0, azimuth=-90.0, elevation=60.0),
    "obstacle_aided_obstacle3_shifted": Moment(6.5, azimuth=-100.0),
    "obstacle_aided_small": Moment(5.0, forces=0.015),
    "path_following": Moment(62.0, margin=2.2, elevation=50.0),
    "planar_swimmer_9": Moment(6.0, margin=1.1, elevation=46.0),
    "pole_climb": Moment(3.5, margin=1.0, azimuth=-50.0, elevation=12.0, forces=0.0),
    "r_snake": Moment(3.0, margin=1.1, azimuth=-40.0, elevation=26.0, forces=0.003),
    "roll_yaw": Moment(5.0, elevation=32.0, friction=0.15, forces=0.0),
    "rubble": Moment(9.0, azimuth=-50.0, elevation=28.0, forces=0.006),
    "sidewinding": Moment(8.0, elevation=18.0, azimuth=-35.0, forces=0.012),
    "spatial_lateral_undulation": Moment(9.0, elevation=26.0, friction=0.15, forces=0.0),
    "spatial_lateral_undulation_isotropic": Moment(
        6.0, azimuth=-110.0, elevation=28.0, friction=0.15, forces=0.0
    ),
    "stairs": Moment(13.0, azimuth=-50.0, elevation=20.0, margin=1.15, forces=0.006),
    "table_gait": Moment(7.5, azimuth=-100.0, elevation=40.0, friction=0.1),
    "teleoperation": Moment(26.0, margin=1.6, elevation=50.0),
    "wheeled_snake": Moment(5.0, margin=1.1, azimuth=-50.0, elevation=26.0, forces=0.0),
    "worm": Moment(3.0, elevation=26.0),
    "worm_accelerating": Moment(6.0, azimuth=-110.0, elevation=26.0),
}


def camera(pose: np.ndarray, radius: float, moment: Moment) -> Camera:
    """Return a camera that shows the robot (poses of its links, (n, 7)) with a margin."""
    low = pose[:, :3].min(axis=0) - radius
    high = pose[:, :3].max(axis=0) + radius
    middle = 0.5 * (low + high)
    half = 0.5 * moment.margin * (high - low)
    view = replace(Camera(), azimuth=radians(moment.azimuth), elevation=radians(moment.elevation))
    return view.frame(middle - half, middle + half, ASPECT)


def picture(run: api.Run, base_dir: Path, moment: Moment, theme: Theme) -> Image.Image:
    """Render the last instant of a run, in few colours."""
    return frame(run, base_dir, moment, theme).quantize(
        SHADES, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )


def frame(run: api.Run, base_dir: Path, moment: Moment, theme: Theme) -> Image.Image:
    """Render the last instant of a run."""
    scene = run.scene
    recording = run.recording
    body = scene.body.radius
    last = recording.rows(len(recording) - 1, len(recording))
    options = VideoOptions(
        *SIZE,
        camera=camera(last.link_pose[0], body, moment),
        forces=moment.forces > 0,
        force_scale=moment.forces or VideoOptions().force_scale,
        friction_forces=moment.friction > 0,
        friction_scale=moment.friction or VideoOptions().friction_scale,
        time_stamp=False,
        theme=theme,
    )
    drawing = OffscreenRenderer(*SIZE, theme)
    try:
        painter = FramePainter(recording, options, drawing, ASPECT, base_dir)
        pixels = painter.paint(painter.duration)
    finally:
        drawing.close()
    return Image.fromarray(pixels)


def main() -> None:
    """Render the scenes named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="SCENE", nargs="*", help="scenes; all if none is named")
    parser.add_argument(
        "--folder", type=Path, default=resource("gallery"), help="folder for the images"
    )
    options = parser.parse_args()
    for name in options.names:
        if name not in MOMENTS:
            parser.error(
                f"no moment is declared for the scene {name!r}; give one of {', '.join(MOMENTS)}"
            )
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or sorted(MOMENTS):
        moment = MOMENTS[name]
        scene, base_dir, _ = api.prepare(scenes_dir() / f"{name}.toml", duration=moment.time)
        assert base_dir is not None, "a scene from a file has a folder"
        run = api.simulate_scene(scene, base_dir)
        for theme, suffix in ((DARK, "dark"), (LIGHT, "light")):
            path = options.folder / f"{name}-{suffix}.png"
            picture(run, base_dir, moment, theme).save(path, optimize=True)
            print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
