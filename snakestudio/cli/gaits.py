"""List the gaits of the library. Their names are values of --set gait: snakestudio run SCENE --set gait=NAME."""

from __future__ import annotations

import argparse

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.cli.shared import scene_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio gaits`."""
    parser.add_argument(
        "query", metavar="WORD", nargs="*", help="list only gaits with all these words"
    )
    parser.add_argument(
        "--scene",
        metavar="SCENE",
        type=scene_path,
        help="state which gaits do not suit the robot of a scene, and why",
    )
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio gaits`; return the exit code."""
    from snakestudio.export.tables import aligned
    from snakestudio.model.gaits import GAITS, found_by, unsuitable
    from snakestudio.model.scene_file import load_scene

    scene = None if options.scene is None else load_scene(options.scene)
    query = " ".join(options.query)
    listed = [preset for preset in GAITS if found_by(preset, query)]
    reasons = ["" if scene is None else unsuitable(preset, scene) for preset in listed]
    if options.json:
        gaits = [
            {
                "name": preset.name,
                "title": preset.title,
                "robot": preset.robot,
                "source": preset.source,
                "description": preset.explanation,
                "values": preset.gait.model_dump(mode="json"),
                "unsuitable": reason,
            }
            for preset, reason in zip(listed, reasons, strict=True)
        ]
        print_json(options, {"gaits": gaits})
    elif not listed:
        print(f"no gaits with {query}")
    else:
        rows = [
            (preset.name, preset.title, preset.robot or "any", reason or preset.source)
            for preset, reason in zip(listed, reasons, strict=True)
        ]
        last = "source" if scene is None else "source, or why it does not suit the robot"
        print(aligned([("name", "title", "robot", last), *rows], left=4))
    return 0
