"""Compile an engine into the cache, saying how far it is; the window runs this in the background."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio warm-up`."""
    parser.add_argument("kind", metavar="MODEL", help="model whose engine is compiled")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio warm-up`."""
    import contextlib
    import os

    from snakestudio.engines import registry
    from snakestudio.errors import UsageError

    if options.kind not in registry.kinds():
        raise UsageError(f"there is no model {options.kind!r}; give one of {', '.join(registry.kinds())}.")
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 5)  # the window that waits for this shall stay fluid, whatever it has
    registry.warm_up(options.kind, lambda fraction, text: print(f"{fraction:.3f} {text}", flush=True))
    return 0
