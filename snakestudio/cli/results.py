"""Results of commands for scripts: one JSON object on the standard output, or no output."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --json, which prints the result as a JSON object; see `print_json`."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the result as one JSON object; messages go to the standard error",
    )


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --quiet, which prints only warnings and errors."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print only warnings and errors")


@contextmanager
def messages_apart(options: argparse.Namespace) -> Iterator[None]:
    """Redirect prints inside the context: to the standard error with --json, to nowhere with --quiet."""
    options.standard_output = sys.stdout
    if getattr(options, "quiet", False):
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stdout = nowhere
            try:
                yield
            finally:
                sys.stdout = options.standard_output
        return
    if getattr(options, "json", False):
        sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = options.standard_output


def print_json(options: argparse.Namespace, values: Mapping[str, Any]) -> None:
    """Print the result of a command to the real standard output, even inside `messages_apart`.

    Paths become strings, arrays become lists, and NaN and infinities become null.
    """
    import json

    text = json.dumps(_plain(values), indent=2, allow_nan=False)
    print(text, file=options.standard_output, flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
