"""List the bundled scenes. Every command accepts their names instead of a file: snakestudio run sidewinding."""

from __future__ import annotations

import argparse

from snakestudio.cli.results import add_json_argument, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio scenes`."""
    parser.add_argument(
        "words", metavar="WORD", nargs="*", help="list only scenes with all these words"
    )
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio scenes`; return the exit code."""
    from snakestudio.export.tables import aligned
    from snakestudio.viewmodel.gallery import entries, matches

    listed = sorted(
        (entry for entry in entries() if matches(entry, " ".join(options.words))),
        key=lambda entry: entry.path.stem,
    )
    if options.json:
        scenes = [
            {
                "name": entry.path.stem,
                "title": entry.title,
                "model": entry.model,
                "papers": entry.papers,
                "source": entry.source,
                "description": entry.description,
                "file": entry.path,
            }
            for entry in listed
        ]
        print_json(options, {"scenes": scenes})
    elif not listed:
        print(f"no bundled scenes with {' '.join(options.words)}")
    else:
        rows = [
            (entry.path.stem, entry.model, " ".join(entry.papers), entry.title) for entry in listed
        ]
        print(aligned([("name", "model", "paper", "title"), *rows], left=4))
    return 0
