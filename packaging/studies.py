"""Run the studies of `scenes/studies` and write their tables and figures into `docs/studies`: `make studies`.

Results that exist already are reused. Computing everything takes one core about twenty minutes.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from snakestudio.cli import main as snakestudio

ROOT = Path(__file__).resolve().parent.parent
STUDIES = Path("scenes/studies")
PAGES = Path("docs/studies")

EXPORTED: dict[str, str] = {
    "sidewinding_speed": "--figure",
    "sidewinding_cost": "--figure",
    "sidewinding_front": "--figure --beside sidewinding_robust",
    "sidewinding_robust": "--runs",
    "undulation_speed": "--figure",
    "undulation_cost": "--figure",
    "undulation_front": "--figure --beside undulation_robust",
    "undulation_robust": "--runs",
    "undulation_over_friction": "--figure",
    "undulation_over_viscous_friction": "--figure --x phase_shift_deg --y speed",
    "third_pipe": "--figure",
    "jam_gain": "--runs --figure --colour way",
}
"""Studies and what is exported of each: a figure in addition to the table of points, or the table of
runs instead."""


def commands(name: str) -> list[str]:
    """The two commands that recreate a study's table and figure, as they are typed in a checkout."""
    arguments = []
    for argument in EXPORTED[name].split():
        arguments.append(
            f"{STUDIES / argument}.toml" if arguments and arguments[-1] == "--beside" else argument
        )
        if argument == "--figure":
            arguments.append(f"{PAGES / name}.png")
    export = " ".join(
        [f"snakestudio study export {STUDIES / name}.toml --csv {PAGES / name}.csv", *arguments]
    )
    return [f"snakestudio study run {STUDIES / name}.toml", export]


def main() -> int:
    """Run and export the studies named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names",
        metavar="STUDY",
        nargs="*",
        choices=[*EXPORTED, []],
        help=f"of {', '.join(EXPORTED)}",
    )
    names = parser.parse_args().names or EXPORTED
    (ROOT / PAGES).mkdir(parents=True, exist_ok=True)
    for step in range(2):  # figures may refer to other studies for comparison
        for name in names:
            code = snakestudio(shlex.split(commands(name)[step])[1:])
            if code:
                return code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
