"""Output of an analysis result by commands: as text or JSON, as a CSV file, as a report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from snakestudio.cli.outputs import Outputs, output
from snakestudio.cli.results import print_json

if TYPE_CHECKING:
    from snakestudio.api.reporting import Reporting


def add_report_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --report, the file to write the report to."""
    parser.add_argument(
        "--report",
        metavar="F",
        type=output,
        help="write a report with tables, figures and provenance (.html, .pdf, .md)",
    )


def check_report_ending(options: argparse.Namespace) -> None:
    """Check the suffix of the report before anything is computed.

    Raises `ExportError` if no report has that suffix.
    """
    from snakestudio.export.report_files import report_path

    if options.report is not None:
        report_path(options.report)


def write_report_of(result: Reporting, options: argparse.Namespace, outputs: Outputs) -> None:
    """Write the report of a result, if requested."""
    if options.report is not None:
        with outputs.target(options.report) as path:
            result.to_report(path)
        print(f"\nwrote {options.report}")


def deliver_comparison(
    comparison: Reporting,
    name: str,
    options: argparse.Namespace,
    outputs: Outputs,
    values: Callable[[], dict[str, Any]],
    csv_rows: str = "",
) -> None:
    """Print a comparison, and write the requested files.

    Parameters
    ----------
    name : str
        Name of the scene's file.
    values : callable
        Returns the comparison for scripts.
    csv_rows : str
        Length of the CSV file as text, printed after its name.
    """
    if not options.json:
        print(f"{name}:\n\n{comparison}")
    if options.csv is not None:
        with outputs.target(options.csv) as path:
            comparison.to_csv(path)
        print(f"\nwrote {options.csv}{csv_rows}")
    write_report_of(comparison, options, outputs)
    if options.json:
        print_json(options, values())
