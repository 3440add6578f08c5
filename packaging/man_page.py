"""Generate the man page from the parsers of the command line.

`man_page.py FILE` writes it, compressed if FILE ends in .gz; without FILE it is printed.
SOURCE_DATE_EPOCH sets its date.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import snakestudio
from snakestudio.cli import COMMANDS, overview, parser_of
from snakestudio.cli.conventions import ENVIRONMENT_VARIABLES, EXIT_CODES, USER_FOLDERS


def escaped(text: str) -> str:
    """Return the text escaped for troff."""
    lines = (line.replace("\\", "\\e").replace("-", "\\-") for line in text.splitlines())
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def items(table: dict[str, str]) -> Iterator[str]:
    """Lines of a list of terms and their meanings."""
    for term, meaning in table.items():
        yield from (".TP", f".B {escaped(term)}", escaped(meaning))


def synopsis(parser: argparse.ArgumentParser) -> str:
    """Return the usage of a command on one line."""
    formatter = argparse.HelpFormatter(parser.prog, width=100_000)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    rest = formatter.format_help().strip().removeprefix(parser.prog)
    return f"\\fB{escaped(parser.prog)}\\fR{escaped(rest)}"


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Lines of a command's options and arguments."""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.help is argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
            continue
        if action.option_strings:
            usage = formatter._format_action_invocation(action)
        else:
            usage = formatter._metavar_formatter(action, action.dest)(1)[0]
        help_text = formatter._expand_help(action) if action.help else ""
        yield from (".TP", f".B {escaped(usage)}", escaped(" ".join(help_text.split())))


def man_page(date: float) -> str:
    """Return the whole page; `date` in seconds since 1970."""
    day = time.strftime("%Y-%m-%d", time.gmtime(date))
    about = overview()
    lines = [
        f'.TH SNAKESTUDIO 1 "{day}" "SnakeStudio {snakestudio.__version__}" "User Commands"',
        # Lines are set ragged: justified ones have wide gaps next to long names and options.
        ".ad l",
        ".nh",
        ".SH NAME",
        "snakestudio \\- simulate, watch and drive snake robots",
        ".SH SYNOPSIS",
        synopsis(parser_of("gui")),
        ".br",
        ".B snakestudio",
        ".I COMMAND",
        "[...]",
        ".SH DESCRIPTION",
        escaped(about.description or ""),
        "Scenes are TOML files: robot, ground, obstacles, gait and solver. Without a command the window opens.",
        "Every command explains itself with \\-\\-help.",
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        parser = parser_of(name)
        lines += [
            f".SS {escaped(name)}",
            escaped(" ".join((parser.description or "").split())),
            ".PP",
        ]
        lines += [synopsis(parser), *options(parser)]
        if parser.epilog:
            lines += [".PP", ".nf", escaped(parser.epilog), ".fi"]
    for title, table in (
        ("EXIT STATUS", EXIT_CODES),
        ("FILES", USER_FOLDERS),
        ("ENVIRONMENT", ENVIRONMENT_VARIABLES),
    ):
        lines += [f".SH {title}", *items(table)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write or print the page."""
    page = man_page(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    if len(sys.argv) < 2:
        sys.stdout.write(page)
        return
    path = Path(sys.argv[1])
    data = page.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


if __name__ == "__main__":
    main()
