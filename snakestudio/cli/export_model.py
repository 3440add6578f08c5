"""Write the robot and the world of a scene for other simulators: MJCF (MuJoCo), URDF (ROS) or SDF (Gazebo).

Features that the format lacks are printed, and listed in a comment at the top of the file.
"""

from __future__ import annotations

import argparse

from snakestudio.cli.exports import Export, report
from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import SCENE_HELP, add_set_argument, assignments, scene_path
from snakestudio.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio export-model`."""
    parser.add_argument(
        "scene",
        metavar="SCENE",
        type=scene_path,
        help=f"{SCENE_HELP}; or a CSV or .mcap of a run of it",
    )
    parser.add_argument(
        "--mjcf", metavar="F", type=output, help="write MJCF (- for the standard output)"
    )
    parser.add_argument("--urdf", metavar="F", type=output, help="write URDF (robot only)")
    parser.add_argument("--sdf", metavar="F", type=output, help="write SDF 1.9")
    add_force_argument(parser)
    add_quiet_argument(parser)
    add_set_argument(parser, "robot.n_links=16")


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio export-model`; return the exit code."""
    files = {
        name: path
        for name in ("mjcf", "urdf", "sdf")
        if (path := getattr(options, name)) is not None
    }
    if not files:
        raise UsageError("No format was given. Give --mjcf, --urdf or --sdf with a file name.")
    values = assignments(options.values)
    outputs = Outputs(options, (options.scene,), *files.values())

    from snakestudio import api

    scene, base_dir, _ = api.prepare(options.scene, values=values)
    outputs.spare_files_of(scene, base_dir)

    from snakestudio.export.formats import EXPORTS, ModelOptions, SceneSource

    source = SceneSource(scene, base_dir)
    content = f"{scene.robot.n_links} links, {len(scene.body.axes)} joint axes"
    for name, path in files.items():
        with outputs.target(path) as file:
            written = Export(EXPORTS["model"], path, ModelOptions(name)).write(source, file)
        assert written is not None, "no progress callback cancels it"
        report(written._replace(path=path, content=content))
    return 0
