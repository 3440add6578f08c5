"""The option that writes what an analysis found as a report, the same for every command that has one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from snakestudio.cli.outputs import Outputs, output

if TYPE_CHECKING:
    from snakestudio.api.reporting import Reporting


def add_report_argument(parser: argparse.ArgumentParser) -> None:
    """Declare where to write the report."""
    parser.add_argument(
        "--report",
        metavar="F",
        type=output,
        help="write tables, pictures and provenance (.html, .pdf, .md)",
    )


def check_report_ending(options: argparse.Namespace) -> None:
    """See, before anything is computed, that a report can be written by its name.

    Raises `ExportError` if it cannot.
    """
    from snakestudio.export.report_files import report_path

    if options.report is not None:
        report_path(options.report)


def write_report_of(result: Reporting, options: argparse.Namespace, outputs: Outputs) -> None:
    """Write the report of a result, if one is wanted."""
    if options.report is not None:
        with outputs.place(options.report) as path:
            result.to_report(path)
        print(f"\nwrote {options.report}")
