"""Compile an engine into the cache and print the progress; the window runs this in the background."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio warm-up`."""
    parser.add_argument("kind", metavar="MODEL", help="model whose engine is compiled")
    parser.add_argument(
        "--tethered", action="store_true", help="stop at the end of the standard input"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio warm-up`; return the exit code."""
    from snakestudio.errors import UsageError
    from snakestudio.kinds.formulation import FORMULATIONS
    from snakestudio.session.engine_compiler import compile_here, step_back
    from snakestudio.session.tether import end_with_input

    if options.kind not in FORMULATIONS:
        raise UsageError(
            f"There is no model {options.kind!r}. Give one of {', '.join(FORMULATIONS)}."
        )
    if options.tethered:
        end_with_input()
    step_back()
    compile_here(options.kind, lambda fraction, text: print(f"{fraction:.3f} {text}", flush=True))
    return 0
