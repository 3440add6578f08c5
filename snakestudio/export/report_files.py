"""The one way to write the report of an analysis: CSV, Markdown, HTML and PDF, by the file's suffix."""

from __future__ import annotations

import re
from pathlib import Path

from snakestudio.errors import ExportError
from snakestudio.export.csv import write_blocks, write_lines
from snakestudio.export.files import replacing
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines
from snakestudio.export.report import Progress, Report
from snakestudio.export.tables import markdown_text, table_csv, table_markdown
from snakestudio.inputs import local_path
from snakestudio.model.scene_file import dump_scene

PAGES = (".html", ".pdf", ".md")
"""Suffixes of reports to read; as `.csv` the numbers of one are written."""


def report_path(path: str | Path) -> Path:
    """The path of a report to read, if its suffix is one that can be written.

    Raises `ExportError` if it is not.
    """
    path = local_path(path)
    if path.suffix.lower() not in PAGES:
        endings = f"{', '.join(PAGES[:-1])} or {PAGES[-1]}"
        raise ExportError(
            f"{path}: reports are written as {endings}; give the file one of these endings."
        )
    return path


def write_report(path: str | Path, report: Report, progress: Progress | None = None) -> Path | None:
    """Write a report as HTML, PDF, Markdown or CSV, by the file's suffix; None if `progress` cancelled it.

    The same report gives the same file, byte by byte.

    Raises `ExportError` if the file cannot be written.
    """
    path = local_path(path)
    if path.suffix.lower() == ".csv":
        return path if write_report_csv(path, report, progress) else None
    path = report_path(path)
    with replacing(path) as partial:
        if path.suffix.lower() == ".md":
            partial.path.write_text(report_markdown(report), encoding="utf-8", newline="\n")
            partial.keep = progress is None or progress(1.0)
        else:
            from snakestudio.export.report_pages import write_pages

            partial.keep = write_pages(partial.path, path.suffix.lower(), report, progress)
    return path if partial.keep else None


def write_report_csv(path: str | Path, report: Report, progress: Progress | None = None) -> bool:
    """Write the numbers of a report as CSV under a header that rebuilds it and repeats its text.

    These are its series; of a report without them the first table, with every digit. False if
    `progress` cancelled it.

    Raises `ExportError` if the file cannot be written.
    """
    header = origin_lines(report.scene, report.scene_file)
    header += [f"# {line}".rstrip() for line in (*report.header, *report.text.splitlines())]
    header += [*change_lines(report.changes), *scene_lines(report.scene)]
    if report.series is not None:
        series = report.series()
        return write_blocks(path, header, series.names, series.blocks(), series.n_rows, progress)
    if not report.tables:
        raise ExportError(
            f"{path}: there are no numbers to write. Write the report as {PAGES[0]} or {PAGES[2]}."
        )
    names, lines = table_csv(report.tables[0])
    write_lines(path, header, names, lines)
    return progress is None or progress(1.0)


def report_markdown(report: Report) -> str:
    """A report in Markdown, its scene in a block of TOML at the end."""
    parts = [f"# {markdown_text(report.title)}"]
    parts += [markdown_text(text) for text in (report.lead, report.conclusion) if text]
    for table in (*report.tables, *report.details, *report.glossary):
        parts += [f"## {markdown_text(table.heading)}", table_markdown(table)]
        parts += [markdown_text(table.note)] if table.note else []
    if report.notes:
        parts += ["## Notes", "\n".join(f"- {markdown_text(note)}" for note in report.notes)]
    parts += [
        "## Provenance",
        "\n".join(f"- {name}: {markdown_text(value)}" for name, value in report.provenance),
    ]
    scene = dump_scene(report.scene).rstrip()
    # longer than any in a text of the scene
    fence = "~" * (1 + max(3, *map(len, re.findall("~+", scene)), 0))
    parts += ["## Scene", f"{fence}toml\n{scene}\n{fence}"]
    return "\n\n".join(parts) + "\n"
