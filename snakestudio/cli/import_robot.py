"""Make a scene from the robot in a URDF, xacro, SDF or MJCF file, or put the robot into an existing scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.model.scene import Scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio import-robot`."""
    parser.add_argument("file", metavar="FILE", type=Path, help="URDF, xacro, SDF or MJCF file")
    parser.add_argument(
        "--into",
        metavar="SCENE",
        type=Path,
        help="scene whose robot, gains and motors are replaced",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="NEW",
        type=output,
        help="scene to write (with --into SCENE itself, else FILE.toml in the current folder)",
    )
    parser.add_argument(
        "--radius",
        metavar="MM",
        type=float,
        help="radius of links whose file has no geometry (from their inertia if possible)",
    )
    add_force_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio import-robot`; return the exit code."""
    from snakestudio.model.atomic import write_atomically
    from snakestudio.model.scene_file import load_scene, read_scene_text, save_scene
    from snakestudio.robot_files.importing import load_robot
    from snakestudio.robot_files.to_scene import compact_text, into_scene, new_scene
    from snakestudio.session.gait_trial import PATIENT_S
    from snakestudio.session.imported_scene import verified, with_stable_step

    target: Path = (
        options.output
        or options.into
        or Path(options.file.stem.removesuffix(".urdf")).with_suffix(".toml")
    )
    if target.suffix.lower() == ".csv" or (
        options.into is not None and options.into.suffix.lower() == ".csv"
    ):
        raise UsageError(
            "A scene with another robot is written as TOML. Give a name ending in .toml."
        )
    radius = options.radius
    if radius is not None and not 0 < radius < float("inf"):
        raise UsageError(f"--radius {radius:g}: the radius must be positive. Give it in mm.")
    imported = load_robot(options.file, radius=None if radius is None else 1e-3 * radius)
    notes = list(imported.notes)
    if options.into is None:
        Outputs(options, (None, options.file), target)
        scene, step_notes = with_stable_step(
            new_scene(imported, imported.robot.name, options.file.name), None
        )
        proposed = verified(imported, scene, budget_s=PATIENT_S)
        scene = scene.model_copy(update={"gait": proposed.proposal.gait})
        step_notes += proposed.notes
    else:
        if target.resolve() != options.into.resolve():
            Outputs(options, (None, options.file), target)
        scene, changes = into_scene(imported, load_scene(options.into))
        scene, step_notes = with_stable_step(scene, options.into.parent)
        notes += changes
    doubts = _doubts(scene, target)
    if options.into is None:
        write_atomically(target, compact_text(scene).encode("utf-8"))
    else:
        save_scene(scene, target, base=read_scene_text(options.into))
    for note in (*notes, *step_notes):
        print(f"- {note}")
    robot = scene.robot
    print(
        f"wrote {target}: {robot.name}, {robot.n_links} links, {len(imported.axes)} axes, {robot.mass:.4g} kg"
    )
    for doubt in doubts:
        print(f"{target}: {doubt}")
    return 0


def _doubts(scene: Scene, target: Path) -> list[str]:
    """Return the warnings about the scene that is written to `target`.

    Raises `SceneError` if the scene cannot run.
    """
    from snakestudio.errors import SceneError
    from snakestudio.session.scene_check import check

    problems = check(scene, target.parent)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        reasons = "\n".join(f"{target}: {problem.sentence()}" for problem in errors)
        raise SceneError(f"{reasons}\nNothing was written.", errors)
    return [
        f"{problem.severity}: {problem.sentence()}"
        for problem in problems
        if problem.severity != "hint"
    ]
