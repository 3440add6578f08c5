"""List how two scenes differ."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.cli.shared import SCENE_HELP, scene_path
from snakestudio.cli.terminal import print_warning

if TYPE_CHECKING:
    from snakestudio.model.scene import Scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio diff`."""
    parser.add_argument(
        "before", metavar="A", type=scene_path, help=f"{SCENE_HELP}; or a CSV of a run"
    )
    parser.add_argument("after", metavar="B", type=scene_path, help="the scene to compare it with")
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio diff`; return the exit code."""
    from snakestudio.model.scene_diff import difference_in_words
    from snakestudio.model.scene_file import load_scene
    from snakestudio.plugins.scenes import named_plugins, without_running

    with without_running():
        before, after = load_scene(options.before), load_scene(options.after)
    for name, scene in ((options.before, before), (options.after, after)):
        for plugin in named_plugins(scene.plugins, Path(name).parent):
            if plugin.state != "loaded":
                print_warning(
                    f"{name}: The plug-in {plugin.name} was not run; values of its kinds were not checked."
                )
    differences = difference_in_words(before, after)
    if options.json:
        print_json(
            options,
            {
                "before": options.before,
                "after": options.after,
                "equal": not differences,
                "differences": differences,
                "values": _changed_values(before, after),
            },
        )
        return 0
    print("\n".join(differences) if differences else "no differences")
    return 0


def _changed_values(before: Scene, after: Scene) -> list[dict[str, Any]]:
    """Return the values that differ, without obstacles, as written in scene files."""
    from snakestudio.model.edits import changed_keys, get_value

    others = before.model_copy(update={"obstacles": after.obstacles})
    return [
        {
            "key": key,
            "before": _in_file(get_value(others, key)),
            "after": _in_file(get_value(after, key)),
        }
        for key in changed_keys(others, after)
    ]


def _in_file(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_in_file(each) for each in value]
    return value.model_dump() if hasattr(value, "model_dump") else value
