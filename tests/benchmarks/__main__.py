"""`python -m tests.benchmarks [NAME ...]`: run the benchmarks and print every value with its bar."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib import import_module

NAMES = (
    "batch",
    "codec",
    "continuum",
    "control",
    "editor",
    "editor_files",
    "emulator",
    "engine",
    "export",
    "fitting",
    "gait_search",
    "gym",
    "joints",
    "lagrangian",
    "link_core",
    "link_timing",
    "live",
    "memory",
    "nonholonomic",
    "plots",
    "population",
    "recording",
    "render",
    "robot_stop",
    "signals",
    "simulation",
    "spatial",
    "start",
    "stream",
    "study",
    "study_results",
    "teleop",
    "trigger",
    "window",
    "window_beats",
    "window_memory",
)


def main() -> int:
    """Run the chosen benchmarks. Return 1 if a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "names", metavar="NAME", nargs="*", choices=[*NAMES, []], help=f"of {', '.join(NAMES)}"
    )
    chosen = parser.parse_args().names or NAMES
    print(
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}\n"
    )
    missed = 0
    for name in chosen:
        print(f"{name}", flush=True)
        for what, value, unit, bar, ok in import_module(f"tests.benchmarks.bench_{name}").run():
            missed += not ok
            formatted = f"{value:.3g}" if isinstance(value, float) else str(value)
            print(
                f"  {'ok  ' if ok else 'MISS'}  {what:<58} {formatted:>9} {unit:<8} {bar}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
