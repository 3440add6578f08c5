"""The command line: `snakestudio [SCENE]`, `snakestudio run SCENE`, `snakestudio check SCENE...`.

Everything heavy is imported by the command that needs it, so that `--help` is instant.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

import snakestudio
from snakestudio.errors import PhysicsError, SnakeStudioError

__all__ = ["main"]

_COMMANDS = {
    "run": ("run", "run a scene without a window, and write CSV and video"),
    "check": ("check", "list every mistake in scene files"),
    "gui": ("gui", "open the window (the default)"),
}
_HIDDEN = {"warm-up": "warm_up"}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        text = message[:1].upper() + message[1:]
        self.exit(2, f"snakestudio: {text}; see '{self.prog} --help'.\n")


def _overview() -> _Parser:
    parser = _Parser(
        prog="snakestudio",
        description="Simulate, watch and drive snake robots.",
        epilog="Without a command, the window opens: snakestudio [SCENE].",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"SnakeStudio {snakestudio.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (_, text) in _COMMANDS.items():
        commands.add_parser(name, help=text, add_help=False)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0; 2 for a mistake in what was given; 3 where the physics failed.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in ("-h", "--help", "--version"):
        _overview().parse_args(words[:1])
    name = words.pop(0) if words and (words[0] in _COMMANDS or words[0] in _HIDDEN) else "gui"
    module = _HIDDEN.get(name) or _COMMANDS[name][0]
    command = import_module(f"snakestudio.cli.{module}")
    parser = _Parser(prog=f"snakestudio {name}" if name != "gui" else "snakestudio", description=command.__doc__)
    command.add_arguments(parser)
    try:
        options = parser.parse_args(words)
        return int(command.execute(options))
    except PhysicsError as error:
        print(f"snakestudio: {error}", file=sys.stderr)
        return 3
    except SnakeStudioError as error:
        print("\n".join(f"snakestudio: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nsnakestudio: interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: nothing to complain about
        return 0
