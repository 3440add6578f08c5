"""Make a scene with a continuous body that follows the gait of a chain of links."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import add_scene_arguments, assignments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio fit-strain`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "--contacts",
        choices=("friction", "rings"),
        help="actuation of the body (friction; rings for motions out of the plane)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=output, help="scene to write (SCENE_continuum.toml)"
    )
    add_force_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio fit-strain`; return the exit code."""
    values = assignments(options.values)

    from snakestudio import api
    from snakestudio.model.robot.strain_fit import as_continuum, fit_error, strain_of_gait

    source = Path(options.scene)
    target = options.output or Path(f"{source.stem}_continuum.toml")
    outputs = Outputs(options, (options.scene,), target)
    scene, base_dir, _ = api.prepare(options.scene, options.duration, options.rate, values)
    continuum = as_continuum(scene, base_dir, options.contacts)
    law, beam = strain_of_gait(scene)
    with outputs.target(target) as file:
        api.save_scene(continuum, file)
    for name in ("k_z_per_m", "k_y_per_m", "speed_m_s"):
        if getattr(law, name) not in ("", "0"):
            print(f"{name} = {getattr(law, name)}")
    print(f"largest difference of joint angles: {math.degrees(fit_error(scene, law, beam)):.3g}°")
    for problem in api.check(continuum):
        print(f"{problem.severity}: {problem.sentence()}")
    print(f"wrote {target}")
    return 0
